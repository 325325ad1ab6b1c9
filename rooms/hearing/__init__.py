"""
Who wants to hear a message: subscription modes, and the rules that read them.

Pure: no clock, no room, no log. `hear` answers for one conversation and one message.
"""

from __future__ import annotations

from rooms.hearing.modes import (
    CHOICES,
    LONGEST_INTERVAL,
    SHORTEST_INTERVAL,
    Mode,
    Subscription,
    after_posting,
    check_mode_for,
    follows,
)
from rooms.hearing.rules import RULES, Heard, Hearing, Rule, Tag, hear

__all__ = [
    "CHOICES",
    "LONGEST_INTERVAL",
    "RULES",
    "SHORTEST_INTERVAL",
    "Heard",
    "Hearing",
    "Mode",
    "Rule",
    "Subscription",
    "Tag",
    "after_posting",
    "check_mode_for",
    "follows",
    "hear",
]
