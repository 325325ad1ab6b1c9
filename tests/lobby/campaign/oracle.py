"""
What a log owes, read from the records' headers with `json` alone.

It knows nothing of how the library folds them.
"""

from __future__ import annotations

import json
from collections import defaultdict

from lobby.campaign.scene import records_of
from rooms import Storage

__all__ = ["owed_by_the_log"]


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
