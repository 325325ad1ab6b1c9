"""
The plugin hooks: what a host, or a package that extends the library, can say and hear.

Three laws. A hook is asked before a commit, and then its failure refuses; or after it,
and then its failure is reported and changes nothing. A plugin is registered or loaded
because somebody said so, never because it is installed. What a plugin is handed is
frozen, and no plugin can act as somebody else with it.

Importing this module imports pluggy; importing `rooms` does not.
"""

from rooms.plugins.answers import HOOKS, Hook
from rooms.plugins.registry import Plugins
from rooms.plugins.reports import (
    Answer,
    HookFailure,
    Loaded,
    LoadFailure,
    Offers,
    Outcome,
    Verdict,
)
from rooms.plugins.specs import (
    hookimpl,
    rooms_carry,
    rooms_changed_files,
    rooms_check_draft,
    rooms_committed,
    rooms_deliver,
    rooms_may,
    rooms_place_member,
    rooms_planners,
    rooms_push,
    rooms_release_member,
    rooms_start_conversation,
    rooms_state,
    rooms_storages,
)

__all__ = [
    "HOOKS",
    "Answer",
    "Hook",
    "HookFailure",
    "LoadFailure",
    "Loaded",
    "Offers",
    "Outcome",
    "Plugins",
    "Verdict",
    "hookimpl",
    "rooms_carry",
    "rooms_changed_files",
    "rooms_check_draft",
    "rooms_committed",
    "rooms_deliver",
    "rooms_may",
    "rooms_place_member",
    "rooms_planners",
    "rooms_push",
    "rooms_release_member",
    "rooms_start_conversation",
    "rooms_state",
    "rooms_storages",
]
