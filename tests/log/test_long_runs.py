"""Long runs at random, with any times between, against the same invariants."""

from __future__ import annotations

from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from effort import sized
from log.exploring import ADA, EVE, OPERATIONS, OPS, SETTINGS, Command, Setting, step
from log.invariants import (
    OF_STATES,
    Walk,
    everything_owed_is_settled_once_the_hosts_do_their_part,
    folding_the_events_gives_the_state_from_a_snapshot,
)
from log.room import SECOND
from rooms.log import folding


class LongRun(RuleBasedStateMachine):
    """The exploration's operations in any number, with any pauses between them."""

    walk: Walk

    @initialize(setting=st.sampled_from(SETTINGS))
    def begin(self, setting: Setting) -> None:
        self.walk = setting.start()

    def go(self, name: str, command: Command) -> None:
        after = self.walk.clone()
        if not step(self.walk, after, name, command):
            assert after.room.state == self.walk.room.state
            return
        for invariant in OF_STATES:
            invariant(after)
        folding_the_events_gives_the_state_from_a_snapshot(self.walk, after)
        self.walk = after

    @rule(name=st.sampled_from(list(OPERATIONS)))
    def operate(self, name: str) -> None:
        self.go(name, OPERATIONS[name])

    @rule(seconds=st.floats(0, 200))
    def wait(self, seconds: float) -> None:
        self.walk.room.now += round(seconds * SECOND)

    @rule(by=st.sampled_from([EVE, ADA, OPS]), to=st.sampled_from([EVE, ADA, "room"]))
    def speak(self, by: str, to: str) -> None:
        address = to if to == "room" else f"agent:{to}"
        self.go("speaks", lambda room: room.post(by, address))

    @rule(
        name=st.sampled_from([EVE, ADA]),
        first=st.integers(1, 9),
        size=st.integers(1, 9),
    )
    def read(self, name: str, first: int, size: int) -> None:
        last = min(self.walk.room.state.seq, first + size)
        if first <= last:
            self.go("a page", lambda room: room.read(name, first, last))

    @rule(
        name=st.sampled_from([EVE, ADA]), seqs=st.lists(st.integers(1, 9), max_size=3)
    )
    def acknowledge(self, name: str, seqs: list[int]) -> None:
        self.go("some are acked", lambda room: room.ack(name, *seqs))

    @precondition(lambda self: self.walk.room.state.policy.wake_window is not None)
    @rule(limit=st.integers(1, 3))
    def widen(self, limit: int) -> None:
        """Only wider: what was charged under a wider window may exceed a narrow one."""
        policy = self.walk.room.state.policy
        window = policy.wake_window
        if window is None or window.limit >= limit:
            return
        wider = type(policy).from_record(
            policy.recorded() | {"wake_window": [limit, window.period // _MOMENT]}
        )
        self.go("a wider window", lambda room: room.change(wider))

    def teardown(self) -> None:
        if hasattr(self, "walk"):
            assert folding.folded(self.walk.room.facts) == self.walk.room.state
            everything_owed_is_settled_once_the_hosts_do_their_part(self.walk)


_MOMENT = timedelta(microseconds=1)

TestLongRuns = LongRun.TestCase
TestLongRuns.settings = settings(
    max_examples=sized(40, 80), stateful_step_count=50, derandomize=True, deadline=None
)
