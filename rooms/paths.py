"""
Paths and patterns of paths, and whether two of them meet.

Three laws. Two patterns overlap exactly if there is one path that both match: the
answer is neither a guess from prefixes nor a match of one text against the other. A
pattern covers all that lies below what it matches, so a directory claims its contents
(S-CLAIM-11). And whatever the patterns are, the answer comes in bounded time: both are
walked through together, a pair of places once, and what is too long is refused.

The grammar: `/` parts segments; `*` is any run of signs inside a segment, also none,
and `?` is one sign. `**` as a whole segment is any number of segments, also none; as a
part of one, and any run of more than two stars, it is any run of signs and slashes. No
other sign means anything but itself; case and code points count.

A path has no empty segment and none that is `.` or `..`, so `.?` and `?.` do not meet:
the one text that fits both is no name.

A path of a file is checked and never changed: what would mean another place on some
system, or nothing in a git repository, is no path anywhere.
"""

from __future__ import annotations

import re

from rooms.errors import InvalidInput
from rooms.values import text

__all__ = [
    "DEEPEST_PATH",
    "LONGEST_PATH",
    "LONGEST_PATTERN",
    "check_path",
    "may_overlap",
    "normalize_pattern",
    "normalized_overlap",
    "patterns_overlap",
]

LONGEST_PATTERN = 256
"""Characters of a normalised pattern; two of that length take some 20 ms at worst."""

LONGEST_PATH = 255
"""Bytes of a path in UTF-8; as many as common file systems take for one name."""

DEEPEST_PATH = 4
"""Segments of a path, the file's name being the last (G-DOC-02)."""

# What git and Windows read as a repository's own folder (CVE-2014-9390).
_GITS_OWN = frozenset({".git", "git~1"})

_IN_NO_PATH = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")


def normalize_pattern(pattern: str, *, field: str = "pattern") -> str:
    r"""
    A pattern as it is kept and compared, relative to the root.

    Blanks around it, a leading `./` or `/`, doubled and trailing slashes go; a
    backslash is a slash; `.` and `x/..` are resolved, where `x` may hold `*` and `?`,
    which stand for one segment whatever it is. Stars stay as they were written.

    Args:
        pattern: A path, a directory or a pattern.
        field: How an error calls it.

    Raises:
        InvalidInput: `no_patterns` if nothing is left; `bad_path` if it leaves the
            root, climbs out of a `**`, holds a control character or half a surrogate
            pair, or begins or ends with a blank once the slashes are off; `too_large`
            beyond `LONGEST_PATTERN`; `invalid_request` for what is no string.

    Guarantees: takes time linear in the text; a normalised pattern stays as it is.

    Source: S-CLAIM-10.

    >>> normalize_pattern(" .\\src//api/../x/ ")
    'src/x'
    """
    given = text(field, pattern).strip()
    if _IN_NO_PATH.search(given):
        raise _bad(field, "holds a control character or half a surrogate pair")
    kept: list[str] = []
    for segment in given.replace("\\", "/").split("/"):
        if segment == "..":
            if not kept:
                raise _bad(field, "leaves the root")
            if "**" in kept.pop():
                raise _bad(field, "climbs out of a `**`, which may stand anywhere")
        elif segment not in ("", "."):
            kept.append(segment)
    normal = "/".join(kept)
    if not normal:
        raise InvalidInput(
            field, "names nothing", allowed="a path below the root", code="no_patterns"
        )
    if normal != normal.strip():
        raise _bad(field, "begins or ends with a blank")
    if len(normal) > LONGEST_PATTERN:
        raise InvalidInput(
            field,
            f"has {len(normal)} characters",
            allowed=f"at most {LONGEST_PATTERN}",
            code="too_large",
            limit=LONGEST_PATTERN,
        )
    return normal


def check_path(path: str, *, field: str = "path") -> str:
    """
    A path of a file below a root, as it is.

    Args:
        path: One to four segments with `/` between them, the file's name the last.
        field: How an error calls it.

    Raises:
        InvalidInput: `bad_path` for one that is empty, absolute or too deep; that has
            an empty segment, `.`, `..` or git's own folder among its segments, one that
            begins or ends with a blank or ends with a full stop; that holds a
            backslash, a colon or what cannot be printed. `too_large` beyond 255 bytes;
            `invalid_request` for what is no string.

    Source: G-DOC-02, G-DOC-10.

    >>> check_path("notes/2026/plan.md")
    'notes/2026/plan.md'
    """
    given = text(field, path)
    if not given:
        raise _bad(field, "is empty")
    if not given.isprintable():
        raise _bad(field, "holds a character that cannot be printed")
    if "\\" in given or ":" in given:
        raise _bad(field, "holds a backslash or a colon")
    length = len(given.encode())
    if length > LONGEST_PATH:
        raise InvalidInput(
            field,
            f"has {length} bytes",
            allowed=f"at most {LONGEST_PATH}",
            code="too_large",
            limit=LONGEST_PATH,
        )
    segments = given.split("/")
    if not segments[0]:
        raise _bad(field, "is absolute")
    for segment in segments:
        if segment in {"", ".", ".."} or segment.casefold() in _GITS_OWN:
            raise _bad(field, f"has the segment {segment!r}")
        if segment != segment.strip() or segment.endswith("."):
            raise _bad(field, "has a segment with a blank or a full stop at its end")
    if len(segments) > DEEPEST_PATH:
        raise _bad(field, f"has {len(segments)} segments, more than {DEEPEST_PATH}")
    return given


def _bad(field: str, problem: str) -> InvalidInput:
    return InvalidInput(
        field, problem, allowed="a path relative to the root", code="bad_path"
    )


def patterns_overlap(one: str, other: str) -> bool:
    """
    Whether there is one path that both patterns match, or that lies below both.

    In a pattern `?` is one character of a segment and `*` any run of them, also none.
    `**` as a whole segment is any number of segments, also none; as a part of one it is
    any run of characters and slashes. No other character is special. A pattern covers
    everything below what it matches, so `*` overlaps `a/b`.

    Both are normalised first, and refused as `normalize_pattern` says.

    Raises:
        InvalidInput: `no_patterns`, `bad_path`, `too_large` beyond 256 characters, or
            `invalid_request`, with `one` or `other` as the field.

    Guarantees: exact and symmetric; at most `LONGEST_PATTERN` squared steps.

    Source: S-CLAIM-11, and S-CLAIM-12 as it should be: `a*` and `*b` meet in `ab`.

    >>> patterns_overlap("src/*/test.py", "src/backend/test.py")
    True
    >>> patterns_overlap("src/*.ts", "src/api/u.ts")
    False
    >>> patterns_overlap("src/**/*.py", "src/a.py")
    True
    """
    left = normalize_pattern(one, field="one")
    return normalized_overlap(left, normalize_pattern(other, field="other"))


def normalized_overlap(left: str, right: str) -> bool:
    """As `patterns_overlap`, of two that are normalised already."""
    if not may_overlap(left, right):
        return False
    if _literal_head(left) == left and _literal_head(right) == right:
        below_left, below_right = f"{left}/", f"{right}/"
        return below_left.startswith(below_right) or below_right.startswith(below_left)
    return _meet(_tokens(left), _tokens(right))


def may_overlap(left: str, right: str) -> bool:
    """Whether what both begin with lets two normalised patterns overlap at all."""
    left_head, right_head = _literal_head(left), _literal_head(right)
    shared = min(len(left_head), len(right_head))
    return left_head[:shared] == right_head[:shared]


def _literal_head(pattern: str) -> str:
    """What any path that the pattern matches begins with, if it is as long."""
    wild = [place for place in (pattern.find("*"), pattern.find("?")) if place >= 0]
    return pattern[: min(wild)] if wild else pattern


# The tokens of a pattern: a sign or "/" for itself, or one of these.
_ONE = "?"  # one sign of a segment
_RUN = "*"  # any run of signs of a segment
_ACROSS = "**"  # any run of signs and slashes
_END = ""  # nothing more, or a slash and all that lies below
_LOOPS = frozenset({_RUN, _ACROSS})
_WILD = _LOOPS | {_ONE}
_TAKE_SLASH = frozenset({"/", _ACROSS, _END})


def _tokens(pattern: str) -> list[str]:
    """
    The tokens up to the first `**`, from which on all overlaps (S-CLAIM-11).

    That is exact: the other pattern covers what lies below any path of its own, the
    `**` takes such a path whole, and below it the rest of this pattern finds its place.
    """
    before, across, _rest = pattern.partition("**")
    return [*before, _ACROSS if across else _END]


# Where the path that is being spelled may stand, as a set of bits. It may end, or go on
# behind a slash, only in a segment that is a name.
_START, _DOT, _DOTS, _NAME = 1, 2, 4, 8
_SETS = range(16)

# What each set becomes when the path takes one sign more.
_Step = tuple[int, ...]
_NOTHING: _Step = tuple(0 for _ in _SETS)
_SLASH: _Step = tuple(_START if where & _NAME else 0 for where in _SETS)
_LETTER: _Step = tuple(_NAME if where else 0 for where in _SETS)
_PERIOD: _Step = tuple(
    (where & (_START | _DOT)) << 1 | (_NAME if where & (_DOTS | _NAME) else 0)
    for where in _SETS
)
_SIGN: _Step = tuple(_LETTER[where] | _PERIOD[where] for where in _SETS)


def _step(one: str, other: str) -> _Step:
    """What two tokens can take together; an end takes nothing here, see `_covers`."""
    if _END in (one, other):
        return _NOTHING
    if "/" in (one, other):
        return _SLASH if one in _TAKE_SLASH and other in _TAKE_SLASH else _NOTHING
    literals = {token for token in (one, other) if token not in _WILD}
    if len(literals) > 1:
        return _NOTHING
    if literals:
        return _PERIOD if "." in literals else _LETTER
    # Two `**` could take a slash, too; inside a name all is open that is behind one.
    return _SIGN


def _meet(left: list[str], right: list[str]) -> bool:
    """
    Whether one path takes both lists of tokens to their ends, or one to its end and the
    other to a slash: what is behind that slash the first covers whatever it is, and
    something completes the other, since no token asks for a segment that is no name.

    `row[place]` is where the path may stand when `left` is at the row's token and
    `right` at `place`. No token is gone back to, so each pair is visited once.
    """
    row = [_START] + [0] * len(right)
    for token in left:
        below = _advance(token, right, row)
        if _covers(token, right, row):
            return True
        row = below
        if not any(row):
            break
    return False


def _advance(one: str, right: list[str], row: list[int]) -> list[int]:
    """The next row; this one is completed on the way, since loops lead along it."""
    below = [0] * len(row)
    one_loops = one in _LOOPS
    steps: dict[str, _Step] = {}
    for place, other in enumerate(right):
        where = row[place]
        if not where:  # most places of most rows
            continue
        step = steps.get(other)
        if step is None:
            step = steps[other] = _step(one, other)
        other_loops = other in _LOOPS
        if one_loops and other_loops:
            where = row[place] = _taken_often(step, where)
        elif one_loops:
            row[place + 1] |= step[where]
        elif other_loops:
            below[place] |= step[where]
        else:
            below[place + 1] |= step[where]
        if one_loops:
            below[place] |= where
        if other_loops:
            row[place + 1] |= where
    return below


def _taken_often(step: _Step, where: int) -> int:
    while (more := where | step[where]) != where:
        where = more
    return where


def _covers(one: str, right: list[str], row: list[int]) -> bool:
    """Whether one side is through, in a name, and the other too or able to go below."""
    places = range(len(right)) if one == _END else (len(right) - 1,)
    return one in _TAKE_SLASH and any(
        row[place] & _NAME and right[place] in _TAKE_SLASH for place in places
    )
