"""An old log decided again: what agrees, and what a changed rule changes."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

import effort
from rooms import Lobby, MemoryStorage, RateWindow, RoomPolicy, hookimpl
from rooms.addressing import find_mentions
from rooms.cli import main
from rooms.errors import CorruptLog, InvalidInput, OverLimit, RoomsError
from rooms.log.events import decoded
from rooms.log.ledger.ending import wake_closed
from rooms.log.ledger.taking import carry
from rooms.log.posting.owing import HEARD
from rooms.simulation import Faults, Run, Scenario, chatty, erratic, silent
from rooms.testing import FakeClock, check_replay

GOLDEN = sorted((Path(__file__).parent.parent / "golden").glob("*.jsonl"))

# Recorded before a turn that failed too often called for attention.
BEFORE_ATTENTION = {"turns", "erased"}


@pytest.mark.parametrize("log", GOLDEN, ids=lambda log: log.stem)
def test_golden_logs_are_decided_alike_today(log: Path) -> None:
    report = check_replay(log)

    found = [one.reasons for one in report.divergences]
    if log.stem in BEFORE_ATTENTION:
        recorded = "recorded wake_returned; today wake_returned, attention_called"
        assert found == [(recorded,)]
    else:
        assert found == []


def played(policy: str | None, seed: int) -> Run:
    start = ("eve", "go", "ben") if policy == "hall" else ("ana", "@eve @ben go", "eve")
    return Scenario(
        agents={
            "eve": chatty(to="ben", latency=("1s", "5m"), fails=0.2),
            "ben": erratic(0.8, every="10m"),
            "cy": silent(mode="digest"),
            "tom": chatty(every="3m", threaded=True, mode="every_message"),
        },
        policy=policy,
        start=start,
        until="4h",
        faults=Faults(crash_every="40m", busy=0.05, unknown=0.05),
    ).run(seed)


@pytest.mark.no_cover
@pytest.mark.parametrize("policy", [None, "hall", "broker", "panel", "thread"])
@pytest.mark.parametrize("seed", range(effort.sized(1, 3, 100)))
def test_whatever_was_played_is_decided_alike(policy: str | None, seed: int) -> None:
    run = played(policy, seed)

    report = check_replay(run.storage)

    assert report.divergences == ()
    assert report.decided["post"] == len(run.records("messages"))
    opened = len([one for one in run.records("wakes") if one["kind"] != "notice"])
    assert report.decided["take"] >= opened
    left = set(report.passed_over)
    assert not left & {"message_posted", "granted", "wake_taken", "wake_closed"}
    if policy in {"panel", "thread"}:
        assert report.decided["floor"] > 0


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """Eve tells ben twice, the second time beyond his window; cy hears digests."""
    path, clock = tmp_path / "small.db", FakeClock()
    policy = RoomPolicy(
        wake_window=RateWindow(1, timedelta(minutes=5)), mentions="anywhere", max_hops=9
    )
    with Lobby.open(path, clock=clock) as lobby:
        eve, ben, cy = (
            lobby.add_agent(one).conversation() for one in ("eve", "ben", "cy")
        )
        ana = lobby.person("ana")
        room = lobby.create_room("orders", by=ana, policy=policy)
        for one in (eve, ben):
            room.join(by=one)
        room.join(by=cy, mode="digest")
        room.post("a", by=eve, to=[ben])
        room.post("b", by=eve, to=[ben])
        room.post("@cy look, @nobody", by=ana)
        [wake] = lobby.take_wakes(agents=["ben"])
        with lobby.turn(wake) as turn:
            turn.reply("done")
        clock.advance(minutes=15)
        lobby.deliver()
        lobby.take_wakes()
        room.subscribe(by=ben, mode="on_demand")
        room.leave(by=cy)
    return path


def divergences(path: Path) -> list[tuple[str, tuple[str, ...]]]:
    return [(one.kind, one.reasons) for one in check_replay(path).divergences]


def test_a_small_log_is_decided_again_from_its_file(small: Path) -> None:
    before = small.read_bytes()

    report = check_replay(small)

    assert report.agrees
    assert report.decided == {"due": 1, "end": 1, "post": 4, "seat": 5, "take": 4}
    assert small.read_bytes() == before


# Each breaks one rule, as a later version might; it is found where the log shows it.


def test_a_changed_rule_of_hearing_is_found(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(HEARD, ("digest", False, "none"))

    found = divergences(small)

    assert [kind for kind, _ in found] == ["post"] * 3
    assert all(
        "digest as digest by digest (tag none); today nothing" in one
        for _, [one] in found
    )


def test_a_changed_window_is_found(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "rooms.log.posting.owing.frees_at", lambda limit, period, charges, now: now
    )

    [(kind, reasons)] = divergences(small)
    assert kind == "post"
    [reason] = reasons
    assert "recorded held as now by tagged (tag direct); today ready as now" in reason


def test_a_changed_grammar_of_mentions_is_found(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "rooms.log.posting.addressing.find_mentions",
        lambda text, roster: find_mentions(text.replace("@cy", "@ben"), roster),
    )

    [(kind, reasons)] = divergences(small)
    assert kind == "post"
    assert any(".to: recorded ('agent:cy',); today" in one for one in reasons), reasons


def test_a_change_in_what_a_take_carries_is_found(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "rooms.log.ledger.taking.carry",
        lambda *given, **options: carry(*given, **options)[:1],
    )

    assert {kind for kind, _ in divergences(small)} == {"take"}


def test_a_change_in_what_a_good_end_settles_is_found(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "rooms.log.ledger.turns.wake_closed",
        lambda room, seat, wake, why: wake_closed(room, seat, wake, f"well {why}"),
    )

    assert [kind for kind, _ in divergences(small)] == ["end"]


def test_a_rule_that_refuses_today_is_told_by_its_code(
    small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OverLimit("send_rate", "none may post")

    monkeypatch.setattr("rooms.log.posting.deciding.check_send_rate", refuse)

    report = check_replay(small)

    assert {one.refused for one in report.divergences} == {"send_rate"}
    assert report.divergences[0].decided == ()
    assert "today:    refused with send_rate" in str(report)


def test_a_known_bad_log_is_refused(small: Path, tmp_path: Path) -> None:
    export = tmp_path / "small.jsonl"
    with Lobby.open(small) as lobby:
        lines = list(lobby.export())
    bad = [line.replace('"seq\\":2', '"seq\\":3') for line in lines]
    assert bad != lines
    export.write_text("".join(lines), encoding="utf-8")
    assert check_replay(export).agrees

    export.write_text("".join(bad), encoding="utf-8")
    with pytest.raises(CorruptLog):
        check_replay(export)
    export.write_text("".join(lines[:-2]), encoding="utf-8")
    with pytest.raises(CorruptLog):
        check_replay(export)


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"{}\n", b"SQLite format 3\x00"])
def test_what_is_no_log_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(content)

    with pytest.raises(RoomsError):
        check_replay(path)
    with pytest.raises(InvalidInput, match="cannot be read"):
        check_replay(tmp_path / "nothing")


def test_the_command_tells_and_ends_by_what_it_found(
    small: Path, tmp_path: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["check", str(small)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == (
        "decided again: 1 due, 1 end, 4 post, 5 seat, 4 take"
    )
    assert main(["check", str(small), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["agrees"] is True

    with Lobby.open(tmp_path / "empty.db"):
        pass
    assert main(["check", str(tmp_path / "empty.db")]) == 2

    monkeypatch.delitem(HEARD, ("digest", False, "none"))
    assert main(["check", str(small)]) == 1
    assert "divergences: 3" in capsys.readouterr().out


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe of POSIX")
def test_an_export_is_checked_as_it_comes_through_a_pipe(
    small: Path, tmp_path: Path
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with Lobby.open(small) as lobby:
        log = "".join(lobby.export()).encode()
    writing = Thread(target=pipe.write_bytes, args=(log,), daemon=True)
    writing.start()

    assert check_replay(pipe).decided["post"] == 4


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a pipe of POSIX")
def test_a_line_without_an_end_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rooms.log.lines.MOST_CHARACTERS", 1_000)
    pipe, refused = tmp_path / "pipe", Event()
    os.mkfifo(pipe)

    def write() -> None:
        try:
            with pipe.open("wb", buffering=0) as file:
                for _ in range(1_000):
                    file.write(bytes(10_000))
        except BrokenPipeError:
            refused.set()

    writing = Thread(target=write, daemon=True)
    writing.start()
    with pytest.raises(InvalidInput, match="line 1 is too long"):
        check_replay(pipe)
    writing.join(30)

    assert refused.is_set()


@pytest.mark.parametrize("most", [1, 2, None])
@pytest.mark.parametrize(
    ("to", "text", "mentions"),
    [
        (["eve"], "hi", ["ben", "cy"]),
        ([], "hi", ["eve", "ben"]),
        (["all"], "hi", ["eve", "ben"]),
        (["person:ana"], "hi", ["eve", "all"]),
        (["all", "person:ana"], "hi", ["eve"]),
        ([], "@eve @ben hi", None),
        (["room"], "@eve @all hi", None),
        (["cy"], "@eve @ben hi", None),
    ],
)
def test_who_was_called_is_not_taken_for_who_was_addressed(
    most: int | None, to: list[str], text: str, mentions: list[str] | None
) -> None:
    """To address one limits a named audience, to call one does not."""
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=FakeClock())
    tom, *others = (
        lobby.add_agent(one).conversation() for one in ("tom", "eve", "ben", "cy")
    )
    policy = RoomPolicy(
        audience="named", max_named=most, mentions="anywhere", mentions_from="any"
    )
    room = lobby.create_room("r", by=lobby.person("ana"), policy=policy)
    for one in (tom, *others):
        room.join(by=one)
    room.post(text, by=tom, to=to, mentions=mentions)

    report = check_replay(storage)

    assert (report.divergences, report.decided["post"]) == ((), 1)


@pytest.mark.parametrize("by_archiving", [True, False])
def test_an_activity_that_a_person_ended_is_no_answer_of_a_planner(
    *, by_archiving: bool
) -> None:
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=FakeClock())
    ana = lobby.person("ana")
    room = lobby.create_room("r", by=ana, policy="panel")
    for name in ("eve", "ben"):
        room.join(by=lobby.add_agent(name).conversation())
    room.post("Go.", by=ana)
    if by_archiving:
        room.archive(by=ana)
    else:
        room.change_policy(RoomPolicy(), by=ana)

    report = check_replay(storage)

    types = {decoded(one).event.TYPE for one in storage.scan()}
    assert {"activity_opened", "activity_ended"} <= types
    assert report.divergences == ()


def test_a_reply_to_a_message_of_another_room_is_decided_alike() -> None:
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=FakeClock())
    ana, _ = lobby.person("ana"), lobby.add_agent("eve", threaded=True)
    one = lobby.conversation("eve", thread="one")
    room = lobby.create_room("r", by=ana).join(by=one)
    asked = room.post("Which?", by=one).message
    lobby.send("This.", by=ana, to="eve", reply_to=asked.id)

    report = check_replay(storage)

    assert (report.divergences, report.decided["post"]) == ((), 2)


def test_what_a_message_that_waited_lets_go_is_not_asked_of_time_alone() -> None:
    """A person's words let what was held go, also where they come at their time."""
    clock = FakeClock()
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=clock)
    ana = lobby.person("ana")
    eve, ben = (lobby.add_agent(one).conversation() for one in ("eve", "ben"))
    policy = RoomPolicy(wake_window=RateWindow(1, timedelta(hours=1)))
    room = lobby.create_room("r", by=ana, policy=policy)
    for one in (eve, ben):
        room.join(by=one)
    for text in ("a", "b"):
        room.post(text, by=eve, to=[ben])
    room.post("now", by=ana, to=[ben], deliver_at=clock() + timedelta(minutes=5))
    clock.advance(minutes=5)
    lobby.deliver()

    report = check_replay(storage)

    types = [decoded(one).event.TYPE for one in storage.scan()]
    assert types[-2:] == ["granted", "message_posted"]
    assert report.divergences == ()


@pytest.mark.parametrize(
    ("to", "mentions"), [(["ben"], ["eve"]), (["ben"], ["all"]), (["person:ben"], None)]
)
def test_who_writes_to_itself_is_told_apart_from_a_person_of_its_name(
    to: list[str], mentions: list[str] | None
) -> None:
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=FakeClock())
    eve, ben = (lobby.add_agent(one).conversation() for one in ("eve", "ben"))
    policy = RoomPolicy(self_address="allow")
    room = lobby.create_room("r", by=lobby.person("ana"), policy=policy)
    for one in (eve, ben):
        room.join(by=one, mode="digest")
    room.post("hi", by=ben, to=to, mentions=mentions)

    report = check_replay(storage)

    assert (report.divergences, report.decided["post"]) == ((), 1)


def test_a_notice_is_a_notice_also_where_the_floor_waits() -> None:
    clock = FakeClock()
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=clock)
    ana, eve = lobby.person("ana"), lobby.add_agent("eve").conversation()
    plain = lobby.create_room("plain", by=ana).join(by=eve)
    panel = lobby.create_room("panel", by=ana, policy="panel").join(by=eve)
    plain.post("a", by=ana, to=[eve])
    [wake] = lobby.take_wakes()
    with lobby.turn(wake) as turn:
        panel.post("Go.", by=ana)
        turn.fetch_notices()

    assert check_replay(storage).divergences == ()


def test_an_activity_that_ends_as_the_next_message_comes_ends_by_itself() -> None:
    clock = FakeClock()
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=clock)
    ana, eve = lobby.person("ana"), lobby.add_agent("eve").conversation()
    room = lobby.create_room("r", by=ana, policy="panel").join(by=eve)
    room.post("Next.", by=ana, deliver_at=clock() + timedelta(minutes=5))
    room.post("Go.", by=ana)
    [wake] = lobby.take_wakes()
    clock.advance(minutes=5)
    with lobby.turn(wake):
        pass
    lobby.deliver()

    report = check_replay(storage)

    types = [decoded(one).event.TYPE for one in storage.scan()]
    assert ["activity_ended", "activity_opened", "message_posted"] in [
        types[place : place + 3] for place in range(len(types))
    ]
    assert report.divergences == ()


def test_a_named_audience_that_hears_otherwise_is_still_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=FakeClock())
    tom, eve, ben = (
        lobby.add_agent(one).conversation() for one in ("tom", "eve", "ben")
    )
    policy = RoomPolicy(audience="named", max_named=1)
    room = lobby.create_room("r", by=lobby.person("ana"), policy=policy)
    for one in (tom, eve, ben):
        room.join(by=one)
    room.post("hi", by=tom, to=["eve"], mentions=["ben"])
    monkeypatch.delitem(HEARD, ("when_tagged", False, "direct"))

    [found] = check_replay(storage).divergences

    assert found.kind == "post"


def test_what_waits_for_its_time_in_another_room_is_part_of_a_backlog() -> None:
    clock = FakeClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=clock)
    ann, ben = (lobby.add_agent(name).conversation() for name in ("ann", "ben"))
    policy = RoomPolicy(backlog=40, backlog_full="skip")
    one, two = (lobby.create_room(name, by=ann, policy=policy) for name in ("a", "b"))
    for room in (one, two):
        room.join(by=ann)
        room.join(by=ben)
    later = clock() + timedelta(hours=1)
    one.post("x" * 30, by=ann, to=["agent:ben"], deliver_at=later)

    assert two.post("y" * 30, by=ann, to=["agent:ben"]).recipients == ()

    assert check_replay(storage).divergences == ()


def test_tries_that_pass_are_decided_again_with_what_else_falls_due() -> None:
    clock = FakeClock(datetime(2026, 3, 2, 12, tzinfo=UTC))
    storage = MemoryStorage()
    lobby = Lobby(storage, clock=clock)
    lobby.register(Socket())
    ann, _ = (lobby.add_agent(name).conversation() for name in ("ann", "ben"))
    lobby.send("look", by=ann, to="ben", urgency="now")
    assert len(lobby.deliver().pushed) == 1
    assert len(lobby.take_wakes(agents=["ben"])) == 1
    clock.advance(timedelta(hours=1))
    for _ in range(4):
        lobby.deliver()
        clock.advance(timedelta(minutes=10))

    report = check_replay(storage)
    assert report.divergences == ()
    types = [decoded(one).event.TYPE for one in storage.scan()]
    assert {"wake_returned", "push_passed", "push_spent"} <= set(types)


def test_what_is_no_log_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="log is of type Lobby; allowed: a path or"):
        check_replay(Lobby.in_memory())  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"nosuch\.jsonl cannot be read"):
        check_replay(tmp_path / "nosuch.jsonl")


class Socket:
    """Has whatever it is handed, and writes nothing."""

    @hookimpl
    def rooms_push(self, push: object) -> str:
        del push
        return "received"
