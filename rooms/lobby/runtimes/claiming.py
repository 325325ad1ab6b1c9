"""
Claiming: one runtime at a time has a conversation.

Two laws. What a claim does is refused from the instant on at which it is not the newest
any more, in every process (foundation 14). And only whoever runs the lobby takes a
conversation away from a runtime; no call of an agent leads there (L-FENCE-13).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.lobby.access.describing import retired_by
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, agent_stream, room_stream
from rooms.lobby.runtimes.bootstraps import Bootstrap, bootstrap_of
from rooms.log import ledger, runtimes
from rooms.log.actors import SYSTEM, Actor
from rooms.log.events import Event
from rooms.log.runtimes import RuntimeClaimed

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = ["Claim", "claim", "reset"]


@frozen
class Claim:
    """
    One runtime's exclusive claim on a conversation; it acts as the conversation.

    Attributes:
        conversation: Which it claims.
        generation: Its number; a higher one is newer.
        runtime: How the runtime names itself, or "".
        incarnation: Its binding, which it keeps over all its starts, or "".
        nonce: What its bootstrap had to be answered with when it was claimed, or "".
        is_ready: Whether it had said then that it is ready; a claim that names no
            runtime has nothing to say.

    Once a newer claim is made, whatever is done by this one raises `Conflict` with
    `stale_runtime`. A host that has no memory between calls makes it anew out of its
    parts; half of it is refused with `runtime_required`.

    Source: L-FENCE-01, L-FENCE-08.
    """

    conversation: Conversation
    generation: int
    runtime: str = ""
    incarnation: str = ""
    nonce: str = field(default="", eq=False, repr=False)
    is_ready: bool = field(default=True, eq=False)

    @property
    def actor(self) -> Actor:
        """
        The conversation as an actor that is refused once a newer claim is made.

        :meta private:
        """
        one, named = self.conversation, (self.runtime, self.incarnation)
        given = self.generation
        generation = given if type(given) is int and given > 0 else 0
        return Actor(
            "conversation", one.id, one.agent, generation=generation, runtime=named
        )

    def bootstrap(self) -> Bootstrap | None:
        """
        What the runtime has to answer before it is handed its inbox; None once it is
        ready, and for a claim that names no runtime.

        Raises:
            Conflict: `stale_runtime`.

        Source: L-BOOT-01.
        """
        from rooms.lobby.recording.fence import check_fence  # noqa: PLC0415

        desk = self.conversation._desk  # noqa: SLF001 - it acts as the conversation
        desk.check_usable()
        with desk.lock:
            check_fence(desk, self.actor)
            talk = desk.talks(self.conversation.agent).talk(self.conversation.id)
            return bootstrap_of(self.conversation, talk)

    def ready(
        self, context_revision: int, nonce: str, *, now: datetime | None = None
    ) -> None:
        """
        Says that the runtime has read its context, and takes its inbox from now on.

        Load the context, go through what was done before, say that you are ready, and
        only then save a checkpoint (L-BOOT-04). Said again, it changes nothing.

        Args:
            context_revision: Of the checkpoint that it loaded, 0 for none.
            nonce: As the newest bootstrap has it.

        Raises:
            Conflict: `bootstrap_conflict` where a checkpoint was saved since, or the
                bootstrap is not the newest; `stale_runtime`; `runtime_required` for a
                claim that names no runtime.

        Source: L-BOOT-02, L-BOOT-03, L-BOOT-08.
        """
        values.whole_number("context_revision", context_revision, at_least=0)
        values.text("nonce", nonce)
        one = self.conversation
        desk, stream = one._desk, agent_stream(one.agent)  # noqa: SLF001
        desk.check_usable()

        def decide(at: int) -> Decision:
            talk = desk.talks(one.agent).talk(one.id)
            said = runtimes.ready(talk, nonce, context_revision)
            return Decision({stream: said, **(_let_go(desk, one, at) if said else {})})

        desk.record(decide, stream, by=self.actor, now=now)


def _let_go(desk: Desk, one: Conversation, at: int) -> dict[str, list[Event]]:
    """What could not be pushed before, in each room, is due from now on."""
    appends = {}
    for room in desk.wakes.rooms_of(one.id):
        if room in desk.directory().rooms:
            seat = desk.room(room).seats[one.id]
            appends[room_stream(room)] = ledger.let_go(seat, at)
    return appends


def claim(
    desk: Desk,
    one: Conversation,
    runtime: Any,
    generation: Any,
    *,
    now: datetime | None,
) -> Claim:
    """As `Conversation.claim`, which documents it."""
    desk.check_usable()
    name = "" if runtime is None else runtimes.check_runtime(runtime)
    if generation is not None:
        values.text("runtime", name, empty=False)
        values.whole_number("generation", generation, at_least=1)
        with desk.lock:
            talk = desk.talks(one.agent).talk(one.id)
            bound = runtimes.reconnect(talk, name, generation)
        named = (bound.id, bound.incarnation, bound.nonce, bound.ready)
        return Claim(one, generation, *named)
    stream = agent_stream(one.agent)
    fresh = (desk.ids("incarnation"), desk.ids("nonce")) if name else ("", "")

    def decide(_: int) -> Decision:
        talk = desk.talks(one.agent).talk(one.id)
        events = runtimes.claim(
            talk,
            name,
            incarnation=fresh[0],
            nonce=fresh[1],
            paused=bool(name and desk.agent(one.agent).may.held),
        )
        return Decision({stream: events}, guards=(LOBBY,) if name else ())

    committed = desk.record(decide, stream, by=one.actor, now=now, unclaimed="allowed")
    facts = committed.facts[stream] if committed else ()
    [made] = [one.event for one in facts if isinstance(one.event, RuntimeClaimed)]
    desk.reclaim(one.id, one.agent, now=now)
    named = (made.runtime, made.incarnation, made.nonce, not made.runtime)
    return Claim(one, made.generation, *named)


def reset(desk: Desk, one: Conversation, *, now: datetime | None) -> None:
    """As `Conversation.reset_runtime`, which documents it."""
    desk.check_usable()
    stream, retired = agent_stream(one.agent), list[str]()

    def decide(_: int) -> Decision:
        retired.clear()
        entry = desk.agent(one.agent)
        return Decision(retired_by(desk, entry, retired, "reset", only=one.id))

    desk.record(decide, stream, by=SYSTEM, now=now)
    for conversation in retired:
        desk.reclaim(conversation, one.agent, now=now)
