"""
Repeating: what the caller says again and again.

Law: times are those of a clock on a wall, in a time zone that is named, so that nobody
has to think of daylight saving.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rooms.errors import InvalidInput
from rooms.lobby.posting.recipients import EVERYBODY
from rooms.lobby.schedules.handle import schedules
from rooms.log.schedules import MISSED
from rooms.tools.arguments import Argument, Choice, Many, Text
from rooms.tools.scheduling import REPEAT, recurrence, recurring
from rooms.tools.talking import MEANING
from rooms.tools.tool import REQUEST_ID, Caller, Tool

__all__ = ["TOOLS"]


def _create(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    room = caller.room(given) if "room" in given else None
    to: Any = given.get("to", ())
    if room is None:
        if len(to) != 1:
            raise InvalidInput(
                "to",
                f"names {len(to)}",
                allowed=f"one agent or conversation, or {EVERYBODY!r}, without a room",
            )
        [one] = to
        to = caller.meant(one) if "/" in one else one
    made = schedules(caller.desk, by=caller.by, of=None).create(
        given["content"],
        repeat=recurrence(given["repeat"]),
        to=to,
        room=room,
        missed=given.get("missed", "once"),
        request_id=given.get("request_id"),
        now=caller.now,
        **{
            one.name: given[one.name]
            for one in MEANING
            if one.name in given and one.name != "supersedes"
        },
    )
    return {"duplicate": made.duplicate, "schedule": recurring(made)}


TOOLS = (
    Tool(
        "create_schedule",
        "Say something again and again, at times of day in a time zone. Each time it is"
        " a message of yours; what cannot be sent then is skipped, and the list tells"
        " why. It goes on until you cancel it.",
        _create,
        (
            Argument("content", Text(1), "What to say."),
            Argument("repeat", REPEAT, "When."),
            Argument(
                "room",
                Text(1),
                "The room's id or its name; left out, it goes to whom `to` names.",
                optional=True,
            ),
            Argument(
                "to",
                Many(Text(1), 100),
                "Whom it addresses; without a room one agent, or `*` for all.",
                optional=True,
            ),
            Argument(
                "missed",
                Choice(MISSED),
                "Of times that passed while nobody was there: the last one comes"
                " `once`, they are left out (`skip`), or `all` come.",
                optional=True,
            ),
            REQUEST_ID,
            *(one for one in MEANING if one.name != "supersedes"),
        ),
    ),
)
