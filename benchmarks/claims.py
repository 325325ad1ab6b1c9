"""Claiming among two thousand claims: a path is looked up, a pattern compared once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType

from benchmarks.paired import Row, compare
from rooms import Lobby, Team, patterns_overlap
from rooms.log.state import RoomState
from rooms.log.team import claims, team_of
from rooms.team import Blueprint, Envelope, MemberPlan, TeamLimits

HOLDERS = 40
EACH = 50  # as many as one member may hold
FEW = 1


def rows(peer: ModuleType | None) -> Iterator[Row]:
    del peer
    many, few = _room(HOLDERS), _room(FEW)
    held = [one.pattern for one in team_of(many).claims.active(0)]
    assert len(held) == HOLDERS * EACH
    yield Row(
        f"a claim of a path, {len(held):,} active",
        f"the same, {FEW * EACH} active",
        compare(_claim(many, "src/p3/new.py"), _claim(few, "src/p3/new.py")),
        must=3,
        stretch=1.5,
    )
    yield Row(
        f"a claim of `**/new.py`, {len(held):,} active",
        "patterns_overlap with each",
        compare(_claim(many, "**/new.py"), partial(_each, "**/new.py", held)),
        must=2,
        stretch=1.2,
    )


def _each(pattern: str, held: list[str]) -> list[str]:
    return [one for one in held if patterns_overlap(pattern, one)]


def _claim(room: RoomState, pattern: str) -> Callable[[], object]:
    """Decides a claim of a member that holds none."""
    member = team_of(room).members["lead"]
    return partial(claims.claim, room, member, (pattern,), at=room.at)


def _room(holders: int) -> RoomState:
    """A team's room in which each but the conductor holds fifty paths."""
    lobby = Lobby.in_memory()
    plans = [MemberPlan(key="lead", lead=True, responsibility="all", mandate="Lead.")]
    lobby.add_agent("lead")
    for number in range(holders):
        name = f"m{number}"
        lobby.add_agent(name)
        plans.append(MemberPlan(key=name, responsibility="some", mandate="Work."))
    limits = TeamLimits(max_members=holders + 1)
    blueprint = Blueprint(
        title="Many",
        objective="It is done.",
        approach="Together.",
        success_criteria=["It works."],
        members=plans,
        limits=limits,
    )
    surface = lobby.teams(by=lobby.person("ana"))
    team = surface.prepare("Do it.", blueprint, allow=Envelope(limits=limits))
    assert isinstance(team, Team)
    team.start()
    for number in range(holders):
        member = lobby.member(by=lobby.agent(f"m{number}").conversation())
        kinds = ("a.py", "b/*.py")
        member.claim_paths(
            [f"src/p{number}/{one}/{kinds[one % 2]}" for one in range(EACH)]
        )
    return lobby._desk.room(team.room.id)  # noqa: SLF001 - a rule is measured alone
