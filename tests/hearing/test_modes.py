"""Modes and subscriptions as values."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from rooms.errors import InvalidInput
from rooms.hearing import (
    CHOICES,
    Mode,
    Subscription,
    after_posting,
    check_mode_for,
    follows,
)

WORDS = ["every_message", "when_tagged", "digest", "next_turn", "on_demand"]


@pytest.mark.rule("G-MODE-01")
def test_there_are_five_modes_and_each_is_its_word() -> None:
    assert [str(mode) for mode in Mode] == WORDS
    assert [Subscription(word).mode for word in WORDS] == list(Mode)


@pytest.mark.rule("G-MODE-05")
def test_an_interval_is_a_quarter_of_an_hour_unless_given() -> None:
    assert Subscription("digest").interval == timedelta(minutes=15)
    assert Subscription("digest").tagged_only is False


@pytest.mark.rule("G-MODE-05", "G-MODE-11")
@pytest.mark.parametrize("minutes", [1, 1440])
def test_the_bounds_of_an_interval_are_allowed(minutes: int) -> None:
    subscription = Subscription("digest", timedelta(minutes=minutes))

    assert subscription.interval == timedelta(minutes=minutes)


@pytest.mark.rule("G-MODE-11")
@pytest.mark.parametrize(
    "interval",
    [
        timedelta(0),
        timedelta(minutes=-15),
        timedelta(seconds=59, microseconds=999_999),
        timedelta(minutes=1440, microseconds=1),
        timedelta.max,
        timedelta.min,
    ],
)
@pytest.mark.parametrize("mode", WORDS)
def test_an_interval_outside_the_bounds_is_refused_not_clamped(
    interval: timedelta, mode: str
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Subscription(mode, interval)

    assert refusal.value.code == "invalid_request"
    assert refusal.value.field == "interval"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("mode", ("Digest",)),
        ("mode", ("",)),
        ("mode", ("all",)),
        ("mode", ("\ud800\0" * 1000,)),
        ("mode", (None,)),
        ("mode", (b"digest",)),
        ("interval", ("digest", 15)),
        ("interval", ("digest", None)),
        ("interval", ("digest", "15")),
        ("tagged_only", ("digest", timedelta(minutes=15), 1)),
        ("tagged_only", ("digest", timedelta(minutes=15), None)),
    ],
)
def test_what_is_no_subscription_is_refused_by_field(
    name: str, arguments: tuple[Any, ...]
) -> None:
    with pytest.raises(InvalidInput) as refusal:
        Subscription(*arguments)

    assert refusal.value.code == "invalid_request"
    assert refusal.value.field == name
    assert len(str(refusal.value)) < 400


def test_an_interval_outside_digest_is_kept_for_a_later_digest() -> None:
    hourly = Subscription("when_tagged", timedelta(hours=1), tagged_only=True)

    assert hourly.interval == timedelta(hours=1)
    assert hourly.tagged_only is True


@pytest.mark.rule("G-MODE-09")
def test_a_single_agent_may_choose_every_mode_but_next_turn() -> None:
    assert [str(mode) for mode in CHOICES[False]] == [
        "every_message",
        "when_tagged",
        "digest",
        "on_demand",
    ]
    for mode in CHOICES[False]:
        assert check_mode_for(str(mode), threaded=False) is mode
    with pytest.raises(InvalidInput) as refusal:
        check_mode_for("next_turn", threaded=False)

    assert refusal.value.field == "mode"
    assert "when_tagged" in str(refusal.value.details["allowed"])


def test_a_threaded_agent_may_choose_every_mode() -> None:
    assert [check_mode_for(word, threaded=True) for word in WORDS] == list(Mode)


def test_a_kind_of_agent_that_is_no_bool_is_refused() -> None:
    hostile: Any = "threaded"

    with pytest.raises(InvalidInput) as refusal:
        check_mode_for("digest", threaded=hostile)

    assert refusal.value.field == "threaded"


@pytest.mark.rule("G-MODE-08")
def test_on_demand_and_an_ended_subscription_do_not_follow() -> None:
    assert [follows(Subscription(word)) for word in WORDS] == [
        True,
        True,
        True,
        True,
        False,
    ]
    assert follows(None) is False


@pytest.mark.rule("G-FOLLOW-01")
def test_posting_without_following_follows_as_when_tagged() -> None:
    assert after_posting(None) == Subscription("when_tagged")


@pytest.mark.rule("G-FOLLOW-02")
def test_posting_on_demand_follows_as_when_tagged() -> None:
    assert after_posting(Subscription("on_demand")).mode is Mode.WHEN_TAGGED


@pytest.mark.rule("G-FOLLOW-01")
@pytest.mark.parametrize(
    "kept",
    [
        Subscription("every_message"),
        Subscription("when_tagged"),
        Subscription("digest", timedelta(minutes=90), tagged_only=True),
        Subscription("next_turn"),
    ],
)
def test_posting_keeps_the_mode_of_one_who_follows(kept: Subscription) -> None:
    assert after_posting(kept) == kept


@pytest.mark.parametrize("hostile", ["digest", 0, Mode.DIGEST, ()])
def test_what_is_no_subscription_neither_follows_nor_posts(hostile: Any) -> None:
    for question in (follows, after_posting):
        with pytest.raises(InvalidInput) as refusal:
            question(hostile)

        assert refusal.value.field == "subscription"
