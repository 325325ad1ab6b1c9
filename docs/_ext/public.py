"""
What is public: every part with its names, and what is said of those that are no class
and no function, which Python keeps no docstring of.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from datetime import timedelta
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import FunctionType
from typing import Any, Literal, get_args, get_origin

import rooms
from rooms import testing

INSIDE = {"cli", "log", "plugins", "values"}
"""What users meet through the commands, the log's format and the other parts."""

_ROOT = Path(rooms.__file__).parent
_OF_TESTING = ("agreement", "commands", "conformance", "logs", "strategies")


def parts() -> list[str]:
    """The modules whose names are public, sorted."""
    found = {
        f"rooms.{path.stem}"
        for path in _ROOT.iterdir()
        if not path.stem.startswith(("_", "."))
        and path.stem not in INSIDE
        and (path.suffix == ".py" or (path / "__init__.py").exists())
    }
    homes = {*_OF_TESTING, *testing._HOMES.values()}  # noqa: SLF001 - as it loads them
    return sorted(found | {f"rooms.testing.{home}" for home in homes})


def names(part: str) -> dict[str, Any]:
    """What a part offers, by name; all of it is loaded."""
    module = import_module(part)
    return {name: getattr(module, name) for name in module.__all__}


def is_constant(value: Any) -> bool:
    """Whether Python keeps no docstring with a value."""
    return not isinstance(value, type | FunctionType)


def home(part: str, name: str) -> str:
    """The module in which a name of a part is given its value."""
    for node in ast.walk(_tree(part)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rooms"):
            for one in node.names:
                if (one.asname or one.name) == name:
                    return home(str(node.module), one.name)
    return part


def words(part: str, name: str) -> str:
    """The text that stands behind an assignment; nothing where there is none."""
    body = _tree(home(part, name)).body
    for node, behind in pairwise(body):
        if name in _assigned(node) and isinstance(behind, ast.Expr):
            said = behind.value
            if isinstance(said, ast.Constant) and isinstance(said.value, str):
                return " ".join(said.value.split())
    return ""


def shown(value: Any) -> str:
    """A value that is short and reads alike wherever it is printed, else nothing."""
    if get_origin(value) is Literal:
        return " | ".join(map(repr, get_args(value)))
    if isinstance(value, timedelta):
        return f"{value.total_seconds():g} seconds"
    plain = isinstance(value, int | str) or (
        isinstance(value, tuple) and all(isinstance(one, int | str) for one in value)
    )
    return repr(value) if plain and len(repr(value)) <= 100 else ""


def _assigned(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    elif isinstance(node, ast.Assign):
        targets = list(node.targets)
    else:
        return set()
    return {target.id for target in targets if isinstance(target, ast.Name)}


_TREES: dict[str, ast.Module] = {}


def _tree(module: str) -> ast.Module:
    if module not in _TREES:
        spec = find_spec(module)
        assert spec is not None  # noqa: S101 - it was imported
        assert spec.origin is not None  # noqa: S101
        _TREES[module] = ast.parse(Path(spec.origin).read_text("utf-8"))
    return _TREES[module]


def constants(part: str) -> Iterator[tuple[str, str, str]]:
    """
    Those of a part's names that no class and no function stands behind and that are
    made elsewhere, each with its value, where that is short, and its words.
    """
    for name, value in sorted(names(part).items()):
        if is_constant(value) and home(part, name) != part:
            yield name, shown(value), words(part, name)
