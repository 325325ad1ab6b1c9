"""
Transcripts of other systems: read in, written out, and put into a room as its history.

`read` takes a panel's events, a thread's stamped messages or a plain chat; whatever is
wrong with them is refused with the number of the line. `[one.event for one in
transcript.events]` is what planners, `Talk` and `catch_up` take. `open_room` makes a
room of it, `write` JSON Lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

from rooms import values
from rooms.errors import InvalidInput
from rooms.transcripts.chats import is_chat, read_chat
from rooms.transcripts.events import read_events, write
from rooms.transcripts.opening import History, open_room
from rooms.transcripts.recorded import Recorded, Transcript
from rooms.transcripts.stamps import is_thread, read_thread

__all__ = [
    "FORMS",
    "MAX_CHARS",
    "History",
    "Recorded",
    "Transcript",
    "open_room",
    "read",
    "write",
]

FORMS = ("events", "thread", "chat")
"""The forms that `read` knows."""

MAX_CHARS = 64 * 1024 * 1024
"""The longest text that is read."""


def read(
    text: str | Iterable[str],
    form: Literal["events", "thread", "chat"] = "events",
    *,
    zone: str = "UTC",
    day_first: bool | None = None,
    operator: str = "operator",
    lead: str = "assistant",
) -> Transcript:
    r"""
    The transcript in a text, or in its lines, as an open file gives them.

    Args:
        text: What another system left.
        form: `events`: a panel's events, JSON or JSON Lines. `thread`: the messages of
            a chat with `@name`, stamped with who said them, as JSON. `chat`: plain
            text, a time and a name before each message.
        zone: Of a chat: the IANA name of the zone in which times stand that tell none.
        day_first: Of a chat: whether `05/01/2026` is in January. Where None, a day
            that could be two is refused.
        operator: Of a thread: what the person is called.
        lead: Of a thread: what the thread's own agent is called.

    Raises:
        InvalidInput: `invalid_json` with the line for what is not JSON, `too_large` for
            more than 64 Mi characters, `unknown_time_zone`, and `invalid_request` with
            the line for what is no message, and for a text without a single one.

    >>> chat = read("[2026-01-05 09:00] ana: Go.\nNow.\n", "chat").events
    >>> chat[0].event.content, f"{chat[0].at:%H:%M}"
    ('Go.\nNow.', '09:00')
    """
    whole = _whole(text)
    values.member("form", form, FORMS)
    if form == "events":
        try:
            return read_events(whole)
        except InvalidInput as error:
            if is_chat(whole):
                elsewhere = "a plain chat is of the form chat (--form chat)"
            elif is_thread(whole):
                elsewhere = "a thread's messages are of the form thread (--form thread)"
            else:
                raise
            allowed = {"allowed": f"an event; {elsewhere}"}
            raise InvalidInput(
                code=error.code, **{**error.details, **allowed}
            ) from error
    if form == "thread":
        called = {"operator": operator, "lead": lead}
        for name, given in called.items():
            values.text(name, given, empty=False)
        if operator == lead:
            raise InvalidInput("lead", "is called as the operator is", allowed="others")
        return read_thread(whole, **called)
    if day_first is not None:
        values.flag("day_first", day_first)
    return read_chat(whole, zone_name=zone, day_first=day_first)


def _whole(text: Any) -> str:
    if not isinstance(text, str):
        try:
            lines = iter(text)
        except TypeError:
            kind = type(text).__name__
            problem = f"is of type {kind}"
            raise InvalidInput("text", problem, allowed="text, or lines") from None
        parts, size = [], 0
        for line in lines:
            parts.append(values.text("text", line))
            size += len(line)
            if size > MAX_CHARS:
                break
        text = "".join(parts)
    if len(text) > MAX_CHARS:
        raise InvalidInput(
            "text", "is longer than 64 Mi", allowed="<= 64 Mi", code="too_large"
        )
    return str(text).removeprefix("\ufeff")
