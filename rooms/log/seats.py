"""
Seats: joining, listening, resting and leaving.

Three laws. Membership is the agent's and the seat is the conversation's (G-FOLLOW-08).
Leaving and coming back resets no window (ledger 3). And a changed mode hears again what
was not taken yet: what it does not hear ends, with that reason (ledger 13).
"""

from __future__ import annotations

from datetime import timedelta
from sys import intern
from typing import Any

from attrs import evolve as changed

from rooms.addressing import name_key
from rooms.errors import NotAllowed
from rooms.hearing import (
    Hearing,
    Mode,
    Subscription,
    Tag,
    after_posting,
    check_mode_for,
    hear,
)
from rooms.log.events import Event, Fact, recorded
from rooms.log.floors.ending import absent
from rooms.log.owed import FAILED, SUPERSEDED
from rooms.log.state import Entry, Lane, RoomState, Seat

__all__ = [
    "SeatHeld",
    "SeatJoined",
    "SeatLeft",
    "SeatRested",
    "Subscribed",
    "drop_idle",
    "evolve",
    "follow_by_posting",
    "hold",
    "idle_since",
    "is_seated",
    "join",
    "leave",
    "member_seat",
    "remove",
    "rest",
    "subscribe",
    "subscription_of",
    "unread_before",
]

_MOMENT = timedelta(microseconds=1)
# What one rule made a rider stays one under every mode (ledger 2).
_RIDES_ANYHOW = frozenset(
    {"broadcast", "hop_guard", FAILED, "planned", "quiet", SUPERSEDED}
)


@recorded("seat_joined")
class SeatJoined(Event):
    """
    A conversation took a seat, or came back to it, and listens as said.

    `acts_for` is the person for whom it acts, "" for nobody; `held` why its agent has
    nothing delivered now, or "".
    """

    conversation: str
    agent: str
    threaded: bool
    mode: str
    interval: int
    tagged_only: bool = False
    why: str = "joined"
    instead_of: str = ""
    acts_for: str = ""
    held: str = ""


@recorded("subscribed")
class Subscribed(Event):
    """
    A seat listens otherwise; `mode` is None where its subscription ended.

    `reheard` are entries that stay owed, each with its class and lane; `ended` those
    that the new mode does not hear.
    """

    conversation: str
    mode: str | None
    interval: int
    tagged_only: bool = False
    why: str = "asked"
    reheard: tuple[tuple[int, str, str, str], ...] = ()
    ended: tuple[int, ...] = ()


@recorded("seat_rested")
class SeatRested(Event):
    """Nothing is granted to the seat or taken for it while it rests."""

    conversation: str
    resting: bool


@recorded("seat_held")
class SeatHeld(Event):
    """
    Nothing is granted to the seat or taken for it, as its agent is `disabled` or
    `paused` in the lobby; "" where it goes on.
    """

    conversation: str
    why: str


@recorded("seat_left")
class SeatLeft(Event):
    """A seat was given up; all that it was owed ends with it."""

    conversation: str
    why: str = "left"
    membership_ended: bool = False
    ended: tuple[int, ...] = ()


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    match fact.event:
        case SeatJoined() as joined:
            _sit(room, joined, fact.at)
        case Subscribed() as subscribed:
            _listen(room, subscribed, fact.at)
        case SeatRested() as rested:
            seat = room.seats[rested.conversation]
            seat.resting, seat.released = rested.resting, fact.at
            room.schedule(seat)
        case SeatHeld() as held:
            seat = room.seats[held.conversation]
            seat.held, seat.released = held.why, fact.at
            room.schedule(seat)
        case SeatLeft() as left:
            seat = room.seats[left.conversation]
            room.count_person(seat, -1)
            place = "removed" if left.why == "removed" else "left"
            room.dismiss(seat, place, ended=left.membership_ended)
            seat.mode = seat.wake = None
            for seq in left.ended:
                seat.drop(seq)
            if room.coming is not None:
                room.coming.lose(left.conversation, place)
            room.index(seat)
            room.schedule(seat)
        case _:
            return False
    return True


def _sit(room: RoomState, joined: SeatJoined, at: int) -> None:
    room.invited.pop(name_key(joined.agent), None)  # it has answered
    seat = room.seats.get(joined.conversation)
    new = seat is None
    if seat is None:
        seat = Seat(joined.conversation, joined.agent, joined.threaded)
        room.seats[joined.conversation] = seat
    seat.stand(
        acts_for=joined.acts_for,
        place="in",
        mode=joined.mode,
        interval=joined.interval,
        tagged_only=joined.tagged_only,
        held=joined.held,
    )
    seat.sit_down(at)
    seat.since = room.seq
    room.count_person(seat)
    room.enroll(joined.agent, joined.threaded, seat, new=new)
    room.index(seat)
    room.schedule(seat)


def _listen(room: RoomState, subscribed: Subscribed, at: int) -> None:
    seat = room.seats[subscribed.conversation]
    seat.stand(
        mode=subscribed.mode,
        interval=subscribed.interval,
        tagged_only=subscribed.tagged_only,
    )
    seat.listen_from(at)
    for seq in subscribed.ended:
        seat.drop(seq)
    kept: dict[str, list[Entry]] = {}
    for seq, hearing, lane, why in subscribed.reheard:
        entry = seat.drop(seq)
        if entry is not None:
            heard = entry.but(hearing=hearing, why=why)
            kept.setdefault(intern(lane), []).append(heard)
    for lane, entries in kept.items():
        seat.put(lane, entries)
    if seat.has(Lane.HELD):
        seat.released = at  # what is held now was not before, and takes a place of now
    room.index(seat)
    room.schedule(seat)


def join(
    room: RoomState,
    conversation: str,
    *,
    agent: str,
    threaded: bool,
    subscription: Subscription | None = None,
    why: str = "joined",
    instead_of: str = "",
    acts_for: str = "",
    held: str = "",
) -> list[Event]:
    """
    A seat in the room; in it already, only another subscription is a change.

    Raises:
        InvalidInput: For a mode that this kind of agent may not choose (G-MODE-09).
        NotAllowed: `invite_required` for who was removed and not invited since.
    """
    seat = room.seats.get(conversation)
    if seat is not None and seat.place == "in":
        return [] if subscription is None else subscribe(seat, subscription)
    if why == "joined":
        _check_not_removed(room, agent)
    chosen = subscription or Subscription(room.policy.default_mode)
    check_mode_for(chosen.mode, threaded=threaded)
    return [
        SeatJoined(
            conversation,
            agent,
            threaded,
            chosen.mode.value,
            chosen.interval // _MOMENT,
            chosen.tagged_only,
            why,
            instead_of,
            acts_for,
            held,
        )
    ]


def subscribe(
    seat: Seat, subscription: Subscription, *, why: str = "asked"
) -> list[Event]:
    """
    Another way of listening; nothing where it is the same.

    Raises:
        InvalidInput: For a mode that this kind of agent may not choose (G-MODE-09).
    """
    check_mode_for(subscription.mode, threaded=seat.threaded)
    if subscription_of(seat) == subscription:
        return []
    return [
        Subscribed(
            seat.conversation,
            subscription.mode.value,
            subscription.interval // _MOMENT,
            subscription.tagged_only,
            why,
            *_heard_anew(seat, subscription),
        )
    ]


def drop_idle(room: RoomState, until: int) -> list[Event]:
    """
    Ends the subscription of every seat that follows and was idle since `until` or
    longer; its membership stays, and it may follow anew.

    Source: G-IDLE-03. A label or a reply still wakes such a seat (G-FOLLOW-05).
    """
    follows = (room.seats[one] for one in room.following)
    return [
        Subscribed(
            seat.conversation,
            None,
            seat.interval,
            seat.tagged_only,
            "idle",
            *_heard_anew(seat, None),
        )
        for seat in follows
        if idle_since(seat) <= until
    ]


def idle_since(seat: Seat) -> int:
    """
    Since when a seat gave no sign of life: a post, a read, a wake (G-IDLE-01).

    To say how it listens is one as well: who follows anew is not dropped at once.
    """
    return max(seat.seen_at, seat.anchor)


def _heard_anew(
    seat: Seat, subscription: Subscription | None
) -> tuple[tuple[tuple[int, str, str, str], ...], tuple[int, ...]]:
    """What is not taken yet under another subscription: what stays owed, what ends."""
    reheard, ended = [], []
    untaken = (Lane.HELD, Lane.DIGEST, Lane.RIDER, Lane.READY)
    for lane, entry in seat.placed(*untaken):
        heard = _reheard(entry, lane, subscription)
        if heard is None:
            ended.append(entry.seq)
        elif heard != (entry.hearing, lane, entry.why):
            reheard.append((entry.seq, *heard))
    return tuple(reheard), tuple(ended)


def _reheard(
    entry: Entry, lane: str, subscription: Subscription | None
) -> tuple[str, str, str] | None:
    """Class, lane and reason of an entry under another subscription; None ends it."""
    if entry.why in _RIDES_ANYHOW:
        return entry.hearing, lane, entry.why
    heard = hear(subscription, Tag(entry.tag))
    if heard.as_ is None:
        return None
    if heard.as_ == entry.hearing:
        return entry.hearing, lane, heard.rule
    # What was ready keeps the place that it has been charged for.
    ready = lane == Lane.READY and heard.as_ is Hearing.NOW
    return heard.as_.value, Lane.READY if ready else WAITS[heard.as_], heard.rule


WAITS = {
    Hearing.NOW: Lane.HELD,
    Hearing.DIGEST: Lane.DIGEST,
    Hearing.RIDER: Lane.RIDER,
}
"""The lane in which an entry of each class waits."""


def follow_by_posting(seat: Seat) -> list[Event]:
    """Who posts follows: as when_tagged, unless it follows already (G-FOLLOW-01)."""
    if seat.mode is not None and seat.mode != Mode.ON_DEMAND:
        return []  # as `after_posting` says, without asking it at every post
    return subscribe(seat, after_posting(subscription_of(seat)), why="posted")


def rest(seat: Seat, *, resting: bool) -> list[Event]:
    """Lets a seat rest, or go on."""
    return [] if seat.resting == resting else [SeatRested(seat.conversation, resting)]


def hold(seat: Seat, why: str) -> list[Event]:
    """Holds a seat as its agent is held in the lobby, or lets it go on with ""."""
    if seat.place != "in" or seat.held == why:
        return []
    return [SeatHeld(seat.conversation, why)]


def leave(seat: Seat, *, why: str = "left") -> list[Event]:
    """Gives the seat up; a single agent's membership ends with it (foundation 14)."""
    if seat.place != "in":
        return []
    ended = tuple(entry.seq for entry in seat.entries())
    return [SeatLeft(seat.conversation, why, not seat.threaded, ended)]


def remove(room: RoomState, agent: str) -> list[Event]:
    """
    Takes all seats from an agent, and its membership; nothing from who is no member.

    It joins again only when somebody invites it (report F-123).
    """
    member = room.member(agent)
    if member is None or not member.present:
        return []
    every = [room.seats[one] for one in member.conversations]
    here = [seat for seat in every if seat.place == "in"]
    events = list[Event]()
    for seat in here or every[-1:]:
        ended = tuple(entry.seq for entry in seat.entries())
        events.append(SeatLeft(seat.conversation, "removed", True, ended))
        events += absent(room, seat, leaving=True)
    return events


def _check_not_removed(room: RoomState, agent: str) -> None:
    member = room.member(agent)
    if member is None or member.present or name_key(agent) in room.invited:
        return
    if any(room.seats[one].place == "removed" for one in member.conversations):
        raise NotAllowed(
            "invite_required", f"{agent} was removed from the room", agent=agent
        )


def subscription_of(seat: Seat) -> Subscription | None:
    """The seat's subscription as a value."""
    if seat.mode is None:
        return None
    subscription = _SUBSCRIPTIONS[seat.mode]
    interval = timedelta(microseconds=seat.interval)
    return changed(subscription, interval=interval, tagged_only=seat.tagged_only)


_SUBSCRIPTIONS = {mode.value: Subscription(mode) for mode in Mode}


def is_seated(room: RoomState, conversation: str | None) -> bool:
    """Whether a conversation has a seat in the room now."""
    seat = room.seats.get(conversation or "")
    return seat is not None and seat.place == "in"


def unread_before(room: RoomState, conversation: str | None) -> int:
    """
    The number up to which nobody, or a conversation, reads the room; 0 for nothing.
    """
    if room.policy.history == "all" or conversation is None:
        return room.expired
    seat = room.seats.get(conversation)
    return room.seq if seat is None else max(seat.since, room.expired)


def member_seat(room: RoomState, conversation: str | None, **details: Any) -> Seat:
    """
    The seat of a conversation that is in the room.

    Raises:
        NotAllowed: `not_a_member` for whoever has none.
    """
    seat = room.seats.get(conversation or "")
    if seat is None or seat.place != "in":
        raise NotAllowed(
            "not_a_member", "only a member of the room may do this", **details
        )
    return seat
