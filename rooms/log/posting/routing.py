"""
Routes: what is known of a message before it is said.

Two laws. A route is what the steps of a post come to that look neither at the words nor
at the time: whom a sender's message to these reaches, and as what. It stands until
anything changes in the room but what is owed and whose turn it is (`RoomState.shape`),
or in what else it was found from. And a message that takes one comes to what it would
come to step by step, or is left to those (test_routed, test_along).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rooms.errors import ConfirmAllThreads
from rooms.hearing import Hearing
from rooms.log.actors import Actor
from rooms.log.events import Event, made
from rooms.log.floors import Casting, casting_by, opened_with
from rooms.log.posting.admitting import check_send_rate, fitting
from rooms.log.posting.confirming import check_fan_out
from rooms.log.posting.deciding import meaning_in
from rooms.log.posting.draft import Draft, PostFacts
from rooms.log.posting.meaning import PLAIN, Meaning
from rooms.log.posting.message import MessagePosted, Owed
from rooms.log.posting.owing import HEARD, Pace, hearers, paced, riding_along
from rooms.log.state import Lane, RoomState, Seat
from rooms.pacing import PERSON_HOPS, hops_of_post, only_rides
from rooms.values import LARGEST

__all__ = ["Route", "opened_along", "post_along", "route_of"]

_NOW, _HELD = Hearing.NOW.value, Lane.HELD


class Heard(NamedTuple):
    """
    A seat that a route reaches, and what it is owed while its wake window is full; None
    for a seat that no window paces.
    """

    seat: Seat
    held: Owed | None


class Route(NamedTuple):
    """
    What is known of a message of one sender to the same addresses.

    Attributes:
        shape: The room's shape that it was found in.
        seat: The sender's, or None for a person.
        sender, author: Who says it, as a message records it.
        to: The addresses, in canonical form.
        heard: Whom it reaches, in the order in which a message records them.
        owed: What each is owed, at once where it is paced.
        planned: Whether turns are given one at a time, by a planner.
        casting: Whom it sets talking then; None where it opens nothing.
    """

    shape: int
    seat: Seat | None
    sender: str
    author: str
    to: tuple[str, ...]
    heard: tuple[Heard, ...]
    owed: tuple[Owed, ...]
    planned: bool = False
    casting: Casting | None = None


def route_of(
    room: RoomState, draft: Draft, facts: PostFacts, *, by: Actor, now: int
) -> Route | None:
    """
    The route of a message that may be posted and looks at no other one; None where
    more than a route decides what becomes of one, such as a name in its text.
    """
    policy = room.policy
    planned = policy.gives_floor
    if (
        room.team is not None
        or policy.pair_window is not None
        or policy.backlog is not None
        or policy.broadcast_wake != "any"
        or policy.sessions != "shared"
        or (room.activity is not None and not planned)
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
    heard, owed = list[Heard](), list[Owed]()
    for conversation, tag in hearers(
        room, resolution, Pace(by, "", now, meant.audience)
    ):
        hearer = room.seats[conversation]
        how = HEARD.get((hearer.mode, hearer.tagged_only, tag))
        if how is not None and planned:
            heard.append(Heard(hearer, None))
            owed.append(riding_along(conversation, tag))
        elif how is not None:
            hearing, rule, lane = how
            held = None
            if hearing == _NOW and not room.on_hold(hearer):
                held = (conversation, hearing, tag, rule, Lane.HELD)
                lane = Lane.READY
            heard.append(Heard(hearer, held))
            owed.append((conversation, hearing, tag, rule, lane))
    sender, author = "" if seat is None else seat.conversation, by.agent or by.id
    every = (tuple(heard), tuple(owed))
    casting = casting_by(room, by, resolution.direct, resolution.group)
    way = (meant.to, *every, planned, casting)
    return Route(room.shape, seat, sender, author, *way)


def post_along(  # noqa: PLR0917 - all but the time is known before
    room: RoomState,
    route: Route,
    text: str,
    meaning: Meaning,
    by: Actor,
    now: int,
    *,
    reply_to: str = "",
) -> MessagePosted | None:
    """
    The message that `post` would leave in the room, behind `opened_along`; None where
    that has to be asked. It replaces no other one, and answers at most one that is
    still there, by whom it does not address.

    Raises:
        OverLimit: `send_rate` with `retry_at`; `message_too_long`.
        InvalidInput: `body_empty`.
    """
    policy, seat = room.policy, route.seat
    if room.shape != route.shape or ("@" in text and policy.mentions != "off"):
        return None
    hops = PERSON_HOPS
    if seat is not None:
        window = policy.send_window
        if window is not None and len(seat.account.sends) >= window.limit:
            check_send_rate(room, seat, by, now)
        if seat.account.depth is not None:
            hops = hops_of_post(seat.account.depth)
    text, cut = fitting(room, text)
    if (hops and only_rides(hops, policy.max_hops)) or meaning.urgency == "quiet":
        return None
    owed = _owed_along(room, route, by, now)
    if owed is None:
        return None
    fields: dict[str, Any] = {
        "seq": room.seq + 1,
        "sender": route.sender,
        "author": route.author,
        "to": route.to,
        "owed": owed,
        "hops": hops,
        "wake": by.wake,
        "truncated_from": cut,
        "text": text,
    }
    if reply_to:
        fields["reply_to"] = reply_to
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


def opened_along(room: RoomState, route: Route) -> list[Event]:
    """What a message along a route means for the floor, which is recorded before it."""
    return [] if route.casting is None else opened_with(room, route.casting)


def _owed_along(
    room: RoomState, route: Route, by: Actor, now: int
) -> tuple[Owed, ...] | None:
    """
    What a message is to each whom a route reaches; None where what waits goes first
    (ledger 4), or an inbox may be full.
    """
    unread, window = room.policy.max_unread, room.policy.wake_window
    if unread is not None and _may_be_full(route, unread):
        return None
    places = LARGEST if window is None else window.limit
    for hearer, held in route.heard:
        if held is None:
            continue
        account = hearer.account
        lanes = account.owed
        if len(account.charges) >= places or (lanes is not None and _HELD in lanes):
            break
    else:  # most often there is a place for each, and nothing waits for one
        return route.owed
    owed, grants = list[Owed](), list[Event]()
    for (hearer, held), at_once in zip(route.heard, route.owed, strict=True):
        lane = None if held is None else paced(room, hearer, by, now, grants)
        owed.append(at_once if held is None or lane != _HELD else held)
    return None if grants else tuple(owed)


def _may_be_full(route: Route, unread: int) -> bool:
    """Whether a seat that hears is owed so much that it may count as full."""
    return any(
        lanes is not None and sum(map(len, lanes.values())) >= unread
        for lanes in [hearer.account.owed for hearer, _ in route.heard]
    )
