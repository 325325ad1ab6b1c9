"""Whether agents are in a turn, as whoever runs them reports, and who hears of it."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Literal

import pytest

from lobby.broker import added, code_of
from lobby.place import NOON, Clock, Place
from rooms import Conversation, Lobby
from rooms.hooks import hookimpl
from rooms.lobby import ListedAgent, Stop, Stops, Work
from rooms.lobby.views.standing import standing_of

MINUTE = timedelta(minutes=1)
SECOND = timedelta(seconds=1)


class Host:
    """A host that says who is away, and carries what it is handed."""

    def __init__(self) -> None:
        self.away: set[str] = set()
        self.carried: list[Any] = []
        self.answer: str | None = "delivered"

    @hookimpl
    def rooms_state(self, conversation: Any) -> str:
        return "away" if conversation.agent in self.away else "idle"

    @hookimpl
    def rooms_carry(self, wake: Any) -> str | None:
        self.carried.append(wake)
        return self.answer


class Erases:
    """A host that lets anybody erase messages."""

    @hookimpl
    def rooms_may(self) -> bool:
        return True


@pytest.fixture
def host(lobby: Lobby) -> Host:
    host = Host()
    lobby.register(host)
    return host


def listed(lobby: Lobby, agent: str) -> ListedAgent:
    every = lobby.list_agents(by=lobby.person("zoe"))
    [found] = [one for one in every if one.agent.id == agent]
    return found


def work(lobby: Lobby, agent: str = "ada") -> Work | None:
    return listed(lobby, agent).work


@pytest.fixture
def ada(lobby: Lobby) -> Conversation:
    return added(lobby, "ada")[0]


def at(seconds: float) -> datetime:
    return NOON + timedelta(seconds=seconds)


# -- what is reported, and what is shown


@pytest.mark.rule("L-ACT-05", "L-ACT-14")
@pytest.mark.usefixtures("host")
def test_a_turn_works_until_it_stops(lobby: Lobby, ada: Conversation) -> None:
    assert work(lobby) is None  # never reported
    ada.report_work("start", at=at(0))
    assert work(lobby) == Work("working", at(0))
    ada.report_work("stop", at=at(9), running={"shell": 1, "monitor": 0})
    assert work(lobby) == Work("idle", at(9), {"shell": 1})
    ada.report_work("start", at=at(20))
    assert work(lobby) == Work("working", at(20))
    ada.report_work("failed", at=at(30))
    assert work(lobby) == Work("failed", at(30), {"shell": 1})
    ada.report_work("waiting", at=at(90))  # it stays as it was
    assert work(lobby) == Work("failed", at(30), {"shell": 1})


@pytest.mark.rule("L-ACT-02")
@pytest.mark.usefixtures("host")
def test_an_older_report_never_takes_the_place_of_a_newer_one(
    lobby: Lobby, ada: Conversation
) -> None:
    ada.report_work("start", at=at(10))
    before = list(lobby.export())
    ada.report_work("stop", at=at(9.999))
    ada.report_work("start", at=at(10))  # the same, sent again

    assert list(lobby.export()) == before
    assert work(lobby) == Work("working", at(10))
    ada.report_work("stop", at=at(10))  # as late, and another
    assert work(lobby) == Work("idle", at(10))


@pytest.mark.rule("L-ACT-03")
@pytest.mark.usefixtures("host")
def test_a_session_that_waits_has_ended_its_turn(
    lobby: Lobby, ada: Conversation
) -> None:
    ada.report_work("start", at=at(0))
    ada.report_work("waiting", at=at(100))  # it was interrupted, and reported no stop

    assert work(lobby) == Work("idle", at(100))
    ada.report_work("start", at=at(200))
    ada.report_work("stop", at=at(210))
    ada.report_work("waiting", at=at(270))
    assert work(lobby) == Work("idle", at(210))


@pytest.mark.rule("L-ACT-04", "L-ACT-05")
@pytest.mark.usefixtures("host")
def test_tasks_whose_results_come_back_keep_it_at_work(
    lobby: Lobby, ada: Conversation
) -> None:
    ada.report_work("start", at=at(0))
    ada.report_work("stop", at=at(30), background_tasks=2, running={"shell": 1})
    assert work(lobby) == Work("working", at(0))
    ada.report_work("waiting", at=at(60))  # its tasks go on all the same
    assert work(lobby) == Work("working", at(0))
    ada.report_work("start", at=at(90))  # a result came back
    ada.report_work("stop", at=at(120))
    assert work(lobby) == Work("idle", at(120))
    ada.report_work("start", at=at(150))
    ada.report_work("stop", at=at(151), background_tasks=1)
    ada.report_work("start", at=at(160))
    ada.report_work("waiting", at=at(200))  # interrupted: do others still run?
    assert work(lobby) is None
    ada.report_work("start", at=at(250))
    assert work(lobby) == Work("working", at(250))


@pytest.mark.rule("L-ACT-05", "L-ACT-06", "L-DISC-05")
def test_it_is_shown_only_while_somebody_runs_it(
    lobby: Lobby, place: Place, host: Host, ada: Conversation
) -> None:
    ada.report_work("start", at=at(0))
    host.away.add("ada")
    assert (work(lobby), listed(lobby, "ada").connected) == (None, False)
    host.away.clear()
    assert listed(lobby, "ada").connected is True
    assert work(lobby) == Work("working", NOON)
    again = place.crash()  # without a host's word, a check-in counts
    assert work(again) is None
    again.agent("ada").conversation().check_in()
    assert work(again) == Work("working", NOON)
    again.agent("ada").conversation().claim()  # another process runs it
    assert work(again) is None
    again.agent("ada").conversation().report_work("stop", at=at(5))
    assert work(again) == Work("idle", at(5))


@pytest.mark.rule("L-ACT-01")
def test_a_report_needs_no_claim_and_says_no_words(
    lobby: Lobby, ada: Conversation
) -> None:
    ada.claim("r-1")
    ada.report_work("start")
    ada.report_work("stop", background_tasks=1, running={"shell": 2})

    assert all('"body":null' in line for line in lobby.export() if "reported" in line)
    lobby.agent("ada").change(enabled=False)
    assert code_of(lambda: ada.report_work("start")) == "agent_disabled"


@pytest.mark.rule("L-ACT-01")
@pytest.mark.parametrize(
    "given",
    [
        {"event": "begin"},
        {"event": None},
        {"event": ["start"]},
        {"event": "x" * 10_000_000},
        {"event": "start", "background_tasks": 1},  # no stop
        {"event": "failed", "background_tasks": 1},
        {"event": "waiting", "running": {}},
        {"event": "stop", "background_tasks": -1},
        {"event": "stop", "background_tasks": 1_001},
        {"event": "stop", "background_tasks": True},
        {"event": "stop", "background_tasks": 1.0},
        {"event": "stop", "running": {"a secret text": 1}},
        {"event": "stop", "running": {"Shell": 1}},
        {"event": "stop", "running": {1: 1}},
        {"event": "stop", "running": {"shell": "1"}},
        {"event": "stop", "running": {f"s{number}": 1 for number in range(9)}},
        {"event": "stop", "running": [("shell", 1)]},
        {"event": "start", "at": NOON + 5 * MINUTE + SECOND},  # no clock is so wrong
        {"event": "start", "at": 1_792_345_200_000},
    ],
)
def test_what_is_no_report_is_refused(ada: Conversation, given: dict[str, Any]) -> None:
    assert code_of(lambda: ada.report_work(**given)) == "invalid_request"


def test_a_naive_instant_is_no_instant(ada: Conversation) -> None:
    naive = NOON.replace(tzinfo=None)
    assert code_of(lambda: ada.report_work("start", at=naive)) == "naive_time"
    ada.report_work("start", at=NOON + 5 * MINUTE)  # a clock that runs ahead a little


@pytest.mark.rule("L-ACT-05")
@pytest.mark.usefixtures("host")
def test_an_agent_of_many_conversations_works_while_one_of_them_does(
    lobby: Lobby, eve: Conversation
) -> None:
    other = lobby.conversation("Eve", label="shed")
    eve.report_work("start", at=at(0))
    other.report_work("start", at=at(10))
    assert work(lobby, "Eve") == Work("working", at(0))
    eve.report_work("stop", at=at(20))
    assert work(lobby, "Eve") == Work("working", at(10))
    other.report_work("failed", at=at(30))
    assert work(lobby, "Eve") == Work("failed", at(30))


# -- leads are told of stops


@pytest.fixture
def lead(lobby: Lobby) -> Conversation:
    return added(lobby, "lead", manage_rooms=True)[0]


End = Literal["stop", "failed", "waiting"]


def ran(one: Conversation, clock: Clock, seconds: float, end: End = "stop") -> datetime:
    """A turn of so long; the instant of its end."""
    one.report_work("start")
    clock.advance(seconds)
    one.report_work(end)
    return clock()


@pytest.mark.rule("L-ACT-07", "L-ACT-08")
def test_a_lead_hears_of_a_stop_five_minutes_after_it(
    lobby: Lobby, host: Host, lead: Conversation, ada: Conversation, clock: Clock
) -> None:
    ada.report_work("start")
    clock.advance(minutes=38, seconds=59)
    ada.report_work("stop", running={"shell": 1})
    ended = clock()
    clock.advance(minutes=4, seconds=59)
    assert (lobby.deliver().stops, lobby.next_deadline()) == ((), ended + 5 * MINUTE)
    clock.advance(1)
    told = lobby.deliver().stops

    stop = Stop(ada, "idle", ended, 38, 0, {"shell": 1})
    assert told == (Stops(lead, (stop,)),)
    assert host.carried == list(told)
    assert "after 38 min of work, with 1 shell still running" in told[0].render()
    assert (lobby.deliver().stops, lobby.next_deadline()) == ((), None)  # once
    assert lobby.take_wakes() == []  # it stands in no inbox


@pytest.mark.rule("L-ACT-07", "L-ACT-08")
@pytest.mark.parametrize(
    "turn",
    [
        (60, "stop", 1),
        (59.999, "stop", None),
        (60, "waiting", 1),
        (1, "failed", 0),
        (61, "failed", 1),
    ],
)
@pytest.mark.usefixtures("host", "lead")
def test_a_turn_counts_from_a_minute_on_and_a_failure_always(
    lobby: Lobby,
    ada: Conversation,
    clock: Clock,
    turn: tuple[float, End, int | None],
) -> None:
    seconds, end, told = turn
    ran(ada, clock, seconds, end)
    clock.advance(minutes=5)
    stops = [stop for each in lobby.deliver().stops for stop in each.stops]

    assert [stop.worked_minutes for stop in stops] == ([] if told is None else [told])
    tasks = [stop.background_tasks for stop in stops]
    assert tasks == [None if end == "failed" else 0] * len(stops)


@pytest.mark.rule("L-ACT-07", "L-ACT-08")
@pytest.mark.usefixtures("host", "lead")
def test_whose_start_nobody_saw_is_told_only_where_it_failed(
    lobby: Lobby, ada: Conversation, clock: Clock
) -> None:
    ada.report_work("stop")
    clock.advance(minutes=5)
    assert lobby.deliver().stops == ()
    ada.report_work("failed")
    clock.advance(minutes=5)
    [told] = lobby.deliver().stops

    assert told.stops[0].worked_minutes is None
    ran(ada, clock, 120)
    ada.report_work("failed", at=clock() + SECOND)  # of a turn that nobody saw begin
    clock.advance(minutes=5, seconds=1)
    [told] = lobby.deliver().stops
    assert told.stops[0].worked_minutes is None


@pytest.mark.rule("L-ACT-07")
@pytest.mark.usefixtures("host", "lead")
def test_a_new_turn_or_a_task_that_goes_on_is_no_stop(
    lobby: Lobby, ada: Conversation, clock: Clock
) -> None:
    ran(ada, clock, 600)
    clock.advance(minutes=4)
    ada.report_work("start")
    assert lobby.next_deadline() is None
    clock.advance(minutes=10)
    ada.report_work("stop", background_tasks=1)
    assert lobby.next_deadline() is None
    clock.advance(minutes=10)
    assert lobby.deliver().stops == ()
    ada.report_work("start")
    ada.report_work("stop")  # the stretch took 20 minutes, its tasks included
    clock.advance(minutes=5)
    [told] = lobby.deliver().stops
    assert told.stops[0].worked_minutes == 20


@pytest.mark.rule("L-ACT-07", "L-ACT-08", "L-AGENT-11")
def test_no_lead_hears_of_itself_and_none_that_is_away_or_paused(
    lobby: Lobby, host: Host, lead: Conversation, ada: Conversation, clock: Clock
) -> None:
    far, still = added(lobby, "far", "still", manage_rooms=True)
    lobby.agent("still").change(paused=True)
    host.away.add("far")
    for one in (lead, ada):
        one.report_work("start")
    clock.advance(60)
    for one in (ada, lead):
        one.report_work("stop")
    clock.advance(minutes=5)

    told = lobby.deliver().stops
    heard = [(one.conversation, [s.conversation for s in one.stops]) for one in told]
    assert heard == [(lead, [ada])]
    assert (far, still) == tuple(added(lobby, "far", "still", manage_rooms=True))
    # of the lead itself nobody could hear, as the only others are away or paused
    lobby.agent("still").change(paused=False)
    clock.advance(60)
    [told_later] = lobby.deliver().stops
    assert told_later.conversation == still
    assert [stop.conversation for stop in told_later.stops] == [lead]


@pytest.mark.rule("L-ACT-09")
@pytest.mark.usefixtures("host")
def test_a_lead_that_is_not_ready_hears_of_it_once_it_is(
    lobby: Lobby, lead: Conversation, ada: Conversation, clock: Clock
) -> None:
    claim = lead.claim("r-1")
    assert listed(lobby, "lead").ready is False
    ran(ada, clock, 60)
    clock.advance(minutes=5)
    assert lobby.deliver().stops == ()
    claim.ready(0, claim.nonce)
    assert listed(lobby, "lead").ready is True
    clock.advance(minutes=1)

    assert [one.conversation for one in lobby.deliver().stops] == [lead]


@pytest.mark.rule("L-ACT-09", "L-NOTIFY-03")
@pytest.mark.usefixtures("host")
def test_it_takes_a_place_of_the_thirty_that_a_lead_is_pushed_in_a_minute(
    lobby: Lobby, lead: Conversation, clock: Clock
) -> None:
    agents = added(lobby, *(f"a{number}" for number in range(32)))
    for one in agents:
        one.report_work("start")
    clock.advance(60)
    for one in agents:  # one each second
        clock.advance(1)
        one.report_work("stop")
    clock.now = NOON + 6 * MINUTE
    told: list[Stops] = []
    while (due := lobby.next_deadline()) is not None and due <= at(6 * 60 + 32):
        clock.now = due
        told += lobby.deliver().stops
    assert len(told) == 30
    clock.now = NOON + 7 * MINUTE + SECOND  # when the first place is free again
    assert lobby.deliver().stops == ()  # the last two are tried a minute later
    clock.now = NOON + 7 * MINUTE + 32 * SECOND
    [rest] = lobby.deliver().stops
    assert rest.conversation == lead
    assert [stop.conversation for stop in rest.stops] == list(agents[30:])


@pytest.mark.rule("L-ACT-08")
def test_what_is_pushed_is_handed_to_whoever_pushes(
    lobby: Lobby, host: Host, lead: Conversation, ada: Conversation, clock: Clock
) -> None:
    class Pushes:
        def __init__(self) -> None:
            self.pushed: list[Any] = []

        @hookimpl
        def rooms_push(self, push: Any) -> str:
            self.pushed.append(push)
            return "attempted"

    transport = Pushes()
    lobby.register(transport)
    ended = ran(ada, clock, 60)
    clock.advance(minutes=5)
    told = lobby.deliver().stops

    assert (list(told), host.carried) == (transport.pushed, [])
    [pushed] = transport.pushed
    assert pushed.as_dict() == {
        "type": "stops",
        "agent": "lead",
        "conversation": lead.id,
        "stops": [
            {
                "agent": "agent:ada",
                "state": "idle",
                "since": ended.isoformat(),
                "worked_minutes": 1,
                "background_tasks": 0,
                "running": {},
            }
        ],
    }


@pytest.mark.rule("L-ACT-08")
def test_who_is_disconnected_by_then_is_not_told_of(
    lobby: Lobby, host: Host, lead: Conversation, ada: Conversation, clock: Clock
) -> None:
    ran(ada, clock, 60)
    host.away.add("ada")
    clock.advance(minutes=5)
    assert lobby.deliver().stops == ()
    host.away.clear()
    clock.advance(minutes=1)
    assert (lobby.deliver().stops, lobby.next_deadline()) == ((), None)
    assert lead.agent == "lead"


@pytest.mark.rule("L-ACT-09")
def test_stops_that_are_due_together_are_told_together(
    lobby: Lobby, host: Host, lead: Conversation, clock: Clock
) -> None:
    other = added(lobby, "other", manage_rooms=True)[0]
    ada, bo = added(lobby, "ada", "bo")
    ran(ada, clock, 60)
    ran(bo, clock, 60, "failed")
    clock.advance(minutes=5)
    told = lobby.deliver().stops

    assert [one.conversation for one in told] == [lead, other]
    for each in told:
        assert [stop.conversation for stop in each.stops] == [ada, bo]
    assert host.carried == list(told)


@pytest.mark.rule("L-ACT-09")
@pytest.mark.parametrize("comes", [1, 9, 10, 11])
def test_nobody_who_could_be_told_for_ten_minutes_and_it_is_dropped(
    lobby: Lobby,
    host: Host,
    lead: Conversation,
    clock: Clock,
    comes: int,
) -> None:
    [ada] = added(lobby, "ada")
    host.away.add("lead")
    ran(ada, clock, 60)
    clock.advance(minutes=5)
    assert lobby.deliver().stops == ()
    for _ in range(comes):  # the host comes when it is asked to
        due = lobby.next_deadline()
        if due is None:
            break
        assert due == clock() + MINUTE
        clock.now = due
        if clock() == NOON + (6 + comes) * MINUTE:
            host.away.clear()
        told = lobby.deliver().stops
    assert [one.conversation for one in told] == ([] if comes > 10 else [lead])
    assert lobby.next_deadline() is None


@pytest.mark.rule("L-ACT-09")
@pytest.mark.usefixtures("host", "lead")
def test_after_a_downtime_longer_than_that_nobody_hears_of_it(
    lobby: Lobby, place: Place, ada: Conversation, clock: Clock
) -> None:
    ran(ada, clock, 60)
    clock.advance(minutes=15, seconds=1)
    again = place.crash()
    again.register(Host())

    assert again.deliver().stops == ()
    assert again.next_deadline() is None


@pytest.mark.rule("L-ACT-07", "L-ACT-09")
def test_a_lead_that_pulls_hears_at_its_check_in(
    lobby: Lobby, lead: Conversation, ada: Conversation, clock: Clock
) -> None:
    for one in (lead, ada):
        one.check_in()
    ran(ada, clock, 60)
    clock.advance(minutes=4)
    ada.check_in()
    clock.advance(minutes=1)
    lobby.deliver()  # nobody carries: it waits for a check-in

    [notice] = lead.check_in()
    assert notice.kind == "work_stopped"
    assert notice.data["agent"] == "agent:ada"
    assert notice.data["worked_minutes"] == 1
    assert (lead.check_in(), lobby.next_deadline()) == ((), None)


@pytest.mark.rule("L-ACT-09")
@pytest.mark.parametrize(("minutes", "told"), [(15, 1), (15.01, 0)])
def test_a_check_in_that_comes_too_late_hears_of_nothing(
    lead: Conversation, ada: Conversation, clock: Clock, minutes: float, told: int
) -> None:
    ran(ada, clock, 60)
    clock.advance(minutes=minutes)
    ada.check_in()

    assert len(lead.check_in()) == told


@pytest.mark.rule("L-ACT-09")
def test_what_is_told_is_recorded_before_it_is_handed_over(
    lobby: Lobby, host: Host, ada: Conversation, lead: Conversation, clock: Clock
) -> None:
    host.answer = None  # no plugin takes it
    ran(ada, clock, 60)
    clock.advance(minutes=5)

    assert lobby.deliver().stops == ()
    assert [one.conversation for one in host.carried] == [lead]
    assert lobby.deliver().stops == ()
    assert len(host.carried) == 1


@pytest.mark.usefixtures("host")
def test_where_nobody_leads_nothing_falls_due(
    lobby: Lobby, ada: Conversation, clock: Clock
) -> None:
    ran(ada, clock, 60)

    assert lobby.next_deadline() is None


# -- the strip of a day


@pytest.mark.rule("L-VIEW-04", "L-ACT-14")
def test_a_strip_has_the_minutes_of_each_quarter_hour(
    lobby: Lobby, host: Host, ada: Conversation, clock: Clock
) -> None:
    # NOON is a full hour; the strip of 13:07 begins with 13:15 of the day before
    for began, ended in [(0, 60), (10 * 60, 20 * 60), (20 * 60 + 30, 20 * 60 + 59)]:
        ada.report_work("start", at=at(began), now=at(ended))
        ada.report_work("stop", at=at(ended), now=at(ended))
    ada.report_work("start", at=at(55 * 60), now=at(55 * 60))
    clock.now = at(67 * 60 + 30)
    strip = lobby.agent("ada").strip()

    assert strip.begins_at == NOON - timedelta(hours=22, minutes=45)
    assert len(strip.minutes) == 96
    # 12:00 to 12:01 and 12:10 to 12:15; then to 12:20 and 29 seconds; 12:55 on; 13:00
    assert strip.minutes[-5:] == (6, 5, 0, 5, 7)
    assert sum(strip.minutes[:-5]) == 0
    assert strip.worked == timedelta(minutes=1 + 10 + 12, seconds=29 + 30)
    host.away.add("ada")  # it was last seen when it reported
    assert lobby.agent("ada").strip().minutes[-5:] == (6, 5, 0, 0, 0)


@pytest.mark.rule("L-ACT-06")
def test_a_stretch_is_kept_for_two_days(
    lobby: Lobby, place: Place, ada: Conversation, clock: Clock
) -> None:
    ran(ada, clock, 600)
    clock.advance(hours=12)
    ran(ada, clock, 60)
    assert lobby.agent("ada").strip().worked == 11 * MINUTE
    clock.advance(hours=36, minutes=9)
    ada.report_work("start")
    assert lobby.agent("ada").strip().worked == timedelta(0)
    kept = lobby._desk.lately.stretches(ada.id, 0)
    assert [until and until - began for began, until in kept] == [60_000_000, None]
    again = place.crash()  # a stretch that goes on does so still
    clock.advance(minutes=3)
    one = again.agent("ada").conversation()
    one.check_in()
    assert again.agent("ada").strip().worked == 3 * MINUTE


@pytest.mark.rule("L-VIEW-04")
@pytest.mark.usefixtures("host")
def test_a_minute_of_two_conversations_counts_once(
    lobby: Lobby, eve: Conversation, clock: Clock
) -> None:
    other = lobby.conversation("Eve", label="shed")
    eve.report_work("start")
    clock.advance(minutes=4)
    other.report_work("start")
    clock.advance(minutes=4)
    eve.report_work("stop")
    clock.advance(minutes=2)

    assert lobby.agent("Eve").strip().minutes[-1] == 10


@pytest.mark.rule("L-ACT-05", "L-VIEW-04")
@pytest.mark.usefixtures("host")
def test_another_process_ends_what_ran_before(
    lobby: Lobby, ada: Conversation, clock: Clock
) -> None:
    ada.report_work("start")
    clock.advance(minutes=2)
    ada.claim()
    clock.advance(minutes=8)

    assert lobby.agent("ada").strip().minutes[-1] == 2


# -- the last message


@pytest.mark.rule("L-ACT-13", "L-DISC-02")
def test_the_last_message_is_one_sent_or_one_to_it_alone(
    lobby: Lobby, place: Place, clock: Clock
) -> None:
    ada, bo, cy = added(lobby, "ada", "bo", "cy", can_broadcast=True)

    def last(one: Lobby = lobby) -> list[float | None]:
        found = [entry.last_message_at for entry in one.list_agents(by=one.person("z"))]
        return [None if at is None else (at - NOON) / MINUTE for at in found]

    lobby.register(Erases())
    assert last() == [None, None, None]
    lobby.send("Hello", by=ada, to="bo")
    clock.advance(60)
    assert last() == [0, 0, None]
    lobby.send("To all", by=bo, to="*")
    assert last() == [0, 1, None]
    clock.advance(60)
    room = lobby.create_room("r", by=cy, policy="hall").join(by=ada)
    said = room.post("Here, ada", by=cy, to=[ada]).message
    assert last() == [0, 1, 2]
    clock.advance(60)
    direct = lobby.send("You", by=cy, to="ada")
    assert last() == [3, 1, 3]
    assert last(place.crash()) == [3, 1, 3]
    again = place.open()
    again.register(Erases())
    zoe = again.agent("cy").conversation()
    clock.advance(60)
    more = again.send("And you", by=zoe, to="ada")
    assert last(again) == [4, 1, 4]
    again.room(direct.room.id).erase(more.message.id, by=zoe)
    assert last(again) == [3, 1, 3]  # the one before it
    again.room(direct.room.id).erase(direct.message.id, by=zoe)
    assert last(again) == [0, 1, 2]
    again.room(room.id).erase(said.id, by=zoe)
    assert last(again) == [0, 1, None]


@pytest.mark.rule("L-ACT-13")
def test_a_message_that_waits_was_sent_when_it_was_made_and_comes_when_it_does(
    lobby: Lobby, clock: Clock
) -> None:
    ada, bo = added(lobby, "ada", "bo")

    def last() -> list[float | None]:
        found = [one.last_message_at for one in lobby.list_agents(by=ada)]
        return [None if at is None else (at - NOON) / MINUTE for at in found]

    lobby.send("Later", by=ada, to="bo", deliver_at=NOON + 10 * MINUTE)
    never = lobby.send("Never", by=bo, to="ada", deliver_at=NOON + 10 * MINUTE)
    lobby.schedules(by=bo).cancel(never.message.id)
    clock.advance(minutes=5)
    assert last() == [0, 0]
    clock.advance(minutes=5)
    lobby.deliver()
    assert last() == [0, 10]


@pytest.mark.rule("L-DISC-02")
def test_a_list_says_when_an_agent_was_seen_and_when_it_saw(
    lobby: Lobby, clock: Clock
) -> None:
    ada, bo = added(lobby, "ada", "bo")
    sent = lobby.send("Look.", by=bo, to="ada")
    clock.advance(60)
    ada.check_in()
    assert listed(lobby, "ada").last_seen_at == at(60)
    assert listed(lobby, "ada").last_agent_seen_at is None
    clock.advance(60)
    lobby.inbox(ada).acknowledge([sent.message.id])
    assert listed(lobby, "ada").last_agent_seen_at == at(120)
    clock.advance(60)
    lobby.inbox(ada).save_checkpoint("Done.", base=0, covered_receipt_seq=1)
    shown = listed(lobby, "ada")
    assert (shown.last_agent_seen_at, shown.last_seen_at) == (at(180), at(60))
    assert listed(lobby, "bo").last_seen_at is None


# -- how it stands


@pytest.mark.rule("L-VIEW-01")
@pytest.mark.parametrize(
    ("unseen", "asks", "connected", "state", "stands"),
    [
        (15, True, False, "failed", "not_responding"),
        (14.99, True, False, "failed", "waiting_on_owner"),
        (None, True, True, "working", "waiting_on_owner"),
        (14, False, False, None, "away"),
        (14, False, True, "working", "working"),
        (None, False, True, "failed", "failed"),
        (None, False, True, "idle", "idle"),
        (None, False, True, None, "idle"),
    ],
)
def test_the_first_that_fits_is_how_an_agent_stands(
    unseen: float | None, asks: bool, connected: bool, state: Any, stands: str
) -> None:
    since = None if unseen is None else NOON - timedelta(minutes=unseen)
    work = None if state is None else Work(state, NOON)

    assert stands == standing_of(
        unseen_since=since, asks=asks, connected=connected, work=work, now=NOON
    )


@pytest.mark.rule("L-VIEW-01")
def test_a_list_says_how_each_agent_stands(
    lobby: Lobby, host: Host, ada: Conversation
) -> None:
    def stands() -> str:
        return listed(lobby, "ada").standing

    assert stands() == "idle"
    ada.report_work("start")
    lobby.send("Are you there?", by=added(lobby, "bo")[0], to="ada")
    assert stands() == "working"  # no message decides it
    ada.report_work("failed")
    assert stands() == "failed"
    host.away.add("ada")
    assert stands() == "away"
    lobby.set_owner_requests(1, "A key.", by=ada)
    assert stands() == "waiting_on_owner"
    lobby.agent("ada").change(paused=True)  # which is shown beside it
    assert (stands(), listed(lobby, "ada").paused) == ("waiting_on_owner", True)
