"""
Streams of sends: whatever is repeated, by whichever process, after whatever crash, the
log is that of the same requests asked once each.
"""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from effort import sized
from lobby.place import NOON, Place
from rooms import Conversation, Lobby, OverLimit

STREAMS = sized(6, 30, 1_000)
RACED = sized(3, 15, 1_000)
REQUESTS = 10
NAMES = ("a", "b", "c")
ID = re.compile(r"\b(?:room|conversation|holder)_[0-9]{4,}|\b[0-9]{4,}(?=\.[0-9]{8})")
MADE = ("chain", "sum", "digest", "salt")
# What a retry may spell out, or leave out, of each kind.
SPELLED: dict[str | None, list[dict[str, Any]]] = {
    None: [{}, {"kind": "request"}, {"kind": "request", "expects_reply": True}],
    "notice": [{"kind": "notice"}, {"kind": "notice", "expects_reply": False}],
    "question": [{"kind": "question"}, {"kind": "question", "urgency": "normal"}],
    "report": [{"kind": "report"}, {"kind": "report", "fields": {}}],
}


class Asked:
    """One request, as its sender may ask for it again."""

    def __init__(self, draw: random.Random, number: int) -> None:
        self.sender = draw.choice(NAMES)
        self.to = draw.choice([*NAMES, "*", "room"])
        self.text = f"message {number}"
        self.key = f"k{number}"
        self.kind = draw.choice(list(SPELLED))
        self.later = draw.choice([None, None, None, 60 + number])

    def ask(self, lobby: Lobby, draw: random.Random, *, plainly: bool = False) -> bool:
        """Asks for it, and tells whether it was there already."""
        by: Conversation = lobby.agent(self.sender).conversation()
        spelled = SPELLED[self.kind]
        if self.to == self.sender:  # a note to oneself expects none unless it says so
            spelled = [one for one in spelled if not one.get("expects_reply")]
        meaning = dict(spelled[0] if plainly else draw.choice(spelled))
        if self.later is not None:  # an instant is the same wherever it is told
            east = timezone(timedelta(hours=0 if plainly else draw.choice([0, 2])))
            due = NOON + timedelta(seconds=self.later)
            meaning["deliver_at"] = due.astimezone(east)
        if self.to == "room":
            room = lobby.room("work")
            posted = room.post(self.text, by=by, request_id=self.key, **meaning)
        else:
            to: Any = self.to
            if not plainly and to != "*":
                agent = lobby.agent(to)
                to = draw.choice([to, f"agent:{to}", agent, agent.conversation()])
            posted = lobby.send(self.text, by=by, to=to, request_id=self.key, **meaning)
        return posted.duplicate


def stream_of(seed: int) -> list[Asked]:
    """The requests of a stream, in their order."""
    draw = random.Random(f"sends {seed}")
    return [Asked(draw, number) for number in range(REQUESTS)]


@pytest.fixture
def places() -> Iterator[list[Place]]:
    made: list[Place] = []
    yield made
    for place in made:
        place.close()


def furnished(places: list[Place], url: str = "memory:") -> tuple[Place, Lobby]:
    place = Place(url)
    places.append(place)
    lobby = place.open()
    for name in NAMES:
        lobby.add_agent(name, can_broadcast=True)
    ana = lobby.person("ana")
    lobby.create_room("work", by=ana, policy="broker").set_members(NAMES, by=ana)
    return place, lobby


def log_of(lobby: Lobby) -> list[dict[str, Any]]:
    """The log without what depends on how many ids were made, each named by place."""
    names: dict[str, str] = {}

    def named(found: re.Match[str]) -> str:
        return names.setdefault(found[0].rpartition("_")[2], f"<{len(names)}>")

    records = [json.loads(ID.sub(named, line)) for line in lobby.export()]
    return [
        {name: value for name, value in record.items() if name not in MADE}
        for record in records
        if "stream" in record
    ]


def by_stream(log: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(log, key=lambda record: (record["stream"], record["version"]))


@pytest.mark.rule("L-SEND-15", "L-SEND-19", "L-SEND-23", "L-SEND-30")
def test_repeats_leave_no_trace(places: list[Place], tmp_path: Path) -> None:
    """Each tenth stream in a file, where every handle has a connection of its own."""
    for seed in range(STREAMS):
        draw, stream = random.Random(f"repeats {seed}"), stream_of(seed)
        _, once = furnished(places)
        for asked in stream:
            assert not asked.ask(once, draw, plainly=True)
        file = f"sqlite:///{tmp_path / str(seed)}.db?durability=relaxed"
        place, lobby = furnished(places, "memory:" if seed % 10 else file)
        handles = [lobby, place.open()]
        done: list[Asked] = []
        for asked in stream:
            assert not asked.ask(draw.choice(handles), draw, plainly=True)
            done.append(asked)
            for again in draw.sample(done, draw.randrange(min(3, len(done)) + 1)):
                if draw.random() < 0.1:
                    handles[draw.randrange(2)] = place.crash()
                assert again.ask(draw.choice(handles), draw)

        for each in places:
            each.clock.advance(70)
            each.handles[-1].deliver()
        assert all(again.ask(draw.choice(handles), draw) for again in done)
        assert log_of(lobby) == log_of(once), f"seed {seed}"
        for finished in places:
            finished.close()
        places.clear()


@pytest.mark.rule("L-SEND-15", "L-SEND-30")
def test_two_processes_that_ask_for_the_same_leave_it_once(
    places: list[Place], tmp_path: Path
) -> None:
    """Both race through each stream; who is second is told what the first did."""
    program = [sys.executable, str(Path(__file__).parent / "campaign" / "senders.py")]
    senders = [
        subprocess.Popen(
            [*program, str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    won = [0, 0]
    for seed in range(RACED):
        draw = random.Random(f"plain {seed}")
        _, once = furnished(places)
        for asked in stream_of(seed):
            assert not asked.ask(once, draw, plainly=True)
        place, lobby = furnished(
            places, f"sqlite:///{tmp_path / str(seed)}.db?durability=relaxed"
        )
        for sender in senders:
            assert sender.stdin is not None
            print(seed, place.url, file=sender.stdin, flush=True)
        for number, sender in enumerate(senders):
            assert sender.stdout is not None
            won[number] += int(sender.stdout.readline())
        assert log_of(lobby) == log_of(once), f"seed {seed}"
        for each in places:
            each.clock.advance(70)
            each.handles[-1].deliver()
        # Rooms that are due at one instant are served in the order of their ids.
        assert by_stream(log_of(lobby)) == by_stream(log_of(once)), f"seed {seed}"
        for finished in places:
            finished.close()
        places.clear()

    for sender in senders:
        sender.communicate()
        assert sender.returncode == 0
    assert sum(won) == RACED * REQUESTS


def test_a_key_that_was_refused_is_free(places: list[Place]) -> None:
    """What was refused left nothing, so the same request passes later (unify 21)."""
    place, lobby = furnished(places)
    a = lobby.agent("a").conversation()
    for number in range(60):
        lobby.send(f"{number}", by=a, to="b")
    with pytest.raises(OverLimit):
        lobby.send("later", by=a, to="b", request_id="k")
    place.clock.advance(61)

    assert not lobby.send("later", by=a, to="b", request_id="k").duplicate
    assert lobby.send("later", by=a, to="b", request_id="k").duplicate
