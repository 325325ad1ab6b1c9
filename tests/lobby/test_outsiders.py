"""
Outsiders learn nothing: pairs of runs that differ in a secret room alone.

One script is played twice on lobbies of their own, once with what happens in a secret
room between its steps, and once without. Whoever is outside the room is answered the
same in both, byte for byte: every read, error, count, search, listing and wake.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from functools import partial
from itertools import repeat
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import pytest
from attrs import define, evolve, field, frozen

from effort import sized
from rooms import Lobby, Room, RoomPolicy, SQLiteStorage, Storage
from rooms.errors import RoomsError
from rooms.hooks import hookimpl
from rooms.log.actors import Actor
from rooms.log.records import record_id
from rooms.storage import MemoryStorage
from rooms.testing import Command, CountingIds, FakeClock, Outcome, Stage

PAIRS = sized(15, 300, 3_000)
ON_FILES = sized(3, 10, 100)

SECRET = "room_s1"
STEPS = 40
SHORT = timedelta(minutes=6)
POLICIES = (RoomPolicy(), RoomPolicy(people="watch"), RoomPolicy(settle_on="ack"))

ADDRESSES = (
    *("room", "all", "agent:Eve", "agent:Eve/all", "agent:Eve/work", "agent:ben"),
    *("agent:Tess", "agent:Tess/work", "agent:out", "person:ana", "nobody", "a/b", ""),
)

LOOKS: Sequence[Callable[[Room, Any], Any]] = (
    lambda room, eye: room.read(by=eye, limit=3),
    lambda room, eye: room.latest(by=eye, limit=3),
    lambda room, eye: room.search("nightingale", by=eye),
    lambda room, eye: room.participants(by=eye),
    lambda room, eye: room.windows(by=eye),
    lambda room, eye: room.explain(record_id(room.id, 4), by=eye),
    lambda room, eye: room.exchange(eye, by=eye),
    lambda room, eye: room.files.documents(by=eye),
    lambda room, eye: room.files.history("plan.md", by=eye),
    lambda room, eye: room.files.read("plan.md", by=eye),
    lambda room, eye: room.files.attachments(by=eye),
)
VIEWS: Sequence[Callable[[Lobby, Any], Any]] = (
    lambda lobby, eye: lobby.list_rooms(by=eye),
    lambda lobby, eye: lobby.list_rooms(by=eye, need_look=True),
    lambda lobby, eye: lobby.list_rooms(by=eye, participant=lobby.agent("Eve")),
    lambda lobby, eye: lobby.list_rooms(by=eye, participant=lobby.person("ana")),
    lambda lobby, eye: lobby.figures(by=eye),
    lambda lobby, eye: lobby.invitations(by=eye),
    lambda lobby, eye: lobby.hives(by=eye),
    lambda lobby, eye: lobby.audit(by=eye),
)

SEEN: Counter[tuple[str, str]] = Counter()
"""What outsiders were answered, by verb and code."""


T = TypeVar("T")


@frozen
class People:
    """Who acts: agents, their conversations, persons, and what they rule."""

    agents: tuple[str, ...]
    seats: tuple[str, ...]
    persons: tuple[str, ...]
    rule: tuple[str, ...] = ("pause", "unpause")


INSIDE = People(("Eve", "ben", "cy"), ("Eve#0", "Eve#1", "ben", "cy"), ("person:ana",))
OUTSIDE = People(  # zoe owns agents outside, mo owns none
    ("Tess", "out"),
    ("Tess#0", "Tess#1", "out"),
    ("person:zoe", "person:mo"),
    ("pause", "unpause", "delete"),
)


class Ids:
    """Ids that count, in the secret room's lane with numbers of their own."""

    def __init__(self) -> None:
        self.lanes = {"": CountingIds(), "s": CountingIds()}
        self.lane = ""

    def __call__(self, prefix: str) -> str:
        name, _, number = self.lanes[self.lane](prefix).rpartition("_")
        return f"{name}_{self.lane}{number}"


class Host:
    """A host that lets its insiders add each other, and carries what outsiders get."""

    def __init__(self) -> None:
        self.carried: list[tuple[Any, str]] = []

    @hookimpl
    def rooms_may(self, actor: Actor, action: str) -> bool | None:
        return True if actor.person == "ana" and action == "add_agent" else None

    @hookimpl
    def rooms_carry(self, wake: Any) -> str | None:
        if wake.conversation.agent not in OUTSIDE.agents:
            return None
        # Its id tells in which order a host delivers to all, which is the host's own.
        self.carried.append((evolve(wake, id=""), wake.render()))
        return "delivered"


class Outside(Stage):
    """Who is outside may hold a handle of any room, whether it is there or not."""

    def room(self, place: int) -> Room:
        """The room at a place, looked up by nobody."""
        return Room(self.rooms[place % len(self.rooms)], self.lobby._desk)

    def message(self, place: int | None) -> str | None:
        """A message's id; every third is one that the secret room may have."""
        if place is None or place % 3:
            return super().message(place)
        return record_id(SECRET, place + 2)


@define(eq=False)
class Run:
    """A lobby with insiders and outsiders, with or without the secret room."""

    storage: Storage
    secret: bool
    ids: Ids = field(factory=Ids)
    clock: FakeClock = field(factory=FakeClock)
    host: Host = field(factory=Host)
    open: Stage = field(init=False)
    outside: Stage = field(init=False)
    inside: Stage = field(init=False)

    def __attrs_post_init__(self) -> None:
        lobby = Lobby(
            self.storage, clock=self.clock, ids=self.ids, salt=lambda: b"s" * 16
        )
        lobby.register(self.host)
        self.open = Stage(lobby, self.clock)
        self.outside = Outside(lobby, self.clock, messages=self.open.messages)
        self.inside = Stage(lobby, self.clock)
        self._set()

    def _set(self) -> None:
        stage = self.open
        for name, threaded, owner in (
            ("Eve", True, "ana"),
            ("ben", False, "ana"),
            ("cy", False, None),
            ("Tess", True, "zoe"),
            ("out", False, "zoe"),
        ):
            stage.add_agent(name, threaded=threaded, owner=owner)
        for person in ("zoe", "mo"):
            stage.lobby.person(person)
        for agent in ("Eve", "Tess"):
            stage.start(agent, thread="t-1")
            stage.start(agent, label="work", acts_for="ana" if agent == "Eve" else None)
        stage.create_room("commons", by="Eve#0", policy="hall")
        for who in ("ben", "cy", "Tess#0", "out"):
            stage.join(who)
        self._share_rooms()
        if self.secret:
            self.secretly(
                Command(
                    "create_room",
                    {
                        "name": "plans",
                        "by": "Eve#0",
                        "access": "invite_only",
                        "invite": ["ben"],
                    },
                )
            )

    def secretly(self, command: Command) -> None:
        """Plays a step that the other run does not have."""
        self.ids.lane = "s"
        self.inside.perform(command)
        self.ids.lane = ""

    def openly(self, command: Command) -> Outcome:
        """Plays a step of the script by somebody of the room, in an open one."""
        outcome = self.open.perform(command)
        # What came from the secret room goes no further here.
        self.open.wakes[:] = [one for one in self.open.wakes if one.room.id != SECRET]
        self._share_rooms()
        return outcome

    def from_outside(self, command: Command) -> Outcome:
        """Plays a step of somebody outside, in an open room or at the secret one."""
        outcome = self.outside.perform(command)
        self._share_rooms()
        return outcome

    def _share_rooms(self) -> None:
        known = [*self.open.rooms]
        known += [one for one in self.outside.rooms if one not in {*known, SECRET}]
        self.open.rooms[:] = known
        self.outside.rooms[:] = [SECRET, *known]

    def looks(self) -> Iterator[Any]:
        """What outsiders find where they look by themselves, everywhere they can."""
        lobby = self.open.lobby
        seats = [
            one
            for name in OUTSIDE.agents
            for one in lobby.agent(name).conversations()[:2]
        ]
        for eye in (lobby.person("zoe"), lobby.person("mo"), *seats):
            for name in (SECRET, "plans", "commons", *self.open.rooms):
                yield self.told(partial(lobby.room, name, by=eye))
            for room in map(Room, self.outside.rooms[:3], repeat(lobby._desk)):
                for look in LOOKS:
                    yield self.told(partial(look, room, eye))
            for view in VIEWS:
                yield self.told(partial(view, lobby, eye))
        yield [(one.rooms, one.label, one.labels, str(one)) for one in seats]
        yield self.host.carried

    def told(self, ask: Callable[[], Any]) -> Any:
        """What an outsider is told, be it an answer or a refusal."""
        try:
            answer = ask()
        except RoomsError as error:
            return type(error), error.code, str(error), dict(error.details)
        return list(answer) if isinstance(answer, Iterator) else answer


class Script:
    """
    What happens, drawn by a seed: the same steps for both runs, each with whispers.

    Outsiders try every verb at the secret room, too; the rooms of others they know by
    place. Eve's and Tess's conversations are those that both runs have from the start,
    since a secret room starts more.
    """

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def steps(self, count: int) -> Iterator[tuple[list[Command], str, Command]]:
        for _ in range(count):
            whispers = [self.room_step(INSIDE) for _ in range(self.random.randrange(4))]
            where = self.pick("open", "outside", "outside")
            people = INSIDE if where == "open" else OUTSIDE
            kind = self.random.randrange(10)
            if kind < 6:
                step = self.room_step(people, at=self.pick(0, 0, 1, 1, 2))
            elif kind < 9:
                step = self.turn_step(people, where)
            else:
                where = "open"  # the host's: its report tells of every room
                step = self.pick(Command("deliver"), Command("advance", {"by": SHORT}))
            yield whispers, where, step

    def pick(self, *choices: T) -> T:
        return self.random.choice(choices)

    def room_step(self, people: People, *, at: int = 0) -> Command:
        """Something done in a room, by somebody of these."""
        anybody = self.pick(*people.seats, *people.seats, *people.persons)
        seat = {"who": self.pick(*people.seats), "room": at}
        asked = {
            "by": anybody,
            "room": at,
            "agent": self.pick(*people.agents, "no-one"),
        }
        reason = self.pick("You know it.", "Project Nightingale", "")
        return self.pick(
            *[Command("post", self.post(people, anybody, at))] * 8,
            *[Command("read", {"who": anybody, "room": at, "limit": 5})] * 2,
            Command("search", {"who": anybody, "query": "nightingale", "room": at}),
            Command("acknowledge", {**seat, "message": self.random.randrange(9)}),
            *[Command("join", {**seat, "mode": self.pick(None, "every_message")})] * 2,
            Command("subscribe", {**seat, "mode": self.pick("digest", "on_demand")}),
            *(Command(verb, seat) for verb in ("leave", "rest", "resume", "decline")),
            *[Command("invite", {**asked, "reason": reason})] * 2,
            Command("uninvite", asked),
            Command("add", {**asked, "reason": reason}),
            *(Command(verb, {"who": anybody, "room": at}) for verb in people.rule),
            *[Command("write_document", {**seat, "text": reason, **self.base()})] * 2,
            Command(
                "erase",
                {"who": anybody, "message": self.random.randrange(9), "room": at},
            ),
            Command("remove_document", {**seat, **self.base()}),
            Command(
                "change_policy",
                {"who": anybody, "room": at, "policy": self.pick(*POLICIES)},
            ),
        )

    def base(self) -> dict[str, Any]:
        """A document, and the revision that an edit of it begins from."""
        return {"path": "plan.md", "base": self.pick(None, 0, 1, 2, 3)}

    def post(self, people: People, by: str, at: int) -> dict[str, Any]:
        return {
            "text": self.pick(
                "Project Nightingale", "plans for today", "no", "@ben hi"
            ),
            "by": by,
            "to": [self.pick(*ADDRESSES) for _ in range(self.random.randrange(3))],
            "room": at,
            "reply_to": self.pick(None, None, self.random.randrange(9)),
            "request_id": self.pick(None, "r-1") if people is OUTSIDE else None,
            "confirm": self.pick(True, False),
        }

    def turn_step(self, people: People, where: str) -> Command:
        """Something about wakes and turns, or a room that is made."""
        number = {"turn": self.random.randrange(9)}
        # Each host takes the wakes of its own agents, under a name of its own.
        take = {"holder": where, "agents": people.agents, "limit": 1_000}
        return self.pick(
            *[Command("take", take)] * 3,
            *[Command("open_turn", {"wake": self.random.randrange(9)})] * 2,
            Command("reply", {**number, "text": "an answer"}),
            Command("end_turn", {**number, "failed": self.pick(True, False)}),
            Command(
                "create_room",
                {
                    "name": self.pick("plans", "another", "PLANS"),
                    "by": self.pick(*people.seats),
                    "access": self.pick(None, "invite_only"),
                    "policy": self.pick("hall", None),
                },
            ),
        )


def compared(runs: Sequence[Run], seed: int) -> int:
    """
    Plays a script on both, and holds what outsiders are told to be one.

    Returns:
        How many messages the secret room has in the end.
    """
    for whispers, where, step in Script(seed).steps(STEPS):
        for run in runs:
            for whisper in whispers if run.secret else ():
                run.secretly(whisper)
        if where == "open":
            for run in runs:
                run.openly(step)
            continue
        with_it, without = (run.from_outside(step) for run in runs)
        where_from = f"seed {seed}: {step}"
        assert with_it == without, where_from
        assert repr(with_it) == repr(without), where_from
        SEEN[step.verb, with_it.refusal[1] if with_it.refusal else ""] += 1
    for one, other in zip(runs[0].looks(), runs[1].looks(), strict=True):
        assert one == other, f"seed {seed}"
        assert repr(one) == repr(other), f"seed {seed}"
    return runs[0].inside.lobby.room(SECRET).position


@pytest.mark.rule("G-ACCESS-04", "G-ACCESS-06")
def test_outsiders_learn_nothing_of_a_secret_room() -> None:
    for seed in range(PAIRS):
        runs = [Run(MemoryStorage(), secret) for secret in (True, False)]
        SEEN["secret", ""] += compared(runs, seed)

    # The pairs were worth playing: outsiders were refused, and did well elsewhere.
    assert SEEN["secret", ""] > 2 * PAIRS
    for verb in ("post", "read", "join", "take"):
        assert SEEN[verb, ""], verb
    for verb in ("post", "read", "join", "add", "invite", "delete", "decline"):
        assert SEEN[verb, "room_not_found"], verb


def test_outsiders_learn_nothing_on_files_either(tmp_path: Path) -> None:
    looks = 0
    for seed in range(ON_FILES):
        runs = [
            Run(
                SQLiteStorage(tmp_path / f"{seed}.{secret}.db", durability="relaxed"),
                secret,
            )
            for secret in (True, False)
        ]
        looks += compared(runs, seed)  # a short program may give an outsider none
        for run in runs:
            run.open.lobby.close()
    assert looks > 0
