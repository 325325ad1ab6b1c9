"""
What tests of rooms, of storages and of hosts are made with.

A clock that stands still, ids and salts that count, logs that are replayed for ever;
agents with a script; `rooms.testing.strategies`, `.commands` and `.logs` for
hypothesis, and `rooms.testing.conformance` and `.agreement` for whoever writes a
storage: those five need the extra `testing`, and say so. With pytest the fixtures
`rooms_lobby` and `rooms_clock` are there as soon as the library is installed.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rooms.testing.agents import ScriptedAgent as ScriptedAgent
    from rooms.testing.clock import FakeClock as FakeClock
    from rooms.testing.counting import CountingIds as CountingIds
    from rooms.testing.counting import CountingSalts as CountingSalts
    from rooms.testing.redeciding import Divergence as Divergence
    from rooms.testing.redeciding import ReplayReport as ReplayReport
    from rooms.testing.redeciding import check_replay as check_replay
    from rooms.testing.replaying import assert_replays as assert_replays
    from rooms.testing.replaying import record_digest as record_digest
    from rooms.testing.stage import Command as Command
    from rooms.testing.stage import Outcome as Outcome
    from rooms.testing.stage import Stage as Stage

# Loaded when first used: a part that is not asked for costs nothing, and the pytest
# plugin stands in this package.
_HOMES = {
    "Divergence": "redeciding",
    "ReplayReport": "redeciding",
    "check_replay": "redeciding",
    "CountingIds": "counting",
    "CountingSalts": "counting",
    "FakeClock": "clock",
    "ScriptedAgent": "agents",
    "assert_replays": "replaying",
    "record_digest": "replaying",
    "Command": "stage",
    "Outcome": "stage",
    "Stage": "stage",
}

__all__ = sorted(_HOMES)  # noqa: PLE0605 - a list of strings, made from the table

if not TYPE_CHECKING:  # a checker sees the imports above, and misspelt names

    def __getattr__(name: str) -> Any:
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
        globals()[name] = value
        return value
