"""
Connecting: which conversations somebody runs at the moment.

Law: the library has no transport, so that is the host's to know: what it answers in
`rooms_state`, else whether the helper of a conversation checked in of late.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = ["connected"]


def connected(
    desk: Desk, conversations: Iterable[Conversation], at: int
) -> frozenset[str]:
    """Those of the conversations that are connected; the lock is not held."""
    with desk.lock:
        present = desk.presence.present(at)
    plugins = desk.plugins
    if plugins is None or not plugins.has("rooms_state"):
        return present
    found = set(present)
    for one in conversations:
        answer = plugins.first("rooms_state", conversation=one).answer
        if answer is not None:
            (found.discard if answer.value == "away" else found.add)(one.id)
    return frozenset(found)
