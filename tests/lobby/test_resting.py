"""A lead lets agents rest: nothing is delivered to them, and nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from lobby.broker import added, code_of, inbox
from lobby.place import Clock, Place
from rooms import Conversation, Lobby, tools
from rooms.log.events import decoded
from rooms.log.resting import AgentRested

NOW = Clock().now
Cast = tuple[Lobby, Conversation, Conversation, Conversation]


@pytest.fixture
def cast(lobby: Lobby) -> Cast:
    """A lead and two that write to each other."""
    [lead] = added(lobby, "lead", manage_rooms=True)
    ben, cy = added(lobby, "ben", "cy")
    return lobby, lead, ben, cy


def rests(lobby: Lobby) -> list[tuple[str, AgentRested]]:
    """What was recorded of rests, and by whom."""
    facts = map(decoded, lobby._desk.storage.read("lobby"))
    return [(one.by, one.event) for one in facts if isinstance(one.event, AgentRested)]


def told(answer: Any) -> list[tuple[str, bool, datetime | None]]:
    return [(one.agent.id, one.paused, one.until) for one in answer]


@pytest.mark.rule("L-REST-01", "L-REST-02", "L-REST-05")
def test_what_comes_for_a_resting_agent_waits_and_is_one_wake(cast: Cast) -> None:
    lobby, lead, ben, cy = cast
    assert told(lobby.rest(["ben"], by=lead)) == [("ben", True, None)]
    for text in ("one", "two", "three"):
        sent = lobby.send(text, by=cy, to="ben")
        assert (sent.recipients, sent.woken) == ((ben,), ())
    assert inbox(lobby, ben) == []
    assert lobby.send("running work goes on", by=ben, to="cy").recipients == (cy,)

    assert told(lobby.resume(["ben"], by=lead)) == [("ben", False, None)]
    lobby.deliver()
    [wake] = lobby.take_wakes(conversations=[ben])
    assert [one.content for one in wake.messages] == ["one", "two", "three"]


@pytest.mark.rule("L-REST-05")
def test_with_nothing_waiting_nobody_is_woken(cast: Cast, clock: Clock) -> None:
    lobby, lead, *_ = cast
    lobby.rest(["ben", "cy"], by=lead, until=clock.at(60))
    clock.advance(60)
    lobby.deliver()

    assert lobby.take_wakes() == []
    assert lobby.next_deadline() is None


@pytest.mark.rule("L-REST-03", "L-REST-04", "L-REST-08")
def test_a_rest_ends_at_its_instant_by_whoever_acts_on_it(
    cast: Cast, clock: Clock
) -> None:
    lobby, lead, ben, cy = cast
    end = clock.at(3_600)
    assert told(lobby.rest(["ben"], by=lead, until=end)) == [("ben", True, end)]
    [listed] = [one for one in lobby.list_agents(by=cy) if one.agent.id == "ben"]
    assert (listed.paused, listed.paused_until) == (True, end)
    lobby.send("meanwhile", by=cy, to="ben")
    assert lobby.next_deadline() == end
    clock.advance(3_599)
    lobby.deliver()
    assert inbox(lobby, ben) == []

    clock.advance(10_000)  # and nobody was there for a while
    assert inbox(lobby, ben) == ["meanwhile"]
    assert (lobby.agent("ben").paused, lobby.agent("ben").paused_until) == (False, None)
    assert rests(lobby)[-1] == ("system", AgentRested("ben", False, 0, "due"))
    held = timedelta(minutes=15)  # by whoever took it
    assert lobby.next_deadline() == clock.now + held


@pytest.mark.rule("L-REST-03")
def test_a_rest_ends_though_the_process_that_began_it_is_gone(place: Place) -> None:
    lobby = place.open()
    [lead] = added(lobby, "lead", manage_rooms=True)
    added(lobby, "ben", "cy")
    lobby.rest(["ben"], by=lead, until=place.clock.at(60))
    other = place.crash()
    other.send("meanwhile", by=other.agent("cy").conversation(), to="ben")
    place.clock.advance(7_200)

    assert inbox(other, other.agent("ben").conversation()) == ["meanwhile"]


@pytest.mark.rule("L-REST-06", "L-AUDIT-03")
def test_a_later_call_takes_its_place_and_one_without_a_change_leaves_no_record(
    cast: Cast, clock: Clock
) -> None:
    lobby, lead, *_ = cast
    lobby.rest(["ben", "cy"], by=lead, until=clock.at(60))
    lobby.rest(["ben"], by=lead)
    clock.advance(60)
    lobby.deliver()
    assert (lobby.agent("ben").paused, lobby.agent("cy").paused) == (True, False)

    before = len(rests(lobby))
    lobby.rest(["ben", "agent:ben", lobby.agent("ben")], by=lead)
    lobby.resume(["cy"], by=lead)
    assert len(rests(lobby)) == before
    assert [by for by, _ in rests(lobby)] == [lead.id, lead.id, lead.id, "system"]


@pytest.mark.rule("L-REST-01", "L-REST-07", "L-REST-04", "L-AGENT-06")
@pytest.mark.parametrize(
    ("code", "call"),
    [
        ("cannot_rest_self", lambda s, a: s.rest(["ben", "lead"], by=a)),
        ("agent_not_found", lambda s, a: s.rest(["ben", "dan"], by=a)),
        ("agent_disabled", lambda s, a: s.rest(["ben", "cy"], by=a)),
        ("agent_disabled", lambda s, a: s.resume(["ben", "cy"], by=a)),
        ("owner_pauses", lambda s, _: s.rest(["ben"], by=s.person("ana"))),
        (
            "room_management_forbidden",
            lambda s, _: s.rest(["lead"], by=s.agent("ben").conversation()),
        ),
        ("resume_at_past", lambda s, a: s.rest(["ben"], by=a, until=NOW)),
        (
            "naive_time",
            lambda s, a: s.rest(["ben"], by=a, until=NOW.replace(tzinfo=None)),
        ),
        ("invalid_request", lambda s, a: s.rest([], by=a)),
        ("invalid_request", lambda s, a: s.rest("ben", by=a)),
        ("invalid_request", lambda s, a: s.rest(["ben"], by=a, until="soon")),
    ],
)
def test_it_is_all_or_none(
    cast: Cast, clock: Clock, code: str, call: Callable[..., Any]
) -> None:
    lobby, lead, *_ = cast
    lobby.agent("cy").change(enabled=False)

    assert clock.now == NOW
    assert code_of(lambda: call(lobby, lead)) == code
    assert not any(one.paused for one in lobby.agents)
    assert rests(lobby) == []


@pytest.mark.rule("L-REST-07")
def test_a_lead_behind_a_newer_claim_lets_nobody_rest(cast: Cast) -> None:
    lobby, lead, *_ = cast
    old = lead.claim()
    lead.claim()

    assert code_of(lambda: lobby.rest(["ben"], by=old)) == "stale_runtime"


@pytest.mark.rule("L-REST-08")
@pytest.mark.parametrize("paused", [True, False])
def test_the_owners_word_ends_a_rest_that_had_an_end(
    cast: Cast, clock: Clock, paused: bool
) -> None:
    lobby, lead, *_ = cast
    lobby.rest(["ben"], by=lead, until=clock.at(60))
    lobby.agent("ben").change(can_broadcast=True)
    assert lobby.agent("ben").paused_until == clock.at(60)
    lobby.agent("ben").change(paused=paused)

    assert (lobby.agent("ben").paused, lobby.agent("ben").paused_until) == (
        *(paused, None),
    )
    clock.advance(60)
    lobby.deliver()
    assert lobby.agent("ben").paused is paused


@pytest.mark.rule("L-REST-08")
def test_a_backup_that_is_brought_back_ends_no_rest_by_an_old_word(
    cast: Cast, clock: Clock
) -> None:
    lobby, lead, *_ = cast
    lobby.rest(["ben"], by=lead, until=clock.at(60))
    lobby.recover()
    clock.advance(60)
    lobby.deliver()

    assert (lobby.agent("ben").paused, lobby.agent("ben").paused_until) == (True, None)


def test_a_rest_stands_in_a_snapshot(place: Place) -> None:
    lobby = place.open()
    [lead] = added(lobby, "lead", manage_rooms=True)
    added(lobby, "ben", "cy")
    lobby.rest(["ben"], by=lead, until=place.clock.at(60))
    lobby._desk.commits.save_snapshots(lobby._desk.streams.loaded.values(), every=1)
    again = place.crash()

    assert again.agent("ben").paused_until == place.clock.at(60)
    place.clock.advance(61)
    again.deliver()
    assert not again.agent("ben").paused


@pytest.mark.rule("L-REST-01")
def test_a_model_that_leads_rests_others_by_a_tool(cast: Cast, clock: Clock) -> None:
    lobby, lead, *_ = cast
    until = {"until": "2026-03-02T13:01:00+01:00"}
    answer = tools.call("rest_agents", {"agents": ["ben"], **until}, by=lead)
    assert lobby.agent("ben").paused_until == clock.at(60)
    assert answer["agents"] == [
        {
            "agent": "agent:ben",
            "paused": True,
            "until": "2026-03-02T12:01:00Z",
        }
    ]
    answer = tools.call("resume_agents", {"agents": ["ben"]}, by=lead)
    assert answer["agents"] == [{"agent": "agent:ben", "paused": False}]
