"""What a command does not take it refuses with its own usage."""

from __future__ import annotations

from argparse import _SubParsersAction

import pytest

from rooms.cli import _parser, main

COMMANDS = next(
    action for action in _parser()._actions if isinstance(action, _SubParsersAction)
).choices


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_option_is_told_with_the_usage_of_its_command(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    takes = [one for one in COMMANDS[command]._actions if not one.option_strings]
    given = [str(number) for number, one in enumerate(takes) if one.nargs is None]

    with pytest.raises(SystemExit) as left:
        main([command, *given, "--nope", "--json"])

    told = capsys.readouterr()
    assert (left.value.code, told.out) == (2, "")
    assert told.err.startswith(f"usage: rooms {command} ")
    assert told.err.endswith(
        f"\nrooms {command}: error: unrecognized arguments: --nope\n"
    )


def test_so_is_one_argument_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "a.db", "b.db"])

    told = capsys.readouterr().err
    assert told.startswith("usage: rooms verify ")
    assert told.endswith("\nrooms verify: error: unrecognized arguments: b.db\n")


@pytest.mark.parametrize("given", [["--nope", "verify", "a.db"], ["nope"], []])
def test_what_stands_before_a_command_is_of_the_program(
    given: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(given)

    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("usage: rooms [-h] [--version] COMMAND")
