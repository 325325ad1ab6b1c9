"""
Preparing: a draft made from a problem, and changed by an instruction.

Law: a planner is asked with no lock held, and what it answers is within what the person
allows before it is recorded (S-PROPOSAL-03, S-PROPOSAL-07).
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms import presets
from rooms.errors import InvalidInput, RoomsError
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.recording.streams import LOBBY, room_stream
from rooms.lobby.team.authority import Word
from rooms.lobby.team.ending import places_of
from rooms.lobby.team.hosting import MemberPlace, release_member
from rooms.lobby.team.records import blueprint_of, envelope_of, problem_of
from rooms.lobby.team.stepping import step
from rooms.log import rooms
from rooms.log.access import INVITE_ONLY
from rooms.log.directory import RoomListed
from rooms.log.events import Event, Fact
from rooms.log.rooms import ROOM_ID_PREFIX, RoomCreated
from rooms.log.state import RoomState
from rooms.log.team import lifecycle
from rooms.policy import RoomPolicy
from rooms.team import (
    Asked,
    Blueprint,
    Catalogue,
    Envelope,
    Questions,
    drawn,
    proposed,
)

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["adjust", "prepare"]

_NAME = 120


def prepare(
    desk: Desk,
    problem: Any,
    plan: Any,
    *,
    word: Word,
    allow: Any,
    catalogue: Catalogue,
    policy: RoomPolicy | None,
    request_id: str | None,
    now: datetime | None,
) -> str | Questions:
    """As `Teams.prepare`, which documents it; the room's id."""
    lifecycle.check_problem(problem)
    envelope = Envelope() if allow is None else allow
    if not isinstance(envelope, Envelope):
        kind = type(allow).__name__
        raise InvalidInput("allow", f"is of type {kind}", allowed="an Envelope")
    chosen = _policy(policy)
    asked = fingerprint("team", problem, envelope.recorded(), envelope.chat)
    request = Request.of(word.actor, "prepare_team", request_id, asked)
    with desk.lock:
        answered = request.answered(desk)
    if answered:
        return _room_of(answered[0])
    answer = drawn(plan, Asked(problem), envelope=envelope, catalogue=catalogue)
    if isinstance(answer, Questions):
        return answer
    proposal = proposed(answer, envelope, catalogue)
    room = desk.ids(ROOM_ID_PREFIX.rstrip("_"))
    name = _name(proposal.blueprint)

    def decide(_: int) -> Decision:
        answered[:] = request.answered(desk)
        if answered:
            return Decision()
        created: Sequence[Event] = rooms.create(
            room,
            name,
            access=INVITE_ONLY,
            policy=chosen,
            owner=word.person,
            by=word.actor,
        )
        drafted = lifecycle.prepare(proposal, envelope, problem)
        listed: list[Event] = [RoomListed(room, INVITE_ONLY, name)]
        return Decision(
            {room_stream(room): [*created, *drafted], LOBBY: listed}, add=request.keys
        )

    desk.record(decide, LOBBY, by=word.actor, now=now)
    return _room_of(answered[0]) if answered else room


def _room_of(fact: Fact) -> str:
    event = fact.event
    assert isinstance(event, RoomCreated)  # noqa: S101 - a preparation makes one
    return event.room


def _policy(given: Any) -> RoomPolicy:
    policy = presets.team() if given is None else given
    named = ("managed", "fixed")
    if (
        not isinstance(policy, RoomPolicy)
        or (policy.lifecycle, policy.membership) != named
    ):
        raise InvalidInput(
            "policy",
            "is not that of a team",
            allowed="such as `presets.team()`, with options of its own",
        )
    return policy


def _name(blueprint: Blueprint) -> str:
    """What the room is called: the title in one line."""
    line = " ".join(blueprint.title.split())
    shown = "".join(one for one in line if one.isprintable())[:_NAME].strip()
    return shown if shown and not shown.startswith(ROOM_ID_PREFIX) else "team"


def adjust(
    desk: Desk,
    room: str,
    instruction: Any,
    plan: Any,
    *,
    word: Word,
    catalogue: Catalogue,
    now: datetime | None,
) -> Questions | None:
    """As `Team.adjust`, which documents it; what the planner asks, if it does."""
    lifecycle.check_text("instruction", instruction, empty=False)
    moved = step(
        desk,
        room,
        lifecycle.adjust,
        by=word.actor,
        now=now,
        consents=word.consents,
    )
    since = moved.facts[0].version
    with desk.lock:
        places = places_of(desk, desk.room(room))  # of a team that was ready
    try:
        with desk.lock:
            state = desk.room(room)
            envelope = envelope_of(desk, state)
            asked = Asked(
                problem_of(desk, state), blueprint_of(desk, state), instruction
            )
        answer = drawn(plan, asked, envelope=envelope, catalogue=catalogue)
        found = answer if isinstance(answer, Questions) else None
        proposal = (
            None
            if isinstance(answer, Questions)
            else proposed(answer, envelope, catalogue)
        )
    except BaseException:  # a planner may raise anything; the draft is as it was
        with suppress(RoomsError):
            _adjusted(desk, room, since, None, Envelope(), word=word, now=now)
            _give_back(desk, places)
        raise
    _adjusted(
        desk, room, since, proposal, envelope, word=word, now=now, why=instruction
    )
    _give_back(desk, places)
    return found


def _give_back(desk: Desk, places: Sequence[MemberPlace]) -> None:
    for one in places:
        release_member(desk, one, keep=False)


def _adjusted(
    desk: Desk,
    room: str,
    since: int,
    proposal: Any,
    envelope: Envelope,
    *,
    word: Word,
    now: datetime | None,
    why: str = "",
) -> None:
    def decide(state: RoomState) -> list[Event]:
        return lifecycle.adjusted(state, since, proposal, envelope, instruction=why)

    step(desk, room, decide, by=word.actor, now=now, consents=word.consents)
