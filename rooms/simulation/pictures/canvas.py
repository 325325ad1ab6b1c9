"""
A canvas for SVG: elements in order, in one style, each text measured before it is put.

Two laws. Text is escaped by the writer of XML, and what no XML can hold is shown as its
escape. And nothing is put outside the frame: a text that is too long is cut, with its
whole words in the title.
"""

from __future__ import annotations

from typing import Any
from xml.etree.ElementTree import Element, SubElement, tostring

__all__ = ["CHAR", "FONT", "LINE", "Canvas", "cut", "legible"]

FONT = 12
"""The size of text, in user units (pixels unless scaled)."""

CHAR = 7.3
"""The width that a sign of the monospaced text takes at most."""

LINE = 18
"""From one line of text to the next."""

_STYLE = """
.rooms{--ink:#1f2328;--soft:#6e7781;--line:#d0d7de;--paper:#ffffff;--a:#0969da;
--b:#bc4c00;--c:#1a7f37;--d:#8250df;--bad:#cf222e;background:var(--paper)}
@media (prefers-color-scheme:dark){.rooms{--ink:#e6edf3;--soft:#9198a1;--line:#3d444d;
--paper:#0d1117;--a:#4493f8;--b:#f0883e;--c:#3fb950;--d:#ab7df8;--bad:#f85149}}
.rooms text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",
monospace;fill:var(--ink)}
.rooms .soft{fill:var(--soft)}.rooms .rule{stroke:var(--line);stroke-width:1}
.rooms .frame{fill:var(--paper)}
.rooms .turn{fill:var(--a);fill-opacity:.35;stroke:var(--a)}
.rooms .raised{fill:var(--bad);fill-opacity:.3;stroke:var(--bad)}
.rooms .open{fill:var(--a);fill-opacity:.15;stroke:var(--a);stroke-dasharray:3 2}
.rooms .post{fill:var(--ink)}
.rooms .wake{fill:var(--c)}
.rooms .hold{stroke:var(--b);stroke-width:2;stroke-dasharray:4 3;fill:none}
.rooms .release{fill:var(--b)}
.rooms .digest{stroke:var(--d);stroke-width:2;stroke-dasharray:1 3;fill:none}
.rooms .told{fill:var(--d)}
.rooms .edge{stroke:var(--a);fill:none}.rooms .tip{fill:var(--a)}
.rooms .node{fill:var(--paper);stroke:var(--ink)}
.rooms .step{stroke:var(--a);stroke-width:1.5;fill:none}
.rooms .limit{stroke:var(--bad);stroke-dasharray:5 3}
"""


def legible(text: str) -> str:
    """Text without what XML cannot hold and without what turns its direction."""
    return "".join(
        sign if sign.isprintable() else sign.encode("unicode_escape").decode()
        for sign in text.encode("utf-8", "backslashreplace").decode()
    )


def cut(text: str, width: float) -> str:
    """Text that is not wider, cut with an ellipsis; signs of East Asia count twice."""
    room = int(width / CHAR)
    shown = legible(text)
    if _signs(shown) <= room:
        return shown
    while shown and _signs(shown) > room - 1:
        shown = shown[:-1]
    return f"{shown}…" if room else ""


def _signs(text: str) -> int:
    return sum(2 if ord(sign) >= 0x1100 else 1 for sign in text)


class Canvas:
    """
    An SVG of a size that is known at the end.

    Attributes:
        width: In user units.
        height: As far as anything was put.
    """

    def __init__(self, width: float, label: str) -> None:
        self.width, self.height = width, 0.0
        self._root = Element("svg", {"xmlns": "http://www.w3.org/2000/svg"})
        self._root.set("class", "rooms")
        self._root.set("role", "img")
        SubElement(self._root, "title").text = legible(label)
        SubElement(self._root, "style").text = _STYLE
        self._frame = self._add("rect", "frame", x=0, y=0)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        *,
        width: float,
        style: str = "",
        anchor: str = "start",
    ) -> None:
        """Puts words on a line, cut to a width; their whole stands in its title."""
        shown = cut(words, width)
        element = self._add("text", style, x=x, y=y, text_anchor=anchor)
        element.text = shown
        if shown != words:
            SubElement(element, "title").text = legible(words)
        self.reach(y + FONT / 2)

    def rect(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        style: str,
        *,
        told: str = "",
    ) -> None:
        """Puts a bar."""
        bar = self._add("rect", style, x=x, y=y, width=width, height=height, rx=2)
        self._tell(bar, told)
        self.reach(y + height)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, style: str, *, told: str = ""
    ) -> None:
        """Puts a line."""
        self._tell(self._add("line", style, x1=x1, y1=y1, x2=x2, y2=y2), told)
        self.reach(max(y1, y2))

    def dot(self, x: float, y: float, radius: float, style: str, *told: str) -> None:
        """Puts a dot; what it tells is a line each."""
        self._tell(self._add("circle", style, cx=x, cy=y, r=radius), *told)
        self.reach(y + radius)

    def path(self, drawn: str, style: str, *, told: str = "", **more: Any) -> None:
        """Puts a path, in the words of SVG."""
        self._tell(self._add("path", style, d=drawn, **more), told)

    def reach(self, y: float) -> None:
        """Lets the picture be at least so high."""
        self.height = max(self.height, y)

    def finished(self, *, below: float = 8) -> str:
        """The picture, with so much room below."""
        height = self.height + below
        size = {"width": _number(self.width), "height": _number(height)}
        self._root.set("viewBox", f"0 0 {size['width']} {size['height']}")
        for name, value in size.items():
            self._root.set(name, value)
            self._frame.set(name, value)
        return tostring(self._root, encoding="unicode")

    def _add(self, kind: str, style: str, **attributes: Any) -> Element:
        element = SubElement(self._root, kind)
        if style:
            element.set("class", style)
        for name, value in attributes.items():
            written = value if isinstance(value, str) else _number(value)
            element.set(name.replace("_", "-"), written)
        return element

    def _tell(self, element: Element, *told: str) -> None:
        if any(told):
            SubElement(element, "title").text = "\n".join(map(legible, told))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")
