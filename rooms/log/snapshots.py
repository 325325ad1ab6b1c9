"""
Snapshots: a folded state as bytes, so that a long log need not be folded from zero.

Three laws. A snapshot and the facts after it give the state that all facts give, in
every answer and every order. It is a cache: what is damaged, or of another version, is
None, and the log is folded instead (foundation 12). And one state has one text:
canonical JSON behind its own digest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from hashlib import blake2b
from heapq import heapify
from operator import attrgetter
from sys import intern
from typing import Any, TypeVar

from attrs import fields

from rooms.addressing import name_key
from rooms.errors import InvalidInput
from rooms.log.activities import Activity, Floor, HadTurn, Opener
from rooms.log.agents import AgentState, Talk
from rooms.log.claimed import ClaimsState, ClaimState
from rooms.log.coming import Coming, Waiting
from rooms.log.directory import AgentEntry, LobbyState, Permissions
from rooms.log.notified import Notified, Owing, Sent
from rooms.log.owed import because
from rooms.log.produced import ArtifactState, ProducedState, WorkItemState
from rooms.log.records import canonical
from rooms.log.remembered import EntryState, FragmentState, MemoryState
from rooms.log.restarts import Restart
from rooms.log.runtimes import Runtime
from rooms.log.schedules import ScheduleState
from rooms.log.state import Entry, Membership, OpenWake, RoomState, Seat
from rooms.log.statuses import Line, StatusState
from rooms.log.team_state import (
    ApprovalState,
    ChangeState,
    MemberState,
    QuestionState,
    TeamState,
)
from rooms.log.tries import Pushing, Tries
from rooms.log.work import Work, WorkState
from rooms.policy import RoomPolicy
from rooms.team import TeamLimits

__all__ = ["SCHEMA", "decode", "encode"]

SCHEMA = 9
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
        ArithmeticError,
        AttributeError,
        InvalidInput,
        LookupError,
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


def _fields(kind: type[Any]) -> Callable[[Any], Any]:
    return attrgetter(*(one.name for one in fields(kind)))


_SEAT, _WAKE = attrgetter(*Seat.FIELDS), _fields(OpenWake)
_MEMBERSHIP, _TALK, _MAY = _fields(Membership), _fields(Talk), _fields(Permissions)
_RESTART, _LINE, _SILENT = _fields(Restart), _fields(Line), StatusState()
_RUNTIME = _fields(Runtime)
_BOUND = [one.name for one in fields(Talk)].index("runtime")
_WORK = _fields(Work)
_RUNNING = [one.name for one in fields(Work)].index("running")
_SENT, _OWING, _UNSENT = _fields(Sent), _fields(Owing), Notified()
_FRAGMENT, _ENTRY_KEPT = _fields(FragmentState), _fields(EntryState)
_MEMORY = [
    one.name for one in fields(MemoryState) if one.name not in {"fragments", "entries"}
]
_MEMBER, _CHANGE = _fields(MemberState), _fields(ChangeState)
_APPROVAL, _QUESTION = _fields(ApprovalState), _fields(QuestionState)
_TEAM = [
    one.name
    for one in fields(TeamState)
    if one.name
    not in {
        *("limits", "members", "changes", "approvals", "claims", "produced"),
        "questions",
    }
]
_CLAIM = _fields(ClaimState)
_WORK_ITEM, _ARTIFACT = _fields(WorkItemState), _fields(ArtifactState)
_WAITING = _fields(Waiting)
_SCHEDULE = _fields(ScheduleState)
_TURN, _OPENER = _fields(HadTurn), _fields(Opener)
_ACTIVITY, _FLOOR = _fields(Activity), _fields(Floor)
_OF_ACTIVITY = [one.name for one in fields(Activity)]
_TURNS = _OF_ACTIVITY.index("turns")
_CASTS = (_OF_ACTIVITY.index("cast"), _OF_ACTIVITY.index("cover"))
_SETS = ("following", "hearing_all", "takeable")  # their order is a part of answers
_REMEMBERED = ("memory", "team", "coming")
_PLANNED = ("activity", "floor", "openers", "spoken", "pairs")
_ROOM = [
    one.name
    for one in fields(RoomState)
    if one.name
    not in {"policy", "seats", "members", "acted_for", "agenda", "later", "shape"}
    | {"some_follow", *_SETS, *_PLANNED, *_REMEMBERED}
]
_PLACE = {name: place for place, name in enumerate(Seat.FIELDS)}
_CHARGES, _SENDS = _PLACE["charges"], _PLACE["sends"]
_OWED, _OPEN = _PLACE["owed"], _PLACE["wake"]
_COUNTED = [
    _PLACE[name] for name in ("digests_ready", "persons_held", "backlog", "fresh")
]
_PUSHING, _TRIES = _PLACE["pushing"], _fields(Tries)


def _seat(seat: Seat) -> list[Any]:
    written = list(_SEAT(seat))
    written[_OWED] = [_owed(*placed) for placed in seat.placed()]
    written[_OPEN] = None if seat.wake is None else _WAKE(seat.wake)
    if seat.pushing is not None:
        written[_PUSHING] = _pushing(seat, seat.pushing)
    return written


def _owed(lane: str, entry: Entry) -> list[Any]:
    """An entry and its lane."""
    seq, at, hops, cause, size, _ = entry
    hearing, tag, agents, why, waited, tries, important = cause
    return [
        *(seq, hearing, tag, agents, hops, at, why, lane),
        *(waited, tries, size, important),
    ]


def _read_owed(given: list[Any], once: dict[Any, Any]) -> tuple[str, Entry]:
    """An entry and its lane; seats that are owed it alike have one value of it."""
    seq, hearing, tag, agents, hops, at, why, lane = given[:8]
    waited, tries, size, important = given[8:]
    cause = because(hearing, tag, agents, why, waited, tries, important)
    seq, at = once.setdefault(seq, seq), once.setdefault(at, at)
    entry = Entry(seq, at, hops, cause, size)
    return intern(lane), once.setdefault(entry, entry)


def _pushing(seat: Seat, pushing: Pushing) -> list[Any]:
    """What pushes wait for; each of the tries with the numbers of what it is for."""
    carried: dict[str, list[int]] = {one.push: [] for one in pushing.tries}
    for entry in seat.entries():
        if entry.push is not None:
            carried[entry.push.push].append(entry.seq)
    tries = [[*_TRIES(one), carried[one.push]] for one in pushing.tries]
    return [pushing.due, pushing.since, pushing.piled, tries]


def _read_pushing(given: list[Any]) -> tuple[Pushing, dict[int, Tries]]:
    *plain, tries = given
    pushing, of_seq = Pushing(*plain), dict[int, Tries]()
    for *fields_, seqs in tries:
        pushing.tries.append(one := Tries(*fields_))
        one.left = 0  # again, as the entries are put back
        of_seq |= dict.fromkeys(seqs, one)
    return pushing, of_seq


def _read_seat(given: list[Any], once: dict[Any, Any]) -> Seat:
    """A seat; `once` has the entries, their numbers and instants, each kept once."""
    entries, given[_OWED] = given[_OWED], None
    given[_CHARGES], given[_SENDS] = tuple(given[_CHARGES]), tuple(given[_SENDS])
    if given[_OPEN] is not None:
        given[_OPEN] = OpenWake(*given[_OPEN])
    of_seq: dict[int, Tries] = {}
    if given[_PUSHING] is not None:
        given[_PUSHING], of_seq = _read_pushing(given[_PUSHING])
    for place in _COUNTED:  # again, as the entries are put back
        given[place] = 0
    seat = Seat.of(given)
    if entries:
        lanes: dict[str, list[Entry]] = {}
        for written in entries:
            lane, entry = _read_owed(written, once)
            tries = of_seq.get(entry.seq)
            read = entry if tries is None else entry._replace(push=tries)
            lanes.setdefault(lane, []).append(read)
        for lane, every in lanes.items():
            seat.put(lane, every)
    return seat


def _room(room: RoomState) -> dict[str, Any]:
    return {
        "room": [getattr(room, name) for name in _ROOM],
        "planned": _planned(room),
        **({} if room.memory is None else {"memory": _memory(room.memory)}),
        **({} if room.team is None else {"team": _team(room.team)}),
        **({} if room.coming is None else {"coming": _coming(room.coming)}),
        "policy": room.policy.recorded(),
        "seats": [_seat(seat) for seat in room.seats.values()],
        "members": [_MEMBERSHIP(one) for one in room.members.values()],
        **{name: list(getattr(room, name)) for name in _SETS},
    }


def _read_room(given: Mapping[str, Any]) -> RoomState:
    room = RoomState(
        **dict(zip(_ROOM, given["room"], strict=True)),
        **_read_planned(given["planned"]),
        memory=_read_memory(given["memory"]) if "memory" in given else None,
        team=_read_team(given["team"]) if "team" in given else None,
        coming=_read_coming(given["coming"]) if "coming" in given else None,
        policy=RoomPolicy.from_record(given["policy"]),
    )
    once: dict[Any, Any] = {}
    for written in given["seats"]:
        seat = _read_seat(written, once)
        room.seats[seat.conversation] = seat
        room.count_person(seat)
        if seat.next is not None:
            room.agenda.append((seat.next, seat.conversation))
    heapify(room.agenda)
    for written in given["members"]:
        room.put_member(Membership(*written))
    # The names of the seats themselves: each text is kept once.
    sets = {
        name: {room.seats[one].conversation: None for one in given[name]}
        for name in _SETS
    }
    room.follow(sets["following"])
    room.hearing_all, room.takeable = sets["hearing_all"], sets["takeable"]
    return room


def _planned(room: RoomState) -> list[Any]:
    activity, floor = room.activity, room.floor
    going = None if activity is None else list(_ACTIVITY(activity))
    if going is not None:
        going[_TURNS] = [_TURN(turn) for turn in going[_TURNS]]
    openers = [_OPENER(one) for one in room.openers]
    held = None if floor is None else _FLOOR(floor)
    told = [list(map(list, each.items())) for each in (room.spoken, room.pairs)]
    return [going, held, openers, *told]


def _read_planned(given: list[Any]) -> dict[str, Any]:
    going, held, waiting, said, woken = given
    if going is not None:
        going[_TURNS] = [HadTurn(*_tuples(turn)) for turn in going[_TURNS]]
        going = Activity(*_tuples(going, _CASTS))
    floor = None if held is None else Floor(*_tuples(held))
    openers = [Opener(*_tuples(one)) for one in waiting]
    spoken = {one: (first, last) for one, (first, last) in said}
    pairs = {pair: tuple(instants) for pair, instants in woken}
    planned = {"activity": going, "floor": floor, "openers": openers}
    return {**planned, "spoken": spoken, "pairs": pairs}


def _memory(memory: MemoryState) -> list[Any]:
    fragments = [list(_FRAGMENT(one)) for one in memory.fragments.values()]
    entries = [list(_ENTRY_KEPT(one)) for one in memory.entries.values()]
    return [*(getattr(memory, name) for name in _MEMORY), fragments, entries]


def _read_memory(given: list[Any]) -> MemoryState:
    *plain, fragments, entries = given
    return MemoryState(
        **dict(zip(_MEMORY, plain, strict=True)),
        fragments={one[0]: FragmentState(*one) for one in fragments},
        entries={one[0]: EntryState(*one) for one in entries},
    )


def _team(team: TeamState) -> list[Any]:
    """A team's state; each part of it under its key again when it is read."""
    return [
        [getattr(team, name) for name in _TEAM],
        team.limits.recorded(),
        [_MEMBER(one) for one in team.members.values()],
        [_CHANGE(one) for one in team.changes.values()],
        [_APPROVAL(one) for one in team.approvals.values()],
        _claims(team.claims),
        [
            [_WORK_ITEM(one) for one in team.produced.work.values()],
            [_ARTIFACT(one) for one in team.produced.artifacts.values()],
            team.produced.note,
        ],
        [_QUESTION(one) for one in team.questions.values()],
    ]


def _claims(claims: ClaimsState) -> list[Any]:
    held = [_CLAIM(one) for each in claims.held.values() for one in each.values()]
    return [held, [_CLAIM(one) for one in claims.released]]


def _read_claims(given: list[Any]) -> ClaimsState:
    held, released = given
    claims = ClaimsState(released=[ClaimState(*one) for one in released])
    for one in held:
        claims.hold(ClaimState(*one))
    return claims


def _read_produced(given: list[Any]) -> ProducedState:
    work, artifacts, note = given
    return ProducedState(
        {one[0]: WorkItemState(*_tuples(one)) for one in work},
        {one[0]: ArtifactState(*_tuples(one)) for one in artifacts},
        note,
    )


def _read_team(given: list[Any]) -> TeamState:
    plain, limits, members, changes, approvals, claims, produced, questions = given
    return TeamState(
        **dict(zip(_TEAM, _tuples(plain), strict=True)),
        limits=TeamLimits.from_record(limits),
        members={one[0]: MemberState(*_tuples(one)) for one in members},
        changes={one[0]: ChangeState(*one) for one in changes},
        approvals={one[0]: ApprovalState(*one) for one in approvals},
        claims=_read_claims(claims),
        produced=_read_produced(produced),
        questions={one[0]: _read_question(one) for one in questions},
    )


def _read_question(given: list[Any]) -> QuestionState:
    version, seq, asker, to, reminded = given
    pairs = tuple((key, turns) for key, turns in reminded)
    return QuestionState(version, seq, asker, tuple(to), pairs)


def _coming(coming: Coming) -> list[Any]:
    return [_WAITING(one) for one in coming.waiting.values()]


def _read_coming(given: list[Any]) -> Coming:
    coming = Coming()
    for *plain, reached, lost in given:
        pairs = [tuple(map(tuple, each)) for each in (reached, lost)]
        coming.accept(Waiting(*plain, *pairs))
    return coming


def _tuples(given: list[Any], places: tuple[int, ...] | None = None) -> list[Any]:
    """A value's fields, those that are tuples (all lists, or those at some places)."""
    return [
        tuple(one) if type(one) is list and (places is None or place in places) else one
        for place, one in enumerate(given)
    ]


def _lobby(lobby: LobbyState) -> dict[str, Any]:
    return {
        "lobby": [lobby.version, lobby.at],
        "agents": [_entry(agent) for agent in lobby.agents.values()],
        "persons": list(lobby.persons.values()),
        "rooms": lobby.rooms,
        "listed": lobby.listed,
        "shelved": list(lobby.shelved),
        "tokens": [[key, *token] for key, token in lobby.tokens.items()],
        "restart": None if lobby.restart is None else _RESTART(lobby.restart),
    }


def _entry(one: AgentEntry) -> list[Any]:
    may = None if one.may == Permissions() else _MAY(one.may)
    named = [one.agent, one.threaded, one.owner, one.conversation]
    return [*named, may, one.described, one.tasked, one.paused_until]


def _read_entry(given: list[Any]) -> AgentEntry:
    agent, threaded, owner, conversation, may, *rest = given
    permitted = Permissions() if may is None else Permissions(*_tuples(may))
    return AgentEntry(agent, threaded, owner, conversation, permitted, *rest)


def _read_lobby(given: Mapping[str, Any]) -> LobbyState:
    version, at = given["lobby"]
    lobby = LobbyState(
        version,
        at,
        persons={name_key(person): person for person in given["persons"]},
        rooms=dict(given["rooms"]),
        listed=dict(given["listed"]),
        shelved=dict.fromkeys(given["shelved"]),
    )
    for written in given["agents"]:
        lobby.put(_read_entry(written))
    for key, subject, digest in given["tokens"]:
        lobby.tokens[key] = (subject, digest)
        lobby.tokens_of[subject] = key
    if given["restart"] is not None:
        lobby.restart = Restart(*given["restart"])
    return lobby


def _agent(agent: AgentState) -> dict[str, Any]:
    return {
        "agent": [agent.version, agent.at, agent.hive],
        "talks": [_talk(talk) for talk in agent.talks.values()],
        "labels": agent.labels,
        "threads": agent.threads,
        **({} if agent.statuses == _SILENT else {"statuses": _statuses(agent)}),
        **({"work": _work(agent)} if agent.work.known else {}),
        **({} if agent.notified == _UNSENT else {"notified": _notified(agent)}),
        **({"schedules": _schedules(agent)} if agent.schedules else {}),
    }


def _talk(talk: Talk) -> list[Any]:
    written = list(_TALK(talk))
    written[_BOUND] = None if talk.runtime is None else _RUNTIME(talk.runtime)
    return written


def _read_talk(given: list[Any]) -> Talk:
    bound, given[_BOUND] = given[_BOUND], None
    talk = Talk(*given)
    talk.retired = tuple(talk.retired)
    talk.runtime = None if bound is None else Runtime(*bound)
    return talk


def _work(agent: AgentState) -> list[Any]:
    return [[one, *_WORK(work)] for one, work in agent.work.known.items()]


def _read_work(given: list[Any]) -> WorkState:
    state = WorkState()
    for one, *written in given:
        written[_RUNNING] = tuple(tuple(each) for each in written[_RUNNING])
        state.put(one, Work(*written))
    return state


def _notified(agent: AgentState) -> list[Any]:
    sent = [[version, *_SENT(one)] for version, one in agent.notified.sent.items()]
    state = agent.notified
    owing = [[one, *_OWING(each)] for one, each in state.owing.items()]
    return [state.instants, sent, owing, state.receipts_at]


def _read_notified(given: list[Any]) -> Notified:
    instants, sent, owing, receipts_at = given
    return Notified(
        tuple(instants),
        {version: Sent(*one) for version, *one in sent},
        {one: Owing(since, list(map(tuple, each))) for one, since, each in owing},
        receipts_at,
    )


def _schedules(agent: AgentState) -> list[Any]:
    return [list(_SCHEDULE(one)) for one in agent.schedules.values()]


def _read_schedules(given: list[Any]) -> dict[str, ScheduleState]:
    return {one[0]: ScheduleState(*_tuples(one)) for one in given}


def _statuses(agent: AgentState) -> list[Any]:
    said = (agent.statuses.lines, agent.statuses.requests)
    return [[[one, *_LINE(line)] for one, line in each.items()] for each in said]


def _read_statuses(given: list[Any]) -> StatusState:
    lines, requests = (
        {one: Line(*line) for one, *line in written} for written in given
    )
    return StatusState(lines, requests)


def _read_agent(given: Mapping[str, Any]) -> AgentState:
    version, at, hive = given["agent"]
    talks = [_read_talk(written) for written in given["talks"]]
    agent = AgentState(
        version,
        at,
        {talk.id: talk for talk in talks},
        dict(given["labels"]),
        dict(given["threads"]),
        hive,
        _read_statuses(given.get("statuses", ([], []))),
        work=_read_work(given.get("work", [])),
        notified=_read_notified(given.get("notified", ([], [], [], None))),
        schedules=_read_schedules(given.get("schedules", [])),
    )
    for talk in talks:
        agent.note_runtime(talk)
    return agent


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
