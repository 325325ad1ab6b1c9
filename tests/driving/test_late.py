"""Late answers: when they are asked about, how they end, what withdraws them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from driving.scene import Scene
from rooms import InvalidInput
from rooms.driving import (
    ContinuityStore,
    InactivityClock,
    LateAnswers,
    LateEnd,
    Peer,
    Pending,
    Thread,
    TurnFailed,
    View,
    post_late_answer,
)

PEER = Peer("https://proto.example")
T0 = datetime(2026, 3, 2, 12, tzinfo=UTC)


def at(seconds: float) -> datetime:
    return T0 + timedelta(seconds=seconds)


def begun(late: LateAnswers, task: str = "task-1", **where: Any) -> Pending:
    given = {"thread": "t", "member": "proto", **where}
    return late.begin(given["thread"], given["member"], task, PEER, now=T0)


def polls(late: LateAnswers, poll: Any, until: float) -> tuple[list[float], Any]:
    """The instants at which it is asked about, and how it ended."""
    instants: list[float] = []
    while (when := late.next_deadline()) is not None and when <= at(until):
        [due] = late.due(when)
        instants.append((when - T0).total_seconds())
        end = late.polled(due, poll, now=when)
        if end is not None:
            return instants, end
    return instants, None


@pytest.mark.rule("R-LATE-02")
def test_the_first_look_is_after_two_seconds_and_pauses_grow_to_thirty() -> None:
    late = LateAnswers()
    begun(late)

    instants, _ = polls(late, "working", 160)

    pauses = [b - a for a, b in zip([0.0, *instants], instants, strict=False)]
    expected = [2, 3, 4.5, 6.75, 10.125, 15.1875, 22.78125, 30, 30, 30]
    assert pauses[:10] == pytest.approx(expected)


@pytest.mark.rule("R-LATE-03")
def test_it_is_given_up_after_an_hour_or_eight_failed_polls_in_a_row() -> None:
    late = LateAnswers()
    begun(late)
    instants, end = polls(late, "working", 9_999)
    assert end.ended == "gave_up"
    assert 3_600 <= instants[-1] < 3_630

    begun(late)
    instants, end = polls(late, "unreachable", 9_999)
    assert (len(instants), end.ended) == (8, "gave_up")

    begun(late)
    for number in range(20):  # a good poll begins the count anew
        when = late.next_deadline()
        assert when is not None
        [due] = late.due(when)
        answer: Any = "working" if number % 7 == 6 else "unreachable"
        assert late.polled(due, answer, now=when) is None


@pytest.mark.rule("R-LATE-05")
def test_a_task_that_the_peer_forgot_ends_quietly() -> None:
    late = LateAnswers()
    pending = begun(late)

    assert late.polled(pending, "unknown", now=at(2)) is None
    assert (late.pending("t", "proto"), late.next_deadline()) == (None, None)


@pytest.mark.rule("R-LATE-07")
@pytest.mark.parametrize(
    "withdrawn",
    [{"thread": "t"}, {"member": "proto"}, {"thread": "t", "member": "proto"}],
)
def test_what_is_withdrawn_posts_nothing_looked_at_before_and_after_a_poll(
    withdrawn: Any,
) -> None:
    late = LateAnswers()
    pending = begun(late)
    other = begun(late, thread="u", member="docs")
    assert late.is_wanted(pending)

    late.withdraw(**withdrawn)  # while the poll is under way

    assert not late.is_wanted(pending)
    assert late.polled(pending, "answered", now=at(2), text="never") is None
    assert late.is_wanted(other)
    with pytest.raises(InvalidInput):
        late.withdraw()


@pytest.mark.rule("R-LATE-08", "R-LATE-13")
def test_a_task_has_one_poller_and_a_newer_one_takes_its_place() -> None:
    late = LateAnswers()
    first = begun(late)
    assert begun(late) is first

    newer = begun(late, "task-2")

    assert late.polled(first, "answered", now=at(2), text="old") is None
    end = late.polled(newer, "answered", now=at(2), text="new")
    assert end is not None
    assert end.text == "new"


@pytest.mark.rule("R-LATE-09")
def test_a_restart_ends_them_all() -> None:
    late = LateAnswers()
    begun(late)

    assert late.waiting("t") == ("proto",)
    assert LateAnswers().waiting("t") == ()


@pytest.mark.rule("R-LATE-10")
def test_in_incognito_the_lead_is_not_woken() -> None:
    for incognito in (False, True):
        late = LateAnswers(incognito=incognito)
        end = late.polled(begun(late), "answered", now=at(2), text="A")
        assert end is not None
        assert end.wakes_lead is not incognito


@pytest.mark.rule("R-LATE-01", "R-LATE-04", "R-LATE-06", "R-CATCHUP-13")
def test_an_answer_is_the_members_own_message_and_enters_no_round(
    scene: Scene,
) -> None:
    room = scene.room("thread", "proto", "docs")
    scene.ask(room, "@proto @docs q")
    driven = scene.drive(
        room, proto=TurnFailed("still working", pending="task-1"), docs="A"
    )
    late = LateAnswers()
    [gave_up] = [one for one in driven.turns if one.pending]
    pending = begun(late, gave_up.pending)
    scene.ask(room, "@docs and now?")

    end = late.polled(pending, "answered", now=at(2), text="@docs At last.")
    assert end is not None
    message = post_late_answer(room, gave_up.conversation, end)

    assert message is not None
    assert (message.sender, message.late) == (gave_up.conversation, True)
    assert scene.drive(room, docs="B").reason == "settled"
    assert [name for name, _ in scene.asked].count("proto") == 1
    scene.ask(room, "@proto more")
    seen: list[str] = []

    def look(view: View) -> str:
        seen.extend(one.content for one in view.missed)
        return "yes"

    scene.drive(room, proto=look)
    assert seen == ["B"]  # what landed since its late answer


@pytest.mark.rule("R-LATE-04", "R-KEY-10")
def test_a_failure_is_posted_as_one_and_a_question_is_the_leads(scene: Scene) -> None:
    room = scene.room("thread", "proto")
    proto = scene.lobby.agent("proto").conversation()
    late = LateAnswers()

    failed = late.polled(begun(late), "failed", now=at(2), text="it broke")
    assert failed is not None
    message = post_late_answer(room, proto, failed)
    assert message is not None
    assert (message.late, message.failed) == (True, True)

    asked = late.polled(begun(late), "question", now=at(2), text="Which?", handle="h-1")
    assert asked is not None
    assert post_late_answer(room, proto, asked) is None
    assert (asked.text, asked.handle, asked.wakes_lead) == ("Which?", "h-1", True)


@pytest.mark.rule("R-LATE-12")
def test_a_delegation_that_is_given_up_is_told_so_too(scene: Scene) -> None:
    room = scene.room("thread", "proto", "lead", lead="lead")
    lead = scene.lobby.agent("lead").conversation()
    speak = scene.says(proto=TurnFailed("still working", pending="task-1"))

    answer = Thread(room).address("@proto go", by=lead, speak=speak)

    assert [note.kind for note in answer.notes] == ["waiting"]


def test_the_mark_of_a_task_is_that_of_its_exchange() -> None:
    store, late = ContinuityStore(), LateAnswers()
    store.after("t", "proto", PEER, "working")

    pending = late.begin(
        "t", "proto", "task-1", PEER, now=T0, mark=store.mark("t", "proto")
    )
    end = late.polled(pending, "answered", now=at(2), text="A")

    assert isinstance(end, LateEnd)
    assert store.restore("t", "proto", PEER, "ctx", mark=end.pending.mark)


@pytest.mark.rule("R-FAIL-04")
def test_no_progress_is_counted_from_the_last_change() -> None:
    clock = InactivityClock(timedelta(seconds=60))
    assert not clock.expired(T0)
    clock.seen(("working", "step 1"), at(0))
    for second in range(10, 60, 10):
        clock.seen(("working", "step 1"), at(second))  # the same again is no change
    assert not clock.expired(at(59))
    assert clock.expired(at(60))

    clock.seen(("working", "step 2"), at(61))

    assert not clock.expired(at(120))
    assert clock.expired(at(121))
