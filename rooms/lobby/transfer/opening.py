"""
Opening: from a path or URL to a storage, and to the plugins that may stand beside it.

Law: nothing is loaded that was not asked for: no plugin without `plugins`, no SQLite
for a lobby in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rooms.errors import InvalidInput
from rooms.storage import Storage

if TYPE_CHECKING:
    from rooms.hooks import Plugins

__all__ = ["imported", "opened"]


def opened(
    where: str | os.PathLike[str], plugins: str | None, allow: Iterable[str] | None
) -> tuple[Storage, Plugins | None]:
    """The storage, and the plugins, of which one may have brought the scheme."""
    from rooms.storage.urls import open_storage  # noqa: PLC0415 - loads SQLite

    if plugins is None:
        return open_storage(where), None
    if not (isinstance(plugins, str) and plugins == "entrypoints"):
        named = isinstance(plugins, str)
        raise InvalidInput(
            "plugins",
            f"is {plugins[:40]!r}" if named else f"is of type {type(plugins).__name__}",
            allowed="'entrypoints' or None; lobby.register(...) takes an object",
        )
    from rooms.hooks import Plugins  # noqa: PLC0415 - loads pluggy

    loaded = Plugins()
    loaded.load(plugins, allow=allow)
    offered = loaded.collect("rooms_storages").found
    schemes = {name: answer.value for name, answer in offered.items()}
    return open_storage(where, schemes=schemes), loaded


def imported(lines: Iterable[str], where: str | os.PathLike[str]) -> Storage:
    """A storage that holds what an export says; closed again where that fails."""
    from rooms.lobby.transfer.log import import_log  # noqa: PLC0415 - seldom asked
    from rooms.storage.urls import open_storage  # noqa: PLC0415 - loads SQLite

    storage = open_storage(where)
    try:
        import_log(lines, storage)
    except BaseException:  # whatever it was goes on to the caller
        storage.close()
        raise
    return storage
