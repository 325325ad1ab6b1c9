"""
`llms.txt`: the docs in one page for models, made from the indexes.

    python docs/_ext/llms.py

writes `docs/llms.txt`, whose links lead to the pages of a clone; the built pages get
one with links to themselves. A test fails when the former is stale.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sphinx.application import Sphinx

DOCS = Path(__file__).resolve().parent.parent
WRITTEN = DOCS / "llms.txt"
SECTIONS = {
    "Tutorial": "tutorial/index.md",
    "How-to guides": "how-to/index.md",
    "Reference": "reference/index.md",
    "Explanation": "explanation/index.md",
}
LINK = re.compile(
    r"^- \[(?P<title>.+?)\]\((?P<to>[^)]+\.md)\)(?P<note>.*)$", re.MULTILINE
)


def told(suffix: str = ".md") -> str:
    """The page, with links that end in `suffix`."""
    return "\n".join([*_opening(), *_sections(suffix)]).rstrip() + "\n"


def _opening() -> Iterator[str]:
    """The landing page's title, and its paragraphs up to the first list."""
    text = (DOCS / "index.md").read_text("utf-8")
    title, _, what, *more = text.split("\n\n")
    yield from (title, "", f"> {_line(what)}", "")
    for paragraph in more:
        if paragraph.startswith(("-", "|", "`" * 3, "#")) or paragraph.endswith(":"):
            break
        yield from (_line(paragraph), "")


def _sections(suffix: str) -> Iterator[str]:
    for heading, index in SECTIONS.items():
        yield from (f"## {heading}", "")
        folder = posixpath.dirname(index)
        for link in LINK.finditer((DOCS / index).read_text("utf-8")):
            to = posixpath.normpath(posixpath.join(folder, link["to"]))
            yield f"- [{link['title']}]({to.removesuffix('.md')}{suffix}){link['note']}"
        yield ""


def _line(paragraph: str) -> str:
    return " ".join(paragraph.split())


def beside_the_pages(app: Sphinx, failure: Exception | None) -> None:
    """Writes the one of the built pages, at their root."""
    if failure is None and app.builder.format == "html":
        where = Path(app.outdir, "llms.txt")
        where.write_text(told(".html"), "utf-8", newline="\n")


def setup(app: Sphinx) -> dict[str, Any]:
    """Have it written at the end."""
    app.connect("build-finished", beside_the_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    WRITTEN.write_text(told(), "utf-8", newline="\n")
