"""What is told of a code."""

from __future__ import annotations

from attrs import frozen

__all__ = ["Code"]


@frozen
class Code:
    """
    What a code means, what to do about it, and the HTTP class a gateway maps it to.
    """

    meaning: str
    remedy: str
    http: int
