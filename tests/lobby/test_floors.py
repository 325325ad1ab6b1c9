"""The floor of planned rooms: who gets it, how it ends, what a person does to it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import pytest

from lobby.place import Place
from rooms import Conversation, Lobby, Room, RoomPolicy, Turn, Wake, presets
from rooms.hooks import hookimpl
from rooms.log.state import RoomState

MINUTE = timedelta(minutes=1)


class Game:
    """A planned room with some agents and a person, played by hand."""

    def __init__(self, lobby: Lobby, policy: RoomPolicy, *names: str) -> None:
        self.lobby = lobby
        self.ops = lobby.person("ops")
        self.room = lobby.create_room("r", by=self.ops, policy=policy)
        for name in names:
            self.room.join(by=lobby.add_agent(name).conversation())

    def of(self, name: str) -> Conversation:
        return self.lobby.agent(name).conversation()

    def ask(self, text: str = "Go.", **how: Any) -> None:
        self.room.post(text, by=self.ops, **how)

    def take(self) -> Wake | None:
        taken = self.lobby.take_wakes()
        assert len(taken) <= 1
        return taken[0] if taken else None

    def turn(self, said: str | None = "", *, failed: bool = False) -> str:
        """Runs the turn that is due; who has it."""
        wake = self.take()
        if wake is None:
            return ""
        turn = Turn(self.lobby._desk, wake, word_of=None, now=None)
        turn.__enter__()
        if said:
            turn.reply(said)
        turn.end(failed=failed)
        return wake.conversation.agent

    def state(self) -> RoomState:
        with self.lobby._desk.lock:
            return self.lobby._desk.room(self.room.id)

    def had(self) -> list[tuple[str, int, str]]:
        activity = self.state().activity
        assert activity is not None
        seats = self.state().seats
        return [
            (seats[one.conversation].agent, one.round, one.outcome)
            for one in activity.turns
        ]


def panel(lobby: Lobby, *names: str, **options: Any) -> Game:
    return Game(lobby, presets.panel(**options), *(names or ("eve", "ada", "bo")))


def thread(lobby: Lobby, *names: str, **options: Any) -> Game:
    return Game(lobby, presets.thread(**options), *(names or ("eve", "ada", "bo")))


# -- who gets it


def test_one_seat_at_a_time_has_the_floor_and_it_comes_as_a_wake(lobby: Lobby) -> None:
    game = panel(lobby)
    assert game.take() is None
    game.ask()

    wake = game.take()

    assert wake is not None
    assert (wake.kind, wake.conversation.agent) == ("floor", "eve")
    assert [one.content for one in wake.messages] == ["Go."]
    assert wake.reasons == ("planned",)
    assert "[mail from room r · floor · 1 message" in wake.render()


def test_what_the_roster_hears_rides_along_and_wakes_nobody(lobby: Lobby) -> None:
    game = panel(lobby)
    posted = game.room.post("Go, @bo.", by=game.ops)

    assert posted.woken == ()
    assert len(posted.later) == 3
    assert [game.turn(f"I am {number}") for number in range(3)] == ["eve", "ada", "bo"]
    assert game.turn() == ""
    assert game.state().ended == "settled"


@pytest.mark.rule("P-RUN-07")
def test_an_agent_that_speaks_up_starts_nothing_and_may_admit_others(
    lobby: Lobby,
) -> None:
    game = panel(lobby)
    game.room.post("Anybody here, @ada?", by=game.of("eve"))
    assert game.take() is None

    game.ask()
    game.turn("one")
    game.room.post("@eve, a word.", by=game.of("bo"))  # out of turn, in round 0

    assert [game.turn("two"), game.turn("three"), game.turn()] == ["ada", "eve", ""]


def test_in_a_thread_only_whom_a_person_addresses_has_turns(lobby: Lobby) -> None:
    game = thread(lobby, max_rounds=1)
    game.ask("Nobody is meant.")
    assert game.take() is None

    game.ask("@bo @eve what broke?")

    assert [game.turn("x"), game.turn("y"), game.turn()] == ["bo", "eve", ""]
    game.ask("To all", to=["all"])
    assert [game.turn("x") for _ in range(4)] == ["eve", "ada", "bo", ""]


@pytest.mark.case("F-09", "F-10", "F-11")
def test_a_default_responder_answers_what_addresses_nobody(lobby: Lobby) -> None:
    game = thread(lobby, default_responder="ada", max_rounds=1)

    game.ask("@zoe was on this, can someone look?")
    assert [game.turn("I do."), game.turn()] == ["ada", ""]
    game.ask("Any idea?")
    assert [game.turn(failed=True), game.turn("x"), game.turn("y"), game.turn()] == [
        *("ada", "eve", "bo", ""),
    ]
    game.ask("@eve handle this")
    assert [game.turn("Yes."), game.turn()] == ["eve", ""]


def test_the_floor_costs_no_place_of_a_window(lobby: Lobby) -> None:
    game = panel(lobby, "eve", "ada", max_rounds=9, max_messages=None)
    game.ask()

    spoken = 0
    while game.turn("@eve @ada on"):
        spoken += 1

    assert spoken == 18
    posted = game.state().seats[game.of("eve").id]
    assert posted.charges == ()


# -- how it ends


def test_an_end_of_the_turn_says_what_it_was(lobby: Lobby) -> None:
    game = Game(lobby, presets.panel(on_failure="drop"), "eve", "ada", "bo")
    game.ask()
    game.turn("words")
    game.turn()
    game.take()

    assert game.had() == [("eve", 0, "spoke"), ("ada", 0, "passed")]


def test_a_failed_turn_is_used_up_or_asked_again_as_the_policy_says(
    lobby: Lobby,
) -> None:
    ends = {}
    for policy in ("drop", "retry", "raise"):
        game = Game(lobby, presets.panel(on_failure=policy), "eve", "ada")
        game.ask()
        ends[policy] = [game.turn(failed=True) for _ in range(5)]
        game.room.delete(by=game.ops)

    assert ends == {
        "drop": ["eve", "ada", "", "", ""],
        "retry": ["eve", "eve", "eve", "ada", "ada"],
        "raise": ["eve"] * 5,
    }


def test_a_claim_that_runs_out_gives_the_floor_back_and_it_is_planned_again(
    place: Place, lobby: Lobby
) -> None:
    game = panel(lobby)
    game.ask()
    lost = game.take()
    assert lobby.next_deadline() == place.clock.now + 15 * MINUTE

    place.clock.advance(minutes=15)
    again = game.take()

    assert lost is not None
    assert again is not None
    assert (again.conversation, again.id != lost.id) == (lost.conversation, True)


def test_what_was_said_before_the_claim_ran_out_is_the_turn(
    place: Place, lobby: Lobby
) -> None:
    game = panel(lobby)
    game.ask()
    wake = game.take()
    assert wake is not None
    lobby.turn(wake).__enter__().reply("Said, and then the power went.")

    place.clock.advance(minutes=15)
    other = place.open()

    assert [one.conversation.agent for one in other.take_wakes()] == ["ada"]
    assert game.had() == [("eve", 0, "spoke")]


def test_who_rests_or_leaves_has_no_turn(lobby: Lobby) -> None:
    game = panel(lobby)
    game.ask()
    game.room.rest(by=game.of("eve"))
    assert game.had() == [("eve", 0, "absent")]
    game.take()
    game.room.leave(by=game.of("ada"))  # in its turn

    assert game.turn("Only me.") == "bo"
    assert game.state().ended == "settled"
    game.ask("Again.")
    assert [game.turn("x"), game.turn()] == ["bo", ""]


def test_whoever_comes_back_for_more_has_passed(lobby: Lobby) -> None:
    game = panel(lobby)
    game.ask()

    assert game.take() is not None
    game.take()  # it is planned behind the end
    assert game.had()[0] == ("eve", 0, "passed")


# -- a person in mid-activity


@pytest.mark.case("F-04")
def test_a_person_restarts_the_panel_and_an_untaken_floor_is_withdrawn(
    lobby: Lobby,
) -> None:
    game = panel(lobby)
    game.ask("ideas?")
    game.turn("A")

    game.ask("@bo only you now")  # ada had the floor

    assert [game.turn("B") for _ in range(4)] == ["eve", "ada", "bo", ""]


def test_a_late_end_belongs_to_the_activity_that_gave_the_floor(lobby: Lobby) -> None:
    game = panel(lobby)
    game.ask("one")
    wake = game.take()
    assert wake is not None
    with lobby.turn(wake) as turn:
        game.ask("two")
        assert game.take() is None  # one floor at most
        turn.reply("about one, @bo")

    assert game.had() == []
    assert [game.turn("x") for _ in range(4)] == ["eve", "ada", "bo", ""]


def test_a_person_queues_in_a_thread_as_the_next_opener(lobby: Lobby) -> None:
    game = thread(lobby, max_rounds=1)
    game.ask("@eve @ada first")
    game.turn("x")
    game.ask("@bo second")
    game.ask("@eve third")

    assert [game.turn("y") for _ in range(4)] == ["ada", "bo", "eve", ""]


def test_another_policy_ends_the_activity(lobby: Lobby) -> None:
    game = thread(lobby)
    game.ask("@eve @ada first")
    game.ask("@bo second")

    game.room.change_policy(RoomPolicy(), by=game.ops)

    assert game.take() is None
    assert (game.state().ended, game.state().openers) == ("policy_changed", [])


# -- planners of plugins


class Brings:
    """A plugin with one planner, which may fail."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.made = 0

    @hookimpl
    def rooms_planners(self) -> Any:
        return {"scripted": self.make}

    def make(self) -> Any:
        self.made += 1
        return self

    def plan_next(self, roster: Sequence[str], transcript: Sequence[Any]) -> Any:
        answer = self.answers[0]
        if len(self.answers) > 1:
            self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def planned_by(lobby: Lobby, *answers: Any) -> tuple[Game, Brings]:
    plugin = Brings(*answers)
    lobby.register(plugin)
    return Game(lobby, RoomPolicy(planner="scripted"), "eve", "ada"), plugin


def test_a_plugins_planner_is_made_once_and_asked_by_its_name(lobby: Lobby) -> None:
    game, plugin = planned_by(lobby, "ada", "ada", "eve", None)
    game.ask()

    assert [game.turn(f"{number}") for number in range(4)] == ["ada", "ada", "eve", ""]
    assert (game.state().ended, plugin.made) == ("settled", 1)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (RuntimeError("secret"), "planner_failed"),
        (5, "planner_failed"),
        ("zoe", "not_on_roster"),
    ],
)
def test_a_planner_that_fails_refuses_no_post_and_is_asked_again_at_delivery(
    lobby: Lobby, wrong: Any, reason: str
) -> None:
    game, _ = planned_by(lobby, wrong, wrong, "ada", None)

    game.ask()

    activity = game.state().activity
    assert activity is not None
    assert activity.problem == reason
    assert game.room.position == 1
    lobby.deliver()
    assert game.take() is None
    lobby.deliver()
    assert [game.turn("At last."), game.turn()] == ["ada", ""]


def test_a_failed_planner_is_due_again_by_itself_in_another_process_too(
    place: Place, lobby: Lobby
) -> None:
    game = Game(lobby, RoomPolicy(planner="scripted"), "eve", "ada")
    game.ask()
    activity = game.state().activity
    assert activity is not None
    assert activity.problem == "unknown_planner"
    assert lobby.next_deadline() == place.clock.now + timedelta(seconds=30)

    other = place.crash()
    other.register(Brings("eve", None))
    place.clock.advance(seconds=30)

    assert [one.conversation.agent for one in other.take_wakes()] == ["eve"]


def test_a_person_takes_the_place_of_an_activity_that_nobody_can_plan(
    lobby: Lobby,
) -> None:
    game, plugin = planned_by(lobby, RuntimeError())
    game.ask("one")
    plugin.answers = ["eve", None]

    game.ask("two")

    assert game.turn("Yes.") == "eve"
    assert game.state().openers == []


# -- carriers


class Carries:
    def __init__(self, answer: str | None) -> None:
        self.answer = answer
        self.wakes: list[Wake] = []

    @hookimpl
    def rooms_carry(self, wake: Wake) -> str | None:
        self.wakes.append(wake)
        if self.answer == "settled":
            wake.room.post(f"{len(self.wakes)}", by=wake.conversation)
        return self.answer


def test_a_floor_is_carried_like_any_wake(lobby: Lobby) -> None:
    carrier = Carries("settled")
    lobby.register(carrier)
    game = panel(lobby)
    game.ask()

    lobby.deliver()

    assert [one.conversation.agent for one in carrier.wakes] == ["eve", "ada", "bo"]
    assert game.state().ended == "settled"


def test_a_floor_that_nobody_carries_is_offered_once(lobby: Lobby) -> None:
    carrier = Carries(None)
    lobby.register(carrier)
    game = panel(lobby)
    game.ask()
    before = game.state().version

    lobby.deliver()
    after = game.state().version
    lobby.deliver()

    assert len(carrier.wakes) == 1
    assert (after > before, game.state().version) == (True, after)
    assert game.turn("By hand, then.") == "eve"


def test_a_floor_that_was_delivered_is_its_seats_while_the_claim_holds(
    place: Place, lobby: Lobby
) -> None:
    carrier = Carries("delivered")
    lobby.register(carrier)
    game = panel(lobby)
    game.ask()
    lobby.deliver()

    game.room.post("Later, from elsewhere.", by=game.of("eve"))
    lobby.deliver()
    assert len(carrier.wakes) == 1
    place.clock.advance(minutes=15)
    lobby.deliver()

    assert [one.conversation.agent for one in carrier.wakes] == ["eve", "ada"]


def test_a_room_that_is_gone_or_paused_gives_nobody_the_floor(lobby: Lobby) -> None:
    game = panel(lobby)
    game.room.pause(by=game.ops)
    game.ask()
    assert game.take() is None
    game.room.unpause(by=game.ops)
    assert game.turn("Now.") == "eve"

    room: Room = game.room
    room.delete(by=game.ops)
    assert lobby.take_wakes() == []


def test_whose_turn_it_is_can_be_asked(lobby: Lobby) -> None:
    game = panel(lobby, "eve", "ada")
    asked = [game.room.floor]
    game.ask()
    for said in ("A", "B"):
        asked.append(game.room.floor)
        game.turn(said)

    assert [*asked, game.room.floor] == [None, game.of("eve"), game.of("ada"), None]
