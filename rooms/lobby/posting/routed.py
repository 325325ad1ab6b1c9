"""
Posting along a route that is known: most messages go where another one went before.

Two laws. What is remembered is only ever what the whole way of a post came to, and is
forgotten with any change of what that looked at. And a message is decided along it on
states that nobody can change meanwhile; whatever is not as plain as that takes the
whole way.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms.addressing import Address
from rooms.lobby.handles import Agent, Conversation, Person
from rooms.lobby.recording.fence import check_fence
from rooms.lobby.recording.requests import NO_REQUEST, Request, fingerprint
from rooms.lobby.recording.streams import LOBBY, Stream, Streams, agent_stream
from rooms.log import posting
from rooms.log.actors import Actor
from rooms.log.events import Fact
from rooms.log.posting import Draft, Meaning, MessagePosted, PostFacts, Route
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Way", "learn", "post_on", "way_of"]

_MOST_WAYS = 256
_PLAIN = frozenset({Address, Agent, Person})


@frozen
class Way:
    """
    A route, and what it was found from beside the room.

    Attributes:
        route: The route.
        asked: Whom a retry has to ask for again, in any order of names.
        read: The other streams that were read, each with the version that it had.
    """

    route: Route
    asked: list[str]
    read: tuple[tuple[Stream, int], ...]

    def stands(self, room: Stream, streams: Streams) -> bool:
        """Whether all is current that it was found from, and nobody wrote to it."""
        epoch, loaded = streams.epoch, streams.loaded
        for stream, version in self.read:
            if stream.version != version or stream.epoch != epoch:
                return False
            if loaded.get(stream.name) is not stream:  # let go: another one is written
                return False
        return room.epoch == epoch


def way_of(desk: Desk, by: Actor, to: tuple[Any, ...]) -> Hashable:
    """
    What tells where a message goes from where others go; None where nothing does, as
    with what may change, or may be equal to what means somebody else: a handle of
    another lobby, or an object of the caller's own.
    """
    for one in to:
        kind = type(one)
        if kind is str or kind in _PLAIN:
            continue
        if kind is not Conversation or one._desk is not desk:  # noqa: SLF001
            return None
    return (by.kind, by.id, to)


def post_on(
    desk: Desk,
    name: str,
    key: Hashable,
    text: str,
    *,
    meaning: Meaning,
    request_id: str | None,
    by: Actor,
    now: datetime | None,
) -> tuple[Fact, RoomState] | None:
    """
    Posts a message to where another one went; None, and nothing done, where it has to
    take the whole way, as a request does that was accepted before.

    Raises:
        NotAllowed, Conflict: As `check_fence`, for an actor that was overtaken.
        OverLimit: `send_rate` with `retry_at`; `message_too_long`.
        InvalidInput: `body_empty`.
    """
    streams, storage = desk.streams, desk.storage
    stream = streams.loaded.get(name)
    way = None if stream is None else stream.ways.get(key)
    if way is None or stream is None:
        return None
    with desk.lock.cached:
        if streams.loaded.get(name) is not stream or not way.stands(stream, streams):
            return None
        room: RoomState = stream.state
        request = NO_REQUEST
        if request_id is not None:
            if room.policy.retention is not None:  # its key ends with its words
                return None
            meant = meaning.asked(to_itself=False)
            asked = [room.id, text, way.asked, None, *([meant] if meant else [])]
            request = Request.of(by, "post", request_id, fingerprint(*asked))

        def decide(at: int) -> MessagePosted | None:
            if by.wake or by.generation or by.runtime is not None:
                check_fence(desk, by)
            if request is not NO_REQUEST and request.known(storage):
                return None
            return posting.post_along(room, way.route, text, meaning, by=by, now=at)

        committed, late = desk.commits.record_one(
            stream, decide, by=by.recorded, now=desk.time(now), keys=request.keys
        )
    if committed is None:
        return None
    desk.announce(committed)
    if late is not None:
        raise late
    [fact] = committed.facts[name]
    return fact, room


def learn(
    desk: Desk,
    name: str,
    key: Hashable,
    draft: Draft,
    facts: PostFacts,
    *,
    asked: list[str],
    by: Actor,
    now: int,
) -> None:
    """
    Remembers the way of a message that was just decided, the second time that one takes
    it; the lock is held. Where the message brings more than itself, such as a seat or a
    label, its own commit makes that out of date.
    """
    stream = desk.streams.loaded[name]
    if key not in stream.ways:
        if len(stream.ways) >= _MOST_WAYS:
            stream.ways.clear()
        stream.ways[key] = None
        return
    room: RoomState = stream.state
    route = posting.route_of(room, draft, facts, by=by, now=now)
    if route is not None:
        names = (LOBBY, *map(agent_stream, facts.talks))
        read = [desk.streams.current(one) for one in names]
        versions = tuple((one, one.version) for one in read)
        stream.ways[key] = Way(route, asked, versions)
