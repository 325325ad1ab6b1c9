"""Every rule of hearing alone, and the whole table."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from rooms.errors import InvalidInput
from rooms.hearing import RULES, Heard, Hearing, Subscription, Tag, hear

SUBSCRIPTIONS: list[Subscription | None] = [
    Subscription("every_message"),
    Subscription("when_tagged"),
    Subscription("digest"),
    Subscription("digest", timedelta(hours=2), tagged_only=True),
    Subscription("next_turn"),
    Subscription("on_demand"),
    None,
]

# From the ledger's rule 1, one row for each subscription above: direct, group, none.
EXPECTED = [
    ("now", "now", "now"),
    ("now", "now", None),
    ("digest", "digest", "digest"),
    ("digest", "digest", None),
    ("rider", "rider", "rider"),
    ("now", None, None),
    ("now", None, None),
]

# Which pairs each rule speaks for: (row of SUBSCRIPTIONS, tag).
SPEAKS_FOR = {
    "every_message": {(0, "direct"), (0, "group"), (0, "none")},
    "tagged": {(1, "direct"), (1, "group")},
    "not_tagged": {(1, "none")},
    "digest": {
        (2, "direct"),
        (2, "group"),
        (2, "none"),
        (3, "direct"),
        (3, "group"),
    },
    "digest_not_tagged": {(3, "none")},
    "next_turn": {(4, "direct"), (4, "group"), (4, "none")},
    "called_back": {(5, "direct"), (6, "direct")},
    "not_following": {(5, "group"), (5, "none"), (6, "group"), (6, "none")},
}


def heard(subscription: Subscription | None, tag: str) -> str | None:
    return hear(subscription, tag).as_


@pytest.mark.parametrize("row", range(len(SUBSCRIPTIONS)))
def test_each_mode_hears_what_the_ledger_says(row: int) -> None:
    answers = tuple(heard(SUBSCRIPTIONS[row], tag) for tag in Tag)

    assert answers == EXPECTED[row]


@pytest.mark.parametrize("name", SPEAKS_FOR)
def test_each_rule_alone_speaks_for_its_own_pairs(name: str) -> None:
    (rule,) = (rule for rule in RULES if rule.name == name)

    pairs = {
        (row, tag.value)
        for row, subscription in enumerate(SUBSCRIPTIONS)
        for tag in Tag
        if rule.applies(subscription, tag)
    }

    assert pairs == SPEAKS_FOR[name]


def test_the_table_holds_these_rules_and_no_other() -> None:
    assert [rule.name for rule in RULES] == list(SPEAKS_FOR)
    assert all(rule.source for rule in RULES)


@pytest.mark.rule("G-MODE-03")
@pytest.mark.case("F-45")
def test_every_message_hears_what_is_addressed_to_another() -> None:
    # ops: "@ada please". Only ada is tagged; cy listens on demand.
    eve = heard(Subscription("every_message"), "none")
    ada = heard(Subscription("when_tagged"), "direct")
    bo = heard(Subscription("next_turn"), "none")
    cy = heard(Subscription("on_demand"), "none")

    assert (eve, ada, bo, cy) == ("now", "now", "rider", None)


@pytest.mark.rule("G-MODE-04")
def test_when_tagged_hears_tags_only() -> None:
    mode = Subscription("when_tagged")

    assert heard(mode, "direct") == heard(mode, "group") == "now"
    assert heard(mode, "none") is None


@pytest.mark.rule("G-MODE-06")
def test_a_digest_of_tags_leaves_the_rest_out() -> None:
    mode = Subscription("digest", tagged_only=True)

    assert heard(mode, "direct") == heard(mode, "group") == "digest"
    assert heard(mode, "none") is None


@pytest.mark.parametrize("mode", ["every_message", "next_turn", "when_tagged"])
def test_tagged_only_means_nothing_outside_a_digest(mode: str) -> None:
    for tag in Tag:
        plain = hear(Subscription(mode), tag)

        assert hear(Subscription(mode, tagged_only=True), tag) == plain


@pytest.mark.rule("G-MODE-07")
@pytest.mark.parametrize("tag", Tag)
def test_next_turn_never_causes_a_wake_not_even_when_tagged(tag: Tag) -> None:
    assert hear(Subscription("next_turn"), tag) == Heard(Hearing.RIDER, "next_turn")


@pytest.mark.rule("G-MODE-08", "G-FOLLOW-03", "G-FOLLOW-05")
@pytest.mark.parametrize("ended", [None, Subscription("on_demand")])
def test_one_who_does_not_follow_hears_only_its_own_name(
    ended: Subscription | None,
) -> None:
    assert hear(ended, "direct") == Heard(Hearing.NOW, "called_back")
    assert hear(ended, "group") == Heard(None, "not_following")
    assert hear(ended, "none") == Heard(None, "not_following")


@pytest.mark.parametrize("hostile", ["Direct", "", None, True, b"direct", "\0" * 9999])
def test_what_is_no_tag_is_refused(hostile: Any) -> None:
    with pytest.raises(InvalidInput) as refusal:
        hear(None, hostile)

    assert refusal.value.field == "tag"


def test_what_is_no_subscription_hears_nothing() -> None:
    hostile: Any = "every_message"

    with pytest.raises(InvalidInput) as refusal:
        hear(hostile, "none")

    assert refusal.value.field == "subscription"
