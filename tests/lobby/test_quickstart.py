"""The first thing that a newcomer runs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/quickstart.py"


def run(*arguments: object, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, EXAMPLE, *map(str, arguments)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_quickstart_tells_a_short_story_and_leaves_nothing(tmp_path: Path) -> None:
    done = run(folder=tmp_path)

    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert len(lines) < 40
    assert "     -> #2; woken agent:ben; later agent:gil" in lines
    assert "  agent:ben: woken, by tagged (recorded)" in lines
    assert "  | Yes, until eleven." in lines
    assert lines[-2:] == [
        "Nothing is owed to agent:Eve/acme-renewal any more: True",
        "Every record is as it was written: True",
    ]
    assert list(tmp_path.iterdir()) == []


def test_the_quickstart_keeps_its_file_in_a_given_folder_and_overwrites_none(
    tmp_path: Path,
) -> None:
    assert run(tmp_path, folder=tmp_path).returncode == 0
    kept = (tmp_path / "quickstart.db").read_bytes()

    again = run(tmp_path, folder=tmp_path)

    assert again.returncode == 1
    assert "is there already" in again.stderr
    assert (tmp_path / "quickstart.db").read_bytes() == kept
