import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.errors import InvalidInput
from rooms.planning import Addressed, leading_mentions

ROSTER = ["proto", "reviewer", "claude-code"]


@pytest.mark.rule("R-ADDR-01", "R-ADDR-10")
@pytest.mark.parametrize(
    "text", ["hi @proto", "", "  plain  ", "(@proto) hi", "a@proto"]
)
def test_a_sign_that_does_not_begin_the_message_is_prose_for_the_lead(
    text: str,
) -> None:
    assert leading_mentions(text, ROSTER) == Addressed((), text, "")


@pytest.mark.rule("R-ADDR-01", "R-ADDR-02")
@pytest.mark.parametrize(
    ("text", "names", "message"),
    [
        ("@proto fix it", ("proto",), "fix it"),
        ("  @proto\n\t@reviewer  fix it \n", ("proto", "reviewer"), "fix it"),
        ("@reviewer @proto @proto's plan", ("reviewer", "proto"), "@proto's plan"),
        ("@claude-code: no", (), "@claude-code: no"),
        ("@proto\u2003go", ("proto",), "go"),
    ],
)
def test_the_leading_run_addresses_and_the_rest_is_the_message(
    text: str, names: tuple[str, ...], message: str
) -> None:
    addressed = leading_mentions(text, ROSTER)

    assert (addressed.names, addressed.message) == (names, message)


@pytest.mark.rule("R-ADDR-03", "R-ADDR-04")
def test_the_first_name_is_strict_and_the_later_ones_are_lenient() -> None:
    assert leading_mentions("@proto @nope hi", ROSTER) == Addressed(
        ("proto",), "@nope hi", ""
    )
    assert leading_mentions("@nope hi", ROSTER) == Addressed((), "@nope hi", "nope")
    assert leading_mentions("@nope @proto hi", ROSTER).unknown == "nope"


@pytest.mark.rule("R-ADDR-05")
def test_a_name_resolves_exactly_else_without_case_if_only_one_fits() -> None:
    twins = ["Eve", "eve", "Ada", "Straße"]

    assert leading_mentions("@eve x", twins).names == ("eve",)
    assert leading_mentions("@EVE x", twins) == Addressed((), "@EVE x", "EVE")
    assert leading_mentions("@aDA x", twins).names == ("Ada",)
    assert leading_mentions("@STRASSE x", twins).names == ("Straße",)


@pytest.mark.rule("R-ADDR-06")
def test_a_name_twice_counts_once_at_its_first_place() -> None:
    addressed = leading_mentions("@reviewer @proto @REVIEWER hi", ROSTER)

    assert addressed == Addressed(("reviewer", "proto"), "hi", "")


@pytest.mark.rule("R-ADDR-07")
def test_names_without_a_message_are_told_from_a_message() -> None:
    assert leading_mentions("@proto @reviewer ", ROSTER).message == ""
    assert leading_mentions("@proto @reviewer ", ROSTER).names == ("proto", "reviewer")


@pytest.mark.rule("R-ADDR-08")
def test_punctuation_is_part_of_a_token() -> None:
    assert leading_mentions("@proto, hi", ROSTER).unknown == "proto,"


@pytest.mark.rule("R-ADDR-09")
def test_without_a_roster_a_sign_is_ordinary_text() -> None:
    assert leading_mentions("@proto hi", []) == Addressed((), "@proto hi", "")


@pytest.mark.rule("R-ADDR-02")
def test_a_sign_alone_is_no_token() -> None:
    assert leading_mentions("@ proto", ROSTER) == Addressed((), "@ proto", "")


@pytest.mark.rule("R-ADDR-11", "R-ADDR-12")
@given(st.text(), st.lists(st.text(min_size=1), max_size=4))
def test_only_names_of_the_roster_that_is_asked_now_are_addressed(
    text: str, roster: list[str]
) -> None:
    addressed = leading_mentions(text, roster)

    assert set(addressed.names) <= set(roster)
    assert not (addressed.names and addressed.unknown)


def test_ten_thousand_random_and_hostile_messages_are_read() -> None:
    pieces = ["@", "@a", "@A", "@b", " ", "\n", ",", "x", "\ud83d", "\x00", "@é", "ﬀ"]
    for seed in range(10_000):
        draw = random.Random(seed)
        text = "".join(draw.choices(pieces, k=draw.randrange(12)))
        roster = draw.choices(["a", "A", "b", "é", "FF"], k=draw.randrange(5))

        addressed = leading_mentions(text, roster)

        assert set(addressed.names) <= set(roster)
        assert text.rstrip().endswith(addressed.message.rstrip())


@pytest.mark.parametrize(
    "text",
    [
        "@" * 200_000,
        "@" + "a" * 300_000,
        "@a " * 100_000,
        " " * 300_000,
        "@a" * 100_000,
    ],
)
def test_long_messages_are_read_whole(text: str) -> None:
    assert leading_mentions(text, ["a"]).names in {(), ("a",)}


@pytest.mark.parametrize(
    ("text", "roster", "field"),
    [
        (None, ["a"], "text"),
        (b"@a", ["a"], "text"),
        ("@a", "a", "roster"),
        ("@a", {"a"}, "roster"),
        ("@a", [None], "roster[0]"),
        ("@a", ["a", ""], "roster[1]"),
    ],
)
def test_wrong_types_are_named(text: object, roster: object, field: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        leading_mentions(text, roster)  # type: ignore[arg-type]

    assert caught.value.field == field
