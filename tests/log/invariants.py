"""
The ledger's invariants, each a function named after what it says.

They are asked after every transition of the exploration and of the long runs: of the
walk before, of the events, and of the walk after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attrs import define, field

from log.accounts import Accounts
from log.room import SECOND, Room
from rooms.errors import Conflict
from rooms.log import folding, ledger, snapshots
from rooms.log.erasing import MessageErased
from rooms.log.events import Event
from rooms.log.expiring import MessagesExpired
from rooms.log.ledger import (
    Granted,
    Settled,
    TakeFacts,
    WakeClosed,
    WakeReturned,
    WakeTaken,
)
from rooms.log.posting import MessagePosted
from rooms.log.state import Entry, RoomState, Seat, window_of


@define
class Walk:
    """A room on its way, with the accounts of its seats and how it came here."""

    room: Room
    accounts: Accounts = field(factory=Accounts)
    path: tuple[str, ...] = ()

    def clone(self) -> Walk:
        return Walk(self.room.clone(), self.accounts.clone(), self.path)


# -- of one transition


def every_entry_is_owed_until_it_is_settled_or_ended(
    _: Walk, __: object, after: Walk
) -> None:
    """Nothing is lost, and nothing comes twice."""
    for name, seat in after.room.state.seats.items():
        account = after.accounts.seat(name)
        entries = seat.entries()
        assert [one.seq for one in entries] == sorted(account.owed)
        assert account.carried == {one.seq for one in seat.entries("taken")}
        assert account.told == {one.seq for one in seat.entries("told")}


def one_wake_is_open_at_most(_: Walk, __: object, after: Walk) -> None:
    """Its entries are the taken ones, and there are none without it."""
    for name, seat in after.room.state.seats.items():
        assert after.accounts.seat(name).open == (seat.wake is not None)
        assert seat.wake is not None or not seat.has("taken")
        if seat.wake is not None:
            with_floor = seat.wake.kind == "floor"  # which is something by itself
            assert seat.wake.running or with_floor or seat.has("taken")


def one_floor_is_there_at_most_and_whoever_has_it_can_take_it(
    _: Walk, __: object, after: Walk
) -> None:
    """Of an activity that goes on somebody has the floor, or it waits for a planner."""
    state = after.room.state
    floor = state.floor
    held = [one.conversation for one in state.seats.values() if _in_floor(one)]
    assert held == ([floor.conversation] if floor and floor.wake else [])
    if floor is not None:
        seat = state.seats[floor.conversation]
        assert seat.place == "in"
        assert floor.wake in {"", seat.wake.id if seat.wake else ""}
        assert floor.wake or floor.conversation in state.takeable
    if state.activity is not None and floor is None:
        assert state.deadline() is not None
    assert state.activity is not None or not state.openers


def _in_floor(seat: Seat) -> bool:
    return seat.wake is not None and seat.wake.kind == "floor"


def lanes_are_in_order_and_counted(_: Walk, __: object, after: Walk) -> None:
    for seat in after.room.state.seats.values():
        for entries in (seat.owed or {}).values():
            assert list(entries) == sorted(entries)
            assert all(one.seq == seq for seq, one in entries.items())
        assert seat.digests_ready == sum(
            one.hearing == "digest" for one in seat.entries("ready")
        )
        assert seat.persons_held == sum(not one.agents for one in seat.entries("held"))


def at_most_so_many_charges_in_any_window(_: Walk, __: object, after: Walk) -> None:
    if (window := after.room.state.policy.wake_window) is None:
        return
    limit, period = window_of(window)
    for account in after.accounts.seats.values():
        charges = account.charges
        assert list(charges) == sorted(charges)
        for place, at in enumerate(charges):
            within = [one for one in charges[place:] if one < at + period]
            assert len(within) <= limit, f"{len(within)} charges from {at} on"


def no_message_of_a_person_is_held_by_the_window(
    _: Walk, __: object, after: Walk
) -> None:
    room = after.room
    for seat in room.state.seats.values():
        if held_back(room.state, seat):
            continue
        if any(not one.agents for one in seat.entries("held")):
            due = room.state.deadline()
            assert due is not None
            assert due <= room.now


def the_window_alone_holds_what_an_agent_wrote(
    _: Walk, events: list[Event], after: Walk
) -> None:
    """Ready exactly while there are places, nothing before it, and no hold (3)."""
    room = after.room
    for message in events:
        if not isinstance(message, MessagePosted):
            continue
        for conversation, hearing, _tag, _why, lane in message.owed:
            if hearing != "now":
                assert lane == hearing
                continue
            seat = room.state.seats[conversation]
            held_before = any(one.seq < message.seq for one in seat.entries("held"))
            free = room.state.policy.wake_window is None or not message.sender
            if not free:
                free = places_free(after, seat, without=lane == "ready") > 0
            ready = not held_back(room.state, seat) and free and not held_before
            assert (lane == "ready") == ready
            if ready and not message.sender:
                assert not seat.has("held"), "a person takes along what was held"


def a_release_brings_all_that_is_held_and_takes_one_place(
    before: Walk, events: list[Event], _: Walk
) -> None:
    """None where a person wrote any of it (3, 4)."""
    for event in events:
        if isinstance(event, Granted) and event.why == "place":
            held = before.room.state.seats[event.conversation].entries("held")
            assert event.entries == tuple(one.seq for one in held)
            windowed = before.room.state.policy.wake_window is not None
            assert event.charged == (windowed and all(one.agents for one in held))


def a_turns_end_settles_or_tells_as_the_room_says(
    before: Walk, events: list[Event], _: Walk
) -> None:
    for event in events:
        if isinstance(event, WakeClosed):
            acks = before.room.state.policy.settle_on == "ack"
            assert event.settled == () if acks else event.told == ()


def a_read_settles_what_is_on_its_page_and_closes_what_it_empties(
    before: Walk, events: list[Event], after: Walk
) -> None:
    for event in events:
        if not isinstance(event, Settled) or event.why != "read":
            continue
        seat = before.room.state.seats[event.conversation]
        account = after.accounts.seat(event.conversation)
        assert before.room.state.policy.settle_on == "read" or not event.entries
        everything = [one.seq for one in seat.entries()]
        if event.told == before.room.state.seq and after.path[-1].endswith("reads"):
            assert list(event.entries) in ([], everything)
        if seat.wake is not None and not account.carried and event.entries:
            assert bool(event.wake) == (not seat.wake.running)


def a_failure_is_a_turn_that_raised(before: Walk, events: list[Event], _: Walk) -> None:
    for event in events:
        if isinstance(event, WakeReturned):
            assert event.failed == (event.entries if event.why == "raised" else ())


def places_free(after: Walk, seat: Seat, *, without: bool) -> int:
    """The places of the window now, without the last charge if that is asked about."""
    assert after.room.state.policy.wake_window is not None
    limit, period = window_of(after.room.state.policy.wake_window)
    charges = after.accounts.seat(seat.conversation).charges
    if without:
        charges = charges[:-1]
    return limit - sum(at + period > after.room.now for at in charges)


def a_message_is_owed_to_whom_its_mode_and_tag_say(
    before: Walk, events: list[Event], after: Walk
) -> None:
    """Rules 1, 2 and 15, in words of their own."""
    for message in events:
        if not isinstance(message, MessagePosted):
            continue
        assert message.hops == expected_hops(before, message.sender)
        most = after.room.state.policy.max_hops
        owed = {one[0]: one for one in message.owed}
        started = {name for name, _ in message.started}
        assert message.sender not in owed
        for name, seat in after.room.state.seats.items():
            if name == message.sender or seat.place != "in":
                assert name not in owed
                continue
            expected = expected_hearing(seat, tag_of(seat, message))
            expected = "now" if name in started else expected
            if expected in {"now", "digest"} and most and message.hops >= most:
                expected = "rider"
            found = owed.get(name)
            assert (found and found[1]) == expected, f"{name}: {expected}, not {found}"


def expected_hops(before: Walk, sender: str) -> int:
    depth = before.accounts.seat(sender).depth
    return 0 if not sender or depth is None else depth + 1


def tag_of(seat: Seat, message: MessagePosted) -> str:
    label = seat.conversation if seat.threaded else seat.agent
    if f"agent:{label}" in message.to:
        return "direct"
    follows = seat.mode not in {None, "on_demand"}
    return "group" if "all" in message.to and follows else "none"


def expected_hearing(seat: Seat, tag: str) -> str | None:
    match seat.mode:
        case "every_message":
            return "now"
        case "when_tagged":
            return None if tag == "none" else "now"
        case "digest":
            return None if seat.tagged_only and tag == "none" else "digest"
        case "next_turn":
            return "rider"
        case _:
            return "now" if tag == "direct" else None


def nothing_is_granted_or_taken_on_hold(
    before: Walk, events: list[Event], _: Walk
) -> None:
    for event in events:
        if isinstance(event, Granted | WakeTaken):
            seat = before.room.state.seats[event.conversation]
            assert not held_back(before.room.state, seat)


def held_back(state: RoomState, seat: Seat) -> bool:
    return state.paused or seat.resting or bool(seat.held) or seat.place != "in"


def a_wake_carries_all_that_is_ready_and_never_riders_alone(
    before: Walk, events: list[Event], after: Walk
) -> None:
    """And a turn is woken by something else than riders (2, 7)."""
    for event in events:
        if not isinstance(event, WakeTaken):
            continue
        seat = after.room.state.seats[event.conversation]
        assert seat.wake is not None
        assert event.generation == generation_of(after.room, event.conversation)
        assert not seat.has("ready")
        taken = seat.entries("taken")
        if event.kind == "turn":
            assert any(one.hearing != "rider" for one in taken)
        if any(one.hearing == "digest" for one in taken):
            assert not seat.has("digest")
            assert event.digest
        if not dormant(before, after, seat):
            assert not seat.has("rider")


def dormant(before: Walk, after: Walk, seat: Seat) -> bool:
    """Whether riders may lie dormant: a claim is newer than all that is owed (11)."""
    _, since = after.room.generations.get(seat.conversation, (0, -1))
    return since >= 0 and all(one.at <= since for one in seat.entries())


def generation_of(room: Room, conversation: str) -> int:
    return room.generations.get(conversation, (0, 0))[0]


def two_digests_are_never_closer_than_the_interval(
    before: Walk, events: list[Event], _: Walk
) -> None:
    for event in events:
        if isinstance(event, Granted) and event.why == "digest":
            seat = before.room.state.seats[event.conversation]
            anchor = before.accounts.seat(event.conversation).anchor
            assert event.at >= anchor + seat.interval


def what_is_returned_waits_where_it_may_be_taken(
    _: Walk, events: list[Event], after: Walk
) -> None:
    for seat in after.room.state.seats.values():
        for entry in seat.entries("ready"):
            assert entry.hearing != "rider"
        for entry in seat.entries("rider"):
            assert entry.hearing == "rider"
        for entry in seat.entries("digest"):
            assert entry.hearing == "digest"


def what_is_erased_is_owed_to_nobody(_: Walk, events: list[Event], after: Walk) -> None:
    for event in events:
        if isinstance(event, MessageErased):
            for seat in after.room.state.seats.values():
                assert seat.entry(event.number) is None
        if isinstance(event, MessagesExpired):
            for seat in after.room.state.seats.values():
                assert all(entry.seq > event.last for entry in seat.entries())


# -- of a state


def the_deadline_is_the_next_thing_that_happens_by_itself(after: Walk) -> None:
    """Neither later than it nor earlier, and never past again once it was acted on."""
    room = after.room
    expected = min(instants(after), default=None)
    assert room.state.deadline() == expected, f"{room.deadline()} is not {expected}"
    if expected is None:
        return
    if expected > room.now:
        assert ledger.tick(room.state, expected - 1) == []
    at = max(expected, room.now)
    events = ledger.tick(room.state, at)
    assert events
    later = after.clone()
    later.room.now = at
    later.room.do(lambda: events)
    again = later.room.state.deadline()
    assert again is None or again > at


def instants(walk: Walk) -> Iterator[int]:
    """What each seat waits for, worked out anew."""
    state = walk.room.state
    for name, seat in state.seats.items():
        if seat.wake is not None:
            yield seat.wake.until
        if held_back(state, seat):
            continue
        since = max(seat.released, state.released)
        if held := seat.entries("held"):
            free = place_frees(walk, name, held, max(since, held[0].at))
            if free is not None:
                yield free
        ready = any(one.hearing == "digest" for one in seat.entries("ready"))
        if (untold := seat.entries("digest")) and not ready:
            tick = seat.anchor + seat.interval
            while tick < untold[0].at:
                tick += seat.interval
            yield max(tick, since)


def place_frees(walk: Walk, name: str, held: list[Entry], at: int) -> int | None:
    window = walk.room.state.policy.wake_window
    if window is None or any(not one.agents for one in held):
        return at
    limit, period = window_of(window)
    charges = walk.accounts.seat(name).charges
    for instant in sorted({at, *(one + period for one in charges)}):
        if instant >= at and sum(one + period > instant for one in charges) < limit:
            return instant
    return None


def a_stale_generation_holder_or_wake_changes_nothing(after: Walk) -> None:
    """Each command on a wake is refused to all but its holder."""
    room = after.room
    for name, seat in room.state.seats.items():
        if (wake := seat.wake) is None:
            continue
        now = min(room.now, wake.until - 1)
        fine = TakeFacts(wake.holder, now + SECOND, {name: (wake.generation, 0)})
        other = TakeFacts("somebody", now + SECOND, fine.generations)
        newer = TakeFacts(wake.holder, now + SECOND, {name: (wake.generation + 1, 0)})
        for facts, named in ((other, wake.id), (fine, "r.9"), (newer, wake.id)):
            for command in (ledger.open_turn, ledger.close, ledger.renew):
                assert refused(command, room.state, named, name, facts, now=now)
        if wake.running:
            assert ledger.take(room.state, [name], fine, now=now, limit=1) == []
        assert ledger.take(room.state, [name], other, now=now, limit=1) == []
        assert ledger.notice(room.state, name, other, now=now) == []


def refused(command: Callable[..., list[Event]], *args: Any, **facts: Any) -> bool:
    try:
        command(*args, **facts)
    except Conflict:
        return True
    return False


def everything_owed_is_settled_once_the_hosts_do_their_part(after: Walk) -> None:
    """All holds end, every wake is taken and ends well, all riders are told."""
    room = after.room.clone()
    room.pause(False)
    for name, seat in room.state.seats.items():
        if seat.place == "in":
            room.rest(name, False)
    # Somebody speaks to each once more, which ends what lies dormant.
    room.now += SECOND
    every = [seat for seat in room.state.seats.values() if seat.place == "in"]
    named = [one.conversation if one.threaded else one.agent for one in every]
    room.post(
        "ops",
        *(f"agent:{name}" for name in named if name[:4] != "new/"),
        "all",
        confirm=True,
    )
    before = -1
    while room.state.version > before:
        before = room.state.version
        for name in list(room.state.seats):
            serve(room, name)
        if (at := room.state.deadline()) is not None:
            room.now = max(room.now, at)
            room.tick()
    for name, seat in room.state.seats.items():
        left = [one for one in seat.entries() if not held_for_ever(room, seat, one)]
        assert left == [], f"{name} is still owed {left}"


def serve(room: Room, name: str) -> None:
    seat = room.seat(name)
    if seat.wake is None and seat.place == "in":
        room.take(name, holder="h1")
        if seat.wake is None:
            room.notice(name, holder="h1")
    if seat.wake is not None and seat.wake.generation >= generation_of(room, name):
        room.close(name)
    elif seat.wake is not None:
        room.take(name, holder="h1")
    if told := seat.entries("told"):
        room.ack(name, *(one.seq for one in told))


def held_for_ever(room: Room, seat: Seat, entry: Entry) -> bool:
    window = room.state.policy.wake_window
    held = seat.lane_of(entry.seq) == "held"
    return window is not None and not window.limit and held


def folding_the_events_gives_the_state_from_a_snapshot(
    before: Walk, after: Walk
) -> None:
    """And what a snapshot says is all there is to a state."""
    loaded = snapshots.decode(snapshots.encode(before.room.state), RoomState)
    assert loaded is not None
    for fact in after.room.facts[len(before.room.facts) :]:
        folding.evolve(loaded, fact)
    assert loaded == after.room.state
    assert snapshots.encode(loaded) == snapshots.encode(after.room.state)
    assert loaded.deadline() == after.room.state.deadline()


OF_TRANSITIONS: tuple[Callable[[Walk, list[Event], Walk], None], ...] = (
    every_entry_is_owed_until_it_is_settled_or_ended,
    one_wake_is_open_at_most,
    lanes_are_in_order_and_counted,
    at_most_so_many_charges_in_any_window,
    no_message_of_a_person_is_held_by_the_window,
    the_window_alone_holds_what_an_agent_wrote,
    a_message_is_owed_to_whom_its_mode_and_tag_say,
    nothing_is_granted_or_taken_on_hold,
    a_release_brings_all_that_is_held_and_takes_one_place,
    a_turns_end_settles_or_tells_as_the_room_says,
    a_read_settles_what_is_on_its_page_and_closes_what_it_empties,
    a_failure_is_a_turn_that_raised,
    a_wake_carries_all_that_is_ready_and_never_riders_alone,
    two_digests_are_never_closer_than_the_interval,
    what_is_returned_waits_where_it_may_be_taken,
    what_is_erased_is_owed_to_nobody,
)
OF_STATES: tuple[Callable[[Walk], None], ...] = (
    the_deadline_is_the_next_thing_that_happens_by_itself,
    a_stale_generation_holder_or_wake_changes_nothing,
)

__all__ = [
    "OF_STATES",
    "OF_TRANSITIONS",
    "Walk",
    "everything_owed_is_settled_once_the_hosts_do_their_part",
    "folding_the_events_gives_the_state_from_a_snapshot",
]
