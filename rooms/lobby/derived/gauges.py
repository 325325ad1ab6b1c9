"""
Gauges, as agents report them: the latest reading of each.

Two laws. A reading is advice and no fact, so it stands in no log, as presence does
(decision 0008). And it is old after a day: then nobody is told of it any more.

    ("of", agent) -> [at, [name, used in millionths, resets_at or None], ...]
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.addressing import name_key
from rooms.errors import InvalidInput
from rooms.log.records import canonical
from rooms.pacing import Gauge
from rooms.storage import Change, Key, Storage
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Reading", "reading", "report"]

_PROJECTION = "gauges.1"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MOST = 8
_LASTS = timedelta(hours=24) // timedelta(microseconds=1)
_FINE = 1_000_000


@frozen
class Reading:
    """
    What an agent last reported of itself.

    Attributes:
        observed_at: When, UTC.
        gauges: By name; those that have begun anew since are left out.
    """

    observed_at: datetime
    gauges: Mapping[str, Gauge]


def report(desk: Desk, agent: str, gauges: Any, *, now: datetime | None) -> None:
    """As `Conversation.report_gauges`, which documents it."""
    if not isinstance(gauges, Mapping) or len(gauges) > _MOST:
        raise InvalidInput(
            "gauges", "is no mapping of so few", allowed=f"up to {_MOST}"
        )
    for name, gauge in gauges.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InvalidInput("gauges", "has a wrong name", allowed=_NAME.pattern)
        if not isinstance(gauge, Gauge):
            kind = type(gauge).__name__
            raise InvalidInput(
                f"gauges[{name!r}]", f"is of type {kind}", allowed="Gauge"
            )
    desk.check_usable()
    written = [
        [
            name,
            round(gauge.used * _FINE),
            None
            if gauge.resets_at is None
            else values.micros("resets_at", gauge.resets_at),
        ]
        for name, gauge in gauges.items()
    ]
    with desk.lock:
        at = desk.time(now)
        known = _read(desk.storage, agent)
        if known is not None and known[0] > at:
            return  # a later one is there already
        change = Change(("of", name_key(agent)), canonical([at, *written]))
        desk.storage.project(_PROJECTION, expected=0, position=0, changes=[change])


def reading(desk: Desk, agent: str, *, now: datetime | None) -> Reading | None:
    """As `Agent.gauges`, which documents it."""
    desk.check_usable()
    with desk.lock:
        at = desk.time(now)
        known = _read(desk.storage, agent)
    if known is None or known[0] + _LASTS <= at:
        return None
    observed, *written = known
    found = {
        name: Gauge(used / _FINE, None if resets is None else moment(resets))
        for name, used, resets in written
        if resets is None or resets > at
    }
    return Reading(moment(observed) or values.LAST, MappingProxyType(found))


def _read(storage: Storage, agent: str) -> list[Any] | None:
    """What is kept of an agent; a row that is damaged says nothing."""
    key: Key = ("of", name_key(agent))
    rows = storage.range(_PROJECTION, low=key, limit=1)
    if not rows or rows[0].key != key:
        return None
    try:
        written = json.loads(rows[0].value)
    except ValueError:
        return None
    return written if isinstance(written, list) and written else None
