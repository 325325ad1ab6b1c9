"""What a newcomer meets first: `import rooms`, `dir`, `help`, and the pages."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import attrs

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
        *("addressing", "aio", "driving", "errors", "hearing", "hooks", "lobby"),
        *("pacing", "paths", "planning", "policy", "presets", "registry", "rendering"),
        *("simulation", "storage", "team", "testing", "tools", "transcripts"),
    }
    assert all(getattr(rooms, name) is not None for name in public)
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


def test_every_link_between_pages_leads_somewhere() -> None:
    broken = [
        (page.relative_to(ROOT).as_posix(), link.relative_to(ROOT).as_posix())
        for page in PAGES
        for link in sorted(linked_from(page))
        if link.suffix in {".md", ".txt"} and not link.exists()
    ]

    assert broken == []


def test_each_decision_has_a_number_of_its_own_and_its_place_in_the_index() -> None:
    pages = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))
    titles = [page.read_text("utf-8").partition("\n")[0] for page in pages]
    index = (ROOT / "docs/decisions/index.md").read_text("utf-8")
    listed = re.findall(r"^- \[(\d+)\. .*\]\((.+)\)$", index, re.MULTILINE)

    numbers = [int(page.name[:4]) for page in pages]
    assert [title.partition(".")[0] for title in titles] == [f"# {n}" for n in numbers]
    assert listed == [(str(int(page.name[:4])), page.name) for page in pages]
    assert len(set(numbers)) == len(numbers)


def test_the_page_for_models_is_what_the_indexes_say() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import llms; print(llms.told(), end='')"],
        cwd=ROOT / "docs/_ext",
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"PYTHONUTF8": "1"},
        check=True,
    )

    text = (ROOT / "docs/llms.txt").read_text("utf-8")
    assert done.stdout == text, "python docs/_ext/llms.py writes it anew"
    for folder in ("tutorial", "how-to", "explanation", "reference"):
        for page in (ROOT / "docs" / folder).glob("*.md"):
            assert page.name == "index.md" or f"({folder}/{page.name})" in text


def test_the_table_of_options_has_each_of_them_as_the_presets_set_it() -> None:
    program = "import json, options; print(json.dumps(options.options()))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT / "docs/_ext",
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=True,
    )
    head, *lines = json.loads(done.stdout)
    table = {name: dict(zip(head[1:], cells, strict=True)) for name, *cells in lines}

    assert list(table) == [option.name for option in attrs.fields(rooms.RoomPolicy)]
    assert head == ["option", "usual", *rooms.presets.NAMES]
    assert table["people"]["usual"] == "post"
    assert (table["people"]["hall"], table["people"]["thread"]) == ("watch", "")
    assert table["retention"]["broker"] == "a day"  # L-KEEP: 24 hours
    assert table["wake_window"]["usual"] == "10 in 5 minutes"  # G-PACE
    assert table["send_window"]["team"] == "20 in a minute"
    assert (table["planner"]["panel"], table["planner"]["thread"]) == (
        "mentions",
        "addressed",
    )


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
