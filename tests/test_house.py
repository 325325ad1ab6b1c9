"""The house's own rules: imports run one way, and every name and code is told."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from inspect import getdoc, getmembers_static
from pathlib import Path
from typing import Any

import pytest
from attrs import fields

import rooms
from rooms import RoomPolicy, errors, lobby, presets
from rooms.errors import CODES

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
SOURCES = sorted((ROOT / "rooms").rglob("*.py"))
PURE = (
    *("planning", "addressing", "hearing", "pacing", "paths", "rendering", "team"),
    *("values", "errors"),
)


Sources = dict[str, list[ast.AST]]
"""By its path, the nodes of each source, outermost first."""


@pytest.fixture(scope="module")
def sources() -> Sources:
    """Read once: nothing else here takes as long."""
    return {
        path.relative_to(ROOT).as_posix(): [
            *ast.walk(ast.parse(path.read_text("utf-8")))
        ]
        for path in SOURCES
    }


def loaded_by(statement: str) -> set[str]:
    """The modules that a statement loads in a fresh process, beside Python's own."""
    program = (
        "import sys; before = set(sys.modules)\n"
        f"{statement}\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return {
        name
        for name in done.stdout.split()
        if name.partition(".")[0] not in sys.stdlib_module_names
    }


def test_imports_run_one_way() -> None:
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo"],
        cwd=ROOT,
        env=os.environ | {"PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr


def test_importing_rooms_loads_nothing_else() -> None:
    assert loaded_by("import rooms") == {"rooms"}


def test_the_table_of_codes_is_loaded_when_it_is_named() -> None:
    assert loaded_by("from rooms.errors import InvalidInput") == {
        "rooms",
        "rooms.errors",
    }


@pytest.mark.parametrize("name", PURE)
def test_a_pure_part_loads_only_itself_and_attrs(name: str) -> None:
    own = ("rooms", "rooms.errors", "rooms.values", f"rooms.{name}")

    others = {
        module
        for module in loaded_by(f"import rooms.{name}")
        if module not in own
        and not module.startswith(f"rooms.{name}.")
        and module.partition(".")[0] not in {"attr", "attrs"}
    }

    assert others == set()


@pytest.mark.rule("P-PROTO-02")
def test_the_pure_rules_ask_no_clock_and_open_nothing(sources: Sources) -> None:
    asked = [
        f"{path}:{node.lineno}"
        for path, nodes in sources.items()
        if path.removeprefix("rooms/").split("/")[0].removesuffix(".py") in PURE
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Name)
        and ast.unparse(node)
        in {"datetime.now", "datetime.utcnow", "date.today", "open", "input", "print"}
    ]

    assert asked == []


def test_a_broad_except_says_why() -> None:
    broad = re.compile(r"(except|suppress)\b.*\b(BaseException|Exception)\b|except:")
    reasoned = re.compile(r"  # (noqa: [A-Z0-9, ]+ - |(?!noqa))\S")

    silent = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in SOURCES
        for line in path.read_text("utf-8").splitlines()
        if broad.search(line) and not reasoned.search(line)
    ]

    assert silent == []


@pytest.mark.parametrize("name", rooms.__all__)
def test_a_public_name_is_documented(name: str) -> None:
    home = import_module(rooms._HOME[name])

    assert getdoc(getattr(rooms, name)), f"rooms.{name} has no docstring"
    assert name in home.__all__, f"{name} is not public in {home.__name__}"
    assert home.__name__ in public.parts()


@pytest.mark.parametrize("kind", lobby.__all__)
def test_whatever_a_user_of_a_lobby_may_call_is_documented(kind: str) -> None:
    silent = [
        name
        for name, value in getmembers_static(getattr(lobby, kind))
        if not name.startswith("_")
        and (isinstance(value, property | classmethod) or callable(value))
        and not getdoc(value)
    ]

    assert silent == []


def extension(name: str) -> Any:
    """A module beside the extensions of the pages that needs no Sphinx."""
    spec = spec_from_file_location(name, ROOT / f"docs/_ext/{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


public = extension("public")


def page(name: str) -> str:
    return (ROOT / f"docs/reference/{name}.md").read_text("utf-8")


@pytest.mark.parametrize("part", public.parts())
def test_every_public_part_stands_in_the_reference(part: str) -> None:
    """Whether each name has its entry there, the pages ask as they are built."""
    names = public.names(part)
    constants = {name for name, value in names.items() if public.is_constant(value)}

    silent = [
        name
        for name, value in names.items()
        if not (public.words(part, name) if name in constants else getdoc(value))
    ]

    text = page("api") + page("hooks")
    assert silent == []
    assert re.search(rf"(automodule|py:module):: {part}\n", text)
    made_elsewhere = {name for name in constants if public.home(part, name) != part}
    if made_elsewhere and part != "rooms.hooks":
        assert f".. rooms-constants:: {part}\n" in text


@pytest.mark.parametrize(
    ("name", "directive"),
    [
        ("errors", "rooms-errors"),
        ("log-format", "rooms-events"),
        ("options", "rooms-options"),
        *(("api", f"rooms-{what}") for what in ("names", "hearing", "tools")),
    ],
)
def test_a_page_takes_its_entries_from_the_code(name: str, directive: str) -> None:
    assert f"```{{{directive}}}\n```" in page(name)


def test_the_page_of_the_log_lists_every_event(sources: Sources) -> None:
    """The directive lists what is registered once these are loaded."""
    directives = (ROOT / "docs/_ext/reference_from_code.py").read_text("utf-8")
    declared = {
        call.args[0].value
        for path, nodes in sources.items()
        if path.startswith("rooms/log/")
        for node in nodes
        if isinstance(node, ast.ClassDef)
        for call in node.decorator_list
        if isinstance(call, ast.Call) and last_name(call.func) == "recorded"
        if isinstance(call.args[0], ast.Constant)
    }
    program = (
        "from rooms.log import agents, auditing, directory, folding\n"
        "from rooms.log.events import registered\n"
        "print(*registered())"
    )
    told = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert "from rooms.log import agents, auditing, directory, folding\n" in directives
    assert len(declared) > 80
    assert set(told.split()) == declared


def test_the_page_of_options_lists_every_one_with_what_each_preset_sets() -> None:
    heads, *rows = extension("options").options()

    told = re.findall(r"^    ([a-z_, ]+):", getdoc(RoomPolicy) or "", re.MULTILINE)
    assert heads == ("option", "usual", *presets.NAMES)
    assert [row[0] for row in rows] == [option.name for option in fields(RoomPolicy)]
    named = {name for names in told for name in names.split(", ")}
    assert {row[0] for row in rows} - named == set()


def test_the_names_for_type_checkers_are_those_that_are_loaded() -> None:
    tree = ast.parse((ROOT / "rooms/__init__.py").read_text("utf-8"))
    told = [
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("rooms.")
        for alias in node.names
    ]

    assert sorted(told) == sorted(rooms.__all__)


@pytest.mark.parametrize("name", ["nobody", "planners"])
def test_a_name_that_is_not_there_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"no attribute '{name}'"):
        getattr(rooms, name)


def test_dir_shows_the_public_names() -> None:
    assert set(rooms.__all__) <= set(dir(rooms))


def test_the_version_is_told_once() -> None:
    assert PROJECT["project"]["version"] == rooms.__version__


# Who raises one of these gives the code first; `InvalidInput` takes it by its name.
CODED = {
    name
    for name in errors.__all__
    if isinstance(kind := getattr(errors, name), type)
    and issubclass(kind, errors.RoomsError)
    and kind is not errors.InvalidInput
}


@pytest.fixture(scope="module")
def codes_raised(sources: Sources) -> dict[str, str]:
    """Each code that the package hands to an error, with a place where it does."""
    raised: dict[str, str] = {}
    for path, nodes in sources.items():
        for node in nodes:
            given = codes_given(node)
            for value in given:
                for part in ast.walk(value):  # also both sides of a conditional
                    if isinstance(part, ast.Constant) and isinstance(part.value, str):
                        raised.setdefault(part.value, f"{path}:{value.lineno}")
            if not given and isinstance(node, ast.Call) and is_invalid_input(node):
                raised.setdefault("invalid_request", f"{path}:{node.lineno}")
    return raised


def codes_given(node: ast.AST) -> list[ast.expr]:
    """What stands where a code does: in a call, or in a table beside its error."""
    if isinstance(node, ast.Call):
        given = [kw.value for kw in node.keywords if kw.arg == "code"]
        return given + (node.args[:1] if last_name(node.func) in CODED else [])
    if isinstance(node, ast.Tuple) and node.elts and last_name(node.elts[0]) in CODED:
        return node.elts[1:2]
    return []


def is_invalid_input(call: ast.Call) -> bool:
    return last_name(call.func) == "InvalidInput"


def last_name(expression: ast.expr) -> str:
    return ast.unparse(expression).rpartition(".")[2]


def test_every_code_that_is_raised_is_explained(codes_raised: dict[str, str]) -> None:
    unknown = {code: at for code, at in codes_raised.items() if code not in CODES}

    assert unknown == {}


def test_every_code_that_is_explained_is_raised(codes_raised: dict[str, str]) -> None:
    assert sorted(set(CODES) - set(codes_raised)) == []


def test_a_code_is_explained_once(sources: Sources) -> None:
    explained = [
        key.value
        for path, nodes in sources.items()
        if path.startswith("rooms/errors/codes/")
        for node in nodes
        if isinstance(node, ast.Dict)
        for key in node.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    ]

    assert sorted(explained) == sorted(CODES)


def test_the_codes_in_docstrings_are_codes(sources: Sources) -> None:
    documented = {
        (path, code)
        for path, nodes in sources.items()
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module)
        for section in re.findall(r"Raises:\n((?: +\S.*\n?)+)", getdoc_of(node))
        for code in re.findall(r"`([a-z]+_[a-z_]+)`", section)
    }

    names = {name for nodes in sources.values() for name in names_in(nodes)}
    assert {
        (path, code)
        for path, code in documented
        if code not in CODES and code not in names
    } == set()


def getdoc_of(node: ast.FunctionDef | ast.ClassDef | ast.Module) -> str:
    return ast.get_docstring(node) or ""


def names_in(nodes: list[ast.AST]) -> Iterator[str]:
    """What a `Raises:` may also write in backticks: names, and words of `details`."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        if isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id


def first_block_of_the_readme() -> list[str]:
    text = (ROOT / "README.md").read_text("utf-8")
    block = re.search(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)

    assert block is not None
    assert text.index("```") == block.start(), "another block stands before it"

    return block[1].splitlines()


def test_the_first_block_of_the_readme_is_two_command_lines() -> None:
    run, test = first_block_of_the_readme()

    assert " -m rooms replay " in run
    assert test.endswith("pytest -q -n auto --dist loadfile")


def test_the_readme_installs_the_peer_that_the_project_names() -> None:
    _, test = first_block_of_the_readme()

    assert f"pip install -q --no-deps {PROJECT['tool']['rooms']['peer']} &&" in test


def test_every_page_says_whom_it_is_for() -> None:
    pages = [
        path
        for path in (ROOT / "docs").rglob("*.md")
        if "_build" not in path.parts
        and (path.parent.name != "decisions" or path.name == "index.md")
    ]
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in pages
        if not re.match(r"# .+\n\n\*For [^*]+\*\n", path.read_text("utf-8"))
    ]

    assert len(pages) > 10
    assert silent == []


@pytest.mark.parametrize("page", ["ledger", "foundation"])
def test_every_law_that_is_cited_is_told(page: str) -> None:
    text = (ROOT / f"docs/explanation/{page}.md").read_text("utf-8")
    told = re.findall(r"^(\d+)\. \*\*", text, re.MULTILINE)
    cited = {
        (path.relative_to(ROOT).as_posix(), number)
        for path in SOURCES
        for numbers in re.findall(
            rf"\b{page}\s+(\d+(?:(?:,| and| to)\s+\d+)*)", path.read_text("utf-8")
        )
        for number in re.findall(r"\d+", numbers)
    }

    assert told == [str(number) for number in range(1, len(told) + 1)]
    assert len(cited) > 10
    assert {(path, number) for path, number in cited if number not in told} == set()


def test_no_first_line_of_a_property_or_of_returns_is_taken_for_a_type(
    sources: Sources,
) -> None:
    # The reference takes what stands before a colon there for a type, and finds none.
    taken = [
        (path, line)
        for path, nodes in sources.items()
        for node in nodes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for line in read_for_types(node)
        if re.search(r":(\s|$)", re.sub(r"`[^`]*`", "", line))
    ]

    assert taken == []


def read_for_types(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    text = ast.get_docstring(node) or ""
    decorated = {ast.unparse(one).rpartition(".")[2] for one in node.decorator_list}
    if decorated & {"property", "cached_property"}:
        yield text.partition("\n")[0]
    if returns := re.search(r"^(?:Returns|Yields):\n +(.+)", text, re.MULTILINE):
        yield returns[1]
