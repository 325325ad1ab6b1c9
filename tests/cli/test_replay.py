"""The command as a person runs it: a process, its output and its exit code."""

import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from rooms.cli import main
from rooms.cli.transcripts import MAX_BYTES, Recorded, Transcript, read_transcript
from rooms.errors import InvalidInput
from rooms.planning import RoomEvent

EXAMPLE = Path(__file__).parents[2] / "examples" / "release_panel.json"
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
    assert lines[2].split() == [
        "line",
        "18",
        "planner",
        "round",
        "0",
        "turn",
        "as",
        "recorded",
    ]
    assert lines[-1] == "agrees: all 13 recorded turns are the planner's"


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
        "line     2  ana opens an activity",
        "line     3  a  round 0  turn  as recorded",
        "line     4  b  round 0  turn  passed",
        "line     5  b  round 1  turn  as recorded",
        "           waits for a person: settled",
        "line     6  ben opens an activity",
        "line     7  a  round 0  turn  as recorded",
        "           next: b, round 0",
        "agrees: all 4 recorded turns are the planner's",
    ]


def test_the_first_divergence_is_named_and_the_record_followed(
    tmp_path: Path, run: Any
) -> None:
    path = write(
        tmp_path, HEADER, event("ana"), event("b"), event("a"), event("a", "", 4)
    )

    done = run("replay", path)

    assert done.code == 1
    assert done.out.splitlines()[-2:] == [
        "first divergence: line 3 has b in round 0, planned a in round 0",
        "diverges: 2 of 3 recorded turns are not planned",
    ]
    assert "line 5 has a in round 4, planned nobody (settled) in round 0" in done.out


def test_a_person_in_between_interrupts_and_a_cap_is_named(
    tmp_path: Path, run: Any
) -> None:
    path = write(
        tmp_path, {**HEADER, "max_messages": 2}, event("ana"), event("ben"), event("a")
    )

    done = run("replay", path)

    assert done.code == 0
    assert "ben opens an activity (before a's turn)" in done.out
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
    path = write(tmp_path, HEADER, {**event("ana"), "ts": 1, "id": "x"})

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
    assert run("replay", path, "--roster", "a,,b").code == 2
    assert run("replay", path, "--roster", "a", "--max-rounds", "0").code == 2


def test_an_empty_file_holds_nothing(tmp_path: Path, run: Any) -> None:
    path = write(tmp_path, raw="")

    assert read_transcript(path) == Transcript()
    assert run("replay", path, "--roster", "a").code == 0


def test_a_long_activity_without_a_person_is_read_in_one_pass(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, *(event("a") for _ in range(20_000)))

    assert main(["replay", path, "--json"]) == 1


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    path = write(tmp_path, HEADER, *(event("ana") for _ in range(50_000)))
    command = f'"{sys.executable}" -m rooms replay "{path}" | head -1'

    done = subprocess.run(
        command, shell=True, capture_output=True, text=True, check=False
    )

    assert done.stderr == ""
    assert done.stdout.endswith("roster a, b\n")


def test_a_recorded_event_knows_its_line() -> None:
    assert Recorded(3, RoomEvent("a")).line == 3
