"""Views: figures, the list of rooms, who waits on a reply, the exchange of one seat."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from lobby.costs import counted
from lobby.place import NOON, Clock, Place
from rooms import (
    Conversation,
    InvalidInput,
    Lobby,
    MemoryStorage,
    NotAllowed,
    NotFound,
    Room,
    RoomPolicy,
    hookimpl,
)
from rooms.lobby import Figures
from rooms.log.auditing import OversightRead
from rooms.storage import Change
from rooms.testing import CountingIds, CountingSalts, FakeClock

HOUR = timedelta(hours=1)


class Administers:
    """A host in which root reads every room and the audit."""

    @hookimpl
    def rooms_may(self, actor: Any, action: str) -> bool | None:
        if (actor.kind, actor.id) != ("person", "root"):
            return None
        return True if action in {"read_every_room", "read_audit"} else None


@pytest.fixture
def secret(lobby: Lobby, eve: Conversation, hall: Room, clock: Clock) -> Room:
    """An invite-only room of ana's agent, an hour after the hall was made."""
    clock.advance(hours=1)
    room = lobby.create_room("plans", by=eve, policy="hall", access="invite_only")
    room.post("One word.", by=eve)
    return room


def names(found: Any) -> list[str]:
    return [one.name for one in found]


def seqs(page: Any) -> list[int]:
    return [one.seq for one in page]


def waiting(room: Room, by: Any) -> dict[str, datetime | None]:
    """Since when each conversation that owes a reply does."""
    found = room.participants(by=by)
    return {
        str(seat.conversation): seat.waiting_since
        for agent in (*found.agents, *found.previous)
        for seat in agent.seats
        if seat.waits
    }


# -- pages both ways


@pytest.mark.rule("G-VIEW-08")
def test_a_reader_opens_at_the_newest_end_and_pages_backwards(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for number in range(7):
        hall.post(f"m{number}", by=eve, to=[ben] if number in {1, 5} else ())

    newest = hall.latest(by=ben, limit=3)
    hall.post("m7", by=eve)
    older = hall.latest(by=ben, before=newest.previous_cursor, limit=3)
    oldest = hall.latest(by=ben, before=older.previous_cursor, limit=3)

    assert [seqs(newest), seqs(older), seqs(oldest)] == [[5, 6, 7], [2, 3, 4], [1]]
    assert (oldest.previous_cursor, older.next_cursor) == (None, 4)
    assert seqs(hall.read(by=ben, after=newest.position)) == [8]
    assert hall.latest(by=ben, before=1).items == ()


def test_the_newest_page_settles_what_is_on_it_and_no_more(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for number in range(4):
        hall.post(f"m{number}", by=eve, to=[ben])

    hall.latest(by=ben, limit=2)

    [wake] = lobby.take_wakes(conversations=[ben])
    assert seqs(wake.messages) == [1, 2]


# -- who waits on a reply


@pytest.mark.rule("G-VIEW-05", "G-VIEW-07")
def test_a_seat_waits_until_it_answers_the_message_or_its_author(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    ana = lobby.person("ana")
    cy = lobby.add_agent("cy").conversation()
    hall.join(by=cy)
    hall.post("To nobody.", by=eve)
    hall.post("To all of you.", by=eve, to=["all"])
    assert waiting(hall, ana) == {}
    clock.advance(60)
    first = hall.post("Ben?", by=eve, to=[ben]).message
    clock.advance(60)
    hall.post("Ben!", by=eve, to=[ben])
    hall.post("Ben, a word.", by=cy, to=[ben])
    assert waiting(hall, ana) == {"agent:ben-web": clock.at(60)}

    hall.post("To cy alone.", by=ben, to=[cy])
    assert waiting(hall, ana) == {
        "agent:ben-web": clock.at(60),
        "agent:cy": clock.at(120),
    }
    hall.post("Here.", by=ben, reply_to=first.id)  # answers all that eve said before

    assert waiting(hall, ana) == {
        "agent:cy": clock.at(120),
        "agent:Eve/acme": clock.at(120),
    }
    hall.leave(by=eve)
    assert list(waiting(hall, ana)) == ["agent:cy"]


def test_a_persons_message_waits_as_well_and_a_reply_that_wakes_nobody_answers_it(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    policy = RoomPolicy(reply_wakes_author=False)
    room = lobby.create_room("r", by=eve, policy=policy).join(by=ben)
    ana = lobby.person("ana")
    asked = room.post("Eve?", by=ana, to=[eve]).message
    room.post("Eve!", by=ben, to=[eve])
    assert list(waiting(room, ana)) == ["agent:Eve/acme"]

    room.post("Here.", by=eve, reply_to=asked.id)
    assert list(waiting(room, ana)) == ["agent:Eve/acme"]
    room.post("And here.", by=eve, to=["agent:ben-web"])

    assert list(waiting(room, ana)) == ["agent:ben-web"]


@pytest.mark.rule("G-VIEW-10", "G-ROOM-09", "G-ROOM-12")
def test_members_are_told_with_their_seats_owners_and_who_watches(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    second = lobby.conversation("Eve", label="billing")
    hall.join(by=second, mode="digest")
    cy = lobby.add_agent("cy", owner="cyn").conversation()
    hall.join(by=cy).leave(by=cy)
    clock.advance(60)
    hall.post("Hello.", by=second)

    found = hall.participants(by=ben)

    assert [(one.agent.id, one.owner, one.member) for one in found.agents] == [
        ("Eve", "ana", True),
        ("ben-web", "ben", True),
    ]
    assert [
        (str(seat.conversation), seat.mode, seat.last_active)
        for seat in found.agents[0].seats
    ] == [
        ("agent:Eve/acme", "when_tagged", NOON),
        ("agent:Eve/billing", "digest", clock.at(60)),
    ]
    assert [str(one) for one in found.watching] == ["person:ana", "person:ben"]
    assert [one.agent.id for one in found.previous] == ["cy"]
    assert [(seat.place, seat.mode) for seat in found.previous[0].seats] == [
        ("left", None)
    ]
    with pytest.raises(NotAllowed):
        hall.participants(by=cy)


def test_what_is_erased_waits_on_no_reply(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    lobby.register(Owns())
    ana = lobby.person("ana")
    first = hall.post("Ben?", by=eve, to=[ben]).message
    second = hall.post("Ben!", by=eve, to=[ben]).message

    hall.erase(first.id, by=ana)
    assert list(waiting(hall, ana)) == ["agent:ben-web"]
    hall.erase(second.id, by=ana)

    assert waiting(hall, ana) == {}
    assert lobby.figures(by=ana).need_look == 0


# -- the exchange of one seat


@pytest.mark.rule("G-VIEW-06")
def test_an_exchange_is_what_a_seat_said_what_addressed_it_and_the_replies_to_it(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    policy = RoomPolicy(reply_wakes_author=False)
    room = lobby.create_room("r", by=eve, policy=policy).join(by=ben)
    cy = lobby.add_agent("cy").conversation()
    room.join(by=cy, mode="every_message")
    ana = lobby.person("ana")
    said = room.post("1 said", by=ben).message
    room.post("2 by another, heard by cy", by=eve)
    room.post("3 to ben", by=eve, to=[ben])
    room.post("4 to all", by=cy, to=["all"])
    room.post("5 a reply", by=cy, reply_to=said.id)
    room.post("6 to eve", by=ana, to=[eve])

    assert seqs(room.exchange(ben, by=ana)) == [1, 3, 4, 5]
    assert seqs(room.exchange(cy, by=ana)) == [4, 5]
    assert seqs(room.exchange(ana, by=ben)) == [6]
    page = room.exchange(ben, by=ana, limit=2)
    assert (seqs(page), page.previous_cursor, page.next_cursor) == ([4, 5], 4, None)
    older = room.exchange(ben, by=ana, limit=2, before=page.previous_cursor)
    assert (seqs(older), older.previous_cursor) == ([1, 3], None)
    onward = room.exchange(ben, by=ana, limit=2, after=1)
    assert (seqs(onward), onward.next_cursor, onward.position) == ([3, 4], 4, 6)
    assert seqs(room.exchange(ben, by=ana, after=4)) == [5]


def test_an_exchange_settles_nothing(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("For ben.", by=eve, to=[ben])

    assert seqs(hall.exchange(ben, by=ben)) == [1]

    assert len(lobby.take_wakes(conversations=[ben])) == 1


@pytest.mark.parametrize(
    "given",
    [
        *({"of": "agent:Eve"}, {"of": None}, {"after": -1}, {"before": 0}),
        *({"after": 1, "before": 2}, {"limit": 0}, {"limit": 1001}, {"before": "1"}),
    ],
)
def test_a_wrong_question_is_named(
    hall: Room, eve: Conversation, given: dict[str, Any]
) -> None:
    asked: dict[str, Any] = {"of": eve, "by": eve} | given

    with pytest.raises(InvalidInput) as refused:
        hall.exchange(asked.pop("of"), **asked)

    assert refused.value.field in given


# -- the list, and the figures


@pytest.mark.rule("G-VIEW-01", "G-ACCESS-05")
def test_a_person_lists_open_rooms_and_those_where_it_has_somebody(
    lobby: Lobby, secret: Room, hall: Room, clock: Clock, ben: Conversation
) -> None:
    ana, bob = lobby.person("ana"), lobby.person("bob")
    open_one = lobby.create_room("open one", by=ben, policy="hall")
    clock.advance(60)
    hall.post("Hello.", by=ben)

    listed = lobby.list_rooms(by=ana)

    assert names(listed) == ["orders", "open one", "plans"]
    assert [(one.messages, one.own, one.access) for one in listed] == [
        (1, True, "open"),
        (0, False, "open"),
        (1, True, "invite_only"),
    ]
    assert names(lobby.list_rooms(by=bob)) == ["orders", "open one"]
    assert names(lobby.list_rooms(by=ben)) == ["orders", "open one"]
    assert listed.items[1].room == open_one
    assert listed.items[0].last_at == clock.at(3660)


@pytest.mark.rule("G-VIEW-14", "G-ACCESS-06", "G-VIEW-01")
def test_who_sees_a_room_only_by_oversight_is_told_so(
    lobby: Lobby, secret: Room, hall: Room, ben: Conversation
) -> None:
    lobby.register(Administers())
    root, ana = lobby.person("root"), lobby.person("ana")

    listed = {one.name: one for one in lobby.list_rooms(by=root)}

    assert {one: (at.read_only, at.audited) for one, at in listed.items()} == {
        "orders": (False, False),
        "plans": (True, True),
    }
    for view in (
        secret.read(by=root),
        secret.latest(by=root),
        secret.participants(by=root),
        secret.exchange(lobby.conversation("Eve", label="acme"), by=root),
    ):
        assert (view.read_only, view.audited) == (True, True)
    for view in (hall.read(by=root), secret.read(by=ana), secret.latest(by=ana)):
        assert (view.read_only, view.audited) == (False, False)


def test_a_list_is_paged_without_a_gap_and_with_what_came_meanwhile_before_it(
    lobby: Lobby, clock: Clock, eve: Conversation
) -> None:
    for number in range(7):
        access = "invite_only" if number % 3 == 1 else "open"
        lobby.create_room(f"r{number}", by=eve, policy="hall", access=access)
        clock.advance(number % 2)
    ana = lobby.person("ana")
    everything = names(lobby.list_rooms(by=ana))

    found: list[str] = []
    cursor: str | None = None
    while True:
        page = lobby.list_rooms(by=ana, after=cursor, limit=3)
        found += names(page)
        cursor = page.next_cursor
        if cursor is None:
            break

    assert found == everything
    assert sorted(found) == [f"r{number}" for number in range(7)]


@pytest.mark.rule("G-VIEW-04")
def test_a_list_can_be_that_of_one_participant(
    lobby: Lobby, hall: Room, secret: Room, eve: Conversation, ben: Conversation
) -> None:
    other = lobby.create_room("other", by=ben, policy="hall")
    ana, bob = lobby.person("ana"), lobby.person("bob")

    def of(participant: Any, by: Any) -> list[str]:
        return sorted(names(lobby.list_rooms(by=by, participant=participant)))

    assert of(lobby.agent("Eve"), ana) == ["orders", "plans"]
    assert of(lobby.agent("Eve"), bob) == ["orders"]
    assert of(eve, ana) == ["orders", "plans"]
    assert of(lobby.agent("ben-web"), bob) == ["orders", "other"]
    assert of(ana, ana) == ["orders", "plans"]
    assert of(lobby.person("ben"), bob) == ["orders", "other"]
    other.leave(by=ben)
    assert of(lobby.agent("ben-web"), bob) == ["orders"]


@pytest.mark.rule("G-VIEW-03")
def test_figures_count_what_the_viewer_may_know_of_in_a_period(
    lobby: Lobby, clock: Clock, secret: Room, hall: Room, ben: Conversation
) -> None:
    """One message an hour after noon in secret; now two in the hall, at 14:30."""
    clock.advance(hours=1, minutes=30)
    ana, bob = lobby.person("ana"), lobby.person("bob")
    assert secret.position == 1
    hall.post("One.", by=ben, to=["agent:Eve/acme"])
    hall.post("Two.", by=ben)

    assert lobby.figures(by=ana) == Figures(None, 2, 2, 3, 2, 1)
    assert lobby.figures(by=bob) == Figures(None, 1, 2, 2, 0, 1)
    two = NOON + 2 * HOUR
    assert lobby.figures(by=ana, since=two) == Figures(two, 1, 1, 2, 1, 1)
    assert lobby.figures(by=ana, since=two + HOUR / 4) == Figures(two, 1, 1, 2, 1, 1)
    three = NOON + 3 * HOUR
    assert lobby.figures(by=ana, since=three) == Figures(three, 0, 0, 0, 0, 1)
    one = NOON + HOUR
    assert lobby.figures(by=ana, since=one) == Figures(one, 2, 2, 3, 2, 1)

    hidden = lobby.add_agent("hidden").conversation()  # and in secret, one more
    secret.invite("hidden", by=lobby.conversation("Eve", label="acme"))
    secret.join(by=hidden)
    assert lobby.figures(by=bob) == Figures(None, 1, 2, 2, 0, 1)
    lobby.register(Administers())
    assert lobby.figures(by=lobby.person("root")) == Figures(None, 2, 3, 3, 0, 1)


@pytest.mark.rule("G-VIEW-03")
def test_need_a_look_counts_as_many_as_its_filter_lists(
    lobby: Lobby, secret: Room, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    ana, bob = lobby.person("ana"), lobby.person("bob")
    second = lobby.conversation("Eve", label="second")
    secret.join(by=second)
    secret.post("A question.", by=eve, to=[second])
    asked = hall.post("Another.", by=eve, to=[ben]).message

    def look(by: Any) -> tuple[int, list[str]]:
        listed = lobby.list_rooms(by=by, need_look=True)
        return lobby.figures(by=by).need_look, sorted(names(listed))

    assert look(ana) == (2, ["orders", "plans"])
    assert look(bob) == (1, ["orders"])
    hall.post("Done.", by=ben, reply_to=asked.id)  # and now eve owes one
    assert look(bob) == (1, ["orders"])
    hall.post("Thanks, all.", by=eve, to=["all"])

    assert look(bob) == (0, [])
    both = lobby.list_rooms(by=ana, need_look=True, participant=lobby.agent("Eve"))
    assert names(both) == ["plans"]


def test_a_deleted_room_is_in_no_view_and_no_figure(
    place: Place, lobby: Lobby, hall: Room, secret: Room, eve: Conversation
) -> None:
    lobby.register(Owns())
    ana = lobby.person("ana")
    hall.post("A question.", by=lobby.conversation("ben-web"), to=[eve])
    assert lobby.figures(by=ana) == Figures(None, 2, 2, 2, 2, 1)

    hall.delete(by=ana)

    assert lobby.figures(by=ana) == Figures(None, 1, 1, 1, 1, 0)
    assert names(lobby.list_rooms(by=ana)) == ["plans"]
    assert names(lobby.list_rooms(by=ana, participant=eve)) == ["plans"]
    rows = place.storage.range("views.1", limit=1000)
    mentioned = [row.key for row in rows if hall.id in row.key and row.key[0] != "day"]
    assert [key for key in mentioned if key[0] != "of"] == []
    with pytest.raises(NotFound):
        hall.latest(by=ana)


class Owns:
    """A host that lets everybody delete rooms and erase messages."""

    @hookimpl
    def rooms_may(self, action: str) -> bool | None:
        return True if action in {"delete_room", "erase_message"} else None


@pytest.mark.parametrize(
    ("call", "given"),
    [
        *(
            ("list_rooms", {"after": after})
            for after in ("", "x", "1", "1.", "-1.r", 5)
        ),
        ("list_rooms", {"after": "9" * 30 + ".room_1"}),
        *(("list_rooms", {"limit": limit}) for limit in (0, 1001, True, None)),
        *(("list_rooms", {"participant": who}) for who in ("ana", 5, object())),
        ("list_rooms", {"need_look": 1}),
        *(("figures", {"since": at}) for at in (5, "today", datetime(2026, 1, 1))),  # noqa: DTZ001
        *(("audit", {"after": after}) for after in (-1, "1", None)),
    ],
)
def test_a_wrong_argument_of_a_view_is_named(
    lobby: Lobby, hall: Room, call: str, given: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        getattr(lobby, call)(by=lobby.person("ana"), **given)

    assert [refused.value.field] == list(given)


def test_the_oldest_and_the_latest_instants_are_periods(
    lobby: Lobby, hall: Room, eve: Conversation
) -> None:
    hall.post("x", by=eve)
    first = datetime.min.replace(tzinfo=UTC)
    last = datetime.max.replace(tzinfo=UTC)

    assert lobby.figures(by=eve, since=first).messages == 1
    assert lobby.figures(by=eve, since=last).messages == 0


# -- audit


@pytest.mark.rule("G-AUDIT-01")
def test_a_message_shows_the_owner_of_its_agent_and_the_log_keeps_it(
    place: Place, lobby: Lobby, hall: Room, ben: Conversation
) -> None:
    hall.post("Mine.", by=ben)

    [message] = place.crash().room("orders").read(by=lobby.person("ana"))

    assert isinstance(message.sender, Conversation)
    assert (str(message.sender), message.sender.owner) == ("agent:ben-web", "ben")
    [added] = [
        line for line in lobby.export() if '"ben-web' in line and "owner" in line
    ]
    assert '\\"owner\\":\\"ben\\"' in added


@pytest.mark.rule("G-AUDIT-02", "G-AUDIT-04")
def test_each_read_that_only_oversight_allows_is_recorded_and_no_other(
    place: Place, lobby: Lobby, clock: Clock, secret: Room, hall: Room
) -> None:
    lobby.register(Administers())
    root, ana = lobby.person("root"), lobby.person("ana")
    hall.read(by=root)
    secret.read(by=ana)
    secret.participants(by=ana)
    lobby.list_rooms(by=root)
    lobby.figures(by=root)
    assert lobby.audit(by=root).items == ()
    before = place.storage.position()
    secret.read(by=root)
    clock.advance(60)
    secret.participants(by=root)
    secret.search("word", by=root)

    found = lobby.audit(by=root)

    assert place.storage.position() == before + 3
    assert [(one.at, str(one.person), one.room, one.what) for one in found] == [
        (clock.at(3600), "person:root", secret.id, "messages"),
        (clock.at(3660), "person:root", secret.id, "members"),
        (clock.at(3660), "person:root", secret.id, "messages"),
    ]
    first = lobby.audit(by=root, limit=2)
    rest = lobby.audit(by=root, after=first.next_cursor or 0, limit=2)
    assert (first.items + rest.items, rest.next_cursor) == (found.items, None)


class Hears:
    """A host that keeps an audit log of its own."""

    def __init__(self) -> None:
        self.looks: list[tuple[str, str]] = []

    @hookimpl
    def rooms_committed(self, commit: Any) -> None:
        for facts in commit.facts.values():
            for fact in facts:
                if isinstance(fact.event, OversightRead):
                    self.looks.append((fact.event.person, fact.event.what))


@pytest.mark.rule("G-AUDIT-02")
def test_a_host_hears_of_every_look_that_is_recorded(
    lobby: Lobby, secret: Room
) -> None:
    hears = Hears()
    lobby.register(Administers())
    lobby.register(hears)

    secret.latest(by=lobby.person("root"))
    secret.latest(by=lobby.person("ana"))

    assert hears.looks == [("root", "messages")]


def test_a_look_that_cannot_be_recorded_shows_nothing(
    monkeypatch: pytest.MonkeyPatch, lobby: Lobby, secret: Room
) -> None:
    lobby.register(Administers())
    root = lobby.person("root")

    def full(*_: Any, **__: Any) -> None:
        raise OSError

    monkeypatch.setattr(lobby._desk.commits, "record", full)

    for look in (secret.read, secret.latest, secret.participants):
        with pytest.raises(OSError):
            look(by=root)


@pytest.mark.parametrize("who", ["ana", "ben"])
def test_only_whom_the_host_lets_reads_the_audit(
    lobby: Lobby, hall: Room, ben: Conversation, who: str
) -> None:
    lobby.register(Administers())
    by: Any = ben if who == "ben" else lobby.person(who)

    with pytest.raises(NotAllowed) as refused:
        lobby.audit(by=by)

    assert refused.value.code == "administrator_required"


# -- what a question costs, and that the rows are no truth


def grown(messages: int) -> tuple[MemoryStorage, Lobby, Room, Conversation]:
    """A room with so many messages within one hour, the last twenty to one seat."""
    storage, clock = MemoryStorage(), FakeClock()
    lobby = Lobby(storage, clock=clock, ids=CountingIds(), salt=CountingSalts())
    eve = lobby.add_agent("eve").conversation()
    ben = lobby.add_agent("ben").conversation()
    policy = RoomPolicy(send_window=None, wake_window=None)
    room = lobby.create_room("r", by=eve, policy=policy).join(by=ben)
    for number in range(messages):
        room.post("x", by=eve, to=[ben] if number >= messages - 20 else ())
    clock.advance(hours=1)
    return storage, lobby, room, ben


@pytest.mark.parametrize(
    "question",
    [
        lambda lobby, room, ben: lobby.figures(by=lobby.person("ana")),
        lambda lobby, room, ben: lobby.list_rooms(by=lobby.person("ana")),
        lambda lobby, room, ben: room.exchange(ben, by=lobby.person("ana"), limit=10),
        lambda lobby, room, ben: room.latest(by=lobby.person("ana"), limit=10),
        lambda lobby, room, ben: room.participants(by=lobby.person("ana")),
        lambda lobby, room, ben: lobby.sweep(),
    ],
    ids=["figures", "list", "exchange", "latest", "participants", "sweep"],
)
def test_a_question_costs_the_same_after_any_history(question: Any) -> None:
    costs = []
    for messages in (30, 900):
        storage, lobby, room, ben = grown(messages)
        question(lobby, room, ben)  # fed once
        with counted(storage) as counts:
            question(lobby, room, ben)
        costs.append(counts["handed"])

    assert costs[0] == costs[1] <= 40


def test_rows_that_are_damaged_or_gone_cost_a_look_and_no_answer(
    place: Place, lobby: Lobby, secret: Room, hall: Room, eve: Conversation
) -> None:
    hall.post("Hello?", by=lobby.conversation("ben-web"), to=[eve])
    ana = lobby.person("ana")

    def answers(of: Lobby) -> list[Any]:
        return [of.figures(by=ana), names(of.list_rooms(by=ana)), waiting(hall, ana)]

    expected = answers(lobby)
    storage = lobby._desk.storage
    for damage in (b"{", b"5", b'"x"'):
        for row in storage.range("views.1", low=("room",), limit=9):
            reached = storage.projected_to("views.1")
            changes = [Change(row.key, damage)]
            storage.project(
                "views.1", expected=reached, position=reached, changes=changes
            )
        assert answers(lobby) == expected
    storage.forget_projection("views.1")
    assert answers(place.crash()) == expected


def test_rows_fed_bit_by_bit_are_those_fed_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A random hall, looked at after every act or at the end alone."""
    for seed in range(4):
        fed = [_rows(seed, every=every, monkeypatch=monkeypatch) for every in (1, 99)]

        assert fed[0] == fed[1]


def _rows(seed: int, *, every: int, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    draw = random.Random(f"{seed} views")
    monkeypatch.setattr("rooms.lobby.derived.feeding.BATCH", 7 if every > 1 else 1_000)
    storage, clock = MemoryStorage(), FakeClock()
    lobby = Lobby(storage, clock=clock, ids=CountingIds(), salt=CountingSalts())
    lobby.register(Owns())
    lobby.add_agent("Eve", threaded=True, owner="ana")
    ana = lobby.person("ana")
    talks = [lobby.conversation("Eve", label=label) for label in ("a", "b", "c")]
    talks.append(lobby.add_agent("ben").conversation())
    policy = RoomPolicy(send_window=None)
    made = [lobby.create_room(f"r{n}", by=talks[n], policy=policy) for n in range(3)]
    for act in range(60):
        room, one, two = draw.choice(made), draw.choice(talks), draw.choice(talks)
        clock.advance(minutes=draw.choice([0, 1, 40]))
        seated = one in room.conversations
        if not seated:
            room.join(by=one)
        elif draw.random() < 0.1:
            room.leave(by=one)
        elif act == 50:
            room.delete(by=ana)
            made.remove(room)
        elif two in room.conversations and two != one:
            room.post("x", by=one, to=[two])
        else:
            room.post("y", by=draw.choice([one, ana]))
        if act % every == 0:
            lobby.figures(by=ana)
    lobby.figures(by=ana)
    return [(row.key, row.value) for row in storage.range("views.1", limit=9_999)]


# -- files


@pytest.mark.rule("G-VIEW-11")
def test_files_are_shown_with_their_senders_and_each_document_with_its_versions(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    ana = lobby.person("ana")
    hall.post("The log.", by=eve, attachments={"log.txt": b"x" * 5})
    clock.advance(60)
    hall.post("Two more.", by=eve, attachments={"a.bin": b"\x00", "b.txt": b"yes"})
    first = hall.files.write("plan.md", "One.", by=ben)
    clock.advance(60)
    hall.files.write("plan.md", "Two.", by=eve, base=first.id)
    hall.files.write("notes/day.txt", "Dry.", by=ben)

    carried = hall.files.attachments(by=ana)
    documents = hall.files.documents(by=ana)
    versions = {
        one.path: [
            (revision.change, str(revision.author), revision.at)
            for revision in hall.files.history(one.path, by=ana).items
        ]
        for one in documents
    }

    assert [(one.path, one.size, str(one.sender), one.at) for one in carried] == [
        ("a.bin", 1, str(eve), clock.at(60)),
        ("b.txt", 3, str(eve), clock.at(60)),
        ("log.txt", 5, str(eve), clock.at(0)),
    ]
    assert versions == {
        "notes/day.txt": [("created", str(ben), clock.at(120))],
        "plan.md": [
            ("changed", str(eve), clock.at(120)),
            ("created", str(ben), clock.at(60)),
        ],
    }


def test_a_page_of_the_list_costs_the_same_among_any_number_of_rooms() -> None:
    costs = []
    for many in (20, 300):
        storage, lobby, room, ben = grown(30)
        ana = lobby.person("ana")
        for number in range(many):
            lobby.create_room(f"r{number}", by=ana)
        lobby.list_rooms(by=ana)
        with counted(storage) as counts:
            lobby.list_rooms(by=ana, limit=10)
            lobby.list_rooms(by=ana, need_look=True)
            room.exchange(ben, by=ana)
        costs.append(counts["handed"])

    assert costs[0] == costs[1]
