"""
The plugins that installed distributions announce.

One law: asking for them imports nothing and raises nothing; each is loaded by itself,
and what is wrong with one is raised when that one is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from attrs import frozen

from rooms.errors import InvalidInput

__all__ = ["Entry", "entries"]

GROUP = "rooms"


@frozen
class Entry:
    """
    A plugin that can be loaded: its name, its distribution, and how; or an `absent`
    one, that is allowed and not there.
    """

    name: str
    distribution: str | None
    load: Callable[[], Any]
    absent: bool = False


def entries(allow: tuple[str, ...] | None) -> Iterator[Entry]:
    """
    The entry points of the group, by name, then distribution.

    Only those that are allowed; a name that is allowed and not there is an entry too,
    one that fails, since whoever allows a plugin relies on it.
    """
    from importlib import metadata  # noqa: PLC0415 - it loads a mail parser

    try:
        found = [
            Entry(point.name, _distribution(point), point.load)
            for point in metadata.entry_points(group=GROUP)
        ]
    except Exception as error:  # noqa: BLE001 - one broken distribution breaks the list
        yield Entry("", None, _fails(error))
        return
    found.sort(key=lambda entry: (entry.name, entry.distribution or ""))
    if allow is None:
        yield from found
        return
    yield from (entry for entry in found if entry.name in allow)
    there = {entry.name for entry in found}
    for name in dict.fromkeys(allow):
        if name not in there:
            problem = f"names {name!r}, which no distribution has"
            yield Entry(name, None, _fails(InvalidInput("allow", problem)), absent=True)


def _distribution(point: Any) -> str | None:
    try:
        return str(point.dist.name)
    except Exception:  # noqa: BLE001 - made by hand, or its metadata cannot be read
        return None


def _fails(error: Exception) -> Callable[[], NoReturn]:
    def load() -> NoReturn:
        raise error

    return load
