"""S11: any text is a query, and only the named streams are searched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from rooms.storage.protocol import Hit, Storage
from rooms.testing.conformance.records import HOSTILE, OTHER, ROOM, commit_of
from rooms.testing.conformance.subject import Subject

__all__ = ["Searching"]


class Searching(Subject):
    """S11: any text is a query, and only the named streams are searched."""

    def test_s11_every_word_is_needed_and_the_newest_come_first(
        self, storage: Storage
    ) -> None:
        storage.append(
            commit_of(
                storage,
                "Leave the connector alone",
                "the CONNECTOR is a multi-agent thing",
                None,
                "agent multi: connector",
                "nothing",
            )
        )

        def found(query: str, **page: Any) -> list[int]:
            return [hit.version for hit in storage.search(query, [ROOM], **page)]

        assert found("connector") == [4, 2, 1]
        assert found("Connector the") == [2, 1]
        assert found("the connector leave") == [1]
        assert found("multi-agent") == [2]
        assert found("connect") == []
        assert found("connector", limit=2) == [4, 2]
        assert found("connector", before=4) == [2, 1]
        assert found("connector", before=4, limit=1) == [2]
        assert found("") == []
        assert found("!!! ???") == []

        storage.append(commit_of(storage, "one more connector"))
        assert found("connector", limit=1) == [6]

    def test_s11_only_the_named_streams_are_searched(self, storage: Storage) -> None:
        for stream in (ROOM, OTHER, "room:three"):
            storage.append(
                commit_of(storage, f"secret of {stream} 1 2 3", stream=stream)
            )

        def found(streams: Sequence[str], query: str = "secret") -> list[str]:
            return [hit.stream for hit in storage.search(query, streams)]

        assert found([ROOM]) == [ROOM]
        assert found([OTHER, ROOM, ROOM]) == [OTHER, ROOM]
        assert found([]) == []
        assert found(["room:none"]) == []
        assert found([ROOM], "secret two") == []
        assert found([ROOM], "stream: 2") == []
        assert found([f"room:{n}" for n in range(1_200)] + [OTHER]) == [OTHER]

    @pytest.mark.parametrize("query", [*HOSTILE, "\ud83d", "x" * 100_000, "- " * 9_999])
    def test_s11_any_text_is_a_query(self, storage: Storage, query: str) -> None:
        storage.append(commit_of(storage, "a plain text"))
        storage.append(commit_of(storage, "another", stream=OTHER))

        assert storage.search(query, [OTHER]) == []
        assert isinstance(storage.search(query, [ROOM]), list)

    @pytest.mark.parametrize(
        ("text", "query"),
        [
            ("Straße", "STRASSE"),
            ("café", "cafe\u0301"),
            ("cafe", "CAFÉ"),
            ("ｆｕｌｌ", "full"),
            ("明日の会議です", "会議"),
            ("snake_case", "snake_case"),
            ('say "hello"', '"hello"'),
            ("a\0b", "b"),
        ],
    )
    def test_s11_words_compare_without_case_width_and_accents(
        self, storage: Storage, text: str, query: str
    ) -> None:
        storage.append(commit_of(storage, text, "something else"))

        assert storage.search(query, [ROOM]) == [Hit(ROOM, 1)]
