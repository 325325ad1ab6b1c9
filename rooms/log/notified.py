"""
Notified: what an agent's runtimes were sent, and what their transports said of it.

Four laws. A push is counted before it is sent, whatever it is about, so no more go to
an agent than its window lets (L-NOTIFY-03, L-NOTIFY-04). What a transport says of one
is noted once, in the order received, then attempted, and marks nothing as seen
(L-NOTIFY-15). A receipt waits for company, is sent once at most, and for no longer than
a day (L-RECEIPT-08, L-RECEIPT-09). And the state knows the last pushes alone.
"""

from __future__ import annotations

from attrs import define, field

from rooms.log.events import Event, Fact, recorded
from rooms.log.ledger import noted
from rooms.log.receipts import ReceiptsOwed
from rooms.log.runtimes import BootstrapTried
from rooms.log.tries import LOOK
from rooms.log.work import StopsHeard

__all__ = [
    "MOST_RECEIPTS",
    "STAGES",
    "Notified",
    "Owing",
    "PushConfirmed",
    "PushReserved",
    "ReceiptsDropped",
    "ReceiptsHeld",
    "Sent",
    "confirm",
    "evolve",
    "push_id",
    "push_named",
]

STAGES = ("received", "attempted")
"""What a transport says of a push: it has it; it wrote it for the runtime."""

RECEIPTS_WAIT = 2_000_000
"""How long a receipt waits for others, in microseconds (L-RECEIPT-08)."""

RECEIPTS_APART = 30_000_000
"""How far two pushes of receipts to one agent are apart (L-RECEIPT-08)."""

RECEIPTS_KEPT = 86_400_000_000
"""How long a receipt waits to be pushed (L-RECEIPT-09)."""

MOST_RECEIPTS = 20
"""How many receipts one push tells of (L-RECEIPT-08)."""

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
        receipts: How many receipts it tells of, the oldest that wait.
    """

    conversation: str
    period: int
    kind: str = "inbox"
    generation: int = 0
    covered: tuple[tuple[str, tuple[int, ...]], ...] = ()
    pending: int = 0
    truncated: bool = False
    receipts: int = 0


@recorded("receipts_held")
class ReceiptsHeld(Event):
    """
    No receipts are pushed to a conversation before an instant, or with 0 until somebody
    looks again, and why: as of `PushHeld`.
    """

    conversation: str
    why: str
    until: int = 0


@recorded("receipts_dropped")
class ReceiptsDropped(Event):
    """So many receipts, the oldest that wait, waited for a day and are not pushed."""

    conversation: str
    count: int


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
class Owing:
    """
    The receipts of which a conversation is to be told.

    Attributes:
        since: None is pushed before this instant; or `LOOK`.
        records: The records that owe them, the oldest first: version, instant, how many
            of its messages were dealt with, and how many it has.
    """

    since: int = 0
    records: list[tuple[int, int, int, int]] = field(factory=list)

    @property
    def count(self) -> int:
        """How many wait."""
        return sum(every - done for _, _, done, every in self.records)

    def take(self, count: int) -> None:
        """Takes the oldest away."""
        while count and self.records:
            version, at, done, every = self.records.pop(0)
            taken = min(count, every - done)
            count -= taken
            if done + taken < every:
                self.records.insert(0, (version, at, done + taken, every))

    def oldest(self, count: int) -> list[tuple[int, int]]:
        """The oldest that wait, by record and place in it."""
        places = [
            (version, place)
            for version, _, done, every in self.records
            for place in range(done, every)
        ]
        return places[:count]


@define
class Notified:
    """
    The instants at which places of the window were taken, the last pushes by the
    version of their record, the receipts that wait by conversation, and when receipts
    were pushed last.
    """

    instants: tuple[int, ...] = ()
    sent: dict[int, Sent] = field(factory=dict)
    owing: dict[str, Owing] = field(factory=dict)
    receipts_at: int | None = None

    def receipts_due(self, conversation: str) -> int | None:
        """When the receipts of a conversation are to be pushed, if they are."""
        owing = self.owing.get(conversation)
        if owing is None or not owing.records or owing.since == LOOK:
            return None
        waited = owing.records[0][1] + RECEIPTS_WAIT
        apart = 0 if self.receipts_at is None else self.receipts_at + RECEIPTS_APART
        return max(waited, apart, owing.since)

    def over(self, conversation: str, now: int) -> int:
        """How many receipts of a conversation have waited for too long."""
        owing = self.owing.get(conversation)
        records = [] if owing is None else owing.records
        return sum(n - done for _, at, done, n in records if at + RECEIPTS_KEPT <= now)

    def deadline(self) -> int | None:
        """The earliest instant at which receipts are due, or have waited too long."""
        ends = [one.records[0][1] + RECEIPTS_KEPT for one in self.owing.values()]
        due = [self.receipts_due(one) for one in self.owing]
        return min((at for at in (*ends, *due) if at is not None), default=None)


def evolve(state: Notified, fact: Fact) -> None:
    """Folds one fact in."""
    match fact.event:
        case PushReserved() as one:
            _count(state, one, fact)
        case BootstrapTried(held=False):
            state.instants = noted(state.instants, _MINUTE, fact.at)
        case StopsHeard(asked=False):
            state.instants = noted(state.instants, _MINUTE, fact.at)
        case PushConfirmed() as said:
            if said.push in state.sent:
                state.sent[said.push].stage = said.stage
        case ReceiptsOwed() as owed:
            owing = state.owing.setdefault(owed.conversation, Owing())
            owing.records.append((fact.version, fact.at, 0, len(owed.messages)))
        case ReceiptsHeld() as held:
            _wait(state, held.conversation, held.until or LOOK)
        case ReceiptsDropped() as dropped:
            _take(state, dropped.conversation, dropped.count)
        case _:
            pass


def _count(state: Notified, one: PushReserved, fact: Fact) -> None:
    state.instants = noted(state.instants, one.period, fact.at)
    state.sent[fact.version] = Sent(one.conversation, one.generation)
    if len(state.sent) > _KNOWN:
        del state.sent[next(iter(state.sent))]
    if one.receipts:
        state.receipts_at = fact.at
        _wait(state, one.conversation, 0)
        _take(state, one.conversation, one.receipts)


def _wait(state: Notified, conversation: str, since: int) -> None:
    owing = state.owing.get(conversation)
    if owing is not None:
        owing.since = since


def _take(state: Notified, conversation: str, count: int) -> None:
    owing = state.owing.get(conversation)
    if owing is not None:
        owing.take(count)
        if not owing.records:
            del state.owing[conversation]


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
    number = int(version)
    return (agent, number) if push_id(agent, number) == push else None
