"""Wakes: what is owed, held, taken, carried and given back, over restarts."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from threading import Thread
from typing import Any

import pytest

from lobby.place import Clock, Place
from rooms import (
    Conflict,
    Conversation,
    InvalidInput,
    Lobby,
    NotFound,
    RateWindow,
    Room,
    RoomPolicy,
    Wake,
    hookimpl,
    presets,
)


def seqs(wakes: list[Wake]) -> list[tuple[str, list[int]]]:
    return [
        (str(wake.conversation), [one.seq for one in wake.messages]) for wake in wakes
    ]


# -- held


@pytest.mark.rule("G-RATE-01", "G-RATE-02", "G-HELD-05", "G-WAKE-06")
@pytest.mark.case("F-78")
def test_of_thirteen_in_a_minute_ten_wake_and_three_wait_also_over_a_restart(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    clock = place.clock
    posts = [hall.post(f"m{n}", by=eve, to=[ben], now=clock.at(n)) for n in range(13)]
    assert [one.woken == (ben,) for one in posts] == [True] * 10 + [False] * 3
    assert all(one.held == (ben,) for one in posts[10:])
    [wake] = lobby.take_wakes(now=clock.at(60))
    assert ([one.seq for one in wake.messages], wake.waited) == (
        *(list(range(1, 11)), 0),
    )
    with lobby.turn(wake, now=clock.at(60)):
        pass

    again = place.crash()

    assert again.next_deadline() == clock.at(300)  # the place of second 0
    assert again.take_wakes(now=clock.at(299.999)) == []
    [wake] = again.take_wakes(now=clock.at(300))
    assert ([one.seq for one in wake.messages], wake.waited) == ([11, 12, 13], 3)
    assert "· 3 waited ·" in wake.render()
    hall.post("m13", by=eve, to=[ben], now=clock.at(300.5))
    assert lobby.next_deadline() == clock.at(301)  # one place is taken by the release


@pytest.mark.rule("G-RATE-07", "G-WAKE-04")
def test_subtle_4_what_is_held_can_be_read_and_reading_settles_it(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for number in range(13):
        hall.post(f"m{number}", by=eve, to=[ben])

    assert len(hall.read(by=ben, limit=100)) == 13

    clock.advance(minutes=10)
    assert lobby.take_wakes() == []
    assert lobby.next_deadline() is None


@pytest.mark.rule("G-RATE-04")
def test_nothing_but_the_rate_ends_an_exchange(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("Ping.", by=eve, to=[ben])
    for _ in range(120):
        [wake] = lobby.take_wakes()
        with lobby.turn(wake) as turn:
            turn.reply("Pong.")
        clock.advance(minutes=1)

    assert hall.position == 121


def test_the_windows_of_two_rooms_are_their_own(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    policy = presets.hall(wake_window=RateWindow(1, timedelta(minutes=5)))
    first, second = (
        lobby.create_room(name, by=eve, policy=policy).join(by=ben)
        for name in ("first", "second")
    )

    posts = [room.post("x", by=eve, to=[ben]) for room in (first, first, second)]

    assert [one.woken for one in posts] == [(ben,), (), (ben,)]
    assert posts[1].held == (ben,)


@pytest.mark.rule("G-MODE-05", "G-HELD-04")
def test_a_digest_comes_at_its_tick_with_everything_and_once_however_late(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    clock = place.clock
    hall.subscribe(by=ben, mode="digest", interval=timedelta(minutes=30))
    assert lobby.next_deadline() is None  # nothing untold, nothing due
    hall.post("one", by=eve, now=clock.at(60))
    hall.post("two", by=eve, to=[ben], now=clock.at(120))
    assert lobby.take_wakes(now=clock.at(1799)) == []
    assert lobby.next_deadline() == clock.at(1800)

    again = place.crash()

    [wake] = again.take_wakes(now=clock.at(6 * 3600))
    assert seqs([wake]) == [("agent:ben-web", [1, 2])]
    assert wake.reasons == ("digest",)
    with again.turn(wake, now=clock.at(6 * 3600)):
        pass
    hall.post("three", by=eve, now=clock.at(6 * 3600 + 1))
    assert again.next_deadline() == clock.at(6 * 3600 + 1800)


@pytest.mark.rule("G-MODE-06")
def test_a_digest_of_tags_carries_and_counts_tags_alone(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.subscribe(by=ben, mode="digest", tagged_only=True)

    assert hall.post("untagged", by=eve).later == ()
    assert lobby.next_deadline() is None
    assert hall.post("tagged", by=eve, to=[ben]).later == (ben,)
    assert seqs(lobby.take_wakes(now=clock.at(900))) == [("agent:ben-web", [2])]


@pytest.mark.rule("G-MODE-11")
@pytest.mark.parametrize("seconds", [0, 59.999, 86_400.001, -60])
def test_an_interval_outside_a_minute_to_a_day_is_refused(
    hall: Room, ben: Conversation, seconds: float
) -> None:
    with pytest.raises(InvalidInput) as refused:
        hall.subscribe(by=ben, mode="digest", interval=timedelta(seconds=seconds))

    assert refused.value.field == "interval"


@pytest.mark.rule("G-MODE-09")
def test_next_turn_is_refused_for_an_agent_without_turns_of_its_own(
    lobby: Lobby, hall: Room, ben: Conversation
) -> None:
    other = lobby.add_agent("cy").conversation()
    for choose, one in ((hall.subscribe, ben), (hall.join, other)):
        with pytest.raises(InvalidInput) as refused:
            choose(by=one, mode="next_turn")
        assert refused.value.field == "mode"
    for mode in ("when_tagged", "every_message", "digest", "on_demand"):
        hall.subscribe(by=ben, mode=mode)


# -- taking


@pytest.mark.rule("G-WAKE-01", "G-WAKE-05")
def test_what_reaches_an_idle_conversation_is_a_turn_framed_as_mail(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("Hello.\n[end]", by=ben, to=[eve])

    [wake] = lobby.take_wakes()

    assert (wake.kind, wake.conversation, wake.room) == ("turn", eve, hall)
    lines = wake.render().splitlines()
    assert lines[0] == "[mail from room orders · 1 message · why tagged]"
    assert "from agent:ben-web" in lines[2]
    assert lines[3:] == ["| Hello.", "| [end]", "[end]"]


@pytest.mark.rule("G-SAFE-07")
def test_the_mail_says_that_nothing_secret_belongs_in_a_room(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("The password is swordfish.", by=ben, to=[eve])

    [wake] = lobby.take_wakes()

    reminder = wake.render().splitlines()[1]
    assert "Whoever may read this room can read all of it" in reminder
    assert "nothing secret belongs here" in reminder


@pytest.mark.rule("G-MODE-03")
@pytest.mark.case("F-45")
def test_one_listens_to_all_and_is_woken_for_what_is_said_to_another(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    cy = lobby.add_agent("cy").conversation()
    hall.join(by=cy, mode="every_message")
    hall.post("one", by=eve, to=[ben])
    hall.post("two", by=eve)

    wakes = {wake.conversation: wake for wake in lobby.take_wakes()}

    assert [one.seq for one in wakes[cy].messages] == [1, 2]
    assert dict(wakes[cy].why) == {1: "every_message", 2: "every_message"}
    assert [one.seq for one in wakes[ben].messages] == [1]


def test_only_the_named_agents_or_conversations_are_taken(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    cy = lobby.add_agent("cy").conversation()
    hall.join(by=cy)
    hall.post("x", by=eve, to=[ben, cy])
    hall.post("y", by=ben, to=[eve])

    assert lobby.take_wakes(agents=[]) == []
    assert lobby.take_wakes(conversations=[]) == []
    assert seqs(lobby.take_wakes(agents=["CY"])) == [("agent:cy", [1])]
    assert seqs(lobby.take_wakes(conversations=[eve])) == [("agent:Eve/acme", [2])]
    assert seqs(lobby.take_wakes(limit=1)) == [("agent:ben-web", [1])]


def test_to_take_for_one_is_not_to_come_back_for_another(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    cy = lobby.add_agent("cy").conversation()
    hall.join(by=cy)
    hall.post("x", by=eve, to=[ben, cy])
    [first] = lobby.take_wakes(agents=["ben-web"])

    [second] = lobby.take_wakes(agents=["cy"])

    for wake in (first, second):
        with lobby.turn(wake) as turn:
            turn.reply("Read.")
    assert hall.position == 3


def test_one_handle_of_two_takes_each_wake(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("x", by=eve, to=[ben])
    other = place.open()

    taken = [*other.take_wakes(), *lobby.take_wakes(), *other.take_wakes(limit=1)]

    assert seqs(taken) == [("agent:ben-web", [1])]


def test_workers_on_one_handle_are_told_apart_by_their_names(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("x", by=eve, to=[ben])
    [wake] = lobby.take_wakes(holder="w1")

    assert lobby.take_wakes(holder="w2") == []
    with lobby.turn(wake):
        hall.post("y", by=eve, to=[ben])
        assert lobby.take_wakes(holder="w1") == []  # its turn runs
    assert seqs(lobby.take_wakes(holder="w2")) == [("agent:ben-web", [2])]


def test_coming_back_for_more_says_that_it_was_told(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("one", by=eve, to=[ben])
    assert seqs(lobby.take_wakes()) == [("agent:ben-web", [1])]
    hall.post("two", by=eve, to=[ben])

    assert seqs(lobby.take_wakes()) == [("agent:ben-web", [2])]
    assert lobby.take_wakes() == []


def both(lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation) -> list[Wake]:
    """Two wakes of one take, ben's first."""
    cy = lobby.add_agent("cy").conversation()
    hall.join(by=cy)
    hall.post("x", by=eve, to=[ben, cy])
    return lobby.take_wakes()


def test_a_loop_that_fails_at_its_first_turn_loses_none_of_the_others(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    first, second = both(lobby, hall, eve, ben)

    def fails() -> None:
        with lobby.turn(first):
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()

    again = lobby.take_wakes()  # the loop is begun again
    assert [one.conversation for one in again] == [ben]
    clock.advance(minutes=15)
    late = lobby.take_wakes()  # nobody opened it, so its claim ran out
    assert second.conversation in [one.conversation for one in late]
    assert next(one.content for wake in late for one in wake.messages) == "x"


def test_a_wake_that_waits_for_a_worker_is_not_settled_by_the_next_take(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    first, second = both(lobby, hall, eve, ben)
    with lobby.turn(first):
        pass

    assert lobby.take_wakes() == []  # as a program does that hands wakes to a pool

    with lobby.turn(second) as turn:
        turn.reply("At last.")
    assert lobby.take_wakes(agents=["cy"]) == []


def test_what_is_given_back_is_owed_again_at_once(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("x", by=eve, to=[ben])
    [wake] = lobby.take_wakes()

    lobby.give_back(wake)
    lobby.give_back(wake)  # twice is no fault
    [again] = lobby.take_wakes()

    assert seqs([again]) == [("agent:ben-web", [1])]
    with lobby.turn(again):
        lobby.give_back(again)  # its turn runs, and is left alone
    assert lobby.take_wakes() == []
    lobby.give_back(again)
    assert lobby.take_wakes() == []


@pytest.mark.case("F-89")
def test_a_claim_that_ran_out_is_taken_by_whoever_comes_and_its_turn_is_stale(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("x", by=eve, to=[ben])
    [wake] = lobby.take_wakes(hold_for=timedelta(minutes=2))
    turn = lobby.turn(wake).__enter__()
    assert lobby.next_deadline() == place.clock.at(120)
    place.clock.advance(minutes=2)

    other = place.open()
    [again] = other.take_wakes()

    assert seqs([again]) == seqs([wake])
    for late in (
        lambda: turn.reply("Too late."),
        lambda: hall.post("Too late, elsewhere.", by=turn),
        turn.renew,
        lambda: lobby.turn(wake).__enter__(),
    ):
        with pytest.raises(Conflict) as stale:
            late()
        assert stale.value.code == "stale_wake"
    turn.end()  # no fault, and it ends nothing of the other's
    with other.turn(again) as current:
        current.reply("In time.")
    assert [one.content for one in hall.read(by=ben)] == ["x", "In time."]


@pytest.mark.rule("G-HELD-01", "G-HELD-02")
def test_after_a_restart_all_that_is_owed_is_one_wake_at_once(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    claim = ben.claim()
    for number in range(3):
        hall.post(f"m{number}", by=eve, to=[ben])
    [lost] = lobby.take_wakes(conversations=[claim])
    hall.post("m3", by=eve, to=[ben])

    again = place.crash()
    runtime = again.conversation("ben-web").claim()

    [wake] = again.take_wakes(conversations=[runtime])
    assert seqs([wake]) == [("agent:ben-web", [1, 2, 3, 4])]
    assert "· 4 messages ·" in wake.render()
    for stale in (
        lambda: lobby.take_wakes(conversations=[claim]),
        lambda: lobby.turn(lost).__enter__(),
        lambda: hall.post("x", by=claim),
        lambda: hall.read(by=claim),
        lambda: hall.acknowledge([lost.messages[0].id], by=claim),
        lambda: hall.leave(by=claim),
        lambda: hall.join(by=claim, mode="digest"),
    ):
        with pytest.raises(Conflict) as refused:
            stale()
        assert refused.value.code == "stale_runtime"


def test_a_wake_that_a_dead_process_took_comes_to_the_newest_claim_at_once(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("x", by=eve, to=[ben])
    lobby.take_wakes(conversations=[ben.claim()])  # and then nothing more

    again = place.crash()
    runtime = again.conversation("ben-web").claim()

    assert seqs(again.take_wakes(conversations=[runtime])) == [("agent:ben-web", [1])]


@pytest.mark.rule("G-HELD-03")
def test_subtle_5_next_turn_after_a_restart_is_told_once_somebody_posted_again(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.subscribe(by=eve, mode="next_turn")
    eve.claim()
    for number in range(4):
        hall.post(f"m{number}", by=ben)

    again = place.crash()
    room = again.room("orders")
    seat = again.conversation("Eve", thread="t-1")
    seat.claim(now=place.clock.at(1))

    assert again.take_wakes() == []
    with again.turn(seat, now=place.clock.at(2)) as quiet:
        assert quiet.notices == ()
    room.post("m4", by=ben, now=place.clock.at(3))
    with again.turn(seat, now=place.clock.at(4)) as told:
        [notice] = told.notices
    assert [one.seq for one in notice.messages] == [1, 2, 3, 4, 5]
    assert notice.kind == "notice"


@pytest.mark.case("F-75")
def test_a_clock_that_steps_back_neither_loses_nor_lengthens_anything(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    clock = place.clock
    clock.advance(hours=1)
    first = hall.post("one", by=eve, to=[ben])
    clock.advance(hours=-1)

    second = hall.post("two", by=eve, to=[ben])
    [wake] = lobby.take_wakes()

    assert second.message.at == first.message.at == clock.at(3600)
    assert seqs([wake]) == [("agent:ben-web", [1, 2])]
    assert wake.until == clock.at(3600 + 900)


@pytest.mark.rule("G-HELD-06")
def test_leaving_ends_what_is_owed_and_coming_back_brings_nothing_of_it(
    lobby: Lobby, clock: Clock, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for number in range(12):
        hall.post(f"m{number}", by=eve, to=[ben])

    hall.leave(by=ben)

    assert lobby.next_deadline() is None
    hall.join(by=ben)
    clock.advance(hours=1)
    assert lobby.take_wakes() == []
    assert hall.post("again", by=eve, to=[ben]).woken == (ben,)


# -- on hold


@pytest.mark.parametrize("hold", ["rest", "pause"])
def test_what_comes_during_a_hold_is_one_wake_after_it(
    lobby: Lobby, ben: Conversation, hold: str
) -> None:
    ops = lobby.person("ops")
    room = lobby.create_room("r", by=ops).join(by=ben)
    room.post("before", by=ops, to=[ben])
    by: Any = ben if hold == "rest" else ops
    getattr(room, hold)(by=by)

    during = room.post("during", by=ops, to=[ben])

    assert (during.woken, during.held) == ((), (ben,))
    assert lobby.take_wakes() == []
    getattr(room, {"rest": "resume", "pause": "unpause"}[hold])(by=by)
    [wake] = lobby.take_wakes()
    assert ([one.seq for one in wake.messages], wake.waited) == ([1, 2], 1)


# -- plugins that carry


class Mailbox:
    """A transport that hands wakes over, and says what the test told it to."""

    def __init__(self, answer: Any = "delivered") -> None:
        self.answer = answer
        self.wakes: list[Wake] = []

    @hookimpl
    def rooms_carry(self, wake: Wake) -> object:
        self.wakes.append(wake)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def test_without_a_plugin_that_carries_everything_waits_for_a_take(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("x", by=eve, to=[ben])

    report = lobby.deliver()

    assert (report.delivered, report.settled, report.uncarried) == ((), (), ())
    assert seqs(lobby.take_wakes()) == [("agent:ben-web", [1])]


@pytest.mark.case("F-88")
def test_what_was_delivered_is_not_offered_again_and_is_read_when_it_is_shown(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    mailbox = Mailbox()
    lobby.register(mailbox)
    posted = hall.post("x", by=eve, to=[ben])

    assert seqs(list(lobby.deliver().delivered)) == [("agent:ben-web", [1])]
    place.clock.advance(hours=1)
    assert lobby.deliver().delivered == ()
    assert place.crash().take_wakes() == []
    assert len(mailbox.wakes) == 1
    told = hall.explain(posted.message.id)
    assert "or a plugin had handed it over" in str(told)
    hall.read(by=ben)
    assert told != hall.explain(posted.message.id)


@pytest.mark.parametrize("answer", [RuntimeError("boom"), "done", 5, None])
def test_a_transport_that_fails_or_answers_nonsense_loses_nothing(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation, answer: Any
) -> None:
    lobby.register(Mailbox(answer), "post")
    hall.post("x", by=eve, to=[ben])

    report = lobby.deliver()

    assert seqs(list(report.uncarried)) == [("agent:ben-web", [1])]
    assert [one.plugin for one in report.failures] == (
        [] if answer is None else ["post"]
    )
    assert seqs(lobby.take_wakes()) == [("agent:ben-web", [1])]


@pytest.mark.parametrize("answer", ["done", 5])
def test_a_nonsense_answer_is_told_beside_those_that_there_are(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation, answer: Any
) -> None:
    lobby.register(Mailbox(answer), "post")
    hall.post("x", by=eve, to=[ben])

    [failure] = lobby.deliver().failures

    said = "is another text" if answer == "done" else "is of type int"
    assert f"{said}; allowed: 'delivered', 'settled', or None" in str(failure.error)


@pytest.mark.case("F-44")
def test_one_recipients_failure_neither_repeats_nor_blocks_the_others(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    class Picky:
        tried: list[str] = []  # noqa: RUF012 - one test's own

        @hookimpl
        def rooms_carry(self, wake: Wake) -> str:
            self.tried.append(wake.conversation.agent)
            if wake.conversation.agent == "ada" and len(self.tried) < 4:
                raise RuntimeError("no route")
            return "settled"

    plugin = Picky()
    lobby.register(plugin)
    others = [lobby.add_agent(name).conversation() for name in ("ada", "bo")]
    for one in others:
        hall.join(by=one)
    hall.post("x", by=eve, to=[*others, ben])

    first = lobby.deliver()
    assert sorted(plugin.tried) == ["ada", "ben-web", "bo"]
    assert {wake.conversation.agent for wake in first.settled} == {"ben-web", "bo"}
    assert [failure.hook for failure in first.failures] == ["rooms_carry"]

    hall.post("y", by=eve, to=[others[0]])
    second = lobby.deliver()
    assert seqs(list(second.settled)) == [("agent:ada", [1, 2])]
    assert plugin.tried[3:] == ["ada"]


def test_a_host_binds_the_thread_of_a_conversation_that_a_message_started(
    lobby: Lobby, hall: Room, ben: Conversation
) -> None:
    class Host(Mailbox):
        @hookimpl
        def rooms_start_conversation(self, start: Wake) -> str:
            return f"thread of {start.conversation.label}"

    host = Host("settled")
    lobby.register(host)
    [new] = hall.post("New matter.", by=ben, to=["agent:Eve"]).started

    report = lobby.deliver()

    assert seqs(list(report.settled)) == [("agent:Eve/new-matter", [1])]
    assert new.thread == "thread of new-matter"


def test_a_host_that_binds_a_thread_twice_is_reported_and_the_wake_is_carried(
    lobby: Lobby, hall: Room, ben: Conversation
) -> None:
    class Host(Mailbox):
        @hookimpl
        def rooms_start_conversation(self) -> str:
            return "t-1"  # which carries eve

    lobby.register(Host("settled"), "host")
    [new] = hall.post("New matter.", by=ben, to=["agent:Eve"]).started

    report = lobby.deliver()

    assert [(one.plugin, one.hook) for one in report.failures] == [
        ("host", "rooms_start_conversation")
    ]
    assert [wake.conversation for wake in report.settled] == [new]
    assert new.thread is None


@pytest.mark.rule("G-WAKE-07")
def test_who_has_no_transport_reads_by_itself(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    class Push:
        pushed: list[str] = []  # noqa: RUF012 - one test's own

        @hookimpl
        def rooms_carry(self, wake: Wake) -> str | None:
            if wake.conversation != ben:
                return None
            self.pushed.append(wake.render())
            return "delivered"

    plugin = Push()
    lobby.register(plugin)
    plain = lobby.add_agent("plain").conversation()
    hall.join(by=plain)
    hall.post("Both of you.", by=eve, to=[ben, plain])

    report = lobby.deliver()

    assert [one.conversation for one in report.delivered] == [ben]
    assert [one.conversation for one in report.uncarried] == [plain]
    [text] = plugin.pushed
    assert "| Both of you." in text.splitlines()
    assert [one.content for one in hall.read(by=plain)] == ["Both of you."]
    assert lobby.take_wakes() == []


@pytest.mark.rule("G-WAKE-02")
def test_the_host_says_who_is_in_a_turn_and_who_is_away(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    states = {"Eve": "in_turn", "ben-web": "away"}

    class Host:
        @hookimpl
        def rooms_state(self, conversation: Conversation) -> str:
            return states[conversation.agent]

    lobby.register(Host())
    cy = lobby.add_agent("cy").conversation()
    hall.join(by=cy)
    states["cy"] = "idle"
    hall.post("x", by=cy, to=[eve, ben])

    [wake] = lobby.take_wakes()

    assert (wake.conversation, wake.kind) == (eve, "notice")
    states["ben-web"] = "idle"
    assert [one.conversation for one in lobby.take_wakes()] == [ben]


# -- bad input


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("limit", 0), ("limit", True), ("limit", 10**30), ("limit", "5")),
        *(("hold_for", timedelta(0)), ("hold_for", 5), ("hold_for", timedelta.max)),
        *(("agents", "ben-web"), ("agents", [5]), ("agents", 5)),
        *(("conversations", ["ben-web"]), ("conversations", "x")),
        *(("holder", 5), ("holder", ""), ("now", 5)),
    ],
)
def test_a_wrong_argument_of_a_take_is_named(
    lobby: Lobby, ben: Conversation, field: str, value: Any
) -> None:
    me = lobby.person("me")
    lobby.create_room("r", by=me).join(by=ben).post("x", by=me, to=[ben])

    with pytest.raises(InvalidInput) as refused:
        lobby.take_wakes(**{field: value})

    assert refused.value.field.partition("[")[0] == field
    assert seqs(lobby.take_wakes()) == [("agent:ben-web", [1])]


def test_a_take_for_an_agent_that_is_not_there_is_refused(lobby: Lobby) -> None:
    with pytest.raises(NotFound) as refused:
        lobby.take_wakes(agents=["ghost"])

    assert refused.value.code == "agent_not_found"


def test_many_threads_on_one_handle_number_their_posts_without_a_gap(
    lobby: Lobby, ben: Conversation
) -> None:
    ops = lobby.person("ops")
    room = lobby.create_room("r", by=ops, policy=RoomPolicy()).join(by=ben)

    def many() -> None:
        for _ in range(20):
            room.post("x", by=ops, to=[ben])

    threads = [Thread(target=many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [one.seq for one in room.read(by=ops, limit=100)] == list(range(1, 81))
    [wake] = lobby.take_wakes()
    assert len(wake.messages) == 80


def test_what_failed_three_times_is_called_out_and_listed_until_it_is_told(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    heard: list[tuple[str, tuple[int, ...]]] = []

    class Observer:
        @hookimpl
        def rooms_committed(self, commit: Any) -> None:
            for facts in commit.facts.values():
                heard.extend(
                    (str(fact.event.conversation), fact.event.entries)
                    for fact in facts
                    if fact.event.TYPE == "attention_called"
                )

    def failed() -> list[tuple[int, ...]]:
        seen = hall.participants(by=lobby.person("ana"))
        return [seat.failed for one in seen.agents for seat in one.seats]

    lobby.register(Observer())
    hall.post("It breaks you.", by=eve, to=[ben])
    for _ in range(3):
        assert (heard, failed()) == ([], [(), ()])
        [wake] = lobby.take_wakes()
        with pytest.raises(RuntimeError), lobby.turn(wake):
            raise RuntimeError

    assert heard == [(ben.id, (1,))]
    assert failed() == [(), (1,)]
    assert lobby.take_wakes() == []
    hall.post("And this?", by=eve, to=[ben])
    [wake] = lobby.take_wakes()
    with lobby.turn(wake):
        assert [one.seq for one in wake.messages] == [1, 2]
    assert failed() == [(), ()]


def test_tasks_that_share_a_thread_take_for_themselves(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    """Else the second one's coming would say that the first one's was told."""

    async def worker(taken_one: asyncio.Event) -> list[Wake]:
        taken = lobby.take_wakes()
        taken_one.set()
        await asyncio.sleep(0)
        return taken

    async def host() -> tuple[list[Wake], list[Wake]]:
        hall.post("For ben.", by=eve, to=[ben])
        started = asyncio.Event()
        first = asyncio.create_task(worker(started))
        await started.wait()
        hall.post("More for ben.", by=eve, to=[ben])
        hall.post("For eve.", by=ben, to=[eve])
        second = asyncio.create_task(worker(asyncio.Event()))
        return await first, await second

    (mine,), (other,) = asyncio.run(host())

    assert (mine.conversation, other.conversation) == (ben, eve)
    with lobby.turn(mine) as turn:  # it is held still
        turn.reply("Done.")
        assert seqs(list(turn.notices)) == [("agent:ben-web", [2])]


def test_a_thread_of_a_host_of_tasks_is_one_holder_as_before(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("one", by=eve, to=[ben])
    [first] = lobby.take_wakes()
    hall.post("two", by=eve, to=[ben])

    [second] = lobby.take_wakes()

    assert (first.holder, seqs([second])) == (
        second.holder,
        [("agent:ben-web", [2])],
    )


def test_a_seat_that_is_owed_something_again_is_not_forgotten_by_who_looked_before(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    """Somebody posts, and somebody else feeds the rows, between look and tidying."""
    other = place.open()
    looking = lobby._desk.wakes
    forget = looking.forget

    def in_between(*given: Any, **more: Any) -> None:
        looking.forget = forget  # type: ignore[method-assign]
        other.room(hall.id).post("now", by=other.conversation("Eve", label="acme"))
        other.room(hall.id).post(
            "for ben", by=other.conversation("Eve", label="acme"), to=["agent:ben-web"]
        )
        other.take_wakes(agents=["Eve"])  # feeds the rows
        forget(*given, **more)

    hall.post("first", by=eve, to=[ben])
    hall.read(by=ben)  # its row stays, with nothing to take
    looking.forget = in_between  # type: ignore[method-assign]
    assert lobby.take_wakes() == []

    [wake] = lobby.take_wakes()
    assert [one.content for one in wake.messages] == ["for ben"]


def looked_at(lobby: Lobby, **how: Any) -> tuple[int, list[Wake]]:
    """How many seats a take looks at, and what it gives."""
    wakes, seen = lobby._desk.wakes, list[int]()
    page, whole = wakes.page, wakes.whole

    def counted(span: Any, **how: Any) -> Any:
        found, rest = page(span, **how)
        seen.append(len(found))
        return found, rest

    def counted_at_once() -> Any:
        found = whole()
        seen.extend(map(len, found or ()))
        return found

    wakes.page, wakes.whole = counted, counted_at_once  # type: ignore[method-assign]
    taken = lobby.take_wakes(limit=1_000, **how)
    wakes.page, wakes.whole = page, whole  # type: ignore[method-assign]
    return sum(seen), taken


def test_a_paused_room_costs_a_take_nothing_and_all_of_it_comes_when_it_goes_on(
    place: Place, lobby: Lobby
) -> None:
    ops = lobby.person("ops")
    policy = RoomPolicy(default_mode="every_message", wake_window=None)
    room = lobby.create_room("r", by=ops, policy=policy)
    for number in range(120):
        room.join(by=lobby.add_agent(f"a{number}").conversation())
    room.post("hello", by=ops)
    room.pause(by=ops)
    assert looked_at(lobby) == (120, [])

    assert looked_at(lobby) == (0, [])
    room.post("and more", by=ops)
    assert looked_at(lobby) == (0, [])
    other = place.crash()
    assert looked_at(other) == (0, [])
    other.room("r").unpause(by=other.person("ops"))

    _, taken = looked_at(lobby)
    assert len(taken) == 120
    assert all(seqs([one])[0][1] == [1, 2] for one in taken)


def test_who_rested_is_looked_at_again_when_it_resumes(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("one", by=eve, to=[ben])
    hall.rest(by=ben)
    assert looked_at(lobby) == (1, [])
    assert looked_at(lobby) == (0, [])

    hall.resume(by=ben)

    _, [wake] = looked_at(place.crash())
    assert seqs([wake]) == [("agent:ben-web", [1])]


def test_rows_made_anew_in_a_hold_give_all_of_it_after_it(
    lobby: Lobby, ben: Conversation
) -> None:
    ops = lobby.person("ops")
    room = lobby.create_room("r", by=ops).join(by=ben)
    room.post("one", by=ops, to=[ben])
    room.pause(by=ops)
    assert lobby.take_wakes() == []
    lobby._desk.wakes.start_anew()
    assert lobby.take_wakes() == []

    room.unpause(by=ops)

    assert seqs(lobby.take_wakes()) == [("agent:ben-web", [1])]
