"""
How long the campaigns are.

Each has a size for every commit and one for `nox -s campaigns`, which sets the
environment variable `ROOMS_CAMPAIGN`.
"""

from __future__ import annotations

import os

__all__ = ["sized"]


def sized(commit: int, long: int) -> int:
    """The number of rounds: for every commit, or for the long campaign."""
    return long if os.environ.get("ROOMS_CAMPAIGN") else commit
