"""What a runtime reads before it goes on."""

from __future__ import annotations

import pytest

from lobby.broker import added, code_of
from lobby.place import NOON, Clock
from rooms import Conversation, Lobby, Recurrence, presets
from rooms.lobby import Checkpoint, Inbox, ToCome
from rooms.lobby.memory import AddEntry

WIDE = presets.broker(send_window=None)


@pytest.fixture
def box(lobby: Lobby) -> Inbox:
    added(lobby, "a")
    added(lobby, "b", role="Review what a writes.")
    return lobby.inbox("b")


def sent(lobby: Lobby, count: int, **more: str) -> list[str]:
    a: Conversation = lobby.agent("a").conversation()
    posts = [
        lobby.send(f"{n}", by=a, to="b", policy=WIDE, kind=more.get("kind"))
        for n in range(count)
    ]
    return [posted.message.id for posted in posts]


def _goes_through(total: int, revision: int, never: str) -> str:
    return (
        f"You acknowledged {total} messages that your checkpoint does not cover.{never}"
        " Go through them; then, once you have said that you are ready, save a"
        f" checkpoint from revision {revision} with covered_receipt_seq 30."
    )


@pytest.mark.rule("L-CTX-01", "L-CTX-02")
def test_a_new_one_has_its_role_and_nothing_to_do(lobby: Lobby, box: Inbox) -> None:
    found = box.context()
    assert (found.conversation, found.runtime) == (box.conversation, None)
    assert found.role == "Review what a writes."
    assert found.checkpoint == Checkpoint(0)
    assert (found.pending.items, found.reconciliation.total) == ((), 0)
    assert (found.guidance, found.memories) == ((), ())
    assert found.scheduled == ToCome(0, 0)


@pytest.mark.rule("L-CTX-02")
def test_the_runtime_is_whose_the_conversation_is_now(lobby: Lobby, box: Inbox) -> None:
    claim = box.conversation.claim("runtime-1")
    own = lobby.inbox(claim)
    own.save_checkpoint("x", base=0, covered_receipt_seq=0)
    box.conversation.claim("runtime-1")  # the same, started again
    assert box.context().runtime == "runtime-1"
    box.conversation.reset_runtime()
    assert box.context().runtime is None
    box.conversation.claim("runtime-2")
    found = box.context()
    assert (found.runtime, found.checkpoint.runtime) == ("runtime-2", "runtime-1")


@pytest.mark.rule("L-CTX-03", "L-CTX-06")
def test_at_most_25_that_wait_and_where_they_go_on(lobby: Lobby, box: Inbox) -> None:
    every = sent(lobby, 26)
    found = box.context()
    assert [mail.message.id for mail in found.pending] == every[:25]
    cursor = found.pending.next_cursor
    assert cursor is not None
    assert [mail.message.id for mail in box.pending(after=cursor)] == every[25:]
    assert found.guidance == (
        f"More waits for you: read what is pending after {cursor}.",
    )
    box.acknowledge(every[:1])
    found = box.context()
    assert (len(found.pending), found.pending.next_cursor) == (25, None)


@pytest.mark.rule("L-CTX-04", "L-CTX-06", "L-CTX-08")
def test_what_no_checkpoint_covers_comes_five_whole_and_twenty_in_short(
    lobby: Lobby, box: Inbox, clock: Clock
) -> None:
    every = sent(lobby, 30, kind="assignment")
    clock.advance(9)
    box.acknowledge(every[::-1])
    seen = box.context().reconciliation

    assert [mail.message.id for mail in seen.page] == every[:24:-1]
    assert [mail.message.content for mail in seen.page][:2] == ["29", "28"]
    assert (seen.page.next_cursor, seen.total) == (5, 30)
    assert [one.id for one in seen.headers] == every[24:4:-1]
    assert [one.receipt_seq for one in seen.headers] == list(range(6, 26))
    first = seen.headers[0]
    assert (first.sender, first.to) == (lobby.agent("a").conversation(), ("agent:b",))
    assert (first.kind, first.urgency) == ("assignment", "normal")
    assert (first.at, first.seen_at) == (NOON, clock.at(9))
    assert not hasattr(first, "content")
    assert box.context().guidance == (
        _goes_through(30, 0, " No checkpoint was ever saved."),
        "More of what you acknowledged follows: read the reconciliation after 5.",
    )

    box.save_checkpoint("Some.", base=0, covered_receipt_seq=28)
    seen = box.context().reconciliation
    assert (len(seen.page), seen.page.next_cursor, seen.headers) == (2, None, ())
    assert seen.total == 2
    assert box.context().guidance == (_goes_through(2, 1, ""),)
    box.save_checkpoint("All.", base=1, covered_receipt_seq=30)
    assert box.context().reconciliation.total == 0
    assert box.context().guidance == ()


@pytest.mark.rule("L-CTX-04")
def test_what_is_gone_is_not_gone_through(
    lobby: Lobby, box: Inbox, clock: Clock
) -> None:
    box.acknowledge(sent(lobby, 3))
    clock.advance(hours=12)
    box.acknowledge(sent(lobby, 2))
    clock.advance(hours=12)
    lobby.sweep()
    found = box.context()
    assert found.checkpoint.receipt_snapshot == 5
    assert found.reconciliation.total == len(found.reconciliation.page) == 2
    box.save_checkpoint("x", base=0, covered_receipt_seq=4)
    assert box.context().reconciliation.total == 1
    lobby._desk.deliveries.start_anew()
    assert box.context().reconciliation.total == 1


@pytest.mark.rule("L-CTX-05")
def test_what_it_has_to_come_is_counted(lobby: Lobby, box: Inbox, clock: Clock) -> None:
    a, b = lobby.agent("a").conversation(), box.conversation
    mine, often = lobby.schedules(by=b), Recurrence("UTC", ("06:41",))
    kept, gone = (mine.create(text, repeat=often, to="a") for text in "xy")
    waits, cancelled = (
        lobby.send(text, by=b, to="a", deliver_at=clock.at(60)) for text in "xy"
    )
    lobby.send("of a", by=a, to="b", deliver_at=clock.at(60))
    lobby.schedules(by=a).create("of a", repeat=often, to="b")
    assert box.context().scheduled == ToCome(2, 2)
    mine.cancel(gone.id)
    mine.cancel(cancelled.message)
    assert box.context().scheduled == ToCome(1, 1)
    listed = mine.list()
    assert [one.id for one in listed.schedules] == [kept.id]
    assert [one.id for one in listed.messages] == [waits.message.id]
    clock.advance(60)
    lobby.deliver()
    assert box.context().scheduled == ToCome(1, 0)


@pytest.mark.rule("L-CTX-07")
def test_each_memory_of_its_rooms_is_told_in_numbers(lobby: Lobby, box: Inbox) -> None:
    ana = lobby.person("ana")
    a = lobby.agent("a").conversation()
    room = lobby.create_room("tea", by=ana).join(by=a).join(by=box.conversation)
    lobby.create_room("no memory", by=ana).join(by=box.conversation)
    lobby.create_room("elsewhere", by=ana).join(by=a).memory.appoint("a", by=ana)
    room.memory.appoint("a", by=ana)
    for text in ("It trips.", "It drips."):
        room.memory.remember(text, kind="gotcha", by=a)
    review = room.memory.review(by=a)
    kept = AddEntry(
        kind="gotcha",
        title="kettle → no oven",
        text="x",
        sources=(review.fragments[0].id,),
    )
    room.memory.curate([kept], base=review.revision, by=a)

    [memory] = box.context().memories

    assert (memory.room, memory.revision) == (room, room.memory.status(by=a).revision)
    assert (memory.entries, memory.gotchas) == (1, 1)
    assert (memory.disputed, memory.pending) == (0, 1)
    room.memory.appoint(None, by=ana)
    assert box.context().memories == ()


@pytest.mark.rule("L-CTX-08")
def test_to_look_settles_nothing_and_its_person_looks_too(
    lobby: Lobby, box: Inbox
) -> None:
    sent(lobby, 2)
    ana = lobby.person("ana")
    before = list(lobby.export())
    assert len(box.context().pending) == 2
    assert list(lobby.export()) == before
    assert code_of(lambda: lobby.inbox("b", by=ana).context()) == "owner_required"
    lobby.add_agent("own", owner="ana", role="Mine.")
    assert lobby.inbox("own", by=ana).context().role == "Mine."
    box.conversation.claim("runtime-1")
    assert len(box.context().pending) == 2  # without the claim, too
