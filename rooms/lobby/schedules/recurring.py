"""
Making, changing and cancelling schedules that recur.

Law: one is tried as a message at once, and recorded only if that might be sent; then it
is tried anew at each of its times (L-RECUR-04).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve as changed
from attrs import frozen

from rooms import presets, values
from rooms.errors import InvalidInput
from rooms.lobby.access.gate import enter
from rooms.lobby.contents.uploading import found, staged
from rooms.lobby.posting.drafts import check_draft
from rooms.lobby.posting.recipients import recipient_of
from rooms.lobby.posting.sending import MadeMeanwhile
from rooms.lobby.posting.uploading import Uploads, files_given, read_files
from rooms.lobby.recording.decisions import Consents, Decision
from rooms.lobby.recording.requests import NO_REQUEST, Request, fingerprint
from rooms.lobby.recording.streams import LOBBY, agent_stream
from rooms.lobby.schedules.firing import command_of, facts_of_words, forget_over
from rooms.lobby.schedules.whose import Whose
from rooms.log import posting, schedules
from rooms.log.actors import Actor
from rooms.log.events import Event
from rooms.log.path_keys import path_key
from rooms.log.posting import AttachedFile, Meaning, MessagePosted
from rooms.log.schedules import MISSED, ScheduleCreated, ScheduleState
from rooms.log.state import RoomState
from rooms.pacing import Recurrence

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["Asked", "cancel_schedule", "change_schedule", "create_schedule"]


@frozen
class Asked:
    """What a schedule is made of, as a caller hands it in."""

    content: str
    repeat: Recurrence
    room: Room | None
    to: Any
    missed: str
    meaning: Meaning
    attachments: Mapping[str, Any] | None
    request_id: str | None


def create_schedule(
    desk: Desk, whose: Whose, asked: Asked, *, now: datetime | None
) -> tuple[ScheduleState, bool]:
    """As `Schedules.create`, which documents it: the schedule, and if it was there."""
    actor = whose.actor
    if actor.kind != "conversation" or actor.agent != whose.agent:
        raise InvalidInput(
            "by",
            "is no conversation of the agent",
            allowed="an agent's own conversation",
            code="agent_required",
        )
    values.storable("content", asked.content)
    values.member("missed", asked.missed, MISSED)
    check_repeat(asked.repeat)
    policy = presets.broker()
    if asked.room is not None:
        policy = enter(desk, _room_id(asked.room), actor).policy
    if asked.attachments is None:
        return _create(desk, actor, asked, Uploads(), now)
    given = files_given(asked.attachments)
    posting.check_file_count(RoomState(policy=policy), None, len(given))
    with read_files(given, policy) as uploads, staged(desk, actor, uploads):
        return _create(desk, actor, asked, uploads, now)


def _room_id(given: Any) -> str:
    from rooms.lobby.room import Room  # noqa: PLC0415 - a lobby makes its rooms' handles

    if not isinstance(given, Room):
        kind = type(given).__name__
        raise InvalidInput("room", f"is of type {kind}", allowed="a Room, or None")
    return given.id


def check_repeat(given: Any) -> Recurrence:
    """A recurrence, or a refusal."""
    if not isinstance(given, Recurrence):
        kind = type(given).__name__
        raise InvalidInput("repeat", f"is of type {kind}", allowed="a Recurrence")
    return given


def _addresses(to: Any) -> tuple[str, ...]:
    if isinstance(to, str | bytes | set | frozenset) or not isinstance(to, Iterable):
        kind = type(to).__name__
        raise InvalidInput("to", f"is of type {kind}", allowed="a list of addresses")
    return tuple(
        values.storable(f"to[{place}]", str(one)) for place, one in enumerate(to)
    )


def _create(
    desk: Desk, actor: Actor, asked: Asked, uploads: Uploads, now: datetime | None
) -> tuple[ScheduleState, bool]:
    forget_over(desk, actor.agent, now=now)
    schedule, stream = desk.ids("schedule"), agent_stream(actor.agent)
    with desk.lock:
        files = found(desk, actor, uploads.files)
    if any(one.missing for one in files):
        raise posting.upload_required([one.content for one in files if one.missing])
    made = _made(desk, actor, asked, files, schedule)
    request = _request(actor, asked, made)
    keep: Callable[[], object] | None = None
    if uploads.files:
        keep = partial(uploads.keep, desk, actor)
    consents, earlier = Consents(), list[str]()

    def attempt(at: int) -> Decision:
        """The message as it would be sent now; refused where it may not be."""
        command = command_of(desk, actor.agent, made, asked.content, slot=at)
        command.actor, comes = actor, changed(command.draft.comes, hops=None)
        command.draft = changed(command.draft, comes=comes)
        return command.decide(at)

    def decide(at: int) -> Decision:
        known = _repeated(desk, request)
        earlier[:] = [known] if known else []
        if known:
            return Decision()
        every = desk.talks(actor.agent).schedules
        said = _message(attempt(at))
        schedules.check_capacity(every)
        slot = schedules.first_slot(asked.repeat, at)
        whole: Any = made  # an attrs class, by its decorator
        event = changed(whole, next=slot, hops=said.hops)
        return Decision(
            {stream: [event]},
            guards=(LOBBY,),
            add=request.keys,
            keep=keep,
            consents=consents,
        )

    while True:
        try:
            if desk.hears("rooms_check_draft"):
                with desk.lock:
                    known = _repeated(desk, request)
                if not known:
                    command = command_of(desk, actor.agent, made, asked.content, slot=1)
                    consents = check_draft(desk, command.stream, actor, attempt, now)
            committed = desk.record(decide, stream, by=actor, now=now)
        except MadeMeanwhile:
            continue
        break
    with desk.lock:
        every = desk.talks(actor.agent).schedules
        return every[earlier[0] if committed is None else schedule], committed is None


def _message(decision: Decision) -> MessagePosted:
    """The message that a decision leaves."""
    for run in decision.appends.values():
        if run and isinstance(run[-1], MessagePosted):
            return run[-1]
    raise InvalidInput("content", "would be no message")


def _made(
    desk: Desk,
    actor: Actor,
    asked: Asked,
    files: Sequence[AttachedFile],
    schedule: str,
) -> ScheduleCreated:
    repeat, meaning = asked.repeat, asked.meaning
    room = "" if asked.room is None else asked.room.id
    to = _addresses(asked.to) if room else (recipient_of(desk, asked.to).recorded,)
    types = tuple([one.kind for one in files])
    return ScheduleCreated(
        schedule,
        actor.id,
        repeat.time_zone,
        repeat.times,
        0,
        room,
        to,
        repeat.weekdays or (),
        asked.missed,
        wake=actor.wake,
        files=tuple((path_key(room, one.path), one.size, one.text) for one in files),
        types=types if any(types) else (),
        kind=meaning.kind,
        expects_reply=meaning.expects_reply,
        urgency=meaning.urgency,
        notify_when_seen=meaning.notify_when_seen,
        text=asked.content,
        attachments=tuple((one.path, one.content) for one in files),
        correlation=meaning.correlation,
        structured=meaning.fields,
    )


def _request(actor: Actor, asked: Asked, made: ScheduleCreated) -> Request:
    if asked.request_id is None:
        return NO_REQUEST
    what = [
        made.room,
        made.text,
        sorted(made.to),
        [made.time_zone, made.times, made.weekdays, made.missed],
        asked.meaning.asked(to_itself=False),
        made.attachments,
    ]
    return Request.of(actor, "schedule", asked.request_id, fingerprint(*what))


def _repeated(desk: Desk, request: Request) -> str:
    """The schedule that the same request made, or ""; the lock is held."""
    for fact in request.answered(desk):
        if isinstance(fact.event, ScheduleCreated):
            return fact.event.schedule
    return ""


def change_schedule(
    desk: Desk,
    whose: Whose,
    schedule: str,
    *,
    content: str | None,
    repeat: Recurrence | None,
    now: datetime | None,
) -> ScheduleState:
    """As `Schedules.update`, which documents it."""
    if content is not None:
        values.storable("content", content)
    if repeat is not None:
        check_repeat(repeat)
    agent, stream = whose.agent, agent_stream(whose.agent)

    def decide(at: int) -> Decision:
        one = schedules.schedule_of(desk.talks(agent).schedules, schedule)
        facts = facts_of_words(desk, agent, one)
        said: Any = facts[0].event
        text = said.text if content is None else content
        events = schedules.change(one, text, repeat=repeat, said=said.text, now=at)
        if content is not None and events:
            _check_words(desk, facts[-1].event, content)
        return Decision({stream: events}, consents=whose.consents)

    desk.record(decide, stream, by=whose.actor, now=now)
    with desk.lock:
        return schedules.schedule_of(desk.talks(agent).schedules, schedule)


def _check_words(desk: Desk, made: Event, content: str) -> None:
    """Whether its room, if it is there, takes such a text."""
    room = getattr(made, "room", "")
    if room and room in desk.directory().rooms:
        state = desk.room(room)
    else:
        state = RoomState(policy=presets.broker())
    posting.fitting(state, content)


def cancel_schedule(
    desk: Desk, whose: Whose, schedule: str, *, now: datetime | None
) -> tuple[ScheduleState, bool]:
    """As `Schedules.cancel`: the schedule, and whether it had been cancelled before."""
    agent, stream = whose.agent, agent_stream(whose.agent)

    def decide(at: int) -> Decision:
        one = schedules.schedule_of(desk.talks(agent).schedules, schedule)
        if one.cancelled_at and one.due <= at:
            raise schedules.not_found()
        return Decision(
            {stream: schedules.cancel(one, now=at)}, consents=whose.consents
        )

    committed = desk.record(decide, stream, by=whose.actor, now=now)
    with desk.lock:
        one = schedules.schedule_of(desk.talks(agent).schedules, schedule)
    return one, committed is None
