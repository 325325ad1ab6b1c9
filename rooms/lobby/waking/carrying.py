"""
Carrying: what can be taken is handed to the plugins that carry.

Three laws. A plugin is called with no lock held. What it does wrong is reported and
loses nothing: what it did not carry is owed again. And what nobody carried is offered
again only with something new, or as `pushing.uncarried` says.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, TypeVar

from rooms.errors import RoomsError
from rooms.lobby.answers import Report, Wake
from rooms.lobby.floors.planning import plan
from rooms.lobby.pushing.sending import send_due, send_receipts
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import agent_stream, room_stream
from rooms.lobby.runtimes.bootstraps import Bootstrap, due_bootstraps
from rooms.lobby.waking.due import tick
from rooms.lobby.waking.holding import HOLD, end_wake, facts_of, give_back
from rooms.lobby.waking.selecting import candidates
from rooms.lobby.waking.taking import take_in
from rooms.lobby.working.telling import Stops, tell_stops
from rooms.log import ledger
from rooms.log.state import Lane, RoomState

if TYPE_CHECKING:
    from rooms.hooks import HookFailure
    from rooms.lobby.desk import Desk
    from rooms.lobby.pushing.values import Push, ReceiptPush

__all__ = ["deliver"]

Told = TypeVar("Told", Bootstrap, Stops)

_AT_ONCE = 20
_NOTHING = Report()


def deliver(desk: Desk, now: datetime | None) -> Report:
    """Lets what is due happen, and hands to plugins what can be taken."""
    for room in tuple(desk.unplanned):
        plan(desk, room, now=now)
    due = tick(desk, now)
    starting = _starting(desk, due, now)
    stops = tell_stops(desk, due, now=now)
    if not desk.hands_over:
        return _NOTHING
    failures: list[HookFailure] = []
    started = _carried(desk, starting, failures)
    told = _carried(desk, stops, failures)
    pushed = _pushed(desk, due, failures, now)
    if not desk.hears("rooms_carry"):
        return Report((), (), (), tuple(failures), started, told, pushed)
    outcome: dict[str, list[Wake]] = {"delivered": [], "settled": [], "": []}
    refused: set[tuple[str, str]] = set()
    holder = desk.hand.new_holder()
    while wakes := _next(desk, refused, holder, now, failures):
        try:
            while wakes:
                said, failed = _carry(desk, wakes[0])
                failures += failed
                failed_at = desk.time(now) if failed else None
                _settle(desk, wakes[0], said, now, failed_at)
                wake = wakes.pop(0)
                outcome[said].append(wake)
                if not said or (wake.kind == "floor" and said == "delivered"):
                    refused.add((wake.room.id, wake.conversation.id))
        except BaseException:  # an interrupt too: nothing waits for a claim to end
            for wake in wakes:  # of which nobody knows whether it was told
                room, one = wake.room.id, wake.conversation
                with suppress(RoomsError):
                    give_back(desk, room, wake.id, one, holder=holder, now=now)
            raise
    return Report(
        tuple(outcome["delivered"]),
        tuple(outcome["settled"]),
        tuple(outcome[""]),
        tuple(failures),
        started,
        told,
        pushed,
    )


def _pushed(
    desk: Desk,
    agents: Sequence[str],
    failures: list[HookFailure],
    now: datetime | None,
) -> tuple[Push | ReceiptPush, ...]:
    """What is sent of inboxes and of receipts, where a plugin pushes."""
    if not desk.hears("rooms_push"):
        return ()
    receipts = send_receipts(desk, agents, now, failures)
    return (*send_due(desk, now, failures), *receipts)


def _starting(
    desk: Desk, agents: Sequence[str], now: datetime | None
) -> list[Bootstrap]:
    """The bootstraps of agents that are due, each recorded as tried."""
    starting: list[Bootstrap] = []
    for agent in agents:
        with desk.passing_over(agent_stream(agent)):
            starting += due_bootstraps(desk, agent, now=now)
    return starting


def _carried(
    desk: Desk, things: Sequence[Told], failures: list[HookFailure]
) -> tuple[Told, ...]:
    """
    What stands in no room, each recorded by now; those that a plugin took, one that
    pushes where there is any.
    """
    carried = []
    for one in things:
        assert desk.plugins is not None  # noqa: S101 - one of them carries
        if desk.hears("rooms_push"):
            outcome = desk.plugins.first("rooms_push", push=one)
        else:
            outcome = desk.plugins.first("rooms_carry", wake=one)
        failures += outcome.failures
        if outcome.answer is not None:
            carried.append(one)
    return tuple(carried)


def _next(
    desk: Desk,
    refused: set[tuple[str, str]],
    holder: str,
    now: datetime | None,
    failures: list[HookFailure],
) -> list[Wake]:
    found: list[Wake] = []
    seen: set[tuple[str, str]] = set()
    for room, names in candidates(desk, None, None, holder):
        if len(found) >= _AT_ONCE:
            break
        # One that was taken already must not be asked for again: that says it was told.
        fresh = [name for name in names if (room, name) not in seen | refused]
        fresh = [name for name in fresh if not _uncarried(desk, room, name)]
        seen.update((room, name) for name in fresh)
        if fresh:
            found += take_in(
                desk,
                room,
                fresh,
                limit=_AT_ONCE,
                hold_for=HOLD,
                holder=holder,
                now=now,
                failures=failures,
            )
    return found


def _uncarried(desk: Desk, room_id: str, name: str) -> bool:
    """
    Whether plugins were offered all that the seat has, and none carried it; or it is
    pushed, and not carried.
    """
    with desk.passing_over(room_id), desk.lock:
        room = desk.room(room_id)
        seat = room.seats.get(name)
        if room.policy.pushes is not None and desk.hears("rooms_push"):
            return True
        if seat is not None and room.is_due(seat):
            return desk.uncarried.covers(
                (room_id, f"{name} floor"), _floor_number(room)
            )
        ready = [] if seat is None else seat.entries(Lane.READY)
        if not ready or not desk.uncarried.covers((room_id, name), ready[-1].seq):
            return False
    return True


def _floor_number(room: RoomState) -> int:
    """A number that rises with each floor that is given."""
    return 0 if room.floor is None else room.floor.at


def _carry(desk: Desk, wake: Wake) -> tuple[str, Sequence[HookFailure]]:
    plugins = desk.plugins
    if plugins is None:
        return "", ()
    failures: list[HookFailure] = []
    if wake.conversation.threaded and wake.conversation.thread is None:
        failures += _start(desk, wake)
    outcome = plugins.first("rooms_carry", wake=wake)
    failures += outcome.failures
    said = "" if outcome.answer is None else str(outcome.answer.value)
    return said, failures


def _start(desk: Desk, wake: Wake) -> Sequence[HookFailure]:
    """Asks the host for the thread of a conversation that has none yet."""
    plugins = desk.plugins
    if plugins is None or not plugins.has("rooms_start_conversation"):
        return ()
    outcome = plugins.first("rooms_start_conversation", start=wake)
    if outcome.answer is None:
        return outcome.failures
    try:
        wake.conversation.bind(str(outcome.answer.value))
    except RoomsError as error:  # no thread of that name can carry it
        plugin, hook = outcome.answer.plugin, "rooms_start_conversation"
        return (*outcome.failures, plugins.reported(plugin, hook, error))
    return outcome.failures


def _settle(
    desk: Desk, wake: Wake, said: str, now: datetime | None, failed_at: int | None
) -> None:
    """Records what became of a wake that was handed out."""
    stream = room_stream(wake.room.id)
    one = wake.conversation
    key = (wake.room.id, f"{one.id} floor" if wake.kind == "floor" else one.id)
    if not said:
        if wake.kind == "floor":
            with desk.passing_over(wake.room.id), desk.lock:
                number = _floor_number(desk.room(wake.room.id))
                desk.uncarried.note(key, number, failed_at=failed_at)
        else:
            newest = wake.messages[-1].seq if wake.messages else 0
            desk.uncarried.note(key, newest, failed_at=failed_at)
        give_back(desk, wake.room.id, wake.id, one, holder=wake.holder, now=now)
        return

    desk.uncarried.forget(key)
    if wake.kind == "floor" and said == "delivered":
        return  # whoever was handed it has the turn while the claim holds

    def decide(at: int) -> Decision:
        facts = facts_of(desk, [(one.id, one.agent)], wake.holder, at, wake.hold_for)
        room, told = desk.room(wake.room.id), said == "delivered"
        events = ledger.close(room, wake.id, one.id, facts, now=at, told=told)
        return Decision({stream: events})

    end_wake(desk, wake.room.id, one, decide, now)
