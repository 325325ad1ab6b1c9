"""
Logs for hypothesis: what any commands leave on a lobby, as it is exported.

Law: a log is drawn by its commands, so one that breaks something shrinks to the few
commands that it takes.
"""

from __future__ import annotations

from collections.abc import Sequence

from rooms.errors.extras import needed

with needed("hypothesis", by=__name__):
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy

from rooms.lobby import Lobby
from rooms.testing.clock import FakeClock
from rooms.testing.commands import commands
from rooms.testing.counting import CountingIds, CountingSalts
from rooms.testing.stage import Command, Stage

__all__ = ["VERBS", "logs"]

VERBS = (
    *("post", "post", "post", "send", "join", "subscribe", "leave", "read"),
    *("take", "open_turn", "reply", "end_turn", "acknowledge", "advance", "deliver"),
    *("rest", "resume", "pause", "unpause", "change_policy", "invite", "create_room"),
    *("write_document", "remember", "repeat", "cancel", "erase", "remove", "delete"),
)
"""What most hosts do; verbs of a `Stage`."""


def logs(
    *, verbs: Sequence[str] = VERBS, max_size: int = 20
) -> SearchStrategy[tuple[str, ...]]:
    """
    Exported logs, a tuple of lines each: two agents, one of them threaded, a room, and
    what these verbs of a `Stage` do then; what is refused leaves nothing.
    """
    drawn = st.lists(st.one_of(*map(commands, verbs)), max_size=max_size)
    return drawn.map(_left)


def _left(played: list[Command]) -> tuple[str, ...]:
    clock = FakeClock()
    with Lobby.in_memory(clock=clock, ids=CountingIds(), salt=CountingSalts()) as lobby:
        stage = Stage(lobby, clock)
        stage.add_agent("Eve", threaded=True, owner="ana")
        stage.add_agent("ben")
        stage.start("Eve", label="work")
        stage.create_room("r", by="ben")
        stage.join("Eve#0")
        for command in played:
            stage.perform(command)
        return tuple(lobby.export())
