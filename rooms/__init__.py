"""
Rooms in which agents and people talk, take turns and wake each other.

Where to begin: `Lobby` (rooms that remember); `RoundRobinRoomPlanner` and `RoomEvent`
(whose turn it is), `CastPlanner` and `catch_up` (a thread); `find_mentions` and
`parse_address` (whom a text means); `Mode` and `Subscription` (who wants to hear);
`RateWindow` and `Recurrence` (when); `patterns_overlap` (claims of paths). Every
mistake of a caller is an `InvalidInput` with a `code`. From the command line:
`python -m rooms replay --help`.

>>> from rooms import RoomEvent, RoundRobinRoomPlanner
>>> log = [RoomEvent("ana", "Build a login form.")]
>>> RoundRobinRoomPlanner().plan(["coder", "reviewer"], log)
Plan(speaker='coder', round=0, reason='turn')

Importing `rooms` only defines names: each, like the subpackages (`rooms.planning`), is
loaded when it is first used, so a gateway that drives a planner never loads a storage.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rooms import addressing as addressing
    from rooms import driving as driving
    from rooms import errors as errors
    from rooms import hearing as hearing
    from rooms import hooks as hooks
    from rooms import lobby as lobby
    from rooms import pacing as pacing
    from rooms import paths as paths
    from rooms import planning as planning
    from rooms import policy as policy
    from rooms import presets as presets
    from rooms import registry as registry
    from rooms import rendering as rendering
    from rooms import simulation as simulation
    from rooms import storage as storage
    from rooms import team as team
    from rooms import testing as testing
    from rooms import tools as tools
    from rooms import transcripts as transcripts
    from rooms.addressing import Address as Address
    from rooms.addressing import Mentions as Mentions
    from rooms.addressing import find_mentions as find_mentions
    from rooms.addressing import parse_address as parse_address
    from rooms.errors import ConfirmAllThreads as ConfirmAllThreads
    from rooms.errors import Conflict as Conflict
    from rooms.errors import IdempotencyConflict as IdempotencyConflict
    from rooms.errors import InvalidInput as InvalidInput
    from rooms.errors import NotAllowed as NotAllowed
    from rooms.errors import NotFound as NotFound
    from rooms.errors import OverLimit as OverLimit
    from rooms.errors import Refused as Refused
    from rooms.errors import RoomsError as RoomsError
    from rooms.errors import SelfAddressed as SelfAddressed
    from rooms.errors import StorageError as StorageError
    from rooms.hearing import Mode as Mode
    from rooms.hearing import Subscription as Subscription
    from rooms.hooks import hookimpl as hookimpl
    from rooms.lobby import Agent as Agent
    from rooms.lobby import Conversation as Conversation
    from rooms.lobby import Credentials as Credentials
    from rooms.lobby import Lobby as Lobby
    from rooms.lobby import Member as Member
    from rooms.lobby import Message as Message
    from rooms.lobby import Page as Page
    from rooms.lobby import Person as Person
    from rooms.lobby import Posted as Posted
    from rooms.lobby import Report as Report
    from rooms.lobby import Room as Room
    from rooms.lobby import Team as Team
    from rooms.lobby import Teams as Teams
    from rooms.lobby import Turn as Turn
    from rooms.lobby import Wake as Wake
    from rooms.pacing import Pushes as Pushes
    from rooms.pacing import RateWindow as RateWindow
    from rooms.pacing import Recurrence as Recurrence
    from rooms.paths import patterns_overlap as patterns_overlap
    from rooms.planning import Addressed as Addressed
    from rooms.planning import CastPlanner as CastPlanner
    from rooms.planning import CastReply as CastReply
    from rooms.planning import CatchUp as CatchUp
    from rooms.planning import Plan as Plan
    from rooms.planning import RoomEvent as RoomEvent
    from rooms.planning import RoomTurnPlannerProtocol as RoomTurnPlannerProtocol
    from rooms.planning import RoundPlan as RoundPlan
    from rooms.planning import RoundRobinRoomPlanner as RoundRobinRoomPlanner
    from rooms.planning import catch_up as catch_up
    from rooms.planning import extract_mentions as extract_mentions
    from rooms.planning import is_pass as is_pass
    from rooms.planning import leading_mentions as leading_mentions
    from rooms.policy import RoomPolicy as RoomPolicy
    from rooms.registry import Lobbies as Lobbies
    from rooms.storage import MemoryStorage as MemoryStorage
    from rooms.storage import SQLiteStorage as SQLiteStorage
    from rooms.storage import Storage as Storage

# The imports above are what a type checker sees; a test holds the two lists together.
_HOMES = {
    "rooms.addressing": ("Address", "Mentions", "find_mentions", "parse_address"),
    "rooms.errors": (
        *("ConfirmAllThreads", "Conflict", "IdempotencyConflict", "InvalidInput"),
        *("NotAllowed", "NotFound", "OverLimit", "Refused", "RoomsError"),
        *("SelfAddressed", "StorageError"),
    ),
    "rooms.hearing": ("Mode", "Subscription"),
    "rooms.hooks": ("hookimpl",),
    "rooms.lobby": (
        *("Agent", "Conversation", "Credentials", "Lobby", "Member", "Message"),
        *("Page", "Person", "Posted", "Report", "Room", "Team", "Teams", "Turn"),
        "Wake",
    ),
    "rooms.pacing": ("Pushes", "RateWindow", "Recurrence"),
    "rooms.paths": ("patterns_overlap",),
    "rooms.planning": (
        *("Addressed", "CastPlanner", "CastReply", "CatchUp", "Plan", "RoomEvent"),
        *("RoomTurnPlannerProtocol", "RoundPlan", "RoundRobinRoomPlanner", "catch_up"),
        *("extract_mentions", "is_pass", "leading_mentions"),
    ),
    "rooms.policy": ("RoomPolicy",),
    "rooms.registry": ("Lobbies",),
    "rooms.storage": ("MemoryStorage", "SQLiteStorage", "Storage"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_SUBPACKAGES = (
    *("addressing", "aio", "driving", "errors", "hearing", "hooks", "lobby"),
    *("pacing", "paths"),
    *("planning", "policy", "presets", "registry", "rendering", "simulation"),
    *("storage", "team", "testing", "tools", "transcripts"),
)

__all__ = sorted(_HOME)  # noqa: PLE0605 - a list of strings, made from the table
__version__ = "0.1.0"


if not TYPE_CHECKING:  # a checker sees the imports above, and misspelt names

    def __getattr__(name: str) -> Any:
        if name in _SUBPACKAGES:
            return import_module(f"rooms.{name}")
        home = _HOME.get(name)
        if home is None:
            raise AttributeError(f"module 'rooms' has no attribute {name!r}")
        value = getattr(import_module(home), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    """What is for users: no import of this module's own, and nothing private."""
    own = (name for name in globals() if name.startswith("__"))
    return sorted({*own, *__all__, *_SUBPACKAGES})
