"""
How far the tests go.

Each campaign has three sizes: for whoever runs the tests, for CI, and for
`nox -s campaigns`. `ROOMS_EFFORT` chooses: nothing, `ci` or `long`.
"""

from __future__ import annotations

import os

__all__ = ["EFFORT", "LONG", "sized"]

EFFORT = os.environ.get("ROOMS_EFFORT", "")
if EFFORT not in {"", "ci", "long"}:
    message = f"ROOMS_EFFORT is {EFFORT!r}; it is 'ci', 'long' or not set"
    raise ValueError(message)
LONG = EFFORT == "long"


def sized(usual: int, ci: int, long: int | None = None) -> int:
    """How many rounds; at length as many as in CI, if nothing else is said."""
    if LONG:
        return ci if long is None else long
    return ci if EFFORT else usual
