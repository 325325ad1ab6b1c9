"""
Scheduling: what the caller has to come, listed, changed and cancelled.

Law: an instant is written with its offset, so that nobody has to guess whose clock is
meant.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.lobby.schedules.handle import Schedules, schedules
from rooms.lobby.schedules.values import WaitingMessage
from rooms.tools import telling
from rooms.tools.arguments import Argument, Text
from rooms.tools.tool import Caller, Tool

__all__ = ["DELIVER_AT", "TOOLS", "Instant"]


@frozen
class Instant:
    """An instant in ISO 8601, with `Z` or an offset."""

    def schema(self) -> dict[str, Any]:
        """As `Kind.schema`."""
        return {"type": "string", "format": "date-time"}

    def checked(self, field: str, value: Any) -> datetime:
        """As `Kind.checked`."""
        text = values.storable(field, value)
        try:
            return values.instant(field, datetime.fromisoformat(text))
        except InvalidInput:
            raise
        except ValueError:
            raise InvalidInput(
                field, "is no instant", allowed="such as 2026-03-02T12:00:00Z"
            ) from None


DELIVER_AT = Argument(
    "deliver_at",
    Instant(),
    "When it is to be delivered, up to 30 days ahead, such as 2026-03-02T12:00:00Z."
    " Left out, it is at once.",
    optional=True,
)


def _own(caller: Caller) -> Schedules:
    return schedules(caller.desk, by=caller.by, of=None)


def _waiting(one: WaitingMessage) -> dict[str, Any]:
    return {
        "id": one.id,
        "room": one.room.id,
        "deliver_at": telling.instant(one.deliver_at),
        "recipients": one.recipients,
        **telling.said(to=list(one.to), content_truncated=one.content_truncated),
        "content": one.content,
    }


def _list(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    del given
    return {"messages": [_waiting(one) for one in _own(caller).list().messages]}


def _cancel(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    done = _own(caller).cancel(given["id"], now=caller.now)
    return {
        "cancelled": "message",
        "id": done.message.id,
        "already_cancelled": done.already_cancelled,
    }


def _update(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    message = _own(caller).update(
        given["id"],
        content=given.get("content"),
        deliver_at=given.get("deliver_at"),
        now=caller.now,
    )
    return {"updated": "message", "message": telling.message(message)}


_ID = Argument("id", Text(1), "Its id, as the list has it.")

TOOLS = (
    Tool(
        "list_schedules",
        "See what you have to come: messages that wait for their time, the soonest"
        " first. `recipients` is how many they are for.",
        _list,
        reads=True,
    ),
    Tool(
        "update_scheduled",
        "Give a message of yours that waits other words, or another time. Whom it is"
        " for stays.",
        _update,
        (
            _ID,
            Argument("content", Text(1), "What it says instead.", optional=True),
            Argument(
                "deliver_at",
                Instant(),
                "When it is to be delivered instead.",
                optional=True,
            ),
        ),
    ),
    Tool(
        "cancel_scheduled",
        "Cancel a message of yours before its time. Nobody ever sees it.",
        _cancel,
        (_ID,),
        destroys=True,
    ),
)
