"""
Confirm: several conversations of one agent do not wake by accident (G-CONFIRM-01).

Law: what is asked names what would wake, what would be told later, and what to send
instead; nothing was sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rooms.addressing import Resolution
from rooms.errors import ConfirmAllThreads
from rooms.hearing import Hearing, Tag
from rooms.log.posting.addressing import RoomView
from rooms.log.posting.draft import Draft, PostFacts
from rooms.log.posting.owing import HEARD
from rooms.log.state import RoomState

__all__ = ["check_fan_out"]


def check_fan_out(
    room: RoomState, resolution: Resolution, facts: PostFacts, draft: Draft
) -> None:
    """Several conversations of one agent do not wake by accident (G-CONFIRM-01)."""
    if not resolution.group:
        return
    waking, later = list[str](), list[str]()
    for conversation in (*resolution.group, *_reached_anyhow(room, resolution)):
        seat = room.seats[conversation]
        heard = HEARD.get((seat.mode, seat.tagged_only, Tag.GROUP.value))
        # A digest wakes too, if later (G-CONFIRM-06); a rider is merely told.
        (later if heard and heard[0] == Hearing.RIDER else waking).append(conversation)
    agents = Counter(room.seats[conversation].agent for conversation in waking)
    agent, count = agents.most_common(1)[0] if agents else ("", 0)
    if count < 2:
        return
    view = RoomView(room, facts)
    of_agent = [one for one in waking if room.seats[one].agent == agent]
    instead = [view.address(of_agent[-1]), f"agent:{agent}/new", "room"]
    raise ConfirmAllThreads(
        "confirm_all_threads",
        f"nothing was sent: it would wake {count} conversations of {agent}; send to"
        f" {' or '.join(instead)}, or confirm",
        preview={
            "agent": agent,
            "count": count,
            "waking": [view.address(one) for one in waking],
            "told_later": [view.address(one) for one in later],
            "instead": instead,
        },
        to=[str(address) for address in draft.to],
    )


def _reached_anyhow(room: RoomState, resolution: Resolution) -> Iterable[str]:
    """Those named one by one whom the address of a group reaches as well."""
    agents = {room.seats[conversation].agent for conversation in resolution.group}
    for conversation in resolution.direct:
        if conversation in room.following and room.seats[conversation].agent in agents:
            yield conversation
