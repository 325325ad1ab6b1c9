"""
The registry: several lobbies in one folder, each in a file of its own.

Three laws. One storage is one lobby, so nothing crosses lobbies, and one that fails
harms no other (foundation 17). What a lobby is called is decided once: its id is its
file's name, and that of a deleted one is never given again (L-SCOPE-04). And a deletion
is one step: once its mark is written, the lobby is gone, whatever becomes of its file.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.errors import Conflict, InvalidInput, NotFound, OverLimit
from rooms.storage.sqlite.faults import of_file

if TYPE_CHECKING:
    import rooms.lobby

__all__ = ["ListedLobby", "Lobbies"]

_ID = re.compile(r"[a-z](?:[a-z0-9-]{0,46}[a-z0-9])?")
_MARK, _FILE = ".lobby", ".db"
_LONGEST_NAME = 40


@frozen
class ListedLobby:
    """
    A lobby of the folder.

    Attributes:
        id: Its id.
        display_name: What it is called for people; its id where nobody said.
        agents: How many agents it holds.
    """

    id: str
    display_name: str
    agents: int


class Lobbies:
    """
    The lobbies of a folder, which is made where it is not there.

    Args:
        folder: Where their files stand.
        reserved: Ids that no lobby may have, such as the words of a host's own paths.
        most: How many lobbies there are at once; None sets no end.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     lobbies = Lobbies(folder, reserved=["admin"])
    ...     lobbies.create("acme", display_name="Acme & Sons").id
    ...     with lobbies.open() as lobby:
    ...         str(lobby.add_agent("ben"))
    'acme'
    'agent:ben'

    Source: L-SCOPE-02 to L-SCOPE-06, L-SCOPE-16 to L-SCOPE-20.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        *,
        reserved: Iterable[str] = (),
        most: int | None = 100,
    ) -> None:
        self._folder = Path(folder)
        self._reserved = frozenset(values.names("reserved", reserved))
        self._most = most
        if most is not None:
            values.whole_number("most", most, at_least=1)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for lobby in self._marked(deleted=True):  # what an interrupted one left
                self._wipe(lobby)
        except OSError as error:
            raise of_file(error) from error

    def create(self, lobby: str, *, display_name: str | None = None) -> ListedLobby:
        """
        A new lobby.

        Args:
            lobby: Its id: 1 to 48 lowercase letters, digits and `-`, a letter first and
                no `-` last, as a host's name may have it.
            display_name: What it is called for people, up to 40 printable characters.

        Raises:
            InvalidInput: `invalid_request` for what is no id, a reserved one, or no
                display name.
            Conflict: `lobby_exists` where there is one, or ever was.
            OverLimit: `lobby_capacity`.
        """
        name = self._checked(lobby)
        shown = _display_name(display_name)
        count = len(self._marked(deleted=False))
        if self._most is not None and count >= self._most:
            raise OverLimit(
                "lobby_capacity", f"there are {count} lobbies already", limit=self._most
            )
        try:
            with self._mark(name).open("x", encoding="utf-8") as mark:
                mark.write(json.dumps({"display_name": shown, "deleted": False}))
        except FileExistsError:
            raise Conflict(
                "lobby_exists", f"lobby {name} is there, or was", current=name
            ) from None
        except OSError as error:
            raise of_file(error) from error
        self.open(name).close()
        return ListedLobby(name, shown or name, 0)

    def open(self, lobby: str | None = None, **options: Any) -> rooms.lobby.Lobby:
        """
        Opens a lobby, the only one where none is named.

        Args:
            lobby: Its id.
            options: As for `rooms.Lobby.open`.

        Raises:
            InvalidInput: `lobby_required` where none is named, and there is not exactly
                one.
            NotFound: `lobby_not_found`.
        """
        from rooms.lobby import Lobby  # noqa: PLC0415 - what a list does not need

        name = self._only() if lobby is None else self._known(lobby)
        return Lobby.open(self._folder / f"{name}{_FILE}", **options)

    def listed(self) -> tuple[ListedLobby, ...]:
        """The lobbies that there are, by their ids."""
        found = []
        for name in self._marked(deleted=False):
            with self.open(name) as lobby:
                shown = self._read(name)["display_name"] or name
                found.append(ListedLobby(name, shown, len(lobby.agents)))
        return tuple(found)

    def rename(self, lobby: str, display_name: str | None) -> None:
        """
        Changes what a lobby is called for people; with None or "" its id shows again.

        Raises:
            NotFound: `lobby_not_found`.
            InvalidInput: `invalid_request`.
        """
        name = self._known(lobby)
        self._write(name, display_name=_display_name(display_name), deleted=False)

    def delete(self, lobby: str, *, confirm: str) -> None:
        """
        Deletes a lobby with all that it holds; its id is never given again. Handles of
        it that are open should be closed first.

        Args:
            lobby: Its id.
            confirm: Its id once more.

        Raises:
            NotFound: `lobby_not_found`.
            InvalidInput: `confirmation_mismatch`.
        """
        name = self._known(lobby)
        if confirm != name:
            raise InvalidInput(
                "confirm", "is not its id", allowed=name, code="confirmation_mismatch"
            )
        self._write(name, display_name="", deleted=True)
        try:
            self._wipe(name)
        except OSError as error:
            raise of_file(error) from error

    # -- marks

    def _checked(self, lobby: Any) -> str:
        name = values.text("lobby", lobby, empty=False)
        if not _ID.fullmatch(name) or name in self._reserved:
            raise InvalidInput(
                "lobby",
                "is reserved" if name in self._reserved else "is no id",
                allowed="1 to 48 of a-z, 0-9 and -, a letter first and no - last",
            )
        return name

    def _known(self, lobby: Any) -> str:
        name = values.text("lobby", lobby)
        known = _ID.fullmatch(name) is not None and self._mark(name).is_file()
        if not known or self._read(name)["deleted"]:
            raise NotFound("lobby_not_found", f"no lobby {name[:80]!a} is here")
        return name

    def _only(self) -> str:
        every = self._marked(deleted=False)
        if len(every) != 1:
            raise InvalidInput(
                "lobby",
                f"is not named, and there are {len(every)}",
                allowed="the id of one",
                code="lobby_required",
            )
        return every[0]

    def _marked(self, *, deleted: bool) -> list[str]:
        names = sorted(path.stem for path in self._folder.glob(f"*{_MARK}"))
        return [one for one in names if self._read(one)["deleted"] is deleted]

    def _mark(self, name: str) -> Path:
        return self._folder / f"{name}{_MARK}"

    def _read(self, name: str) -> dict[str, Any]:
        try:
            written = json.loads(self._mark(name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            written = {}  # it was being made: it is there, and has no other name
        found = written if isinstance(written, dict) else {}
        return {
            "display_name": str(found.get("display_name", "")),
            "deleted": found.get("deleted") is True,
        }

    def _write(self, name: str, **said: Any) -> None:
        """Replaces a mark as a whole, so that none is ever half written."""
        fresh = self._folder / f"{name}.new"
        try:
            with fresh.open("w", encoding="utf-8") as mark:
                mark.write(json.dumps(said))
                mark.flush()
                os.fsync(mark.fileno())
            fresh.replace(self._mark(name))
        except OSError as error:
            raise of_file(error) from error

    def _wipe(self, name: str) -> None:
        for ending in (_FILE, f"{_FILE}-wal", f"{_FILE}-shm"):
            (self._folder / f"{name}{ending}").unlink(missing_ok=True)


def _display_name(given: str | None) -> str:
    name = "" if given is None else values.storable("display_name", given)
    if len(name) > _LONGEST_NAME or (name and not name.isprintable()):
        raise InvalidInput(
            "display_name",
            "is no name",
            allowed=f"at most {_LONGEST_NAME} printable characters",
        )
    return name
