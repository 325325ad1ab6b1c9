"""
Passing over: the other rooms go on where one is gone, damaged, or of a later version.

Law: what is passed over is logged once, and refused by whatever is about it alone.
"""

from __future__ import annotations

import logging

from rooms.errors import CorruptLog, NotAllowed, NotFound

__all__ = ["PassingOver"]

_LOG = logging.getLogger("rooms")


class PassingOver:
    """The context of `Desk.passing_over`, for one room."""

    def __init__(self, room: str, logged: set[str]) -> None:
        self._room = room
        self._logged = logged

    def __enter__(self) -> None:
        """Begins what may be passed over."""

    def __exit__(
        self, kind: object, error: BaseException | None, trace: object
    ) -> bool:
        if isinstance(error, NotFound):
            return error.code == "room_not_found"
        if not isinstance(error, CorruptLog | NotAllowed):
            return False
        if error.code not in {"corrupt_log", "unsupported_event"}:
            return False
        if self._room not in self._logged:
            self._logged.add(self._room)
            _LOG.warning("%s is passed over: %s", self._room, error.code)
        return True
