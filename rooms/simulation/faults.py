"""
What goes wrong in a simulated run: hosts crash, storages fail, plugins raise.

Law: a fault is drawn from the run's own random source, so it comes again with its seed.
"""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms.errors import StorageBusy, StorageError
from rooms.hooks import hookimpl
from rooms.simulation import given

if TYPE_CHECKING:
    from rooms.log.records import Commit

__all__ = ["Faults", "FaultyPlugin", "FaultyStorage"]


@frozen(kw_only=True)
class Faults:
    """
    How often what goes wrong; nothing does unless said.

    Attributes:
        crash_every: How long the host runs on average until it is killed: turns in its
            hands are lost, and their wakes come back when their claims run out.
        down_for: How long it is away then.
        busy: How likely a commit is refused and nothing stored, from 0 to 1.
        unknown: How likely a commit is stored and reported as failed.
        plugin: How likely an observing plugin raises.
    """

    crash_every: timedelta | None = field(default=None, converter=given.crash_every)
    down_for: timedelta = field(default=timedelta(seconds=30), converter=given.down_for)
    busy: float = 0.0
    unknown: float = 0.0
    plugin: float = 0.0

    def __attrs_post_init__(self) -> None:
        for name in ("busy", "unknown", "plugin"):
            given.odds(name, getattr(self, name))


class FaultyStorage:
    """
    A storage whose commits fail as `faults` say; all else is the one that it wraps.

    Attributes:
        on: Whether anything fails now.
        failed: How many commits were reported as failed.
    """

    def __init__(self, inner: Any, faults: Faults, random: Random) -> None:
        self.inner = inner
        self.on = False
        self.failed = 0
        self._faults = faults
        self._random = random

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def append(self, commit: Commit) -> int:
        """As the storage; or `storage_busy`; or stored, and then `storage_failed`."""
        if not self.on:
            position: int = self.inner.append(commit)
            return position
        draw = self._random.random()
        if draw < self._faults.busy:
            self.failed += 1
            raise StorageBusy("storage_busy", "another process held it, as simulated")
        position = self.inner.append(commit)
        if draw < self._faults.busy + self._faults.unknown:
            self.failed += 1
            raise StorageError(
                "storage_failed", "the answer to a commit was lost, as simulated"
            )
        return position


class FaultyPlugin:
    """
    An observer that raises as `faults` say.

    Attributes:
        raised: How often it did.
    """

    def __init__(self, faults: Faults, random: Random) -> None:
        self.raised = 0
        self._faults = faults
        self._random = random

    @hookimpl
    def rooms_committed(self) -> None:
        """Raises, or not."""
        if self._random.random() < self._faults.plugin:
            self.raised += 1
            raise RuntimeError("an observing plugin failed, as simulated")
