"""
A plugin for rooms, to be copied: a transport, and a look at drafts.

A module is a plugin as it stands: whatever is marked with `hookimpl` is called. Keep
the hooks that you need, and see `docs/reference/hooks.md` for all of them.
"""

from __future__ import annotations

from typing import Any

from rooms.hooks import hookimpl

OUTBOX: list[str] = []
"""Where this transport puts what it carries; yours has a socket, or a queue."""


@hookimpl
def rooms_carry(wake: Any) -> str:
    """
    Hands a wake over to whoever runs the agent.

    `delivered` says that it was handed over: it opens no turn any more, and is settled
    when its agent reads the room or acknowledges it; `settled` that a turn was run here
    to its end; None leaves it to the next plugin. What raises here is reported, and the
    wake stays owed.
    """
    OUTBOX.append(wake.render())
    return "delivered"


@hookimpl
def rooms_check_draft(draft: Any) -> str | None:
    """
    Refuses a message by saying why; None lets it pass.

    It is asked before the commit, and its answer is recorded.
    """
    return "please do not shout" if draft.text.isupper() else None
