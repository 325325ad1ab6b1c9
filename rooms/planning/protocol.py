"""What makes a planner: one pure function of roster and transcript."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

__all__ = ["RoomTurnPlannerProtocol"]


@runtime_checkable
class RoomTurnPlannerProtocol(Protocol):
    """
    Anything with `plan_next(roster, transcript)`.

    An implementation is pure and deterministic and does no I/O, so that a host which
    replays its stored transcript goes on with the identical next speaker. `isinstance`
    checks only that the method is there.

    Source: P-PROTO-01 to 03.
    """

    def plan_next(self, roster: Sequence[str], transcript: Sequence[Any]) -> str | None:
        """The id of the next agent to speak, or None when the activity is settled."""
