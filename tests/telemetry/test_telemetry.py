"""What a lobby records as spans and metrics: counted, named, and without words."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from rooms import Lobby, RateWindow, RoomPolicy
from rooms.telemetry import Telemetry
from rooms.testing import FakeClock
from rooms.testing.clock import START

CANARY = "the canary sings"


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def reader() -> InMemoryMetricReader:
    return InMemoryMetricReader()


@pytest.fixture
def lobby(spans: InMemorySpanExporter, reader: InMemoryMetricReader) -> Lobby:
    tracing = TracerProvider()
    tracing.add_span_processor(SimpleSpanProcessor(spans))
    meter = MeterProvider(metric_readers=[reader]).get_meter("tests")
    lobby = Lobby.in_memory(clock=FakeClock())
    lobby.register(Telemetry(tracing.get_tracer("tests"), meter))
    return lobby


def counted(reader: InMemoryMetricReader) -> dict[str, int]:
    found: dict[str, int] = {}
    data: Any = reader.get_metrics_data()
    for metric in data.resource_metrics[0].scope_metrics[0].metrics:
        for point in metric.data.data_points:
            of = ",".join(f"{key}={value}" for key, value in point.attributes.items())
            found[f"{metric.name}[{of}]" if of else metric.name] = point.value
    return found


def talk(lobby: Lobby) -> None:
    """Eve tells ben twice, the second time beyond his window; he answers once."""
    eve, ben = (lobby.add_agent(one).conversation() for one in ("eve", "ben"))
    policy = RoomPolicy(wake_window=RateWindow(1, timedelta(minutes=5)))
    room = lobby.create_room(CANARY, by=lobby.person("ana"), policy=policy)
    for one in (eve, ben):
        room.join(by=one)
    room.post(CANARY, by=eve, to=[ben])
    room.post(CANARY, by=eve, to=[ben])
    [wake] = lobby.take_wakes(agents=["ben"])
    with lobby.turn(wake) as turn:
        turn.reply(CANARY)


def test_a_post_is_a_span_with_who_wrote_and_whom_it_woke(
    lobby: Lobby, spans: InMemorySpanExporter
) -> None:
    talk(lobby)

    posts = [one for one in spans.get_finished_spans() if one.name == "rooms.post"]
    told = [dict(one.attributes or {}) for one in posts]
    assert [
        (one["gen_ai.agent.name"], one["rooms.message.seq"], one["rooms.woken"])
        for one in told
    ] == [("eve", 1, 1), ("eve", 2, 0), ("ben", 3, 1)]
    assert [one["rooms.held"] for one in told] == [0, 1, 0]
    assert posts[0].start_time == int(START.timestamp()) * 10**9


def test_turns_and_takes_name_their_agent(
    lobby: Lobby, spans: InMemorySpanExporter
) -> None:
    talk(lobby)

    names = [
        (one.name, (one.attributes or {}).get("gen_ai.agent.name"))
        for one in spans.get_finished_spans()
        if one.name in {"rooms.take", "rooms.turn"}
    ]
    assert names == [
        ("rooms.take", "ben"),
        ("rooms.turn", "ben"),
        ("rooms.turn", "ben"),
    ]


def test_a_notice_into_a_turn_names_its_agent(
    lobby: Lobby, spans: InMemorySpanExporter
) -> None:
    ana, eve = lobby.person("ana"), lobby.add_agent("eve").conversation()
    room = lobby.create_room("r", by=ana).join(by=eve)
    room.post("a", by=ana, to=[eve])
    [wake] = lobby.take_wakes()
    with lobby.turn(wake) as turn:
        room.post("b", by=ana, to=[eve])
        spans.clear()
        assert len(turn.fetch_notices()) == 1

    taken = spans.get_finished_spans()[0]
    assert taken.name == "rooms.take"
    assert (taken.attributes or {})["gen_ai.agent.name"] == "eve"


def test_counters_count_what_happened(
    lobby: Lobby, reader: InMemoryMetricReader
) -> None:
    talk(lobby)

    found = counted(reader)
    assert found["rooms.messages"] == 3
    assert found["rooms.wakes[kind=turn]"] == 1
    assert found["rooms.holds"] == 1
    assert found["rooms.turns[outcome=ended]"] == 1


def test_no_words_leave_with_it(lobby: Lobby, spans: InMemorySpanExporter) -> None:
    talk(lobby)

    told = "".join(one.to_json() for one in spans.get_finished_spans())
    assert "rooms.post" in told
    assert CANARY not in told


def test_an_exporter_that_fails_changes_nothing() -> None:
    class Failing:
        def start_span(self, *_: Any, **__: Any) -> Any:
            raise RuntimeError("no exporter")

    lobby = Lobby.in_memory(clock=FakeClock())
    lobby.register(Telemetry(Failing()))

    talk(lobby)

    assert lobby.rooms[0].position == 3


def test_the_hosts_own_providers_are_taken_unless_others_are_given() -> None:
    lobby = Lobby.in_memory(clock=FakeClock())
    lobby.register(Telemetry())

    talk(lobby)

    assert lobby.rooms[0].position == 3
