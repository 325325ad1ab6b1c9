"""Commands to agents: what they are, what runs them, what they say of themselves."""

from __future__ import annotations

from hypothesis import strategies as st

from rooms.testing.commands.drawing import Names, Options, texts
from rooms.testing.strategies import labels

__all__ = ["of_agents"]


def of_agents(names: Names) -> Options:
    """What each of these verbs is given."""
    return {
        "add_agent": {
            "name": st.sampled_from([*names.agents, "dan"]),
            "threaded": st.booleans(),
            "owner": st.none() | st.sampled_from(names.persons),
        },
        "change_agent": {
            "name": st.sampled_from([*names.agents, "dan"]),
            "can_broadcast": st.none() | st.booleans(),
            "manage_rooms": st.none() | st.booleans(),
            "allowed_recipients": st.sampled_from(
                [None, None, "all", names.agents[:1], []]
            ),
            "enabled": st.sampled_from([None, True, True, False]),
            "paused": st.sampled_from([None, False, False, True]),
            "role": st.none() | texts(names.agents),
        },
        "start": {
            "agent": st.sampled_from(names.agents),
            "thread": st.none() | st.sampled_from(["t-1", "t-2"]),
            "label": st.none() | labels() | st.sampled_from(["work", "new"]),
            "acts_for": st.none() | st.sampled_from(names.persons),
        },
        "rename": {
            "who": names.seats,
            "label": st.sampled_from(["work", "acme"]) | labels(),
        },
        "claim": {
            "who": names.seats,
            "runtime": st.sampled_from([None] * 7 + ["r-1", "r-1", "r-2"]),
            "generation": st.sampled_from([None, None, None, 1, 2]),
        },
        "ready": {
            "claim": st.sampled_from([-1, -1, 0]),
            "revision": st.sampled_from([0, 0, 0, 1]),
            "nonce": st.sampled_from([None, None, "another"]),
        },
        "reset_runtime": {"who": names.seats},
        "rest_agents": {
            "agents": st.lists(st.sampled_from([*names.agents, "dan"]), max_size=2),
            "by": names.acting,
            "minutes": st.sampled_from([None, 1, 15, 15, -1]),
        },
        "resume_agents": {
            "agents": st.lists(st.sampled_from(names.agents), max_size=2),
            "by": names.acting,
        },
        "retry": {"name": st.sampled_from([*names.agents, "dan"])},
        "confirm": {
            "place": names.place,
            "by": names.acting | names.seats,
            "stage": st.sampled_from(["received", "attempted", "attempted", "seen"]),
        },
        "switch_hive": {
            "agent": st.sampled_from(names.agents),
            "on": st.none() | st.booleans(),
        },
        "set_public": {"who": names.seats, "public": st.none() | st.booleans()},
        "check_in": {"who": names.seats},
        "report_work": {
            "who": names.seats,
            "event": st.sampled_from(["start", "start", "stop", "failed", "waiting"]),
        },
        "strip": {"agent": st.sampled_from([*names.agents, "dan"])},
        "set_status": {
            "who": names.acting,
            "text": st.sampled_from(["queued", " queued ", "", "two\nlines"]),
        },
        "set_owner_requests": {
            "who": names.acting,
            "count": st.sampled_from([0, 1, 2, 21]),
            "text": st.sampled_from(["A key, please.", "A key, please.", ""]),
        },
        "list_agents": {"who": names.anybody},
    }
