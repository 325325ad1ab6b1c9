"""Commands to files, and to what a room remembers."""

from __future__ import annotations

from hypothesis import strategies as st

from rooms.testing.commands.drawing import CONTENTS, Names, Options, paths, request_ids

__all__ = ["of_filing"]


def of_filing(names: Names) -> Options:
    """What each of these verbs is given."""
    return {
        "write_document": {
            "who": names.acting,
            "path": paths(),
            "text": st.sampled_from(["one", "two", "three words of it", "x" * 40]),
            "base": st.none() | names.place,
            "room": names.room,
            "request_id": request_ids(),
        },
        "remove_document": {
            "who": names.acting,
            "path": paths(),
            "base": names.place,
            "room": names.room,
        },
        "documents": {"who": names.anybody, "room": names.room},
        "history": {
            "who": names.anybody,
            "path": st.none() | paths(),
            "limit": st.integers(1, 5),
            "room": names.room,
        },
        "read_file": {
            "who": names.anybody,
            "path": paths(),
            "revision": st.none() | names.place,
            "room": names.room,
        },
        "download": {
            "who": names.anybody,
            "path": paths(),
            "message": st.none() | names.place,
            "room": names.room,
        },
        "attachments": {
            "who": names.anybody,
            "limit": st.integers(1, 5),
            "room": names.room,
        },
        "upload": {"who": names.anybody, "content": st.sampled_from(CONTENTS)},
        "contents": {},
        "appoint": {
            "who": names.anybody,
            "agent": st.sampled_from([*names.agents, *names.agents, None, "dan"]),
            "room": names.room,
        },
        "remember": {
            "who": names.acting,
            "text": st.sampled_from(["It trips.", "Turn it off.", "password=hunter22"]),
            "kind": st.sampled_from(["gotcha", "fix", "procedure"]),
            "about": st.none() | names.place,
            "request_id": request_ids(),
            "room": names.room,
        },
        "curate": {
            "who": names.acting,
            "operation": st.sampled_from(
                ["add", "add", "update", "verify", "archive", "merge", "refuse"]
            ),
            "item": names.place,
            "other": names.place,
            "room": names.room,
        },
        "recall": {
            "who": names.anybody,
            "query": st.sampled_from(["item", "trips", "so 3"]),
            "room": names.room,
        },
        "forget": {"who": names.anybody, "item": names.place, "room": names.room},
    }
