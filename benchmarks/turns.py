"""Handing out turns in a team of a hundred, to whom a thousand messages are owed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType

from benchmarks.paired import Row, compare
from rooms import Lobby, Team, presets
from rooms.log.ledger.claims import TakeFacts
from rooms.log.state import RoomState
from rooms.log.team import selected
from rooms.team import Blueprint, Envelope, MemberPlan, TeamLimits

MANY = (100, 1_000)
FEW = (5, 10)


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    yield Row(
        f"turns of {MANY[0]} members, {MANY[1]:,} signals",
        f"the same, {FEW[0]} and {FEW[1]}",
        compare(_selection(*MANY), _selection(*FEW)),
        must=20,
        stretch=15,
    )


def _selection(members: int, signals: int) -> Callable[[], object]:
    """Chooses among all members of a team that runs."""
    room = _room(members, signals)
    names = tuple(room.seats)
    facts = TakeFacts("a host", room.at + 1)
    chosen, _ = selected(room, names, facts, room.at)
    assert len(chosen) == room.team.limits.max_active_turns  # type: ignore[union-attr]
    return partial(selected, room, names, facts, room.at)


def _room(members: int, signals: int) -> RoomState:
    """A team in which so many messages wait for members who have not begun."""
    lobby = Lobby.in_memory()
    plans = [MemberPlan(key="m0", lead=True, responsibility="all", mandate="Lead.")]
    lobby.add_agent("m0")
    for number in range(1, members):
        lobby.add_agent(f"m{number}")
        plans.append(
            MemberPlan(key=f"m{number}", responsibility="some", mandate="Work.")
        )
    limits = TeamLimits(max_members=members)
    blueprint = Blueprint(
        title="Many",
        objective="It is done.",
        approach="Together.",
        success_criteria=["It works."],
        members=plans,
        limits=limits,
    )
    team = lobby.teams(by=lobby.person("ana")).prepare(
        "Do it.",
        blueprint,
        allow=Envelope(limits=limits),
        policy=presets.team(send_window=None),
    )
    assert isinstance(team, Team)
    team.start()
    lead = lobby.member(by=lobby.agent("m0").conversation())
    others = [f"m{number}" for number in range(1, members)]
    for number in range(signals):
        lead.send("Work.", to=[others[number % len(others)]])
    return lobby._desk.room(team.room.id)  # noqa: SLF001 - a rule is measured alone
