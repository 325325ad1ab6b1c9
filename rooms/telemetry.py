"""
Telemetry: what a lobby records, as spans and metrics of OpenTelemetry.

Three laws. No words of people leave with it: spans and metrics say what happened to
whom, never what was said. It observes and decides nothing, so nothing is refused or
lost where an exporter fails. And the host chooses the exporter; this needs the API of
OpenTelemetry alone, of the extra `otel`.

    lobby.register(Telemetry())

Each commit is a span, named after what it records: `rooms.post`, `rooms.take`,
`rooms.turn`, `rooms.settle`, `rooms.floor`, `rooms.claim`, else `rooms.record`. Names
of attributes may change with the conventions of OpenTelemetry, whose `gen_ai.*` are in
development.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from rooms.errors.extras import needed
from rooms.hooks import hookimpl
from rooms.log.events import Event, Fact
from rooms.log.ledger import (
    Granted,
    Noticed,
    Settled,
    TurnOpened,
    WakeClosed,
    WakeReturned,
    WakeTaken,
)
from rooms.log.owed import Lane
from rooms.log.posting import MessagePosted

with needed("opentelemetry-api", by=__name__):
    from opentelemetry import metrics, trace

__all__ = ["Telemetry"]

_SCOPE = "rooms"
_NANOSECONDS = 1_000

_SPANS: tuple[tuple[str, frozenset[str]], ...] = (
    ("rooms.post", frozenset({"message_posted"})),
    ("rooms.take", frozenset({"wake_taken", "noticed"})),
    ("rooms.turn", frozenset({"turn_opened", "wake_closed", "wake_returned"})),
    ("rooms.settle", frozenset({"settled", "receipts_given", "ended"})),
    ("rooms.floor", frozenset({"floor_given", "floor_ended", "activity_ended"})),
    ("rooms.claim", frozenset({"runtime_claimed", "reclaimed", "runtime_ready"})),
)
"""The span of a commit: the first whose events it has one of."""


class Telemetry:
    """
    A plugin that turns commits into spans, and counts.

    Args:
        tracer: Where spans go; that of OpenTelemetry's global provider unless given.
        meter: Where metrics go; likewise.

    Spans have `rooms.events`, how many; `gen_ai.conversation.id`, the room;
    `gen_ai.agent.name`, the agent that wrote, took or ran; and of a message
    `rooms.message.seq`, `rooms.woken`, `rooms.held`, `rooms.hops`.

    Metrics are counters: `rooms.messages`, `rooms.wakes` by `kind`, `rooms.holds`,
    `rooms.releases` by `reason`, `rooms.turns` by `outcome`, `rooms.settled` by `how`;
    and `rooms.commits`.

    Raises:
        MissingExtra: `missing_extra`, at the import of this module.
    """

    def __init__(self, tracer: Any = None, meter: Any = None) -> None:
        self._tracer = trace.get_tracer(_SCOPE) if tracer is None else tracer
        meter = metrics.get_meter(_SCOPE) if meter is None else meter
        self._counters = {
            name: meter.create_counter(f"rooms.{name}", description=about)
            for name, about in _COUNTED.items()
        }
        self._agents: dict[str, str] = {}

    @hookimpl
    def rooms_committed(self, commit: Any) -> None:
        """Makes a span of a commit, and counts what is in it."""
        self._counters["commits"].add(1)
        for stream, facts in commit.facts.items():
            self._learn(facts)
            if facts:
                self._span(stream, facts)
                self._count([fact.event for fact in facts])

    def _learn(self, facts: Sequence[Fact]) -> None:
        """Whose conversations are whose, as far as it was recorded since."""
        for fact in facts:
            agent = getattr(fact.event, "agent", "")
            conversation = getattr(fact.event, "conversation", "")
            if agent and conversation:
                self._agents[conversation] = agent

    def _span(self, stream: str, facts: Sequence[Fact]) -> None:
        at = facts[0].at * _NANOSECONDS
        types = {fact.event.TYPE for fact in facts}
        name = next((name for name, of in _SPANS if of & types), "rooms.record")
        span = self._tracer.start_span(name, start_time=at)
        try:
            span.set_attributes(self._attributes(stream, facts))
        finally:
            span.end(end_time=at)

    def _attributes(self, stream: str, facts: Sequence[Fact]) -> dict[str, Any]:
        told: dict[str, Any] = {"rooms.events": len(facts), "rooms.stream": stream}
        kind, _, room = stream.partition(":")
        if kind == "room":
            told["gen_ai.conversation.id"] = room
        for fact in facts:
            told |= self._of_event(fact.event)
        return told

    def _of_event(self, event: Event) -> dict[str, Any]:
        if isinstance(event, MessagePosted):
            lanes = Counter(lane for *_, lane in event.owed)
            told = {
                "rooms.message.seq": event.seq,
                "rooms.woken": lanes[Lane.READY],
                "rooms.held": lanes[Lane.HELD],
                "rooms.hops": event.hops,
            }
            return told | ({"gen_ai.agent.name": event.author} if event.sender else {})
        if isinstance(event, _OF_AN_AGENT):
            agent = self._agents.get(event.conversation)
            return {"gen_ai.agent.name": agent} if agent else {}
        return {}

    def _count(self, events: Sequence[Event]) -> None:
        add = self._counters
        for event in events:
            if isinstance(event, MessagePosted):
                add["messages"].add(1)
                held = sum(lane == Lane.HELD for *_, lane in event.owed)
                if held:
                    add["holds"].add(held)
            elif isinstance(event, WakeTaken):
                add["wakes"].add(1, {"kind": event.kind})
            elif isinstance(event, Granted):
                add["releases"].add(len(event.entries), {"reason": event.why})
            elif isinstance(event, WakeClosed | WakeReturned):
                add["turns"].add(1, {"outcome": event.why})
            elif isinstance(event, Settled):
                add["settled"].add(len(event.entries), {"how": event.why})


_OF_AN_AGENT = (WakeTaken, Noticed, TurnOpened, WakeClosed, WakeReturned)

_COUNTED = {
    "commits": "what was recorded at once",
    "messages": "messages that were posted",
    "wakes": "wakes that were taken",
    "holds": "messages that had to wait for a seat",
    "releases": "messages that were let go, by the reason",
    "turns": "wakes that ended, by how",
    "settled": "messages that were settled by a read or an acknowledgement",
}
