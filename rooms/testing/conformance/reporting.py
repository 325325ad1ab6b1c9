"""
The contract of storages as a report: each requirement, and which of its tests hold.

Law: the report says what pytest found in the tests that are shipped; it runs them as
they are, without anybody's settings, in a folder of their own.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.storage import protocol
from rooms.storage.protocol import Storage

__all__ = ["ConformanceReport", "Requirement", "Trial", "check_storage", "on_trial"]

_TRIAL = Path(__file__).with_name("trial.py")
_REQUIREMENT = re.compile(r"^(S\d+)\. (.*?)(?=^S\d+\. |\Z)", re.MULTILINE | re.DOTALL)
_LONGEST_PROBLEM = 300


@frozen
class Trial:
    """A storage on trial, as `StorageConformance` has it."""

    make: Callable[[Path], Storage]
    persistent: bool
    shared: bool


on_trial: ContextVar[Trial] = ContextVar("on_trial")
"""What the shipped test class tries."""


@frozen
class Requirement:
    """
    A requirement of storages, and how its tests came out.

    Attributes:
        number: `S1` and so on, as the reference has it.
        words: What it says.
        passed: How many of its tests passed.
        skipped: How many do not fit what the storage says it can.
        failed: The tests that failed, each with the end of what it found.
    """

    number: str
    words: str = field(repr=False)
    passed: int = 0
    skipped: int = 0
    failed: tuple[tuple[str, str], ...] = ()


@frozen
class ConformanceReport:
    """
    What the contract's tests found; its text is for people.

    Attributes:
        requirements: In their order.
    """

    requirements: tuple[Requirement, ...]

    @property
    def conforms(self) -> bool:
        """Whether no test failed, and each requirement had one that passed."""
        return all(one.passed and not one.failed for one in self.requirements)

    def __str__(self) -> str:
        lines = []
        for one in self.requirements:
            state = "ok  " if one.passed and not one.failed else "FAIL"
            counts = f"{one.passed} passed"
            counts += f", {len(one.failed)} failed" * bool(one.failed)
            counts += f", {one.skipped} skipped" * bool(one.skipped)
            first = one.words.split(". ")[0].split(": ")[0].rstrip(".")
            lines.append(f"{state} {one.number:<3} {first} ({counts})")
            for test, problem in one.failed:
                lines += [f"       {test}", f"         {problem}"]
        met = sum(bool(one.passed) and not one.failed for one in self.requirements)
        lines.append(f"{met} of {len(self.requirements)} requirements are met")
        return "\n".join(lines)


def check_storage(
    make: Callable[[Path], Storage], *, persistent: bool = True, shared: bool = True
) -> ConformanceReport:
    """
    Tries a storage by the whole contract, without a test file.

    Args:
        make: Opens the storage that lives in a folder, and makes it where there is
            none; called several times with one folder, as `make_storage` is.
        persistent, shared: As `StorageConformance` has them.

    Raises:
        InvalidInput: `invalid_request` for what cannot be called, or is no flag, and
            where what it opens is no storage.
    """
    given: Any = make
    if not callable(given):
        kind = type(given).__name__
        raise InvalidInput("make", f"is of type {kind}", allowed="a callable")
    values.flag("persistent", persistent)
    values.flag("shared", shared)
    _tried(make)
    heard = _Heard()
    token = on_trial.set(Trial(make, persistent, shared))
    try:
        with tempfile.TemporaryDirectory() as folder, _options_unread():
            pytest.main(_arguments(folder), plugins=[heard])
    finally:
        on_trial.reset(token)
    return ConformanceReport(tuple(map(heard.told, _requirements())))


def _tried(make: Callable[[Path], Any]) -> None:
    """Refuses what opens no storage, which every single test would say otherwise."""
    if not _takes_a_folder(make):
        raise InvalidInput(
            "make",
            "cannot be called with a folder",
            allowed="a function that is given a folder, and gives a storage",
        )
    with tempfile.TemporaryDirectory() as folder:
        try:
            made = make(Path(folder))
        except Exception:  # noqa: BLE001 - a test tells it, with where it arose
            return
        if not callable(getattr(made, "append", None)):
            problem = f"answered with {type(made).__name__}"
            raise InvalidInput(
                "make",
                problem,
                allowed="a function that is given a folder, and gives a storage",
            )
        with suppress(Exception):  # here too
            made.close()


def _takes_a_folder(make: Callable[[Path], Any]) -> bool:
    try:
        signature(make).bind(Path())
    except TypeError:
        return False
    except ValueError:  # one of C that tells nothing
        return True
    return True


@contextmanager
def _options_unread() -> Iterator[None]:
    """Leaves out what the environment asks of every run, such as coverage."""
    kept = os.environ.pop("PYTEST_ADDOPTS", None)
    try:
        yield
    finally:
        if kept is not None:
            os.environ["PYTEST_ADDOPTS"] = kept


def _arguments(folder: str) -> list[str]:
    return [
        str(_TRIAL),
        *("-c", os.devnull, "--rootdir", str(_TRIAL.parent)),
        *("--basetemp", str(Path(folder, "trial")), "--import-mode", "importlib"),
        *("-p", "no:cacheprovider", "-p", "no:terminal", "-p", "no:xdist"),
    ]


def _requirements() -> list[Requirement]:
    found = _REQUIREMENT.findall(protocol.__doc__ or "")
    return [Requirement(number, " ".join(words.split())) for number, words in found]


class _Heard:
    """A plugin of pytest that keeps how each test came out."""

    def __init__(self) -> None:
        self.outcomes: dict[str, str] = {}
        self.problems: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keeps the worst that a phase of a test came to."""
        name = report.nodeid.rpartition("::")[2]
        if report.failed:
            self.outcomes[name] = "failed"
            self.problems.setdefault(name, _last_words(report))
        elif report.skipped or report.when == "call":
            self.outcomes.setdefault(name, report.outcome)

    def told(self, one: Requirement) -> Requirement:
        """How a requirement's tests came out."""
        prefix = f"test_{one.number.lower()}_"
        mine = {
            name: outcome
            for name, outcome in self.outcomes.items()
            if name.startswith(prefix)
        }
        found = list(mine.values())
        failed = [name for name, outcome in mine.items() if outcome == "failed"]
        return Requirement(
            one.number,
            one.words,
            found.count("passed"),
            found.count("skipped"),
            tuple((name, self.problems[name]) for name in failed),
        )


def _last_words(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    told = str(report.longrepr if crash is None else crash.message)
    short = " ".join(told.split())
    return short if len(short) <= _LONGEST_PROBLEM else f"{short[:_LONGEST_PROBLEM]}…"
