"""However a host's clock is set, the log's time never falls and no window overflows."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from lobby.sides import all_of
from rooms import Lobby, MemoryStorage, RoomPolicy
from rooms.log.events import Fact, decoded
from rooms.log.ledger import Granted, WakeTaken
from rooms.log.posting import MessagePosted
from rooms.pacing import RateWindow
from rooms.testing import CountingIds, FakeClock
from rooms.testing.strategies import clock_plans

MINUTE = 60_000_000
ROOM = "room:room_1"


@settings(max_examples=150, derandomize=True)
@given(plan=clock_plans(max_size=25), take=st.lists(st.booleans(), max_size=25))
def test_whatever_the_clock_does(plan: list[timedelta], take: list[bool]) -> None:
    storage, clock = MemoryStorage(), FakeClock()
    lobby = Lobby(storage, clock=clock, ids=CountingIds())
    ben, cy = (lobby.add_agent(name).conversation() for name in ("ben", "cy"))
    window = RateWindow(2, timedelta(minutes=1))
    policy = RoomPolicy(wake_window=window, send_window=None)
    room = lobby.create_room("r", by=ben, policy=policy).join(by=cy)

    for place, move in enumerate(plan):
        clock.set(clock.now + move)
        room.post(f"word {place}", by=ben, to=[cy])
        if place < len(take) and take[place]:
            lobby.take_wakes(hold_for=timedelta(minutes=1))
        due = lobby.next_deadline()
        assert due is None or due.tzinfo is not None

    records = list(all_of(storage, ROOM))
    times = [record.at for record in records]
    assert times == sorted(times)
    facts = [decoded(record) for record in records]
    said = [fact.event for fact in facts if isinstance(fact.event, MessagePosted)]
    assert [event.seq for event in said] == list(range(1, len(plan) + 1))

    charges = [at for fact in facts for at in charged_by(fact)]
    for at in charges:
        assert sum(at <= one < at + MINUTE for one in charges) <= window.limit
    taken = [fact for fact in facts if isinstance(fact.event, WakeTaken)]
    for fact in taken:  # no claim is longer than it was asked for
        assert isinstance(fact.event, WakeTaken)
        assert fact.event.until - fact.at == MINUTE


def charged_by(fact: Fact) -> list[int]:
    """The instants at which a fact takes places of the window."""
    match fact.event:
        case Granted(charged=True, at=at):
            return [at]
        case MessagePosted(owed=owed):
            return [fact.at for *_, lane in owed if lane == "ready"]
    return []
