"""
A quoted message: one frame line on who, to whom, when and why, then its text.

One law: every fact of the message is in its frame line or its quoted lines, so that it
can be read back whole.
"""

from __future__ import annotations

from datetime import UTC, datetime

from rooms.rendering.frames import Quoted
from rooms.rendering.lines import (
    Fields,
    Lines,
    frame_line,
    quoted_lines,
    read_names,
    read_number,
    said_after,
    token,
    tokens,
)

__all__ = ["message_lines", "read_message", "read_messages"]


def message_lines(message: Quoted, *before: str, says: str = "") -> list[str]:
    """The lines of a message; `before` stands before its facts, `says` after them."""
    number = "" if message.seq is None else f"#{message.seq} "
    facts = [*before, f"{number}from {token(message.sender)}"]
    if message.to:
        facts.append(f"to {tokens(message.to)}")
    answered = message.reply_to
    if answered is not None:
        by_seq = isinstance(answered, int)
        facts.append(f"reply to {f'#{answered}' if by_seq else token(str(answered))}")
    if message.at is not None:
        facts.append(f"{message.at.replace(tzinfo=None).isoformat(' ')}Z")
    if message.why is not None:
        facts.append(f"why {token(message.why)}")
    flags = {
        "late": message.late,
        "superseded": message.superseded,
        "failed": message.failed,
    }
    facts += [word for word, holds in flags.items() if holds]
    if message.cut_from is not None:
        facts.append(f"cut from {message.cut_from} characters")
    if message.carries:
        facts.append(f"carries {tokens(message.carries)}")
    return [frame_line(*facts, says=says), *quoted_lines(message.text)]


def read_message(lines: Lines) -> Quoted:
    """The message that comes next."""
    fields = lines.frame()
    if fields[0] == ("message",):
        fields = fields[1:]
    head = fields[0] if fields else ()
    if head[-2:-1] != ("from",):
        lines.refuse()
    answered = said_after(fields, "reply", "to")
    by_seq = "".join(answered).startswith("#")
    return Quoted(
        read_number(head),
        "".join(read_names(head[-1:])),
        at=_instant(fields),
        text=lines.body(),
        to=read_names(said_after(fields, "to")),
        reply_to=read_number(answered) if by_seq else _first_name(answered),
        why=_first_name(said_after(fields, "why")),
        cut_from=read_number(said_after(fields, "cut", "from")),
        late=("late",) in fields,
        superseded=("superseded",) in fields,
        failed=("failed",) in fields,
        carries=read_names(said_after(fields, "carries")),
    )


def read_messages(lines: Lines) -> list[Quoted]:
    """The messages that follow one another from here."""
    messages = []
    while lines.begins("[#", "[from "):
        messages.append(read_message(lines))
    return messages


def _first_name(written: tuple[str, ...]) -> str | None:
    return read_names(written[:1])[0] if written else None


def _instant(fields: Fields) -> datetime | None:
    for field in fields:
        if len(field) == 2 and field[0][:1].isdigit() and field[1].endswith("Z"):
            day, time = field
            return datetime.fromisoformat(f"{day} {time[:-1]}").replace(tzinfo=UTC)
    return None
