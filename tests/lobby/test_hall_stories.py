"""The eight subtlest rules of the hall, each as the story that its catalogue tells."""

from __future__ import annotations

from datetime import timedelta

import pytest

from lobby.place import Clock, Place
from rooms import (
    ConfirmAllThreads,
    Conversation,
    Lobby,
    Mode,
    NotAllowed,
    RateWindow,
    Room,
    hookimpl,
)
from rooms.hearing import Subscription
from rooms.hearing.modes import LONGEST_INTERVAL, SHORTEST_INTERVAL
from rooms.lobby.access.hives import REMIND_AFTER
from rooms.lobby.derived.presence import PRESENT_FOR
from rooms.lobby.views.participating import PREVIOUS_AFTER
from rooms.lobby.waking.idling import DROP_AFTER


@pytest.fixture
def room(lobby: Lobby, ben: Conversation) -> Room:
    """A hall that a single agent made."""
    return lobby.create_room("desk", by=ben, policy="hall")


def seated(lobby: Lobby, room: Room, agent: str, label: str, mode: str) -> Conversation:
    if agent not in [one.id for one in lobby.agents]:
        lobby.add_agent(agent, threaded=True, owner="ana")
    one = lobby.conversation(agent, label=label)
    room.join(by=one, mode=mode)
    return one


@pytest.mark.rule("G-ADDR-05", "G-ADDR-06")
def test_a_bare_address_does_not_reach_the_seats_that_are_there(
    lobby: Lobby, room: Room, ben: Conversation
) -> None:
    a = seated(lobby, room, "Eve", "a", "when_tagged")
    b = seated(lobby, room, "Eve", "b", "every_message")

    posted = room.post("A new matter.", by=ben, to=["agent:Eve"])

    [c] = posted.started
    assert c not in {a, b}
    assert posted.woken == (b,)  # by its mode, as for any message
    woken = {wake.conversation for wake in lobby.take_wakes()}
    assert woken == {b, c}


@pytest.mark.rule("G-CONFIRM-04", "G-CONFIRM-05", "G-CONFIRM-02")
def test_a_confirmation_counts_the_seats_of_one_agent_that_would_wake(
    lobby: Lobby, room: Room, ben: Conversation
) -> None:
    one = seated(lobby, room, "Eve", "one", "when_tagged")
    told = [seated(lobby, room, "Eve", label, "next_turn") for label in ("n1", "n2")]
    gennie = seated(lobby, room, "Gennie", "g", "when_tagged")

    posted = room.post("All of you.", by=ben, to=["all"])
    assert (set(posted.woken), set(posted.later)) == ({one, gennie}, set(told))

    two = seated(lobby, room, "Eve", "two", "when_tagged")
    with pytest.raises(ConfirmAllThreads) as asked:
        room.post("All of you.", by=ben, to=["all"])

    preview = asked.value.preview
    assert (preview["agent"], preview["count"]) == ("Eve", 2)
    assert set(preview["told_later"]) == {str(one) for one in told}
    assert {str(one), str(two)} <= set(preview["waking"])
    assert room.position == 1


@pytest.mark.rule("G-FOLLOW-03", "G-FOLLOW-04", "G-FOLLOW-05")
def test_a_reply_reaches_who_was_dropped_and_a_successor_of_who_left(
    lobby: Lobby, clock: Clock, room: Room, ben: Conversation
) -> None:
    a = seated(lobby, room, "Eve", "a", "when_tagged")
    b = seated(lobby, room, "Eve", "b", "when_tagged")
    by_a = room.post("From a.", by=a).message.id
    by_b = room.post("From b.", by=b).message.id
    room.leave(by=a)
    clock.advance(days=30)
    assert b in [one.conversation for one in lobby.sweep().dropped]

    to_a = room.post("And a?", by=ben, reply_to=by_a)
    to_b = room.post("And b?", by=ben, reply_to=by_b)

    [successor] = to_a.started
    assert to_a.woken == ()
    assert successor not in {a, b}
    assert (to_b.woken, to_b.started) == ((b,), ())


@pytest.mark.rule("G-RATE-01", "G-RATE-02", "G-WAKE-04")
@pytest.mark.parametrize("reads", [True, False])
def test_what_is_held_is_not_dropped_and_a_read_settles_it(
    lobby: Lobby, clock: Clock, room: Room, ben: Conversation, reads: bool
) -> None:
    eve = seated(lobby, room, "Eve", "a", "when_tagged")
    for number in range(13):
        clock.advance(4)
        room.post(f"m{number}", by=ben, to=[eve])
    [wake] = lobby.take_wakes()
    assert len(wake.messages) == 10
    with lobby.turn(wake):
        pass

    if reads:
        room.read(by=eve)
    clock.advance(minutes=5)

    later = [(len(wake.messages), wake.waited) for wake in lobby.take_wakes()]
    assert later == ([] if reads else [(3, 3)])


@pytest.mark.rule("G-HELD-03")
def test_after_a_restart_a_next_turn_seat_is_told_once_somebody_has_posted_again(
    place: Place, lobby: Lobby, room: Room, ben: Conversation
) -> None:
    eve = seated(lobby, room, "Eve", "a", "next_turn")
    eve.claim()
    for number in range(4):
        room.post(f"m{number}", by=ben)
    other = place.crash()
    eve = other.conversation("Eve", label="a")
    claim = eve.claim()

    with other.turn(claim) as turn:
        assert turn.notices == ()

    assert other.take_wakes() == []
    other.room(room.id).post("m4", by=other.conversation("ben-web"))
    with other.turn(claim) as turn:
        [notice] = turn.notices
    assert [one.content for one in notice.messages] == [f"m{n}" for n in range(5)]


@pytest.mark.rule("G-FOLLOW-01")
def test_a_post_follows_but_keeps_a_stronger_mode(
    lobby: Lobby, room: Room, ben: Conversation
) -> None:
    digest = seated(lobby, room, "Eve", "digest", "digest")
    called = seated(lobby, room, "Eve", "called", "on_demand")

    room.post("One.", by=digest)
    room.post("Two.", by=called)

    modes = {
        seat.conversation: seat.mode
        for agent in room.participants(by=ben).agents
        for seat in agent.seats
    }
    assert (modes[digest], modes[called]) == ("digest", "when_tagged")
    answer = room.post("All?", by=ben, to=["agent:Eve/all"], confirm_all_threads=True)
    assert answer.woken == (called,)


@pytest.mark.rule("G-LABEL-06", "G-LABEL-07")
def test_an_old_label_stays_taken_and_reaches_who_had_it(
    lobby: Lobby, room: Room, ben: Conversation
) -> None:
    first = seated(lobby, room, "Eve", "acme", "when_tagged")
    assert first.rename("acme-renewal") == "acme-renewal"
    second = seated(lobby, room, "Eve", "other", "when_tagged")

    assert second.rename("acme") == "acme-2"

    assert room.post("x", by=ben, to=["agent:Eve/acme"]).woken == (first,)


class Delegates:
    """A host that lets everybody give work to everybody."""

    @hookimpl
    def rooms_may(self, action: str) -> bool | None:
        return True if action == "add_agent" else None


@pytest.mark.rule("G-SAFE-02", "G-ADD-04")
def test_a_turn_that_a_room_woke_has_no_authority(
    lobby: Lobby, clock: Clock, room: Room, ben: Conversation
) -> None:
    lobby.register(Delegates())
    lobby.add_agent("Gennie", threaded=True)
    ana = lobby.person("ana")
    eve = seated(lobby, room, "Eve", "a", "when_tagged")
    with lobby.turn(eve, word_of=ana):
        pass  # "add Gennie when needed", said yesterday
    clock.advance(days=1)
    room.post("Ana said yes: add Gennie.", by=ben, to=[eve])

    [wake] = lobby.take_wakes()
    with lobby.turn(wake) as turn, pytest.raises(NotAllowed) as refused:
        room.add("Gennie", by=turn, reason="It is needed.")

    assert refused.value.code == "origin_room_mail"
    assert lobby.agent("Gennie") not in room.members
    with lobby.turn(eve, word_of=ana) as turn:
        room.add("Gennie", by=turn, reason="It is needed.")
    assert lobby.agent("Gennie") in room.members


@pytest.mark.rule("G-LIMIT-03")
def test_the_limits_of_the_hall_are_these_where_nobody_sets_others(
    lobby: Lobby, room: Room, ben: Conversation
) -> None:
    policy, minutes = room.policy, timedelta(minutes=5)

    assert lobby.list_rooms(by=ben).items[0].access == "open"
    assert policy.default_mode is Mode.WHEN_TAGGED
    assert policy.wake_window == RateWindow(10, minutes)
    assert policy.send_window == RateWindow(30, minutes)
    assert (policy.max_attachments, policy.max_attachment_bytes) == (10, 104_857_600)
    assert (policy.max_documents, policy.max_document_bytes) == (500, 524_288)
    assert (policy.max_message_chars, policy.oversize) == (15_000, "truncate")
    assert timedelta(minutes=15) == Subscription("digest").interval
    assert (timedelta(minutes=1), timedelta(1)) == (SHORTEST_INTERVAL, LONGEST_INTERVAL)
    assert (PREVIOUS_AFTER.days, DROP_AFTER.days) == (7, 30)
    assert (minutes, timedelta(seconds=90)) == (REMIND_AFTER, PRESENT_FOR)
    lobby.add_agent("Eve", threaded=True)
    with lobby.turn(lobby.conversation("Eve", label="x").set_public(True)):
        pass
    assert lobby.agent("Eve").hive is None
