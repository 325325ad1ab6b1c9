"""Wakes and turns: what is owed is taken, told and settled."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rooms.lobby.answers import Report, Wake
from rooms.lobby.handles import Agent, Claim, Conversation, Person
from rooms.lobby.pushing.confirming import confirm
from rooms.lobby.pushing.values import Push, ReceiptPush
from rooms.lobby.waking.carrying import deliver
from rooms.lobby.waking.holding import HOLD, give_back_wake
from rooms.lobby.waking.taking import take
from rooms.lobby.waking.turns import Turn
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Waking"]


class Waking:
    """What a host calls to run its agents."""

    _desk: Desk

    def take_wakes(
        self,
        *,
        agents: Iterable[str | Agent] | None = None,
        conversations: Sequence[Conversation | Claim] | None = None,
        limit: int = 20,
        hold_for: timedelta = HOLD,
        holder: str | None = None,
        now: datetime | None = None,
    ) -> list[Wake]:
        """
        Takes wakes that are owed now, one a conversation and room, at most `limit`.

        A take is a claim: nobody else gets the wake while it holds. Open a turn on it,
        or hand it back with `give_back`; if the claim runs out, it is owed again. For a
        host that opens no turns at all, coming back for more says that it was told.

        Args:
            agents: Only wakes of these agents.
            conversations: Only wakes of these conversations; a `Claim` that is not the
                newest is refused.
            hold_for: How long the claim holds, up to 30 days.
            holder: Who takes, where several workers share one thread; each thread, and
                each task of asyncio, takes for itself.

        Raises:
            Conflict: `stale_runtime` for an older claim.
            NotFound: `agent_not_found`.
        """
        return take(
            self._desk,
            agents=agents,
            conversations=conversations,
            limit=limit,
            hold_for=hold_for,
            holder=holder,
            now=now,
        )

    def give_back(self, wake: Wake, *, now: datetime | None = None) -> None:
        """
        Hands back a wake that nobody was told: it is owed again, at once.

        One that is not its taker's any more is left alone: a turn on it has ended or
        runs, its claim ran out, its room is gone.

        Raises:
            InvalidInput: `invalid_request` for what is no wake.
        """
        give_back_wake(self._desk, wake, now=now)

    def new_holder(self) -> str:
        """
        Who takes, for one of several workers in one thread.

        :meta private:
        """
        return self._desk.hand.new_holder()

    def turn(
        self,
        woken: Wake | Conversation | Claim,
        *,
        word_of: Person | None = None,
        now: datetime | None = None,
    ) -> Turn:
        """
        A turn, as a context manager: for a wake, or for a conversation that the host
        runs for another reason, on a person's word or on its own initiative.

        Raises:
            InvalidInput: `agent_required` for a person; `invalid_request` for anything
                else that is not woken, and for the word of somebody behind a wake.
            Conflict: When it is opened: `stale_wake`, `stale_runtime`, `turn_running`.
            NotFound: When it is opened: `room_not_found` where the room is gone.
        """
        self._desk.check_usable()
        return Turn(self._desk, woken, word_of=word_of, now=now)

    def deliver(self, now: datetime | None = None) -> Report:
        """
        Lets what is due happen, and hands what can be taken to the plugins that carry.

        A host calls it when `next_deadline` says so, and after a post. What a plugin
        does wrong is in the report and raises nothing.
        """
        self._desk.check_usable()
        return deliver(self._desk, now)

    def confirm(
        self,
        push: str | Push | ReceiptPush,
        *,
        by: Any,
        stage: str = "attempted",
        now: datetime | None = None,
    ) -> None:
        """
        Says what became of a push: that who writes it has it (`received`), or that it
        was written for the runtime (`attempted`). Then its messages are told: they wait
        to be seen, and are not sent to the same runtime again. Again, it changes
        nothing.

        Args:
            push: The push, or its id, the `notification_id`.
            by: The runtime to which it was sent: a claim, or the conversation where
                nobody claims it.

        Raises:
            NotFound: `unknown_notification` for none of the conversation's.
            Conflict: `stale_runtime` for one that was sent to an older claim, or by it.
            InvalidInput: `agent_required` for a person.

        Source: L-NOTIFY-15, L-NOTIFY-17.
        """
        confirm(self._desk, push, by=by, stage=stage, now=now)

    def next_deadline(self) -> datetime | None:
        """
        When `deliver`, or a take, has work again by the passing of time; or None.

        It lies in the past where something fell due that nobody acted upon yet.
        """
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            found = (desk.storage.next_due(), desk.uncarried.next_again)
        due = min((at for at in found if at is not None), default=None)
        return None if due is None else moment(due)
