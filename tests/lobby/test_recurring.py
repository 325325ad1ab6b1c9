"""Schedules that recur: at local times, once a time, whatever is down meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from lobby.broker import added, code_of, inbox, refusal
from lobby.place import Clock, Place
from rooms import Conversation, Lobby, Recurrence, Room, presets
from rooms.hooks import hookimpl
from rooms.lobby import Schedule, Schedules
from rooms.log.events import decoded
from rooms.log.schedules import ScheduleSkipped, ScheduleState, firing
from rooms.values import micros

Three = tuple[Conversation, Conversation, Conversation]
MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
NOON = ("12:30",)  # half an hour after the clock stands


@pytest.fixture
def three(lobby: Lobby) -> Three:
    [a] = added(lobby, "a", manage_rooms=True, can_broadcast=True, owner="ana")
    b, c = added(lobby, "b", "c")
    return a, b, c


@pytest.fixture
def app(lobby: Lobby, three: Three) -> Room:
    a, _, _ = three
    room = lobby.create_room("app", by=a, policy="broker")
    return room.change_members(add=["a", "b", "c"], by=a)


@pytest.fixture
def mine(lobby: Lobby, three: Three) -> Schedules:
    return lobby.schedules(by=three[0])


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def daily(*times: str, zone: str = "UTC", **more: Any) -> Recurrence:
    return Recurrence(zone, times or NOON, **more)


def only(mine: Schedules) -> Schedule:
    [one] = mine.list().schedules
    return one


# -- made


@pytest.mark.rule("L-RECUR-01", "L-RECUR-05", "L-RECUR-12")
def test_each_time_is_a_message_of_its_agent(
    lobby: Lobby, app: Room, mine: Schedules, three: Three, clock: Clock
) -> None:
    a, b, c = three
    stockholm = daily("06:41", zone="europe/stockholm", weekdays=("fri", "mon"))
    made = mine.create("stand up", repeat=stockholm, room=app, to=["b"], kind="request")

    # 2 March 2026 is a Monday; it is past 06:41 in Stockholm
    assert made.next_occurrence_at == at("2026-03-06T05:41")
    assert made.next_occurrence_local == "Fri 2026-03-06 06:41 Europe/Stockholm"
    assert (made.occurrence_count, made.last_message_id, made.duplicate) == (
        *(0, None),
        False,
    )
    assert lobby.next_deadline() == made.next_occurrence_at
    clock.now = at("2026-03-06T05:41")
    assert (inbox(lobby, b), inbox(lobby, c)) == (["stand up"], [])
    [message] = app.read(by=a)
    assert (message.schedule, message.kind, message.late) == (made.id, "request", False)
    assert message.deliver_at == message.at == clock.now
    assert str(message.sender) == "agent:a"
    now = only(mine)
    assert (now.occurrence_count, now.last_message_id) == (1, message.id)
    assert (now.last_occurrence_at, now.last_error) == (clock.now, None)
    assert now.next_occurrence_at == at("2026-03-09T05:41")


@pytest.mark.rule("L-RECUR-07", "L-RECUR-08")
@pytest.mark.parametrize(
    ("noon", "time", "utc"),
    [
        ("2026-03-28T12:00", "06:41", "2026-03-29T04:41"),
        ("2026-10-24T12:00", "06:41", "2026-10-25T05:41"),
        ("2026-03-28T12:00", "02:30", "2026-03-29T01:30"),
        ("2026-10-24T12:00", "02:30", "2026-10-25T00:30"),
    ],
)
def test_it_follows_the_wall_clock(
    mine: Schedules, clock: Clock, noon: str, time: str, utc: str
) -> None:
    """The twelfth of the subtlest, its first half."""
    clock.now = at(noon)
    made = mine.create("x", repeat=daily(time, zone="Europe/Stockholm"), to="b")
    assert made.next_occurrence_at == at(utc)


@pytest.mark.rule("L-RECUR-08", "L-RECUR-05")
def test_a_time_that_comes_twice_is_used_once(
    lobby: Lobby, app: Room, mine: Schedules, clock: Clock
) -> None:
    clock.now = at("2026-10-24T12:00")
    mine.create("x", repeat=daily("02:30", zone="Europe/Stockholm"), room=app)
    for _ in range(40 * 60):
        clock.now += MINUTE
        if (due := lobby.next_deadline()) is not None and due <= clock.now:
            lobby.deliver()
    sent = [one.deliver_at for one in app.read(by=only_reader(lobby))]
    assert sent == [at("2026-10-25T00:30"), at("2026-10-26T01:30")]


def only_reader(lobby: Lobby) -> Conversation:
    return lobby.agent("a").conversation()


@pytest.mark.rule("L-RECUR-02", "L-RECUR-01")
@pytest.mark.parametrize(
    ("repeat", "code"),
    [
        (lambda: Recurrence("Mars/Olympus", NOON), "unknown_time_zone"),
        (
            lambda: Recurrence(
                "UTC", [f"{h:02}:{m:02}" for h in range(5) for m in range(5)]
            ),
            "invalid_request",
        ),
        (lambda: Recurrence("UTC", ()), "invalid_request"),
        (lambda: Recurrence("UTC", ("24:00",)), "invalid_request"),
        (lambda: Recurrence("UTC", NOON, ("someday",)), "invalid_request"),
        (lambda: {"time_zone": "UTC"}, "invalid_request"),
        (lambda: None, "invalid_request"),
    ],
)
def test_what_is_no_recurrence_is_refused(
    app: Room, mine: Schedules, repeat: Callable[[], Any], code: str
) -> None:
    assert code_of(lambda: mine.create("x", repeat=repeat(), room=app)) == code
    assert mine.list().schedules == ()


@pytest.mark.rule("L-RECUR-01", "L-SUPER-10")
def test_only_an_agent_makes_one_and_not_every_send(
    lobby: Lobby, app: Room, mine: Schedules
) -> None:
    ana = lobby.person("ana")
    for by in ({"by": ana}, {"by": ana, "of": "a"}):
        theirs = lobby.schedules(**by)
        make = partial(theirs.create, "x", repeat=daily(), room=app)
        assert code_of(make) == "agent_required"
    create: Any = mine.create
    for wrong in ("reply_to", "deliver_at", "supersedes"):
        with pytest.raises(TypeError):
            create("x", repeat=daily(), room=app, **{wrong: None})
    assert code_of(lambda: mine.create("x", repeat=daily(), room=app, missed="x")) == (
        "invalid_request"
    )


@pytest.mark.rule("L-RECUR-03")
def test_twenty_are_active_and_no_more(app: Room, mine: Schedules) -> None:
    made = [mine.create("x", repeat=daily(), room=app) for _ in range(20)]
    refused = refusal(lambda: mine.create("x", repeat=daily(), room=app))
    assert (refused.code, refused.details["limit"]) == ("schedule_capacity", 20)
    mine.cancel(made[0])
    mine.create("x", repeat=daily(), room=app)


@pytest.mark.rule("L-RECUR-04", "L-ADDR-07", "L-RECUR-06")
def test_it_is_tested_as_it_is_made_and_anew_each_time(
    lobby: Lobby, app: Room, mine: Schedules, three: Three, clock: Clock
) -> None:
    a, b, c = three
    make = partial(mine.create, "x", repeat=daily(), room=app)
    assert code_of(lambda: make(to=["nobody"])) == "unknown_address"
    assert code_of(lambda: mine.create(" ", repeat=daily(), room=app)) == "body_empty"
    added(lobby, "d")
    assert code_of(lambda: make(to=["d"])) == "not_room_member"
    make(to=["b", "c"])
    app.change_members(remove=["c"], by=a)
    clock.advance(1800)
    assert inbox(lobby, b) == []
    one = only(mine)
    assert (one.last_error, one.occurrence_count, one.missed_count) == (
        *("not_room_member", 0),
        1,
    )
    app.change_members(add=["c"], by=a)
    clock.now += DAY
    assert (inbox(lobby, b), inbox(lobby, c)) == (["x"], ["x"])
    assert (only(mine).last_error, only(mine).occurrence_count) == (None, 1)


@pytest.mark.rule("L-RECUR-06")
def test_what_cannot_be_sent_is_skipped_with_its_reason(
    lobby: Lobby, mine: Schedules, three: Three, clock: Clock
) -> None:
    _, b, _ = three
    mine.create("x", repeat=daily(), to="b")
    reasons: list[tuple[str, Callable[[], object]]] = [
        ("recipient_disabled", lambda: lobby.agent("b").change(enabled=False)),
        ("agent_disabled", lambda: lobby.agent("a").change(enabled=False)),
        (
            "recipient_forbidden",
            lambda: lobby.agent("a").change(enabled=True, allowed_recipients=[]),
        ),
    ]
    clock.advance(1800)
    for code, cause in reasons:
        if code == "recipient_forbidden":
            lobby.agent("b").change(enabled=True)
        cause()
        lobby.deliver()
        lobby.agent("a").change(enabled=True)
        assert only(mine).last_error == code
        clock.now += DAY
    lobby.agent("a").change(allowed_recipients="all")
    assert inbox(lobby, b) == ["x"]
    assert only(mine).missed_count == 3


@pytest.mark.rule("L-RECUR-05", "L-SEND-12")
def test_it_takes_no_place_of_the_send_rate(
    lobby: Lobby, three: Three, clock: Clock
) -> None:
    a, _, _ = three
    policy = presets.broker(send_window=None)
    room = lobby.create_room("r", by=a, policy=policy)
    room.change_members(add=["a", "b"], by=a)
    room.change_policy(presets.broker(), by=lobby.person("ana"))
    mine = lobby.schedules(by=a)
    mine.create("again", repeat=daily(), room=room)
    clock.advance(1799)
    for _ in range(60):
        room.post("x", by=a)
    assert code_of(lambda: room.post("x", by=a)) == "send_rate"
    clock.advance(1)
    lobby.deliver()
    assert room.position == 61
    clock.advance(59)
    for _ in range(60):
        room.post("x", by=a)


def test_depth_travels_with_it(lobby: Lobby, clock: Clock) -> None:
    """A chain of answers has its end, however often it repeats."""
    ana = lobby.person("ana")
    a, b = added(lobby, "a", "b")
    policy = presets.broker(max_hops=2, membership="open", history="all")
    room = lobby.create_room("x", by=ana, policy=policy)
    room.join(by=a), room.join(by=b)
    room.post("go", by=ana, to=["a"])
    assert inbox(lobby, a) == ["go"]
    lobby.schedules(by=a).create("one", repeat=daily(), room=room)
    for place in range(3):
        clock.now += DAY
        lobby.deliver()
        assert (room.position, room.latest(by=b)[-1].hops) == (2 + place, 1)


def test_plugins_look_at_each_message(
    lobby: Lobby, app: Room, mine: Schedules, three: Three, clock: Clock
) -> None:
    class Strict:
        refuses = False

        @hookimpl
        def rooms_check_draft(self, draft: Any) -> Any:
            return "no" if self.refuses and draft.text == "x" else None

    strict = Strict()
    lobby.register(strict)
    mine.create("x", repeat=daily(), room=app)
    strict.refuses = True
    assert code_of(lambda: mine.create("x", repeat=daily(), room=app)) == (
        "draft_refused"
    )
    clock.advance(1800)
    lobby.deliver()
    assert (app.position, only(mine).last_error) == (0, "draft_refused")
    strict.refuses = False
    clock.now += DAY
    assert inbox(lobby, three[1]) == ["x"]


# -- missed


@pytest.mark.rule("L-RECUR-09")
@pytest.mark.parametrize(
    ("missed", "sent", "dropped"),
    [("once", ["08:00"], 2), ("skip", [], 3), ("all", ["06:00", "07:00", "08:00"], 0)],
)
def test_downtime_by_policy(
    place: Place, app: Room, missed: str, sent: list[str], dropped: int
) -> None:
    """The twelfth of the subtlest, its second half: 08:00 alone, and late."""
    a = only_reader(place.handles[0])
    mine = place.handles[0].schedules(by=a)
    hours = daily("06:00", "07:00", "08:00")
    mine.create("x", repeat=hours, room=app, missed=missed)
    place.clock.now = at("2026-03-03T08:30")
    opened = place.crash()
    opened.deliver()
    told = list(opened.room(app.id).read(by=only_reader(opened)))
    assert [f"{one.deliver_at:%H:%M}" for one in told if one.deliver_at] == sent
    assert all(one.late for one in told)
    one = only(opened.schedules(by=a))
    assert (one.missed_count, one.occurrence_count) == (dropped, len(sent))
    assert one.next_occurrence_at == at("2026-03-04T06:00")
    assert one.last_error == ("missed" if missed == "skip" else None)


def test_what_is_a_minute_late_is_not_missed(
    lobby: Lobby, app: Room, mine: Schedules, clock: Clock
) -> None:
    mine.create("x", repeat=daily(), room=app, missed="skip")
    clock.advance(1800 + 60)
    lobby.deliver()
    assert (only(mine).occurrence_count, only(mine).missed_count) == (1, 0)


# -- retries


@pytest.mark.rule("L-RECUR-11", "L-RECUR-17")
def test_a_request_stands_for_one_schedule_for_a_day_after_its_end(
    lobby: Lobby, app: Room, mine: Schedules, clock: Clock
) -> None:
    make = partial(mine.create, "x", repeat=daily(), room=app, request_id="k")
    first = make()
    again = make()
    assert (again.id, again.duplicate) == (first.id, True)
    other = partial(mine.create, "y", repeat=daily(), room=app, request_id="k")
    assert code_of(other) == "idempotency_conflict"
    assert not app.post("x", by=only_reader(lobby), request_id="k").duplicate
    mine.cancel(first)
    clock.now += DAY
    assert (make().id, make().duplicate) == (first.id, True)
    clock.now += timedelta(microseconds=1)
    newer = make()
    assert (newer.duplicate, newer.id != first.id) == (False, True)
    assert code_of(lambda: mine.cancel(first)) == "schedule_not_found"


# -- listed, changed and cancelled


@pytest.mark.rule("L-RECUR-12", "L-RECUR-13")
def test_the_list_is_compact_and_soonest_first(app: Room, mine: Schedules) -> None:
    mine.create("y" * 301, repeat=daily("13:00"), room=app, fields={"commit": "1f"})
    mine.create("x" * 300, repeat=daily("12:30"), to="*")
    first, second = mine.list().schedules
    assert (first.content, first.content_truncated) == ("x" * 300, False)
    assert (first.room, first.to) == (None, ("*",))
    assert (len(second.content), second.content[-1]) == (300, "…")
    assert second.content_truncated
    assert not hasattr(second, "fields")


@pytest.mark.rule("L-RECUR-14")
def test_cancelling_stops_what_comes(
    lobby: Lobby, app: Room, mine: Schedules, three: Three, clock: Clock
) -> None:
    made = mine.create("x", repeat=daily(), room=app)
    clock.advance(1800)
    lobby.deliver()
    done = mine.cancel(made)
    assert (done.already_cancelled, done.message) == (False, None)
    assert done.schedule is not None
    assert done.schedule.cancelled_at == clock.now
    assert mine.cancel(made.id).already_cancelled
    assert mine.list().schedules == ()
    clock.now += 3 * DAY
    assert inbox(lobby, three[1]) == ["x"]
    assert app.position == 1


@pytest.mark.rule("L-RECUR-15")
def test_changing(
    lobby: Lobby, app: Room, mine: Schedules, three: Three, clock: Clock
) -> None:
    made = mine.create("x", repeat=daily(), room=app, request_id="k")
    changed = mine.update(made, content="y")
    assert isinstance(changed, Schedule)
    assert (changed.id, changed.content) == (made.id, "y")
    assert changed.next_occurrence_at == made.next_occurrence_at
    moved = mine.update(made.id, repeat=daily("13:00", zone="Asia/Tokyo"))
    assert isinstance(moved, Schedule)
    assert moved.next_occurrence_at == at("2026-03-03T04:00")
    clock.now = at("2026-03-03T04:00")
    assert inbox(lobby, three[1]) == ["y"]
    same = mine.create("x", repeat=daily(), room=app, request_id="k")
    assert (same.id, same.duplicate) == (made.id, True)
    refusals: list[tuple[dict[str, Any], str]] = [
        ({"deliver_at": clock.now}, "invalid_request"),
        ({}, "invalid_request"),
        ({"repeat": "daily"}, "invalid_request"),
        ({"content": "  "}, "body_empty"),
        ({"content": "z" * 65_537}, "message_too_long"),
    ]
    for change, code in refusals:
        assert code_of(partial(mine.update, made, **change)) == code
    waiting = app.post("w", by=three[0], deliver_at=clock.now + MINUTE).message
    assert code_of(lambda: mine.update(waiting, repeat=daily())) == "invalid_request"
    mine.cancel(made)
    assert code_of(lambda: mine.update(made, content="z")) == "already_cancelled"


@pytest.mark.rule("L-RECUR-16", "L-ROOM-11", "L-ROOM-16", "L-ROOM-17")
def test_the_end_of_its_room_ends_it(
    lobby: Lobby, app: Room, three: Three, clock: Clock
) -> None:
    a, b, _ = three
    ana = lobby.person("ana")
    room = lobby.create_room("open", by=ana).join(by=a).join(by=b)
    kept = lobby.schedules(by=a).create("x", repeat=daily(), to="b")
    mine = lobby.schedules(by=b)
    first = mine.create("x", repeat=daily(), room=room)
    room.archive(by=ana)
    room.restore(by=ana)
    ended = mine.cancel(first)
    assert ended.schedule is not None
    assert (ended.already_cancelled, ended.schedule.last_error) == (
        True,
        "room_archived",
    )
    second = mine.create("x", repeat=daily(), room=app)
    gone = app.delete(by=a)
    assert gone.cancelled_schedules == ((second.id, "b"),)
    ended = mine.cancel(second)
    assert ended.schedule is not None
    assert (ended.already_cancelled, ended.schedule.last_error) == (
        True,
        "room_deleted",
    )
    assert [one.id for one in lobby.schedules(by=a).list().schedules] == [kept.id]
    clock.advance(1800)
    assert inbox(lobby, b) == ["x"]


@pytest.mark.rule("L-RECUR-16")
def test_an_owner_lists_and_cancels_its_agents(
    lobby: Lobby, app: Room, mine: Schedules
) -> None:
    made = mine.create("x", repeat=daily(), room=app)
    theirs = lobby.schedules(by=lobby.person("ana"), of="a")
    assert only(theirs).id == made.id
    assert not theirs.cancel(made.id).already_cancelled
    assert lobby.schedules(by=lobby.agent("b").conversation()).list().schedules == ()
    others = lobby.schedules(by=lobby.agent("b").conversation())
    assert code_of(lambda: others.cancel(made)) == "schedule_not_found"


@pytest.mark.rule("L-RECUR-16", "L-SCHED-11")
def test_the_host_lets_somebody_stand_for_an_agent(
    lobby: Lobby, app: Room, mine: Schedules
) -> None:
    asked: list[tuple[str, Any]] = []

    class Host:
        @hookimpl
        def rooms_may(self, action: str, subject: Any) -> bool | None:
            asked.append((action, subject))
            return action == "manage_schedules" or None

    bo = lobby.person("bo")
    made = mine.create("x", repeat=daily(), room=app)
    assert code_of(lambda: lobby.schedules(by=bo, of="a")) == "not_owner"
    lobby.register(Host())
    assert not lobby.schedules(by=bo, of="a").cancel(made).already_cancelled
    assert asked == [("manage_schedules", "a")]


@pytest.mark.rule("L-RECUR-10")
def test_it_belongs_to_the_identity(place: Place, app: Room, three: Three) -> None:
    a, b, _ = three
    mine = place.handles[0].schedules(by=a)
    made = mine.create("x", repeat=daily(), room=app)
    mine.update(made, content="y")
    a.claim()
    place.handles[0].recover()
    opened = place.crash()
    with opened._desk.lock:
        opened._desk.commits.save_snapshots(every=1)
    opened = place.crash()
    assert only(opened.schedules(by=a)).content == "y"
    place.clock.advance(1800)
    assert inbox(opened, b) == ["y"]


@pytest.mark.rule("L-RECUR-17", "L-RECUR-04", "L-ATT-11")
def test_what_it_carries_is_kept_as_long_as_it_is(
    lobby: Lobby, app: Room, mine: Schedules, three: Three, clock: Clock
) -> None:
    _, b, _ = three
    made = mine.create(
        *("nightingale",), repeat=daily(), room=app, attachments={"a.txt": b"owl"}
    )
    clock.advance(1800)
    lobby.deliver()
    assert app.files.read("a.txt", by=b).content == "owl"
    clock.now += DAY  # what came of it is gone by age, and comes again
    lobby.deliver()
    assert lobby.sweep().messages == 1
    assert app.files.read("a.txt", by=b).content == "owl"
    mine.cancel(made)
    clock.now += DAY
    assert lobby.sweep().messages == 1
    kept = "".join(lobby.export())
    assert "nightingale" in kept
    assert '"contents":1' in kept
    clock.now += timedelta(microseconds=1)
    lobby.deliver()
    kept = "".join(lobby.export())
    assert "nightingale" not in kept
    assert '"contents"' not in kept
    assert lobby.verify()["agent:a"].damages == ()


def test_a_zone_that_the_machine_lost_skips_and_comes_back() -> None:
    noon = round(at("2026-03-02T12:00").timestamp()) * 1_000_000
    one = ScheduleState(
        *("s", 1, "c", "", 0, "Mars/Olympus", NOON, (), "once", noon, 1)
    )
    hour = 3_600_000_000
    assert firing(one, noon - 1) is None
    assert firing(one, noon) == (noon, noon + hour, 0, "unknown_time_zone")
    one.time_zone = "UTC"
    assert firing(one, noon) == (noon, noon + hour // 2, 0, "")


@pytest.mark.rule("L-RECUR-05")
def test_two_hosts_that_deliver_at_once_say_each_thing_once(
    place: Place, app: Room, mine: Schedules, three: Three
) -> None:
    for number in range(5):
        mine.create(f"again {number}", repeat=daily(), room=app)
        app.post(f"once {number}", by=three[0], deliver_at=place.clock.at(1800))
    place.clock.advance(1800)
    hosts = [place.handles[0], place.open()]
    with ThreadPoolExecutor(2) as both:
        list(both.map(lambda lobby: lobby.deliver(), hosts))
    said = sorted(one.content for one in app.read(by=three[0]))
    expected = [f"{kind} {number}" for kind in ("again", "once") for number in range(5)]
    assert said == expected


MORE = ("12:30", "13:00", "13:30")


@pytest.mark.rule("L-RECUR-14", "L-RECUR-15", "L-RECUR-16")
@pytest.mark.parametrize("missed", ["once", "skip", "all"])
@pytest.mark.parametrize("what", ["repeat", "cancel", "archive", "delete"])
def test_times_that_nobody_fired_are_counted_when_a_schedule_changes_or_ends(
    place: Place, lobby: Lobby, three: Three, missed: str, what: str
) -> None:
    mine, ana, clock = lobby.schedules(by=three[0]), lobby.person("ana"), place.clock
    room = lobby.create_room("ana's", by=ana, policy="broker")
    room.change_members(add=["a", "b"], by=ana)
    one = mine.create("stand-up", repeat=daily(*MORE), room=room, missed=missed)
    clock.now = at("2026-03-02T13:10")  # 12:30 and 13:00 have passed, and nobody came

    if what == "repeat":
        mine.update(one, repeat=daily("18:00"))
    elif what == "cancel":
        mine.cancel(one)
    elif what == "archive":
        room.archive(by=ana)
    else:
        room.delete(by=ana)
    lobby.deliver()

    with lobby._desk.lock:
        state = lobby._desk.talks("a").schedules[one.id]
    assert (state.dropped, state.count) == (2, 0)
    assert (state.next == micros("at", at("2026-03-02T18:00"))) == (what == "repeat")
    skips = [
        event
        for record in lobby._desk.storage.read("agent:a")
        if isinstance(event := decoded(record).event, ScheduleSkipped)
    ]
    assert [(one.slot, one.code, one.missed) for one in skips] == [
        (micros("at", at("2026-03-02T13:00")), "missed", 1)
    ]


@pytest.mark.rule("L-RECUR-15")
def test_other_words_alone_leave_a_time_that_has_passed_to_be_fired(
    lobby: Lobby, three: Three, app: Room, clock: Clock
) -> None:
    mine = lobby.schedules(by=three[0])
    one = mine.create("old words", repeat=daily(*MORE), room=app)
    clock.now = at("2026-03-02T13:10")

    mine.update(one, content="new words")
    lobby.deliver()

    assert [m.content for m in app.read(by=three[1])] == ["new words"]
    with lobby._desk.lock:
        state = lobby._desk.talks("a").schedules[one.id]
    assert (state.dropped, state.count) == (1, 1)
