"""
The hop guard: how far a chain of answers is from the person who began it.

Two laws: every answer is one hop further than what its author last took, whether or not
its host opened a turn, so two agents that alternate cannot escape it; and at the
limit a message wakes nobody, yet is not lost: it rides with the next wake.
"""

from __future__ import annotations

from collections.abc import Iterable

from rooms.errors import InvalidInput
from rooms.values import whole_number

__all__ = ["PERSON_HOPS", "hops_of_post", "hops_of_wake", "only_rides"]

PERSON_HOPS = 0
"""The hops of what a person posts: it begins a chain."""


def hops_of_post(taken: int | None) -> int:
    """
    The hops of what a seat posts: one more than what it last took.

    Args:
        taken: The hops of the wake that the seat last took, or None if it took none
            yet: then it begins a chain, as a person does.

    Raises:
        InvalidInput: `invalid_request`, for what is no whole number from 0, and not
            None.

    >>> hops_of_post(None), hops_of_post(0), hops_of_post(4)
    (0, 1, 5)
    """
    if taken is None:
        return PERSON_HOPS
    return whole_number("taken", taken, at_least=0) + 1


def hops_of_wake(carried: Iterable[int]) -> int:
    """
    The hops of a wake: the highest that it carries, and 0 if it carries nothing.

    Raises:
        InvalidInput: `invalid_request`, naming the place of what is no hop count.

    >>> hops_of_wake([0, 3, 1])
    3
    """
    if not isinstance(carried, Iterable):
        raise InvalidInput(
            "carried", f"is of type {type(carried).__name__}", allowed="whole numbers"
        )
    return max(
        (
            whole_number(f"carried[{place}]", hops, at_least=0)
            for place, hops in enumerate(carried)
        ),
        default=PERSON_HOPS,
    )


def only_rides(hops: int, max_hops: int | None) -> bool:
    """
    Whether a message this far from its beginning causes no wake and only rides along.

    Args:
        hops: The message's.
        max_hops: The policy's limit, at least 1; None sets none.

    Raises:
        InvalidInput: `invalid_request`, naming the argument.

    >>> [only_rides(hops, 2) for hops in range(4)]
    [False, False, True, True]
    """
    depth = whole_number("hops", hops, at_least=0)
    if max_hops is None:
        return False
    return depth >= whole_number("max_hops", max_hops, at_least=1)
