"""
The types that users see, read by the type checker alone and never run.

Each function is a use of the public names as a user writes it; `assert_type` fails in
mypy where an answer's type is not the documented one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Literal, assert_type

import rooms
from rooms import (
    Address,
    Addressed,
    CastPlanner,
    CastReply,
    CatchUp,
    InvalidInput,
    Mentions,
    Mode,
    Plan,
    RateWindow,
    Recurrence,
    RoomEvent,
    RoomTurnPlannerProtocol,
    RoundPlan,
    RoundRobinRoomPlanner,
    Subscription,
    catch_up,
    extract_mentions,
    find_mentions,
    is_pass,
    leading_mentions,
    parse_address,
    patterns_overlap,
)
from rooms.planning import Event


class MyEvent:
    """A gateway's own event: it has what a planner reads, and more."""

    def __init__(self, speaker: str, content: str) -> None:
        self.speaker = speaker
        self.content = content
        self.round = 0
        self.passed = False
        self.channel = "general"


class AlwaysTheFirst:
    """A planner of a user's own."""

    def plan_next(
        self, roster: Sequence[str], transcript: Sequence[RoomEvent]
    ) -> str | None:
        return roster[0] if transcript else None


def drive(planner: RoomTurnPlannerProtocol) -> None:
    assert_type(planner.plan_next(["coder"], []), str | None)


def a_gateway(log: list[RoomEvent], own: tuple[MyEvent, ...]) -> None:
    planner = RoundRobinRoomPlanner(max_rounds=3, max_messages=20)
    drive(planner)
    drive(AlwaysTheFirst())
    plan = planner.plan(("coder", "reviewer"), log)
    assert_type(plan, Plan)
    assert_type(plan.speaker, str | None)
    assert_type(plan.round, int)
    assert_type(
        plan.reason,
        Literal[
            "turn", "settled", "round_cap", "message_cap", "no_person", "empty_roster"
        ],
    )
    log.append(plan.event("done", passed=False))
    assert_type(planner.plan_next(["coder"], own), str | None)
    assert_type(extract_mentions("@coder"), list[str])


def a_thread(roster: list[str]) -> None:
    addressed = leading_mentions("@proto fix it", roster)
    assert_type(addressed, Addressed)
    assert_type(addressed.names, tuple[str, ...])
    assert_type(addressed.message, str)
    rounds: list[list[CastReply]] = [[CastReply("proto", "done")]]
    plan = CastPlanner(max_rounds=3).plan_round(addressed.names, rounds)
    assert_type(plan, RoundPlan)
    assert_type(plan.speakers, tuple[str, ...])
    assert_type(plan.reason, Literal["", "settled", "capped", "exhausted"])
    assert_type(is_pass("pass"), bool)


def a_catch_up(replies: list[CastReply], events: list[RoomEvent]) -> None:
    assert_type(catch_up(replies, "proto"), CatchUp[CastReply])
    assert_type(catch_up(events, "proto").messages, tuple[RoomEvent, ...])


def a_router(text: str, roster: list[str]) -> None:
    assert_type(parse_address(text), Address)
    mentions = find_mentions(text, roster)
    assert_type(mentions, Mentions)
    assert_type(mentions.names, tuple[str, ...])
    assert_type(mentions.everyone, bool)
    assert_type(mentions.unresolved, tuple[str, ...])


def a_scheduler(now: datetime, grants: list[datetime]) -> None:
    subscription = Subscription(Mode.DIGEST, interval=timedelta(minutes=30))
    assert_type(subscription.mode, Mode)
    window = RateWindow(limit=10, period=timedelta(minutes=5))
    assert_type(window.free_at(grants, now), datetime | None)
    recurrence = Recurrence("Europe/Stockholm", ("06:41",), weekdays=("mon",))
    assert_type(recurrence.next_after(now), datetime)
    assert_type(recurrence.occurrences(now, now), Iterator[datetime])
    assert_type(patterns_overlap("src/*", "src/a.py"), bool)


def errors(error: InvalidInput) -> ValueError:
    assert_type(error.code, str)
    assert_type(error.field, str)
    return error


def attributes_of_rooms() -> None:
    assert_type(rooms.pacing.RateWindow(limit=1), RateWindow)
    assert_type(rooms.planning.MAX_ROUNDS.default, int)


def what_a_checker_refuses(events: tuple[MyEvent, ...]) -> None:
    """Each `ignore` is itself an error as soon as the call is no longer one."""
    RateWindow(limit="10")  # type: ignore[arg-type]
    RateWindow(period=300)  # type: ignore[arg-type]
    Subscription(Mode.DIGEST, interval=15)  # type: ignore[arg-type]
    Subscription("digest", tagged_only="yes")  # type: ignore[arg-type]
    Recurrence("Europe/Stockholm")  # type: ignore[call-arg]
    Recurrence("Europe/Stockholm", 641)  # type: ignore[arg-type]
    Recurrence(None, ("06:41",))  # type: ignore[arg-type]
    Address("agent", name=7)  # type: ignore[arg-type]
    parse_address(None)  # type: ignore[arg-type]
    find_mentions(None, ["a"])  # type: ignore[arg-type]
    find_mentions("@a", None)  # type: ignore[arg-type]
    catch_up([("op", "x")], "a")  # type: ignore[type-var]
    assert_type(catch_up(events, "a"), CatchUp[Event])
