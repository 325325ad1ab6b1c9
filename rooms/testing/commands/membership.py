"""Commands to rooms: made and ended, joined, managed and left."""

from __future__ import annotations

from hypothesis import strategies as st

from rooms.testing.commands.drawing import (
    Names,
    Options,
    as_minutes,
    modes,
    request_ids,
    texts,
)
from rooms.testing.strategies import policies
from rooms.testing.teams import ACTIONS

__all__ = ["of_membership"]


def of_membership(names: Names) -> Options:
    """What each of these verbs is given."""
    return {
        "create_room": {
            "name": st.sampled_from(["work", "play", " w o r k", "rest"]),
            "by": names.anybody,
            "access": st.sampled_from([None, "open", "invite_only"]),
            "policy": policies()
            | st.sampled_from(["broker", "hall", "panel", "thread", "none"]),
            "request_id": request_ids(),
        },
        "join": {
            **names.seat,
            "mode": st.none() | modes(),
            "tagged_only": st.booleans(),
        },
        "subscribe": {
            **names.seat,
            "mode": modes(),
            "interval": st.sampled_from([1, 15, 60]).map(as_minutes),
            "tagged_only": st.booleans(),
        },
        "invite": {**names.asking, "reason": texts(names.agents)},
        "uninvite": names.asking,
        "add": {
            **names.asking,
            "reason": texts(names.agents),
            "request_id": request_ids(),
        },
        "remove": {"who": names.anybody, "agent": names.asked, "room": names.room},
        "change_members": {
            "by": names.acting,
            "add": st.lists(names.asked, max_size=2),
            "remove": st.lists(names.asked, max_size=2),
            "room": names.room,
        },
        "set_members": {
            "members": st.lists(names.asked, max_size=3),
            "by": names.acting,
            "room": names.room,
        },
        "change_policy": {
            "who": names.anybody,
            "policy": policies(),
            "room": names.room,
        },
        "delete": {"who": names.anybody, "room": st.integers(1, 2)},
        "team": {
            "do": st.sampled_from(ACTIONS),
            "by": st.sampled_from([*["person:ana"] * 4, *["ben"] * 4]) | names.anybody,
            "room": st.just(-1) | names.room,
            "key": st.sampled_from(["lead", "hand", "hand", "eye", "nobody"]),
        },
        **dict.fromkeys(("leave", "decline", "rest", "resume"), names.seat),
        **dict.fromkeys(("pause", "unpause", "archive", "restore"), names.whole),
    }
