"""What is owed is sent to whoever runs a conversation, and sent again until it came."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from lobby.broker import added, code_of, inbox
from lobby.costs import counted
from lobby.place import Clock, Place
from rooms import Conversation, RateWindow, RoomPolicy, presets
from rooms.hooks import hookimpl
from rooms.lobby import Claim, Push
from rooms.log.events import decoded
from rooms.pacing import Pushes

KIB = 2**10


class Wire:
    """A transport that notes what it is handed, and says or does what it is told."""

    def __init__(self, clock: Clock, says: Any = None) -> None:
        self.clock, self.says = clock, says
        self.start = clock.now
        self.sent: list[tuple[float, Push]] = []

    @hookimpl
    def rooms_push(self, push: Push) -> Any:
        self.sent.append(((self.clock.now - self.start).total_seconds(), push))
        return self.says(push) if callable(self.says) else self.says

    @property
    def times(self) -> list[float]:
        return [at for at, _ in self.sent]

    @property
    def last(self) -> Push:
        return self.sent[-1][1]


class Scene:
    """Two agents, one of which is pushed to; and a clock that goes where it is told."""

    def __init__(self, place: Place, says: Any = None) -> None:
        self.place, self.clock = place, place.clock
        self.lobby = place.open()
        self.ann, self.ben = added(self.lobby, "ann", "ben")
        self.wire = Wire(self.clock, says)
        self.lobby.register(self.wire)

    def say(self, text: str, urgency: str = "now", **more: Any) -> Any:
        return self.lobby.send(text, by=self.ann, to="ben", urgency=urgency, **more)

    def until(self, seconds: float) -> None:
        """Acts on whatever falls due up to an instant, as a host does."""
        for _ in range(200):
            due = self.lobby.next_deadline()
            if due is None or due > self.clock.at(seconds):
                break
            self.clock.now = max(due, self.clock.now)
            self.lobby.deliver()
        else:
            raise AssertionError("something stays due without work")
        self.clock.now = self.clock.at(seconds)

    def wait(self, seconds: float) -> None:
        self.clock.advance(seconds)
        self.lobby.deliver()

    def events(self, kind: str) -> list[tuple[float, Any]]:
        """What was recorded of a kind, in all streams, and when."""
        start = Clock().now.timestamp()
        return [
            (record.at / 1_000_000 - start, decoded(record).event)
            for record in self.lobby._desk.storage.scan(limit=10_000)
            if record.type == kind
        ]


@pytest.fixture
def scene(place: Place) -> Scene:
    return Scene(place)


@pytest.fixture
def written(place: Place) -> Scene:
    """A scene whose transport writes whatever it is handed."""
    return Scene(place, "attempted")


def texts(push: Push) -> list[str]:
    return [one.content for one in push.messages]


@pytest.mark.rule("L-NOTIFY-01", "L-BOOT-01")
def test_nothing_is_sent_where_the_runtime_was_taken_away(written: Scene) -> None:
    first = written.ben.claim("r-1")
    first.ready(0, first.nonce)
    written.ben.reset_runtime()
    written.say("look")
    written.until(100)
    assert written.wire.sent == []

    second = written.ben.claim("r-2")
    written.until(110)
    assert [push.kind for _, push in written.wire.sent] == ["bootstrap"]
    second.ready(0, second.nonce)
    written.until(120)
    assert written.wire.last.kind == "inbox"


# -- tries


@pytest.mark.rule("L-NOTIFY-05", "L-NOTIFY-07", "L-NOTIFY-09")
def test_what_nobody_confirms_is_sent_three_times_and_then_a_person_should_look(
    scene: Scene,
) -> None:
    scene.say("look")
    scene.until(449)

    assert scene.wire.times == [0, 30, 150]
    assert [push.truncated for _, push in scene.wire.sent] == [False, True, True]
    assert scene.events("attention_called") == []
    scene.until(100_000)
    [(at, called)] = scene.events("attention_called")
    assert (at, called.why, called.entries) == (450, "unseen", (1,))
    assert scene.wire.times == [0, 30, 150]
    assert inbox(scene.lobby, scene.ben) == ["look"]


@pytest.mark.rule("L-NOTIFY-05", "L-NOTIFY-06", "L-NOTIFY-07", "L-NOTIFY-08")
def test_a_retry_behind_a_confirmed_write_is_used_up_silently(written: Scene) -> None:
    """The thirteenth of the subtlest: 0 + 30 + 120 + 300 = 450 s, and one notice."""
    written.ben.claim()
    written.ben.claim()
    third = written.ben.claim()
    written.say("look")
    written.until(450)

    assert third.generation == 3
    assert written.wire.times == [0]
    assert written.wire.last.generation == 3
    assert [at for at, _ in written.events("push_passed")] == [30, 150]
    [(at, called)] = written.events("attention_called")
    assert (at, called.entries) == (450, (1,))

    written.clock.now = written.clock.at(1_000)
    fourth = written.ben.claim()
    written.until(1_450)
    assert written.wire.times == [0, 1_000]
    hint = written.wire.last
    assert (hint.generation, hint.truncated) == (fourth.generation, True)
    assert [one for one, _ in written.events("attention_called")] == [450, 1_450]


@pytest.mark.rule("L-NOTIFY-07", "L-NOTIFY-08")
def test_a_runtime_that_comes_back_before_the_next_try_has_a_budget_of_its_own(
    written: Scene,
) -> None:
    written.ben.claim()
    written.say("look")
    written.until(10)
    written.ben.claim()
    written.until(600)

    assert written.wire.times == [0, 10]
    assert [at for at, _ in written.events("attention_called")] == [460]


@pytest.mark.rule("L-NOTIFY-04")
@pytest.mark.parametrize("fault", [RuntimeError, KeyboardInterrupt])
def test_a_try_counts_whatever_becomes_of_it(
    place: Place, fault: type[BaseException]
) -> None:
    """It is recorded before anything is sent, so a crash gives none back."""

    def fail(_: Push) -> None:
        raise fault

    scene = Scene(place, fail)
    scene.say("look")
    try:
        report = scene.lobby.deliver()
        assert [one.plugin for one in report.failures] != []
    except KeyboardInterrupt:
        pass
    other = place.crash()
    wire = Wire(place.clock)
    other.register(wire)
    scene.lobby = other
    scene.until(149)

    assert wire.times == [30]
    scene.until(1_000)
    assert wire.times == [30, 150]
    assert [at for at, _ in scene.events("attention_called")] == [450]


@pytest.mark.rule("L-NOTIFY-11", "L-NOTIFY-06")
def test_what_is_seen_is_sent_no_more_and_calls_for_nobody(scene: Scene) -> None:
    first, second = scene.say("one"), scene.say("two")
    scene.until(10)
    scene.lobby.inbox(scene.ben).acknowledge([first.message.id])
    scene.until(31)
    assert scene.wire.times == [0, 30]
    assert [one.id for one in scene.wire.last.covered] == [second.message.id]
    scene.lobby.inbox(scene.ben).acknowledge([second.message.id])
    scene.until(10_000)

    assert scene.wire.times == [0, 30]
    assert scene.events("attention_called") == []
    assert scene.lobby.next_deadline() is None


@pytest.mark.rule("L-NOTIFY-11")
def test_what_is_erased_or_withdrawn_is_sent_no_more(scene: Scene) -> None:
    lead = scene.lobby.person("ana")
    room = scene.lobby.create_room("r", by=lead, policy="broker")
    room.set_members(["ann", "ben"], by=lead)
    room.post("one", by=scene.ann, urgency="now")
    gone = room.post("two", by=scene.ann, urgency="now")
    room.erase(gone.message.id, by=lead)
    scene.lobby.deliver()
    assert texts(scene.wire.last) == ["one"]
    room.change_members(remove=["ben"], by=lead)
    scene.until(10_000)

    assert scene.wire.times == [0]
    assert scene.lobby.next_deadline() is None


@pytest.mark.rule("L-NOTIFY-16")
def test_who_comes_late_sends_once_for_all_that_was_missed(scene: Scene) -> None:
    scene.say("look")
    scene.until(0)
    scene.clock.now = scene.clock.at(1_000)
    scene.lobby.deliver()
    assert scene.wire.times == [0, 1_000]
    scene.until(2_000)

    assert scene.wire.times == [0, 1_000, 1_120]
    assert [at for at, _ in scene.events("attention_called")] == [1_420]


# -- batches, hints, and how many


@pytest.mark.rule("L-NOTIFY-02", "L-NOTIFY-09", "L-NOTIFY-12", "L-NOTIFY-13")
def test_what_is_not_urgent_waits_a_second_for_company(written: Scene) -> None:
    first = written.say("one", "normal")
    written.until(0.5)
    assert written.wire.sent == []
    written.clock.now = written.clock.at(0.9)
    written.say("two", "normal", reply_to=first.message.id, kind="question")
    written.until(1)

    [(at, push)] = written.wire.sent
    assert (at, texts(push), push.truncated) == (1, ["one", "two"], False)
    assert (push.covered_count, push.pending_count, push.generation) == (2, 2, 0)
    told = push.as_dict()
    assert (told["type"], told["agent"], told["notification_id"]) == (
        *("inbox", "ben", push.id),
    )
    assert told["messages"][1] == {
        "id": push.messages[1].id,
        "from": "agent:ann",
        "to": ["agent:ben"],
        "room": push.messages[1].id.partition(".")[0].join(("room_", "")),
        "urgency": "normal",
        "at": "2026-03-02T12:00:00.900000+00:00",
        "kind": "question",
        "text": "two",
        "reply_to": first.message.id,
    }
    assert "| two" in push.render()


@pytest.mark.rule("L-NOTIFY-02", "L-SEND-32")
def test_what_is_urgent_waits_for_nothing_and_takes_along_what_waits(
    written: Scene,
) -> None:
    written.say("small", "normal")
    written.clock.now = written.clock.at(0.25)
    written.say("big", "now")
    written.lobby.deliver()

    [(at, push)] = written.wire.sent
    assert (at, texts(push)) == (0.25, ["big", "small"])


@pytest.mark.rule("L-NOTIFY-09", "L-NOTIFY-10")
def test_more_than_twenty_are_hinted_at_the_urgent_first(written: Scene) -> None:
    for number in range(25):
        urgent = number in {7, 24}
        written.say(f"m{number}", "now" if urgent else "normal")
    written.until(1)

    [(_, push)] = written.wire.sent
    assert (push.truncated, push.messages) == (True, ())
    assert (push.covered_count, push.pending_count, len(push.covered)) == (25, 25, 20)
    assert [one.urgency for one in push.covered[:3]] == ["now", "now", "normal"]
    assert "m7" not in str(push.as_dict())
    header = push.covered[0]
    assert (header.sender, header.to) == ("agent:ann", ("agent:ben",))
    assert push.render() == ""


@pytest.mark.rule("L-NOTIFY-14", "L-NOTIFY-09")
@pytest.mark.parametrize(
    ("most", "length", "whole"),
    [
        (32 * KIB, 31 * KIB, True),
        (32 * KIB, 32 * KIB, False),
        (8 * KIB, 7 * KIB, True),
        (8 * KIB, 8 * KIB, False),
        (64 * KIB, 63 * KIB, True),
    ],
)
def test_what_is_too_large_is_hinted_at(
    place: Place, most: int, length: int, whole: bool
) -> None:
    scene = Scene(place)
    policy = presets.broker(pushes=Pushes(max_bytes=most))
    scene.say("x" * length, policy=policy)
    scene.lobby.deliver()

    assert scene.wire.last.truncated is not whole
    assert scene.wire.last.size <= most
    assert scene.wire.last.covered_count == 1


@pytest.mark.rule("L-NOTIFY-14")
def test_a_hint_keeps_to_the_size_too(place: Place) -> None:
    scene = Scene(place)
    pushes = Pushes(max_bytes=8 * KIB, max_messages=100)
    policy = presets.broker(pushes=pushes, send_window=None)
    for number in range(101):
        scene.say(f"m{number}", policy=policy)
    scene.lobby.deliver()

    push = scene.wire.last
    assert (push.covered_count, push.pending_count) == (101, 101)
    assert 30 < len(push.covered) < 100
    assert push.size <= 8 * KIB


@pytest.mark.rule("L-NOTIFY-03")
def test_an_agent_is_sent_thirty_in_a_minute_over_all_its_rooms(
    written: Scene,
) -> None:
    cy = written.lobby.add_agent("cy").conversation()
    for second in range(40):
        written.until(second)
        by, to = (written.ann, cy)[second % 2], "ben"
        written.lobby.send(f"m{second}", by=by, to=to, urgency="now")
        written.lobby.deliver()
    assert written.wire.times == [*range(30)]
    assert written.lobby.next_deadline() == written.clock.at(60)
    written.until(61)

    assert written.wire.times == [*range(30), 60]
    assert texts(written.wire.last) == [f"m{second}" for second in range(30, 40)]


@pytest.mark.rule("L-NOTIFY-03")
def test_tries_take_places_of_the_window_too(place: Place) -> None:
    scene = Scene(place)
    pushes = Pushes(window=RateWindow(2, timedelta(minutes=1)))
    policy = presets.broker(pushes=pushes)
    scene.say("one", policy=policy)
    scene.until(29)
    scene.say("two")
    scene.until(59)
    assert scene.wire.times == [0, 29]  # the try at 30 waits for a place
    scene.until(200)

    assert scene.wire.times == [0, 29, 60, 180]


@pytest.mark.rule("L-NOTIFY-17", "L-NOTIFY-10")
def test_one_push_is_of_all_rooms_and_one_word_confirms_it(scene: Scene) -> None:
    cy = scene.lobby.add_agent("cy").conversation()
    first = scene.say("one")
    second = scene.lobby.send("two", by=cy, to="ben", urgency="now")
    scene.lobby.deliver()
    [(_, push)] = scene.wire.sent
    assert texts(push) == ["one", "two"]
    scene.clock.now = scene.clock.at(5)
    scene.lobby.confirm(push.id, by=scene.ben)

    for sent in (first, second):
        [delivery] = sent.deliveries
        assert delivery.attempted_at == scene.clock.at(5)
        assert delivery.state == "pending"
    scene.until(149)
    assert scene.wire.times == [0]


# -- what a transport says


@pytest.mark.rule("L-NOTIFY-15", "L-NOTIFY-06")
def test_a_plugin_confirms_for_a_runtime_that_names_itself(written: Scene) -> None:
    claim = written.ben.claim(runtime="r-1")
    claim.ready(0, claim.nonce)
    written.say("look")
    written.until(1_000)

    assert written.wire.times == [0]
    assert (written.wire.last.runtime, written.wire.last.generation) == ("r-1", 1)
    [(at, told)] = written.events("push_told")
    assert (at, told.told) == (0, (1,))
    written.lobby.confirm(written.wire.last, by=claim)
    refused = code_of(lambda: written.lobby.confirm(written.wire.last, by=written.ben))
    assert refused == "runtime_required"


@pytest.mark.rule("L-NOTIFY-15")
def test_a_word_said_twice_is_said_once(scene: Scene) -> None:
    scene.say("one")
    scene.lobby.deliver()
    push = scene.wire.last
    for _ in range(2):
        scene.lobby.confirm(push, by=scene.ben, stage="received")
    assert len(scene.events("push_confirmed")) == 1
    assert scene.events("push_told") == []
    for stage in ("attempted", "attempted", "received"):
        scene.lobby.confirm(push.id, by=scene.ben, stage=stage)

    stages = [one.stage for _, one in scene.events("push_confirmed")]
    assert stages == ["received", "attempted"]
    assert len(scene.events("push_told")) == 1
    assert scene.lobby.inbox(scene.ben).count() == 1


@pytest.mark.rule("L-NOTIFY-15")
def test_only_the_runtime_that_it_was_sent_to_confirms_a_push(scene: Scene) -> None:
    old = scene.ben.claim()
    scene.say("one")
    scene.lobby.deliver()
    push, confirm = scene.wire.last, scene.lobby.confirm
    cases: list[tuple[str, Callable[[], Any]]] = [
        ("unknown_notification", lambda: confirm(push.id, by=scene.ann)),
        ("unknown_notification", lambda: confirm("push_ben.00000001", by=scene.ben)),
        ("unknown_notification", lambda: confirm("push_ben.99999999", by=scene.ben)),
        ("unknown_notification", lambda: confirm("hello", by=scene.ben)),
        ("unknown_notification", lambda: confirm("push_.", by=scene.ben)),
        ("agent_required", lambda: confirm(push.id, by=scene.lobby.person("ana"))),
        ("invalid_request", lambda: confirm(push.id, by=scene.ben, stage="seen")),
        ("invalid_request", lambda: confirm(3, by=scene.ben)),  # type: ignore[arg-type]
    ]
    for code, call in cases:
        assert code_of(call) == code
    new = scene.ben.claim()
    assert code_of(lambda: confirm(push.id, by=old)) == "stale_runtime"
    assert code_of(lambda: confirm(push.id, by=new)) == "stale_runtime"
    assert scene.events("push_confirmed") == []
    scene.lobby.deliver()
    confirm(scene.wire.last.id, by=new)
    assert len(scene.events("push_told")) == 1


def test_a_word_about_a_push_of_long_ago_still_counts_once(place: Place) -> None:
    scene = Scene(place)
    pushes = Pushes(window=RateWindow(1_000, timedelta(hours=1)))
    policy = presets.broker(pushes=pushes, send_window=None)
    scene.say("first", policy=policy)
    scene.lobby.deliver()
    first = scene.wire.last
    for number in range(101):
        scene.say(f"m{number}")
        scene.lobby.deliver()
    for _ in range(2):
        scene.lobby.confirm(first, by=scene.ben)

    [(_, told)] = scene.events("push_told")
    assert told.told == (1,)


@pytest.mark.parametrize("meanwhile", ["disabled", "claimed", "seen"])
def test_a_plugin_that_answers_too_late_changes_nothing(
    place: Place, meanwhile: str
) -> None:
    def answer(push: Push) -> str:
        if meanwhile == "disabled":
            on.lobby.agent("ben").change(enabled=False)
        elif meanwhile == "claimed":
            on.ben.claim()
        else:
            inbox_ = on.lobby.inbox(on.ben)
            inbox_.acknowledge([one.id for one in push.messages])
        return "attempted"

    on = Scene(place, answer)
    on.say("look")
    report = on.lobby.deliver()

    assert (len(report.pushed), report.failures) == (1, ())
    assert on.events("push_told") == []


# -- who is sent to


@pytest.mark.rule("L-NOTIFY-01", "L-AGENT-11", "L-REST-02", "L-REST-05", "L-NOTIFY-08")
def test_who_rests_is_sent_nothing_and_then_all_at_once(written: Scene) -> None:
    [lead] = added(written.lobby, "lead", manage_rooms=True)
    written.say("before")
    written.until(0)
    written.lobby.rest(["ben"], by=lead, until=written.clock.at(500))
    written.until(10)
    written.say("meanwhile")
    written.lobby.send("from another", by=lead, to="ben", urgency="now")
    written.until(499)
    assert written.wire.times == [0]
    assert written.events("attention_called") == []
    written.until(500)

    assert written.wire.times == [0, 500]
    hint = written.wire.last
    assert (hint.truncated, hint.covered_count, hint.pending_count) == (True, 2, 3)
    written.until(949)
    assert written.events("attention_called") == []
    written.until(10_000)
    called = [(at, one.entries) for at, one in written.events("attention_called")]
    assert {at for at, _ in called} == {950}
    assert written.wire.times == [0, 500]


@pytest.mark.rule("L-NOTIFY-01", "L-AGENT-11")
def test_a_disabled_agent_and_a_paused_room_are_sent_nothing(written: Scene) -> None:
    sent = written.say("one")
    written.lobby.agent("ben").change(enabled=False)
    written.until(1_000)
    assert written.wire.sent == []
    written.lobby.agent("ben").change(enabled=True)
    written.until(1_000)
    assert written.wire.times == [1_000]
    del sent


@pytest.mark.rule("L-AGENT-15", "L-NOTIFY-07", "L-NOTIFY-08")
def test_by_the_owners_word_tries_begin_anew_and_words_are_sent_again(
    written: Scene,
) -> None:
    written.say("look")
    written.until(451)
    assert len(written.events("attention_called")) == 1
    written.lobby.agent("ben").retry()
    written.until(452)
    assert written.wire.times == [0, 451]
    assert (texts(written.wire.last), written.wire.last.truncated) == (["look"], False)
    written.until(10_000)

    assert written.wire.times == [0, 451]
    assert [at for at, _ in written.events("attention_called")] == [450, 901]
    before = len(written.events("push_renewed"))
    written.lobby.inbox(written.ben).acknowledge(
        [one.id for one in written.wire.last.messages]
    )
    written.lobby.agent("ben").retry()
    assert len(written.events("push_renewed")) == before


class Host:
    """A host that says what a conversation is doing."""

    def __init__(self) -> None:
        self.state: str | None = "away"

    @hookimpl
    def rooms_state(self, conversation: Conversation) -> str | None:
        del conversation
        return self.state


@pytest.mark.rule("L-NOTIFY-01", "L-NOTIFY-09", "L-NOTIFY-16")
def test_who_is_away_is_sent_nothing_and_uses_no_try_up(written: Scene) -> None:
    host = Host()
    written.lobby.register(host)
    written.say("look")
    written.until(1_000)
    assert written.wire.sent == []
    assert len(written.events("push_held")) == 1
    assert written.lobby.next_deadline() is None
    host.state = None
    written.lobby.deliver()

    assert written.wire.times == [1_000]
    assert written.wire.last.truncated  # it had piled up
    written.until(10_000)
    assert [at for at, _ in written.events("attention_called")] == [1_450]


class Confused:
    """A host that raises, or answers nonsense, when it is asked for a state."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    @hookimpl
    def rooms_state(self, conversation: Conversation) -> Any:
        del conversation
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("answer", [LookupError("no such thread"), "asleep"])
def test_a_state_that_a_host_does_not_tell_is_in_the_report(
    written: Scene, answer: Any
) -> None:
    written.lobby.register(Confused(answer), "confused")
    written.say("look")
    written.clock.now = written.clock.at(1_000)

    report = written.lobby.deliver()

    assert len(written.wire.sent) == 1  # as if nobody had been asked
    assert {(one.plugin, one.hook) for one in report.failures} == {
        ("confused", "rooms_state")
    }


def test_a_handle_that_comes_later_sends_what_another_could_not(place: Place) -> None:
    one = place.open()
    ann, ben = added(one, "ann", "ben")
    one.send("look", by=ann, to="ben")
    place.clock.advance(2)
    one.deliver()  # nobody pushes here
    assert one.next_deadline() is None
    two = place.open()
    wire = Wire(place.clock, "attempted")
    two.register(wire)
    two.deliver()
    assert len(wire.sent) == 1
    one.send("again", by=ann, to="ben")
    place.clock.advance(2)
    one.deliver()
    two.deliver()

    assert len(wire.sent) == 2
    assert len(inbox(two, ben)) == 0  # both are told, and wait to be seen


def test_without_pushes_nothing_is_pushed(place: Place) -> None:
    scene = Scene(place)
    scene.say("look", policy=presets.broker(pushes=None))
    scene.until(1_000)

    assert scene.wire.sent == []
    assert inbox(scene.lobby, scene.ben) == ["look"]


def test_pushes_that_a_policy_brings_later_begin_with_what_waits(place: Place) -> None:
    scene = Scene(place, "attempted")
    ana = scene.lobby.person("ana")
    room = scene.lobby.create_room(
        "r", by=ana, policy=presets.broker(pushes=None, settle_on="read")
    )
    room.set_members(["ann", "ben"], by=ana)
    room.post("look", by=scene.ann)
    scene.until(10)
    room.change_policy(evolve(room.policy, pushes=Pushes()), by=ana)
    scene.until(11)
    assert scene.wire.times == [10]
    room.read(by=scene.ben)
    scene.until(10_000)
    assert scene.events("attention_called") == []


def test_what_is_taken_is_pushed_to_nobody_until_it_comes_back(scene: Scene) -> None:
    scene.say("look")
    [wake] = scene.lobby.take_wakes(conversations=[scene.ben])
    scene.until(600)
    assert scene.wire.sent == []
    scene.lobby.give_back(wake)
    scene.lobby.deliver()

    assert scene.wire.times == [600]


def test_an_explanation_tells_of_pushes(written: Scene) -> None:
    sent = written.say("look")
    written.until(0)
    written.lobby.agent("ben").retry()
    told = str(sent.room.explain(sent.message.id))

    for words in (
        "pushed by push_ben.00000002",
        "told as its push was written",
        "returned to be pushed anew",
    ):
        assert words in told


@pytest.mark.rule("L-NOTIFY-06")
def test_what_was_written_while_it_was_taken_is_not_sent_again(scene: Scene) -> None:
    scene.say("look")
    scene.until(0)
    [wake] = scene.lobby.take_wakes(conversations=[scene.ben])
    scene.lobby.confirm(scene.wire.last, by=scene.ben)
    scene.lobby.give_back(wake)
    scene.until(1_000)

    assert scene.wire.times == [0]
    assert [at for at, _ in scene.events("attention_called")] == [450]
    assert inbox(scene.lobby, scene.ben) == ["look"]


def test_pushes_stand_in_the_record_of_a_policy() -> None:
    pushes = Pushes(
        batching=timedelta(0),
        again=(),
        attention=timedelta(hours=1),
        window=RateWindow(3, timedelta(hours=2)),
        max_messages=5,
        max_bytes=9 * KIB,
    )
    policy = RoomPolicy(pushes=pushes)

    assert RoomPolicy.from_record(policy.recorded()) == policy
    given: Any = 3
    assert code_of(lambda: RoomPolicy(pushes=given)) == "invalid_request"


def test_the_state_of_pushes_stands_in_a_snapshot(place: Place) -> None:
    scene = Scene(place)
    claim: Claim = scene.ben.claim()
    scene.say("one")
    scene.until(0)
    scene.lobby.confirm(scene.wire.last, by=claim, stage="received")
    scene.until(31)
    scene.say("two", "normal")
    desk = scene.lobby._desk
    desk.commits.save_snapshots(desk.streams.loaded.values(), every=1)
    scene.lobby = place.crash()
    wire = scene.wire = Wire(place.clock)
    scene.lobby.register(wire)
    scene.until(1_000)

    assert wire.times == [1, 31, 119, 151]  # from 31 s on: 32, 62, 150, 182
    assert [at for at, _ in scene.events("attention_called")] == [450, 482]


@pytest.mark.rule("L-NOTIFY-05")
def test_what_waits_for_its_next_try_costs_nothing_until_then(place: Place) -> None:
    """Beside 80 agents that wait, two that are due cost what they cost beside 5."""
    scene = Scene(place)
    policy = presets.broker(send_window=None)
    handed: list[int] = []
    for start, end in ((0, 5), (5, 80)):
        names = [f"a{number}" for number in range(start, end)]
        added(scene.lobby, *names)
        for name in names:
            scene.lobby.send("later", by=scene.ann, to=name, policy=policy)
        scene.wait(2)
        for name in names[:2]:
            scene.lobby.send("now", by=scene.ann, to=name, urgency="now")
        scene.lobby.next_deadline()
        scene.lobby.list_agents(by=scene.ann)  # every projection is fed by now
        with counted(scene.lobby._desk.storage) as counts:
            report = scene.lobby.deliver()
        assert len(report.pushed) == 2
        handed.append(counts["handed"])

    assert handed[1] <= handed[0] + 4
