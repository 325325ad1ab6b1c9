"""
Describing: what an agent is said to be, and what it may do.

Two laws. Whoever admits agents says all of it, which is the host; no agent's call leads
here, and no permission widens to it (L-AGENT-06, L-SCOPE-14). And an agent that is
disabled or paused is held in every room in the same commit, so that no call of it which
was decided before passes after.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, agent_stream, room_stream
from rooms.log import directory, ledger, runtimes, seats, statuses
from rooms.log.actors import SYSTEM
from rooms.log.directory import AgentDescribed, AgentEntry, AgentPermitted, TokenRevoked
from rooms.log.events import Event
from rooms.log.floors import absent
from rooms.log.resting import AgentRested
from rooms.log.runtimes import RenewedBecause, RetiredBecause

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "WORDS",
    "change_agent",
    "facts_given",
    "held_in_rooms",
    "renewed_by",
    "retired_by",
    "said_of",
]

WORDS = ("role", "work_description", "machine")


def said_of(desk: Desk, entry: AgentEntry) -> AgentDescribed:
    """The newest words about an agent; the lock is held."""
    fact = desk.fact(LOBBY, entry.described) if entry.described else None
    event = None if fact is None else fact.event
    return event if isinstance(event, AgentDescribed) else AgentDescribed(entry.agent)


def facts_given(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """What was given, without what was not: the words, and the permissions."""
    said = {name: one for name, one in given.items() if one is not None}
    if "allowed_recipients" in given:
        allowed = given["allowed_recipients"]
        said["allowed_recipients"] = (
            allowed
            if allowed is None or isinstance(allowed, str) or not _iterable(allowed)
            else [getattr(one, "id", one) for one in allowed]
        )
    words = {name: said.pop(name) for name in WORDS if name in said}
    return words, said


def _iterable(given: Any) -> bool:
    return hasattr(given, "__iter__") and not isinstance(given, bytes | set | Mapping)


def change_agent(
    desk: Desk, agent: str, given: Mapping[str, Any], *, now: datetime | None
) -> None:
    """As `Agent.change`, which documents it."""
    words, permissions = facts_given(given)
    retired: list[str] = []

    def decide(_: int) -> Decision:
        entry = desk.agent(agent)
        said = directory.describe(entry, said_of(desk, entry), words)
        permitted = directory.permit(entry, permissions)
        appends: dict[str, Sequence[Event]] = {LOBBY: [*said, *permitted]}
        retired.clear()
        if permissions.get("paused") and entry.paused_until:  # no more (L-REST-08)
            appends[LOBBY] = [*said, *permitted, AgentRested(entry.agent, True)]
        own = agent_stream(entry.agent)
        held = entry.may.held
        for event in permitted:
            assert isinstance(event, AgentPermitted)  # noqa: S101 - what `permit` gives
            held = directory.permissions_of(event).held
            appends |= held_in_rooms(desk, entry, held)
            if entry.may.enabled and not event.enabled:  # for good (L-AGENT-10)
                appends |= retired_by(desk, entry, retired, "disabled")
                subject = f"agent:{entry.agent}"
                if subject in desk.directory().tokens_of:
                    appends[LOBBY] = [*appends[LOBBY], TokenRevoked(subject)]
        if not retired and any(getattr(one, "new_role", False) for one in said):
            tasked = _tasked(desk, entry, paused=bool(held))
            appends[own] = [*appends.get(own, ()), *tasked]
        return Decision(appends)

    desk.record(decide, LOBBY, agent_stream(agent), by=SYSTEM, now=now)
    for conversation in retired:
        desk.reclaim(conversation, agent, now=now)


def held_in_rooms(desk: Desk, entry: AgentEntry, why: str) -> dict[str, list[Event]]:
    """
    What an agent that is held for a reason, or not any more, does to its seats, and to
    bootstraps that nobody answered (L-BOOT-06).
    """
    if why == entry.may.held:
        return {}
    renewed = renewed_by(desk, entry, "paused" if why else "resumed")
    appends: dict[str, list[Event]] = {agent_stream(entry.agent): renewed}
    for conversation in desk.talks(entry.agent).talks:
        for room in desk.wakes.rooms_of(conversation):
            if room not in desk.directory().rooms:
                continue
            state = desk.room(room)
            seat = state.seats[conversation]
            events = seats.hold(seat, why)
            if events and not why:
                events += ledger.renewed(state, seat, "resumed")
            if events and why:
                events += absent(state, seat, leaving=False)
            appends.setdefault(room_stream(room), []).extend(events)
    return appends


def retired_by(
    desk: Desk,
    entry: AgentEntry,
    retired: list[str],
    why: RetiredBecause,
    *,
    only: str | None = None,
) -> dict[str, list[Event]]:
    """
    What makes every claim of an agent void, or that on one conversation, and what was
    said of itself there (L-ACT-11); and the conversations that had a claim.
    """
    state = desk.talks(entry.agent)
    events: list[Event] = []
    for talk in state.talks.values():
        void = runtimes.retire(talk, why) if only in {None, talk.id} else []
        retired += [talk.id] if void else []
        events += void
    said = statuses.clear(state.statuses)
    events += [one for one in said if only in {None, one.conversation}]
    return {agent_stream(entry.agent): events}


def renewed_by(desk: Desk, entry: AgentEntry, why: RenewedBecause) -> list[Event]:
    """All tries of the bootstraps of an agent that nobody answered yet."""
    talks = desk.talks(entry.agent).talks.values()
    return [event for talk in talks for event in runtimes.renew(talk, why)]


def _tasked(desk: Desk, entry: AgentEntry, *, paused: bool) -> list[Event]:
    """What another role makes of the agent's runtimes (L-AGENT-09)."""
    return [
        event
        for talk in desk.talks(entry.agent).talks.values()
        if talk.runtime is not None
        for event in runtimes.unready(talk, desk.ids("nonce"), paused=paused)
    ]
