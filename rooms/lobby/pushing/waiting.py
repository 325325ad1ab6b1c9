"""
Waiting: what one handle remembers of pushes that could not be sent.

Law: it is a memory and no truth; what is held stands in the log, and a handle that
knows nothing looks through all that is ready once.
"""

from __future__ import annotations

from attrs import define, field

__all__ = ["Waiting"]


@define
class Waiting:
    """
    What a handle remembers of pushes: the conversations that could not be sent to when
    it looked last, likewise those for which receipts wait, by agent; and in which epoch
    of the others' commits it looked at all.
    """

    held: dict[str, str] = field(factory=dict)
    receipts: dict[tuple[str, str], None] = field(factory=dict)
    epoch: int = -2
