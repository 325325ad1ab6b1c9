"""A transcript in a gateway's own hands, driven without a lobby."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from rooms import InvalidInput, RoomEvent
from rooms.driving import Reply, Talk, events_of

ROSTER = ["a", "b"]


def says(**lines: Any) -> Any:
    def speak(name: str, _: Sequence[RoomEvent]) -> Any:
        line = lines[name]
        line = line.pop(0) if isinstance(line, list) else line
        if isinstance(line, Exception):
            raise line
        return line

    return speak


@pytest.mark.rule("P-RUN-01", "P-RUN-05", "P-RUN-08")
def test_a_message_is_drained_and_what_it_brought_is_returned() -> None:
    talk = Talk(ROSTER)

    produced = talk.on_message(
        "ana", "go", says(a="@b?", b=["yes", Reply(passed=True)])
    )

    assert produced == (
        RoomEvent("a", "@b?", 0, human=False),
        RoomEvent("b", "yes", 0, human=False),
        RoomEvent("b", "", 1, passed=True, human=False),
    )
    assert talk.transcript == [RoomEvent("ana", "go"), *produced]
    assert talk.reason == "settled"


@pytest.mark.rule("P-RUN-06", "P-RUN-10")
def test_what_is_not_recorded_is_not_said_and_its_turn_is_due_again() -> None:
    stored: list[RoomEvent] = []

    def record(event: RoomEvent) -> None:
        if event.speaker == "b" and len(stored) == 2:
            stored.append(event)  # it reached the disk, and the process died
            raise OSError
        stored.append(event)

    talk = Talk(ROSTER, record=record)
    with pytest.raises(OSError):
        talk.on_message("ana", "go", says(a="A", b="B"))
    assert [one.speaker for one in talk.transcript] == ["ana", "a"]

    heir = Talk(ROSTER, stored)

    assert heir.resume(says(a="never", b="never")) == ()
    assert [one.content for one in heir.transcript] == ["go", "A", "B"]
    with pytest.raises(ZeroDivisionError):
        heir.on_message("ana", "more", says(a=ZeroDivisionError()))
    assert [one.speaker for one in heir.resume(says(a="A", b="B"))] == ["a", "b"]


@pytest.mark.rule("P-RUN-02")
def test_what_comes_in_during_a_drain_is_drained_behind_it() -> None:
    talk, running = Talk(ROSTER), []

    async def speak(name: str, _: Any) -> str:
        running.append(name)
        assert len(running) == 1
        await asyncio.sleep(0)
        running.pop()
        return name

    async def both() -> Any:
        return await asyncio.gather(
            talk.on_message_async("ana", "one", speak),
            talk.on_message_async("ben", "two", speak),
        )

    first, second = asyncio.run(both(), debug=True)

    assert [one.content for one in talk.transcript] == [
        "one",
        "a",
        "b",
        "two",
        "a",
        "b",
    ]
    assert (len(first), second) == (4, ())


class Always:
    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def plan_next(self, roster: Any, transcript: Any) -> Any:
        return self.answer


@pytest.mark.rule("P-PROTO-04", "P-PROTO-05")
def test_another_planner_is_bounded_and_held_to_the_roster() -> None:
    talk = Talk(ROSTER, planner=Always("b"))

    assert len(talk.on_message("ana", "go", says(b="on"))) == 100
    assert talk.reason == "message_cap"
    with pytest.raises(InvalidInput) as refused:
        Talk(ROSTER, planner=Always("zoe")).on_message("ana", "go", says())
    assert refused.value.code == "not_on_roster"
    with pytest.raises(InvalidInput):
        Talk(ROSTER, planner=object())


@pytest.mark.parametrize("reply", [None, b"x", 5, ["a"]])
def test_what_is_no_reply_is_refused_and_appends_nothing(reply: Any) -> None:
    talk = Talk(ROSTER)

    with pytest.raises(InvalidInput):
        talk.on_message("ana", "go", lambda *_: reply)

    assert [one.speaker for one in talk.transcript] == ["ana"]


def test_a_transcript_from_elsewhere_may_have_fields_that_nobody_knows() -> None:
    rows: list[dict[str, Any]] = [
        {"speaker": "ana", "content": "go", "id": 7, "mood": {"good": True}},
        {"speaker": "a", "content": None, "round": 0, "passed": True, "tokens": 12},
    ]

    talk = Talk(ROSTER, events_of(rows))

    assert [one.speaker for one in talk.resume(says(b="B"))] == ["b"]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({}, "transcript[0].speaker"),
        ({"speaker": "a", "round": -1}, "transcript[0].round"),
        ({"speaker": "a", "content": 5}, "transcript[0].content"),
        ("ana: go", "transcript[0]"),
    ],
)
def test_what_is_no_event_is_named_by_its_place(row: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        events_of([row])

    assert refused.value.field == field


@pytest.mark.rule("P-ACTIVITY-03")
def test_a_message_opens_anew_also_where_the_last_activity_was_not_finished() -> None:
    talk = Talk(ROSTER)
    with pytest.raises(ZeroDivisionError):
        talk.on_message("ana", "one", says(a="A", b=ZeroDivisionError()))

    produced = talk.on_message("ana", "two", says(a="A", b="B"))

    assert [one.speaker for one in produced] == ["a", "b"]
    assert [one.content for one in talk.transcript] == ["one", "A", "two", "A", "B"]


def test_a_speaker_of_the_other_kind_is_told_the_call_that_takes_it() -> None:
    async def late(name: str, _: Any) -> str:
        return name

    talk, plain = Talk(ROSTER), says(a="A", b="B")
    with pytest.raises(InvalidInput, match="`on_message_async` takes it"):
        talk.on_message("ana", "go", late)
    with pytest.raises(InvalidInput, match="`on_message` takes a plain one"):
        asyncio.run(talk.resume_async(plain))

    assert [one.speaker for one in talk.resume(plain)] == ["a", "b"]
