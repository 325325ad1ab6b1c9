"""What is kept, for how long, and the proof that it is as it was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rooms.lobby.access.recovering import recover
from rooms.lobby.contents import Contents
from rooms.lobby.keeping.sweeping import Swept, sweep
from rooms.lobby.transfer.proving import verify_storage
from rooms.lobby.waking.idling import DROP_AFTER
from rooms.log.verification import Verification

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Keeping"]


class Keeping:
    """What is done about what is kept."""

    _desk: Desk

    @property
    def contents(self) -> Contents:
        """A handle to what the files of messages say, without any message."""
        return Contents(self._desk)

    def sweep(
        self, *, idle_for: timedelta = DROP_AFTER, now: datetime | None = None
    ) -> Swept:
        """
        Ends what is past its time; nothing ends before a host calls it, at its start
        and then every minute, or once a day where no room forgets.

        A message goes that its room has kept for its policy's `retention`, read or not:
        its words, its request id, and what was still owed for it; its record stays,
        without words. So the same request posts a new message then.

        A subscription ends whose conversation gave no sign of life in its room for
        long: no post, no read, no wake. The membership stays, a label or a reply still
        wakes it, and it may follow anew.

        Raises:
            StorageError: One that is `recorded`, such as `storage_busy` where another
                process was reading all the time: the words are gone, but not yet from
                the -wal file; sweep again.

        Source: L-KEEP-01, L-KEEP-03; G-IDLE-01, G-IDLE-03, G-FOLLOW-05.
        """
        return sweep(self._desk, idle_for=idle_for, now=now)

    def recover(self, *, now: datetime | None = None) -> None:
        """
        Says that the storage came from a backup, before anything else is done with it:
        every claim is stale, and what one held is owed again.

        Source: L-STORE-04.
        """
        recover(self._desk, now=now)

    def export(self) -> Iterator[str]:
        """
        The whole log as lines of text, each ending in a line break.

        Equal logs have equal lines, whatever they are stored in. Others may write
        meanwhile: it ends where the log stood when the first line was taken.

        Raises:
            CorruptLog: `corrupt_log` at the first record that is not what was written.
            Conflict: `room_deleted` where a room went while it was read,
                `erased_meanwhile` where a message with files did.
        """
        from rooms.lobby.transfer.log import export_log  # noqa: PLC0415 - seldom asked

        self._desk.check_usable()
        return export_log(self._desk.storage)

    def verify(self) -> Mapping[str, Verification]:
        """
        Checks every record of every stream against its chain.

        Returns:
            By stream, what is not as it was written, and which words were erased, which
            is no damage. All is well where every `damages` is empty.
        """
        self._desk.check_usable()
        return verify_storage(self._desk.storage)
