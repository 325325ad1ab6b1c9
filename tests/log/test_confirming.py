"""Several conversations of one agent do not wake by accident (G-CONFIRM)."""

from __future__ import annotations

import pytest

from log.room import Room, room
from rooms.errors import ConfirmAllThreads
from rooms.policy import RoomPolicy


def refused(hall: Room, by: str, *to: str) -> ConfirmAllThreads:
    before = hall.state.version
    with pytest.raises(ConfirmAllThreads) as refusal:
        hall.post(by, *to)
    assert hall.state.version == before
    return refusal.value


@pytest.mark.rule("G-CONFIRM-01", "G-CONFIRM-03", "G-CONFIRM-04", "G-CONFIRM-05")
def test_seats_are_counted_for_each_agent_and_only_those_that_would_wake() -> None:
    # The second of the eight subtlest rules.
    hall = room("ops-bot", "Eve/a", "Gennie/a")
    hall.join("Eve/n1", "next_turn")
    hall.join("Eve/n2", "next_turn")

    assert hall.post("ops-bot", "all", at=1).ready == ["Eve/a", "Gennie/a"]

    hall.join("Eve/b", at=2)
    preview = refused(hall, "ops-bot", "all").preview

    assert (preview["agent"], preview["count"]) == ("Eve", 2)
    assert preview["told_later"] == ["agent:Eve/n1", "agent:Eve/n2"]
    post = hall.post("ops-bot", "all", confirm=True, at=3)
    assert post.ready == ["Eve/a", "Gennie/a", "Eve/b"]
    assert post.riders == ["Eve/n1", "Eve/n2"]


@pytest.mark.rule("G-CONFIRM-02")
def test_the_refusal_says_that_nothing_was_sent_to_how_many_and_what_else() -> None:
    hall = room("ops-bot", "Eve/a", "Eve/b")

    refusal = refused(hall, "ops-bot", "agent:Eve/all")

    assert str(refusal).startswith("nothing was sent: it would wake 2 ")
    assert refusal.preview["waking"] == ["agent:Eve/a", "agent:Eve/b"]
    one, new, everybody = refusal.preview["instead"]
    assert one in refusal.preview["waking"]
    assert (new, everybody) == ("agent:Eve/new", "room")
    for place, instead in enumerate((one, new, everybody), 1):
        hall.post("ops-bot", instead, at=place)
    assert hall.state.seq == 3


@pytest.mark.rule("G-CONFIRM-05")
def test_the_senders_own_conversation_is_not_counted() -> None:
    hall = room("Eve/a", "Eve/b")

    assert hall.post("Eve/a", "agent:Eve/all", at=1).ready == ["Eve/b"]


@pytest.mark.rule("G-CONFIRM-06")
def test_a_digest_counts_as_woken() -> None:
    hall = room("ben", "Eve/a")
    hall.join("Eve/b", "digest")

    assert refused(hall, "ben", "agent:Eve/all").preview["count"] == 2


@pytest.mark.rule("G-CONFIRM-07")
def test_each_try_is_checked_against_the_seats_of_its_moment() -> None:
    hall = room("ben", "Eve/a", "Eve/b")
    refused(hall, "ben", "agent:Eve/all")

    hall.leave("Eve/b", at=1)
    assert hall.post("ben", "agent:Eve/all", at=2).ready == ["Eve/a"]

    hall.join("Eve/c", at=3)
    post = hall.post("ben", "agent:Eve/all", at=4, confirm=True)
    assert post.ready == ["Eve/a", "Eve/c"]


@pytest.mark.rule("G-CONFIRM-01")
def test_one_named_beside_the_group_is_in_its_wake_set_all_the_same() -> None:
    hall = room("ben", "Eve/a", "Eve/b")

    refusal = refused(hall, "ben", "agent:Eve/all", "agent:Eve/a")

    assert refusal.preview["count"] == 2


def test_each_named_by_its_label_needs_no_confirmation() -> None:
    hall = room("ben", "Eve/a", "Eve/b")

    post = hall.post("ben", "agent:Eve/a", "agent:Eve/b", at=1)

    assert post.ready == ["Eve/a", "Eve/b"]


@pytest.mark.rule("G-CONFIRM-05")
def test_where_the_hop_guard_lets_nobody_wake_there_is_nothing_to_confirm() -> None:
    hall = room("ben", "Eve/a", "Eve/b", policy=RoomPolicy(max_hops=1))
    hall.post("ops", "agent:ben", at=1)
    hall.turn("ben", at=2)

    assert hall.post("ben", "agent:Eve/all", at=3).riders == ["Eve/a", "Eve/b"]
