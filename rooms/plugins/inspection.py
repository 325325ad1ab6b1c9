"""
Looking at a plugin before it is registered.

Two laws. Whatever begins with `rooms_` and can be called is a hook, correctly written,
or a mistake that is reported: nothing is ignored. And a plugin that is refused has
changed nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from pluggy import HookImpl, PluginManager

from rooms import values
from rooms.errors import InvalidInput
from rooms.plugins.answers import HOOKS, unknown_hook

__all__ = ["check_plugin", "name_of"]


def name_of(plugin: Any, name: Any) -> str:
    """The name to register a plugin under: the given one, its module's, its class's."""
    if name is not None:
        return str.__str__(values.text("name", name, empty=False))
    if inspect.ismodule(plugin):
        return plugin.__name__
    return f"{type(plugin).__module__}.{type(plugin).__qualname__}"


def check_plugin(plugin: Any, name: str) -> None:
    """
    Refuse a plugin whose hooks could not be called as they are meant.

    Raises:
        InvalidInput: `unknown_hook` for a hook that does not exist, `invalid_request`
            for any other mistake; `plugin`, `hook` and `argument` are in the details.
    """
    if plugin is None or inspect.isclass(plugin):
        raise InvalidInput(
            "plugin",
            "is None" if plugin is None else "is a class",
            allowed="a module or an object",
            plugin=name,
        )
    scratch = PluginManager("rooms")  # knows no hooks, so it takes whatever is marked
    try:
        _check_unmarked(scratch, plugin, name)
        scratch.register(plugin, name)
        found = list(_implementations(scratch))
    except InvalidInput:
        raise
    except Exception as error:  # to look at a plugin may run its own code
        raise InvalidInput(
            "plugin", f"{name!r} cannot be looked at", plugin=name
        ) from error
    for hook, implementation in found:
        _check_hook(hook, implementation, name)


def _check_unmarked(scratch: PluginManager, plugin: Any, name: str) -> None:
    for attribute in dir(plugin):
        if not attribute.startswith("rooms_"):
            continue
        found = inspect.getattr_static(plugin, attribute, None)
        if not callable(found) and not isinstance(found, classmethod):
            continue
        if inspect.isclass(found) or hasattr(found, "rooms_spec"):
            continue
        if scratch.parse_hookimpl_opts(plugin, attribute) is not None:
            continue
        told = {"plugin": name, "hook": attribute}
        if attribute not in HOOKS:
            problem = f"{name!r} has {attribute}, which is no hook"
            raise unknown_hook("plugin", problem, attribute, **told)
        raise InvalidInput(
            "plugin",
            f"{name!r} has {attribute} without its mark",
            allowed="@hookimpl on a function",
            **told,
        )


def _implementations(scratch: PluginManager) -> Iterator[tuple[str, HookImpl]]:
    for hook, caller in vars(scratch.hook).items():
        for implementation in caller.get_hookimpls():
            yield hook, implementation


def _check_hook(hook: str, implementation: HookImpl, name: str) -> None:
    told = {"plugin": name, "hook": hook}
    if hook not in HOOKS:
        if implementation.optionalhook:
            return
        problem = f"{name!r} implements {hook}, which is no hook"
        raise unknown_hook("plugin", problem, hook, **told)
    wanted = HOOKS[hook].arguments
    for argument in implementation.argnames:
        if argument not in wanted:
            raise InvalidInput(
                "plugin",
                f"{name!r} asks {hook} for {argument!r}",
                allowed=", ".join(wanted) or "no argument",
                argument=argument,
                **told,
            )
    problem = _misshapen(implementation)
    if problem:
        raise InvalidInput("plugin", f"{name!r} has {hook} {problem}", **told)


def _misshapen(implementation: HookImpl) -> str:
    """What keeps a function from being called with its arguments, if anything."""
    function: Callable[..., Any] = implementation.function
    if implementation.wrapper or implementation.hookwrapper:
        return "as a wrapper, and no plugin stands between others here"
    if (
        inspect.iscoroutinefunction(function)
        or inspect.isgeneratorfunction(function)
        or inspect.isasyncgenfunction(function)
    ):
        return (
            "as a coroutine or generator, and it is called as a plain function; hand"
            " over to an event loop with loop.call_soon_threadsafe"
        )
    try:
        inspect.signature(function).bind(*implementation.argnames)
    except (TypeError, ValueError):
        return "with arguments that are passed by keyword alone"
    return ""
