"""
Every example is executed: the README's, the docs' and those in docstrings.

Python blocks of a page run in order in one namespace; those with `>>>` are checked
against what they print. `<!-- skip: next "reason" -->` before a block leaves it out.
"""

from __future__ import annotations

from doctest import ELLIPSIS

from sybil import Sybil
from sybil.document import PythonDocStringDocument
from sybil.parsers.myst import PythonCodeBlockParser, SkipParser
from sybil.parsers.rest import DocTestParser
from sybil.sybil import SybilCollection

pytest_collect_file = SybilCollection(
    [
        Sybil(
            parsers=[PythonCodeBlockParser(doctest_optionflags=ELLIPSIS), SkipParser()],
            patterns=["README.md", "docs/*.md", "docs/**/*.md"],
            excludes=["docs/_build/**"],
        ),
        Sybil(
            parsers=[DocTestParser(optionflags=ELLIPSIS)],
            patterns=["rooms/**/*.py"],
            document_types={".py": PythonDocStringDocument},
        ),
    ]
).pytest()
