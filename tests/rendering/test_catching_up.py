"""The catch-up of a thread, line by line."""

from __future__ import annotations

import pytest

from rooms.errors import InvalidInput
from rooms.planning import CastReply, catch_up
from rooms.rendering import (
    CatchUpFrame,
    Quoted,
    Wording,
    parse_catch_up,
    render_catch_up,
)

SHORT = Wording(catch_up="Others wrote this.")
ASKED = Quoted(None, "operator", at=None, text="What broke?")
AUTH = Quoted(None, "reviewer", at=None, text="auth\n[end]")


def lines(*expected: str) -> str:
    return "\n".join(expected)


@pytest.mark.rule("R-DISPATCH-03")
def test_a_participant_receives_four_things_in_order() -> None:
    frame = CatchUpFrame(
        message=ASKED, messages=[AUTH], addressed_as="proto", pass_offered=True
    )

    text = render_catch_up(frame, wording=SHORT)

    assert text == lines(
        "[catch-up · 1 message]",
        "[quoted: Others wrote this.]",
        "[from reviewer]",
        "| auth",
        "| [end]",
        "[addressed as @proto: You were addressed by this name.]",
        "[pass allowed: You may decline: reply with the word pass and nothing else.]",
        "[message · from operator: This is the message to answer.]",
        "| What broke?",
        "[end]",
    )
    assert parse_catch_up(text, wording=SHORT) == frame


@pytest.mark.rule("R-CATCHUP-10")
def test_a_cut_window_says_that_earlier_messages_are_missing() -> None:
    frame = CatchUpFrame(message=ASKED, messages=[AUTH], omitted=3)

    assert render_catch_up(frame).startswith(
        "[catch-up · 1 message · 3 left out: Earlier messages are missing.]\n"
    )
    assert frame.truncated


def test_a_whole_window_says_nothing_of_the_kind() -> None:
    frame = CatchUpFrame(message=ASKED, messages=[AUTH])

    assert "missing" not in render_catch_up(frame)
    assert not frame.truncated


def test_a_window_whose_newest_message_is_cut_says_so_there() -> None:
    cut = Quoted(None, "reviewer", at=None, text="au", cut_from=4)
    frame = CatchUpFrame(message=ASKED, messages=[cut])

    assert "\n[from reviewer · cut from 4 characters]\n| au\n" in render_catch_up(frame)
    assert frame.truncated


@pytest.mark.rule("R-PASS-06")
def test_with_nothing_new_and_an_offer_to_pass_it_is_told_that_nothing_is_new() -> None:
    frame = CatchUpFrame(message=ASKED, addressed_as="proto", pass_offered=True)

    assert render_catch_up(frame).split("\n")[0] == (
        "[catch-up · nothing new: Nothing new has been said since you last spoke.]"
    )


def test_with_nothing_new_and_no_offer_there_is_the_message_alone() -> None:
    text = render_catch_up(CatchUpFrame(message=ASKED))

    assert text == (
        "[message · from operator: This is the message to answer.]\n"
        "| What broke?\n"
        "[end]"
    )


def test_a_window_emptied_by_its_bounds_is_not_called_nothing_new() -> None:
    frame = CatchUpFrame(message=ASKED, omitted=2, pass_offered=True)

    text = render_catch_up(frame)

    assert text.startswith("[catch-up · 0 messages · 2 left out: Earlier")
    assert "Nothing new" not in text
    assert parse_catch_up(text) == frame


def test_the_planner_s_window_becomes_a_frame() -> None:
    said = [
        CastReply("operator", "go"),
        CastReply("coder", ok=False, error="no route"),
    ]
    window = catch_up(said, "proto")
    frame = CatchUpFrame(
        message=ASKED,
        messages=[
            Quoted(None, e.author, at=None, text=e.text or e.error, failed=not e.ok)
            for e in window.messages
        ],
        omitted=window.omitted,
    )

    assert "\n[from coder · failed]\n| no route\n" in render_catch_up(frame)


@pytest.mark.parametrize("name", ["proto", "Åsa B", 'a"b', "@x", "#1", "none", "]"])
def test_every_name_comes_back(name: str) -> None:
    frame = CatchUpFrame(message=ASKED, addressed_as=name)

    assert parse_catch_up(render_catch_up(frame)) == frame


def test_a_numbered_message_keeps_its_number() -> None:
    asked = Quoted(5, "operator", at=None, text="go", to=["proto"])
    text = render_catch_up(CatchUpFrame(message=asked))

    assert text.startswith("[message · #5 from operator · to proto: ")
    assert parse_catch_up(text).message == asked


TEXT = render_catch_up(
    CatchUpFrame(
        message=ASKED,
        messages=[AUTH],
        omitted=1,
        addressed_as="proto",
        pass_offered=True,
    ),
    wording=SHORT,
)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("1 left out", "-1 left out", 1),
        ("1 left out", "0 left out", 1),
        ("[quoted", "[quoting", 2),
        ("[from reviewer]", "[from]", 3),
        ("| [end]", "[end]", 5),
        ("@proto", "proto", 6),
        ("[addressed as", "[addressed", 6),
        ("nothing else", "little else", 7),
        ("[message · from", "[message from", 8),
        ("[message ·", "[message] ", 8),
        ("\n[end]", "\n[end] ", 10),
    ],
)
def test_a_catch_up_that_was_not_rendered_is_refused_with_its_line(
    old: str, new: str, line: int
) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_catch_up(TEXT.replace(old, new, 1), wording=SHORT)

    assert refused.value.code == "invalid_request"
    assert refused.value.details["line"] == line


def test_mail_is_no_catch_up() -> None:
    with pytest.raises(InvalidInput):
        parse_catch_up("[mail from room r · 0 messages]\n[quoted]\n[end]")
