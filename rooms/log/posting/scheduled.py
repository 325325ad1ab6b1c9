"""
Scheduled messages: accepted now, and released at their time.

    draft --accept--> waits --release--> message
                        |--change, cancel

Three laws. What a message says, whom it is for and how far it is from a person's word
is settled when it is accepted; only what became impossible since is taken from it
(L-SCHED-05). It has no number before it is there, so no reader's place passes it by
(unify 35). And the record that accepted it names it for ever.
"""

from __future__ import annotations

from typing import Any

from attrs import frozen

from rooms.addressing import Start, name_key
from rooms.errors import Conflict, InvalidInput, NotFound, OverLimit
from rooms.log.actors import Actor
from rooms.log.coming import Coming, Waiting
from rooms.log.events import Event, Fact, recorded
from rooms.log.floors import opened_by
from rooms.log.posting.addressing import started_seats
from rooms.log.posting.admitting import fitting
from rooms.log.posting.deciding import is_late, meaning_in, riding_by
from rooms.log.posting.draft import Draft, PostFacts
from rooms.log.posting.message import MessagePosted, note_sent
from rooms.log.posting.owing import HEARD, Pace, hearers, owed_to
from rooms.log.posting.reaching import check_backlogs, size_in_backlogs
from rooms.log.posting.teamed import may_wake_all
from rooms.log.seats import follow_by_posting
from rooms.log.state import RoomState
from rooms.values import moment

__all__ = [
    "MOST_WAITING",
    "MessageScheduled",
    "ScheduledCancelled",
    "ScheduledChanged",
    "Words",
    "accept",
    "cancel",
    "change",
    "check_due",
    "check_ended",
    "evolve",
    "release",
    "schedule_not_found",
]

MOST_WAITING = 100
"""How many messages of one sender wait at once, in all rooms (L-SCHED-03)."""

_MINUTE = 60_000_000
_EARLIEST = 5 * _MINUTE
_LATEST = 30 * 24 * 60 * _MINUTE
_REMEMBERED = 24 * 60 * _MINUTE


@recorded(
    "message_scheduled",
    body=("text", "unresolved", "attachments", "correlation", "structured"),
    sparse=("unresolved", "attachments", "correlation", "structured"),
)
class MessageScheduled(Event):
    """
    A message was accepted, to be delivered at its time.

    Attributes:
        due: When, in microseconds.
        after: The transcript's last number then.
        reached: Whom it is for, each with the tag.
        starts: Agents of which it is to start a conversation, each with why and in
            whose place, or "".

    All else is as in `MessagePosted`.
    """

    due: int
    sender: str
    author: str
    after: int = 0
    to: tuple[str, ...] = ()
    reply_to: str = ""
    reached: tuple[tuple[str, str], ...] = ()
    starts: tuple[tuple[str, str, str], ...] = ()
    hops: int = 0
    wake: str = ""
    truncated_from: int = 0
    silent: tuple[tuple[str, str], ...] = ()
    files: tuple[tuple[str, int, bool], ...] = ()
    kind: str = ""
    expects_reply: bool | None = None
    urgency: str = "normal"
    size: int = 0
    skipped: tuple[str, ...] = ()
    reply_gone: bool = False
    types: tuple[str, ...] = ()
    notify_when_seen: bool = False
    text: str = ""
    unresolved: tuple[str, ...] = ()
    attachments: tuple[tuple[str, str], ...] = ()
    correlation: str = ""
    structured: str = ""


@recorded("scheduled_changed", body=("text",))
class ScheduledChanged(Event):
    """
    A message that waits has other words, or another time: that of this record.

    `before` is the record that held its words until then.
    """

    accepted: int
    due: int
    before: int
    truncated_from: int = 0
    size: int = 0
    text: str = ""


@recorded("scheduled_cancelled")
class ScheduledCancelled(Event):
    """
    A message that waited is never released: `cancelled`, or as its sender takes no part
    any more, `sender_disabled`. `words` is the record that held its words at last.
    """

    accepted: int
    due: int
    words: int
    why: str = "cancelled"


@frozen
class Words:
    """What a message that waits says now: as it was accepted, with its newest text."""

    accepted: MessageScheduled
    text: str
    truncated_from: int = 0


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    coming = room.coming
    match fact.event:
        case MessageScheduled() as accepted:
            if coming is None:
                coming = room.coming = Coming()
            if accepted.files:
                room.attached += len(accepted.files)
            due, version = accepted.due, fact.version
            size, reached = accepted.size, accepted.reached
            coming.accept(Waiting(version, due, version, size, reached))
            if accepted.sender:
                note_sent(room.policy, room.seats[accepted.sender].noting(), fact.at)
        case ScheduledChanged() as changed if coming is not None:
            coming.change(
                changed.accepted,
                due=changed.due,
                words=fact.version,
                size=changed.size,
            )
        case ScheduledCancelled() as cancelled if coming is not None:
            coming.end(cancelled.accepted)
        case _:
            return False
    return True


def check_due(due: int, now: int) -> None:
    """
    Whether a message may be delivered then: from five minutes ago to thirty days ahead.

    Raises:
        InvalidInput: `deliver_at_out_of_range`, with the bounds that hold right now.
    """
    if not now - _EARLIEST <= due <= now + _LATEST:
        latest = moment(now + _LATEST)
        raise InvalidInput(
            "deliver_at",
            "lies too far ahead" if due > now else "is over",
            allowed=f"from 5 minutes ago up to {latest}",
            code="deliver_at_out_of_range",
            latest=latest,
        )


def accept(
    room: RoomState, draft: Draft, facts: PostFacts, *, by: Actor, now: int
) -> list[Event]:
    """
    The events that a message leaves which is to be delivered later, itself last.

    Raises:
        InvalidInput: `supersedes_scheduled` for one that replaces another (L-SUPER-03).
        OverLimit: `schedule_capacity` where as many wait as may.
        Refused: Whatever `post` raises.
    """
    if draft.meaning.supersedes:
        raise InvalidInput(
            "deliver_at",
            "is given for a message that replaces another",
            allowed="a message that goes out now",
            code="supersedes_scheduled",
        )
    meant = meaning_in(room, draft, facts, by=by, now=now)
    check_waiting(facts)
    pace = Pace(by, meant.rides, now, meant.audience, may_wake_all(room, by))
    heard = [
        (conversation, tag)
        for conversation, tag in hearers(room, meant.resolution, pace)
        if (seat := room.seats[conversation])
        if (seat.mode, seat.tagged_only, tag) in HEARD
    ]
    reached, skipped = check_backlogs(room, heard, meant.size, facts)
    meaning = draft.meaning
    accepted = MessageScheduled(
        due=draft.comes.due,
        sender=by.conversation or "",
        author=by.agent or by.id,
        after=room.seq,
        to=meant.to,
        reply_to=draft.reply_to or "",
        reached=tuple(reached),
        starts=tuple(
            (one.agent, one.reason, one.instead_of or "")
            for one in meant.resolution.started
        ),
        hops=meant.hops,
        wake=by.wake,
        truncated_from=meant.truncated_from,
        silent=meant.silent,
        files=meant.files,
        types=meant.types,
        notify_when_seen=meaning.notify_when_seen,
        kind=meaning.kind,
        expects_reply=meaning.expected(to_itself=facts.itself),
        urgency=meaning.urgency,
        size=meant.size,
        skipped=skipped,
        reply_gone=facts.gone,
        text=meant.text,
        unresolved=meant.unresolved,
        attachments=meant.attachments,
        correlation=meaning.correlation,
        structured=meaning.fields,
    )
    follows = [] if meant.seat is None else follow_by_posting(meant.seat)
    return [*follows, accepted]


def check_waiting(facts: PostFacts) -> None:
    """Refuses one more message than may wait for one sender."""
    if facts.waiting() >= MOST_WAITING:
        raise OverLimit(
            "schedule_capacity",
            f"{MOST_WAITING} messages of the sender wait already",
            limit=MOST_WAITING,
        )


def release(
    room: RoomState, waiting: Waiting, words: Words, facts: PostFacts, *, now: int
) -> list[Event]:
    """
    The events that a message leaves whose time has come, itself last.

    Whoever was in the room when it was accepted and still is, hears it as it listens
    now; where its sender takes no part any more it is cancelled.
    """
    said = words.accepted
    if _is_disabled(said, facts):
        return cancel(waiting, why="sender_disabled")
    by = _sender(said)
    named: Any = said.starts  # with the reasons that there are
    starts = [Start(agent, instead or None, why) for agent, why, instead in named]
    seated = started_seats(room, starts, facts)
    rides = riding_by(room, said.hops, said.urgency)
    pace = Pace(by, rides, now, wakes_all=may_wake_all(room, by))
    grants, owed = owed_to(room, waiting.reached, seated, pace)
    hearing = {one[0] for one in owed}
    unheard = [
        (one, "mode_changed") for one, _ in waiting.reached if one not in hearing
    ]
    direct = [one for one, tag in waiting.reached if tag == "direct"]
    group = [one for one, tag in waiting.reached if tag == "group"]
    direct += [one.conversation for one in seated]
    message = MessagePosted(
        seq=room.seq + 1,
        sender=said.sender,
        author=said.author,
        to=said.to,
        reply_to=said.reply_to,
        owed=tuple(owed),
        started=tuple((one.conversation, one.instead_of) for one in seated),
        hops=said.hops,
        wake=said.wake,
        truncated_from=words.truncated_from,
        silent=said.silent,
        files=said.files,
        types=said.types,
        notify_when_seen=said.notify_when_seen,
        late=is_late(waiting.due, now),
        kind=said.kind,
        expects_reply=said.expects_reply,
        urgency=said.urgency,
        size=waiting.size,
        skipped=said.skipped,
        reply_gone=said.reply_gone,
        due=waiting.due,
        accepted=waiting.version,
        after=said.after,
        words=waiting.words,
        lost=(*waiting.lost, *unheard),
        text=words.text,
        unresolved=said.unresolved,
        attachments=said.attachments,
        correlation=said.correlation,
        structured=said.structured,
    )
    return [*grants, *seated, *opened_by(room, by, direct, group), message]


def _sender(said: MessageScheduled) -> Actor:
    """Who wrote it, with nobody's word and in no turn any more."""
    if said.sender:
        return Actor("conversation", said.sender, said.author)
    return Actor("person", said.author)


def _is_disabled(said: MessageScheduled, facts: PostFacts) -> bool:
    entry = facts.agents.get(name_key(said.author)) if said.sender else None
    return entry is not None and not entry.may.enabled


def change(
    room: RoomState,
    waiting: Waiting,
    words: Words,
    facts: PostFacts,
    *,
    text: str | None,
    due: int | None,
    now: int,
) -> list[Event]:
    """
    Other words or another time for a message that waits; nothing where all is the same.

    Raises:
        InvalidInput: `deliver_at_out_of_range`; `body_empty`.
        OverLimit: `message_too_long`, `inbox_capacity`.
    """
    said, cut, size = words.text, words.truncated_from, waiting.size
    if due is None:
        due = waiting.due
    elif due != waiting.due:
        check_due(due, now)
    if text is not None:
        said, cut = fitting(room, text)
        size = size_in_backlogs(room, said, words.accepted.structured)
        if size > waiting.size:
            check_backlogs(room, waiting.reached, size - waiting.size, facts)
    if (said, due) == (words.text, waiting.due):
        return []
    return [ScheduledChanged(waiting.version, due, waiting.words, cut, size, said)]


def cancel(waiting: Waiting, *, why: str = "cancelled") -> list[Event]:
    """The end of a message that waits."""
    return [ScheduledCancelled(waiting.version, waiting.due, waiting.words, why)]


def check_ended(ended: Fact, *, now: int, cancelling: bool) -> None:
    """
    What is said of a message that waits no more; nothing where a cancelling is repeated
    within a day.

    Raises:
        Conflict: `already_delivered`, `already_cancelled`.
        NotFound: `schedule_not_found` a day after it was cancelled (L-SCHED-10).
    """
    if isinstance(ended.event, MessagePosted):
        at = moment(ended.at)
        raise Conflict(
            "already_delivered", f"the message was delivered at {at}", current=at
        )
    if ended.at + _REMEMBERED < now:
        raise schedule_not_found()
    if not cancelling:
        at = moment(ended.at)
        raise Conflict(
            "already_cancelled", f"the message was cancelled at {at}", current=at
        )


def schedule_not_found() -> NotFound:
    """What is said of whatever is no schedule, or somebody else's."""
    return NotFound("schedule_not_found", "no schedule of the caller's has that id")
