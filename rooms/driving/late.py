"""
Late answers: what is asked about until it settles, after its turn has been given up.

Three laws. Asking only reads: nothing is ever sent to the member, and no answer enters
the rounds again (R-LATE-06). A task is asked about by one poller, and whatever was
withdrawn posts nothing, looked at before and after each poll (R-LATE-07). And the host
does the polling: here are the instants, the counting, and what is to be said.

Source: area LATE of docs/rules/thread.md.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime, timedelta
from typing import Literal

from attrs import evolve, field, frozen

from rooms import values
from rooms.driving.continuity import Peer
from rooms.errors import InvalidInput
from rooms.lobby import Conversation, Message, Room
from rooms.lobby.floors.speaking import post_late
from rooms.lobby.given import check_room

__all__ = [
    "BACK_OFF",
    "BackOff",
    "InactivityClock",
    "LateAnswers",
    "LateEnd",
    "Pending",
    "post_late_answer",
]


@frozen
class BackOff:
    """
    When to ask about a task that goes on working.

    Attributes:
        first: How long after the turn was given up.
        factor: By how much each pause grows.
        longest: The longest pause.
        gives_up: After how long nobody asks any more.
        most_failed: After how many failed polls in a row.
    """

    first: timedelta = timedelta(seconds=2)
    factor: float = 1.5
    longest: timedelta = timedelta(seconds=30)
    gives_up: timedelta = timedelta(hours=1)
    most_failed: int = 8

    def after(self, pause: timedelta) -> timedelta:
        """The pause that follows one."""
        return min(pause * self.factor, self.longest)


BACK_OFF = BackOff()
"""2 s, then half as much again up to every 30 s, for an hour (R-LATE-02, R-LATE-03)."""


@frozen
class Pending:
    """
    A task that is asked about.

    Attributes:
        thread, member: In which room, and whose.
        task: What the peer calls it.
        peer: Where it is asked about.
        since: When its turn was given up.
        next: When to ask again.
        pause: The pause before that.
        failed: How many polls failed in a row.
        mark: What `ContinuityStore.mark` said when it began.
    """

    thread: str
    member: str
    task: str
    peer: Peer
    since: datetime
    next: datetime
    pause: timedelta
    failed: int = 0
    mark: int = 0


@frozen
class LateEnd:
    """
    How a task ended.

    Attributes:
        pending: The task.
        ended: `answered`, `failed`, `question`, or `gave_up`.
        text: The answer, the failure, or the question.
        handle: For a question, by what the lead may answer it.
        wakes_lead: Whether the lead is given a turn (R-LATE-04, R-LATE-10).
    """

    pending: Pending
    ended: Literal["answered", "failed", "question", "gave_up"]
    text: str = field(default="", repr=False)
    handle: str = ""
    wakes_lead: bool = True


Poll = Literal["working", "answered", "failed", "question", "unknown", "unreachable"]
"""What asking about a task brought; `unreachable` is a poll that failed."""


class LateAnswers:
    """The tasks of one process that are asked about, one a member and thread."""

    def __init__(
        self, back_off: BackOff = BACK_OFF, *, incognito: bool = False
    ) -> None:
        self.back_off, self.incognito = back_off, incognito
        self._pending: dict[tuple[str, str], Pending] = {}

    def pending(self, thread: str, member: str) -> Pending | None:
        """What is asked about for a member of a thread."""
        return self._pending.get((thread, member))

    def waiting(self, thread: str) -> tuple[str, ...]:
        """The members of a thread whose answers are being collected."""
        return tuple(one for where, one in self._pending if where == thread)

    def begin(
        self,
        thread: str,
        member: str,
        task: str,
        peer: Peer,
        *,
        now: datetime,
        mark: int = 0,
    ) -> Pending:
        """
        Begins to ask about a task; the same one again changes nothing (R-LATE-13), and
        another takes the older one's place (R-LATE-08).
        """
        values.text("task", task, empty=False)
        at = values.instant("now", now)
        known = self._pending.get((thread, member))
        if known is not None and known.task == task:
            return known
        first = self.back_off.first
        begun = Pending(thread, member, task, peer, at, at + first, first, mark=mark)
        self._pending[thread, member] = begun
        return begun

    def next_deadline(self) -> datetime | None:
        """When something is due to be asked about."""
        return min((one.next for one in self._pending.values()), default=None)

    def due(self, now: datetime) -> tuple[Pending, ...]:
        """What is to be asked about now, the longest due first."""
        at = values.instant("now", now)
        due = [one for one in self._pending.values() if one.next <= at]
        return tuple(sorted(due, key=lambda one: one.next))

    def polled(
        self,
        pending: Pending,
        poll: Poll,
        *,
        now: datetime,
        text: str = "",
        handle: str = "",
    ) -> LateEnd | None:
        """
        Notes what a poll brought; how the task ended, or None where it goes on, ended
        quietly, or was withdrawn meanwhile.
        """
        at = values.instant("now", now)
        if not self.is_wanted(pending):
            return None
        key = (pending.thread, pending.member)
        if poll == "unknown":  # the peer no longer knows the task (R-LATE-05)
            del self._pending[key]
            return None
        if poll in {"working", "unreachable"}:
            failed = 0 if poll == "working" else pending.failed + 1
            pause = self.back_off.after(pending.pause)
            if (
                failed < self.back_off.most_failed
                and at - pending.since < self.back_off.gives_up
            ):
                self._pending[key] = evolve(
                    pending, next=at + pause, pause=pause, failed=failed
                )
                return None
            del self._pending[key]
            return self._end(pending, "gave_up", "no answer came any more")
        del self._pending[key]
        if poll == "question":
            return self._end(pending, "question", text, handle)
        return self._end(pending, "failed" if poll == "failed" else "answered", text)

    def _end(
        self,
        pending: Pending,
        ended: Literal["answered", "failed", "question", "gave_up"],
        text: str,
        handle: str = "",
    ) -> LateEnd:
        return LateEnd(pending, ended, text, handle, wakes_lead=not self.incognito)

    def is_wanted(self, pending: Pending) -> bool:
        """Whether it is asked about still: look before a poll, and after it."""
        known = self._pending.get((pending.thread, pending.member))
        return known is not None and known == pending

    def withdraw(self, *, thread: str | None = None, member: str | None = None) -> None:
        """
        Withdraws what is asked about: of a thread that went back, was deleted or was
        forked onto; of a member that was removed, or is reached elsewhere or otherwise.

        Raises:
            InvalidInput: `invalid_request` where neither is named.
        """
        if thread is None and member is None:
            raise InvalidInput("thread", "is not named", allowed="a thread or a member")
        for where, who in list(self._pending):
            if thread in {None, where} and member in {None, who}:
                del self._pending[where, who]


def post_late_answer(
    room: Room, conversation: Conversation, end: LateEnd
) -> Message | None:
    """
    Posts how a task ended as the member's own message, marked late; a failure, and that
    nobody asks any more, as failed. A question is the lead's to answer, and posts
    nothing (R-LATE-04).

    Raises:
        Refused: What a post may be refused with.
    """
    if end.ended == "question" or not end.text.strip():
        return None
    check_room(room)
    desk = room._desk  # noqa: SLF001 - our own handle
    failed = end.ended in {"failed", "gave_up"}
    return post_late(desk, room.id, conversation, end.text, failed=failed, now=None)


class InactivityClock:
    """
    Tells for how long a task has shown no change; the same status again is none
    (R-FAIL-04).

    Args:
        limit: After how long without a change it has expired.
    """

    def __init__(self, limit: timedelta) -> None:
        self.limit = values.duration("limit", limit, at_least=timedelta(microseconds=1))
        self._last: Hashable = None
        self._since: datetime | None = None

    def seen(self, fingerprint: Hashable, now: datetime) -> None:
        """Notes what the task shows: its state, context, words and what it made."""
        at = values.instant("now", now)
        if self._since is None or fingerprint != self._last:
            self._last, self._since = fingerprint, at

    def expired(self, now: datetime) -> bool:
        """Whether nothing has changed for as long as the limit."""
        at = values.instant("now", now)
        return self._since is not None and at - self._since >= self.limit
