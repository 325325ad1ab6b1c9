"""What a question costs: how much a storage hands over for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["counted"]


@contextmanager
def counted(storage: Any) -> Iterator[dict[str, int]]:
    """How many rows and records a question is handed by a storage."""
    counts = {"handed": 0}
    asked = ("range", "read", "messages", "scan", "search")
    whole = {name: getattr(storage, name) for name in asked}

    def counting(name: str) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            answer = whole[name](*given, **named)
            counts["handed"] += len(answer)
            return answer

        return call

    for name in asked:
        setattr(storage, name, counting(name))
    yield counts
    for name in asked:
        setattr(storage, name, whole[name])
