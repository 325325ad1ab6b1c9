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
from rooms.log.posting.message import Owed
from rooms.log.seats import WAITS, SeatJoined
from rooms.log.state import Lane, RoomState, Seat, window_of
from rooms.pacing import frees_at

__all__ = ["HEARD", "Pace", "owed_to"]

HEARD = {
    (mode, tagged_only, tag): hear(
        None if mode is None else Subscription(mode, tagged_only=tagged_only), tag
    )
    for mode in (None, *Mode)
    for tagged_only in (False, True)
    for tag in Tag
}
"""What becomes of a message for each mode, or none, each scope and each tag."""


@frozen
class Pace:
    """Who posts, whether too far from a person's word to wake anybody, and when."""

    by: Actor
    guarded: bool
    now: int


def owed_to(
    room: RoomState,
    resolution: Resolution,
    seated: Iterable[SeatJoined],
    pace: Pace,
) -> tuple[list[Event], list[Owed]]:
    """
    What every seat is owed, those that the message starts last, and what has to be
    granted before.
    """
    grants, owed = list[Event](), list[Owed]()
    for conversation, tag in _hearers(room, resolution, pace.by.conversation):
        granted, entry = _owed(room, conversation, tag, pace)
        grants.extend(granted)
        if entry is not None:
            owed.append(entry)
    owed.extend(_owed_at_start(room, joined, pace) for joined in seated)
    return grants, owed


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


def _owed(
    room: RoomState, conversation: str, tag: Tag, pace: Pace
) -> tuple[list[Event], Owed | None]:
    """What a seat is owed, with what has to be granted to it first."""
    seat = room.seats[conversation]
    heard = HEARD[seat.mode, seat.tagged_only, tag]
    if heard.as_ is None:
        return [], None
    if heard.as_ is not Hearing.RIDER and pace.guarded:
        return [], _guarded(conversation, tag)
    grants: list[Event] = []
    lane = WAITS[heard.as_]
    if heard.as_ is Hearing.NOW and not room.on_hold(seat):
        grants, lane = _paced(room, seat, pace)
    return grants, (conversation, heard.as_.value, tag.value, heard.rule, lane)


def _owed_at_start(room: RoomState, joined: SeatJoined, pace: Pace) -> Owed:
    """What starts a conversation wakes it, however it listens then (G-ADDR-05)."""
    if pace.guarded:
        return _guarded(joined.conversation, Tag.DIRECT)
    seat = Seat(joined.conversation, joined.agent, joined.threaded)
    lane: str = Lane.HELD
    if not room.on_hold(seat):
        _, lane = _paced(room, seat, pace)
    now, direct = Hearing.NOW.value, Tag.DIRECT.value
    why = "added" if joined.why == "added" else "started"
    return (joined.conversation, now, direct, why, lane)


def _guarded(conversation: str, tag: Tag) -> Owed:
    """What is too far from a person's word to cause a wake (ledger 2)."""
    return (conversation, Hearing.RIDER.value, tag.value, "hop_guard", Lane.RIDER)


def _paced(room: RoomState, seat: Seat, pace: Pace) -> tuple[list[Event], str]:
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
