"""
From a path or a storage URL to an open storage.

One law: nothing is guessed. An unknown scheme or option is refused with those that
there are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, unquote

from rooms.errors import InvalidInput
from rooms.storage.memory import MemoryStorage
from rooms.storage.protocol import Storage

__all__ = ["open_storage"]

_NONE: Mapping[str, Callable[[str], Storage]] = MappingProxyType({})
# Two letters at least: `c:` is a drive.
_URL = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(.*)", re.DOTALL)
_LONGEST_NUMBER = 9


def open_storage(
    where: str | os.PathLike[str],
    *,
    schemes: Mapping[str, Callable[[str], Storage]] = _NONE,
) -> Storage:
    """
    Open the storage that a path or a URL names.

    `memory:` is a new one in memory. `sqlite:///team.db` is a file in the working
    folder, `sqlite:////var/team.db` one by its absolute path, with the options
    `?durability=full&busy_timeout=30` of `SQLiteStorage`. A plain path is a SQLite
    file; one that begins like a URL, or holds a `?`, is given as a `Path`.

    Args:
        where: The path or URL.
        schemes: Further schemes, each with what opens a whole URL.

    Raises:
        InvalidInput: `invalid_request`, for an unknown scheme or option, or what is
            neither a path nor a URL.
        StorageError: as `SQLiteStorage`.

    >>> storage = open_storage("memory:")
    >>> storage.streams()
    []
    """
    if isinstance(where, str) and (found := _URL.fullmatch(where)):
        scheme, rest = found[1].lower(), found[2]
        if scheme in schemes:
            return schemes[scheme](where)
        if scheme == "memory":
            return _memory(rest)
        if scheme == "sqlite":
            return _sqlite(rest)
        known = ", ".join(sorted({"memory", "sqlite", *schemes}))
        raise InvalidInput(
            "storage",
            f"has the scheme {scheme[:40]!r}",
            allowed=f"{known}; Lobby.open(..., plugins='entrypoints') loads those of"
            " installed packages",
        )
    if isinstance(where, str) and "?" in where:
        raise InvalidInput(
            "storage",
            "is a path with a question mark",
            allowed="sqlite:///team.db?durability=relaxed for a file with options, or"
            " a Path for a file of that name",
        )
    return _sqlite_file(where, {})


def _memory(rest: str) -> Storage:
    if rest:
        raise InvalidInput("storage", "has more than a scheme", allowed="memory:")
    return MemoryStorage()


def _sqlite(rest: str) -> Storage:
    path, _, query = rest.partition("?")
    if not path.startswith("///") or "#" in rest:
        raise InvalidInput(
            "storage",
            "is no URL of a SQLite file",
            allowed="sqlite:///relative.db, sqlite:////absolute.db",
        )
    try:
        options = parse_qsl(
            query, strict_parsing=bool(query), keep_blank_values=True, max_num_fields=8
        )
    except ValueError:
        raise InvalidInput("storage", "has options that cannot be read") from None
    return _sqlite_file(unquote(path[3:]), _checked(options))


def _checked(options: list[tuple[str, str]]) -> dict[str, Any]:
    """The options of `SQLiteStorage`, each once, as it takes them."""
    checked: dict[str, Any] = {}
    for name, value in options:
        if name in checked:
            raise InvalidInput("storage", f"has the option {name!r} twice")
        if name == "durability":
            checked[name] = value
        elif name == "busy_timeout":
            digits = value.isascii() and value.isdigit()
            if not digits or len(value) > _LONGEST_NUMBER:
                raise InvalidInput(
                    name, f"is {value[:40]!r}", allowed="a whole number of seconds"
                )
            checked[name] = int(value)
        else:
            raise InvalidInput(
                "storage",
                f"has the option {name[:40]!r}",
                allowed="durability, busy_timeout",
            )
    return checked


def _sqlite_file(path: str | os.PathLike[str], options: Mapping[str, Any]) -> Storage:
    from rooms.storage.sqlite import SQLiteStorage  # noqa: PLC0415 - only if asked for

    return SQLiteStorage(path, **options)
