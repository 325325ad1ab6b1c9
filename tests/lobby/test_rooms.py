"""Rooms: who makes them, what they are called, who may read, and how they end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from lobby.place import Clock, Place
from rooms import (
    Conflict,
    Conversation,
    InvalidInput,
    Lobby,
    Mode,
    NotAllowed,
    NotFound,
    RoomPolicy,
    hookimpl,
    presets,
)
from rooms import Room as RoomHandle


class Administrator:
    """A host that lets one person do what the rules leave to it."""

    @hookimpl
    def rooms_may(self, actor: object, action: str) -> bool:
        return getattr(actor, "person", None) == "root"


@pytest.mark.rule("G-ROOM-01")
def test_every_member_reads_what_was_addressed_to_somebody_else(
    lobby: Lobby, hall: RoomHandle, eve: Conversation, ben: Conversation
) -> None:
    cy = lobby.add_agent("cy").conversation()
    hall.join(by=cy)
    hall.post("For Ben.", by=eve, to=[ben])

    assert [one.content for one in hall.read(by=cy)] == ["For Ben."]
    assert [one.content for one in hall.search("ben", by=cy)] == ["For Ben."]
    assert [wake.conversation for wake in lobby.take_wakes()] == [ben]


@pytest.mark.rule("G-ROOM-02")
def test_in_a_hall_a_person_neither_creates_nor_joins_nor_posts(
    lobby: Lobby, hall: RoomHandle
) -> None:
    ana = lobby.person("ana")

    with pytest.raises(NotAllowed) as created:
        lobby.create_room("anas", by=ana, policy="hall")
    with pytest.raises(NotAllowed) as posted:
        hall.post("Hello?", by=ana)
    with pytest.raises(InvalidInput) as joined:
        hall.join(by=ana)

    codes = [error.value.code for error in (created, posted, joined)]
    assert codes == ["read_only_access", "read_only_access", "agent_required"]
    assert [room.name for room in lobby.rooms] == ["orders"]
    assert hall.position == 0
    assert hall.read(by=ana).items == ()  # to watch is what it may


@pytest.mark.rule("G-ROOM-03", "G-MODE-02")
def test_who_creates_a_room_sits_in_it_and_follows(
    lobby: Lobby, eve: Conversation
) -> None:
    room = lobby.create_room("r", by=eve, policy="hall")

    assert room.conversations == (eve,)
    assert [agent.id for agent in room.members] == ["Eve"]
    assert room.policy.default_mode is Mode.WHEN_TAGGED
    cy = lobby.add_agent("cy").conversation()
    room.join(by=cy)
    assert room.post("all of you", by=cy, to=["all"]).woken == (eve,)


@pytest.mark.rule("G-ROOM-04")
def test_the_owner_is_the_person_behind_whoever_created_the_room(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    of_ben = lobby.create_room("by ben-web", by=ben)
    with lobby.turn(eve, word_of=lobby.person("ana")) as turn:
        of_ana = lobby.create_room("by Eve on Ana's word", by=turn)

    of_ben.pause(by=lobby.person("ben"))
    of_ana.pause(by=lobby.person("ana"))
    for room, stranger in ((of_ben, "ana"), (of_ana, "ben")):
        with pytest.raises(NotAllowed, match="owner") as refused:
            room.unpause(by=lobby.person(stranger))
        assert refused.value.code == "not_owner"


@pytest.mark.rule("G-ROOM-05")
def test_a_room_made_on_nobodys_word_has_no_owner(
    lobby: Lobby, eve: Conversation
) -> None:
    room = lobby.create_room("r", by=eve)

    for name in ("ana", "root"):
        with pytest.raises(NotAllowed) as refused:
            room.delete(by=lobby.person(name))
        assert refused.value.code == "not_owner"

    lobby.register(Administrator())
    room.delete(by=lobby.person("root"))
    assert lobby.rooms == ()


@pytest.mark.rule("G-ROOM-06", "G-LIMIT-02")
@pytest.mark.parametrize(
    "name", ["", "   ", "two\nlines", "x" * 121, "room_1", "a\x00b", "\ud83d", 5, None]
)
def test_a_name_is_one_line_of_at_most_120_signs_and_no_id(
    lobby: Lobby, name: Any
) -> None:
    me = lobby.person("me")

    with pytest.raises(InvalidInput) as refused:
        lobby.create_room(name, by=me)

    assert refused.value.field == "name"
    assert lobby.rooms == ()
    assert lobby.create_room("x" * 120, by=me).name == "x" * 120


@pytest.mark.rule("G-ROOM-07")
def test_a_name_is_taken_whatever_its_case_and_spacing(lobby: Lobby) -> None:
    me = lobby.person("me")
    lobby.create_room("Orders Migration", by=me)

    for name in ("orders migration", "ORDERSMIGRATION", " Orders  Migration "):
        with pytest.raises(Conflict) as taken:
            lobby.create_room(name, by=me)
        assert taken.value.code == "room_exists"

    assert lobby.create_room("orders-migration", by=me).name == "orders-migration"


@pytest.mark.rule("G-ROOM-08")
@pytest.mark.case("F-93")
def test_what_begins_with_room_is_an_id_and_all_else_a_name(lobby: Lobby) -> None:
    room = lobby.create_room("general", by=lobby.person("me"))

    assert lobby.room("General") == lobby.room(room.id) == room
    for wrong in ("room_0", room.id.upper(), "#general", "genral", "", "\ud83d", "x\0"):
        with pytest.raises(NotFound) as refused:
            lobby.room(wrong)
        assert refused.value.code == "room_not_found"


@pytest.mark.rule("G-ROOM-09")
def test_one_agent_holds_several_seats_each_with_its_own_label_mode_and_wakes(
    lobby: Lobby, hall: RoomHandle, eve: Conversation, ben: Conversation
) -> None:
    other = lobby.conversation("Eve", thread="t-2", label="audit")
    hall.join(by=other, mode="every_message")

    hall.post("To one.", by=ben, to=["agent:Eve/acme"])
    hall.post("To the room.", by=ben)

    assert [str(one) for one in hall.conversations] == [
        *("agent:Eve/acme", "agent:ben-web", "agent:Eve/audit"),
    ]
    assert [agent.id for agent in hall.members] == ["Eve", "ben-web"]
    told = {
        str(wake.conversation): [one.seq for one in wake.messages]
        for wake in lobby.take_wakes()
    }
    assert told == {"agent:Eve/acme": [1], "agent:Eve/audit": [1, 2]}


@pytest.mark.rule("G-ROOM-10", "G-ADDR-09")
def test_sessions_under_one_external_name_are_one_participant(
    place: Place, lobby: Lobby, hall: RoomHandle, eve: Conversation, ben: Conversation
) -> None:
    session = place.open().add_agent("ben-web", owner="ben").conversation()
    place.handles[-1].room("orders").join(by=session, mode="every_message")

    hall.post("One mode for all of them.", by=eve)

    assert session == ben
    assert len(hall.conversations) == 2
    wakes = [*place.handles[-1].take_wakes(), *lobby.take_wakes()]
    assert [wake.conversation for wake in wakes] == [ben]


@pytest.mark.rule("G-ROOM-11", "G-SAFE-04")
def test_a_name_that_one_owner_claimed_is_nobody_elses(lobby: Lobby) -> None:
    lobby.add_agent("ben-web", owner="ben")

    for name, owner in (("ben-web", "ana"), ("BEN-WEB", "ben"), ("ben-web", None)):
        with pytest.raises(Conflict) as taken:
            lobby.add_agent(name, owner=owner)
        assert taken.value.code == "agent_exists"

    assert lobby.add_agent("ben-web", owner="ben").owner == "ben"
    assert len(lobby.agents) == 1


@pytest.mark.rule("G-ROOM-12")
def test_each_participant_is_shown_by_its_address(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    assert str(eve) == "agent:Eve/acme"
    assert str(ben) == "agent:ben-web"
    assert lobby.agent(ben.agent).owner == "ben"
    assert str(lobby.person("ana")) == "person:ana"


@pytest.mark.rule("G-ROOM-14", "G-DELETE-07")
def test_leaving_takes_out_one_seat_and_leaves_the_room(
    lobby: Lobby, hall: RoomHandle, eve: Conversation, ben: Conversation
) -> None:
    other = lobby.conversation("Eve", thread="t-2", label="audit")
    hall.join(by=other)

    hall.leave(by=eve)

    assert hall.conversations == (ben, other)
    assert [agent.id for agent in hall.members] == ["Eve", "ben-web"]
    with pytest.raises(NotAllowed) as refused:
        hall.read(by=eve)
    assert refused.value.code == "not_a_member"


@pytest.mark.rule("G-ACCESS-02", "G-ACCESS-03")
def test_an_open_room_is_for_every_agent_to_join_and_every_person_to_watch(
    lobby: Lobby, hall: RoomHandle, eve: Conversation
) -> None:
    hall.post("Anybody may read this.", by=eve)
    stranger = lobby.add_agent("stranger").conversation()

    hall.join(by=stranger)

    assert hall in lobby.rooms
    for reader in (stranger, lobby.person("passer-by")):
        assert [one.content for one in hall.read(by=reader)] == [
            "Anybody may read this."
        ]


@pytest.mark.rule("G-ACCESS-09")
def test_an_agent_reads_nothing_before_it_joined(
    lobby: Lobby, hall: RoomHandle, eve: Conversation
) -> None:
    hall.post("Not for those outside.", by=eve)
    stranger = lobby.add_agent("stranger").conversation()

    for read in (hall.read, lambda by: hall.search("outside", by=by)):
        with pytest.raises(NotAllowed) as refused:
            read(by=stranger)
        assert refused.value.code == "not_a_member"


@pytest.mark.rule("G-DELETE-01")
def test_only_the_owner_or_an_administrator_deletes_a_room(
    lobby: Lobby, ben: Conversation
) -> None:
    lobby.register(Administrator())
    first, second = (lobby.create_room(name, by=ben) for name in ("first", "second"))

    with pytest.raises(NotAllowed) as refused:
        first.delete(by=lobby.person("ana"))
    assert refused.value.code == "not_owner"

    first.delete(by=lobby.person("ben"))
    second.delete(by=lobby.person("root"))
    assert lobby.rooms == ()


@pytest.mark.rule("G-DELETE-05", "G-DELETE-06", "G-HELD-06")
def test_with_a_room_goes_all_that_it_owed_and_its_name_is_free(
    lobby: Lobby, clock: Clock, ben: Conversation
) -> None:
    ana = lobby.person("ana")
    cy = lobby.add_agent("cy").conversation()
    room = lobby.create_room("r", by=ana).join(by=ben).join(by=cy, mode="digest")
    room.post("now and later", by=ana, to=[ben])
    assert lobby.next_deadline() is not None

    room.delete(by=ana)

    assert lobby.next_deadline() is None
    clock.advance(hours=1)
    assert lobby.take_wakes() == []
    with pytest.raises(NotFound) as gone:
        room.post("anybody?", by=ben)
    assert gone.value.code == "room_not_found"
    again = lobby.create_room("R", by=ana)
    assert (again.position, again.conversations) == (0, ())


def test_nobody_reads_posts_or_joins_after_the_deletion_not_even_an_administrator(
    place: Place, lobby: Lobby, ben: Conversation
) -> None:
    lobby.register(Administrator())
    room = lobby.create_room("r", by=ben)
    room.post("a canary", by=ben)
    room.delete(by=lobby.person("ben"))

    attempts: list[Callable[[RoomHandle], object]] = [
        lambda one: one.read(by=lobby.person("root")),
        lambda one: one.search("canary", by=lobby.person("root")),
        lambda one: one.post("x", by=ben),
        lambda one: one.join(by=ben),
        lambda one: one.name,
    ]
    for handle in (room, RoomHandle(room.id, place.crash()._desk)):
        for attempt in attempts:
            with pytest.raises(NotFound) as gone:
                attempt(handle)
            assert gone.value.code == "room_not_found"
    assert place.storage.search("canary", [f"room:{room.id}"]) == []


def test_a_room_records_its_options_and_not_a_presets_name(
    place: Place, lobby: Lobby, hall: RoomHandle
) -> None:
    ana = lobby.person("ana")
    own = lobby.create_room("own", by=ana, policy=RoomPolicy(max_hops=3))

    own.change_policy(presets.thread(max_hops=4), by=ana)

    again = place.crash()
    assert again.room("orders").policy == presets.hall() == hall.policy
    assert again.room("own").policy == presets.thread(max_hops=4)


@pytest.mark.parametrize("policy", ["hallway", "", 5, {}, RoomPolicy])
def test_a_policy_that_is_none_is_refused(lobby: Lobby, policy: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        lobby.create_room("r", by=lobby.person("me"), policy=policy)

    assert refused.value.field == "policy"


@pytest.mark.parametrize("access", ["secret", 5, b"open"])
def test_an_access_that_is_none_is_refused(lobby: Lobby, access: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        lobby.create_room("r", by=lobby.person("me"), access=access)

    assert refused.value.field == "access"
