"""A runtime that starts reads what it has to know before it is handed its inbox."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from lobby.broker import added, code_of, inbox, refusal
from lobby.place import Clock, Place
from rooms import Conversation, Lobby, Room, hookimpl
from rooms.lobby import Bootstrap, Claim


@pytest.fixture
def ben(lobby: Lobby) -> Conversation:
    return lobby.add_agent("ben").conversation()


@pytest.fixture
def work(lobby: Lobby, ben: Conversation) -> Room:
    """A room of the broker in which ben and lea are."""
    [lea] = added(lobby, "lea", manage_rooms=True)
    room = lobby.create_room("work", by=lea, policy="broker")
    return room.set_members(["ben", "lea"], by=lea)


class Carrier:
    """Carries everything, and remembers what it was handed."""

    def __init__(self, answer: str | None = "delivered") -> None:
        self.answer = answer
        self.handed: list[object] = []

    @hookimpl
    def rooms_carry(self, wake: object) -> str | None:
        self.handed.append(wake)
        return self.answer

    @property
    def nonces(self) -> list[tuple[str, int]]:
        """The bootstraps, each with how often it was tried by then."""
        found = [one for one in self.handed if isinstance(one, Bootstrap)]
        return [(one.nonce, one.tries) for one in found]


@pytest.fixture
def carrier(lobby: Lobby) -> Carrier:
    carrier = Carrier()
    lobby.register(carrier)
    return carrier


@pytest.mark.rule("L-BOOT-01", "L-BOOT-02")
def test_nothing_is_handed_out_before_a_runtime_is_ready(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    lea = lobby.conversation("lea")
    work.post("before the claim", by=lea, to=[ben])
    claim = ben.claim("r-1")
    work.post("before it is ready", by=lea, to=[ben])

    assert inbox(lobby, claim) == []  # type: ignore[arg-type]
    assert lobby.take_wakes() == []
    assert lobby.take_wakes(agents=["ben"]) == []
    with lobby.turn(claim) as turn:
        assert turn.notices == ()
    bootstrap = claim.bootstrap()
    assert bootstrap is not None
    assert bootstrap == Bootstrap(ben, "r-1", 1, claim.nonce)
    assert claim.nonce in bootstrap.render()

    claim.ready(0, bootstrap.nonce)

    assert claim.bootstrap() is None
    assert inbox(lobby, claim) == ["before the claim", "before it is ready"]  # type: ignore[arg-type]


def test_who_opens_an_inbox_names_its_claim(lobby: Lobby, ben: Conversation) -> None:
    ben.claim("r-1")

    assert code_of(lambda: inbox(lobby, ben)) == "runtime_required"


@pytest.mark.rule("L-BOOT-02", "L-BOOT-03")
def test_ready_is_fenced_and_said_once(
    lobby: Lobby, ben: Conversation, clock: Clock
) -> None:
    older = ben.claim("r-1")
    claim = ben.claim("r-1")

    assert code_of(lambda: older.ready(0, older.nonce)) == "stale_runtime"
    assert code_of(lambda: claim.ready(0, older.nonce)) == "bootstrap_conflict"
    wrong = refusal(lambda: claim.ready(1, claim.nonce))
    assert (wrong.code, wrong.details["current"]) == ("bootstrap_conflict", 0)
    assert claim.bootstrap() is not None
    claim.ready(0, claim.nonce)
    before = list(lobby.export())
    clock.advance(60)
    claim.ready(0, claim.nonce)  # its answer got lost, perhaps
    assert list(lobby.export()) == before


def test_what_is_no_revision_and_no_nonce_is_refused(ben: Conversation) -> None:
    claim = ben.claim("r-1")

    revisions: tuple[Any, ...] = (-1, "0", None, True, 0.0)
    nothing: tuple[Any, ...] = (None, 7, b"nonce")
    for revision in revisions:
        refused = code_of(partial(claim.ready, revision, claim.nonce))
        assert refused == "invalid_request"
    for nonce in nothing:
        assert code_of(partial(claim.ready, 0, nonce)) == "invalid_request"
    for nonce in ("", "half \ud800", "x" * 10_000_000, claim.nonce + "\0"):
        assert code_of(partial(claim.ready, 0, nonce)) == "bootstrap_conflict"


def test_a_claim_without_a_name_has_no_bootstrap(
    lobby: Lobby, ben: Conversation
) -> None:
    claim = ben.claim()

    assert claim.is_ready
    assert claim.bootstrap() is None
    assert code_of(lambda: claim.ready(0, "")) == "runtime_required"
    assert lobby.next_deadline() is None


@pytest.mark.rule("L-BOOT-05", "L-AGENT-09")
def test_a_new_role_takes_a_new_bootstrap_and_other_facts_do_not(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    agent = lobby.agent("ben")
    claim = ben.claim("r-1")
    claim.ready(0, claim.nonce)
    agent.change(work_description="reviews", machine="m-1", can_broadcast=True)
    agent.change(role="")
    assert claim.bootstrap() is None

    agent.change(role="Review it all.")

    asked = claim.bootstrap()
    assert asked is not None
    assert asked.nonce != claim.nonce
    work.post("for ben", by=lobby.conversation("lea"), to=[ben])
    assert inbox(lobby, claim) == []  # type: ignore[arg-type]
    assert code_of(lambda: claim.ready(0, claim.nonce)) == "bootstrap_conflict"
    claim.ready(0, asked.nonce)
    assert inbox(lobby, claim) == ["for ben"]  # type: ignore[arg-type]
    work.post("by the claim that it was", by=claim)


@pytest.mark.rule("L-BOOT-06", "L-NOTIFY-04")
def test_a_bootstrap_is_handed_over_three_times_300_seconds_apart(
    lobby: Lobby, ben: Conversation, clock: Clock, carrier: Carrier
) -> None:
    claim = ben.claim("r-1")
    assert lobby.next_deadline() == clock.at(0)

    seconds = []
    for second in (0, 299, 300, 599, 600, 900, 100_000):
        clock.now = clock.at(second)
        if lobby.deliver().bootstraps:
            seconds.append(second)

    assert seconds == [0, 300, 600]
    assert carrier.nonces == [(claim.nonce, tries) for tries in (1, 2, 3)]
    assert lobby.next_deadline() is None
    claim.ready(0, claim.nonce)


def test_a_try_that_nobody_carried_or_that_crashed_counts(
    place: Place, lobby: Lobby, ben: Conversation, clock: Clock
) -> None:
    class Broken(Carrier):
        @hookimpl
        def rooms_carry(self, wake: object) -> str | None:
            self.handed.append(wake)
            raise RuntimeError

    ben.claim("r-1")
    lobby.register(Broken())
    report = lobby.deliver()
    assert (report.bootstraps, len(report.failures)) == ((), 1)
    assert lobby.next_deadline() == clock.at(300)

    clock.advance(300)
    other = place.crash()
    other.register(carrier := Carrier())
    other.deliver()
    assert [tries for _, tries in carrier.nonces] == [2]


def test_an_answer_ends_the_tries(
    lobby: Lobby, ben: Conversation, clock: Clock, carrier: Carrier
) -> None:
    claim = ben.claim("r-1")
    lobby.deliver()
    claim.ready(0, claim.nonce)

    clock.advance(300)

    assert lobby.next_deadline() is None
    assert lobby.deliver().bootstraps == ()
    assert len(carrier.nonces) == 1


def test_a_start_has_tries_of_its_own(
    lobby: Lobby, ben: Conversation, clock: Clock, carrier: Carrier
) -> None:
    ben.claim("r-1")
    for _ in range(3):
        lobby.deliver()
        clock.advance(300)

    newer = ben.claim("r-1")
    lobby.deliver()

    assert carrier.nonces[-1] == (newer.nonce, 1)


def paused_by_the_host(lobby: Lobby) -> Callable[[], object]:
    lobby.agent("ben").change(paused=True)
    return lambda: lobby.agent("ben").change(paused=False)


def rested_by_a_lead(lobby: Lobby) -> Callable[[], object]:
    lea = lobby.conversation("lea")
    lobby.rest(["ben"], by=lea)
    return lambda: lobby.resume(["ben"], by=lea)


@pytest.mark.rule("L-BOOT-06", "L-BOOT-07", "L-AGENT-11", "L-REST-05")
@pytest.mark.parametrize("rest", [paused_by_the_host, rested_by_a_lead])
@pytest.mark.parametrize("claimed", ["before", "after"])
@pytest.mark.usefixtures("work")
def test_who_rests_gets_no_bootstrap_and_all_of_them_anew_afterwards(
    place: Place,
    lobby: Lobby,
    carrier: Carrier,
    rest: Callable[[Lobby], Callable[[], object]],
    claimed: str,
) -> None:
    ben, clock = lobby.conversation("ben"), place.clock
    if claimed == "before":
        ben.claim("r-1")
        lobby.deliver()
        clock.advance(300)
        lobby.deliver()
    handed = len(carrier.nonces)
    resume = rest(lobby)
    if claimed == "after":
        ben.claim("r-1")

    assert lobby.next_deadline() is None
    clock.advance(400)
    lobby.deliver()
    assert len(carrier.nonces) == handed

    resume()
    assert lobby.next_deadline() == clock.now
    for _ in range(4):
        lobby.deliver()
        clock.advance(300)
    assert [tries for _, tries in carrier.nonces[handed:]] == [1, 2, 3]


def test_a_role_that_changes_in_a_rest_is_told_after_it(
    lobby: Lobby, ben: Conversation, carrier: Carrier
) -> None:
    claim = ben.claim("r-1")
    claim.ready(0, claim.nonce)
    lobby.agent("ben").change(role="Review.", paused=True)
    assert lobby.next_deadline() is None
    lobby.deliver()
    assert carrier.handed == []

    lobby.agent("ben").change(paused=False)
    lobby.deliver()

    assert len(carrier.nonces) == 1
    asked = claim.bootstrap()
    assert asked is not None
    assert asked.nonce == carrier.nonces[0][0]


def test_whoever_takes_wakes_uses_up_no_bootstrap(
    lobby: Lobby, ben: Conversation, clock: Clock, carrier: Carrier
) -> None:
    ben.claim("r-1")
    lobby.take_wakes()
    assert lobby.next_deadline() == clock.at(0)

    lobby.deliver()

    assert [tries for _, tries in carrier.nonces] == [1]


@pytest.mark.rule("L-BOOT-11")
def test_a_greeting_has_one_request_id_a_runtime(
    lobby: Lobby, ben: Conversation, work: Room
) -> None:
    def greet(claim: Claim) -> bool:
        request = f"hello:{ben.agent}:{claim.runtime}"
        return work.post("I am here.", by=claim, request_id=request).duplicate

    assert [greet(ben.claim("r-1")) for _ in range(2)] == [False, True]
    ben.reset_runtime()
    assert greet(ben.claim("r-2")) is False


@pytest.mark.rule("L-BOOT-03", "L-BOOT-04", "L-CKPT-08")
def test_a_checkpoint_that_is_saved_before_ready_breaks_it(
    lobby: Lobby, ben: Conversation
) -> None:
    claim = ben.claim("r-1")
    mine = lobby.inbox(ben, by=claim)
    loaded = mine.checkpoint()
    mine.save_checkpoint("too early", base=0, covered_receipt_seq=0)

    wrong = refusal(lambda: claim.ready(loaded.revision, claim.nonce))
    assert (wrong.code, wrong.details["current"]) == ("bootstrap_conflict", 1)
    claim.ready(mine.checkpoint().revision, claim.nonce)
    mine.save_checkpoint("in time", base=1, covered_receipt_seq=0)
    assert mine.checkpoint().runtime == "r-1"
    claim.ready(1, claim.nonce)  # said before, whatever was saved since
