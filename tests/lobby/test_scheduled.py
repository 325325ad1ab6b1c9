"""Messages that are accepted now and delivered at their time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial

import pytest

from lobby.broker import added, code_of, inbox, refusal
from lobby.place import NOON, Clock, Place
from rooms import (
    Conversation,
    Lobby,
    Message,
    RateWindow,
    Recurrence,
    Room,
    RoomsError,
    presets,
)
from rooms.log.coming import Waiting
from rooms.storage import WritersLock
from rooms.testing import check_replay

Three = tuple[Conversation, Conversation, Conversation]
DAY = 86_400
KIB = 1_024


@pytest.fixture
def three(lobby: Lobby) -> Three:
    """A lead and two more."""
    [a] = added(lobby, "a", manage_rooms=True, can_broadcast=True)
    b, c = added(lobby, "b", "c")
    return a, b, c


@pytest.fixture
def app(lobby: Lobby, three: Three) -> Room:
    """A room of the three."""
    a, _, _ = three
    room = lobby.create_room("app", by=a, policy="broker")
    return room.change_members(add=["a", "b", "c"], by=a)


def told(room: Room, one: Conversation) -> list[str]:
    """What somebody reads in a room."""
    return [message.content for message in room.read(by=one)]


# -- accepted, and delivered


@pytest.mark.rule("L-KEEP-04", "L-SEND-26", "L-RECEIPT-04", "L-ATT-12")
def test_what_waited_once_is_gone_like_any_other(
    lobby: Lobby, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    files = {"a.txt": b"a"}
    waited = lobby.send(
        "later", by=a, to="b", deliver_at=clock.at(2 * DAY), attachments=files
    )
    cancelled = lobby.send("never", by=a, to="b", deliver_at=clock.at(2 * DAY))
    plan = lobby.schedules(by=a)
    plan.cancel(cancelled.message)
    clock.advance(2 * DAY)
    lobby.deliver()
    assert refusal(lambda: plan.cancel(waited.message)).code == "already_delivered"
    room = waited.room
    message = lobby.send("at once", by=a, to="b").message
    clock.advance(DAY)
    assert lobby.sweep().messages == 2

    every = [waited.message.id, cancelled.message.id, message.id]
    told = lobby.inbox(b).acknowledge(every)
    assert told.unknown_message_ids == (waited.message.id, message.id)
    reply = lobby.send("so late", by=b, to="a", reply_to=waited.message.id)
    assert [notice.kind for notice in reply.notices] == ["reply_gone"]
    read = partial(room.files.read, "a.txt", by=a, message=waited.message.id)
    assert code_of(read) == "attachment_expired"
    for one in (waited, cancelled):
        assert code_of(partial(plan.cancel, one.message)) == "schedule_not_found"
    assert check_replay(lobby._desk.storage).divergences == ()


@pytest.mark.rule("L-SUPER-02")
def test_an_answer_to_what_waited_is_decided_again(
    lobby: Lobby, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    waited = lobby.send("later", by=a, to="b", deliver_at=clock.at(60)).message
    clock.advance(60)
    lobby.deliver()
    lobby.send("answer", by=b, to="a", reply_to=waited.id)
    lobby.send("better", by=a, to="b", supersedes=waited.id)
    assert check_replay(lobby._desk.storage).divergences == ()


@pytest.mark.rule("L-SCHED-01", "L-SCHED-06", "L-SCHED-09")
def test_a_message_waits_for_its_time(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, c = three
    sent = app.post("later", by=a, deliver_at=clock.at(600))

    assert (sent.waits, sent.recipients, sent.woken) == (True, (b, c), ())
    assert str(sent) == "waits until 2026-03-02 12:10:00+00:00"
    waiting = sent.message
    assert (waiting.seq, waiting.delivered_at, waiting.late) == (0, None, False)
    assert waiting.deliver_at == lobby.next_deadline() == clock.at(600)

    clock.advance(599.999_999)
    assert inbox(lobby, b) == []
    clock.advance(0.000_001)
    assert inbox(lobby, b) == ["later"]
    [message] = app.read(by=a)
    assert (message.id, message.seq) == (sent.message.id, 1)
    assert message.deliver_at == message.delivered_at == message.at == clock.at(600)
    assert (message.late, message.cancelled_at, message.schedule) == (False, None, None)
    assert lobby.next_deadline() != clock.at(600)


@pytest.mark.rule("L-SCHED-02")
@pytest.mark.parametrize("seconds", [-300.000_001, -DAY, 30 * DAY + 0.000_001])
def test_a_time_outside_the_window_is_refused_with_its_bound(
    app: Room, three: Three, clock: Clock, seconds: float
) -> None:
    refused = refusal(lambda: app.post("x", by=three[0], deliver_at=clock.at(seconds)))
    assert refused.code == "deliver_at_out_of_range"
    assert refused.details["latest"] == clock.at(30 * DAY)
    assert str(clock.at(30 * DAY)) in str(refused)
    assert app.position == 0


@pytest.mark.case("F-114")
@pytest.mark.rule("L-SCHED-01")
@pytest.mark.parametrize(
    ("when", "code"),
    [
        (datetime(2026, 3, 2, 13), "naive_time"),  # noqa: DTZ001 - the subject
        ("2026-03-02T13:00:00Z", "invalid_request"),
        (float("nan"), "invalid_request"),
        (float("inf"), "invalid_request"),
    ],
)
def test_what_is_no_instant_is_refused(
    app: Room, three: Three, when: datetime, code: str
) -> None:
    """Nothing is stored, on both backends."""
    assert code_of(lambda: app.post("x", by=three[0], deliver_at=when)) == code
    assert app.position == 0


@pytest.mark.rule("L-SCHED-02", "L-SCHED-07")
@pytest.mark.parametrize(("ago", "late"), [(0, False), (60, False), (240, True)])
def test_a_time_just_past_is_at_once(
    app: Room, three: Three, clock: Clock, ago: float, late: bool
) -> None:
    a, b, c = three
    sent = app.post("now", by=a, deliver_at=clock.at(-ago))
    assert (sent.waits, sent.message.seq, sent.message.late) == (False, 1, late)
    assert sent.message.deliver_at == clock.at(-ago)
    assert sent.woken == (b, c)


@pytest.mark.rule("L-SCHED-07")
@pytest.mark.parametrize(("after", "late"), [(60, False), (60.000_001, True)])
def test_what_fell_due_while_nobody_was_there_is_delivered_late(
    place: Place, three: Three, app: Room, after: float, late: bool
) -> None:
    a, b, _ = three
    app.post("x", by=a, deliver_at=place.clock.at(600))
    place.clock.advance(600 + after)
    opened = place.crash()
    assert inbox(opened, b) == ["x"]
    [message] = opened.room(app.id).read(by=a)
    assert message.late is late
    assert message.delivered_at == place.clock.now


@pytest.mark.rule("L-SCHED-03")
def test_a_hundred_wait_and_no_more(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    for place in range(100):
        clock.advance(2)  # within the send rate
        room_or_two = partial(app.post) if place % 2 else partial(lobby.send, to="b")
        room_or_two("x", by=a, deliver_at=clock.at(10 * DAY))
    refused = refusal(lambda: app.post("y", by=a, deliver_at=clock.at(DAY)))
    assert (refused.code, refused.details["limit"]) == ("schedule_capacity", 100)
    assert app.post("y", by=b, deliver_at=clock.at(DAY)).waits
    assert not app.post("y", by=a).waits
    lobby.schedules(by=a).cancel(lobby.schedules(by=a).list().messages[0].id)
    assert app.post("y", by=a, deliver_at=clock.at(DAY)).waits


@pytest.mark.rule("L-SCHED-04", "L-SEND-27")
def test_it_is_not_there_for_whom_it_is_for(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    waiting = app.post(
        "secret", by=a, deliver_at=clock.at(600), attachments={"a.txt": b"x"}
    ).message
    assert told(app, b) == []
    assert app.search("secret", by=b) == ()
    assert code_of(lambda: app.explain(waiting, by=b)) == "unknown_message"
    assert code_of(lambda: app.files.read("a.txt", by=b)) == "file_not_found"
    for attempt in (
        lambda: app.files.read("a.txt", message=waiting.id, by=b),
        lambda: app.post("why?", by=b, reply_to=waiting),
        lambda: app.post("why?", by=a, reply_to=waiting),
    ):
        assert code_of(attempt) in {"file_not_found", "reply_not_found"}
    assert code_of(lambda: lobby.schedules(by=b).cancel(waiting)) == (
        "schedule_not_found"
    )
    for acknowledge in (
        lambda: app.acknowledge([waiting.id], by=b),
        lambda: lobby.inbox(b).acknowledge([waiting.id]),
    ):
        assert code_of(acknowledge) == "not_yet_delivered"
    assert lobby.inbox(b).count() == 0
    clock.advance(600)
    assert inbox(lobby, b) == ["secret"]
    assert app.files.read("a.txt", message=waiting.id, by=b).content == "x"
    assert app.post("I see", by=b, reply_to=waiting).message.reply_to == waiting.id


@pytest.mark.rule("L-SCHED-08")
def test_its_number_is_given_as_it_is_delivered(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    """The eleventh of the subtlest, as ours: no reader's place passes it by."""
    a, b, _ = three
    fifth = app.post("waits", by=a, deliver_at=clock.at(600))
    for place in range(9):
        app.post(f"m{place}", by=a)
    page = app.read(by=b)
    assert page.position == 9
    clock.advance(600)
    lobby.deliver()
    [behind] = app.read(by=b, after=page.position)
    assert (behind.id, behind.seq) == (fifth.message.id, 10)


# -- what changes its outcome


@pytest.mark.rule("L-SCHED-05", "L-ROOM-09")
def test_whoever_was_removed_does_not_get_it_and_coming_back_brings_it_not(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, c = three
    app.post("x", by=a, deliver_at=clock.at(600))
    sent = app.post("y", by=a, deliver_at=clock.at(600))
    app.change_members(remove=["b"], by=a)
    app.change_members(add=["b"], by=a)
    assert [one.state for one in sent.deliveries] == ["held", "scheduled"]
    [d] = added(lobby, "d")
    app.change_members(add=["d"], by=a)  # and whoever came later
    clock.advance(600)
    assert [inbox(lobby, one) for one in (b, c, d)] == [[], ["x", "y"], []]
    assert [(one.state, one.held_reason) for one in sent.deliveries] == [
        ("held", "removed"),
        ("pending", None),
    ]
    found = lobby.inbox(c).history(ids=[sent.message.id])
    assert [one.message.id for one in found] == [sent.message.id]


@pytest.mark.rule("L-SCHED-05")
def test_a_room_that_is_deleted_takes_it_along(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    app.post("x", by=a, deliver_at=clock.at(600))
    app.delete(by=a)
    assert lobby.schedules(by=a).list().messages == ()
    assert lobby.next_deadline() is None
    clock.advance(600)
    assert inbox(lobby, b) == []


@pytest.mark.rule("L-SCHED-05", "L-AGENT-10")
def test_it_is_cancelled_where_its_sender_takes_no_part(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    by_b = app.post("x", by=b, deliver_at=clock.at(600)).message
    lobby.agent("b").change(enabled=False)
    clock.advance(600)
    assert inbox(lobby, a) == []
    assert by_b.cancelled_at == clock.now
    assert app.position == 0


@pytest.mark.rule("L-SCHED-05")
def test_archiving_the_room_changes_nothing(lobby: Lobby, clock: Clock) -> None:
    ana = lobby.person("ana")
    [b] = added(lobby, "b")
    room = lobby.create_room("x", by=ana)
    room.join(by=b, mode="every_message")
    room.post("x", by=ana, deliver_at=clock.at(600))
    room.archive(by=ana)
    clock.advance(600)
    assert inbox(lobby, b) == ["x"]


@pytest.mark.rule("L-SCHED-05", "L-SEND-10")
def test_what_waits_counts_in_the_inbox(
    lobby: Lobby, three: Three, clock: Clock
) -> None:
    """The seventh of the subtlest: one full inbox refuses it for all."""
    a, b, c = three
    policy = presets.broker(backlog=100)
    room = lobby.create_room("app", by=a, policy=policy)
    room.change_members(add=["a", "b", "c"], by=a)
    room.post("x" * 60, by=a, to=["b"], deliver_at=clock.at(600))
    refused = refusal(lambda: room.post("y" * 41, by=a))
    assert (refused.code, refused.details["agents"]) == ("inbox_capacity", ("b",))
    assert inbox(lobby, c) == []
    room.post("y" * 40, by=a)
    clock.advance(600)  # and at its time it is not looked at again
    assert [len(text) for text in inbox(lobby, b)] == [40, 60]


@pytest.mark.case("F-119")
@pytest.mark.rule("L-SCHED-05")
def test_a_full_window_holds_the_wake_and_not_the_message(
    lobby: Lobby, three: Three, clock: Clock
) -> None:
    """It is posted in time; the status says until when its wake is held."""
    a, _, _ = three
    policy = presets.broker(wake_window=RateWindow(30, timedelta(minutes=1)))
    room = lobby.create_room("app", by=a, policy=policy)
    room.change_members(add=["a", "b"], by=a)
    later = room.post("due", by=a, deliver_at=clock.at(30)).message
    for _ in range(30):
        room.post("x", by=a)
    clock.advance(30)
    lobby.deliver()
    [told_b] = [one for one in room.explain(later.id).seats if one.outcome != "author"]
    assert (told_b.outcome, room.position) == ("held", 31)
    assert "12:01:00" in str(told_b)


@pytest.mark.case("F-118")
def test_what_wakes_counts_at_its_time_and_not_when_it_was_accepted(
    lobby: Lobby, three: Three, clock: Clock
) -> None:
    """A quota is not dodged by saying everything early, for one and the same time."""
    a, b, _ = three
    windows = {"wake_window": RateWindow(2, timedelta(minutes=1)), "pushes": None}
    room = lobby.create_room("app", by=a, policy=presets.broker(**windows))
    room.change_members(add=["a", "b"], by=a)
    for text in ("one", "two", "three"):
        room.post(text, by=a, deliver_at=clock.at(10 * DAY))
        clock.advance(120)  # each in a window of its own
    clock.now = clock.at(10 * DAY)
    assert inbox(lobby, b) == ["one", "two"]
    clock.advance(60)
    assert "three" in inbox(lobby, b)


@pytest.mark.case("F-87")
def test_a_closed_room_lets_nothing_new_in_and_loses_nothing_accepted(
    lobby: Lobby, clock: Clock
) -> None:
    ana = lobby.person("ana")
    [b] = added(lobby, "b")
    room = lobby.create_room("x", by=ana).join(by=b, mode="every_message")
    room.post("accepted", by=ana, deliver_at=clock.at(600))
    again = lobby.schedules(by=b).create(
        "again", repeat=Recurrence("UTC", ("12:05",)), room=room
    )
    room.archive(by=ana)
    refused = code_of(lambda: room.post("x", by=ana, deliver_at=clock.at(600)))
    assert refused == code_of(lambda: room.post("x", by=ana)) == "room_archived"
    clock.advance(600)
    assert inbox(lobby, b) == ["accepted"]
    ended = lobby.schedules(by=b).cancel(again).schedule
    assert ended is not None
    assert (ended.last_error, ended.occurrence_count) == ("room_archived", 0)


# -- cancelled


@pytest.mark.rule("L-SCHED-10", "L-SCHED-11", "L-SCHED-04")
def test_cancelling(lobby: Lobby, app: Room, three: Three, clock: Clock) -> None:
    a, b, _ = three
    sent = app.post("x", by=a, deliver_at=clock.at(600))
    waiting, mine = sent.message, lobby.schedules(by=a)

    first = mine.cancel(waiting.id)
    assert first.message is not None
    assert (first.already_cancelled, first.message.id) == (False, waiting.id)
    assert first.message.cancelled_at == clock.now
    assert mine.list().messages == ()
    assert {one.state for one in sent.deliveries} == {"cancelled"}
    clock.advance(DAY)
    again = mine.cancel(waiting.id)
    assert again.message is not None
    assert (again.already_cancelled, again.message.content) == (True, "x")
    clock.advance(0.000_001)
    assert code_of(lambda: mine.cancel(waiting)) == "schedule_not_found"
    assert inbox(lobby, b) == []


@pytest.mark.rule("L-SCHED-11", "L-SCHED-12")
def test_too_late_or_not_ones_own(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    mine = lobby.schedules(by=a)
    plain = app.post("x", by=a).message
    waiting = app.post("x", by=a, deliver_at=clock.at(600)).message
    for wrong in (plain.id, "nothing", "a.b", f"{waiting.id}0", "x.1", waiting.id[:-1]):
        assert code_of(partial(mine.cancel, wrong)) == "schedule_not_found", wrong
    assert code_of(lambda: lobby.schedules(by=b).update(waiting, content="y")) == (
        "schedule_not_found"
    )
    clock.advance(600)
    lobby.deliver()
    assert code_of(lambda: mine.cancel(waiting)) == "already_delivered"
    assert code_of(lambda: mine.update(waiting, content="y")) == "already_delivered"
    other = app.post("x", by=a, deliver_at=clock.at(900)).message
    mine.cancel(other)
    assert code_of(lambda: mine.update(other, content="y")) == "already_cancelled"


@pytest.mark.rule("L-SCHED-11", "L-SCHED-14")
def test_an_owner_stands_for_its_agent(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    ana, bo = lobby.person("ana"), lobby.person("bo")
    [e] = added(lobby, "e", owner="ana")
    app.change_members(add=["e"], by=a)
    waiting = app.post("x", by=e, deliver_at=clock.at(600)).message
    assert code_of(lambda: lobby.schedules(by=bo, of="e")) == "not_owner"
    assert code_of(lambda: lobby.schedules(by=b, of="e")) == "not_owner"
    theirs = lobby.schedules(by=ana, of="e")
    [one] = theirs.list().messages
    assert (one.id, one.recipients) == (waiting.id, 3)
    assert not theirs.cancel(one.id).already_cancelled
    own = app.post("y", by=ana, deliver_at=clock.at(600)).message
    assert [one.id for one in lobby.schedules(by=ana).list().messages] == [own.id]


# -- changed


@pytest.mark.rule("L-SCHED-12", "L-SCHED-13")
def test_changing(lobby: Lobby, app: Room, three: Three, clock: Clock) -> None:
    a, b, c = three
    sent = app.post("x", by=a, to=["b"], deliver_at=clock.at(600), request_id="k")
    mine = lobby.schedules(by=a)

    changed = mine.update(sent.message, content="y")
    assert (changed.id, changed.content) == (sent.message.id, "y")
    moved = mine.update(sent.message.id, deliver_at=clock.at(900))
    assert isinstance(changed, Message)
    assert isinstance(moved, Message)
    assert (moved.deliver_at, moved.content) == (clock.at(900), "y")
    assert lobby.next_deadline() == clock.at(900)
    clock.advance(600)
    assert inbox(lobby, b) == []
    clock.advance(300)
    assert (inbox(lobby, b), inbox(lobby, c)) == (["y"], [])
    again = app.post("x", by=a, to=["b"], deliver_at=clock.at(600), request_id="k")
    assert (again.duplicate, again.message.content, again.waits) == (True, "y", False)
    assert again.message.id == sent.message.id


@pytest.mark.rule("L-SCHED-12")
def test_a_change_keeps_to_the_bounds_of_a_send(
    lobby: Lobby, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    policy = presets.broker(backlog=100, max_message_bytes=200)
    room = lobby.create_room("app", by=a, policy=policy)
    room.change_members(add=["a", "b"], by=a)
    waiting = room.post("x" * 50, by=a, deliver_at=clock.at(600)).message
    mine = lobby.schedules(by=a)
    for change, code in (
        ({"content": "y" * 101}, "inbox_capacity"),
        ({"content": "y" * 201}, "message_too_long"),
        ({"content": "  "}, "body_empty"),
        ({"content": "\ud800"}, "invalid_request"),
        ({"deliver_at": clock.at(30 * DAY + 1)}, "deliver_at_out_of_range"),
        ({"deliver_at": clock.at(-301)}, "deliver_at_out_of_range"),
        ({}, "invalid_request"),
    ):
        assert code_of(partial(mine.update, waiting, **change)) == code
    assert mine.update(waiting, content="y" * 100).content == "y" * 100
    assert code_of(lambda: room.post("z", by=a)) == "inbox_capacity"
    mine.update(waiting, content="y")
    room.post("z" * 99, by=a)
    clock.advance(600)
    assert inbox(lobby, b) == ["z" * 99, "y"]


# -- retries, and what replaces


@pytest.mark.rule("L-SEND-23", "L-SEND-24")
def test_a_retry_is_answered_before_any_look_at_the_time(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    """The first of the subtlest."""
    a, b, _ = three
    when = clock.at(3600)
    post = partial(app.post, "x", by=b, deliver_at=when, request_id="k")
    first = post()
    clock.advance(7200)
    lobby.deliver()
    app.change_members(remove=["b"], by=a)
    again = post()
    assert (again.duplicate, again.message.id) == (True, first.message.id)
    assert again.message.delivered_at == clock.now
    assert code_of(lambda: app.post("x", by=b, request_id="k")) == (
        "idempotency_conflict"
    )


@pytest.mark.rule("L-SEND-24")
def test_a_retry_of_what_was_cancelled_sends_nothing(
    lobby: Lobby, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    send = partial(
        lobby.send, "x", by=a, to="b", deliver_at=clock.at(600), request_id="k"
    )
    first = send()
    lobby.schedules(by=a).cancel(first.message)
    again = send()
    assert (again.duplicate, again.message.cancelled_at) == (True, clock.now)
    clock.advance(600)
    assert inbox(lobby, b) == []


@pytest.mark.rule("L-SUPER-02", "L-SUPER-03")
def test_what_waits_replaces_nothing_and_is_not_replaced(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    plain = app.post("x", by=a).message
    refused = refusal(
        lambda: app.post("y", by=a, supersedes=plain, deliver_at=clock.at(60))
    )
    assert (refused.code, type(refused).__name__) == (
        "supersedes_scheduled",
        "InvalidInput",
    )
    waiting = app.post("w", by=a, deliver_at=clock.at(60)).message
    refused = refusal(lambda: app.post("y", by=a, supersedes=waiting))
    assert (refused.code, type(refused).__name__) == (
        "supersedes_scheduled",
        "Conflict",
    )
    assert code_of(lambda: app.post("y", by=b, supersedes=waiting)) == (
        "supersedes_not_found"
    )
    cancelled = app.post("w", by=a, deliver_at=clock.at(60)).message
    lobby.schedules(by=a).cancel(cancelled)
    assert code_of(lambda: app.post("y", by=a, supersedes=cancelled)) == (
        "supersedes_cancelled"
    )
    clock.advance(60)
    lobby.deliver()
    assert app.post("y", by=a, supersedes=waiting).message.supersedes == waiting.id
    assert waiting.superseded_by is not None


# -- one message as any other


@pytest.mark.rule("L-SEND-06")
def test_a_note_to_oneself_comes_back(lobby: Lobby, three: Three, clock: Clock) -> None:
    a, _, _ = three
    lobby.send("remember", by=a, to="a", deliver_at=clock.at(600))
    clock.advance(600)
    assert inbox(lobby, a) == ["remember"]


def test_depth_travels_with_it(lobby: Lobby, clock: Clock) -> None:
    """A chain of answers has its end, however long each of them waits."""
    ana = lobby.person("ana")
    a, b = added(lobby, "a", "b")
    policy = presets.broker(max_hops=2, membership="open", history="all")
    room = lobby.create_room("x", by=ana, policy=policy)
    room.join(by=a), room.join(by=b)
    room.post("go", by=ana, to=["a"])
    assert inbox(lobby, a) == ["go"]
    first = room.post("one", by=a, deliver_at=clock.at(60)).message
    assert first.hops == 1
    clock.advance(60)
    assert inbox(lobby, b) == ["one"]
    second = room.post("two", by=b, deliver_at=clock.at(120)).message
    clock.advance(60)
    assert inbox(lobby, a) == []  # at two answers it rides along
    assert (second.hops, room.position) == (2, 3)


def test_a_conversation_is_started_when_it_comes(
    lobby: Lobby, eve: Conversation, ben: Conversation, hall: Room, clock: Clock
) -> None:
    sent = hall.post("plan it", by=ben, to=["agent:Eve"], deliver_at=clock.at(60))
    assert (sent.started, len(hall.conversations)) == ((), 2)
    clock.advance(60)
    [wake] = lobby.take_wakes(agents=["Eve"])
    assert str(wake.conversation) == "agent:Eve/plan-it"
    assert wake.messages[0].content == "plan it"
    assert eve != wake.conversation


def test_it_is_as_it_was_after_a_restart(place: Place, app: Room, three: Three) -> None:
    a, b, c = three
    clock = place.clock
    lobby = place.handles[0]
    app.post("one", by=a, deliver_at=clock.at(60))
    moved = app.post("two", by=a, deliver_at=clock.at(90)).message
    lobby.schedules(by=a).update(moved, content="zwei", deliver_at=clock.at(120))
    app.change_members(remove=["c"], by=a)
    with lobby._desk.lock:
        lobby._desk.commits.save_snapshots(every=1)
    opened = place.crash()
    assert [one.content for one in opened.schedules(by=a).list().messages] == [
        *("one", "zwei"),
    ]
    clock.advance(120)
    assert inbox(opened, b) == ["one", "zwei"]
    assert inbox(opened, c) == []
    assert opened.verify()[f"room:{app.id}"].damages == ()


def test_erasing_takes_every_form_of_its_words(
    place: Place, lobby: Lobby, clock: Clock
) -> None:
    ana = lobby.person("ana")
    room = lobby.create_room("x", by=ana)
    waiting = room.post("first words", by=ana, deliver_at=clock.at(60)).message
    lobby.schedules(by=ana).update(waiting, content="second words")
    lobby.schedules(by=ana).update(waiting, content="third words")
    clock.advance(60)
    lobby.deliver()
    room.erase(waiting.id, by=ana)
    kept = "".join(lobby.export())
    assert not any(f"{one} words" in kept for one in ("first", "second", "third"))
    assert room.read(by=ana)[0].erased


@pytest.mark.rule("L-RECUR-12", "L-RECUR-13")
def test_the_list_is_compact_and_soonest_first(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, _, _ = three
    app.post("x" * 301, by=a, deliver_at=clock.at(900), fields={"commit": "1f"})
    lobby.send("y" * 300, by=a, to="b", deliver_at=clock.at(600))
    first, second = lobby.schedules(by=a).list().messages
    assert (first.content, first.content_truncated) == ("y" * 300, False)
    assert (first.recipients, first.deliver_at) == (1, clock.at(600))
    assert (len(second.content), second.content[-2:]) == (300, "x…")
    assert (second.content_truncated, second.recipients) == (True, 2)


def test_to_say_something_later_is_a_sign_of_life_now(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    clock.advance(60)
    app.post("x", by=b, deliver_at=clock.at(3600))
    clock.now = clock.at(3600)
    lobby.deliver()
    [seat] = [
        seat
        for one in app.participants(by=a).agents
        for seat in one.seats
        if seat.conversation == b
    ]
    assert seat.last_active == clock.at(60)


def test_who_is_disabled_lists_and_changes_nothing(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    _, b, _ = three
    waiting = app.post("x", by=b, deliver_at=clock.at(600)).message
    lobby.agent("b").change(enabled=False)
    mine = lobby.schedules(by=b)
    for attempt in (
        mine.list,
        partial(mine.cancel, waiting),
        partial(mine.update, waiting, content="y"),
    ):
        assert code_of(attempt) == "agent_disabled"


def test_equal_commands_leave_equal_logs(app: Room, three: Three) -> None:
    with pytest.raises(RoomsError):
        app.post("x", by=three[0], deliver_at=timedelta(1))  # type: ignore[arg-type]


def calls(work: Callable[[], object]) -> int:
    """How many Python functions a piece of work calls."""
    count = 0

    def counting(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(counting)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("waiting", [10, 20_000])
def test_ten_that_are_due_cost_the_ten(waiting: int) -> None:
    now = NOON
    lobby = Lobby.in_memory(clock=lambda: now)
    ana = lobby.person("ana")
    room = lobby.create_room("r", by=ana)

    def ten() -> int:
        nonlocal now
        soon = now + timedelta(minutes=1)
        for _ in range(10):
            room.post("x", by=ana, deliver_at=soon)
        now = soon
        return calls(lobby.deliver)

    ten()  # what is done once only is done
    alone = ten()
    state = lobby._desk.streams.loaded[f"room:{room.id}"].state
    for version in range(waiting):
        state.coming.accept(Waiting(10**9 + version, 2**60, 1))
    assert ten() <= alone * 1.02
    assert room.position == 30


@pytest.mark.rule("L-SCHED-03")
def test_two_processes_that_race_for_the_last_place_get_one(
    place: Place, lobby: Lobby, app: Room, three: Three, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, clock = three[0], place.clock
    lobby.send("x", by=a, to="b", deliver_at=clock.at(10 * DAY))
    for _ in range(98):
        clock.advance(2)  # within the send rate
        app.post("x", by=a, deliver_at=clock.at(10 * DAY))
    other = place.open()
    storage = lobby._desk.storage
    writing, rivals = storage.writing, [other]

    def overtaken(**options: bool) -> WritersLock:
        """Between a decision and its commit the other process makes its own."""
        if rivals:
            rival = rivals.pop()
            there = rival.conversation("a")
            rival.send("theirs", by=there, to="b", deliver_at=clock.at(10 * DAY))
        return writing(**options)

    monkeypatch.setattr(storage, "writing", overtaken)

    refused = refusal(lambda: app.post("ours", by=a, deliver_at=clock.at(DAY)))

    assert rivals == []
    assert refused.code == "schedule_capacity"
    waiting = other.schedules(by=other.conversation("a")).list().messages
    assert len(waiting) == 100
