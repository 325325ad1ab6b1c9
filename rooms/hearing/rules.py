"""
Who hears a message, and how.

Two laws: exactly one of `RULES` applies to any subscription and tag, so the answer and
its reason never depend on their order; and hearing decides nothing else. *When* a wake
happens is pacing's, *who is tagged* is addressing's, and nobody hears its own post
(G-MODE-10), because an author is never asked.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

from attrs import frozen

from rooms.hearing.modes import Mode, Subscription, check_subscription
from rooms.values import member

__all__ = ["RULES", "Heard", "Hearing", "Rule", "Tag", "hear"]


class Tag(StrEnum):
    """How a message addresses a conversation."""

    DIRECT = "direct"
    """By its label, by a reply to one of its messages, or by a single agent's name."""

    GROUP = "group"
    """As one of many who follow, by `all` or by `/all` of its agent."""

    NONE = "none"
    """Not at all."""


class Hearing(StrEnum):
    """The class of what a conversation is owed."""

    NOW = "now"
    """It causes a wake, as soon as pacing lets it."""

    DIGEST = "digest"
    """It waits for the next digest."""

    RIDER = "rider"
    """It causes nothing and is told with the next wake or turn."""


@frozen
class Rule:
    """
    One condition, and what a message that meets it becomes.

    Attributes:
        name: A stable word, as records and explanations show it.
        applies: Whether it is this rule that speaks.
        gives: The class of what is owed, or None: nothing is, the message may be read.
        source: The ids of the rules of behaviour that it stands for.
    """

    name: str
    applies: Callable[[Subscription | None, Tag], bool]
    gives: Hearing | None
    source: str


@frozen
class Heard:
    """
    What a message is to a conversation, and why.

    Attributes:
        as_: The class of what is owed, or None: nothing is.
        rule: The name of the rule that says so.
    """

    as_: Hearing | None
    rule: str


def _in_mode(subscription: Subscription | None, mode: Mode) -> bool:
    return subscription is not None and subscription.mode is mode


def _every_message(subscription: Subscription | None, _tag: Tag) -> bool:
    return _in_mode(subscription, Mode.EVERY_MESSAGE)


def _tagged(subscription: Subscription | None, tag: Tag) -> bool:
    return _in_mode(subscription, Mode.WHEN_TAGGED) and tag is not Tag.NONE


def _not_tagged(subscription: Subscription | None, tag: Tag) -> bool:
    return _in_mode(subscription, Mode.WHEN_TAGGED) and tag is Tag.NONE


def _digest(subscription: Subscription | None, tag: Tag) -> bool:
    return (
        subscription is not None
        and subscription.mode is Mode.DIGEST
        and (tag is not Tag.NONE or not subscription.tagged_only)
    )


def _digest_not_tagged(subscription: Subscription | None, tag: Tag) -> bool:
    return _in_mode(subscription, Mode.DIGEST) and not _digest(subscription, tag)


def _next_turn(subscription: Subscription | None, _tag: Tag) -> bool:
    return _in_mode(subscription, Mode.NEXT_TURN)


def _listens_to_none(subscription: Subscription | None) -> bool:
    return subscription is None or subscription.mode is Mode.ON_DEMAND


def _called_back(subscription: Subscription | None, tag: Tag) -> bool:
    return _listens_to_none(subscription) and tag is Tag.DIRECT


def _not_following(subscription: Subscription | None, tag: Tag) -> bool:
    return _listens_to_none(subscription) and tag is not Tag.DIRECT


RULES: tuple[Rule, ...] = (
    # F-45: it hears what is addressed to others, too.
    Rule("every_message", _every_message, Hearing.NOW, "G-MODE-03"),
    Rule("tagged", _tagged, Hearing.NOW, "G-MODE-04"),
    Rule("not_tagged", _not_tagged, None, "G-MODE-04"),
    Rule("digest", _digest, Hearing.DIGEST, "G-MODE-05 G-MODE-06"),
    Rule("digest_not_tagged", _digest_not_tagged, None, "G-MODE-06"),
    Rule("next_turn", _next_turn, Hearing.RIDER, "G-MODE-07"),
    # A label and a reply land without a subscription; `all` reaches followers only.
    Rule("called_back", _called_back, Hearing.NOW, "G-FOLLOW-03 G-FOLLOW-05"),
    Rule("not_following", _not_following, None, "G-MODE-08"),
)
"""Every rule of hearing; the reference page shows this table."""


def hear(subscription: Subscription | None, tag: Tag | str) -> Heard:
    """
    What a message with this tag is to a conversation with this subscription.

    Args:
        subscription: None for one that ended, by choice or for idleness.
        tag: A `Tag` or its word.

    Raises:
        InvalidInput: `invalid_request`, naming the argument.

    Guarantees: every pair has an answer, and one rule alone that gives it.

    Source: G-MODE-03 to G-MODE-08, G-FOLLOW-03, G-FOLLOW-05.

    >>> hear(Subscription("when_tagged"), "group")
    Heard(as_=<Hearing.NOW: 'now'>, rule='tagged')
    >>> hear(None, "group")
    Heard(as_=None, rule='not_following')
    """
    checked = check_subscription(subscription)
    how = Tag(member("tag", tag, Tag))
    rule = next(rule for rule in RULES if rule.applies(checked, how))
    return Heard(rule.gives, rule.name)
