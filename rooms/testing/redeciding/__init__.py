"""
Deciding an old log again with today's rules.

Three laws. A log is the truth: what it says happened is never changed by what would be
decided today. What cannot be decided again is counted, not passed over in silence. And
a divergence names both decisions, and where they part.
"""

from rooms.testing.redeciding.checking import check_replay
from rooms.testing.redeciding.report import Divergence, ReplayReport

__all__ = ["Divergence", "ReplayReport", "check_replay"]
