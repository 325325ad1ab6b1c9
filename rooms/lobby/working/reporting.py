"""
Reporting: whoever runs a conversation says when its turns start and stop.

Two laws. It needs no claim, as it says what is so and not what is to be done
(L-ACT-01). And what is shown is so only while somebody runs the conversation
(L-ACT-05).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from rooms import values
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream
from rooms.log import work
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = ["Work", "report_work", "running_of", "work_of"]

_NOTHING: Mapping[str, int] = MappingProxyType({})


@frozen
class Work:
    """
    Whether an agent is in a turn. It says nothing of tasks: idle is not done.

    Attributes:
        state: `working`, `idle`, or `failed` where its last turn failed.
        since: Since when, UTC.
        running: What its last stop said runs on by itself, by kinds of the host's own,
            each with how many; empty while it works.

    Source: L-ACT-05, L-ACT-14.
    """

    state: Literal["working", "idle", "failed"]
    since: datetime
    running: Mapping[str, int] = field(default=_NOTHING, hash=False)


def report_work(
    desk: Desk,
    one: Conversation,
    event: Any,
    *,
    at: datetime | None,
    background_tasks: Any,
    running: Any,
    now: datetime | None,
) -> None:
    """As `Conversation.report_work`, which documents it."""
    stream = agent_stream(one.agent)
    said_at = desk.time(now) if at is None else values.micros("at", at)

    def decide(time: int) -> Decision:
        state = desk.talks(one.agent)
        reported = work.report(
            state.work.known.get(state.talk(one.id).id),
            one.id,
            event,
            at=said_at,
            tasks=background_tasks,
            running=running,
            leads=_led(desk, one.agent),
            now=time,
        )
        return Decision({stream: reported})

    desk.record(decide, stream, by=one.actor, now=now, unclaimed="allowed")


def _led(desk: Desk, agent: str) -> bool:
    """Whether there is another agent that leads; the lock is held."""
    every = desk.directory().agents.values()
    return any(
        one.may.manage_rooms and one.may.enabled and one.agent != agent for one in every
    )


def work_of(desk: Desk, agent: str, conversations: Iterable[str]) -> Work | None:
    """
    Where these conversations of an agent stand together: working while one of them
    works, since the first of these began; else as the last that stopped. The lock is
    held.
    """
    known = desk.talks(agent).work.known
    found = [known[one] for one in conversations if one in known]
    working = [one for one in found if one.state == "working"]
    stopped = [one for one in found if one.state in {"idle", "failed"}]
    if working:
        since = min(one.since for one in working)
        return Work("working", moment(since) or values.LAST)
    if not stopped:
        return None
    last = max(stopped, key=lambda one: one.since)
    state: Literal["idle", "failed"] = "failed" if last.state == "failed" else "idle"
    return Work(state, moment(last.since) or values.LAST, running_of(last))


def running_of(stopped: work.Work) -> Mapping[str, int]:
    """What runs on by itself after a stop."""
    return MappingProxyType(dict(stopped.running))
