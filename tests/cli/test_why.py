"""`rooms why`: the message, the seat, the rule, and what filled the window."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from rooms.lobby import Lobby
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy

Command = Any
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def full(tmp_path: Path) -> tuple[Path, list[str]]:
    """Ben's window is full of two messages when the third comes; cy was not tagged."""
    path = tmp_path / "full.db"
    policy = RoomPolicy(wake_window=RateWindow(2, timedelta(minutes=5)))
    with Lobby.open(path, clock=lambda: NOON) as lobby:
        eve, ben, cy = (
            lobby.add_agent(one).conversation() for one in ("eve", "ben", "cy")
        )
        room = lobby.create_room("orders", by=lobby.person("ana"), policy=policy)
        for one in (eve, ben, cy):
            room.join(by=one)
        ids = [room.post(text, by=eve, to=[ben]).message.id for text in "abc"]
    return path, ids


def test_it_tells_each_seat_of_the_room(
    full: tuple[Path, list[str]], rooms: Command
) -> None:
    path, ids = full
    before = path.read_bytes()

    done = rooms("why", path, ids[2])

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "message 3 by agent:eve, at 2026-03-02 12:00:00\n"
        "agent:eve: author, by own_message (recorded)\n"
        "agent:ben: held until 2026-03-02 12:05:00, by tagged (recorded);"
        " the window was full of 1-2; a person's message would have woken it\n"
        "agent:cy: read only, by not_tagged (derived);"
        " its label, a reply to it or an `all` would have woken it\n"
    )
    assert path.read_bytes() == before


def test_a_number_with_its_room_and_one_seat_are_enough(
    full: tuple[Path, list[str]], rooms: Command
) -> None:
    done = rooms("why", full[0], "3", "ben", "--room", "orders", "--json")

    told = json.loads(done.stdout)
    assert (told["seq"], told["sender"], len(told["seats"])) == (3, "agent:eve", 1)
    assert told["seats"][0]["filled_by"] == [1, 2]


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["3"], "--room is missing"),
        (["3"], " (orders) [invalid_request]"),
        (["9", "--room", "orders"], "orders has no message 9"),
        (["0", "--room", "orders"], "orders has no message 0"),
        (["9" * 5_000, "--room", "orders"], "orders has no message 999"),
        (["3", "--room", "lunch"], "no room 'lunch' is known; in the file: room_"),
        (["3", "--room", "lunch"], " (orders)"),
        (["nonsense"], "no room"),
        (["3", "dan", "--room", "orders"], "dan is no agent that was in the room"),
        (["3", "dan", "--room", "orders"], "there were eve, ben, cy"),
    ],
)
def test_what_is_not_there_is_told(
    arguments: list[str],
    problem: str,
    full: tuple[Path, list[str]],
    rooms: Command,
) -> None:
    done = rooms("why", full[0], *arguments)

    assert (done.returncode, done.stdout) == (2, "")
    assert problem in done.stderr


def test_schema_lists_what_a_log_may_hold(rooms: Command) -> None:
    every = json.loads(rooms("schema", "--json").stdout)
    one = rooms("schema", "granted")

    assert {"message_posted", "wake_taken", "agent_added"} <= set(every)
    assert every["message_posted"]["body"][0] == "text"
    assert one.stdout.splitlines()[1:] == [
        "  header: conversation, entries, at, why, charged"
    ]
    assert rooms("schema", "nonsense").returncode == 2


def test_a_person_is_told_apart_from_an_agent_that_was_not_there(
    full: tuple[Path, list[str]], rooms: Command
) -> None:
    person = rooms("why", full[0], "3", "person:ana", "--room", "orders")

    assert "person:ana is a person, and only agents are woken" in person.stderr
    assert person.returncode == 2


def test_plugins_are_listed_and_loaded_on_request_alone(
    tmp_path: Path, rooms: Command
) -> None:
    # An installed distribution is a folder beside the modules; here, the working one.
    info = tmp_path / "mail_for_rooms-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mail-for-rooms\n")
    (info / "entry_points.txt").write_text("[rooms]\nmail = mail\nbad = nowhere\n")
    (tmp_path / "mail.py").write_text(
        "from rooms.hooks import hookimpl\nprint('imported')\n"
        "@hookimpl\ndef rooms_carry(wake):\n    return None\n"
    )

    listed, loaded = rooms("plugins"), rooms("plugins", "--load")

    assert listed.stdout.splitlines() == [
        "bad  of mail-for-rooms",
        "mail  of mail-for-rooms",
    ]
    assert listed.returncode == 0
    assert loaded.stdout.splitlines() == [
        "imported",
        "mail  rooms_carry",
        "bad  FAILED: ModuleNotFoundError: No module named 'nowhere'",
    ]
    assert loaded.returncode == 1
