"""
Notified: what an agent's runtimes were sent, and what their transports said of it.

Three laws. A push is counted before it is sent, whatever it is about, so no more go to
an agent than its window lets (L-NOTIFY-03, L-NOTIFY-04). What a transport says of one
is noted once, in the order received, then attempted, and marks nothing as seen
(L-NOTIFY-15). And the state knows the last pushes alone, never all of them.
"""

from __future__ import annotations

from attrs import define, field

from rooms.log.events import Event, Fact, recorded
from rooms.log.ledger import noted
from rooms.log.runtimes import BootstrapTried

__all__ = [
    "STAGES",
    "Notified",
    "PushConfirmed",
    "PushReserved",
    "Sent",
    "confirm",
    "evolve",
    "push_id",
    "push_named",
]

STAGES = ("received", "attempted")
"""What a transport says of a push: it has it; it wrote it for the runtime."""

_KNOWN = 100
_MINUTE = 60_000_000
_PREFIX = "push_"
_LONGEST = 18  # digits of a version


@recorded("push_reserved")
class PushReserved(Event):
    """
    A push is about to be sent to whoever runs a conversation.

    Attributes:
        conversation: Whose.
        period: How long it takes a place of the agent's window, in microseconds.
        kind: What it is about: `inbox`, or another matter of the library's.
        generation: The claim to which it is sent; 0 where there is none.
        covered: What it tells of, by room: the numbers of messages.
        pending: How many messages waited to be seen then.
        truncated: Whether it only hints at them.
    """

    conversation: str
    period: int
    kind: str = "inbox"
    generation: int = 0
    covered: tuple[tuple[str, tuple[int, ...]], ...] = ()
    pending: int = 0
    truncated: bool = False


@recorded("push_confirmed")
class PushConfirmed(Event):
    """A transport has a push (`received`), or it is written (`attempted`)."""

    push: int
    stage: str


@define
class Sent:
    """A push that was sent: to whom, under which claim, and how far it came."""

    conversation: str
    generation: int
    stage: str = ""


@define
class Notified:
    """
    The instants at which places of the window were taken, and the last pushes by the
    version of their record.
    """

    instants: tuple[int, ...] = ()
    sent: dict[int, Sent] = field(factory=dict)


def evolve(state: Notified, fact: Fact) -> None:
    """Folds one fact in."""
    match fact.event:
        case PushReserved() as one:
            state.instants = noted(state.instants, one.period, fact.at)
            state.sent[fact.version] = Sent(one.conversation, one.generation)
            if len(state.sent) > _KNOWN:
                del state.sent[next(iter(state.sent))]
        case BootstrapTried(held=False):
            state.instants = noted(state.instants, _MINUTE, fact.at)
        case PushConfirmed() as said:
            if said.push in state.sent:
                state.sent[said.push].stage = said.stage
        case _:
            pass


def confirm(state: Notified, push: int, stage: str) -> list[Event]:
    """What a transport says of a push; nothing where it said so already, or more."""
    sent = state.sent.get(push)
    known = STAGES.index(sent.stage) + 1 if sent is not None and sent.stage else 0
    if sent is None or known > STAGES.index(stage):
        return []
    return [PushConfirmed(push, stage)]


def push_id(agent: str, version: int) -> str:
    """The id of the push that a record of an agent's stream brings."""
    return f"{_PREFIX}{agent}.{version:08d}"


def push_named(push: str) -> tuple[str, int] | None:
    """The agent and the version that a push's id names; None for what is no such id."""
    agent, dot, version = push.removeprefix(_PREFIX).rpartition(".")
    digits = version.isascii() and version.isdigit() and len(version) <= _LONGEST
    if not push.startswith(_PREFIX) or not dot or not digits:
        return None
    return agent, int(version)
