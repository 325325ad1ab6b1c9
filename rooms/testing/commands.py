"""
Commands for a stage, as hypothesis draws them: what hosts do, and what is refused.

Law: the draw alone decides; a command means the same on every stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from rooms.hearing import Mode
from rooms.lobby import Uploaded
from rooms.testing.clock import START
from rooms.testing.stage import Command
from rooms.testing.strategies import hostile_texts, labels, mention_texts, policies
from rooms.testing.teams import ACTIONS

__all__ = ["commands"]

_LABELS = ("work", "acme", "new", "all")


def commands(
    verb: str,
    *,
    agents: Sequence[str] = ("Eve", "ben", "cy"),
    persons: Sequence[str] = ("ana",),
) -> SearchStrategy[Command]:
    """
    Commands of one verb of a `rooms.testing.Stage`, by and to these.

    Most are what a host would do; a few are refused, each for a reason of its own.
    """
    seats = st.sampled_from(
        [f"{agent}#{place}" for agent in agents for place in range(3)]
    )
    anybody = seats | st.sampled_from([f"person:{one}" for one in persons])
    acting = anybody | st.sampled_from(["turn#0", "turn#1", "claim#0"])
    place = st.integers(0, 7)
    room = st.sampled_from([0, 0, 0, 1, 2])
    seat = {"who": seats, "room": room}
    coming = st.integers(-3, 7)
    asked = st.sampled_from([*agents, f"agent:{agents[0]}", "dan", *persons])
    asking = {"agent": asked, "by": acting, "room": room}
    options: dict[str, dict[str, SearchStrategy[Any]]] = {
        "add_agent": {
            "name": st.sampled_from([*agents, "dan"]),
            "threaded": st.booleans(),
            "owner": st.none() | st.sampled_from(persons),
        },
        "change_agent": {
            "name": st.sampled_from([*agents, "dan"]),
            "can_broadcast": st.none() | st.booleans(),
            "manage_rooms": st.none() | st.booleans(),
            "allowed_recipients": st.sampled_from([None, None, "all", agents[:1], []]),
            "enabled": st.sampled_from([None, True, True, False]),
            "paused": st.sampled_from([None, False, False, True]),
            "role": st.none() | _texts(agents),
        },
        "rest_agents": {
            "agents": st.lists(st.sampled_from([*agents, "dan"]), max_size=2),
            "by": acting,
            "minutes": st.sampled_from([None, 1, 15, 15, -1]),
        },
        "resume_agents": {
            "agents": st.lists(st.sampled_from(agents), max_size=2),
            "by": acting,
        },
        "send": {
            "text": _texts(agents),
            "by": acting,
            "to": st.sampled_from([*agents, "*", "dan", *persons]),
            "reply_to": st.none() | place,
            "request_id": _request_ids(),
            "supersedes": st.none() | st.none() | place,
            "deliver_in": _delays(),
            **_meanings(),
        },
        "repeat": {
            "who": anybody,
            "text": _texts(agents),
            "to": st.lists(_written(agents, persons), max_size=2),
            "room": room,
            "zone": st.sampled_from(["UTC", "Europe/Stockholm", "Asia/Kathmandu"]),
            "times": st.sampled_from([["12:20"], ["00:00", "12:01", "13:00"]]),
            "missed": st.sampled_from(["once", "once", "skip", "all"]),
            "request_id": _request_ids(),
            **_meanings(),
        },
        "cancel": {"who": anybody, "message": coming, "of": st.none() | asked},
        "reschedule": {
            "who": anybody,
            "message": coming,
            "times": st.sampled_from([None, None, ["21:05", "23:00"]]),
            "text": st.none() | _texts(agents),
            "deliver_in": _delays(),
            "of": st.none() | asked,
        },
        "list_schedules": {"who": anybody, "of": st.none() | asked},
        "team": {
            "do": st.sampled_from(ACTIONS),
            "by": st.sampled_from([*["person:ana"] * 4, *["ben"] * 4]) | anybody,
            "room": st.just(-1) | room,
            "key": st.sampled_from(["lead", "hand", "hand", "eye", "nobody"]),
        },
        "change_members": {
            "by": acting,
            "add": st.lists(asked, max_size=2),
            "remove": st.lists(asked, max_size=2),
            "room": room,
        },
        "set_members": {
            "members": st.lists(asked, max_size=3),
            "by": acting,
            "room": room,
        },
        "start": {
            "agent": st.sampled_from(agents),
            "thread": st.none() | st.sampled_from(["t-1", "t-2"]),
            "label": st.none() | labels() | st.sampled_from(["work", "new"]),
            "acts_for": st.none() | st.sampled_from(persons),
        },
        "rename": {"who": seats, "label": st.sampled_from(["work", "acme"]) | labels()},
        "claim": {
            "who": seats,
            "runtime": st.sampled_from([None] * 7 + ["r-1", "r-1", "r-2"]),
            "generation": st.sampled_from([None, None, None, 1, 2]),
        },
        "ready": {
            "claim": st.sampled_from([-1, -1, 0]),
            "revision": st.sampled_from([0, 0, 0, 1]),
            "nonce": st.sampled_from([None, None, "another"]),
        },
        "reset_runtime": {"who": seats},
        "create_room": {
            "name": st.sampled_from(["work", "play", " w o r k", "rest"]),
            "by": anybody,
            "access": st.sampled_from([None, "open", "invite_only"]),
            "policy": policies()
            | st.sampled_from(["broker", "hall", "panel", "thread", "none"]),
            "request_id": _request_ids(),
        },
        "post": {
            "text": _texts(agents),
            "by": acting,
            "to": st.lists(_written(agents, persons), max_size=3),
            "room": room,
            "reply_to": st.none() | place,
            "request_id": _request_ids(),
            "confirm": st.booleans(),
            "mentions": st.none() | st.lists(st.sampled_from([*agents, "ghost"])),
            "silent": st.lists(_written(agents, persons), max_size=1),
            "attach": st.none() | st.none() | _attachments(),
            "supersedes": st.none() | st.none() | place,
            "deliver_in": _delays(),
            **_meanings(),
        },
        "join": {**seat, "mode": st.none() | _modes(), "tagged_only": st.booleans()},
        "subscribe": {
            **seat,
            "mode": _modes(),
            "interval": st.sampled_from([1, 15, 60]).map(_minutes),
            "tagged_only": st.booleans(),
        },
        "invite": {**asking, "reason": _texts(agents)},
        "uninvite": asking,
        "add": {**asking, "reason": _texts(agents), "request_id": _request_ids()},
        "change_policy": {"who": anybody, "policy": policies(), "room": room},
        "read": {
            "who": anybody,
            "room": room,
            "after": st.integers(0, 9),
            "limit": st.integers(1, 5),
        },
        "search": {"who": anybody, "query": _texts(agents), "room": room},
        "acknowledge": {**seat, "message": place},
        "acknowledge_many": {"who": anybody, "messages": st.lists(place, max_size=4)},
        "save_checkpoint": {
            "who": seats,
            "text": _texts(agents),
            "acknowledge": st.lists(place, max_size=2),
            "base": st.sampled_from([None, None, None, 0, 1, 2]),
            "covered": st.sampled_from([None, None, None, 0, 1, 9]),
        },
        "inbox": {"who": anybody},
        "read_inbox": {
            "who": anybody,
            "query": st.none() | _texts(agents),
            "unanswered": st.booleans(),
            "awaiting": st.sampled_from([False, False, True]),
            "ids": st.none() | st.lists(place, min_size=1, max_size=3),
            "cut": st.integers(0, 2),
            "after": st.sampled_from([0, 0, 9]),
            "limit": st.integers(1, 5),
        },
        "explain": {"message": place, "room": room},
        "write_document": {
            "who": acting,
            "path": _paths(),
            "text": st.sampled_from(["one", "two", "three words of it", "x" * 40]),
            "base": st.none() | place,
            "room": room,
            "request_id": _request_ids(),
        },
        "remove_document": {
            "who": acting,
            "path": _paths(),
            "base": place,
            "room": room,
        },
        "read_file": {
            "who": anybody,
            "path": _paths(),
            "revision": st.none() | place,
            "room": room,
        },
        "download": {
            "who": anybody,
            "path": _paths(),
            "message": st.none() | place,
            "room": room,
        },
        "attachments": {"who": anybody, "limit": st.integers(1, 5), "room": room},
        "documents": {"who": anybody, "room": room},
        "history": {
            "who": anybody,
            "path": st.none() | _paths(),
            "limit": st.integers(1, 5),
            "room": room,
        },
        "take": {
            "holder": st.sampled_from(["h-1", "h-2"]),
            "agents": st.none() | st.lists(st.sampled_from(agents), max_size=2),
            "limit": st.sampled_from([1, 20]),
            "minutes": st.sampled_from([1, 15]),
        },
        "open_turn": {"wake": place},
        "open_own_turn": {
            "who": anybody,
            "word_of": st.none() | st.sampled_from(persons),
        },
        "fetch_notices": {"turn": place},
        "reply": {"turn": place, "text": _texts(agents)},
        "renew": {"turn": place, "minutes": st.sampled_from([1, 15])},
        "end_turn": {"turn": place, "failed": st.booleans()},
        "latest": {
            "who": anybody,
            "room": room,
            "before": st.none() | st.integers(1, 9),
            "limit": st.integers(1, 5),
        },
        "exchange": {"who": anybody, "of": anybody, "room": room},
        "participants": {"who": anybody, "room": room},
        "windows": seat,
        "figures": {"who": anybody, "hours": st.none() | st.integers(0, 30)},
        "list_rooms": {
            "who": anybody,
            "need_look": st.booleans(),
            "limit": st.integers(1, 3),
        },
        "upload": {"who": anybody, "content": st.sampled_from(_CONTENTS)},
        "contents": {},
        "sweep": {"idle_for": st.sampled_from([60, 1440]).map(_minutes)},
        "switch_hive": {
            "agent": st.sampled_from(agents),
            "on": st.none() | st.booleans(),
        },
        "set_public": {"who": seats, "public": st.none() | st.booleans()},
        "announce_restart": {
            "minutes": st.sampled_from([5, 60]),
            "notify": st.booleans(),
        },
        "check_in": {"who": seats},
        "report_work": {
            "who": seats,
            "event": st.sampled_from(["start", "start", "stop", "failed", "waiting"]),
        },
        "strip": {"agent": st.sampled_from([*agents, "dan"])},
        "set_status": {
            "who": acting,
            "text": st.sampled_from(["queued", " queued ", "", "two\nlines"]),
        },
        "set_owner_requests": {
            "who": acting,
            "count": st.sampled_from([0, 1, 2, 21]),
            "text": st.sampled_from(["A key, please.", "A key, please.", ""]),
        },
        "list_agents": {"who": anybody},
        "drive": {
            "says": st.sampled_from(["on", "@ben @cy on?", "pass", "", "done"]),
            "turns": st.integers(1, 4),
            "failed": st.sampled_from([False, False, True]),
            "room": room,
        },
        "deliver": {},
        "confirm": {
            "place": place,
            "by": acting | seats,
            "stage": st.sampled_from(["received", "attempted", "attempted", "seen"]),
        },
        "retry": {"name": st.sampled_from([*agents, "dan"])},
        "advance": {"by": st.sampled_from([0, 1, 5, 15, 60, 1440]).map(_minutes)},
        "set_clock": {"to": st.integers(-90, 240).map(_after_start)},
        "deadline": {},
        **dict.fromkeys(("leave", "decline", "rest", "resume"), seat),
        **{whole: {"who": anybody, "room": room} for whole in ("pause", "unpause")},
        **{whole: {"who": anybody, "room": room} for whole in ("archive", "restore")},
        "remove": {"who": anybody, "agent": asked, "room": room},
        "erase": {"who": anybody, "message": place, "room": room},
        "delete": {"who": anybody, "room": st.integers(1, 2)},
        "appoint": {
            "who": anybody,
            "agent": st.sampled_from([*agents, *agents, None, "dan"]),
            "room": room,
        },
        "remember": {
            "who": acting,
            "text": st.sampled_from(["It trips.", "Turn it off.", "password=hunter22"]),
            "kind": st.sampled_from(["gotcha", "fix", "procedure"]),
            "about": st.none() | place,
            "request_id": _request_ids(),
            "room": room,
        },
        "curate": {
            "who": acting,
            "operation": st.sampled_from(
                ["add", "add", "update", "verify", "archive", "merge", "refuse"]
            ),
            "item": place,
            "other": place,
            "room": room,
        },
        "recall": {
            "who": anybody,
            "query": st.sampled_from(["item", "trips", "so 3"]),
            "room": room,
        },
        "forget": {"who": anybody, "item": place, "room": room},
    }
    return st.builds(Command, st.just(verb), st.fixed_dictionaries(options[verb]))


def _written(agents: Sequence[str], persons: Sequence[str]) -> SearchStrategy[str]:
    """Addresses as senders write them; the first agent is the one with labels."""
    right = [f"agent:{agent}" for agent in agents] + ["room", "all", agents[-1]]
    right += [f"agent:{agents[0]}/{label}" for label in _LABELS]
    wrong = ["agent:", "agent:nobody", f"agent:{agents[-1]}/work"]
    people = [f"person:{person}" for person in persons]
    return st.sampled_from([*right, *right, *people, *wrong])


def _texts(agents: Sequence[str]) -> SearchStrategy[str]:
    return st.one_of(
        st.sampled_from(["hello", "done", "a word about acme"]),
        mention_texts(agents),
        hostile_texts(),
    )


def _paths() -> SearchStrategy[str]:
    """A few paths of documents, so that many meet; seldom one that is none."""
    right = ["plan.md", "plan.md", "notes/a.txt"]
    return st.sampled_from([*right, *right, "../plan.md", "plan.exe"])


_CONTENTS = (b"", b"one", b"\x89PNG\r\n\x1a\n", b"x" * 40)


def _attachments() -> SearchStrategy[dict[str, bytes | Uploaded]]:
    """
    Files of a message, at paths that documents have too, some by their digests alone;
    seldom one of no path.
    """
    named = [Uploaded(sha256(one).hexdigest()) for one in _CONTENTS]
    every: list[bytes | Uploaded] = [*_CONTENTS, *named]
    contents = st.sampled_from(every)
    paths = st.sampled_from(["plan.md", "notes/a.txt", "photo.png", "a\\b"])
    return st.dictionaries(paths, contents, max_size=2)


def _modes() -> SearchStrategy[str]:
    return st.sampled_from([mode.value for mode in Mode])


def _meanings() -> dict[str, SearchStrategy[Any]]:
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


def _delays() -> SearchStrategy[int | None]:
    """In how many minutes a message comes; now and then when none may."""
    return st.sampled_from([None, None, None, None, 1, 1, 15, 60, -2, 50_000])


def _request_ids() -> SearchStrategy[str | None]:
    return st.none() | st.sampled_from(["r-1", "r-2", "r-3"])


def _minutes(minutes: int) -> timedelta:
    return timedelta(minutes=minutes)


def _after_start(minutes: int) -> datetime:
    return START + _minutes(minutes)
