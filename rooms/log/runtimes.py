"""
Runtimes: which process runs a conversation, and whether it has caught up.

Three laws. A runtime that names itself is alone: nobody else claims the conversation
until the host resets it (L-FENCE-04), and whoever was reset never comes back
(L-FENCE-05). A start makes every older process stale, even of the same runtime; a
reconnect changes nothing (L-FENCE-03, L-FENCE-06). And nobody is handed its inbox
before it says what it has read, which it does anew after each start and each new role
(L-BOOT-01, L-BOOT-05).
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Literal

from attrs import define

from rooms import values
from rooms.errors import Conflict, InvalidInput
from rooms.log.events import Event, Fact, recorded

if TYPE_CHECKING:
    from rooms.log.agents import Talk

__all__ = [
    "BOOTSTRAP_EVERY",
    "BOOTSTRAP_TRIES",
    "BootstrapRenewed",
    "BootstrapTried",
    "Runtime",
    "RuntimeClaimed",
    "RuntimeReady",
    "RuntimeRetired",
    "RuntimeUnready",
    "check_runtime",
    "claim",
    "evolve",
    "ready",
    "reconnect",
    "renew",
    "retire",
    "try_bootstrap",
    "unready",
]

BOOTSTRAP_TRIES = 3
"""How often one bootstrap is handed over at most (L-BOOT-06)."""

BOOTSTRAP_EVERY = timedelta(seconds=300)
"""How long it takes until it is handed over again (L-BOOT-06)."""

_EVERY = BOOTSTRAP_EVERY // timedelta(microseconds=1)
_RUNTIME_LENGTH = 128

RetiredBecause = Literal["reset", "rotated", "disabled", "recovered"]
RenewedBecause = Literal["retry", "resumed", "paused"]


@recorded("runtime_claimed")
class RuntimeClaimed(Event):
    """
    One runtime claimed the conversation; whatever older ones hold is stale.

    Attributes:
        conversation: Which.
        generation: The number of the claim, one more than that of the last.
        runtime: How the runtime names itself, "" where it does not.
        incarnation: The binding of that runtime; it keeps its own over all its starts.
        nonce: What it has to answer its bootstrap with.
        paused: Whether nothing is delivered to the agent, its bootstrap neither.
    """

    conversation: str
    generation: int
    runtime: str = ""
    incarnation: str = ""
    nonce: str = ""
    paused: bool = False


@recorded("runtime_ready")
class RuntimeReady(Event):
    """A runtime has read its context, at this revision, and takes its inbox."""

    conversation: str
    revision: int


@recorded("runtime_unready")
class RuntimeUnready(Event):
    """A runtime has to read its context anew, as its role is another one."""

    conversation: str
    nonce: str
    paused: bool = False


@recorded("runtime_retired")
class RuntimeRetired(Event):
    """
    A conversation's claim is void; a runtime that named itself never gets it again, but
    for one that a recovery unbound, which did nothing wrong.
    """

    conversation: str
    generation: int
    why: str


@recorded("bootstrap_tried", critical=False)
class BootstrapTried(Event):
    """
    A bootstrap is handed over, for which time, and when it will be again; or it is
    `held`, and only due later, as the agent was sent as much as it may be.
    """

    conversation: str
    tries: int
    due: int | None = None
    held: bool = False


@recorded("bootstrap_renewed", critical=False)
class BootstrapRenewed(Event):
    """
    A bootstrap has all its tries again: from now on, or once the agent goes on where
    it is `paused`.
    """

    conversation: str
    why: str


@define
class Runtime:
    """
    The runtime to which a conversation is bound.

    Attributes:
        id: How it names itself.
        incarnation: Its binding.
        nonce: What it has to answer with.
        ready: Whether it did.
        tries: How often its bootstrap was handed over.
        due: When it will be next, in microseconds; None for not by itself.
        tried_at: When it was last.
    """

    id: str
    incarnation: str
    nonce: str
    ready: bool = False
    tries: int = 0
    due: int | None = None
    tried_at: int = 0


def check_runtime(runtime: object) -> str:
    """How a runtime names itself: 1 to 128 printable characters (L-FENCE-12)."""
    name = values.text("runtime", runtime, empty=False)
    if len(name) > _RUNTIME_LENGTH or not name.isprintable():
        raise InvalidInput(
            "runtime", "is no name", allowed="1 to 128 printable characters, as a UUID"
        )
    return name


def evolve(talk: Talk, fact: Fact) -> None:
    """Folds one fact of a conversation's runtimes in."""
    match fact.event:
        case RuntimeClaimed() as claimed:
            talk.generation, talk.claimed_at = claimed.generation, fact.at
            talk.claimed = True
            if claimed.runtime:
                talk.exclusive = True
                talk.runtime = Runtime(
                    claimed.runtime,
                    claimed.incarnation,
                    claimed.nonce,
                    due=None if claimed.paused else fact.at,
                )
        case RuntimeRetired() as retired:
            talk.generation, talk.claimed_at = retired.generation, fact.at
            talk.claimed = False
            if talk.runtime is not None and retired.why != "recovered":
                talk.retired = (*talk.retired, talk.runtime.id)
            talk.runtime = None
        case event if talk.runtime is not None:
            _keep(talk.runtime, event, fact.at)


def _keep(runtime: Runtime, event: Event, at: int) -> None:
    match event:
        case RuntimeReady():
            runtime.ready, runtime.due = True, None
        case RuntimeUnready() as unready:
            runtime.ready, runtime.nonce = False, unready.nonce
            runtime.tries, runtime.due = 0, None if unready.paused else at
        case BootstrapTried() as tried:
            runtime.tries, runtime.due = tried.tries, tried.due
            runtime.tried_at = runtime.tried_at if tried.held else at
        case BootstrapRenewed() as renewed:
            runtime.tries = 0
            runtime.due = None if renewed.why == "paused" else at
        case _:
            pass


def claim(
    talk: Talk,
    runtime: str = "",
    *,
    incarnation: str = "",
    nonce: str = "",
    paused: bool = False,
) -> list[Event]:
    """
    A process of a runtime starts, or one that does not name itself.

    Args:
        talk: The conversation.
        runtime: How it names itself.
        incarnation: For a binding that is new.
        nonce: What it has to answer its bootstrap with.
        paused: Whether nothing is delivered to the agent.

    Raises:
        Conflict: `runtime_conflict` while another one is bound; `stale_runtime` for one
            that was retired; `runtime_required` for one that does not name itself where
            one did before.

    Source: L-FENCE-01 to L-FENCE-05.
    """
    generation, bound = talk.generation + 1, talk.runtime
    if runtime in talk.retired:
        raise Conflict(
            "stale_runtime",
            "the runtime had the conversation, and was retired for good",
            current=talk.generation,
        )
    if bound is not None and bound.id != runtime:
        raise Conflict(
            "runtime_conflict",
            "another runtime has the conversation; only a reset frees it",
            current=talk.generation,
        )
    if not runtime:
        if talk.exclusive:
            raise Conflict(
                "runtime_required",
                "the conversation is claimed by runtimes that name themselves",
                current=talk.generation,
            )
        return [RuntimeClaimed(talk.id, generation)]
    kept = incarnation if bound is None else bound.incarnation
    return [RuntimeClaimed(talk.id, generation, runtime, kept, nonce, paused)]


def reconnect(talk: Talk, runtime: str, generation: int) -> Runtime:
    """
    The binding, of a process that was cut off and comes back; nothing changes.

    Raises:
        Conflict: `stale_runtime` unless exactly this pair is current.

    Source: L-FENCE-06.
    """
    bound = talk.runtime
    if bound is None or (bound.id, talk.generation) != (runtime, generation):
        raise Conflict(
            "stale_runtime",
            "the claim of that generation is not the newest any more",
            current=talk.generation,
        )
    return bound


def ready(talk: Talk, nonce: str, revision: int) -> list[Event]:
    """
    A runtime has read its context; nothing where it said so before.

    Args:
        talk: The conversation.
        nonce: As its bootstrap has it.
        revision: Of the checkpoint that it read.

    Raises:
        Conflict: `runtime_required` for a runtime that does not name itself;
            `bootstrap_conflict` for another nonce or revision, `current` being the
            revision now.

    Source: L-BOOT-02, L-BOOT-03.
    """
    bound = talk.runtime
    if bound is None:
        raise Conflict(
            "runtime_required",
            "only a runtime that names itself has a bootstrap to answer",
            current=talk.generation,
        )
    if nonce != bound.nonce:
        raise Conflict(
            "bootstrap_conflict",
            "the nonce is that of an older bootstrap",
            current=talk.revision,
        )
    if bound.ready:
        return []
    if revision != talk.revision:
        raise Conflict(
            "bootstrap_conflict",
            f"the context is at revision {talk.revision}, not {revision}",
            current=talk.revision,
        )
    return [RuntimeReady(talk.id, revision)]


def unready(talk: Talk, nonce: str, *, paused: bool) -> list[Event]:
    """What a new role makes of a runtime (L-BOOT-05)."""
    return [] if talk.runtime is None else [RuntimeUnready(talk.id, nonce, paused)]


def retire(talk: Talk, why: RetiredBecause) -> list[Event]:
    """What makes the claim of a conversation void; nothing where nobody has it."""
    if not talk.claimed:
        return []
    return [RuntimeRetired(talk.id, talk.generation + 1, why)]


def renew(talk: Talk, why: RenewedBecause) -> list[Event]:
    """
    All tries of a bootstrap that was not answered; none for now where it is `paused`.

    Source: L-BOOT-06, L-BOOT-07.
    """
    bound = talk.runtime
    if bound is None or bound.ready:
        return []
    return [BootstrapRenewed(talk.id, why)]


def try_bootstrap(talk: Talk, now: int, free: int) -> list[Event]:
    """
    The next try of a bootstrap that is due, recorded before anybody is handed it; where
    the agent can be sent nothing before `free`, it is due then (L-BOOT-07).
    """
    bound = talk.runtime
    if bound is None or bound.due is None or bound.due > now:
        return []
    if free > now:
        return [BootstrapTried(talk.id, bound.tries, free, held=True)]
    tries = bound.tries + 1
    due = now + _EVERY if tries < BOOTSTRAP_TRIES else None
    return [BootstrapTried(talk.id, tries, due)]
