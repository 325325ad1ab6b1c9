"""
Telling: the leads of a lobby hear that an agent's turn stopped a while ago.

Three laws. A lead hears of a stop once, and never of its own; of all that are due at
that time together (L-ACT-07, L-ACT-09). That it was told is recorded before anybody is
handed it (L-NOTIFY-04). And what nobody could be told in time is dropped: where an
agent stands can be looked at.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from rooms import values
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream
from rooms.lobby.working.connecting import connected
from rooms.lobby.working.reporting import running_of
from rooms.log import work
from rooms.log.actors import SYSTEM
from rooms.log.events import Event
from rooms.log.work import StopsHeard
from rooms.pacing import Pushes, frees_at
from rooms.rendering import Notice
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = ["Stop", "Stops", "drop_stops", "hear_stops", "tell_stops"]


@frozen
class Stop:
    """
    A turn that stopped a while ago, with no new one since.

    Attributes:
        conversation: Whose turn.
        state: `idle`, or `failed` where it failed.
        since: Since when, UTC.
        worked_minutes: How long it had worked, in whole minutes; None where nobody saw
            it begin.
        background_tasks: How many tasks went on beside it whose results come back: 0,
            or None for a turn that failed, of which nobody knows.
        running: What runs on by itself, by kinds of the host's own, each with how many.

    Source: L-ACT-08.
    """

    conversation: Conversation
    state: Literal["idle", "failed"]
    since: datetime
    worked_minutes: int | None
    background_tasks: int | None
    running: Mapping[str, int] = field(hash=False)

    def as_dict(self) -> dict[str, Any]:
        """The same in JSON's own types."""
        return {**self._told(), "running": dict(self.running)}

    def _told(self) -> dict[str, Any]:
        return {
            "agent": str(self.conversation),
            "state": self.state,
            "since": self.since.isoformat(),
            "worked_minutes": self.worked_minutes,
            "background_tasks": self.background_tasks,
        }

    def notice(self) -> Notice:
        """The same as a notice of the library."""
        told = self._told()
        running = {f"running {kind}": many for kind, many in self.running.items()}
        return Notice("work_stopped", {**told, **running})

    def __str__(self) -> str:
        words = "failed" if self.state == "failed" else "stopped"
        worked = self.worked_minutes
        after = "" if worked is None else f" after {worked} min of work"
        runs = [f"{many} {kind}" for kind, many in self.running.items()]
        rest = f", with {', '.join(runs)} still running" if runs else ""
        return f"{self.conversation} {words} at {self.since.isoformat()}{after}{rest}."


@frozen
class Stops:
    """
    What a lead is told of turns that stopped; it needs no answer, and stands in no
    inbox.

    Attributes:
        conversation: Who is told.
        stops: Which turns, in the order in which they stopped.
        kind: `stops`, to tell it from a wake.

    Source: L-ACT-07 to L-ACT-09.
    """

    conversation: Conversation
    stops: tuple[Stop, ...]
    kind: Literal["stops"] = field(default="stops", repr=False)

    def as_dict(self) -> dict[str, Any]:
        """The same in JSON's own types."""
        return {
            "type": self.kind,
            "agent": self.conversation.agent,
            "conversation": self.conversation.id,
            "stops": [one.as_dict() for one in self.stops],
        }

    def render(self) -> str:
        """The text for a model; nothing in it is anybody's words."""
        lines = [str(one) for one in self.stops]
        return "\n".join([*lines, "A turn that stopped is no task that is done."])


_WINDOW = Pushes().window

Due = tuple[str, str, work.Work]
"""An agent, its conversation, and where that stands."""


def tell_stops(
    desk: Desk, agents: Iterable[str], *, now: datetime | None
) -> tuple[Stops, ...]:
    """
    What leads are told of these agents' stops that are due, each recorded; what nobody
    can be told now is put off, or dropped.
    """
    with desk.lock:
        due = list(_due(desk, agents, desk.time(now)))
        leads = list(_leads(desk)) if desk.hands_over else []
    return _told(desk, due, leads, asked=False, now=now) if due else ()


def drop_stops(desk: Desk, agent: str, *, now: datetime | None) -> None:
    """Records that nobody hears any more of an agent's stops of long ago."""
    stream = agent_stream(agent)

    def decide(at: int) -> Decision:
        over = [one for one, stop in _waiting(desk, agent) if work.is_over(stop, at)]
        events = [event for one in over for event in work.settle(one, "dropped")]
        return Decision({stream: events})

    with desk.passing_over(stream):
        desk.record(decide, stream, by=SYSTEM, now=now)


def hear_stops(
    desk: Desk, one: Conversation, *, now: datetime | None
) -> tuple[Notice, ...]:
    """What a lead is told at its check-in, for a host that hands nothing over."""
    with desk.lock:
        leads = [lead for lead in _leads(desk, one.agent) if lead.id == one.id]
        if not leads or desk.hands_over:
            return ()
        at = desk.time(now)
        waiting = dict.fromkeys(agent for agent, _ in desk.lately.due_stops())
        due = [
            (agent, conversation, stop)
            for agent in waiting
            for conversation, stop in _waiting(desk, agent)
            if agent != one.agent and stop.since + work.TOLD_AFTER <= at
        ]
    told = _told(desk, due, leads, asked=True, now=now) if due else ()
    return tuple(stop.notice() for each in told for stop in each.stops)


def _waiting(desk: Desk, agent: str) -> list[tuple[str, work.Work]]:
    """The stops of an agent that leads may still be told; the lock is held."""
    state = desk.talks(agent).work
    return [(one, state.known[one]) for one in state.due]


def _due(desk: Desk, agents: Iterable[str], at: int) -> Iterator[Due]:
    for agent in agents:
        with desk.passing_over(agent_stream(agent)):
            for conversation, stop in _waiting(desk, agent):
                if stop.due <= at:
                    yield agent, conversation, stop


def _leads(desk: Desk, only: str | None = None) -> Iterator[Conversation]:
    """The conversations of agents that lead; the lock is held."""
    from rooms.lobby.handles import Conversation  # noqa: PLC0415 - it leads here

    for entry in desk.directory().agents.values():
        if entry.may.manage_rooms and only in {None, entry.agent}:
            for talk in desk.talks(entry.agent).talks:
                yield Conversation(talk, entry.agent, desk)


def _told(
    desk: Desk,
    due: Sequence[Due],
    leads: Sequence[Conversation],
    *,
    asked: bool,
    now: datetime | None,
) -> tuple[Stops, ...]:
    """What leads are told, recorded; `asked` by one of them, and else pushed."""
    from rooms.lobby.handles import Conversation  # noqa: PLC0415 - it leads here

    stopped = [Conversation(one, agent, desk) for agent, one, _ in due]
    there = connected(desk, [*stopped, *leads], desk.time(now))
    heard: dict[Conversation, list[Due]] = {}

    def decide(at: int) -> Decision:
        fresh = [one for one in due if _stands(desk, one)]
        lost = {
            one: "dropped" if work.is_over(stop, at) else "away"
            for _, one, stop in fresh
            if one not in there or work.is_over(stop, at)
        }
        able = [lead for lead in leads if _may_hear(desk, lead, there, asked, at)]
        heard.clear()
        heard.update(_heard(able, [one for one in fresh if one[1] not in lost]))
        appends = {
            agent_stream(lead.agent): [_record(lead, stops, asked=asked)]
            for lead, stops in heard.items()
        }
        told = {one: "told" for stops in heard.values() for _, one, _ in stops}
        ended, again = {**told, **lost}, desk.hands_over
        for agent, one, stop in fresh:
            run = appends.setdefault(agent_stream(agent), [])
            if one in ended:
                run += work.settle(one, ended[one])
            else:
                run += work.put_off(stop, one, at, again=again)
        return Decision(appends)

    names = {agent_stream(agent) for agent, _, _ in due}
    names |= {agent_stream(lead.agent) for lead in leads}
    desk.record(decide, *sorted(names), by=SYSTEM, now=now)
    return tuple(
        Stops(lead, tuple(_stop(desk, one) for one in stops))
        for lead, stops in heard.items()
    )


def _record(lead: Conversation, stops: Iterable[Due], *, asked: bool) -> Event:
    named = tuple((agent, one, stop.since) for agent, one, stop in stops)
    return StopsHeard(lead.id, named, asked)


def _heard(
    leads: Iterable[Conversation], stops: Sequence[Due]
) -> dict[Conversation, list[Due]]:
    """Of each agent that leads, what one conversation is told of the others' stops."""
    in_order = sorted(stops, key=lambda one: one[2].since)
    first: dict[str, Conversation] = {}
    for lead in leads:
        first.setdefault(lead.agent, lead)
    heard = {
        lead: [one for one in in_order if one[0] != lead.agent]
        for lead in first.values()
    }
    return {lead: others for lead, others in heard.items() if others}


def _may_hear(
    desk: Desk, lead: Conversation, there: frozenset[str], asked: bool, at: int
) -> bool:
    """Whether a lead can be told now; the lock is held."""
    may, state = desk.agent(lead.agent).may, desk.talks(lead.agent)
    if lead.id not in there or not may.manage_rooms or may.held:
        return False
    if asked:
        return True
    free = frees_at(_WINDOW.limit, _WINDOW.micros, state.notified.instants, at)
    return state.talk(lead.id).listening and free == at


def _stands(desk: Desk, due: Due) -> bool:
    """Whether nothing came in between; the lock is held."""
    agent, one, stop = due
    return desk.talks(agent).work.known.get(one) == stop


def _stop(desk: Desk, due: Due) -> Stop:
    from rooms.lobby.handles import Conversation  # noqa: PLC0415 - it leads here

    agent, one, stop = due
    failed = stop.state == "failed"
    return Stop(
        Conversation(one, agent, desk),
        "failed" if failed else "idle",
        moment(stop.since) or values.LAST,
        stop.worked,
        None if failed else 0,
        running_of(stop),
    )
