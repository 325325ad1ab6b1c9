"""
Hear and pace: what each seat is owed for a message, and whether now or later.

Two laws. A seat is touched only where it is tagged or hears untagged messages, so a
post costs what it wakes. And nothing overtakes what waits already (ledger 4).
"""

from __future__ import annotations

from collections.abc import Iterable

from attrs import frozen

from rooms.addressing import Resolution
from rooms.hearing import Hearing, Mode, Subscription, Tag, hear
from rooms.log.actors import Actor
from rooms.log.events import Event
from rooms.log.ledger import Granted, charge, release
from rooms.log.pairs import HELD_BY_PAIR, pair_is_full
from rooms.log.posting.message import Owed
from rooms.log.posting.reaching import EVERYBODY, Audience
from rooms.log.seats import WAITS, SeatJoined
from rooms.log.state import Lane, RoomState, Seat
from rooms.pacing import frees_at

__all__ = ["HEARD", "Pace", "hearers", "owed_to", "paced", "riding_along"]

HEARD = {
    (mode, tagged_only, tag.value): (heard.as_.value, heard.rule, WAITS[heard.as_])
    for mode in (None, *Mode)
    for tagged_only in (False, True)
    for tag in Tag
    if (
        heard := hear(
            None if mode is None else Subscription(mode, tagged_only=tagged_only), tag
        )
    ).as_
}
"""
What a message becomes for each mode, or none, each scope and each tag: class, rule, and
the lane where it waits. What is not here is not heard.
"""

_READY, _HELD = Lane.READY, Lane.HELD
_NOW, _RIDER = Hearing.NOW.value, Hearing.RIDER.value
_DIRECT, _GROUP, _NONE = Tag.DIRECT.value, Tag.GROUP.value, Tag.NONE.value


@frozen
class Pace:
    """
    Who posts, when, and whom it may reach; the rule by which it wakes nobody but only
    rides along, or ""; and whether it wakes those whom it reaches as one of `all`.
    """

    by: Actor
    rides: str
    now: int
    audience: Audience = EVERYBODY
    wakes_all: bool = True


def owed_to(
    room: RoomState,
    hearers: Iterable[tuple[str, str]],
    seated: Iterable[SeatJoined],
    pace: Pace,
) -> tuple[list[Event], list[Owed]]:
    """
    What every seat that is touched is owed, each given with its tag, those that the
    message starts last, and what has to be granted before.
    """
    grants, owed = list[Event](), list[Owed]()
    planned = room.policy.gives_floor
    damped = room.policy.pair_window is not None
    for conversation, tag in hearers:
        seat = room.seats[conversation]
        heard = HEARD.get((seat.mode, seat.tagged_only, tag))
        if heard is None:
            continue
        hearing, rule, lane = heard
        if pace.rides and hearing != _RIDER:
            owed.append(_riding(conversation, tag, pace.rides))
            continue
        if tag == _GROUP and not pace.wakes_all and hearing != _RIDER:
            owed.append(_riding(conversation, tag, "broadcast"))
            continue
        if planned:  # turns come from the floor alone (ledger 2)
            owed.append(riding_along(conversation, tag))
            continue
        if hearing == _NOW and not room.on_hold(seat):
            lane = paced(room, seat, pace.by, pace.now, grants)
            if lane == Lane.READY and damped:
                sender = pace.by.conversation
                if pair_is_full(room, sender, conversation, pace.now):
                    lane, rule = Lane.HELD, HELD_BY_PAIR
        owed.append((conversation, hearing, tag, rule, lane))
    for joined in seated:
        owed.append(_owed_at_start(room, joined, pace))
    return grants, owed


def hearers(
    room: RoomState, resolution: Resolution, pace: Pace
) -> list[tuple[str, str]]:
    """Every seat that a message touches, with its tag: tagged ones first, each once."""
    tags = dict.fromkeys(resolution.direct, _DIRECT)
    for conversation in resolution.group:
        tags.setdefault(conversation, _GROUP)
    if not pace.audience.named:
        for conversation in room.hearing_all:
            tags.setdefault(conversation, _NONE)
    sender = pace.by.conversation
    if sender is not None and not pace.audience.itself:
        tags.pop(sender, None)
    seats, reaches = room.seats, pace.audience.reaches
    return [one for one in tags.items() if reaches(seats[one[0]])]


def _owed_at_start(room: RoomState, joined: SeatJoined, pace: Pace) -> Owed:
    """What starts a conversation wakes it, however it listens then (G-ADDR-05)."""
    if pace.rides:
        return _riding(joined.conversation, _DIRECT, pace.rides)
    if room.policy.gives_floor and joined.why != "added":
        return riding_along(joined.conversation, _DIRECT)
    seat = Seat(joined.conversation, joined.agent, joined.threaded)
    seat.held = joined.held
    lane: str = Lane.HELD
    if not room.on_hold(seat):
        lane = paced(room, seat, pace.by, pace.now, [])
    why = "added" if joined.why == "added" else "started"
    return (joined.conversation, _NOW, _DIRECT, why, lane)


def _riding(conversation: str, tag: str, why: str) -> Owed:
    """What may cause no wake, such as too far from a person's word (ledger 2)."""
    return (conversation, _RIDER, tag, why, Lane.RIDER)


def riding_along(conversation: str, tag: str) -> Owed:
    """What the roster of a planned room hears rides along with its turns."""
    return (conversation, _RIDER, tag, "planned", Lane.RIDER)


def paced(room: RoomState, seat: Seat, by: Actor, now: int, grants: list[Event]) -> str:
    """
    Ready or held, decided now (ledger 3); what was held before goes first, into
    `grants`.
    """
    account, window = seat.account, room.policy.wake_window
    charges, owed = account.charges, account.owed
    held: tuple[int, ...] = ()
    if owed is not None and _HELD in owed:
        held = tuple(entry.seq for entry in seat.entries(Lane.HELD))
        for granted in release(room, seat, now):
            grants.append(granted)
            if granted.charged:
                charges = charge(room.policy, charges, granted.at)
            held = ()
    elif window is None or len(charges) < window.limit:
        return _READY  # nothing waits, and the window has a place
    if by.kind == "person":
        if held:
            grants.append(Granted(seat.conversation, held, now, "person"))
        return Lane.READY
    if held:
        return Lane.HELD  # nothing overtakes what waits (ledger 4)
    if window is None:
        return Lane.READY
    free = frees_at(window.limit, window.micros, charges, now)
    return Lane.READY if free == now else Lane.HELD
