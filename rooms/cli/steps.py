"""
A record beside its plans: what was done next, and what the planner would have done.

The record is followed as it stands, also behind a divergence: every plan is made from
the recorded events before it, never from planned ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from attrs import evolve, field, frozen

from rooms.errors import InvalidInput
from rooms.planning import Plan, RoomEvent, RoundRobinRoomPlanner
from rooms.planning.events import speaks_for_a_person
from rooms.transcripts import Recorded

__all__ = ["Step", "Verdict", "steps"]

LONGEST_ACTIVITY = 1_000
"""Each plan reads its activity, so a file without people would cost its square."""

Verdict = Literal["agrees", "other_round", "diverges"]


@frozen
class Step:
    """
    One recorded event, or the end of the record, beside what was planned there.

    Attributes:
        kind: `opens` for a person's event, `turn` for an agent's, `end` for the end.
        planned: What the planner answers to all that stands before.
        recorded: The event and its line; None at the end.
        ignore_rounds: Whether a turn of the right speaker agrees whatever its round.
    """

    kind: Literal["opens", "turn", "end"]
    planned: Plan
    recorded: Recorded | None
    ignore_rounds: bool = field(default=False, kw_only=True)

    @property
    def verdict(self) -> Verdict:
        """How the recorded turn stands to the planned one; others always agree."""
        if self.kind != "turn" or self.recorded is None:
            return "agrees"
        if self.recorded.event.speaker != self.planned.speaker:
            return "diverges"
        same = self.recorded.event.round == self.planned.round
        return "agrees" if same else "other_round"

    @property
    def agrees(self) -> bool:
        """Whether the recorded turn counts as the planner's."""
        if self.verdict == "other_round":
            return self.ignore_rounds
        return self.verdict == "agrees"


def steps(
    planner: RoundRobinRoomPlanner,
    roster: Sequence[str],
    events: Iterable[Recorded],
    *,
    ignore_rounds: bool = False,
    has_rounds: bool = True,
) -> list[Step]:
    """
    Every event of the record beside the plan for its place, and the end. In a record
    that has no rounds a turn is of the round that is planned there.
    """
    members = frozenset(roster)
    # All that a plan depends on, never more than the cap.
    activity: list[RoomEvent] = []
    taken: list[Step] = []
    for one in events:
        recorded = one
        person = speaks_for_a_person(recorded.event, members)
        plan = planner.plan(roster, activity)
        if not (person or has_rounds):
            recorded = evolve(recorded, event=evolve(recorded.event, round=plan.round))
        kind: Literal["opens", "turn"] = "opens" if person else "turn"
        taken.append(Step(kind, plan, recorded, ignore_rounds=ignore_rounds))
        if person:
            activity = [recorded.event]
        elif len(activity) <= planner.max_messages:
            activity.append(recorded.event)
        if len(activity) > LONGEST_ACTIVITY < planner.max_messages:
            raise InvalidInput(
                f"line {recorded.line}",
                f"goes on with an activity of {LONGEST_ACTIVITY:,} events",
                allowed=f"so many, or a --max-messages up to {LONGEST_ACTIVITY}",
                code="too_large",
            )
    taken.append(Step("end", planner.plan(roster, activity), None))
    return taken
