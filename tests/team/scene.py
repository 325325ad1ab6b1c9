"""A team that a test can play: ana's, with a conductor, a builder and a scout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from attrs import evolve

from lobby.place import Place
from rooms import Conversation, Lobby, Turn
from rooms.hooks import hookimpl
from rooms.lobby import Member, Team
from rooms.lobby.team.stepping import step
from rooms.log.actors import SYSTEM
from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.team import Blueprint, Destination, Envelope, MemberPlan

__all__ = ["BLUEPRINT", "Host", "Scene", "member"]


def member(key: str, **more: Any) -> MemberPlan:
    told = {"responsibility": f"{key} things", "mandate": f"Do {key} things.", **more}
    return MemberPlan(key=key, **told)


BLUEPRINT = Blueprint(
    title="Migrate the orders",
    objective="The orders live in the new table.",
    approach="One reads, one writes.",
    success_criteria=["All tests pass."],
    members=[
        member("lead", lead=True, tools=["read"]),
        member("builder", tools=["read", "edit", "bash"]),
        member("scout", agent="Scouts", access="read_only", tools=["read", "edit"]),
    ],
)


class Host:
    """A host that makes places, saves work and delivers, and notes what it did."""

    def __init__(self) -> None:
        self.done: list[tuple[str, ...]] = []
        self.no_place_for = ""
        self.unsaved: set[str] = set()
        self.deliver: Callable[[Any], str | None] = lambda _: "ref-1"
        self.away = False
        self.stops = False

    @hookimpl
    def rooms_place_member(self, place: Any) -> str | None:
        if place.key == self.no_place_for:
            raise OSError("no room on this disk, says a secret")
        if not place.edits:
            return None
        self.done.append(("place", place.key))
        return f"/trees/{place.key}"

    @hookimpl
    def rooms_release_member(self, place: Any, keep: bool) -> bool:
        if self.stops:
            raise KeyboardInterrupt
        self.done.append(("keep" if keep else "remove", place.key))
        return place.key not in self.unsaved

    @hookimpl
    def rooms_deliver(self, sending: Any) -> str | None:
        self.done.append(("send", sending.destination, sending.text, sending.problem))
        return self.deliver(sending)

    @hookimpl
    def rooms_state(self) -> str:
        return "away" if self.away else "idle"

    def sent(self) -> list[str]:
        """Where it sent anything."""
        return [one[1] for one in self.done if one[0] == "send"]


class Scene:
    """A lobby with ana's agents, and what a test does with her team."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.lobby: Lobby = place.open()
        self.ana = self.lobby.person("ana")
        for name in ("lead", "builder"):
            self.lobby.add_agent(name)
        self.lobby.add_agent("Scouts", threaded=True)
        self.room = ""

    def host(self) -> Host:
        host = Host()
        self.lobby.register(host, "host")
        return host

    def prepared(
        self,
        blueprint: Blueprint = BLUEPRINT,
        allow: Envelope | None = None,
        **more: Any,
    ) -> Team:
        made = self.lobby.teams(by=self.ana).prepare(
            "Move the orders, please.", blueprint, allow=allow, **more
        )
        assert isinstance(made, Team)
        self.room = made.room.id
        return made

    def started(
        self, blueprint: Blueprint = BLUEPRINT, allow: Envelope | None = None
    ) -> Team:
        team = self.prepared(blueprint, allow)
        assert team.start().status == "ready"
        return team

    def sending_to(
        self, destination: str, chat: str = "", **params: str
    ) -> tuple[Blueprint, Envelope]:
        """A blueprint whose result goes to a destination, and an envelope for it."""
        where = Destination(destination, params)
        return evolve(BLUEPRINT, delivery=where), Envelope(chat=chat)

    def team(self, lobby: Lobby | None = None) -> Team:
        """The team, by another handle if one is given."""
        at = lobby or self.lobby
        return at.teams(by=at.person("ana")).team(self.room)

    def conversation(self, key: str) -> Conversation:
        for one in self.team().members:
            if one.key == key and one.conversation is not None:
                return one.conversation
        raise LookupError(key)

    def acts(self, key: str) -> Member:
        """A member that acts on its own initiative."""
        return self.lobby.member(by=self.conversation(key))

    @contextmanager
    def turn(self, key: str, lobby: Lobby | None = None) -> Iterator[Turn]:
        """A turn of a member, woken by a word of the conductor's or the person's."""
        at = lobby or self.lobby
        one = self.conversation(key)
        wakes = at.take_wakes(conversations=[one])
        if not wakes:
            self.team().intervene("Go on.", to=[key])
            wakes = at.take_wakes(conversations=[one])
        with at.turn(wakes[0]) as turn:
            yield turn

    def does(self, decide: Callable[[RoomState], Sequence[Event]]) -> None:
        """What the library does of itself, as a limit or a look at the clock does."""
        desk = self.lobby._desk
        step(desk, self.room, decide, by=SYSTEM, now=None)

    def status(self, key: str) -> str:
        return next(one.status for one in self.team().members if one.key == key)
