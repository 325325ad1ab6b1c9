"""Posting: who is meant, what becomes of it for whom, and what a receipt says."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from lobby.place import Clock, Place
from rooms import (
    Address,
    ConfirmAllThreads,
    Conversation,
    InvalidInput,
    Lobby,
    NotAllowed,
    NotFound,
    OverLimit,
    RateWindow,
    Room,
    RoomPolicy,
    RoomsError,
    SelfAddressed,
    parse_address,
    presets,
)


@pytest.fixture
def audit(lobby: Lobby, hall: Room) -> Conversation:
    """A second conversation of Eve's in the room."""
    other = lobby.conversation("Eve", thread="t-2", label="audit")
    hall.join(by=other)
    return other


def names(conversations: tuple[Conversation, ...]) -> list[str]:
    return [str(one) for one in conversations]


# -- whom a message is for


@pytest.mark.rule("G-ADDR-01", "G-ADDR-14")
def test_whom_a_message_is_for_may_be_said_in_every_form(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    forms: list[Any] = [
        *(eve, "agent:Eve/acme", parse_address("agent:Eve/acme"), lobby.turn(eve)),
    ]
    for form in forms:
        assert hall.post("x", by=ben, to=[form]).woken == (eve,)

    posted = hall.post("x", by=ben, to=forms)
    assert posted.woken == (eve,)
    assert posted.message.to == ("agent:Eve/acme",)
    assert hall.post("x", by=eve, to=[lobby.agent("ben-web")]).woken == (ben,)
    assert hall.post("x", by=eve, to=[Address("all")]).woken == (ben,)


@pytest.mark.rule("G-ADDR-02")
def test_in_a_hall_a_bare_word_is_a_person_who_is_not_woken(
    lobby: Lobby, hall: Room, ben: Conversation
) -> None:
    hall.join(by=lobby.add_agent("Gennie").conversation())

    posted = hall.post("Gennie?", by=ben, to=["Gennie", lobby.person("ana")])

    assert posted.message.to == ("person:Gennie", "person:ana")
    assert (posted.woken, posted.held, posted.started) == ((), (), ())


@pytest.mark.rule("G-ADDR-02", "G-ADDR-05")
def test_the_agent_that_the_rooms_are_stored_under_is_reached_by_its_bare_name(
    lobby: Lobby, hall: Room, ben: Conversation
) -> None:
    at_home = hall.post("A new matter.", by=ben, to=[" eve "])
    assert at_home.message.to == ("agent:eve",)
    assert [one.agent for one in at_home.started] == ["Eve"]

    others = lobby.create_room(
        "others", by=ben, policy=presets.hall(home_agent="ben-web")
    )
    others.join(by=lobby.conversation("Eve", label="acme"))
    assert others.post("Eve?", by=ben, to=["Eve"]).message.to == ("person:Eve",)
    with pytest.raises(SelfAddressed):
        others.post("Me?", by=ben, to=["ben-web"])
    nobody = presets.hall(home_agent="someone")  # who is in no lobby is a person
    quiet = lobby.create_room("quiet", by=ben, policy=nobody)
    assert quiet.post("x", by=ben, to=["someone"]).message.to == ("person:someone",)


@pytest.mark.rule("G-ADDR-03", "G-FOLLOW-03")
def test_a_label_wakes_exactly_that_conversation_following_or_not(
    hall: Room, eve: Conversation, ben: Conversation, audit: Conversation
) -> None:
    hall.subscribe(by=audit, mode="on_demand")

    assert hall.post("You.", by=ben, to=["agent:eve/AUDIT"]).woken == (audit,)


@pytest.mark.rule("G-ADDR-04", "G-ADDR-15", "G-FOLLOW-03")
def test_a_reply_is_for_the_conversation_that_wrote_the_message(
    hall: Room, eve: Conversation, ben: Conversation, audit: Conversation
) -> None:
    asked = hall.post("What about the audit?", by=audit)
    hall.subscribe(by=audit, mode="on_demand")

    answered = hall.post("All well.", by=ben, reply_to=asked.message.id)

    assert answered.woken == (audit,)
    assert answered.message.reply_to == asked.message.id
    assert hall.post("To nobody.", by=ben).woken == ()


@pytest.mark.rule("G-ADDR-05", "G-ADDR-06", "G-ADDR-12")
@pytest.mark.rule("G-FOLLOW-06", "G-FOLLOW-07")
def test_subtle_1_a_bare_address_starts_a_conversation_and_reaches_no_other(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation, audit: Conversation
) -> None:
    hall.subscribe(by=audit, mode="every_message")

    posted = hall.post("A new matter for Eve.", by=ben, to=["agent:Eve"])

    [new] = posted.started
    assert posted.woken == (audit,)  # by its mode, and eve hears nothing
    assert new not in (eve, audit)
    assert str(new) == "agent:Eve/a-new-matter-for-eve"
    assert new.thread is None
    woken = {wake.conversation: wake.reasons for wake in lobby.take_wakes()}
    assert woken == {audit: ("every_message",), new: ("started",)}
    assert hall.post("Still there?", by=ben, to=[new]).woken == (audit, new)[::-1]


@pytest.mark.rule("G-ADDR-07")
def test_to_the_room_tags_nobody_and_starts_nothing(
    hall: Room, eve: Conversation, ben: Conversation, audit: Conversation
) -> None:
    hall.subscribe(by=audit, mode="digest")
    for to in ((), ("room",)):
        posted = hall.post("For the record.", by=ben, to=to)

        assert (posted.woken, posted.held, posted.started) == ((), (), ())
        assert posted.later == (audit,)


@pytest.mark.rule("G-ADDR-08")
def test_all_reaches_who_follows_in_the_manner_of_its_mode(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation, audit: Conversation
) -> None:
    quiet = lobby.conversation("Eve", thread="t-3", label="quiet")
    hall.join(by=quiet, mode="on_demand")
    hall.subscribe(by=audit, mode="next_turn")

    for to in (["all"], ["agent:Eve/all"]):
        posted = hall.post("Hear.", by=ben, to=to)
        assert (posted.woken, posted.later) == ((eve,), (audit,))


@pytest.mark.rule("G-ADDR-10")
def test_a_message_to_oneself_alone_is_refused_with_the_last_partner(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    with pytest.raises(SelfAddressed) as alone:
        hall.post("Note.", by=eve, to=[eve])
    assert (alone.value.code, alone.value.last_partner) == ("self_addressed", None)

    hall.post("You there?", by=eve, to=[ben])
    with pytest.raises(SelfAddressed) as partnered:
        hall.post("Note.", by=eve, to=["agent:Eve/acme"])

    assert partnered.value.last_partner == "agent:ben-web"
    assert hall.position == 1


@pytest.mark.rule("G-ADDR-11", "G-MODE-10")
def test_nobody_is_woken_by_its_own_message_under_any_form(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.subscribe(by=eve, mode="every_message")
    mine = hall.post("First.", by=eve)

    for options in ({"to": ["all"]}, {"to": [eve, ben]}, {}):
        assert eve not in hall.post("x", by=eve, **options).woken
    assert hall.post("x", by=eve, to=[ben], reply_to=mine.message.id).woken == (ben,)
    assert [wake.conversation for wake in lobby.take_wakes()] == [ben]


@pytest.mark.rule("G-ADDR-16")
@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("agent:nobody", "unknown_agent"),
        ("agent:Eve/nothing", "unknown_label"),
        ("agent:outside", "not_a_member"),
    ],
)
def test_an_address_that_reaches_nobody_refuses_the_whole_message(
    lobby: Lobby, hall: Room, eve: Conversation, to: str, reason: str
) -> None:
    lobby.add_agent("outside")

    with pytest.raises(NotFound) as refused:
        hall.post("x", by=eve, to=["agent:ben-web", to])

    assert refused.value.code == "unknown_address"
    assert (refused.value.details["address"], refused.value.details["reason"]) == (
        *(to, reason),
    )
    assert hall.position == 0
    assert lobby.take_wakes() == []


@pytest.mark.parametrize("spoilt", ["x", "00000000", "99999999", "-0000001", "²"])
def test_a_reply_to_what_is_not_here_is_refused(
    lobby: Lobby, hall: Room, eve: Conversation, spoilt: str
) -> None:
    other = lobby.create_room("other", by=eve)
    there = other.post("Elsewhere.", by=eve).message.id
    token = hall.id.removeprefix("room_")

    for reply_to in (there, f"{token}.{spoilt}", f"{token}.00000001", spoilt, "x" * 9):
        with pytest.raises(NotFound) as refused:
            hall.post("x", by=eve, reply_to=reply_to)
        assert refused.value.code == "reply_not_found"


# -- confirmation


@pytest.mark.rule("G-CONFIRM-01", "G-CONFIRM-02", "G-CONFIRM-04", "G-CONFIRM-05")
def test_subtle_2_seats_are_counted_an_agent_and_only_those_that_would_wake(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    for number in (2, 3):
        rider = lobby.conversation("Eve", thread=f"t-{number}", label=f"later-{number}")
        hall.join(by=rider, mode="next_turn")
    lobby.add_agent("Gennie", threaded=True)
    hall.join(by=lobby.conversation("Gennie", label="stocks"))

    sent = hall.post("One each.", by=ben, to=["all"])
    assert names(sent.woken) == ["agent:Eve/acme", "agent:Gennie/stocks"]

    hall.join(by=lobby.conversation("Eve", thread="t-4", label="audit"))
    with pytest.raises(ConfirmAllThreads) as refused:
        hall.post("Both.", by=ben, to=["all"])

    preview = refused.value.preview
    assert (preview["agent"], preview["count"]) == ("Eve", 2)
    assert preview["waking"] == [
        *("agent:Eve/acme", "agent:Gennie/stocks", "agent:Eve/audit"),
    ]
    assert preview["told_later"] == ["agent:Eve/later-2", "agent:Eve/later-3"]
    assert preview["instead"] == ["agent:Eve/audit", "agent:Eve/new", "room"]
    assert str(refused.value).startswith("nothing was sent: it would wake 2")
    assert hall.position == 1


@pytest.mark.rule("G-CONFIRM-03", "G-CONFIRM-07")
def test_a_confirmed_repeat_wakes_whoever_follows_by_then(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation, audit: Conversation
) -> None:
    with pytest.raises(ConfirmAllThreads):
        hall.post("Both.", by=ben, to=["agent:Eve/all"])
    third = lobby.conversation("Eve", thread="t-3", label="third")
    hall.join(by=third)
    hall.leave(by=eve)

    sent = hall.post("Both.", by=ben, to=["agent:Eve/all"], confirm_all_threads=True)

    assert sent.woken == (audit, third)


# -- following


@pytest.mark.rule("G-FOLLOW-01", "G-FOLLOW-02")
def test_subtle_6_who_posts_follows_and_keeps_a_stronger_mode(
    hall: Room, eve: Conversation, ben: Conversation, audit: Conversation
) -> None:
    hall.subscribe(by=eve, mode="digest")
    hall.subscribe(by=audit, mode="on_demand")

    hall.post("I post.", by=eve)
    hall.post("So do I.", by=audit)
    posted = hall.post(
        "An answer to all.", by=ben, to=["agent:Eve/all"], confirm_all_threads=True
    )

    assert (posted.woken, posted.later) == ((audit,), (eve,))


@pytest.mark.rule("G-FOLLOW-04", "G-ADDR-03")
def test_subtle_3_who_left_by_choice_hears_nothing_and_a_successor_is_started(
    hall: Room, eve: Conversation, ben: Conversation, audit: Conversation
) -> None:
    old = hall.post("An old word.", by=audit)
    hall.leave(by=audit)

    by_reply = hall.post("About that.", by=ben, reply_to=old.message.id)
    by_label = hall.post("And that.", by=ben, to=["agent:Eve/audit"])

    assert (by_reply.woken, by_label.woken) == ((), ())
    assert len({*by_reply.started, *by_label.started, audit, eve}) == 4


@pytest.mark.rule("G-FOLLOW-08", "G-MODE-08")
def test_who_follows_no_more_stays_a_member_and_reads(
    hall: Room, eve: Conversation, ben: Conversation
) -> None:
    hall.subscribe(by=ben, mode="on_demand")
    with pytest.raises(SelfAddressed):  # nobody else follows
        hall.post("Something.", by=eve, to=["all"])
    assert hall.post("Something.", by=eve).woken == ()

    assert [agent.id for agent in hall.members] == ["Eve", "ben-web"]
    assert [one.content for one in hall.read(by=ben)] == ["Something."]


# -- bounds


@pytest.mark.rule("G-RATE-03", "G-RATE-05", "G-RATE-06")
def test_the_thirty_first_post_of_one_conversation_in_five_minutes_is_refused(
    place: Place, hall: Room, eve: Conversation, audit: Conversation
) -> None:
    clock = place.clock
    for _ in range(30):
        with pytest.raises(SelfAddressed):
            hall.post("x", by=eve, to=[eve])
        hall.post("x", by=eve)
        clock.advance(seconds=1)

    with pytest.raises(OverLimit) as refused:
        hall.post("x", by=eve)

    assert refused.value.code == "send_rate"
    assert refused.value.retry_at == clock.at(300)  # the first was at 0
    assert hall.position == 30
    hall.post("x", by=audit)  # the sender is the conversation, not the agent
    clock.now = clock.at(300)
    assert place.crash().room("orders").post("x", by=eve).message.seq == 32


@pytest.mark.rule("G-LIMIT-01", "G-LIMIT-04")
def test_a_long_message_is_cut_to_15000_characters_with_a_notice(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    posted = hall.post("é" * 15_001, by=eve, to=[ben])

    assert posted.message.content == "é" * 15_000
    assert posted.message.truncated_from == 15_001
    [notice] = posted.notices
    assert (notice.kind, dict(notice.data)) == ("cut", {"from": 15_001, "to": 15_000})
    [wake] = lobby.take_wakes()
    assert "15001" in wake.render().replace("é", "")
    exact = hall.post("é" * 15_000, by=eve)
    assert (exact.message.truncated_from, exact.notices) == (None, ())


def test_a_room_that_does_not_cut_refuses(lobby: Lobby) -> None:
    me = lobby.person("me")
    room = lobby.create_room("r", by=me, policy=RoomPolicy(max_message_chars=5))

    with pytest.raises(OverLimit) as refused:
        room.post("x" * 10_000_000, by=me)

    assert refused.value.code == "message_too_long"
    assert (refused.value.details["length"], refused.value.details["limit"]) == (
        *(10_000_000, 5),
    )


@pytest.mark.case("F-126")
def test_hostile_text_is_refused_or_kept_alike_on_every_storage(
    lobby: Lobby, hall: Room, eve: Conversation
) -> None:
    with pytest.raises(InvalidInput) as refused:
        hall.post("hi \ud83d", by=eve)
    assert (refused.value.code, refused.value.field) == ("invalid_request", "content")

    hall.post("a\x00b", by=eve)
    hall.post("ok", by=eve)

    assert [one.content for one in hall.read(by=eve)] == ["a\x00b", "ok"]
    assert [one.seq for one in hall.search("b", by=eve)] == [1]
    assert not any(found.damages for found in lobby.verify().values())


@pytest.mark.parametrize("content", ["", " \n\t ", "\u2003"])
def test_a_message_without_words_is_refused(
    hall: Room, eve: Conversation, content: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        hall.post(content, by=eve)

    assert refused.value.code == "body_empty"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("content", 5), ("content", None), ("content", b"x")),
        *(("by", None), ("by", "agent:Eve/acme"), ("by", 5)),
        *(("to", "agent:ben-web"), ("to", None), ("to", {"all"}), ("to", 5)),
        *(("reply_to", 5), ("confirm_all_threads", "yes"), ("now", "noon")),
    ],
)
def test_a_wrong_argument_is_named(
    hall: Room, eve: Conversation, field: str, value: Any
) -> None:
    given: dict[str, Any] = {"content": "x", "by": eve, field: value}

    with pytest.raises(InvalidInput) as refused:
        hall.post(**given)

    assert (refused.value.code, refused.value.field) == ("invalid_request", field)
    assert hall.position == 0


@pytest.mark.parametrize(
    "address",
    ["", "agent:", "agent:Eve/", "agent: Eve", "'ben-web'", "\ud83d", "x" * 999],
)
def test_a_text_that_is_no_address_is_refused_with_the_grammar(
    hall: Room, eve: Conversation, address: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        hall.post("x", by=eve, to=["room", address])

    assert (refused.value.code, refused.value.field) == ("bad_address", "to[1]")
    assert "agent:<id>/<label>" in refused.value.details["allowed"]


def test_a_naive_instant_is_refused(
    hall: Room, eve: Conversation, clock: Clock
) -> None:
    with pytest.raises(InvalidInput) as refused:
        hall.post("x", by=eve, now=clock.now.replace(tzinfo=None))

    assert refused.value.code == "naive_time"


def test_whoever_is_not_in_the_room_posts_nothing(
    lobby: Lobby, hall: Room, ben: Conversation
) -> None:
    hall.leave(by=ben)
    stranger = lobby.add_agent("stranger").conversation()

    for outsider in (ben, stranger):
        with pytest.raises(NotAllowed) as refused:
            hall.post("x", by=outsider)
        assert refused.value.code == "not_a_member"


def test_what_was_said_stands_in_no_error_and_no_representation(
    lobby: Lobby, hall: Room, eve: Conversation, ben: Conversation
) -> None:
    said = "swordfish"
    posted = hall.post(said, by=eve, to=[ben], request_id="r-1")
    [wake] = lobby.take_wakes()
    page = hall.read(by=ben)
    shown = [repr(one) for one in (posted, posted.message, wake, page, hall, eve)]
    for wrong in (
        {"to": ["agent:nobody"]},
        {"to": [eve]},
        {"reply_to": "nothing"},
        {"request_id": "r-1"},
        {"to": ["agent:"]},
    ):
        with pytest.raises(RoomsError) as refused:
            hall.post(f"{said} again", by=eve, **wrong)
        shown += [str(refused.value), repr(refused.value), repr(refused.value.details)]

    assert not any(said in text for text in shown)


# -- receipts


@pytest.mark.case("F-46", "F-50")
def test_a_receipt_says_for_each_what_became_of_it(lobby: Lobby) -> None:
    policy = presets.thread(
        planner="none", wake_window=RateWindow(1, timedelta(minutes=5))
    )
    room = lobby.create_room("r", by=lobby.person("ops"), policy=policy)
    eve, ada, bo, cy = (
        lobby.add_agent(name).conversation() for name in ("eve", "ada", "bo", "cy")
    )
    room.join(by=eve, mode="every_message").join(by=ada)
    room.join(by=bo, mode="on_demand").join(by=cy, mode="digest")
    room.post("The first place.", by=cy, to=[ada])

    posted = room.post("Hello.", by=cy, to=[ada, bo])
    by_name = room.post("@eve and @ghost, hello", by=lobby.person("ops"))

    assert (posted.woken, posted.held, posted.later) == ((bo,), (ada, eve), ())
    assert (by_name.woken, by_name.later) == ((eve,), (cy,))
    assert by_name.unresolved == ()  # only the run at the start calls
    assert room.post("@ghost hello", by=lobby.person("ops")).unresolved == ("ghost",)


def test_a_receipt_can_be_read_when_its_room_and_its_lobby_are_gone(
    place: Place, lobby: Lobby
) -> None:
    me = lobby.person("me")
    ada = lobby.add_agent("ada").conversation()
    room = lobby.create_room("r", by=me).join(by=ada)
    posted = room.post("Kept.", by=me, to=[ada])

    room.delete(by=me)
    place.close()

    assert (posted.message.content, posted.woken) == ("Kept.", (ada,))
    assert (posted.held, posted.later, posted.started) == ((), (), ())


def test_a_receipt_says_who_is_woken_or_that_nobody_is(rooms_lobby: Lobby) -> None:
    eve, ben = (rooms_lobby.add_agent(name).conversation() for name in ("eve", "ben"))
    room = rooms_lobby.create_room("hall", by=eve, policy="hall").join(by=ben)

    woken = room.post("Ben?", by=eve, to=["agent:ben"])
    nobody = room.post("Ben?", by=eve, to=["ben"])  # a person's name (G-ADDR-02)

    assert repr(woken) == "<Posted #1; woken agent:ben>"
    assert str(nobody) == "#2; wakes nobody"


def test_a_message_stands_for_its_id_and_its_number_does_not(
    rooms_lobby: Lobby,
) -> None:
    ana = rooms_lobby.person("ana")
    eve = rooms_lobby.add_agent("eve").conversation()
    room = rooms_lobby.create_room("r", by=ana).join(by=eve)
    first = room.post("One.", by=ana).message
    number: Any = first.seq

    answer = room.post("Two.", by=eve, reply_to=first).message
    newer = room.post("2.", by=eve, supersedes=answer, reply_to=first).message
    assert answer.reply_to == newer.reply_to == first.id
    assert room.explain(first).seq == first.seq
    page = room.read(by=ana)
    assert page[0].id == first.id
    assert [one.id for one in page[1:]] == [answer.id, newer.id]
    for call in (
        lambda: room.explain(number),
        lambda: room.erase(number, by=ana),
        lambda: room.post("x", by=ana, reply_to=number),
    ):
        with pytest.raises(InvalidInput, match=r"message\.id"):
            call()
    room.erase(first, by=ana)
    assert room.read(by=ana)[0].erased

    revision = room.files.write("a.md", "1", by=eve)
    changed = room.files.write("a.md", "2", by=eve, base=revision)
    assert changed.base == revision.id
    assert room.files.remove("a.md", by=eve, base=changed).base == changed.id
