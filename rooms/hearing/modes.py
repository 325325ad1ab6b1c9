"""
How a conversation listens to a room.

Two laws: a mode says what a conversation *wants* to hear, never what it may read (every
member may read everything), and a value outside its bounds is refused, not clamped.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from attrs import field, frozen

from rooms.errors import InvalidInput
from rooms.values import duration, flag, member

__all__ = [
    "CHOICES",
    "LONGEST_INTERVAL",
    "SHORTEST_INTERVAL",
    "Mode",
    "Subscription",
    "after_posting",
    "check_mode_for",
    "follows",
]

SHORTEST_INTERVAL = timedelta(minutes=1)
"""The shortest time between two digests of a seat (G-MODE-05)."""
LONGEST_INTERVAL = timedelta(minutes=1440)
"""The longest one."""


class Mode(StrEnum):
    """
    The five ways to listen (G-MODE-01); each is also its own word.

    An enum of the standard library: `Mode("often")` is its `ValueError`, where a
    `Subscription` with that word is refused with a code.

    >>> Mode("next_turn")
    <Mode.NEXT_TURN: 'next_turn'>
    """

    EVERY_MESSAGE = "every_message"
    WHEN_TAGGED = "when_tagged"
    DIGEST = "digest"
    NEXT_TURN = "next_turn"
    ON_DEMAND = "on_demand"


# G-MODE-09: a single agent is woken from outside and has no turn of its own that could
# begin with a summary, so `next_turn` would never tell it anything.
CHOICES: Mapping[bool, tuple[Mode, ...]] = MappingProxyType(
    {
        True: tuple(Mode),
        False: tuple(mode for mode in Mode if mode is not Mode.NEXT_TURN),
    }
)
"""The modes that an agent may choose among, by whether it is threaded."""


def check_mode_for(mode: Mode | str, *, threaded: bool) -> Mode:
    """
    The mode, if an agent of this kind may choose it.

    Raises:
        InvalidInput: `invalid_request`, with the modes that it may choose.

    Source: G-MODE-09.

    >>> check_mode_for("digest", threaded=False)
    <Mode.DIGEST: 'digest'>
    """
    return Mode(member("mode", mode, CHOICES[flag("threaded", threaded)]))


def _to_mode(value: Mode | str) -> Mode:
    return Mode(member("mode", value, Mode))


def _to_interval(value: timedelta) -> timedelta:
    interval = duration("interval", value, at_least=SHORTEST_INTERVAL)
    if interval > LONGEST_INTERVAL:
        raise InvalidInput(
            "interval",
            f"is {interval}",
            allowed="1 to 1440 minutes",
        )
    return interval


def _to_tagged_only(value: bool) -> bool:
    return flag("tagged_only", value)


@frozen
class Subscription:
    """
    A mode with what it needs: how a conversation listens to one room.

    Attributes:
        mode: A `Mode`; its word is taken, too.
        interval: The least time between two digests, 1 to 1440 minutes. Outside digest
            it is kept, and means nothing.
        tagged_only: A digest carries only what tags the conversation. Outside digest it
            is kept, and means nothing.

    Raises:
        InvalidInput: `invalid_request`, for a word that is no mode, an interval that is
            not 1 to 1440 minutes long (refused, not clamped: G-MODE-11), or a
            `tagged_only` that is no bool.

    Source: G-MODE-01, G-MODE-05, G-MODE-06.

    >>> Subscription("digest", timedelta(hours=1)).mode
    <Mode.DIGEST: 'digest'>
    """

    mode: Mode = field(converter=_to_mode)
    interval: timedelta = field(default=timedelta(minutes=15), converter=_to_interval)
    tagged_only: bool = field(default=False, converter=_to_tagged_only)


def follows(subscription: Subscription | None) -> bool:
    """
    Whether a conversation with this subscription follows the room.

    None is a subscription that ended, by choice or for idleness; choosing `on_demand`
    ends one too (G-MODE-08). `all` and `/all` reach those who follow.

    Raises:
        InvalidInput: `invalid_request`, for anything but a `Subscription` or None.
    """
    checked = check_subscription(subscription)
    return checked is not None and checked.mode is not Mode.ON_DEMAND


def after_posting(subscription: Subscription | None) -> Subscription:
    """
    The subscription that a conversation has once it has posted.

    Whoever posts without following follows as `when_tagged`, so that an answer reaches
    it; a mode in which it follows is left as it is.

    Raises:
        InvalidInput: `invalid_request`, for anything but a `Subscription` or None.

    Source: G-FOLLOW-01, G-FOLLOW-02.

    >>> after_posting(None).mode
    <Mode.WHEN_TAGGED: 'when_tagged'>
    """
    checked = check_subscription(subscription)
    if checked is not None and follows(checked):
        return checked
    return Subscription(Mode.WHEN_TAGGED)


def check_subscription(value: Any) -> Subscription | None:
    """A `Subscription`, or None for one that ended; anything else is refused."""
    if value is None or isinstance(value, Subscription):
        return value
    raise InvalidInput(
        "subscription",
        f"is of type {type(value).__name__}",
        allowed="a Subscription or None",
    )
