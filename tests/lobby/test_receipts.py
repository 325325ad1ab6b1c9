"""Acknowledging: what is recorded, what is passed over, and what refuses a batch."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from lobby.broker import added, code_of, inbox, refusal
from lobby.costs import counted
from lobby.place import Clock, Place
from rooms import (
    Conversation,
    InvalidInput,
    Lobby,
    MemoryStorage,
    Posted,
    hookimpl,
    presets,
)
from rooms.testing import CountingIds, CountingSalts

Pair = tuple[Conversation, Conversation]


@pytest.fixture
def pair(lobby: Lobby) -> Pair:
    a, b = added(lobby, "a", "b")
    return a, b


def ids(*sent: Posted) -> list[str]:
    return [posted.message.id for posted in sent]


def numbers(lobby: Lobby, one: Conversation) -> list[tuple[str, int]]:
    """The receipts of a conversation: room, and message, by their number."""
    found = lobby._desk.deliveries.seen(one.id, after=0, limit=1_000)
    assert [each.place for each in found] == list(range(1, len(found) + 1))
    return [(each.room, each.seq) for each in found]


@pytest.mark.rule("L-RECEIPT-01", "L-RECEIPT-03")
def test_each_first_acknowledgement_has_the_next_number_over_all_rooms(
    lobby: Lobby, pair: Pair
) -> None:
    a, b = pair
    [c] = added(lobby, "c")
    from_a = [lobby.send(f"a{n}", by=a, to="b") for n in range(3)]
    from_c = [lobby.send(f"c{n}", by=c, to="b") for n in range(2)]
    room_a, room_c = from_a[0].room.id, from_c[0].room.id
    assert lobby.inbox(b).acknowledge(ids(from_c[1], from_a[0])).receipt_snapshot == 2
    given = lobby.inbox(b).acknowledge(ids(from_a[2], from_a[0], from_c[0]))

    assert (given.receipt_snapshot, given.unknown_message_ids) == (4, ())
    assert given.notices == ()
    assert numbers(lobby, b) == [(room_c, 2), (room_a, 1), (room_a, 3), (room_c, 1)]
    assert inbox(lobby, b) == ["a1"]
    assert lobby.inbox(a).acknowledge(ids(lobby.send("x", by=b, to=a))) == (
        type(given)(1)
    )


@pytest.mark.rule("L-RECEIPT-03", "L-SUPER-02", "L-SEND-25")
def test_a_message_has_one_id(lobby: Lobby, pair: Pair) -> None:
    a, b = pair
    message = lobby.send("once", by=a, to="b").message
    token, _, version = message.id.rpartition(".")
    number = int(version)
    others = [f"{token}.{number}", f"{token}.0{version}", f"{token}.{number:012}9"]

    given = lobby.inbox(b).acknowledge([message.id, *others])
    assert (given.receipt_snapshot, given.unknown_message_ids) == (1, tuple(others))
    lobby.send("better", by=a, to="b", supersedes=message.id)
    for other in others:
        again = partial(lobby.send, "best", by=a, to="b", supersedes=other)
        assert code_of(again) == "supersedes_not_found"
        answer = partial(lobby.send, "so", by=b, to="a", reply_to=other)
        assert code_of(answer) == "reply_not_found"


@pytest.mark.rule("L-RECEIPT-01")
def test_a_batch_over_many_rooms_is_one_commit(lobby: Lobby, pair: Pair) -> None:
    _, b = pair
    senders = added(lobby, *(f"s{n}" for n in range(10)))
    sent = [lobby.send(f"{n}", by=one, to="b") for one in senders for n in range(10)]
    seen: list[Any] = []
    lobby.register(Commits(seen))

    given = lobby.inbox(b).acknowledge(sent_messages(sent))

    [commit] = seen
    assert given.receipt_snapshot == 100
    assert sorted(commit.facts) == sorted(
        {"agent:b", *(f"room:{one.room.id}" for one in sent)}
    )
    assert sum(len(facts) for facts in commit.facts.values()) == 11
    assert inbox(lobby, b) == []


class Commits:
    def __init__(self, seen: list[Any]) -> None:
        self.seen = seen

    @hookimpl
    def rooms_committed(self, commit: Any) -> None:
        self.seen.append(commit)


def sent_messages(sent: list[Posted]) -> list[Any]:
    return [posted.message for posted in sent]


@pytest.mark.rule("L-RECEIPT-02")
def test_a_read_and_another_acknowledgement_make_nothing_seen(
    lobby: Lobby, pair: Pair
) -> None:
    a, b = pair
    first = lobby.send("information", by=a, to="b")
    second = lobby.send("important", by=a, to="b", urgency="now")
    first.room.read(by=b)
    [wake] = lobby.take_wakes(conversations=[b])
    with lobby.turn(wake):
        pass
    assert lobby.inbox(b).count() == 2
    lobby.inbox(b).acknowledge(ids(second))
    assert lobby.inbox(b).count() == 1
    assert [one.state for one in first.deliveries] == ["pending"]
    assert [one.state for one in second.deliveries] == ["seen"]


@pytest.mark.rule("L-RECEIPT-04", "L-RECEIPT-05")
def test_what_is_seen_or_gone_is_passed_over_and_what_is_none_is_told(
    lobby: Lobby, pair: Pair, clock: Clock
) -> None:
    """The ninth of the subtlest: `[seen, expired, held, good]` records the good."""
    a, b = pair
    expired = lobby.send("a day old", by=a, to="b")
    clock.advance(days=1)
    lobby.sweep()
    lead = lobby.add_agent("lead", manage_rooms=True).conversation()
    room = lobby.create_room("work", by=lead, policy="broker")
    room.set_members(["a", "b", "lead"], by=lead)
    seen = lobby.send("seen", by=a, to="b")
    held = room.post("held", by=a)
    room.change_members(remove=["b"], by=lead)
    room.change_members(add=["b"], by=lead)
    gone = lobby.create_room("gone", by=lead, policy="broker")
    gone.set_members(["b", "lead"], by=lead)
    lost = gone.post("gone with its room", by=lead).message.id
    gone.delete(by=lead)
    good = lobby.send("good", by=a, to="b")
    [wake] = lobby.take_wakes(conversations=[b], limit=1)
    box = lobby.inbox(b)
    box.acknowledge(ids(seen))

    given = box.acknowledge(
        [*ids(seen, expired), lost, *ids(held, good), "mistyped", wake.id, *ids(good)]
    )

    assert given.receipt_snapshot == 2
    assert given.unknown_message_ids == (*ids(expired), lost, "mistyped", wake.id)
    [notice] = given.notices
    assert (notice.kind, dict(notice.data)) == ("notification_ids", {"ids": wake.id})
    assert numbers(lobby, b) == [(seen.room.id, 2), (seen.room.id, 3)]
    again = box.acknowledge(ids(seen, good))
    assert (again.receipt_snapshot, again.unknown_message_ids) == (2, ())


@pytest.mark.rule("L-RECEIPT-04")
def test_the_id_of_its_own_push_names_no_message_and_is_told_so(
    lobby: Lobby, pair: Pair, clock: Clock
) -> None:
    a, b = pair
    wire = Wire()
    lobby.register(wire)
    lobby.send("x", by=a, to="b", urgency="now")
    clock.advance(1)
    lobby.deliver()
    [push] = wire.pushes
    given = lobby.inbox(b).acknowledge([push])
    assert given.unknown_message_ids == (push,)
    assert [dict(one.data) for one in given.notices] == [{"ids": push}]
    others = lobby.inbox(a).acknowledge([push, "push_b.x", "push_ghost.00000001"])
    assert (len(others.unknown_message_ids), others.notices) == (3, ())


class Wire:
    def __init__(self) -> None:
        self.pushes: list[str] = []

    @hookimpl
    def rooms_push(self, push: Any) -> None:
        self.pushes.append(push.id)


@pytest.mark.rule("L-RECEIPT-05")
def test_a_message_for_somebody_else_refuses_all(lobby: Lobby, pair: Pair) -> None:
    a, b = pair
    added(lobby, "c")
    good = lobby.send("good", by=a, to="b")
    foreign = lobby.send("not for b", by=a, to="c")
    own = lobby.send("b's own", by=b, to="c")
    for other in (foreign, own):
        before = list(lobby.export())
        batch = ids(good, other)
        refused = refusal(partial(lobby.inbox(b).acknowledge, batch))
        assert refused.code == "receipt_forbidden"
        assert refused.details["id"] == other.message.id
        assert list(lobby.export()) == before
    assert lobby.inbox(b).count() == 1


@pytest.mark.rule("L-RECEIPT-05")
def test_what_is_in_a_room_that_nobody_may_know_of_is_unknown(
    lobby: Lobby, pair: Pair
) -> None:
    a, b = pair
    secret = lobby.create_room("secret", by=a, access="invite_only")
    said = secret.post("x", by=a)
    given = lobby.inbox(b).acknowledge(ids(said))
    assert given.unknown_message_ids == (said.message.id,)
    known = lobby.create_room("open", by=a).post("x", by=a)
    assert (
        code_of(lambda: lobby.inbox(b).acknowledge(ids(known))) == "receipt_forbidden"
    )


@pytest.mark.rule("L-RECEIPT-01")
@pytest.mark.parametrize(
    "messages", [[], ["x"] * 101, "x", None, 1, [1], [None], ["\ud800"], [b"x"]]
)
def test_what_names_no_batch_is_refused(
    lobby: Lobby, pair: Pair, messages: Any
) -> None:
    _, b = pair
    assert code_of(lambda: lobby.inbox(b).acknowledge(messages)) == "invalid_request"


def test_a_mail_is_no_message_and_what_is_one_is_told(lobby: Lobby, pair: Pair) -> None:
    a, b = pair
    lobby.send("Go.", by=a, to="b")
    mails: Any = lobby.inbox(b).pending()
    with pytest.raises(InvalidInput, match="which is its `message`"):
        lobby.inbox(b).acknowledge(mails)


@pytest.mark.rule("L-RECEIPT-01")
def test_a_hundred_fit_and_an_older_claim_acknowledges_nothing(
    lobby: Lobby, pair: Pair
) -> None:
    a, b = pair
    sent = [lobby.send(f"{n}", by=a, to="b") for n in range(3)]
    old = b.claim()
    new = b.claim()
    assert code_of(lambda: lobby.inbox(old).acknowledge(ids(*sent))) == "stale_runtime"
    assert code_of(lambda: lobby.inbox(b).acknowledge(ids(*sent))) == "runtime_required"
    noise = [f"x{n}" for n in range(97)]
    assert lobby.inbox(new).acknowledge([*ids(*sent), *noise]).receipt_snapshot == 3


@pytest.mark.rule("L-RECEIPT-01")
def test_the_form_for_one_room_is_the_same_thing(lobby: Lobby, pair: Pair) -> None:
    a, b = pair
    [c] = added(lobby, "c")
    first, second = (lobby.send(f"{n}", by=a, to="b") for n in range(2))
    elsewhere = lobby.send("from c", by=c, to="b")
    first.room.acknowledge(ids(second, first), by=b)
    assert numbers(lobby, b) == [(first.room.id, 2), (first.room.id, 1)]
    assert code_of(lambda: first.room.acknowledge(ids(elsewhere), by=b)) == (
        "unknown_message"
    )
    assert code_of(lambda: first.room.acknowledge(ids(first), by=a)) == (
        "receipt_forbidden"
    )
    with pytest.raises(InvalidInput, match="is of type Message; allowed: a list"):
        first.room.acknowledge(first.message, by=b)  # type: ignore[arg-type]


@pytest.mark.rule("L-RECEIPT-07")
def test_who_asks_for_it_is_told_of_each_acknowledgement_but_not_of_its_own(
    lobby: Lobby, pair: Pair
) -> None:
    a, b = pair
    [c] = added(lobby, "c")
    lobby.agent("a").change(can_broadcast=True)
    to_all = lobby.send("to all", by=a, to="*", notify_when_seen=True)
    silent = lobby.send("silent", by=a, to="b")
    note = lobby.send("to myself", by=b, to="b", notify_when_seen=True)

    lobby.inbox(b).acknowledge(ids(note, silent, to_all))
    lobby.inbox(c).acknowledge(ids(to_all))
    lobby.inbox(c).acknowledge(ids(to_all))

    told = [(one.message_id, one.seen_by) for one in lobby.inbox(a).receipts()]
    assert told == [(to_all.message.id, b), (to_all.message.id, c)]
    assert len(lobby.inbox(b).receipts()) == len(lobby.inbox(c).receipts()) == 0


@pytest.mark.rule("L-RECEIPT-06", "L-RECEIPT-10")
def test_a_receipt_says_who_saw_what_and_nothing_comes_of_it(
    lobby: Lobby, pair: Pair, clock: Clock
) -> None:
    a, b = pair
    text = "x" * 299 + "yz"
    asked: dict[str, Any] = {"by": a, "to": "b", "notify_when_seen": True}
    plain = lobby.send(text, **asked)
    kind = lobby.send("Done?", kind="question", **asked)
    clock.advance(90)
    lobby.inbox(b).acknowledge(ids(kind, plain))

    first, second = lobby.inbox(a).receipts()
    assert (first.message_id, first.seen_by, first.kind) == (
        kind.message.id,
        b,
        "question",
    )
    assert (first.seen_at, first.room) == (clock.at(90), kind.room)
    assert (first.to, first.excerpt) == (("agent:b",), "Done?")
    assert (second.kind, second.excerpt) == (None, "x" * 299 + "y")
    assert (lobby.inbox(a).count(), lobby.take_wakes(conversations=[a])) == (0, [])
    page = lobby.inbox(a).receipts(limit=1)
    assert page.items == (first,)
    rest = lobby.inbox(a).receipts(after=page.next_cursor or 0)
    assert (rest.items, rest.next_cursor) == ((second,), None)


@pytest.mark.rule("L-RECEIPT-07")
def test_of_a_message_that_is_gone_nobody_is_told(
    lobby: Lobby, pair: Pair, clock: Clock
) -> None:
    a, b = pair
    asked: dict[str, Any] = {"by": a, "to": "b", "notify_when_seen": True}
    old = lobby.send("old", **asked)
    lobby.inbox(b).acknowledge(ids(old))
    clock.advance(hours=12)
    kept = lobby.send("kept", **asked)
    lobby.inbox(b).acknowledge(ids(kept))
    clock.advance(hours=12)
    assert len(lobby.inbox(a).receipts()) == 2
    lobby.sweep()
    assert [one.message_id for one in lobby.inbox(a).receipts()] == ids(kept)
    told = lobby._desk.told
    before = told.rows_between(("",), ("~",))
    told.start_anew()
    assert [one.message_id for one in lobby.inbox(a).receipts()] == ids(kept)
    assert told.rows_between(("",), ("~",)) == before


@pytest.mark.rule("L-RECEIPT-07", "L-SEND-19", "L-SEND-29")
def test_a_person_cannot_be_told_and_its_default_is_no_other_request(
    lobby: Lobby, pair: Pair
) -> None:
    a, _ = pair
    ana = lobby.person("ana")
    asked: dict[str, Any] = {"to": "b", "notify_when_seen": True}
    assert code_of(lambda: lobby.send("x", by=ana, **asked)) == "receipts_unavailable"
    first = lobby.send("x", by=a, to="b", request_id="r")
    again = lobby.send("x", by=a, to="b", request_id="r", notify_when_seen=False)
    assert (first.message, again.duplicate) == (again.message, True)
    assert code_of(lambda: lobby.send("x", by=a, request_id="r", **asked)) == (
        "idempotency_conflict"
    )


def test_two_handles_acknowledge_each_message_once(place: Place) -> None:
    lobby, other = place.open(), place.open()
    a, b = added(lobby, "a", "b")
    sent = [lobby.send(f"{n}", by=a, to="b") for n in range(4)]
    lobby.inbox("b").acknowledge(ids(*sent[:2]))
    given = other.inbox("b").acknowledge(ids(*sent[1:3]))
    assert given.receipt_snapshot == 3
    assert lobby.inbox("b").acknowledge(ids(*sent)).receipt_snapshot == 4
    assert numbers(lobby, b) == [(sent[0].room.id, seq) for seq in range(1, 5)]
    assert numbers(other, b) == numbers(lobby, b)


@pytest.mark.rule("L-RECEIPT-05", "L-SCHED-04")
def test_a_batch_with_one_that_waits_for_its_time_records_nothing(
    lobby: Lobby, pair: Pair, clock: Clock
) -> None:
    """The other half of the ninth of the subtlest."""
    a, b = pair
    good = lobby.send("good", by=a, to="b")
    coming = lobby.send("later", by=a, to="b", deliver_at=clock.at(3_600))
    before = list(lobby.export())
    box = lobby.inbox(b)
    refused = refusal(lambda: box.acknowledge(ids(good, coming)))
    assert (refused.code, refused.details["id"]) == (
        "not_yet_delivered",
        coming.message.id,
    )
    save: dict[str, Any] = {"base": 0, "covered_receipt_seq": 0}
    later = ids(coming)
    assert code_of(lambda: box.save_checkpoint("x", acknowledge=later, **save)) == (
        "not_yet_delivered"
    )
    assert list(lobby.export()) == before
    clock.advance(3_600)
    lobby.deliver()
    assert box.acknowledge(ids(good, coming)).receipt_snapshot == 2


@pytest.mark.rule("L-RECEIPT-04", "L-FACT-08")
def test_what_was_cancelled_or_withdrawn_before_its_time_is_passed_over(
    lobby: Lobby, pair: Pair, clock: Clock
) -> None:
    a, b = pair
    lead = lobby.add_agent("lead", manage_rooms=True).conversation()
    room = lobby.create_room("work", by=lead, policy="broker")
    room.set_members(["a", "b", "lead"], by=lead)
    hour = clock.at(3_600)
    cancelled = lobby.send("no", by=a, to="b", deliver_at=hour, notify_when_seen=True)
    lobby.schedules(by=a).cancel(cancelled.message)
    held = room.post("held", by=a, deliver_at=hour)
    room.change_members(remove=["b"], by=lead)
    box = lobby.inbox(b)
    for _ in range(2):
        given = box.acknowledge(ids(cancelled, held))
        assert (given.receipt_snapshot, given.unknown_message_ids) == (0, ())
        clock.now = hour
        lobby.deliver()
    assert [one.state for one in cancelled.deliveries] == ["cancelled"]
    assert sorted(one.state for one in held.deliveries) == ["held", "pending"]


@pytest.mark.rule("L-RECEIPT-07")
def test_of_a_message_that_waited_its_sender_is_told_as_long_as_it_is_there(
    lobby: Lobby, pair: Pair, clock: Clock
) -> None:
    a, b = pair
    asked: dict[str, Any] = {"by": a, "to": "b", "notify_when_seen": True}
    waited = lobby.send("waited", deliver_at=clock.at(3_600), **asked)
    first = lobby.send("first", **asked)
    clock.advance(3_600)
    lobby.deliver()
    lobby.inbox(b).acknowledge(ids(waited, first))
    box, told = lobby.inbox(a), lobby._desk.told
    assert [one.excerpt for one in box.receipts()] == ["waited", "first"]
    clock.advance(hours=23)
    lobby.sweep()  # the first is a day old now
    for _ in range(2):
        assert [one.excerpt for one in box.receipts()] == ["waited"]
        told.start_anew()
    clock.advance(hours=1)
    lobby.sweep()
    for _ in range(2):
        assert len(box.receipts()) == 0
        told.start_anew()


def test_an_acknowledgement_costs_what_it_names_and_a_context_what_it_shows() -> None:
    costs = []
    wide = presets.broker(send_window=None, wake_window=None)
    for waiting in (60, 240):
        storage = MemoryStorage()
        lobby = Lobby(storage, ids=CountingIds(), salt=CountingSalts())
        a, b = added(lobby, "a", "b")
        sent = [lobby.send("x", by=a, to="b", policy=wide) for _ in range(waiting)]
        box = lobby.inbox(b)
        with counted(storage) as asked:
            box.acknowledge(ids(*sent[:20]))
        box.context()  # fed once
        with counted(storage) as shown:
            box.context()
        costs.append((asked["handed"], shown["handed"]))

    assert costs[0] == costs[1]
    assert costs[0][0] == 20
    assert costs[0][1] <= 3 * (25 + 5 + 20) + 10
