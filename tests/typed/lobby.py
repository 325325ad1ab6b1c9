"""
The types that users of a lobby see, read by the type checker alone and never run.

Each function is a use of the public names as a user writes it; `assert_type` fails in
mypy where an answer's type is not the documented one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal, assert_type

from rooms import (
    Address,
    Agent,
    ConfirmAllThreads,
    Conflict,
    Conversation,
    Lobby,
    MemoryStorage,
    Message,
    Mode,
    OverLimit,
    Page,
    Person,
    Posted,
    RateWindow,
    Report,
    Room,
    RoomPolicy,
    SelfAddressed,
    SQLiteStorage,
    Storage,
    Turn,
    Wake,
    hookimpl,
    parse_address,
    presets,
)
from rooms.lobby import (
    AgentInRoom,
    Attachment,
    Audited,
    Figures,
    File,
    Header,
    Inbox,
    InboxPage,
    ListedRoom,
    Mail,
    Participants,
    Places,
    PlannedRestart,
    Revision,
    RoomList,
    Swept,
    Windows,
)
from rooms.rendering import Notice

AGENTS: dict[str, Callable[[str], str]] = {"coder": str.upper}


def a_framework_author(task: str) -> None:
    lobby = Lobby.open("team.db")
    assert_type(lobby, Lobby)
    me = lobby.person("me")
    assert_type(me, Person)
    for name in AGENTS:
        assert_type(lobby.add_agent(name), Agent)
    room = lobby.create_room("work", by=me, request_id="work")
    assert_type(room, Room)
    for name in AGENTS:
        room.join(by=lobby.conversation(name))
    room.post(task, by=me, to=["agent:coder"])
    while wakes := lobby.take_wakes(agents=AGENTS):
        for wake in wakes:
            with lobby.turn(wake) as turn:
                turn.reply(AGENTS[wake.conversation.agent](wake.render()))


def who_is_here(lobby: Lobby) -> None:
    eve = lobby.conversation("Eve", thread="t-1", label="acme-renewal")
    assert_type(eve, Conversation)
    assert_type(lobby.agent("Eve").conversation(label="x"), Conversation)
    assert_type(lobby.agent("Eve").conversations(), tuple[Conversation, ...])
    assert_type(lobby.agents, tuple[Agent, ...])
    assert_type(lobby.rooms, tuple[Room, ...])
    assert_type(eve.rename("acme"), str)
    assert_type(eve.bind("t-2"), Conversation)
    assert_type(eve.rooms, tuple[Room, ...])
    assert_type(eve.labels, tuple[str, ...])
    assert_type(eve.thread, str | None)
    assert_type(eve.address, Address)
    assert_type(str(eve), str)
    lobby.take_wakes(conversations=[eve, eve.claim()])


def a_poster(room: Room, eve: Conversation, ben: Conversation, ana: Person) -> None:
    posted = room.post(
        "Leave it alone.",
        by=eve,
        to=[ben, "agent:ben-web", parse_address("all"), ana],
        reply_to=None,
        request_id="r-1",
        confirm_all_threads=False,
        now=datetime.now(UTC),
    )
    assert_type(posted, Posted)
    assert_type(posted.duplicate, bool)
    assert_type(posted.message, Message)
    assert_type(posted.woken, tuple[Conversation, ...])
    assert_type(posted.held, tuple[Conversation, ...])
    assert_type(posted.later, tuple[Conversation, ...])
    assert_type(posted.started, tuple[Conversation, ...])
    assert_type(posted.unresolved, tuple[str, ...])
    assert_type(posted.notices, tuple[Notice, ...])
    message = posted.message
    assert_type(message.id, str)
    assert_type(message.seq, int)
    assert_type(message.at, datetime)
    assert_type(message.sender, Conversation | Person)
    assert_type(message.to, tuple[str, ...])
    assert_type(message.content, str)
    assert_type(message.reply_to, str | None)


def a_reader(room: Room, ben: Conversation) -> int | None:
    page = room.read(by=ben, after=0, limit=30)
    assert_type(page, Page)
    assert_type(page.items, tuple[Message, ...])
    assert_type(page.position, int)
    assert_type([one.seq for one in page], list[int])
    assert_type(room.search("any text", by=ben, limit=20), tuple[Message, ...])
    assert_type(str(room.explain(page.items[0].id)), str)
    return page.next_cursor


def a_worker(lobby: Lobby, ana: Person) -> None:
    wakes = lobby.take_wakes(limit=5, hold_for=timedelta(minutes=1), now=None)
    assert_type(wakes, list[Wake])
    wake = wakes[0]
    assert_type(wake.conversation, Conversation)
    assert_type(wake.room, Room)
    assert_type(wake.messages, tuple[Message, ...])
    assert_type(wake.waited, int)
    assert_type(wake.reasons, tuple[str, ...])
    assert_type(wake.why, Mapping[int, str])
    assert_type(wake.until, datetime)
    assert_type(wake.render(), str)
    with lobby.turn(wake) as turn:
        assert_type(turn, Turn)
        assert_type(turn.notices, tuple[Wake, ...])
        assert_type(turn.reply("Fine.", to=["room"], request_id="r-2"), Posted)
    with lobby.turn(wake.conversation, word_of=ana) as own:
        wake.room.post("On Ana's word.", by=own)


def a_host(lobby: Lobby) -> None:
    class Transport:
        @hookimpl
        def rooms_carry(self, wake: Wake) -> Literal["delivered", "settled"] | None:
            return "settled" if wake.messages else None

    assert_type(lobby.register(Transport()), str)
    report = lobby.deliver()
    assert_type(report, Report)
    assert_type(report.settled, tuple[Wake, ...])
    assert_type(lobby.next_deadline(), datetime | None)


def a_policy(room: Room, ben: Conversation, ana: Person) -> None:
    policy = presets.hall(wake_window=RateWindow(3), max_hops=6)
    assert_type(policy, RoomPolicy)
    assert_type(policy.wake_window, RateWindow | None)
    assert_type(policy.people, Literal["post", "watch"])
    assert_type(room.change_policy(policy, by=ana), Room)
    assert_type(room.policy, RoomPolicy)
    assert_type(room.members, tuple[Agent, ...])
    assert_type(room.conversations, tuple[Conversation, ...])
    room.join(by=ben, mode="when_tagged").subscribe(
        by=ben, mode=Mode.DIGEST, interval=timedelta(minutes=30), tagged_only=True
    ).rest(by=ben).resume(by=ben).leave(by=ben)


def files(room: Room, eve: Conversation) -> None:
    made = room.files.write("plan.md", "One.", by=eve)
    assert_type(made, Revision)
    assert_type(room.files.remove("plan.md", by=eve, base=made.id), Revision)
    assert_type(made.author, Conversation | Person)
    assert_type(made.change, Literal["created", "changed", "removed"])
    with Path("deck.pdf").open("rb") as deck:
        sent = room.post(
            "Look.", by=eve, attachments={"deck.pdf": deck, "a": b"", "b": [b"1"]}
        )
    assert_type(sent.message.attachments, tuple[Attachment, ...])
    read = room.files.read("plan.md", by=eve, revision=made.id)
    assert_type(read, File)
    assert_type(read.store, Literal["document", "attachment"])
    assert_type(read.content, str | None)
    assert_type(read.next_offset, int | None)
    assert_type(room.files.documents(by=eve), tuple[Revision, ...])
    assert_type([one.id for one in room.files.history(by=eve)], list[str])
    assert_type([one.path for one in room.files.attachments(by=eve)], list[str])
    assert_type(room.files.download("deck.pdf", by=eve), Iterator[bytes])
    assert_type(room.export_git(Path("out.git")), str | None)


def a_dashboard(lobby: Lobby, room: Room, ben: Conversation, ana: Person) -> None:
    figures = lobby.figures(by=ana, since=datetime.now(UTC))
    assert_type(figures, Figures)
    assert_type(figures.need_look, int)
    rooms = lobby.list_rooms(by=ana, participant=ben, need_look=True)
    assert_type(rooms, RoomList)
    assert_type([one.name for one in rooms], list[str])
    assert_type(rooms.next_cursor, str | None)
    found = room.participants(by=ana, previous_after=timedelta(days=7))
    assert_type(found, Participants)
    assert_type(found.agents, tuple[AgentInRoom, ...])
    assert_type(found.agents[0].seats[0].waiting_since, datetime | None)
    newest = room.latest(by=ana)
    assert_type(newest.previous_cursor, int | None)
    assert_type(room.latest(by=ana, before=newest.previous_cursor), Page)
    assert_type(room.exchange(ben, by=ana, after=3), Page)
    left = room.windows(by=ben)
    assert_type(left, Windows)
    assert_type(left.sends, Places | None)
    assert_type(lobby.sweep(idle_for=timedelta(days=30)), Swept)
    assert_type(list(lobby.audit(by=ana)), list[Audited])


def hives_and_restarts(lobby: Lobby, ben: Conversation, ana: Person) -> None:
    eve = lobby.agent("Eve").switch_hive(True)
    assert_type(eve, Agent)
    assert_type(eve.hive, Room | None)
    assert_type(ben.set_public(None), Conversation)
    assert_type(ben.public, bool | None)
    assert_type(ben.hive_reminder(worked_at=datetime.now(UTC)), Notice | None)
    assert_type(ben.check_in(), tuple[Notice, ...])
    assert_type(lobby.hives(by=ana), tuple[ListedRoom, ...])
    lobby.announce_restart(datetime.now(UTC), "Why.", notify_rooms=True)
    assert_type(lobby.planned_restart(), PlannedRestart | None)


def storages() -> tuple[Storage, Storage]:
    lobby = Lobby(
        MemoryStorage(),
        clock=lambda: datetime.now(UTC),
        ids=lambda prefix: f"{prefix}_1",
    )
    with lobby as same:
        assert_type(same, Lobby)
    return MemoryStorage(), SQLiteStorage("team.db")


def errors(
    limit: OverLimit, alone: SelfAddressed, many: ConfirmAllThreads, stale: Conflict
) -> tuple[Any, Any]:
    assert_type(limit.retry_at, datetime | None)
    assert_type(alone.last_partner, str | None)
    assert_type(limit.code, str)
    return many.preview, stale.current


def a_reader_of_an_inbox(lobby: Lobby, ada: Conversation) -> None:
    inbox = lobby.inbox(ada)
    assert_type(inbox, Inbox)
    page = inbox.history(query="noon", unanswered=True, ids=[ada.id])
    assert_type(page, InboxPage)
    assert_type(page[0], Mail)
    assert_type(page.headers, tuple[Header, ...])
    assert_type(page.next_cursor, int | None)
    assert_type(inbox.pending(after=page.next_cursor or 0), InboxPage)
    assert_type(inbox.reconciliation()[0].message, Message)
    assert_type(lobby.history(by=lobby.person("ana")), InboxPage)
