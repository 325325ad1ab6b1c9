"""
Calling: a model's request becomes the Python call, by the caller's identity.

Law: what is unknown, not offered or ill-formed runs nothing. All else is the call's own
to accept or refuse, so permissions, fences and request ids are shared with it
(L-TOOL-04).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Any, NoReturn

from rooms import values
from rooms.errors import InvalidInput, NotAllowed, NotFound
from rooms.lobby import Claim, Conversation, Turn
from rooms.lobby.handles import actor_of, conversation_of
from rooms.tools.catalogue import NOT_DISPATCHABLE, TOOLS
from rooms.tools.permissions import withheld
from rooms.tools.tool import Caller, Tool

__all__ = ["call_tool", "caller_of", "tool_for"]


def call_tool(caller: Caller, name: Any, arguments: Any) -> dict[str, Any]:
    """As `rooms.tools.call`, which documents it."""
    tool = _named(values.text("name", name))
    kept = withheld(tool, caller)
    if kept is not None:
        raise NotAllowed(
            "tool_forbidden",
            f"{tool.name} is withheld: {kept.detail}",
            tool=tool.name,
            reason=kept.reason,
            detail=kept.detail,
        )
    return tool.run(caller, _checked(tool, arguments))


def tool_for(name: Any, arguments: Any) -> Tool:
    """
    The tool of a call that somebody will make.

    Raises:
        RoomsError: As `rooms.tools.call` for a call that no caller could make.
    """
    tool = _named(values.text("name", name))
    _checked(tool, arguments)
    return tool


def caller_of(by: Any, *, holder: str | None, now: datetime | None) -> Caller:
    """Who calls; a person is refused with `agent_required`."""
    conversation = conversation_of(by, field="actor")
    if not isinstance(by, Conversation | Turn | Claim):
        kind = type(by).__name__
        allowed = "a conversation, a turn or a claim"
        if hasattr(by, "sync"):
            kind, allowed = "Turn of rooms.aio", f"{allowed}; its `sync` is one"
        raise InvalidInput("actor", f"is of type {kind}", allowed=allowed)
    desk = conversation._desk if isinstance(by, Claim) else by._desk  # noqa: SLF001
    desk.check_usable()
    actor_of(by, desk, field="actor")
    return Caller(by, conversation, desk, holder=holder, now=now)


def _named(name: str) -> Tool:
    tool = TOOLS.get(name)
    if tool is not None:
        return tool
    if name in NOT_DISPATCHABLE:
        raise NotAllowed(
            "operation_not_dispatchable",
            f"no tool does {name}: {NOT_DISPATCHABLE[name]}",
            name=name,
        )
    closest = get_close_matches(name[:80], TOOLS, n=1)
    nearest = f"; the closest is {closest[0]}" if closest else ""
    raise NotFound(
        "unknown_tool",
        f"no tool is called {name[:80]!a}{nearest}",
        name=name[:80],
        closest=closest[0] if closest else None,
        tools=list(TOOLS),
    )


def _checked(tool: Tool, arguments: Any) -> Mapping[str, Any]:
    """The arguments, or what is wrong with which, and what the tool takes."""
    try:
        given = _parsed(arguments) if isinstance(arguments, str) else arguments
        return tool.record.checked("", given)
    except InvalidInput as wrong:
        listed = tool.record.listed()
        takes = f"{tool.name} takes {', '.join(listed) or 'nothing'}"
        allowed = wrong.details["allowed"]
        raise InvalidInput(
            wrong.field,
            str(wrong.details["problem"]),
            allowed=takes if allowed is None else f"{allowed}; {takes}",
            code=wrong.code,
            arguments=listed,
        ) from None


def _parsed(text: str) -> Any:
    """A JSON text, as some models' clients hand arguments over."""
    try:
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise InvalidInput(
            "arguments", "is no JSON", allowed="a JSON object", code="invalid_json"
        ) from None


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)
