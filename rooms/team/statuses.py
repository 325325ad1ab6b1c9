"""
Statuses: where a team stands, and what takes it from one to another.

Two laws. The table below is all that there is: what it does not list is refused with
the status that was met (S-STATUS-03). And a final status leads nowhere (S-STATUS-01).

The diagram on the page about teams is `diagram()`, and a test fails when it is stale.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType

from attrs import frozen

__all__ = [
    "FINAL",
    "OPEN_FOR_TURNS",
    "TRANSITIONS",
    "MemberStatus",
    "StopReason",
    "TeamStatus",
    "Transition",
    "diagram",
    "target_of",
]


class TeamStatus(StrEnum):
    """
    Where a team stands.

    `draft`: it is described and reviewed. `adjusting`: the proposal is revised.
    `starting`: sessions and workspaces are made. `ready`: member work can start.
    `running`: turns start. `pausing`: turns end, and none starts. `paused`: none starts
    until it is resumed. `completing`: the result is delivered. `completed`, `failed`,
    `cancelled`: the end.
    """

    DRAFT = "draft"
    ADJUSTING = "adjusting"
    STARTING = "starting"
    READY = "ready"
    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    COMPLETING = "completing"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


FINAL = frozenset({TeamStatus.COMPLETED, TeamStatus.FAILED, TeamStatus.CANCELLED})
"""The statuses that lead nowhere."""

OPEN_FOR_TURNS = frozenset({TeamStatus.READY, TeamStatus.RUNNING})
"""The statuses in which a turn may start (S-STATUS-02)."""


class StopReason(StrEnum):
    """Why a team does not run; a text always stands beside it (S-STATUS-08)."""

    LIMIT_REACHED = "limit_reached"
    NO_PROGRESS = "no_progress"
    DEADLOCK = "deadlock"
    CONDUCTOR_FAILED = "conductor_failed"
    AWAITING_APPROVAL = "awaiting_approval"
    AWAITING_USER = "awaiting_user"
    USER_PAUSED = "user_paused"
    USER_CANCELLED = "user_cancelled"
    STORAGE_FAILURE = "storage_failure"

    @property
    def needs_progress(self) -> bool:
        """Whether structural progress alone clears it, and no turn (S-STATUS-09)."""
        return self in {StopReason.NO_PROGRESS, StopReason.DEADLOCK}


class MemberStatus(StrEnum):
    """What a member of a team does (S-STATUS-10)."""

    STARTING = "starting"
    IDLE = "idle"
    WORKING = "working"
    WAITING = "waiting"
    BLOCKED = "blocked"
    SUSPENDED = "suspended"
    RETIRING = "retiring"
    RETIRED = "retired"
    COMPLETED = "completed"
    FAILED = "failed"
    OFFLINE = "offline"

    @property
    def holds_slot(self) -> bool:
        """Whether it counts against the turns that may run at once."""
        return self in {MemberStatus.STARTING, MemberStatus.WORKING}


@frozen
class Transition:
    """
    One arrow of the table.

    Attributes:
        source: The status before.
        action: What happens.
        target: The status after.
        in_flight: Whether it holds with turns running, without, or (None) either way.
    """

    source: TeamStatus
    action: str
    target: TeamStatus
    in_flight: bool | None = None


def _arrows() -> Iterator[Transition]:
    s = TeamStatus
    stoppable = (s.READY, s.RUNNING)
    for source in (s.DRAFT, s.READY):
        yield Transition(source, "adjust", s.ADJUSTING)
    yield Transition(s.ADJUSTING, "adjusted", s.DRAFT)
    for source in (s.DRAFT, s.ADJUSTING, s.READY):
        yield Transition(source, "start", s.STARTING)
    yield Transition(s.STARTING, "opened", s.READY)
    yield Transition(s.STARTING, "not_started", s.DRAFT)
    yield Transition(s.STARTING, "conductor_failed", s.PAUSED)
    yield Transition(s.READY, "turn", s.RUNNING)
    for source in stoppable:
        yield Transition(source, "pause", s.PAUSING, in_flight=True)
        yield Transition(source, "pause", s.PAUSED, in_flight=False)
    yield Transition(s.PAUSING, "settled", s.PAUSED)
    yield Transition(s.PAUSED, "resume", s.RUNNING)
    for source in (*stoppable, s.PAUSING, s.PAUSED):
        yield Transition(source, "finish", s.COMPLETING)
    yield Transition(s.COMPLETING, "delivered", s.COMPLETED)
    living = [one for one in s if one not in FINAL]
    for source in living:
        if source is not s.COMPLETING:
            yield Transition(source, "cancel", s.CANCELLED)
    for source in living:
        yield Transition(source, "fail", s.FAILED)


TRANSITIONS = tuple(_arrows())
"""Every transition that there is, in the order in which a team meets them."""

_TARGETS: Mapping[tuple[TeamStatus, str], tuple[Transition, ...]] = MappingProxyType(
    {
        (one.source, one.action): tuple(
            other
            for other in TRANSITIONS
            if (other.source, other.action) == (one.source, one.action)
        )
        for one in TRANSITIONS
    }
)


def target_of(
    status: TeamStatus, action: str, *, in_flight: bool = False
) -> TeamStatus | None:
    """
    Where an action leads from a status; None where the table has no such arrow.

    Args:
        status: Where the team stands.
        action: What happens.
        in_flight: Whether a turn is running.

    >>> target_of(TeamStatus.RUNNING, "pause", in_flight=True).value
    'pausing'
    >>> target_of(TeamStatus.COMPLETING, "cancel") is None
    True
    """
    for arrow in _TARGETS.get((status, action), ()):
        if arrow.in_flight in {None, in_flight}:
            return arrow.target
    return None


_WHEN = {True: " [turns run]", False: " [none runs]", None: ""}


def diagram() -> str:
    """
    The table as a diagram of one line an arrow; the sources of equal arrows together.
    """
    arrows: dict[tuple[str, TeamStatus, bool | None], list[str]] = {}
    for one in TRANSITIONS:
        key = (one.action, one.target, one.in_flight)
        arrows.setdefault(key, []).append(one.source)
    lines = [
        ("|".join(sources), f"--{action}{_WHEN[when]}-->", target)
        for (action, target, when), sources in arrows.items()
    ]
    first = max(len(line[0]) for line in lines)
    second = max(len(line[1]) for line in lines)
    return "\n".join(
        f"{source:<{first}} {arrow:<{second}} {target}"
        for source, arrow, target in lines
    )
