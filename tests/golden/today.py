"""
What today's code writes: a digest of each script's log, and of a play of each preset.

    PYTHONPATH=tests python -m golden.today          # prints those not as recorded
    PYTHONPATH=tests python -m golden.today record   # takes today's for right

A golden log says what was recorded once, whatever the rules are now; `today.sha256`
says what the same scripts leave now, on any machine and any Python. Whoever changes a
rule or a form records it anew and names the reason in the commit: the lines that differ
are the scripts whose logs the change reaches. A line that differs without such a reason
is something that leaked into a log, such as the order of a set.
"""

from __future__ import annotations

import locale
import sys
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

from golden.make import SCRIPTS, log_of
from rooms import presets
from rooms.hooks import hookimpl
from rooms.lobby import Team
from rooms.simulation import Faults, Say, Scenario, chatty, erratic, reactive, silent
from rooms.storage import MemoryStorage, Storage
from rooms.team import Blueprint, MemberPlan
from rooms.testing import Stage

__all__ = ["ADVICE", "NAMES", "PLAYS", "SCRIPTED", "digest", "main", "recorded"]

BESIDE = Path(__file__).with_suffix(".sha256")
ADVICE = "a rule or a form that changed on purpose? See tests/golden/today.py"

PLAYS = {
    f"play of {preset}": Scenario(
        agents={
            "eve": chatty(to="ben", latency=("1s", "5m"), fails=0.2),
            "ben": erratic(0.8, every="10m"),
            **dict.fromkeys(("cy", "dan", "fay", "gil"), silent(mode="digest")),
            "tom": chatty(every="3m", threaded=True, mode="every_message"),
            "zoe": reactive(lambda heard: f"{heard.last_text[-40:]} – süß, @eve!"),
        },
        policy=preset,
        start=("eve", Say("@ben @zoe go", ("ben", "zoe")))
        if preset == "hall"
        else ("ana", Say("@eve @zoe go", "eve")),
        until="30m",
        faults=Faults(crash_every="15m", busy=0.05, unknown=0.05, plugin=0.1),
    )
    for preset in presets.NAMES
    if preset != "team"  # its rooms are made of a blueprint, by scripts
}


def ties(stage: Stage) -> None:
    """Many of whatever comes together: what a set would put in any order."""
    hands = tuple(f"hand-{number}" for number in range(6))
    threaded = ("Eve", "Ida", "Noa")
    stage.add_agent("lead", manage_rooms=True)
    for name in hands:
        stage.add_agent(name)
    for name in threaded:
        stage.add_agent(name, threaded=True)
    lobby = stage.lobby

    class Wire:
        @hookimpl
        def rooms_push(self, push: Any) -> None:
            """Carries it."""

    lobby.register(Wire(), "wire")
    for room in range(3):
        full = {"max_unread": 2, "backlog_full": "skip"} if room == 2 else {}
        stage.create_room(f"work-{room}", by="lead", policy=presets.broker(**full))
        stage.set_members(["lead", *hands], by="lead", room=room)
    files = {f"{number}.txt": b"%d" % number for number in range(5)}
    stage.post("All of you", by="lead", to=hands, attach=files)
    for name in hands:
        stage.claim(name)
    stage.rest_agents(hands, by="lead", minutes=30)
    for room in range(3):
        stage.post("While they rest", by="lead", to=["all"], room=room, urgency="now")
    stage.repeat("lead", "Stand up", to=hands[:3], times=["09:00", "21:00"])
    stage.advance(timedelta(minutes=30))
    stage.deliver()
    for _ in range(3):
        stage.post("Again", by="lead", to=["all"], room=2)
    stage.advance(timedelta(days=1))
    stage.deliver()
    stage.take()
    stage.set_members(["lead", "hand-0"], by="lead")
    stage.create_room("desk", by="lead", policy="hall")
    for name in threaded:
        stage.start(name, label="first")
        stage.join(f"{name}#0", room=-1)
    stage.post("Begin", by="lead", to=[f"agent:{name}" for name in threaded], room=-1)
    stage.rest_agents(hands, by="lead")
    stage.resume_agents(hands, by="lead")
    _tied_team(stage, hands)


def _tied_team(stage: Stage, hands: tuple[str, ...]) -> None:
    lobby, minute = stage.lobby, timedelta(minutes=1)
    lead, *others = (
        MemberPlan(
            key=name,
            responsibility=f"part {name}",
            mandate="Do it.",
            lead=name == "lead",
        )
        for name in ("lead", *hands[:4])
    )
    blueprint = Blueprint(
        title="Ties",
        objective="All at once.",
        approach="Together.",
        success_criteria=["It is the same each time."],
        members=[lead, *others],
    )
    team = lobby.teams(by=lobby.person("ana")).prepare("Do all.", blueprint)
    assert isinstance(team, Team)
    team.start()
    members = {one.key: lobby.member(by=one.conversation) for one in team.members}
    for name in hands[:3]:
        members[name].claim_paths(
            [f"src/{name}", f"doc/{name}"], reason="mine", expires_after=minute
        )
    work = [members[name].update_work(title=f"Part of {name}") for name in hands[:3]]
    members[hands[3]].claim_paths(["src/**", "doc/**"])
    members["lead"].update_work(title="The whole", depends_on=work)
    members["lead"].send("Well?", to=list(hands[:4]))
    stage.advance(2 * minute)
    stage.deliver()
    members[hands[3]].claim_paths(["src", "doc"])
    stage.take()


SCRIPTED: dict[str, Callable[[Stage], None]] = {**SCRIPTS, "ties": ties}
NAMES = (*SCRIPTED, *PLAYS)


def digest(name: str, storage: Storage | None = None) -> str:
    """Of the log that a script leaves on an empty storage, or a play on its own."""
    if name in PLAYS:
        log = "".join(PLAYS[name].run(7).log())
    else:
        log = log_of(SCRIPTED[name], storage or MemoryStorage())
    return sha256(log.encode("ascii")).hexdigest()


def recorded() -> dict[str, str]:
    """The digest that stands there for each name."""
    lines = BESIDE.read_text("ascii").splitlines()
    return {name: said for said, _, name in (line.partition("  ") for line in lines)}


def main(*arguments: str) -> int:
    """Compares, or records; 1 where something is not as recorded."""
    locale.setlocale(locale.LC_ALL, "")  # as a host does that speaks to its user
    left = {name: digest(name) for name in NAMES}
    if arguments == ("record",):
        lines = (f"{said}  {name}\n" for name, said in left.items())
        BESIDE.write_text("".join(lines), "ascii", newline="\n")
        return 0
    known = recorded()
    other = [name for name in NAMES if left[name] != known.get(name)]
    other += [f"{name}, which is no script" for name in known if name not in left]
    for name in other:
        print(f"not as recorded: {name}")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
