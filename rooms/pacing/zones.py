"""
Time zones by their IANA names.

Two laws: a name is spelled in one way only, so equal schedules are stored as equal; and
a name that another machine may not know is no name, such as its own `localtime`.

The rules of the zones are read from the machine's time zone database, and nothing else
is read here; `zoneinfo` is loaded when the first zone is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from functools import cache

from rooms.errors import InvalidInput
from rooms.values import text

__all__ = ["canonical_zone", "zone"]

# `localtime` is this machine's own zone, `Factory` one that nobody has set; `posix/`,
# `right/` and `posixrules` are copies, which zoneinfo leaves out of its list already.
_NO_PLACES = frozenset({"localtime", "Factory"})
_LONGEST_NAME = 64  # the longest in the database has 32 letters


def canonical_zone(name: str, value: str) -> str:
    """
    The name of a zone that this machine knows, in the database's own letters.

    Case is the only thing that changes: `asia/calcutta` is `Asia/Calcutta`, not the
    newer `Asia/Kolkata`, since which of the two is the alias depends on the machine.

    Raises:
        InvalidInput: `unknown_time_zone`, or `invalid_request` for what is no string.
    """
    given = text(name, value)
    known = None
    if len(given) <= _LONGEST_NAME and given.isascii():
        known = _known_zones().get(given.lower())
    if known is None:
        raise _unknown(name, given)
    zone(name, known)
    return known


def zone(name: str, known: str) -> tzinfo:
    """The zone of a canonical name; zoneinfo keeps those in use."""
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - see the module's docstring

    try:
        return ZoneInfo(known)
    except (LookupError, ValueError, OSError):
        raise _unknown(name, known) from None


def _unknown(name: str, given: str) -> InvalidInput:
    return InvalidInput(
        name,
        f"is {given[:_LONGEST_NAME]!r}, which is not known here",
        allowed="an IANA name such as Europe/Stockholm",
        code="unknown_time_zone",
    )


@cache
def _known_zones() -> Mapping[str, str]:
    """Each known name by its lower case; the list takes some milliseconds, once."""
    from zoneinfo import available_timezones  # noqa: PLC0415

    places = sorted(available_timezones() - _NO_PLACES)
    return {place.lower(): place for place in places}
