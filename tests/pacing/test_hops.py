"""The hop guard."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from rooms.errors import InvalidInput
from rooms.pacing import PERSON_HOPS, hops_of_post, hops_of_wake, only_rides


def test_a_person_and_a_seat_that_took_nothing_begin_a_chain() -> None:
    assert PERSON_HOPS == 0
    assert hops_of_post(None) == 0


def test_a_seat_posts_one_hop_further_than_what_it_took() -> None:
    assert [hops_of_post(taken) for taken in (0, 1, 41)] == [1, 2, 42]


def test_a_wake_is_as_far_as_the_furthest_that_it_carries() -> None:
    assert hops_of_wake([0, 3, 1]) == 3
    assert hops_of_wake([2]) == 2
    assert hops_of_wake([]) == 0


def test_a_message_at_the_limit_only_rides() -> None:
    assert [only_rides(hops, 2) for hops in (0, 1, 2, 3)] == [False, False, True, True]
    assert [only_rides(hops, 1) for hops in (0, 1)] == [False, True]
    assert only_rides(10**9, None) is False


def test_two_agents_that_alternate_reach_the_limit() -> None:
    # F-27's talk: a person begins, then eve and ada answer each other.
    hops, woken = PERSON_HOPS, 0
    while not only_rides(hops, 4):
        woken += 1
        hops = hops_of_post(hops_of_wake([hops]))

    assert woken == 4


NO_COUNTS: list[Any] = [-1, True, 1.0, "1", b"1", object(), -(1 << 20_000)]


@pytest.mark.parametrize("place", range(len(NO_COUNTS)))
@pytest.mark.parametrize(
    ("field", "ask"),
    [
        ("taken", hops_of_post),
        ("carried[1]", lambda hostile: hops_of_wake([0, hostile])),
        ("hops", lambda hostile: only_rides(hostile, 3)),
        ("max_hops", lambda hostile: only_rides(0, hostile)),
    ],
)
def test_what_is_no_count_is_refused_by_field(
    field: str, ask: Callable[[Any], object], place: int
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        ask(NO_COUNTS[place])

    assert refusal.value.field == field


def test_a_limit_below_one_would_silence_people_and_is_refused() -> None:
    with pytest.raises(InvalidInput) as refusal:
        only_rides(0, 0)

    assert refusal.value.field == "max_hops"


@pytest.mark.parametrize("hostile", [None, 3])
def test_what_carries_nothing_countable_is_refused(hostile: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        hops_of_wake(hostile)

    assert refusal.value.field == "carried"
