"""
Delivery: where a result goes, and what a person's yes to it is bound to.

Two laws. What leaves the machine needs a person's yes, and an unknown destination is
one outside (S-DELIVER-02, S-DELIVER-04). And a yes is bound to the place, to its
parameters in any order, and to the exact text, but for blanks around it (S-DELIVER-06).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.team.access import Access

__all__ = [
    "CHAT",
    "DESTINATIONS",
    "Destination",
    "binding",
    "default_destination",
    "is_external",
]

CHAT = "invoking_chat"
"""The chat that a team was started from."""

DESTINATIONS: Mapping[str, bool] = MappingProxyType(
    {
        "pr": False,
        "workspace_files": False,
        "saved_artifact": False,
        "email_draft": False,
        CHAT: False,
        "email_send": True,
        "chat_post": True,
        "webhook_post": True,
    }
)
"""The destinations that are known, and whether each is outside (S-DELIVER-04)."""

_LONGEST, _MOST = 4_000, 32


def is_external(destination: str) -> bool:
    """Whether a result that goes there leaves the machine."""
    return DESTINATIONS.get(destination, True)


def default_destination(access: str, *, chat: bool = False) -> str:
    """Where a result goes if nobody says (S-DELIVER-05)."""
    if chat:
        return CHAT
    return {
        Access.READ_ONLY: "saved_artifact",
        Access.EDIT_WORKSPACE: "workspace_files",
        Access.EDIT_AND_PUSH: "pr",
    }[Access(access)]


def binding(destination: str, params: Mapping[str, str], text: str) -> str:
    """
    What an approval of this delivery is bound to.

    >>> binding("chat_post", {"to": "ops"}, "v1") == binding(
    ...     "chat_post", {"to": "ops"}, " v1 "
    ... )
    True
    """
    bound = [destination, sorted(params.items()), text.strip()]
    written = json.dumps(bound, ensure_ascii=False, separators=(",", ":"))
    return blake2b(written.encode(), digest_size=16).hexdigest()


def _checked(given: Any) -> Mapping[str, str]:
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise InvalidInput("params", f"is of type {kind}", allowed="a mapping")
    values.whole_number("params (how many)", len(given), at_least=0, at_most=_MOST)
    for name, value in given.items():
        values.storable("params", name)
        values.storable(f"params[{name[:40]!r}]", value)
        if len(name) + len(value) > _LONGEST:
            raise InvalidInput(
                f"params[{name[:40]!r}]",
                "is too long",
                allowed=f"{_LONGEST} characters, with its name",
            )
    return MappingProxyType(dict(sorted(given.items())))


@frozen
class Destination:
    """
    Where the result goes.

    Attributes:
        name: One of `DESTINATIONS`, or a host's own, which counts as outside;
            "" is the default of the team's access.
        params: What the destination needs to know, as text.
    """

    name: str = ""
    params: Mapping[str, str] = field(factory=dict, converter=_checked, hash=False)

    def __attrs_post_init__(self) -> None:
        values.storable("destination", self.name)
        values.whole_number(
            "destination (characters)", len(self.name), at_least=0, at_most=64
        )

    @property
    def external(self) -> bool:
        """Whether it needs a person's yes."""
        return is_external(self.name)
