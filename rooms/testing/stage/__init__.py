"""
A stage: a lobby that is played by commands which are plain values.

Two laws. A command names everything by words and places ("the third message"), so one
script plays on any number of stages, and their answers can be compared. And a command
that is refused is an outcome like any other; only what is no error of the library
passes through.
"""

from __future__ import annotations

from rooms.testing.stage.handle import Stage
from rooms.testing.stage.script import Command, Outcome

__all__ = ["Command", "Outcome", "Stage"]
