"""
Explaining: what became of one message, for every seat of its room, and by which rule.

Three laws. The log is the only truth: what the event recorded is told as recorded, and
what follows from a seat's mode at that time is said to be derived (foundation 20).
Every seat that was in the room then has an answer, and the reason why it got none. And
it stops reading once nothing that is owed for the message is open.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Literal

from attrs import define, field, frozen
from attrs import evolve as changed

from rooms.errors import NotFound
from rooms.hearing import Tag, hear
from rooms.log import folding
from rooms.log.events import Fact
from rooms.log.ledger import Granted, WakeClosed, WakeReturned, WakeTaken
from rooms.log.pairs import HELD_BY_PAIR
from rooms.log.posting import MessagePosted
from rooms.log.seats import subscription_of
from rooms.log.state import Lane, RoomState, Seat, window_of
from rooms.log.steps import Step, clock, step_of

__all__ = ["Explanation", "Outcome", "SeatExplanation", "explain"]

Outcome = Literal["woken", "held", "digest", "rider", "read_only", "author"]


@frozen(kw_only=True)
class SeatExplanation:
    """
    What the message was to one seat.

    Attributes:
        conversation: The seat's.
        name: What it is called.
        outcome: What became of the message at its post. `woken`: it could be taken at
            once. `held`: the wake window had no place, or a hold was on. `digest`,
            `rider`: it waits for the next digest, or rides with whatever wake comes.
            `read_only`: nothing is owed, it may be read. `author`: it wrote it.
        rule: The rule that says so.
        recorded: Whether the event says it; else it is derived from the seat's mode.
        mode: How the seat listened, or None for a subscription that had ended.
        tag: How it was addressed: `direct`, `group` or `none`.
        until: When what is held may go, or the digest is due, as it stood at the post;
            None where nobody could tell.
        filled_by: The numbers of the messages that filled the window.
        would_wake: What would have woken it instead; "" for what did.
        steps: What happened to it since, in order.
    """

    conversation: str
    name: str
    outcome: Outcome
    rule: str
    recorded: bool
    mode: str | None = None
    tag: str = "none"
    until: int | None = None
    filled_by: tuple[int, ...] = ()
    would_wake: str = ""
    steps: tuple[Step, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether nothing is owed for it any more."""
        if self.outcome in {"read_only", "author"}:
            return True
        return bool(self.steps) and self.steps[-1].what in {"settled", "ended"}

    def __str__(self) -> str:
        told = "recorded" if self.recorded else "derived"
        line = f"{self.name}: {self.outcome.replace('_', ' ')}"
        if self.until is not None:
            line += f" until {clock(self.until)}"
        line += f", by {self.rule} ({told})"
        if self.filled_by:
            line += f"; the window was full of {_numbers(self.filled_by)}"
        if self.would_wake:
            line += f"; {self.would_wake} would have woken it"
        return "\n".join([line, *(f"  {step}" for step in self.steps)])


@frozen
class Explanation:
    """What became of a message; `str()` tells it to people."""

    seq: int
    at: int
    sender: str
    seats: tuple[SeatExplanation, ...]

    def __str__(self) -> str:
        head = f"message {self.seq} by {self.sender}, at {clock(self.at)}"
        return "\n".join([head, *map(str, self.seats)])


def explain(
    facts: Iterable[Fact], seq: int, names: Mapping[str, str] | None = None
) -> Explanation:
    """
    What became of a message, from its room's facts.

    Args:
        facts: The facts of the room from the first one on; no more of them are read
            than are needed.
        seq: The message's number.
        names: What conversations are called; others stand as they are.

    Raises:
        NotFound: `unknown_message` where no fact posts it.
    """
    room, charges = RoomState(), dict[str, list[tuple[int, int]]]()
    called = names or {}
    reading = iter(facts)
    for fact in reading:
        event = fact.event
        if isinstance(event, MessagePosted) and event.seq == seq:
            break
        folding.evolve(room, fact)
        _charge(charges, fact)
    else:
        raise NotFound(
            "unknown_message", f"no message {seq} is in the room", seqs=[seq]
        )
    before = _Before(room, charges)
    seats = before.seats(fact, event, called)
    follow = _Following(seq, seats)
    while not follow.over and (later := next(reading, None)):
        follow.add(later)
    sender = called.get(event.sender, event.sender) or event.author
    return Explanation(seq, fact.at, sender, tuple(seats.values()))


def _charge(charges: dict[str, list[tuple[int, int]]], fact: Fact) -> None:
    """Notes which message took which place of a window."""
    match fact.event:
        case MessagePosted() as message if message.sender:
            for conversation, _, _, _, lane in message.owed:
                if lane == Lane.READY:
                    charges.setdefault(conversation, []).append((fact.at, message.seq))
        case Granted(charged=True) as granted:
            taken = (granted.at, granted.entries[0])
            charges.setdefault(granted.conversation, []).append(taken)


@define
class _Before:
    """The room just before the message, or with it."""

    room: RoomState
    charges: Mapping[str, list[tuple[int, int]]]

    def seats(
        self, fact: Fact, message: MessagePosted, names: Mapping[str, str]
    ) -> dict[str, SeatExplanation]:
        """Every seat that was in the room then, in their order."""
        modes = {name: seat.mode for name, seat in self.room.seats.items()}
        folding.evolve(self.room, fact)
        owed = {one[0]: one for one in message.owed}
        explained = {}
        for name, seat in self.room.seats.items():
            if seat.place != "in":
                continue
            one = SeatExplanation(
                conversation=name,
                name=names.get(name, name),
                outcome="author",
                rule="own_message",
                recorded=True,
                mode=modes.get(name),
            )
            if name in owed:
                one = self._recorded(one, seat, owed[name], fact)
            elif name != message.sender:
                one = _derived(one, seat)
            explained[name] = one
        return explained

    def _recorded(
        self,
        one: SeatExplanation,
        seat: Seat,
        owed: tuple[str, str, str, str, str],
        fact: Fact,
    ) -> SeatExplanation:
        _, _, tag, why, lane = owed
        told = partial(changed, one, rule=why, tag=tag)
        if lane == Lane.HELD:
            hold = _hold(self.room, seat)
            if why == HELD_BY_PAIR:
                hold = hold or "pair's window"
            return told(
                outcome="held",
                until=self.room.release_at(seat),
                filled_by=() if hold else self._filling(seat, fact.at),
                would_wake=f"the end of the {hold}" if hold else "a person's message",
            )
        if lane == Lane.DIGEST:
            until = self.room.digest_at(seat)
            return told(outcome="digest", until=until, would_wake="a mode of tags")
        if lane == Lane.RIDER:
            instead = _WOULD_WAKE_RIDER.get(why, "any other mode")
            return told(outcome="rider", would_wake=instead)
        return told(outcome="woken")

    def _filling(self, seat: Seat, at: int) -> tuple[int, ...]:
        if self.room.policy.wake_window is None:
            return ()
        _, period = window_of(self.room.policy.wake_window)
        charges = self.charges.get(seat.conversation, ())
        return tuple(seq for charged, seq in charges if charged + period > at)


def _hold(room: RoomState, seat: Seat) -> str:
    if room.paused:
        return "pause"
    if seat.held:
        return "rest of its agent"
    return "rest" if seat.resting else ""


def _derived(one: SeatExplanation, seat: Seat) -> SeatExplanation:
    """Nothing was recorded, as nothing was owed: its mode at that time says why."""
    rule = hear(subscription_of(seat), Tag.NONE).rule
    return changed(
        one,
        outcome="read_only",
        rule=rule,
        recorded=False,
        would_wake=_WOULD_WAKE.get(rule, ""),
    )


_WOULD_WAKE_RIDER = {
    "hop_guard": "a person's message",
    "broadcast": "a message of the lead's to all, or one that names it",
    "planned": "the floor",
    "quiet": "an urgency of normal",
}
_WOULD_WAKE = {
    "not_tagged": "its label, a reply to it or an `all`",
    "digest_not_tagged": "nothing but a digest with a tag for it",
    "not_following": "its label or a reply to it",
}


@define
class _Following:
    """What happens to the message's entries, as the facts come."""

    seq: int
    seats: dict[str, SeatExplanation]
    carried: set[str] = field(factory=set)

    @property
    def over(self) -> bool:
        """Whether nothing is owed for it any more."""
        return all(one.settled for one in self.seats.values())

    def add(self, fact: Fact) -> None:
        """Takes a fact in, if it concerns one of the entries."""
        conversation = str(getattr(fact.event, "conversation", ""))
        known = self.seats.get(conversation)
        if known is None or known.settled:
            return
        step = step_of(fact, self.seq, carried=conversation in self.carried)
        if isinstance(fact.event, WakeClosed | WakeReturned):
            self.carried.discard(conversation)
        if step is None:
            return
        if isinstance(fact.event, WakeTaken):
            self.carried.add(conversation)
        self.seats[conversation] = changed(known, steps=(*known.steps, step))


def _numbers(seqs: tuple[int, ...]) -> str:
    """Numbers for people: those that follow each other as a span."""
    spans: list[list[int]] = []
    for seq in seqs:
        if spans and seq == spans[-1][-1] + 1:
            spans[-1] = [spans[-1][0], seq]
        else:
            spans.append([seq])
    return ", ".join("-".join(map(str, span)) for span in spans)
