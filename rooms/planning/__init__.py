"""
Planning turns: who speaks next, as pure functions of what has been said.

Enough on its own for a gateway that only drives `plan_next`; it needs the standard
library and attrs.
"""

from rooms.planning.cast import CastPlanner, CastReply, RoundPlan, RoundReason
from rooms.planning.catchup import CatchUp, catch_up
from rooms.planning.events import Event, RoomEvent
from rooms.planning.leading import Addressed, leading_mentions
from rooms.planning.limits import CATCHUP_CHARS, CATCHUP_MESSAGES, MAX_ROUNDS, Limit
from rooms.planning.mentions import extract_mentions
from rooms.planning.passing import is_pass
from rooms.planning.protocol import RoomTurnPlannerProtocol
from rooms.planning.round_robin import Plan, PlanReason, RoundRobinRoomPlanner
from rooms.planning.signals import Candidate, Reason, Signal, Slots, select_turns

__all__ = [
    "CATCHUP_CHARS",
    "CATCHUP_MESSAGES",
    "MAX_ROUNDS",
    "Addressed",
    "Candidate",
    "CastPlanner",
    "CastReply",
    "CatchUp",
    "Event",
    "Limit",
    "Plan",
    "PlanReason",
    "Reason",
    "RoomEvent",
    "RoomTurnPlannerProtocol",
    "RoundPlan",
    "RoundReason",
    "RoundRobinRoomPlanner",
    "Signal",
    "Slots",
    "catch_up",
    "extract_mentions",
    "is_pass",
    "leading_mentions",
    "select_turns",
]
