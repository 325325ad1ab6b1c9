"""
Each code that an error may carry, by theme: what it means, and what to do about it.

A gateway and the reference ask for them; no call of the library does, so they are
loaded when `rooms.errors.CODES` is first named.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rooms.errors.codes.access import ACCESS
from rooms.errors.codes.code import Code
from rooms.errors.codes.files import FILES
from rooms.errors.codes.inbox import INBOX
from rooms.errors.codes.memory import MEMORY
from rooms.errors.codes.naming import NAMING
from rooms.errors.codes.posting import POSTING
from rooms.errors.codes.schedules import SCHEDULES
from rooms.errors.codes.storage import STORAGE
from rooms.errors.codes.team import TEAM
from rooms.errors.codes.tools import TOOLS
from rooms.errors.codes.values import VALUES
from rooms.errors.codes.waking import WAKING

__all__ = ["CODES", "Code"]

CODES: Mapping[str, Code] = MappingProxyType(
    {
        **VALUES,
        **NAMING,
        **ACCESS,
        **POSTING,
        **SCHEDULES,
        **WAKING,
        **INBOX,
        **FILES,
        **MEMORY,
        **TEAM,
        **TOOLS,
        **STORAGE,
    }
)
"""Every code, with what it means and what to do about it."""
