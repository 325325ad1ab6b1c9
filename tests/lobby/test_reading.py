"""Reading: pages, search, explanations, and what reading settles."""

from __future__ import annotations

from typing import Any

import pytest

from lobby.place import Place
from rooms import (
    Conversation,
    InvalidInput,
    Lobby,
    NotAllowed,
    NotFound,
    Room,
    RoomPolicy,
)
from rooms.errors import CorruptLog
from rooms.log.events import Event, encoded, recorded
from rooms.log.records import Commit, Record, body_digest, chained


def pages(room: Room, by: Any, *, limit: int) -> list[list[int]]:
    found, after = [], 0
    while True:
        page = room.read(by=by, after=after, limit=limit)
        found.append([one.seq for one in page])
        if page.next_cursor is None:
            return found
        after = page.next_cursor


@pytest.mark.rule("G-VIEW-08")
@pytest.mark.case("F-85")
def test_pages_follow_each_other_without_a_gap_and_what_is_new_comes_last(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for number in range(7):
        hall.post(f"m{number}", by=eve)

    assert pages(hall, ben, limit=3) == [[1, 2, 3], [4, 5, 6], [7]]
    assert pages(hall, ben, limit=7) == [[1, 2, 3, 4, 5, 6, 7]]
    first = hall.read(by=ben, limit=5)
    hall.post("m7", by=eve)
    second = hall.read(by=ben, after=first.next_cursor or 0, limit=5)
    assert [one.seq for one in second] == [6, 7, 8]
    assert (second.next_cursor, second.position) == (None, 8)
    beyond = hall.read(by=ben, after=99)
    assert (beyond.items, beyond.next_cursor, beyond.position) == ((), None, 8)


@pytest.mark.case("F-94")
def test_a_page_says_how_much_there_is(lobby: Lobby) -> None:
    me = lobby.person("me")
    room = lobby.create_room("r", by=me)
    for number in range(120):
        room.post(f"m{number}", by=me)

    page = room.read(by=me)

    assert (len(page), page.next_cursor, page.position) == (30, 30, 120)


@pytest.mark.rule("G-WAKE-04")
@pytest.mark.case("F-91", "F-92")
def test_a_read_settles_what_is_on_its_page_and_nothing_else(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for number in range(6):
        hall.post(f"m{number}", by=eve, to=[ben])

    hall.read(by=ben, after=2, limit=2)
    lobby.conversation("Eve", thread="t-2", label="later")

    [wake] = lobby.take_wakes()
    assert [one.seq for one in wake.messages] == [1, 2, 5, 6]
    cy = lobby.add_agent("cy").conversation()
    hall.join(by=cy)  # history is another thing than delivery
    assert [one.seq for one in hall.read(by=cy)] == [1, 2, 3, 4, 5, 6]


@pytest.mark.case("F-92")
def test_reading_an_old_page_brings_back_nothing(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for number in range(4):
        hall.post(f"m{number}", by=eve, to=[ben])
    hall.read(by=ben)

    hall.read(by=ben, after=0, limit=1)

    assert lobby.take_wakes() == []


@pytest.mark.case("F-99")
def test_who_joins_late_reads_everything_and_is_woken_for_nothing_of_it(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for to in ((), [ben], (), [ben], ()):
        hall.post("x", by=eve, to=to)
    bo = lobby.add_agent("bo").conversation()

    hall.join(by=bo, mode="digest")

    assert lobby.next_deadline() is None
    assert lobby.take_wakes(conversations=[bo]) == []
    assert len(hall.read(by=bo)) == 5


def test_a_persons_read_settles_nothing(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("x", by=eve, to=[ben])

    hall.read(by=lobby.person("ana"))

    assert len(lobby.take_wakes()) == 1


def test_where_acknowledgements_settle_a_read_does_not(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    room = lobby.create_room("r", by=eve, policy=RoomPolicy(settle_on="ack"))
    room.join(by=ben)
    first = room.post("one", by=eve, to=[ben]).message
    second = room.post("two", by=eve, to=[ben]).message

    room.read(by=ben)
    room.acknowledge([first.id], by=ben)

    [wake] = lobby.take_wakes()
    assert [one.id for one in wake.messages] == [second.id]
    with pytest.raises(NotFound) as unknown:
        room.acknowledge([second.id, "nothing"], by=ben)
    assert unknown.value.code == "unknown_message"
    room.acknowledge([second.id, first.id], by=ben)
    with pytest.raises(NotAllowed):
        room.acknowledge([second.id], by=lobby.add_agent("cy").conversation())


@pytest.mark.rule("G-VIEW-09")
def test_a_search_finds_every_word_in_its_own_room_alone_the_newest_first(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    other = lobby.create_room("other", by=eve)
    other.post("A multi-agent system elsewhere.", by=eve)
    for text in ("multi-agent rooms", "agent", "A room of MULTI AGENT talk"):
        hall.post(text, by=eve)

    assert [one.seq for one in hall.search("multi-agent", by=ben)] == [3, 1]
    assert [one.seq for one in hall.search("agent", by=ben, limit=1)] == [3]
    assert hall.search("elsewhere", by=ben) == ()


@pytest.mark.parametrize(
    "query",
    [
        '"',
        "a OR",
        "NEAR(",
        "x*",
        "text:",
        "-",
        "\x00",
        "\ud83d",
        "(",
        "'; --",
        "x" * 9999,
    ],
)
def test_any_text_is_a_query(hall: Room, eve: Conversation, query: str) -> None:
    hall.post("Nothing of the kind.", by=eve)

    assert hall.search(query, by=eve) == ()


@pytest.mark.parametrize(
    ("call", "field", "value"),
    [
        *(("read", "after", -1), ("read", "after", "1"), ("read", "after", 2**70)),
        *(("read", "limit", 0), ("read", "limit", 1001), ("read", "limit", True)),
        *(("search", "limit", 0), ("search", "query", 5), ("search", "query", None)),
        *(("read", "by", None), ("search", "by", "ana"), ("read", "now", 5)),
    ],
)
def test_a_wrong_argument_is_named(
    hall: Room, eve: Conversation, call: str, field: str, value: Any
) -> None:
    hall.post("x", by=eve)
    given: dict[str, Any] = {"by": eve}
    if call == "search":
        given["query"] = "x"

    with pytest.raises(InvalidInput) as refused:
        getattr(hall, call)(**(given | {field: value}))

    assert refused.value.field == field


# -- why


def test_explain_tells_of_every_seat_what_became_of_a_message_and_by_which_rule(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    cy, dee = (lobby.add_agent(name).conversation() for name in ("cy", "dee"))
    hall.join(by=cy, mode="digest").join(by=dee)
    posted = hall.post("Please.", by=eve, to=[ben])
    [wake] = lobby.take_wakes()
    with lobby.turn(wake):
        pass

    told = str(place.crash().room("orders").explain(posted.message.id))

    assert told == str(hall.explain(posted.message.id))
    for expected in ("agent:ben-web", "agent:cy", "agent:dee", "tagged", "digest"):
        assert expected in told


@pytest.mark.parametrize(
    "message", ["", "x", "0004.00000000", "0004.99999999", "\ud83d"]
)
def test_there_is_nothing_to_explain_of_what_is_no_message(
    hall: Room, eve: Conversation, message: str
) -> None:
    hall.post("x", by=eve)

    with pytest.raises(NotFound) as refused:
        hall.explain(message)

    assert refused.value.code == "unknown_message"


# -- what another version wrote


@recorded("poll_opened", critical=False)
class PollOpened(Event):
    """An event of a later version, which readers may pass by."""

    topic: str


@recorded("door_locked")
class DoorLocked(Event):
    """An event of a later version that changes who may do what."""

    key: str


def written_by_another_version(place: Place, room: Room, event: Event) -> None:
    """Appends what this version does not know to a room's stream."""
    storage, stream = place.storage, f"room:{room.id}"
    head = storage.head(stream)
    header, body = encoded(event, by="system", rules=9)
    kind = "later." + event.TYPE
    last = storage.read(stream, after=head.version - 1)[0]
    fixed = (stream, head.version + 1, kind, 1, event.CRITICAL, last.at)
    digest = body_digest(body, None)
    draft = Record(*fixed, header, body, None, digest, b"", None)
    chain = chained(head.chain, draft)
    storage.append(Commit((Record(*fixed, header, body, None, digest, chain, None),)))


@pytest.mark.case("F-130")
def test_an_unknown_event_that_may_be_passed_by_is_kept_and_passed_by(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("before", by=eve)
    written_by_another_version(place, hall, PollOpened("tea?"))

    after = hall.post("after", by=eve, to=[ben])

    assert after.woken == (ben,)
    assert [one.content for one in hall.read(by=ben)] == ["before", "after"]
    kept = [one for one in place.storage.read(f"room:{hall.id}") if "later" in one.type]
    assert [one.header for one in kept] == [
        b'{"by":"system","rules":9,"topic":"tea?"}',
    ]
    assert not any(found.damages for found in lobby.verify().values())
    assert place.crash().room("orders").position == 2


@pytest.mark.case("F-130")
def test_an_unknown_critical_event_lets_its_room_be_read_and_no_more(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.post("before", by=eve)
    written_by_another_version(place, hall, DoorLocked("k"))

    with pytest.raises(NotAllowed) as refused:
        hall.post("after", by=eve)

    assert refused.value.code == "unsupported_event"
    assert refused.value.details["type"] == "later.door_locked"
    ana = lobby.person("ana")
    assert [one.content for one in hall.read(by=ana)] == ["before"]
    other = lobby.create_room("other", by=eve)
    assert other.post("The rest goes on.", by=eve).message.seq == 1


@pytest.mark.rule("G-ROOM-15")
def test_what_somebody_writes_into_the_storage_is_no_post(
    place: Place, lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    """The last message once more, under the next numbers: it has no place there."""
    hall.post("One.", by=eve, to=[ben])
    storage, stream = place.storage, f"room:{hall.id}"
    [said] = storage.messages(stream)
    head = storage.head(stream)
    draft = said._replace(version=head.version + 1, seq=2, position=0)
    storage.append(Commit((draft,)))

    other = place.crash()

    damages = other.verify()[stream].damages
    assert {one.version for one in damages} == {head.version + 1}
    for call in (
        lambda: other.room(hall.id).read(by=lobby.person("ana")),
        lambda: other.room(hall.id).post("Two.", by=eve),
    ):
        with pytest.raises(CorruptLog):
            call()
    assert other.take_wakes() == []
