"""What plugins can do to a lobby: what they are asked for, and nothing else."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from lobby.campaign.scene import Scene
from rooms import (
    InvalidInput,
    Lobby,
    MemoryStorage,
    NotAllowed,
    RoomPolicy,
    SQLiteStorage,
    hookimpl,
)
from rooms.errors import HookFailed
from rooms.hooks import HOOKS
from rooms.log.events import decoded

SOON = 10  # s, until which whatever is not blocked has happened, on any machine


@pytest.fixture(params=["memory", "sqlite"])
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scene]:
    storage = (
        MemoryStorage()
        if request.param == "memory"
        else SQLiteStorage(tmp_path / "team.db", durability="relaxed")
    )
    with closing(storage):
        yield Scene(storage)


class Plugin:
    """Answers each hook with what a test gave, and notes what it was asked."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: list[tuple[str, Any]] = []

    def _answer(self, hook: str, handed: Any) -> Any:
        self.asked.append((hook, handed))
        answer = self.answers.get(hook)
        if isinstance(answer, BaseException):
            raise answer
        return answer(handed) if callable(answer) else answer

    def of(self, hook: str) -> list[Any]:
        """What a hook was handed, call by call."""
        return [handed for name, handed in self.asked if name == hook]


def plugin(**answers: Any) -> Any:
    """A plugin that implements the hooks for which it has an answer, and no other."""

    def implementation(hook: str, argument: str) -> Any:
        def call(self: Any, handed: Any) -> Any:
            return self._answer(hook, handed)

        # pluggy hands each argument by its name.
        source = f"def {hook}(self, {argument}): return call(self, {argument})"
        made: dict[str, Any] = {"call": call}
        exec(source, made)
        return hookimpl(made[hook])

    arguments = {name: one.arguments[0] for name, one in HOOKS.items() if one.arguments}
    arguments["rooms_may"] = "action"
    hooks = {name: implementation(name, arguments[name]) for name in answers}
    return type("Answering", (Plugin,), hooks)(**answers)


class Boom(Exception):
    """What a broken plugin raises; its words quote somebody: a secret."""

    def __init__(self) -> None:
        super().__init__("a secret")


# -- deciders fail closed


@pytest.mark.parametrize("answer", [Boom(), "", 5, False, True, b"no", [], object])
def test_a_check_of_a_draft_that_fails_refuses_and_records_nothing(
    scene: Scene, answer: Any
) -> None:
    scene.lobby.register(plugin(rooms_check_draft=answer), "broken")
    before = scene.everything()

    with pytest.raises(HookFailed) as caught:
        scene.room.post("hello", by=scene.eve, request_id="r-5")

    assert (caught.value.plugin, caught.value.hook) == ("broken", "rooms_check_draft")
    assert caught.value.code == "hook_failed"
    assert "secret" not in str(caught.value)
    assert scene.everything() == before


@pytest.mark.parametrize("answer", [Boom(), 1, 0, "yes", "", object])
@pytest.mark.parametrize("call", ["pause", "change_policy", "delete"])
def test_a_decider_that_fails_refuses_and_records_nothing(
    scene: Scene, answer: Any, call: str
) -> None:
    scene.lobby.register(plugin(rooms_may=answer), "broken")
    scene.lobby.register(plugin(rooms_may=True), "yes")
    before = scene.everything()
    given = {"policy": RoomPolicy()} if call == "change_policy" else {}

    with pytest.raises(HookFailed) as caught:
        getattr(scene.room, call)(by=scene.zoe, **given)

    assert (caught.value.plugin, caught.value.hook) == ("broken", "rooms_may")
    assert scene.everything() == before


@pytest.mark.parametrize(
    ("answers", "allowed"),
    [((), False), ((None,), False), ((True,), True), ((True, False), False)],
)
def test_what_the_owner_may_another_may_if_the_host_says_so(
    scene: Scene, answers: tuple[bool | None, ...], allowed: bool
) -> None:
    for place, answer in enumerate(answers):
        scene.lobby.register(plugin(rooms_may=answer), f"host-{place}")
    before = scene.everything()

    if allowed:
        scene.room.pause(by=scene.zoe)
    else:
        with pytest.raises(NotAllowed) as caught:
            scene.room.pause(by=scene.zoe)
        assert caught.value.code == "not_owner"
        assert scene.everything() == before


def test_a_reason_refuses_a_draft_and_a_retry_is_not_checked_again(
    scene: Scene,
) -> None:
    first = scene.room.post("hello", by=scene.eve, request_id="r-5")
    checker = plugin(rooms_check_draft="rude")
    scene.lobby.register(checker, "manners")
    before = scene.everything()

    with pytest.raises(NotAllowed) as caught:
        scene.room.post("you fool", by=scene.eve)
    again = scene.room.post("hello", by=scene.eve, request_id="r-5")

    assert caught.value.code == "draft_refused"
    assert caught.value.details["reasons"] == ["rude"]
    assert caught.value.details["plugins"] == ["manners"]
    assert again.duplicate
    assert again.message == first.message
    assert [draft.text for draft in checker.of("rooms_check_draft")] == ["you fool"]
    assert scene.everything() == before


# -- observers and carriers lose nothing


def test_an_observer_that_raises_is_named_and_the_others_hear(
    scene: Scene, caplog: pytest.LogCaptureFixture
) -> None:
    listener = plugin(rooms_committed=None)
    scene.lobby.register(listener, "listener")
    scene.lobby.register(plugin(rooms_committed=Boom()), "broken")

    with caplog.at_level(logging.WARNING, "rooms"):
        posted = scene.room.post("hello", by=scene.ana)

    assert scene.room.position == posted.message.seq == 3
    (commit,) = listener.of("rooms_committed")
    (fact,) = commit.facts[f"room:{scene.room.id}"]
    assert (fact.event.text, commit.by) == ("hello", "person:ana")
    assert "'broken'" in caplog.text
    assert "secret" not in caplog.text


def test_an_observer_can_change_nothing_of_what_it_is_handed(scene: Scene) -> None:
    def meddle(commit: Any) -> None:
        commit.facts.clear()

    def meddle_more(commit: Any) -> None:
        next(iter(commit.facts.values())).clear()

    def meddle_with(wake: Any) -> str:
        wake.why.clear()
        return "settled"

    scene.lobby.register(plugin(rooms_committed=meddle), "one")
    scene.lobby.register(plugin(rooms_committed=meddle_more), "two")
    scene.lobby.register(plugin(rooms_carry=meddle_with), "three")

    posted = scene.room.post("hello", by=scene.ana)
    scene.turn.end()
    report = scene.lobby.deliver()

    assert posted.message.content == "hello"
    assert [one.plugin for one in report.failures] == ["three"]
    assert report.uncarried[0].reasons == ("every_message",)


def carried(scene: Scene, **answers: Any) -> tuple[Any, Any]:
    """A plugin, and what a delivery to tee came to with it."""
    scene.turn.end()
    carrier = plugin(**answers)
    scene.lobby.register(carrier, "carrier")
    scene.room.post("for tee", by=scene.ana, to=[scene.tee])
    return carrier, scene.lobby.deliver()


def taken(scene: Scene) -> list[str]:
    """What can be taken for tee in a quarter of an hour, when every claim is over."""
    scene.clock.advance(timedelta(minutes=15))
    wakes = scene.lobby.take_wakes(conversations=[scene.tee], holder="later")
    return [message.content for wake in wakes for message in wake.messages]


def test_what_a_carrier_settled_is_done(scene: Scene) -> None:
    carrier, report = carried(scene, rooms_carry="settled")

    (wake,) = carrier.of("rooms_carry")
    assert report.settled == (wake,)
    assert (report.delivered, report.uncarried, report.failures) == ((), (), ())
    assert taken(scene) == []
    assert scene.room.post("x", by=scene.ana, request_id="z").message.seq == 4


def test_what_a_carrier_delivered_is_told_once_and_settled_by_reading(
    scene: Scene,
) -> None:
    carrier, report = carried(scene, rooms_carry="delivered")

    assert report.delivered == tuple(carrier.of("rooms_carry"))
    assert taken(scene) == []
    delivered = [one.conversation for one in scene.lobby.deliver().delivered]
    assert scene.tee not in delivered
    before = len(scene.records())
    scene.room.read(by=scene.tee)
    assert [record.type for record in scene.records()[before:]] == ["settled"]


def test_what_nobody_carries_stays_owed_and_is_offered_once(scene: Scene) -> None:
    carrier, report = carried(scene, rooms_carry=None)

    assert [one.conversation for one in report.uncarried] == [scene.tee]
    assert scene.lobby.deliver().uncarried == ()
    assert len(carrier.of("rooms_carry")) == 1
    scene.room.post("more", by=scene.ana, to=[scene.tee])
    assert [one.conversation for one in scene.lobby.deliver().uncarried] == [scene.tee]
    assert taken(scene) == ["for tee", "more"]


def test_a_carrier_that_fails_is_asked_again_after_longer_and_longer(
    scene: Scene,
) -> None:
    asked: list[datetime] = []

    class Down:
        @hookimpl
        def rooms_carry(self, wake: Any) -> str:
            said = [message.content for message in wake.messages]
            if wake.conversation != scene.tee or "for tee" not in said:
                return "settled"
            asked.append(scene.clock())
            if len(asked) < 8:
                raise ConnectionError
            return "settled"

    scene.turn.end()
    scene.lobby.register(Down(), "down")
    scene.room.post("for tee", by=scene.ana, to=[scene.tee])
    assert len(scene.lobby.deliver().failures) == 1
    assert scene.lobby.deliver().failures == ()  # at once, nothing is tried again
    for _ in range(20):  # other seats have deadlines of their own
        again = scene.lobby.next_deadline() or scene.clock()
        scene.clock.advance(again - scene.clock())
        scene.lobby.deliver()

    waited = [(later - one).total_seconds() for one, later in pairwise(asked)]
    assert waited == [30, 60, 120, 240, 480, 900, 900]
    assert taken(scene) == []


def test_a_carrier_that_comes_later_is_offered_what_nobody_carried(
    scene: Scene,
) -> None:
    carried(scene, rooms_carry=None)
    scene.lobby.register(plugin(rooms_carry="settled"), "later")

    assert [one.conversation for one in scene.lobby.deliver().settled] == [scene.tee]


@pytest.mark.parametrize("answer", [Boom(), "done", True, 5, ""])
def test_a_carrier_that_fails_is_reported_and_the_next_one_carries(
    scene: Scene, answer: Any
) -> None:
    second = plugin(rooms_carry="settled")
    scene.lobby.register(second, "second")

    _, report = carried(scene, rooms_carry=answer)

    assert [(one.plugin, one.hook) for one in report.failures] == [
        ("carrier", "rooms_carry")
    ]
    assert report.settled == tuple(second.of("rooms_carry"))
    assert len(report.settled) == 1


@pytest.mark.parametrize("answer", [Boom(), "done", True, 5, ""])
def test_what_only_a_broken_carrier_had_is_owed_again(
    scene: Scene, answer: Any
) -> None:
    _, report = carried(scene, rooms_carry=answer)

    assert [one.conversation for one in report.uncarried] == [scene.tee]
    assert [one.plugin for one in report.failures] == ["carrier"]
    assert taken(scene) == ["for tee"]


# -- the host's threads and states


def test_a_conversation_without_a_thread_is_started_and_bound(scene: Scene) -> None:
    posted = scene.room.post("new one", by=scene.ana, to=["agent:tee"])
    (started,) = posted.started
    host = plugin(rooms_start_conversation="t-9", rooms_carry="settled")
    scene.lobby.register(host, "host")

    report = scene.lobby.deliver()

    (asked,) = host.of("rooms_start_conversation")
    assert asked.conversation == started
    assert started.thread == "t-9"
    assert started in [one.conversation for one in report.settled]
    assert scene.lobby.conversation("tee", thread="t-9") == started


@pytest.mark.parametrize("answer", ["t-1", "a\ud800", "x" * 10_000, Boom(), 5, ""])
def test_a_thread_that_cannot_carry_it_is_reported_and_loses_nothing(
    scene: Scene, answer: Any
) -> None:
    (started,) = scene.room.post("new", by=scene.ana, to=["agent:tee"]).started
    host = plugin(rooms_start_conversation=answer, rooms_carry=None)
    scene.lobby.register(host, "host")

    report = scene.lobby.deliver()

    assert ("host", "rooms_start_conversation") in [
        (one.plugin, one.hook) for one in report.failures
    ]
    assert started.thread is None
    assert scene.tee.thread == "t-1"
    scene.clock.advance(timedelta(minutes=15))
    wakes = scene.lobby.take_wakes(conversations=[started], holder="later")
    assert [message.content for wake in wakes for message in wake.messages] == ["new"]


def test_who_is_away_is_woken_when_it_is_back(scene: Scene) -> None:
    states = ["away"]
    scene.turn.end()
    scene.room.post("for tee", by=scene.ana, to=[scene.tee])
    host = plugin(rooms_state=lambda _: states[0], rooms_carry="settled")
    scene.lobby.register(host, "host")

    assert scene.lobby.deliver().settled == ()
    assert scene.lobby.take_wakes(conversations=[scene.tee]) == []
    states[0] = "idle"

    assert [one.conversation for one in scene.lobby.deliver().settled] == [scene.tee]


def test_who_is_in_a_turn_of_the_host_gets_a_notice(scene: Scene) -> None:
    scene.turn.end()
    scene.room.post("for tee", by=scene.ana, to=[scene.tee])
    scene.lobby.register(plugin(rooms_state="in_turn"), "host")

    (wake,) = scene.lobby.take_wakes(conversations=[scene.tee])

    assert wake.kind == "notice"


@pytest.mark.parametrize("answer", [Boom(), "asleep", True, 5])
def test_a_state_that_is_none_wakes_as_if_nobody_had_been_asked(
    scene: Scene, answer: Any
) -> None:
    scene.turn.end()
    scene.room.post("for tee", by=scene.ana, to=[scene.tee])
    scene.lobby.register(plugin(rooms_state=answer), "host")

    (wake,) = scene.lobby.take_wakes(conversations=[scene.tee])

    assert wake.kind == "turn"


def test_a_state_that_is_none_is_in_the_report(scene: Scene) -> None:
    scene.turn.end()
    scene.room.post("for tee", by=scene.ana, to=[scene.tee])
    scene.lobby.register(plugin(rooms_state=Boom(), rooms_carry="settled"), "host")

    report = scene.lobby.deliver()

    assert [one.conversation for one in report.settled] == [scene.tee]
    assert {(one.plugin, one.hook) for one in report.failures} == {
        ("host", "rooms_state")
    }


# -- hooks that hang, and hooks that call back


def use(scene: Scene) -> None:
    """What asks every hook that a lobby asks."""
    scene.room.pause(by=scene.zoe)
    scene.room.unpause(by=scene.zoe)
    scene.room.post("new", by=scene.ana, to=["agent:tee"])
    scene.lobby.deliver()


ANSWERS: dict[str, Any] = {
    "rooms_may": True,
    "rooms_check_draft": None,
    "rooms_committed": None,
    "rooms_state": "idle",
    "rooms_start_conversation": "t-77",
    "rooms_carry": "settled",
}


@pytest.mark.parametrize("hook", ANSWERS)
def test_a_hook_that_hangs_blocks_no_other_thread_and_no_other_handle(
    scene: Scene, hook: str
) -> None:
    hanging, released, gone_through = Event(), Event(), Event()

    def hang(_: Any) -> Any:
        hanging.set()
        assert released.wait(SOON)
        return ANSWERS[hook]

    scene.lobby.register(plugin(**ANSWERS | {hook: hang}), "hangs")
    other = scene.opened()
    hangs = Thread(target=use, args=[scene])
    hangs.start()
    assert hanging.wait(SOON)

    def go_on() -> None:
        other.room("work").post("another handle", by=other.person("ana"))
        other.take_wakes(holder="other")
        assert scene.room.position >= 3
        assert scene.lobby.agents
        gone_through.set()

    others = Thread(target=go_on)
    others.start()
    went = gone_through.wait(SOON)
    still = hangs.is_alive()
    released.set()
    others.join(SOON)
    hangs.join(SOON)

    assert went, "it waited for the hook"
    assert still, "the hook did not hang"
    assert not hangs.is_alive()


OTHER_PROCESS = """
import sys
from rooms import Lobby
with Lobby.open(sys.argv[1]) as lobby:
    print(lobby.room("work").post("from outside", by=lobby.person("ana")).message.seq)
"""


@pytest.mark.parametrize("hook", ["rooms_check_draft", "rooms_committed"])
def test_a_hook_that_hangs_blocks_no_other_process(tmp_path: Path, hook: str) -> None:
    with Lobby.open(tmp_path / "team.db") as lobby:
        ana = lobby.person("ana")
        room = lobby.create_room("work", by=ana)

        def from_outside(_: Any) -> None:
            command = [sys.executable, "-c", OTHER_PROCESS, str(tmp_path / "team.db")]
            if room.position < 2:
                subprocess.run(command, check=True, capture_output=True, timeout=SOON)

        lobby.register(plugin(**{hook: from_outside}), "waits")
        posted = room.post("hello", by=ana)

        assert {posted.message.seq, room.position} <= {1, 2}
        assert room.position == 2
        assert [one.seq for one in room.read(by=ana)] == [1, 2]


def test_an_observer_that_posts_hears_its_own_post(scene: Scene) -> None:
    heard: list[str] = []

    def echo(commit: Any) -> None:
        for fact in commit.facts.get(f"room:{scene.room.id}", ()):
            heard.append(fact.event.text)
            if len(heard) < 4:
                scene.room.post(f"echo of {fact.event.text}", by=scene.ana)

    scene.lobby.register(plugin(rooms_committed=echo), "echo")
    scene.room.post("hello", by=scene.ana)

    assert heard == [
        "hello",
        "echo of hello",
        "echo of echo of hello",
        "echo of echo of echo of hello",
    ]
    assert scene.room.position == 2 + 4


@pytest.mark.parametrize("hook", ANSWERS)
def test_a_hook_may_use_the_lobby_that_asks_it(scene: Scene, hook: str) -> None:
    calls: list[str] = []

    def call_back(_: Any) -> Any:
        if not calls:  # it is its part to come to an end
            calls.append(hook)
            scene.room.post("from a hook", by=scene.ana)
            scene.lobby.take_wakes(holder="hook")
            scene.lobby.deliver()
            scene.lobby.register(plugin(rooms_committed=None), "late")
            assert scene.room.read(by=scene.ana).items
        return ANSWERS[hook]

    scene.lobby.register(plugin(**ANSWERS | {hook: call_back}), "calls back")
    use(scene)

    assert calls == [hook]
    texts = [one.content for one in scene.room.read(by=scene.ana, limit=100)]
    assert texts.count("from a hook") == texts.count("new") == 1
    assert not any(one.damages for one in scene.lobby.verify().values())


@pytest.mark.parametrize("hook", ["rooms_check_draft", "rooms_committed"])
def test_a_hook_that_closes_the_lobby_does_no_more_than_that(
    tmp_path: Path, hook: str
) -> None:
    path = tmp_path / "team.db"
    lobby = Lobby.open(path)
    ana = lobby.person("ana")
    room = lobby.create_room("work", by=ana)
    lobby.register(plugin(**{hook: lambda _: lobby.close()}), "closes")
    stored = hook == "rooms_committed"

    if stored:
        assert room.post("hello", by=ana).message.seq == 1
    else:
        with pytest.raises(Exception, match="closed"):
            room.post("hello", by=ana)

    with Lobby.open(path) as again:
        assert again.room("work").position == stored


# -- mistakes that are found at once


@pytest.mark.parametrize(
    ("name", "closest"),
    [("rooms_comitted", "rooms_committed"), ("rooms_cary", "rooms_carry")],
)
def test_a_misspelt_hook_is_refused_with_the_one_that_was_meant(
    scene: Scene, name: str, closest: str
) -> None:
    def hook(self: Any, commit: Any) -> None:
        raise AssertionError

    hook.__name__ = name
    good = plugin(rooms_committed=None)
    misspelt = type("Misspelt", (type(good),), {name: hookimpl(hook)})()

    with pytest.raises(InvalidInput) as caught:
        scene.lobby.register(misspelt, "mine")

    assert caught.value.code == "unknown_hook"
    assert caught.value.details["closest"] == closest
    scene.room.post("hello", by=scene.ana)
    assert misspelt.asked == []
    assert scene.lobby.register(good, "mine") == "mine"


def test_a_hook_that_asks_for_what_is_not_there_is_refused(scene: Scene) -> None:
    class Asks:
        @hookimpl
        def rooms_carry(self, wake: Any, password: Any) -> None:
            raise AssertionError

    with pytest.raises(InvalidInput) as caught:
        scene.lobby.register(Asks())

    assert caught.value.details["argument"] == "password"


def test_a_lobby_without_plugins_asks_nobody(scene: Scene) -> None:
    scene.turn.end()
    assert scene.lobby.deliver().uncarried == ()
    call: Callable[[], Any] = partial(scene.room.pause, by=scene.zoe)
    with pytest.raises(NotAllowed):
        call()


# -- what deciders let happen is recorded (foundation 24)


def recorded_consents(lobby: Lobby) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """The type of each record that has any, in their order, read without a plugin."""
    facts = [decoded(record) for record in lobby._desk.storage.scan(limit=10_000)]
    return [(fact.event.TYPE, fact.consents) for fact in facts if fact.consents]


def test_what_a_host_lets_happen_is_recorded_with_who_said_so(scene: Scene) -> None:
    lobby, zoe = scene.lobby, scene.zoe
    secret = lobby.create_room("secret", by=scene.ana, access="invite_only")
    lobby.register(plugin(rooms_may=lambda _: True), "acl")
    lobby.register(plugin(rooms_may=None), "undecided")
    lobby.register(plugin(rooms_may=lambda _: True), "also")
    asked = ("also", "acl")

    def by(action: str) -> tuple[tuple[str, str], ...]:
        return tuple((action, name) for name in asked)

    scene.room.pause(by=scene.ana)  # its owner's own right
    assert recorded_consents(lobby) == []
    scene.room.unpause(by=zoe)
    scene.room.erase(scene.posted.message.id, by=zoe)
    secret.read(by=zoe)
    scene.room.add("tee", by=scene.ana, reason="You know it.")
    scene.room.delete(by=zoe)

    assert recorded_consents(Lobby(lobby._desk.storage)) == [
        ("oversight_read", by("read_every_room")),
        ("room_unlisted", by("delete_room")),
    ]


def test_an_erasing_and_an_addition_that_a_host_let_pass_say_so(scene: Scene) -> None:
    lobby = scene.lobby
    lobby.register(plugin(rooms_may=lambda _: True), "acl")
    lobby.register(plugin(rooms_check_draft=None), "censor")

    scene.room.erase(scene.posted.message.id, by=scene.zoe)
    scene.room.add("tee", by=scene.ana, reason="You know it.")
    scene.room.post("Well.", by=scene.ana)
    scene.room.read(by=scene.ana)

    assert recorded_consents(lobby) == [
        ("message_erased", (("erase_message", "acl"),)),
        ("seat_joined", (("add_agent", "acl"), ("check_draft", "censor"))),
        ("message_posted", (("check_draft", "censor"),)),
    ]


def test_observers_are_told_who_consented(scene: Scene) -> None:
    told: list[tuple[tuple[str, str], ...]] = []

    class Observer:
        @hookimpl
        def rooms_committed(self, commit: Any) -> None:
            told.extend(fact.consents for run in commit.facts.values() for fact in run)

    scene.lobby.register(plugin(rooms_may=lambda _: True), "acl")
    scene.lobby.register(Observer())

    scene.room.pause(by=scene.zoe)

    assert told == [(("pause_room", "acl"),)]
