"""Rooms whose membership a lead says: members, named audiences, archives."""

from __future__ import annotations

import pytest

from lobby.broker import added, code_of, inbox, refusal
from lobby.place import Place
from rooms import Conversation, Lobby, Room, presets

Four = tuple[Conversation, Conversation, Conversation, Conversation]


@pytest.fixture
def four(lobby: Lobby) -> Four:
    """A lead, and three that are none."""
    [lead] = added(lobby, "lead", manage_rooms=True)
    a, b, c = added(lobby, "a", "b", "c")
    return lead, a, b, c


@pytest.fixture
def room(lobby: Lobby, four: Four) -> Room:
    lead, *_ = four
    made = lobby.create_room("r", by=lead, policy="broker", access="invite_only")
    return made.set_members(["a", "b"], by=lead)


def names(room: Room) -> list[str]:
    return [agent.id for agent in room.members]


@pytest.mark.rule("L-ROOM-01")
def test_a_new_room_is_empty_and_its_name_is_taken(place: Place) -> None:
    lobby = Lobby(place.storage, max_rooms=2)
    [lead] = added(lobby, "lead", manage_rooms=True)
    one = lobby.create_room("r", by=lead, policy="broker")

    assert names(one) == []
    again = code_of(lambda: lobby.create_room("r", by=lead, policy="broker"))
    assert again == "room_exists"
    lobby.create_room("s", by=lead, policy="broker")
    lobby.send("a direct message is no room of these", by=lead, to="lead")
    full = code_of(lambda: lobby.create_room("t", by=lead, policy="broker"))
    assert full == "room_capacity"


@pytest.mark.rule("L-AGENT-06")
def test_only_a_lead_creates_and_changes_and_deletes(
    lobby: Lobby, four: Four, room: Room
) -> None:
    lead, a, _, c = four
    for call in (
        lambda: lobby.create_room("s", by=a, policy="broker"),
        lambda: room.set_members(["c"], by=a),
        lambda: room.change_members(add=["c"], by=a),
        lambda: room.leave(by=a),
        lambda: room.invite("c", by=a),
    ):
        assert code_of(call) == "room_management_forbidden"
    assert code_of(lambda: room.delete(by=a)) == "not_owner"
    assert code_of(lambda: room.join(by=c)) == "room_not_found"
    assert names(room) == ["a", "b"]
    room.change_members(add=["c"], by=lead)
    assert room.delete(by=lead).former_members == ("a", "b", "c")


@pytest.mark.rule("L-ROOM-02")
def test_who_lists_which_rooms(lobby: Lobby, four: Four, room: Room) -> None:
    lead, a, _, c = four
    other = lobby.create_room("s", by=lead, policy="broker", access="invite_only")
    other.set_members(["c"], by=lead)

    def listed(one: Conversation) -> set[str]:
        return {item.name for item in lobby.list_rooms(by=one).items}

    assert listed(a) == {"r"}
    assert listed(c) == {"s"}
    assert listed(lead) == {"r", "s"}
    assert room.id.startswith("room_")


@pytest.mark.rule("L-ROOM-03")
def test_a_lead_is_no_member_by_being_one(lobby: Lobby, four: Four, room: Room) -> None:
    lead, a, b, _ = four

    assert code_of(lambda: room.post("x", by=lead)) == "not_a_member"
    assert code_of(lambda: room.read(by=lead)) == "not_a_member"
    assert room.post("x", by=a).recipients == (b,)
    owned = lobby.create_room("s", by=lobby.person("ana"), policy="broker")
    owned.set_members(["a"], by=lobby.person("ana"))
    assert owned.post("from the owner", by=lobby.person("ana")).recipients == (a,)


@pytest.mark.rule("L-ROOM-04")
def test_membership_alone_lets_one_post(four: Four, room: Room) -> None:
    _, a, b, _ = four
    assert room.post("x", by=a).recipients == (b,)


@pytest.mark.rule("L-ROOM-05")
def test_the_members_are_replaced_as_a_whole_or_not_at_all(
    lobby: Lobby, four: Four, room: Room
) -> None:
    lead, *_ = four
    room.set_members(["c", "b"], by=lead)
    assert sorted(names(room)) == ["b", "c"]
    unknown = code_of(lambda: room.set_members(["a", "ghost"], by=lead))
    assert unknown == "agent_not_found"
    assert sorted(names(room)) == ["b", "c"]
    room.set_members([], by=lead)
    assert names(room) == []
    for number in range(101):
        lobby.add_agent(f"m{number}")
    many = [f"m{number}" for number in range(101)]
    assert code_of(lambda: room.set_members(many, by=lead)) == "member_limit"
    assert names(room) == []
    room.set_members(many[:100], by=lead)
    assert len(names(room)) == 100


@pytest.mark.rule("L-ROOM-06", "L-ROOM-07")
def test_a_change_names_whom_it_concerns_and_leaves_the_others(
    four: Four, room: Room
) -> None:
    lead, *_ = four
    assert code_of(lambda: room.change_members(by=lead)) == "invalid_request"
    both = refusal(lambda: room.change_members(add=["c"], remove=["C"], by=lead))
    assert both.code == "invalid_request"
    unknown = code_of(lambda: room.change_members(add=["c"], remove=["ghost"], by=lead))
    assert unknown == "agent_not_found"
    assert names(room) == ["a", "b"]
    room.change_members(add=["c", "a"], remove=["lead"], by=lead)
    room.change_members(add=["c", "a"], remove=["lead"], by=lead)
    assert names(room) == ["a", "b", "c"]
    room.change_members(remove=["a"], by=lead)
    assert names(room) == ["b", "c"]


@pytest.mark.rule("L-ROOM-07")
def test_two_leads_in_two_processes_do_not_undo_each_other(place: Place) -> None:
    one, two = place.open(), place.open()
    [lead] = added(one, "lead", manage_rooms=True)
    added(one, "a", "b")
    room = one.create_room("r", by=lead, policy="broker")
    theirs, same = two.room(room.id), two.agent("lead").conversation()
    room.change_members(add=["a"], by=lead)
    theirs.change_members(add=["b"], by=same)
    room.change_members(remove=["a"], by=lead)

    assert names(theirs) == ["b"]


@pytest.mark.rule("L-ROOM-08")
def test_who_joins_gets_nothing_from_before(
    lobby: Lobby, four: Four, room: Room
) -> None:
    lead, a, _, c = four
    room.post("before", by=a)
    room.change_members(add=["c"], by=lead)
    room.post("after", by=a)

    assert inbox(lobby, c) == ["after"]


@pytest.mark.rule("L-ROOM-09")
def test_what_a_removed_member_was_owed_ends_and_coming_back_brings_none(
    lobby: Lobby, four: Four, room: Room
) -> None:
    """The eighth of the subtlest, with ours: what ends is held for good."""
    lead, a, b, _ = four
    posted = room.post("pending", by=a)
    room.change_members(remove=["b"], by=lead)
    room.change_members(add=["b"], by=lead)

    assert inbox(lobby, b) == []
    assert "removed" in str(room.explain(posted.message.id))
    room.post("new", by=a)
    assert inbox(lobby, b) == ["new"]


@pytest.mark.rule("L-ROOM-13", "L-ROOM-14", "L-ROOM-10")
def test_deleting_says_what_went_and_frees_the_name(
    lobby: Lobby, four: Four, room: Room
) -> None:
    lead, a, b, _ = four
    room.post("pending", by=a)
    gone = room.delete(by=lead)

    assert (gone.id, gone.former_members, gone.ended) == (room.id, ("a", "b"), 1)
    assert inbox(lobby, b) == []
    assert code_of(lambda: room.post("x", by=a)) == "room_not_found"
    assert code_of(lambda: room.delete(by=lead)) == "room_not_found"
    again = lobby.create_room("r", by=lead, policy="broker")
    assert (again.id != room.id, names(again), again.position) == (True, [], 0)


@pytest.mark.rule("L-ROOM-15", "L-ROOM-17")
def test_an_archived_room_takes_nothing_new_and_tells_what_it_accepted(
    lobby: Lobby, four: Four
) -> None:
    _, a, b, c = four
    ana = lobby.person("ana")
    room = lobby.create_room("s", by=ana, policy="broker")
    room.set_members(["a", "b"], by=ana)
    room.post("accepted", by=a)
    assert code_of(lambda: room.archive(by=a)) == "not_owner"
    room.archive(by=ana).archive(by=ana)

    assert code_of(lambda: room.post("x", by=a)) == "room_archived"
    assert code_of(lambda: room.change_members(add=["c"], by=ana)) == "room_archived"
    assert code_of(lambda: room.join(by=c)) == "room_archived"
    named = code_of(lambda: lobby.create_room("s", by=ana, policy="broker"))
    assert named == "room_archived"
    assert "s" not in {item.name for item in lobby.list_rooms(by=a).items}
    assert inbox(lobby, b) == ["accepted"]
    room.restore(by=ana)
    assert (names(room), room.archived) == ([], False)
    assert code_of(lambda: room.post("x", by=a)) == "not_a_member"
    room.set_members(["a", "b"], by=ana)
    assert room.post("again", by=a).recipients == (b,)


@pytest.mark.rule("L-ROOM-18")
def test_each_stay_reads_what_was_said_in_it(
    lobby: Lobby, four: Four, room: Room
) -> None:
    lead, a, _, c = four
    before = room.post("before, about whales", by=a).message
    room.change_members(add=["c"], by=lead)
    room.post("in the first stay, about whales", by=c)
    room.change_members(remove=["c"], by=lead)
    room.post("meanwhile, about whales", by=a)
    room.change_members(add=["c"], by=lead)
    after = room.post("in the second stay, about whales", by=a).message

    mine = [after.content]
    assert [one.content for one in room.read(by=c).items] == mine
    page = room.latest(by=c)
    assert ([one.content for one in page.items], page.previous_cursor) == (mine, None)
    assert [one.content for one in room.search("whales", by=c)] == mine
    assert [one.content for one in room.exchange(a, by=c).items] == mine
    assert code_of(lambda: room.explain(before.id, by=c)) == "unknown_message"
    reply = code_of(lambda: room.post("x", by=c, reply_to=before.id))
    assert reply == "reply_not_found"
    assert room.post("x", by=c, reply_to=after.id).message.reply_to == after.id
    assert len(room.read(by=a).items) == room.position == 5
    again = lobby.create_room("all", by=lead, policy=presets.broker(history="all"))
    again.set_members(["a"], by=lead).post("first", by=a)
    again.change_members(add=["c"], by=lead)
    assert [one.content for one in again.read(by=c).items] == ["first"]


# -- a message to some


@pytest.mark.rule("L-ADDR-02", "L-ADDR-08", "L-SEND-04")
def test_only_the_named_are_owed_it_and_all_may_read_it(
    lobby: Lobby, four: Four, room: Room
) -> None:
    lead, a, b, c = four
    room.change_members(add=["c"], by=lead)
    posted = room.post("for b", by=a, to=["agent:b"])

    assert posted.recipients == (b,)
    assert inbox(lobby, c) == []
    assert [one.content for one in room.read(by=c).items] == ["for b"]
    answer = room.post("I know", by=c, to=["agent:a"], reply_to=posted.message.id)
    assert answer.recipients == (a,)
    assert set(room.post("to all", by=a).recipients) == {b, c}


@pytest.mark.rule("L-ADDR-01")
def test_each_is_named_once_and_twenty_at_most(
    lobby: Lobby, four: Four, room: Room
) -> None:
    lead, a, *_ = four
    many = [f"m{number}" for number in range(21)]
    added(lobby, *many)
    room.change_members(add=many, by=lead)

    assert len(room.post("x", by=a, to=many[:20]).recipients) == 20
    assert code_of(lambda: room.post("x", by=a, to=many)) == "invalid_request"
    twice = code_of(lambda: room.post("x", by=a, to=["agent:b", "b"]))
    assert twice == "invalid_request"


@pytest.mark.rule("L-ADDR-03")
def test_one_that_may_not_be_named_refuses_the_message(
    lobby: Lobby, four: Four, room: Room
) -> None:
    lead, a, *_ = four
    added(lobby, "d")
    refused = refusal(lambda: room.post("x", by=a, to=["c", "b", "d"]))
    assert (refused.code, refused.details["not_members"]) == (
        *("not_room_member", ("c", "d")),
    )
    itself = code_of(lambda: room.post("x", by=a, to=["b", "a"]))
    assert itself == "self_addressed"
    room.change_members(add=["c"], by=lead)
    lobby.agent("c").change(enabled=False)
    disabled = code_of(lambda: room.post("x", by=a, to=["b", "c"]))
    assert disabled == "recipient_disabled"
    assert room.position == 0


@pytest.mark.rule("L-ADDR-04", "L-ADDR-05")
def test_the_names_are_a_set_and_are_shown_sorted(four: Four, room: Room) -> None:
    lead, a, *_ = four
    room.change_members(add=["c"], by=lead)
    one = room.post("x", by=a, to=["c", "b"], request_id="k")
    two = room.post("x", by=a, to=["agent:b", "agent:c"], request_id="k")

    assert (two.duplicate, two.message) == (True, one.message)
    assert one.message.to == ("agent:b", "agent:c")


@pytest.mark.rule("L-ADDR-06")
def test_a_wake_shows_whom_a_message_names(
    lobby: Lobby, four: Four, room: Room
) -> None:
    _, a, b, _ = four
    room.post("x", by=a, to=["b"])
    [wake] = lobby.take_wakes(conversations=[b])

    assert wake.messages[0].to == ("agent:b",)
    assert "agent:b" in wake.render()


def test_a_threaded_agent_is_let_in_and_takes_its_seats_itself(
    lobby: Lobby, four: Four, room: Room
) -> None:
    lead, a, b, _ = four
    eve = lobby.add_agent("Eve", threaded=True)
    one = eve.conversation(label="first-matter")
    assert code_of(lambda: room.join(by=one)) == "room_not_found"
    room.change_members(add=["Eve"], by=lead)
    room.join(by=one)

    assert set(room.post("x", by=a).recipients) == {b, one}
    room.set_members(["a", "b"], by=lead)
    assert names(room) == ["a", "b"]


def test_a_preset_is_options_alone() -> None:
    policy = presets.broker(max_members=3, audience="heard")
    assert (policy.max_members, policy.audience, policy.settle_on) == (
        3,
        "heard",
        "ack",
    )
