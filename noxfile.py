"""
What is checked, and how: `nox -l` lists it.

This file holds no lists of its own: the Pythons, the groups and the peer that ours is
compared with come from pyproject.toml.
"""

from __future__ import annotations

import nox

PROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = nox.project.python_versions(PROJECT)
PEER = PROJECT["tool"]["rooms"]["peer"]

nox.options.sessions = ["tests", "types", "lint", "docs"]
nox.options.reuse_venv = "yes"
# Whoever lacks one of the Pythons tests on those that are there, in CI too.
nox.options.error_on_missing_interpreters = False


def install_dev(session: nox.Session) -> None:
    """What the checks need; with `--no-venv` they take what is there."""
    if session.venv_backend != "none":
        session.install("-e", ".[dev]")


def install_peer(session: nox.Session) -> None:
    """Without its dependencies: only its `rooms` subpackage is ever imported."""
    session.install("--no-deps", PEER)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """Run the tests and all examples but the notebooks; `-- --cov` adds coverage."""
    session.install(".[test]")
    install_peer(session)
    session.run("pytest", "-q", "-n", "auto", "--dist", "loadfile", *session.posargs)


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of everything, and those that users see."""
    install_dev(session)
    session.run("mypy")


@nox.session
def lint(session: nox.Session) -> None:
    """Check style and format; change nothing."""
    install_dev(session)
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session(name="format")
def format_(session: nox.Session) -> None:
    """Put the code into the house's form."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", "--fix-only")
    session.run("ruff", "format")


@nox.session
def docs(session: nox.Session) -> None:
    """Build the docs; each warning is an error."""
    session.install("-e", ".[docs]")
    session.run("sphinx-build", "-W", "-n", "-q", "-E", "docs", "docs/_build/html")


@nox.session
def benchmarks(session: nox.Session) -> None:
    """Print the table of paired ratios."""
    session.install(".[bench]")
    install_peer(session)
    session.run("python", "-m", "benchmarks", *session.posargs)


@nox.session(name="benchmarks-peers")
def benchmarks_peers(session: nox.Session) -> None:
    """Print the rows beside frameworks that are too large for any other session."""
    session.install(".[frameworks]")
    session.run("python", "-m", "benchmarks", "frameworks", *session.posargs)


@nox.session
def campaigns(session: nox.Session) -> None:
    """Run at length what CI runs a little of: power loss, exploration, kills, flips."""
    session.install("-e", ".[dev]")
    at_length = PROJECT["tool"]["rooms"]["campaigns"]
    session.run("pytest", "-q", *at_length["tests"], env={"ROOMS_EFFORT": "long"})


@nox.session(python=PYTHONS)
def matrix(session: nox.Session) -> None:
    """Each Python's logs, byte by byte: 8 hash seeds, 3 zones, 2 locales, -O or not."""
    session.install(".[test]")
    runs = "tests/golden/test_today.py"
    session.run("pytest", "-q", "-n", "auto", runs, env={"ROOMS_EFFORT": "long"})


@nox.session
def mutants(session: nox.Session) -> None:
    """Put mistakes into the rules, for the tests to find; `-- --sample 99`: a few."""
    session.install("-e", ".[dev,mutants]")
    session.run("python", "tests/mutants.py", *session.posargs)


@nox.session
def oracle(session: nox.Session) -> None:
    """Compare with independent libraries, at length."""
    session.install("-e", ".[dev,oracle]")
    session.run("pytest", "-q", "tests/oracle", *session.posargs)


@nox.session
def pictures(session: nox.Session) -> None:
    """Render the pictures of runs in headless Chromium: nothing overlaps."""
    session.install("-e", ".[dev]")
    asked = {"ROOMS_PICTURES": "1"}
    session.run("pytest", "-q", "tests/simulation/test_pictures.py", env=asked)
