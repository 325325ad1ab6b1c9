"""
The panel: a roster that speaks in rounds, opened from a configuration.

Law: a configuration says what it means or is refused, naming the field; what nobody is
behind passes, so that the panel goes on (P-RUN-04).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from rooms import presets, values
from rooms.driving.speakers import ByName
from rooms.driving.views import View
from rooms.errors import InvalidInput
from rooms.lobby import Lobby, Person, Room
from rooms.lobby.given import check_lobby

__all__ = ["by_name", "open_panel"]

_KNOWN = ("name", "roster", "agents", "planner", "max_rounds", "max_messages")


def by_name(agents: Mapping[str, Callable[[View], Any]]) -> Callable[..., Any]:
    """
    A speaker that asks each agent's own function, handed the view; an agent that has
    none passes (P-RUN-04), and a name that no agent of the lobby has is refused as
    the driving begins. For `drive_async` the functions are coroutine functions.
    """
    given: Any = agents
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise InvalidInput("agents", f"is of type {kind}", allowed="a mapping")

    return ByName(agents)


def open_panel(
    lobby: Lobby,
    config: Mapping[str, Any],
    *,
    by: Person,
    request_id: str | None = None,
) -> Room:
    """
    A room of the preset `panel` as a configuration describes it; its agents are added
    where they are not there yet, and join in the roster's order.

    Args:
        lobby: Where.
        config: `name`; `roster` or `agents`, a list of ids, of which `roster` wins and
            a missing one is empty; `planner`, `round_robin` if given; `max_rounds`,
            `max_messages`, whole numbers from 1 on, as text too.
        by: Who opens it.
        request_id: As for `Lobby.create_room`: the same call under the same id, after a
            restart or a crash, is answered with the same room, and seats whom it lacks.

    Raises:
        InvalidInput: `invalid_request`, naming the field.
        Conflict: `room_exists`, where the name is taken; `idempotency_conflict` for a
            request id that stands for another name, or other caps.

    Source: P-RUN-09, P-CAP-01, P-CAP-02.
    """
    check_lobby(lobby)
    given: Any = config
    if not isinstance(given, Mapping):
        kind = type(given).__name__
        raise InvalidInput(
            "config", f"is of type {kind}", allowed="a mapping, such as `to_dict` makes"
        )
    for field in config:
        values.member("config", field, _KNOWN)
    name = values.text("name", config.get("name", ""), empty=False)
    roster = config.get("roster")
    roster = config.get("agents") if roster is None else roster
    names = () if roster is None else _ids(roster)
    values.member("planner", config.get("planner", "round_robin"), ("round_robin",))
    caps = {
        cap: _number(cap, config[cap])
        for cap in ("max_rounds", "max_messages")
        if config.get(cap) is not None
    }
    policy = presets.panel(**caps)
    room = lobby.create_room(name, by=by, policy=policy, request_id=request_id)
    for agent in names:
        room.join(by=lobby.add_agent(agent).conversation())
    return room


def _ids(roster: Any) -> tuple[str, ...]:
    if not isinstance(roster, list | tuple):
        kind = type(roster).__name__
        raise InvalidInput("roster", f"is of type {kind}", allowed="a list of ids")
    return tuple(dict.fromkeys(values.names("roster", roster)))


def _number(cap: str, given: Any) -> int:
    digits = given.strip() if isinstance(given, str) else ""
    number = int(digits[:18]) if digits.isascii() and digits.isdigit() else given
    return values.whole_number(cap, number, at_least=1)
