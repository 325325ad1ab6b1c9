"""Who runs a conversation: starts, reconnects, and what takes it away (L-FENCE)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from lobby.broker import added, code_of, inbox, refusal
from lobby.place import Clock, Place
from rooms import Conversation, Lobby, Room, RoomPolicy, hookimpl, tools
from rooms.errors import CODES
from rooms.lobby import Claim, Credentials
from rooms.lobby.desk import Desk

UUID_1 = str(UUID(int=1))


@pytest.fixture
def ben(lobby: Lobby) -> Conversation:
    return lobby.add_agent("ben").conversation()


@pytest.fixture
def work(lobby: Lobby, ben: Conversation) -> Room:
    """A room of the broker in which ben and lea are."""
    [lea] = added(lobby, "lea", manage_rooms=True)
    room = lobby.create_room("work", by=lea, policy="broker")
    return room.set_members(["ben", "lea"], by=lea)


def ready(claim: Claim) -> Claim:
    """The claim of a runtime that has read its context."""
    claim.ready(0, claim.nonce)
    return claim


def again(claim: Claim) -> Claim:
    """The claim, as a process that was cut off gets it."""
    return claim.conversation.claim(claim.runtime, generation=claim.generation)


# -- claiming


@pytest.mark.rule("L-FENCE-01", "L-FENCE-02", "L-FENCE-12")
def test_a_start_binds_a_runtime_and_says_by_what_it_acts(ben: Conversation) -> None:
    claim = ben.claim(UUID_1)

    assert (claim.runtime, claim.generation, claim.is_ready) == (UUID_1, 1, False)
    assert claim.incarnation.startswith("incarnation_")
    assert claim.nonce.startswith("nonce_")
    assert claim.conversation == ben


@pytest.mark.rule("L-FENCE-03", "L-BOOT-05")
def test_the_same_runtime_starts_again_and_its_older_process_is_out(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    older = ready(ben.claim("r-1"))
    work.post("from the first", by=older)

    newer = ben.claim("r-1")

    assert (newer.generation, newer.incarnation) == (2, older.incarnation)
    assert newer.nonce != older.nonce
    assert not newer.is_ready
    assert code_of(lambda: work.post("late", by=older)) == "stale_runtime"
    assert code_of(lambda: again(older)) == "stale_runtime"
    work.post("from the second", by=newer)


@pytest.mark.rule("L-FENCE-04")
def test_another_runtime_is_turned_away_until_a_reset(
    ben: Conversation, work: Room
) -> None:
    first = ben.claim("r-1")

    assert refusal(lambda: ben.claim("r-2")).details["current"] == 1
    assert code_of(lambda: ben.claim("r-2")) == "runtime_conflict"
    assert code_of(ben.claim) == "runtime_conflict"
    work.post("still here", by=first)

    ben.reset_runtime()
    second = ben.claim("r-2")

    assert (second.generation, second.incarnation != first.incarnation) == (3, True)
    assert code_of(lambda: work.post("late", by=first)) == "stale_runtime"


def disable(lobby: Lobby, ben: Conversation) -> None:
    lobby.agent("ben").change(enabled=False)
    lobby.agent("ben").change(enabled=True)


def rotate(lobby: Lobby, ben: Conversation) -> None:
    Credentials(lobby).rotate(lobby.agent("ben"))


def revoke(lobby: Lobby, ben: Conversation) -> None:
    Credentials(lobby).issue(lobby.agent("ben"))
    Credentials(lobby).revoke(lobby.agent("ben"))


def reset(lobby: Lobby, ben: Conversation) -> None:
    ben.reset_runtime()


def recover(lobby: Lobby, ben: Conversation) -> None:
    lobby.recover()


RETIRING = [disable, rotate, revoke, reset]


@pytest.mark.rule("L-FENCE-05", "L-AGENT-13", "L-AGENT-14", "L-AGENT-10")
@pytest.mark.parametrize("retire", RETIRING)
def test_a_runtime_that_was_retired_never_comes_back(
    lobby: Lobby,
    ben: Conversation,
    work: Room,
    retire: Callable[[Lobby, Conversation], None],
) -> None:
    first = ready(ben.claim("r-1"))

    retire(lobby, ben)

    assert code_of(lambda: work.post("late", by=first)) == "stale_runtime"
    assert code_of(lambda: again(first)) == "stale_runtime"
    for _ in range(2):
        assert code_of(lambda: ben.claim("r-1")) == "stale_runtime"
    second = ben.claim("r-2")
    retire(lobby, ben)
    for one in ("r-1", "r-2"):  # for good, whoever had it meanwhile
        assert code_of(partial(ben.claim, one)) == "stale_runtime"
    third = ben.claim("r-3")
    assert code_of(lambda: ben.claim("r-1")) == "stale_runtime"
    assert code_of(lambda: work.post("late", by=second)) == "stale_runtime"
    work.post("here", by=third)


def test_a_runtime_is_retired_from_one_conversation_and_not_from_others(
    lobby: Lobby,
) -> None:
    lobby.add_agent("Eve", threaded=True)
    desk = lobby.conversation("Eve", label="desk")
    shed = lobby.conversation("Eve", label="shed")
    kept = shed.claim("r-1")
    desk.claim("r-1")

    desk.reset_runtime()

    assert code_of(lambda: desk.claim("r-1")) == "stale_runtime"
    assert again(kept) == kept


@pytest.mark.rule("L-FENCE-06", "L-BOOT-05")
def test_a_process_that_was_cut_off_gets_its_claim_as_it_is(
    lobby: Lobby, ben: Conversation
) -> None:
    claim = ben.claim("r-1")
    assert again(claim) == claim
    assert (again(claim).nonce, again(claim).is_ready) == (claim.nonce, False)
    ready(claim)
    before = list(lobby.export())

    back = again(claim)

    assert (back, back.nonce, back.is_ready) == (claim, claim.nonce, True)
    assert list(lobby.export()) == before
    assert code_of(lambda: ben.claim("r-2", generation=1)) == "stale_runtime"
    assert code_of(lambda: ben.claim("r-1", generation=2)) == "stale_runtime"
    assert list(lobby.export()) == before


def test_a_reconnect_names_its_runtime_and_a_generation(ben: Conversation) -> None:
    ben.claim()  # the generation 1 of nobody that names itself

    assert code_of(lambda: ben.claim(generation=1)) == "invalid_request"
    assert code_of(lambda: ben.claim("r-1", generation=0)) == "invalid_request"
    assert code_of(lambda: ben.claim("r-1", generation=1)) == "stale_runtime"
    wrong: tuple[Any, ...] = ("", "two\nlines", "x" * 129, "nul\0", "half \ud800", 7)
    for given in wrong:
        assert code_of(partial(ben.claim, given)) == "invalid_request"


@pytest.mark.rule("L-FENCE-07")
def test_a_restart_keeps_bindings(place: Place, ben: Conversation) -> None:
    claim = ready(ben.claim("r-1"))

    later = place.crash().conversation("ben")

    back = later.claim("r-1", generation=1)
    assert (back.incarnation, back.is_ready) == (claim.incarnation, True)
    assert code_of(lambda: later.claim("r-2")) == "runtime_conflict"


@pytest.mark.rule("L-FENCE-07", "L-STORE-04")
def test_a_recovery_unbinds_every_runtime_and_retires_none(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    [cy] = added(lobby, "cy")
    claims = [ready(ben.claim("r-1")), ready(cy.claim("r-2"))]

    lobby.recover()

    for claim in claims:
        assert code_of(partial(again, claim)) == "stale_runtime"
    assert code_of(lambda: work.post("late", by=claims[0])) == "stale_runtime"
    same = ben.claim("r-1")
    assert same.incarnation != claims[0].incarnation
    assert not same.is_ready


def test_the_generation_of_a_past_that_is_gone_does_not_pass_after_a_backup(
    ben: Conversation, work: Room
) -> None:
    """What the incarnation is for: numbers begin anew behind a backup."""
    lost = Claim(ben, 2, "r-1", "incarnation_lost")  # the backup knows no binding
    ben.claim("r-1")

    found = ben.claim("r-1")

    assert (found.generation, found.runtime) == (lost.generation, lost.runtime)
    assert code_of(lambda: work.post("from before", by=lost)) == "stale_runtime"


# -- acting


@pytest.mark.rule("L-FENCE-08")
def test_where_a_runtime_claimed_every_change_takes_the_whole_claim(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    said = work.post("before anybody claimed", by=lobby.conversation("lea"))
    claim = ben.claim("r-1")
    halves = [
        Claim(ben, 1),
        Claim(ben, 1, "r-1"),
        Claim(ben, 1, "", claim.incarnation),
        Claim(ben, 0, "r-1", claim.incarnation),
        Claim(ben, None, "r-1", claim.incarnation),  # type: ignore[arg-type]
    ]
    wrong = [
        Claim(ben, 2, "r-1", claim.incarnation),
        Claim(ben, 1, "r-2", claim.incarnation),
        Claim(ben, 1, "r-1", "incarnation_other"),
    ]
    changes: list[Callable[[object], object]] = [
        lambda by: work.post("said", by=by),
        lambda by: lobby.send("said", by=by, to="lea"),
        lambda by: work.acknowledge([said.message.id], by=by),
        lambda by: work.rest(by=by),
        lambda by: lobby.create_room("mine", by=by),
        lambda by: work.memory.remember("it is so", kind="gotcha", by=by),
    ]
    before = list(lobby.export())
    for change in changes:
        for by in [ben, *halves]:
            assert code_of(partial(change, by)) == "runtime_required", by
        for by in wrong:
            assert code_of(partial(change, by)) == "stale_runtime", by
    assert list(lobby.export()) == before
    remade = Claim(ben, 1, "r-1", claim.incarnation)
    work.post("said", by=remade)
    assert remade == claim


@pytest.mark.rule("L-FENCE-09")
def test_reading_takes_no_claim_and_settles_nothing_without_it(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    lea = lobby.conversation("lea")
    claim = ready(ben.claim("r-1"))
    work.post("for ben", by=lea, to=[ben])
    before = list(lobby.export())

    assert [one.content for one in work.read(by=ben)] == ["for ben"]
    assert [one.content for one in work.search("ben", by=ben)] == ["for ben"]
    assert lobby.list_agents(by=ben)
    assert list(lobby.export()) == before
    assert inbox(lobby, claim) == ["for ben"]  # type: ignore[arg-type]


def test_reading_settles_only_for_whoever_has_the_claim(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    lea = lobby.conversation("lea")
    policy = RoomPolicy(sessions="exclusive", default_mode="every_message")
    room = lobby.create_room("plain", by=lea, policy=policy)
    room.join(by=ben)
    claim = ready(ben.claim("r-1"))
    room.post("for ben", by=lea, to=[ben])

    room.read(by=ben)
    assert inbox(lobby, claim) == ["for ben"]  # type: ignore[arg-type]

    room.post("and this", by=lea, to=[ben])
    room.read(by=claim)
    assert inbox(lobby, claim) == []  # type: ignore[arg-type]


def test_a_host_that_never_claims_is_not_fenced(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    lea = lobby.conversation("lea")
    posted = work.post("hello", by=lea, to=[ben])

    assert inbox(lobby, ben) == ["hello"]
    work.acknowledge([posted.message.id], by=ben)
    work.post("hello yourself", by=ben)


def test_a_shared_room_takes_what_is_said_beside_the_claim(
    lobby: Lobby, ben: Conversation
) -> None:
    room = lobby.create_room("shared", by=lobby.person("ana")).join(by=ben)
    ben.claim("r-1")

    room.post("beside", by=ben)

    assert code_of(lambda: lobby.create_room("mine", by=ben)) == "runtime_required"


def test_in_an_exclusive_room_a_claim_without_a_name_counts_too(
    ben: Conversation, work: Room
) -> None:
    claim = ben.claim()

    assert code_of(lambda: work.post("beside", by=ben)) == "runtime_required"
    work.post("by the claim", by=claim)
    ben.reset_runtime()
    assert code_of(lambda: work.post("late", by=claim)) == "stale_runtime"
    forged = Claim(ben, 2)  # the number that a refusal tells as current
    assert code_of(lambda: work.post("forged", by=forged)) == "stale_runtime"


def test_once_runtimes_name_themselves_each_does(ben: Conversation) -> None:
    ben.claim()
    ben.claim("r-1")  # in the place of one that did not
    ben.reset_runtime()

    assert code_of(ben.claim) == "runtime_required"
    ben.claim("r-2")


def test_a_claim_that_another_process_made_is_seen_before_the_commit(
    place: Place, ben: Conversation, work: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    Another process decides on what it knows, which is older (foundation 3), and who
    claimed crashed before any room was told.
    """
    monkeypatch.setattr(Desk, "reclaim", lambda *_, **__: None)
    other = place.open()
    theirs, room = other.conversation("ben"), other.room("work")
    room.post("known to both", by=theirs)

    ben.claim("r-1")

    assert code_of(lambda: room.post("late", by=theirs)) == "runtime_required"
    stale = theirs.claim("r-1")
    room.post("in time", by=stale)
    ben.claim("r-1")
    assert code_of(lambda: room.post("late", by=stale)) == "stale_runtime"
    heard = [one.content for one in room.read(by=ben)]
    assert heard == ["known to both", "in time"]


def test_an_inbox_of_exclusive_rooms_takes_the_claim_too(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    posted = work.post("for ben", by=lobby.conversation("lea"), to=[ben])
    claim = ben.claim()

    beside = lobby.inbox(ben, by=ben)
    assert code_of(lambda: beside.acknowledge([posted.message.id])) == (
        "runtime_required"
    )
    lobby.inbox(ben, by=claim).acknowledge([posted.message.id])


def test_a_reset_of_what_nobody_has_records_nothing(
    lobby: Lobby, ben: Conversation
) -> None:
    before = list(lobby.export())
    ben.reset_runtime()
    assert list(lobby.export()) == before

    ben.claim("r-1")
    ben.reset_runtime()
    before = list(lobby.export())
    ben.reset_runtime()
    assert list(lobby.export()) == before


def test_a_token_of_another_lobby_and_yesterdays_generation_are_nobody(
    lobby: Lobby, ben: Conversation, work: Room, clock: Clock
) -> None:
    with Lobby.in_memory() as other:
        there = other.add_agent("ben")
        token = Credentials(other).issue(there)
        foreign = there.conversation().claim("r-1")
    claim = ben.claim("r-1")
    clock.advance(days=1)
    ben.claim("r-1")

    assert code_of(lambda: Credentials(lobby).actor(token)) == "unauthorized"
    assert code_of(lambda: work.post("late", by=claim)) == "stale_runtime"
    assert code_of(lambda: work.post("foreign", by=foreign)) in {
        "unknown_conversation",
        "stale_runtime",
    }


@pytest.mark.rule("L-FENCE-11")
@pytest.mark.parametrize("retire", [*RETIRING, recover])
def test_retiring_a_runtime_clears_its_words_and_a_new_start_keeps_them(
    lobby: Lobby,
    ben: Conversation,
    retire: Callable[[Lobby, Conversation], None],
) -> None:
    [cy] = added(lobby, "cy")
    claim = ben.claim("r-1")
    lobby.set_status("At it.", by=claim)
    lobby.set_owner_requests(1, "Which key?", by=claim)

    def said() -> list[object]:
        listed = [one for one in lobby.list_agents(by=cy) if one.agent.id == "ben"]
        return [(one.status, one.owner_requests) for one in listed]

    kept = said()
    assert kept != [(None, None)]
    ben.claim("r-1")
    assert said() == kept

    retire(lobby, ben)

    assert said() == [(None, None)]


@pytest.mark.rule("L-FENCE-13")
def test_no_refusal_asks_its_caller_to_reset_or_rotate(lobby: Lobby) -> None:
    [ben] = added(lobby, "ben", manage_rooms=True, can_broadcast=True)
    offered = {tool["name"] for tool in tools.catalog(ben).tools}

    assert not {one for one in offered if "reset" in one or "rotate" in one}
    for code in ("stale_runtime", "runtime_required", "bootstrap_conflict"):
        words = CODES[code].remedy.lower()
        assert "reset" not in words, code
        assert "rotate" not in words, code


@pytest.mark.rule("L-BOOT-01")
def test_a_carrier_is_not_asked_for_who_is_not_ready(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    carried = []

    class Carrier:
        @hookimpl
        def rooms_carry(self, wake: object) -> str:
            carried.append(wake.kind)  # type: ignore[attr-defined]
            return "delivered"

    lobby.register(Carrier())
    claim = ben.claim("r-1")
    work.post("for ben", by=lobby.conversation("lea"), to=[ben])

    lobby.deliver()
    assert carried == ["bootstrap"]
    ready(claim)
    lobby.deliver()
    assert carried == ["bootstrap", "turn"]
