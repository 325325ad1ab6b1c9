"""
The panel: who of a roster speaks next, as a pure function of roster and transcript.

Three laws:

- The answer depends on the current activity only, the slice from the last person's
  event on, and costs what that slice costs (P-ACTIVITY-01, P-ACTIVITY-05).
- Speakers come in the roster's order and from the roster only (P-PLAN-05).
- A person opens round 0 for everybody; each later round is for those whom an agent
  named in the round before (P-ROUND-01, P-ROUND-02).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import islice
from math import inf
from typing import Any, Literal

from attrs import Attribute, define, field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.planning.events import (
    Event,
    RoomEvent,
    from_mapping,
    speaks_for_a_person,
)
from rooms.planning.mentions import extract_mentions, named

__all__ = ["Plan", "PlanReason", "RoundRobinRoomPlanner"]

PlanReason = Literal[
    "turn", "settled", "round_cap", "message_cap", "no_person", "empty_roster"
]
"""Why a plan names a speaker, or none: see `Plan`."""
_EVENTS = "a sequence of events"
_Turn = tuple[str, int, str]  # speaker, round, content


@frozen
class Plan:
    """
    Who speaks next, in which round, or why nobody does.

    Attributes:
        speaker: The agent's id, or None when the room waits for a person.
        round: The round of the turn; without one, the last round that was reached.
        reason: `turn`, or why there is none. `settled`: nobody is left to speak.
            `round_cap`: somebody was named for a round that the cap forbids.
            `message_cap`: the activity holds as many events as it may. `no_person`:
            nobody opened an activity yet. `empty_roster`: there is nobody to ask.

    Source: P-PLAN-03, P-CAP-06: here a cap does not look like a finish.
    """

    speaker: str | None
    round: int
    reason: PlanReason

    def event(
        self, content: str = "", *, passed: bool = False, human: bool | None = None
    ) -> RoomEvent:
        """
        The planned turn as an event to append, its speaker and round stamped.

        Args:
            content: What the speaker said.
            passed: Whether it passed.
            human: False fixes the event as an agent's, also for a later roster.

        Raises:
            InvalidInput: `invalid_request` when the plan names no speaker.

        Source: P-ROUND-09: the round of a reply is the one it was scheduled for.
        """
        if self.speaker is None:
            raise InvalidInput("plan.speaker", f"is nobody ({self.reason})")
        return RoomEvent(self.speaker, content, self.round, passed, human)


def _at_least_one(_: object, attribute: Attribute[int], value: Any) -> None:
    values.whole_number(attribute.name, value, at_least=1, at_most=inf)


def _true_or_false(_: object, attribute: Attribute[bool], value: Any) -> None:
    values.flag(attribute.name, value)


@define
class RoundRobinRoomPlanner:
    """
    The bounded round-robin planner; a drop-in for PraisonAI's own.

    Attributes:
        max_rounds: No turn in this round or a later one; rounds count from 0.
        max_messages: No turn once the activity holds so many events, the person's and
            all passes included.
        strict_mentions: Take `@coder.` for the name `coder.`, as PraisonAI's does.

    Raises:
        InvalidInput: `invalid_request`, also a ValueError, for a cap below 1.

    On every legal transcript it agrees with PraisonAI's planner, driven to the end; the
    differences are listed on the page *Differences from PraisonAI's panel*.

    Source: the P rules; docs/rules/panel.md.

    >>> planner = RoundRobinRoomPlanner()
    >>> log = [RoomEvent("ana", "build a login form")]
    >>> planner.plan_next(["coder", "reviewer"], log)
    'coder'
    """

    max_rounds: int = field(default=3, validator=_at_least_one)
    max_messages: int = field(default=20, validator=_at_least_one)
    strict_mentions: bool = field(default=False, kw_only=True, validator=_true_or_false)

    def plan_next(
        self, roster: Sequence[str], transcript: Sequence[Event]
    ) -> str | None:
        """
        The id of the next agent to speak, or None when the room waits for a person.

        Args:
            roster: Agent ids in speaking order; a repeated one counts once.
            transcript: Events, oldest first. It is read from its end, and no further
                than `max_messages` events back.

        Raises:
            InvalidInput: `invalid_request` for a roster or a transcript of wrong types.
        """
        return self._decide(roster, transcript)[0]

    def plan(self, roster: Sequence[str], transcript: Sequence[Event]) -> Plan:
        """
        The next turn with its round, or the reason why there is none.

        Arguments and errors are those of `plan_next`. Only where no person's event lies
        within the cap does it look further back, to tell `message_cap` from
        `no_person`.
        """
        if type(roster) is not list and type(roster) is not tuple:
            roster = values.names("roster", roster)  # once: it may be used up by that
        speaker, turn_round, reason = self._decide(roster, transcript)
        if reason == "message_cap" and not _opened(roster, transcript):
            reason = "no_person"
        return Plan(speaker, turn_round, reason)

    def _decide(
        self, roster: Sequence[str], transcript: Sequence[Event]
    ) -> tuple[str | None, int, PlanReason]:
        try:
            if type(roster) is not list and type(roster) is not tuple:
                roster = values.names("roster", roster)
            if not roster:
                return None, 0, "empty_roster"
            members = set(roster)
            "".join(roster)  # refuses whatever is no string, at no cost
            if "" in members:
                values.names("roster", roster)
            count, highest, spoken, doubled = _current_activity(
                members, transcript, self.max_messages
            )
            if count < 0:
                return None, highest, "message_cap"
            if highest == 0:  # the whole roster, in its order (P-ROUND-01)
                for name in roster:
                    if name not in spoken:
                        return _checked(name), 0, "turn"
            events = list(islice(reversed(transcript), count))
            return self._named_turn(roster, members, events[::-1], doubled=doubled)
        except (AttributeError, TypeError) as error:
            raise _malformed(roster, transcript) from error

    def _named_turn(
        self,
        roster: Sequence[str],
        members: AbstractSet[str],
        events: Sequence[Event],
        *,
        doubled: bool,
    ) -> tuple[str | None, int, PlanReason]:
        """
        The first in roster order who is admitted to the highest round and has not
        spoken in it, else in the next (P-PLAN-06); lower rounds are never filled
        afterwards (P-PLAN-07).
        """
        turns = [(event.speaker, event.round, event.content) for event in events]
        if doubled:
            turns = self._restamped(members, turns)
        highest = max((turn_round for _, turn_round, _ in turns), default=0)
        for turn_round in (highest, highest + 1):
            due = self._admitted(members, turns, turn_round)
            due -= {
                speaker for speaker, spoken_in, _ in turns if spoken_in == turn_round
            }
            if due and turn_round >= self.max_rounds:
                return None, highest, "round_cap"
            for name in roster:
                if name in due:
                    return _checked(name), turn_round, "turn"
        return None, highest, "settled"

    def _admitted(
        self, members: AbstractSet[str], turns: Iterable[_Turn], turn_round: int
    ) -> set[str]:
        """Whom an agent named in the round before, the author included (P-ROUND-05)."""
        if turn_round == 0:
            return set(members)
        admits = self._reader(members)
        admitted: set[str] = set()
        for _, written_in, content in turns:
            if written_in == turn_round - 1 and content:
                admitted |= admits(content)
        return admitted

    def _reader(self, members: AbstractSet[str]) -> Callable[[str], AbstractSet[str]]:
        """What tells the members that a text names."""
        if self.strict_mentions:
            return lambda text: members & set(extract_mentions(text))
        lengths = {len(name) for name in members}
        return lambda text: (
            members & {named(name, members, lengths) for name in extract_mentions(text)}
        )

    def _restamped(
        self, members: AbstractSet[str], turns: Iterable[_Turn]
    ) -> list[_Turn]:
        """
        The same turns with the rounds that they must have belonged to.

        An agent speaks once a round (P-ROUND-03), so a second event of one agent in the
        highest round carries a stale number: it was the turn that the agent was due
        then. The peer's runtime writes such numbers under every planner but its own,
        and would otherwise be told to run the same agent until the cap.
        """
        admits = self._reader(members)
        admitted: dict[int, AbstractSet[str]] = {0: members}
        restamped: list[_Turn] = []
        spoken: set[tuple[str, int]] = set()
        highest = 0
        for speaker, stamp, content in turns:
            turn_round = stamp
            if (speaker, stamp) in spoken:
                for due in (highest, highest + 1):
                    named_for = admitted.get(due, frozenset())
                    fresh = speaker in named_for and (speaker, due) not in spoken
                    if fresh and due < self.max_rounds:
                        turn_round = due
                        break
            restamped.append((speaker, turn_round, content))
            spoken.add((speaker, turn_round))
            following = admitted.get(turn_round + 1, frozenset())
            admitted[turn_round + 1] = following | admits(content)
            highest = max(highest, turn_round)
        return restamped


def _current_activity(
    members: AbstractSet[str], transcript: Sequence[Event], max_messages: int
) -> tuple[int, int, set[str], bool]:
    """
    How many events agents added since the last person's, their highest round, who spoke
    in it, and whether anybody did so twice; a count of -1 when the cap is reached.

    A turn needs the opener and fewer than `max_messages` events in all: if the opener
    is not among the last of them, there is none (P-CAP-02).
    """
    spoken: set[str] = set()
    highest, doubled = 0, False
    for count, event in enumerate(reversed(transcript)):
        if count + 1 == max_messages:
            break
        speaker, turn_round = event.speaker, event.round
        human = getattr(event, "human", None)
        if speaker not in members if human is None else human:
            return count, highest, spoken, doubled
        if turn_round > highest:
            highest, spoken, doubled = turn_round, {speaker}, False
        elif turn_round == highest:
            doubled = doubled or speaker in spoken
            spoken.add(speaker)
    return -1, highest, spoken, doubled


def _checked(name: Any) -> str:
    return values.text("roster", name, empty=False)


def _opened(roster: Sequence[str], transcript: Sequence[Event]) -> bool:
    """Whether a person has spoken at all."""
    members = frozenset(roster)
    return any(speaks_for_a_person(event, members) for event in reversed(transcript))


def _malformed(roster: Sequence[str], transcript: Sequence[Event]) -> InvalidInput:
    """What was wrong with the arguments, looked for only after something broke."""
    values.names("roster", roster)
    events: Any = transcript
    if isinstance(events, str | bytes) or not isinstance(events, Sequence):
        kind = type(events).__name__
        return InvalidInput("transcript", f"is of type {kind}", allowed=_EVENTS)
    fields: Mapping[str, type] = {"speaker": str, "content": str, "round": int}
    for place, event in enumerate(events):
        if isinstance(event, Mapping):
            return from_mapping(f"transcript[{place}]", event)
        if not hasattr(event, "speaker"):
            problem = f"is of type {type(event).__name__}"
            return InvalidInput(f"transcript[{place}]", problem, allowed="an event")
        for name, wanted in fields.items():
            value = getattr(event, name, None)
            if not isinstance(value, wanted):
                return InvalidInput(
                    f"transcript[{place}].{name}",
                    f"is of type {type(value).__name__}",
                    allowed=f"of type {wanted.__name__}",
                )
    return InvalidInput("transcript", "cannot be read", allowed=_EVENTS)
