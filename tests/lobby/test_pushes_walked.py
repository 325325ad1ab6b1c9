"""
Whatever a transport, a runtime and a crash do, in any order: nothing is lost, no try is
given back, and no more is sent than may be.

The laws are counted from the log and from what the transport was handed, not from the
state that decides.
"""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from effort import sized
from lobby.broker import added
from lobby.place import NOON, Place
from rooms import Lobby, RateWindow, presets
from rooms.errors import RoomsError
from rooms.hooks import hookimpl
from rooms.lobby import Claim, Conversation, Push, Wake
from rooms.log.events import decoded
from rooms.pacing import Pushes

MINUTE = timedelta(minutes=1)
LIMIT = 4
POLICY = presets.broker(pushes=Pushes(window=RateWindow(LIMIT, MINUTE)))

ANSWERS = st.sampled_from(["attempted", "received", None, "raise", "die", "nonsense"])
OPTIONS: dict[str, tuple[Any, ...]] = {
    "say": (st.sampled_from(["ann", "cy"]), st.booleans()),
    "wait": (st.sampled_from([0.4, 1, 5, 30, 61, 200]),),
    "answer": (ANSWERS,),
    "confirm": (st.integers(0, 3),),
    "see": (st.integers(0, 5),),
}
VERBS = (
    *("due",) * 9,
    *("say", "say", "say", "wait", "wait", "answer", "confirm", "take", "give", "see"),
    *("crash", "claim", "rest", "resume", "retry"),
)
STEPS = st.sampled_from(VERBS).flatmap(
    lambda verb: st.tuples(st.just(verb), *OPTIONS.get(verb, ()))
)


def told_by(push: Push) -> set[str]:
    """The ids of the messages that a push tells of."""
    return {one.id for one in push.messages} | {one.id for one in push.covered}


class Walk:
    """Ann and cy write to ben, whose transport does what it is told."""

    def __init__(self, answer: str | None) -> None:
        self.place = Place("memory:")
        self.lobby = self.place.open()
        [self.lead] = added(self.lobby, "lead", manage_rooms=True)
        added(self.lobby, "ann", "cy", "ben")
        self.answer = answer
        self.wakes: list[Wake] = []
        self.sent: list[Push] = []
        self.seen: set[str] = set()
        self.runtime: Conversation | Claim = self.one("ben")
        self.lobby.register(self)

    def one(self, name: str) -> Conversation:
        return self.lobby.agent(name).conversation()

    @hookimpl
    def rooms_push(self, push: Push) -> Any:
        other = Lobby(self.place.storage)  # what another process would see by now
        reserved = [one.version for one in self.facts("push_reserved", other)]
        assert int(push.id.rpartition(".")[2]) in reserved, "sent before it is counted"
        assert not told_by(push) & self.seen, "seen, and sent"
        self.sent.append(push)
        if self.answer == "raise":
            raise OSError
        if self.answer == "die":
            raise KeyboardInterrupt
        return self.answer

    def facts(self, kind: str, lobby: Lobby | None = None) -> list[Any]:
        storage = (lobby or self.lobby)._desk.storage
        return [decoded(one) for one in storage.scan(limit=10_000) if one.type == kind]

    def deliver(self) -> None:
        try:
            self.lobby.deliver()
        except KeyboardInterrupt:
            self.crash()

    def until(self, seconds: float) -> None:
        end = self.place.clock.now + timedelta(seconds=seconds)
        for _ in range(200):
            due = self.lobby.next_deadline()
            if due is None or due > end:
                break
            self.place.clock.now = max(due, self.place.clock.now)
            self.deliver()
        else:
            raise AssertionError("something stays due without work")
        self.place.clock.now = end

    # -- what may happen

    def say(self, by: str, urgent: bool) -> None:
        urgency = "now" if urgent else "normal"
        self.lobby.send(
            "look", by=self.one(by), to="ben", urgency=urgency, policy=POLICY
        )

    def wait(self, seconds: float) -> None:
        self.place.clock.advance(seconds)
        self.deliver()

    def due(self) -> None:
        due = self.lobby.next_deadline()
        if due is not None:
            self.place.clock.now = max(due, self.place.clock.now)
        self.deliver()

    def confirm(self, place: int) -> None:
        if self.sent:
            push = self.sent[-1 - place % len(self.sent)]
            self.lobby.confirm(push.id, by=self.runtime)

    def crash(self) -> None:
        self.lobby = self.place.crash()
        self.lobby.register(self)
        generation = getattr(self.runtime, "generation", 0)
        one = self.one("ben")
        self.runtime = Claim(one, generation) if generation else one

    def claim(self) -> None:
        self.runtime = self.one("ben").claim()

    def see(self, place: int) -> None:
        waits = [one.message for one in self.lobby.inbox(self.one("ben")).pending()]
        if waits:
            message = waits[place % len(waits)]
            inbox = self.lobby.inbox(self.one("ben"), by=self.runtime)
            inbox.acknowledge([message.id])
            self.seen.add(message.id)

    def take(self) -> None:
        self.wakes += self.lobby.take_wakes(agents=["ben"], hold_for=MINUTE)

    def give(self) -> None:
        for wake in self.wakes:
            self.lobby.give_back(wake)
        self.wakes.clear()

    def do(self, verb: str, *given_: Any) -> None:
        lobby, agent = self.lobby, self.lobby.agent("ben")
        try:
            if verb == "answer":
                self.answer = given_[0]
            elif verb in {"rest", "resume"}:
                getattr(lobby, verb)(["ben"], by=self.lead)
            elif verb == "retry":
                agent.retry()
            else:
                getattr(self, verb)(*given_)
        except RoomsError as refused:
            if refused.code not in {"stale_runtime", "send_rate"}:
                raise

    # -- what holds

    def check_window(self) -> None:
        at = [one.at for one in self.facts("push_reserved")]
        for first, last in zip(at, at[LIMIT:], strict=False):
            assert last - first >= MINUTE // timedelta(microseconds=1)

    def check_tries(self) -> None:
        """At most three between what lets them begin anew, and none behind a word."""
        tries: Counter[tuple[str, int]] = Counter()
        written: set[tuple[str, int]] = set()
        for record in self.lobby._desk.storage.scan(limit=10_000):
            event: Any = decoded(record).event
            if record.type == "pushed":
                for seq in event.entries:
                    tries[record.stream, seq] += 1
                    assert tries[record.stream, seq] <= 3
                    assert (record.stream, seq) not in written
            elif record.type == "push_told":
                written |= {(record.stream, seq) for seq in event.entries}
            elif record.type in {"reclaimed", "push_renewed"}:
                for key in [one for one in tries if one[0] == record.stream]:
                    del tries[key]
                if record.type == "reclaimed" or event.why == "retry":
                    written = {one for one in written if one[0] != record.stream}

    def check_nothing_is_lost(self) -> None:
        """With a runtime that goes on, all is sent, and somebody is called at last."""
        self.do("resume")
        self.claim()
        self.answer = "attempted"
        self.deliver()
        self.until(10_000)
        waits = [one.message for one in self.lobby.inbox(self.one("ben")).pending()]
        told = {one.id for one in waits}
        generation = getattr(self.runtime, "generation", 0)
        fresh = [push for push in self.sent if push.generation == generation]
        sent = {one for push in fresh for one in told_by(push)}
        assert told <= sent
        listed = self.lobby.list_agents(by=self.lead)
        [ben] = [one for one in listed if one.agent.id == "ben"]
        assert ben.attention_required is bool(told)
        assert self.lobby.next_deadline() is None


@settings(max_examples=sized(60, 250, 4_000), deadline=None)
@given(ANSWERS, st.lists(STEPS, min_size=5, max_size=40))
def test_nothing_is_lost_given_back_or_sent_too_often(
    answer: str | None, steps: list[Any]
) -> None:
    walk = Walk(answer)
    try:
        for step in steps:
            walk.do(*step)
        walk.check_tries()
        walk.check_nothing_is_lost()
        walk.check_window()
        walk.check_tries()
        assert walk.place.clock.now >= NOON
    finally:
        walk.place.close()
