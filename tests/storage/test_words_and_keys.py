"""What a word is, and how the keys of projections sort as bytes."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.errors import CorruptLog
from rooms.storage.ordering import AFTER_ALL, packed, unpacked
from rooms.storage.protocol import Key
from rooms.storage.words import phrases, text_of, words

NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.sampled_from(
    [-(2**63), -1, 0, 1, 255, 256, 2**63 - 1]
)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.text(
    "\0\1\2\xff\U0010ffffa", max_size=4
)
KEYS = st.lists(NUMBERS | TEXTS, max_size=4).map(tuple)


def natural(key: Key) -> list[tuple[bool, int | str]]:
    return [(isinstance(part, str), part) for part in key]


@given(KEYS, KEYS)
def test_packed_keys_sort_as_the_keys_do(one: Key, two: Key) -> None:
    assert (packed(one) < packed(two)) == (natural(one) < natural(two))
    assert (packed(one) == packed(two)) == (one == two)


@given(KEYS)
def test_a_packed_key_comes_back(key: Key) -> None:
    assert unpacked(packed(key)) == key
    assert packed(key) < AFTER_ALL


@given(st.binary(max_size=30))
def test_bytes_that_are_no_key_are_a_corrupt_log(content: bytes) -> None:
    try:
        key = unpacked(content)
    except CorruptLog:
        return
    assert packed(key) == content


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("Leave it!", ["leave", "it"]),
        ("ÉCOLE straße Οδός", ["ecole", "strasse", "οδοσ"]),
        ("e\u0301cole", ["ecole"]),
        ("日本語 text", ["日", "本", "語", "text"]),
        ("한국어 단어", None),
        ("a\0b\ud83dc", ["a", "b", "c"]),
        ("x_1 2nd", ["x_1", "2nd"]),
        ("💥 , ?", []),
        ("ﬁne", ["fine"]),
    ],
)
def test_the_words_of_a_text(text: str, expected: list[str] | None) -> None:
    found = words(text)

    if expected is None:  # Hangul: words between blanks, whatever their letters are
        assert len(found) == 2
    else:
        assert found == expected


@given(st.text(max_size=40))
def test_whatever_is_a_word_of_a_text_is_found_by_it(text: str) -> None:
    for phrase in phrases(text):
        assert f" {' '.join(phrase)} " in f" {' '.join(words(text))} "


@given(st.text(max_size=40))
def test_words_are_letters_and_digits_alone(text: str) -> None:
    assert all(char.isalnum() or char == "_" for word in words(text) for char in word)


def test_a_query_is_cut_to_32_terms() -> None:
    assert len(phrases("word " * 100)) == 32
    assert sum(len(phrase) for phrase in phrases("a-" * 100_000)) == 1_000


@pytest.mark.parametrize(
    "part", ["e\u0301\u0323", "\u0323\u0301", "ﷺ", "a\u0301", "会"]
)
def test_finding_words_takes_time_linear_in_the_text(part: str) -> None:
    def taken(length: int) -> float:
        started = time.process_time()
        words(part * length)
        return time.process_time() - started

    taken(100)
    short = min(taken(20_000) for _ in range(3))
    long = min(taken(160_000) for _ in range(3))

    assert long < 8 * short * 6  # eight times as long; a square would be 64 times


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (None, ""),
        (b'{"text":"a"}', "a"),
        (b'{"text":7}', ""),
        (b"[]", ""),
        (b"\xff", ""),
        (b"[" * 100_000, ""),
        (b'{"other":"a"}', ""),
    ],
)
def test_the_text_of_a_body(body: bytes | None, expected: str) -> None:
    assert text_of(body) == expected
