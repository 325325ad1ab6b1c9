"""
Presets: the options that make a room behave as one of the systems that it unifies.

Each is a function that returns a `RoomPolicy`; keywords override single options.

>>> hall(max_hops=6).people
'watch'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from types import MappingProxyType
from typing import Any

from attrs import evolve, fields

from rooms import values
from rooms.hearing import Mode
from rooms.pacing import Pushes, RateWindow
from rooms.policy import RoomPolicy

__all__ = ["NAMES", "broker", "hall", "named", "panel", "team", "thread"]

_OPTIONS = tuple(option.name for option in fields(RoomPolicy))


def hall(**overrides: Any) -> RoomPolicy:
    """Many conversations in one room, woken by address; people watch."""
    return _with(
        RoomPolicy(
            people="watch",
            mentions="off",
            bare_word="person",
            home_agent="Eve",
            oversize="truncate",
            attachments_from="threaded",
        ),
        overrides,
    )


def broker(**overrides: Any) -> RoomPolicy:
    """
    An inbox for each agent: leads say who is in a room, all of it wakes or those that a
    message names, and only an acknowledgement settles.

    Source: L-LIMIT-02 to L-LIMIT-06.
    """
    return _with(
        RoomPolicy(
            membership="managed",
            max_members=100,
            lead_may_delete=True,
            mentions="off",
            history="since_join",
            audience="named",
            max_named=20,
            self_address="allow",
            sessions="exclusive",
            default_mode=Mode.EVERY_MESSAGE,
            reply_wakes_author=False,
            settle_on="ack",
            wake_window=None,
            pushes=Pushes(),
            send_window=RateWindow(60, timedelta(minutes=1)),
            max_message_chars=None,
            max_message_bytes=64 * 2**10,
            backlog=4 * 2**20,
            retention=timedelta(days=1),
            max_attachments=5,
            max_attachment_bytes=10 * 2**20,
            max_text_attachment_bytes=2**20,
            attachment_types="known",
        ),
        overrides,
    )


def panel(**overrides: Any) -> RoomPolicy:
    """A roster that speaks in rounds; anybody's `@name` counts, wherever it stands."""
    return _with(
        RoomPolicy(
            mentions="anywhere",
            mentions_from="any",
            default_mode=Mode.EVERY_MESSAGE,
            planner="mentions",
            interrupt="restart",
            max_messages=20,
            on_failure="raise",
        ),
        overrides,
    )


def team(**overrides: Any) -> RoomPolicy:
    """
    One problem, and a team for it that a person approved: its members are fixed, and a
    turn's good end settles what it was woken for.

    `Teams.prepare` makes rooms with it; `Lobby.create_room` makes none.
    """
    return _with(
        RoomPolicy(
            lifecycle="managed",
            membership="fixed",
            history="since_join",
            mentions="off",
            settle_on="accept",
            on_failure="retry",
            planner="signals",
            wake_window=None,
            send_window=RateWindow(20, timedelta(minutes=1)),
            max_message_chars=4_000,
            max_unread=50,
            backlog_full="skip",
            broadcast_wake="lead",
        ),
        overrides,
    )


def thread(**overrides: Any) -> RoomPolicy:
    """A chat in which people address a cast by the names at a message's start."""
    return _with(RoomPolicy(planner="addressed"), overrides)


_PRESETS: Mapping[str, Callable[..., RoomPolicy]] = MappingProxyType(
    {"broker": broker, "hall": hall, "panel": panel, "team": team, "thread": thread}
)
NAMES = tuple(_PRESETS)
"""The presets that there are."""


def named(name: str) -> RoomPolicy:
    """The policy of a preset's name; an unknown one is refused with the names."""
    return _PRESETS[values.member("policy", name, _PRESETS)]()


def _with(policy: RoomPolicy, overrides: Mapping[str, Any]) -> RoomPolicy:
    for name in overrides:
        values.member("option", name, _OPTIONS)
    return evolve(policy, **overrides)
