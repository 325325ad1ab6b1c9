"""Commands that look: transcripts, inboxes, lists and figures."""

from __future__ import annotations

from hypothesis import strategies as st

from rooms.testing.commands.drawing import Names, Options, texts

__all__ = ["of_reading"]


def of_reading(names: Names) -> Options:
    """What each of these verbs is given."""
    return {
        "read": {
            "who": names.anybody,
            "room": names.room,
            "after": st.integers(0, 9),
            "limit": st.integers(1, 5),
        },
        "latest": {
            "who": names.anybody,
            "room": names.room,
            "before": st.none() | st.integers(1, 9),
            "limit": st.integers(1, 5),
        },
        "exchange": {"who": names.anybody, "of": names.anybody, "room": names.room},
        "search": {
            "who": names.anybody,
            "query": texts(names.agents),
            "room": names.room,
        },
        "participants": {"who": names.anybody, "room": names.room},
        "windows": names.seat,
        "explain": {"message": names.place, "room": names.room},
        "inbox": {"who": names.anybody},
        "read_inbox": {
            "who": names.anybody,
            "query": st.none() | texts(names.agents),
            "unanswered": st.booleans(),
            "awaiting": st.sampled_from([False, False, True]),
            "ids": st.none() | st.lists(names.place, min_size=1, max_size=3),
            "cut": st.integers(0, 2),
            "after": st.sampled_from([0, 0, 9]),
            "limit": st.integers(1, 5),
        },
        "save_checkpoint": {
            "who": names.seats,
            "text": texts(names.agents),
            "acknowledge": st.lists(names.place, max_size=2),
            "base": st.sampled_from([None, None, None, 0, 1, 2]),
            "covered": st.sampled_from([None, None, None, 0, 1, 9]),
        },
        "figures": {"who": names.anybody, "hours": st.none() | st.integers(0, 30)},
        "list_rooms": {
            "who": names.anybody,
            "need_look": st.booleans(),
            "limit": st.integers(1, 3),
        },
    }
