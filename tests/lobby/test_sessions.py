"""What a process of a runtime remembers of its bootstrap (L-BOOT-09, L-BOOT-10)."""

from __future__ import annotations

from functools import partial

import pytest

from lobby.broker import code_of
from lobby.place import Place
from lobby.test_pushes import Scene
from rooms.lobby import Push, Session


@pytest.fixture
def scene(place: Place) -> Scene:
    """Ben is pushed to, and what is sent is written for it at once."""
    return Scene(place, "attempted")


def texts(push: Push | None) -> list[str]:
    return [] if push is None else [one.content for one in push.messages]


@pytest.mark.rule("L-BOOT-09")
def test_nobody_is_ready_who_loaded_nothing_since_the_newest_bootstrap(
    scene: Scene,
) -> None:
    session = Session(scene.ben.claim("r-1"))
    assert code_of(session.ready) == "bootstrap_conflict"

    session.load()
    scene.until(0)  # it is handed over
    assert code_of(session.ready) == "bootstrap_conflict"
    session.load()
    scene.until(300)  # and once more
    assert code_of(session.ready) == "bootstrap_conflict"
    session.load()
    session.ready()
    session.ready()
    assert session.claim.bootstrap() is None

    scene.lobby.agent("ben").change(role="Review it all.")
    assert code_of(session.ready) == "bootstrap_conflict"
    assert session.load().role == "Review it all."
    session.ready()


def test_a_session_of_an_older_start_is_out(scene: Scene) -> None:
    session = Session(scene.ben.claim("r-1"))
    session.load()
    newer = Session(scene.ben.claim("r-1"))

    assert code_of(session.ready) == "stale_runtime"
    assert code_of(session.load) == "stale_runtime"
    assert code_of(newer.ready) == "bootstrap_conflict"
    newer.load()
    newer.ready()


def test_a_checkpoint_that_is_saved_in_between_takes_another_look(
    scene: Scene,
) -> None:
    session = Session(scene.ben.claim("r-1"))
    session.load()
    inbox = scene.lobby.inbox(scene.ben, by=session.claim)
    inbox.save_checkpoint("too early", base=0, covered_receipt_seq=0)

    assert code_of(session.ready) == "bootstrap_conflict"
    session.load()
    session.ready()


@pytest.mark.rule("L-BOOT-10")
def test_the_first_push_of_what_the_context_showed_is_not_shown_again(
    scene: Scene,
) -> None:
    session = Session(scene.ben.claim("r-1"))
    first = scene.say("first")
    shown = [one.message.content for one in session.load().pending]
    assert shown == ["first"]
    session.ready()
    scene.until(1)
    pushed = scene.wire.last
    assert pushed.covered_count == 1

    assert session.fresh(pushed) is None
    assert session.fresh(pushed) == pushed  # a later one goes through
    inbox = scene.lobby.inbox(scene.ben, by=session.claim)
    assert [one.message.id for one in inbox.pending()] == [first.message.id]


@pytest.mark.rule("L-BOOT-10")
def test_what_is_new_in_a_push_is_shown(scene: Scene) -> None:
    session = Session(scene.ben.claim("r-1"))
    scene.say("first")
    session.load()
    session.ready()
    scene.say("second")
    scene.until(1)
    pushed = scene.wire.last
    assert pushed.covered_count == 2

    fresh = session.fresh(pushed)

    assert fresh is not None
    assert fresh.covered_count == 1
    told = [one.id for one in fresh.messages] + [one.id for one in fresh.covered]
    inbox = scene.lobby.inbox(scene.ben, by=session.claim)
    [_, second] = inbox.pending()
    assert told == [second.message.id]
    scene.say("third")
    scene.until(2)
    assert texts(session.fresh(scene.wire.last))[-1:] == ["third"]


def test_a_session_has_nothing_to_say_for_a_claim_without_a_name(
    scene: Scene,
) -> None:
    session = Session(scene.ben.claim())

    session.ready()
    assert code_of(partial(session.claim.ready, 0, "")) == "runtime_required"
