"""Who asked for it is told who has seen what it sent: once each, and not always."""

from __future__ import annotations

from typing import Any

import pytest

from lobby.broker import added
from lobby.place import Place
from lobby.test_pushes import Host, Scene
from rooms import Conversation
from rooms.lobby import ReceiptPush


class Asking(Scene):
    """Ann sends, and asks to be told; her pushes of receipts are what is looked at."""

    def ask(self, text: str = "look", to: str = "ben", **more: Any) -> Any:
        return self.lobby.send(
            text, by=self.ann, to=to, notify_when_seen=True, urgency="quiet", **more
        ).message

    def see(self, one: Conversation, *messages: Any) -> None:
        self.lobby.inbox(one).acknowledge([each.id for each in messages])

    @property
    def receipts(self) -> list[tuple[float, ReceiptPush]]:
        sent: list[tuple[float, Any]] = list(self.wire.sent)
        return [each for each in sent if each[1].kind == "receipts"]

    @property
    def told(self) -> list[tuple[float, int, int]]:
        """When pushes of receipts went, with how many, and how many were left."""
        return [(at, len(one.receipts), one.remaining) for at, one in self.receipts]


@pytest.fixture
def asking(place: Place) -> Asking:
    return Asking(place, "attempted")


@pytest.mark.rule("L-RECEIPT-08", "L-RECEIPT-10", "L-RECEIPT-11", "L-NOTIFY-15")
def test_a_receipt_waits_two_seconds_for_others(asking: Asking) -> None:
    [cy] = added(asking.lobby, "cy")
    first, other = asking.ask("one", kind="question"), asking.ask("two", to="cy")
    asking.see(asking.ben, first)
    asking.until(1)
    asking.see(cy, other)
    asking.until(100)

    [(at, push)] = asking.receipts
    assert (at, push.conversation, push.remaining) == (2, asking.ann, 0)
    told = push.as_dict()
    assert (told["type"], told["agent"], told["generation"]) == ("receipts", "ann", 0)
    assert told["receipts"][0] == {
        "message_id": first.id,
        "seen_by": "agent:ben",
        "seen_at": "2026-03-02T12:00:00+00:00",
        "kind": "question",
        "to": ["agent:ben"],
        "room": push.receipts[0].room.id,
        "excerpt": "one",
    }
    assert told["receipts"][1]["seen_by"] == "agent:cy"
    assert "kind" not in told["receipts"][1]
    lead = told["presentation"]["lead"]
    assert lead.startswith(
        "Of the messages that you sent, agent:ben has seen 1 of them"
    )
    assert "two" not in lead
    assert len(asking.events("push_confirmed")) == 1
    asking.lobby.confirm(push, by=asking.ann)
    assert len(asking.events("push_confirmed")) == 1
    assert asking.lobby.inbox(asking.ann).count() == 0


@pytest.mark.rule("L-RECEIPT-08", "L-RECEIPT-09")
def test_twenty_go_at_once_and_the_rest_half_a_minute_later(asking: Asking) -> None:
    sent = [asking.ask(f"m{number}") for number in range(45)]
    asking.see(asking.ben, *sent)
    asking.until(3)
    asking.see(asking.ben, asking.ask("one more"))
    asking.until(1_000)

    assert asking.told == [(2, 20, 25), (32, 20, 6), (62, 6, 0)]
    seen = [each.message_id for _, push in asking.receipts for each in push.receipts]
    assert len(seen) == len(set(seen)) == 46
    assert asking.lobby.next_deadline() is None


@pytest.mark.rule("L-RECEIPT-09")
def test_what_is_not_confirmed_is_not_sent_again(place: Place) -> None:
    asking = Asking(place)
    asking.see(asking.ben, asking.ask())
    asking.until(10_000)

    assert asking.told == [(2, 1, 0)]


@pytest.mark.rule("L-RECEIPT-09", "L-REST-02", "L-AGENT-11")
def test_who_rests_is_told_when_it_goes_on_but_not_after_a_day(
    asking: Asking,
) -> None:
    [lead] = added(asking.lobby, "lead", manage_rooms=True)
    asking.lobby.rest(["ann"], by=lead)
    asking.see(asking.ben, asking.ask("one"))
    asking.until(80_000)
    asking.see(asking.ben, asking.ask("two"), asking.ask("three"))
    asking.until(90_000)
    assert asking.told == []
    [(at, dropped)] = asking.events("receipts_dropped")
    assert (at, dropped.count) == (86_400, 1)
    asking.lobby.resume(["ann"], by=lead)
    asking.lobby.deliver()

    assert asking.told == [(90_000, 2, 0)]
    assert len(asking.lobby.inbox(asking.ann).receipts()) == 3


@pytest.mark.rule("L-RECEIPT-09")
def test_only_a_runtime_that_is_ready_is_told(asking: Asking) -> None:
    claim = asking.ann.claim(runtime="r-1")
    asking.see(
        asking.ben,
        asking.lobby.send("look", by=claim, to="ben", notify_when_seen=True).message,
    )
    asking.until(100)
    assert asking.told == []
    claim.ready(0, claim.nonce)
    asking.lobby.deliver()

    [(_, push)] = asking.receipts
    assert (push.runtime, push.generation) == ("r-1", 1)
    assert push.as_dict()["runtime"] == "r-1"


@pytest.mark.rule("L-RECEIPT-09")
def test_who_is_away_is_told_later_by_another_handle_too(
    asking: Asking, place: Place
) -> None:
    host = Host()
    asking.lobby.register(host)
    asking.see(asking.ben, asking.ask())
    asking.until(1_000)
    assert asking.told == []
    assert asking.lobby.next_deadline() == place.clock.at(86_400)
    other = place.crash()
    other.register(asking.wire)
    other.deliver()

    assert asking.told == [(1_000, 1, 0)]


@pytest.mark.rule("L-NOTIFY-03", "L-RECEIPT-08")
def test_receipts_use_up_the_agents_places(asking: Asking) -> None:
    for second in range(30):
        asking.until(second)
        text = f"m{second}"
        asking.lobby.send(text, by=asking.ben, to="ann", urgency="now")
        asking.lobby.deliver()
    asking.see(asking.ben, asking.ask())
    asking.until(59)
    assert asking.told == []
    asking.until(60)

    assert asking.told == [(60, 1, 0)]


@pytest.mark.rule("L-BOOT-07")
def test_a_bootstrap_takes_a_place_and_waits_for_one(asking: Asking) -> None:
    for second in range(30):
        asking.until(second)
        text = f"m{second}"
        asking.lobby.send(text, by=asking.ben, to="ann", urgency="now")
        asking.lobby.deliver()
    asking.ann.claim(runtime="r-1")
    asking.lobby.deliver()
    asking.until(59)
    kinds: list[Any] = [push.kind for _, push in asking.wire.sent]
    assert kinds == ["inbox"] * 30
    asking.until(60)

    last: Any = asking.wire.last
    assert (last.kind, last.tries) == ("bootstrap", 1)


def test_receipts_that_wait_stand_in_a_snapshot(asking: Asking, place: Place) -> None:
    sent = [asking.ask(f"m{number}") for number in range(25)]
    asking.see(asking.ben, *sent)
    asking.until(3)
    desk = asking.lobby._desk
    desk.commits.save_snapshots(desk.streams.loaded.values(), every=1)
    asking.lobby = place.crash()
    asking.lobby.register(asking.wire)
    asking.until(1_000)

    assert asking.told == [(2, 20, 5), (32, 5, 0)]


@pytest.mark.rule("L-RECEIPT-09")
def test_where_nobody_pushes_a_day_without_a_host_ends_them_alike(place: Place) -> None:
    lobby = place.open()
    ann, ben = added(lobby, "ann", "ben")
    sent = lobby.send("look", by=ann, to="ben", notify_when_seen=True)
    lobby.inbox(ben).acknowledge([sent.message])
    place.clock.advance(86_400)
    lobby.deliver()

    again = place.crash()
    [said] = [one for one in again.list_agents(by=ann) if one.agent.id == "ann"]
    assert not said.attention_required
    again.send("Go on.", by=ann, to="ben")
    [receipt] = again.inbox(ann).receipts()
    assert receipt.seen_by == ben
