"""
One machine drives two lobbies side by side, one in memory and one on SQLite.

After every step both answered the same or refused the same, and for every stream the
live state, the state replayed from zero, the snapshot with what followed, and the other
backend's are one. At length the runs are drawn at random, and anew each time.
"""

from __future__ import annotations

import logging
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from hypothesis.strategies import SearchStrategy

from effort import LONG, sized
from lobby.sides import Side
from rooms import Message, Posted
from rooms.hooks import hookimpl
from rooms.storage import MemoryStorage, SQLiteStorage, Storage
from rooms.testing import Command
from rooms.testing.commands import commands
from rooms.testing.strategies import clock_plans

EXAMPLES = sized(40, 260, 2_000)  # runs
STEPS = 50
LEAST = 10_000  # steps in CI; not every run goes to its end

HOOKS = (
    "may",
    "check_draft",
    "start_conversation",
    "state",
    "carry",
    "committed",
    "push",
)


SAYING = ("post", "post", "post", "post", "send", "read", "acknowledge", "search")
SITTING = (
    *("join", "join", "leave", "subscribe", "rest", "resume"),
    *("invite", "uninvite", "decline", "add", "change_members", "set_members"),
)
RULING = (
    *("pause", "unpause", "unpause", "change_policy", "create_room", "delete"),
    *("archive", "restore", "restore"),
    *("add_agent", "change_agent", "start", "rename", "erase", "remove"),
    *("rest_agents", "resume_agents"),
)
FILING = (
    *("write_document", "write_document", "write_document", "remove_document"),
    *("read_file", "documents", "history", "download", "attachments"),
    *("upload", "upload", "contents"),
)
REMEMBERING = (
    *("appoint", "remember", "remember", "curate", "curate", "curate"),
    *("recall", "forget"),
)
COMING = ("repeat", "cancel", "reschedule", "list_schedules")
LOOKING = (
    *("latest", "exchange", "participants", "windows", "figures", "list_rooms"),
    *("sweep", "switch_hive", "set_public", "set_public", "announce_restart"),
    *("check_in", "report_work", "report_work", "strip"),
    *("set_status", "set_owner_requests", "list_agents"),
)
SEEING = (
    *("acknowledge_many", "acknowledge_many", "save_checkpoint", "inbox"),
    "read_inbox",
)
WAKING = (
    *(
        "take",
        "claim",
        "ready",
        "reset_runtime",
        "open_turn",
        "open_turn",
        "open_own_turn",
    ),
    *("fetch_notices", "reply", "renew", "end_turn", "end_turn"),
    *("drive", "drive", "deliver", "deadline"),
    *("confirm", "retry"),
)

REFUSED = {
    *("agent_exists", "agent_required", "bad_address", "body_empty"),
    *("agent_disabled", "recipient_disabled", "recipient_forbidden"),
    *("broadcast_forbidden", "not_room_member", "room_management_forbidden"),
    "supersedes_not_found",
    *("confirm_all_threads", "draft_refused", "hook_failed", "invalid_request"),
    *("not_a_member", "not_owner", "read_only_access", "room_exists"),
    *("room_not_found", "self_addressed", "send_rate", "stale_wake"),
    *("unknown_address", "unknown_message"),
    *("memory_entry_not_found", "not_curator"),
    *("bad_path", "file_not_found", "not_text", "stale_revision", "too_large"),
}
"""What comes up in a run that is worth anything."""

SEEN: Counter[tuple[str, str]] = Counter()
"""How often each verb came to each refusal, or was done."""

STEPS_DONE: list[int] = []
"""A number for each step that was done, and for the beginning of each run."""


def one_of(*verbs: str) -> SearchStrategy[Command]:
    return st.one_of(*map(commands, verbs))


class Troubled:
    """A plugin that raises in the hooks that it is told, else says what it is told."""

    def __init__(self) -> None:
        self.raises: frozenset[str] = frozenset()
        self.says: dict[str, Any] = {}

    def answer(self, hook: str) -> Any:
        if hook in self.raises:
            raise RuntimeError(hook)
        return self.says.get(hook)

    @hookimpl
    def rooms_may(self) -> Any:
        return self.answer("may")

    @hookimpl
    def rooms_check_draft(self) -> Any:
        return self.answer("check_draft")

    @hookimpl
    def rooms_start_conversation(self, start: Any) -> Any:
        bound = self.answer("start_conversation")
        return f"{bound}-{start.conversation.id}" if bound else None

    @hookimpl
    def rooms_state(self) -> Any:
        return self.answer("state")

    @hookimpl
    def rooms_carry(self) -> Any:
        return self.answer("carry")

    @hookimpl
    def rooms_push(self) -> Any:
        return self.answer("push")

    @hookimpl
    def rooms_committed(self) -> Any:
        return self.answer("committed")


class TwoLobbies(RuleBasedStateMachine):
    """Whatever happens, memory and SQLite tell one story, and so does the log."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        sqlite = SQLiteStorage(self.folder / "0.db", durability="relaxed")
        self.requests: dict[tuple[Any, str], Message] = {}
        self.retries: list[Command] = []
        self.turn, self.takes_turns = 0, False
        storages: dict[str, Storage] = {"memory": MemoryStorage(), "sqlite": sqlite}
        self.sides = [
            Side(name, self.folder, storage) for name, storage in storages.items()
        ]

    def teardown(self) -> None:
        for side in self.sides:
            side.check_inboxes()
            side.stage.lobby.close()
        shutil.rmtree(self.folder)

    # -- the laws

    def both(self, command: Command) -> None:
        """Plays a command on both, and holds them to the laws."""
        self.turn += 1
        if self.takes_turns:  # no handle may trust what it knew
            for side in self.sides:
                side.hand_over(self.turn * 7 // 3 % 2)
        outcomes = [side.stage.perform(command) for side in self.sides]

        assert outcomes[0] == outcomes[1], str(command)
        if command.options.get("by") == "claim#0" and outcomes[0].refusal is None:
            self.check_claim()
        if command.verb == "post" and outcomes[0].refusal is None:
            self.check_request(command, outcomes[0].answer[0])
        if command.verb == "delete" and outcomes[0].refusal is None:
            self.forget_requests()
        refusal = outcomes[0].refusal
        SEEN[command.verb, refusal[1] if refusal else ""] += 1
        self.compare()

    def check_claim(self) -> None:
        """Whoever acts under a claim has the newest (ledger 11)."""
        claims = self.sides[0].stage.claims
        if claims:
            same = [one for one in claims if one.conversation == claims[0].conversation]
            assert claims[0].generation == max(one.generation for one in same)

    def check_request(self, command: Command, posted: Posted) -> None:
        """One request is one message, however often it is made, through any crash."""
        request = command.options.get("request_id")
        if request is None:
            assert not posted.duplicate
            return
        key = (posted.message.sender, request)
        assert posted.duplicate == (key in self.requests)
        known = self.requests.setdefault(key, posted.message)
        assert posted.message.id == known.id
        assert posted.message.erased or posted.message == known
        self.retries.append(command)

    def forget_requests(self) -> None:
        """A request ends with its record, so with its room."""
        there = {room.id for room in self.sides[0].stage.lobby.rooms}
        self.requests = {
            key: message
            for key, message in self.requests.items()
            if f"room_{message.id.partition('.')[0]}" in there
        }

    def each(self, change: Callable[[Side], Any]) -> None:
        for side in self.sides:
            change(side)
        self.compare()

    def compare(self) -> None:
        memory, sqlite = self.sides
        news = [side.news() for side in self.sides]
        assert news[0] == news[1]
        assert memory.storage.streams() == sqlite.storage.streams()
        assert memory.storage.next_due() == sqlite.storage.next_due()
        for side, records in zip(self.sides, news, strict=True):
            side.check(records)
        for name, known in memory.known.items():
            assert known.state == sqlite.known[name].state

    # -- what hosts do

    @initialize(
        policy=commands("change_policy").map(lambda one: one.options["policy"]),
        policed=st.booleans(),
        takes_turns=st.booleans(),
    )
    def set_the_stage(self, policy: Any, *, policed: bool, takes_turns: bool) -> None:
        self.takes_turns = takes_turns
        for verb, options in (
            ("add_agent", {"name": "Eve", "threaded": True, "owner": "ana"}),
            ("add_agent", {"name": "ben", "owner": "ana"}),
            ("add_agent", {"name": "cy"}),
            ("start", {"agent": "Eve", "label": "work"}),
            ("start", {"agent": "Eve", "thread": "t-1", "label": "acme"}),
            (
                "create_room",
                {"name": "r", "by": "ben", "policy": policy if policed else None},
            ),
            ("join", {"who": "Eve"}),
            ("create_room", {"name": "s", "by": "ben"}),
            ("join", {"who": "cy", "mode": "every_message"}),
            ("join", {"who": "Eve#1", "mode": "when_tagged"}),
        ):
            self.both(Command(verb, options))

    @rule(command=one_of(*SAYING))
    def say(self, command: Command) -> None:
        self.both(command)

    @rule(command=commands("post"), count=st.integers(2, 6))
    def say_many_things(self, command: Command, count: int) -> None:
        """What fills a window."""
        plain = {"room": 0, "request_id": None, "confirm": True}
        for number in range(count):
            text = {"text": f"word {number}"}
            self.both(Command("post", {**command.options, **plain, **text}))

    @precondition(lambda self: self.retries)
    @rule(place=st.integers(0, 9))
    def say_it_again(self, place: int) -> None:
        """What a host does that does not know whether it was heard."""
        self.both(self.retries[place % len(self.retries)])

    @rule(command=one_of(*SITTING))
    def sit(self, command: Command) -> None:
        self.both(command)

    @rule(
        asked=st.sampled_from(["Eve", "cy"]),
        answer=st.sampled_from(["join", "decline", "uninvite"]),
    )
    def ask_somebody_in(self, asked: str, answer: str) -> None:
        """What a member does; it is answered, or taken back."""
        options: dict[str, Any] = {"agent": asked, "by": "ben", "room": 1}
        self.both(Command("invite", {**options, "reason": "come"}))
        if answer != "uninvite":
            options = {"who": asked, "room": 1}
        self.both(Command(answer, options))

    @rule(command=commands("add"))
    def add_somebody_with_the_hosts_leave(self, command: Command) -> None:
        self.tell_the_plugin(frozenset(), {"may": True, "carry": "settled"})
        said = {"agent": "Eve", "by": "person:ana", "room": 0}
        self.both(Command("add", {**command.options, **said}))

    @rule(commands=st.lists(commands("team"), max_size=6), started=st.booleans())
    def team_up(self, commands: list[Command], *, started: bool) -> None:
        """A team of ana's, and what she and its members do with it."""
        begun = ("prepare", "start") if started else ()
        for do in begun:
            self.both(Command("team", {"do": do, "by": "person:ana"}))
        for command in commands:
            self.both(command)

    @rule(command=one_of(*RULING))
    def rule_the_room(self, command: Command) -> None:
        self.both(command)

    @rule(message=st.integers(0, 7))
    def erase_as_the_owner(self, message: int) -> None:
        options = {"who": "person:ana", "message": message, "room": 0}
        self.both(Command("erase", options))

    @rule(command=one_of(*REMEMBERING))
    def remember(self, command: Command) -> None:
        self.both(command)

    @rule(
        command=one_of("remember", "curate", "curate", "recall"), item=st.integers(0, 7)
    )
    def remember_in_earnest(self, command: Command, item: int) -> None:
        said = {"who": "person:ana", "agent": "ben", "room": 0}
        self.both(Command("appoint", said))
        options = {**command.options, "who": "ben#0", "room": 0}
        self.both(Command(command.verb, options))
        given = {"who": "ben#0", "text": f"Learned {item}.", "room": 0}
        self.both(Command("remember", given))

    @rule(item=st.integers(0, 7))
    def forget_as_the_owner(self, item: int) -> None:
        self.both(Command("forget", {"who": "person:ana", "item": item, "room": 0}))

    @rule(command=one_of(*SEEING))
    def see(self, command: Command) -> None:
        self.both(command)

    @rule(command=one_of(*LOOKING, *COMING))
    def look(self, command: Command) -> None:
        self.both(command)

    @rule(command=one_of(*FILING))
    def file(self, command: Command) -> None:
        self.both(command)

    @rule(
        command=commands("write_document"), count=st.integers(2, 4), end=st.booleans()
    )
    def edit_what_was_read(self, command: Command, count: int, *, end: bool) -> None:
        """What an editor does: each time from the revision before, to its end."""
        for number in range(count):
            left = len(self.sides[0].stage.revisions) - 1
            base = left if number else command.options["base"]
            said = {"base": base, "text": f"{number}", "request_id": None}
            self.both(Command("write_document", {**command.options, **said}))
        named = {name: command.options[name] for name in ("who", "path", "room")}
        self.both(Command("read_file", named))
        if end:
            left = len(self.sides[0].stage.revisions) - 1
            self.both(Command("remove_document", {**named, "base": left}))

    @rule(command=one_of(*WAKING))
    def wake(self, command: Command) -> None:
        self.both(command)

    @precondition(lambda self: self.sides[0].stage.claims)
    @rule(command=commands("post"))
    def overtake_a_claim(self, command: Command) -> None:
        """A second runtime claims what the first has; the first goes on talking."""
        older = self.sides[0].stage.claims[0].conversation
        talks = self.sides[0].stage.lobby.agent(older.agent).conversations()
        who = f"{older.agent}#{talks.index(older)}"
        self.both(Command("claim", {"who": who}))
        plain = {"by": "claim#0", "room": 0, "to": [], "text": "still here"}
        self.both(Command("post", {**command.options, **plain}))

    @rule(
        take=commands("take"),
        turns=st.lists(st.sampled_from(["leave", "end", "fail", "reply"]), max_size=3),
    )
    def work(self, take: Command, turns: list[str]) -> None:
        """What a worker does: take, run, end well or not, or die in mid-turn."""
        stage = self.sides[0].stage
        first = len(stage.wakes)
        self.both(take)
        for place, how in zip(range(first, len(stage.wakes)), turns, strict=False):
            opened = len(stage.turns)
            self.both(Command("open_turn", {"wake": place}))
            if len(stage.turns) == opened or how == "leave":
                continue
            if how == "reply":
                self.both(Command("reply", {"turn": opened, "text": "done"}))
            self.both(Command("end_turn", {"turn": opened, "failed": how == "fail"}))

    # -- what happens to them

    @rule(moves=clock_plans(max_size=1))
    def move_the_clock(self, moves: list[timedelta]) -> None:
        by = sum(moves, timedelta(0))
        self.each(lambda side: side.clock.set(side.clock.now + by))

    @rule()
    def wait_for_the_deadline(self) -> None:
        due = self.sides[0].stage.lobby.next_deadline()
        if due is not None:
            self.each(lambda side: side.clock.set(max(due, side.clock.now)))
            self.both(Command("deliver"))

    @rule(
        raises=st.frozensets(st.sampled_from(HOOKS)),
        carry=st.sampled_from([None, "delivered", "settled", "nonsense"]),
        push=st.sampled_from([None, "received", "attempted", "nonsense"]),
        state=st.sampled_from([None, "idle", "in_turn", "away", 7]),
        draft=st.sampled_from([None, None, None, "not in this house"]),
        may=st.sampled_from([True, None, False]),
        start=st.sampled_from([None, "t"]),
    )
    def trouble_the_plugin(self, raises: frozenset[str], **says: Any) -> None:
        says["check_draft"] = says.pop("draft")
        says["start_conversation"] = says.pop("start")
        self.tell_the_plugin(raises, says)

    @rule()
    def calm_the_plugin(self) -> None:
        self.tell_the_plugin(frozenset(), {"carry": "settled"})

    def tell_the_plugin(self, raises: frozenset[str], says: dict[str, Any]) -> None:
        for side in self.sides:
            if side.plugin is None:
                side.take_in(Troubled())
            side.plugin.raises, side.plugin.says = raises, says

    @rule(torn=st.booleans(), on=st.sampled_from([(0,), (1,), (0, 1)]))
    def save_snapshots(self, *, torn: bool, on: tuple[int, ...]) -> None:
        for place in on:
            self.sides[place].save_snapshots(torn=torn)
        self.compare()

    @rule()
    def crash_and_reopen(self) -> None:
        self.each(Side.crash)

    @invariant()
    def count_the_step(self) -> None:
        STEPS_DONE.append(self.turn)

    @rule(place=st.integers(0, 1))
    def use_another_handle(self, place: int) -> None:
        self.each(lambda side: side.hand_over(place))


def test_memory_and_sqlite_tell_one_story_and_so_does_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL, "rooms")  # the plugin's failures are the point
    run_state_machine_as_test(
        TwoLobbies,
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            deadline=None,
            derandomize=not LONG,
            print_blob=True,
            phases=set(Phase) - {Phase.explain},  # a run is long enough to shrink
            suppress_health_check=list(HealthCheck),
        ),
    )
    if sized(0, 1) == 0:
        return  # too few runs to have seen everything
    assert len(STEPS_DONE) >= LEAST + EXAMPLES  # one more a run, at its beginning
    verbs = {
        *(*SAYING, *SITTING, *RULING, *FILING, *LOOKING, *WAKING),
        *SEEING,
    }
    never = {verb for verb in verbs if not SEEN[verb, ""]}
    # Nearly all: which draws there are is up to the version of hypothesis, and some
    # verbs need a room, an agent and a message of a kind that few draws make together.
    assert len(never) <= (0 if LONG else len(verbs) // 8), f"never done: {never}"
    refused = {code for _, code in SEEN if code}
    assert len(REFUSED - refused) <= (4 if LONG else 9), (
        f"never refused with {REFUSED - refused}"
    )
