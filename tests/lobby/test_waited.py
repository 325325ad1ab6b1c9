"""Whether an agent has seen what it was handed, as its peers may know."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from lobby.broker import added
from lobby.place import Place
from lobby.test_pushes import Scene
from rooms.hooks import hookimpl


@pytest.fixture
def written(place: Place) -> Scene:
    """A scene whose transport writes whatever it is handed."""
    return Scene(place, "attempted")


def of(scene: Scene, name: str = "ben") -> tuple[int, datetime | None]:
    """How many, and since when, as ann finds it."""
    [one] = [
        each for each in scene.lobby.list_agents(by=scene.ann) if each.agent.id == name
    ]
    return one.unseen_notified, one.oldest_unseen_notified_at


def see(scene: Scene, message: Any) -> None:
    scene.lobby.inbox(scene.ben).acknowledge([message.id])


@pytest.mark.rule("L-DISC-06", "L-DISC-07")
def test_what_was_written_and_is_not_seen_is_counted(written: Scene) -> None:
    assert of(written) == (0, None)
    sent = written.say("a secret")
    assert of(written) == (0, None)  # nobody has it yet
    written.until(5)
    written.say("two")
    written.until(7)

    assert of(written) == (2, written.clock.at(0))
    [listed] = [
        one for one in written.lobby.list_agents(by=written.ann) if one.unseen_notified
    ]
    for word in ("secret", sent.message.id, sent.room.id):  # L-DISC-03
        assert word not in repr(listed)


@pytest.mark.rule("L-DISC-06", "L-DISC-08")
@pytest.mark.parametrize("how", ["sends", "acknowledges", "saves", "schedules"])
def test_what_the_agent_does_itself_clears_it_and_not_what_waits(
    written: Scene, how: str
) -> None:
    first, lobby = written.say("one").message, written.lobby
    written.say("two")
    written.until(5)
    inbox = lobby.inbox(written.ben)
    if how == "sends":
        lobby.send("on it", by=written.ben, to="ann")
    elif how == "acknowledges":
        see(written, first)
    elif how == "saves":
        inbox.save_checkpoint("here", base=0, covered_receipt_seq=0)
    else:
        due = written.clock.at(60)
        lobby.send("later", by=written.ben, to="ann", deliver_at=due)

    assert of(written) == (0, None)
    assert inbox.count() == (1 if how == "acknowledges" else 2)
    written.until(10)
    written.say("three")
    written.lobby.deliver()
    assert of(written) == (1, written.clock.at(10))
    written.until(100)
    assert of(written) == (1, written.clock.at(10))  # what falls due is no sign of it


@pytest.mark.rule("L-DISC-06")
def test_what_is_written_at_the_instant_of_its_last_sign_counts(
    written: Scene,
) -> None:
    written.lobby.send("hello", by=written.ben, to="ann")
    written.say("one")
    written.lobby.deliver()

    assert of(written) == (1, written.clock.at(0))


@pytest.mark.rule("L-DISC-06", "L-BOOT-08")
def test_to_be_ready_is_a_sign(written: Scene) -> None:
    written.say("one")
    written.until(5)
    claim = written.ben.claim(runtime="r-1")
    assert of(written) == (1, written.clock.at(0))
    claim.ready(0, claim.nonce)
    assert of(written) == (0, None)


@pytest.mark.rule("L-DISC-07")
def test_a_new_runtime_that_has_it_moves_the_oldest_forward(written: Scene) -> None:
    written.say("one")
    written.until(5)
    written.say("two")
    written.until(50)
    written.ben.claim()
    written.lobby.deliver()

    assert of(written) == (2, written.clock.at(50))


@pytest.mark.rule("L-DISC-06")
def test_what_is_held_erased_or_gone_counts_no_more(written: Scene) -> None:
    ana = written.lobby.person("ana")
    room = written.lobby.create_room("r", by=ana, policy="broker")
    room.set_members(["ann", "ben"], by=ana)
    one = room.post("one", by=written.ann, urgency="now").message
    room.post("two", by=written.ann)
    other = written.lobby.create_room("s", by=ana, policy="broker")
    other.set_members(["ann", "ben"], by=ana)
    other.post("three", by=written.ann)
    written.lobby.deliver()
    assert of(written)[0] == 3
    room.erase(one.id, by=ana)
    assert of(written)[0] == 2
    other.delete(by=ana)
    assert of(written)[0] == 1
    room.change_members(remove=["ben"], by=ana)
    assert of(written) == (0, None)


class Carrier:
    """A transport for wakes, which hands all of them over."""

    @hookimpl
    def rooms_carry(self) -> str:
        return "delivered"


@pytest.mark.rule("L-DISC-06")
def test_what_a_plugin_carried_was_handed_over_too(place: Place) -> None:
    lobby = place.open()
    ann, _ = added(lobby, "ann", "ben")
    lobby.register(Carrier())
    lobby.send("one", by=ann, to="ben")
    lobby.deliver()

    [one] = [each for each in lobby.list_agents(by=ann) if each.agent.id == "ben"]
    assert (one.unseen_notified, one.attention_required) == (1, False)


@pytest.mark.rule("L-NOTIFY-05", "L-DISC-06")
def test_attention_is_there_until_somebody_sees_to_it(written: Scene) -> None:
    def required() -> list[str]:
        listed = written.lobby.list_agents(by=written.ann)
        return [one.agent.id for one in listed if one.attention_required]

    first = written.say("one").message
    written.until(449)
    assert required() == []
    written.until(450)
    assert required() == ["ben"]
    written.lobby.agent("ben").retry()
    assert required() == []
    written.until(901)
    assert required() == ["ben"]
    written.ben.claim()
    assert required() == []
    written.until(1_400)
    assert required() == ["ben"]
    written.lobby.inbox(written.ben.claim()).acknowledge([first.id])
    assert required() == []


@pytest.mark.rule("L-DISC-07")
def test_the_oldest_is_the_oldest_message_and_not_the_oldest_write(
    place: Place,
) -> None:
    scene = Scene(place)
    start = scene.clock.now
    scene.wire.says = lambda _: None if scene.clock.now == start else "attempted"
    scene.say("first")  # written at the second try, after 30 seconds
    scene.until(5)
    scene.say("second")
    scene.until(31)

    assert of(scene) == (2, scene.clock.at(30))


@pytest.mark.rule("L-DISC-06")
def test_what_comes_by_itself_is_no_sign_of_life(written: Scene) -> None:
    later = written.clock.at(3_600)
    written.lobby.send("a note", by=written.ben, to="ann", deliver_at=later)
    written.clock.advance(1)
    written.say("first")

    written.until(3_601)  # what waited came by then, by itself

    assert len(written.events("message_posted")) == 2
    assert of(written)[0] == 1


@pytest.mark.rule("L-BOOT-06", "L-DISC-02")
def test_a_runtime_that_answers_no_bootstrap_calls_for_attention(place: Place) -> None:
    scene = Scene(place)
    claim = scene.ben.claim("r-1")

    def called() -> bool:
        listed = scene.lobby.list_agents(by=scene.ann)
        return any(one.attention_required for one in listed)

    scene.until(599)
    scene.clock.now = scene.clock.at(700)  # the last try is late, and not in vain yet
    assert not called()
    scene.lobby.deliver()
    scene.until(999)
    assert not called()
    scene.until(1_001)
    assert called()

    claim.ready(0, claim.nonce)
    assert not called()
