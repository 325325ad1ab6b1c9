"""
Contents: what a record names by its SHA-256 and a storage keeps beside the log.

Law: a content is there as long as a record that names it is, and no longer; so whoever
copies, deletes or checks a log asks here which ones those are.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import attrgetter

from rooms.log.documents import DocumentChanged
from rooms.log.events import Event

__all__ = ["NAMING", "content_of"]

_CONTENT = attrgetter("content")
NAMING: Mapping[str, type[Event]] = {DocumentChanged.TYPE: DocumentChanged}
"""The types of records that name a content."""


def content_of(event: Event) -> str:
    """The digest of the content that an event names; "" for none, or an erased one."""
    return str(_CONTENT(event)) if type(event) in _KINDS else ""


_KINDS = frozenset(NAMING.values())
