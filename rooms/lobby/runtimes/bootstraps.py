"""
Bootstraps: a runtime that starts is told to read what it has to know.

Two laws. A try is recorded before anybody is handed it, so no crash gives it back
(L-NOTIFY-04). And it is handed over three times at most, 300 seconds apart; then the
runtime needs somebody's attention (L-BOOT-06).
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Literal

from attrs import field, frozen

from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream
from rooms.log import runtimes
from rooms.log.actors import SYSTEM
from rooms.log.agents import Talk
from rooms.log.runtimes import BOOTSTRAP_EVERY, BOOTSTRAP_TRIES, BootstrapTried
from rooms.pacing import Pushes, frees_at
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = ["Bootstrap", "bootstrap_of", "due_bootstraps", "stuck_since"]


@frozen
class Bootstrap:
    """
    What a runtime has to do before it is handed its inbox: load its context, and answer
    with `claim.ready(context_revision, bootstrap.nonce)`.

    Attributes:
        conversation: Whose runtime.
        runtime: How that names itself.
        generation: Of its claim.
        nonce: To answer with.
        tries: How often it was handed over, this time included.
        kind: `bootstrap`, to tell it from a wake.

    Source: L-BOOT-01.
    """

    conversation: Conversation
    runtime: str
    generation: int
    nonce: str
    tries: int = 0
    kind: Literal["bootstrap"] = field(default="bootstrap", repr=False)

    def render(self) -> str:
        """The text for a model; nothing in it is anybody's words."""
        return (
            "You start anew. Load your context, go through what you had done before,"
            " and say that you are ready with the revision of your checkpoint and the"
            f" nonce {self.nonce}. Only then save a checkpoint. What you are owed comes"
            " after that."
        )


def bootstrap_of(one: Conversation, talk: Talk) -> Bootstrap | None:
    """What a conversation's runtime has to answer, or None; the lock is held."""
    bound = talk.runtime
    if bound is None or bound.ready:
        return None
    return Bootstrap(one, bound.id, talk.generation, bound.nonce, bound.tries)


def due_bootstraps(
    desk: Desk, agent: str, *, now: datetime | None
) -> tuple[Bootstrap, ...]:
    """The bootstraps of an agent that are to be handed over now, each recorded."""
    from rooms.lobby.handles import Conversation  # noqa: PLC0415 - it leads here

    stream = agent_stream(agent)

    def decide(at: int) -> Decision:
        state = desk.talks(agent)
        window, sent = Pushes().window, state.notified.instants
        free = frees_at(window.limit, window.micros, sent, at) or at
        waiting = sorted(state.bootstraps, key=lambda one: (state.bootstraps[one], one))
        tried = [
            event
            for one in waiting
            for event in runtimes.try_bootstrap(state.talk(one), at, free)
        ]
        return Decision({stream: tried})

    committed = desk.record(decide, stream, by=SYSTEM, now=now)
    facts = () if committed is None else committed.facts[stream]
    tried = [
        one.event
        for one in facts
        if isinstance(one.event, BootstrapTried) and not one.event.held
    ]
    with desk.lock:
        state = desk.talks(agent)
        found = [
            bootstrap_of(
                Conversation(one.conversation, agent, desk),
                state.talk(one.conversation),
            )
            for one in tried
        ]
    return tuple(one for one in found if one is not None)


def stuck_since(talk: Talk) -> datetime | None:
    """From when on a runtime that answered no bootstrap needs attention, or None."""
    bound = talk.runtime
    if bound is None or bound.ready or bound.tries < BOOTSTRAP_TRIES:
        return None
    tried = moment(bound.tried_at)
    return None if tried is None else tried + max(BOOTSTRAP_EVERY, timedelta(0))
