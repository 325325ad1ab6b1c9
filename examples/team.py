"""
A team of three on a throwaway git repository, each that edits in a worktree of its own.

    python examples/team.py

ana approves it; a conductor divides the work. A claim warns that somebody else is at the
same files, a question waits until it is answered, a limit on the cost stops the team,
ana raises it, and the result is delivered once: merged, and committed. The members are
scripts here; a host calls its models instead, and everything else stays.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rooms import Lobby, Member, Team, Wake, hookimpl
from rooms.team import Blueprint, Destination, Envelope, MemberPlan, TeamLimits

MODULE = 'def order(row):\n    return row["id"]\n'
MIGRATED = 'def order(row):\n    return row["id"], row["placed_at"]\n'
PAGE = "# Orders\n\nAn order has an id, and says when it was placed: `placed_at`.\n"


def git(where: Path, *words: str) -> str:
    """Runs git in a folder, under a name of the example's own."""
    own = ("user.name=team", "user.email=team@example.org", "commit.gpgsign=false")
    options = [word for one in own for word in ("-c", one)]
    done = subprocess.run(
        ["git", *options, *words], cwd=where, check=True, capture_output=True, text=True
    )
    return done.stdout


class Worktrees:
    """The host's part: worktrees are made, saved and looked at; results are merged."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repository = folder / "orders"
        self.repository.mkdir()
        git(self.repository, "init", "-q", "-b", "main")
        (self.repository / "orders.py").write_text(MODULE, "utf-8")
        (self.repository / "orders.md").write_text("# Orders\n", "utf-8")
        git(self.repository, "add", ".")
        git(self.repository, "commit", "-q", "-m", "Orders")

    @hookimpl
    def rooms_place_member(self, place: Any) -> str | None:
        """A worktree for who edits, the same one when it is asked for again."""
        if not place.edits:
            return None  # it reads the repository itself
        where = self.folder / place.key
        if not where.exists():
            git(self.repository, "worktree", "add", "-q", "-b", place.key, str(where))
            show(f"host: a worktree for {place.key}")
        return str(where)

    @hookimpl
    def rooms_release_member(self, place: Any, keep: bool) -> bool:
        """Commits what is not committed, and removes the worktree unless it stays."""
        where = Path(place.workspace)
        if where.exists() and git(where, "status", "--porcelain"):
            git(where, "add", "-A")
            git(where, "commit", "-q", "-m", f"What {place.key} did")
            show(f"host: saved the work of {place.key}")
        if where.exists() and not keep:
            git(self.repository, "worktree", "remove", str(where))
        return True

    @hookimpl
    def rooms_changed_files(self, place: Any) -> list[str]:
        """What the member's branch has changed."""
        changed = git(self.repository, "diff", "--name-only", f"main...{place.key}")
        return changed.splitlines()

    @hookimpl
    def rooms_deliver(self, sending: Any) -> str:
        """Merges what the members did; it is asked once."""
        for key in ("builder", "writer"):
            git(self.repository, "merge", "-q", "--no-edit", key)
        cost = sending.result.usage.cost
        show(f"host: delivers {sending.text!r} after a cost of {cost:.2f}")
        return git(self.repository, "rev-parse", "HEAD").strip()


def conduct(me: Member, _: Wake) -> float:
    """The conductor: divides the work, and finishes when it is done."""
    if not me.work:
        me.update_work(title="Read the column", owner="builder")
        me.update_work(title="Describe it", owner="")  # whoever can may take it
        more = me.propose("request_expansion", limit="max_cost", value=4)
        show(f"lead: two pieces of work; a higher limit is {more.verdict}")
    elif all(one.status == "done" for one in me.work):
        found = me.collect()
        for key, names in found.files.items():
            show(f"lead: {key} changed {', '.join(names)}")
        show(f"lead: changed by several: {', '.join(found.overlaps) or 'nothing'}")
        me.finish("Orders say when they were placed.")
    return 0.2


def build(me: Member, wake: Wake) -> float:
    """The builder: claims, has a question, and goes on once it is answered."""
    [mine] = me.brief.work
    if not me.claims:
        me.claim_paths(["orders*"], reason="The module, and what describes it.")
        me.ask("What is the column called?", to=["writer"])
        show("builder: claims orders*, asks for a name, and waits")
        return 0.5
    answer = wake.messages[-1].content
    show(f"builder: goes on, told {answer!r}")
    (Path(me.itself.workspace) / "orders.py").write_text(MIGRATED, "utf-8")
    me.publish_artifact("patch", "The column is read", content=MIGRATED, work=mine)
    me.update_work(mine, status="done")
    me.release_paths()
    me.send("The module is done.", to=["lead"])
    return 1.0


def write(me: Member, _: Wake) -> float:
    """The writer: is warned of a claim, writes, and answers what it is asked."""
    claimed = me.claim_paths(["orders.md"], reason="The page.")
    show(f"writer: claims orders.md; {', '.join(claimed.members)} is at it, too")
    [free] = [one for one in me.work if one.owner is None]
    (Path(me.itself.workspace) / "orders.md").write_text(PAGE, "utf-8")
    me.update_work(free, owner="writer", status="done")
    [asked] = me.questions
    me.reply(asked, "placed_at")
    show(f"writer: answers {asked.text!r}")
    return 0.5


SCRIPTS: dict[str, Callable[[Member, Wake], float]] = {
    "lead": conduct,
    "builder": build,
    "writer": write,
}


def works(lobby: Lobby) -> Iterator[None]:
    """Takes one turn after another, as long as there are any."""
    while wakes := lobby.take_wakes(limit=1):
        with lobby.turn(wakes[0]) as turn:
            me = lobby.member(by=turn)
            cost = SCRIPTS[me.itself.key](me, wakes[0])
            lobby.report_usage(turn, cost=cost)
        yield


def main() -> None:
    """Plays the whole life of the team."""
    with tempfile.TemporaryDirectory() as folder, Lobby.in_memory() as lobby:
        host = Worktrees(Path(folder))
        lobby.register(host, "worktrees")
        for name in SCRIPTS:
            lobby.add_agent(name)
        team = lobby.teams(by=lobby.person("ana")).prepare(
            "Orders should say when they were placed.",
            BLUEPRINT,
            allow=Envelope(limits=LIMITS),
        )
        assert isinstance(team, Team)  # a planner may have questions instead
        show(f"ana: approves {len(team.proposal.grants)} members")
        team.start(revision=team.proposal.revision)
        for _ in works(lobby):
            pass
        show(f"team: {team.standing}")
        for approval in team.approvals:
            team.resolve_approval(approval, approved=True)
            show(f"ana: raises max_cost to {team.limits.max_cost:.2f}")
        team.resume()
        for _ in works(lobby):
            pass
        show(f"team: {team.standing} after {team.usage.turns} turns")
        merged = (host.repository / "orders.py").read_text("utf-8")
        assert merged == MIGRATED
        assert (host.repository / "orders.md").read_text("utf-8") == PAGE


LIMITS = TeamLimits(max_cost=2, max_member_cost=4)
BLUEPRINT = Blueprint(
    title="Orders with a time",
    objective="An order says when it was placed.",
    approach="One reads the column, one describes it.",
    success_criteria=["The module and its page say the same."],
    members=[
        MemberPlan(
            key="lead",
            lead=True,
            access="read_only",
            responsibility="the result",
            mandate="Divide the work, and say when it is done.",
        ),
        MemberPlan(key="builder", responsibility="the module", mandate="Read it."),
        MemberPlan(key="writer", responsibility="the page", mandate="Describe it."),
    ],
    limits=LIMITS,
    delivery=Destination("workspace_files"),
)


def show(line: str) -> None:
    """Prints a line."""
    print(line)


if __name__ == "__main__":
    main()
