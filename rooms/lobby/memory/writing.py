"""
Writing to a room's memory: naming a curator, remembering, curating, erasing.

Law: whoever writes here also has forgotten what is past its time, so nothing has to be
woken for it (L-MEM-15).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import asdict

from rooms import values
from rooms.errors import NotFound
from rooms.lobby.access.gate import check, enter
from rooms.lobby.access.owning import check_owner
from rooms.lobby.handles import actor_of, agent_meant, conversation_of
from rooms.lobby.memory.operations import checked, version_named
from rooms.lobby.memory.reading import fact_at, fragment_of
from rooms.lobby.memory.values import Curation, Fragment
from rooms.lobby.recording.decisions import Consents, Decision
from rooms.lobby.recording.fence import Unclaimed
from rooms.lobby.recording.requests import NO_REQUEST, Request, fingerprint
from rooms.lobby.recording.streams import room_stream
from rooms.log import memory as rules
from rooms.log.actors import Actor
from rooms.log.events import Event, Fact
from rooms.log.memory import (
    Contents,
    EntryChanged,
    FragmentKept,
    FragmentSettled,
    Operation,
)
from rooms.log.memory.keeping import check_words
from rooms.log.records import record_id
from rooms.log.state import RoomState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["appoint", "curate", "erase", "fail", "remember", "tidy"]

_SUMMARY = 2_000
Deciding = Callable[[RoomState], Sequence[Event]]


def appoint(
    desk: Desk, room: str, agent: Any, *, by: Any, now: datetime | None
) -> None:
    """As `Memory.appoint`, which documents it."""
    actor = actor_of(by, desk)
    meant = None if agent is None else agent_meant(desk, agent).agent
    consents = check_owner(desk, room, actor, "appoint_curator")

    def decide(state: RoomState) -> list[Event]:
        return rules.appoint(state, meant)

    _record(desk, room, decide, actor=actor, consents=consents, now=now)


def remember(
    desk: Desk,
    room: str,
    text: Any,
    *,
    kind: Any,
    evidence: Any,
    about: Any,
    by: Any,
    request_id: str | None,
    now: datetime | None,
) -> Fragment:
    """As `Memory.remember`, which documents it."""
    desk.check_usable()
    conversation_of(by)
    actor = actor_of(by, desk)
    values.member("kind", kind, rules.KINDS)
    said = check_words("text", text)
    values.text("text", said.strip(), empty=False)
    proof = check_words("evidence", evidence)
    corrects = None if about is None else version_named(room, about, field="about")
    asked = fingerprint(room, "remember", kind, said, proof, corrects)
    request = Request.of(actor, "remember", request_id, asked)

    def decide(state: RoomState) -> list[Event]:
        return rules.remember(state, kind, said, proof, about=corrects, by=actor)

    left = _record(desk, room, decide, actor=actor, request=request, now=now)
    [kept] = [one for one in left if isinstance(one.event, FragmentKept)]
    with desk.lock:
        return fragment_of(desk, desk.room(room), kept)


def curate(
    desk: Desk,
    room: str,
    operations: Any,
    *,
    base: Any,
    summary: Any,
    by: Any,
    request_id: str | None,
    now: datetime | None,
) -> Curation:
    """As `Memory.curate`, which documents it."""
    desk.check_usable()
    actor = actor_of(by, desk)
    conversation_of(by)
    if base is not None:
        values.text("base", values.storable("base", base), empty=False)
    told = check_words("summary", summary, most=_SUMMARY)
    with desk.lock:
        kinds = {
            one.version: one.kind
            for one in rules.memory_of(check(desk, room, actor)).entries.values()
        }
    run = checked(room, operations, lambda one: kinds.get(one, ""))
    asked = fingerprint(room, "curate", base, told, [_plain(one) for one in run])
    request = Request.of(actor, "curate", request_id, asked)

    def decide(state: RoomState) -> list[Event]:
        contents = _contents(desk, state, run)
        return rules.curate(state, run, contents, base=base, summary=told, by=actor)

    repeated: list[Fact] = []
    left = _record(
        desk,
        room,
        decide,
        actor=actor,
        request=request,
        repeated=repeated,
        unclaimed="allowed",  # as whoever hands a run in may be no runtime (L-FENCE-08)
        now=now,
    )
    facts = _run_of(desk, room, left[0]) if repeated else left
    return Curation(
        record_id(room, facts[0].version),
        tuple(record_id(room, one.version) for one in facts if _is_new(one)),
        duplicate=bool(repeated),
    )


def _run_of(desk: Desk, room: str, first: Fact) -> list[Fact]:
    """A run that was recorded: its own fact, and what it did."""
    facts = [first]
    while True:
        fact = desk.fact(room_stream(room), facts[-1].version + 1)
        if fact is None or not isinstance(fact.event, EntryChanged | FragmentSettled):
            return facts
        facts.append(fact)


def fail(
    desk: Desk,
    room: str,
    why: Any,
    *,
    by: Any,
    request_id: str | None,
    now: datetime | None,
) -> None:
    """As `Memory.fail`, which documents it."""
    actor = actor_of(by, desk)
    told = check_words("why", why, most=_SUMMARY)
    asked = fingerprint(room, "fail", told)
    request = Request.of(actor, "curate", request_id, asked)

    def decide(state: RoomState) -> list[Event]:
        return rules.fail(state, told, by=actor)

    _record(
        desk,
        room,
        decide,
        actor=actor,
        request=request,
        unclaimed="allowed",
        now=now,
    )


def erase(desk: Desk, room: str, named: Any, *, by: Any, now: datetime | None) -> None:
    """As `Memory.erase`, which documents it."""
    desk.check_usable()
    actor = actor_of(by, desk)
    version = version_named(room, named, field="id")
    consents = check_owner(desk, room, actor, "erase_memory")

    def decide(state: RoomState) -> list[Event]:
        events = rules.erase(rules.memory_of(state), version)
        if not events and not _is_of_memory(desk, room, version):
            raise NotFound(
                "memory_entry_not_found",
                "id names no entry and no fragment of this room",
                field="id",
            )
        return events

    _record(desk, room, decide, actor=actor, consents=consents, now=now)


def tidy(desk: Desk, room: str, *, by: Any, now: datetime | None) -> None:
    """As `Memory.tidy`, which documents it."""
    actor = actor_of(by, desk)
    enter(desk, room, actor)
    _record(desk, room, lambda _: (), actor=actor, now=now)


def _record(
    desk: Desk,
    room: str,
    decide: Deciding,
    *,
    actor: Actor,
    now: datetime | None,
    request: Request = NO_REQUEST,
    consents: Consents = (),
    repeated: list[Fact] | None = None,
    unclaimed: Unclaimed = "refused",
) -> Sequence[Fact]:
    """Records what is decided, with what expires; or finds what the same one left."""
    stream = room_stream(room)
    answered: list[Fact] = [] if repeated is None else repeated

    def decide_all(at: int) -> Decision:
        state = check(desk, room, actor) if not consents else desk.room(room)
        answered[:] = request.answered(desk)
        if answered:
            return Decision()
        memory = rules.memory_of(state)
        decided = list(decide(state))
        every = [*decided, *rules.expired(memory, max(at, state.at))]
        words = list(rules.words_of(memory, every))

        def forget() -> None:
            desk.storage.erase(stream, words)

        return Decision(
            {stream: every},
            add=request.keys if decided else {},
            consents=consents,
            forget=forget if words else None,
        )

    if not consents:
        enter(desk, room, actor)
    committed = desk.record(decide_all, stream, by=actor, now=now, unclaimed=unclaimed)
    return answered if committed is None else committed.facts[stream]


def _contents(desk: Desk, state: RoomState, run: Sequence[Operation]) -> Contents:
    """What a run needs to know of the words that it works with."""
    memory, room = rules.memory_of(state), state.id
    touched = {one.entry for one in run if one.op in {"update", "archive"}}
    touched |= {one.into for one in run}
    entries: dict[int, EntryChanged] = {}
    for version in sorted(touched & set(memory.entries)):
        event = fact_at(desk, room, memory.entries[version].rows[-1][0]).event
        if isinstance(event, EntryChanged):
            entries[version] = event
    evidence: dict[int, tuple[str, str]] = {}
    for source in sorted({source for one in run for source in one.sources}):
        if source in memory.fragments:
            kept = fact_at(desk, room, source).event
            if isinstance(kept, FragmentKept):
                evidence[source] = kept.author, kept.evidence
    return Contents(entries, evidence)


def _plain(one: Operation) -> list[object]:
    return [
        list(value) if isinstance(value, tuple) else value
        for value in asdict(one).values()
    ]


def _is_new(fact: Fact) -> bool:
    return isinstance(fact.event, EntryChanged) and fact.event.change == "added"


def _is_of_memory(desk: Desk, room: str, version: int) -> bool:
    """Whether a record brought a fragment or an entry, also one that is gone."""
    fact = desk.fact(room_stream(room), version)
    return fact is not None and (isinstance(fact.event, FragmentKept) or _is_new(fact))
