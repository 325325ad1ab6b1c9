"""
How `release_panel.json` came to be: saved by the peer package's own runtime.

Its `Room` runs three scripted agents over three messages, and what its transcript holds
in the end is written as it stands. Run it with the peer installed:
`python examples/record_with_peer.py > examples/release_panel.json`
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import sys
from collections.abc import Awaitable, Callable

try:
    from praisonaiagents.rooms import Room, RoomConfig, RoomEvent
except ImportError:
    sys.exit("needs the peer: pip install --no-deps praisonaiagents==1.7.17")

REPLIES = {
    "planner": [
        "Plan for the release: freeze today, @coder fixes the login bug, then tests.",
        "Agreed with the fix. @reviewer please check the migration as well.",
        "The date stands: Thursday.",
        "Thursday 10:00, with a rollback script at hand.",
    ],
    "coder": [
        "The bug is the session cookie on mobile; a fix is one line. @reviewer, a look?",
        "Fixed on a branch, with a test that failed before.",
        "Nothing blocks Thursday from my side.",
        "",
        "The rollback script is in the repository; @reviewer tried it once.",
    ],
    "reviewer": [
        "I read the diff; @planner, the migration runs twice if it is interrupted.",
        "With the lock in place it runs once. Good to go.",
        "Good to go.",
        "Tried it this morning, it restores in a minute.",
        "Confirmed: one minute.",
    ],
}
MESSAGES = [
    ("ana", "Can we release this week?"),
    ("ana", "So is Thursday fine for everybody?"),
    ("ben", "And when exactly, and what if it goes wrong?"),
]


def scripted(replies: list[str]) -> Callable[[str], Awaitable[str]]:
    """An agent that says its lines in order, whatever it is asked."""
    lines = iter(replies)

    async def reply(_: str) -> str:
        return next(lines, "")

    return reply


async def record() -> dict[str, object]:
    """The room's configuration and everything that was said in it."""
    config = RoomConfig("release", list(REPLIES), max_messages=12)
    room = Room(config, {name: scripted(lines) for name, lines in REPLIES.items()})
    for speaker, content in MESSAGES:
        await room.on_message(RoomEvent(speaker, content))
    events = [dataclasses.asdict(event) for event in room.transcript]
    return {**config.to_dict(), "transcript": events}


if __name__ == "__main__":
    print(json.dumps(asyncio.run(record()), indent=2))
