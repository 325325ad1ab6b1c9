"""The kit for others: scripted agents, the contract's report, two storages compared."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from effort import sized
from rooms import Lobby
from rooms.cli import main
from rooms.driving import by_name, drive, open_panel
from rooms.errors import InvalidInput
from rooms.log.records import Record
from rooms.storage import MemoryStorage, SQLiteStorage, Storage
from rooms.testing import ScriptedAgent
from rooms.testing.agreement import StorageAgreement
from rooms.testing.conformance import check_storage


def opened(folder: Path) -> Storage:
    return SQLiteStorage(folder / "lobby.db", durability="relaxed")


class Forgets(MemoryStorage):
    """Every fifth record of a scan is not there."""

    def scan(self, *, after: int = 0, limit: int = 1_000) -> list[Record]:
        found = super().scan(after=after, limit=limit)
        return [one for one in found if one.position % 5]


def forgetful(folder: Path) -> Storage:
    return Forgets()


# -- scripted agents


def test_a_scripted_agent_stands_in_for_a_model() -> None:
    lobby = Lobby.in_memory()
    ana = lobby.person("ana")
    room = open_panel(lobby, {"name": "p", "roster": ["a", "b"]}, by=ana)
    first, second = ScriptedAgent("one"), ScriptedAgent("two", then="pass")

    room.post("go", by=ana)
    drive(room, by_name({"a": first, "b": second}))

    assert [one.content for one in room.read(by=ana)] == ["go", "one", "two"]
    assert [view.message.content for view in first.heard] == ["go"]
    assert (first.left, second.left) == (0, 0)


def test_a_scripted_agent_raises_what_it_is_given_and_knows_its_end() -> None:
    agent = ScriptedAgent(TimeoutError("slow"), "late")

    with pytest.raises(TimeoutError, match="slow"):
        agent("a")
    assert agent("room", "b") == "late"
    with pytest.raises(AssertionError, match="asked 3 times"):
        agent()
    assert agent.heard == ["a", "b", None]


# -- the report


def test_a_storage_that_conforms_is_told_so(tmp_path: Path) -> None:
    report = check_storage(lambda _: MemoryStorage(), persistent=False, shared=False)

    assert report.conforms
    assert [one.number for one in report.requirements] == [
        f"S{number}" for number in range(1, 15)
    ]
    assert all(one.passed for one in report.requirements)
    assert any(one.skipped for one in report.requirements)
    assert str(report).splitlines()[-1] == "14 of 14 requirements are met"


def test_what_a_storage_lacks_is_named_by_the_requirement() -> None:
    report = check_storage(forgetful, persistent=False, shared=False)

    failed = {one.number: one.failed for one in report.requirements if one.failed}
    assert not report.conforms
    assert "S4" in failed
    assert "S12" not in failed
    for test, problem in failed["S4"]:
        assert test.startswith("test_s4_")
        assert problem
        assert f"       {test}" in str(report).splitlines()


def test_what_cannot_be_tried_is_refused() -> None:
    nothing: Any = "mine"

    with pytest.raises(InvalidInput, match="make"):
        check_storage(nothing)
    with pytest.raises(InvalidInput, match="make cannot be called with a folder"):
        check_storage(MemoryStorage)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="make answered with NoneType"):
        check_storage(lambda _: None)  # type: ignore[arg-type, return-value]
    with pytest.raises(InvalidInput, match="shared"):
        check_storage(opened, shared=nothing)


PATH = "import sys\nsys.path[:] = [one for one in sys.path if 'pytest-of' not in one]"


@pytest.mark.parametrize(
    "named",
    [
        *("", "x", "x:", "no_such:f", "rooms.storage:nothing"),
        *("rooms:MemoryStorage", "rooms.errors:CODES"),  # which take no folder
    ],
)
def test_a_storage_that_is_not_there_cannot_be_tried(
    named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conform", named]) == 2
    assert "MODULE:FUNCTION" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("named", "code"),
    [("broken:f", "1 / 0"), ("syntax:f", "def"), (".relative:f", ""), ("gone:f", PATH)],
)
def test_a_module_that_cannot_be_loaded_is_told_by_its_error(
    named: str,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / f"{named.removesuffix(':f')}.py").write_text(code)

    assert main(["conform", named]) == 2
    assert "storage cannot be found: " in capsys.readouterr().err


def test_a_process_tries_a_storage(tmp_path: Path) -> None:
    """In the folder of its author, whatever settings of pytest lie there."""
    (tmp_path / "mine.py").write_text(
        "from rooms import MemoryStorage\ndef opened(folder): return MemoryStorage()\n"
    )
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")

    def conform(*arguments: str) -> Any:
        return subprocess.run(
            [sys.executable, "-m", "rooms", "conform", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )

    good = conform("mine:opened", "--volatile", "--json")
    bad = conform("mine:opened")

    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["conforms"]
    assert bad.returncode == 1
    assert "FAIL S6 " in bad.stdout
    # Two handles that share nothing: what was committed by the one, and seen.
    assert "assert 0 == 1" in bad.stdout


# -- two storages side by side


class OfSQLite(StorageAgreement):
    def make_storage(self, folder: Path) -> Storage:
        return opened(folder)


test_sqlite_agrees_with_memory = OfSQLite.as_test(runs=sized(6, 30, 500))


class OfForgets(StorageAgreement):
    persistent = False

    def make_storage(self, folder: Path) -> Storage:
        return Forgets()


def test_a_storage_that_tells_another_story_is_found() -> None:
    with pytest.raises(AssertionError, match="the records are"):
        OfForgets.as_test(runs=5)()
