"""Commands to messages: posted, sent, to come, acknowledged, erased."""

from __future__ import annotations

from hypothesis import strategies as st

from rooms.testing.commands.drawing import (
    Names,
    Options,
    attachments,
    delays,
    meanings,
    request_ids,
    texts,
    written,
)

__all__ = ["of_posting"]


def of_posting(names: Names) -> Options:
    """What each of these verbs is given."""
    return {
        "post": {
            "text": texts(names.agents),
            "by": names.acting,
            "to": st.lists(written(names.agents, names.persons), max_size=3),
            "room": names.room,
            "reply_to": st.none() | names.place,
            "request_id": request_ids(),
            "confirm": st.booleans(),
            "mentions": st.none() | st.lists(st.sampled_from([*names.agents, "ghost"])),
            "silent": st.lists(written(names.agents, names.persons), max_size=1),
            "attach": st.none() | st.none() | attachments(),
            "supersedes": st.none() | st.none() | names.place,
            "deliver_in": delays(),
            **meanings(),
        },
        "send": {
            "text": texts(names.agents),
            "by": names.acting,
            "to": st.sampled_from([*names.agents, "*", "dan", *names.persons]),
            "reply_to": st.none() | names.place,
            "request_id": request_ids(),
            "supersedes": st.none() | st.none() | names.place,
            "deliver_in": delays(),
            **meanings(),
        },
        "repeat": {
            "who": names.anybody,
            "text": texts(names.agents),
            "to": st.lists(written(names.agents, names.persons), max_size=2),
            "room": names.room,
            "zone": st.sampled_from(["UTC", "Europe/Stockholm", "Asia/Kathmandu"]),
            "times": st.sampled_from([["12:20"], ["00:00", "12:01", "13:00"]]),
            "missed": st.sampled_from(["once", "once", "skip", "all"]),
            "request_id": request_ids(),
            **meanings(),
        },
        "cancel": {
            "who": names.anybody,
            "message": names.coming,
            "of": st.none() | names.asked,
        },
        "reschedule": {
            "who": names.anybody,
            "message": names.coming,
            "times": st.sampled_from([None, None, ["21:05", "23:00"]]),
            "text": st.none() | texts(names.agents),
            "deliver_in": delays(),
            "of": st.none() | names.asked,
        },
        "list_schedules": {"who": names.anybody, "of": st.none() | names.asked},
        "acknowledge": {**names.seat, "message": names.place},
        "acknowledge_many": {
            "who": names.anybody,
            "messages": st.lists(names.place, max_size=4),
        },
        "erase": {"who": names.anybody, "message": names.place, "room": names.room},
    }
