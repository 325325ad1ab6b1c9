"""Tutorials that are made of files: these are written out and run, as a reader does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TUTORIALS = ROOT / "docs" / "tutorial"
FILE = re.compile(r"<!-- (\w+\.py) -->\n```python\n(.*?)```", re.DOTALL)
PRINTED = re.compile(
    r"<!-- printed by (.+?)(, twice)? -->\n```text\n(.*?)```", re.DOTALL
)


def written(page: str, folder: Path) -> str:
    """The page's text; its files are in the folder, a file of two blocks with both."""
    text = (TUTORIALS / page).read_text("utf-8")
    for name, block in FILE.findall(text):
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(block + "\n\n")
    return text


def run(folder: Path, *command: str, fails: bool = False) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert bool(done.returncode) is fails, done.stdout + done.stderr
    return done.stdout


def test_a_host_is_tested(tmp_path: Path) -> None:
    written("test-a-host.md", tmp_path)

    run(tmp_path, "record.py")
    passed = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")

    assert (tmp_path / "day.jsonl").exists()
    assert "8 passed" in passed


def test_agents_work_apart(tmp_path: Path) -> None:
    page = written("agents-that-work-apart.md", tmp_path)
    commands = PRINTED.findall(page)

    assert len(commands) == 4
    for command, twice, expected in commands:
        times = 2 if twice else 1
        dies = command.endswith("dies")
        came = [run(tmp_path, *command.split(), fails=dies) for _ in range(times)]
        assert "".join(came) == expected
