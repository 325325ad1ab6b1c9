"""
Teams: what one may be, may do and may cost, as pure values and rules.

Law: nothing here reads a log, a clock or a name in a text; the same values give the
same answer. What became of a team stands in its room's log (`rooms.log.team`).

Whoever runs one has it from its lobby: its `Teams`, `Team` and `Member` act on that,
and are imported from `rooms`, where annotations need them.
"""

from rooms.team.access import (
    LEVELS,
    SURFACE,
    TOOL_RULES,
    Access,
    Denied,
    Grant,
    Label,
    ToolRule,
    granted,
    label_of,
    summary,
)
from rooms.team.amounts import amount
from rooms.team.blueprints import Blueprint, MemberPlan, WorkspaceMode
from rooms.team.clamping import Clamp, Clamped, clamped, restricted
from rooms.team.delivery import (
    DESTINATIONS,
    Destination,
    binding,
    default_destination,
    is_external,
)
from rooms.team.limits import TeamLimits, lowest
from rooms.team.proposals import (
    Asked,
    Difference,
    Planner,
    Proposal,
    Questions,
    differences,
    drawn,
    proposed,
)
from rooms.team.statuses import (
    FINAL,
    TRANSITIONS,
    MemberStatus,
    StopReason,
    TeamStatus,
    Transition,
    diagram,
    target_of,
)
from rooms.team.validation import (
    FAULTS,
    Catalogue,
    Envelope,
    Fault,
    check_blueprint,
    faults,
)

__all__ = [
    "DESTINATIONS",
    "FAULTS",
    "FINAL",
    "LEVELS",
    "SURFACE",
    "TOOL_RULES",
    "TRANSITIONS",
    "Access",
    "Asked",
    "Blueprint",
    "Catalogue",
    "Clamp",
    "Clamped",
    "Denied",
    "Destination",
    "Difference",
    "Envelope",
    "Fault",
    "Grant",
    "Label",
    "MemberPlan",
    "MemberStatus",
    "Planner",
    "Proposal",
    "Questions",
    "StopReason",
    "TeamLimits",
    "TeamStatus",
    "ToolRule",
    "Transition",
    "WorkspaceMode",
    "amount",
    "binding",
    "check_blueprint",
    "clamped",
    "default_destination",
    "diagram",
    "differences",
    "drawn",
    "faults",
    "granted",
    "is_external",
    "label_of",
    "lowest",
    "proposed",
    "restricted",
    "summary",
    "target_of",
]
