"""What comes with extras: without it, an import says what to install."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from rooms.errors import MissingExtra
from rooms.errors.extras import REQUIREMENTS, needed

ROOT = Path(__file__).resolve().parent.parent
EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
    "optional-dependencies"
]
# What the library itself depends on, and what that depends on.
LEAN = (
    *("attr", "attrs", "pluggy", "sqlite_utils", "sqlite_fts4", "tzdata"),
    *("click", "click_default_group", "dateutil", "six", "tabulate"),
)
# The plugin is pytest's own to import.
MODULES = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for path in (ROOT / "rooms").rglob("*.py")
    if path.name not in {"__main__.py", "_plugin.py"}
)
PROGRAM = """
import json, sys
from importlib import import_module

lean = {"rooms", *sys.stdlib_module_names, *sys.argv[2].split()}

class Lean:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in lean:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Lean())
told = {}
for name in sys.argv[1].split():
    try:
        import_module(name)
    except ImportError as error:
        told[name] = [
            type(error).__name__, getattr(error, "extra", None), str(error)
        ]
print(json.dumps(told))
"""


@pytest.fixture(scope="module")
def lean() -> dict[str, tuple[str, str, str]]:
    """Which imports fail where no extra is installed: with which kind, extra, words."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, " ".join(MODULES), " ".join(LEAN)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    told: dict[str, Any] = json.loads(done.stdout)
    return {name: (kind, extra, words) for name, (kind, extra, words) in told.items()}


def test_what_a_module_needs_is_told_by_its_extra(
    lean: dict[str, tuple[str, str, str]],
) -> None:
    bare = {name: told for name, told in lean.items() if told[0] != "MissingExtra"}

    assert bare == {}


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        ("rooms.telemetry", "otel"),
        ("rooms.testing.agreement", "testing"),
        ("rooms.testing.commands", "testing"),
        ("rooms.testing.conformance", "testing"),
        ("rooms.testing.logs", "testing"),
        ("rooms.testing.strategies", "testing"),
        ("rooms.tools.serving", "mcp"),
    ],
)
def test_the_words_name_the_package_and_how_it_is_installed(
    module: str, extra: str, lean: dict[str, tuple[str, str, str]]
) -> None:
    _, told, words = lean[module]

    assert told == extra
    assert any(f"pip install '{needs}'" in words for needs in EXTRAS[extra])


def test_nothing_else_needs_an_extra(lean: dict[str, tuple[str, str, str]]) -> None:
    parts = ("rooms.telemetry", "rooms.testing.", "rooms.tools.serving")

    assert [name for name in lean if not name.startswith(parts)] == []
    assert not {"rooms.testing.clock", "rooms.testing.agents"} & set(lean)


@pytest.mark.parametrize("package", REQUIREMENTS)
def test_an_extra_asks_for_its_packages_as_the_words_do(package: str) -> None:
    extra, requirement = REQUIREMENTS[package]

    assert requirement in EXTRAS[extra]
    assert requirement.startswith(f"{package}>=")


def test_only_an_import_is_told_so() -> None:
    with pytest.raises(KeyError), needed("pytest", by="a test"):
        raise KeyError
    with pytest.raises(MissingExtra) as raised, needed("pytest", by="a test"):
        raise ModuleNotFoundError

    assert str(raised.value) == (
        "a test needs the package pytest, of the extra testing:"
        " pip install 'pytest>=8.2' [missing_extra]"
    )
