"""
The loop that drives a room: take the floor, ask, record what came of it, and again.

Three laws. What is meant is recorded before a speaker is asked, and what came of it in
one commit with what was said: a crash between any two steps neither repeats a stored
turn nor loses one. The loop keeps nothing that is not stored, so any driver goes on
where another stopped. And one turn runs at a time in a room, whoever drives it: the
claim on the floor says whose it is, also between processes.

A turn that runs when its driver dies runs again, at once under the same `holder` and
else when the claim has run out; the third time in a row it counts as failed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from datetime import timedelta
from functools import partial
from typing import Any, cast

from rooms.driving.outcomes import Answer, Driven, Turned, answered, failed
from rooms.driving.speakers import Synchronous, asked, to_await
from rooms.driving.table import Table
from rooms.driving.views import View
from rooms.lobby import Conversation, Room
from rooms.lobby.floors.speaking import Idle

__all__ = ["drive", "drive_async"]

MOST_TURNS = 10_000

Turns = Generator[View, Answer, Driven]


def turns(table: Table) -> Turns:
    """The loop itself: it yields whom to ask, and is sent what came of it."""
    had: list[Turned] = []
    while len(had) < table.limit:
        turn = table.take()  # record the intent
        if isinstance(turn, Idle):  # stop, with a reason
            return Driven(tuple(had), turn.reason, turn.until, turn.problem, table.ends)
        view = table.view(turn)
        try:
            answer = yield view  # run the turn
        except BaseException:  # a cancel, from whoever drives the loop
            table.give_up(turn)
            raise
        had.append(table.record(turn, view, answer))  # record the outcome
        if answer.error is not None and table.raises:
            raise answer.error
        if had[-1].outcome == "unrecorded":
            return Driven(tuple(had), "unrecorded", ends=table.ends)
    return Driven(tuple(had), "turn_cap", ends=table.ends)


def drive(
    room: Room,
    speak: Callable[[Conversation, View], Any],
    *,
    holder: str | None = None,
    hold_for: timedelta = timedelta(minutes=15),
    limit: int = MOST_TURNS,
) -> Driven:
    """
    Drives a planned room until nobody is next.

    Args:
        room: A room whose policy names a planner.
        speak: Asks an agent: it is handed the conversation and what that is shown, and
            returns a text, or a `Reply`. What it raises is a failed turn. `by_name`
            makes one of a function for each agent.
        holder: Under which name to take turns. A driver that goes on under the name of
            one that died takes its turn back at once; two that live must not share one.
        hold_for: How long a turn may run before somebody else may go on.
        limit: At most so many turns.

    Returns:
        The turns that were run and why it stopped.

    Raises:
        InvalidInput: `invalid_request` for wrong arguments, an asynchronous `speak`.
        Exception: What `speak` raised, where the policy's `on_failure` is `raise`.

    Source: P-RUN-01, R-DISPATCH-01, R-DISPATCH-02.
    """
    table = Table(room, holder, hold_for, limit)
    loop = turns(table.checked(speak, blocking=True))
    found = _next(loop)
    while isinstance(found, View):
        try:
            answer = asked(speak, found)
        except BaseException:  # an interrupt, or no speaker at all
            loop.close()  # gives the turn back
            raise
        found = _next(loop, answer)
    return found


async def drive_async(
    room: Any,
    speak: Callable[[Conversation, View], Awaitable[Any]],
    *,
    timeout: float | None = None,  # noqa: ASYNC109 - of one turn, and not of this call
    holder: str | None = None,
    hold_for: timedelta | None = None,
    limit: int = MOST_TURNS,
) -> Driven:
    """
    As `drive`, for a coroutine function; a cancel, at any await, gives the turn back.

    Args:
        room: A room, or one of `rooms.aio`, whose worker then does what waits.
        timeout: After how many seconds a turn is cancelled and counts as timed out.
        hold_for: As of `drive`; unless given, longer than the timeout.
    """
    hold = hold_for or timedelta(minutes=15, seconds=2 * (timeout or 0))
    worker = getattr(room, "worker", None)  # of `rooms.aio`: it does what waits

    async def step(work: Callable[[], Any]) -> Any:
        return work() if worker is None else await worker.run(work)

    table = Table(getattr(room, "sync", room), holder, hold, limit)
    loop = turns(await step(partial(table.checked, speak)))
    try:
        found = await step(partial(_next, loop))
        while isinstance(found, View):
            try:
                async with asyncio.timeout(timeout):
                    coming = speak(found.conversation, found)
                    reply = await to_await(coming, instead="drive")
                answer = answered(reply, may_pass=found.may_pass)
            except Synchronous:
                raise
            except Exception as error:  # noqa: BLE001 - an agent may raise anything
                answer = failed(error)
            found = await step(partial(_next, loop, answer))
    except BaseException:  # a cancel too
        await step(loop.close)  # gives the turn back, if one runs
        raise
    return cast("Driven", found)


def _next(loop: Turns, answer: Answer | None = None) -> View | Driven:
    """Whom to ask next, or what it all came to."""
    try:
        return next(loop) if answer is None else loop.send(answer)
    except StopIteration as end:
        return cast("Driven", end.value)
