"""
Pictures of a run, as SVG that stands alone: a timeline, who woke whom, rate windows.

Three laws. A picture shows rows of the log and invents none. Whatever somebody worded
is text in it, never markup. And it is read in light and in dark, offline: nothing in it
is fetched, and nothing runs.
"""

from rooms.simulation.pictures.display import PICTURES, bundled, drawn, mermaid

__all__ = ["PICTURES", "bundled", "drawn", "mermaid"]
