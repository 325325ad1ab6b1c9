"""
How a run shows itself: text, HTML with its pictures, and a fence of mermaid.

Law: every form says the same of the run, and the plainest is enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

from rooms import values
from rooms.simulation.pictures.canvas import legible
from rooms.simulation.pictures.costs import costs
from rooms.simulation.pictures.graph import graph, pairs
from rooms.simulation.pictures.timeline import timeline
from rooms.simulation.pictures.windows import windows

if TYPE_CHECKING:
    from rooms.simulation.run import Run

__all__ = ["PICTURES", "bundled", "drawn", "mermaid"]

PICTURES = ("timeline", "graph", "windows", "costs")
"""The pictures of a run; the last one is of teams."""

_MOST_PAIRS = 200
_CAPTION = '<figcaption style="white-space:pre-wrap">'


def drawn(run: Run, picture: str) -> str:
    """
    A picture of a run, as SVG.

    Raises:
        InvalidInput: `invalid_request` for another picture.
    """
    values.member("picture", picture, PICTURES)
    first, last = run.scenario.begins, max(run.ended, run.scenario.begins)
    if picture == "graph":
        return graph(run.chronicle)
    if picture == "costs":
        limits = {room: team.limits for room, team in run.teams.items()}
        return costs(run.chronicle, limits, first, last)
    if picture == "windows":
        return windows(run.chronicle, run.scenario.policy.wake_window, first, last)
    return timeline(run.chronicle, first, last)


def mermaid(run: Run) -> str:
    """Who woke whom, as a fence of mermaid for Markdown."""
    counted = pairs(run.chronicle)
    names: dict[str, str] = {}
    for pair in counted:
        for name in pair:
            names.setdefault(name, f"n{len(names)}")
    lines = [f'  {key}["{_quoted(name)}"]' for name, key in names.items()]
    shown = list(counted.items())[:_MOST_PAIRS]
    lines += [
        f"  {names[one]} -->|{often}| {names[other]}" for (one, other), often in shown
    ]
    return "\n".join(["```mermaid", "graph LR", *lines, "```"])


def bundled(run: Run) -> Mapping[str, str]:
    """The forms of a run by their media types, as a notebook asks for them."""
    told = escape(repr(run))
    shown = [one for one in PICTURES if one != "costs" or run.records("usage")]
    pictures = "".join(f"<div>{drawn(run, one)}</div>" for one in shown)
    return {
        "text/plain": repr(run),
        "text/html": f"<figure>{_CAPTION}{told}</figcaption>{pictures}</figure>",
        "text/markdown": mermaid(run),
    }


def _quoted(name: str) -> str:
    """A name in quotes of mermaid, which reads its own entities in them."""
    return "".join(_ENTITIES.get(sign, sign) for sign in legible(name))


_ENTITIES = {sign: f"#{ord(sign)};" for sign in "#&<>\"'`\\"}
