"""
Selecting: whose wakes are asked for, and where there may be some.

Two laws. Who asks for an agent that is not there, or by a claim that is not the newest,
is refused rather than told that nothing waits (report F-93). And what is found only may
have something to take: the room's state decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.addressing import name_key
from rooms.errors import InvalidInput
from rooms.lobby.access.managing import check_several
from rooms.lobby.derived.projections import ReadySeat, Span
from rooms.lobby.handles import Agent, Conversation, actor_of, conversation_of
from rooms.lobby.recording.fence import check_claimed, check_fence

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["agents_asked", "candidates", "conversations_asked"]


def agents_asked(desk: Desk, agents: Any) -> list[str] | None:
    """The ids of agents; one that is not there is refused (report F-93)."""
    if agents is None:
        return None
    check_several("agents", agents)
    names = [one.id if isinstance(one, Agent) else one for one in agents]
    with desk.lock:
        return [desk.agent(values.text("agents", name)).agent for name in names]


def conversations_asked(desk: Desk, conversations: Any) -> list[Conversation] | None:
    """The conversations of a take; a claim that is not the newest is refused."""
    if conversations is None:
        return None
    if isinstance(conversations, str) or not isinstance(conversations, Iterable):
        kind = type(conversations).__name__
        problem = f"is of type {kind}"
        raise InvalidInput("conversations", problem, allowed="several conversations")
    found = []
    for place, one in enumerate(conversations):
        field = f"conversations[{place}]"
        conversation = conversation_of(one, field=field)
        actor = actor_of(one, desk, field=field)
        with desk.lock:
            check_fence(desk, actor)
            check_claimed(desk, actor)
        found.append(conversation)
    return found


def candidates(
    desk: Desk,
    agents: Sequence[str] | None,
    conversations: Sequence[Conversation] | None,
    holder: str,
) -> Iterator[tuple[str, list[str]]]:
    """
    Rooms, each with conversations there that may have something to take.

    First those that were told something urgent (L-SEND-32). They come a page at a time,
    for as long as somebody asks: what cannot be taken, in a room that is paused, hides
    nothing that can.
    """
    wanted = None if conversations is None else {one.id for one in conversations}
    keys = None if agents is None else {name_key(name) for name in agents}
    held = [
        (room, one.id)
        for room, one in desk.hand.taken_by(holder)
        if wanted is None or one.id in wanted
        if keys is None or name_key(one.agent) in keys
    ]
    spans = _spans(desk, agents, conversations)
    with desk.lock:
        urgent = desk.wakes.urgent(spans)
    every = agents is None and conversations is None
    pages = chain([urgent], _pages(desk, spans, every=every))
    for place, page in enumerate(pages):
        yield from _by_room(
            (seat.room, seat.conversation)
            for seat in page
            if keys is None or seat.agent in keys
        )
        if place == 0:
            yield from _by_room(held)


def _spans(
    desk: Desk,
    agents: Sequence[str] | None,
    conversations: Sequence[Conversation] | None,
) -> list[Span]:
    """Where what may be taken stands, for who is asked for."""
    if conversations is not None:
        named = ((one.id, one.agent) for one in conversations)
        return desk.wakes.of_conversations(named)
    return desk.wakes.of_all() if agents is None else desk.wakes.of_agents(agents)


def _pages(
    desk: Desk, spans: Iterable[Span], *, every: bool
) -> Iterator[list[ReadySeat]]:
    """Seats with something to take, as of when what is urgent was asked for."""
    wakes = desk.wakes
    whole = None
    if every:
        with desk.lock:
            whole = wakes.whole()
    for page in whole or _page_by_page(desk, spans):
        if page and every:
            wakes.resume_behind(page[-1])
        yield page


def _page_by_page(desk: Desk, spans: Iterable[Span]) -> Iterator[list[ReadySeat]]:
    rest: Span | None
    for span in spans:
        rest = span
        while rest is not None:
            with desk.lock:
                page, rest = desk.wakes.page(rest, fed=True)
            yield page


def _by_room(seats: Iterable[tuple[str, str]]) -> list[tuple[str, list[str]]]:
    rooms: dict[str, dict[str, None]] = {}
    for room, conversation in seats:
        rooms.setdefault(room, {})[conversation] = None
    return [(room, list(found)) for room, found in rooms.items()]
