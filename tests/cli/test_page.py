"""The page of the command line says what the commands say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from rooms.cli import main

PRINTED = re.compile(r"^```text\n\$ (rooms .*?)^```$", re.MULTILINE | re.DOTALL)
PAGE = (Path(__file__).parents[2] / "docs/reference/command-line.md").read_text("utf-8")
SHOWN = [
    tuple(block.split("\n", 1))
    for block in re.findall(
        r"^```text\n\$ (rooms .*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    if not block.startswith("rooms replay ")
]


def test_every_command_of_a_file_is_shown_but_doctor() -> None:
    shown = [command.split()[1] for command, _ in SHOWN]

    assert shown == ["log", "verify", "export", "import"]


def test_what_is_shown_is_what_is_printed(
    team: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(team.parent)
    for command, output in SHOWN:
        assert main(shlex.split(command)[1:]) == 0
        assert capsys.readouterr().out == output


@pytest.mark.parametrize("command", ["log", "verify", "doctor", "export", "import"])
def test_every_argument_stands_in_its_section(command: str, rooms: Any) -> None:
    section = PAGE.split(f"## `rooms {command} ")[1].split("\n## ")[0]
    told = set(re.findall(r"--[a-z]+", rooms(command, "--help").stdout)) - {"--help"}

    assert told
    assert [option for option in told if f"`{option}" not in section] == []
