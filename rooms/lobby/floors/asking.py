"""
What a planner is asked about a room, and what the library's own planners answer.

Law: a question is made from the room's state and the messages up to it, so it is the
same whenever it is asked about the same state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from attrs import frozen

from rooms.lobby.recording.streams import room_stream
from rooms.log import floors
from rooms.log.activities import Activity
from rooms.log.events import Fact, decoded
from rooms.log.posting import MessagePosted
from rooms.log.state import RoomState
from rooms.planning.events import RoomEvent
from rooms.planning.floors import (
    PLANNERS,
    FloorOptions,
    FloorPlan,
    FloorQuestion,
    HadFloor,
    plan_floor,
)
from rooms.policy import RoomPolicy
from rooms.storage import Storage

if TYPE_CHECKING:
    from rooms.lobby.floors.heard import Heard

__all__ = ["Asked", "answered", "asked", "unread"]


@frozen
class Asked:
    """
    What a planner is asked, about which state of the activity, and what conversation
    each name of the roster stands for.
    """

    planner: str
    about: tuple[int, int, int]
    question: FloorQuestion
    roster: Mapping[str, str]

    @property
    def is_ours(self) -> bool:
        """Whether the planner is one of the library's own."""
        return self.planner in PLANNERS


def answered(asked: Asked) -> FloorPlan:
    """What one of the library's own planners says."""
    return plan_floor(asked.planner, asked.question)


def unread(room: RoomState) -> FloorPlan | None:
    """
    As `answered` for a room's activity, by a planner of ours that reads nothing of what
    was said: it is asked with conversations, and names one. None for any other.
    """
    activity, policy = room.activity, room.policy
    if activity is None or _reads(policy) or policy.planner not in PLANNERS:
        return None
    turns = [(one.conversation, one.round, one.outcome) for one in activity.turns]
    return _counted(
        _Counted(
            policy.planner,
            policy.max_rounds,
            policy.max_messages,
            room.is_rostered(),
            activity.cast,
            activity.cover,
            tuple(turns),
        )
    )


class _Counted(NamedTuple):
    """All that a planner goes by which reads nothing; `turns` are whose, when, what."""

    planner: str
    max_rounds: int
    max_messages: int | None
    rostered: bool
    cast: tuple[str, ...]
    cover: tuple[str, ...]
    turns: tuple[tuple[str, int, str], ...]


@lru_cache(maxsize=1_000)
def _counted(one: _Counted) -> FloorPlan:
    """Equal activities go on alike (P-PLAN-02), and most have an equal before them."""
    question = FloorQuestion(
        ("somebody",) if one.rostered else (),
        _UNREAD,
        [HadFloor(who, "", number, outcome) for who, number, outcome in one.turns],
        one.cast,
        one.cover,
        _options(one.max_rounds, one.max_messages),
    )
    return plan_floor(one.planner, question)


def asked(
    storage: Storage,
    room: RoomState,
    unstored: Iterable[Fact] = (),
    heard: Heard | None = None,
) -> Asked | None:
    """
    The question about a room's activity, of which some facts may be stored nowhere yet,
    and some may have been heard already; None where nobody is to be asked.
    """
    about, activity = floors.to_plan(room), room.activity
    if about is None or activity is None:
        return None
    roster, policy = room.rostered(), room.policy
    names = {one: name for name, one in roster.items()}
    opener = _UNREAD
    if _reads(policy):
        said = _said(storage, room, activity, unstored, heard)
        opening = said.pop(activity.opener, None)
        if opening is not None:
            opener = RoomEvent(opening.author, opening.text, human=True)
        turns = _turns(activity, said, names)
    else:
        turns = _outcomes(activity, names)
    question = FloorQuestion(
        tuple(roster),
        opener,
        tuple(turns),
        tuple([_named(one, names) for one in activity.cast]),
        tuple([_named(one, names) for one in activity.cover]),
        _options(
            policy.max_rounds,
            policy.max_messages,
            policy.handoffs,
            policy.last_question,
            policy.stop_line,
        ),
    )
    return Asked(policy.planner, about, question, roster)


_UNREAD = RoomEvent("person", human=True)


def _reads(policy: RoomPolicy) -> bool:
    """
    Whether the planner of a room reads what was said. Rounds over a cast read none: all
    that counts is what came of each turn.
    """
    if policy.handoffs or policy.last_question or policy.stop_line:
        return True
    return policy.planner not in {"addressed", "roster"}


_options = lru_cache(maxsize=100)(FloorOptions)
"""What bounds an activity: one value for all rooms of such a policy."""


def _named(conversation: str, names: Mapping[str, str]) -> str:
    """
    What a planner calls a conversation: the agent's name, for its rostered seat; one
    that has no turns here is called by its id.
    """
    return names.get(conversation, conversation)


def _said(
    storage: Storage,
    room: RoomState,
    activity: Activity,
    unstored: Iterable[Fact],
    heard: Heard | None,
) -> dict[int, MessagePosted]:
    """The messages of the activity by their numbers, for a planner that reads them."""
    said: dict[int, MessagePosted] = {}
    new = [one for fact in unstored if isinstance(one := fact.event, MessagePosted)]
    after, stored = activity.opener - 1, new[0].seq - 1 if new else room.seq
    known = None if heard is None else heard.known(room, after, stored)
    if known is not None:
        events = (one.fact.event for one in known)
        said = {one.seq: one for one in events if isinstance(one, MessagePosted)}
        after = stored
    while after < stored:
        records = storage.messages(
            room_stream(room.id), after=after, limit=min(stored - after, 1_000)
        )
        if not records:
            break
        for record in records:
            event = decoded(record).event
            if isinstance(event, MessagePosted):
                said[event.seq] = event
                after = event.seq
    said.update((one.seq, one) for one in new if activity.opener <= one.seq)
    return said


def _outcomes(activity: Activity, names: Mapping[str, str]) -> list[HadFloor]:
    """The turns, without what was said in them."""
    return [
        _had(names.get(turn.conversation, turn.conversation), turn.round, turn.outcome)
        for turn in activity.turns
    ]


@lru_cache(maxsize=1_000)
def _had(name: str, turn_round: int, outcome: str) -> HadFloor:
    return HadFloor(name, "", turn_round, outcome)


def _turns(
    activity: Activity, said: dict[int, MessagePosted], names: Mapping[str, str]
) -> list[HadFloor]:
    """The turns, with what was said out of turn between them (P-RUN-07)."""
    turns: list[HadFloor] = []
    of_turns = {seq for turn in activity.turns for seq in turn.seqs}
    spare = [
        event
        for seq, event in said.items()
        if seq not in of_turns and seq not in activity.aside
        if event.sender and not event.late and not event.failed
    ]
    for turn in activity.turns:
        while spare and turn.seqs and spare[0].seq < turn.seqs[0]:
            turns.append(_spare(spare.pop(0), turns, names))
        name = _named(turn.conversation, names)
        content = "\n".join([said[seq].text for seq in turn.seqs if seq in said])
        turns.append(HadFloor(name, content, turn.round, turn.outcome))
    for event in spare:
        turns.append(_spare(event, turns, names))
    return turns


def _spare(
    event: MessagePosted, before: Sequence[HadFloor], names: Mapping[str, str]
) -> HadFloor:
    current = max((turn.round for turn in before), default=0)
    return HadFloor(_named(event.sender, names), event.text, current)
