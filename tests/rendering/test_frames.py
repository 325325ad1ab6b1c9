"""What no frame takes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from rooms.errors import InvalidInput
from rooms.rendering import (
    CatchUpFrame,
    MailFrame,
    Notice,
    Quoted,
    Wording,
    parse_catch_up,
    parse_mail,
    render_catch_up,
    render_mail,
)

NAIVE = datetime(2026, 10, 16, 12)  # noqa: DTZ001 - the subject here


def quoted(**changed: Any) -> Quoted:
    given: dict[str, Any] = {"seq": 1, "sender": "a", "at": None, "text": ""}
    return Quoted(**(given | changed))


ASKED = quoted()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("seq", -1),
        ("seq", True),
        ("seq", 10**18),
        pytest.param("seq", 10**5000, id="seq-huge"),
        ("seq", "1"),
        ("sender", ""),
        ("sender", None),
        ("sender", b"a"),
        ("at", "noon"),
        ("at", 0),
        ("text", None),
        ("text", b"a"),
        ("to", "agent:Eve"),
        ("to", {"agent:Eve"}),
        ("to", [""]),
        ("to", [1]),
        ("to", None),
        ("reply_to", ""),
        ("reply_to", -1),
        ("reply_to", 1.5),
        ("why", ""),
        ("why", ["tagged"]),
        ("cut_from", -1),
        ("cut_from", "9"),
        ("superseded", 1),
        ("late", None),
        ("failed", "no"),
    ],
)
def test_a_message_refuses_what_it_could_not_show(name: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        quoted(**{name: value})

    assert refused.value.code == "invalid_request"
    assert refused.value.field.startswith(name)


def test_a_time_without_a_zone_is_refused_as_such() -> None:
    with pytest.raises(InvalidInput) as refused:
        quoted(at=NAIVE)

    assert refused.value.code == "naive_time"


@pytest.mark.parametrize(
    ("field", "kind", "given"),
    [
        ("kind", Notice, {"kind": ""}),
        ("kind", Notice, {"kind": 1}),
        ("data", Notice, {"kind": "cut", "data": None}),
        ("data", Notice, {"kind": "cut", "data": [("a", 1)]}),
        ("data", Notice, {"kind": "cut", "data": {1: 1}}),
        ("data", Notice, {"kind": "cut", "data": {"": 1}}),
        ("data", Notice, {"kind": "cut", "data": {"a": 1.5}}),
        ("data", Notice, {"kind": "cut", "data": {"a": 10**18}}),
        ("data", Notice, {"kind": "cut", "data": {"a": ["b"]}}),
        ("room", MailFrame, {"room": ""}),
        ("room", MailFrame, {"room": None}),
        ("kind", MailFrame, {"room": "r", "kind": "wake"}),
        ("kind", MailFrame, {"room": "r", "kind": None}),
        ("waited", MailFrame, {"room": "r", "waited": -1}),
        ("waited", MailFrame, {"room": "r", "waited": True}),
        ("reasons", MailFrame, {"room": "r", "reasons": "tagged"}),
        ("reasons", MailFrame, {"room": "r", "reasons": [""]}),
        ("notices", MailFrame, {"room": "r", "notices": [ASKED]}),
        ("notices", MailFrame, {"room": "r", "notices": 1}),
        ("messages", MailFrame, {"room": "r", "messages": "abc"}),
        ("messages", MailFrame, {"room": "r", "messages": {ASKED}}),
        ("messages", MailFrame, {"room": "r", "messages": ASKED}),
        ("message", CatchUpFrame, {"message": "go"}),
        ("message", CatchUpFrame, {"message": None}),
        ("omitted", CatchUpFrame, {"message": ASKED, "omitted": -1}),
        ("addressed_as", CatchUpFrame, {"message": ASKED, "addressed_as": ""}),
        ("pass_offered", CatchUpFrame, {"message": ASKED, "pass_offered": 1}),
        ("reminder", Wording, {"reminder": "two\nlines"}),
        ("reminder", Wording, {"reminder": "two\rlines"}),
        ("declining", Wording, {"declining": "hidden\u202e"}),
        ("message", Wording, {"message": None}),
        ("notices", Wording, {"notices": {"cut": "a\nb"}}),
        ("notices", Wording, {"notices": {1: "a"}}),
        ("notices", Wording, {"notices": {"cut": 1}}),
        ("notices", Wording, {"notices": None}),
    ],
)
def test_a_frame_refuses_what_it_could_not_show(
    field: str, kind: Callable[..., Any], given: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        kind(**given)

    assert refused.value.code == "invalid_request"
    assert refused.value.field.startswith(field)


@pytest.mark.parametrize("render", [render_mail, render_catch_up])
@pytest.mark.parametrize("frame", [None, "frame", ASKED])
def test_only_its_own_frame_is_rendered(
    render: Callable[[Any], str], frame: Any
) -> None:
    with pytest.raises(InvalidInput, match="frame"):
        render(frame)


@pytest.mark.parametrize("parse", [parse_mail, parse_catch_up])
@pytest.mark.parametrize("text", [None, b"[end]", 1])
def test_only_text_is_read(parse: Callable[[Any], Any], text: Any) -> None:
    with pytest.raises(InvalidInput, match="text"):
        parse(text)


def test_a_wording_is_a_wording() -> None:
    wording: Any = {"reminder": ""}
    with pytest.raises(InvalidInput, match="wording"):
        render_mail(MailFrame(room="r"), wording=wording)
    with pytest.raises(InvalidInput, match="wording"):
        parse_mail("", wording=wording)
    with pytest.raises(InvalidInput, match="wording"):
        render_catch_up(CatchUpFrame(message=ASKED), wording=wording)
    with pytest.raises(InvalidInput, match="wording"):
        parse_catch_up("", wording=wording)


def test_what_a_frame_holds_cannot_be_changed_behind_its_back() -> None:
    told: dict[str, Any] = {"length": 1}
    notice = Notice("cut", told)
    told["length"] = 2

    assert notice.data["length"] == 1
    assert hash(notice) == hash(Notice("cut", {"length": 1}))


def test_a_message_s_words_are_not_in_its_repr() -> None:
    secret = "the code is 4711"
    frame = CatchUpFrame(message=quoted(text=secret), messages=[quoted(text=secret)])

    assert secret not in repr(frame)
    assert "<16 characters>" in repr(frame)


def test_a_time_is_kept_in_utc() -> None:
    at = quoted(at=datetime(2026, 10, 16, 12, tzinfo=UTC)).at

    assert at is not None
    assert at.tzinfo is UTC


@pytest.mark.no_cover
def test_a_million_signs_are_rendered_and_read_back() -> None:
    for unit in ("a", "\n", "[end]\r"):
        frame = MailFrame(room="r", messages=[quoted(text=unit * (10**6 // len(unit)))])

        assert parse_mail(render_mail(frame)) == frame
