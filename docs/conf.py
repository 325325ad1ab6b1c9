"""How the docs are built; nothing here needs the network."""

from __future__ import annotations

import sys
from pathlib import Path

import rooms

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "rooms"
author = "the rooms authors"
copyright = "the rooms authors, MIT licensed"  # noqa: A001 - Sphinx's own name
version = release = rooms.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "reference_from_code",
    "complete",
    "llms",
]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"rooms {release}"
html_copy_source = False

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

smartquotes = False
default_role = "code"  # docstrings write `code` as Markdown does
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
python_maximum_signature_line_length = 76
napoleon_numpy_docstring = False
napoleon_use_ivar = False

# Every name of ours has to resolve; the standard library's pages are elsewhere.
nitpicky = True
# `Room` and `Lobby` in an annotation: those of asyncio have the same names.
suppress_warnings = ["ref.python"]
nitpick_ignore_regex = [
    ("py:.*", rf"({'|'.join(sorted(sys.stdlib_module_names))})(\..*)?"),
    ("py:.*", r"attrs?\..*"),
    ("py:class", r"rooms\.planning\.catchup\.Entry"),  # a type variable
    # What only the library hands to its own values: nobody outside makes one.
    ("py:class", r"(rooms\.log\.(events|state)\.)?(Desk|Fact|Seat|Whose)"),
    (
        "py:class",
        r"rooms\.aio\.(calls\.[PR]|lobby\.[PR]|lobby\.Opening|worker\.Worker)",
    ),
    ("py:class", r"(mcp\.server\.)?Server"),  # of an extra
    ("py:.*", r"hypothesis\..*"),  # of an extra
    ("py:class", r"Random"),  # of the standard library, for annotations alone
    ("py:class", r"timedelta"),  # in a signature that is kept as text
]
