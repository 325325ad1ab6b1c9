"""The tutorial for testers: its files are written out and run, as its reader does."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "tutorial" / "test-a-host.md"
FILE = re.compile(r"<!-- (\w+\.py) -->\n```python\n(.*?)```", re.DOTALL)


def run(folder: Path, *command: str) -> str:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_tutorials_files_do_what_it_says(tmp_path: Path) -> None:
    for name, text in FILE.findall(PAGE.read_text("utf-8")):
        with (tmp_path / name).open("a", encoding="utf-8") as file:
            file.write(text + "\n\n")

    run(tmp_path, "record.py")
    passed = run(tmp_path, "-m", "pytest", "-q", "-p", "no:cacheprovider")

    assert (tmp_path / "day.jsonl").exists()
    assert "8 passed" in passed
