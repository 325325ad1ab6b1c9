"""The command as a person runs it: a process, its output and its exit code."""

import asyncio
import dataclasses
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from rooms.cli import main
from rooms.cli.transcripts import MAX_BYTES, read_transcript
from rooms.errors import InvalidInput
from rooms.planning import RoomEvent, RoundRobinRoomPlanner
from rooms.transcripts import Recorded

EXAMPLE = Path(__file__).parents[2] / "examples" / "release_panel.json"
PAGE = Path(__file__).parents[2] / "docs/reference/command-line.md"
HEADER = {"roster": ["a", "b"]}


def event(speaker: str, content: str = "", turn_round: int = 0) -> dict[str, Any]:
    return {"speaker": speaker, "content": content, "round": turn_round}


def write(folder: Path, *entries: object, raw: str | bytes | None = None) -> str:
    path = folder / "log.jsonl"
    if isinstance(raw, bytes):
        path.write_bytes(raw)
    else:
        text = "".join(f"{json.dumps(entry)}\n" for entry in entries)
        path.write_text(text if raw is None else raw, encoding="utf-8")
    return str(path)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    """`run("replay", path, ...)`: exit code, output and errors."""

    def call(*arguments: str) -> SimpleNamespace:
        code = main(arguments)
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return call


def test_a_process_replays_what_the_peers_runtime_saved() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rooms", "replay", str(EXAMPLE)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[2] == "line  18  planner   round 0  as planned"
    assert lines[-1] == "agrees: 13 turns"


def test_every_turn_is_printed_with_its_round_and_reason(
    tmp_path: Path, run: Any
) -> None:
    path = write(
        tmp_path,
        HEADER,
        event("ana", "go"),
        event("a", "@b please"),
        {**event("b"), "passed": True},
        event("b", "fine", 1),
        event("ben"),
        event("a"),
    )

    done = run("replay", path)

    assert done.code == 0
    assert done.out.splitlines() == [
        f"{path}: 6 events; roster a, b",
        "line 2  ana  opens an activity",
        "line 3  a    round 0  as planned",
        "line 4  b    round 0  passed, as planned",
        "line 5  b    round 1  as planned",
        "        waits for a person: settled",
        "line 6  ben  opens an activity",
        "line 7  a    round 0  as planned",
        "        next: b, round 0",
        "agrees: 4 turns",
    ]


def test_the_first_divergence_is_named_and_the_record_followed(
    tmp_path: Path, run: Any
) -> None:
    path = write(
        tmp_path, HEADER, event("ana"), event("b"), event("a"), event("a", "", 4)
    )

    done = run("replay", path)

    assert done.code == 1
    assert done.out.splitlines() == [
        f"{path}: 4 events; roster a, b",
        "line 2  ana  opens an activity",
        "line 3  b    round 0  DIVERGES: a was due in round 0",
        "line 4  a    round 0  as planned",
        "line 5  a    round 4  DIVERGES: nobody was due (settled)",
        "        waits for a person: settled",
        "first divergence: line 3: b spoke, a was due in round 0",
        "diverges: 2 of 3 turns",
    ]


def test_one_of_a_thing_is_said_in_the_singular(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, HEADER, event("a"))

    done = run("replay", path)

    assert done.out.splitlines() == [
        f"{path}: 1 event; roster a, b",
        "line 2  a  round 0  DIVERGES: nobody was due (no_person)",
        "        waits for a person: no_person",
        "first divergence: line 2: a spoke, nobody was due (no_person)",
        "diverges: 1 of 1 turn",
    ]


ROUNDS_ALONE = (
    "with --ignore-rounds every turn agrees: every divergence is in the round alone, as"
    " PraisonAI's Room stamps another planner's turns"
)
# As the peer's Room writes it under a planner that is not its own: round 0 throughout.
STAMPED = (
    *(event("ana", "go"), event("a", "@b"), event("b", "@a"), event("a"), event("b")),
)


def test_a_turn_of_the_right_speaker_in_another_round_has_a_verdict_of_its_own(
    tmp_path: Path, run: Any
) -> None:
    path = write(tmp_path, HEADER, *STAMPED)

    done = run("replay", path)

    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[4:6] == [
        "line 5  a    round 0  OTHER ROUND: it was due in round 1",
        "line 6  b    round 0  OTHER ROUND: it was due in round 1",
    ]
    assert lines[-3:] == [
        "first divergence: line 5: a spoke in round 0, it was due in round 1",
        "diverges: 2 of 4 turns",
        ROUNDS_ALONE,
    ]
    steps = json.loads(run("replay", path, "--json").out)["steps"]
    assert [step["verdict"] for step in steps[2:5]] == [
        "agrees",
        "other_round",
        "other_round",
    ]


def test_rounds_can_be_left_out_of_the_comparison_and_speakers_cannot(
    tmp_path: Path, run: Any
) -> None:
    path = write(tmp_path, HEADER, *STAMPED)

    done = run("replay", path, "--ignore-rounds")

    assert (done.code, done.out.splitlines()[-1]) == (0, "agrees: 4 turns")
    assert "line 5  a    round 0  as planned, but for round 1" in done.out
    path = write(tmp_path, HEADER, *STAMPED[:2], event("a"))
    done = run("replay", path, "--ignore-rounds")
    assert done.code == 1
    assert "line 4  a    round 0  DIVERGES: b was due in round 0" in done.out
    assert "--ignore-rounds" not in done.out


def test_what_the_peers_room_writes_with_our_planner_agrees_but_for_the_rounds(
    tmp_path: Path, run: Any, peer: ModuleType
) -> None:
    config = peer.RoomConfig("x", ["a", "b"])
    room = peer.Room(
        config,
        dict.fromkeys(["a", "b"], mention_each_other),
        planner=RoundRobinRoomPlanner(strict_mentions=True),
    )
    asyncio.run(room.on_message(peer.RoomEvent("ana", "go")))
    events = [dataclasses.asdict(event) for event in room.transcript]
    path = write(tmp_path, {**config.to_dict(), "strict_mentions": True}, *events)

    assert len(events) == 7  # the opener, and both in each of three rounds
    assert run("replay", path).code == 1
    assert run("replay", path, "--ignore-rounds").code == 0


async def mention_each_other(_: str) -> str:
    return "@a @b"


def test_a_person_in_between_interrupts_and_a_cap_is_named(
    tmp_path: Path, run: Any
) -> None:
    path = write(
        tmp_path, {**HEADER, "max_messages": 2}, event("ana"), event("ben"), event("a")
    )

    done = run("replay", path)

    assert done.code == 0
    assert "ben  opens an activity (before a's turn)" in done.out
    assert "waits for a person: message_cap" in done.out


def test_options_stand_above_the_header(tmp_path: Path, run: Any) -> None:
    path = write(
        tmp_path,
        {"roster": ["b", "a"], "max_rounds": 1},
        *(event("ana"), event("a", "@b"), event("b"), event("b", "", 1)),
    )

    assert run("replay", path).code == 1
    assert run("replay", path, "--roster", "a, b", "--max-rounds", "2").code == 0
    assert run("replay", path, "--roster", "a,b", "--max-messages", "3").code == 1


def test_a_record_of_the_strict_grammar_is_recognised(tmp_path: Path, run: Any) -> None:
    # To the peer "@a." names nobody, so b alone is admitted to round 1.
    path = write(
        tmp_path,
        HEADER,
        event("ana"),
        event("a", "@b, @a."),
        event("b"),
        event("b", "", 1),
    )

    loose, strict = run("replay", path), run("replay", path, "--strict-mentions")

    assert (loose.code, strict.code) == (1, 0)
    assert loose.out.splitlines()[-1] == "with --strict-mentions every turn agrees"


def test_a_header_may_say_which_grammar_it_was_recorded_with(
    tmp_path: Path, run: Any
) -> None:
    events = [event("ana"), event("a", "@b, @a."), event("b"), event("b", "", 1)]
    path = write(tmp_path, {**HEADER, "strict_mentions": True}, *events)

    assert run("replay", path).code == 0
    path = write(tmp_path, {**HEADER, "strict_mentions": False}, *events)
    assert run("replay", path).code == 1
    path = write(tmp_path, {**HEADER, "strict_mentions": "yes"}, *events)
    assert run("replay", path).err == (
        "rooms replay: line 1: strict_mentions is a string; allowed: true or false"
        " [invalid_request]\n"
    )


def test_no_option_is_named_where_none_would_make_a_record_agree(
    tmp_path: Path, run: Any
) -> None:
    path = write(tmp_path, HEADER, event("ana"), event("b"))

    for options in ([], ["--strict-mentions"]):
        assert run("replay", path, *options).out.splitlines()[-1] == (
            "diverges: 1 of 1 turn"
        )


def test_many_fields_are_not_all_named(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, {f"field{number}": 1 for number in range(10)})

    done = run("replay", path)

    assert "field7, and 2 more)" in done.err
    assert "field8" not in done.err


def test_both_options_are_named_where_only_both_make_a_record_agree(
    tmp_path: Path, run: Any
) -> None:
    path = write(
        tmp_path, HEADER, event("ana"), event("a", "@b, @a."), event("b"), event("b")
    )

    done = run("replay", path)

    hint = "with --strict-mentions --ignore-rounds every turn agrees"
    assert done.out.splitlines()[-1] == hint
    done = run("replay", path, "--ignore-rounds")
    assert done.out.splitlines()[-1] == "with --strict-mentions every turn agrees"
    done = run("replay", path, "--strict-mentions", "--ignore-rounds")
    assert done.code == 0


def test_one_json_object_says_the_same(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, HEADER, event("ana"), event("b", "\ud83d"))

    done = run("replay", path, "--json")

    report = json.loads(done.out)
    assert done.code == 1
    assert {
        name: report[name] for name in ("agrees", "turns", "diverging", "hint")
    } == {
        "agrees": False,
        "turns": 1,
        "diverging": 1,
        "hint": "",
    }
    assert report["first_divergence"] == {
        "kind": "turn",
        "line": 3,
        "planned": {"speaker": "a", "round": 0, "reason": "turn"},
        "recorded": {"speaker": "b", "round": 0, "passed": False},
        "agrees": False,
        "verdict": "diverges",
    }
    assert [step["kind"] for step in report["steps"]] == ["opens", "turn", "end"]


def test_names_cannot_move_the_cursor_or_forge_a_line(tmp_path: Path, run: Any) -> None:
    evil = "a\x1b[2J\nline 9 b\u202e"
    path = write(tmp_path, {"roster": [evil]}, event("ana"), event(evil))

    done = run("replay", path)

    assert "\x1b" not in done.out
    assert "\u202e" not in done.out
    assert "a\\x1b[2J\\nline 9 b\\u202e  round 0" in done.out


def test_half_an_emoji_is_shown_as_its_code(tmp_path: Path) -> None:
    path = write(tmp_path, {"roster": ["a\ud83d"]}, event("ana"), event("a\ud83d"))

    done = subprocess.run(
        [sys.executable, "-m", "rooms", "replay", path],
        capture_output=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"a\ud83d  round 0" in done.stdout


@pytest.mark.parametrize(
    "form",
    [
        lambda events: json.dumps([HEADER, *events]),
        lambda events: json.dumps([HEADER, *events], indent=2),
        lambda events: json.dumps({**HEADER, "transcript": events}),
        lambda events: json.dumps({"events": events, **HEADER}, indent=1),
        lambda events: "\n".join(map(json.dumps, [HEADER, *events])),
        lambda events: "\r\n".join(map(json.dumps, [HEADER, *events])) + "\r\n\r\n",
        lambda events: "\ufeff" + json.dumps({"agents": ["a", "b"], "events": events}),
    ],
)
def test_all_forms_of_a_file_are_read(tmp_path: Path, form: Any) -> None:
    path = write(tmp_path, raw=form([event("ana", "é\n"), event("a", "x", 0)]))

    transcript = read_transcript(path)

    assert transcript.roster == ("a", "b")
    assert [it.event for it in transcript.events] == [
        RoomEvent("ana", "é\n"),
        RoomEvent("a", "x"),
    ]


def test_each_event_is_known_by_its_line(tmp_path: Path) -> None:
    path = write(
        tmp_path, raw='\n[{"speaker": "a"},\n\n {"speaker":\n"b"}\n,{"speaker":"c"}]'
    )

    lines = [(it.line, it.event.speaker) for it in read_transcript(path).events]

    assert lines == [(2, "a"), (4, "b"), (6, "c")]


def test_fields_that_are_not_ours_are_reported(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, HEADER, {**event("ana"), "ts": 1, "id": "x"}, event("a"))

    assert read_transcript(path).ignored == ("id", "ts")
    assert "ignored fields: id, ts" in run("replay", path).out


@pytest.mark.parametrize(
    ("raw", "code", "line"),
    [
        (b'{"speaker": "a"}\n{"speaker"', "invalid_json", "line 2"),
        (b'{"speaker": "a"}\n7\n', "invalid_request", "line 2"),
        (b'{"speaker": "a"}\n{"content": "b"}\n', "invalid_request", "line 2"),
        (b'{"speaker": "a"}\n{"speaker": ""}\n', "invalid_request", "line 2: speaker"),
        (b'{"speaker": "a", "round": -1}', "invalid_request", "line 1: round"),
        (b'{"speaker": "a", "round": NaN}', "invalid_json", "line 1"),
        (b'{"speaker": "a", "round": 1e999}', "invalid_json", "line 1"),
        (b'{"speaker": "a", "round": 1.5}', "invalid_request", "line 1: round"),
        (b'{"speaker": "a", "round": %s}' % (b"9" * 5_000), "invalid_json", "line 1"),
        (b'{"speaker": "a", "speaker": "b"}', "invalid_json", "line 1"),
        (b'{"speaker": "a"} x', "invalid_json", "line 1"),
        (b'{"speaker": "a"}\n\xff\xfe', "invalid_json", "line 2"),
        (b"\x00\x01\x02", "invalid_json", "line 1"),
        (b'[\n{"speaker": "a"},\n]', "invalid_json", "line 3"),
        (b'[\n{"speaker": "a"}\n{"speaker": "a"}]', "invalid_json", "line 3"),
        (b'[{"speaker": "a"}]\n\n[]', "invalid_json", "line 3"),
        (b'[{"speaker": "a"}', "invalid_json", "line 1"),
        (b"[" * 100_000, "invalid_json", "line 1"),
        (b'\n\n{"speaker": %s}' % (b"[" * 100_000), "invalid_json", "line 3"),
        (b'{"events": [], "events": []}', "invalid_json", "line 1"),
        (b'{"events": [{"speaker": "a"}]', "invalid_json", "line 1"),
        (b'{"events": []} {}', "invalid_json", "line 1"),
        (b'{"roster": "ab", "events": []}', "invalid_request", "line 1: roster"),
        (b'{"roster": ["a", 3], "events": []}', "invalid_request", "line 1: roster[1]"),
        (
            b'{\n"roster": ["a"], "max_rounds": 0}',
            "invalid_request",
            "line 1: max_rounds",
        ),
        (b'{"roster": ["a"]}\n{"roster": ["b"]}', "invalid_request", "line 2"),
        (b'{"name": "x", "events": []}', "invalid_request", "line 1"),
    ],
)
def test_a_hostile_file_is_refused_with_its_line(
    tmp_path: Path, raw: bytes, code: str, line: str, run: Any
) -> None:
    path = write(tmp_path, raw=raw)

    with pytest.raises(InvalidInput) as caught:
        read_transcript(path)

    assert (caught.value.code, caught.value.field) == (code, line)
    done = run("replay", path, "--roster", "a,b")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"rooms replay: {line}")
    assert code in done.err


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, run: Any) -> None:
    assert run("replay", str(tmp_path / "none")).code == 2
    done = run("replay", str(tmp_path))
    assert (done.code, done.out) == (2, "")
    assert str(tmp_path) in done.err
    with pytest.raises(InvalidInput, match="cannot be read"):
        read_transcript("a\x00b")


def test_a_file_above_the_limit_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)

    with pytest.raises(InvalidInput, match="64 MiB") as caught:
        read_transcript(path)

    assert caught.value.code == "too_large"


def test_without_a_roster_the_command_says_where_to_give_one(
    tmp_path: Path, run: Any
) -> None:
    path = write(tmp_path, event("ana"))

    done = run("replay", path)

    assert done.code == 2
    assert "--roster A,B,C" in done.err
    assert "speakers there: ana" in done.err
    assert run("replay", path, "--roster", "a,,b").code == 2
    assert run("replay", path, "--roster", "a", "--max-rounds", "0").code == 2


FORMS = "an event a line, or an array of events, alone or under transcript or events"


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("", f"file is empty; allowed: {FORMS}"),
        (" \n\n", f"file is empty; allowed: {FORMS}"),
        ("[]", f"file holds no events; allowed: {FORMS}"),
        ('{"roster": ["a"]}', f"file holds no events; allowed: {FORMS}"),
        (
            '{"roster": ["a"], "messages": [{"speaker": "a"}]}',
            f"file holds no events (it has: messages); allowed: {FORMS}",
        ),
        (
            '{"roster": ["a"],\n"transcript": {"speaker": "a"}}',
            "line 2: transcript is an object; allowed: an array of events",
        ),
        (
            '{"roster": ["a"], "events": "a: hello"}',
            "line 1: events is a string; allowed: an array of events",
        ),
        (
            '{"events": null, "roster": ["a"]}',
            "line 1: events is null; allowed: an array of events",
        ),
    ],
)
def test_a_file_without_an_event_is_refused(
    tmp_path: Path, run: Any, raw: str, said: str
) -> None:
    path = write(tmp_path, raw=raw)

    done = run("replay", path, "--roster", "a")

    assert (done.code, done.out) == (2, "")
    assert done.err == f"rooms replay: {said} [invalid_request]\n"


def test_nothing_is_said_to_agree_where_nothing_was_compared(
    tmp_path: Path, run: Any
) -> None:
    path = write(tmp_path, event("ana"), event("coder"), event("ben"))

    done = run("replay", path, "--roster", "Planner,Coder")

    assert (done.code, done.out) == (2, "")
    assert done.err == (
        "rooms replay: roster (Planner, Coder) has nobody whose turn is in the file,"
        " so nothing was compared; speakers there: ana, coder, ben; coder counts as a"
        " person: the roster has Coder [invalid_request]\n"
    )
    assert run("replay", path, "--roster", "Planner,Coder", "--json").out == ""


def test_a_speaker_who_is_on_the_roster_but_for_the_case_is_pointed_out(
    tmp_path: Path, run: Any
) -> None:
    path = write(tmp_path, event("ana"), event("a"), event("B"))

    done = run("replay", path, "--roster", "a,b")

    assert done.code == 0
    assert done.out.splitlines()[-1] == "B counts as a person: the roster has b"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (
            '{"speeker": "a", "content": ""}',
            "has no speaker (it has: speeker, content)",
        ),
        ("{}", "has no speaker (it has: nothing)"),
        ("7", "is a number"),
        ("null", "is null"),
        ('{"speaker": null}', ": speaker is null; allowed: a string"),
        ('{"speaker": ""}', ": speaker is empty; allowed: a non-empty string"),
        ('{"speaker": {}}', ": speaker is an object; allowed: a string"),
        ('{"speaker": "a", "passed": 1}', "is a number; allowed: true or false"),
        ('{"speaker": "a", "round": true}', "is a boolean; allowed: a whole number"),
        ('{"speaker": "a", "round": -1}', ": round is -1; allowed: >= 0"),
        ('{"speaker": "a"},', "has more text behind its object: ','"),
        ('{"sp\\u001beaker": "a"}', "(it has: sp\\x1beaker)"),
        ('{"speaker": "a"}}', "has more text behind its object: '}'"),
    ],
)
def test_what_is_wrong_with_an_entry_is_said_in_the_words_of_json(
    tmp_path: Path, run: Any, entry: str, said: str
) -> None:
    path = write(tmp_path, raw=f'{{"speaker": "ana"}}\n{entry}\n')

    done = run("replay", path, "--roster", "a")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("rooms replay: line 2")
    assert said in done.err


def test_a_roster_of_other_things_than_names_is_told_in_the_words_of_json(
    tmp_path: Path, run: Any
) -> None:
    path = write(tmp_path, {"roster": "a,b"}, event("a"))

    assert "roster is a string; allowed: an array of strings" in run("replay", path).err


def test_an_event_may_have_fields_that_are_called_as_lists_are(tmp_path: Path) -> None:
    path = write(tmp_path, {**event("ana"), "events": []}, event("a"))

    assert [it.event.speaker for it in read_transcript(path).events] == ["ana", "a"]


def test_a_dash_reads_the_standard_input() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rooms", "replay", "-"],
        input=EXAMPLE.read_text("utf-8"),
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("standard input: 16 events")


@pytest.mark.no_cover
def test_a_long_activity_without_a_person_is_read_in_one_pass(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, *(event("a") for _ in range(20_000)))

    assert main(["replay", path, "--json"]) == 1


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, event("a"), *(event("ana") for _ in range(50_000)))
    command = f'"{sys.executable}" -m rooms replay "{path}" | head -1'

    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False
    )

    assert done.stderr == ""
    assert done.stdout.endswith("roster a, b\n")


def test_a_recorded_event_knows_its_line() -> None:
    assert Recorded(3, RoomEvent("a")).line == 3


def test_the_output_on_the_page_is_what_is_printed(
    tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = (
        PAGE.read_text("utf-8").split("$ rooms replay room.jsonl\n")[1].split("```")[0]
    )
    entries = [
        {"roster": ["planner", "coder"]},
        *(event("ana"), event("planner"), {**event("coder"), "passed": True}),
        *(event("ana"), event("coder"), event("planner", "", 1)),
    ]
    lines = "".join(f"{json.dumps(entry)}\n" for entry in entries)
    (tmp_path / "room.jsonl").write_text(lines, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    assert run("replay", "room.jsonl").out == shown


def test_every_option_stands_on_the_page(run: Any) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rooms", "replay", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )

    told = PAGE.read_text("utf-8")
    options = set(re.findall(r"--[a-z-]+", done.stdout)) - {"--help"}
    assert "--ignore-rounds" in options
    assert [option for option in options if f"| `{option}" not in told] == []


@pytest.mark.parametrize(
    "raw",
    [
        '{"roster": ["a"], "transcript": [{"speaker": "o"},\n{"speaker": "a"}]}',
        '{"roster": ["speaker"],\n"transcript": [{"speaker": "o"}, {"speaker": "a"}]}',
        (
            '{"roster": null, "agents": ["a"],'
            ' "events": [{"speaker": "o"}, {"speaker": "a"}]}'
        ),
        '{"roster": ["a"], "max_rounds": "2"}\n{"speaker": "o"}\n{"speaker": "a"}',
    ],
)
def test_an_object_may_begin_and_break_anywhere(tmp_path: Path, raw: str) -> None:
    events = read_transcript(write(tmp_path, raw=raw)).events

    assert [recorded.event.speaker for recorded in events] == ["o", "a"]


def test_a_first_event_with_a_field_of_that_name_is_an_event(tmp_path: Path) -> None:
    path = write(tmp_path, raw='{"speaker":"o","transcript":"x"}\n{"speaker":"a"}')

    assert len(read_transcript(path).events) == 2


def test_another_planner_than_ours_is_refused(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, {"roster": ["a"], "planner": "other"}, event("ana"))

    done = run("replay", path)

    assert done.code == 2
    assert "round_robin" in done.err


@pytest.mark.no_cover
def test_an_activity_that_would_cost_its_square_is_refused(
    tmp_path: Path, run: Any
) -> None:
    header = {"roster": ["a", "b"], "max_rounds": 10**9, "max_messages": 10**9}
    turns = [event("ab"[n % 2], "@a @b", n // 2) for n in range(1_200)]
    path = write(tmp_path, header, event("ana"), *turns)

    done = run("replay", path)

    assert done.code == 2
    assert "line 1002 goes on with an activity of 1,000 events" in done.err
    assert run("replay", path, "--max-messages", "1000").code == 1


@pytest.mark.parametrize("target", ["&-", "/dev/full"])
def test_output_that_cannot_be_written_is_not_a_divergence(
    tmp_path: Path, target: str
) -> None:
    path = write(tmp_path, HEADER, event("ana"), event("b"))
    command = f'"{sys.executable}" -m rooms replay "{path}" >{target}'

    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False
    )

    assert "Traceback" not in done.stderr
    assert done.returncode == (1 if target == "&-" else 2)


# -- other forms

CHAT = """\
[2026-01-05 09:00] ana: The build is red.
It began with the last merge.
[2026-01-05 09:04] eve: I reverted it.
[2026-01-05 09:05] ben: @eve, and the tag?
"""


def stamped(text: str, speaker: str = "", **stamp: Any) -> dict[str, Any]:
    kept = {"room": {"from": speaker, **stamp}} if speaker else {}
    return {"type": "human", "content": text, "additional_kwargs": kept}


def test_a_process_replays_a_chat_as_the_page_shows_it(tmp_path: Path) -> None:
    (tmp_path / "chat.txt").write_text(CHAT)
    shown = PAGE.read_text("utf-8").split("$ rooms replay chat.txt ")[1]
    options, _, output = shown.split("```")[0].partition("\n")

    done = subprocess.run(
        [sys.executable, "-m", "rooms", "replay", "-", *options.split()],
        input=CHAT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == output.replace("chat.txt", "standard input")


def test_a_turn_of_a_chat_is_of_the_round_in_which_it_was_due(
    tmp_path: Path, run: Any
) -> None:
    more = CHAT + "[2026-01-05 09:06] eve: Is gone.\n[2026-01-05 09:07] ben: Fine.\n"
    path = write(tmp_path, raw=more)

    done = run("replay", path, "--form", "chat", "--roster", "eve,ben", "--json")

    found = json.loads(done.out)
    turns = [step for step in found["steps"] if step["kind"] == "turn"]
    assert [turn["recorded"]["round"] for turn in turns] == [0, 0, 1, 1]
    assert [turn["verdict"] for turn in turns] == [*["agrees"] * 3, "diverges"]
    assert done.code == 1


def test_a_thread_is_replayed_with_those_who_spoke_in_it(
    tmp_path: Path, run: Any
) -> None:
    path = write(
        tmp_path,
        stamped("@proto @tea fix it"),
        stamped("it broke", "proto", failed=True),
        stamped("fixed", "proto"),
        stamped("seen", "tea"),
        {"type": "ai", "content": "Well done."},
    )

    done = run("replay", path, "--form", "thread", "--operator", "ana", "--lead", "max")

    assert done.code == 1
    assert done.out.splitlines()[0].endswith(": 4 events; roster proto, tea")
    assert "line 1  ana    opens an activity" in done.out
    assert done.out.splitlines()[-1] == "max is no person and not on the roster"
    whole = ("--roster", "proto,tea,max", "--operator", "ana", "--lead", "max")
    assert run("replay", path, "--form", "thread", *whole).code == 0


def test_who_failed_took_no_turn_in_an_event_either(tmp_path: Path, run: Any) -> None:
    failed = {**event("a", "it broke"), "failed": True}
    path = write(tmp_path, HEADER, event("ana"), failed, event("a"), event("b"))

    assert run("replay", path).out.endswith("agrees: 2 turns\n")


def test_a_day_that_could_be_two_is_read_when_it_is_said_which(
    tmp_path: Path, run: Any
) -> None:
    path = write(tmp_path, raw="05/01/2026, 09:00 - ana: a\n05/01/2026, 09:01 - b: c\n")
    asked = ("replay", path, "--form", "chat", "--roster", "b")

    assert run(*asked).code == 2
    assert run(*asked, "--day-first").code == 0
    assert run(*asked, "--month-first").code == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--form", "panel"], "form is 'panel'; allowed: events, thread, chat"),
        (["--lead", "max"], "--lead is for another form than events"),
        (["--form", "chat", "--operator", "ana"], "--operator is for another form"),
        (["--form", "thread", "--month-first"], "--month-first is for another form"),
        (["--form", "thread", "--lead", "operator"], "lead is called as the operator"),
        (["--form", "chat"], "line 1 begins no message"),
    ],
)
def test_a_form_that_does_not_fit_is_refused(
    options: list[str], problem: str, tmp_path: Path, run: Any
) -> None:
    done = run("replay", write(tmp_path, HEADER, event("a")), *options)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"rooms replay: {problem}")


def test_a_chat_that_is_not_utf_8_is_no_bad_json(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, raw=b"[2026-01-05 09:00] ana: \xff\n")

    done = run("replay", path, "--form", "chat")

    assert "line 1 is not UTF-8 [invalid_request]" in done.err
