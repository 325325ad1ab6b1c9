"""
What a call of the hooks brings back: answers with their plugins, and failures.

One law: a report holds what happened and is safe to keep; only `error` may hold words
of the plugin's own, and nothing here writes those anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from attrs import field, frozen

__all__ = [
    "Answer",
    "HookFailure",
    "LoadFailure",
    "Loaded",
    "Offers",
    "Outcome",
    "Verdict",
]


@frozen
class Answer:
    """What a plugin answered."""

    plugin: str
    value: Any


@frozen
class HookFailure:
    """
    What a plugin did wrong.

    Attributes:
        plugin: The name under which it is registered.
        hook: The hook that was called.
        error: What it raised; `InvalidInput` where it answered nonsense.
        distribution: The distribution that brought it, where that is known.
    """

    plugin: str
    hook: str
    error: Exception = field(repr=lambda error: type(error).__name__)
    distribution: str | None = None


@frozen
class LoadFailure:
    """
    A plugin that is not there although it was to be loaded.

    Attributes:
        plugin: The name of its entry point; empty where there was no list of them.
        error: Why: what its import raised, or `InvalidInput`.
        distribution: The distribution that has the entry point, where that is known.
    """

    plugin: str
    error: Exception = field(repr=lambda error: type(error).__name__)
    distribution: str | None = None


@frozen
class Loaded:
    """The plugins that are there after loading, by name, and those that are not."""

    plugins: tuple[str, ...]
    failures: tuple[LoadFailure, ...]


@frozen
class Verdict:
    """
    What all deciders together say.

    Attributes:
        allowed: False where one said no, else True where one said yes, else None.
        answers: Everybody's, in the order in which they were asked; to be recorded.
    """

    allowed: bool | None
    answers: tuple[Answer, ...]


@frozen
class Outcome:
    """The first answer, or None, and what those asked before did wrong."""

    answer: Answer | None
    failures: tuple[HookFailure, ...]


@frozen
class Offers:
    """What all plugins offer, by name, and what some of them did wrong."""

    found: Mapping[str, Answer]
    failures: tuple[HookFailure, ...]
