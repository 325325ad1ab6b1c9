"""
Documents, as the shell does it: written, removed, listed and read.

Two laws. What may be changed, by whom and from which revision is decided by
`rooms.log.documents` alone. And a content is stored with the record that names it, in
one commit, so neither is ever there without the other.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Literal, cast

from rooms import values
from rooms.errors import CorruptLog, InvalidInput, NotFound
from rooms.lobby.access.gate import check, enter, still, watch
from rooms.lobby.files.values import File, History, Revision
from rooms.lobby.handles import Conversation, Person, actor_of
from rooms.lobby.messages import fact_of
from rooms.lobby.reading import noticed
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.recording.streams import room_stream
from rooms.log import documents
from rooms.log.actors import Actor
from rooms.log.documents import DocumentChanged
from rooms.log.events import Event, Fact
from rooms.log.path_keys import path_key
from rooms.log.records import record_id
from rooms.log.state import RoomState
from rooms.paths import check_path
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "change_at",
    "content_of_change",
    "document_of",
    "history",
    "listed",
    "read_document",
    "remove",
    "revision_of",
    "write",
]

_MOST = 1_000
_LONGEST_ID = 256


def write(
    desk: Desk,
    room: str,
    path: str,
    content: str,
    *,
    by: Any,
    base: str | Revision | None,
    request_id: str | None,
    now: datetime | None,
) -> Revision:
    """As `Files.write`, which documents it."""
    actor = actor_of(by, desk)
    documents.check_document_path(path)
    written = documents.check_text(content)
    if base is not None:
        base = _revision_meant(base)
    digest = sha256(written).hexdigest()
    draft = documents.Draft(path, digest, len(written))
    asked = fingerprint(room, "write", path, digest, base)
    request = Request.of(actor, "document", request_id, asked)

    def decide(state: RoomState) -> list[Event]:
        same = _content(desk, state, path) == digest
        return documents.write(state, draft, base=base, same=same, by=actor)

    keep = partial(desk.storage.put_blob, (written,))
    changed = _record(desk, room, decide, request, actor=actor, keep=keep, now=now)
    if changed is None:  # it says just that already
        return _current(desk, room, path)
    return changed


def remove(
    desk: Desk,
    room: str,
    path: str,
    *,
    by: Any,
    base: str | Revision,
    request_id: str | None,
    now: datetime | None,
) -> Revision:
    """As `Files.remove`, which documents it."""
    actor = actor_of(by, desk)
    documents.check_document_path(path)
    base = _revision_meant(base)
    asked = fingerprint(room, "remove", path, base)
    request = Request.of(actor, "document", request_id, asked)

    def decide(state: RoomState) -> list[Event]:
        return documents.remove(state, path, base=base, by=actor)

    removed = _record(desk, room, decide, request, actor=actor, keep=None, now=now)
    if removed is None:  # `remove` records or refuses
        raise _not_found(path)
    return removed


def _revision_meant(given: Any) -> str:
    """A revision's id, also where it is given itself; what can be none is refused."""
    base = given.id if isinstance(given, Revision) else given
    values.text("base", base, empty=False)
    values.storable("base", base)
    if len(base) > _LONGEST_ID:
        raise InvalidInput("base", "is no id", allowed="the id of a revision")
    return str(base)


def listed(
    desk: Desk, room: str, *, by: Any, now: datetime | None
) -> tuple[Revision, ...]:
    """As `Files.documents`, which documents it."""
    actor = actor_of(by, desk)
    desk.check_usable()
    sight = watch(desk, room, actor)
    with desk.lock:
        state = still(desk, sight, actor)
        found = [_fact(desk, room, version) for version in state.documents.values()]
    noticed(desk, sight, actor, "documents", now=now)
    revisions = [revision_of(desk, room, fact) for fact in found]
    return tuple(sorted(revisions, key=lambda one: one.path))


def history(
    desk: Desk,
    room: str,
    path: str | None,
    *,
    by: Any,
    before: str | None,
    limit: int,
    now: datetime | None,
) -> History:
    """As `Files.history`, which documents it."""
    if path is not None:
        check_path(path)
    values.whole_number("limit", limit, at_least=1, at_most=_MOST)
    actor = actor_of(by, desk)
    desk.check_usable()
    sight = watch(desk, room, actor)
    with desk.lock:
        still(desk, sight, actor)
        last = None if before is None else _cursor(desk, room, before)
        key = None if path is None else path_key(room, path)
        found = desk.filed.changes(room, key, before=last, limit=limit + 1)
        facts = [_fact(desk, room, version) for version in found[:limit]]
    noticed(desk, sight, actor, "documents", now=now)
    items = tuple(revision_of(desk, room, fact) for fact in facts)
    return History(items, items[-1].id if len(found) > limit else None)


def _cursor(desk: Desk, room: str, before: str) -> int:
    """The version that a cursor names: the id of a revision of this room."""
    fact = fact_of(desk, room, values.text("before", before))
    if fact is None or not isinstance(fact.event, DocumentChanged):
        raise InvalidInput(
            "before", "is no revision of this room", allowed="a next_cursor, or None"
        )
    return fact.version


def read_document(
    desk: Desk, room: str, path: str, revision: str | None
) -> File | None:
    """A document, whole; None where there is none of that path or revision."""
    if revision is None:
        version = desk.room(room).documents.get(path_key(room, path))
        fact = None if version is None else _fact(desk, room, version)
    else:
        fact = _named(desk, room, path, revision)
    if fact is None:
        return None
    event = _event(fact)
    content = "" if fact.erased else _content_bytes(desk, room, event.content).decode()
    known = revision_of(desk, room, fact)
    return File("document", path, event.size, content, known)


def change_at(desk: Desk, room: str, version: int) -> Fact:
    """The change of a document that a version of the room's stream is."""
    fact = _fact(desk, room, version)
    _event(fact)
    return fact


def document_of(fact: Fact) -> str:
    """The key of the document that a change is one of."""
    return _event(fact).document


def content_of_change(desk: Desk, room: str, fact: Fact) -> bytes | None:
    """What a document says after a change; None where it is removed, or erased."""
    digest = _event(fact).content
    return _content_bytes(desk, room, digest) if digest else None


def revision_of(desk: Desk, room: str, fact: Fact) -> Revision:
    """A recorded change as a value."""
    event = _event(fact)
    author: Conversation | Person = (
        Conversation(event.sender, event.author, desk)
        if event.sender
        else Person(event.author, desk)
    )
    at = moment(fact.at)
    if at is None:
        raise _corrupt(room, fact.version, "lies after all time")
    return Revision(
        record_id(room, fact.version),
        event.path,
        cast("Literal['created', 'changed', 'removed']", event.change),
        at,
        author,
        record_id(room, event.base) if event.base else None,
        event.size,
        fact.erased,
    )


def _record(
    desk: Desk,
    room: str,
    decide: Callable[[RoomState], list[Event]],
    request: Request,
    *,
    actor: Actor,
    keep: Callable[[], object] | None,
    now: datetime | None,
) -> Revision | None:
    """Records what is decided, or finds what the same request left before."""
    stream = room_stream(room)
    repeated: list[Fact] = []

    def decide_change(_: int) -> Decision:
        state = check(desk, room, actor)
        repeated[:] = request.answered(desk)
        if repeated:
            return Decision()
        events = decide(state)
        return Decision({stream: events}, add=request.keys, keep=keep)

    enter(desk, room, actor)
    committed = desk.record(decide_change, stream, by=actor, now=now)
    left = repeated if committed is None else committed.facts[stream]
    return revision_of(desk, room, left[-1]) if left else None


def _current(desk: Desk, room: str, path: str) -> Revision:
    with desk.lock:
        version = desk.room(room).documents.get(path_key(room, path))
        if version is None:
            raise _not_found(path)
        return revision_of(desk, room, _fact(desk, room, version))


def _content(desk: Desk, state: RoomState, path: str) -> str:
    """The digest of what a document says now; "" where there is none."""
    version = state.documents.get(path_key(state.id, path))
    return "" if version is None else _event(_fact(desk, state.id, version)).content


def _named(desk: Desk, room: str, path: str, revision: str) -> Fact | None:
    """The change that a revision's id names, if it is one of that document."""
    fact = fact_of(desk, room, values.text("revision", revision))
    if fact is None or not isinstance(fact.event, DocumentChanged):
        return None
    ours = fact.event.document == path_key(room, path)
    return fact if ours and fact.event.change != "removed" else None


def _content_bytes(desk: Desk, room: str, digest: str) -> bytes:
    try:
        return b"".join(desk.storage.blob(digest))
    except NotFound as gone:
        desk.streams.prove()  # it may have gone with its room
        desk.room(room)
        raise CorruptLog(
            "corrupt_log", f"a content of {room} is missing", where=room
        ) from gone


def _fact(desk: Desk, room: str, version: int) -> Fact:
    fact = desk.fact(room_stream(room), version)
    if fact is None:
        desk.streams.prove()
        desk.room(room)
        raise _corrupt(room, version, "is missing")
    return fact


def _event(fact: Fact) -> DocumentChanged:
    event = fact.event
    if not isinstance(event, DocumentChanged):
        raise NotFound("file_not_found", "the record is no change of a document")
    return event


def _corrupt(room: str, version: int, problem: str) -> CorruptLog:
    where = f"{room_stream(room)} {version}"
    return CorruptLog("corrupt_log", f"{where} {problem}", where=where)


def _not_found(path: str) -> NotFound:
    return NotFound("file_not_found", f"no file {path[:80]!a} is here", path=path)
