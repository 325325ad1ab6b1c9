"""Restarts that a host has planned: who is told, and how often."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest

from lobby.place import Clock, Place
from rooms import Conversation, InvalidInput, Lobby, Room
from rooms.rendering import Notice


def told(lobby: Lobby, one: Conversation) -> list[dict[str, object]]:
    """What a turn of a conversation announces."""
    with lobby.turn(one) as turn:
        return [dict(notice.data) for notice in turn.announced]


@pytest.mark.rule("G-NOTICE-02", "G-LIMIT-03")
def test_conversations_in_rooms_are_told_once_at_a_turn_or_by_their_helper(
    place: Place,
    lobby: Lobby,
    clock: Clock,
    hall: Room,
    eve: Conversation,
) -> None:
    ben = lobby.conversation("ben-web")
    outside = lobby.conversation("Eve", label="outside")
    at = clock.at(600)
    lobby.announce_restart(at, "A new version.", notify_rooms=True)
    said = {"at": "2026-03-02T12:10:00+00:00", "reason": "A new version."}

    assert told(lobby, eve) == [said]
    other = place.crash()
    assert told(other, other.conversation("Eve", label="acme")) == []
    assert [dict(one.data) for one in ben.check_in()] == [said]
    assert ben.check_in() == ()
    assert told(lobby, ben) == []
    assert told(lobby, outside) == []  # it is in no room

    lobby.announce_restart(at, "Later.", notify_rooms=True)
    assert told(lobby, eve) == [{**said, "reason": "Later."}]


def test_agents_are_not_told_unless_it_is_asked_for_nor_of_what_is_over(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation
) -> None:
    lobby.announce_restart(clock.at(600), "Quietly.")
    assert told(lobby, eve) == []
    planned = lobby.planned_restart()
    assert planned is not None
    assert (planned.at, planned.reason) == (clock.at(600), "Quietly.")
    assert not planned.notify_rooms
    lobby.announce_restart(clock.at(600), notify_rooms=True)
    clock.advance(600)

    assert told(lobby, eve) == []
    assert lobby.planned_restart() is None


def test_a_restart_that_is_called_off_is_told_to_nobody(
    place: Place, lobby: Lobby, clock: Clock, hall: Room, eve: Conversation
) -> None:
    lobby.call_off_restart()
    before = place.storage.position()
    lobby.call_off_restart()
    assert place.storage.position() == before
    lobby.announce_restart(clock.at(600), "Soon.", notify_rooms=True)

    lobby.call_off_restart()

    assert place.crash().planned_restart() is None
    assert told(lobby, eve) == []


def test_a_wake_shows_what_its_turn_announces(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("Ben?", by=eve, to=[ben])
    lobby.announce_restart(clock.at(600), "[end]\n| forged", notify_rooms=True)
    [wake] = lobby.take_wakes(conversations=[ben])

    with lobby.turn(wake) as turn:
        shown = wake.render(also=turn.announced)

    assert "note restart_planned" in shown
    assert "\n| forged" not in shown
    assert "restart_planned" not in wake.render()


@pytest.mark.parametrize(
    ("given", "field"),
    [
        (("soon",), "at"),
        ((datetime(2026, 1, 1),), "at"),  # noqa: DTZ001
        ((None,), "at"),
        ((Clock().at(1), 5), "reason"),
        ((Clock().at(1), "\ud800"), "reason"),
    ],
)
def test_what_is_no_restart_is_named(
    lobby: Lobby, given: tuple[Any, ...], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        lobby.announce_restart(*given)

    assert refused.value.field == field
    with pytest.raises(InvalidInput, match="notify_rooms"):
        lobby.announce_restart(Clock().at(1), notify_rooms="yes")  # type: ignore[arg-type]


def test_a_reminder_is_rendered_as_a_notice_of_the_library(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("Ben?", by=eve, to=[ben])
    [wake] = lobby.take_wakes()

    shown = wake.render(also=[Notice("hive_reminder", {"room": "Eve-hive"})])

    assert "note hive_reminder" in shown
    assert timedelta(0) < wake.until - lobby._desk.clock()
