"""
Posting: may it be said, who is meant, who hears it, and when.

Three laws. The order of checks is the same everywhere (foundation 6), and a refusal
changes nothing. What happens to the message is decided at the post, for each seat with
the rule's name, so it does not depend on how fast a host takes (ledger 3). And a post
costs the seats that it is owed to, whatever the room's size.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from attrs import field, frozen

from rooms.addressing import (
    Address,
    AddressKind,
    Author,
    Member,
    Resolution,
    Start,
    find_mentions,
    name_key,
    resolve,
)
from rooms.errors import (
    ConfirmAllThreads,
    InvalidInput,
    NotAllowed,
    OverLimit,
)
from rooms.hearing import Hearing, Mode, Subscription, Tag, hear
from rooms.log.actors import Actor
from rooms.log.agents import AgentState
from rooms.log.directory import AgentEntry
from rooms.log.events import Event, Fact, recorded
from rooms.log.ledger import Granted, charge, release
from rooms.log.rooms import check_open
from rooms.log.seats import (
    WAITS,
    SeatJoined,
    follow_by_posting,
    join,
    member_seat,
)
from rooms.log.state import Entry, Lane, RoomState, Seat, window_of
from rooms.pacing import PERSON_HOPS, frees_at, hops_of_post, only_rides
from rooms.planning import leading_mentions
from rooms.values import moment

__all__ = ["Draft", "MessagePosted", "Owed", "PostFacts", "evolve", "post"]

Owed = tuple[str, str, str, str, str]
"""Conversation, class, tag, rule and lane of what one seat is owed for a message."""

_TABLE = {
    (mode, tagged_only, tag): hear(
        None if mode is None else Subscription(mode, tagged_only=tagged_only), tag
    )
    for mode in (None, *Mode)
    for tagged_only in (False, True)
    for tag in Tag
}


@recorded("message_posted", body=("text", "unresolved"))
class MessagePosted(Event):
    """
    A message, and what it is to every seat that it touches.

    Attributes:
        seq: The transcript's number, dense from 1.
        sender: The conversation that wrote it, or "" for a person.
        author: The agent's id or the person's name.
        to: The addresses, in canonical form.
        reply_to: The id of the message that it answers.
        owed: What each seat is owed for it, with the rule; the started ones too.
        started: Conversations that it started, each with whom it succeeds, or "".
        hops: How far it is from a person's word.
        wake: The wake in whose turn it was written.
        truncated_from: The length before it was cut, in characters; 0 if it was not.
        text: What was said.
        unresolved: Names called in the text that fit nobody.
    """

    seq: int
    sender: str
    author: str
    to: tuple[str, ...] = ()
    reply_to: str = ""
    owed: tuple[Owed, ...] = ()
    started: tuple[tuple[str, str], ...] = ()
    hops: int = 0
    wake: str = ""
    truncated_from: int = 0
    text: str = ""
    unresolved: tuple[str, ...] = ()


@frozen
class Draft:
    """A message as its sender hands it in, its addresses parsed."""

    text: str
    to: tuple[Address, ...] = ()
    reply_to: str | None = None
    confirm_all_threads: bool = False


@frozen
class PostFacts:
    """
    What a post needs that is not in the room's own state.

    Attributes:
        agents: The agents named, by key, as the directory has them.
        talks: The conversations of the threaded ones, by agent id.
        replied: Who wrote the message that is answered; None for one that is not here.
        conversations: Ids for conversations to be started, as many as are needed.
    """

    agents: Mapping[str, AgentEntry] = field(factory=dict)
    talks: Mapping[str, AgentState] = field(factory=dict)
    replied: Author | None = None
    conversations: Iterable[str] = ()


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds a message in: its number, what it is owed to, and the sender's window."""
    event = fact.event
    if not isinstance(event, MessagePosted):
        return False
    room.seq = event.seq
    by_agent = bool(event.sender)
    direct = ""
    for conversation, hearing, tag, why, lane in event.owed:
        seat = room.seats[conversation]
        seat.put(
            [Entry(event.seq, hearing, tag, by_agent, event.hops, fact.at, why, lane)]
        )
        if lane == Lane.READY and by_agent:
            seat.charges = charge(room.policy, seat.charges, fact.at)
        seat.restarted = -1  # something new is owed: its riders wake up (ledger 11)
        if tag == Tag.DIRECT:
            direct = direct or conversation
            seat.partner = event.sender or seat.partner
        room.schedule(seat)
    if by_agent:
        _sent(room, room.seats[event.sender], direct, fact.at)
    return True


def _sent(room: RoomState, seat: Seat, partner: str, at: int) -> None:
    seat.seen_at = at
    seat.partner = partner or seat.partner
    if room.policy.send_window is not None:
        _, period = window_of(room.policy.send_window)
        seat.sends = (*(sent for sent in seat.sends if sent + period > at), at)


def post(
    room: RoomState, draft: Draft, facts: PostFacts, *, by: Actor, now: int
) -> list[Event]:
    """
    The events that a message leaves in its room, the message itself last.

    Raises:
        NotAllowed: `room_deleted`, `not_a_member`, `read_only_access`.
        OverLimit: `send_rate` with `retry_at`; `message_too_long`.
        InvalidInput: `body_empty`; `bad_address`.
        NotFound: `unknown_address`, `reply_not_found`.
        SelfAddressed: The sender would be the only one addressed.
        ConfirmAllThreads: Several conversations of one agent would wake.
    """
    check_open(room)
    seat = _sender(room, by)
    _check_send_rate(room, seat, now)
    text, truncated_from = _fitting(room, draft.text)
    called, unresolved = _called(room, text, by)
    resolution = resolve(
        (*draft.to, *called),
        sender=by.conversation,
        view=_View(room, facts),
        reply_to=draft.reply_to,
        reply_wakes_author=room.policy.reply_wakes_author or by.kind == "person",
    )
    hops = PERSON_HOPS if seat is None else hops_of_post(seat.depth)
    guarded = only_rides(hops, room.policy.max_hops)
    if not draft.confirm_all_threads and not guarded:
        _check_fan_out(room, resolution, facts, draft)
    events: list[Event] = [] if seat is None else follow_by_posting(seat)
    seated = _started_seats(room, resolution.started, facts.conversations)
    pace = _Pace(by, guarded, now)
    owed = list[Owed]()
    for conversation, tag in _hearers(room, resolution, by.conversation):
        grants, entry = _owed(room, conversation, tag, pace)
        events.extend(grants)
        if entry is not None:
            owed.append(entry)
    owed.extend(_owed_at_start(room, joined, pace) for joined in seated)
    message = MessagePosted(
        seq=room.seq + 1,
        sender=by.conversation or "",
        author=by.agent or by.id,
        to=tuple(dict.fromkeys(str(address) for address in (*draft.to, *called))),
        reply_to=draft.reply_to or "",
        owed=tuple(owed),
        started=tuple((one.conversation, one.instead_of) for one in seated),
        hops=hops,
        wake=by.wake,
        truncated_from=truncated_from,
        text=text,
        unresolved=unresolved,
    )
    return [*events, *seated, message]


# -- admit


def _sender(room: RoomState, by: Actor) -> Seat | None:
    if by.kind == "conversation":
        return member_seat(room, by.id, action="post")
    if room.policy.people != "post":
        raise NotAllowed(
            "read_only_access",
            "people watch in this room and do not post",
            action="post",
        )
    return None


def _check_send_rate(room: RoomState, seat: Seat | None, now: int) -> None:
    window = room.policy.send_window
    if seat is None or window is None:
        return
    limit, period = window_of(window)
    free = frees_at(limit, period, seat.sends, now)
    if free != now:
        raise OverLimit(
            "send_rate",
            f"{limit} messages within {window.period} are sent already",
            limit=limit,
            retry_at=None if free is None else moment(free),
        )


def _fitting(room: RoomState, text: str) -> tuple[str, int]:
    """The text within bounds, and its length before it was cut, or 0."""
    if not text.strip():
        raise InvalidInput("content", "is empty", code="body_empty")
    most = room.policy.max_message_chars
    if most is None or len(text) <= most:
        return text, 0
    if room.policy.oversize == "truncate":
        return text[:most], len(text)
    raise OverLimit(
        "message_too_long",
        f"the text has {len(text)} characters, and may have {most}",
        length=len(text),
        limit=most,
    )


# -- address


def _called(
    room: RoomState, text: str, by: Actor
) -> tuple[tuple[Address, ...], tuple[str, ...]]:
    """Whom names in the text address, and those that fit nobody."""
    where = room.policy.mentions
    read = by.kind == "person" or room.policy.mentions_from == "any"
    if where == "off" or not read or "@" not in text:
        return (), ()
    roster = room.roster()
    if where == "anywhere":
        mentions = find_mentions(text, roster)
        names, everyone, unresolved = (
            mentions.names,
            mentions.everyone,
            mentions.unresolved,
        )
    else:
        leading = leading_mentions(text, roster)
        names, everyone = leading.names, False
        unresolved = (leading.unknown,) if leading.unknown else ()
    called = [Address(AddressKind.AGENT, name=name) for name in names]
    if everyone:
        called.append(Address(AddressKind.ALL))
    own = name_key(by.agent)
    others = (one for one in called if one.name is None or name_key(one.name) != own)
    return tuple(others), unresolved


class _View:
    """The room as resolution sees it: its own state, and the facts beside it."""

    def __init__(self, room: RoomState, facts: PostFacts) -> None:
        self.room, self.facts = room, facts

    def member(self, key: str) -> Member | None:
        agent = self.facts.agents.get(key)
        if agent is None:
            return None
        membership = self.room.members.get(key)
        return Member(
            agent.agent,
            threaded=agent.threaded,
            present=membership is not None and membership.present,
            conversation=agent.conversation or None,
            seated=membership is not None and bool(membership.conversations),
        )

    def labelled(self, agent: str, label: str) -> str | None:
        talks = self.facts.talks.get(agent)
        conversation = None if talks is None else talks.labelled(label)
        return conversation if conversation in self.room.seats else None

    def following(self, agent: str) -> Sequence[str]:
        membership = self.room.member(agent)
        every = membership.conversations if membership else ()
        return [one for one in every if one in self.room.following]

    def everyone_following(self) -> Sequence[str]:
        return list(self.room.following)

    def left(self, conversation: str) -> bool:
        seat = self.room.seats.get(conversation)
        return seat is not None and seat.place != "in"

    def author(self, message: str) -> Author | None:
        del message
        return self.facts.replied

    def last_partner(self, conversation: str) -> str | None:
        partner = self.room.seats[conversation].partner
        return self.address(partner) if partner else None

    def agents(self) -> Iterable[str]:
        return self.room.roster()

    def labels(self, agent: str) -> Iterable[str]:
        talks = self.facts.talks.get(agent)
        membership = self.room.member(agent)
        if talks is None or membership is None:
            return
        for conversation in membership.conversations:
            if conversation in talks.talks:
                yield talks.talks[conversation].label

    def address(self, conversation: str) -> str:
        """A conversation's address, as far as the facts have its label."""
        seat = self.room.seats[conversation]
        talks = self.facts.talks.get(seat.agent)
        if not seat.threaded or talks is None or conversation not in talks.talks:
            return f"agent:{seat.agent}"
        return f"agent:{seat.agent}/{talks.talks[conversation].label}"


def _check_fan_out(
    room: RoomState, resolution: Resolution, facts: PostFacts, draft: Draft
) -> None:
    """Several conversations of one agent do not wake by accident (G-CONFIRM-01)."""
    if not resolution.group:
        return
    waking, later = list[str](), list[str]()
    for conversation in (*resolution.group, *_reached_anyhow(room, resolution)):
        seat = room.seats[conversation]
        heard = _TABLE[seat.mode, seat.tagged_only, Tag.GROUP].as_
        # A digest wakes too, if later (G-CONFIRM-06); a rider is merely told.
        (later if heard is Hearing.RIDER else waking).append(conversation)
    agents = Counter(room.seats[conversation].agent for conversation in waking)
    agent, count = agents.most_common(1)[0] if agents else ("", 0)
    if count < 2:
        return
    view = _View(room, facts)
    of_agent = [one for one in waking if room.seats[one].agent == agent]
    instead = [view.address(of_agent[-1]), f"agent:{agent}/new", "room"]
    raise ConfirmAllThreads(
        "confirm_all_threads",
        f"nothing was sent: it would wake {count} conversations of {agent}; send to"
        f" {' or '.join(instead)}, or confirm",
        preview={
            "agent": agent,
            "count": count,
            "waking": [view.address(one) for one in waking],
            "told_later": [view.address(one) for one in later],
            "instead": instead,
        },
        to=[str(address) for address in draft.to],
    )


def _reached_anyhow(room: RoomState, resolution: Resolution) -> Iterable[str]:
    """Those named one by one whom the address of a group reaches as well."""
    agents = {room.seats[conversation].agent for conversation in resolution.group}
    for conversation in resolution.direct:
        if conversation in room.following and room.seats[conversation].agent in agents:
            yield conversation


def _started_seats(
    room: RoomState, started: Sequence[Start], ids: Iterable[str]
) -> list[SeatJoined]:
    """A seat for each conversation to be started; it follows the room (G-FOLLOW-07)."""
    seats: list[SeatJoined] = []
    for start, conversation in zip(started, ids, strict=False):
        joined = join(
            room,
            conversation,
            agent=start.agent,
            threaded=True,
            why=start.reason,
            instead_of=start.instead_of or "",
        )
        seats.extend(one for one in joined if isinstance(one, SeatJoined))
    return seats


# -- hear and pace


def _hearers(
    room: RoomState, resolution: Resolution, sender: str | None
) -> Iterable[tuple[str, Tag]]:
    """Every seat that the message touches, the tagged ones first, each once."""
    tags: dict[str, Tag] = dict.fromkeys(resolution.direct, Tag.DIRECT)
    for conversation in resolution.group:
        tags.setdefault(conversation, Tag.GROUP)
    for conversation in room.hearing_all:
        tags.setdefault(conversation, Tag.NONE)
    tags.pop(sender or "", None)
    return tags.items()


@frozen
class _Pace:
    """Who posts, whether too far from a person's word to wake anybody, and when."""

    by: Actor
    guarded: bool
    now: int


def _owed(
    room: RoomState, conversation: str, tag: Tag, pace: _Pace
) -> tuple[list[Event], Owed | None]:
    """What a seat is owed, with what has to be granted to it first."""
    seat = room.seats[conversation]
    heard = _TABLE[seat.mode, seat.tagged_only, tag]
    if heard.as_ is None:
        return [], None
    if heard.as_ is not Hearing.RIDER and pace.guarded:
        return [], _guarded(conversation, tag)
    grants: list[Event] = []
    lane = WAITS[heard.as_]
    if heard.as_ is Hearing.NOW and not room.on_hold(seat):
        grants, lane = _paced(room, seat, pace)
    return grants, (conversation, heard.as_.value, tag.value, heard.rule, lane)


def _owed_at_start(room: RoomState, joined: SeatJoined, pace: _Pace) -> Owed:
    """What starts a conversation wakes it, however it listens then (G-ADDR-05)."""
    if pace.guarded:
        return _guarded(joined.conversation, Tag.DIRECT)
    seat = Seat(joined.conversation, joined.agent, joined.threaded)
    lane: str = Lane.HELD
    if not room.on_hold(seat):
        _, lane = _paced(room, seat, pace)
    now, direct = Hearing.NOW.value, Tag.DIRECT.value
    return (joined.conversation, now, direct, "started", lane)


def _guarded(conversation: str, tag: Tag) -> Owed:
    """What is too far from a person's word to cause a wake (ledger 2)."""
    return (conversation, Hearing.RIDER.value, tag.value, "hop_guard", Lane.RIDER)


def _paced(room: RoomState, seat: Seat, pace: _Pace) -> tuple[list[Event], str]:
    """Ready or held, decided now (ledger 3); what was held before goes first."""
    grants: list[Event] = []
    charges = seat.charges
    held = tuple(entry.seq for entry in seat.entries(Lane.HELD))
    for granted in release(room, seat, pace.now) if held else ():
        grants.append(granted)
        charges = (
            charge(room.policy, charges, granted.at) if granted.charged else charges
        )
        held = ()
    if pace.by.kind == "person":
        if held:
            grants.append(Granted(seat.conversation, held, pace.now, "person"))
        return grants, Lane.READY
    if held:
        return grants, Lane.HELD  # nothing overtakes what waits (ledger 4)
    window = room.policy.wake_window
    if window is None:
        return grants, Lane.READY
    limit, period = window_of(window)
    free = frees_at(limit, period, charges, pace.now)
    return grants, Lane.READY if free == pace.now else Lane.HELD
