"""
The fence: whoever was overtaken changes nothing any more.

Two laws. A claim is stale once a newer one is made (foundation 14), and a turn that a
room woke is over once its wake is closed or somebody else's (ledger 9, 11). And what
the fence read stands in the commit as a guard, so nobody is overtaken in between.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from attrs import evolve

from rooms.addressing import name_key
from rooms.errors import Conflict, NotAllowed
from rooms.lobby.recording.commits import Decision
from rooms.lobby.recording.streams import agent_stream, room_stream
from rooms.log.actors import Actor
from rooms.log.records import room_of_record

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["check_enabled", "check_fence", "fenced"]


def check_fence(desk: Desk, actor: Actor) -> None:
    """
    Refuses an actor that was overtaken.

    Raises:
        NotAllowed: `agent_disabled`.
        Conflict: `stale_runtime` behind a newer claim; `stale_wake` for a turn whose
            wake is not open any more, or was taken anew.
    """
    check_enabled(desk, actor)
    if actor.generation:
        talk = desk.talks(actor.agent).talk(actor.id)
        if talk.generation != actor.generation:
            raise Conflict(
                "stale_runtime",
                "a newer runtime claimed the conversation",
                current=talk.generation,
            )
    room = room_of_record(actor.wake)
    if not room or room not in desk.directory().rooms:  # a deleted room holds nobody
        return
    seat = desk.room(room).seats.get(actor.id)
    if seat is None or seat.place != "in":  # who left in its turn goes on elsewhere
        return
    current = None if seat.wake is None else seat.wake.id
    if current != actor.wake:
        raise Conflict(
            "stale_wake",
            "the wake of this turn is not open any more, or somebody else's",
            current=current,
        )


def check_enabled(desk: Desk, actor: Actor) -> None:
    """
    Refuses a conversation of an agent that takes no part at present (L-AGENT-10).

    Raises:
        NotAllowed: `agent_disabled`.
    """
    entry = desk.directory().agents.get(name_key(actor.agent))
    if entry is not None and not entry.may.enabled:
        raise NotAllowed(
            "agent_disabled",
            f"{entry.agent} takes no part at present",
            agent=entry.agent,
        )


def fenced(
    desk: Desk, actor: Actor, decide: Callable[[int], Decision]
) -> Callable[[int], Decision]:
    """The command of an actor, refused once it was overtaken."""
    if not actor.agent:
        return decide
    if not actor.generation and not actor.wake:

        def decide_enabled(at: int) -> Decision:
            check_enabled(desk, actor)
            return decide(at)

        return decide_enabled

    def decide_fenced(at: int) -> Decision:
        check_fence(desk, actor)
        decision = decide(at)
        read = [agent_stream(actor.agent)] if actor.generation else []
        room = room_of_record(actor.wake)
        if room in desk.directory().rooms:
            read.append(room_stream(room))
        guards = [name for name in read if name not in decision.appends]
        return evolve(decision, guards=(*decision.guards, *guards))

    return decide_fenced
