"""
Firing: the schedules of an agent whose time has come.

Three laws. The message and the record that its slot is used are one commit, so nothing
that ends in between says it twice, or never. What cannot be said is skipped with its
reason, and the schedule goes on (L-RECUR-06). And it is decided anew each time whether
it may be said, and by whom it is heard (L-RECUR-04).
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from attrs import evolve as changed

from rooms.errors import CorruptLog, HookFailed, InvalidInput, NotFound, Refused
from rooms.lobby.posting.addressed import addresses
from rooms.lobby.posting.commanding import PostCommand
from rooms.lobby.posting.drafts import check_draft
from rooms.lobby.posting.sending import MadeMeanwhile, send_command
from rooms.lobby.recording.decisions import Consents, Decision
from rooms.lobby.recording.fence import check_enabled
from rooms.lobby.recording.streams import LOBBY, agent_stream
from rooms.log import schedules
from rooms.log.actors import SYSTEM, Actor
from rooms.log.contents import contents_of
from rooms.log.events import Event, Fact
from rooms.log.posting import AttachedFile, Comes, Draft, Meaning
from rooms.log.schedules import (
    Firing,
    ScheduleChanged,
    ScheduleCreated,
    ScheduleFired,
    ScheduleForgotten,
    ScheduleSkipped,
    ScheduleState,
)

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["command_of", "created_of", "facts_of_words", "fire_due", "forget_over"]


def fire_due(desk: Desk, agent: str, *, now: datetime | None) -> None:
    """Lets every schedule of an agent that is due by now fire, the earliest first."""
    seen: set[tuple[str, int]] = set()
    while True:
        with desk.lock:
            talks, at = desk.talks(agent), desk.time(now)
            every = [one for one in talks.schedules.values() if 0 < one.due <= at]
        fresh = [one for one in every if (one.id, one.due) not in seen]
        if not fresh:
            return
        first = min(fresh, key=lambda one: (one.due, one.created))
        seen.add((first.id, first.due))
        if first.cancelled_at:
            _forget(desk, agent, first.id, now)
        else:
            _fire(desk, agent, first, now)


def _fire(desk: Desk, agent: str, due: ScheduleState, now: datetime | None) -> None:
    """One slot of a schedule, in one commit."""
    while True:
        try:
            checked = _checked(desk, agent, due, now)
            decide = partial(_decided, desk, agent, due.id, checked)
            desk.record(decide, agent_stream(agent), by=SYSTEM, now=now)
        except MadeMeanwhile:
            continue
        return


def _checked(
    desk: Desk, agent: str, one: ScheduleState, now: datetime | None
) -> tuple[str, Consents]:
    """What the plugins that look at drafts say: the code of a refusal, or consents."""
    with desk.lock:
        slot = schedules.firing(one, desk.time(now))
    if slot is None or slot.code or not desk.hears("rooms_check_draft"):
        return "", ()
    try:
        command = _command(desk, agent, one, slot)
        actor, stream = command.actor, command.stream
        return "", check_draft(desk, stream, actor, command.decide, now)
    except (HookFailed, Refused, InvalidInput) as refusal:
        return refusal.code, ()


def _decided(
    desk: Desk, agent: str, schedule: str, checked: tuple[str, Consents], at: int
) -> Decision:
    """What a schedule comes to at its time: a message, or that there was none."""
    one = desk.talks(agent).schedules.get(schedule)
    slot = None if one is None else schedules.firing(one, at)
    if one is None or slot is None:  # somebody else was faster
        return Decision()
    refused, consents = checked
    code = slot.code or refused
    if not code:
        try:
            command = _command(desk, agent, one, slot)
            check_enabled(desk, command.actor)
            said = command.decide(at)
        except (Refused, InvalidInput) as refusal:
            code = refusal.code
        else:
            fired = _fired(desk, one, slot, command, said)
            return changed(fired, consents=consents)
    skipped = ScheduleSkipped(one.id, slot.slot, code, slot.missed, slot.next)
    return Decision({agent_stream(agent): [skipped]}, guards=(LOBBY,))


def _command(desk: Desk, agent: str, one: ScheduleState, slot: Firing) -> PostCommand:
    created, text = created_of(desk, agent, one)
    return command_of(desk, agent, created, text, slot=slot.slot)


def _fired(
    desk: Desk,
    one: ScheduleState,
    slot: Firing,
    command: PostCommand,
    said: Decision,
) -> Decision:
    """A message, with the record that it used a slot; the message comes first."""
    run = said.appends[command.stream]
    record = desk.streams.current(command.stream).version + len(run)
    fired = ScheduleFired(
        one.id, slot.slot, command.room, record, slot.missed, slot.next
    )
    stream = agent_stream(command.actor.agent)
    appends: dict[str, Sequence[Event]] = dict(said.appends)
    appends[stream] = [*appends.get(stream, ()), fired]
    every = dict.fromkeys((*said.guards, LOBBY))
    guards = tuple(name for name in every if name not in appends)
    return changed(said, appends=appends, guards=guards)


def command_of(
    desk: Desk, agent: str, created: ScheduleCreated, text: str, *, slot: int
) -> PostCommand:
    """
    The command of one message of a schedule.

    Raises:
        NotFound: `agent_not_found`; `room_not_found`.
    """
    actor = Actor("conversation", created.sender, agent, wake=created.wake)
    named = created.attachments or (("", ""),) * len(created.files)
    to = addresses(created.to, "agent") if created.room else ()
    draft = Draft(
        text,
        to,
        confirm_all_threads=True,
        files=tuple(
            AttachedFile(path, content, size, is_text, kind)
            for (path, content), (_, size, is_text), kind in zip(
                named,
                created.files,
                created.types or ("",) * len(created.files),
                strict=True,
            )
        ),
        meaning=Meaning(
            created.kind,
            created.expects_reply,
            created.urgency,
            created.correlation,
            "",
            created.structured,
            notify_when_seen=created.notify_when_seen,
        ),
        comes=Comes(slot, created.schedule, created.hops),
    )
    if not created.room:
        return send_command(desk, actor, created.to[0], draft)
    if created.room not in desk.directory().rooms:
        raise NotFound("room_not_found", "the room is gone", room=created.room)
    return PostCommand(desk, created.room, actor, created.to, (), draft, None, None)


def created_of(
    desk: Desk, agent: str, one: ScheduleState
) -> tuple[ScheduleCreated, str]:
    """How a schedule was made, and what it says now."""
    facts = facts_of_words(desk, agent, one)
    made, last = facts[-1].event, facts[0].event
    assert isinstance(made, ScheduleCreated)  # noqa: S101 - as they are read
    said: Any = last
    return made, said.text


def facts_of_words(desk: Desk, agent: str, one: ScheduleState) -> list[Fact]:
    """Every fact that holds, or held, a schedule's words, the newest first."""
    facts, version = [], one.words
    while True:
        fact = desk.fact(agent_stream(agent), version)
        event = None if fact is None else fact.event
        if fact is None or not isinstance(event, ScheduleCreated | ScheduleChanged):
            where = f"{agent_stream(agent)} {version}"
            raise CorruptLog("corrupt_log", f"{where} is no schedule", where=where)
        facts.append(fact)
        if isinstance(event, ScheduleCreated):
            return facts
        version = event.before


def forget_over(desk: Desk, agent: str, *, now: datetime | None) -> None:
    """Takes away what was cancelled more than a day ago, before a request is made."""
    with desk.lock:
        at, every = desk.time(now), desk.talks(agent).schedules.values()
        over = [one.id for one in every if one.cancelled_at and one.due <= at]
    for schedule in over:
        _forget(desk, agent, schedule, now)


def _forget(desk: Desk, agent: str, schedule: str, now: datetime | None) -> None:
    """
    Takes a schedule away that was cancelled more than a day ago: its words, its request
    and what only it carried (L-RECUR-17).
    """
    stream = agent_stream(agent)

    def decide(at: int) -> Decision:
        one = desk.talks(agent).schedules.get(schedule)
        if one is None or not one.cancelled_at or one.due > at:
            return Decision()
        facts = facts_of_words(desk, agent, one)
        holder = f"{stream} {one.created}"
        held = [key for key, _ in facts[-1].keys if desk.storage.find(key) == holder]
        contents = contents_of(facts[-1].event)

        def forget() -> None:
            desk.storage.erase(stream, [fact.version for fact in facts])
            desk.filed.forget(contents)

        gone = ScheduleForgotten(schedule, one.created)
        return Decision({stream: [gone]}, release=tuple(held), forget=forget)

    desk.record(decide, stream, by=SYSTEM, now=now)
