"""
Calls: a method of a handle as a call that is awaited, with the same arguments.

Law: nothing is decided here. A call is the handle's own method, done by the worker.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import partial, update_wrapper
from typing import (
    Any,
    Concatenate,
    Generic,
    ParamSpec,
    Self,
    TypeVar,
    cast,
    overload,
)

from rooms.aio.worker import Worker

__all__ = ["Call", "Handle", "bare", "call", "got"]

P = ParamSpec("P")
R = TypeVar("R")


class Handle:
    """Something of a lobby whose calls are awaited; `sync` is what it stands for."""

    def __init__(self, sync: Any, worker: Worker) -> None:
        self.sync = sync
        self.worker = worker

    def __repr__(self) -> str:
        return repr(self.sync)

    def __str__(self) -> str:
        return str(self.sync)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and bool(self.sync == cast("Any", other).sync)

    def __hash__(self) -> int:
        return hash(self.sync)


class _Bound(partial[Any]):
    """A call of one handle that was not made yet, and says so where it is printed."""

    def __repr__(self) -> str:
        call: Any = self.func
        name = call.name
        return f"<{name} of {self.args[0]!r}, a call: await {name}(...)>"


class Call(Generic[P, R]):
    """A method of the handle behind, as a call that is awaited."""

    def __init__(
        self,
        method: Callable[Concatenate[Any, P], Any],
        made: Callable[[Any, Any], R],
        *,
        brief: bool,
    ) -> None:
        self._method = method
        self._made = made
        self._brief = brief
        self.name = ""
        update_wrapper(cast("Any", self), method)

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, handle: None, owner: object) -> Self: ...
    @overload
    def __get__(
        self, handle: Handle, owner: object
    ) -> Callable[P, Coroutine[Any, Any, R]]: ...
    def __get__(self, handle: Handle | None, owner: object) -> Any:
        return self if handle is None else _Bound(self, handle)

    async def __call__(self, handle: Handle, *args: Any, **options: Any) -> R:
        """The call, of a handle that is named."""
        given = [bare(one) for one in args]
        named = {name: bare(one) for name, one in options.items()}
        work = partial(self._method, handle.sync, *given, **named)
        # Nobody else's commit waits while a file of the caller's is read.
        brief = self._brief and not named.get("attachments")
        return self._made(handle, await handle.worker.run(work, brief=brief))


def call(
    method: Callable[Concatenate[Any, P], R], *, brief: bool = False
) -> Call[P, R]:
    """
    A method whose answer is a value; a `brief` one may share a commit with others.
    """
    return Call(method, _as_it_is, brief=brief)


def got(read: Callable[[Any], R], told: str) -> Call[[], R]:
    """What is a property of the handle behind, as a call without arguments."""
    found: Call[[], R] = Call(read, _as_it_is, brief=False)
    found.__doc__ = f"{told}, read anew."
    return found


def _as_it_is(_: Any, answer: R) -> R:
    return answer


def bare(given: Any) -> Any:
    """What stands behind a handle of this package; anything else as it is."""
    return given.sync if isinstance(given, Handle) else given
