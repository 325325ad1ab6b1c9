"""
Every order of what two surfaces, a host and a crash may do to a team.

The host is played too: a start and an adjustment that are under way, a turn that it
runs, a result that it is about to send. A crash forgets all of that, and the log stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from attrs import evolve as changed
from attrs import field, frozen

from rooms import presets
from rooms.errors import RoomsError
from rooms.hearing import Hearing, Tag
from rooms.log import folding, ledger, rooms, snapshots
from rooms.log.events import Event, Fact
from rooms.log.ledger import TakeFacts
from rooms.log.posting import MessagePosted
from rooms.log.records import record_id
from rooms.log.state import Lane, RoomState
from rooms.log.team import TeamMoved, delivering, following, in_flight, lifecycle
from rooms.log.team.lifecycle import Placed
from rooms.log.team_state import TeamState
from rooms.team import Blueprint, Destination, Envelope, TeamStatus, proposed, target_of
from rooms.team.statuses import FINAL, OPEN_FOR_TURNS
from team.scene import member

__all__ = ["ACTIONS", "World", "explore", "first_world"]

ROOM = "room_t"
PROPOSAL = proposed(
    Blueprint(
        title="t",
        objective="o",
        approach="a",
        success_criteria=["s"],
        members=[member("lead", lead=True), member("builder")],
    )
)
PLACES = [Placed(key, f"c-{key}", key, False) for key in ("lead", "builder")]
FACTS = TakeFacts("host", 10**12, tells=False)


@frozen
class World:
    """
    A team's room as its snapshot, and what the host has in hand.

    Attributes:
        room: The snapshot.
        version: How many records there are.
        start: The start that is under way: its claim, and what was done of it.
        late: A start that another one overtook, and that does not know it yet.
        adjusting: The claim of the adjustment that is under way.
        taken: The wakes that the host took and has not begun, by conversation.
        turns: Those whose turns it runs.
        claimed: The finish whose result the host is about to send, or has sent.
        sent: How often a result was sent.
    """

    room: bytes
    version: int
    start: tuple[int, int] | None = None
    late: tuple[int, int] | None = None
    adjusting: int = 0
    taken: tuple[tuple[str, str], ...] = ()
    turns: tuple[tuple[str, str], ...] = ()
    claimed: int = 0
    sent: int = 0
    trail: tuple[str, ...] = field(default=(), eq=False)

    def state(self) -> RoomState:
        found = snapshots.decode(self.room, RoomState)
        assert found is not None
        return found


def folded(state: RoomState, events: Sequence[Event]) -> RoomState:
    for event in events:
        folding.evolve(state, Fact(state.version + 1, 0, "test", 1, event))
    return state


def recorded(world: World, state: RoomState, events: Sequence[Event]) -> World:
    every = [*events, *following(state, events)]
    assert snapshots.encode(state) == world.room  # deciding only reads
    check_moves(state, every)
    after = folded(state, every)
    return changed(world, room=snapshots.encode(after), version=after.version)


def check_moves(state: RoomState, events: Sequence[Event]) -> None:
    """Every move is an arrow of the table, from where the team stood."""
    team = team_in(state)
    status, running = TeamStatus(team.status), bool(in_flight(state))
    for event in events:
        if isinstance(event, TeamMoved) and event.action != "review":
            target = target_of(status, event.action, in_flight=running)
            assert target == event.status, (status, event)
            status = target


def team_in(state: RoomState) -> TeamState:
    assert state.team is not None
    return state.team


def first_world() -> World:
    state = RoomState()
    created = rooms.RoomCreated(
        ROOM, "invite_only", presets.team().recorded(), "ana", name="t"
    )
    folded(state, [created, *lifecycle.prepare(PROPOSAL, Envelope(), "Fix it.")])
    return World(snapshots.encode(state), state.version)


# -- what may happen

Move = Callable[[World], World]


def decided(decide: Callable[[RoomState], Sequence[Event]]) -> Move:
    def move(world: World) -> World:
        state = world.state()
        return recorded(world, state, decide(state))

    return move


def start(world: World) -> World:
    """Claims a start, or takes the next step of the one that is under way."""
    state = world.state()
    if world.start is None:
        after = recorded(world, state, lifecycle.start(state))
        return changed(after, start=(team_in(after.state()).moved, 0))
    since, done = world.start
    try:
        events = step_of(state, since, done)
    except RoomsError:
        return changed(world, start=None)  # it was overtaken, and knows it now
    after = recorded(world, state, events)
    if done < 2:
        return changed(after, start=(since, done + 1))
    return told(changed(after, start=None))


def step_of(state: RoomState, since: int, done: int) -> list[Event]:
    """The next step of a start."""
    steps: list[Callable[[], list[Event]]] = [
        lambda: lifecycle.place(state, since, PLACES),
        lambda: lifecycle.grant(state, since, PROPOSAL),
        lambda: lifecycle.opened(state, since),
    ]
    return steps[done]()


def restart(world: World) -> World:
    """Somebody else recovers the team and starts it, while a start is under way."""
    if world.start is None:
        return world
    state = world.state()
    back = recorded(world, state, lifecycle.recover(state))
    state = back.state()
    after = recorded(back, state, lifecycle.start(state))
    moved = team_in(after.state()).moved
    return changed(after, start=(moved, 0), late=world.start)


def late(world: World) -> World:
    """The overtaken start goes on, and comes to nothing."""
    if world.late is None:
        return world
    state = world.state()
    with suppress(RoomsError):
        step_of(state, *world.late)
        raise AssertionError(world.trail)
    with suppress(RoomsError):
        lifecycle.not_started(state, world.late[0], reason="late", text="")
        raise AssertionError(world.trail)
    return changed(world, late=None)


def told(world: World) -> World:
    """Each member is told something, which it is owed."""
    state = world.state()
    owed = tuple(
        (seat.conversation, Hearing.NOW.value, Tag.DIRECT.value, "tagged", Lane.READY)
        for seat in state.seats.values()
        if seat.place == "in"
    )
    posted = MessagePosted(state.seq + 1, "", "ana", owed=owed, text="Fix it.")
    return recorded(world, state, [posted])


def not_started(world: World) -> World:
    if world.start is None:
        return world
    state, since = world.state(), world.start[0]
    events = lifecycle.not_started(state, since, reason="no_workspace", text="")
    return changed(recorded(world, state, events), start=None)


def adjust(world: World) -> World:
    state = world.state()
    if world.adjusting:
        over = changed(world, adjusting=0)
        try:
            events = lifecycle.adjusted(state, world.adjusting, PROPOSAL, Envelope())
        except RoomsError:
            return over
        return recorded(over, state, events)
    after = recorded(world, state, lifecycle.adjust(state))
    return changed(after, adjusting=team_in(after.state()).moved)


def turn(world: World, who: str) -> World:
    """Takes what a member is owed, opens the turn on it, or ends the one that runs."""
    state, running = world.state(), dict(world.turns)
    one = f"c-{who}"
    if one in running:
        wake = running.pop(one)
        over = changed(world, turns=tuple(running.items()))
        try:
            events = ledger.close(state, wake, one, FACTS, now=0)
        except RoomsError:
            seat = state.seats[one]  # somebody ended it, and says so to the late one
            assert seat.wake is None or seat.wake.id != wake
            return over
        return recorded(over, state, events)
    held = dict(world.taken)
    if one in held:
        wake = held.pop(one)
        over = changed(world, taken=tuple(held.items()))
        try:
            opened = ledger.open_turn(state, wake, one, FACTS, now=0)
        except RoomsError:
            return over  # something came in between, and wins (S-STATUS-02)
        after = recorded(over, state, opened)
        return changed(after, turns=(*world.turns, (one, wake)))
    taken = ledger.take(state, [one], FACTS, now=0, limit=1)
    if not taken:
        return world
    wake = record_id(ROOM, state.version + len(taken))
    after = recorded(world, state, taken)
    return changed(after, taken=(*world.taken, (one, wake)))


def finish(world: World) -> World:
    state = world.state()
    events = delivering.finish(state, Destination("workspace_files"), "Done.")
    after = recorded(world, state, events)
    return changed(after, claimed=team_in(after.state()).finish)


def send(world: World) -> World:
    """The host sends what it has claimed, once, and then settles it."""
    if not world.claimed:
        return world
    if not world.sent:
        return changed(world, sent=1)
    return settle(changed(world, claimed=0))


def settle(world: World) -> World:
    state = world.state()
    events = delivering.settle(state, "delivered", approval=0)
    return recorded(world, state, events)


def crash(world: World) -> World:
    """The host forgets what it had in hand, and a new one recovers the team."""
    state = world.state()
    after = recorded(world, state, lifecycle.recover(state))
    return changed(after, **_FORGOTTEN)


_FORGOTTEN: dict[str, Any] = {
    "start": None,
    "late": None,
    "adjusting": 0,
    "taken": (),
    "turns": (),
    "claimed": 0,
}

ACTIONS: dict[str, Move] = {
    "start": start,
    "not_started": not_started,
    "restart": restart,
    "late": late,
    "adjust": adjust,
    "pause": decided(
        lambda room: lifecycle.pause_team(room, reason="user_paused", text="")
    ),
    "resume": decided(lifecycle.resume),
    "cancel": decided(lifecycle.cancel),
    "fail": decided(
        lambda room: lifecycle.fail(room, reason="storage_failure", text="")
    ),
    "give_up_grant": decided(lifecycle.give_up_grant),
    "lead": lambda world: turn(world, "lead"),
    "builder": lambda world: turn(world, "builder"),
    "finish": finish,
    "send": send,
    "settle": settle,
    "crash": crash,
}


def explore(depth: int, first: World | None = None) -> Iterator[World]:
    """Every world that so many actions reach, each once; a refusal changes nothing."""
    layer = [first or first_world()]
    seen = {key_of(layer[0])}
    yield from layer
    for _ in range(depth):
        found: list[World] = []
        for world in layer:
            for name, act in ACTIONS.items():
                try:
                    after = act(world)
                except RoomsError:
                    continue
                after = changed(after, trail=(*world.trail, name))
                check(after)
                key = key_of(after)
                if key not in seen:
                    seen.add(key)
                    found.append(after)
                    yield after
        layer = found


def key_of(world: World) -> object:
    """What tells worlds apart: not when something came to be, but what is so."""
    state = world.state()
    team = team_in(state)
    seats = tuple(
        (
            seat.conversation,
            seat.place,
            seat.wake is not None and (seat.wake.running, seat.wake.id),
            tuple(lane for lane, _ in seat.placed()),
        )
        for seat in state.seats.values()
    )
    held = (*world.taken, *world.turns)
    wakes = {wake: place for place, (_, wake) in enumerate(held)}
    return (
        *(team.status, team.reason, bool(team.granted), team.delivered),
        bool(team.finish),
        tuple(one.standing for one in team.members.values()),
        tuple(
            (who, place, wake and (wake[0], wakes.get(wake[1])), lanes)
            for who, place, wake, lanes in seats
        ),
        world.start and (world.start[0] == team.moved, world.start[1]),
        world.adjusting and world.adjusting == team.moved,
        world.late and (world.late[0] == team.moved, world.late[1]),
        tuple(who for who, _ in world.taken),
        tuple(who for who, _ in world.turns),
        world.claimed and world.claimed == team.finish,
        world.sent,
    )


def check(world: World) -> None:
    """What holds for every team, wherever it stands."""
    state = world.state()
    team, trail = team_in(state), world.trail
    status = TeamStatus(team.status)
    running = in_flight(state)
    assert state.paused is (status not in OPEN_FOR_TURNS), trail
    assert world.sent <= 1, trail
    if status not in OPEN_FOR_TURNS:  # nothing is held that no turn runs on
        every = [one.wake for one in state.seats.values() if one.wake is not None]
        assert all(wake.running for wake in every), trail
    if status is TeamStatus.PAUSING:
        assert running, trail  # there is something that ends it
    if status in {TeamStatus.PAUSED, TeamStatus.READY, TeamStatus.DRAFT}:
        assert not running, trail
    if status in FINAL:
        assert team.ended_at == 0 or team.ended_at >= team.started_at
        for seat in state.seats.values():
            assert seat.wake is None, trail
            assert seat.entries() == [], trail
        assert not list(team.present()), trail
    if status in {TeamStatus.DRAFT, TeamStatus.ADJUSTING} and not world.adjusting:
        assert not team.granted or status is TeamStatus.ADJUSTING, trail
    if status is TeamStatus.RUNNING:
        assert team.granted, trail
    if status is TeamStatus.COMPLETED:
        assert team.finish, trail
        assert team.delivered, trail
    for one in team.members.values():
        sits = state.seats.get(one.conversation)
        assert not one.present or (sits is not None and sits.place == "in"), trail
        assert not one.tools or team.granted, trail
