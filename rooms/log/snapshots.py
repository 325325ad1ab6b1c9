"""
Snapshots: a folded state as bytes, so that a long log need not be folded from zero.

Three laws. A snapshot and the facts after it give the state that all facts give, in
every answer and every order. It is a cache: what is damaged, or of another version, is
None, and the log is folded instead (foundation 12). And one state has one text:
canonical JSON behind its own digest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from heapq import heapify
from typing import Any, TypeVar

from attrs import fields

from rooms.addressing import name_key
from rooms.errors import InvalidInput
from rooms.log.agents import AgentState, Talk
from rooms.log.directory import AgentEntry, LobbyState
from rooms.log.records import canonical
from rooms.log.state import Entry, Membership, OpenWake, RoomState, Seat
from rooms.policy import RoomPolicy

__all__ = ["SCHEMA", "decode", "encode"]

SCHEMA = 1
"""The form of all states; one of another form is not read."""

State = TypeVar("State", bound=RoomState | LobbyState | AgentState)

_DIGEST_BYTES = 16


def encode(state: RoomState | LobbyState | AgentState) -> bytes:
    """
    A state as canonical JSON: schema, kind, the digest of what follows, and the state.

    Guarantees: equal states, in equal order, have equal bytes.

    >>> decode(encode(RoomState(id="room_1")), RoomState).id
    'room_1'
    """
    content = canonical(_WRITERS[type(state)](state))
    return _opening(type(state), content) + content + b"}"


def decode(content: bytes, kind: type[State]) -> State | None:
    """
    The state of that kind that was encoded, or None for whatever else it is.

    Guarantees: no other error leaves it, whatever the bytes are.
    """
    try:
        inner = content[len(_opening(kind, b"")) : -1]
        if content != _opening(kind, inner) + inner + b"}":
            return None
        # A digest that fits proves nothing about who wrote it.
        read: State = _READERS[kind](json.loads(inner))
    except (
        AttributeError,
        InvalidInput,
        KeyError,
        RecursionError,
        TypeError,
        ValueError,
    ):
        return None
    return read


def _opening(kind: type[Any], content: bytes) -> bytes:
    digest = blake2b(content, digest_size=_DIGEST_BYTES).hexdigest()
    opening = f'{{"schema":{SCHEMA},"kind":"{kind.__name__}","digest":"{digest}",'
    return opening.encode() + b'"state":'


# A value of one of our classes is the list of its fields, in their order; only what
# holds others is written out below.


def _names(kind: type[Any], *, without: Iterable[str] = ()) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind) if one.name not in without)


_ENTRY, _WAKE = _names(Entry), _names(OpenWake)
_COUNTED = ("digests_ready", "persons_held")  # by putting the entries back
_SEAT = _names(Seat, without=("owed", "wake", "charges", "sends", *_COUNTED))
_MEMBERSHIP, _TALK, _AGENT = _names(Membership), _names(Talk), _names(AgentEntry)
_SETS = ("following", "hearing_all", "takeable")  # their order is a part of answers
_ROOM = _names(RoomState, without=("policy", "seats", "members", "agenda", *_SETS))


def _values(value: Any, names: Iterable[str]) -> list[Any]:
    return [getattr(value, name) for name in names]


def _named(names: tuple[str, ...], given: list[Any]) -> dict[str, Any]:
    return dict(zip(names, given, strict=True))


def _seat(seat: Seat) -> list[Any]:
    return [
        _values(seat, _SEAT),
        seat.charges,
        seat.sends,
        None if seat.wake is None else _values(seat.wake, _WAKE),
        [_values(entry, _ENTRY) for entry in seat.entries()],
    ]


def _read_seat(given: list[Any]) -> Seat:
    own, charges, sends, wake, entries = given
    seat = Seat(**_named(_SEAT, own), charges=tuple(charges), sends=tuple(sends))
    if wake is not None:
        seat.wake = OpenWake(**_named(_WAKE, wake))
    seat.put(Entry(**_named(_ENTRY, entry)) for entry in entries)
    return seat


def _room(room: RoomState) -> dict[str, Any]:
    return {
        "room": _values(room, _ROOM),
        "policy": room.policy.recorded(),
        "seats": [_seat(seat) for seat in room.seats.values()],
        "members": [_values(one, _MEMBERSHIP) for one in room.members.values()],
        **{name: list(getattr(room, name)) for name in _SETS},
    }


def _read_room(given: Mapping[str, Any]) -> RoomState:
    room = RoomState(
        **_named(_ROOM, given["room"]), policy=RoomPolicy.from_record(given["policy"])
    )
    for written in given["seats"]:
        seat = _read_seat(written)
        room.seats[seat.conversation] = seat
        if seat.next is not None:
            room.agenda.append((seat.next, seat.conversation))
    heapify(room.agenda)
    for written in given["members"]:
        member = Membership(**_named(_MEMBERSHIP, written))
        room.members[name_key(member.agent)] = member
    for name in _SETS:
        getattr(room, name).update(dict.fromkeys(given[name]))
    return room


def _lobby(lobby: LobbyState) -> dict[str, Any]:
    return {
        "lobby": [lobby.version, lobby.at],
        "agents": [_values(agent, _AGENT) for agent in lobby.agents.values()],
        "persons": list(lobby.persons.values()),
        "rooms": lobby.rooms,
    }


def _read_lobby(given: Mapping[str, Any]) -> LobbyState:
    version, at = given["lobby"]
    agents = [AgentEntry(**_named(_AGENT, written)) for written in given["agents"]]
    return LobbyState(
        version,
        at,
        {name_key(agent.agent): agent for agent in agents},
        {name_key(person): person for person in given["persons"]},
        dict(given["rooms"]),
    )


def _agent(agent: AgentState) -> dict[str, Any]:
    return {
        "agent": [agent.version, agent.at],
        "talks": [_values(talk, _TALK) for talk in agent.talks.values()],
        "labels": agent.labels,
        "threads": agent.threads,
    }


def _read_agent(given: Mapping[str, Any]) -> AgentState:
    version, at = given["agent"]
    talks = [Talk(**_named(_TALK, written)) for written in given["talks"]]
    return AgentState(
        version,
        at,
        {talk.id: talk for talk in talks},
        dict(given["labels"]),
        dict(given["threads"]),
    )


_WRITERS: Mapping[type[Any], Callable[[Any], dict[str, Any]]] = {
    RoomState: _room,
    LobbyState: _lobby,
    AgentState: _agent,
}
_READERS: Mapping[type[Any], Callable[[Any], Any]] = {
    RoomState: _read_room,
    LobbyState: _read_lobby,
    AgentState: _read_agent,
}
