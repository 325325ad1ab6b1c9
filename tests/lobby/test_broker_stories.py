"""
Stories of the broker's fifteen subtlest rules, as its catalogue tells them.

The others stand with what they are about: the first, the seventh and the eleventh in
test_scheduled, the second in test_broker_sending, the fifth in test_delivery_facts, the
sixth in test_broker_agents, the ninth in test_receipts, the tenth in test_checkpoints,
the twelfth in test_recurrence, the thirteenth in test_pushes, the fourteenth in
test_inbox_pages.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest

from lobby.broker import added, code_of
from lobby.place import Clock
from rooms import Lobby
from rooms.lobby import InboxPage

MONDAY = datetime(2026, 3, 9, 9, 0, tzinfo=UTC)


def texts(page: InboxPage) -> list[str]:
    return [mail.message.content for mail in page]


@pytest.mark.rule("L-KIND-02", "L-SEND-19", "L-SEND-21", "L-READ-06")
def test_3_no_kind_is_a_request_to_a_retry_and_to_nobody_else(lobby: Lobby) -> None:
    a, b = added(lobby, "a", "b")
    sent = lobby.send("x", by=a, to="b", request_id="k")
    again = lobby.send("x", by=a, to="b", request_id="k", kind="request")

    assert (sent.message.kind, sent.message.expects_reply) == (None, None)
    assert (again.duplicate, again.message) == (True, sent.message)
    assert (again.message.kind, again.message.expects_reply) == (None, None)
    assert texts(lobby.inbox(b).pending()) == ["x"]
    assert texts(lobby.inbox(b).history(unanswered=True)) == []
    assert texts(lobby.inbox(a).history(awaiting=True)) == []
    asked = lobby.send("y", by=a, to="b", request_id="k2", kind="request")
    again = lobby.send("y", by=a, to="b", request_id="k2")
    assert (again.duplicate, again.message.kind) == (True, "request")
    assert asked.message.expects_reply is True
    assert texts(lobby.inbox(b).history(unanswered=True)) == ["y"]


@pytest.mark.rule("L-SEND-18", "L-KEEP-01")
def test_4_a_key_dies_with_its_message(lobby: Lobby, clock: Clock) -> None:
    a, _ = added(lobby, "a", "b")
    clock.now = MONDAY
    first = lobby.send("x", by=a, to="b", request_id="k")
    clock.advance(hours=24, minutes=-1)
    lobby.sweep()
    assert lobby.send("x", by=a, to="b", request_id="k").duplicate
    clock.now = MONDAY
    clock.advance(days=1, minutes=2)
    lobby.sweep()
    again = lobby.send("x", by=a, to="b", request_id="k")

    assert (again.duplicate, again.message.id == first.message.id) == (False, False)
    assert texts(lobby.inbox("b").pending()) == ["x"]
    due = clock.now + timedelta(days=3)
    asked: dict[str, Any] = {
        "by": a,
        "to": "b",
        "request_id": "later",
        "deliver_at": due,
    }
    later = lobby.send("later", **asked)
    for hours in (48, 24, 23):  # before its time, at it, and within the day from it on
        clock.advance(hours=hours)
        lobby.deliver()
        lobby.sweep()
        assert lobby.send("later", **asked).message.id == later.message.id
    clock.advance(hours=1)
    lobby.sweep()
    asked["deliver_at"] = clock.now
    assert lobby.send("later", **asked).duplicate is False


@pytest.mark.rule("L-ROOM-09", "L-ROOM-15", "L-FACT-07")
@pytest.mark.parametrize("instead", [False, True], ids=["removed", "archived"])
def test_8_a_removal_holds_for_good_and_archiving_holds_nothing(
    lobby: Lobby, instead: bool
) -> None:
    a, b = added(lobby, "a", "b")
    ana = lobby.person("ana")
    room = lobby.create_room("r", by=ana, policy="broker", access="invite_only")
    room.set_members(["a", "b"], by=ana)
    room.post("pending", by=b, to=["a"])
    inbox = lobby.inbox(a)
    if instead:
        room.archive(by=ana)
        assert texts(inbox.pending()) == ["pending"]
        [wake] = lobby.take_wakes(conversations=[a])
        assert [one.content for one in wake.messages] == ["pending"]
        inbox.acknowledge([wake.messages[0].id])
        assert inbox.count() == 0
        return
    room.change_members(remove=["a"], by=ana)
    room.change_members(add=["a"], by=ana)

    assert texts(inbox.pending()) == []
    assert lobby.take_wakes(conversations=[a]) == []
    [held] = inbox.history()
    assert held.message.content == "[Held: room membership revoked]"
    assert held.delivery is not None
    assert held.delivery.state == "held"
    [sent] = lobby.inbox(b).history()
    assert [one.state for one in sent.deliveries] == ["held"]
    assert texts(lobby.inbox(b).history()) == ["pending"]


@pytest.mark.rule("L-SEND-25", "L-SEND-26", "L-SEND-27")
def test_15_a_reply_to_what_is_gone_is_stored_and_to_what_is_hidden_is_not(
    lobby: Lobby, clock: Clock
) -> None:
    """Ours tells what is gone from what never was, which it refuses (decision 19)."""
    a, b, c = added(lobby, "a", "b", "c")
    old = lobby.send("old", by=a, to="b").message.id
    clock.advance(hours=25)
    lobby.sweep()
    hidden = lobby.send("for c alone", by=a, to="c").message.id

    stored = lobby.send("late", by=b, to="a", reply_to=old)
    assert [one.kind for one in stored.notices] == ["reply_gone"]
    assert stored.message.reply_to == old
    for wrong in (hidden, f"{old[:-8]}00000900", "1a9b3dff"):
        refused = code_of(partial(lobby.send, "x", by=b, to="a", reply_to=wrong))
        assert refused == "reply_not_found"
    mine = lobby.send("to be found", by=c, to="a").message.id
    assert texts(lobby.inbox(a).history(ids=[mine[:8]])) != []
    short = code_of(lambda: lobby.send("x", by=a, to="c", reply_to=mine[:8]))
    assert short == "reply_not_found"
