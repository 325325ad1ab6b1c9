"""
Mistakes as somebody might make them, each planted by replacing one function.

They are what the stories and the exploration are worth: one that neither finds shows a
rule that nobody asks about.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from types import ModuleType
from typing import Any

import pytest
from attrs import evolve

from log.room import clone_seat
from rooms.hearing import Hearing, Mode, Tag
from rooms.log import folding as all_folds
from rooms.log import ledger, posting, seats, state
from rooms.log.actors import SYSTEM, Actor
from rooms.log.events import Event
from rooms.log.ledger import (
    Granted,
    Reclaimed,
    Settled,
    TakeFacts,
    WakeReturned,
    claims,
    ending,
    folding,
    settling,
    taking,
)
from rooms.log.posting import owing
from rooms.log.posting.addressing import RoomView
from rooms.log.seat import _count
from rooms.log.state import Entry, Lane, OpenWake, RoomState, Seat
from rooms.pacing import frees_at

Mistake = Callable[[pytest.MonkeyPatch], None]

MISTAKES: dict[str, Mistake] = {}


def mistake(plant: Mistake) -> Mistake:
    MISTAKES[plant.__name__] = plant
    return plant


def everywhere(patch: pytest.MonkeyPatch, name: str, value: object) -> None:
    """Replaces a function in each module of the rules that has it by name."""
    having = [module for module in rules_of_the_log() if hasattr(module, name)]
    assert having, f"nothing is called {name} any more"
    for module in having:
        patch.setattr(module, name, value)


def rules_of_the_log() -> list[ModuleType]:
    """The modules that decide what is recorded of a room, and fold it."""
    features = tuple(one.__name__ for one in (ledger, posting, seats, state))
    return [module for name, module in sys.modules.items() if name.startswith(features)]


def altered(event: Any, **fields: Any) -> Any:
    """An event that says something else in these fields."""
    return evolve(event, **fields)


# -- the window


@mistake
def a_window_forgets_its_charges(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "charge", lambda policy, charges, at: charges)


@mistake
def a_window_keeps_only_its_last_charge(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "charge", lambda policy, charges, at: (at,))


@mistake
def a_place_frees_a_moment_late(patch: pytest.MonkeyPatch) -> None:
    def late(limit: int, period: int, grants: Sequence[int], now: int) -> int | None:
        return frees_at(limit, period + 1, grants, now)

    everywhere(patch, "frees_at", late)


@mistake
def a_window_admits_one_more(patch: pytest.MonkeyPatch) -> None:
    def wide(limit: int, period: int, grants: Sequence[int], now: int) -> int | None:
        return frees_at(limit + 1, period, grants, now)

    everywhere(patch, "frees_at", wide)


@mistake
def a_person_is_held_like_an_agent(patch: pytest.MonkeyPatch) -> None:
    paced = owing.paced

    def all_alike(
        room: RoomState, seat: Seat, by: Actor, now: int, grants: list[Event]
    ) -> str:
        agent = Actor("conversation", "x", "x")
        return paced(room, seat, agent, now, grants)

    everywhere(patch, "paced", all_alike)


@mistake
def a_person_leaves_behind_what_was_held(patch: pytest.MonkeyPatch) -> None:
    paced = owing.paced

    def alone(
        room: RoomState, seat: Seat, by: Actor, now: int, grants: list[Event]
    ) -> str:
        lane = paced(room, seat, by, now, grants)
        grants[:] = [one for one in grants if getattr(one, "why", "") != "person"]
        return lane

    everywhere(patch, "paced", alone)


@mistake
def news_overtakes_what_is_held(patch: pytest.MonkeyPatch) -> None:
    paced = owing.paced

    def overtaking(
        room: RoomState, seat: Seat, by: Actor, now: int, grants: list[Event]
    ) -> str:
        other = clone_seat(seat)
        other.move(tuple(one.seq for one in other.entries(Lane.HELD)), Lane.TAKEN)
        return paced(room, other, by, now, grants)

    everywhere(patch, "paced", overtaking)


def _releasing(patch: pytest.MonkeyPatch, change: Callable[[Granted], Granted]) -> None:
    release = ledger.release
    everywhere(
        patch,
        "release",
        lambda room, seat, now: [change(one) for one in release(room, seat, now)],
    )


@mistake
def only_the_oldest_is_released(patch: pytest.MonkeyPatch) -> None:
    _releasing(patch, lambda one: altered(one, entries=one.entries[:1]))


@mistake
def a_release_charges_nothing(patch: pytest.MonkeyPatch) -> None:
    _releasing(patch, lambda one: altered(one, charged=False))


@mistake
def a_release_always_charges(patch: pytest.MonkeyPatch) -> None:
    _releasing(patch, lambda one: altered(one, charged=True))


@mistake
def coming_back_resets_the_window(patch: pytest.MonkeyPatch) -> None:
    sit = seats._sit

    def fresh(room: RoomState, joined: seats.SeatJoined, at: int) -> None:
        sit(room, joined, at)
        room.seats[joined.conversation].charges = ()

    patch.setattr(seats, "_sit", fresh)


@mistake
def nobody_counts_what_is_sent(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "check_send_rate", lambda room, seat, now: None)


# -- holds


@mistake
def a_pause_holds_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        RoomState, "on_hold", lambda room, seat: seat.resting or seat.place != "in"
    )


@mistake
def a_rest_holds_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        RoomState, "on_hold", lambda room, seat: room.paused or seat.place != "in"
    )


@mistake
def what_waited_in_a_hold_goes_as_of_before_it(patch: pytest.MonkeyPatch) -> None:
    release_at = RoomState.release_at

    def back(room: RoomState, seat: Seat) -> int | None:
        other = clone_seat(seat)
        other.released = 0
        return release_at(room, other)

    patch.setattr(RoomState, "release_at", back)


# -- digests


@mistake
def a_digest_is_due_an_interval_after_its_first_entry(
    patch: pytest.MonkeyPatch,
) -> None:
    everywhere(patch, "digest_tick", lambda anchor, interval, first: first + interval)


@mistake
def a_digest_is_due_while_one_is_ready(patch: pytest.MonkeyPatch) -> None:
    digest_at = RoomState.digest_at

    def again(room: RoomState, seat: Seat) -> int | None:
        other = clone_seat(seat)
        other.digests_ready = 0
        return digest_at(room, other)

    patch.setattr(RoomState, "digest_at", again)


@mistake
def a_taken_digest_moves_no_anchor(patch: pytest.MonkeyPatch) -> None:
    taken = taking.wake_taken
    everywhere(patch, "wake_taken", lambda *given: altered(taken(*given), digest=False))


# -- hearing and addressing


@mistake
def a_sender_hears_itself(patch: pytest.MonkeyPatch) -> None:
    hearers = owing.hearers
    everywhere(
        patch,
        "hearers",
        lambda room, found, pace: hearers(room, found, evolve(pace, by=SYSTEM)),
    )


@mistake
def all_reaches_only_agents_in_every_message(patch: pytest.MonkeyPatch) -> None:
    untagged = {
        (mode, only, tag): heard
        if tag != Tag.GROUP.value
        else owing.HEARD[mode, only, Tag.NONE.value]
        for (mode, only, tag), heard in owing.HEARD.items()
        if tag != Tag.GROUP.value or (mode, only, Tag.NONE.value) in owing.HEARD
    }
    everywhere(patch, "HEARD", untagged)


@mistake
def a_label_does_not_call_back_who_does_not_follow(patch: pytest.MonkeyPatch) -> None:
    deaf = dict(owing.HEARD)
    for only in (False, True):
        del deaf[Mode.ON_DEMAND, only, Tag.DIRECT.value]
        del deaf[None, only, Tag.DIRECT.value]
    everywhere(patch, "HEARD", deaf)


@mistake
def who_left_is_addressed_still(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(RoomView, "left", lambda view, conversation: False)


@mistake
def posting_makes_nobody_follow(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "follow_by_posting", lambda seat: [])


@mistake
def nothing_is_ever_confirmed(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "check_fan_out", lambda *given: None)


@mistake
def a_changed_mode_hears_nothing_anew(patch: pytest.MonkeyPatch) -> None:
    def same(entry: Entry, lane: str, _: object) -> tuple[str, str, str]:
        return entry.hearing, lane, entry.why

    patch.setattr(seats, "_reheard", same)


@mistake
def a_changed_mode_ends_what_it_hears_otherwise(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(seats, "_reheard", lambda entry, lane, subscription: None)


@mistake
def leaving_ends_nothing(patch: pytest.MonkeyPatch) -> None:
    leave = seats.leave

    def keeping(seat: Seat, *, why: str = "left") -> list[Any]:
        left: list[Any] = [*leave(seat, why=why)]
        return [evolve(one, ended=()) for one in left]

    patch.setattr(seats, "leave", keeping)


# -- hops


@mistake
def a_wake_is_as_deep_as_its_shallowest(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "hops_of_wake", lambda hops: min(hops, default=0))


@mistake
def depth_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "hops_of_post", lambda taken: 0)


@mistake
def the_guard_lets_one_more_through(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "only_rides", lambda hops, most: most is not None and hops > most)


@mistake
def any_read_sets_the_depth(patch: pytest.MonkeyPatch) -> None:
    settle = folding._settle

    def setting(room: RoomState, seat: Seat, event: Settled, fact: Any) -> None:
        hops = [one.hops for one in seat.entries() if one.seq in event.entries]
        settle(room, seat, event, fact)
        seat.depth = max(hops, default=seat.depth)

    _folding(patch, Settled, setting)


# -- taking, turns, claims


def _folding(
    patch: pytest.MonkeyPatch, kind: type[Any], fold: Callable[..., None]
) -> None:
    patch.setitem(all_folds._OWING, kind, folding.changing(fold))


@mistake
def riders_cause_a_wake(patch: pytest.MonkeyPatch) -> None:
    carried = taking.carry

    def none_rides(*given: Any) -> list[Entry]:
        return [one.but(hearing=Hearing.NOW.value) for one in carried(*given)]

    everywhere(patch, "carry", none_rides)


@mistake
def riders_stay_behind(patch: pytest.MonkeyPatch) -> None:
    carried = taking.carry

    def without(*given: Any) -> list[Entry]:
        return [one for one in carried(*given) if one.hearing != Hearing.RIDER]

    everywhere(patch, "carry", without)


@mistake
def riders_never_lie_dormant(patch: pytest.MonkeyPatch) -> None:
    def awake(_: RoomState, seat: Seat, event: Reclaimed, __: object) -> None:
        seat.generation, seat.restarted = event.generation, -1

    _folding(patch, Reclaimed, awake)


@mistake
def anybody_takes_what_another_holds(patch: pytest.MonkeyPatch) -> None:
    freed = taking.free

    def stealing(room: RoomState, seat: Seat, facts: TakeFacts, *, now: int) -> Any:
        holder = seat.wake.holder if seat.wake is not None else facts.holder
        return freed(room, seat, facts._replace(holder=holder), now=now)

    everywhere(patch, "free", stealing)


@mistake
def a_running_turn_is_taken_again(patch: pytest.MonkeyPatch) -> None:
    freed = taking.free

    def again(room: RoomState, seat: Seat, facts: TakeFacts, *, now: int) -> Any:
        other = clone_seat(seat)
        if other.wake is not None:
            other.wake.running = False
        return freed(room, other, facts, now=now)

    everywhere(patch, "free", again)


@mistake
def a_claim_never_runs_out(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "expired", lambda seat, now: [])


@mistake
def a_claim_is_on_nobodys_agenda(patch: pytest.MonkeyPatch) -> None:
    schedule = RoomState.schedule

    def forgetful(room: RoomState, seat: Seat) -> None:
        wake, seat.wake = seat.wake, None
        schedule(room, seat)
        seat.wake = wake

    patch.setattr(RoomState, "schedule", forgetful)


@mistake
def a_newer_claim_changes_nothing(patch: pytest.MonkeyPatch) -> None:
    freed = taking.free

    def older(room: RoomState, seat: Seat, facts: TakeFacts, *, now: int) -> Any:
        return freed(room, seat, facts._replace(generations={}), now=now)

    everywhere(patch, "free", older)


@mistake
def a_stale_runtime_is_heard(patch: pytest.MonkeyPatch) -> None:
    held_wake = claims.held_wake

    def deaf(
        room: RoomState, wake: str, name: str, facts: TakeFacts, **how: Any
    ) -> tuple[Seat, OpenWake]:
        return held_wake(room, wake, name, facts._replace(generations={}), **how)

    everywhere(patch, "held_wake", deaf)


@mistake
def any_holder_is_heard(patch: pytest.MonkeyPatch) -> None:
    held_wake = claims.held_wake

    def deaf(
        room: RoomState, wake: str, name: str, facts: TakeFacts, **how: Any
    ) -> tuple[Seat, OpenWake]:
        opened = room.seats[name].wake
        holder = opened.holder if opened is not None else facts.holder
        return held_wake(room, wake, name, facts._replace(holder=holder), **how)

    everywhere(patch, "held_wake", deaf)


@mistake
def any_wake_id_will_do(patch: pytest.MonkeyPatch) -> None:
    held_wake = claims.held_wake

    def deaf(
        room: RoomState, wake: str, name: str, facts: TakeFacts, **how: Any
    ) -> tuple[Seat, OpenWake]:
        opened = room.seats[name].wake
        return held_wake(room, opened.id if opened else wake, name, facts, **how)

    everywhere(patch, "held_wake", deaf)


@mistake
def what_comes_back_is_lost(patch: pytest.MonkeyPatch) -> None:
    def losing(_: RoomState, seat: Seat, event: WakeReturned, __: object) -> None:
        for seq in event.entries:
            seat.drop(seq)
        seat.wake = None

    _folding(patch, WakeReturned, losing)


@mistake
def a_failing_turn_is_tried_for_ever(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "MOST_TRIES", 10**9)


@mistake
def whatever_comes_back_counts_as_a_failure(patch: pytest.MonkeyPatch) -> None:
    returned = ending.wake_returned
    everywhere(
        patch,
        "wake_returned",
        lambda seat, wake, why: altered(returned(seat, wake, "raised"), why=why),
    )


@mistake
def a_turns_end_is_an_acknowledgement(patch: pytest.MonkeyPatch) -> None:
    closed = ending.wake_closed

    def acknowledged(*given: Any) -> Any:
        one = closed(*given)
        return altered(one, settled=(*one.settled, *one.told), told=())

    everywhere(patch, "wake_closed", acknowledged)


@mistake
def a_read_settles_everything_up_to_its_end(patch: pytest.MonkeyPatch) -> None:
    settle_read = settling.settle_read

    def from_the_start(room: RoomState, seat: Seat, **how: Any) -> list[Any]:
        return [*settle_read(room, seat, **{**how, "first": 1})]

    everywhere(patch, "settle_read", from_the_start)


@mistake
def a_read_settles_only_what_is_ready(patch: pytest.MonkeyPatch) -> None:
    settle_read = settling.settle_read

    def ready(room: RoomState, seat: Seat, **how: Any) -> list[Any]:
        other = clone_seat(seat)
        for one in other.entries(Lane.HELD, Lane.DIGEST, Lane.RIDER):
            other.drop(one.seq)
        return [*settle_read(room, other, **how)]

    everywhere(patch, "settle_read", ready)


@mistake
def a_read_wake_stays_open(patch: pytest.MonkeyPatch) -> None:
    everywhere(patch, "_emptied", lambda seat, settled: "")


@mistake
def a_read_closes_a_running_turn(patch: pytest.MonkeyPatch) -> None:
    def hasty(seat: Seat, settled: Iterable[int]) -> str:
        left = {one.seq for one in seat.entries(Lane.TAKEN)} - set(settled)
        return "" if left or seat.wake is None else seat.wake.id

    everywhere(patch, "_emptied", hasty)


@mistake
def what_is_erased_stays_owed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ledger, "end", lambda seat, seqs, why: [])


@mistake
def lanes_keep_the_order_of_arrival(patch: pytest.MonkeyPatch) -> None:
    def unsorted(seat: Seat, lane: str, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if seat.owed is None:
                seat.owed = {}
            seat.owed.setdefault(lane, {})[entry.seq] = entry
            _count(seat.account, lane, entry.cause, 1)

    patch.setattr(Seat, "put", unsorted)


def stories(modules: Iterable[Any]) -> Iterator[tuple[str, Callable[[], None]]]:
    """The tests of these modules that need nothing."""
    for module in modules:
        for name, story in vars(module).items():
            if name.startswith("test_") and not story.__code__.co_argcount:
                yield name, story
