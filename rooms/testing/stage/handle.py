"""The stage itself, which plays commands."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attrs import define

from rooms.errors import RoomsError
from rooms.lobby import Lobby
from rooms.testing.stage.agents import Agents
from rooms.testing.stage.filing import Filing
from rooms.testing.stage.membership import Membership
from rooms.testing.stage.posting import Posting
from rooms.testing.stage.reading import Reading
from rooms.testing.stage.script import Command, Outcome
from rooms.testing.stage.waking import Waking

__all__ = ["Stage"]


@define(eq=False)
class Stage(Agents, Membership, Posting, Reading, Filing, Waking):
    """
    A lobby, its clock, and what has come up on it so far.

    Who acts is named by words: `eve` for the conversation of a single agent; `Eve#0`
    for the first of a threaded one, counted from its start and around again; `person:
    ana`. Rooms, messages, wakes, turns and claims are named by their place, counted
    around again, so that every number names one as soon as there is any.

    Attributes:
        lobby: The lobby that is played; another handle may take its place.
        clock: What `advance` and `set_clock` move; the lobby should read it.
        rooms: The rooms in the order of their creation, deleted ones too.
        messages: Ids of the messages posted.
        wakes: The wakes taken.
        turns: The turns opened.
        revisions: Ids of the revisions of documents.
        claims: The claims made.
        schedules: Ids of the schedules.
        remembered: Ids of fragments and entries of memories.
    """

    def perform(self, command: Command) -> Outcome:
        """Plays a command, and says what it came to."""
        verb: Callable[..., Any] = getattr(self, command.verb)
        try:
            return Outcome(verb(**command.options))
        except RoomsError as error:
            refusal = (type(error).__name__, error.code, str(error))
            return Outcome(refusal=refusal, details=dict(error.details))

    def go_on_with(self, lobby: Lobby) -> None:
        """Another handle of the same storage; what the last one had in hand is gone."""
        self.lobby = lobby
        self.wakes, self.turns, self.claims, self.pushes = [], [], [], []
