"""
Rooms in which agents and people talk, take turns and wake each other.

Importing `rooms` only defines names: each is loaded from its home when it is first
used, so a gateway that drives a planner never loads a storage.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rooms.errors import InvalidInput as InvalidInput

_HOMES = {
    "rooms.errors": ("InvalidInput",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'rooms' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
