"""
What a hook may answer, and how several answers become one.

One law: an answer outside the hook's own set is nonsense, never a guess at what was
meant. False is no reason, and 1 is not True.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Literal

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.plugins import specs

__all__ = ["HOOKS", "Hook", "Kind", "unknown_hook"]

Kind = Literal["decides", "answers", "observes", "offers"]


@frozen
class Hook:
    """
    A hook, as it is called.

    Attributes:
        name: Its name.
        kind: `decides`: all are asked, a failure refuses. `answers`: the first answer
            counts. `observes`: all are told. `offers`: all answers are put together.
        arguments: The names of its arguments.
        checked: The answer, or `InvalidInput`; it is not asked about None.
        consents: For a decider: whether an answer is a yes (True) or a no (False).
    """

    name: str
    kind: Kind
    arguments: tuple[str, ...]
    checked: Callable[[Any], Any]
    consents: Callable[[Any], bool]


def _yes_or_no(answer: Any) -> Any:
    return values.flag("the answer", answer)


def _reason(answer: Any) -> Any:
    return values.text("the answer", answer, empty=False)


_LONGEST_PLACE = 4_096  # as long as any path


def _place(answer: Any) -> Any:
    named = _text(_reason(answer))
    if len(named) > _LONGEST_PLACE:
        raise InvalidInput(
            "the answer", "is too long", allowed=f"at most {_LONGEST_PLACE} signs"
        )
    return named


def _text(answer: Any) -> Any:
    return values.storable("the answer", answer)


def _one_of(*words: str) -> Callable[[Any], Any]:
    return lambda answer: _word(answer, words)


def _word(answer: Any, words: tuple[str, ...]) -> str:
    if not isinstance(answer, str) or answer not in words:  # which may be anything:
        kind = type(answer).__name__
        problem = "is another text" if kind == "str" else f"is of type {kind}"
        allowed = ", ".join(map(repr, words))
        raise InvalidInput("the answer", problem, allowed=f"{allowed}, or None")
    return str.__str__(answer)


def _anything(answer: Any) -> Any:
    return answer


_MOST_PATHS = 10_000


def _paths(answer: Any) -> tuple[str, ...]:
    names = values.names("the answer", answer)
    if len(names) > _MOST_PATHS:
        raise InvalidInput(
            "the answer", "is too long", allowed=f"at most {_MOST_PATHS} paths"
        )
    return tuple(values.storable("a path", one) for one in names)


def _offers(answer: Any) -> Any:
    if not isinstance(answer, Mapping):
        kind = type(answer).__name__
        raise InvalidInput("the answer", f"is of type {kind}", allowed="a mapping")
    offers = {values.text("a name", name, empty=False): answer[name] for name in answer}
    for offered in offers.values():
        if not callable(offered):
            kind = type(offered).__name__
            raise InvalidInput("an offer", f"is of type {kind}", allowed="a callable")
    return offers


def _hook(
    spec: Callable[..., Any],
    kind: Kind,
    checked: Callable[[Any], Any] = _anything,
    consents: Callable[[Any], bool] = bool,
) -> Hook:
    code = spec.__code__
    arguments = code.co_varnames[: code.co_argcount]
    return Hook(spec.__name__, kind, arguments, checked, consents)


HOOKS: Mapping[str, Hook] = MappingProxyType(
    {
        hook.name: hook
        for hook in (
            _hook(specs.rooms_may, "decides", _yes_or_no),
            _hook(specs.rooms_check_draft, "decides", _reason, lambda _: False),
            _hook(specs.rooms_start_conversation, "answers", _reason),
            _hook(specs.rooms_state, "answers", _one_of("idle", "in_turn", "away")),
            _hook(specs.rooms_carry, "answers", _one_of("delivered", "settled")),
            _hook(specs.rooms_push, "answers", _one_of("received", "attempted")),
            _hook(specs.rooms_place_member, "answers", _place),
            _hook(specs.rooms_release_member, "answers", _yes_or_no),
            _hook(specs.rooms_changed_files, "answers", _paths),
            _hook(specs.rooms_deliver, "answers", _text),
            _hook(specs.rooms_committed, "observes"),
            _hook(specs.rooms_planners, "offers", _offers),
            _hook(specs.rooms_storages, "offers", _offers),
        )
    }
)
"""All hooks, by name."""


def unknown_hook(field: str, problem: str, name: Any, **details: Any) -> InvalidInput:
    """The error for a hook that does not exist, with the name that was likely meant."""
    from difflib import get_close_matches  # noqa: PLC0415

    near = get_close_matches(str(name)[:100], HOOKS, n=1)  # it costs length squared
    closest = near[0] if near else None
    allowed = f"{closest}, perhaps" if closest else ", ".join(HOOKS)
    return InvalidInput(
        field, problem, allowed=allowed, code="unknown_hook", closest=closest, **details
    )
