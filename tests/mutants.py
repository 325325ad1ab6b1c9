"""
Which mistakes the tests of the rules do not find: `nox -s mutants`.

    python tests/mutants.py [--sample N] [--survivors] [part ...]

A mutant is a rule with one small mistake. mutmut makes them and runs, for each, the
tests that come by its function, the quickest first (`tests/mutating.py`). Each part of
the library that is mutated, and the tests that are to protect it, stand in
pyproject.toml; what may survive, and why, in docs/decisions/survivors.toml.

Three laws. Every survivor is listed there with its reason, or it is news. The score
counts the listed ones, too, and falls in no part under `LEAST`. And the same code and
tests give the same mutants and the same answers: nothing is drawn.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from attrs import frozen

__all__ = ["FOUND", "LEAST", "ROOT", "Listed", "Mutant", "faults", "listed", "parts"]

ROOT = Path(__file__).resolve().parent.parent
LISTED = ROOT / "docs" / "decisions" / "survivors.toml"
LEAST = 90
"""Of a hundred mutants of a part, how many have to be found at least."""

FOUND = {"killed", "timeout"}
"""mutmut's words for a mutant that failed a test, or went on for ever."""

_PLACE = ROOT / "build" / "mutants"
_COPIED = ("rooms", "tests")  # all that the tests of the parts need
_PYTEST = (  # and nothing that would only make each of thousands of runs longer
    *("--hypothesis-profile", "mutants", "--assert=plain", "-p", "no:cacheprovider"),
    *("-p", "no:xdist", "-p", "no:pytest_cov", "-p", "no:unraisableexception"),
)


@frozen
class Part:
    """What is mutated together, and the tests that are to find it."""

    name: str
    mutate: tuple[str, ...]
    tests: tuple[str, ...]


@frozen
class Mutant:
    """
    A mutant that was tried.

    Attributes:
        where: The file and the function, as `rooms/pacing/hops.py: next_hops`.
        change: The line as it is and as the mutant has it, as `a < b -> a <= b`; known
            for survivors alone.
        status: mutmut's word for what became of it.
    """

    where: str
    change: str
    status: str

    @property
    def found(self) -> bool:
        """Whether a test failed on it."""
        return self.status in FOUND


@frozen
class Listed:
    """Survivors that are known, and why they may survive."""

    where: str
    changes: tuple[str, ...]
    why: str


def parts() -> list[Part]:
    """The parts of pyproject.toml, in its order."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [
        Part(name, tuple(given["mutate"]), tuple(given["tests"]))
        for name, given in project["tool"]["rooms"]["mutants"].items()
    ]


def listed() -> list[Listed]:
    """What may survive, as the decision lists it."""
    rows = tomllib.loads(LISTED.read_text("utf-8")).get("survivor", [])
    return [Listed(row["in"], tuple(row["changes"]), row["why"]) for row in rows]


def faults(
    tried: Mapping[str, Sequence[Mutant]], known: Iterable[Listed], *, whole: bool
) -> list[str]:
    """
    What is wrong with the mutants of each part, in words.

    Each change that is listed allows one survivor, for a function may have the same
    line twice. `whole` says that every mutant of every part is there: then a listed
    survivor that does not survive is a fault, too.
    """
    allowed = Counter((row.where, change) for row in known for change in row.changes)
    wrong: list[str] = []
    for part, mutants in tried.items():
        survivors = [one for one in mutants if not one.found]
        for one in survivors:
            change = (one.where, one.change)
            if allowed[change]:
                allowed[change] -= 1
            else:
                wrong.append(f"{one.status}: {one.where}\n    {one.change}")
        found = len(mutants) - len(survivors)
        if found * 100 < LEAST * len(mutants):
            wrong.append(f"{part}: {found} of {len(mutants)} found, under {LEAST} %")
    if whole:
        gone = sorted(allowed.elements())
        wrong += [f"listed and found: {where}\n    {change}" for where, change in gone]
    return wrong


def main() -> int:
    """Try the mutants of each part asked for, and print what is wrong and a table."""
    known = {part.name: part for part in parts()}
    asked = argparse.ArgumentParser(description=main.__doc__)
    asked.add_argument("part", nargs="*", help=f"of {', '.join(known)}; all, if none")
    asked.add_argument("--sample", type=int, help="so many mutants of each part")
    asked.add_argument(
        "--survivors", action="store_true", help="those of the last run, once more"
    )
    given = asked.parse_args()
    names = given.part or list(known)
    if strange := set(names) - set(known):
        asked.error(f"no such part: {', '.join(sorted(strange))}")
    tried = {
        name: _tried(known[name], given.sample, again=given.survivors) for name in names
    }
    whole = given.sample is None and len(names) == len(known)
    wrong = faults(tried, listed(), whole=whole)
    print("\n".join(["", *wrong, *_table(tried)]))
    return 1 if wrong else 0


def _table(tried: Mapping[str, list[Mutant]]) -> Iterable[str]:
    yield f"{'part':<12}{'mutants':>9}{'found':>9}{'survived':>9}{'score':>9}"
    everything = [one for mutants in tried.values() for one in mutants]
    for name, mutants in (*tried.items(), ("all", everything)):
        count, found = len(mutants), sum(one.found for one in mutants)
        score = f"{100 * found / count:.1f} %" if count else ""
        yield f"{name:<12}{count:>9}{found:>9}{count - found:>9}{score:>9}"


def _tried(part: Part, sample: int | None, *, again: bool) -> list[Mutant]:
    """The mutants of a part, each tried in a copy of the library of its own."""
    place = _PLACE / part.name
    if not again:
        shutil.rmtree(place, ignore_errors=True)
    for name in _COPIED:
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, place / name, ignore=ignored, dirs_exist_ok=True)
    settings = {
        "source_paths": ["rooms"],
        "only_mutate": part.mutate,
        "pytest_add_cli_args_test_selection": part.tests,
        "pytest_add_cli_args": _PYTEST,
        "use_git_change_detection": False,
        # A mutant that goes on for ever is stopped after twice the seconds of the
        # processor that its tests take, and ten, so what else runs here stops none.
        "timeout_multiplier": 1,
        "timeout_constant": 5,
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    text = "\n".join([project, "[tool.mutmut]", *lines, ""])
    (place / "pyproject.toml").write_text(text, "utf-8")
    program = f"import mutating; mutating.try_here({sample!r}, again={again!r})"
    path = os.pathsep.join([str(place), str(place / "tests")])
    subprocess.run(
        [sys.executable, "-c", program],
        cwd=place,
        env=os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": "0"},
        check=True,
    )
    rows = json.loads((place / "tried.json").read_text("utf-8"))
    return [Mutant(*row) for row in rows]


if __name__ == "__main__":
    sys.exit(main())
