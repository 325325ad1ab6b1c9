"""
A run in a few lines: how much of what, where its teams stand, and what reached nobody.

Law: whatever a run was refused is told with who said what to whom, so that a name that
was mistyped is seen where the run is seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rooms.rendering.showing import shown
from rooms.simulation.spans import as_span

if TYPE_CHECKING:
    from decimal import Decimal

    from rooms.simulation.run import Noted, Run

__all__ = ["refusals", "reported", "teams_told"]

Row = dict[str, Any]

_KINDS = frozenset({"refused", "unresolved"})
_LINES = 5
_WORDS = 40
_LONGEST = 400


def refusals(notes: tuple[Noted, ...]) -> list[Row]:
    """What was refused or reached nobody, one row for who, to whom and why."""
    rows: dict[tuple[Any, ...], Row] = {}
    for note in notes:
        if note.what not in _KINDS:
            continue
        code = note.detail or note.what
        row = rows.setdefault(
            (note.who, note.to, code),
            {
                "at": note.at,
                "who": note.who,
                "to": list(note.to),
                "code": code,
                "count": 0,
                "text": note.text,
                "problem": note.problem,
            },
        )
        row["count"] += 1
    return list(rows.values())


def teams_told(run: Run) -> list[Row]:
    """Where each team stands at the end, and what it used."""
    told = []
    for room, team in run.teams.items():
        standing, usage = team.standing, team.usage
        told.append(
            {
                "room": room,
                "status": standing.status,
                "reason": standing.reason,
                "text": standing.text or _said(run, room, standing.reason),
                "cost": usage.cost,
                "tokens": usage.tokens,
                "turns": usage.turns,
                "worked": usage.worked,
            }
        )
    return told


def _said(run: Run, room: str, reason: str) -> str:
    """The words with which a team began to stop where it stands."""
    told = [
        row["text"]
        for row in run.records("team")
        if (row["room"], row["what"], row["why"]) == (room, "team", reason)
        if reason and row["text"]
    ]
    return told[-1] if told else ""


def reported(run: Run) -> list[str]:
    """The lines in which a run is told; the first one is the run's own."""
    counted = {kind: len(run.records(kind)) for kind in ("messages", "turns", "holds")}
    told = ", ".join(f"{number} {kind}" for kind, number in counted.items())
    rows = refusals(run.notes)
    for what in ("refused", "unresolved"):
        number = sum(note.what == what for note in run.notes)
        told += f", {number} {what}" if number else ""
    teams = teams_told(run)
    for team in teams:
        name = team["room"] if len(teams) > 1 else "team"
        why = f" ({team['reason']})" if team["reason"] else ""
        told += f"; {name} {team['status']}{why}"
        told += f", cost {_amount(team['cost'])}" if team["cost"] else ""
    after = as_span(run.ended - run.scenario.begins)
    first = f"<Run seed={run.seed}: {told}; {run.reason} after {after}>"
    rows.sort(key=lambda row: -row["count"])
    lines = [f"  {shown(_refusal(row), at_most=_LONGEST)}" for row in rows[:_LINES]]
    if len(rows) > _LINES:
        lines.append(f"  {len(rows) - _LINES} more: run.records('refusals')")
    return [first, *lines]


def _refusal(row: Row) -> str:
    to = " to " + ", ".join(row["to"]) if row["to"] else ""
    text = " ".join(row["text"].split())
    words = text if len(text) <= _WORDS else f"{text[: _WORDS - 1]}…"
    times = "once" if row["count"] == 1 else f"{row['count']} times"
    return f"{row['who'] or 'a person'}{to}, {times}: {row['code']}, first {words!r}"


def _amount(cost: Decimal) -> str:
    return f"{cost.normalize():f}"
