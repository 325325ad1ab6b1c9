"""Pointers to a participant's own conversation: when learned, kept and let go."""

from __future__ import annotations

from typing import Any

import pytest

from rooms import InvalidInput
from rooms.driving import ContinuityStore, Peer

PROTO = Peer("https://proto.example", "key-1")


@pytest.fixture
def store() -> ContinuityStore:
    made = ContinuityStore()
    made.after("t", "proto", PROTO, "answered", pointer="ctx-1")
    return made


def held(store: ContinuityStore, thread: str = "t", name: str = "proto") -> str | None:
    return store.pointer(thread, name, PROTO)


@pytest.mark.rule("R-KEY-01")
def test_a_conversation_is_the_chats_whichever_way_it_is_reached(
    store: ContinuityStore,
) -> None:
    assert store.pointer("t", "proto", PROTO, by="delegation") == "ctx-1"
    assert held(store, thread="other") is None
    assert held(store, name="docs") is None


@pytest.mark.rule("R-KEY-02")
def test_a_stateless_peer_keeps_none_and_a_key_for_it_is_refused() -> None:
    store, stateless = ContinuityStore(), Peer("https://m.example", kind="stateless")

    store.after("t", "m", stateless, "answered")
    with pytest.raises(InvalidInput):
        store.pointer("t", "m", stateless)
    with pytest.raises(InvalidInput):
        store.after("t", "m", stateless, "answered", pointer="ctx")


@pytest.mark.rule("R-KEY-03")
def test_what_the_peer_gave_is_echoed_and_nothing_is_invented(
    store: ContinuityStore,
) -> None:
    assert held(ContinuityStore()) is None
    store.after("t", "proto", PROTO, "answered", pointer="")

    assert held(store) is None


@pytest.mark.rule("R-KEY-04")
@pytest.mark.parametrize(
    "other", [Peer("https://new.example", "key-1"), Peer("https://proto.example", "k2")]
)
def test_another_address_or_credential_starts_afresh(
    store: ContinuityStore, other: Peer
) -> None:
    store.after("t", "alias", PROTO, "answered", pointer="ctx-2")
    assert held(store, name="alias") == "ctx-2"  # two names are two conversations

    assert store.pointer("t", "proto", other) is None
    assert held(store) is None  # and going back does not bring it back


def test_an_address_and_a_credential_are_not_taken_for_each_other() -> None:
    assert Peer("ab", "c").digest != Peer("a", "bc").digest
    assert "key-1" not in repr(PROTO)


@pytest.mark.rule("R-KEY-05")
def test_a_restart_forgets_all(store: ContinuityStore) -> None:
    assert len(store) == 1
    assert len(ContinuityStore()) == 0


@pytest.mark.rule("R-KEY-06", "R-KEY-07")
def test_what_goes_back_is_dropped_and_what_only_shrinks_is_kept(
    store: ContinuityStore,
) -> None:
    store.after("u", "proto", PROTO, "answered", pointer="ctx-u")
    store.rewound("t", removed=0)  # as a compaction, it takes nothing away
    assert held(store) == "ctx-1"
    assert held(store, thread="fork-of-t") is None

    store.rewound("t", removed=2)
    assert (held(store), held(store, thread="u")) == (None, "ctx-u")
    store.drop_thread("u")
    assert held(store, thread="u") is None


@pytest.mark.rule("R-KEY-08")
@pytest.mark.parametrize(
    ("ended", "kept"),
    [
        ("parked", None),
        ("working", None),
        ("timed_out", None),
        ("wordless", None),
        ("unreachable", "ctx-1"),
        ("failed", "ctx-1"),
    ],
)
def test_how_an_exchange_ended_says_whether_the_way_back_is_kept(
    store: ContinuityStore, ended: Any, kept: str | None
) -> None:
    store.after("t", "proto", PROTO, ended, pointer="ctx-2")

    assert held(store) == kept


@pytest.mark.rule("R-KEY-09", "R-KEY-11")
@pytest.mark.parametrize("by", ["resume", "background", "claim"])
def test_other_ways_neither_learn_nor_drop_nor_carry(
    store: ContinuityStore, by: Any
) -> None:
    store.after("t", "proto", PROTO, "answered", pointer="ctx-2", by=by)
    store.after("t", "proto", PROTO, "parked", by=by)

    assert store.pointer("t", "proto", PROTO, by=by) is None
    assert held(store) == "ctx-1"


@pytest.mark.rule("R-KEY-12")
def test_the_least_recently_used_is_let_go() -> None:
    store = ContinuityStore()
    for number in range(512):
        store.after("t", f"p{number}", PROTO, "answered", pointer=f"c{number}")
    assert held(store, name="p0") == "c0"  # used again

    store.after("t", "one more", PROTO, "answered", pointer="c")

    assert (len(store), held(store, name="p0"), held(store, name="p1")) == (
        *(512, "c0", None),
    )


@pytest.mark.rule("R-KEY-14")
def test_what_was_forgotten_may_be_learned_again(store: ContinuityStore) -> None:
    store.drop_peer("proto")
    assert held(store) is None

    store.after("t", "proto", PROTO, "answered", pointer="ctx-1")

    assert held(store) == "ctx-1"


@pytest.mark.rule("R-LATE-11")
def test_a_late_answer_brings_the_way_back_unless_a_newer_address_opened_another(
    store: ContinuityStore,
) -> None:
    store.after("t", "proto", PROTO, "working")
    mark = store.mark("t", "proto")
    assert store.restore("t", "proto", PROTO, "late", mark=mark)
    assert held(store) == "late"

    store.after("t", "proto", PROTO, "working")
    mark = store.mark("t", "proto")
    store.after("t", "proto", PROTO, "answered", pointer="newer")
    assert not store.restore("t", "proto", PROTO, "late", mark=mark)
    assert held(store) == "newer"


@pytest.mark.parametrize(
    "wrong", [{"address": ""}, {"address": "a", "kind": "x"}, {"address": 1}]
)
def test_a_peer_that_is_none_is_refused(wrong: Any) -> None:
    with pytest.raises(InvalidInput):
        Peer(**wrong)
