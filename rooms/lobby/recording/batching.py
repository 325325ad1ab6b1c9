"""
Batches: what many calls record, made durable in one commit of the storage.

Two laws. A batch changes what its calls cost and never what they mean: each is decided,
refused and recorded as it would be alone, and what was accepted before something raised
stands. And no plugin is called while the batch lasts (foundation 24): where one has to
be asked, each call is a commit of its own, and observers are told when all is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rooms.errors import StorageError

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["batch"]


@contextmanager
def batch(desk: Desk) -> Iterator[None]:
    """As `Lobby.batch`, which documents it."""
    desk.check_usable()
    if desk.asks_plugins:
        yield
        return
    with desk.telling_later(), desk.lock:
        raised: BaseException | None = None
        try:
            with desk.storage.writing():
                try:
                    yield
                except BaseException as error:  # noqa: BLE001 - raised again below
                    raised = error
        except BaseException as error:  # an interrupt too
            if not (isinstance(error, StorageError) and error.recorded):
                desk.forget_untold()  # nothing of it is stored
            raise
        if raised is not None:
            raise raised
