"""Idleness: who was quiet for long is shown as previous, then follows no more."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lobby.place import Clock, Place
from rooms import Conversation, InvalidInput, Lobby, Room
from rooms.log.state import RoomState

DAY = timedelta(days=1)


def previous(hall: Room, by: Any) -> list[str]:
    """Whose seats the room shows as previous."""
    found = hall.participants(by=by)
    return [
        str(seat.conversation)
        for agent in (*found.agents, *found.previous)
        for seat in agent.seats
        if seat.previous
    ]


@pytest.mark.rule("G-IDLE-03", "G-FOLLOW-05")
def test_after_thirty_idle_days_a_seat_follows_no_more_and_a_label_still_wakes_it(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    clock.advance(days=29)
    hall.post("Still here.", by=ben)
    clock.advance(days=1, seconds=-1)
    assert lobby.sweep().dropped == ()
    clock.advance(seconds=1)

    assert [(one.room, one.conversation) for one in lobby.sweep().dropped] == [
        (hall, eve)
    ]

    assert lobby.sweep().dropped == ()
    assert eve.rooms == ()
    assert hall.members == (lobby.agent("Eve"), lobby.agent("ben-web"))
    assert hall.post("All?", by=ben, to=["all", "room"]).woken == ()
    assert hall.post("Eve?", by=ben, to=[eve]).woken == (eve,)


def test_what_an_idle_seat_was_owed_as_one_of_many_ends_and_explain_says_why(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.subscribe(by=eve, mode="next_turn")
    posted = hall.post("For everybody.", by=ben, to=["all"]).message
    clock.advance(days=31)

    lobby.sweep()

    assert "ended as its seat was idle" in str(hall.explain(posted.id))


@pytest.mark.rule("G-IDLE-01")
@pytest.mark.parametrize("sign", ["post", "read", "read nothing", "wake"])
def test_a_post_a_read_and_a_wake_are_signs_of_life(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, sign: str
) -> None:
    ben = lobby.conversation("ben-web")
    hall.post("Hello.", by=ben)
    clock.advance(days=20)
    if sign == "post":
        hall.post("I am here.", by=eve)
    elif sign == "read":
        hall.read(by=eve)
    elif sign == "read nothing":
        hall.read(by=eve, after=1)
    else:
        hall.post("Wake up.", by=ben, to=[eve])
        assert len(lobby.take_wakes(conversations=[eve])) == 1
    clock.advance(days=11)

    assert eve not in [one.conversation for one in lobby.sweep().dropped]

    clock.advance(days=19)
    assert eve in [one.conversation for one in lobby.sweep().dropped]


def test_who_follows_anew_is_not_dropped_at_once(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation
) -> None:
    clock.advance(days=40)
    assert eve in [one.conversation for one in lobby.sweep().dropped]

    hall.subscribe(by=eve, mode="when_tagged")

    lobby._desk.storage.forget_projection("views.1")  # and every day is looked at anew
    assert lobby.sweep().dropped == ()
    assert eve.rooms == (hall,)
    clock.advance(days=30)
    assert [one.conversation for one in lobby.sweep().dropped] == [eve]


@pytest.mark.rule("G-IDLE-02", "G-IDLE-04")
def test_after_seven_days_one_is_shown_as_previous_and_any_sign_of_life_ends_that(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    ana = lobby.person("ana")
    clock.advance(days=7, seconds=-1)
    assert previous(hall, ana) == []
    clock.advance(seconds=1)
    assert previous(hall, ana) == ["agent:Eve/acme", "agent:ben-web"]

    assert hall.post("All?", by=eve, to=["all"]).woken == (ben,)  # display only

    assert previous(hall, ana) == ["agent:ben-web"]
    found = hall.participants(by=ana, previous_after=8 * DAY)
    assert [one.agent.id for one in found.agents] == ["Eve", "ben-web"]


def test_a_sweep_looks_only_at_rooms_of_days_that_are_long_past(
    monkeypatch: pytest.MonkeyPatch,
    lobby: Lobby,
    clock: Clock,
    hall: Room,
    eve: Conversation,
) -> None:
    clock.advance(days=25)
    fresh = lobby.create_room("fresh", by=eve)
    clock.advance(days=6)
    asked: list[str] = []
    whole = lobby._desk.room

    def room(name: str) -> RoomState:
        asked.append(name)
        return whole(name)

    monkeypatch.setattr(lobby._desk, "room", room)

    lobby.sweep()

    assert set(asked) == {hall.id}
    asked.clear()
    assert lobby.sweep().dropped == ()  # that day lies behind, and was swept
    assert asked == []
    clock.advance(days=25)
    assert [(one.room, one.conversation) for one in lobby.sweep().dropped] == [
        (fresh, eve)
    ]


@pytest.mark.parametrize("wrong", [timedelta(0), timedelta(days=-1), 30, None])
def test_no_duration_is_no_idleness(lobby: Lobby, hall: Room, wrong: Any) -> None:
    with pytest.raises(InvalidInput, match="idle_for"):
        lobby.sweep(idle_for=wrong)
    with pytest.raises(InvalidInput, match="previous_after"):
        hall.participants(by=lobby.person("ana"), previous_after=wrong)


# -- presence


@pytest.mark.rule("G-IDLE-05")
def test_a_helper_counts_as_there_for_ninety_seconds_and_delivery_does_not_ask(
    place: Place, lobby: Lobby, clock: Clock, hall: Room, ben: Conversation
) -> None:
    log = list(lobby.export())
    assert not ben.is_present()
    ben.check_in()
    clock.advance(seconds=89.999)
    other = place.crash()
    assert other.conversation("ben-web").is_present()
    clock.advance(seconds=0.001)

    assert not ben.is_present()

    eve = lobby.conversation("Eve", label="acme")
    assert list(lobby.export()) == log  # advice stands in no log
    hall.post("For ben.", by=eve, to=[ben])
    assert len(lobby.take_wakes(conversations=[ben])) == 1
    ben.check_in()
    found = hall.participants(by=lobby.person("ben"))
    present = {str(s.conversation): s.present for a in found.agents for s in a.seats}
    assert present == {"agent:Eve/acme": None, "agent:ben-web": True}


def test_a_check_in_that_comes_late_takes_nothing_back(
    lobby: Lobby, clock: Clock, ben: Conversation
) -> None:
    ben.check_in(now=clock.at(60))

    ben.check_in(now=clock.at(0))

    assert ben.is_present(now=clock.at(149))
    assert not ben.is_present(now=clock.at(150))
