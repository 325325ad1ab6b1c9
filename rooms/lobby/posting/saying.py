"""
Posting, as the shell does it: gather the facts, decide, record, and write the receipt.

Law: what may be said, to whom it is, and what becomes of it is decided by
`rooms.log.posting` alone; the receipt is read from what was recorded.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve as changed

from rooms import values
from rooms.errors import InvalidInput, NotFound
from rooms.lobby.access.gate import enter
from rooms.lobby.answers import Posted
from rooms.lobby.handles import Agent, actor_of
from rooms.lobby.messages import (
    Message,
    id_meant,
)
from rooms.lobby.posting.addressed import addresses
from rooms.lobby.posting.commanding import PostCommand
from rooms.lobby.posting.drafts import HOOK, check_draft
from rooms.lobby.posting.routed import post_on, way_of
from rooms.lobby.posting.uploading import uploaded
from rooms.lobby.recording.decisions import Committed
from rooms.lobby.recording.requests import (
    check_request_id,
)
from rooms.lobby.schedules.fates import present
from rooms.log.events import Fact
from rooms.log.posting import (
    AT_ONCE,
    Comes,
    Draft,
    Meaning,
    MessagePosted,
    MessageScheduled,
)
from rooms.log.team.questions import SYSTEM_AUTHOR

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["coming_at", "post", "receipt"]


def post(
    room: Room,
    desk: Desk,
    content: str,
    *,
    by: Any,
    to: Iterable[Any],
    reply_to: str | Message | None,
    request_id: str | None,
    confirm_all_threads: bool,
    mentions: Iterable[str | Agent] | None,
    silent: Iterable[Any],
    attachments: Mapping[str, Any] | None,
    meaning: Meaning,
    deliver_at: datetime | None,
    now: datetime | None,
) -> Posted:
    """As `Room.post`, which documents it."""
    plain = (
        reply_to is None
        and mentions is None
        and attachments is None
        and deliver_at is None
        and confirm_all_threads is False
        and type(silent) is tuple
        and not (silent or meaning.supersedes or desk.unplanned)
        and (desk.plugins is None or not desk.plugins.has(HOOK))
    )
    if type(to) is list:
        to = tuple(to)
    if plain and type(to) is tuple:
        posted = post_on(
            *(desk, room, content),
            by=by,
            to=to,
            meaning=meaning,
            request_id=request_id,
            now=now,
        )
        if posted is not None:
            return posted
    desk.check_usable()
    actor = actor_of(by, desk)
    text = values.storable("content", content)
    if reply_to is not None:
        reply_to = values.storable("reply_to", id_meant("reply_to", reply_to))
    if confirm_all_threads is not False:
        values.flag("confirm_all_threads", confirm_all_threads)
    if request_id is not None:
        check_request_id(request_id)
    given = to if type(to) is tuple else _given("to", to)
    unsaid = silent if type(silent) is tuple else _given("silent", silent)
    draft = Draft(
        text,
        addresses(given, "agent"),
        reply_to,
        confirm_all_threads,
        None if mentions is None else _names(mentions),
        addresses(unsaid, "agent", "silent"),
        meaning=meaning,
        comes=coming_at(deliver_at),
    )
    command = PostCommand(desk, room.id, actor, given, unsaid, draft, request_id, None)
    command.way = way_of(desk, actor, given) if plain else None
    if attachments is None:
        return _posted(room, command, now)
    with uploaded(desk, room.id, attachments, actor) as uploads:
        command.draft = changed(draft, files=uploads.files)
        command.keep = partial(uploads.keep, desk, actor)
        return _posted(room, command, now)


def _posted(room: Room, command: PostCommand, now: datetime | None) -> Posted:
    """Records a message the whole way."""
    desk, actor = command.desk, command.actor
    try:
        command.consents = check_draft(desk, command.stream, actor, command.decide, now)
        committed = desk.record(
            command.decide, command.stream, by=actor, now=now, cached=True
        )
    except NotFound as unknown:
        if actor.kind == "person" and unknown.code == "room_not_found":
            enter(desk, room.id, actor)  # who may only read every room is told so
        raise
    return receipt(room, desk, command, committed)


def receipt(
    room: Room, desk: Desk, command: PostCommand, committed: Committed | None
) -> Posted:
    """What became of a message; a retry shows it as it is by now (L-SEND-24)."""
    if committed is not None:
        facts = committed.facts[command.stream]
        said = next(one for one in reversed(facts) if _is_said(one))
        return Posted(room, said, command.seats)
    fact, seats = command.repeated[0], command.seats
    if isinstance(fact.event, MessageScheduled):
        with desk.lock:
            fact, _ = present(desk, room.id, fact)
    return Posted(room, fact, seats, duplicate=True)


def coming_at(deliver_at: datetime | None) -> Comes:
    """When a message is to come, as a draft has it."""
    if deliver_at is None:
        return AT_ONCE
    return Comes(values.micros("deliver_at", deliver_at))


def _is_said(fact: Fact) -> bool:
    """Whether this is what somebody said; what follows for a team may stand behind."""
    event = fact.event
    if isinstance(event, MessagePosted):
        return bool(event.sender) or event.author != SYSTEM_AUTHOR
    return isinstance(event, MessageScheduled)


def _given(field: str, to: Any) -> tuple[Any, ...]:
    if isinstance(to, str | bytes | set | frozenset) or not isinstance(to, Iterable):
        raise InvalidInput(
            field,
            f"is of type {type(to).__name__}",
            allowed="a sequence of addresses, such as ['agent:coder']",
        )
    return tuple(to)


def _names(mentions: Any) -> tuple[str, ...]:
    """The names of those who are mentioned, in their order."""
    return tuple(
        values.storable(f"mentions[{place}]", name)
        for place, name in enumerate(
            values.names(
                "mentions",
                [one.id if isinstance(one, Agent) else one for one in mentions]
                if isinstance(mentions, list | tuple)
                else mentions,
            )
        )
    )
