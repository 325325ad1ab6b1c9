"""
Two storages side by side: whatever is done, both tell one story.

A state machine of hypothesis, for whoever writes a storage:

    class TestMine(StorageAgreement):
        def make_storage(self, folder):
            return MyStorage(folder / "mine.db")

    test_mine = TestMine.as_test(runs=50)

Each step does the same to a lobby on the storage and to one in memory: both answer or
refuse alike, and leave the same records, streams and due instants. Now and then the
storage is closed and opened again, which nobody may notice.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from rooms.errors.extras import needed

with needed("hypothesis", by=__name__):
    from hypothesis import HealthCheck, Phase, settings
    from hypothesis import strategies as st
    from hypothesis.stateful import (
        RuleBasedStateMachine,
        initialize,
        precondition,
        rule,
        run_state_machine_as_test,
    )

from rooms.lobby import Lobby
from rooms.storage import MemoryStorage, Storage
from rooms.testing.clock import FakeClock
from rooms.testing.commands import commands
from rooms.testing.counting import CountingIds, CountingSalts
from rooms.testing.logs import VERBS
from rooms.testing.stage import Command, Stage

__all__ = ["StorageAgreement"]

_BEGUN = (
    ("add_agent", {"name": "Eve", "threaded": True, "owner": "ana"}),
    ("add_agent", {"name": "ben", "owner": "ana"}),
    ("add_agent", {"name": "cy"}),
    ("start", {"agent": "Eve", "label": "work"}),
    ("create_room", {"name": "r", "by": "ben"}),
    ("join", {"who": "Eve"}),
    ("join", {"who": "cy", "mode": "every_message"}),
)


class _Side:
    """A stage on one storage, and how far its records were looked at."""

    def __init__(self, storage: Storage) -> None:
        self.clock, self.ids, self.salts = FakeClock(), CountingIds(), CountingSalts()
        self.storage = storage
        self.stage = Stage(self.opened(), self.clock)
        self.position = 0

    def opened(self) -> Lobby:
        """A lobby on the storage."""
        return Lobby(self.storage, clock=self.clock, ids=self.ids, salt=self.salts)

    def news(self) -> Any:
        """What was recorded since the last look, and what is there and due."""
        found = []
        while records := self.storage.scan(after=self.position):
            found += records
            self.position = records[-1].position
        return found, self.storage.streams(), self.storage.next_due()


class StorageAgreement(RuleBasedStateMachine):
    """
    A storage beside the one in memory; a subclass says how it is opened.

    Attributes:
        persistent: Whether a storage that is opened again holds what it held.
    """

    persistent: ClassVar[bool] = True

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        tried = self.make_storage(self.folder)
        self.sides = [_Side(MemoryStorage()), _Side(tried)]

    def make_storage(self, folder: Path) -> Storage:
        """Open the storage that lives in a folder; make it where there is none."""
        raise NotImplementedError

    @classmethod
    def as_test(cls, *, runs: int = 50, steps: int = 30) -> Callable[[], None]:
        """A test for pytest: so many runs of at most so many steps, alike each time."""

        def test() -> None:
            run_state_machine_as_test(
                cls,
                settings=settings(
                    max_examples=runs,
                    stateful_step_count=steps,
                    deadline=None,
                    derandomize=True,
                    report_multiple_bugs=False,  # each is made smaller for minutes
                    phases=set(Phase) - {Phase.explain},
                    suppress_health_check=list(HealthCheck),
                ),
            )

        return test

    def teardown(self) -> None:
        """Closes both and removes the folder."""
        for side in self.sides:
            side.stage.lobby.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def both(self, command: Command) -> None:
        """Does the same to both, and compares."""
        memory, tried = (side.stage.perform(command) for side in self.sides)
        if memory != tried:
            message = f"{command}: {tried}, and in memory {memory}"
            raise AssertionError(message)
        self.compare()

    def compare(self) -> None:
        """Both hold the same."""
        names = ("records", "streams", "due instants")
        memory, tried = (side.news() for side in self.sides)
        for name, ours, theirs in zip(names, memory, tried, strict=True):
            if ours != theirs:
                message = f"the {name} are {theirs!r}, and in memory {ours!r}"
                raise AssertionError(message)

    @initialize()
    def set_the_stage(self) -> None:
        """Three agents and a room."""
        for verb, options in _BEGUN:
            self.both(Command(verb, options))

    @rule(command=st.one_of(*map(commands, VERBS)))
    def do(self, command: Command) -> None:
        """Whatever a host does."""
        self.both(command)

    @precondition(lambda self: self.persistent)
    @rule()
    def open_again(self) -> None:
        """Nobody may notice; what a lobby had in hand is forgotten on both sides."""
        for place, side in enumerate(self.sides):
            if place:
                side.stage.lobby.close()
                side.storage = self.make_storage(self.folder)
            side.stage.go_on_with(side.opened())
        self.compare()
