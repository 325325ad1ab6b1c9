"""
Statuses: what an agent says of itself, for its peers and its owner to look at.

Law: it tells nobody; whoever is to act on it is sent a message.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rooms.lobby.working.statuses import set_owner_requests, set_status
from rooms.tools.arguments import Argument, Text, Whole
from rooms.tools.tool import Caller, Tool

__all__ = ["TOOLS"]


def _status(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    set_status(caller.desk, given["text"], by=caller.by, now=caller.now)
    return {"status": given["text"].strip()}


def _requests(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    count, text = given["count"], given.get("text", "")
    set_owner_requests(caller.desk, count, text, by=caller.by, now=caller.now)
    return {"count": count, "text": text.strip() if count else ""}


TOOLS = (
    Tool(
        "set_status",
        "Keep one line that your peers see in `list_agents`, such as what you have"
        " queued and until when. Nobody is told that it changed.",
        _status,
        (Argument("text", Text(0), "One line, up to 300 characters; empty for none."),),
    ),
    Tool(
        "set_owner_requests",
        "Say how many things wait on your owner, and which. They are seen only by who"
        " looks: if you cannot go on without an answer, ask somebody in a message as"
        " well. Set it to 0 once nothing waits.",
        _requests,
        (
            Argument("count", Whole(0, 20), "How many things wait; 0 for nothing."),
            Argument(
                "text",
                Text(0),
                "What waits, in one line of up to 300 characters.",
                optional=True,
            ),
        ),
    ),
)
