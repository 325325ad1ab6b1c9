"""
A panel of three scripted agents, driven to its end: `python examples/panel.py`.

It needs no network. To put a model behind an agent, replace its function by one that
hands `view.render()` to your client; docs/how-to/drive-a-planned-room.md has the lines.
"""

from __future__ import annotations

from rooms import Lobby
from rooms.driving import Reply, View, by_name, drive, open_panel


def planner(view: View) -> str | Reply:
    """Hands the work on, and passes once that is done."""
    if view.round:
        return Reply(passed=True)
    return "One page, one form. @coder, please write it."


def coder(view: View) -> str:
    """Writes, and mends what somebody found."""
    return "Written." if not view.round else "Renamed, as @reviewer asked."


def reviewer(view: View) -> str:
    """Looks once, and once more."""
    return "@coder, the button has no name." if not view.round else "Fine now."


AGENTS = {"planner": planner, "coder": coder, "reviewer": reviewer}


def main() -> None:
    """Opens a panel, asks it for something, and prints what became of it."""
    with Lobby.in_memory() as lobby:
        ana = lobby.person("ana")
        room = open_panel(lobby, {"name": "login", "roster": list(AGENTS)}, by=ana)
        room.post("Build a login form.", by=ana)
        driven = drive(room, by_name(AGENTS))
        for turn in driven.turns:
            said = turn.message.content if turn.message else f"({turn.outcome})"
            print(f"round {turn.round}  {turn.name:8}  {said}")
        print(driven.reason)


if __name__ == "__main__":
    main()
