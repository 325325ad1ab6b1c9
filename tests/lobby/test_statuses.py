"""What agents say of themselves: a line for peers, and what waits on the owner."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from lobby.broker import added, code_of
from lobby.place import NOON, Clock, Place
from rooms import Conversation, Credentials, Lobby
from rooms.lobby import ListedAgent, OwnerRequests, Status

MINUTE = timedelta(minutes=1)


def listed(lobby: Lobby, agent: str) -> ListedAgent:
    every = lobby.list_agents(by=lobby.person("zoe"))
    [found] = [one for one in every if one.agent.id == agent]
    return found


def asking(lobby: Lobby, count: Any, text: Any, by: Any) -> Callable[[], None]:
    return lambda: lobby.set_owner_requests(count, text, by=by)


@pytest.mark.rule("L-ACT-12", "L-DISC-02")
def test_a_status_line_is_kept_until_it_is_set_anew(
    lobby: Lobby, place: Place, clock: Clock
) -> None:
    [ada] = added(lobby, "ada")
    assert listed(lobby, "ada").status is None
    lobby.set_status("  Two queued, about 07:40 ", by=ada)
    clock.advance(60)
    lobby.set_status("Two queued, about 07:40", by=ada)  # the same again

    assert listed(lobby, "ada").status == Status("Two queued, about 07:40", NOON)
    assert listed(place.crash(), "ada").status == Status(
        "Two queued, about 07:40", NOON
    )
    lobby = place.open()
    lobby.set_status("One queued", by=lobby.agent("ada").conversation())
    assert listed(lobby, "ada").status == Status("One queued", NOON + MINUTE)
    lobby.set_status(" ", by=lobby.agent("ada").conversation())
    assert listed(lobby, "ada").status is None


@pytest.mark.rule("L-ACT-12")
def test_nobody_is_told_of_a_status_line(lobby: Lobby) -> None:
    ada, bo = added(lobby, "ada", "bo")
    lobby.create_room("work", by=ada).join(by=bo, mode="every_message")
    lobby.set_status("Busy.", by=ada)
    lobby.set_owner_requests(1, "A key.", by=ada)

    assert (lobby.take_wakes(), lobby.next_deadline()) == ([], None)


@pytest.mark.rule("L-ACT-10", "L-ACT-11", "L-DISC-02")
def test_what_waits_on_the_owner_keeps_since_when(lobby: Lobby, clock: Clock) -> None:
    [ada] = added(lobby, "ada")
    lobby.set_owner_requests(2, " Which key? ", by=ada)
    clock.advance(60)
    lobby.set_owner_requests(2, "Which key?", by=ada)
    assert listed(lobby, "ada").owner_requests == OwnerRequests(2, "Which key?", NOON)
    lobby.set_owner_requests(3, "Which key?", by=ada)  # another count is a change
    found = listed(lobby, "ada").owner_requests
    assert found == OwnerRequests(3, "Which key?", NOON + MINUTE)
    clock.advance(60)
    lobby.set_owner_requests(3, "Which door?", by=ada)  # and so are other words
    found = listed(lobby, "ada").owner_requests
    assert found == OwnerRequests(3, "Which door?", NOON + 2 * MINUTE)
    clock.advance(days=40)  # nothing ages it
    lobby.deliver()
    lobby.sweep()
    assert listed(lobby, "ada").owner_requests == found
    lobby.set_owner_requests(0, "whatever" * 100, by=ada)  # the text does not count
    assert listed(lobby, "ada").owner_requests is None


def _reset(lobby: Lobby) -> None:
    Credentials(lobby).rotate(lobby.agent("ada"))


def _disable(lobby: Lobby) -> None:
    lobby.agent("ada").change(enabled=False)
    lobby.agent("ada").change(enabled=True)


@pytest.mark.rule("L-ACT-11", "L-ACT-12")
@pytest.mark.parametrize("retire", [_reset, _disable, Lobby.recover])
def test_retiring_the_runtime_clears_both_and_a_resume_keeps_both(
    lobby: Lobby, retire: Callable[[Lobby], Any]
) -> None:
    ada, bo = added(lobby, "ada", "bo")
    ada.claim()
    for one in (ada, bo):
        lobby.set_status("Busy.", by=one)
        lobby.set_owner_requests(1, "A key.", by=one)
    ada.claim()  # the next process of the same conversation
    kept = listed(lobby, "ada")
    assert kept.status is not None
    assert kept.owner_requests is not None
    retire(lobby)

    gone = listed(lobby, "ada")
    assert (gone.status, gone.owner_requests) == (None, None)
    others = retire is Lobby.recover  # a storage from a backup is everybody's
    assert (listed(lobby, "bo").status is None) is others


@pytest.mark.rule("L-ACT-10", "L-ACT-12")
def test_a_runtime_that_was_overtaken_sets_neither(lobby: Lobby) -> None:
    [ada] = added(lobby, "ada")
    old = ada.claim()
    new = ada.claim()

    assert code_of(lambda: lobby.set_status("I am", by=old)) == "stale_runtime"
    assert code_of(asking(lobby, 1, "A key.", old)) == "stale_runtime"
    lobby.set_owner_requests(1, "A key.", by=new)
    lobby.set_status("I am", by=new)
    assert listed(lobby, "ada").owner_requests is not None
    zoe = lobby.person("zoe")
    assert code_of(asking(lobby, 1, "A key.", zoe)) == "agent_required"
    assert code_of(lambda: lobby.set_status("I am", by=zoe)) == "agent_required"


@pytest.mark.rule("L-ACT-10", "L-ACT-12")
@pytest.mark.parametrize(
    ("count", "text", "fits"),
    [
        (20, "x" * 300, True),
        (20, f" {'x' * 300}\n", True),  # trimmed first
        (1, "Привет → 世界", True),
        (21, "x", False),
        (-1, "x", False),
        (True, "x", False),
        (1.0, "x", False),
        (1, "", False),
        (1, " ", False),
        (1, "x" * 301, False),
        (1, "x" * 10_000_000, False),
        (1, "two\nlines", False),
        (1, "nul\0", False),
        (1, "half \ud800", False),
        (1, None, False),
        (0, None, False),
    ],
)
def test_a_line_is_short_and_one(
    lobby: Lobby, count: Any, text: Any, fits: bool
) -> None:
    [ada] = added(lobby, "ada")
    before = list(lobby.export())
    if fits:
        lobby.set_owner_requests(count, text, by=ada)
        lobby.set_status(text, by=ada)
        assert listed(lobby, "ada").status == Status(text.strip(), NOON)
        return
    assert code_of(asking(lobby, count, text, ada)) == "invalid_request"
    if text is None or len(text) > 2:
        assert code_of(lambda: lobby.set_status(text, by=ada)) == "invalid_request"
    assert list(lobby.export()) == before


@pytest.mark.rule("L-VIEW-02")
def test_who_waits_longest_on_its_owner_comes_first(lobby: Lobby, clock: Clock) -> None:
    ada, bo, cy = added(lobby, "ada", "bo", "cy")
    dan = added(lobby, "dan")[0]

    def waiting() -> list[str]:
        found = lobby.list_agents(by=lobby.person("zoe"), waiting=True)
        return [one.agent.id for one in found]

    assert waiting() == []
    for one in (cy, ada, dan):
        lobby.set_owner_requests(1, "A key.", by=one)
        clock.advance(60)
    lobby.set_status("I wait.", by=bo)  # which is no request
    assert waiting() == ["cy", "ada", "dan"]
    lobby.set_owner_requests(2, "A key.", by=cy)  # a change waits anew
    assert waiting() == ["ada", "dan", "cy"]
    lobby.set_owner_requests(0, by=ada)
    lobby.agent("dan").change(enabled=False)
    assert waiting() == ["cy"]


@pytest.mark.rule("L-ACT-11", "L-ACT-12")
def test_an_agent_of_many_conversations_shows_what_all_of_them_say(
    lobby: Lobby, eve: Conversation, clock: Clock
) -> None:
    other = lobby.conversation("Eve", label="shed")
    lobby.set_owner_requests(2, "Which key?", by=other)
    lobby.set_status("Digging.", by=other)
    clock.advance(60)
    lobby.set_owner_requests(1, "A desk.", by=eve)
    lobby.set_status("Writing.", by=eve)

    shown = listed(lobby, "Eve")
    assert shown.owner_requests == OwnerRequests(3, "Which key?", NOON)
    assert shown.status == Status("Writing.", NOON + MINUTE)
    lobby.set_owner_requests(0, by=other)
    lobby.set_status("", by=eve)
    shown = listed(lobby, "Eve")
    assert shown.owner_requests == OwnerRequests(1, "A desk.", NOON + MINUTE)
    assert shown.status == Status("Digging.", NOON)
