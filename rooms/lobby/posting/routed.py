"""
Posting along a route that is known: most messages go where another one went before.

Two laws. What is remembered is only ever what the whole way of a post came to, and is
forgotten with any change of what that looked at. And a message is decided along it on
states that nobody can change meanwhile; whatever is not as plain as that takes the
whole way.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define

from rooms import values
from rooms.addressing import Address
from rooms.lobby.answers import Posted
from rooms.lobby.handles import Agent, Conversation, Person, actor_of
from rooms.lobby.recording.decisions import Committed
from rooms.lobby.recording.fence import check_fence
from rooms.lobby.recording.requests import NO_REQUEST, Request, fingerprint
from rooms.lobby.recording.streams import LOBBY, Stream, Streams, agent_stream
from rooms.log import posting
from rooms.log.actors import Actor
from rooms.log.events import RULES_VERSION, Event, Fact, encoded, keyed
from rooms.log.posting import (
    Draft,
    Meaning,
    MessagePosted,
    PostFacts,
    Route,
    post_along,
)
from rooms.log.records import quoted
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["Planned", "Way", "learn", "post_on", "way_of"]

_MOST_WAYS = 256
_PLAIN = frozenset({str, Address, Agent, Person})


@define(eq=False)
class Way:
    """
    A route, and what it was found from beside the room.

    Attributes:
        route: The route.
        asked: Whom a retry has to ask for again, in any order of names.
        read: The other streams that were read, each with the version that it had.
        proven: The count of changes at which all that was last looked at (`Streams`).
        last: What the header of the last message along it says beside its number, and
            how that is written, before the number and behind it.
    """

    route: Route
    asked: list[str]
    read: tuple[tuple[Stream, int], ...]
    proven: int = -1
    last: tuple[tuple[Any, ...], bytes, bytes] = ((), b"", b"")

    def stands(self, room: Stream, streams: Streams) -> bool:
        """Whether all is current that it was found from, and nobody wrote to it."""
        epoch, loaded = streams.epoch, streams.loaded
        for stream, version in self.read:
            if stream.version != version or stream.epoch != epoch:
                return False
            if loaded.get(stream.name) is not stream:  # let go: another one is written
                return False
        if room.epoch != epoch or loaded.get(room.name) is not room:
            return False
        self.proven = streams.changes
        return True

    def written(
        self, event: MessagePosted, by: str, keys: Mapping[str, str]
    ) -> tuple[bytes, bytes | None]:
        """
        Header and body of a message along it that has no words but its text, as
        `encoded` writes them. Most headers differ from the last one in their number
        alone, and in keys.
        """
        said = (
            event.owed,
            event.hops,
            event.wake,
            event.truncated_from,
            event.kind,
            event.expects_reply,
            event.urgency,
            event.notify_when_seen,
        )
        same, before, after = self.last
        if said != same:
            header, _ = encoded(event, by=by, rules=RULES_VERSION)
            before, _, after = header.partition(b',"seq":%d' % event.seq)
            self.last = (said, before, after)
        noted = keyed(keys).encode() if keys else b""
        header = b'%b%b,"seq":%d%b' % (before, noted, event.seq, after)
        return header, f'{{"text":{quoted(event.text)},"unresolved":[]}}'.encode()


def way_of(desk: Desk, by: Actor, to: tuple[Any, ...]) -> Hashable:
    """
    What tells where a message goes from where others go; None where nothing does, as
    with what may change, or may be equal to what means somebody else: a handle of
    another lobby, or an object of the caller's own.
    """
    if not {*map(type, to)} <= _PLAIN:
        for one in to:
            kind = type(one)
            if kind in _PLAIN:
                continue
            if kind is not Conversation or one._desk is not desk:  # noqa: SLF001
                return None
    return (by.kind, by.id, to)


def post_on(  # noqa: C901, PLR0911 - each look may find that it takes the whole way
    desk: Desk,
    room: Room,
    content: str,
    *,
    by: Any,
    to: tuple[Any, ...],
    meaning: Meaning,
    request_id: str | None,
    now: datetime | None,
) -> Posted | None:
    """
    Posts a message to where another one went; None, and nothing done, where it has to
    take the whole way, as a request does that was accepted before.

    Raises:
        NotAllowed, Conflict: As `check_fence`, for an actor that was overtaken.
        OverLimit: `send_rate` with `retry_at`; `message_too_long`.
        InvalidInput: `invalid_request` for what no message holds; `body_empty`.
    """
    stream = desk.streams.loaded.get(f"room:{room.id}")
    if stream is None or not stream.ways:
        return None
    actor = _acting(by, desk)
    way: Way | None = stream.ways.get(way_of(desk, actor, to))
    if way is None or (meaning.notify_when_seen and not actor.agent):
        return None
    text = values.storable("content", content)
    if way.route.planned:
        said = Planned(desk, stream, way, text, meaning, actor).post(request_id, now)
        return None if said is None else Posted(room, said, stream.state.seats)
    with desk.lock.cached:
        if way.proven != desk.streams.changes and not way.stands(stream, desk.streams):
            return None
        state: RoomState = stream.state
        request = NO_REQUEST
        if request_id is not None:
            if state.policy.retention is not None:  # its key ends with its words
                return None
            request = _request(way, room.id, text, meaning, request_id, by=actor)
        decide = partial(post_along, state, way.route, text, meaning, actor)
        if request is not NO_REQUEST or actor.wake or actor.generation or actor.runtime:
            decide = partial(_decide_anew, decide, desk, actor, request)
        fact, position, late = desk.commits.record_one(
            stream,
            decide,
            by=actor.recorded,
            now=desk.time(now),
            keys=request.keys,
            write=None if meaning.correlation or meaning.fields else way.written,
        )
    if fact is None:
        return None
    if desk.plugins is not None:
        desk.announce(_told(stream, fact, position))
    if late is not None:
        raise late
    return Posted(room, fact, state.seats)


class Planned(NamedTuple):
    """A message along a way in a planned room, with what it means for the floor."""

    desk: Desk
    stream: Stream
    way: Way
    text: str
    meaning: Meaning
    by: Actor

    def decide(
        self, room: RoomState, now: int, *, reply_to: str = ""
    ) -> list[Event] | None:
        """What it leaves, itself last; None where it takes the whole way."""
        desk, stream, way, text, meaning, by = self
        streams, route = desk.streams, way.route
        if way.proven != streams.changes and not way.stands(stream, streams):
            return None
        message = post_along(room, route, text, meaning, by, now, reply_to=reply_to)
        if message is None:
            return None
        return [*posting.opened_along(room, route), message]

    def post(self, request_id: str | None, now: datetime | None) -> Fact | None:
        """Posts it as a message of its own; None where it takes the whole way."""
        desk, stream, way, text, meaning, by = self
        state: RoomState = stream.state
        if request_id is None:
            committed = desk.record_in(state.id, self.decide, by=by, now=now)
        else:
            if state.policy.retention is not None:  # its key ends with its words
                return None
            request = _request(way, state.id, text, meaning, request_id, by=by)

            def decide(room: RoomState, at: int) -> list[Event] | None:
                return None if request.known(desk.storage) else self.decide(room, at)

            committed = desk.record_in(
                state.id, decide, by=by, now=now, keys=request.keys
            )
        return None if committed is None else committed.facts[stream.name][-1]


def _acting(by: Any, desk: Desk) -> Actor:
    """As `actor_of`, in one look for who posts most often."""
    if type(by) is Conversation and by._desk is desk:  # noqa: SLF001
        return by.actor
    desk.check_usable()
    return actor_of(by, desk)


def _decide_anew(
    decide: Callable[[int], MessagePosted | None],
    desk: Desk,
    by: Actor,
    request: Request,
    at: int,
) -> MessagePosted | None:
    """What is said for the first time, by an actor that nobody overtook; else None."""
    if by.wake or by.generation or by.runtime is not None:
        check_fence(desk, by)
    known = request is not NO_REQUEST and request.known(desk.storage)
    return None if known else decide(at)


def _told(stream: Stream, fact: Fact, position: int) -> Committed:
    return Committed({stream.name: (fact,)}, fact.at, fact.by, position)


def _request(
    way: Way, room: str, text: str, meaning: Meaning, request_id: str, *, by: Actor
) -> Request:
    meant = meaning.asked(to_itself=False)
    asked = [room, text, way.asked, None, *([meant] if meant else [])]
    return Request.of(by, "post", request_id, fingerprint(*asked))


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
