"""
Routes: what is known of a message before it is said.

Two laws. A route is what the steps of a post come to that look neither at the words nor
at the time: whom a sender's message to these reaches, and as what. It stands until
anything changes in the room but what is owed (`RoomState.shape`), or in what else it
was found from. And a message that takes one comes to what it would come to step by
step, or is left to those (test_routed).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rooms.errors import ConfirmAllThreads
from rooms.hearing import Hearing
from rooms.log.actors import Actor
from rooms.log.events import Event, made
from rooms.log.posting.admitting import check_send_rate, fitting
from rooms.log.posting.confirming import check_fan_out
from rooms.log.posting.deciding import meaning_in
from rooms.log.posting.draft import Draft, PostFacts
from rooms.log.posting.meaning import PLAIN, Meaning
from rooms.log.posting.message import MessagePosted, Owed
from rooms.log.posting.owing import HEARD, Pace, hearers, paced
from rooms.log.state import Lane, RoomState, Seat
from rooms.pacing import PERSON_HOPS, hops_of_post, only_rides

__all__ = ["Route", "post_along", "route_of"]

_NOW = Hearing.NOW.value


class Heard(NamedTuple):
    """
    A seat that a route reaches, and what a message is to it.

    Attributes:
        seat: The seat.
        owed: What it is owed, at once where it is paced.
        held: What it is owed while its wake window is full; None for a seat that no
            window paces.
    """

    seat: Seat
    owed: Owed
    held: Owed | None


class Route(NamedTuple):
    """
    What is known of a message of one sender to the same addresses.

    Attributes:
        shape: The room's shape that it was found in.
        seat: The sender's, or None for a person.
        to: The addresses, in canonical form.
        heard: Whom it reaches, in the order in which a message records them.
    """

    shape: int
    seat: Seat | None
    to: tuple[str, ...]
    heard: tuple[Heard, ...]


def route_of(
    room: RoomState, draft: Draft, facts: PostFacts, *, by: Actor, now: int
) -> Route | None:
    """
    The route of a message that may be posted and looks at no other one; None where
    more than a route decides what becomes of one, such as a name in its text.
    """
    policy = room.policy
    if (
        room.team is not None
        or policy.gives_floor
        or policy.pair_window is not None
        or policy.backlog is not None
        or policy.broadcast_wake != "any"
        or policy.sessions != "shared"
        or room.activity is not None
        or facts.itself
        or "@" in draft.text
    ):
        return None
    meant = meaning_in(room, draft, facts, by=by, now=now)
    resolution, seat = meant.resolution, meant.seat
    try:
        check_fan_out(room, resolution, facts, draft)
    except ConfirmAllThreads:  # it was confirmed, or only rode along
        return None
    heard = []
    for conversation, tag in hearers(
        room, resolution, Pace(by, "", now, meant.audience)
    ):
        hearer = room.seats[conversation]
        how = HEARD.get((hearer.mode, hearer.tagged_only, tag))
        if how is not None:
            hearing, rule, lane = how
            held = None
            if hearing == _NOW and not room.on_hold(hearer):
                held = (conversation, hearing, tag, rule, Lane.HELD)
                lane = Lane.READY
            owed = (conversation, hearing, tag, rule, lane)
            heard.append(Heard(hearer, owed, held))
    return Route(room.shape, seat, meant.to, tuple(heard))


def post_along(
    room: RoomState, route: Route, text: str, meaning: Meaning, *, by: Actor, now: int
) -> MessagePosted | None:
    """
    The message that `post` would leave in the room, and nothing else; None where it has
    to be asked. It replaces no other one.

    Raises:
        OverLimit: `send_rate` with `retry_at`; `message_too_long`.
        InvalidInput: `body_empty`.
    """
    policy, seat = room.policy, route.seat
    if room.shape != route.shape or ("@" in text and policy.mentions != "off"):
        return None
    check_send_rate(room, seat, by, now)
    text, cut = fitting(room, text)
    hops = PERSON_HOPS if seat is None else hops_of_post(seat.account.depth)
    if only_rides(hops, policy.max_hops) or meaning.urgency == "quiet":
        return None
    unread, grants = policy.max_unread, list[Event]()
    owed = []
    for hearer, at_once, held in route.heard:
        lanes = hearer.account.owed
        if unread is not None and lanes and sum(map(len, lanes.values())) >= unread:
            return None
        if held is not None and paced(room, hearer, by, now, grants) == Lane.HELD:
            owed.append(held)
        else:
            owed.append(at_once)
    if grants:  # what waits goes first (ledger 4)
        return None
    fields: dict[str, Any] = {
        "seq": room.seq + 1,
        "sender": "" if seat is None else seat.conversation,
        "author": by.agent or by.id,
        "to": route.to,
        "owed": tuple(owed),
        "hops": hops,
        "wake": by.wake,
        "truncated_from": cut,
        "text": text,
    }
    if meaning is not PLAIN:
        fields |= {
            "kind": meaning.kind,
            "expects_reply": meaning.expected(to_itself=False),
            "urgency": meaning.urgency,
            "notify_when_seen": meaning.notify_when_seen,
            "correlation": meaning.correlation,
            "structured": meaning.fields,
        }
    return made(MessagePosted, fields)
