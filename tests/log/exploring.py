"""
The exploration of the ledger: every sequence of operations up to a depth, over two
seats and a person, with states that are alike explored once.

Beside the fresh room, it starts from rooms in the middle of something, so that few
operations reach far.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any

from attrs import field, frozen

from log.invariants import (
    OF_STATES,
    OF_TRANSITIONS,
    Walk,
    everything_owed_is_settled_once_the_hosts_do_their_part,
    folding_the_events_gives_the_state_from_a_snapshot,
)
from log.room import SECOND, Room, room
from rooms.errors import RoomsError
from rooms.log.events import Event
from rooms.log.state import Seat
from rooms.pacing import RateWindow
from rooms.policy import RoomPolicy

Command = Callable[[Room], object]

EVE, ADA, OPS = "eve", "Ada/a", "ops"
MINUTE = 60
HOLD = 45


@frozen
class Setting:
    """A policy, and how the two listen in it."""

    name: str
    policy: RoomPolicy
    eve: str
    ada: str
    tagged_only: bool = False
    modes: Mapping[str, str] = field(factory=dict)

    def start(self) -> Walk:
        made = room(policy=self.policy)
        made.checked = False
        made.join(EVE, self.eve, minutes=1, tagged_only=self.tagged_only)
        made.join(ADA, self.ada, minutes=1)
        made.now = SECOND
        walk = Walk(made)
        walk.accounts.book((fact.event for fact in made.facts), 0)
        return walk


def _policy(limit: int | None, **options: Any) -> RoomPolicy:
    window = None if limit is None else RateWindow(limit, timedelta(seconds=MINUTE))
    return RoomPolicy(wake_window=window, send_window=None, **options)


SETTINGS = (
    Setting("tags", _policy(1), "when_tagged", "every_message"),
    Setting("acks", _policy(2, settle_on="ack"), "every_message", "when_tagged"),
    Setting("digests", _policy(1), "digest", "next_turn"),
    Setting("hops", _policy(None, max_hops=2), "when_tagged", "every_message"),
    Setting(
        "demand",
        _policy(1, settle_on="ack", max_hops=1),
        "digest",
        "on_demand",
        tagged_only=True,
    ),
    Setting("nobody", _policy(0, settle_on="accept"), "every_message", "digest"),
    Setting(
        "riders", _policy(1, max_hops=2, settle_on="ack"), "every_message", "next_turn"
    ),
)


def _reading(name: str) -> Command:
    return lambda room: room.read(name, 1, room.state.seq)


def _page(name: str) -> Command:
    return lambda room: room.read(name, room.state.seq, room.state.seq)


def _acking(name: str) -> Command:
    return lambda room: room.ack(name, *(range(1, room.state.seq + 1)))


def _advance(part: int) -> Command:
    """To the deadline, or half of the way to it; a second where there is none."""

    def go(room: Room) -> None:
        at = room.state.deadline()
        if at is None or at <= room.now:
            room.now += SECOND
        else:
            room.now += (at - room.now) // part

    return go


def _of_seat(shown: str, name: str) -> Iterator[tuple[str, Command]]:
    yield f"{shown} takes", lambda room: room.take(name, holder="h1", hold=HOLD)
    yield f"{shown} opens", lambda room: room.open(name, hold=HOLD)
    yield f"{shown} ends", lambda room: room.close(name)
    yield f"{shown} raises", lambda room: room.fail(name)
    yield f"{shown} gives back", lambda room: room.give_back(name)
    yield f"{shown} is noticed", lambda room: room.notice(name, holder="h1")
    yield f"{shown} reads", _reading(name)
    yield f"{shown} reads the last", _page(name)
    yield f"{shown} acks", _acking(name)
    yield f"{shown} leaves", lambda room: room.leave(name)
    yield f"{shown} rests", lambda room: room.rest(name, not room.seat(name).resting)
    yield f"{shown} is claimed", lambda room: room.claim(name)
    for mode in ("every_message", "when_tagged", "digest"):
        yield f"{shown}: {mode}", _listening(name, mode)
    yield f"ops to {shown}", lambda room: room.post(OPS, f"agent:{name}")


def _listening(name: str, mode: str) -> Command:
    return lambda room: (
        room.subscribe(name, mode, minutes=1)
        if room.seat(name).place == "in"
        else room.join(name, mode, minutes=1)
    )


def _erase(room: Room) -> None:
    if room.state.seq:
        room.erase(room.state.seq)


OPERATIONS: Mapping[str, Command] = dict(
    [
        ("ops to all", lambda room: room.post(OPS, "all")),
        ("ops to room", lambda room: room.post(OPS)),
        ("eve to Ada", lambda room: room.post(EVE, f"agent:{ADA}")),
        ("eve to room", lambda room: room.post(EVE)),
        ("Ada to eve", lambda room: room.post(ADA, "agent:eve")),
        ("another takes", lambda room: room.take(EVE, ADA, holder="h2", hold=HOLD)),
        ("the last is erased", _erase),
        ("tick", lambda room: room.tick()),
        ("to the deadline", _advance(1)),
        ("in between", _advance(2)),
        ("pause", lambda room: room.pause(not room.state.paused)),
        *_of_seat("eve", EVE),
        *_of_seat("Ada", ADA),
    ]
)

STARTS: tuple[tuple[str, ...], ...] = (
    (),
    ("Ada to eve", "Ada to eve", "eve to Ada"),
    ("Ada to eve", "ops to all", "eve takes", "eve opens", "Ada to eve"),
    (
        "ops to all",
        "to the deadline",
        "eve takes",
        "eve opens",
        "Ada takes",
        "eve to Ada",
    ),
)
"""A fresh room; something held; a running turn with news; an answer one hop on."""


def step(walk: Walk, after: Walk, name: str, command: Command) -> bool:
    """
    Goes on from a walk, on a clone of it: whether that is another one afterwards.

    It is not where the command was refused, or had nothing to do.
    """
    try:
        command(after.room)
    except RoomsError:
        return False
    events = after.room.facts[len(walk.room.facts) :]
    if not events and _aside(walk) == _aside(after):
        return False
    after.path = (*walk.path, name)
    _check(walk, [fact.event for fact in events], after)
    return True


def _aside(walk: Walk) -> object:
    return walk.room.now, walk.room.generations


def _check(walk: Walk, events: list[Event], after: Walk) -> None:
    after.accounts.book(events, after.room.now)
    for invariant in OF_TRANSITIONS:
        invariant(walk, events, after)


def key(walk: Walk) -> Hashable:
    """What two states have in common that go on alike."""
    state = walk.room.state
    claims = tuple(walk.room.generations.items())
    seats = tuple(map(_seat_key, state.seats.values()))
    index = (tuple(state.following), tuple(state.hearing_all))
    return (
        walk.room.now,
        state.seq,
        state.paused,
        state.released,
        claims,
        seats,
        index,
    )


def _seat_key(seat: Seat) -> Hashable:
    wake = seat.wake
    return (
        (seat.place, seat.mode, seat.anchor, seat.resting, seat.released, seat.charges),
        (seat.depth, seat.generation, seat.restarted, seat.told),
        wake and (wake.holder, wake.generation, wake.until, wake.running, wake.hops),
        tuple(
            (one.seq, one.hearing, lane, one.hops, one.waited, one.tries)
            for lane, one in seat.placed()
        ),
    )


@frozen
class Found:
    """What an exploration went through."""

    states: int
    transitions: int


def explore(
    settings: Iterable[Setting],
    *,
    depth: int,
    starts: Iterable[tuple[str, ...]] = STARTS,
    thorough: int = 7,
) -> Found:
    """
    Goes through all sequences of that many operations from each start.

    What costs the most is asked of every `thorough`-th state.

    Raises:
        AssertionError: With the operations that led to it.
    """
    states = transitions = 0
    for setting in settings:
        seen: set[Hashable] = set()
        level = [_started(setting, start) for start in starts]
        for _ in range(depth):
            following: list[Walk] = []
            for walk in level:
                transitions += len(OPERATIONS)
                for after in _onwards(setting, walk):
                    if (found := key(after)) not in seen:
                        seen.add(found)
                        _ask(setting, walk, after, thoroughly=len(seen) % thorough == 0)
                        following.append(after)
            level = following
        states += len(seen)
    return Found(states, transitions)


def _started(setting: Setting, start: Iterable[str]) -> Walk:
    walk = setting.start()
    for name in start:
        after = walk.clone()
        if step(walk, after, name, OPERATIONS[name]):
            walk = after
    return walk


def _onwards(setting: Setting, walk: Walk) -> Iterator[Walk]:
    """What each operation makes of a walk; a refused one leaves what it was given."""
    after = walk.clone()
    for name, command in OPERATIONS.items():
        try:
            if step(walk, after, name, command):
                yield after
                after = walk.clone()
        except AssertionError as error:
            raise _led_to(setting, (*walk.path, name), error) from error
    assert after.room.state == walk.room.state, f"{walk.path}: deciding changed it"


def _ask(setting: Setting, walk: Walk, after: Walk, *, thoroughly: bool) -> None:
    try:
        for invariant in OF_STATES:
            invariant(after)
        if thoroughly:
            folding_the_events_gives_the_state_from_a_snapshot(walk, after)
            everything_owed_is_settled_once_the_hosts_do_their_part(after)
    except AssertionError as error:
        raise _led_to(setting, after.path, error) from error


def _led_to(
    setting: Setting, path: Iterable[str], error: AssertionError
) -> AssertionError:
    return AssertionError(f"{setting.name}: {' > '.join(path)}: {error}")
