"""The pytest plugin, as somebody has it who installed the library."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

GOLDEN = Path(__file__).resolve().parent.parent / "golden"

# As it stands in the library's documentation, with its one import.
PROGRAM = """
from rooms.testing import assert_replays

def test_twelfth_message_waits(rooms_lobby, rooms_clock):
    eve, ben = (rooms_lobby.add_agent(n).conversation() for n in ("eve", "ben"))
    room = rooms_lobby.create_room("r", by=eve); room.join(by=ben)
    posts = [room.post(f"m{i}", by=eve, to=[ben]) for i in range(12)]
    assert posts[9].woken == (ben,) and posts[11].held == (ben,)
    rooms_lobby.take_wakes(); rooms_clock.advance(minutes=5)
    assert_replays("golden/hall.jsonl")
"""

TWO_TESTS = """
import pytest
from rooms.errors import StorageError

kept = []

def test_one(rooms_lobby, rooms_clock):
    assert rooms_lobby.agents == ()
    rooms_lobby.add_agent("ben", now=rooms_clock())
    rooms_clock.advance(minutes=1)
    kept.extend([rooms_lobby, rooms_clock()])

def test_another_has_its_own_and_the_first_is_closed(rooms_lobby, rooms_clock):
    assert rooms_lobby.agents == ()
    assert rooms_clock() < kept[1]
    with pytest.raises(StorageError) as error:
        kept[0].agents
    assert error.value.code == "closed"

def test_a_lobby_that_a_test_closed_is_no_fault(rooms_lobby):
    rooms_lobby.close()
"""

LOADS_NOTHING = """
import sys

def test_what_is_not_asked_for_is_not_loaded():
    heavy = {"rooms.lobby", "rooms.storage", "rooms.log", "sqlite3", "hypothesis"}
    assert not heavy & set(sys.modules)
"""


def run(folder: Path, program: str, *options: str) -> tuple[int, str]:
    """Runs a test file in a process and a folder of its own."""
    (folder / "test_it.py").write_text(program)
    # Whoever runs these tests may have options; coverage alone loads sqlite3.
    options_of_others = {"PYTEST_ADDOPTS", "PYTEST_PLUGINS"}
    environment = {k: v for k, v in os.environ.items() if k not in options_of_others}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
            *("-p", "no:hypothesispytest", *options, "test_it.py"),
        ],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.returncode, done.stdout + done.stderr


def loaded(folder: Path) -> list[str]:
    """The option that loads the plugin where no installation announces it."""
    _, fixtures = run(folder, "", "--fixtures")
    return [] if "rooms_lobby" in fixtures else ["-p", "rooms.testing._plugin"]


@pytest.fixture(scope="module")
def options(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return loaded(tmp_path_factory.mktemp("fixtures"))


def test_the_testers_program_runs_as_it_stands(
    tmp_path: Path, options: list[str]
) -> None:
    (tmp_path / "golden").mkdir()
    for name in ("hall.jsonl", "hall.digest"):
        shutil.copyfile(GOLDEN / name, tmp_path / "golden" / name)

    code, said = run(tmp_path, PROGRAM, *options)

    assert code == 0, said
    assert "1 passed" in said


def test_each_test_has_a_lobby_of_its_own_that_is_closed_behind_it(
    tmp_path: Path, options: list[str]
) -> None:
    code, said = run(tmp_path, TWO_TESTS, "-W", "error", *options)

    assert code == 0, said
    assert "3 passed" in said


def test_the_plugin_loads_nothing_that_no_test_asks_for(
    tmp_path: Path, options: list[str]
) -> None:
    code, said = run(tmp_path, LOADS_NOTHING, *options)

    assert code == 0, said


def test_the_tester_fixture_is_announced_by_its_entry_point() -> None:
    import tomllib  # noqa: PLC0415

    project = tomllib.loads(
        (Path(__file__).resolve().parents[2] / "pyproject.toml").read_text("utf-8")
    )["project"]

    assert project["entry-points"]["pytest11"] == {"rooms": "rooms.testing._plugin"}
