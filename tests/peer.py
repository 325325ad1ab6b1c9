"""
The peer's `rooms` subpackage, alone.

Law: nothing else of the peer runs. Its top-level package takes seconds to load and
replaces `warnings.warn` and the root handlers of logging; so a bare parent that knows
only the folder stands in for it, and the package needs none of its dependencies.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from types import ModuleType

__all__ = ["NAME", "load", "release"]

NAME = "praisonaiagents"


def load() -> ModuleType | None:
    """`praisonaiagents.rooms`, or None where the peer is not installed."""
    if NAME not in sys.modules:
        spec = find_spec(NAME)
        if spec is None or spec.submodule_search_locations is None:
            return None
        parent = ModuleType(NAME)
        parent.__path__ = list(spec.submodule_search_locations)
        sys.modules[NAME] = parent
    return import_module(f"{NAME}.rooms")


def release() -> str | None:
    """The peer's version, or None where it is not installed."""
    try:
        return version(NAME)
    except PackageNotFoundError:
        return None
