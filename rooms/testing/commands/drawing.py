"""Drawing: whom and what the commands name, and the words that they carry."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from attrs import frozen
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rooms.hearing import Mode
from rooms.lobby import Uploaded
from rooms.testing.clock import START
from rooms.testing.strategies import hostile_texts, mention_texts

__all__ = [
    "CONTENTS",
    "Names",
    "Options",
    "after_start",
    "as_minutes",
    "attachments",
    "delays",
    "meanings",
    "modes",
    "paths",
    "request_ids",
    "texts",
    "written",
]

LABELS = ("work", "acme", "new", "all")
CONTENTS = (b"", b"one", b"\x89PNG\r\n\x1a\n", b"x" * 40)

Given = dict[str, SearchStrategy[Any]]
Options = dict[str, Given]


@frozen
class Names:
    """
    Whom and what commands name: words for who acts, places for all else.

    Attributes:
        agents: Ids of agents; the first is the one with labels.
        persons: Names of persons.
    """

    agents: Sequence[str]
    persons: Sequence[str]

    @property
    def seats(self) -> SearchStrategy[str]:
        """Conversations."""
        return st.sampled_from(
            [f"{agent}#{place}" for agent in self.agents for place in range(3)]
        )

    @property
    def anybody(self) -> SearchStrategy[str]:
        """Conversations and persons."""
        return self.seats | st.sampled_from([f"person:{one}" for one in self.persons])

    @property
    def acting(self) -> SearchStrategy[str]:
        """Whoever may act, turns and claims too."""
        return self.anybody | st.sampled_from(["turn#0", "turn#1", "claim#0"])

    @property
    def asked(self) -> SearchStrategy[str]:
        """Whom something is asked of; not all of them are agents that are there."""
        agents = [*self.agents, f"agent:{self.agents[0]}", "dan", *self.persons]
        return st.sampled_from(agents)

    @property
    def place(self) -> SearchStrategy[int]:
        """The place of a thing."""
        return st.integers(0, 7)

    @property
    def coming(self) -> SearchStrategy[int]:
        """The place of a message, or below 0 of a schedule."""
        return st.integers(-3, 7)

    @property
    def room(self) -> SearchStrategy[int]:
        """The place of a room, mostly of the first one."""
        return st.sampled_from([0, 0, 0, 1, 2])

    @property
    def seat(self) -> Given:
        """A seat's own act in a room."""
        return {"who": self.seats, "room": self.room}

    @property
    def whole(self) -> Given:
        """Anybody's act on a room."""
        return {"who": self.anybody, "room": self.room}

    @property
    def asking(self) -> Given:
        """Somebody's act about an agent in a room."""
        return {"agent": self.asked, "by": self.acting, "room": self.room}


def written(agents: Sequence[str], persons: Sequence[str]) -> SearchStrategy[str]:
    """Addresses as senders write them; the first agent is the one with labels."""
    right = [f"agent:{agent}" for agent in agents] + ["room", "all", agents[-1]]
    right += [f"agent:{agents[0]}/{label}" for label in LABELS]
    wrong = ["agent:", "agent:nobody", f"agent:{agents[-1]}/work"]
    people = [f"person:{person}" for person in persons]
    return st.sampled_from([*right, *right, *people, *wrong])


def texts(agents: Sequence[str]) -> SearchStrategy[str]:
    """Words of a message, some of them hostile."""
    return st.one_of(
        st.sampled_from(["hello", "done", "a word about acme"]),
        mention_texts(agents),
        hostile_texts(),
    )


def paths() -> SearchStrategy[str]:
    """A few paths of documents, so that many meet; seldom one that is none."""
    right = ["plan.md", "plan.md", "notes/a.txt"]
    return st.sampled_from([*right, *right, "../plan.md", "plan.exe"])


def attachments() -> SearchStrategy[dict[str, bytes | Uploaded]]:
    """
    Files of a message, at paths that documents have too, some by their digests alone;
    seldom one of no path.
    """
    named = [Uploaded(sha256(one).hexdigest()) for one in CONTENTS]
    every: list[bytes | Uploaded] = [*CONTENTS, *named]
    contents = st.sampled_from(every)
    paths = st.sampled_from(["plan.md", "notes/a.txt", "photo.png", "a\\b"])
    return st.dictionaries(paths, contents, max_size=2)


def modes() -> SearchStrategy[str]:
    """How a seat listens."""
    return st.sampled_from([mode.value for mode in Mode])


def meanings() -> dict[str, SearchStrategy[Any]]:
    """What a message asks and says beside its words; now and then what none may."""
    kinds = [
        None,
        None,
        "request",
        "notice",
        "assignment",
        "report",
        "question",
        "plea",
    ]
    return {
        "kind": st.sampled_from(kinds),
        "expects_reply": st.sampled_from([None, None, True, False]),
        "urgency": st.sampled_from(["normal", "normal", "quiet", "now"]),
        "fields": st.sampled_from([None, None, {"commit": "1f"}, {"evidence": "a:b"}]),
        "notify_when_seen": st.sampled_from([False, False, True]),
    }


def delays() -> SearchStrategy[int | None]:
    """In how many minutes a message comes; now and then when none may."""
    return st.sampled_from([None, None, None, None, 1, 1, 15, 60, -2, 50_000])


def request_ids() -> SearchStrategy[str | None]:
    """Few, so that many meet; often none."""
    return st.none() | st.sampled_from(["r-1", "r-2", "r-3"])


def as_minutes(minutes: int) -> timedelta:
    """So long."""
    return timedelta(minutes=minutes)


def after_start(minutes: int) -> datetime:
    """The instant so long after the clock's start."""
    return START + as_minutes(minutes)
