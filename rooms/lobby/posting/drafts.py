"""
Drafts: plugins look at a message before it is recorded.

Law: they are asked with no lock held, about the message as it would be recorded; one
reason is enough to refuse it, and then nothing is.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING

from rooms.errors import NotAllowed
from rooms.lobby.recording.decisions import Consents, Decision
from rooms.lobby.recording.fence import fenced
from rooms.log.actors import Actor

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["check_draft"]

HOOK = "rooms_check_draft"


def check_draft(
    desk: Desk,
    stream: str,
    by: Actor,
    decide: Callable[[int], Decision],
    now: datetime | None,
) -> Consents:
    """
    Asks the plugins about the message that a command would leave in a room; what is
    recorded with it, if they let it pass.
    """
    if desk.plugins is None or not desk.hears(HOOK):
        return ()
    with desk.lock:
        at = max(desk.time(now), desk.streams.current(stream).at)
        decision = fenced(desk, by, decide, (stream,))(at)
    events = decision.appends.get(stream)
    if not events:
        return ()
    verdict = desk.plugins.decide(HOOK, draft=events[-1])
    if verdict.allowed is False:
        reasons = [str(one.value) for one in verdict.answers]
        raise NotAllowed(
            "draft_refused",
            f"a plugin refused the message: {reasons[0]}",
            reasons=reasons,
            plugins=[one.plugin for one in verdict.answers],
        )
    return tuple(("check_draft", name) for name in desk.plugins.asked(HOOK))
