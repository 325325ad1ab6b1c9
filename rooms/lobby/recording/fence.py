"""
The fence: whoever was overtaken changes nothing any more.

Three laws. A claim is stale once a newer one is made (foundation 14), and a turn that a
room woke is over once its wake is closed or somebody else's (ledger 9, 11). Where one
claim alone may act, whoever names none is refused; a conversation that nobody ever
claimed is not fenced. And what the fence read stands in the commit as a guard, so
nobody is overtaken in between.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Literal

from attrs import evolve

from rooms.addressing import name_key
from rooms.errors import Conflict, NotAllowed
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream, room_stream
from rooms.log.actors import Actor
from rooms.log.agents import Talk
from rooms.log.records import room_of_record

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "Unclaimed",
    "check_acting",
    "check_claimed",
    "check_enabled",
    "check_fence",
    "fenced",
]

Unclaimed = Literal["refused", "ignored", "allowed"]
"""
What becomes of a call that names no claim where one is needed: it is `refused`; or
`ignored`, as what a look would settle (L-FENCE-09); or `allowed`, as what is for
whoever runs the lobby, and a claim itself.
"""


def check_fence(desk: Desk, actor: Actor) -> None:
    """
    Refuses an actor that was overtaken.

    Raises:
        NotAllowed: `agent_disabled`.
        Conflict: `stale_runtime` behind a newer claim, or one that was retired;
            `runtime_required` for half of a claim; `stale_wake` for a turn whose wake
            is not open any more, or was taken anew.
    """
    check_enabled(desk, actor)
    if actor.generation or actor.runtime is not None:
        _check_current(desk.talks(actor.agent).talk(actor.id), actor)
    room = room_of_record(actor.wake) if actor.wake else ""
    if not room or room not in desk.directory().rooms:  # a deleted room holds nobody
        return
    seat = desk.room(room).seats.get(actor.id)
    if seat is None or seat.standing.place != "in":  # it left, and goes on elsewhere
        return
    wake = seat.account.wake
    current = None if wake is None else wake.id
    if current != actor.wake:
        raise Conflict(
            "stale_wake",
            "the wake of this turn is not open any more, or somebody else's",
            current=current,
        )


def _check_current(talk: Talk, actor: Actor) -> None:
    """The runtime, its generation and its incarnation are the newest claim's."""
    bound, named = talk.runtime, actor.runtime
    if named is not None and _halved(named, actor.generation, talk):
        raise _required(talk)
    stale = talk.generation != actor.generation
    if not stale and named is not None:
        newest = ("", "") if bound is None else (bound.id, bound.incarnation)
        stale = not talk.claimed or named != newest
    if stale:
        raise Conflict(
            "stale_runtime",
            "a newer runtime claimed the conversation",
            current=talk.generation,
        )


def _halved(named: tuple[str, str], generation: int, talk: Talk) -> bool:
    """Whether a part of the claim is missing (L-FENCE-08)."""
    runtime, incarnation = named
    if not generation or bool(runtime) != bool(incarnation):
        return True
    newest = talk.runtime is not None and talk.generation == generation
    return newest and not runtime


def _required(talk: Talk) -> Conflict:
    return Conflict(
        "runtime_required",
        "the conversation is claimed: its runtime, generation and incarnation are"
        " needed",
        current=talk.generation,
    )


def check_claimed(desk: Desk, actor: Actor) -> None:
    """
    Refuses a call for a conversation that its runtimes claim by name, without a claim.

    Raises:
        Conflict: `runtime_required`.
    """
    if actor.agent and not actor.generation and not actor.wake:
        talk = desk.talks(actor.agent).talk(actor.id)
        if talk.exclusive:
            raise _required(talk)


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
    desk: Desk,
    actor: Actor,
    decide: Callable[[int], Decision],
    names: Iterable[str] = (),
    *,
    unclaimed: Unclaimed = "refused",
) -> Callable[[int], Decision]:
    """
    The command of an actor, refused once it was overtaken.

    Args:
        desk: The lobby's.
        actor: Who acts.
        decide: The command.
        names: The streams that it may append to.
        unclaimed: What becomes of it without a claim, where one is needed.
    """
    if not actor.agent:
        return decide
    if _is_claimed(actor) or unclaimed == "allowed":
        return _current(desk, actor, decide)

    def decide_unclaimed(at: int) -> Decision:
        check_enabled(desk, actor)
        sessions = _sessions(desk, names)
        if sessions == _SHARED:
            return decide(at)
        talk = _claimed_by_others(desk, actor, sessions)
        if talk is not None:
            if unclaimed == "ignored":
                return Decision()
            raise _required(talk)
        return _guarded(decide(at), [agent_stream(actor.agent)])

    return decide_unclaimed


def check_acting(desk: Desk, actor: Actor, name: str) -> None:
    """
    Refuses an actor that was overtaken, or names no claim where the stream of that name
    needs one; for a command that is decided while nobody else can write.

    Raises:
        NotAllowed, Conflict: As `check_fence`, and `runtime_required`.
    """
    if not actor.agent:
        return
    if _is_claimed(actor):
        check_fence(desk, actor)
        return
    check_enabled(desk, actor)
    sessions = _sessions(desk, (name,))
    talk = None if sessions == _SHARED else _claimed_by_others(desk, actor, sessions)
    if talk is not None:
        raise _required(talk)


_SHARED = {"shared"}


def _is_claimed(actor: Actor) -> bool:
    return bool(actor.generation or actor.wake or actor.runtime)


def _claimed_by_others(desk: Desk, actor: Actor, sessions: set[str]) -> Talk | None:
    """The actor's conversation, where rooms of such sessions need its claim."""
    talk = desk.talks(actor.agent).talks.get(actor.id)
    if talk is not None and (talk.generation if sessions else talk.exclusive):
        return talk
    return None


def _sessions(desk: Desk, names: Iterable[str]) -> set[str]:
    """What the rooms say of sessions that a command may append to, and are there."""
    found: set[str] = set()
    for name in names:
        state = desk.streams.current(name).state if name.startswith("room:") else None
        if state is not None and state.version:
            found.add(state.policy.sessions)
    return found


def _current(
    desk: Desk, actor: Actor, decide: Callable[[int], Decision]
) -> Callable[[int], Decision]:
    def decide_fenced(at: int) -> Decision:
        check_fence(desk, actor)
        decision = decide(at)
        read = [agent_stream(actor.agent)] if actor.generation else []
        room = room_of_record(actor.wake)
        if room in desk.directory().rooms:
            read.append(room_stream(room))
        return _guarded(decision, read)

    return decide_fenced


def _guarded(decision: Decision, read: Iterable[str]) -> Decision:
    guards = [name for name in read if name not in decision.appends]
    if not guards:
        return decision
    return evolve(decision, guards=(*decision.guards, *guards))
