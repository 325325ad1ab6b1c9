"""
Turns whose opening, replies and end are awaited.

Law: whatever cancels or raises, a turn that was opened ends: its end is waited for,
even by who was cancelled, so nothing is left running that nobody runs.
"""

from __future__ import annotations

from asyncio import CancelledError, ensure_future, shield
from collections.abc import Coroutine
from functools import partial
from types import TracebackType
from typing import Any, Self

from rooms.aio.calls import Handle, call
from rooms.lobby import Conversation, Person, Posted, Wake
from rooms.lobby import Turn as SyncTurn
from rooms.rendering import Notice

__all__ = ["Turn"]


class Turn(Handle):
    """
    One run of a conversation; an asynchronous context manager, as `rooms.Turn`.

    Who is cancelled inside gives back what the turn carried: it is owed again.
    """

    sync: SyncTurn

    @property
    def conversation(self) -> Conversation:
        """Who runs."""
        return self.sync.conversation

    @property
    def wake(self) -> Wake | None:
        """The wake that it runs for, or None."""
        return self.sync.wake

    @property
    def word_of(self) -> Person | None:
        """The person on whose word it acts, or None."""
        return self.sync.word_of

    @property
    def notices(self) -> tuple[Wake, ...]:
        """What the conversation was told in this turn beside its wake."""
        return self.sync.notices

    @property
    def announced(self) -> tuple[Notice, ...]:
        """What the library itself tells the conversation at the start of this turn."""
        return self.sync.announced

    renew = call(SyncTurn.renew, brief=True)
    end = call(SyncTurn.end, brief=True)
    fetch_notices = call(SyncTurn.fetch_notices, brief=True)

    async def reply(self, content: str, **options: Any) -> Posted:
        """As `rooms.Turn.reply`."""
        work = partial(self.sync.reply, content, **options)
        brief = not options.get("attachments")  # as `calls.Call` says
        return await self.worker.run(work, brief=brief)

    async def __aenter__(self) -> Self:
        try:
            await self.worker.run(self.sync.__enter__, brief=True)
        except CancelledError:  # it may be open: jobs are done in their order
            await _to_its_end(self.end(failed=True))
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        del error, trace
        end = partial(self.sync.end, failed=kind is not None)
        await _to_its_end(self.worker.run(end, brief=True))


async def _to_its_end(work: Coroutine[Any, Any, None]) -> None:
    """Waits for work, also when cancelled meanwhile; then that is raised."""
    done = ensure_future(work)
    cancelled: CancelledError | None = None
    while not done.done():
        try:
            await shield(done)
        except CancelledError as error:
            if done.cancelled():
                raise
            cancelled = error
        except BaseException:  # noqa: BLE001, S110 - raised below, from the work itself
            pass
    done.result()
    if cancelled is not None:
        raise cancelled
