"""
What became of a team, in the same few words for each of its facts.

Law: it says what a fact is about, which member, how that stands from then on, and why;
what somebody worded is text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from rooms.log import team
from rooms.log.events import Event
from rooms.simulation.spans import as_span
from rooms.team.amounts import from_micros

__all__ = ["Stands", "stands"]


class Stands(NamedTuple):
    """
    How something of a team stands.

    Attributes:
        what: What it is about: `team`, `member`, `approval`, `result`, ...
        key: The member's, or "".
        how: How that stands from then on, such as `paused`, `failed`, `asked`.
        why: Why, or more of it: a reason, a limit's name, a destination.
        text: What was worded.
    """

    what: str
    key: str = ""
    how: str = ""
    why: str = ""
    text: str = ""


def limit_told(name: str, value: int) -> str:
    """
    A limit as people write it.

    >>> limit_told("max_cost", 2_500_000), limit_told("max_time", 90_000_000)
    ('2.5', '1m30s')
    """
    if name.endswith("_cost"):
        return f"{from_micros(value).normalize():f}"
    if name in {"max_time", "max_idle"}:
        return as_span(timedelta(microseconds=value))
    return str(value)


_TOLD: Mapping[type[Event], Callable[[Any], Stands]] = {
    team.TeamDrafted: lambda e: Stands("team", "", "drafted", "", e.problem),
    team.TeamMoved: lambda e: Stands("team", "", e.status, e.reason, e.text),
    team.MemberMoved: lambda e: Stands("member", e.key, e.standing, e.why, e.text),
    team.MandateGiven: lambda e: Stands("mandate", e.key, "given", "", e.text),
    team.ChangeProposed: lambda e: Stands(
        "change", e.member, e.verdict, e.why or e.kind, e.text
    ),
    team.ChangeSettled: lambda e: Stands("change", "", e.outcome, e.why),
    team.ApprovalAsked: lambda e: Stands("approval", "", "asked", e.kind, e.text),
    team.ApprovalAnswered: lambda e: Stands("approval", "", e.answer, "", e.text),
    team.LimitSet: lambda e: Stands("limit", "", limit_told(e.name, e.value), e.name),
    team.QuestionAsked: lambda e: Stands("question", e.key, "asked", ", ".join(e.to)),
    team.QuestionSettled: lambda e: Stands("question", "", "settled", e.why),
    team.MemberNudged: lambda e: Stands("member", e.key, "nudged", e.why),
    team.ConductorTold: lambda e: Stands("team", "", "warned", e.why, e.about),
    team.PathsClaimed: lambda e: Stands(
        "claim", e.key, "claimed", e.reason, ", ".join(e.patterns)
    ),
    team.PathsReleased: lambda e: Stands(
        "claim", e.key, "released", "", ", ".join(e.patterns)
    ),
    team.WorkUpdated: lambda e: Stands("work", e.owner, e.status, "", e.title),
    team.ArtifactPublished: lambda e: Stands("artifact", e.key, e.kind, "", e.title),
    team.NotePublished: lambda e: Stands("note", e.key, "given", "", e.text),
    team.TeamFinished: lambda e: Stands("result", "", "sent", e.destination, e.text),
    team.DeliverySettled: lambda e: Stands(
        "result", "", e.outcome, e.problem, e.reference
    ),
}


def stands(event: Event) -> Stands | None:
    """What a fact of a team tells; None for what tells nothing of one."""
    tell = _TOLD.get(type(event))
    return None if tell is None else tell(event)
