"""The address grammar and its canonical texts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import sized
from rooms.addressing import (
    ADDRESS_GRAMMAR,
    Address,
    AddressKind,
    parse_address,
)
from rooms.errors import InvalidInput


def refused(text: Any, **options: Any) -> InvalidInput:
    with pytest.raises(InvalidInput) as error:
        parse_address(text, **options)
    return error.value


@pytest.mark.rule("G-ADDR-01", "G-ROOM-12")
@pytest.mark.parametrize(
    ("text", "kind", "name", "label"),
    [
        ("room", AddressKind.ROOM, None, None),
        ("all", AddressKind.ALL, None, None),
        ("agent:Eve", AddressKind.AGENT, "Eve", None),
        ("agent:ben-web", AddressKind.AGENT, "ben-web", None),
        ("agent:Eve/all", AddressKind.EVERY_CONVERSATION, "Eve", None),
        ("agent:Eve/acme-renewal", AddressKind.CONVERSATION, "Eve", "acme-renewal"),
        ("person:ana", AddressKind.PERSON, "ana", None),
    ],
)
def test_each_form_parses_and_is_its_own_canonical_text(
    text: str, kind: AddressKind, name: str | None, label: str | None
) -> None:
    address = parse_address(text)

    assert address == Address(kind, name=name, label=label)
    assert str(address) == text


@pytest.mark.rule("G-ADDR-05")
def test_a_bare_id_and_new_are_one_address() -> None:
    assert parse_address("agent:Eve/new") == parse_address("agent:Eve")
    assert str(parse_address("agent:Eve/new")) == "agent:Eve"


def test_keywords_and_labels_are_read_in_any_case_and_ids_keep_theirs() -> None:
    assert str(parse_address("ROOM")) == "room"
    assert str(parse_address("Agent:EVE/ALL")) == "agent:EVE/all"
    assert str(parse_address("agent:Eve/New")) == "agent:Eve"
    assert str(parse_address("agent:Eve/Acme-Renewal")) == "agent:Eve/acme-renewal"


@pytest.mark.rule("G-ADDR-02")
def test_a_bare_word_is_refused_unless_the_caller_says_what_it_is() -> None:
    error = refused("ben")

    assert error.code == "bad_address"
    assert "agent:<id>/<label>" in str(error)
    assert str(parse_address("ben", bare_word="person")) == "person:ben"
    assert str(parse_address("ben", bare_word="agent")) == "agent:ben"
    assert refused("ben", bare_word="guess").field == "bare_word"


@pytest.mark.case("F-68")
def test_blanks_around_an_address_are_dropped_and_quotes_refused() -> None:
    padded = parse_address(" agent:founding-engineer \n")
    spaced = parse_address("agent:Founding Engineer")

    assert str(padded) == "agent:founding-engineer"
    far = parse_address("ben" + " " * 600, bare_word="person")
    assert str(far) == "person:ben"
    assert spaced.name == "Founding Engineer"
    for text in (
        "'founding-engineer'",
        "agent:'founding-engineer'",
        '["agent:eve"]',
        "[agent:eve]",
        "agent:[eve]",
        "agent:eve, agent:ada",
        "agent:“eve”",
        "agent:'eve",
        "agent:eve'",
    ):
        assert refused(text, bare_word="agent").code == "bad_address"


@pytest.mark.rule("G-ADDR-01")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        ":",
        "agent:",
        "agent",
        "agent:/new",
        "agent:Eve/",
        "agent:Eve/a b",
        "agent:Eve/a/b",
        "agent: Eve",
        "agent:a:b",
        "agent:@eve",
        "@eve",
        "person:",
        "person:a/b",
        "user:ana",
        "room:1",
        "agent:e\0e",
        "agent:\ud800",
        "agent:" + "x" * 257,
        "x" * 300_000,
        " " * 300_000,
        "agent:eve/" + "é" * 300_000,
        "e\u0301\u0316" * 100_000,
    ],
)
def test_what_is_no_address_is_refused_with_the_grammar(text: str) -> None:
    error = refused(text)

    assert error.code == "bad_address"
    assert error.field == "address"
    assert "agent:<id>/all" in str(error.details["allowed"])
    assert len(str(error)) < 400


@pytest.mark.parametrize("text", [None, 7, b"room", ["room"]])
def test_an_address_is_a_string(text: object) -> None:
    assert refused(text).code == "invalid_request"


@pytest.mark.parametrize(
    ("kind", "name", "label"),
    [
        ("room", "Eve", None),
        ("room", None, "acme"),
        ("agent", None, None),
        ("agent", "Eve", "acme"),
        ("conversation", "Eve", None),
        ("conversation", None, "acme"),
        ("agent", "a/b", None),
        ("agent", "", None),
        ("agent", 7, None),
        ("agent", "x" * 100_000, None),
        ("nobody", None, None),
        ("conversation", "Eve", "a b"),
    ],
)
def test_an_address_that_says_nothing_cannot_be_made(
    kind: Any, name: Any, label: Any
) -> None:
    with pytest.raises(InvalidInput):
        Address(kind, name=name, label=label)


def test_an_address_is_in_one_normal_form() -> None:
    composed = Address(AddressKind.CONVERSATION, name="Ren\u00e9", label="CAFE\u0301")

    assert composed == parse_address("agent:Rene\u0301/caf\u00e9")
    assert Address(AddressKind.AGENT, name="Rene\u0301").name == "Ren\u00e9"


def test_the_key_of_an_address_is_that_of_its_name_and_else_empty() -> None:
    assert Address(AddressKind.AGENT, name="Eve").key == "eve"
    assert Address(AddressKind.ROOM).key == ""


def test_what_is_wrong_with_an_address_that_is_made_is_named() -> None:
    with pytest.raises(InvalidInput) as kind:
        Address("nobody")
    with pytest.raises(InvalidInput, match=r"^address names of type int;"):
        Address(AddressKind.AGENT, name=7)  # type: ignore[arg-type]
    assert kind.value.field == "kind"
    assert "'guess'" in str(refused("ben", bare_word="guess"))


@given(st.text(max_size=60), st.sampled_from(["", "agent:", "person:", "agent:e/"]))
@settings(max_examples=sized(1_000, 5_000), derandomize=True)
def test_every_text_is_refused_or_its_canonical_text_parses_back(
    text: str, prefix: str
) -> None:
    try:
        address = parse_address(prefix + text, bare_word="person")
    except InvalidInput as error:
        assert error.code == "bad_address"  # noqa: PT017
        return

    assert parse_address(str(address)) == address
    assert str(parse_address(str(address))) == str(address)


@pytest.mark.parametrize(
    ("text", "way_out"),
    [
        ("ben", "write 'agent:ben', or pass bare_word='agent'"),
        ("@ben", "is '@ben', a mention: write 'agent:ben'"),
        ("@b", "is '@b', a mention: write 'agent:b'"),
    ],
)
def test_a_bare_name_and_a_mention_are_told_what_to_write(
    text: str, way_out: str
) -> None:
    assert way_out in str(refused(text))


def test_the_grammar_that_is_told_names_every_kind_of_address() -> None:
    for written in ADDRESS_GRAMMAR.split(", "):
        example = written.replace("<id>", "Eve").replace("<label>", "acme-renewal")
        parse_address(example.replace("<name>", "ana"))
    assert "person:<name>" in ADDRESS_GRAMMAR


def test_a_name_has_1_to_256_signs() -> None:
    longest = "x" * 256

    assert parse_address("person:x").name == "x"
    assert parse_address(f"person:{longest}").name == longest
    with pytest.raises(InvalidInput) as refused:
        parse_address(f"person:{longest}x")
    assert refused.value.code == "bad_address"


def test_what_is_no_text_is_refused_by_the_arguments_name() -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_address(7)  # type: ignore[arg-type]
    assert (refused.value.code, refused.value.field) == ("invalid_request", "address")


@pytest.mark.parametrize("length", [80, 81])
def test_a_refusal_shows_eighty_signs_and_says_that_there_are_more(length: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_address("@" * length)

    assert ("and so on" in str(refused.value)) is (length > 80)
    assert f"'{'@' * 80}'" in str(refused.value)


def test_a_refusal_shows_the_address_as_it_was_written() -> None:
    for written in ("agent:a,b", "agent:Eve/", "agent:Eve/!", "person:"):
        with pytest.raises(InvalidInput, match=f"^address is '{written}'"):
            parse_address(written)
