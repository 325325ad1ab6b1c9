"""
The table of a driver: what the loop records, and what it shows.

Two laws. A turn ends once, with what it brought; what cannot be recorded as it was
meant (refused, overtaken, its room gone) is recorded as what it is. And a turn that
was cancelled is given back, so that nothing is left in hand.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from datetime import timedelta
from functools import partial
from inspect import iscoroutinefunction
from traceback import extract_tb
from typing import Any

from rooms import values
from rooms.driving.outcomes import Answer, Turned
from rooms.driving.speakers import Asynchronous, ByName
from rooms.driving.views import View, view_of
from rooms.errors import (
    Conflict,
    InvalidInput,
    NotFound,
    Refused,
    RoomsError,
    StorageError,
)
from rooms.lobby import Message, Room
from rooms.lobby.floors.speaking import HasFloor, Idle, end_turn, post_late, take_floor
from rooms.lobby.given import check_room
from rooms.lobby.waking.holding import check_hold
from rooms.log.floors import TurnEnd

__all__ = ["Table"]

_LOG = logging.getLogger("rooms")
_GONE = Idle("room_deleted")


class Table:
    """One driver of one room."""

    def __init__(
        self, room: Room, holder: str | None, hold_for: timedelta, limit: int
    ) -> None:
        check_room(room, instead="`drive_async`, or `room.sync`")
        self.room = room
        self.desk = room._desk  # noqa: SLF001 - our own handle
        self.desk.check_usable()
        if holder is not None:
            values.text("holder", holder, empty=False)
        self.holder = holder or self.desk.hand.new_holder()
        self.hold_for = check_hold(hold_for)
        self.limit = values.whole_number("limit", limit, at_least=1)
        self.ends: dict[int, str] = {}

    def checked(self, speak: Any, *, blocking: bool = False) -> Table:
        """Refuses what cannot be asked, and one by name that names no agent."""
        if not callable(speak):
            kind = type(speak).__name__
            allowed = "a function of a conversation and its view"
            raise InvalidInput("speak", f"is of type {kind}", allowed=allowed)
        if blocking and iscoroutinefunction(speak):
            raise Asynchronous("drive_async", "address_async")
        if not isinstance(speak, ByName):
            return self
        with self.desk.lock:
            agents = self.desk.directory().agents.values()
            known = [entry.agent for entry in agents]
        for name in speak.agents:
            values.member("agents", name, known)
        return self

    @property
    def policy_failure(self) -> str:
        """What a failed turn comes to, as the policy says now."""
        try:
            with self.desk.lock:
                return self.desk.room(self.room.id).policy.on_failure
        except NotFound:
            return "drop"

    @property
    def raises(self) -> bool:
        """Whether a failure leaves the driver."""
        return self.policy_failure == "raise"

    def take(self) -> HasFloor | Idle:
        """Takes the floor; or why nobody can be asked."""
        try:
            return take_floor(
                self.desk,
                self.room.id,
                holder=self.holder,
                hold_for=self.hold_for,
                now=None,
            )
        except NotFound:
            return _GONE

    def view(self, turn: HasFloor) -> View:
        """What the speaker is shown; a turn that cannot be shown is given back."""
        try:
            return view_of(self.desk, turn)
        except BaseException:  # an interrupt too: nobody else gives it back
            self.give_up(turn)
            raise

    def give_up(self, turn: HasFloor) -> None:
        """Gives a turn back that was cancelled."""
        with suppress(RoomsError):  # its claim runs out, or it is somebody else's
            end_turn(self.desk, turn, TurnEnd("cancelled"), now=None)

    def record(self, turn: HasFloor, view: View, answer: Answer) -> Turned:
        """Records what came of a turn, and what it said."""
        if answer.error is not None:
            words = (view.name, self.room.id, _told(answer.error))
            _LOG.warning("the turn of %r in %s failed: %s", *words)
        spoke = answer.outcome == "spoke"
        turned = partial(
            Turned,
            view.conversation,
            view.name,
            view.round,
            text=answer.text if spoke else "",
            error="" if spoke else answer.text,
            raised=answer.error,
            kind=answer.kind,
            pending=answer.pending,
            clipped=view.clipped,
            activity=turn.floor.activity,
        )
        try:
            message = self._ended(turn, view, answer)
            return turned(answer.outcome, message=message)
        except StorageError as lost:  # the answer is told all the same (R-DISPATCH-10)
            return turned("unrecorded", kind=lost.code)
        except Conflict:
            return turned("late", message=self._late(turn, answer))
        except NotFound as gone:
            if gone.code != "room_not_found":
                raise
            return turned("late")
        except (Refused, InvalidInput) as refused:
            # The words cannot stand in the room: that is a failure of the turn.
            end = TurnEnd("failed", refused.code, view.clipped)
            with suppress(Conflict, NotFound):
                end_turn(self.desk, turn, end, now=None)
            return turned("failed", text="", error=str(refused), kind=refused.code)
        finally:
            self._note_end(turn)

    def _note_end(self, turn: HasFloor) -> None:
        """Notes why the turn's activity ended, if it did."""
        opener = turn.floor.activity
        try:
            with self.desk.lock.cached:  # as its end left it
                state = self.desk.room(self.room.id)
        except RoomsError:
            return
        if state.activity is None or state.activity.opener != opener:
            self.ends.setdefault(opener, state.ended)

    def _ended(self, turn: HasFloor, view: View, answer: Answer) -> Message | None:
        outcome: Any = answer.outcome
        spoke = outcome == "spoke"
        shown = spoke or (answer.error is not None and self.policy_failure == "drop")
        return end_turn(
            self.desk,
            turn,
            TurnEnd(outcome, answer.kind, view.clipped),
            text=answer.text if shown else None,
            answers=view.message if spoke and view.addressed else None,
            now=None,
        )

    def _late(self, turn: HasFloor, answer: Answer) -> Message | None:
        """What came after somebody else had gone on is the member's own message."""
        if answer.outcome != "spoke":
            return None
        with suppress(Refused, InvalidInput):
            one = turn.wake.conversation
            return post_late(self.desk, self.room.id, one, answer.text, now=None)
        return None


def _told(error: Exception) -> str:
    """An exception and where it came from; its words may quote a message (S16)."""
    frames = extract_tb(error.__traceback__)
    where = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
