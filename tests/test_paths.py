"""
Patterns of paths: their normal form, and whether two of them meet.

The oracle below turns a pattern into a regular expression and tries every short path,
so it shares nothing with the walk through two patterns that the code does.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import sized
from rooms.errors import CODES, InvalidInput
from rooms.paths import LONGEST_PATTERN, normalize_pattern, patterns_overlap

# Normal form --------------------------------------------------------------------------


@pytest.mark.rule("S-CLAIM-10")
@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("src", "src"),
        ("  src/api \t\n", "src/api"),
        ("src\\api\\u.ts", "src/api/u.ts"),
        ("src//api///u.ts", "src/api/u.ts"),
        ("./src", "src"),
        ("././src", "src"),
        ("/src", "src"),
        ("//src", "src"),
        ("/./src", "src"),
        ("src/", "src"),
        ("src///", "src"),
        (".\\src\\", "src"),
        ("src/./api", "src/api"),
        ("src/.", "src"),
        ("src/../docs", "docs"),
        ("src/api/../../docs/x/..", "docs"),
        ("src/*/../x", "src/x"),
        ("src/a?c*/..", "src"),
        ("a/**/b/..", "a/**"),
        ("src/**", "src/**"),
        ("a/***/b", "a/***/b"),
        ("..a/b..", "..a/b.."),
        (".../x", ".../x"),
        (".github", ".github"),
        ("my file/ x", "my file/ x"),
        ("SRC/\N{CJK UNIFIED IDEOGRAPH-8DEF}", "SRC/\N{CJK UNIFIED IDEOGRAPH-8DEF}"),
        ("[a]{b}!", "[a]{b}!"),
    ],
)
def test_a_pattern_is_normalised_before_anything_else(
    written: str, normal: str
) -> None:
    assert normalize_pattern(written) == normal
    assert normalize_pattern(normal) == normal
    assert patterns_overlap(written, normal) is True


@pytest.mark.rule("S-CLAIM-10")
@pytest.mark.parametrize(
    "nothing", ["", " ", "/", "//", ".", "./", "./.", "a/..", "\\"]
)
def test_a_pattern_of_which_nothing_is_left_is_refused(nothing: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        normalize_pattern(nothing)

    assert refusal.value.code == "no_patterns"
    assert refusal.value.field == "pattern"


@pytest.mark.parametrize(
    "bad",
    [
        "..",
        "../x",
        "/..",
        "a/../..",
        "a/../../b",
        "*/../..",
        "**/..",
        "a/**/../b",
        "a**b/..",
        "***/..",
        "src\\..\\..",
        "a\0b",
        "a\nb",
        "a\x7fb",
        "a\x9fb",
        "\ud800",
        "a/\udfff",
        "/ a",
        "a /",
        "/\N{NO-BREAK SPACE}a",
    ],
)
def test_a_pattern_that_leaves_the_root_or_holds_what_no_path_may_is_refused(
    bad: str,
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        normalize_pattern(bad)

    assert refusal.value.code == "bad_path"


def test_a_pattern_that_is_too_long_to_decide_is_refused_with_the_limit() -> None:
    longest = "a" * LONGEST_PATTERN

    assert normalize_pattern(f" //{longest}//// ") == longest
    with pytest.raises(InvalidInput) as refusal:
        normalize_pattern(longest + "b")

    assert refusal.value.code == "too_large"
    assert refusal.value.details["limit"] == LONGEST_PATTERN


@pytest.mark.parametrize("hostile", [None, 7, b"src", ["src"], object()])
def test_what_is_no_string_is_refused_by_field(hostile: Any) -> None:
    for field, ask in (
        ("pattern", lambda: normalize_pattern(hostile)),
        ("one", lambda: patterns_overlap(hostile, "a")),
        ("other", lambda: patterns_overlap("a", hostile)),
    ):
        with pytest.raises(InvalidInput) as refusal:
            ask()

        assert refusal.value.field == field
        assert refusal.value.code == "invalid_request"


def test_an_error_names_the_pattern_that_is_wrong() -> None:
    for arguments, field in ((("../a", "b"), "one"), (("b", "../a"), "other")):
        with pytest.raises(InvalidInput) as refusal:
            patterns_overlap(*arguments)

        assert refusal.value.field == field


# Overlap ------------------------------------------------------------------------------

MEETING = [
    # S-CLAIM-11
    ("src", "src"),
    ("src", "src/api/u.ts"),
    ("src/**", "./src//x/"),
    ("src/**", "src"),
    ("src/*.ts", "src/u.ts"),
    ("src/*.ts", "src/u.ts/below"),
    ("/src", "src"),
    ("src/*/test.py", "src/backend/test.py"),
    ("src/**/test.py", "src/test.py"),
    ("src/**/test.py", "src/a/b/c/test.py"),
    ("**", "anything/at/all"),
    ("**/a", "b"),  # in b/a, which lies below b
    ("a**z", "a/y"),  # in a/y/z
    ("**/*.md", "README.md"),
    ("**/a", "b/**"),
    ("a/**/z", "**/y/z"),
    ("*", "a/b"),
    ("*/*", "a"),
    # S-CLAIM-12 as it should be
    ("a*", "*b"),
    ("a*c", "*b*"),
    ("x/a*/y", "x/*b/y"),
    ("a?", "?b"),
    # `**` inside a segment crosses
    ("a**z", "az"),
    ("a**z", "a/z"),
    ("a**z", "ax/y/bz"),
    ("***", "a/b"),
    ("a***b", "a/x/b"),
    # periods are signs like others, but for the two names that are none
    (".*", ".github"),
    (".?", "?a"),
    ("*.", "a."),
    ("..?", "?.."),
    ("...", "???"),
    ("**.", "a/b."),
    (".**", "?*"),
    ("..**", "???"),
]

APART = [
    # S-CLAIM-11
    ("srcs", "src"),
    ("src", "docs"),
    ("src/*.ts", "src/api/u.ts"),
    ("SRC", "src"),
    ("src/*", "docs/*"),
    ("a/*/c", "a/b/d"),
    ("a/*/c", "a/b/b/c"),
    ("a?", "a"),
    ("?", "ab"),
    ("a*b", "a*c"),
    ("[ab]", "a"),
    ("{a,b}", "a"),
    ("!a", "b"),
    ("x/**/a", "y"),
    ("a**z", "b"),
    ("a**z", "b?"),
    ("x/*/a", "x/*/b"),
    ("*.py", "*.ts"),
    # no name is empty, `.` or `..`
    (".?", "?."),
    (".**", "?"),
    ("..**", "??"),
    (".**/x", "?/x"),
    ("a/**/b", "ab"),
    # code points count
    ("caf\N{LATIN SMALL LETTER E WITH ACUTE}", "cafe\N{COMBINING ACUTE ACCENT}"),
]


@pytest.mark.rule("S-CLAIM-11", "S-CLAIM-12")
@pytest.mark.parametrize(("one", "other"), MEETING)
def test_patterns_that_one_path_fits_overlap(one: str, other: str) -> None:
    assert patterns_overlap(one, other) is True
    assert patterns_overlap(other, one) is True


@pytest.mark.rule("S-CLAIM-11")
@pytest.mark.parametrize(("one", "other"), APART)
def test_patterns_that_no_path_fits_do_not_overlap(one: str, other: str) -> None:
    assert patterns_overlap(one, other) is False
    assert patterns_overlap(other, one) is False


# The oracle ---------------------------------------------------------------------------

PARTS = re.compile(r"(?:(?<=/)|^)\*\*+/|\*\*+|\*|\?|.", re.DOTALL)
MEANINGS = {"*": "[^/]*", "?": "[^/]"}


def meaning(part: str) -> str:
    if part.startswith("**"):
        return "(?:[^/]+/)*" if part.endswith("/") else ".*"
    return MEANINGS.get(part, re.escape(part))


def expression(normal: str) -> re.Pattern[str]:
    """A normalised pattern as a regular expression; it covers what lies below."""
    return re.compile("".join(map(meaning, PARTS.findall(normal))) + "(?:/.+)?")


@cache
def short_paths() -> tuple[str, ...]:
    """Every path of up to six signs; `z` stands for any that no pattern has."""
    texts = (
        "".join(signs)
        for length in range(1, 7)
        for signs in product("a./z", repeat=length)
    )
    return tuple(
        path for path in texts if not {"", ".", ".."}.intersection(path.split("/"))
    )


@cache
def matched(normal: str) -> int:
    """Which of the short paths a pattern matches, a bit each."""
    fits = expression(normal).fullmatch
    return int("".join("1" if fits(path) else "0" for path in short_paths()), 2)


def short_patterns() -> list[str]:
    """Every pattern of up to three signs: two of them meet in six signs, or nowhere."""
    found = set()
    for length in range(1, 4):
        for signs in product("a.*?/", repeat=length):
            try:
                found.add(normalize_pattern("".join(signs)))
            except InvalidInput:
                continue
    return sorted(found)


@pytest.mark.rule("S-CLAIM-11", "S-CLAIM-12")
def test_all_pairs_of_short_patterns_agree_with_a_search_among_all_short_paths() -> (
    None
):
    patterns = short_patterns()
    assert len(patterns) > 60

    wrong = [
        (one, other)
        for one in patterns
        for other in patterns
        if patterns_overlap(one, other) is not bool(matched(one) & matched(other))
    ]

    assert wrong == []


patterns = st.text("ab.*?/", min_size=1, max_size=14)


def normal_or_none(text: str) -> str | None:
    try:
        return normalize_pattern(text)
    except InvalidInput:
        return None


@settings(max_examples=sized(400, 2_000), derandomize=True)
@given(one=patterns, other=patterns)
def test_overlap_is_symmetric_and_normalising_changes_nothing(
    one: str, other: str
) -> None:
    left, right = normal_or_none(one), normal_or_none(other)
    if left is None or right is None:
        return

    answer = patterns_overlap(one, other)

    assert patterns_overlap(other, one) is answer
    assert patterns_overlap(left, right) is answer
    assert patterns_overlap(left, left) is True
    assert patterns_overlap(f"x/{left}", f"x/{right}") is answer
    # What is claimed below a pattern is claimed by it.
    assert patterns_overlap(f"{left}/below", left) is True


paths = st.text("ab./", min_size=1, max_size=10).filter(
    lambda path: not {"", ".", ".."}.intersection(path.split("/"))
)


@settings(max_examples=sized(400, 2_000), derandomize=True)
@given(text=patterns, path=paths)
def test_a_path_overlaps_a_pattern_that_matches_it_or_a_path_below_it(
    text: str, path: str
) -> None:
    normal = normal_or_none(text)
    if normal is not None and expression(normal).fullmatch(path):
        assert patterns_overlap(normal, path) is True


@settings(max_examples=sized(400, 2_000), derandomize=True)
@given(st.text("a.*?/\\ \0\ud800\n\N{CJK UNIFIED IDEOGRAPH-8DEF}", max_size=30))
def test_any_text_is_refused_with_a_code_or_has_a_normal_form(text: str) -> None:
    try:
        normal = normalize_pattern(text)
    except InvalidInput as refusal:
        code: str | None = refusal.code
    else:
        code = None
        assert normalize_pattern(normal) == normal
        assert patterns_overlap(text, normal) is True

    assert code is None or code in CODES


@pytest.mark.parametrize(
    "huge",
    ["/" * 1_000_000, "a/../" * 200_000, "*" * 1_000_000, "../" * 300_000, "a" * 10**6],
    ids=["slashes", "there and back", "stars", "upwards", "letters"],
)
def test_a_huge_pattern_is_refused(huge: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        patterns_overlap("a", huge)

    assert refusal.value.field == "other"
    assert len(str(refusal.value)) < 300


@pytest.mark.parametrize(
    ("one", "other", "answer"),
    [
        ("*a" * 128, "*b" * 128, False),
        ("*" + "a" * 255, "*" + "a" * 254 + "b", False),
        ("?*" * 128, "*?" * 128, True),
        ("**/a/" * 51 + "b", "**/c/" * 51 + "d", True),
    ],
)
def test_the_longest_patterns_are_decided(one: str, other: str, answer: bool) -> None:
    assert patterns_overlap(one, other) is answer
