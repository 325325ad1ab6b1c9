"""Checkpoints: compared and set, with what they cover and what they acknowledge."""

from __future__ import annotations

import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lobby.broker import added, code_of, refusal
from lobby.place import NOON, Clock
from rooms import Conversation, Lobby, Posted
from rooms.errors import Conflict
from rooms.lobby import Checkpoint, Inbox


@pytest.fixture
def box(lobby: Lobby) -> Inbox:
    """The inbox of b, to whom a writes."""
    added(lobby, "a", "b")
    return lobby.inbox("b")


def sent(lobby: Lobby, count: int) -> list[str]:
    a: Conversation = lobby.agent("a").conversation()
    posts: list[Posted] = [lobby.send(f"{n}", by=a, to="b") for n in range(count)]
    return [posted.message.id for posted in posts]


def conflict(call: Any) -> Conflict:
    refused = refusal(call)
    assert isinstance(refused, Conflict)
    return refused


@pytest.mark.rule("L-CKPT-01", "L-CKPT-07")
def test_before_the_first_save_there_is_nothing_and_each_has_the_next_revision(
    lobby: Lobby, box: Inbox, clock: Clock
) -> None:
    assert box.checkpoint() == Checkpoint(0, 0, "", 0, None, None)
    box.acknowledge(sent(lobby, 2))
    assert box.checkpoint() == Checkpoint(2, 0, "", 0, None, None)
    clock.advance(7)
    saved = box.save_checkpoint("Two are read.", base=0, covered_receipt_seq=1)
    at = NOON + timedelta(seconds=7)
    assert saved.checkpoint == Checkpoint(2, 1, "Two are read.", 1, at, None)
    assert box.checkpoint() == saved.checkpoint
    clock.advance(7)
    again = box.save_checkpoint("", base=1, covered_receipt_seq=2)
    assert again.checkpoint.revision == 2
    assert lobby.inbox("b").checkpoint() == again.checkpoint


@pytest.mark.rule("L-CKPT-02")
def test_it_holds_so_many_characters(box: Inbox) -> None:
    box.save_checkpoint("ä" * 32_000, base=0, covered_receipt_seq=0)
    refused = refusal(
        lambda: box.save_checkpoint("x" * 32_001, base=1, covered_receipt_seq=0)
    )
    assert (refused.code, refused.details["limit"]) == ("too_large", 32_000)
    assert box.checkpoint().revision == 1


@pytest.mark.rule("L-CKPT-03")
def test_another_revision_is_refused_with_the_current_one(box: Inbox) -> None:
    box.save_checkpoint("one", base=0, covered_receipt_seq=0)
    for base in (0, 2):
        refused = conflict(
            lambda base=base: box.save_checkpoint("x", base=base, covered_receipt_seq=0)
        )
        assert (refused.code, refused.current) == ("checkpoint_conflict", 1)
    assert box.checkpoint().content == "one"


@pytest.mark.rule("L-CKPT-03")
def test_an_older_claim_and_a_person_save_nothing(lobby: Lobby, box: Inbox) -> None:
    old, ana = box.conversation.claim(), lobby.person("ana")
    box.conversation.claim()
    lobby.add_agent("own", owner="ana")
    save: dict[str, Any] = {"base": 0, "covered_receipt_seq": 0}
    stale, hers = lobby.inbox(old), lobby.inbox("own", by=ana)
    assert code_of(lambda: stale.save_checkpoint("x", **save)) == "stale_runtime"
    assert code_of(lambda: hers.save_checkpoint("x", **save)) == "agent_required"
    assert hers.checkpoint() == Checkpoint(0)


@pytest.mark.rule("L-CKPT-01", "L-CKPT-03", "L-CKPT-08")
def test_the_runtime_that_saves_is_named_and_must_read_that_before_it_is_ready(
    lobby: Lobby, box: Inbox
) -> None:
    claim = box.conversation.claim("runtime-1")
    save: dict[str, Any] = {"covered_receipt_seq": 0}
    assert code_of(lambda: box.save_checkpoint("x", base=0, **save)) == (
        "runtime_required"
    )
    own = lobby.inbox(claim)
    saved = own.save_checkpoint("x", base=0, **save)
    assert saved.checkpoint.runtime == own.checkpoint().runtime == "runtime-1"
    assert code_of(lambda: claim.ready(0, claim.nonce)) == "bootstrap_conflict"
    claim.ready(1, claim.nonce)


@pytest.mark.rule("L-CKPT-04")
def test_coverage_neither_falls_nor_exceeds_what_is_acknowledged(
    lobby: Lobby, box: Inbox
) -> None:
    box.acknowledge(sent(lobby, 5))
    box.save_checkpoint("x", base=0, covered_receipt_seq=3)
    for covered in (2, 6):
        refused = conflict(
            lambda covered=covered: box.save_checkpoint(
                "x", base=1, covered_receipt_seq=covered
            )
        )
        assert refused.code == "receipt_snapshot_conflict"
        assert (refused.current, refused.details["at_least"]) == (5, 3)
        assert refused.details["at_most"] == 5
    for base, covered in ((1, 3), (2, 5)):
        box.save_checkpoint("x", base=base, covered_receipt_seq=covered)


@pytest.mark.rule("L-CKPT-05")
def test_a_checkpoint_that_acknowledges_starts_from_the_exact_snapshot(
    lobby: Lobby, box: Inbox
) -> None:
    """The tenth of the subtlest."""
    *seen, m, later = sent(lobby, 9)
    box.acknowledge(seen)
    assert box.checkpoint().receipt_snapshot == 7
    before = list(lobby.export())
    refused = conflict(
        lambda: box.save_checkpoint("x", base=0, covered_receipt_seq=6, acknowledge=[m])
    )
    assert refused.code == "receipt_snapshot_conflict"
    assert (refused.details["at_least"], refused.details["at_most"]) == (7, 7)
    assert list(lobby.export()) == before
    saved = box.save_checkpoint("x", base=0, covered_receipt_seq=7, acknowledge=[m])
    assert saved.checkpoint.covered_receipt_seq == 8
    assert saved.checkpoint.receipt_snapshot == 8
    assert box.count() == 1

    box.acknowledge([later])
    fine = box.save_checkpoint(
        "y", base=1, covered_receipt_seq=8, acknowledge=[m, *seen]
    )
    assert fine.checkpoint.covered_receipt_seq == 8
    assert fine.checkpoint.receipt_snapshot == 9


@pytest.mark.rule("L-CKPT-05")
def test_without_anything_new_any_number_that_may_be_covered_is_fine(
    lobby: Lobby, box: Inbox
) -> None:
    box.acknowledge(sent(lobby, 7))
    box.save_checkpoint("x", base=0, covered_receipt_seq=6)
    saved = box.save_checkpoint("y", base=1, covered_receipt_seq=6, acknowledge=[])
    assert saved.checkpoint.covered_receipt_seq == 6


@pytest.mark.rule("L-CKPT-06")
def test_what_a_batch_refuses_is_not_saved_and_what_names_nothing_is_told(
    lobby: Lobby, box: Inbox
) -> None:
    a = lobby.agent("a").conversation()
    [mine] = sent(lobby, 1)
    own = lobby.send("from b", by=box.conversation, to=a).message.id
    before = list(lobby.export())
    asked: dict[str, Any] = {"base": 0, "covered_receipt_seq": 0}
    foreign = {**asked, "acknowledge": [mine, own]}
    assert code_of(lambda: box.save_checkpoint("x", **foreign)) == "receipt_forbidden"
    assert list(lobby.export()) == before
    saved = box.save_checkpoint("x", **asked, acknowledge=["typo", mine])
    assert saved.unknown_message_ids == ("typo",)
    assert saved.checkpoint.covered_receipt_seq == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"base": -1},
        {"base": None},
        {"base": True},
        {"covered_receipt_seq": "1"},
        {"acknowledge": "x"},
        {"acknowledge": ["x"] * 101},
        {"content": None},
        {"content": "\ud800"},
    ],
)
def test_bad_arguments_are_refused(box: Inbox, wrong: dict[str, Any]) -> None:
    good: dict[str, Any] = {"content": "x", "base": 0, "covered_receipt_seq": 0}
    assert code_of(lambda: box.save_checkpoint(**{**good, **wrong})) == (
        "invalid_request"
    )
    assert box.checkpoint() == Checkpoint(0)


RACER = """
import sys
from rooms import Lobby
from rooms.errors import Conflict
path, own = sys.argv[1:]
with Lobby.open(path) as lobby:
    box = lobby.inbox("b")
    for number in range(15):
        while True:
            now = box.checkpoint()
            content = f"{now.content}{own}"
            try:
                box.save_checkpoint(
                    content,
                    base=now.revision,
                    covered_receipt_seq=now.receipt_snapshot,
                )
            except Conflict as lost:
                assert lost.code == "checkpoint_conflict", lost.code
            else:
                break
"""


@pytest.mark.rule("L-CKPT-03")
def test_of_two_processes_that_save_none_loses_what_the_other_kept(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "team.db")
    with Lobby.open(f"sqlite:///{path}?durability=relaxed") as lobby:
        added(lobby, "b")
    racers = [
        subprocess.Popen([sys.executable, "-c", RACER, path, own]) for own in "xy"
    ]
    assert [racer.wait(60) for racer in racers] == [0, 0]
    with Lobby.open(path) as lobby:
        kept = lobby.inbox("b").checkpoint()
    assert kept.revision == 30
    assert sorted(kept.content) == ["x"] * 15 + ["y"] * 15
