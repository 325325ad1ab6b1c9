"""`rooms log`: an event a line, readable, and no text can forge another."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rooms.lobby import Lobby
from rooms.storage import SQLiteStorage

Command = Any


def test_every_event_is_one_line(team: Path, rooms: Command) -> None:
    done = rooms("log", team)

    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.split("\n")
    assert lines[0] == (
        "     1  2026-03-02T12:00:00.000000Z  lobby 1  person_added  by system"
        ' person="ana"'
    )
    assert lines[2] == (
        "     3  2026-03-02T12:00:00.000000Z  agent:ben 1  conversation_started"
        '  by system conversation="conversation_2" label="ben-talk" why="added"'
    )
    assert [line[:6].strip() for line in lines] == [*map(str, range(1, 10)), ""]


def test_words_are_shown_on_request_alone(team: Path, rooms: Command) -> None:
    silent, told = rooms("log", team), rooms("log", team, "--words")

    assert "Orders" not in silent.stdout
    assert "Last." not in silent.stdout
    assert 'text="Last."' in told.stdout
    assert 'name="Orders 2"' in told.stdout
    for done in (silent, told):
        assert done.stdout.split("\n")[7].endswith("(its words were erased)")


def test_no_text_moves_the_cursor_or_forges_a_line(team: Path, rooms: Command) -> None:
    done = rooms("log", team, "--words")

    assert len(done.stdout.splitlines()) == 9
    assert all(sign.isprintable() for sign in done.stdout.replace("\n", ""))
    shown = r'text="Hi\n     9  forged\r\u001b[2J\u2028\u202e\x85 end"'
    assert shown in done.stdout.splitlines()[6]


def test_no_name_moves_it_either(team: Path, rooms: Command) -> None:
    """Names are checked at the entrance; a file may come from anywhere."""
    odd = "x\n     1  lobby 1\x1b[2J\u202e"
    header = json.dumps({"by": odd, odd: [odd]}, ensure_ascii=False).encode()
    storage = SQLiteStorage(team)
    with storage._database.writing as run:
        run("UPDATE records SET header = ?, type = ? WHERE position = 5", (header, odd))
        run("UPDATE streams SET name = ? WHERE name = 'lobby'", (odd,))
    storage.close()

    for command in ("log", "verify"):
        done = rooms(command, team)
        assert all(sign.isprintable() for sign in done.stdout.replace("\n", ""))
        assert not any(
            line.startswith("     1  lobby 1") for line in done.stdout.splitlines()
        )
    assert len(rooms("log", team).stdout.splitlines()) == 9


@pytest.mark.parametrize("name", ["orders 2", "ORDERS2", "room_3"])
def test_one_room_is_chosen_by_its_name_or_its_id(
    name: str, team: Path, rooms: Command
) -> None:
    done = rooms("log", team, "--room", name)

    assert [line.split()[0] for line in done.stdout.splitlines()] == list("46789")


def test_a_part_is_chosen_by_position_and_number(team: Path, rooms: Command) -> None:
    def positions(*options: str) -> list[str]:
        done = rooms("log", team, *options)
        assert done.returncode == 0
        return [line.split()[0] for line in done.stdout.splitlines()]

    assert positions("--after", "6") == ["7", "8", "9"]
    assert positions("--after", "2", "--limit", "3") == ["3", "4", "5"]
    assert positions("--after", "5", "--limit", "2", "--room", "room_3") == ["6", "7"]
    assert positions("--after", "99") == []
    assert positions("--limit", "999999") == [str(number) for number in range(1, 10)]


def test_a_long_log_is_shown_to_its_end(tmp_path: Path, rooms: Command) -> None:
    path = tmp_path / "long.db"
    with Lobby.open(f"sqlite:///{path}?durability=relaxed") as lobby:
        ana = lobby.person("ana")
        room = lobby.create_room("r", by=ana, policy="thread")
        for number in range(1_100):  # more than is read at once, twice
            room.post(str(number), by=ana)

    assert len(rooms("log", path).stdout.splitlines()) == 1_103
    assert len(rooms("log", path, "--room", "r").stdout.splitlines()) == 1_101


def test_an_object_a_line_says_all(team: Path, rooms: Command) -> None:
    done = rooms("log", team, "--json", "--words", "--after", "7")

    erased, last = map(json.loads, done.stdout.splitlines())
    assert last == {
        "position": 9,
        "at": "2026-03-02T12:00:01.000000Z",
        "stream": "room:room_3",
        "version": 5,
        "type": "message_posted",
        "erased": False,
        "header": {
            "by": "person:ana",
            "rules": 1,
            "seq": 3,
            "sender": "",
            "author": "ana",
            "to": ["agent:ben"],
            "owed": [["conversation_2", "now", "direct", "tagged", "ready"]],
        },
        "words": {"text": "Last.", "unresolved": []},
    }
    assert (erased["erased"], erased["words"]) == (True, None)
    assert "words" not in json.loads(rooms("log", team, "--json").stdout.split("\n")[0])


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["--room", "nowhere"], "room_not_found"),
        (["--room", "room_9"], "room_not_found"),
        (["--room", "room:room_3"], "room_not_found"),
        (["--room", ""], "room_not_found"),
        (["--room", "a\x1b[2J\n"], "room_not_found"),
        (["--limit", "0"], "invalid_request"),
        (["--after", "-1"], "invalid_request"),
        (["--after", "9" * 30], "invalid_request"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(
    options: list[str], code: str, team: Path, rooms: Command
) -> None:
    done = rooms("log", team, *options)

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("rooms log: ")
    assert done.stderr.endswith(f"[{code}]\n")
    assert "\x1b" not in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_damaged_record_is_named_and_the_others_are_shown(
    team: Path, rooms: Command
) -> None:
    storage = SQLiteStorage(team)
    with storage._database.writing as run:
        run("UPDATE records SET header = x'7b1b0a', type = 'x' WHERE position = 5")
    storage.close()

    done = rooms("log", team)

    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == 9
    assert "DAMAGED: lobby 3 is no JSON" in done.stdout.splitlines()[4]
    assert '"damaged"' in rooms("log", team, "--json").stdout.splitlines()[4]


def test_a_reader_who_has_seen_enough_is_no_fault(team: Path, unread: Command) -> None:
    assert unread("log", team) == (0, b"")
