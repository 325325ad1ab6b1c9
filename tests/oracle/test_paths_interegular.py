"""
Overlap of patterns against interegular, which knows regular languages and no paths.

Both patterns and the rule that no segment is empty, `.` or `..` become one automaton;
the patterns overlap if it accepts anything at all.
"""

from __future__ import annotations

import random
import re

import pytest

from effort import sized
from rooms.errors import InvalidInput
from rooms.paths import normalize_pattern, patterns_overlap

interegular = pytest.importorskip(
    "interegular", reason="interegular is in the extra `oracle`"
)

PAIRS = sized(200, 1_000)
NAME = r"(?:[^/.][^/]*|\.[^/.][^/]*|\.\.[^/]+)"
PATH = f"{NAME}(?:/{NAME})*"
PARTS = re.compile(r"(?:(?<=/)|^)\*\*+/|\*\*+|\*|\?|.")
MEANINGS = {"*": "[^/]*", "?": "[^/]", ".": r"\."}


def meaning(part: str) -> str:
    if part.startswith("**"):
        return "(?:[^/]+/)*" if part.endswith("/") else "[^#]*"
    return MEANINGS.get(part, part)


def expression(normal: str) -> str:
    return "".join(map(meaning, PARTS.findall(normal))) + "(?:/[^#]+)?"


def drawn(source: random.Random) -> str:
    """A pattern of up to twelve signs that survives normalising."""
    while True:
        text = "".join(source.choices("ab./*?", k=source.randint(1, 12)))
        try:
            return normalize_pattern(text)
        except InvalidInput:
            continue


def meet(one: str, other: str) -> bool:
    fsms = [
        interegular.parse_pattern(text).to_fsm()
        for text in (PATH, expression(one), expression(other))
    ]
    return not (fsms[0] & fsms[1] & fsms[2]).empty()


@pytest.mark.rule("S-CLAIM-11", "S-CLAIM-12")
def test_random_pairs_agree_with_the_product_of_their_automata() -> None:
    source = random.Random(20261016)
    pairs = [(drawn(source), drawn(source)) for _ in range(PAIRS)]

    answers = {pair: patterns_overlap(*pair) for pair in pairs}

    assert 0.2 < sum(answers.values()) / len(answers) < 0.9
    assert [pair for pair, answer in answers.items() if meet(*pair) != answer] == []
