"""
The plugins of one lobby, each called by itself.

Four laws. A decider that fails refuses (foundation 24); any other plugin that fails is
reported, and neither stops the next one nor undoes anything. Nothing is loaded but on
demand. A hook that nobody implements costs a look-up. What is no `Exception`, such as
`KeyboardInterrupt`, passes through.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from pluggy import HookImpl, PluginManager

from rooms import values
from rooms.errors import HookFailed, InvalidInput
from rooms.plugins import specs
from rooms.plugins.answers import HOOKS, Hook, Kind, unknown_hook
from rooms.plugins.entry_points import Entry, entries
from rooms.plugins.inspection import check_plugin, name_of
from rooms.plugins.reports import (
    Answer,
    HookFailure,
    Loaded,
    LoadFailure,
    Offers,
    Outcome,
    Verdict,
)

__all__ = ["Plugins"]

_LOG = logging.getLogger("rooms")


class Plugins:
    """
    The plugins that are registered, and the calls of their hooks.

    A plugin is a module or an object whose functions are marked with `hookimpl`. Of two
    plugins the one registered last is asked first, but for `tryfirst` and `trylast`.
    The calls hold no lock: a hook may call back, and may register another plugin, which
    is asked from the next call on.

    >>> from rooms.hooks import Plugins, hookimpl
    >>> class OwnersMay:
    ...     @hookimpl
    ...     def rooms_may(self, actor, action):
    ...         return actor == "ana" or None
    >>> plugins = Plugins()
    >>> plugins.register(OwnersMay(), "owners")
    'owners'
    >>> plugins.decide("rooms_may", actor="ana", action="x", subject=None).allowed
    True
    """

    def __init__(self) -> None:
        self._manager = PluginManager("rooms")
        self._manager.add_hookspecs(specs)
        self._plugins: dict[str, Any] = {}
        self._distributions: dict[str, str | None] = {}
        self._asked: Mapping[str, tuple[HookImpl, ...]] = dict.fromkeys(HOOKS, ())

    def register(self, plugin: Any, name: str | None = None) -> str:
        """
        Add a plugin, and return its name: the given one, its module's or its class's.

        Raises:
            InvalidInput: `unknown_hook` for a hook that does not exist, with the
                `closest` that does; `invalid_request` for an argument that the hook
                does not have, a `rooms_` function without mark, a wrapper, a coroutine,
                a class, a name or an object that is registered already. The details
                have `plugin` and `hook`. Nothing of the plugin is registered then.
        """
        return self._add(plugin, name, distribution=None)

    def load(
        self, source: str = "entrypoints", *, allow: Iterable[str] | None = None
    ) -> Loaded:
        """
        Register the plugins that installed distributions name in the group `rooms`.

        Args:
            source: `entrypoints`, the only one.
            allow: The names that may be loaded, and that have to be there; None for
                whatever is installed.

        Returns:
            Which plugins are there now, and which failed and why. One may fail at its
            import, at registration, by a name that is taken, or because no entry point
            has a name of `allow`. A failure is logged and stops no other plugin. A host
            that lets plugins decide should not go on with a failure.

        Raises:
            InvalidInput: `invalid_request` for another source, or an `allow` that is no
                sequence of names.
        """
        values.member("source", source, ("entrypoints",))
        wanted = None if allow is None else values.names("allow", allow)
        there: list[str] = []
        failures: list[LoadFailure] = []
        for entry in entries(wanted):
            failure = self._load(entry)
            if failure is None:
                there.append(entry.name)
            else:
                failures.append(failure)
        return Loaded(tuple(there), tuple(failures))

    def names(self) -> tuple[str, ...]:
        """The names of the plugins, in the order of their registration."""
        return tuple(self._plugins)

    def has(self, hook: str) -> bool:
        """
        Whether any plugin implements this hook; a look-up, to be asked before a call.

        Raises:
            InvalidInput: `unknown_hook` for a hook that does not exist.
        """
        asked = self._asked.get(hook) if isinstance(hook, str) else None
        if asked is None:
            raise _no_hook(hook)
        return asked != ()

    @property
    def asks(self) -> bool:
        """Whether any plugin implements a hook that does more than observe."""
        asked = self._asked
        return any(
            asked[name] for name, hook in HOOKS.items() if hook.kind != "observes"
        )

    def asked(self, hook: str) -> tuple[str, ...]:
        """
        The names of the plugins that implement this hook, in the order of asking.

        Raises:
            InvalidInput: `unknown_hook` for a hook that does not exist.
        """
        if not self.has(hook):
            return ()
        return tuple(one.plugin_name for one in self._asked[hook])

    def decide(self, hook: str, **arguments: Any) -> Verdict:
        """
        Ask every decider, and put their answers together.

        Raises:
            HookFailed: `hook_failed`, naming the first `plugin` that raised or answered
                nonsense, with its own error as the cause; nothing may be recorded then.
            InvalidInput: `unknown_hook`, or `invalid_request` for a hook that does not
                decide, or for arguments that are not the hook's, or not frozen.

        Source: foundation 24.
        """
        called = _called(hook, "decides", arguments)
        answers = []
        for reply in self._each(called, arguments):
            if isinstance(reply, HookFailure):
                raise HookFailed(
                    code="hook_failed",
                    message=f"plugin {reply.plugin!r} failed to decide {hook}"
                    f"{_nonsense(reply.error)}",
                    plugin=reply.plugin,
                    hook=hook,
                ) from reply.error
            if reply.value is not None:
                answers.append(reply)
        said = {called.consents(answer.value) for answer in answers}
        return Verdict(False not in said if said else None, tuple(answers))

    def first(self, hook: str, **arguments: Any) -> Outcome:
        """
        Ask one plugin after another until one answers something else than None.

        Raises:
            InvalidInput: As `decide`; what plugins do wrong is in the outcome.
        """
        called = _called(hook, "answers", arguments)
        failures = []
        for reply in self._each(called, arguments):
            if isinstance(reply, HookFailure):
                failures.append(reply)
            elif reply.value is not None:
                return Outcome(reply, tuple(failures))
        return Outcome(None, tuple(failures))

    def observe(self, hook: str, **arguments: Any) -> tuple[HookFailure, ...]:
        """
        Tell every plugin, and return what some of them did wrong.

        Raises:
            InvalidInput: As `decide`.
        """
        called = _called(hook, "observes", arguments)
        replies = self._each(called, arguments)
        return tuple(reply for reply in replies if isinstance(reply, HookFailure))

    def collect(self, hook: str) -> Offers:
        """
        Put together what all plugins offer; of two under one name the first stays.

        Raises:
            InvalidInput: As `decide`; what plugins do wrong is in the offers.
        """
        called = _called(hook, "offers", {})
        found: dict[str, Answer] = {}
        failures = []
        for reply in self._each(called, {}):
            if isinstance(reply, HookFailure):
                failures.append(reply)
                continue
            for name, offered in (reply.value or {}).items():
                if name not in found:
                    found[name] = Answer(reply.plugin, offered)
                    continue
                problem = f"{name!r} is offered by {found[name].plugin!r} already"
                error = InvalidInput("an offer", problem)
                failures.append(self._failed(reply.plugin, hook, error))
        return Offers(MappingProxyType(found), tuple(failures))

    def _add(self, plugin: Any, name: str | None, *, distribution: str | None) -> str:
        known = name_of(plugin, name)
        if known in self._plugins or any(p is plugin for p in self._plugins.values()):
            raise InvalidInput(
                "plugin", f"{known!r} is registered already", plugin=known
            )
        check_plugin(plugin, known)
        try:
            self._manager.register(plugin, known)
        except ValueError:  # pluggy compares plugins with ==
            problem = f"{known!r} equals one that is registered already"
            raise InvalidInput("plugin", problem, plugin=known) from None
        self._plugins[known] = plugin
        self._distributions[known] = distribution
        # A new mapping, so that a call that is under way goes on with its own.
        self._asked = {
            hook: tuple(reversed(getattr(self._manager.hook, hook).get_hookimpls()))
            for hook in HOOKS
        }
        return known

    def _load(self, entry: Entry) -> LoadFailure | None:
        try:
            plugin = entry.load()
            if self._plugins.get(entry.name) is not plugin:  # loaded before: fine
                self._add(plugin, entry.name, distribution=entry.distribution)
        except Exception as error:  # noqa: BLE001 - an import may raise anything
            _LOG.warning(
                "plugin %r%s was not loaded: %s",
                *(entry.name, _brought_by(entry.distribution)),
                "no distribution has it" if entry.absent else _mistake(error),
            )
            return LoadFailure(entry.name, error, entry.distribution)
        return None

    def _each(
        self, hook: Hook, arguments: Mapping[str, Any]
    ) -> Iterator[Answer | HookFailure]:
        """Each plugin's answer, one at a time, or what it did wrong."""
        for implementation in self._asked[hook.name]:
            name = implementation.plugin_name
            try:
                handed = [arguments[wanted] for wanted in implementation.argnames]
                value = implementation.function(*handed)
                if value is not None:
                    value = hook.checked(value)
            except Exception as error:  # noqa: BLE001 - a plugin may raise anything
                yield self._failed(name, hook.name, error)
            else:
                yield Answer(name, value)

    def reported(self, plugin: str, hook: str, error: Exception) -> HookFailure:
        """What came of a plugin's answer later, logged and told as its failure."""
        return self._failed(plugin, hook, error)

    def _failed(self, plugin: str, hook: str, error: Exception) -> HookFailure:
        distribution = self._distributions[plugin]
        # The error's own words may quote a message, so they are not logged (S16).
        _LOG.warning(
            "plugin %r%s failed in %s: %s",
            *(plugin, _brought_by(distribution)),
            *(hook, f"{type(error).__name__}{_nonsense(error)}"),
        )
        return HookFailure(plugin, hook, error, distribution)


def _brought_by(distribution: str | None) -> str:
    return f" of distribution {distribution!r}" if distribution else ""


def _mistake(error: Exception) -> str:
    """What stopped a plugin, in our words; its own are not quoted."""
    name = type(error).__name__
    ours = isinstance(error, InvalidInput) and error.field == "plugin"
    return f"{name}: {error}" if ours else name


def _nonsense(error: Exception) -> str:
    """What was wrong with an answer, in our words; a plugin's own are not quoted."""
    if isinstance(error, InvalidInput) and error.field == "the answer":
        return f": {error}"
    return ""


def _called(hook: str, kind: Kind, arguments: Mapping[str, Any]) -> Hook:
    """The hook, if it may be called so: a mistake of the caller is no plugin's."""
    called = HOOKS.get(hook) if isinstance(hook, str) else None
    if called is None:
        raise _no_hook(hook)
    if called.kind != kind:
        raise InvalidInput("hook", f"{hook} is none that {kind}", hook=hook)
    if set(arguments) != set(called.arguments):
        raise InvalidInput(
            "arguments",
            f"of {hook} are others",
            allowed=", ".join(called.arguments) or "none",
            hook=hook,
        )
    for name, value in arguments.items():
        if isinstance(value, list | dict | set | bytearray):
            problem = f"of {hook} could be changed by a plugin"
            raise InvalidInput(name, problem, allowed="a frozen value", hook=hook)
    return called


def _no_hook(hook: Any) -> InvalidInput:
    shown = repr(hook)[:80] if isinstance(hook, str) else f"a {type(hook).__name__}"
    return unknown_hook("hook", f"is {shown}", hook if isinstance(hook, str) else "")
