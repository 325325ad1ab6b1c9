"""
The decision of a post, from its first check to its event.

Law: the order of checks is the same everywhere (foundation 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rooms.addressing import Address, Resolution, resolve_addresses
from rooms.errors import NotAllowed
from rooms.log.actors import Actor
from rooms.log.events import Event
from rooms.log.floors import opened_by
from rooms.log.ledger import superseded
from rooms.log.posting.addressing import RoomView, called_in, started_seats
from rooms.log.posting.admitting import (
    check_send_rate,
    file_fields,
    fitting,
    sender_seat,
)
from rooms.log.posting.confirming import check_fan_out
from rooms.log.posting.draft import Draft, PostFacts
from rooms.log.posting.message import MessagePosted
from rooms.log.posting.naming import Silent, mentioned, named_silently
from rooms.log.posting.owing import Pace, hearers, owed_to
from rooms.log.posting.reaching import (
    Audience,
    audience_of,
    check_backlogs,
    check_superseded,
    size_in_backlogs,
)
from rooms.log.posting.teamed import answers, may_wake_all
from rooms.log.rooms import check_open
from rooms.log.seats import follow_by_posting
from rooms.log.state import RoomState, Seat
from rooms.pacing import PERSON_HOPS, hops_of_post, only_rides

__all__ = ["Meant", "is_late", "meaning_in", "post", "riding_by"]

_ON_TIME = 60_000_000


def post(
    room: RoomState, draft: Draft, facts: PostFacts, *, by: Actor, now: int
) -> list[Event]:
    """
    The events that a message leaves in its room, the message itself last.

    Raises:
        NotAllowed: `room_deleted`, `not_a_member`, `read_only_access`,
            `may_not_attach`, `recipient_forbidden`; `room_management_forbidden` for
            what would start a conversation where who is in the room is fixed.
        OverLimit: `inbox_capacity`; `send_rate` with `retry_at`; `message_too_long`;
            `too_many` or `too_large` files; `storage_capacity`.
        InvalidInput: `body_empty`; `bad_address`; `attachment_type`.
        NotFound: `unknown_address`, `reply_not_found`.
            `supersedes_not_found`.
        Conflict: `attachment_upload_required`; `recipient_disabled`,
            `not_room_member`, `already_superseded`, `supersedes_audience`,
            `supersedes_scheduled`, `supersedes_cancelled`.
        SelfAddressed: The sender would be the only one addressed.
        ConfirmAllThreads: Several conversations of one agent would wake.
    """
    meant = meaning_in(room, draft, facts, by=by, now=now)
    resolution = meant.resolution
    follows = [] if meant.seat is None else follow_by_posting(meant.seat)
    seated = started_seats(room, resolution.started, facts)
    pace = Pace(by, meant.rides, now, meant.audience, may_wake_all(room, by))
    heard = hearers(room, resolution, pace)
    grants, every = owed_to(room, heard, seated, pace)
    owed, skipped = check_backlogs(
        room,
        every,
        meant.size,
        facts,
        guarded=by.kind == "conversation" and not answers(room, draft.reply_to, by),
        to_all=room.team is not None and draft.meaning.kind == "question",
    )
    replaced = check_superseded(room, draft, facts, owed, by)
    meaning, comes = draft.meaning, draft.comes
    message = MessagePosted(
        seq=room.seq + 1,
        sender=by.conversation or "",
        author=by.agent or by.id,
        to=meant.to,
        reply_to=draft.reply_to or "",
        reply_gone=facts.gone,
        owed=tuple(owed),
        started=tuple((one.conversation, one.instead_of) for one in seated),
        hops=meant.hops,
        wake=by.wake,
        truncated_from=meant.truncated_from,
        silent=meant.silent,
        files=meant.files,
        types=meant.types,
        named=draft.mentions is not None,
        late=draft.late or is_late(comes.due, now),
        failed=draft.failed,
        kind=meaning.kind,
        expects_reply=meaning.expected(to_itself=facts.itself),
        urgency=meaning.urgency,
        supersedes=meaning.supersedes,
        size=meant.size,
        skipped=skipped,
        notify_when_seen=meaning.notify_when_seen,
        due=comes.due,
        schedule=comes.schedule,
        text=meant.text,
        unresolved=meant.unresolved,
        attachments=meant.attachments,
        correlation=meaning.correlation,
        structured=meaning.fields,
    )
    called_up = (*resolution.direct, *(one.conversation for one in seated))
    opened = opened_by(room, by, called_up, resolution.group)
    if replaced is not None:
        reached = [one[0] for one in replaced.owed]
        grants += superseded(room, replaced.seq, reached, tuple(grants))
    return [*follows, *grants, *seated, *opened, message]


class Meant(NamedTuple):
    """A draft that may be said: what it comes to, before it is heard by anybody."""

    seat: Seat | None
    resolution: Resolution
    audience: Audience
    hops: int
    rides: str
    to: tuple[str, ...]
    size: int
    truncated_from: int
    silent: tuple[Silent, ...]
    files: tuple[tuple[str, int, bool], ...]
    types: tuple[str, ...]
    attachments: tuple[tuple[str, str], ...]
    unresolved: tuple[str, ...]
    text: str


def meaning_in(
    room: RoomState, draft: Draft, facts: PostFacts, *, by: Actor, now: int
) -> Meant:
    """What a draft says here and whom it addresses; refuses what may not be said."""
    check_open(room)
    seat = sender_seat(room, by)
    comes = draft.comes
    if not comes.schedule:  # the occurrences of a schedule take no place (L-SEND-12)
        check_send_rate(room, seat, by, now)
    text, truncated_from = fitting(room, draft.text)
    files, attachments = (
        file_fields(room, seat, draft.files, facts.left) if draft.files else ((), ())
    )
    types = tuple([one.kind for one in draft.files])
    if draft.mentions is None:
        called, unresolved = called_in(room, text, by)
    else:
        called, unresolved = mentioned(room, draft.mentions, by)
    view, silent = RoomView(room, facts), tuple[Silent, ...]()
    if draft.silent:
        silent = named_silently(view, draft.silent)
        quiet = {one.key for one in draft.silent if one.label is None}
        called = tuple(one for one in called if one.key not in quiet)
    audience = audience_of(room, draft.to, facts, by)
    to = _in_order((*draft.to, *called), audience)
    resolution = resolve_addresses(
        to,
        sender=None if audience.itself else by.conversation,
        view=view,
        reply_to=draft.reply_to,
        reply_wakes_author=room.policy.reply_wakes_author or by.kind == "person",
    )
    hops = PERSON_HOPS if seat is None else hops_of_post(seat.depth)
    if comes.hops is not None:
        hops = comes.hops
    rides = riding_by(room, hops, draft.meaning.urgency)
    if not draft.confirm_all_threads and not rides:
        check_fan_out(room, resolution, facts, draft)
    if resolution.started and room.policy.membership == "fixed":
        raise NotAllowed(
            "room_management_forbidden",
            "who is in this room is fixed: address a conversation that is here",
        )
    return Meant(
        seat,
        resolution,
        audience,
        hops,
        rides,
        tuple(dict.fromkeys(map(str, to))),
        size_in_backlogs(room, text, draft.meaning.fields),
        truncated_from,
        silent,
        files,
        types if any(types) else (),
        attachments,
        unresolved,
        text,
    )


def riding_by(room: RoomState, hops: int, urgency: str) -> str:
    """The rule by which a message wakes nobody but only rides along, or ""."""
    if only_rides(hops, room.policy.max_hops):
        return "hop_guard"
    return "quiet" if urgency == "quiet" else ""


def is_late(due: int, now: int) -> bool:
    """Whether what was due then comes late: more than a minute (L-SCHED-07)."""
    return 0 < due < now - _ON_TIME


def _in_order(to: Sequence[Address], audience: Audience) -> Sequence[Address]:
    """As they are written; a named audience is a set, and shown sorted (L-ADDR-05)."""
    return sorted(to, key=str) if audience.named else to
