"""
Who has the floor next in a room that is planned: the planners by their names.

Three laws. A planner is asked with values and answers with one, so the same activity
always goes on alike (P-PLAN-02). Whatever it is, its activity ends: a cap holds for
those that would never (P-PROTO-04). And nobody outside the roster is ever named
(P-PROTO-05).

`mentions` is the panel: the whole roster, then those whom agents name. `addressed` is
the thread: bounded rounds over whom the person named. `roster` is such rounds over all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.planning.cast import CastPlanner, CastReply, next_round
from rooms.planning.events import RoomEvent
from rooms.planning.mentions import extract_mentions, named
from rooms.planning.round_robin import RoundRobinRoomPlanner

__all__ = [
    "PLANNERS",
    "FloorOptions",
    "FloorPlan",
    "FloorQuestion",
    "HadFloor",
    "plan_floor",
    "plan_with",
]

MOST_TURNS = 100
"""The turns of an activity that nothing else bounds."""

_NO_CAP = 10**9
_LOST = frozenset({"failed", "timed_out", "absent"})
_SILENT = frozenset({"passed", "absent", "failed", "timed_out"})


@frozen
class HadFloor:
    """
    A turn that is used up, or what somebody said out of turn.

    Attributes:
        speaker: Whose, as the roster spells it.
        content: What was said; "" for nothing.
        round: In which round, from 0.
        outcome: `spoke`, `passed`, `empty`, `failed`, `timed_out`, `absent`.
    """

    speaker: str
    content: str
    round: int
    outcome: str = "spoke"


@frozen
class FloorOptions:
    """What bounds an activity; each option is one of the room's policy."""

    max_rounds: int = 3
    max_messages: int | None = None
    handoffs: bool = False
    last_question: bool = False
    stop_line: str = ""


@frozen
class FloorQuestion:
    """
    An activity, as a planner is asked about it.

    Attributes:
        roster: Who is there, in speaking order.
        opener: The person's message.
        turns: What came since, in its order.
        cast: Whom the message addressed, in written order.
        cover: Who steps in where the turn of the one in the cast fails.
        options: What bounds it.
    """

    roster: Sequence[str]
    opener: RoomEvent
    turns: Sequence[HadFloor] = ()
    cast: Sequence[str] = ()
    cover: Sequence[str] = ()
    options: FloorOptions = FloorOptions()


@frozen
class FloorPlan:
    """
    Who has the floor next, or why nobody has.

    Attributes:
        speaker: Who, or None.
        round: The round of the turn, from 0.
        reason: `turn` while there is one; else `settled`, `round_cap`, `message_cap`,
            `exhausted` where everybody failed, `stopped` by the stop line,
            `empty_roster`.
        may_pass: Whether the speaker is told that it may decline, by the word `pass`;
            the panel never reads words so (P-PASS-05).
    """

    speaker: str | None
    round: int
    reason: str
    may_pass: bool = False


def plan_floor(planner: str, question: FloorQuestion) -> FloorPlan:
    """What the planner of that name answers; one of `PLANNERS`."""
    ended = _ended(question, question.options.max_messages)
    return ended or PLANNERS[planner](question)


def plan_with(planner: Any, question: FloorQuestion) -> FloorPlan:
    """
    What somebody else's planner answers, an object with `plan_next`.

    Its turns are of the activity's current round, as it has no rounds that we know of
    (P-RUN-05), and an activity that it would never end is bounded.

    Raises:
        InvalidInput: `not_on_roster` for a name outside the roster, and
            `invalid_request` for what is no name.
    """
    most = question.options.max_messages or MOST_TURNS
    ended = _ended(question, most)
    if ended is not None:
        return ended
    current = max((turn.round for turn in question.turns), default=0)
    events = [question.opener, *map(_event, question.turns)]
    speaker = planner.plan_next(tuple(question.roster), tuple(events))
    if speaker is None:
        return FloorPlan(None, current, "settled")
    if values.text("the plan", speaker) not in question.roster:
        raise InvalidInput(
            "the plan",
            f"names {speaker[:80]!a}",
            allowed="somebody on the roster",
            code="not_on_roster",
        )
    return FloorPlan(speaker, current, "turn")


def _ended(question: FloorQuestion, most: int | None) -> FloorPlan | None:
    """What ends an activity under every planner."""
    current = max([turn.round for turn in question.turns], default=0)
    if not question.roster:
        return FloorPlan(None, current, "empty_roster")
    if question.options.stop_line and _stopped(question):
        return FloorPlan(None, current, "stopped")
    if most is not None and len(question.turns) + 1 >= most:
        return FloorPlan(None, current, "message_cap")
    return None


def _stopped(question: FloorQuestion) -> bool:
    """Whether the stop line stands as a whole line in a turn after everyone's first."""
    missing = set(question.cast or question.roster)
    for turn in question.turns:
        missing.discard(turn.speaker)
        lines = (line.strip() for line in turn.content.splitlines())
        if not missing and question.options.stop_line in lines:
            return True
    return False


# -- the panel


def _mentions(question: FloorQuestion) -> FloorPlan:
    options = question.options
    within = [one for one in question.turns if one.round < options.max_rounds]
    planner = RoundRobinRoomPlanner(options.max_rounds, _NO_CAP)
    events = [question.opener, *map(_event, within)]
    plan = planner.plan(question.roster, events)
    if plan.reason == "round_cap":
        asked = _last_questions(question, question.roster)
        if asked is not None:
            return asked
    return FloorPlan(plan.speaker, plan.round, plan.reason)


def _event(turn: HadFloor) -> RoomEvent:
    silent = turn.outcome in _SILENT
    content = "" if silent else turn.content
    return RoomEvent(turn.speaker, content, turn.round, silent, human=False)


# -- the thread


def _rounds(question: FloorQuestion) -> FloorPlan:
    if question.options.handoffs:
        return _handed_on(question)
    cap = _cap(question.options.max_rounds)
    within = [one for one in question.turns if one.round < cap]
    plan = _cast_plan(question.cast, within, cap)
    if plan.reason == "exhausted" and question.cover:
        plan = _covered(question)
    if plan.speaker is None:
        return _last_questions(question, question.cast) or plan
    return plan


@lru_cache(maxsize=100)
def _cap(max_rounds: int) -> int:
    return CastPlanner(max_rounds).cap


def _cast_plan(cast: Sequence[str], turns: Sequence[HadFloor], cap: int) -> FloorPlan:
    members = dict.fromkeys(cast)
    own = [turn for turn in turns if turn.speaker in members]
    last = max([turn.round for turn in own], default=-1)
    for turn in own:
        if turn.outcome in _LOST and turn.round < last:
            members.pop(turn.speaker, None)
    replies = [_reply(one.speaker, one.outcome) for one in own if one.round == last]
    plan = next_round(tuple(members), replies, cap, ran=last + 1)
    if plan.speakers:
        return FloorPlan(plan.speakers[0], plan.round - 1, "turn", plan.may_pass)
    reason: str = plan.reason
    if reason == "capped":  # a cap that stops nobody is no cap (R-NOTE-04)
        reason = "round_cap" if plan.note else "settled"
    return FloorPlan(None, max(last, 0), reason)


@lru_cache(maxsize=1_000)
def _reply(speaker: str, outcome: str) -> CastReply:
    """The outcome alone: whether it was silence was seen when it was recorded."""
    text = "said" if outcome == "spoke" else ""
    return CastReply(speaker, text, ok=outcome not in _LOST)


def _covered(question: FloorQuestion) -> FloorPlan:
    """The others have a turn each, where the turn of the default responder failed."""
    had = {turn.speaker for turn in question.turns}
    for name in question.cover:
        if name not in had:
            return FloorPlan(name, 0, "turn")
    lost = all(turn.outcome in _LOST for turn in question.turns)
    return FloorPlan(None, 0, "exhausted" if lost else "settled")


def _handed_on(question: FloorQuestion) -> FloorPlan:
    """
    Whoever is named in an answer comes behind those who were named before, each once at
    a time; none is lost.
    """
    most = question.options.max_rounds * len(question.roster)
    queue = list(question.cast)
    had: dict[str, int] = {}
    lost: set[str] = set()
    for turn in question.turns:
        had[turn.speaker] = had.get(turn.speaker, 0) + 1
        if turn.speaker in queue:
            queue.remove(turn.speaker)
        if turn.outcome in _LOST:
            lost.add(turn.speaker)
        for name in _named_in(turn, question.roster):
            if name not in queue and name != turn.speaker:
                queue.append(name)
    due = [name for name in queue if name not in lost]
    current = max(had.values(), default=1) - 1
    if due and len(question.turns) >= most:
        return FloorPlan(None, current, "round_cap")
    if due:
        return FloorPlan(due[0], had.get(due[0], 0), "turn", may_pass=True)
    reason = "exhausted" if lost and lost >= set(had) else "settled"
    return FloorPlan(None, current, reason)


# -- both


def _last_questions(question: FloorQuestion, order: Sequence[str]) -> FloorPlan | None:
    """
    The turn behind the cap of somebody who was asked in the last allowed round: by
    name, with a question mark, and not by itself. It is asked once, and asks nobody.
    """
    if not question.options.last_question:
        return None
    cap = question.options.max_rounds
    asked: set[str] = set()
    for turn in question.turns:
        if turn.round == cap - 1 and "?" in turn.content:
            asked |= {one for one in _named_in(turn, order) if one != turn.speaker}
    asked -= {turn.speaker for turn in question.turns if turn.round == cap}
    asked -= {turn.speaker for turn in question.turns if turn.outcome in _LOST}
    for name in order:
        if name in asked:
            return FloorPlan(name, cap, "turn")
    return None


def _named_in(turn: HadFloor, roster: Sequence[str]) -> list[str]:
    """Whom of the roster a turn names, in order of first appearance."""
    if turn.outcome != "spoke":
        return []
    members = frozenset(roster)
    lengths = {len(name) for name in members}
    found = (named(name, members, lengths) for name in extract_mentions(turn.content))
    return list(dict.fromkeys(name for name in found if name in members))


PLANNERS: Mapping[str, Callable[[FloorQuestion], FloorPlan]] = MappingProxyType(
    {"addressed": _rounds, "mentions": _mentions, "roster": _rounds}
)
"""The planners that the library brings, by the name that a policy gives."""
