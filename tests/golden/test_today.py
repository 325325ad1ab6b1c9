"""What today's code writes does not depend on where it runs."""

from __future__ import annotations

import locale
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

import pytest

import effort
from golden import today

TODAY = Path(today.__file__)


def installed(name: str) -> bool:
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    finally:
        locale.setlocale(locale.LC_ALL, before)
    return True


# Turkish has other capitals, both write numbers otherwise; C knows ASCII alone.
ABROAD = next(filter(installed, ("tr_TR.UTF-8", "de_DE.UTF-8")), "C.UTF-8")
SEEDS = tuple(map(str, range(8)))
ZONES = ("UTC", "Pacific/Apia", "Asia/Kathmandu")
LOCALES = ("C", ABROAD)  # without the one's being taken for the other
OPTIONS = ("", "-O")
RUNS = (
    list(product(SEEDS, ZONES, LOCALES, OPTIONS))
    if effort.LONG  # else all pairs of a zone, a locale and an option, or two runs
    else [
        (SEEDS[n], ZONES[n % 3], LOCALES[n % 2], OPTIONS[n // 3])
        for n in range(0, 6, effort.sized(5, 1))
    ]
)


@pytest.mark.parametrize(("seed", "zone", "abroad", "option"), RUNS)
def test_the_same_bytes_are_left_wherever_they_are_written(
    seed: str, zone: str, abroad: str, option: str
) -> None:
    """In any order of sets, zone and locale, with assertions and without."""
    ran = subprocess.run(
        [sys.executable, *filter(None, [option]), str(TODAY)],
        env=os.environ
        | {
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "PYTHONHASHSEED": seed,
            "TZ": zone,
            "LC_ALL": abroad,
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
        },
        stdout=subprocess.PIPE,
        text=True,
        timeout=1_200,  # on a machine with much else to do, too
        check=False,
    )

    assert (ran.stdout, ran.returncode) == ("", 0)


def test_what_is_not_as_recorded_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    beside = tmp_path / "today.sha256"
    monkeypatch.setattr(today, "BESIDE", beside)
    monkeypatch.setattr(today, "NAMES", ("hall", "team"))
    monkeypatch.setattr(locale, "setlocale", lambda *_: "C")

    assert today.main("record") == 0
    beside.write_text(beside.read_text().replace("hall", "hull"))

    assert today.main() == 1
    assert capsys.readouterr().out.splitlines() == [
        "not as recorded: hall",
        "not as recorded: hull, which is no script",
    ]
