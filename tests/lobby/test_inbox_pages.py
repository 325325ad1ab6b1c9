"""An inbox is read by pages: what is pending, its history, and what filters leave."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from lobby.broker import added, code_of, refusal
from lobby.costs import counted
from lobby.place import Clock
from rooms import (
    Conversation,
    Lobby,
    MemoryStorage,
    Message,
    Room,
    hookimpl,
    presets,
)
from rooms.errors import CODES, CorruptLog
from rooms.lobby import Inbox, InboxPage
from rooms.lobby.derived.feeding import Projection
from rooms.storage import Change
from rooms.testing import CountingIds, CountingSalts

KIB = 2**10
Three = tuple[Conversation, Conversation, Conversation]


@pytest.fixture
def three(lobby: Lobby) -> Three:
    a, b, c = added(lobby, "a", "b", "c")
    return a, b, c


@pytest.fixture
def room(lobby: Lobby, three: Three) -> Room:
    ana = lobby.person("ana")
    made = lobby.create_room("r", by=ana, policy="broker", access="invite_only")
    return made.set_members(["a", "b", "c"], by=ana)


def texts(page: InboxPage) -> list[str]:
    return [mail.message.content for mail in page]


def followed(read: Callable[..., InboxPage], **asked: Any) -> list[list[str]]:
    """The texts of each page, up to the last."""
    pages = []
    after: int | None = 0
    while after is not None:
        page = read(after=after, **asked)
        pages.append(texts(page))
        after = page.next_cursor
    return pages


# -- pages


@pytest.mark.rule("L-READ-01", "L-READ-03", "L-READ-13")
def test_what_waits_comes_by_pages_in_the_order_of_the_log(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, c = three
    lobby.send("1", by=a, to="b")
    seen = room.post("2", by=a)
    lobby.send("3", by=c, to="b")
    room.post("4", by=c, to=["b"])
    room.post("not to b", by=c, to=["a"])
    inbox = lobby.inbox(b)

    assert texts(inbox.pending()) == ["1", "2", "3", "4"]
    assert followed(inbox.pending, limit=2) == [["1", "2"], ["3", "4"]]
    assert followed(inbox.pending, limit=3) == [["1", "2", "3"], ["4"]]
    assert inbox.pending(limit=4).next_cursor is None
    room.acknowledge([seen.message.id], by=b)
    assert texts(inbox.pending()) == ["1", "3", "4"]
    mail = inbox.pending()[0]
    assert (mail.room, mail.deliveries) == (lobby.send("x", by=a, to="b").room, ())
    assert mail.delivery is not None
    assert (mail.delivery.recipient, mail.delivery.state) == (b, "pending")


@pytest.mark.rule("L-READ-01")
def test_thirty_are_on_a_page_unless_more_are_asked_for_up_to_100(
    lobby: Lobby, clock: Clock, three: Three
) -> None:
    a, b, _ = three
    for number in range(101):
        lobby.send(f"{number}", by=a, to="b")
        clock.advance(1)
    inbox = lobby.inbox(b)

    assert len(inbox.pending()) == len(inbox.history()) == 30
    assert [len(page) for page in followed(inbox.history, limit=100)] == [100, 1]
    wrong: Any
    for wrong in (0, 101, 1.0, True, "30"):
        refused = refusal(partial(inbox.pending, limit=wrong))
        assert (refused.code, refused.details["field"]) == ("invalid_request", "limit")


@pytest.mark.rule("L-READ-02", "L-LIMIT-03")
def test_a_page_holds_80_kib_and_one_message_at_least(
    lobby: Lobby, three: Three
) -> None:
    a, b, _ = three
    fields = {"commit": "1f"}  # 15 bytes: {"commit":"1f"}
    lobby.send("x" * (40 * KIB - 15), by=a, to="b", fields=fields)
    lobby.send('"' * (20 * KIB), by=a, to="b")  # each is two bytes as JSON
    lobby.send("y", by=a, to="b")
    lobby.send("z" * (64 * KIB), by=a, to="b")
    lobby.send("last", by=a, to="b")
    inbox = lobby.inbox(b)

    expected = [["x", '"'], ["y", "z", "l"]]
    for read in (inbox.pending, inbox.history):
        assert [[text[0] for text in page] for page in followed(read)] == expected
    assert [len(page) for page in followed(inbox.pending, max_bytes=1)] == [1] * 5
    lines = [one.first_line[0] for one in inbox.history().headers]
    assert lines == expected[0]


@pytest.mark.rule("L-READ-03", "L-FACT-03", "L-FACT-04")
def test_a_history_is_what_was_sent_and_what_was_owed(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, c = three
    first = room.post("to all", by=a)
    room.post("to c", by=a, to=["c"])
    lobby.send("mine", by=b, to="a")
    lobby.send("to itself", by=b, to="b")
    lobby.send("not b's", by=a, to="c")
    room.acknowledge([first.message.id], by=c)

    page = lobby.inbox(b).history()
    assert texts(page) == ["to all", "mine", "to itself"]
    received, sent, own = page
    assert (received.deliveries, sent.delivery) == ((), None)
    assert [(one.recipient, one.state) for one in sent.deliveries] == [(a, "pending")]
    assert own.delivery is not None
    assert [one.recipient for one in own.deliveries] == [b]
    facts = lobby.inbox(a).history()[0].deliveries
    assert [(one.recipient, one.state) for one in facts] == [
        (b, "pending"),
        (c, "seen"),
    ]


@pytest.mark.rule("L-READ-13")
def test_to_read_changes_nothing(lobby: Lobby, three: Three, room: Room) -> None:
    a, b, _ = three
    posted = room.post("x", by=a, kind="question")
    before = list(lobby.export())
    inbox = lobby.inbox(b)
    inbox.pending()
    inbox.history(query="x", unanswered=True, ids=[posted.message.id])

    assert list(lobby.export()) == before


@pytest.mark.rule("L-READ-03", "L-READ-01", "L-CTX-08")
def test_what_was_acknowledged_and_not_covered_comes_by_receipts(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, c = three
    first = room.post("first", by=a).message.id
    second = lobby.send("second", by=c, to="b").message.id
    third = lobby.send("third", by=a, to="b").message.id
    inbox = lobby.inbox(b)
    inbox.acknowledge([third])
    inbox.acknowledge([first])
    inbox.acknowledge([second])

    assert texts(inbox.reconciliation()) == ["third", "first", "second"]
    pages = followed(inbox.reconciliation, limit=2)
    assert pages == [["third", "first"], ["second"]]
    page = inbox.reconciliation(limit=1)
    assert page.next_cursor == 1  # a receipt's number
    assert page[0].delivery is not None
    assert (page[0].delivery.state, page[0].delivery.receipt_seq) == ("seen", 1)
    assert page[0].deliveries == ()
    inbox.save_checkpoint("so far", base=0, covered_receipt_seq=2)
    assert texts(inbox.reconciliation()) == texts(inbox.reconciliation(after=1))
    assert texts(inbox.reconciliation()) == ["second"]
    assert texts(inbox.reconciliation(after=3)) == []
    assert texts(lobby.inbox(a).reconciliation()) == []


# -- filters


@pytest.mark.rule("L-READ-05")
def test_a_query_is_a_part_of_the_text_a_field_or_a_files_name(
    lobby: Lobby, three: Three
) -> None:
    a, b, _ = three
    lobby.send("Deploy at NOON", by=a, to="b")
    lobby.send("50% of it", by=a, to="b")
    lobby.send("plain", by=a, to="b", fields={"files": ["src/Noon_x.py"]})
    lobby.send("with a file", by=a, to="b", attachments={"noon.txt": b"words"})
    lobby.send("ÄRGER", by=a, to="b")
    inbox = lobby.inbox(b)

    def found(query: str) -> list[str]:
        return texts(inbox.history(query=query))

    assert found("noon") == ["Deploy at NOON", "plain", "with a file"]
    assert found("%") == ["50% of it"]
    assert found("_x") == ["plain"]
    assert found("ärger") == []  # beyond ASCII a case is another letter
    assert found("Ärger") == ["ÄRGER"]
    assert found("words") == []
    assert followed(inbox.history, query="noon", limit=2) == [
        ["Deploy at NOON", "plain"],
        ["with a file"],
    ]
    assert found("x" * 200) == []
    wrong: Any
    for wrong in ("", "x" * 201, 1, "\ud800"):
        assert code_of(partial(found, wrong)) == "invalid_request"


@pytest.mark.rule("L-READ-05", "L-FACT-07")
def test_what_is_held_has_no_words_for_its_recipient(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, _ = three
    ana = lobby.person("ana")
    seen = room.post("seen", by=a)
    room.post("a secret", by=a, fields={"commit": "secret"})
    room.acknowledge([seen.message.id], by=b)
    room.change_members(remove=["b"], by=ana)
    inbox = lobby.inbox(b)

    held = "[Held: room membership revoked]"
    assert texts(inbox.history()) == ["seen", held]
    assert dict(inbox.history()[1].message.fields) == {}
    for query in ("secret", "Held", "revoked"):
        assert texts(inbox.history(query=query)) == []
    assert texts(inbox.pending()) == []
    room.change_members(add=["b"], by=ana)
    assert texts(inbox.history()) == ["seen", held]
    lobby.agent("b").change(role="b")
    assert texts(lobby.inbox(a).history(query="secret")) == ["a secret"]


@pytest.mark.rule("L-READ-06", "L-READ-07")
def test_an_answer_counts_only_if_it_reached_who_asked(
    lobby: Lobby, three: Three, room: Room
) -> None:
    """The fourteenth of the subtlest."""
    a, b, _ = three
    ana = lobby.person("ana")
    asked = room.post("what?", by=a, to=["b"], kind="question").message.id

    def stands() -> tuple[list[str], list[str]]:
        mine = lobby.inbox(b).history(unanswered=True)
        return texts(mine), texts(lobby.inbox(a).history(awaiting=True))

    both = (["what?"], ["what?"])
    neither: tuple[list[str], list[str]] = ([], [])
    assert stands() == both
    room.post("not to a", by=b, to=["c"], reply_to=asked)
    assert stands() == both
    room.post("not a reply", by=b, to=["a"])
    assert stands() == both
    room.post("that", by=b, to=["a"], reply_to=asked)
    assert stands() == neither
    room.change_members(remove=["a"], by=ana)  # it is held now
    room.change_members(add=["a"], by=ana)
    assert stands() == both
    again = room.post("that", by=b, to=["a"], reply_to=asked)
    room.acknowledge([again.message.id], by=a)
    room.change_members(remove=["a"], by=ana)
    assert stands() == neither


@pytest.mark.rule("L-READ-07")
def test_who_asked_awaits_the_first_answer_of_anybody_else(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, c = three
    asked = room.post("who?", by=a, kind="request").message
    noted = lobby.send("ask them", by=a, to="a", expects_reply=True).message
    room.post("no answer asked", by=a, kind="notice")
    room.post("nobody knows", by=a)

    awaiting = lobby.inbox(a).history(awaiting=True)
    assert texts(awaiting) == ["who?", "ask them"]
    assert [one.recipient for one in awaiting[0].deliveries] == [b, c]
    room.post("I", by=c, reply_to=asked.id)
    lobby.send("done", by=a, to="a", reply_to=noted.id)
    assert texts(lobby.inbox(a).history(awaiting=True)) == ["ask them"]
    assert texts(lobby.inbox(a).history(unanswered=True)) == []
    assert texts(lobby.inbox(b).history(unanswered=True)) == ["who?"]
    assert texts(lobby.inbox(c).history(unanswered=True)) == []
    room.post("a person's", by=lobby.person("ana"), kind="question")
    assert texts(lobby.inbox(b).history(unanswered=True)) == ["who?"]


@pytest.mark.rule("L-SUPER-07", "L-READ-06", "L-READ-07", "L-KIND-02")
def test_what_is_superseded_is_asked_no_more(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, _ = three
    first = room.post("what?", by=a, kind="question").message.id
    room.post("of no kind", by=a)
    assert texts(lobby.inbox(b).history(unanswered=True)) == ["what?"]
    room.post("which?", by=a, kind="question", supersedes=first)

    assert texts(lobby.inbox(b).history(unanswered=True)) == ["which?"]
    assert texts(lobby.inbox(a).history(awaiting=True)) == ["which?"]
    assert texts(lobby.inbox(b).pending()) == ["what?", "of no kind", "which?"]
    earlier, _, later = lobby.inbox(b).pending()
    assert earlier.message.superseded_by == later.message.id
    assert later.message.supersedes == first


def test_what_is_erased_or_deleted_is_asked_no_more(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, _ = three
    ana = lobby.person("ana")
    asked = room.post("what?", by=a, kind="question").message.id
    elsewhere = lobby.send("and this?", by=a, to="b", kind="question").message.id
    room.post("this", by=b, to=["a"], reply_to=elsewhere)
    assert texts(lobby.inbox(a).history(awaiting=True)) == ["what?"]
    room.erase(asked, by=ana)
    assert texts(lobby.inbox(b).history(unanswered=True)) == []
    assert texts(lobby.inbox(a).history(awaiting=True)) == []
    room.delete(by=ana)

    every: tuple[Projection, ...] = (lobby._desk.questions, lobby._desk.deliveries)
    for rows in every:
        rows.feed()
        kept = rows.rows_between(("",), ("~",))
        assert kept
        assert not [one for one in kept if room.id in repr(one)]
    assert texts(lobby.inbox(a).history()) == ["and this?"]
    assert texts(lobby.inbox(a).history(awaiting=True)) == ["and this?"]
    assert texts(lobby.inbox(b).history(unanswered=True)) == ["and this?"]
    assert lobby.inbox(b).count() == 1


@pytest.mark.rule("L-READ-08")
def test_ids_name_messages_by_their_beginning(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, _ = three
    posted = [room.post(f"{number}", by=a).message.id for number in range(25)]
    direct = lobby.send("direct", by=a, to="b").message.id
    inbox = lobby.inbox(b)

    def read(*ids: Any, **asked: Any) -> list[str]:
        return texts(inbox.history(ids=list(ids), **asked))

    assert read(posted[3], direct, posted[1], posted[3]) == ["1", "3", "direct"]
    mail = inbox.history(ids=[posted[3]])[0]
    assert read(mail.message) == ["3"]
    start = posted[0][:-1]
    meant = [str(place) for place, one in enumerate(posted) if one.startswith(start)]
    assert 1 < len(meant) < 25
    assert read(start) == meant
    assert read(start, posted[-1]) == [*meant, "24"]
    pages = followed(inbox.history, ids=[start, direct], limit=3)
    assert [one for page in pages for one in page] == [*meant, "direct"]
    assert {len(page) for page in pages[:-1]} == {3}
    assert read("1a9b3dff") == read(posted[0] + "0") == read(posted[0] + "x") == []
    wrong: Any
    for wrong in ([], ["x" * 7], ["x" * 201], [posted[0]] * 21, posted[0], [1], 1):
        refused = code_of(partial(inbox.history, ids=wrong))
        assert refused == "invalid_request"


@pytest.mark.rule("L-READ-09", "L-ADDR-08", "L-ROOM-18", "L-ROOM-09")
def test_by_id_a_member_reads_its_room_since_it_came(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, c = three
    ana = lobby.person("ana")
    seen = room.post("seen", by=a).message.id
    to_c = room.post("to c", by=a, to=["c"]).message.id
    unseen = room.post("unseen", by=a).message.id
    inbox = lobby.inbox(b)

    def read(*ids: str) -> list[str]:
        return texts(inbox.history(ids=ids))

    assert read(seen, to_c, unseen) == ["seen", "to c", "unseen"]
    room.acknowledge([seen], by=b)
    room.change_members(remove=["b"], by=ana)
    held = "[Held: room membership revoked]"
    assert read(seen, to_c, unseen) == ["seen", held]
    room.change_members(add=["b"], by=ana)
    assert read(seen, to_c, unseen) == ["seen", held]
    later = room.post("later, to c", by=a, to=["c"]).message.id
    assert read(to_c, later) == ["later, to c"]
    assert read(seen[:-2]) == ["seen", held, "later, to c"]
    private = lobby.send("private", by=a, to="c").message.id
    assert read(private) == []
    assert room.post("I read it", by=b, reply_to=later).message.reply_to == later
    assert texts(lobby.inbox(c).history(ids=[seen[:-2]])) == [
        *("seen", "to c", "unseen", "later, to c", "I read it"),
    ]


@pytest.mark.rule("L-READ-10")
def test_a_header_is_a_message_in_one_line(lobby: Lobby, three: Three) -> None:
    a, b, _ = three
    sent = lobby.send(" \n\t\n  First. \nSecond.", by=a, to="b", kind="report")
    lobby.send("x" * 300, by=a, to="b")

    first, second = lobby.inbox(b).history().headers
    assert (first.id, first.sender, first.to, first.room, first.kind, first.at) == (
        *(sent.message.id, a, ("agent:b",), sent.room, "report", sent.message.at),
    )
    assert (first.first_line, second.first_line) == ("First.", "x" * 200)
    assert second.kind is None


@pytest.mark.rule("L-READ-11")
def test_all_filters_combine_but_two(lobby: Lobby, three: Three, room: Room) -> None:
    a, b, c = three
    asked = room.post("a question of a", by=a, kind="question").message.id
    room.post("a question of c", by=c, kind="question")
    other = room.post("no question", by=a).message.id
    own = room.post("a question of b", by=b, kind="question").message.id
    inbox = lobby.inbox(b)

    def lines(**asked: Any) -> list[str]:
        return [one.first_line for one in inbox.history(**asked).headers]

    assert lines(query="question", ids=[asked, other]) == [
        "a question of a",
        "no question",
    ]
    assert lines(unanswered=True, ids=[asked, other, own]) == ["a question of a"]
    assert lines(unanswered=True, query="of c") == ["a question of c"]
    assert lines(awaiting=True, ids=[asked[:-1]], query="B") == ["a question of b"]
    assert lines(query="of a", ids=[other]) == []
    both = refusal(lambda: inbox.history(unanswered=True, awaiting=True))
    assert (both.code, CODES[both.code].http) == ("awaiting_or_unanswered", 400)


# -- what waits for its time


@pytest.mark.rule("L-SCHED-04", "L-READ-03", "L-READ-08", "L-FACT-06")
def test_what_waits_is_in_its_senders_history_alone(
    lobby: Lobby, clock: Clock, three: Three
) -> None:
    a, b, _ = three
    lobby.send("first", by=a, to="b")
    later = lobby.send("later", by=a, to="b", deliver_at=clock.at(60)).message.id
    note = lobby.send("a note", by=a, to="a", deliver_at=clock.at(90)).message.id
    lobby.send("second", by=a, to="b")
    mine, theirs = lobby.inbox(a), lobby.inbox(b)

    history = mine.history()
    assert texts(history) == ["first", "later", "a note", "second"]
    states = [[one.state for one in mail.deliveries] for mail in history]
    assert states == [["pending"], ["scheduled"], ["scheduled"], ["pending"]]
    assert history[2].delivery is not None
    assert (history[2].delivery.recipient, history[2].delivery.state) == (
        *(a, "scheduled"),
    )
    assert texts(mine.history(ids=[later[:-1]])) == ["first", "later", "second"]
    assert texts(mine.history(query="ATE")) == ["later"]
    assert texts(lobby.history()) == ["first", "later", "a note", "second"]
    assert texts(theirs.history()) == texts(theirs.pending()) == ["first", "second"]
    assert texts(theirs.history(ids=[later])) == []
    assert followed(mine.history, limit=2) == [["first", "later"], ["a note", "second"]]
    clock.advance(60)
    lobby.deliver()
    assert texts(mine.history()) == ["first", "a note", "second", "later"]
    assert texts(theirs.pending()) == ["first", "second", "later"]
    assert texts(theirs.history(ids=[later])) == ["later"]
    assert texts(theirs.history(ids=[later[:-1]])) == ["first", "second", "later"]
    assert theirs.history(ids=[later])[0].message.id == later
    lobby.schedules(by=a).cancel(note)
    states = [[one.state for one in mail.deliveries] for mail in mine.history()]
    assert states == [["pending"], ["cancelled"], ["pending"], ["pending"]]
    clock.advance(days=1)
    lobby.sweep()
    assert texts(mine.history()) == texts(lobby.history()) == []
    for kept in ("of", "every", "room", "released", "as"):
        rows = lobby._desk.storage.range("undelivered.1", low=(kept,), limit=9)
        assert [row for row in rows if row.key[0] == kept] == []


@pytest.mark.rule("L-READ-06", "L-SCHED-04")
def test_an_answer_that_waits_counts_from_its_delivery(
    lobby: Lobby, clock: Clock, three: Three
) -> None:
    """The fourteenth of the subtlest, its end."""
    a, b, _ = three
    asked = lobby.send("what?", by=a, to="b", kind="question").message.id
    later = lobby.send("?", by=a, to="b", kind="question", deliver_at=clock.at(30))
    lobby.send("that", by=b, to="a", reply_to=asked, deliver_at=clock.at(60))

    def stands() -> tuple[list[str], list[str]]:
        mine = lobby.inbox(b).history(unanswered=True)
        return texts(mine), texts(lobby.inbox(a).history(awaiting=True))

    assert stands() == (["what?"], ["what?"])
    clock.advance(30)
    lobby.deliver()
    assert stands() == (["what?", "?"], ["what?", "?"])
    clock.advance(30)
    lobby.deliver()
    assert stands() == (["?"], ["?"])
    lobby.send("to what waited", by=b, to="a", reply_to=later.message.id)
    assert stands() == ([], [])


# -- who looks


class Hosting:
    @hookimpl
    def rooms_may(self, actor: Any, action: str) -> bool:
        return action in {"read_every_room", "read_audit"} and actor.id == "root"


@pytest.mark.rule("L-READ-04")
def test_a_person_looks_into_its_agents_inbox_and_root_into_any(lobby: Lobby) -> None:
    lobby.register(Hosting())
    ana, root = lobby.person("ana"), lobby.person("root")
    a = lobby.add_agent("a", owner="ana").conversation()
    [b] = added(lobby, "b")
    room = lobby.create_room("r", by=ana, policy="broker", access="invite_only")
    room.set_members(["a", "b"], by=ana)
    room.post("held", by=b, to=["a"])
    room.change_members(remove=["a"], by=ana)
    sent = lobby.send("direct", by=a, to="b")

    for by in (ana, root):  # and both read what a itself may not
        assert texts(lobby.inbox("a", by=by).history()) == ["held", "direct"]
    assert lobby.inbox("a", by=root).history()[1].deliveries != ()
    looked = sorted((str(one.person), one.room) for one in lobby.audit(by=root))
    assert looked == [(str(root), room.id)] * 2 + [(str(root), sent.room.id)] * 2
    assert code_of(lobby.inbox("b", by=ana).history) == "owner_required"
    assert code_of(lobby.inbox("b", by=a).pending) == "owner_required"


@pytest.mark.rule("L-READ-04", "L-FACT-04", "L-READ-05")
def test_the_host_reads_the_history_of_all(lobby: Lobby, three: Three) -> None:
    lobby.register(Hosting())
    a, b, c = three
    root = lobby.person("root")
    sent = [lobby.send("One", by=a, to="b"), lobby.send("two", by=b, to="c")]
    [room] = {one.room.id for one in sent[:1]}
    sent[1].room.acknowledge([sent[1].message.id], by=c)
    held = lobby.send("of one", by=c, to="b")

    for page in (lobby.history(), lobby.history(by=root)):
        assert texts(page) == ["One", "two", "of one"]
        assert [one.delivery for one in page] == [None] * 3
        states = [[facts.state for facts in one.deliveries] for one in page]
        assert states == [["pending"], ["seen"], ["pending"]]
    looks = [(one.person, one.room) for one in lobby.audit(by=root)]
    assert looks == [(root, one.room.id) for one in sent]
    assert followed(lobby.history, limit=2) == [["One", "two"], ["of one"]]
    assert texts(lobby.history(query="ONE")) == ["One", "of one"]
    assert texts(lobby.history(ids=[held.message.id, room[5:] + ".000000"])) == [
        *("One", "of one"),
    ]
    nobody: list[Any] = [lobby.person("ana"), a]
    for by in nobody:
        assert code_of(partial(lobby.history, by=by)) == "administrator_required"


# -- what a page costs, and that the rows are no truth


def grown(messages: int) -> tuple[MemoryStorage, Lobby, Room]:
    """A room with so many questions to b, the first thirty of them acknowledged."""
    storage, clock = MemoryStorage(), Clock()
    lobby = Lobby(storage, clock=clock, ids=CountingIds(), salt=CountingSalts())
    a, b = added(lobby, "a", "b")
    ana = lobby.person("ana")
    policy = presets.broker(send_window=None, wake_window=None)
    room = lobby.create_room("r", by=ana, policy=policy).set_members(["a", "b"], by=ana)
    posted = [
        room.post(f"{number}", by=a, expects_reply=True) for number in range(messages)
    ]
    lobby.inbox(b).acknowledge([one.message.id for one in posted[:30]])
    return storage, lobby, room


PAGES: dict[str, Callable[[Inbox], InboxPage]] = {
    "pending": lambda inbox: inbox.pending(after=50, limit=10),
    "history": lambda inbox: inbox.history(after=50, limit=10),
    "reconciliation": lambda inbox: inbox.reconciliation(after=10, limit=10),
    "unanswered": lambda inbox: inbox.history(unanswered=True, after=50, limit=10),
    "ids": lambda inbox: inbox.history(ids=["1.000000"], after=50, limit=10),
}


@pytest.mark.rule("L-READ-01", "L-READ-02")
@pytest.mark.parametrize("name", PAGES)
def test_a_page_costs_what_is_on_it(name: str) -> None:
    costs = []
    for messages in (90, 400):
        storage, lobby, _ = grown(messages)
        inbox = lobby.inbox("b")
        PAGES[name](inbox)  # fed once
        with counted(storage) as counts:
            assert len(PAGES[name](inbox)) == 10
        costs.append(counts["handed"])

    halving = 4 if name == "ids" else 0  # of ten times as many
    assert costs[0] <= costs[1] <= costs[0] + halving
    assert costs[1] <= 10 * 5


def test_rows_that_are_damaged_cost_a_look_and_no_answer(
    lobby: Lobby, three: Three, room: Room
) -> None:
    a, b, _ = three
    room.post("what?", by=a, kind="question")
    storage, inbox = lobby._desk.storage, lobby.inbox(b)

    def answers() -> list[list[str]]:
        asked = inbox.history(unanswered=True)
        return [texts(page) for page in (inbox.pending(), inbox.history(), asked)]

    expected = answers()
    assert expected == [["what?"]] * 3
    for name in ("deliveries.1", "questions.1"):
        for damage in (b"{", b"5", b'{"room":1}'):
            reached = storage.projected_to(name)
            rows = storage.range(name, low=("",), limit=99)
            changes = [Change(row.key, damage) for row in rows]
            storage.project(name, expected=reached, position=reached, changes=changes)
            assert answers() == expected


def test_a_message_that_is_damaged_is_refused_and_its_rows_stay(
    monkeypatch: pytest.MonkeyPatch, lobby: Lobby, three: Three
) -> None:
    a, b, _ = three
    lobby.send("x", by=a, to="b")
    inbox = lobby.inbox(b)
    assert texts(inbox.pending()) == ["x"]

    def damaged(_: Message) -> Message:
        raise CorruptLog("corrupt_log", "a flipped bit")

    monkeypatch.setattr(Message, "check", damaged)
    monkeypatch.delattr(type(lobby._desk.deliveries).__mro__[1], "start_anew")
    assert code_of(inbox.pending) == code_of(inbox.history) == "corrupt_log"
