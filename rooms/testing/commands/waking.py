"""Commands of whoever drives a lobby: wakes, turns and time."""

from __future__ import annotations

from hypothesis import strategies as st

from rooms.testing.commands.drawing import (
    Names,
    Options,
    after_start,
    as_minutes,
    texts,
)

__all__ = ["of_waking"]


def of_waking(names: Names) -> Options:
    """What each of these verbs is given."""
    return {
        "take": {
            "holder": st.sampled_from(["h-1", "h-2"]),
            "agents": st.none() | st.lists(st.sampled_from(names.agents), max_size=2),
            "limit": st.sampled_from([1, 20]),
            "minutes": st.sampled_from([1, 15]),
        },
        "open_turn": {"wake": names.place},
        "open_own_turn": {
            "who": names.anybody,
            "word_of": st.none() | st.sampled_from(names.persons),
        },
        "fetch_notices": {"turn": names.place},
        "reply": {"turn": names.place, "text": texts(names.agents)},
        "renew": {"turn": names.place, "minutes": st.sampled_from([1, 15])},
        "end_turn": {"turn": names.place, "failed": st.booleans()},
        "drive": {
            "says": st.sampled_from(["on", "@ben @cy on?", "pass", "", "done"]),
            "turns": st.integers(1, 4),
            "failed": st.sampled_from([False, False, True]),
            "room": names.room,
        },
        "deliver": {},
        "sweep": {"idle_for": st.sampled_from([60, 1440]).map(as_minutes)},
        "announce_restart": {
            "minutes": st.sampled_from([5, 60]),
            "notify": st.booleans(),
        },
        "advance": {"by": st.sampled_from([0, 1, 5, 15, 60, 1440]).map(as_minutes)},
        "set_clock": {"to": st.integers(-90, 240).map(after_start)},
        "deadline": {},
    }
