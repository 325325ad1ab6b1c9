"""
The form `thread`: the messages of a chat in which an operator addresses participants.

Law: who spoke is read from a message's stamp, `additional_kwargs.room`, and never from
its text (R-RECORD-01); the envelope that carries the text is taken off, so that it
never nests (R-RECORD-07). What has no stamp was said by the operator or by the lead;
tools, system messages and those without words were said by nobody (R-CATCHUP-04).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rooms.errors import InvalidInput
from rooms.planning import RoomEvent
from rooms.transcripts.documents import entries, json_kind
from rooms.transcripts.recorded import Recorded, Transcript

__all__ = ["is_thread", "read_thread"]

_ENVELOPE = re.compile(r"<room-message\b[^>]*>\n(.*)\n</room-message>", re.DOTALL)

_OF_A_MESSAGE = {"content", "type", "role", "data", "kwargs"}
_OPERATOR, _LEAD, _NOBODY = "operator", "lead", "nobody"
_KINDS = {
    **dict.fromkeys(("human", "user", "HumanMessage", "HumanMessageChunk"), _OPERATOR),
    **dict.fromkeys(("ai", "assistant", "AIMessage", "AIMessageChunk"), _LEAD),
    **dict.fromkeys(("tool", "function", "ToolMessage", "FunctionMessage"), _NOBODY),
    **dict.fromkeys(("system", "developer", "SystemMessage", "remove"), _NOBODY),
}


def read_thread(text: str, *, operator: str, lead: str) -> Transcript:
    """The transcript that a text of this form holds; these are called so."""
    events: list[Recorded] = []
    cast: dict[str, None] = {}
    for line, value in entries(text, ("messages",), "content"):
        if isinstance(value, dict) and not _OF_A_MESSAGE & set(value) and not events:
            continue  # what stands around the messages of a thread's state
        said = _said(line, value, operator, lead)
        if said is None:
            continue
        events.append(said)
        name = said.event.speaker
        if name not in {operator, lead} and not said.failed:  # R-CAST-01, R-CAST-02
            cast[name] = None
    if not events:
        raise InvalidInput("text", "holds no messages", allowed="messages, as JSON")
    return Transcript(tuple(events), roster=tuple(cast))


def is_thread(text: str) -> bool:
    """Whether a text begins as one of this form does."""
    try:
        for line, value in entries(text, ("messages",), "content"):
            if not isinstance(value, dict) or "speaker" in value:
                return False
            if _OF_A_MESSAGE & set(value):
                return bool(_message(f"line {line}", value))
    except InvalidInput:
        return False
    return False


def _said(line: int, value: Any, operator: str, lead: str) -> Recorded | None:
    where = f"line {line}"
    if not isinstance(value, dict):
        raise InvalidInput(where, f"is {json_kind(value)}", allowed="a message")
    kind, message = _message(where, value)
    text = _text(where, message.get("content"))
    stamp = _object(where, "additional_kwargs.room", _stamp(where, message))
    if stamp.get("from"):
        speaker = _name(where, "from", stamp["from"])
    elif kind == _NOBODY:
        return None
    else:
        speaker = operator if kind == _OPERATOR else lead
    if not text:
        return None
    to = (_name(where, "to", stamp["to"]),) if stamp.get("to") else ()
    event = RoomEvent(speaker, text, human=speaker == operator)
    return Recorded(line, event, to=to, failed=bool(stamp.get("failed")))


def _message(where: str, value: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """The kind of a message and its fields, in whichever way it was written as JSON."""
    if value.get("type") == "constructor":
        path = value.get("id")
        kind = path[-1] if isinstance(path, list) and path else None
        message = _object(where, "kwargs", value.get("kwargs"))
    elif "data" in value:
        kind, message = value.get("type"), _object(where, "data", value["data"])
    else:
        kind, message = value.get("type", value.get("role")), value
    known = _KINDS.get(kind) if isinstance(kind, str) else None
    if known is None:
        told = "no type" if kind is None else f"the type {str(kind)[:60]!a}"
        allowed = ", ".join(sorted(_KINDS))
        raise InvalidInput(where, f"has {told}", allowed=allowed)
    return known, message


def _stamp(where: str, message: Mapping[str, Any]) -> Any:
    given = message.get("additional_kwargs")
    return _object(where, "additional_kwargs", given).get("room")


def _text(where: str, content: Any) -> str:
    """The words of a message, without the envelope that carries them."""
    if isinstance(content, list):
        parts = [one if isinstance(one, str) else _part(one) for one in content]
        content = "\n".join(part for part in parts if part is not None)
    if content is None:
        return ""
    if not isinstance(content, str):
        problem = f"is {json_kind(content)}"
        raise InvalidInput(f"{where}: content", problem, allowed="a string or parts")
    text = content.strip()
    carried = _ENVELOPE.fullmatch(text)
    return carried[1].strip() if carried else text


def _part(part: Any) -> str | None:
    if isinstance(part, dict) and part.get("type") == "text":
        text = part.get("text")
        return text if isinstance(text, str) else None
    return None


def _object(where: str, field: str, value: Any) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        problem = f"is {json_kind(value)}"
        raise InvalidInput(f"{where}: {field}", problem, allowed="an object")
    return value


def _name(where: str, field: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        problem = "is empty" if isinstance(value, str) else f"is {json_kind(value)}"
        allowed = "a name"
        raise InvalidInput(f"{where}: room.{field}", problem, allowed=allowed)
    return value
