"""
Whether the reference is complete: asked of the built pages, so that it is no matter how
an entry came to be missing. The docs are built with warnings as errors.

Every name that is public has an entry; every hook has a function; every code has a
section; every event, option and tool has a row.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import public
from attrs import fields
from docutils import nodes
from sphinx.util import logging

import rooms
from rooms import testing
from rooms.errors import CODES
from rooms.hooks import HOOKS
from rooms.log.events import registered
from rooms.tools.catalogue import TOOLS

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_LOG = logging.getLogger(__name__)


def missing(env: BuildEnvironment) -> Iterable[str]:
    """What has no place in the reference, each in words."""
    entries = set(env.domains["py"].objects)
    homes = dict(rooms._HOME)  # noqa: SLF001 - the tables that say where names stand
    homes |= {
        name: f"rooms.testing.{home}"
        for name, home in testing._HOMES.items()  # noqa: SLF001
    }
    for part in ("rooms", *public.parts()):
        for name in public.names(part):
            at_home = f"{homes[name]}.{name}" if part in _LAZY else ""
            if not {f"{part}.{name}", at_home} & entries:
                yield f"{part}.{name} has no entry"
    for hook in HOOKS:
        if f"rooms.hooks.{hook}" not in entries:
            yield f"the hook {hook} has no entry"
    told = {
        ("errors", "code"): (_titles, CODES),
        ("log-format", "event"): (_rows, registered()),
        ("options", "option"): (_rows, [one.name for one in fields(rooms.RoomPolicy)]),
        ("api", "tool"): (_rows, TOOLS),
    }
    for (page, kind), (found, wanted) in told.items():
        there = found(env.get_doctree(f"reference/{page}"))
        for name in wanted:
            if name not in there:
                yield f"the {kind} {name} does not stand on {page}.md"


_LAZY = ("rooms", "rooms.testing")
"""They offer what stands in the reference under the part that it comes from."""


def _titles(page: Any) -> set[str]:
    return {title.astext() for title in page.findall(nodes.title)}


def _rows(page: Any) -> set[str]:
    return {row.children[0].astext() for row in page.findall(nodes.row)}


def check(_: Sphinx, env: BuildEnvironment) -> None:
    """Warns of each."""
    for problem in missing(env):
        _LOG.warning("%s", problem, type="rooms", subtype="missing")


def setup(app: Sphinx) -> dict[str, Any]:
    """Asks when all pages are read."""
    app.connect("env-check-consistency", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
