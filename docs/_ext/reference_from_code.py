"""
The parts of the reference that are made from the code, so that they cannot be stale.

`rooms-errors` lists `rooms.errors.CODES`; `rooms-names` lists what `import rooms`
offers, each name with its first sentence and a link to its entry; `rooms-hearing` shows
which rule of hearing applies to each subscription and tag; `rooms-events` lists the
events that a log may hold; `rooms-tools` the tools that an agent is offered;
`rooms-options` what each preset sets; `rooms-constants` those names of a part that are
no class and no function.
"""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import public
from docutils import nodes
from docutils.statemachine import StringList
from options import options
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

import rooms
from rooms.errors import CODES
from rooms.hearing import RULES, Mode, Subscription, Tag, hear
from rooms.log import agents, auditing, directory, folding
from rooms.log.events import registered
from rooms.tools.catalogue import TOOLS

if TYPE_CHECKING:
    from docutils.parsers.rst import Directive
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

DECLARING = (
    agents,
    auditing,
    directory,
    folding,
)  # loaded, so all events are registered


class Errors(SphinxDirective):
    """A section for each code: its meaning, its remedy, its HTTP class."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Build the sections, in the order of the codes."""
        sections: list[nodes.Node] = []
        for code, said in sorted(CODES.items()):
            section = nodes.section(ids=[code.replace("_", "-")], names=[code])
            section += nodes.title("", "", nodes.literal(text=code))
            section += nodes.paragraph("", "", *self.parse_inline(said.meaning)[0])
            remedy = nodes.paragraph("", "", nodes.strong(text="What to do: "))
            remedy += self.parse_inline(said.remedy)[0]
            section += remedy
            section += nodes.paragraph("", f"HTTP class: {said.http}.")
            self.state.document.note_implicit_target(section, section)
            sections.append(section)
        return sections


class Names(SphinxDirective):
    """What `import rooms` offers, by the subpackage that holds it."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Build a definition list: the name, linked, and its first sentence."""
        names = nodes.definition_list()
        for name in sorted(rooms.__all__, key=str.lower):
            home = _documented_in(name)
            link = addnodes.pending_xref(
                "",
                nodes.literal(text=f"rooms.{name}"),
                refdomain="py",
                reftype="obj",
                reftarget=f"{home}.{name}",
                refwarn=True,
            )
            says = nodes.paragraph(
                "", "", *self.parse_inline(_first_sentence(getattr(rooms, name)))[0]
            )
            names += nodes.definition_list_item(
                "", nodes.term("", "", link), nodes.definition("", says)
            )
        return [names]


class Hearing(SphinxDirective):
    """What becomes of a message, for each subscription and tag, and by which rule."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Build the table by asking `hear` every question."""
        subscriptions: dict[str, Subscription | None] = {
            mode.value: Subscription(mode) for mode in Mode
        }
        subscriptions["digest, tagged_only"] = Subscription("digest", tagged_only=True)
        subscriptions["none"] = None
        sources = {rule.name: rule.source for rule in RULES}
        lines = [("subscription", *(f"tag: {tag.value}" for tag in Tag))]
        for name, subscription in sorted(subscriptions.items()):
            heard = [hear(subscription, tag) for tag in Tag]
            lines.append(
                (name, *(f"{h.as_ or 'not owed'} ({sources[h.rule]})" for h in heard))
            )
        return [_table(lines)]


class Tools(SphinxDirective):
    """Each tool of `rooms.tools`: what it is for, and what it takes."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Build the table, in the order of the catalogue."""
        lines = [("tool", "what it does", "what it takes")]
        for name, tool in TOOLS.items():
            takes = ", ".join(tool.record.listed()) or "nothing"
            lines.append((name, tool.summary, takes))
        return [_table(lines)]


class Options(SphinxDirective):
    """Each option of a room's policy, as it usually is and as each preset sets it."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Build the table, in the order of the policy."""
        return [_table(options())]


class Constants(SphinxDirective):
    """Those names of a part that are no class and no function: value and meaning."""

    required_arguments: ClassVar[int] = 1

    def run(self) -> list[nodes.Node]:
        """Build an entry each; those made in the part itself are autodoc's."""
        lines: list[str] = []
        [part] = self.arguments
        for name, value, words in public.constants(part):
            lines += [f".. py:data:: {name}", f"   :module: {part}"]
            lines += [f"   :value: {value}"] if value else []
            lines += ["", f"   {words}", ""]
        found = nodes.container()
        self.state.nested_parse(StringList(lines, source=part), 0, found)
        return found.children


class Events(SphinxDirective):
    """Each type of event: its schema, whether it is critical, and its fields."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """Build the table from the classes that are recorded."""
        lines: list[tuple[str, ...]] = [
            ("type", "schema", "critical", "in the header", "in the body")
        ]
        for name, kind in sorted(registered().items()):
            header, body = kind.fields()
            critical = "yes" if kind.CRITICAL else "no"
            told = (", ".join(header), ", ".join(body) or "-")
            lines.append((name, str(kind.SCHEMA), critical, *told))
        return [_table(lines)]


def _table(lines: list[tuple[str, ...]]) -> nodes.table:
    group = nodes.tgroup(cols=len(lines[0]))
    group += [nodes.colspec(colwidth=1) for _ in lines[0]]
    rows = [
        nodes.row("", *(nodes.entry("", nodes.paragraph(text=cell)) for cell in cells))
        for cells in lines
    ]
    group += [nodes.thead("", rows[0]), nodes.tbody("", *rows[1:])]
    return nodes.table("", group)


def _documented_in(name: str) -> str:
    """The public module behind a name: `rooms.planning`, not the file in it."""
    return rooms._HOME[name]  # noqa: SLF001 - the table that says so


def _first_sentence(value: Any) -> str:
    paragraph = (inspect.getdoc(value) or "").split("\n\n", 1)[0]
    return " ".join(paragraph.split())


def resolve_to_public(
    app: Sphinx, env: BuildEnvironment, node: addnodes.pending_xref, text: nodes.Element
) -> nodes.Element | None:
    """A link to `rooms.planning.events.Event` leads to `rooms.planning.Event`."""
    if node.get("refdomain") != "py":
        return None
    *home, name = node["reftarget"].split(".")
    known = env.domains["py"].objects
    candidates = [".".join([*home[:size], name]) for size in range(len(home), 0, -1)]
    if not home:  # a bare name in an annotation
        candidates = [full for full in known if full.rpartition(".")[2] == name]
    for full in candidates:
        if full in known:
            found = known[full]
            return make_refnode(
                app.builder, node["refdoc"], found.docname, found.node_id, text
            )
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives and the resolver, and load what is loaded when it is used."""
    for part in public.parts():  # autodoc sees no name that nobody asked for
        vars(import_module(part)).update(public.names(part))
    directives: dict[str, type[Directive]] = {
        "rooms-errors": Errors,
        "rooms-names": Names,
        "rooms-hearing": Hearing,
        "rooms-events": Events,
        "rooms-tools": Tools,
        "rooms-options": Options,
        "rooms-constants": Constants,
    }
    for name, directive in directives.items():
        app.add_directive(name, directive)
    app.connect("missing-reference", resolve_to_public)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
