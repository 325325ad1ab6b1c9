"""
Restarts that a host has planned: when, why, and whether agents are told.

Law: whatever people gave as a reason stands in the body alone; the state knows the
record that holds it (G-NOTICE-01, G-NOTICE-02).
"""

from __future__ import annotations

from attrs import define

from rooms.log.events import Event, recorded

__all__ = ["Restart", "RestartAnnounced", "RestartCalledOff"]


@recorded("restart_announced", body=("reason",))
class RestartAnnounced(Event):
    """A restart is planned for an instant; `notify` tells agents, too."""

    restart_at: int
    notify: bool = False
    reason: str = ""


@recorded("restart_called_off")
class RestartCalledOff(Event):
    """No restart is planned any more."""


@define
class Restart:
    """The restart that is planned, and the version of the record that says why."""

    version: int
    at: int
    notify: bool
