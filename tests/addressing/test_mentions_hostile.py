"""
Random and hostile texts: against a slow reading of the same grammar, against another
way through our own, and for the cost.
"""

from __future__ import annotations

import re
import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from effort import sized
from rooms.addressing import find_mentions

# -- the oracle: every name tried at every `@`, no quiet text, no links ---------------

WORD = r"(?:\w|[\u0300-\u036f])"
PIECES = ["@", "a", "A", "ab", "b", "é", "明", "小", "2", "-", ".", "_", " ", ",", "/"]
NAMES = ["a", "A", "ab", "a-b", "b.", "a b", "明", "明明", "小明", "é", "É", "aé", "a2"]


def slow_names(text: str, roster: list[str]) -> tuple[str, ...]:
    """Read off the documented grammar, one rule a line, as slowly as that is."""
    found: list[str] = []
    settled = -1
    for at in (place for place, sign in enumerate(text) if sign == "@"):
        before, after = text[:at], text[at + 1 :]
        if before.endswith("@") or (
            before.endswith("/") and len(before) - 1 != settled
        ):
            continue
        stripped = before.rstrip("_")
        if re.search(rf"{WORD}\Z", stripped) and stripped[-1] not in "明小":
            continue
        fits = [
            (length, fitting)
            for length in range(len(after), 0, -1)
            if (fitting := [n for n in roster if same(n, after[:length])])
        ]
        hard = [f for f in fits if not re.match(rf"[._-]*+{WORD}", after[f[0] :])]
        soft = [f for f in fits if after[f[0] : f[0] + 1] in ("明", "小")]
        chosen = hard[:1] or (soft if len(soft) == 1 else [])
        if chosen:
            length, fitting = chosen[0]
        else:
            length = max([size for size, _ in soft], default=token_length(after))
            fitting = []
        rest = after[length:]
        host = rest.startswith("@") and text[at + length] not in "明小"
        if (host or rest.startswith("/")) and re.match(WORD, rest[1:]):
            continue
        settled = at + 1 + length
        exact = [name for name in fitting if name == after[:length]]
        if len(exact or fitting) == 1:
            found.extend(n for n in (exact or fitting) if n not in found)
    return tuple(found)


def same(name: str, written: str) -> bool:
    return name.casefold() == written.casefold()


def token_length(after: str) -> int:
    token = re.match(rf"(?:{WORD}|[.-])*", after)
    return token.end() if token else 0


@given(
    st.lists(st.sampled_from(PIECES), max_size=16).map("".join),
    st.lists(st.sampled_from(NAMES), max_size=6, unique=True),
)
@example("@ab.-_ @a-b", ["ab", "a-b"])
@example("明@明明小 @明", ["明", "明明"])
@example("@a/@ab_@b", ["a", "ab"])
@settings(max_examples=sized(1_000, 10_000), derandomize=True)
def test_every_name_found_is_what_a_slow_reading_finds(
    text: str, roster: list[str]
) -> None:
    assert find_mentions(text, roster, everyone=()).names == slow_names(text, roster)


# -- the quick way for plain names, and the tree --------------------------------------


@given(
    st.lists(
        st.sampled_from([*PIECES, "`", ">", "\n", "@eve", "@b.", "://", "all"]),
        max_size=20,
    ).map("".join)
)
@example("@b.-, @A-b. @eve's @ALL-")
@settings(max_examples=sized(500, 3_000), derandomize=True)
def test_a_name_that_is_not_there_changes_nothing(text: str) -> None:
    roster = ["a", "ab", "a-b", "b.", "eve", "a2"]

    assert find_mentions(text, roster) == find_mentions(text, [*roster, "no such name"])


# -- anything at all ------------------------------------------------------------------

SIGNS = "@@@`~>\n\r\\:/.-_ \0\ud800aAeEsSßﬁİ\u0301\u200d\u0f73明"


@given(
    st.text(SIGNS, max_size=40) | st.text(max_size=40),
    st.lists(st.text(SIGNS, min_size=1, max_size=4), max_size=4),
)
@settings(max_examples=sized(1_000, 10_000), derandomize=True)
def test_any_text_and_roster_give_an_answer_from_the_roster(
    text: str, roster: list[str]
) -> None:
    found = find_mentions(text, [*roster, "eve"])

    assert set(found.names) <= {*roster, "eve"}
    assert len(set(found.names)) == len(found.names)
    assert len(set(found.unresolved)) == len(found.unresolved)
    assert {one.written for one in found.ambiguous} <= set(found.unresolved)
    normal = unicodedata.normalize("NFC", text)
    assert all("@" + written in normal for written in found.unresolved)


# -- the cost -------------------------------------------------------------------------


def ticks_of_rising_length(size: int) -> str:
    runs, length = [], 1
    while size > 0:
        runs.append("`" * length + "a")
        size -= length
        length = length % 700 + 1
    return "".join(runs)


LONG: dict[str, Callable[[int], str]] = {
    "letters after one sign": lambda n: "@" + "a" * n,
    "letters of a script without spaces": lambda n: "@" + "明" * n,
    "at signs": lambda n: "@" * n,
    "at signs with blanks": lambda n: "@ " * (n // 2),
    "short mentions": lambda n: "@aa" * (n // 3),
    "short mentions apart": lambda n: "@aa " * (n // 4),
    "unknown mentions": lambda n: "".join(f"@{place} " for place in range(n // 6)),
    "underscores": lambda n: "_____@" * (n // 6),
    "trailing signs": lambda n: "@aa" + "-" * n,
    "trailing signs again and again": lambda n: ("@aa" + "-" * 300 + "x ") * (n // 300),
    "backticks of rising lengths": lambda n: ticks_of_rising_length(n) + "@a",
    "backticks in pairs": lambda n: "`a``b" * (n // 5) + "@a",
    "escaped backticks": lambda n: "\\" * (n // 2) + "`" * (n // 2) + "@a",
    "quotation marks": lambda n: ">" * n + "@a",
    "quoted lines": lambda n: "> @a\n" * (n // 5),
    "nested lists": lambda n: "- " * (n // 2) + "@a",
    "fences that close nothing": lambda n: "````\n" + "```\n" * (n // 4) + "@a",
    "blank lines": lambda n: "`\n\n" * (n // 3) + "@a",
    "links": lambda n: "://a@b " * (n // 7),
    "link heads": lambda n: "://" * (n // 3) + "@a",
    "marks out of order": lambda n: "@e" + "\u0301\u0316" * (n // 2),
    "marks that are made of two": lambda n: "@e" + "\u0f73" * n,
    "letters that fold to more": lambda n: "@" + "ß" * n,
    "lone surrogates": lambda n: "@\ud800" * (n // 2),
}

ROSTERS: dict[str, list[str]] = {
    "plain": ["a", "aa", "aa-"],
    "each a part of the next": ["a" * length for length in range(1, 300)]
    + ["aa" + "-" * length for length in range(1, 300)]
    + ["明" * length for length in range(1, 200)]
    + ["a b"],
}


def cost(text: str, roster: list[str]) -> float:
    """Seconds of this process, the least of a few."""
    spent = []
    for _ in range(3):
        begun = time.process_time()
        find_mentions(text, roster)
        spent.append(time.process_time() - begun)
    return min(spent)


@pytest.mark.parametrize("roster", ROSTERS)
@pytest.mark.parametrize("shape", LONG)
def test_eight_times_the_text_costs_no_more_than_linear(
    shape: str, roster: str
) -> None:
    size = 12_000  # 64 times the cost would be quadratic
    names = ROSTERS[roster]

    small = cost(LONG[shape](size), names)
    large = cost(LONG[shape](8 * size), names)

    assert large < 24 * small + 0.01


def test_eight_times_the_roster_costs_no_more_than_linear() -> None:
    text = "@明明 @aa " * 300

    def names(count: int) -> list[str]:
        return [f"a a{place:06}" for place in range(count)]

    assert cost(text, names(16_000)) < 24 * cost(text, names(2_000)) + 0.01


def test_twins_without_end_cost_no_more_than_linear() -> None:
    def names(count: int) -> list[str]:
        signs = {48: "a", 49: "A"}
        return [f"{place:014b}".translate(signs) + "明" for place in range(count)]

    text = "".join(f"@{'a' * 14}明明{'明' * (place % 9)} " for place in range(500))

    assert cost(text, names(16_000)) < 24 * cost(text, names(2_000)) + 0.01


@pytest.mark.parametrize(
    "text",
    [
        "@" + "a" * 300_000,
        "@" * 200_000,
        ticks_of_rising_length(300_000) + "@a",
        ">" * 100_000 + "@a",
        "@" + "\u0301\u0316" * 150_000,
    ],
    ids=["letters", "signs", "backticks", "quotation marks", "marks"],
)
def test_the_largest_inputs_are_answered(text: str) -> None:
    assert find_mentions(text, ["eve", "a"]).names in ((), ("a",))
