"""
What a log owes and who holds it, read from the records' headers with `json` alone: that
knows nothing of how the library folds them. And what a lobby then gives to whoever
takes it all.
"""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import datetime

from lobby.campaign.scene import records_of
from rooms import Lobby, Storage

__all__ = ["claimed_by_the_log", "drained", "owed_by_the_log"]


def owed_by_the_log(storage: Storage) -> dict[str, set[int]]:
    """By conversation, what a message owes and nothing has settled or ended since."""
    owed: dict[str, set[int]] = defaultdict(set)
    for record in records_of(storage):
        header = json.loads(record.header)
        match record.type:
            case "message_posted":
                for conversation, *_ in header.get("owed", ()):
                    owed[conversation].add(header["seq"])
            case "wake_closed":
                owed[header["conversation"]] -= {*header.get("settled", ())}
            case "settled":
                owed[header["conversation"]] -= {*header.get("entries", ())}
            case "seat_left" | "subscribed":
                owed[header["conversation"]] -= {*header.get("ended", ())}
    return owed


def claimed_by_the_log(storage: Storage) -> dict[str, int]:
    """
    By conversation of a lobby with one room, when the claim on its wake runs out.

    No wake was ever taken while another claim on its conversation held. A new runtime
    of the conversation takes that away.
    """
    claimed: dict[str, int] = {}
    for record in records_of(storage):
        header = json.loads(record.header)
        match record.type:
            case "wake_taken":
                held = claimed.get(header["conversation"], 0)
                assert held <= record.at, "two held one wake"
                claimed[header["conversation"]] = header["until"]
            case "turn_opened" | "wake_renewed":
                claimed[header["conversation"]] = header["until"]
            case "wake_closed" | "wake_returned" | "runtime_claimed":
                claimed.pop(header["conversation"], None)
            case "settled" | "ended" if header.get("wake"):
                claimed.pop(header["conversation"], None)
    return claimed


def drained(lobby: Lobby, now: datetime) -> dict[str, list[int]]:
    """By conversation, every message that a wake carries, each of them settled."""
    taken: dict[str, list[int]] = defaultdict(list)
    while wakes := lobby.take_wakes(now=now):
        for wake in wakes:
            taken[wake.conversation.id] += [one.seq for one in wake.messages]
            lobby.turn(wake, now=now).__enter__().end(now=now)
    return taken
