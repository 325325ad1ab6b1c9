"""What a sender learns of its messages, and what a recipient keeps of one withdrawn."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

import pytest
from attrs import fields

from lobby.broker import added, code_of, inbox
from lobby.place import NOON, Clock
from rooms import Conversation, Lobby, Posted, Room
from rooms.lobby import Delivery


@pytest.fixture
def lead(lobby: Lobby) -> Conversation:
    return lobby.add_agent("lead", manage_rooms=True).conversation()


@pytest.fixture
def work(lobby: Lobby, lead: Conversation) -> Room:
    """A room of a, b and the lead."""
    added(lobby, "a", "b", "c")
    room = lobby.create_room("work", by=lead, policy="broker")
    return room.set_members(["a", "b", "lead"], by=lead)


def states(posted: Posted) -> list[tuple[str, str]]:
    return [(one.recipient.agent, one.state) for one in posted.deliveries]


@pytest.mark.rule("L-FACT-03", "L-SEND-09", "L-SEND-13", "L-SEND-15")
def test_a_retry_shows_the_old_recipients_with_present_facts(
    lobby: Lobby, work: Room, lead: Conversation, clock: Clock
) -> None:
    """The fifth of the subtlest."""
    a = lobby.agent("a").conversation()
    sent = work.post("x", by=lead, request_id="r")
    assert (sent.duplicate, states(sent)) == (
        False,
        [("a", "pending"), ("b", "pending")],
    )
    assert [one.recipient for one in sent.deliveries] == list(sent.recipients)
    work.change_members(add=["c"], by=lead)
    clock.advance(5)
    lobby.inbox(a).acknowledge([sent.message])

    again = work.post("x", by=lead, request_id="r")

    assert again.duplicate
    assert again.recipients == sent.recipients
    assert states(again) == states(sent) == [("a", "seen"), ("b", "pending")]
    assert again.deliveries[0].seen_at == NOON + timedelta(seconds=5)


@pytest.mark.rule("L-FACT-01", "L-FACT-02", "L-FACT-05")
def test_handed_over_and_seen_are_two_facts_and_done_is_none(
    lobby: Lobby, clock: Clock
) -> None:
    a, b = added(lobby, "a", "b")
    sent = lobby.send("x", by=a, to="b")
    assert sent.deliveries == (Delivery(b, "pending"),)
    clock.advance(1)
    [wake] = lobby.take_wakes(conversations=[b])
    first = NOON + timedelta(seconds=1)
    assert sent.deliveries == (Delivery(b, "pending", first),)
    lobby.give_back(wake)
    clock.advance(1)
    lobby.take_wakes(conversations=[b])
    second = NOON + timedelta(seconds=2)
    assert sent.deliveries == (Delivery(b, "pending", second),)
    clock.advance(1)
    lobby.inbox(b).acknowledge([sent.message])
    third = NOON + timedelta(seconds=3)
    assert sent.deliveries == (Delivery(b, "seen", second, third),)
    assert [one.name for one in fields(Delivery)] == [
        *("recipient", "state", "attempted_at", "seen_at", "receipt_seq"),
        "held_reason",
    ]


@pytest.mark.rule("L-FACT-04")
def test_the_number_of_a_receipt_is_its_recipients_own(lobby: Lobby) -> None:
    a, b = added(lobby, "a", "b")
    sent = lobby.send("x", by=a, to="b")
    lobby.inbox(b).acknowledge([sent.message])
    assert [one.receipt_seq for one in sent.deliveries] == [None]


@pytest.mark.rule("L-FACT-08", "L-ROOM-09")
def test_what_is_seen_or_held_stays_so(
    lobby: Lobby, work: Room, lead: Conversation
) -> None:
    b = lobby.agent("b").conversation()
    seen, held = work.post("seen", by=lead), work.post("held", by=lead)
    lobby.inbox(b).acknowledge([seen.message])
    work.change_members(remove=["b"], by=lead)
    assert [one.held_reason for one in held.deliveries] == [None, "removed"]
    for _ in range(2):
        assert (states(seen)[1], states(held)[1]) == (("b", "seen"), ("b", "held"))
        lobby.inbox(b).acknowledge([seen.message, held.message])
        work.change_members(add=["b"], by=lead)
    assert states(seen)[0] == ("a", "pending")


@pytest.mark.rule("L-FACT-07")
def test_what_is_held_is_neither_told_nor_seen_nor_answered_nor_read(
    lobby: Lobby, work: Room, lead: Conversation
) -> None:
    b = lobby.agent("b").conversation()
    held = work.post("held", by=lead)
    after = lobby.send("after", by=lead, to="b")
    assert lobby.inbox(b).count() == 2
    work.change_members(remove=["b"], by=lead)
    work.change_members(add=["b"], by=lead)

    assert lobby.inbox(b).count() == 1
    assert inbox(lobby, b) == ["after"]
    assert lobby.inbox(b).acknowledge([held.message]).receipt_snapshot == 0
    reply = held.message.id
    assert code_of(lambda: work.post("x", by=b, reply_to=reply)) == "reply_not_found"
    assert list(work.read(by=b)) == []
    assert lobby.inbox(b).acknowledge([after.message]).receipt_snapshot == 1
    assert held.message.content == "held"  # its sender and the host read it on


def test_an_erased_message_is_held(lobby: Lobby) -> None:
    ana = lobby.person("ana")
    a, b = added(lobby, "a", "b")
    room = lobby.create_room("r", by=ana).join(by=a).join(by=b, mode="every_message")
    sent = room.post("x", by=a)
    room.erase(sent.message, by=ana)
    assert [one.held_reason for one in sent.deliveries] == ["erased"]
    assert lobby.inbox(b).count() == 0


@pytest.mark.rule("L-FACT-06", "L-FACT-07")
def test_a_recipient_has_the_facts_of_its_own_copy(
    lobby: Lobby, work: Room, lead: Conversation, clock: Clock
) -> None:
    b = lobby.agent("b").conversation()
    held = work.post("held", by=lead)
    work.change_members(remove=["b"], by=lead)
    seen, pending = (lobby.send(text, by=lead, to="b") for text in ("seen", "pending"))
    clock.advance(3)
    lobby.inbox(b).acknowledge([seen.message])
    at = clock.at(3)

    own = {mail.message.id: mail for mail in lobby.inbox(b).history()}

    assert own[pending.message.id].delivery == Delivery(b)
    assert own[seen.message.id].delivery == Delivery(b, "seen", None, at, 1)
    assert own[held.message.id].delivery == Delivery(b, "held", held_reason="removed")
    assert [mail.message.content for mail in own.values()] == [
        "[Held: room membership revoked]",
        "seen",
        "pending",
    ]
    assert all(mail.deliveries == () for mail in own.values())


@pytest.mark.rule("L-FACT-06", "L-FACT-08")
def test_a_note_to_oneself_waits_and_is_cancelled_or_comes(
    lobby: Lobby, clock: Clock
) -> None:
    [b] = added(lobby, "b")
    first, second = (
        lobby.send(text, by=b, to="b", deliver_at=clock.at(60)) for text in "xy"
    )
    assert states(first) == states(second) == [("b", "scheduled")]
    lobby.schedules(by=b).cancel(first.message)
    own = [mail.delivery for mail in lobby.inbox(b).history()]
    assert own == [Delivery(b, "cancelled"), Delivery(b, "scheduled")]
    clock.advance(60)
    lobby.deliver()
    assert (states(first), states(second)) == ([("b", "cancelled")], [("b", "pending")])
    lobby.inbox(b).acknowledge([second.message])
    assert states(second) == [("b", "seen")]


def test_of_a_message_that_is_gone_nothing_is_said(
    lobby: Lobby, work: Room, lead: Conversation, clock: Clock
) -> None:
    with_room = work.post("x", by=lead)
    by_age = lobby.send("x", by=lead, to="b")
    work.delete(by=lead)
    clock.advance(days=1)
    lobby.sweep()
    for gone in (with_room, by_age):
        assert code_of(partial(getattr, gone, "deliveries")) == "unknown_message"
