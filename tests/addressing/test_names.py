"""Agent ids and the labels of conversations."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rooms.addressing import check_agent_id, check_label, derive_label, free_label
from rooms.addressing.names import name_key, normal_form
from rooms.errors import InvalidInput


def code_of(name: Any) -> str:
    with pytest.raises(InvalidInput) as refused:
        check_agent_id(name)
    assert refused.value.field == "agent"
    return refused.value.code


@pytest.mark.case("F-124")
def test_of_reserved_and_structured_ids_only_the_plain_one_is_accepted() -> None:
    listed = ["all", "room", "here", "a/b", "a:b", "..", "", "x" * 300]

    refused = [code_of(name) for name in listed]

    assert refused == ["reserved_identity"] * 3 + ["invalid_request"] * 5
    assert check_agent_id("infra-dashboard-2") == "infra-dashboard-2"


@pytest.mark.parametrize(
    "word", ["room", "all", "here", "everyone", "new", "system", "owner", "Room", "ALL"]
)
def test_words_of_the_addresses_are_reserved_in_any_case(word: str) -> None:
    assert code_of(word) == "reserved_identity"


@pytest.mark.parametrize(
    "name", ["a", "7", "Eve", "Xi", "a-", "a_", "a.b-c_d", "x" * 64]
)
def test_an_id_keeps_its_spelling(name: str) -> None:
    assert check_agent_id(name) == name


@pytest.mark.parametrize(
    "name",
    ["x" * 65, "-a", "_a", ".a", "a.", "é", "a b", " a", "a\n", "a@b", "\ud800", "a\0"],
)
def test_other_ids_are_refused(name: str) -> None:
    assert code_of(name) == "invalid_request"


@pytest.mark.parametrize("name", [None, 3, b"eve", ["eve"], object()])
def test_an_id_is_a_string(name: object) -> None:
    assert code_of(name) == "invalid_request"


@pytest.mark.case("F-66")
def test_registration_and_look_up_fold_alike_and_fully() -> None:
    assert name_key("Eve") == name_key("EVE")
    assert name_key("STRASSE") == name_key("straße")
    assert name_key("e\u0301") == name_key("É")


@pytest.mark.rule("G-LABEL-01", "G-LABEL-02")
@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Renewal of the Acme contract", "renewal-of-the-acme-contract"),
        ("one two three four five six", "one-two-three-four-five"),
        ("Deploy!", "deploy-talk"),
        ("\n\n  Second line counts\nThird", "second-line-counts"),
        ("don’t stop", "dont-stop"),
        ("snake_case and a/b", "snake-case-and-a-b"),
        ("internationalisation improvement", "internationalisation-improvement"),
        ("internationalisation improvements", "internationalisation-talk"),
        ("x" * 400, "x" * 27 + "-talk"),
        ("new", "new-talk"),
        ("All!", "all-talk"),
        ("Straße sperren", "strasse-sperren"),
        ("修复登录", "修复登录"),
        ("@eve @ada check the build", "check-the-build"),
        ("see https://a.example/b now", "see-now"),
        ("@eve", "eve-talk"),
        ("", "untitled-talk"),
        ("🎉🎉 ...", "untitled-talk"),
        ("\ud800\0", "untitled-talk"),
        ("." * 5_000 + "late words", "untitled-talk"),
    ],
)
def test_a_label_comes_from_the_first_line_with_words(text: str, label: str) -> None:
    assert derive_label(text) == label


@pytest.mark.rule("G-LABEL-04")
@pytest.mark.parametrize("word", ["new", "all", "NEW", "All"])
def test_new_and_all_are_no_labels(word: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_label(word)

    assert refused.value.code == "reserved_identity"


@pytest.mark.rule("G-LABEL-01")
@pytest.mark.parametrize(
    "written",
    ["", "a b", "-a", "a-", "a--b", "a/b", "a_b", "x" * 33, "a\u200db", 5, None],
)
def test_what_is_no_label_is_refused(written: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_label(written)

    assert refused.value.code == "invalid_request"


@pytest.mark.rule("G-LABEL-01")
def test_a_label_is_folded_composed_and_as_long_as_32() -> None:
    assert check_label("Acme-Renewal") == "acme-renewal"
    assert check_label("CAFE\u0301") == "caf\u00e9"
    assert check_label("x" * 32) == "x" * 32
    assert check_label("हिन्दी-पाठ") == "हिन्दी-पाठ"


@pytest.mark.rule("G-LABEL-03", "G-LABEL-07")
def test_a_label_that_was_ever_held_gets_a_suffix() -> None:
    assert free_label("acme", set()) == "acme"
    assert free_label("acme", {"acme"}) == "acme-2"
    assert free_label("acme", {"acme", "acme-2"}) == "acme-3"
    assert free_label("acme", ["acme-2", "acme", "acme-3"]) == "acme-4"
    assert free_label("Acme", {"acme": "conversation-1"}) == "acme-2"
    assert free_label("acme-2", {"acme", "acme-2"}) == "acme-2-2"
    held: list[Any] = [["acme"], "acme"]  # a list is no label, nor any trouble
    assert free_label("acme", held) == "acme-2"


@pytest.mark.rule("G-LABEL-08")
def test_a_suffix_stays_within_32_characters() -> None:
    long = "x" * 32
    dashed = "x" * 29 + "-yz"

    assert free_label(long, {long}) == "x" * 30 + "-2"
    assert free_label(dashed, {dashed}) == "x" * 29 + "-2"
    tenth = {long} | {"x" * 30 + f"-{number}" for number in range(2, 10)}
    assert free_label(long, tenth) == "x" * 29 + "-10"


@pytest.mark.parametrize("taken", ["acme", b"acme", bytearray(b"a"), None, 5])
def test_the_labels_taken_are_a_collection(taken: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        free_label("acme", taken)

    assert refused.value.field == "taken"


@pytest.mark.no_cover
@given(st.text(max_size=80))
@example("ﬁ ﬂ ﬃ ŉ ΐ ǰ")
@example("\u0345\u0390 a\u0345")
@settings(max_examples=2_000, derandomize=True)
def test_any_text_gives_a_label_that_is_one(text: str) -> None:
    label = derive_label(text)

    assert check_label(label) == label
    assert len(label) <= 32
    assert len(label.split("-")) <= 5
    assert "-" in label or not label.isascii()


@pytest.mark.no_cover
@given(st.text(max_size=40))
@settings(max_examples=2_000, derandomize=True)
def test_a_checked_label_stays_as_it_is(text: str) -> None:
    try:
        label = check_label(text)
    except InvalidInput:
        return

    assert check_label(label) == label


@given(st.lists(st.sampled_from(["a", "a-2", "b", "x" * 32, "x" * 31]), max_size=40))
def test_labels_given_one_after_another_are_all_different(wanted: list[str]) -> None:
    held: list[str] = []
    for label in wanted:
        held.append(free_label(label, held))

    assert len(set(held)) == len(held)
    assert all(len(label) <= 32 for label in held)


def test_a_text_with_too_many_marks_in_a_row_stays_as_it_stands() -> None:
    stream_safe = "e\u0301" + "X" * 300
    hostile = "e\u0301" + "x\u0301\u0316" * 200 + "y" + "\u0301\u0316" * 16
    made_of_marks = "e\u0301" + "\u0f73" * 300

    assert normal_form(stream_safe) == "\u00e9" + "X" * 300
    assert normal_form(hostile) == hostile
    most = "x" + "\u0301\u0316" * 15
    assert normal_form(stream_safe + most) == (
        "\u00e9" + "X" * 300 + "x" + "\u0316" * 15 + "\u0301" * 15
    )
    assert normal_form(stream_safe + most + "\u0301") == stream_safe + most + "\u0301"
    assert normal_form(made_of_marks) == made_of_marks


def test_a_refusal_names_the_argument_and_what_may_be_there() -> None:
    with pytest.raises(InvalidInput) as wanted:
        free_label("no label!", set())
    with pytest.raises(InvalidInput) as text:
        derive_label(None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput) as name:
        check_agent_id("-a")
    with pytest.raises(InvalidInput) as reserved:
        check_label("new", field="subject")
    with pytest.raises(InvalidInput) as long:
        check_agent_id("-" * 81)

    assert reserved.value.field == "subject"
    assert f"'{'-' * 80}' and so on;" in str(long.value)
    with pytest.raises(InvalidInput, match=r"^agent is '-{80}';"):
        check_agent_id("-" * 80)
    with pytest.raises(InvalidInput, match=r"^label is 'a b';"):
        check_label("a b")
    with pytest.raises(InvalidInput, match=r"^label is of type int;"):
        check_label(5)  # type: ignore[arg-type]
    assert str(name.value).startswith("agent is '-a'; allowed: ")
    assert wanted.value.field == "wanted"
    assert "32" in wanted.value.details["allowed"]
    assert text.value.field == "text"
    assert "64" in name.value.details["allowed"]
