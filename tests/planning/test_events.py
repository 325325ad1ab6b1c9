import pickle

import attrs
import pytest

from rooms.errors import InvalidInput
from rooms.planning import RoomEvent
from rooms.planning.events import speaks_for_a_person


@pytest.mark.rule("P-EVENT-01")
def test_an_event_is_a_frozen_hashable_value() -> None:
    event = RoomEvent("coder", "done", 1, True)

    assert event == RoomEvent(speaker="coder", content="done", round=1, passed=True)
    assert len({event, RoomEvent("coder", "done", 1, passed=True)}) == 1
    assert pickle.loads(pickle.dumps(event)) == event
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        event.round = 2  # type: ignore[misc]


@pytest.mark.rule("P-EVENT-01")
def test_an_event_needs_only_a_speaker() -> None:
    event = RoomEvent("coder")

    assert (event.content, event.round, event.passed, event.human) == (
        "",
        0,
        False,
        None,
    )


@pytest.mark.rule("P-EVENT-05")
@pytest.mark.parametrize(
    ("field", "event"),
    [
        ("speaker", {"speaker": ""}),
        ("speaker", {"speaker": None}),
        ("speaker", {"speaker": b"coder"}),
        ("content", {"speaker": "a", "content": None}),
        ("round", {"speaker": "a", "round": -1}),
        ("round", {"speaker": "a", "round": 1.0}),
        ("round", {"speaker": "a", "round": True}),
        ("passed", {"speaker": "a", "passed": 1}),
        ("human", {"speaker": "a", "human": "yes"}),
    ],
)
def test_an_event_that_cannot_be_is_refused(
    field: str, event: dict[str, object]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        RoomEvent(**event)  # type: ignore[arg-type]

    assert (caught.value.code, caught.value.field) == ("invalid_request", field)
    assert isinstance(caught.value, ValueError)


@pytest.mark.rule("P-EVENT-05")
@pytest.mark.parametrize("content", ["", "\x00", "\ud83d", "@" * 200_000])
def test_any_text_may_be_said(content: str) -> None:
    assert RoomEvent("a", content).content == content


@pytest.mark.rule("P-EVENT-01")
def test_a_person_is_whoever_an_event_says_or_who_is_not_on_the_roster() -> None:
    class Theirs:
        """An event that says nothing of it."""

        speaker, content, round, passed = "ana", "hm", 0, False

    roster = frozenset({"coder"})

    assert speaks_for_a_person(RoomEvent("ana"), roster) is True
    assert speaks_for_a_person(RoomEvent("coder"), roster) is False
    assert speaks_for_a_person(RoomEvent("ana", human=False), roster) is False
    assert speaks_for_a_person(RoomEvent("coder", human=True), roster) is True
    assert speaks_for_a_person(Theirs(), roster) is True
    assert speaks_for_a_person(Theirs(), {"ana"}) is False
