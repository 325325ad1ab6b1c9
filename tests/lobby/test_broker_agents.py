"""What agents are said to be, what they may do, and how they find each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lobby.broker import added, code_of, inbox, refusal
from lobby.place import Place
from rooms import Lobby, tools
from rooms.addressing import check_agent_id


@given(st.from_regex(r"[a-z][a-z0-9_-]{0,47}", fullmatch=True))
@pytest.mark.rule("L-SCOPE-01")
def test_every_id_of_a_broker_is_an_id_here(name: str) -> None:
    """But for words that mean something in addresses; ours may be longer."""
    if name not in {"room", "all", "here", "everyone", "new", "system", "owner"}:
        assert check_agent_id(name) == name


@pytest.mark.parametrize("name", ["", "_a", "-a", "a b", "\u00e4", "a/b", "x" * 65])
@pytest.mark.rule("L-SCOPE-01")
def test_what_is_no_id_is_refused(lobby: Lobby, name: str) -> None:
    assert code_of(lambda: lobby.add_agent(name)) == "invalid_request"


@pytest.mark.rule("L-SCOPE-12")
def test_owner_is_nobodys_name(lobby: Lobby) -> None:
    assert code_of(lambda: lobby.add_agent("owner")) == "reserved_identity"


@pytest.mark.rule("L-AGENT-01")
def test_an_agent_has_what_it_was_given_and_may_nothing_else(lobby: Lobby) -> None:
    ben = lobby.add_agent(
        "ben", role="Review.", work_description="reviews", machine="m-1"
    )

    assert (ben.role, ben.work_description, ben.machine) == (
        *("Review.", "reviews", "m-1"),
    )
    assert (ben.can_broadcast, ben.manage_rooms) == (False, False)
    assert ben.allowed_recipients is None
    assert (ben.enabled, ben.paused) == (True, False)
    plain = lobby.add_agent("cy")
    assert (plain.role, plain.work_description, plain.machine) == ("", "", "")


@pytest.mark.rule("L-AGENT-02")
@pytest.mark.parametrize(
    ("facts", "fits"),
    [
        ({"role": "x" * 16_000}, True),
        ({"role": "x" * 16_001}, False),
        ({"work_description": "x" * 300}, True),
        ({"work_description": "x" * 301}, False),
        ({"machine": "x" * 40}, True),
        ({"machine": "x" * 41}, False),
        ({"machine": "a\nb"}, False),
        ({"role": "a\nb"}, True),
        ({"allowed_recipients": [f"a{n}" for n in range(100)]}, True),
        ({"allowed_recipients": [f"a{n}" for n in range(101)]}, False),
        ({"allowed_recipients": "ben"}, False),
        ({"allowed_recipients": ["a b"]}, False),
        ({"role": "\ud800"}, False),
        ({"can_broadcast": 1}, False),
    ],
)
def test_facts_have_their_sizes(
    lobby: Lobby, facts: dict[str, Any], fits: bool
) -> None:
    ben = lobby.add_agent("ben")
    if fits:
        ben.change(**facts)
    else:
        [field] = facts
        refused = refusal(lambda: ben.change(**facts))
        assert refused.code == "invalid_request"
        assert field in str(refused)
        assert code_of(lambda: lobby.add_agent("cy", **facts)) == "invalid_request"


@pytest.mark.rule("L-AGENT-08")
def test_a_change_leaves_what_it_does_not_name(lobby: Lobby) -> None:
    ben = lobby.add_agent("ben", role="Review.", machine="m-1", can_broadcast=True)
    ben.change(machine="m-2", allowed_recipients=["cy"])
    ben.change(manage_rooms=True)

    assert (ben.role, ben.machine) == ("Review.", "m-2")
    assert (ben.can_broadcast, ben.manage_rooms) == (True, True)
    assert ben.allowed_recipients == ("cy",)
    assert ben.change(allowed_recipients="all").allowed_recipients is None
    before = lobby.verify()["lobby"].records
    ben.change(machine="m-2")
    assert lobby.verify()["lobby"].records == before


@pytest.mark.rule("L-AGENT-07")
def test_a_name_is_given_once_and_a_lobby_holds_so_many(place: Place) -> None:
    lobby = Lobby(place.storage, max_agents=2)
    lobby.add_agent("ben", role="Review.")
    lobby.add_agent("ben", role="Review.")

    assert code_of(lambda: lobby.add_agent("ben", role="Other")) == "agent_exists"
    assert code_of(lambda: lobby.add_agent("BEN")) == "agent_exists"
    assert code_of(lambda: lobby.agent("cy")) == "agent_not_found"
    lobby.add_agent("cy")
    assert code_of(lambda: lobby.add_agent("dan")) == "agent_capacity"
    lobby.add_agent("cy")


@pytest.mark.rule("L-AGENT-04", "L-SEND-07")
def test_an_allowlist_refuses_who_is_named_and_thins_who_merely_hears(
    lobby: Lobby,
) -> None:
    """The sixth of the subtlest: silence in a plain fanout, refusal in a named one."""
    [a] = added(lobby, "a", allowed_recipients=["b"], can_broadcast=True)
    b, c = added(lobby, "b", "c")
    room = lobby.create_room("r", by=lobby.person("ana"), policy="broker")
    room.set_members(["a", "b", "c"], by=lobby.person("ana"))

    assert room.post("to all", by=a).recipients == (b,)
    refused = refusal(lambda: room.post("x", by=a, to=["agent:b", "agent:c"]))
    assert (refused.code, refused.details["agent"]) == ("recipient_forbidden", "c")
    assert room.position == 1
    assert lobby.send("to all", by=a, to="*").recipients == (b,)
    assert code_of(lambda: lobby.send("x", by=a, to="c")) == "recipient_forbidden"
    assert lobby.send("x", by=a, to="b").recipients == (b,)
    lobby.agent("a").change(allowed_recipients=[])
    assert code_of(lambda: lobby.send("x", by=a, to="b")) == "recipient_forbidden"
    assert room.post("to nobody", by=a).recipients == ()
    assert lobby.send("a reminder", by=a, to="a").recipients == (a,)
    assert lobby.send("x", by=c, to="a").recipients == (a,)


@pytest.mark.rule("L-AGENT-05", "L-SEND-05")
def test_to_all_at_once_writes_who_may(lobby: Lobby) -> None:
    a, b, c = added(lobby, "a", "b", "c")

    assert code_of(lambda: lobby.send("x", by=a, to="*")) == "broadcast_forbidden"
    room = lobby.create_room("r", by=lobby.person("ana"), policy="broker")
    room.set_members(["a", "b"], by=lobby.person("ana"))
    assert room.post("in a room", by=a).recipients == (b,)
    lobby.agent("a").change(can_broadcast=True)
    assert set(lobby.send("x", by=a, to="*").recipients) == {b, c}


@pytest.mark.rule("L-AGENT-10")
def test_a_disabled_agent_acts_nowhere_and_is_nobodys_recipient(lobby: Lobby) -> None:
    [a] = added(lobby, "a", can_broadcast=True)
    b, c = added(lobby, "b", "c")
    lobby.send("before", by=a, to="b")
    claim = b.claim()
    lobby.agent("b").change(enabled=False)

    for call in (
        lambda: lobby.send("x", by=b, to="a"),
        lambda: lobby.send("x", by=claim, to="a"),
        lambda: lobby.list_agents(by=b),
        lambda: lobby.rooms[0].read(by=b),
        lambda: lobby.rooms[0].post("x", by=b),
    ):
        assert code_of(call) == "agent_disabled"
    assert code_of(lambda: inbox(lobby, b)) == "agent_disabled"
    assert lobby.take_wakes() == []
    assert code_of(lambda: lobby.send("x", by=a, to="b")) == "recipient_disabled"
    assert lobby.send("x", by=a, to="*").recipients == (c,)
    assert [one.agent.id for one in lobby.list_agents(by=a)] == ["a", "c"]
    lobby.agent("b").change(enabled=True)
    assert inbox(lobby, b) == ["before"]
    assert code_of(lambda: lobby.send("x", by=claim, to="a")) == "stale_runtime"


def test_a_post_that_was_decided_before_its_sender_was_disabled_is_refused(
    place: Place,
) -> None:
    """Two processes: the one that posts has not seen yet what the other recorded."""
    one, two = place.open(), place.open()
    a, b = added(one, "a", "b")
    room = one.create_room("r", by=a)
    room.join(by=b)
    theirs = two.room(room.id)
    theirs.post("seen", by=two.agent("a").conversation())
    one.agent("a").change(enabled=False)

    refused = code_of(lambda: theirs.post("x", by=two.agent("a").conversation()))
    assert refused == "agent_disabled"


@pytest.mark.rule("L-AGENT-11")
def test_a_paused_agents_inbox_fills_and_nothing_is_delivered(lobby: Lobby) -> None:
    a, b = added(lobby, "a", "b")
    lobby.send("first", by=a, to="b")
    lobby.agent("b").change(paused=True)
    second = lobby.send("second", by=a, to="b")

    assert (second.recipients, second.woken) == ((b,), ())
    assert inbox(lobby, b) == []
    assert lobby.send("it may write", by=b, to="a").recipients == (a,)
    lobby.add_agent("c")
    lobby.send("a new room", by=lobby.agent("c").conversation(), to="b")
    assert inbox(lobby, b) == []
    lobby.agent("b").change(paused=False)
    assert sorted(inbox(lobby, b)) == ["a new room", "first", "second"]


@pytest.mark.rule("L-AGENT-11")
def test_a_seats_own_rest_and_its_agents_pause_are_two(lobby: Lobby) -> None:
    a, b = added(lobby, "a", "b")
    room = lobby.send("hello", by=a, to="b").room
    room.rest(by=b)
    lobby.agent("b").change(paused=True)
    lobby.agent("b").change(paused=False)

    assert inbox(lobby, b) == []
    room.resume(by=b)
    assert inbox(lobby, b) == ["hello"]


@pytest.mark.rule("L-AGENT-09")
def test_another_role_is_noted_apart_from_other_words(lobby: Lobby) -> None:
    """What is ready asks for it: a new role has to be read, a new machine not."""
    ben = lobby.add_agent("ben", role="Review.")
    entry = lobby._desk.directory().agents["ben"]
    given_at = entry.tasked
    ben.change(machine="m-2", work_description="reviews")
    assert (entry.tasked, entry.described > given_at) == (given_at, True)
    ben.change(role="Review it all.")
    assert entry.tasked > given_at


# -- how they find each other


@pytest.mark.rule("L-DISC-01", "L-AGENT-03", "L-DISC-03")
def test_agents_find_those_that_take_part_and_what_each_is_for(lobby: Lobby) -> None:
    [a] = added(lobby, "a", role="secret", work_description="asks", machine="m-1")
    lobby.add_agent("b", allowed_recipients=["a"])
    lobby.add_agent("c").change(enabled=False)

    listed = lobby.list_agents(by=a)
    assert [(one.agent.id, one.work_description, one.machine) for one in listed] == [
        ("a", "asks", "m-1"),
        ("b", "", ""),
    ]
    assert "secret" not in repr(listed)
    shown = {name for name in dir(listed[0]) if not name.startswith("_")}
    assert not shown & {"role", "allowed_recipients", "token", "pending_count"}
    assert {one.id for one in lobby.agents} == {"a", "b", "c"}


@pytest.mark.rule("L-DISC-04")
def test_the_host_sees_all_of_each(lobby: Lobby) -> None:
    lobby.add_agent("a", role="secret", can_broadcast=True).change(enabled=False)

    [a] = lobby.agents
    assert (a.role, a.can_broadcast, a.enabled) == ("secret", True, False)


@pytest.mark.rule("L-DISC-05")
def test_connected_is_a_helper_that_checked_in_and_nothing_more(
    lobby: Lobby, place: Place
) -> None:
    a, b = added(lobby, "a", "b")
    b.check_in()

    assert [one.connected for one in lobby.list_agents(by=a)] == [False, True]
    place.clock.advance(91)
    assert [one.connected for one in lobby.list_agents(by=a)] == [False, False]


# -- who may say so


@pytest.mark.rule("L-AGENT-16")
def test_another_permission_is_another_catalogue_and_the_same_runtime(
    lobby: Lobby,
) -> None:
    a, b = added(lobby, "a", "b")
    claim = a.claim()
    before = tools.catalog(claim).revision
    lobby.agent("a").change(machine="m-2")
    assert tools.catalog(claim).revision == before
    lobby.agent("a").change(can_broadcast=True)
    assert tools.catalog(claim).revision != before
    assert lobby.send("the same runtime", by=claim, to="*").recipients == (b,)


@pytest.mark.rule("L-SCOPE-13", "L-SCOPE-14", "L-AGENT-06")
def test_no_call_that_admits_or_permits_takes_an_agents_word() -> None:
    """It is the host's: there is no `by` to name an agent with."""
    from inspect import signature  # noqa: PLC0415

    from rooms import Agent, Credentials  # noqa: PLC0415

    calls: list[Callable[..., Any]] = [Lobby.add_agent, Agent.change]
    calls += [Credentials.issue, Credentials.rotate, Credentials.revoke]
    for call in calls:
        assert "by" not in signature(call).parameters


@pytest.mark.rule("L-SCOPE-09", "L-SCOPE-10")
def test_a_lobby_knows_nothing_of_another(lobby: Lobby) -> None:
    a, b = added(lobby, "a", "b")
    with Lobby.in_memory() as other:
        x, y = added(other, "a", "y")
        theirs = other.send("hello", by=x, to="y")

        assert code_of(lambda: lobby.send("x", by=a, to="y")) == "agent_not_found"
        assert code_of(lambda: lobby.send("x", by=a, to=y)) == "agent_not_found"
        assert code_of(lambda: lobby.room(theirs.room.id)) == "room_not_found"
        mine = lobby.send("hello", by=a, to="b")
        refused = code_of(
            lambda: mine.room.post("x", by=b, reply_to="x" + theirs.message.id)
        )
        assert refused == "reply_not_found"
        # A short name is its own in each.
        assert lobby.agent("a") != object()
        assert len(other.agents) == len(lobby.agents) == 2


@pytest.mark.rule("L-SCOPE-15", "L-SCOPE-11", "L-SEND-01")
def test_an_unknown_argument_is_refused(lobby: Lobby) -> None:
    [a] = added(lobby, "a")
    for name in ("sender", "protocol_version", "from_"):
        unknown: dict[str, Any] = {name: "b"}
        with pytest.raises(TypeError):
            lobby.send("x", by=a, to="a", **unknown)
    refused = refusal(lambda: lobby.send("x", by=a, to="a", fields={"from": "b"}))
    assert refused.code == "invalid_request"


def test_permissions_outlive_snapshots_and_processes(place: Place) -> None:
    lobby = place.open()
    lobby.add_agent("a", role="Review.", allowed_recipients=["b"], manage_rooms=True)
    lobby.add_agent("b").change(paused=True)
    lobby._desk.streams.save_snapshots(every=1)

    again = place.crash()
    a: Any = again.agent("a")
    assert (a.role, a.allowed_recipients, a.manage_rooms) == ("Review.", ("b",), True)
    assert again.agent("b").paused
