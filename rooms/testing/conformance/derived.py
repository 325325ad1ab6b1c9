"""S8 to S10: snapshots and projections, which can all be made anew."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from attrs import evolve

from rooms.storage.protocol import Change, Key, Snapshot, Storage
from rooms.testing.conformance.records import ROOM, commit_of
from rooms.testing.conformance.subject import Subject

__all__ = ["Derived"]


class Derived(Subject):
    """S8 to S10: snapshots and projections, which can all be made anew."""

    def test_s8_the_last_snapshot_is_loaded(
        self, storage: Storage, open_storage: Callable[[], Storage]
    ) -> None:
        storage.append(commit_of(storage, "a", "b"))
        assert storage.load_snapshot(ROOM) is None
        first, second = (
            Snapshot.sealed(ROOM, version, chain=b"c", schema=3, state=b"\0" * version)
            for version in (1, 2)
        )

        storage.save_snapshot(first)
        assert storage.load_snapshot(ROOM) == first
        storage.save_snapshot(second)

        assert self.reopened(storage, open_storage).load_snapshot(ROOM) == second

    @pytest.mark.parametrize(
        "damage",
        [
            {"state": b"stat"},
            {"state": b""},
            {"version": 2},
            {"chain": b"d"},
            {"schema": 4},
            {"digest": b""},
        ],
    )
    def test_s8_a_torn_snapshot_is_none(
        self, storage: Storage, damage: dict[str, Any]
    ) -> None:
        storage.append(commit_of(storage, "a", "b"))
        good = Snapshot.sealed(ROOM, 1, chain=b"c", schema=3, state=b"state")

        storage.save_snapshot(evolve(good, **damage))

        assert storage.load_snapshot(ROOM) is None

    def test_s8_a_snapshot_of_a_stream_that_is_gone_is_not_kept(
        self, storage: Storage
    ) -> None:
        storage.append(commit_of(storage, "a"))
        late = Snapshot.sealed(ROOM, 1, chain=b"c", schema=1, state=b"late")
        storage.remove(ROOM)

        storage.save_snapshot(late)
        storage.append(commit_of(storage, "a"))

        assert storage.load_snapshot(ROOM) is None

    def test_s9_rows_and_position_move_together(
        self, storage: Storage, open_storage: Callable[[], Storage]
    ) -> None:
        assert storage.projected_to("p") == 0

        moved = storage.project(
            "p",
            expected=0,
            position=7,
            changes=[Change((1,), b"a"), Change((2,), b"b"), Change((1,), b"c")],
        )

        again = self.reopened(storage, open_storage)
        assert moved
        assert again.projected_to("p") == 7
        assert [(row.key, row.value) for row in again.range("p")] == [
            ((1,), b"c"),
            ((2,), b"b"),
        ]
        assert again.projected_to("q") == 0
        assert again.range("q") == []

    def test_s9_a_projection_that_stands_elsewhere_is_left(
        self, storage: Storage
    ) -> None:
        storage.project("p", expected=0, position=7, changes=[Change((1,), b"a")])

        for expected in (0, 6, 8):
            moved = storage.project(
                "p", expected=expected, position=9, changes=[Change((1,), None)]
            )
            assert not moved

        assert storage.projected_to("p") == 7
        assert [row.value for row in storage.range("p")] == [b"a"]

    def test_s9_a_row_can_go_and_a_projection_be_forgotten(
        self, storage: Storage
    ) -> None:
        for name in ("p", "q"):
            storage.project(
                name,
                expected=0,
                position=3,
                changes=[Change((1,), b"a"), Change((2,), b"b"), Change((1,), None)],
            )
        assert [row.key for row in storage.range("p")] == [(2,)]

        storage.forget_projection("p")
        storage.forget_projection("p")

        assert storage.projected_to("p") == 0
        assert storage.range("p") == []
        assert [row.key for row in storage.range("q")] == [(2,)]
        assert storage.project("p", expected=0, position=1, changes=[])

    def test_s10_rows_come_in_the_order_of_their_keys(self, storage: Storage) -> None:
        ordered: list[Key] = [
            (),
            (-(2**63),),
            (-1,),
            (-1, "x"),
            (0,),
            (0, 0),
            (255,),
            (256,),
            (2**63 - 1,),
            ("",),
            ("", 1),
            ("", ""),
            ("\0",),
            ("\0\0",),
            ("\1",),
            ("a",),
            ("a", -5),
            ("a", 5),
            ("a", "b"),
            ("a\0",),
            ("a\0", 1),
            ("a\0b",),
            ("aa",),
            ("\uffff",),
            ("\U00010000",),
        ]
        changes = [Change(key, repr(key).encode()) for key in ordered]
        storage.project("p", expected=0, position=1, changes=changes[::2][::-1])
        storage.project("p", expected=1, position=2, changes=changes[1::2])

        def keys(**page: Any) -> list[Key]:
            return [row.key for row in storage.range("p", **page)]

        assert keys() == ordered
        assert keys(reverse=True) == ordered[::-1]
        assert keys(limit=4) == ordered[:4]
        assert keys(limit=4, reverse=True) == ordered[::-1][:4]
        assert keys(low=(0,), high=("a",)) == ordered[4:15]
        assert keys(low=("a",), high=("b",), reverse=True) == ordered[22:14:-1]
        assert keys(low=("a", 0), limit=1) == [("a", 5)]
        assert keys(low=("b",), high=("a",)) == []
        assert keys(high=()) == []
