"""What agents report of themselves, and how its use goes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lobby.place import NOON, Clock, Place
from rooms import Conversation, InvalidInput, Lobby
from rooms.pacing import Gauge

WEEK = timedelta(days=7)


@pytest.mark.rule("L-USAGE-02")
def test_the_latest_reading_counts_for_a_day(
    lobby: Lobby, place: Place, ben: Conversation, clock: Clock
) -> None:
    agent = lobby.agent("ben-web")
    assert agent.gauges() is None
    ben.report_gauges({"week": Gauge(10)})
    clock.advance(60)
    ben.report_gauges({"week": Gauge(12.5, NOON + WEEK), "hours": Gauge(0)})
    ben.report_gauges({"week": Gauge(99)}, now=NOON)  # an older one came late
    reading = agent.gauges()

    assert reading is not None
    assert reading.observed_at == NOON + timedelta(seconds=60)
    assert reading.gauges == {"week": Gauge(12.5, NOON + WEEK), "hours": Gauge(0)}
    assert place.crash().agent("ben-web").gauges() == reading
    clock.advance(hours=23, minutes=59, seconds=59)
    assert agent.gauges() == reading
    clock.advance(1)
    assert agent.gauges() is None


@pytest.mark.rule("L-USAGE-02")
def test_what_has_begun_anew_is_told_no_more(
    lobby: Lobby, ben: Conversation, clock: Clock
) -> None:
    ben.report_gauges({"hours": Gauge(80, NOON + timedelta(hours=1)), "b": Gauge(1)})
    clock.advance(minutes=60)
    reading = lobby.agent("ben-web").gauges()

    assert reading is not None
    assert set(reading.gauges) == {"b"}


@pytest.mark.rule("L-USAGE-06")
def test_nothing_is_held_for_a_gauge_and_none_stands_in_the_log(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    before = list(lobby.export())
    ben.report_gauges({"week": Gauge(100)})
    assert list(lobby.export()) == before
    room = lobby.create_room("r", by=eve).join(by=ben)

    assert room.post("Go on.", by=eve, to=[ben]).woken == (ben,)
    assert len(lobby.take_wakes()) == 1


@pytest.mark.parametrize(
    "given",
    [
        None,
        [],
        {"Week": Gauge(1)},
        {"x" * 41: Gauge(1)},
        {3: Gauge(1)},
        {"week": 5},
        {f"g{n}": Gauge(1) for n in range(9)},
    ],
)
def test_what_is_no_report_is_refused(
    lobby: Lobby, ben: Conversation, given: Any
) -> None:
    with pytest.raises(InvalidInput):
        ben.report_gauges(given)
    assert lobby.agent("ben-web").gauges() is None
