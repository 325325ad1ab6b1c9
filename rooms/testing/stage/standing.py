"""What stands on a stage: who and what its commands name."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from attrs import define, field

from rooms.lobby import (
    Claim,
    Conversation,
    Lobby,
    Person,
    Posted,
    Push,
    ReceiptPush,
    Room,
    Turn,
    Wake,
)
from rooms.testing.clock import FakeClock

__all__ = ["Standing", "nth"]

T = TypeVar("T")


@define(eq=False)
class Standing:
    """What has come up on a stage, and what words and places name of it."""

    lobby: Lobby
    clock: FakeClock
    rooms: list[str] = field(factory=list)
    messages: list[str] = field(factory=list)
    revisions: list[str] = field(factory=list)
    wakes: list[Wake] = field(factory=list)
    turns: list[Turn] = field(factory=list)
    claims: list[Claim] = field(factory=list)
    remembered: list[str] = field(factory=list)
    pushes: list[Push | ReceiptPush] = field(factory=list)
    schedules: list[str] = field(factory=list)

    def actor(self, who: str) -> Conversation | Person | Claim | Turn:
        """Who a word names; `turn#0` and `claim#0` act for their conversation."""
        kind, _, number = who.partition("#")
        if kind.startswith("person:"):
            return self.lobby.person(kind.removeprefix("person:"))
        if kind == "turn" and self.turns:
            return nth(self.turns, int(number))
        if kind == "claim" and self.claims:
            return nth(self.claims, int(number))
        if kind in {"turn", "claim"}:
            return self.lobby.person("nobody")
        agent = self.lobby.agent(kind)
        return nth(agent.conversations(), int(number or 0))

    def room(self, place: int) -> Room:
        """The room at a place, by its id, so that a deleted one is refused."""
        return self.lobby.room(nth(self.rooms, place))

    def message(self, place: int | None) -> str | None:
        """The id of the message at a place, or None where there is none."""
        if place is None or not self.messages:
            return None
        return nth(self.messages, place)

    def _in_minutes(self, minutes: int | None) -> datetime | None:
        return None if minutes is None else self.clock() + timedelta(minutes=minutes)

    def _scheduled(self, place: int) -> str:
        """A message, or with a number below 0 a schedule."""
        if place < 0 and self.schedules:
            return nth(self.schedules, -place - 1)
        return self.message(place) or ""

    def _noted(self, posted: Posted) -> Any:
        if posted.message.id not in self.messages:
            self.messages.append(posted.message.id)
        became = (posted.woken, posted.held, posted.later, posted.started)
        waits = (posted.waits, posted.recipients, posted.message.deliver_at)
        said = (posted.unresolved, posted.notices)
        return posted, posted.message, became, waits, *said


def nth(things: Sequence[T], place: int) -> T:
    """The thing at a place, counted around again."""
    return things[place % len(things)]
