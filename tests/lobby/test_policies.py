"""Policies: the same path under other options, changed in mid-life, and drafts."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lobby.place import Clock, Place
from rooms import (
    Conversation,
    InvalidInput,
    Lobby,
    NotAllowed,
    Person,
    RateWindow,
    Room,
    RoomPolicy,
    RoomsError,
    hookimpl,
    presets,
)


@pytest.fixture
def ops(lobby: Lobby) -> Person:
    return lobby.person("ops")


def test_in_a_thread_a_person_calls_by_the_names_at_the_start(
    lobby: Lobby, ops: Person, ben: Conversation
) -> None:
    ada = lobby.add_agent("ada").conversation()
    policy = presets.thread(planner="none")
    room = lobby.create_room("r", by=ops, policy=policy).join(by=ada).join(by=ben)

    assert room.post("@ada @ben-web please", by=ops).woken == (ada, ben)
    assert room.post("please, @ada", by=ops).woken == ()
    assert room.post("@ben-web please", by=ada).woken == ()  # an agent calls nobody
    assert room.post("@ada please", by=ops).message.to == ("agent:ada",)


@pytest.mark.case("F-11", "F-25", "F-31", "F-53")
def test_in_a_panel_a_name_anywhere_calls_and_everybody_may(
    lobby: Lobby, ops: Person
) -> None:
    west, chief, bo = (
        lobby.add_agent(name).conversation() for name in ("chief-west", "chief", "bo")
    )
    policy = presets.panel(planner="none", default_mode="when_tagged")
    room = lobby.create_room("r", by=ops, policy=policy)
    for one in (west, chief, bo):
        room.join(by=one)

    assert room.post("So, @chief-west, go.", by=ops).woken == (west,)
    by_agent = room.post("as @bo I say: @chief, and @zoe too", by=bo)
    assert (by_agent.woken, by_agent.unresolved) == ((chief,), ("zoe",))
    assert room.post("@all next task", by=ops).woken == (west, chief, bo)


@pytest.mark.case("F-51")
def test_whether_an_agents_reply_wakes_its_author_is_the_rooms_to_say(
    lobby: Lobby, ops: Person, ben: Conversation
) -> None:
    ada = lobby.add_agent("ada").conversation()
    policy = RoomPolicy(reply_wakes_author=False)
    room = lobby.create_room("r", by=ops, policy=policy).join(by=ada).join(by=ben)
    asked = room.post("Done?", by=ada).message.id

    assert room.post("noted", by=ben, reply_to=asked).woken == ()
    assert room.post("and tests?", by=ops, reply_to=asked).woken == (ada,)


@pytest.mark.case("F-27")
def test_agents_that_wake_each_other_come_to_an_end_without_any_turn_being_opened(
    lobby: Lobby, clock: Clock, ops: Person, ben: Conversation
) -> None:
    ada = lobby.add_agent("ada").conversation()
    policy = RoomPolicy(max_hops=4)
    room = lobby.create_room("r", by=ops, policy=policy).join(by=ada).join(by=ben)
    room.post("Go.", by=ops, to=[ada])

    said = 0
    while wakes := lobby.take_wakes():
        for wake in wakes:
            other = ben if wake.conversation == ada else ada
            posted = room.post("@you", by=wake.conversation, to=[other])
            said += 1
    assert said == 4
    assert (posted.message.hops, posted.woken, posted.later) == (4, (), (ada,))
    room.post("Go on.", by=ops, to=[ada])

    [wake] = lobby.take_wakes()
    assert [one.hops for one in wake.messages] == [4, 0]  # kept, and told with the next


def test_a_changed_policy_acts_from_its_change_on(
    place: Place, lobby: Lobby, ops: Person, ben: Conversation
) -> None:
    ada = lobby.add_agent("ada").conversation()
    narrow = RoomPolicy(wake_window=RateWindow(1, timedelta(hours=1)))
    room = lobby.create_room("r", by=ops, policy=narrow).join(by=ada).join(by=ben)
    assert room.post("one", by=ada, to=[ben]).woken == (ben,)
    assert room.post("two", by=ada, to=[ben]).held == (ben,)
    assert lobby.next_deadline() == place.clock.at(3600)
    place.clock.advance(seconds=10)

    room.change_policy(RoomPolicy(wake_window=None), by=ops)
    room.change_policy(RoomPolicy(wake_window=None), by=ops)  # the same again is none

    again = place.crash()
    assert again.next_deadline() == place.clock.at(10)
    [wake] = again.take_wakes()
    assert ([one.seq for one in wake.messages], wake.waited) == ([1, 2], 1)
    assert room.post("three", by=ada, to=[ben]).woken == (ben,)


@pytest.mark.parametrize("policy", ["hall", None, 5, {"people": "watch"}])
def test_a_policy_is_changed_to_a_policy(
    lobby: Lobby, ops: Person, policy: Any
) -> None:
    room = lobby.create_room("r", by=ops)

    with pytest.raises(InvalidInput) as refused:
        room.change_policy(policy, by=ops)

    assert refused.value.field == "policy"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(
            ("people", "some"),
            ("mentions", "all"),
            ("oversize", "drop"),
            ("max_hops", 0),
        ),
        *(("wake_window", 5), ("send_window", "10/5m"), ("max_message_chars", -1)),
        *(("settle_on", "accepted"), ("default_mode", "loud"), ("planner", "")),
        *(("reply_wakes_author", 1), ("bare_word", "refuse"), ("colour", "blue")),
        *(("home_agent", "room"), ("home_agent", "a b"), ("home_agent", 7)),
    ],
)
def test_a_preset_refuses_what_is_no_option(option: str, value: Any) -> None:
    for preset in (presets.hall, presets.panel, presets.thread):
        with pytest.raises(InvalidInput) as refused:
            preset(**{option: value})
        named = "option" if option == "colour" else option
        assert refused.value.field == named


# -- drafts


class Censor:
    """A plugin that looks at drafts."""

    def __init__(self, answer: Any = None) -> None:
        self.answer = answer
        self.seen: list[Any] = []

    @hookimpl
    def rooms_check_draft(self, draft: Any) -> Any:
        self.seen.append(draft)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_a_plugin_sees_the_message_as_it_would_be_recorded_and_may_refuse_it(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    censor = Censor("it holds a key")
    lobby.register(censor, "censor")

    with pytest.raises(NotAllowed) as refused:
        hall.post("secret", by=eve, to=[ben], request_id="r-1")

    assert refused.value.code == "draft_refused"
    assert refused.value.details["reasons"] == ["it holds a key"]
    assert refused.value.details["plugins"] == ["censor"]
    [draft] = censor.seen
    assert (draft.text, draft.to, draft.seq) == ("secret", ("agent:ben-web",), 1)
    assert (hall.position, lobby.take_wakes()) == (0, [])
    censor.answer = None
    assert hall.post("secret", by=eve, request_id="r-1").message.seq == 1


def test_a_repeat_asks_no_plugin_again(
    lobby: Lobby, hall: Room, eve: Conversation
) -> None:
    hall.post("x", by=eve, request_id="r-1")
    lobby.register(Censor("never again"))

    assert hall.post("x", by=eve, request_id="r-1").duplicate


@pytest.mark.parametrize("answer", [RuntimeError("a canary"), 5, True, ""])
def test_a_plugin_that_fails_to_decide_refuses_and_is_named(
    lobby: Lobby, hall: Room, eve: Conversation, answer: Any
) -> None:
    lobby.register(Censor(answer), "censor")

    with pytest.raises(RoomsError) as refused:
        hall.post("x", by=eve)

    assert refused.value.code == "hook_failed"
    assert refused.value.details["plugin"] == "censor"
    assert "canary" not in str(refused.value)
    assert hall.position == 0


def test_an_observer_hears_every_commit_and_breaks_nothing(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    class Observer:
        heard: list[str] = []  # noqa: RUF012 - one test's own

        @hookimpl
        def rooms_committed(self, commit: Any) -> None:
            for facts in commit.facts.values():
                self.heard += [fact.event.TYPE for fact in facts]
            raise RuntimeError("and then it fails")

    observer = Observer()
    lobby.register(observer)

    posted = hall.post("x", by=eve, to=[ben])
    [wake] = lobby.take_wakes()
    with lobby.turn(wake):
        pass

    assert posted.woken == (ben,)
    assert observer.heard == [
        *("message_posted", "wake_taken", "turn_opened", "wake_closed"),
    ]


def test_a_plugin_may_post_while_it_is_told_of_a_post(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    class Echo:
        @hookimpl
        def rooms_committed(self) -> None:
            if hall.position < 3:
                hall.post("echo", by=ben)

    lobby.register(Echo())

    hall.post("x", by=eve)

    assert [one.content for one in hall.read(by=eve)] == ["x", "echo", "echo"]


@pytest.mark.parametrize("name", ["rooms_comitted", "rooms_nothing"])
def test_a_misspelt_hook_is_refused_at_once(lobby: Lobby, name: str) -> None:
    plugin = type("Plugin", (), {name: hookimpl(lambda self: None)})

    with pytest.raises(InvalidInput) as refused:
        lobby.register(plugin())

    assert refused.value.code == "unknown_hook"


def test_may_is_asked_only_of_those_whom_the_rules_do_not_let(
    lobby: Lobby, ops: Person
) -> None:
    asked: list[tuple[str, str]] = []

    class Host:
        @hookimpl
        def rooms_may(self, actor: Any, action: str, subject: Any) -> bool:
            asked.append((action, actor.id))
            return False

    lobby.register(Host())
    room = lobby.create_room("r", by=ops)
    room.pause(by=ops)

    with pytest.raises(NotAllowed):
        room.delete(by=lobby.person("stranger"))

    assert asked == [("delete_room", "stranger")]
