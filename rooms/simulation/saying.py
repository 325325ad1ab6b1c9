"""
What somebody says or does in a run: words to somebody, or a call of a tool.

Law: both are values, decided before anything is posted, so that the same can be tried
again after a failure.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.simulation import given

__all__ = ["Call", "Say"]


@frozen
class Say:
    """
    Something to say.

    Attributes:
        text: The words.
        to: Whom it addresses: names of agents, or addresses; one may stand alone. Empty
            answers what was heard.
        room: Where, by its name; None where it was heard, or in the only room.
        at: For what opens a run: how long after its beginning.
    """

    text: str
    to: tuple[str, ...] = field(default=(), converter=given.to)
    room: str | None = None
    at: timedelta = field(default=timedelta(0), converter=given.after)

    def __attrs_post_init__(self) -> None:
        values.storable("text", self.text)
        if self.room is not None:
            values.text("room", self.room, empty=False)


def _arguments(told: Any) -> Mapping[str, Any]:
    if not isinstance(told, Mapping):
        kind = type(told).__name__
        raise InvalidInput("arguments", f"is of type {kind}", allowed="a mapping")
    return MappingProxyType(dict(told))


@frozen
class Call:
    """
    Something to do, as a model would: a call of one of the tools of rooms.

    Attributes:
        tool: The tool, as `rooms.tools.catalog` names it, such as `team_finish`.
        arguments: Its arguments, in JSON's own types. Where it takes a `request_id`,
            the run gives one, so that a second try does nothing again.

    Raises:
        NotFound: `unknown_tool`, with the closest one.
        InvalidInput: `invalid_request` for arguments that the tool does not take.
    """

    tool: str
    arguments: Mapping[str, Any] = field(factory=dict, converter=_arguments, hash=False)

    def __attrs_post_init__(self) -> None:
        from rooms.tools.calling import tool_for  # noqa: PLC0415 - for who calls one

        tool_for(self.tool, self.arguments)

    @property
    def to(self) -> tuple[str, ...]:
        """Whom it names, if it is to somebody."""
        named = self.arguments.get("to", ())
        return (named,) if isinstance(named, str) else tuple(named)

    @property
    def text(self) -> str:
        """What it says, if it says something, else which tool it is."""
        for name in ("content", "text"):
            if isinstance(said := self.arguments.get(name), str):
                return said
        return self.tool

    def repeatable(self, request: str) -> dict[str, Any]:
        """The arguments, with a request id where the tool takes one."""
        from rooms.tools.calling import tool_for  # noqa: PLC0415 - for who calls one

        takes = {one.name for one in tool_for(self.tool, self.arguments).arguments}
        own = {"request_id": request} if "request_id" in takes else {}
        return own | dict(self.arguments)
