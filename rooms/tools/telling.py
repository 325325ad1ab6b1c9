"""
Telling: what calls return, as JSON's own types.

Law: only what says something is told, and no text is told twice. What others wrote is a
string of its own, so nothing in it can pass for a field of the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from rooms.errors import RoomsError
from rooms.lobby import (
    Agent,
    AgentInRoom,
    Attachment,
    Conversation,
    Delivery,
    File,
    Header,
    InboxPage,
    Invitation,
    ListedRoom,
    Mail,
    Message,
    OwnerRequests,
    Page,
    Person,
    Posted,
    Revision,
    Status,
    Wake,
    Work,
)
from rooms.lobby.memory import Entry, Fragment
from rooms.lobby.posting.windows import Places
from rooms.rendering import Notice

__all__ = [
    "attachment",
    "delivery",
    "entry",
    "file",
    "fragment",
    "header",
    "inbox_page",
    "invitation",
    "listed",
    "mail",
    "message",
    "notice",
    "owner_requests",
    "page",
    "participant",
    "places",
    "posted",
    "refusal",
    "revision",
    "said",
    "status",
    "wake",
    "work",
]

Told = dict[str, Any]


def said(**facts: Any) -> Told:
    """What says something of some facts: no None, no False, nothing empty."""
    return {name: value for name, value in facts.items() if value}


def status(line: Status | None) -> Told | None:
    """The line that an agent keeps for its peers."""
    if line is None:
        return None
    return {"text": line.text, "set_at": instant(line.set_at)}


def work(stands: Work | None) -> Told | None:
    """Whether an agent is in a turn."""
    if stands is None:
        return None
    running = dict(stands.running)
    return {
        "state": stands.state,
        "since": instant(stands.since),
        **said(running=running),
    }


def owner_requests(asked: OwnerRequests | None) -> Told | None:
    """What of an agent waits on its owner."""
    if asked is None:
        return None
    return {"count": asked.count, "text": asked.text, "set_at": instant(asked.set_at)}


def instant(at: datetime | None) -> str | None:
    """An instant as ISO 8601, UTC."""
    return None if at is None else at.isoformat().replace("+00:00", "Z")


def addresses(many: Iterable[Agent | Conversation | Person]) -> list[str]:
    """Agents and others by their addresses."""
    return [str(one) for one in many]


def attachment(one: Attachment) -> Told:
    """A file that a message carries, without its content."""
    return {
        "path": one.path,
        "message": one.message,
        "sent_at": instant(one.at),
        "sender": str(one.sender),
        "size": one.size,
        "text": one.text,
        "mime_type": one.mime_type,
    }


def message(one: Message) -> Told:
    """A message with its words."""
    return {
        "id": one.id,
        "seq": one.seq,
        "at": instant(one.at),
        "sender": str(one.sender),
        **said(
            to=list(one.to),
            silent=list(one.silent),
            reply_to=one.reply_to,
            deliver_at=instant(one.deliver_at),
            cancelled_at=instant(one.cancelled_at),
            schedule=one.schedule,
            late=one.late,
            failed=one.failed,
            erased=one.erased,
            truncated_from=one.truncated_from,
            kind=one.kind,
            urgency=None if one.urgency == "normal" else one.urgency,
            correlation=one.correlation,
            fields=plain(dict(one.fields)),
            supersedes=one.supersedes,
            superseded_by=one.superseded_by,
            attachments=[
                {"path": file.path, "size": file.size, "text": file.text}
                for file in one.attachments
            ],
        ),
        **({} if one.expects_reply is None else {"expects_reply": one.expects_reply}),
        "content": one.content,
    }


def page(one: Page) -> Told:
    """Messages, and where the pages before and behind them begin."""
    return {
        "messages": [message(item) for item in one.items],
        "position": one.position,
        "next_cursor": one.next_cursor,
        "previous_cursor": one.previous_cursor,
    }


def inbox_page(one: InboxPage, *, headers: bool = False) -> Told:
    """Messages of an inbox, or one line of each, and where the next page begins."""
    told = map(header, one.headers) if headers else map(mail, one.items)
    return {"messages": list(told), "next_cursor": one.next_cursor}


def mail(one: Mail) -> Told:
    """A message on a page of an inbox, with what became of it."""
    own = one.delivery
    return {
        "room": one.room.id,
        **({} if own is None else {"delivery": delivery(own)}),
        **said(
            deliveries=[
                {"recipient": str(each.recipient), **delivery(each)}
                for each in one.deliveries
            ]
        ),
        **message(one.message),
    }


def delivery(one: Delivery) -> Told:
    """What became of a message for one that it was owed to."""
    return {
        "state": one.state,
        **said(
            attempted_at=instant(one.attempted_at),
            seen_at=instant(one.seen_at),
            receipt_seq=one.receipt_seq,
            held_reason=one.held_reason,
        ),
    }


def header(one: Header) -> Told:
    """A message in one line."""
    return {
        "id": one.id,
        "sender": str(one.sender),
        **said(to=list(one.to), kind=one.kind),
        "room": one.room.id,
        "at": instant(one.at),
        "first_line": one.first_line,
    }


def posted(one: Posted) -> Told:
    """
    The receipt of a post, in short: the sender knows what it said (L-TOOL-07).
    """
    sent = one.message
    return {
        "duplicate": one.duplicate,
        "message": {
            "id": sent.id,
            "seq": sent.seq,
            "at": instant(sent.at),
            **said(
                deliver_at=instant(sent.deliver_at),
                cancelled_at=instant(sent.cancelled_at),
                kind=sent.kind,
                expects_reply=sent.expects_reply,
                attachments=[file.path for file in sent.attachments],
            ),
        },
        "woken": addresses(one.woken),
        **said(
            waits=one.waits,
            recipients=addresses(one.recipients) if one.waits else None,
            held=addresses(one.held),
            later=addresses(one.later),
            started=addresses(one.started),
            unresolved=list(one.unresolved),
            deliveries=_deliveries(one),
            notices=[notice(each) for each in one.notices],
        ),
    }


def _deliveries(one: Posted) -> list[Told]:
    """What became of it since, where it is a retry: before, nothing has (L-TOOL-07)."""
    return [
        {"to": str(each.recipient), "state": each.state}
        for each in (one.deliveries if one.duplicate else ())
    ]


def notice(one: Notice) -> Told:
    """What else the conversation should know."""
    return {"kind": one.kind, **plain(one.data)}


def wake(one: Wake) -> Told:
    """What waited for the conversation in a room, and why."""
    return {
        "room": one.room.id,
        "name": one.room.name,
        "kind": one.kind,
        "reasons": list(one.reasons),
        **said(waited=one.waited, notices=[notice(each) for each in one.notices]),
        "messages": [
            {**message(each), "why": one.why.get(each.seq)} for each in one.messages
        ],
    }


def listed(one: ListedRoom) -> Told:
    """A room of a list."""
    return {
        "room": one.room.id,
        "name": one.name,
        "access": one.access,
        "last_at": instant(one.last_at),
        "messages": one.messages,
        **said(waiting=one.waiting, yours=one.own, invited=one.invited),
    }


def invitation(one: Invitation) -> Told:
    """An invitation that was not answered."""
    return {
        "room": one.room.id,
        "name": one.name,
        "by": str(one.by),
        "at": instant(one.at),
        **said(reason=one.reason),
    }


def participant(one: AgentInRoom) -> Told:
    """An agent with its conversations in a room."""
    return {
        "agent": str(one.agent),
        **said(owner=one.owner, previous=one.previous),
        "conversations": [
            {
                "address": str(seat.conversation),
                "place": seat.place,
                **said(mode=seat.mode, waits=seat.waits, present=seat.present),
                "last_active": instant(seat.last_active),
            }
            for seat in one.seats
        ],
    }


def places(one: Places | None) -> Told | None:
    """What is left of a window, or None where there is none."""
    if one is None:
        return None
    return {
        "limit": one.limit,
        "left": one.left,
        **said(frees_at=instant(one.frees_at)),
    }


def revision(one: Revision) -> Told:
    """A document as one change left it, without its words."""
    return {
        "revision": one.id,
        "path": one.path,
        "change": one.change,
        "at": instant(one.at),
        "author": str(one.author),
        "size": one.size,
        **said(base=one.base, erased=one.erased),
    }


def file(one: File) -> Told:
    """What a read of a file gave."""
    return {
        "store": one.store,
        "path": one.path,
        "size": one.size,
        **said(
            revision=None if one.revision is None else one.revision.id,
            attachment=None if one.attachment is None else one.attachment.message,
            next_offset=one.next_offset,
            description=one.description,
        ),
        "content": one.content,
    }


def fragment(one: Fragment) -> Told:
    """What a member gave to remember, and what became of it."""
    return {
        "id": one.id,
        "kind": one.kind,
        "at": instant(one.at),
        "state": one.state,
        **said(about=one.about, evidence=one.evidence, note=one.note),
        "text": one.text,
    }


def entry(one: Entry) -> Told:
    """What a room remembers."""
    return {
        "id": one.id,
        "kind": one.kind,
        "title": one.title,
        **said(
            keywords=list(one.keywords),
            provenance=[
                {"author": author, **said(evidence=evidence)}
                for author, evidence in one.provenance
            ],
            checked_commit=one.checked_commit,
            disputed=one.disputed,
        ),
        "checked_at": instant(one.checked_at),
        "updated_at": instant(one.updated_at),
        "text": one.text,
    }


_IN_WORDS = frozenset({"problem", "allowed"})  # the message of an error tells them


def refusal(error: RoomsError) -> Told:
    """As `rooms.tools.refusal`, which documents it."""
    return {
        "error": {
            "code": error.code,
            "message": str(error.args[0]),
            "details": {
                name: plain(value)
                for name, value in error.details.items()
                if name not in _IN_WORDS
            },
        }
    }


def plain(value: Any, depth: int = 6) -> Any:
    """A value in JSON's types; what has none is told in words."""
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, bool | int | str | None):
        return value
    if depth and isinstance(value, Mapping):
        return {str(key): plain(one, depth - 1) for key, one in value.items()}
    if depth and isinstance(value, list | tuple):
        return [plain(one, depth - 1) for one in value]
    return str(value)
