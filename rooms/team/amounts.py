"""
Amounts: costs, which are decimal and never anything else.

Two laws. An amount is finite, not negative, and whole in millionths of its unit, so
that a log holds integers alone and sums are exact. And what the host's own decimal
context says about precision, rounding and traps changes nothing here.
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal, InvalidOperation
from typing import Any

from rooms.errors import InvalidInput

__all__ = ["LARGEST", "amount", "from_micros", "half_of", "micros_of"]

LARGEST = Decimal(10**9)
"""The largest amount that there is."""

_MICRO = Decimal("0.000001")
_EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation])


def amount(field: str, value: Any) -> Decimal:
    """
    A cost in the host's unit, rounded to millionths.

    Args:
        field: What it is called where it is refused.
        value: An int, a float, a Decimal, or a text of one.

    Raises:
        InvalidInput: `invalid_request` for a negative one, NaN, an infinity, more than
            a thousand millions, and whatever is no number.

    >>> amount("cost", "0.1") + amount("cost", 0.2)
    Decimal('0.300000')
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        kind = type(value).__name__
        raise InvalidInput(field, f"is of type {kind}", allowed="an amount")
    if isinstance(value, str) and len(value) > 40:
        raise InvalidInput(field, "is no number", allowed="an amount")
    try:
        exact = Decimal(str(value) if isinstance(value, float) else value)
    except (InvalidOperation, ValueError):
        raise InvalidInput(field, "is no number", allowed="an amount") from None
    if not exact.is_finite() or not 0 <= exact <= LARGEST:
        raise InvalidInput(
            field, "is out of range", allowed=f"a finite amount from 0 to {LARGEST}"
        )
    return exact.copy_abs().quantize(_MICRO, context=_EXACT)


def micros_of(value: Decimal) -> int:
    """An amount as a log holds it, in millionths."""
    return int(value.scaleb(6, context=_EXACT))


def from_micros(value: int) -> Decimal:
    """What `micros_of` made an integer."""
    return Decimal(value).scaleb(-6, context=_EXACT)


def half_of(value: Decimal) -> Decimal:
    """The half of an amount, to the millionth."""
    return _EXACT.divide(value, Decimal(2)).quantize(_MICRO, context=_EXACT)
