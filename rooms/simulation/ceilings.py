"""
What holds in every run of a team: its ceilings, and that its result is sent once.

Law: it is counted from the log alone, beside what the library itself counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from attrs import define, field

from rooms.lobby.recording.streams import room_stream
from rooms.log.events import Event, decoded
from rooms.log.ledger import Ended, TurnOpened, WakeClosed, WakeReturned
from rooms.log.team import (
    DeliverySettled,
    LimitSet,
    MemberPlaced,
    TeamDrafted,
    TeamMoved,
    TurnCounted,
    UsageReported,
)
from rooms.storage.walking import records_of

if TYPE_CHECKING:
    from rooms.simulation.run import Run

__all__ = ["broken_ceilings"]

_SENT = "delivered"
_WORKS = frozenset({"ready", "running"})


def broken_ceilings(run: Run) -> Iterator[str]:
    """What a run's teams did beyond their limits, in words; nothing where they kept."""
    for room in run.lobby.rooms:
        stream = room_stream(room.id)
        events = (decoded(record).event for record in records_of(run.storage, stream))
        yield from (f"{room.name}: {told}" for told in _Counted().broken(events))
    sent = Counter((note.to, note.detail) for note in run.notes if note.what == _SENT)
    for (_, destination), times in sent.items():
        if times > 1:
            yield f"a result was sent {times} times to {destination}"


@define
class _Counted:
    """A team as far as it was read."""

    status: str = ""
    limits: dict[str, int] = field(factory=dict)
    keys: dict[str, str] = field(factory=dict)  # by conversation
    running: dict[str, str] = field(factory=dict)  # conversations by wake
    used: Counter[str] = field(factory=Counter)
    turns: Counter[str] = field(factory=Counter)
    settled: int = 0

    def broken(self, events: Iterable[Event]) -> Iterator[str]:
        """What is broken, in the order in which it was."""
        for event in events:
            if isinstance(event, TurnOpened):
                yield from self._opens(event)
            else:
                _FOLDS.get(type(event), _nothing)(self, event)
        if self.settled > 1:
            yield f"its result was settled {self.settled} times"

    def _opens(self, opened: TurnOpened) -> Iterator[str]:
        """A turn begins, which nothing of a team that has no room for it may do."""
        if not self.limits:
            return
        who = self.keys.get(opened.conversation, opened.conversation)
        if self.status not in _WORKS:
            yield f"a turn of {who} began while it was {self.status}"
        self.running[opened.wake] = opened.conversation
        most = self.limits["max_active_turns"]
        if len(self.running) > most:
            yield f"{len(self.running)} turns ran at once, and {most} may"
        for limit, spent in (
            ("max_cost", self.used["cost"]),
            ("max_tokens", self.used["tokens"]),
            ("max_member_cost", self.used[f"cost of {who}"]),
            ("max_member_tokens", self.used[f"tokens of {who}"]),
            ("max_member_turns", self.turns[who]),
        ):
            if spent >= self.limits[limit]:
                yield f"a turn of {who} began at {limit}"

    def uses(self, event: UsageReported) -> None:
        """A turn used something."""
        for name, spent in (("cost", event.cost), ("tokens", event.tokens)):
            self.used[name] += spent
            self.used[f"{name} of {event.key}"] += spent


def _nothing(_: _Counted, __: Event) -> None:
    """Most facts change no ceiling."""


def _drafted(one: _Counted, event: TeamDrafted) -> None:
    limits = event.plan["limits"]
    one.limits = {name: limits[name] for name in limits if name.startswith("max_")}


def _moved(one: _Counted, event: TeamMoved) -> None:
    one.status = event.status


def _set(one: _Counted, event: LimitSet) -> None:
    one.limits[event.name] = event.value


def _placed(one: _Counted, event: MemberPlaced) -> None:
    one.keys[event.conversation] = event.key


def _counted(one: _Counted, event: TurnCounted) -> None:
    one.turns[event.key] += 1


def _over(one: _Counted, event: WakeClosed | WakeReturned | Ended) -> None:
    one.running.pop(event.wake, None)


def _settled(one: _Counted, _: DeliverySettled) -> None:
    one.settled += 1


_FOLDS: Mapping[type[Event], Any] = {
    TeamDrafted: _drafted,
    TeamMoved: _moved,
    LimitSet: _set,
    MemberPlaced: _placed,
    TurnCounted: _counted,
    UsageReported: _Counted.uses,
    WakeClosed: _over,
    WakeReturned: _over,
    Ended: _over,
    DeliverySettled: _settled,
}
