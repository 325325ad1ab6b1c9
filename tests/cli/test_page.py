"""The page of the command line says what the commands say."""

from __future__ import annotations

import re
import shlex
from argparse import _SubParsersAction
from pathlib import Path

import pytest

from rooms.cli import _parser, main

WHOLE = re.MULTILINE | re.DOTALL
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


def test_the_scenarios_of_the_how_to_come_out_as_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    how_to = Path(__file__).parents[2] / "docs/how-to/simulate-a-room.md"
    tables = re.findall(r"^```toml\n(.*?)^```$", how_to.read_text("utf-8"), WHOLE)
    shown = re.findall(
        r"^\$ rooms simulate (\S+) ?(--seed \d+)?.*\n(.*)", PAGE, re.MULTILINE
    )
    monkeypatch.chdir(tmp_path)
    for (name, seed, first), table in zip(shown, tables, strict=True):
        Path(name).write_text(table, "utf-8")

        assert main(["simulate", name, *seed.split()]) == 0
        # The trace is another one whenever a log tells more; who says what is not.
        assert capsys.readouterr().out.startswith(first.partition(" trace ")[0])


SUBPARSERS = next(
    action for action in _parser()._actions if isinstance(action, _SubParsersAction)
)


@pytest.mark.parametrize("command", SUBPARSERS.choices)
def test_every_command_has_a_section_with_each_of_its_arguments(command: str) -> None:
    options = {
        option
        for action in SUBPARSERS.choices[command]._actions
        for option in action.option_strings
        if option.startswith("--") and option != "--help"
    }

    _, found, behind = PAGE.partition(f"## `rooms {command}")

    section = behind.split("\n## ")[0]
    assert found
    assert [option for option in options if f"`{option}" not in section] == []
