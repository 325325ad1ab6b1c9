"""Matching by words: stems, rarity, and what counts as a hit."""

from __future__ import annotations

import pytest

from rooms.log.memory.matching import Searchable, best, resembling, stems


def entry(name: int, title: str, keywords: str = "", text: str = "") -> Searchable:
    return Searchable.of(name, title, keywords.split(), text)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cache", "caches"),
        ("retry", "retries"),
        ("stop", "stopped"),
        ("stop", "stopping"),
        ("test", "tests"),
        ("cache", "caching"),
        ("Straße", "STRASSE"),
        ("café", "cafe\u0301"),
    ],
)
def test_forms_of_a_word_have_one_stem(one: str, other: str) -> None:
    assert stems(one) == stems(other)


@pytest.mark.parametrize("word", ["class", "status", "this", "ring", "bed", "red"])
def test_what_only_looks_like_an_ending_stays(word: str) -> None:
    assert stems(word) == {word}


@pytest.mark.rule("L-MEM-06")
def test_a_title_weighs_three_keywords_two_and_a_text_one() -> None:
    entries = [
        entry(1, "fuse"),
        entry(2, "other", "fuse"),
        entry(3, "other", "fuse", "fuse"),
        entry(4, "fuse", "fuse", "fuse"),
        entry(5, "other", text="fuse"),
    ]

    # 4: 3 + 2 + 1; then 1 and 3 with three each, of which 3 came later; 2 has less than
    # half of six, and 5 is named in neither.
    assert best("fuse", entries) == [4, 3, 1]
    assert best("fuse", entries[:3]) == [3, 1, 2]


@pytest.mark.rule("L-MEM-06")
def test_what_only_a_text_says_is_no_hit() -> None:
    assert best("fuse", [entry(1, "other", "", "fuse"), entry(2, "other")]) == []


@pytest.mark.rule("L-MEM-06")
def test_rare_words_weigh_more() -> None:
    common = [entry(n, f"build number{n}") for n in range(20)]
    rare = entry(99, "kettle")

    assert best("build kettle", [*common, rare])[0] == 99


@pytest.mark.rule("L-MEM-06")
def test_at_most_fifteen_and_none_where_nothing_qualifies() -> None:
    entries = [entry(n, "fuse") for n in range(20)]

    assert best("fuses", entries) == list(range(19, 4, -1))
    assert best("nothing", entries) == []
    assert best("", entries) == []
    assert best("fuse", []) == []


def test_what_holds_half_of_the_words_resembles() -> None:
    entries = [
        entry(1, "oven and kettle → fuse trips"),
        entry(2, "printer jams → fan the paper"),
    ]

    assert resembling("kettle with oven trips the fuse", entries) == [1]
    assert resembling("", entries) == []
