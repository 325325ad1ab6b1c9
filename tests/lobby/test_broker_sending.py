"""Messages without a room, their retries, what they mean and what they replace."""

from __future__ import annotations

from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from lobby.broker import added, code_of, inbox, refusal
from lobby.place import Clock, Place
from rooms import (
    Conversation,
    Credentials,
    IdempotencyConflict,
    Lobby,
    OverLimit,
    Room,
    Wake,
    presets,
)
from rooms.errors import CODES
from rooms.testing import check_replay

Pair = tuple[Conversation, Conversation]
KIB = 1_024


@pytest.fixture
def pair(lobby: Lobby) -> Pair:
    a, b = added(lobby, "a", "b")
    return a, b


# -- a room of two


@pytest.mark.rule("L-SEND-04", "L-SEND-13")
def test_a_direct_message_is_a_message_of_a_room_of_two(
    lobby: Lobby, pair: Pair
) -> None:
    a, b = pair
    first = lobby.send("hello", by=a, to="b")
    second = lobby.send("hello yourself", by=b, to=a)

    assert first.room == second.room
    assert [one.id for one in first.room.members] == ["a", "b"]
    assert (first.recipients, first.woken, first.duplicate) == ((b,), (b,), False)
    assert (second.recipients, second.message.seq) == ((a,), 2)
    assert inbox(lobby, b) == ["hello"]
    [c] = added(lobby, "c")
    assert code_of(lambda: first.room.read(by=c)) == "room_not_found"
    assert code_of(lambda: first.room.join(by=c)) == "room_not_found"
    assert lobby.list_rooms(by=a).items == ()


@pytest.mark.rule("L-SEND-04")
@pytest.mark.parametrize("to", [["b"], None, 1, "", "agent:b/x", "room", "*b"])
def test_to_is_one_agent_or_all(lobby: Lobby, pair: Pair, to: Any) -> None:
    a, _ = pair
    assert code_of(lambda: lobby.send("x", by=a, to=to)) in {
        *("invalid_request", "bad_address", "agent_not_found"),
    }
    assert lobby.rooms == ()


@pytest.mark.rule("L-SEND-07")
def test_who_cannot_be_written_to(lobby: Lobby, pair: Pair) -> None:
    a, _ = pair
    lobby.person("ana")
    assert code_of(lambda: lobby.send("x", by=a, to="ghost")) == "agent_not_found"
    assert code_of(lambda: lobby.send("x", by=a, to="ana")) == "agent_required"
    lobby.agent("b").change(enabled=False)
    assert code_of(lambda: lobby.send("x", by=a, to="b")) == "recipient_disabled"
    assert lobby.rooms == ()


@pytest.mark.rule("L-SEND-06")
def test_a_note_to_oneself_is_a_reminder_and_a_fanout_leaves_the_sender_out(
    lobby: Lobby, pair: Pair
) -> None:
    a, b = pair
    lobby.agent("a").change(can_broadcast=True)
    assert lobby.send("remember", by=a, to="a").recipients == (a,)
    assert lobby.send("all", by=a, to="*").recipients == (b,)
    assert inbox(lobby, a) == ["remember"]


@pytest.mark.rule("L-SEND-06", "L-KIND-03")
def test_a_conversation_writes_to_itself_by_its_label_as_by_its_handle(
    lobby: Lobby,
) -> None:
    [lead] = added(lobby, "lead", manage_rooms=True)
    tee = lobby.add_agent("tee", threaded=True)
    mine, other = tee.conversation(label="mine"), tee.conversation(label="other")
    policy = presets.broker(membership="open")
    room = lobby.create_room("app", by=lead, policy=policy)
    for one in (mine, other):
        room.join(by=one)
    for to in (mine, "agent:tee/mine"):
        sent = room.post("Remember.", by=mine, to=[to], kind="question")
        assert sent.recipients == (mine,)
        assert sent.message.expects_reply is False
    sent = room.post("And you?", by=mine, to=["agent:tee/other"], kind="question")
    assert (sent.recipients, sent.message.expects_reply) == ((other,), True)
    assert check_replay(lobby._desk.storage).divergences == ()


@pytest.mark.rule("L-ADDR-04", "L-ADDR-05")
def test_a_named_audience_is_a_set_whatever_its_order(lobby: Lobby) -> None:
    [lead] = added(lobby, "lead", manage_rooms=True)
    b, c = added(lobby, "b", "c")
    room = lobby.create_room("app", by=lead, policy="broker")
    room.change_members(add=["lead", "b", "c"], by=lead)
    for to in (["b", "c"], ["c", "b"]):
        assert room.post("x", by=lead, to=to).recipients == (b, c)
    assert check_replay(lobby._desk.storage).divergences == ()


@pytest.mark.rule("L-AGENT-10")
def test_the_name_of_a_disabled_agent_starts_nothing(
    lobby: Lobby, clock: Clock
) -> None:
    ana = lobby.person("ana")
    tee = lobby.add_agent("tee", threaded=True)
    room = lobby.create_room("talk", by=ana).join(by=tee.conversation(label="old"))
    room.leave(by=tee.conversation(label="old"))
    room.post("@tee, later?", by=ana, to=["agent:tee"], deliver_at=clock.at(60))
    tee.change(enabled=False)
    assert room.post("@tee, are you there?", by=ana).recipients == ()
    clock.advance(60)
    lobby.deliver()
    assert [message.content[:4] for message in room.read(by=ana)] == ["@tee", "@tee"]
    assert [one.label for one in tee.conversations()] == ["old"]
    assert room.conversations == ()
    assert check_replay(lobby._desk.storage).divergences == ()


@pytest.mark.rule("L-SEND-09", "L-SEND-15")
def test_a_retry_shows_the_first_recipients(lobby: Lobby, pair: Pair) -> None:
    """The fifth of the subtlest: who came later is not among them."""
    a, b = pair
    lobby.agent("a").change(can_broadcast=True)
    lobby.agent("b").change(paused=True)  # not there at present counts too
    first = lobby.send("all", by=a, to="*", request_id="k")
    added(lobby, "c")
    again = lobby.send("all", by=a, to="*", request_id="k")

    assert first.recipients == again.recipients == (b,)
    assert (again.duplicate, again.message) == (True, first.message)
    assert first.room.position == 1


@pytest.mark.rule("L-SEND-15", "L-SEND-16", "L-SEND-17")
def test_a_key_stands_for_one_request_of_its_sender(lobby: Lobby, pair: Pair) -> None:
    a, b = pair
    first = lobby.send("hello", by=a, to="b", request_id="k")

    for other in (
        lambda: lobby.send("hullo", by=a, to="b", request_id="k"),
        lambda: lobby.send("hello", by=a, to="a", request_id="k"),
        lambda: lobby.send("hello", by=a, to="b", request_id="k", kind="notice"),
        lambda: first.room.post("hello", by=a, to=["b"], request_id="k"),
    ):
        refused = refusal(other)
        assert isinstance(refused, IdempotencyConflict)
        assert refused.details["original_message_id"] == first.message.id
        assert refused.details["original_created_at"] == first.message.at
        assert first.message.id in str(refused)
    assert lobby.send("hello", by=b, to="a", request_id="k").duplicate is False
    assert lobby.send("hello", by=a, to="b", request_id="k2").duplicate is False
    assert lobby.send("hello", by=a, to="b").duplicate is False


@pytest.mark.rule("L-SEND-03")
@pytest.mark.parametrize("wrong", ["", "x" * 129, "a\nb"])
def test_ids_of_requests_and_correlations_have_bounds(
    lobby: Lobby, pair: Pair, wrong: str
) -> None:
    a, _ = pair
    longest = "x" * 128
    sent = lobby.send("x", by=a, to="b", request_id=longest, correlation=longest)

    assert sent.message.correlation == longest
    for name in ("request_id", "correlation"):
        given: dict[str, Any] = {name: wrong}
        refused = code_of(partial(lobby.send, "x", by=a, to="b", **given))
        assert refused == "invalid_request"


@pytest.mark.rule("L-SEND-23", "L-SEND-12")
def test_a_retry_is_answered_before_anything_that_may_have_changed(
    lobby: Lobby, pair: Pair, clock: Clock
) -> None:
    """The first of the subtlest: permission, rate, size and membership come after."""
    a, _ = pair
    ana = lobby.person("ana")
    room = lobby.create_room("r", by=ana, policy="broker")
    room.set_members(["a", "b"], by=ana)
    in_room = room.post("x", by=a, request_id="r")
    sent = lobby.send("x", by=a, to="b", request_id="k", supersedes=None)
    for number in range(59):
        lobby.send(f"{number}", by=a, to="b")
    full = refusal(lambda: lobby.send("one more", by=a, to="b"))
    assert (full.code, isinstance(full, OverLimit)) == ("send_rate", True)
    assert lobby.send("x", by=a, to="b", request_id="k").message == sent.message
    lobby.agent("a").change(allowed_recipients=[])
    assert lobby.send("x", by=a, to="b", request_id="k").duplicate
    room.change_members(remove=["a"], by=ana)
    assert room.post("x", by=a, request_id="r").message == in_room.message
    clock.advance(60)
    lobby.agent("a").change(allowed_recipients="all")
    assert lobby.send("one more", by=a, to="b").duplicate is False


@pytest.mark.rule("L-SEND-30")
def test_what_came_of_a_crash_is_found_by_asking_again(place: Place) -> None:
    lobby = place.open()
    [a, _] = added(lobby, "a", "b")
    sent = lobby.send("x", by=a, to="b", request_id="k")
    again = place.crash()
    retried = again.send(
        "x", by=again.agent("a").conversation(), to="b", request_id="k"
    )

    assert (retried.duplicate, retried.message.id) == (True, sent.message.id)
    assert retried.room.position == 1


def test_two_processes_that_write_first_make_one_room(place: Place) -> None:
    one, two = place.open(), place.open()
    [a, _] = added(one, "a", "b")
    assert [agent.id for agent in two.agents] == ["a", "b"]
    first = one.send("from a", by=a, to="b")
    second = two.send("from b", by=two.agent("b").conversation(), to="a")

    assert first.room.id == second.room.id
    assert second.message.seq == 2


@pytest.mark.rule("L-SEND-31", "L-LIMIT-07")
def test_a_refused_message_leaves_nothing(lobby: Lobby, pair: Pair) -> None:
    a, _ = pair
    before = "".join(lobby.export())
    for call in (
        lambda: lobby.send(" ", by=a, to="b"),
        lambda: lobby.send("x" * 65_537, by=a, to="b"),
        lambda: lobby.send("x", by=a, to="b", supersedes="nothing"),
        lambda: lobby.send("x", by=a, to="b", reply_to="nothing"),
        lambda: lobby.send("x", by=a, to="b", kind="plea"),
    ):
        code_of(call)
    assert "".join(lobby.export()) == before


def test_a_room_of_two_that_its_person_deleted_is_made_anew(
    lobby: Lobby, pair: Pair
) -> None:
    a, _ = pair
    ana = lobby.person("ana")
    first = lobby.send("hello", by=ana, to="a", request_id="k")
    first.room.delete(by=ana)
    again = lobby.send("hello", by=ana, to="a", request_id="k")

    assert again.room != first.room
    assert (again.duplicate, again.recipients) == (False, (a,))


def test_an_import_knows_rooms_of_two_keys_and_tokens(lobby: Lobby, pair: Pair) -> None:
    a, _ = pair
    token = Credentials(lobby).issue(lobby.agent("a"))
    first = lobby.send("hello", by=a, to="b", request_id="k")
    second = lobby.send("hello?", by=a, to="b", supersedes=first.message.id)
    with Lobby.import_from(lobby.export(), "memory:") as copy:
        same = Credentials(copy).actor(token)
        retried = copy.send("hello", by=same, to="b", request_id="k")
        other = copy.send("more", by=same, to="b")

        assert (retried.duplicate, retried.room.id) == (True, first.room.id)
        assert (other.room.id, other.message.seq) == (first.room.id, 3)
        assert retried.message.superseded_by == second.message.id


# -- replies


@pytest.mark.parametrize("threaded", [True, False])
def test_a_person_relates_to_a_message_of_another_room_and_addresses_nobody_by_it(
    lobby: Lobby, *, threaded: bool
) -> None:
    """Its author has a seat there, and may have none here."""
    ana = lobby.person("ana")
    lobby.add_agent("eve", threaded=threaded)
    eve = lobby.conversation("eve", thread="one" if threaded else None)
    lobby.add_agent("ben")
    room = lobby.create_room("r", by=ana).join(by=eve)
    asked = room.post("Which?", by=eve).message

    for to in ("eve", "ben"):
        posted = lobby.send("This one.", by=ana, to=to, reply_to=asked.id)

        assert posted.message.reply_to == asked.id
        [told] = posted.message.to
        assert str(told).startswith(f"agent:{to}")
        assert posted.room.id != room.id


@pytest.mark.rule("L-SEND-25", "L-SEND-26", "L-SEND-27")
def test_a_reply_names_a_message_that_its_sender_may_read(
    lobby: Lobby, pair: Pair
) -> None:
    """Ours tell what never was from what is forgotten, so the first is refused."""
    a, b = pair
    [c] = added(lobby, "c")
    ana = lobby.person("ana")
    room = lobby.create_room("r", by=ana, policy="broker", access="invite_only")
    room.set_members(["a", "b"], by=ana)
    asked = room.post("a question", by=a).message
    for_a = room.post("for a alone", by=b, to=["a"]).message

    answer = lobby.send("in private", by=b, to="a", reply_to=asked.id)
    assert answer.message.reply_to == asked.id
    assert room.post("it read it", by=a, reply_to=for_a.id).message.reply_to == for_a.id
    for wrong in (asked.id[:8], asked.id + "0", "1a9b3dff", ""):
        refused = code_of(partial(lobby.send, "x", by=b, to="a", reply_to=wrong))
        assert refused == "reply_not_found"
    hidden = code_of(lambda: lobby.send("x", by=c, to="a", reply_to=asked.id))
    assert hidden == "reply_not_found"
    room.change_members(remove=["b"], by=ana)
    gone = code_of(lambda: lobby.send("x", by=b, to="a", reply_to=asked.id))
    assert gone == "reply_not_found"
    room.erase(asked.id, by=ana)
    assert room.post("to what is erased", by=a, reply_to=asked.id).message.reply_to


@pytest.mark.rule("L-SEND-29")
def test_the_owner_needs_no_permission_and_no_membership(
    lobby: Lobby, pair: Pair
) -> None:
    a, b = pair
    ana = lobby.person("ana")
    assert lobby.send("x", by=ana, to="*").recipients == (a, b)
    sent = lobby.send("x", by=ana, to="a")
    assert (sent.recipients, sent.message.sender) == ((a,), ana)
    room = lobby.create_room("r", by=ana, policy="broker").set_members(["b"], by=ana)
    assert room.post("x", by=ana).recipients == (b,)


# -- sizes


@pytest.mark.rule("L-SEND-08", "L-LIMIT-02")
@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("x" * 65_536, True),
        ("x" * 65_537, False),
        ("\n" * 16 + "x" * 65_504, True),  # a line's end is two bytes
        ("\n" * 16 + "x" * 65_505, False),
        ('"' * 32_768, True),
        ('"' * 32_769, False),
        ("\x01" * 10_922 + "xxxx", True),  # 6 * 10,922 + 4 = 65,536
        ("\x01" * 10_923, False),
        ("\u00e9" * 32_768, True),  # two bytes of UTF-8
        ("\u00e9" * 32_769, False),
    ],
)
def test_a_text_is_measured_as_json_writes_it(
    lobby: Lobby, pair: Pair, text: str, fits: bool
) -> None:
    a, _ = pair
    if fits:
        assert lobby.send(text, by=a, to="b").message.content == text
    else:
        refused = refusal(lambda: lobby.send(text, by=a, to="b"))
        assert refused.code == "message_too_long"
        assert refused.details["limit"] == 65_536


@pytest.mark.rule("L-SEND-10", "L-LIMIT-03")
def test_a_full_inbox_refuses_the_whole_fanout(lobby: Lobby, pair: Pair) -> None:
    """The seventh of the subtlest; the inbox is the sum over all of its rooms."""
    a, b = pair
    lobby.agent("a").change(can_broadcast=True)
    [c] = added(lobby, "c")
    for number in range(32):
        sender = a if number % 2 else c
        lobby.send("x" * 65_536, by=sender, to="b")
    for number in range(31):
        lobby.send("x" * 65_536, by=(a if number % 2 else c), to="b")
    assert lobby.send("x" * 65_535, by=a, to="b").recipients == (b,)
    assert lobby.send("x", by=a, to="*").recipients == (b, c)  # 4 MiB to the byte
    refused = refusal(lambda: lobby.send("x", by=a, to="*"))

    assert (refused.code, refused.details["agents"]) == ("inbox_capacity", ("b",))
    assert inbox(lobby, c)[-1] == "x"
    wakes = lobby.take_wakes(conversations=[b], limit=100)
    wakes[0].room.acknowledge([wakes[0].messages[0].id], by=b)
    assert set(lobby.send("x", by=a, to="*").recipients) == {b, c}


def test_a_policy_may_pass_over_who_is_full(lobby: Lobby, pair: Pair) -> None:
    a, b = pair
    [c] = added(lobby, "c")
    policy = presets.broker(backlog=10, backlog_full="skip", membership="open")
    room = lobby.create_room("r", by=a, policy=policy).join(by=b)
    room.post("x" * 8, by=a)
    room.join(by=c)
    posted = room.post("y" * 8, by=a)

    assert posted.recipients == (c,)
    [notice] = posted.notices
    assert (notice.kind, notice.data["agents"]) == ("skipped", "b")


# -- kinds


@pytest.mark.rule("L-KIND-01", "L-KIND-04", "L-ERR-07")
def test_each_kind_has_its_expectation_and_a_word_overrides_it(
    lobby: Lobby, pair: Pair
) -> None:
    a, _ = pair
    expected = {
        "request": True,
        "notice": False,
        "assignment": True,
        "report": False,
        "question": True,
    }
    for kind, expects in expected.items():
        sent = lobby.send("x", by=a, to="b", kind=kind).message
        assert (sent.kind, sent.expects_reply) == (kind, expects)
        said = lobby.send("x", by=a, to="b", kind=kind, expects_reply=not expects)
        assert said.message.expects_reply is not expects
    refused = refusal(lambda: lobby.send("x", by=a, to="b", kind="plea"))
    assert refused.code == "invalid_request"
    assert all(kind in str(refused) for kind in expected)


@pytest.mark.rule("L-KIND-02", "L-KIND-05")
def test_without_a_kind_nothing_is_made_up(lobby: Lobby, pair: Pair) -> None:
    a, _ = pair
    plain = lobby.send("x", by=a, to="b").message
    said = lobby.send("x", by=a, to="b", expects_reply=False).message

    assert (plain.kind, plain.expects_reply) == (None, None)
    assert (said.kind, said.expects_reply) == (None, False)


@pytest.mark.rule("L-KIND-03")
def test_a_note_to_oneself_expects_no_reply_unless_it_says_so(
    lobby: Lobby, pair: Pair
) -> None:
    a, _ = pair
    note = lobby.send("x", by=a, to="a", kind="question").message
    said = lobby.send("x", by=a, to="a", kind="question", expects_reply=True).message

    assert (note.expects_reply, said.expects_reply) == (False, True)


SAME: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({"kind": "notice"}, {"kind": "notice", "expects_reply": False}, True),
    ({"kind": "report"}, {"kind": "report", "expects_reply": False}, False),
    ({}, {"kind": "request"}, True),
    ({"kind": "request"}, {}, True),
    ({}, {"kind": "request", "expects_reply": True}, True),
    ({}, {"expects_reply": True}, False),
    ({}, {"expects_reply": False}, False),
    ({"kind": "question"}, {"kind": "question", "expects_reply": True}, True),
    ({"kind": "question"}, {"kind": "assignment"}, False),
    ({}, {"urgency": "normal"}, True),
    ({}, {"urgency": "now"}, False),
    ({}, {"fields": {}}, True),
    ({}, {"fields": {"commit": None}}, True),
    ({"fields": {"commit": "1f"}}, {"fields": {"commit": "2e"}}, False),
    ({}, {"correlation": "c-1"}, False),
]


@pytest.mark.rule("L-SEND-19", "L-SEND-20", "L-SEND-21")
@pytest.mark.parametrize(("first", "again", "same"), SAME)
def test_a_written_default_is_its_omission_but_for_a_report(
    lobby: Lobby, pair: Pair, first: dict[str, Any], again: dict[str, Any], same: bool
) -> None:
    """The second and the third of the subtlest; what was stored first stays so."""
    a, _ = pair
    sent = lobby.send("x", by=a, to="b", request_id="k", **first)
    if same:
        retried = lobby.send("x", by=a, to="b", request_id="k", **again)
        assert (retried.duplicate, retried.message) == (True, sent.message)
        assert retried.message.kind == first.get("kind")
    else:
        refused = code_of(
            lambda: lobby.send("x", by=a, to="b", request_id="k", **again)
        )
        assert refused == "idempotency_conflict"


@pytest.mark.rule("L-SEND-22")
def test_the_digest_of_a_request_is_for_ever() -> None:
    """Worked out from its canonical text by another implementation of BLAKE2b."""
    from hashlib import blake2b  # noqa: PLC0415

    from rooms.lobby.recording.requests import fingerprint  # noqa: PLC0415

    text = b'[1,"send","x","agent:b",null]'
    assert fingerprint("send", "x", "agent:b", None) == (
        blake2b(text, digest_size=16).hexdigest()
    )


@pytest.mark.rule("L-SEND-02", "L-SEND-14")
def test_a_message_has_what_it_was_given(lobby: Lobby, pair: Pair) -> None:
    a, _ = pair
    sent = lobby.send("x", by=a, to="b", urgency="now", correlation="c").message

    assert (sent.sender, sent.to, sent.urgency, sent.correlation) == (
        *(a, ("agent:b",), "now", "c"),
    )
    assert (sent.reply_to, sent.supersedes, sent.superseded_by) == (None, None, None)
    plain = lobby.send("x", by=a, to="b").message
    assert (plain.urgency, plain.correlation, dict(plain.fields)) == (
        *("normal", None, {}),
    )
    wrong = code_of(lambda: lobby.send("x", by=a, to="b", urgency="important"))
    assert wrong == "invalid_request"


def test_what_is_quiet_rides_with_what_wakes(lobby: Lobby, pair: Pair) -> None:
    a, b = pair
    quiet = lobby.send("quiet", by=a, to="b", urgency="quiet")

    assert (quiet.recipients, quiet.woken, quiet.later) == ((b,), (), (b,))
    assert lobby.take_wakes() == []
    lobby.send("loud", by=a, to="b")
    assert inbox(lobby, b) == ["quiet", "loud"]


@pytest.mark.rule("L-SEND-32")
def test_what_is_urgent_is_taken_before_what_waits_longer(
    lobby: Lobby, pair: Pair
) -> None:
    a, _ = pair
    ana = lobby.person("ana")
    rooms = []
    for name in ("first", "second", "third"):
        room = lobby.create_room(name, by=ana, policy="broker")
        rooms.append(room.set_members(["a", "b"], by=ana))
        room.post(name, by=a)
    urgent = rooms[2].post("at once", by=a, urgency="now")

    def next_one() -> Wake:
        [wake] = lobby.take_wakes(agents=["b"], limit=1)
        return wake

    wake = next_one()
    assert [one.content for one in wake.messages] == ["third", "at once"]
    lobby.give_back(wake)
    assert next_one().room == urgent.room  # it is as urgent as it was
    rooms[0].post("more", by=a)
    rooms[1].post("at once, too", by=a, urgency="now")
    assert next_one().room == rooms[1]
    assert next_one().room == rooms[0]
    assert lobby.take_wakes(agents=["b"], limit=1) == []
    rooms[2].post("in good time", by=a)
    rooms[0].post("again", by=a)
    assert {one.room for one in lobby.take_wakes()} == {rooms[0], rooms[2]}


# -- fields


@pytest.mark.rule("L-KIND-06", "L-KIND-08", "L-LIMIT-02")
@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ({"commit": "x" * 100}, True),
        ({"commit": "x" * 101}, False),
        ({"commit": "a\nb"}, False),
        ({"commits": ["x"] * 10}, True),
        ({"commits": ["x"] * 11}, False),
        ({"commits": []}, False),
        ({"commits": "x"}, False),
        ({"files": ["x" * 300] * 20}, True),
        ({"files": ["x"] * 51}, False),
        ({"files": ["x" * 301]}, False),
        ({"options": ["x" * 500] * 10}, True),
        ({"options": ["x" * 501]}, False),
        ({"options": ["x"] * 11}, False),
        ({"recommendation": "x" * 2_000}, True),
        ({"recommendation": "x" * 2_001}, False),
        ({"recommendation": "a\nb"}, True),
        ({"evidence": "repo:docs/report.md"}, True),
        ({"evidence": "https://example.org/run"}, True),
        ({"evidence": "x:" + "y" * 10}, False),
        ({"evidence": "dropbox:team/run-42"}, True),
        ({"evidence": "/Users/eve/report.md"}, False),
        ({"evidence": "C:\\report.md"}, False),
        ({"evidence": "c:\\report.md"}, False),
        ({"evidence": "file:///Users/eve"}, False),
        ({"evidence": "Repo:docs"}, False),
        ({"evidence": "repo:"}, False),
        ({"evidence": "ab:" + "x" * 498}, False),
        ({"ghost": "x"}, False),
        ({"commit": 1}, False),
        ({"commit": "\ud800"}, False),
        ("commit", False),
    ],
)
def test_fields_have_their_forms(
    lobby: Lobby, pair: Pair, fields: Any, fits: bool
) -> None:
    a, _ = pair
    if fits:
        assert lobby.send("x", by=a, to="b", fields=fields).message.fields == fields
    else:
        refused = refusal(lambda: lobby.send("x", by=a, to="b", fields=fields))
        assert refused.code == "invalid_request"
        assert "fields" in str(refused)
        if isinstance(fields, dict) and "evidence" in fields and ":" in str(fields):
            assert "repo:docs/report.md" in str(refused) or len(str(fields)) > 500


@pytest.mark.rule("L-KIND-07")
def test_fields_are_8_kib_together_and_count_in_the_inbox(
    lobby: Lobby, pair: Pair
) -> None:
    a, b = pair
    # '{"files":["…",…],"options":["…"]}' in bytes, worked out by hand:
    # 20 paths of 300 are 20 * 303 - 1 + 11 = 6,070; what is left for the options and
    # their frame ',"options":["…","…",…]' up to 8,192 - 2 braces is 2,120.
    paths = ["p" * 300] * 20
    frame = len(',"options":["","","","",""]')
    left = 8_192 - 2 - len('"files":[' + ",".join(f'"{one}"' for one in paths) + "]")
    sizes = [500, 500, 500, 500, left - frame - 2_000]
    options = ["o" * size for size in sizes]
    lobby.send("x", by=a, to="b", fields={"files": paths, "options": options})
    options[-1] += "o"
    refused = refusal(
        lambda: lobby.send(
            "x", by=a, to="b", fields={"files": paths, "options": options}
        )
    )
    assert refused.code == "too_large"
    policy = presets.broker(backlog=20)
    [c] = added(lobby, "c")
    small = lobby.send("12345678", by=a, to=c, policy=policy)  # 8 bytes
    full = code_of(
        lambda: lobby.send("1", by=a, to=c, fields={"commit": "2"})  # and 1 + 14
    )
    assert (small.recipients, full) == ((c,), "inbox_capacity")
    assert small.room.post("123456789012", by=a, to=["c"]).recipients == (c,)
    assert b


# -- what replaces what


@pytest.fixture
def room(lobby: Lobby, pair: Pair) -> Room:
    ana = lobby.person("ana")
    added(lobby, "c")
    return lobby.create_room("r", by=ana, policy="broker").set_members(
        ["a", "b", "c"], by=ana
    )


@pytest.mark.rule("L-SUPER-01", "L-SUPER-02", "L-SUPER-06")
def test_a_message_replaces_one_of_its_senders_once(
    lobby: Lobby, pair: Pair, room: Room
) -> None:
    a, b = pair
    first = room.post("first", by=a)
    for wrong in ("", first.message.id[:8], "x", "room.1"):
        assert code_of(partial(room.post, "x", by=a, supersedes=wrong)) in {
            "supersedes_not_found",
            "invalid_request",
        }
    others = code_of(lambda: room.post("x", by=b, supersedes=first.message.id))
    assert others == "supersedes_not_found"
    second = room.post("second", by=a, supersedes=first.message.id)
    assert second.message.supersedes == first.message.id
    assert room.read(by=b).items[0].superseded_by == second.message.id
    again = refusal(lambda: room.post("x", by=a, supersedes=first.message.id))
    assert (again.code, again.details["current"]) == (
        *("already_superseded", second.message.id),
    )
    third = room.post("third", by=a, supersedes=second.message.id)
    shown = [(one.content, one.superseded_by) for one in room.read(by=b).items]
    assert shown == [
        ("first", second.message.id),
        ("second", third.message.id),
        ("third", None),
    ]


@pytest.mark.rule("L-SUPER-04")
def test_it_has_to_reach_everybody_whom_the_earlier_one_reached(
    pair: Pair, room: Room
) -> None:
    a, _ = pair
    first = room.post("to all", by=a)
    refused = refusal(
        lambda: room.post("x", by=a, to=["b"], supersedes=first.message.id)
    )
    assert (refused.code, refused.details["missing"]) == ("supersedes_audience", ("c",))
    named = room.post("to b", by=a, to=["b"])
    wider = room.post("to all", by=a, supersedes=named.message.id)
    assert len(wider.recipients) == 2


@pytest.mark.rule("L-SUPER-05", "L-SEND-28")
def test_a_retry_comes_before_its_checks_and_is_one_commit(
    lobby: Lobby, pair: Pair, room: Room
) -> None:
    a, _ = pair
    first = room.post("first", by=a)
    wrong = room.post("an answer", by=a, reply_to=first.message.id)
    fixed = room.post("an answer", by=a, supersedes=wrong.message.id, request_id="k")
    retried = room.post("an answer", by=a, supersedes=wrong.message.id, request_id="k")
    assert (retried.duplicate, retried.message) == (True, fixed.message)


@pytest.mark.rule("L-SUPER-08")
def test_what_was_ready_stays_and_what_waited_rides_along(
    lobby: Lobby, pair: Pair, clock: Clock
) -> None:
    """Ledger 14: nothing is withdrawn; what nobody was to be woken for yet, is not."""
    a, b = pair
    policy = presets.broker(wake_window=presets.broker().wake_window)
    ready = lobby.send("ready", by=a, to="b", policy=policy, urgency="now")
    later = lobby.send("instead", by=a, to="b", supersedes=ready.message.id)

    assert (ready.message.urgency, later.message.urgency) == ("now", "normal")
    assert inbox(lobby, b) == ["ready", "instead"]
    lobby.agent("b").change(paused=True)
    held = lobby.send("held", by=a, to="b")
    assert held.held == (b,)
    lobby.send("for it", by=a, to="b", supersedes=held.message.id)
    steps = str(held.room.explain(held.message.id))
    assert "it was replaced" in steps
    lobby.agent("b").change(paused=False)
    clock.advance(1)
    for wake in lobby.take_wakes(conversations=[b]):
        assert {one.content for one in wake.messages} == {"held", "for it"}


# -- limits and codes


@pytest.mark.rule("L-LIMIT-01", "L-LIMIT-02", "L-LIMIT-03", "L-LIMIT-04")
def test_the_presets_limits_are_those_of_the_document() -> None:
    policy = presets.broker()

    assert (policy.max_members, policy.max_named) == (100, 20)
    assert (policy.max_message_bytes, policy.backlog) == (64 * KIB, 4 * KIB * KIB)
    assert policy.send_window is not None
    assert policy.pushes is not None
    minute = timedelta(minutes=1)
    assert (policy.send_window.limit, policy.send_window.period) == (60, minute)
    window = policy.pushes.window
    assert (window.limit, window.period, policy.wake_window) == (30, minute, None)
    assert (policy.max_attachments, policy.max_attachment_bytes) == (5, 10 * KIB * KIB)


@pytest.mark.rule("L-ERR-01")
def test_an_error_has_a_code_words_and_data(lobby: Lobby, pair: Pair) -> None:
    a, _ = pair
    refused = refusal(lambda: lobby.send("x", by=a, to="b", kind="plea"))

    assert refused.code in CODES
    assert str(refused).endswith(f"[{refused.code}]")
    assert dict(refused.details)["field"] == "kind"


@pytest.mark.rule("L-ERR-02", "L-ERR-03", "L-ERR-04", "L-ERR-05", "L-ERR-06")
def test_each_code_of_the_areas_is_explained_with_its_class() -> None:
    """One code a meaning: where the hall has a word for it, that is the code."""
    classes = {
        **dict.fromkeys(
            ("invalid_request", "reserved_identity", "agent_required"), 400
        ),
        **dict.fromkeys(
            ("query_needs_history", "ids_need_history", "headers_need_history"), 400
        ),
        **dict.fromkeys(("awaiting_needs_history", "unanswered_needs_history"), 400),
        **dict.fromkeys(("awaiting_or_unanswered", "deliver_at_out_of_range"), 400),
        "unauthorized": 401,
        **dict.fromkeys(
            ("recipient_forbidden", "broadcast_forbidden", "not_a_member"), 403
        ),
        **dict.fromkeys(("room_management_forbidden", "agent_disabled"), 403),
        **dict.fromkeys(("agent_not_found", "room_not_found", "reply_not_found"), 404),
        "supersedes_not_found": 404,
        **dict.fromkeys(("stale_runtime", "not_room_member", "agent_exists"), 409),
        **dict.fromkeys(("idempotency_conflict", "agent_capacity", "room_exists"), 409),
        **dict.fromkeys(("recipient_disabled", "inbox_capacity"), 409),
        **dict.fromkeys(("room_archived", "room_capacity", "already_superseded"), 409),
        **dict.fromkeys(("supersedes_audience", "member_limit"), 409),
        **dict.fromkeys(("message_too_long", "too_large"), 413),
        "not_text": 415,
        "send_rate": 429,
        **dict.fromkeys(("hook_failed", "unsupported_schema"), 500),
        "storage_full": 507,
    }
    assert {code: CODES[code].http for code in classes} == classes
