"""
No argument, and no order of calls, makes a lobby do anything but answer or refuse.

Both storages are asked the same, and have to answer or refuse the same.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from lobby.campaign.scene import NOON, Scene
from rooms import (
    Lobby,
    MemoryStorage,
    Mode,
    RateWindow,
    Recurrence,
    RoomPolicy,
    RoomsError,
    SQLiteStorage,
)
from rooms.errors import CODES, Conflict, InvalidInput, StorageError
from rooms.lobby import (
    Agent,
    Claim,
    Contents,
    Conversation,
    Inbox,
    Person,
    Room,
    Schedules,
    Turn,
    Wake,
)
from rooms.lobby.memory import AddEntry
from rooms.pacing import Gauge

HUGE = 10_000_000
LONGEST = 30  # s for one call with 10 MB: it hangs no host, on any machine

HOSTILE: dict[str, Any] = {
    "None": None,
    "True": True,
    "0": 0,
    "-1": -1,
    "huge int": 10**40,
    "1.5": 1.5,
    "nan": float("nan"),
    "bytes": b"eve",
    "list": [],
    "list of None": [None],
    "list of surrogate": ["agent:\ud800"],
    "dict": {},
    "set": {"eve"},
    "object": object(),
    "class": Lobby,
    "empty": "",
    "blank": " \t",
    "surrogate": "a\ud800b",
    "nul": "a\0b",
    "lines": "a\nb",
    "bidi": "a\u202eb",
    "10 MB": "x" * HUGE,
    "10 MB of blanks": " " * HUGE,
    "10 MB of at": "@" * HUGE,
    "10 MB wide": "\u0601\u0300" * (HUGE // 4),
    "address": "agent:eve",
    "path": "../../etc/passwd",
    "sql": "x'; DROP TABLE records; --",
    "naive": datetime(2026, 3, 2, 12, 0),  # noqa: DTZ001 - the subject
    "first instant": datetime.min.replace(tzinfo=UTC),
    "before the first": datetime.min.replace(tzinfo=timezone(timedelta(hours=14))),
    "timedelta": timedelta(minutes=1),
    "no time": timedelta(0),
    "longest time": timedelta.max,
    "back in time": timedelta.min,
    "mode": Mode.DIGEST,
    "policy": RoomPolicy(),
    "actor": Scene,
}
# What a later call could not follow: it is given in tests of its own.
LAST_INSTANT = datetime.max.replace(tzinfo=UTC)

Call = tuple[Callable[[Scene], Callable[..., Any]], dict[str, Callable[[Scene], Any]]]


def always(value: Any) -> Callable[[Scene], Any]:
    return lambda _: value


def now() -> dict[str, Callable[[Scene], Any]]:
    return {"now": always(NOON)}


CALLS: dict[str, Call] = {
    "Lobby.add_agent": (
        lambda s: s.lobby.add_agent,
        {
            "name": always("new"),
            "threaded": always(True),
            "owner": always("ana"),
            "role": always("Be kind."),
            "work_description": always("kindness"),
            "machine": always("m-1"),
            "can_broadcast": always(True),
            "manage_rooms": always(True),
            "allowed_recipients": always(["eve"]),
            **now(),
        },
    ),
    "Agent.change": (
        lambda s: s.lobby.agent("bo").change,
        {
            "role": always("Be kind."),
            "work_description": always("kindness"),
            "machine": always("m-1"),
            "can_broadcast": always(True),
            "manage_rooms": always(True),
            "allowed_recipients": always(["eve"]),
            "enabled": always(True),
            "paused": always(True),
            **now(),
        },
    ),
    "Lobby.send": (
        lambda s: s.lobby.send,
        {
            "content": always("well"),
            "by": lambda s: s.eve,
            "to": always("bo"),
            "reply_to": always(None),
            "request_id": always("r-2"),
            "attachments": always({}),
            "supersedes": always(None),
            "kind": always("request"),
            "expects_reply": always(True),
            "urgency": always("now"),
            "correlation": always("c-1"),
            "fields": always({"commit": "1f"}),
            "notify_when_seen": always(True),
            "policy": always("broker"),
            "deliver_at": always(NOON + timedelta(hours=1)),
            **now(),
        },
    ),
    "Lobby.schedules": (
        lambda s: s.lobby.schedules,
        {"by": lambda s: s.ana, "of": always("eve")},
    ),
    "Schedules.create": (
        lambda s: s.lobby.schedules(by=s.eve).create,
        {
            "content": always("again"),
            "repeat": always(Recurrence("UTC", ("12:30",))),
            "to": always(["agent:tee/acme"]),
            "room": lambda s: s.room,
            "missed": always("all"),
            "request_id": always("r-4"),
            "attachments": always({}),
            "kind": always("request"),
            "expects_reply": always(True),
            "urgency": always("now"),
            "correlation": always("c-1"),
            "fields": always({"commit": "1f"}),
            "notify_when_seen": always(True),
            **now(),
        },
    ),
    "Schedules.list": (lambda s: s.lobby.schedules(by=s.eve).list, {}),
    "Schedules.cancel": (
        lambda s: s.lobby.schedules(by=s.ana).cancel,
        {"one": lambda s: s.waiting.message.id, **now()},
    ),
    "Schedules.update": (
        lambda s: s.lobby.schedules(by=s.ana).update,
        {
            "one": lambda s: s.waiting.message.id,
            "content": always("later"),
            "deliver_at": always(NOON + timedelta(hours=2)),
            "repeat": always(None),
            **now(),
        },
    ),
    "Room.change_members": (
        lambda s: s.room.change_members,
        {
            "add": always(["bo"]),
            "remove": always(["tee"]),
            "by": lambda s: s.ana,
            **now(),
        },
    ),
    "Room.set_members": (
        lambda s: s.room.set_members,
        {"members": always(["bo"]), "by": lambda s: s.ana, **now()},
    ),
    "Lobby.agent": (lambda s: s.lobby.agent, {"name": always("eve")}),
    "Lobby.person": (lambda s: s.lobby.person, {"name": always("ana"), **now()}),
    "Lobby.conversation": (
        lambda s: s.lobby.conversation,
        {
            "agent": always("tee"),
            "thread": always("t-1"),
            "label": always("acme"),
            "acts_for": always("ana"),
            **now(),
        },
    ),
    "Lobby.create_room": (
        lambda s: s.lobby.create_room,
        {
            "name": always("other"),
            "by": lambda s: s.eve,
            "access": always("open"),
            "invite": always(["agent:bo"]),
            "policy": always("thread"),
            "request_id": always("r-9"),
            **now(),
        },
    ),
    "Lobby.room": (
        lambda s: s.lobby.room,
        {"name": always("work"), "by": lambda s: s.eve},
    ),
    "Lobby.invitations": (lambda s: s.lobby.invitations, {"by": lambda s: s.eve}),
    "Lobby.take_wakes": (
        lambda s: s.lobby.take_wakes,
        {
            "agents": always(["eve"]),
            "conversations": lambda s: [s.eve],
            "limit": always(1),
            "hold_for": always(timedelta(minutes=1)),
            "holder": always("me"),
            **now(),
        },
    ),
    "Lobby.turn": (
        lambda s: s.lobby.turn,
        {"woken": lambda s: s.eve, "word_of": lambda s: s.ana, **now()},
    ),
    "Lobby.give_back": (
        lambda s: s.lobby.give_back,
        {"wake": lambda s: s.wake, **now()},
    ),
    "Lobby.deliver": (lambda s: s.lobby.deliver, now()),
    "Lobby.register": (
        lambda s: s.lobby.register,
        {"plugin": lambda s: object(), "name": always("mine")},
    ),
    "Room.post": (
        lambda s: s.room.post,
        {
            "content": always("well"),
            "by": lambda s: s.eve,
            "to": always(["agent:tee/acme"]),
            "reply_to": lambda s: s.posted.message.id,
            "request_id": always("r-2"),
            "confirm_all_threads": always(False),
            "mentions": always(["eve"]),
            "silent": always(["agent:tee/acme"]),
            "attachments": always({}),
            "supersedes": always(None),
            "kind": always("request"),
            "expects_reply": always(True),
            "urgency": always("now"),
            "correlation": always("c-1"),
            "fields": always({"commit": "1f"}),
            "notify_when_seen": always(True),
            "deliver_at": always(NOON + timedelta(hours=1)),
            **now(),
        },
    ),
    "Room.join": (
        lambda s: s.room.join,
        {
            "by": lambda s: s.bo,
            "mode": always("digest"),
            "interval": always(timedelta(minutes=5)),
            "tagged_only": always(False),
            **now(),
        },
    ),
    "Room.remove": (
        lambda s: s.room.remove,
        {"agent": always("agent:tee"), "by": lambda s: s.ana, **now()},
    ),
    "Room.invite": (
        lambda s: s.room.invite,
        {
            "agent": always("agent:tee"),
            "by": lambda s: s.eve,
            "reason": always("You know it."),
            **now(),
        },
    ),
    "Room.uninvite": (
        lambda s: s.room.uninvite,
        {"agent": always("agent:tee"), "by": lambda s: s.eve, **now()},
    ),
    "Room.decline": (lambda s: s.room.decline, {"by": lambda s: s.bo, **now()}),
    "Room.add": (
        lambda s: s.room.add,
        {
            "agent": always("agent:tee"),
            "by": lambda s: s.eve,
            "reason": always("You know it."),
            "request_id": always("r-9"),
            **now(),
        },
    ),
    "Room.subscribe": (
        lambda s: s.room.subscribe,
        {
            "by": lambda s: s.eve,
            "mode": always("digest"),
            "interval": always(timedelta(minutes=5)),
            "tagged_only": always(False),
            **now(),
        },
    ),
    "Lobby.confirm": (
        lambda s: s.lobby.confirm,
        {
            "push": always("push_bo.00000001"),
            "by": lambda s: s.eve,
            "stage": always("attempted"),
            **now(),
        },
    ),
    "Agent.retry": (lambda s: s.lobby.agent("bo").retry, now()),
    "Lobby.rest": (
        lambda s: s.lobby.rest,
        {
            "agents": always(["bo"]),
            "by": lambda s: s.eve,
            "until": always(NOON + timedelta(hours=1)),
            **now(),
        },
    ),
    "Lobby.resume": (
        lambda s: s.lobby.resume,
        {"agents": always(["bo"]), "by": lambda s: s.eve, **now()},
    ),
    "Room.rest": (lambda s: s.room.rest, {"by": lambda s: s.eve, **now()}),
    "Room.resume": (lambda s: s.room.resume, {"by": lambda s: s.eve, **now()}),
    "Room.leave": (lambda s: s.room.leave, {"by": lambda s: s.eve, **now()}),
    "Room.pause": (lambda s: s.room.pause, {"by": lambda s: s.ana, **now()}),
    "Room.unpause": (lambda s: s.room.unpause, {"by": lambda s: s.ana, **now()}),
    "Room.change_policy": (
        lambda s: s.room.change_policy,
        {"policy": always(RoomPolicy()), "by": lambda s: s.ana, **now()},
    ),
    "Room.archive": (lambda s: s.room.archive, {"by": lambda s: s.ana, **now()}),
    "Room.restore": (lambda s: s.room.restore, {"by": lambda s: s.ana, **now()}),
    "Lobby.list_agents": (
        lambda s: s.lobby.list_agents,
        {"by": lambda s: s.eve, "waiting": always(False), **now()},
    ),
    "Room.delete": (lambda s: s.room.delete, {"by": lambda s: s.ana, **now()}),
    "Room.erase": (
        lambda s: s.room.erase,
        {"message": lambda s: s.posted.message.id, "by": lambda s: s.ana, **now()},
    ),
    "Room.read": (
        lambda s: s.room.read,
        {"by": lambda s: s.eve, "after": always(0), "limit": always(5), **now()},
    ),
    "Lobby.figures": (
        lambda s: s.lobby.figures,
        {"by": lambda s: s.ana, "since": always(NOON)},
    ),
    "Lobby.list_rooms": (
        lambda s: s.lobby.list_rooms,
        {
            "by": lambda s: s.ana,
            "participant": lambda s: s.eve,
            "need_look": always(False),
            "after": always("1.room_1"),
            "limit": always(5),
        },
    ),
    "Lobby.audit": (
        lambda s: s.lobby.audit,
        {"by": lambda s: s.ana, "after": always(0), "limit": always(5)},
    ),
    "Lobby.hives": (lambda s: s.lobby.hives, {"by": lambda s: s.ana}),
    "Lobby.announce_restart": (
        lambda s: s.lobby.announce_restart,
        {
            "at": always(NOON),
            "reason": always("why"),
            "notify_rooms": always(True),
            **now(),
        },
    ),
    "Lobby.call_off_restart": (lambda s: s.lobby.call_off_restart, now()),
    "Lobby.planned_restart": (lambda s: s.lobby.planned_restart, now()),
    "Agent.switch_hive": (
        lambda s: s.lobby.agent("tee").switch_hive,
        {"on": always(True), **now()},
    ),
    "Conversation.set_public": (
        lambda s: s.eve.set_public,
        {"public": always(True), **now()},
    ),
    "Conversation.hive_reminder": (
        lambda s: s.eve.hive_reminder,
        {
            "worked_at": always(NOON),
            "after": always(timedelta(minutes=5)),
            **now(),
        },
    ),
    "Lobby.recover": (lambda s: s.lobby.recover, now()),
    "Lobby.report_usage": (
        lambda s: s.lobby.report_usage,
        {
            "by": lambda s: s.eve,
            "cost": always("0.5"),
            "tokens": always(7),
            "room": lambda s: s.room,
            "request_id": always("r-usage"),
            **now(),
        },
    ),
    "Lobby.recover_teams": (lambda s: s.lobby.recover_teams, now()),
    "Lobby.teams": (
        lambda s: s.lobby.teams,
        {"by": lambda s: s.ana, "catalogue": always(None)},
    ),
    "Lobby.member": (
        lambda s: s.lobby.member,
        {"by": lambda s: s.eve, "room": lambda s: s.room},
    ),
    "Lobby.set_status": (
        lambda s: s.lobby.set_status,
        {"text": always("queued"), "by": lambda s: s.eve, **now()},
    ),
    "Lobby.set_owner_requests": (
        lambda s: s.lobby.set_owner_requests,
        {
            "count": always(2),
            "text": always("A key."),
            "by": lambda s: s.eve,
            **now(),
        },
    ),
    "Conversation.report_work": (
        lambda s: s.eve.report_work,
        {
            "event": always("stop"),
            "at": always(NOON),
            "background_tasks": always(0),
            "running": always({"shell": 1}),
            **now(),
        },
    ),
    "Agent.strip": (lambda s: s.lobby.agent("tee").strip, now()),
    "Conversation.report_gauges": (
        lambda s: s.eve.report_gauges,
        {"gauges": always({"week": Gauge(5)}), **now()},
    ),
    "Lobby.inbox": (
        lambda s: s.lobby.inbox,
        {"of": lambda s: s.tee, "by": lambda s: s.ana},
    ),
    "Inbox.count": (lambda s: s.lobby.inbox(s.tee).count, {}),
    "Inbox.checkpoint": (lambda s: s.lobby.inbox(s.tee).checkpoint, {}),
    "Inbox.context": (lambda s: s.lobby.inbox(s.tee).context, now()),
    "Inbox.receipts": (
        lambda s: s.lobby.inbox(s.tee).receipts,
        {"after": always(0), "limit": always(5)},
    ),
    "Inbox.save_checkpoint": (
        lambda s: s.lobby.inbox(s.tee).save_checkpoint,
        {
            "content": always("All is read."),
            "base": always(0),
            "covered_receipt_seq": always(0),
            "acknowledge": always(()),
            **now(),
        },
    ),
    "Lobby.history": (
        lambda s: s.lobby.history,
        {
            "by": always(None),
            "after": always(0),
            "limit": always(5),
            "query": always("hello"),
            "ids": lambda s: [s.posted.message.id],
            "max_bytes": always(1_000),
            **now(),
        },
    ),
    "Inbox.pending": (
        lambda s: s.lobby.inbox(s.tee).pending,
        {"after": always(0), "limit": always(5), "max_bytes": always(9), **now()},
    ),
    "Inbox.reconciliation": (
        lambda s: s.lobby.inbox(s.tee).reconciliation,
        {"after": always(0), "limit": always(5), "max_bytes": always(9), **now()},
    ),
    "Inbox.history": (
        lambda s: s.lobby.inbox(s.eve).history,
        {
            "after": always(0),
            "limit": always(5),
            "query": always("hello"),
            "unanswered": always(False),
            "awaiting": always(False),
            "ids": lambda s: [s.posted.message.id],
            "max_bytes": always(1_000),
            **now(),
        },
    ),
    "Inbox.acknowledge": (
        lambda s: s.lobby.inbox(s.tee).acknowledge,
        {"messages": lambda s: [s.posted.message.id], **now()},
    ),
    "Agent.gauges": (lambda s: s.lobby.agent("tee").gauges, now()),
    "Memory.remember": (
        lambda s: s.room.memory.remember,
        {
            "text": always("It trips."),
            "kind": always("fix"),
            "by": lambda s: s.eve,
            "evidence": always("box"),
            "about": always("none.00000001"),
            "request_id": always("m-1"),
            **now(),
        },
    ),
    "Memory.recall": (
        lambda s: s.room.memory.recall,
        {"query": always("trips"), "by": lambda s: s.eve},
    ),
    "Memory.entries": (
        lambda s: s.room.memory.entries,
        {"ids": always(["none.00000001"]), "by": lambda s: s.eve},
    ),
    "Memory.curate": (
        lambda s: s.room.memory.curate,
        {
            "operations": always([AddEntry(kind="fix", title="a", text="b")]),
            "base": always("none"),
            "by": lambda s: s.eve,
            "summary": always("done"),
            "request_id": always("m-2"),
            **now(),
        },
    ),
    "Memory.erase": (
        lambda s: s.room.memory.erase,
        {"id": always("none.00000001"), "by": lambda s: s.eve, **now()},
    ),
    "Contents.upload": (
        lambda s: s.lobby.contents.upload,
        {
            "content": always(b"x"),
            "by": lambda s: s.eve,
            "sha256": always(sha256(b"x").hexdigest()),
            **now(),
        },
    ),
    "Contents.usage": (lambda s: s.lobby.contents.usage, {}),
    "Contents.listed": (
        lambda s: s.lobby.contents.listed,
        {"after": always("0" * 64), "limit": always(5)},
    ),
    "Lobby.sweep": (
        lambda s: s.lobby.sweep,
        {"idle_for": always(timedelta(days=30)), **now()},
    ),
    "Room.latest": (
        lambda s: s.room.latest,
        {"by": lambda s: s.eve, "before": always(1), "limit": always(5), **now()},
    ),
    "Room.exchange": (
        lambda s: s.room.exchange,
        {
            "of": lambda s: s.eve,
            "by": lambda s: s.ana,
            "after": always(None),
            "before": always(9),
            "limit": always(5),
            **now(),
        },
    ),
    "Room.participants": (
        lambda s: s.room.participants,
        {
            "by": lambda s: s.ana,
            "previous_after": always(timedelta(days=7)),
            **now(),
        },
    ),
    "Room.windows": (
        lambda s: s.room.windows,
        {"by": lambda s: s.ana, "of": lambda s: s.eve, **now()},
    ),
    "Conversation.check_in": (lambda s: s.eve.check_in, now()),
    "Conversation.is_present": (lambda s: s.eve.is_present, now()),
    "Room.search": (
        lambda s: s.room.search,
        {"query": always("hello"), "by": lambda s: s.eve, "limit": always(5)},
    ),
    "Room.acknowledge": (
        lambda s: s.room.acknowledge,
        {"messages": lambda s: [s.posted.message.id], "by": lambda s: s.eve, **now()},
    ),
    "Room.explain": (
        lambda s: s.room.explain,
        {"message": lambda s: s.posted.message.id, "by": lambda s: s.eve},
    ),
    "Conversation.rename": (
        lambda s: s.tee.rename,
        {"label": always("beta"), **now()},
    ),
    "Conversation.bind": (lambda s: s.tee.bind, {"thread": always("t-2"), **now()}),
    "Conversation.claim": (
        lambda s: s.tee.claim,
        {"runtime": always("r-1"), "generation": always(None), **now()},
    ),
    "Conversation.reset_runtime": (lambda s: s.tee.reset_runtime, now()),
    "Claim.bootstrap": (lambda s: s.tee.claim("r-1").bootstrap, {}),
    "Claim.ready": (
        lambda s: s.tee.claim("r-1").ready,
        {"context_revision": always(0), "nonce": always("nonce_1"), **now()},
    ),
    "Agent.conversation": (
        lambda s: s.threaded.conversation,
        {
            "thread": always("t-1"),
            "label": always("acme"),
            "acts_for": always("ana"),
            **now(),
        },
    ),
    "Turn.reply": (
        lambda s: s.turn.reply,
        {
            "content": always("well"),
            "to": always(["agent:eve"]),
            "reply_to": lambda s: s.posted.message.id,
            "request_id": always("r-2"),
            **now(),
        },
    ),
    "Turn.renew": (
        lambda s: s.turn.renew,
        {"hold_for": always(timedelta(minutes=1)), **now()},
    ),
    "Turn.fetch_notices": (lambda s: s.turn.fetch_notices, now()),
    "Turn.end": (lambda s: s.turn.end, {"failed": always(True), **now()}),
    "Wake.render": (lambda s: s.wake.render, {"also": always(())}),
}
"""Each public call, with good arguments, of which one at a time is made bad."""

PLAIN = {
    "Lobby": {
        *("close", "export", "import_from", "in_memory", "open"),
        *("batch", "new_holder", "next_deadline", "verify"),
    },
    # For the lobby's own parts.
    "Room": {"export_git", "fact", "handle", "message", "message_of", "seated"},
    "Agent": {"conversations"},
    "Turn": {"open"},
    "Wake": {"frame"},
}
"""Those that take no argument, or are tested elsewhere."""


KINDS = (
    *(Lobby, Room, Schedules, Conversation, Agent, Person, Claim, Turn, Wake, Inbox),
    Contents,
)


def test_every_public_call_and_every_argument_is_tried() -> None:
    for kind in KINDS:
        for name, function in inspect.getmembers(kind, callable):
            if name.startswith("_") or name in PLAIN.get(kind.__name__, ()):
                continue
            tried = CALLS[f"{kind.__name__}.{name}"][1]
            signature = inspect.signature(function)
            asked = {
                one.name
                for one in signature.parameters.values()
                if one.kind in {one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY}
            }
            assert asked - {"self"} <= set(tried), f"{kind.__name__}.{name}"


@pytest.fixture
def scenes(tmp_path: Path) -> Iterator[list[Scene]]:
    storages = MemoryStorage(), SQLiteStorage(tmp_path / "a.db", durability="relaxed")
    with closing(storages[0]), closing(storages[1]):
        yield [Scene(storage) for storage in storages]


def outcome(scene: Scene, call: Callable[[], Any]) -> Any:
    """What a call gave or how it was refused, in a form that compares."""
    before = scene.everything()
    refusal: RoomsError | None = None
    began = perf_counter()
    try:
        answer = call()
    except RoomsError as error:
        refusal = error
    assert perf_counter() - began < LONGEST
    if refusal is None:
        return "answered", "a turn" if isinstance(answer, Turn) else str(answer)[:500]
    assert refusal.code in CODES, f"{refusal.code} is explained nowhere"
    assert len(str(refusal)) < 2_000, "a refusal repeats what it was handed"
    assert scene.everything() == before, "a refusal changed something"
    details = {name: str(value)[:200] for name, value in refusal.details.items()}
    return "refused", type(refusal).__name__, refusal.code, details


@pytest.mark.no_cover
@pytest.mark.parametrize("name", CALLS)
def test_a_bad_argument_is_refused_or_answered_alike(
    name: str, scenes: list[Scene]
) -> None:
    function, arguments = CALLS[name]
    problems: dict[str, Any] = {}
    for argument in arguments:
        for words, value in HOSTILE.items():
            given = []
            for scene in scenes:
                handed = {one: make(scene) for one, make in arguments.items()}
                handed[argument] = value
                try:
                    given.append(outcome(scene, partial(function(scene), **handed)))
                except Exception as error:  # noqa: BLE001 - to be told with its argument
                    given.append(f"{type(error).__name__}: {str(error)[:100]}")
            if given[0] != given[1] or isinstance(given[0], str):
                problems[f"{argument}={words}"] = given
    assert problems == {}
    for scene in scenes:
        check_sound(scene)


def check_sound(scene: Scene) -> None:
    """Another handle can fold all that is stored, and nothing is damaged."""
    again = scene.opened()
    for room in again.rooms:
        room.read(by=scene.ana)
        assert room.conversations is not None
    for agent in again.agents:
        assert all(str(one) for one in agent.conversations())
    assert not any(one.damages for one in again.verify().values())
    again.take_wakes()
    again.next_deadline()


@pytest.mark.parametrize("name", [name for name in CALLS if "now" in CALLS[name][1]])
def test_the_last_instant_there_is_breaks_nothing(
    name: str, scenes: list[Scene]
) -> None:
    function, arguments = CALLS[name]
    given = []
    for scene in scenes:
        handed = {one: make(scene) for one, make in arguments.items()}
        handed["now"] = LAST_INSTANT
        given.append(outcome(scene, partial(function(scene), **handed)))
        if name in {"Room.delete", "Room.archive"}:
            continue
        scene.room.post("later", by=scene.ana)
        for wake in scene.lobby.take_wakes():
            assert wake.until
        scene.lobby.deliver()
        check_sound(scene)
    assert given[0] == given[1]


@pytest.mark.parametrize(
    "policy",
    [
        RoomPolicy(wake_window=RateWindow(1, timedelta.max), send_window=None),
        RoomPolicy(wake_window=None, send_window=RateWindow(1, timedelta.max)),
        RoomPolicy(wake_window=RateWindow(1, timedelta(days=400_000))),
    ],
)
def test_the_longest_times_there_are_break_nothing(
    policy: RoomPolicy, scenes: list[Scene]
) -> None:
    for scene in scenes:
        room = scene.lobby.create_room("slow", by=scene.ana, policy=policy)
        room.join(by=scene.eve, mode="digest", interval=timedelta(days=1))
        room.join(by=scene.bo, mode="every_message")
        room.join(by=scene.tee)
        for number in range(3):
            call = partial(room.post, str(number), by=scene.tee)
            outcome(scene, call)
        assert scene.lobby.take_wakes()
        assert scene.lobby.next_deadline() is None or scene.lobby.next_deadline()
        check_sound(scene)


def test_a_closed_lobby_answers_nothing(scenes: list[Scene]) -> None:
    for scene in scenes:
        scene.lobby.close()
        scene.lobby.close()
        for name, (function, arguments) in CALLS.items():
            handed = {one: make(scene) for one, make in arguments.items()}
            if name in {"Wake.render", "Lobby.register"}:
                continue
            with pytest.raises(StorageError) as caught:
                function(scene)(**handed)
            assert caught.value.code == "closed", name
        for ask in (
            lambda s: s.lobby.verify(),
            lambda s: s.lobby.next_deadline(),
            lambda s: s.lobby.agents,
            lambda s: s.lobby.rooms,
            lambda s: list(s.lobby.export()),
            lambda s: s.room.name,
            lambda s: s.room.policy,
            lambda s: s.room.members,
            lambda s: s.room.position,
            lambda s: s.tee.label,
            lambda s: s.tee.threaded,
            lambda s: str(s.tee),
            lambda s: s.tee.rooms,
            lambda s: s.agent.owner,
            lambda s: s.agent.conversations(),
        ):
            with pytest.raises(StorageError) as caught:
                ask(scene)
            assert caught.value.code == "closed"


def test_an_unknown_room_is_not_found_whatever_is_asked(scenes: list[Scene]) -> None:
    for scene in scenes:
        known = scene.room
        for unknown in ("room_nobody", "", "room_\ud800", "x" * HUGE):
            scene.room = Room(unknown, scene.lobby._desk)
            for name, (function, arguments) in CALLS.items():
                if not name.startswith("Room."):
                    continue
                handed = {one: make(scene) for one, make in arguments.items()}
                refused = outcome(scene, partial(function(scene), **handed))
                codes = {"room_not_found", "unknown_message", "invalid_request"}
                assert refused[2] in codes, name
        scene.room = known


def test_handles_of_another_lobby_change_nothing(scenes: list[Scene]) -> None:
    for ours in scenes:
        theirs = Scene(MemoryStorage(), prefix="x")
        theirs.lobby.person("mallory")
        theirs.lobby.add_agent("mallory-bot")
        strangers = [
            theirs.eve,
            theirs.tee,
            theirs.bo,
            theirs.lobby.conversation("mallory-bot"),
            theirs.lobby.person("mallory"),
            theirs.eve.claim(),
            theirs.turn,
        ]
        for stranger in strangers:
            for name, (function, arguments) in CALLS.items():
                for argument in {"by", "woken", "word_of", "conversations"} & {
                    *arguments
                }:
                    handed = {one: make(ours) for one, make in arguments.items()}
                    listed = argument == "conversations"
                    handed[argument] = [stranger] if listed else stranger
                    if argument == "word_of":
                        handed["woken"] = ours.eve
                    refused = outcome(ours, partial(function(ours), **handed))
                    assert refused[0] == "refused", (name, stranger, refused)
        refused = outcome(ours, lambda: ours.lobby.turn(theirs.wake).__enter__())  # noqa: B023
        assert refused[0] == "refused"


def test_a_take_has_one_turn_and_ends_once(scenes: list[Scene]) -> None:
    for scene in scenes:
        first, second = scene.lobby.turn(scene.wake), scene.lobby.turn(scene.wake)
        first.__enter__()
        with pytest.raises(Conflict) as caught:
            second.__enter__()
        assert caught.value.code == "turn_running"
        with pytest.raises(Conflict) as caught:
            first.__enter__()
        assert caught.value.code == "turn_running"
        first.end(failed=True)
        before = scene.everything()
        first.end(failed=True)
        first.end()
        assert scene.everything() == before
        with pytest.raises(Conflict) as caught:
            scene.lobby.turn(scene.wake).__enter__()
        assert caught.value.code == "stale_wake"
        with pytest.raises(Conflict) as caught:
            scene.room.post("late", by=first)
        assert caught.value.code == "stale_wake"


def test_a_room_may_be_deleted_under_a_turn(scenes: list[Scene]) -> None:
    for scene in scenes:
        scene.room.delete(by=scene.ana)
        for call in (
            lambda s: s.turn.reply("late"),
            lambda s: s.room.post("late", by=s.turn),
            lambda s: s.room.read(by=s.turn),
            lambda s: s.turn.renew(),
        ):
            refused = outcome(scene, partial(call, scene))
            assert refused[2] == "room_not_found"
        assert scene.turn.fetch_notices() == ()
        scene.turn.end()
        assert scene.lobby.take_wakes() == []
        assert scene.lobby.deliver().delivered == ()
        assert scene.lobby.next_deadline() is None
        room = scene.lobby.create_room("work", by=scene.ana)
        again = room.post("hello", by=scene.ana, request_id="r-1")
        assert not again.duplicate
        check_sound(scene)


FORKED = """
import os, sys, threading, time
from rooms import Lobby, RoomsError

lobby = Lobby.open(sys.argv[1])
ana = lobby.person("ana")
room = lobby.create_room("work", by=ana)
held = threading.Event()
def hold():
    with lobby._desk.lock:
        held.set()
        time.sleep(60)
threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    codes = []
    for call in (
        lambda: room.post("x", by=ana), lambda: room.policy, lambda: room.name,
        lambda: lobby.take_wakes(), lambda: lobby.verify(), lambda: lobby.rooms,
        lambda: lobby.person("zoe"), lambda: room.position, lambda: lobby.deliver(),
    ):
        try:
            call()
        except RoomsError as error:
            codes.append(error.code)
    lobby.close()
    os._exit(0 if codes == ["closed"] * 9 else 1)
_, status = os.waitpid(child, 0)
print(os.waitstatus_to_exitcode(status))
sys.stdout.flush()
os._exit(0)
"""


def test_a_handle_in_memory_is_refused_after_a_fork_too() -> None:
    command = [sys.executable, "-c", FORKED, "memory:"]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=30, check=True
    )
    assert run.stdout == "0\n"


def test_a_handle_is_refused_after_a_fork_and_blocks_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FORKED, str(tmp_path / "team.db")]
    run = subprocess.run(
        command, capture_output=True, text=True, timeout=30, check=True
    )
    assert run.stdout == "0\n"
    with Lobby.open(tmp_path / "team.db") as lobby:
        assert lobby.room("work").position == 0


@pytest.mark.parametrize("value", [None, 5, "clock", [], b"x"])
@pytest.mark.parametrize("argument", ["clock", "ids", "salt"])
def test_a_clock_that_cannot_be_asked_is_refused(argument: str, value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Lobby.in_memory(**{argument: value})
    assert caught.value.field == argument


@pytest.mark.parametrize("value", [None, 5, "noon", datetime(2026, 1, 1)])  # noqa: DTZ001
def test_a_clock_that_tells_no_time_is_refused(value: Any) -> None:
    with Lobby.in_memory(clock=lambda: value) as lobby:
        with pytest.raises(InvalidInput):
            lobby.person("ana")
        assert lobby.verify() == {}


@pytest.mark.parametrize(
    "value", [None, 5, "s" * 16, b"", b"s" * 15, b"s" * 17, b"s" * HUGE, bytearray(16)]
)
def test_salts_that_are_none_are_refused_and_nothing_is_recorded(value: Any) -> None:
    salts: list[Any] = [b"s" * 16]
    with Lobby.in_memory(salt=lambda: salts[-1]) as lobby:
        room = lobby.create_room("work", by=lobby.person("ana"))
        salts.append(value)
        with pytest.raises(InvalidInput) as caught:
            room.post("Its words.", by=lobby.person("ana"))
        assert caught.value.field == "salt"
        assert room.position == 0
        salts.append(b"t" * 16)
        assert room.post("Its words.", by=lobby.person("ana")).message.seq == 1
        assert not any(one.damages for one in lobby.verify().values())


@pytest.mark.parametrize("value", [None, 5, "", "a\ud800", "a b", "x" * HUGE])
def test_ids_that_are_none_are_refused(value: Any) -> None:
    with pytest.raises(InvalidInput) as caught:
        Lobby.in_memory(ids=lambda _: value)
    assert caught.value.field == "ids"
