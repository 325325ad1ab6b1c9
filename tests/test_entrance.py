"""What a newcomer meets first: `import rooms`, `dir`, `help`, and the pages."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import rooms

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted(
    path
    for path in (ROOT / "docs").rglob("*.md")
    if "_build" not in path.relative_to(ROOT).parts
)
# The packages of which every docstring is read by users, in `help` or in the reference.
FOR_USERS = ("planning", "addressing", "hearing", "pacing")


def test_a_subpackage_is_there_without_being_imported() -> None:
    program = (
        "import sys, rooms; loaded = 'rooms.pacing' in sys.modules\n"
        "print(loaded, rooms.pacing.RateWindow(limit=1).limit)"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout == "False 1\n"


def test_dir_shows_what_is_for_users_and_nothing_else() -> None:
    public = {name for name in dir(rooms) if not name.startswith("__")}

    assert public - set(rooms.__all__) == {
        *(
            "addressing",
            "aio",
            "driving",
            "errors",
            "hearing",
            "hooks",
            "lobby",
            "pacing",
            "paths",
        ),
        *("planning", "policy", "presets", "registry", "rendering", "storage", "tools"),
    }
    assert {"__doc__", "__version__", "__all__"} <= set(dir(rooms))


def test_help_on_rooms_says_where_to_begin() -> None:
    named = set(re.findall(r"`(\w+)`", rooms.__doc__ or ""))

    assert named <= set(rooms.__all__) | {"rooms", "code"}
    assert {"RoundRobinRoomPlanner", "Recurrence", "InvalidInput"} <= named


def docstrings() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "rooms").rglob("*.py")):
        part = path.relative_to(ROOT / "rooms").parts[0].removesuffix(".py")
        if part not in (*FOR_USERS, "paths", "values", "cli"):
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                yield path.relative_to(ROOT).as_posix(), ast.get_docstring(node) or ""


def test_docstrings_cite_only_what_a_user_can_look_up() -> None:
    cited = [
        (path, found[0])
        for path, text in docstrings()
        if (found := re.search(r"F-\d+|\bfoundation\b|\bledger\b|model\.md", text))
    ]

    assert cited == []


def linked_from(page: Path) -> set[Path]:
    links = re.findall(r"\]\(([^)#:]+)", page.read_text("utf-8"))
    return {(page.parent / link).resolve() for link in links}


def test_every_page_is_linked_from_an_index_where_no_sphinx_runs() -> None:
    indexes = [page for page in PAGES if page.name == "index.md"]

    reached = {ROOT / "docs/index.md"}.union(*map(linked_from, indexes))

    assert [page.relative_to(ROOT).as_posix() for page in set(PAGES) - reached] == []


def test_no_link_is_empty_where_no_sphinx_runs() -> None:
    empty = [
        page.relative_to(ROOT).as_posix()
        for page in (*PAGES, ROOT / "README.md")
        if "[](" in page.read_text("utf-8")
    ]

    assert empty == []


def test_every_link_of_the_readme_leads_somewhere() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)#]+)", text)

    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_a_block_that_is_pasted_alone_has_its_imports() -> None:
    missing = [
        (page.relative_to(ROOT).as_posix(), name)
        for page in (*PAGES, ROOT / "README.md")
        for block in re.findall(
            r"```python\n(.*?)```", page.read_text("utf-8"), re.DOTALL
        )
        if ">>>" not in block  # those of a session are read in one go
        for name in names_without_import(block)
    ]

    assert missing == []


def names_without_import(block: str) -> set[str]:
    nodes = list(ast.walk(ast.parse(block)))
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    imports = (it for it in nodes if isinstance(it, ast.ImportFrom | ast.Import))
    return (used & {*rooms.__all__, "attrs", "json"}) - {
        alias.name for node in imports for alias in node.names
    }
