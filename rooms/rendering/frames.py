"""
What is rendered: quoted messages, notices, and the two frames around them.

One law: a frame is checked when it is made, so every frame that exists can be rendered,
and what is read back equals it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, TypeVar

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput

__all__ = [
    "KINDS",
    "CatchUpFrame",
    "Datum",
    "MailFrame",
    "Notice",
    "Quoted",
    "check_frame",
]

Datum = str | int | bool | None
"""What a notice may tell under a name."""

Part = TypeVar("Part")

_MOST = 10**18 - 1  # 18 digits


def _word(name: str, given: Any, *, empty: bool = False) -> str:
    # The characters, whatever a subclass such as a StrEnum would print for itself.
    return str.__str__(values.text(name, given, empty=empty))


def _number(name: str, given: Any, *, at_least: int = 0) -> int:
    return int(values.whole_number(name, given, at_least=at_least, at_most=_MOST))


def _to_seq(given: Any) -> int | None:
    return None if given is None else _number("seq", given)


def _to_sender(given: Any) -> str:
    return _word("sender", given)


def _to_at(given: Any) -> datetime | None:
    return None if given is None else values.instant("at", given)


def _to_text(given: Any) -> str:
    return _word("text", given, empty=True)


def _to_to(given: Any) -> tuple[str, ...]:
    return tuple(map(str.__str__, values.names("to", given)))


def _to_carries(given: Any) -> tuple[str, ...]:
    return tuple(map(str.__str__, values.names("carries", given)))


def _to_reply_to(given: Any) -> str | int | None:
    if given is None:
        return None
    if isinstance(given, str):
        return _word("reply_to", given)
    return _number("reply_to", given)


def _to_why(given: Any) -> str | None:
    return None if given is None else _word("why", given)


def _to_cut_from(given: Any) -> int | None:
    return None if given is None else _number("cut_from", given)


@frozen
class Quoted:
    """
    A message as it is shown to somebody else.

    Attributes:
        seq: Its number in the transcript, or None where there are no numbers.
        sender: Who wrote it, as the room addresses them.
        at: When, an aware datetime kept in UTC; None where it is not known.
        text: Its words, any characters.
        to: The addresses that it was sent to.
        reply_to: What it answers: a number of the transcript, or a message's id.
        why: Why it is shown here, such as `tagged`.
        cut_from: The length of the whole text, in characters, where only its beginning
            is shown.
        superseded: Whether a later message replaces it.
        late: Whether it came after the turn that it belongs to.
        failed: Whether the text is an error instead of an answer (R-RECORD-05).
        carries: The paths of the files that it carries.

    Raises:
        InvalidInput: `invalid_request` for a wrong type, an empty name or a number
            beyond 18 digits, `naive_time` for a time without zone.
    """

    seq: int | None = field(converter=_to_seq)
    sender: str = field(converter=_to_sender)
    at: datetime | None = field(converter=_to_at, kw_only=True)
    text: str = field(
        converter=_to_text,
        kw_only=True,
        repr=lambda text: f"<{len(text)} characters>",  # words stay out of logs (S16)
    )
    to: tuple[str, ...] = field(default=(), converter=_to_to, kw_only=True)
    reply_to: str | int | None = field(
        default=None, converter=_to_reply_to, kw_only=True
    )
    why: str | None = field(default=None, converter=_to_why, kw_only=True)
    cut_from: int | None = field(default=None, converter=_to_cut_from, kw_only=True)
    superseded: bool = field(default=False, kw_only=True)
    late: bool = field(default=False, kw_only=True)
    failed: bool = field(default=False, kw_only=True)
    carries: tuple[str, ...] = field(default=(), converter=_to_carries, kw_only=True)

    def __attrs_post_init__(self) -> None:
        for name in ("superseded", "late", "failed"):
            values.flag(name, getattr(self, name))


def _to_notice_kind(given: Any) -> str:
    return _word("kind", given)


def _to_facts(given: Any) -> Mapping[str, Datum]:
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise InvalidInput("data", f"is of type {kind}", allowed="a mapping")
    return MappingProxyType(
        {_word("data", name): _to_datum(given[name]) for name in given}
    )


def _to_datum(given: Any) -> Datum:
    if given is None or isinstance(given, bool):
        return given
    if isinstance(given, str):
        return _word("data", given, empty=True)
    return _number("data", given, at_least=-_MOST)


@frozen
class Notice:
    """
    Something that the library itself has to tell, as data.

    Attributes:
        kind: What it is about, such as `cut`; `Wording.notices` has the words.
        data: What it says, by name: strings, whole numbers, True, False, None.

    Raises:
        InvalidInput: `invalid_request` for a wrong type, an empty name or a number
            beyond 18 digits.

    Source: G-NOTICE-04.
    """

    kind: str = field(converter=_to_notice_kind)
    data: Mapping[str, Datum] = field(factory=dict, converter=_to_facts, hash=False)


KINDS = ("turn", "floor", "notice")
"""What mail may be."""


def _to_room(given: Any) -> str:
    return _word("room", given)


def _to_mail_kind(given: Any) -> str:
    return str.__str__(values.member("kind", given, KINDS))


def _to_waited(given: Any) -> int:
    return _number("waited", given)


def _to_reasons(given: Any) -> tuple[str, ...]:
    return tuple(map(str.__str__, values.names("reasons", given)))


def _to_notices(given: Any) -> tuple[Notice, ...]:
    return _parts("notices", given, Notice)


def _to_messages(given: Any) -> tuple[Quoted, ...]:
    return _parts("messages", given, Quoted)


def _parts(name: str, given: Any, kind: type[Part]) -> tuple[Part, ...]:
    wanted = f"a sequence of {kind.__name__} values"
    if not isinstance(given, Iterable) or isinstance(given, set | frozenset):
        found = type(given).__name__
        raise InvalidInput(name, f"is of type {found}", allowed=wanted)
    parts = tuple(given)
    for part in parts:
        if not isinstance(part, kind):
            found = type(part).__name__
            raise InvalidInput(name, f"holds a {found}", allowed=wanted)
    return parts


@frozen(kw_only=True)
class MailFrame:
    """
    What a room brings to a conversation: a wake, or the notice within a turn.

    Attributes:
        room: The room's name.
        kind: `turn` when it starts one, `floor` when it does as its seat has the floor
            of a planned room, `notice` when it comes into one.
        waited: How many of the messages had been held back (G-RATE-02).
        reasons: What caused it, such as `tagged` and `held` (G-WAKE-06).
        notices: What the library has to tell with it.
        messages: The messages, oldest first.

    Raises:
        InvalidInput: `invalid_request` for a wrong type, an empty name, an unknown kind
            or a negative number.
    """

    room: str = field(converter=_to_room)
    kind: str = field(default="turn", converter=_to_mail_kind)
    waited: int = field(default=0, converter=_to_waited)
    reasons: tuple[str, ...] = field(default=(), converter=_to_reasons)
    notices: tuple[Notice, ...] = field(default=(), converter=_to_notices)
    messages: tuple[Quoted, ...] = field(default=(), converter=_to_messages)


def _to_message(given: Any) -> Quoted:
    (message,) = _parts("message", [given], Quoted)
    return message


def _to_omitted(given: Any) -> int:
    return _number("omitted", given)


def _to_addressed_as(given: Any) -> str | None:
    return None if given is None else _word("addressed_as", given)


@frozen(kw_only=True)
class CatchUpFrame:
    """
    What a participant of a thread receives when it is addressed.

    Attributes:
        message: The message to answer, without the tokens that addressed it.
        messages: What landed since it last spoke, oldest first; nothing new if empty.
        omitted: How many messages before those were left out.
        addressed_as: The name by which it was addressed, without `@`.
        pass_offered: Whether declining counts, so that it has to be told how.

    Raises:
        InvalidInput: `invalid_request` for a wrong type, an empty name or a negative
            number.
    """

    message: Quoted = field(converter=_to_message)
    messages: tuple[Quoted, ...] = field(default=(), converter=_to_messages)
    omitted: int = field(default=0, converter=_to_omitted)
    addressed_as: str | None = field(default=None, converter=_to_addressed_as)
    pass_offered: bool = field(default=False)

    def __attrs_post_init__(self) -> None:
        values.flag("pass_offered", self.pass_offered)

    @property
    def truncated(self) -> bool:
        """Whether messages were left out, or one of them was cut."""
        return self.omitted > 0 or any(m.cut_from is not None for m in self.messages)


def check_frame(frame: Any, kind: type[Any]) -> None:
    """Refuse what is no frame of this kind, with `invalid_request`."""
    if not isinstance(frame, kind):
        found = type(frame).__name__
        raise InvalidInput("frame", f"is of type {found}", allowed=kind.__name__)
