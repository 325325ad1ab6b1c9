"""
Finishing: a result is claimed, sent once, and settled.

Three laws. The claim is committed before anybody sends (S-DELIVER-08). Between the
claim and its settling the team is `completing`, and whoever finds it so sends nothing
(S-RECOVER-04). And a delivery that is not taken does not open the team again: it
completes, and the problem stands beside the result (S-DELIVER-09). Who settles it
first, whoever sends it or the person, has the word.
"""

from __future__ import annotations

from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING

from attrs import evolve

from rooms import values
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.room import Room
from rooms.lobby.team.authority import Word, member_now
from rooms.lobby.team.briefing import result_of
from rooms.lobby.team.hosting import Sending, send
from rooms.lobby.team.records import draft_of, envelope_of, event_at
from rooms.lobby.team.stepping import step
from rooms.log.actors import SYSTEM, Actor
from rooms.log.events import Event
from rooms.log.records import record_id
from rooms.log.state import RoomState
from rooms.log.team import (
    TeamFinished,
    approvals,
    delivering,
    lifecycle,
    move,
    team_of,
)
from rooms.log.team.changes import lead_only
from rooms.team import Destination
from rooms.team.delivery import CHAT

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["ask_for_delivery", "finish", "settle_completion"]


def destination_of(desk: Desk, state: RoomState) -> Destination:
    """Where a team's result goes, as its draft says."""
    params = (draft_of(desk, state).words or {}).get("params") or {}
    return Destination(team_of(state).destination, params)


def ask_for_delivery(
    desk: Desk,
    room: str,
    text: str,
    *,
    by: Actor,
    request_id: str | None,
    now: datetime | None,
) -> None:
    """As `Member.request_delivery_approval`, which documents it."""
    approvals.check_result(text)
    request = Request.of(by, "ask_delivery", request_id, fingerprint(room, text))

    def decide(state: RoomState) -> list[Event]:
        if not member_now(state, by).lead:
            raise lead_only("request_delivery_approval")
        return approvals.ask_for_delivery(state, destination_of(desk, state), text)

    step(desk, room, decide, by=by, now=now, request=request)


def finish(
    desk: Desk,
    room: str,
    text: str,
    *,
    by: Actor,
    request_id: str | None,
    now: datetime | None,
) -> None:
    """As `Member.finish`, which documents it."""
    approvals.check_result(text)
    request = Request.of(by, "finish_team", request_id, fingerprint(room, text))

    def decide(state: RoomState) -> list[Event]:
        if not member_now(state, by).lead:
            raise lead_only("finish")
        return delivering.finish(state, destination_of(desk, state), text)

    done = step(desk, room, decide, by=by, now=now, request=request)
    if done.repeated:  # it was claimed, and is never sent twice
        return
    claimed = next(one for one in done.facts if isinstance(one.event, TeamFinished))
    event = claimed.event
    assert isinstance(event, TeamFinished)  # noqa: S101 - as was asked for
    with desk.lock:
        ended = desk.room(room)
        chat = envelope_of(desk, ended).chat
        result = result_of(desk, ended, now=claimed.at)
    sending = Sending(
        Room(room, desk),
        event.destination,
        MappingProxyType(dict(event.params or {})),
        event.text,
        chat,
        record_id(room, claimed.version),
        result=result,
    )
    outcome, reference, problem = send(desk, sending)
    if chat and event.destination != CHAT:
        state = "completed" if outcome == "delivered" else f"completed, {outcome}"
        told = evolve(
            sending,
            destination=CHAT,
            params=MappingProxyType({}),
            state=state,
            problem=problem,
        )
        _, __, unheard = send(desk, told)
        problem = "; ".join(one for one in (problem, unheard) if one)
    _settle(
        desk,
        room,
        claimed.version,
        outcome,
        by=SYSTEM,
        reference=reference,
        problem=problem,
        now=now,
    )


def settle_completion(
    desk: Desk,
    room: str,
    *,
    delivered: bool,
    reference: str,
    problem: str,
    word: Word,
    now: datetime | None,
) -> None:
    """As `Team.settle_completion`, which documents it."""
    values.flag("delivered", delivered)
    lifecycle.check_text("reference", reference)
    lifecycle.check_text("problem", problem)
    with desk.lock:
        claimed = team_of(desk.room(room)).finish
    _settle(
        desk,
        room,
        claimed,
        "delivered" if delivered else "failed",
        by=word.actor,
        reference=reference,
        problem=problem,
        now=now,
    )


def _settle(
    desk: Desk,
    room: str,
    claimed: int,
    outcome: str,
    *,
    by: Actor,
    reference: str,
    problem: str,
    now: datetime | None,
) -> None:
    def decide(state: RoomState) -> list[Event]:
        team = team_of(state)
        if by is SYSTEM and team.status == "completed" and team.finish == claimed:
            return []  # a person settled it while it was being sent, and that stands
        move(state, "delivered")  # which refuses where nothing waits
        event = event_at(desk, room, claimed, TeamFinished)
        return delivering.settle(
            state,
            outcome,
            approval=event.approval,
            reference=reference[:2_000],
            problem=problem[:2_000],
        )

    step(desk, room, decide, by=by, now=now)
