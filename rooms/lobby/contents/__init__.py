"""
Contents: what files say, handed in before the message that carries it, and how much of
it a lobby holds.

Law: who hands a content in has it, and who merely knows its digest does not (L-ATT-05).
"""

from __future__ import annotations

from rooms.lobby.contents.handle import Contents
from rooms.lobby.contents.values import KeptContent, KeptContents, Uploaded, Usage

__all__ = ["Contents", "KeptContent", "KeptContents", "Uploaded", "Usage"]
