"""What became of each message for whom, as the rows that are kept from the log say."""

from __future__ import annotations

import pytest

from lobby.broker import added, code_of
from lobby.place import Clock
from rooms import Conversation, Lobby, Posted
from rooms.lobby.derived.deliveries import Letter
from rooms.storage import Change


def unseen(lobby: Lobby, one: Conversation, limit: int = 100) -> list[tuple[str, int]]:
    found = lobby._desk.deliveries.unseen(one.id, after=0, limit=limit)
    assert [each.place for each in found] == sorted(each.place for each in found)
    return [(each.room, each.seq) for each in found]


def row(lobby: Lobby, posted: Posted, one: Conversation) -> dict[str, object]:
    seq = posted.message.seq
    found = lobby._desk.deliveries.of(posted.room.id, seq)[one.id]
    return {name: value for name, value in found.items() if name != "place"}


def micros(clock: Clock) -> int:
    return round(clock.now.timestamp() * 1_000_000)


def test_what_waits_stands_in_the_order_of_the_log_over_all_rooms(lobby: Lobby) -> None:
    a, b, c = added(lobby, "a", "b", "c")
    lead = lobby.add_agent("lead", manage_rooms=True).conversation()
    room = lobby.create_room("work", by=lead, policy="broker")
    room.change_members(add=["a", "b"], by=lead)
    first = lobby.send("1", by=a, to="b")
    second = room.post("2", by=a, to=["all"])
    third = lobby.send("3", by=c, to="b")
    fourth = lobby.send("4", by=a, to="b")

    order = [(one.room.id, one.message.seq) for one in (first, second, third, fourth)]
    assert unseen(lobby, b) == order
    assert unseen(lobby, b, limit=2) == order[:2]
    assert lobby.inbox(b).count() == 4
    assert lobby.inbox(a).count() == 0

    second.room.acknowledge([second.message.id], by=b)
    assert unseen(lobby, b) == [order[0], order[2], order[3]]
    assert lobby.inbox("b").count() == 3
    sent = lobby._desk.deliveries.mail(a.id, after=0, limit=9)
    assert [(one.room, one.seq) for one in sent] == [order[0], order[1], order[3]]


def test_each_fact_has_its_own_time(lobby: Lobby, clock: Clock) -> None:
    a, b = added(lobby, "a", "b")
    posted = lobby.send("x", by=a, to="b")
    assert row(lobby, posted, b) == {}
    clock.advance(5)
    [wake] = lobby.take_wakes(conversations=[b])
    taken = micros(clock)
    assert row(lobby, posted, b) == {"attempted": taken}
    clock.advance(5)
    with lobby.turn(wake):
        pass
    told = micros(clock)
    assert row(lobby, posted, b) == {"attempted": taken, "told": told}
    assert unseen(lobby, b) == [(posted.room.id, 1)]
    clock.advance(5)
    posted.room.acknowledge([posted.message.id], by=b)
    assert row(lobby, posted, b) | {"seen": micros(clock)} == row(lobby, posted, b)
    assert unseen(lobby, b) == []


def test_a_read_settles_where_the_policy_says_so(lobby: Lobby, clock: Clock) -> None:
    a, b = added(lobby, "a", "b")
    room = lobby.create_room("r", by=a).join(by=b, mode="every_message")
    posted = room.post("x", by=a)
    clock.advance(1)
    room.read(by=b)
    assert row(lobby, posted, b) == {"seen": micros(clock)}
    assert lobby.inbox(b).count() == 0


def test_who_leaves_has_what_it_did_not_see_held_for_good(lobby: Lobby) -> None:
    a, b = added(lobby, "a", "b")
    room = lobby.create_room("r", by=a).join(by=b, mode="every_message")
    seen, left = room.post("1", by=a), room.post("2", by=a)
    room.acknowledge([seen.message.id], by=b)
    room.leave(by=b)
    room.join(by=b)
    assert row(lobby, left, b) == {"held": "left"}
    assert "held" not in row(lobby, seen, b)
    assert unseen(lobby, b) == []


def test_of_a_room_that_is_deleted_nothing_stays(lobby: Lobby) -> None:
    a, b = added(lobby, "a", "b")
    ana = lobby.person("ana")
    room = lobby.create_room("r", by=ana).join(by=a).join(by=b, mode="every_message")
    kept = lobby.send("kept", by=a, to="b")
    room.post("1", by=a)
    assert lobby.inbox(b).count() == 2
    room.post("2", by=a)
    room.delete(by=ana)
    deliveries = lobby._desk.deliveries
    assert unseen(lobby, b) == [(kept.room.id, 1)]
    assert lobby.inbox(b).count() == 1
    assert [one.room for one in deliveries.mail(a.id, after=0, limit=9)] == [
        kept.room.id
    ]
    assert deliveries.rows_between(("room", room.id), ("room", room.id, "~")) == []


def test_of_a_message_that_expired_nothing_stays(lobby: Lobby, clock: Clock) -> None:
    a, b = added(lobby, "a", "b")
    first, seen = (lobby.send(f"{n}", by=a, to="b") for n in range(2))
    lobby.inbox(b).acknowledge([seen.message])
    assert lobby.inbox(b).count() == 1
    clock.advance(hours=12)
    kept = lobby.send("kept", by=a, to="b")
    clock.advance(hours=12)
    lobby.sweep()
    deliveries, room = lobby._desk.deliveries, first.room.id
    assert unseen(lobby, b) == [(room, 3)]
    assert lobby.inbox(b).count() == 1
    assert deliveries.seen(b.id, after=0, limit=9) == []
    assert [one.seq for one in deliveries.mail(b.id, after=0, limit=9)] == [3]
    assert deliveries.of(room, 1) == deliveries.of(room, 2) == {}
    assert [one.state for one in kept.deliveries] == ["pending"]


def test_rows_made_anew_say_the_same(lobby: Lobby) -> None:
    a, b = added(lobby, "a", "b")
    deliveries = lobby._desk.deliveries
    for number in range(5):
        posted = lobby.send(f"{number}", by=a, to="b")
        if number % 2:
            lobby.inbox(b).count()  # it is fed in steps
            posted.room.acknowledge([posted.message.id], by=b)
    lobby.inbox(b).count()
    before = deliveries.rows_between(("",), ("~",))
    deliveries.start_anew()
    deliveries.feed()
    assert deliveries.rows_between(("",), ("~",)) == before
    assert isinstance(deliveries.unseen(b.id, after=0, limit=1)[0], Letter)


def test_whose_inbox_it_is(lobby: Lobby) -> None:
    a, b = added(lobby, "a", "b")
    ana, cy = lobby.person("ana"), lobby.person("cy")
    lobby.add_agent("own", owner="ana")
    lobby.add_agent("many", threaded=True)
    assert str(lobby.inbox("b")) == "inbox of agent:b"
    assert lobby.inbox("own", by=ana).count() == 0
    assert lobby.inbox(b.claim()).conversation == b
    assert code_of(lambda: lobby.inbox(b, by=a).count()) == "owner_required"
    assert code_of(lambda: lobby.inbox("own", by=cy).count()) == "owner_required"
    assert code_of(lambda: lobby.inbox(ana)) == "agent_required"
    assert code_of(lambda: lobby.inbox("many")) == "invalid_request"
    assert code_of(lambda: lobby.inbox("ghost")) == "agent_not_found"
    old = b.claim()
    b.claim()
    assert code_of(lambda: lobby.inbox(old).count()) == "stale_runtime"


@pytest.mark.parametrize(
    "value", [b"", b"[]", b"{}", b'{"n":"x"}', b'{"seen":"x"}', b'{"held":1}', b"\xff"]
)
def test_a_row_that_is_damaged_is_made_anew(lobby: Lobby, value: bytes) -> None:
    a, b = added(lobby, "a", "b")
    sent = lobby.send("x", by=a, to="b", notify_when_seen=True)
    lobby.inbox(b).acknowledge([sent.message])
    waits = lobby.send("y", by=a, to="b")

    def told() -> tuple[object, ...]:
        box = lobby.inbox(b)
        receipts = [one.excerpt for one in lobby.inbox(a).receipts()]
        return box.count(), sent.deliveries, waits.deliveries, box.context(), receipts

    before, desk = told(), lobby._desk
    for rows in (desk.deliveries, desk.told):
        keys = [key for key, _ in rows.rows_between(("",), ("~",))]
        for key in keys:
            rows.patch([Change(key, value)])
            assert told() == before
