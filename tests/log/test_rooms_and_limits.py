"""The room itself, what may be posted there, and how long it may be."""

from __future__ import annotations

from datetime import timedelta

import pytest

from log.room import room
from rooms.errors import InvalidInput, NotAllowed, OverLimit
from rooms.log import rooms as rooms_
from rooms.log.actors import Actor
from rooms.log.posting import MessagePosted
from rooms.log.rooms import RoomCreated
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy
from rooms.presets import hall


@pytest.mark.rule("G-ROOM-02")
def test_where_people_watch_they_neither_create_nor_post() -> None:
    with pytest.raises(NotAllowed) as refusal:
        rooms_.create(
            "room_1",
            "r",
            access="open",
            policy=hall(),
            owner="ana",
            by=Actor("person", "ana"),
        )
    assert refusal.value.code == "read_only_access"
    watched = room("eve", policy=hall())
    with pytest.raises(NotAllowed):
        watched.post("ana")
    assert watched.post("eve").seq == 1


@pytest.mark.rule("G-ROOM-06", "G-LIMIT-02")
@pytest.mark.parametrize(
    "name", ["", "  ", "room_1", "a" * 121, "two\nlines", "nul\0", "half \ud83d"]
)
def test_a_name_is_one_line_of_120_characters_and_no_id(name: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        rooms_.check_room_name(name)

    assert refusal.value.field == "name"
    assert rooms_.check_room_name("b" * 120) == "b" * 120
    assert rooms_.check_room_name("a room_ in between") == "a room_ in between"


@pytest.mark.rule("G-ROOM-07")
def test_names_are_compared_without_case_and_spacing() -> None:
    key = rooms_.room_name_key

    assert key("Orders  Migration") == key("ordersmigration")
    assert key("orders-migration") != key("ordersmigration")


def test_a_room_records_its_options_and_no_presets_name() -> None:
    [created] = rooms_.create(
        "room_1", "r", access="open", policy=hall(), owner="", by=Actor("system")
    )

    assert isinstance(created, RoomCreated)
    assert created.policy["people"] == "watch"
    assert created.policy["wake_window"] == [10, 300_000_000]
    assert RoomPolicy.from_record(created.policy) == hall()


def test_the_same_options_and_the_same_pause_are_no_change() -> None:
    made = room("eve")

    assert made.change(RoomPolicy()) == []
    assert made.pause(False) == []
    assert len(made.change(RoomPolicy(max_hops=2))) == 1
    assert made.state.policy.max_hops == 2


@pytest.mark.rule("G-LIMIT-01", "G-LIMIT-04")
def test_a_longer_message_is_cut_by_characters_and_says_so() -> None:
    made = room("eve", policy=hall())

    made.post("eve", text="ä" * 15_000)
    whole = made.facts[-1].event
    made.post("eve", text="ä" * 15_001)
    cut = made.facts[-1].event

    assert isinstance(whole, MessagePosted)
    assert isinstance(cut, MessagePosted)
    assert (len(whole.text), whole.truncated_from) == (15_000, 0)
    assert (len(cut.text), cut.truncated_from) == (15_000, 15_001)


def test_where_nothing_is_cut_a_longer_message_is_refused() -> None:
    made = room("eve", policy=RoomPolicy(max_message_chars=5))

    with pytest.raises(OverLimit) as refusal:
        made.post("eve", text="123456")

    assert refusal.value.code == "message_too_long"
    assert refusal.value.details["length"] == 6
    assert made.post("eve", text="12345").seq == 1


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_an_empty_message_is_none(text: str) -> None:
    with pytest.raises(InvalidInput) as refusal:
        room("eve").post("eve", text=text)

    assert refusal.value.code == "body_empty"


@pytest.mark.case("F-80")
def test_equal_words_are_two_messages() -> None:
    made = room("eve")

    seqs = [made.post("ops", "agent:eve", text="yes").seq for _ in range(2)]

    assert seqs == [1, 2]
    assert made.wake("eve").messages == [1, 2]


@pytest.mark.case("F-35")
def test_one_that_sends_too_much_gags_nobody_else() -> None:
    window = RateWindow(5, timedelta(minutes=1))
    made = room("eve", "ada", policy=RoomPolicy(send_window=window))
    for second in range(5):
        made.post("eve", at=second)

    with pytest.raises(OverLimit):
        made.post("eve", at=5)

    assert made.post("ada", at=6).seq == 6
