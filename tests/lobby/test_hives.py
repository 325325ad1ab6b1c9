"""Hives: what only one agent's own conversations share."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from lobby.place import Clock, Place
from lobby.test_views import Administers
from rooms import (
    Conversation,
    InvalidInput,
    Lobby,
    NotAllowed,
    NotFound,
    Refused,
    Room,
    hookimpl,
)

MINUTE = timedelta(minutes=1)


@pytest.fixture
def first(lobby: Lobby) -> Conversation:
    """A public conversation of a threaded agent that has a hive."""
    lobby.add_agent("Eve", threaded=True, owner="ana").switch_hive(True)
    return lobby.conversation("Eve", label="first").set_public(True)


@pytest.fixture
def second(lobby: Lobby, first: Conversation) -> Conversation:
    """Another one."""
    return lobby.conversation("Eve", label="second").set_public(True)


@pytest.fixture
def hive(lobby: Lobby, first: Conversation, second: Conversation) -> Room:
    """The hive, after a turn of each."""
    for one in (first, second):
        with lobby.turn(one):
            pass
    return hive_of(lobby)


def hive_of(lobby: Lobby, agent: str = "Eve") -> Room:
    hive = lobby.agent(agent).hive
    assert hive is not None
    return hive


@pytest.mark.rule("G-HIVE-01", "G-HIVE-03")
def test_the_first_turn_of_a_public_conversation_brings_it_into_the_hive(
    lobby: Lobby, first: Conversation, second: Conversation
) -> None:
    assert lobby.agent("Eve").hive is None

    with lobby.turn(first):
        pass

    hive = hive_of(lobby)
    assert (hive.name, hive.hive) == ("Eve-hive", lobby.agent("Eve"))
    assert list(hive.conversations) == [first]
    with lobby.turn(second):
        pass
    assert list(hive.conversations) == [first, second]
    hive.post("I work on the invoices.", by=first)
    assert lobby.take_wakes() == []  # it waits for the next turn
    with lobby.turn(second) as turn:
        [notice] = turn.notices
    assert [one.content for one in notice.messages] == ["I work on the invoices."]
    modes = [seat.mode for seat in hive.participants(by=first).agents[0].seats]
    assert modes == ["next_turn", "next_turn"]


@pytest.mark.rule("G-HIVE-02", "G-LIMIT-03")
@pytest.mark.parametrize(
    ("default", "switch", "has"),
    [
        *((False, None, False), (False, True, True), (False, False, False)),
        *((True, None, True), (True, True, True), (True, False, False)),
    ],
)
def test_an_agents_own_switch_decides_and_the_lobby_where_it_is_unset(
    place: Place, default: bool, switch: bool | None, has: bool
) -> None:
    lobby = Lobby(place.storage, clock=place.clock, hives=default)
    place.handles.append(lobby)
    lobby.add_agent("Eve", threaded=True).switch_hive(switch)
    one = lobby.conversation("Eve", label="a").set_public(True)

    with lobby.turn(one):
        pass

    assert (lobby.agent("Eve").hive is not None) == has


def test_a_hive_is_switched_off_and_on_again(
    lobby: Lobby, hive: Room, first: Conversation
) -> None:
    hive.post("One.", by=first)
    lobby.agent("Eve").switch_hive(False)

    assert list(hive.conversations) == []
    with pytest.raises(NotAllowed) as refused:
        hive.post("Two.", by=first)
    assert refused.value.code == "not_a_member"
    with lobby.turn(first):
        pass
    assert list(hive.conversations) == []
    assert [one.content for one in hive.read(by=first)] == ["One."]

    lobby.agent("Eve").switch_hive(True)
    with lobby.turn(first):
        pass

    assert hive_of(lobby) == hive
    assert hive.post("Two.", by=first).message.seq == 2


@pytest.mark.rule("G-HIVE-04", "G-HIVE-09")
@pytest.mark.parametrize("public", [False, None])
def test_a_conversation_that_is_not_known_to_be_public_reads_and_never_posts(
    lobby: Lobby, hive: Room, first: Conversation, public: bool | None
) -> None:
    hive.post("For all of us.", by=first)
    other = lobby.conversation("Eve", label="other")
    if public is not None:
        other.set_public(public)
    assert other.public is public

    with lobby.turn(other):
        pass

    assert other not in hive.conversations
    assert [one.content for one in hive.read(by=other)] == ["For all of us."]
    assert [one.seq for one in hive.search("us", by=other)] == [1]
    with pytest.raises(NotAllowed):
        hive.post("Me too.", by=other)
    with pytest.raises(NotAllowed) as refused:
        hive.join(by=other)
    assert refused.value.code == "hive_closed"
    assert hive.position == 1


def test_one_that_becomes_private_leaves_the_hive_and_reads_it_still(
    lobby: Lobby, hive: Room, first: Conversation, second: Conversation
) -> None:
    hive.post("Before.", by=first)

    first.set_public(None)

    assert list(hive.conversations) == [second]
    with pytest.raises(NotAllowed):
        hive.post("After.", by=first)
    assert len(hive.latest(by=first)) == 1
    first.set_public(True)
    with lobby.turn(first):
        pass
    assert list(hive.conversations) == [first, second]


@pytest.mark.rule("G-HIVE-05")
def test_nobody_else_comes_in_and_no_new_conversation_is_started_there(
    lobby: Lobby, hive: Room, first: Conversation, second: Conversation
) -> None:
    ben = lobby.add_agent("ben-web", owner="ana").conversation()
    lobby.add_agent("Gennie", threaded=True, owner="ana")
    other = lobby.conversation("Gennie", label="x").set_public(True)
    ana = lobby.person("ana")
    outside: dict[str, Callable[[Any], object]] = {
        "join": lambda by: hive.join(by=by),
        "post": lambda by: hive.post("x", by=by),
        "read": lambda by: hive.read(by=by),
        "exchange": lambda by: hive.exchange(first, by=by),
        "look up": lambda by: lobby.room(hive.id, by=by),
        "invite": lambda by: hive.invite("ben-web", by=by),
    }
    for by in (ben, other, ana):
        for name, call in outside.items():
            if name == "join" and by is ana:
                continue
            with pytest.raises(NotFound) as unknown:
                call(by)
            assert unknown.value.code == "room_not_found"
    inside: tuple[Callable[[], object], ...] = (
        lambda: hive.invite("ben-web", by=first),
        lambda: hive.invite("Gennie", by=first),
        lambda: hive.post("x", by=first, to=["agent:Eve"]),
        lambda: hive.post("x", by=first, to=["agent:Eve/new"]),
    )
    for attempt in inside:
        with pytest.raises(NotAllowed) as closed:
            attempt()
        assert closed.value.code == "hive_closed"

    assert hive.post("x", by=first, to=[second]).later == (second,)
    assert list(hive.conversations) == [first, second]
    with pytest.raises(NotFound):
        lobby.room("Eve-hive")  # a hive has no name by which it is found
    assert lobby.create_room("Eve-hive", by=ben).name == "Eve-hive"


@pytest.mark.rule("G-HIVE-06")
def test_a_reminder_is_due_after_five_quiet_minutes_with_other_work(
    lobby: Lobby, clock: Clock, hive: Room, first: Conversation
) -> None:
    start = clock.now
    hive.post("Here.", by=first)

    def due(seconds: float, worked: float) -> bool:
        worked_at = start + timedelta(seconds=worked)
        notice = first.hive_reminder(worked_at=worked_at, now=clock.at(seconds))
        assert notice is None or notice.kind == "hive_reminder"
        return notice is not None

    assert not due(299.999, 200)
    assert due(300, 200)
    assert not due(300, 0)  # it worked on nothing since
    assert not due(300, -60)
    assert due(10_000, 0.001)
    before = list(lobby.export())
    assert due(300, 200)
    assert list(lobby.export()) == before  # without consequences
    later = first.hive_reminder(worked_at=clock.at(30), after=MINUTE, now=clock.at(60))
    assert later is not None
    clock.advance(300)
    hive.post("Still here.", by=first)
    assert not due(590, 580)
    assert due(600, 580)


def test_who_never_posted_is_reminded_from_its_coming_on_and_others_never(
    lobby: Lobby, clock: Clock, hive: Room, second: Conversation
) -> None:
    worked = clock.at(200)
    assert second.hive_reminder(worked_at=worked, now=clock.at(299)) is None
    assert second.hive_reminder(worked_at=worked, now=clock.at(300)) is not None
    other = lobby.conversation("Eve", label="other")
    ben = lobby.add_agent("ben-web").conversation()
    for one in (other, ben):
        assert one.hive_reminder(worked_at=worked, now=clock.at(999)) is None


@pytest.mark.rule("G-HIVE-07")
def test_what_is_from_a_hive_is_marked_so_that_a_host_hides_it(
    lobby: Lobby, hive: Room, first: Conversation, second: Conversation
) -> None:
    room = lobby.create_room("work", by=first).join(by=second)
    hive.post("From the hive.", by=first, to=[second])
    room.post("From the room.", by=first, to=[second])

    with lobby.turn(second) as turn:
        told = {notice.room: notice.hidden for notice in turn.notices}

    assert told == {hive: True, room: False}
    assert (hive.hive, room.hive) == (lobby.agent("Eve"), None)


@pytest.mark.rule("G-HIVE-08", "G-AUDIT-03", "G-ACCESS-06")
def test_an_administrator_reads_a_hive_read_only_and_each_read_is_recorded(
    lobby: Lobby, hive: Room, first: Conversation
) -> None:
    lobby.register(Administers())
    root = lobby.person("root")
    hive.post("Between us.", by=first)

    page = hive.read(by=root)
    members = hive.participants(by=root)

    assert [one.content for one in page] == ["Between us."]
    for view in (page, members):
        assert (view.read_only, view.audited) == (True, True)
    looks = [(str(one.person), one.room, one.what) for one in lobby.audit(by=root)]
    assert looks == [
        ("person:root", hive.id, "messages"),
        ("person:root", hive.id, "members"),
    ]
    with pytest.raises(Refused) as refused:
        hive.post("x", by=root)
    assert refused.value.code == "read_only_access"


@pytest.mark.rule("G-VIEW-02")
def test_a_hive_is_in_no_list_and_no_figure_but_the_administrators_own(
    lobby: Lobby, clock: Clock, hive: Room, first: Conversation
) -> None:
    lobby.register(Administers())
    root, ana = lobby.person("root"), lobby.person("ana")
    hive.post("x", by=first)

    for by in (root, ana, first):
        assert lobby.list_rooms(by=by).items == ()
        assert lobby.list_rooms(by=by, participant=lobby.agent("Eve")).items == ()
        counted = lobby.figures(by=by)
        assert (counted.rooms, counted.messages, counted.participants) == (0, 0, 0)
        assert counted.own == 0
    assert lobby.rooms == ()
    [listed] = lobby.hives(by=root)
    assert (listed.room, listed.name, listed.messages) == (hive, "Eve-hive", 1)
    assert (listed.access, listed.read_only, listed.audited) == ("hive", True, True)
    others: tuple[Any, ...] = (ana, first)
    for other in others:
        with pytest.raises(NotAllowed) as refused:
            lobby.hives(by=other)
        assert refused.value.code == "administrator_required"


def test_two_processes_make_one_hive(
    place: Place, lobby: Lobby, first: Conversation, second: Conversation
) -> None:
    other = place.crash()
    with lobby.turn(first), other.turn(other.conversation("Eve", label="second")):
        pass

    assert hive_of(lobby) == hive_of(other)
    assert hive_of(lobby).conversations == (first, second)


def test_a_deleted_hive_is_made_anew(
    place: Place, lobby: Lobby, hive: Room, first: Conversation
) -> None:
    lobby.register(Deletes())
    root = lobby.person("root")
    hive.delete(by=root)
    assert lobby.agent("Eve").hive is None

    with lobby.turn(first):
        pass

    assert hive_of(lobby) != hive
    assert hive_of(place.crash()).conversations == (first,)


class Deletes:
    """A host in which root may do everything."""

    @hookimpl
    def rooms_may(self, actor: Any) -> bool | None:
        return True if actor.id == "root" else None


@pytest.mark.parametrize("wrong", [1, "yes", 0, object()])
def test_what_is_no_switch_is_named(
    lobby: Lobby, first: Conversation, wrong: Any
) -> None:
    with pytest.raises(InvalidInput, match=r"^on "):
        lobby.agent("Eve").switch_hive(wrong)
    with pytest.raises(InvalidInput, match=r"^public "):
        first.set_public(wrong)
    with pytest.raises(InvalidInput, match="worked_at"):
        first.hive_reminder(worked_at=wrong)


def test_a_single_agent_has_no_hive(lobby: Lobby) -> None:
    ben = lobby.add_agent("ben-web").switch_hive(True).conversation()
    ben.set_public(True)

    with lobby.turn(ben):
        pass

    assert lobby.agent("ben-web").hive is None
