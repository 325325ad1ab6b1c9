"""
Access: what each member of a team may use, from its level to its tools.

Three laws. Authority is each member's own and never a union (S-ACCESS-07). A tool that
needs more than its member has is taken out of the grant, not granted with a warning
(S-ACCESS-02). And a tool that nobody has mapped is denied until somebody does
(S-ACCESS-03): a name says what a tool may do only where the name is ours to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from attrs import field, frozen

from rooms import values

__all__ = [
    "LEVELS",
    "SURFACE",
    "TOOL_RULES",
    "Access",
    "Denied",
    "Grant",
    "Label",
    "ToolRule",
    "check_tools",
    "granted",
    "label_of",
    "lower",
    "summary",
]


class Access(StrEnum):
    """A member's permission level, each with all that the one before has."""

    READ_ONLY = "read_only"
    EDIT_WORKSPACE = "edit_workspace"
    EDIT_AND_PUSH = "edit_and_push"


LEVELS = tuple(Access)
"""The levels, the lowest first (S-ACCESS-01)."""


class Label(StrEnum):
    """What a tool does, in the words that a person is shown."""

    ROOM = "room"
    READ_FILES = "read_files"
    EDIT_FILES = "edit_files"
    RUN_COMMANDS = "run_commands"
    READ_HISTORY = "read_history"
    COMMIT = "commit"
    PUSH = "push"
    NETWORK = "network"


_GROUPS = (
    (Label.READ_FILES, Label.EDIT_FILES),
    (Label.RUN_COMMANDS,),
    (Label.READ_HISTORY, Label.COMMIT, Label.PUSH),
    (Label.NETWORK,),
)

_LABELS: Mapping[Access, frozenset[Label]] = MappingProxyType(
    {
        Access.READ_ONLY: frozenset({Label.READ_FILES, Label.READ_HISTORY}),
        Access.EDIT_WORKSPACE: frozenset(
            {
                *(Label.READ_FILES, Label.READ_HISTORY, Label.EDIT_FILES),
                *(Label.RUN_COMMANDS, Label.COMMIT),
            }
        ),
        Access.EDIT_AND_PUSH: frozenset(
            {
                *(Label.READ_FILES, Label.READ_HISTORY, Label.EDIT_FILES),
                *(Label.RUN_COMMANDS, Label.COMMIT, Label.PUSH),
            }
        ),
    }
)


class ToolRule(NamedTuple):
    """
    What a tool of that name, or with that word in its name, does.

    A host's own rule names its tool whole, and may give a tool of a plugin a label.
    """

    name: str
    label: Label


def _rules() -> tuple[ToolRule, ...]:
    words = {
        Label.READ_FILES: "read grep glob ls list find view cat tree",
        Label.EDIT_FILES: "edit write patch create delete move notebook",
        Label.RUN_COMMANDS: "bash shell exec run terminal python command",
        Label.NETWORK: "web fetch http browser download url",
        Label.READ_HISTORY: "git log diff blame status",
        Label.COMMIT: "commit branch merge rebase stash checkout",
        Label.PUSH: "push pr publish release",
    }
    return tuple(
        ToolRule(word, label)
        for label, named in words.items()
        for word in named.split()
    )


TOOL_RULES = _rules()
"""Our own rules, in their order: of those that match, the last one counts."""

SURFACE = "room"
"""The team's own tool, which every member has (S-ACCESS-08)."""

_PLUGIN = re.compile(r"[.:/]|__")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LONGEST_NAME, _MOST_TOOLS = 128, 200


def label_of(tool: str, rules: Sequence[ToolRule] = ()) -> Label | None:
    """
    What a tool does; None for one that nobody has mapped, which is denied.

    Args:
        tool: Its name. One with `.`, `:`, `/` or `__` in it is a plugin's, and is known
            by the host's rules alone.
        rules: The host's own, which come behind ours and so outweigh them.

    >>> label_of("write_and_push").value
    'push'
    >>> label_of("acme.read") is None
    True

    Source: S-ACCESS-03, S-ACCESS-05.
    """
    if tool == SURFACE:
        return Label.ROOM
    mapped = [one.label for one in rules if one.name == tool]
    if mapped:
        return mapped[-1]
    if _PLUGIN.search(tool):
        return None
    words = {word.lower() for word in _WORD.findall(tool)} | {tool}
    found = [one.label for one in TOOL_RULES if one.name in words]
    return found[-1] if found else None


def lower(first: str, second: str) -> Access:
    """The lower of two levels."""
    return min(Access(first), Access(second), key=LEVELS.index)


class Denied(NamedTuple):
    """A tool that a member asked for and does not get, and why."""

    tool: str
    why: str


@frozen
class Grant:
    """
    What one member may use, and nobody else by it.

    Attributes:
        key: The member's.
        access: Its level.
        tools: The names of its tools, in the order of asking; the team's own first.
        denied: What was taken out, each with `unknown_tool` or the label it needs.
        network: Whether it reaches the network, which no level implies (S-ACCESS-06).
    """

    key: str
    access: Access
    tools: tuple[str, ...]
    denied: tuple[Denied, ...] = ()
    network: bool = False
    _held: frozenset[str] = field(init=False, repr=False, eq=False)

    @_held.default
    def _find_held(self) -> frozenset[str]:
        return frozenset(self.tools)

    def allows(self, tool: str) -> bool:
        """Whether the member may call a tool of that name."""
        return tool in self._held


def granted(
    key: str,
    access: str,
    tools: Iterable[str],
    *,
    network: bool = False,
    rules: Sequence[ToolRule] = (),
) -> Grant:
    """
    The grant of a member that asks for these tools at this level.

    >>> scout = granted("scout", "read_only", ["read", "bash", "acme.scan"])
    >>> scout.tools, [one.why for one in scout.denied]
    (('room', 'read'), ['run_commands', 'unknown_tool'])

    Source: S-ACCESS-01 to S-ACCESS-03, S-ACCESS-06 to S-ACCESS-08.
    """
    level = Access(access)
    may = _LABELS[level] | ({Label.NETWORK} if network else set())
    held, denied = {SURFACE: None}, dict[str, Denied]()
    for tool in tools:
        label = label_of(tool, rules)
        if label is None:
            denied[tool] = Denied(tool, "unknown_tool")
        elif label in may or label is Label.ROOM:
            held[tool] = None
        else:
            denied[tool] = Denied(tool, label.value)
    return Grant(key, level, tuple(held), tuple(denied.values()), network)


def summary(
    tools: Iterable[str], rules: Sequence[ToolRule] = ()
) -> tuple[Label | str, ...]:
    """
    What these tools may do together, for a person: in each group the highest label, and
    `other_tools` where one is mapped by nobody (S-ACCESS-03, S-ACCESS-05).

    >>> [str(one) for one in summary(["read", "edit", "git_push"])]
    ['edit_files', 'push']
    """
    labels = [label_of(tool, rules) for tool in tools]
    shown: list[Label | str] = []
    for group in _GROUPS:
        held = [one for one in group if one in labels]
        shown += held[-1:]
    return (*shown, *(["other_tools"] if None in labels else []))


def check_tools(field: str, given: Any) -> tuple[str, ...]:
    """Names of tools, each once, in their order."""
    named = tuple(dict.fromkeys(values.names(field, given)))
    values.whole_number(
        f"{field} (how many)", len(named), at_least=0, at_most=_MOST_TOOLS
    )
    for place, name in enumerate(named):
        values.storable(f"{field}[{place}]", name)
        values.whole_number(
            f"{field}[{place}] (characters)",
            len(name),
            at_least=1,
            at_most=_LONGEST_NAME,
        )
    return named
