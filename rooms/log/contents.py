"""
Contents: what a record names by its SHA-256 and a storage keeps beside the log.

Law: a content is there as long as a record that names it is, and no longer; so whoever
copies, deletes or checks a log asks here which ones those are.
"""

from __future__ import annotations

from rooms.log.documents import DocumentChanged
from rooms.log.events import Event
from rooms.log.posting import MessagePosted, MessageScheduled
from rooms.log.records import Record
from rooms.log.schedules import ScheduleCreated
from rooms.log.team.producing import ArtifactPublished

__all__ = ["contents_of", "may_name_contents"]

_MESSAGES = frozenset({MessagePosted.TYPE, MessageScheduled.TYPE, ScheduleCreated.TYPE})
_ALONE = frozenset({DocumentChanged.TYPE, ArtifactPublished.TYPE})
_NAMED_BESIDE = b'"attachments":['  # never within a string, where a quote is escaped


def contents_of(event: Event) -> tuple[str, ...]:
    """The digests of the contents that an event names; none where it is erased."""
    if isinstance(event, MessagePosted | MessageScheduled | ScheduleCreated):
        return tuple(content for _, content in event.attachments)
    if isinstance(event, DocumentChanged | ArtifactPublished) and event.content:
        return (event.content,)
    return ()


def may_name_contents(record: Record) -> bool:
    """Whether a record is worth decoding for `contents_of`; most messages are not."""
    if record.type in _MESSAGES:
        return record.body is not None and _NAMED_BESIDE in record.body
    return record.type in _ALONE
