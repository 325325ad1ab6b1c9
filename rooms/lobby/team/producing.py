"""
Producing: a member says what it works on, and hands in what came of it.

Law: a content is stored with the record that names it, in one commit; who made it is
whoever acts (S-ARTIFACT-03).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms import values
from rooms.errors import CorruptLog, InvalidInput, NotFound
from rooms.lobby.team.acting import Acting
from rooms.lobby.team.records import event_at, fact_at
from rooms.log.events import Event
from rooms.log.produced import ArtifactState, WorkItemState
from rooms.log.records import record_id, room_of_record
from rooms.log.state import RoomState
from rooms.log.team import ArtifactPublished, WorkUpdated, producing, team_of
from rooms.log.team_state import MemberState
from rooms.team.artifacts import (
    check_artifact,
    check_note,
    check_notes,
    check_status,
    check_title,
)
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "Artifact",
    "Producing",
    "WorkItem",
    "artifact_told",
    "artifacts_of",
    "content_of",
    "work_items_of",
    "work_told",
]

_MOST_DEPENDENCIES = 200


@frozen
class WorkItem:
    """
    A piece of work.

    Attributes:
        id: Its id.
        title: What it is.
        status: How it stands, in free form; at `done` and `cancelled` it is over.
        owner: The key of the member that has it; None for nobody.
        notes: What is to be known of it.
        depends_on: The ids of what has to be done before.
        artifacts: The ids of what came of it.
        at: When it was last changed, UTC.
    """

    id: str
    title: str
    status: str = "open"
    owner: str | None = None
    notes: str = ""
    depends_on: tuple[str, ...] = ()
    artifacts: tuple[str, ...] = ()
    at: datetime | None = None


@frozen
class Artifact:
    """
    Something that came of a team's work.

    Attributes:
        id: Its id.
        kind: What it is, see `rooms.team.artifacts.KINDS`.
        title: What it is called.
        member: The key of the member that made it.
        ref: Where it is, as its maker said; "" where only its content is here.
        size: The bytes of its content; 0 where none is stored.
        work: The id of the work that it belongs to, or None.
        about: The keys of the members that a decision is about; all where empty.
        at: When it was handed in, UTC.
    """

    id: str
    kind: str
    title: str
    member: str
    ref: str = ""
    size: int = 0
    work: str | None = None
    about: tuple[str, ...] = ()
    at: datetime | None = None


class Producing(Acting):
    """What a member does with work, and with what comes of it."""

    __slots__ = ()

    @property
    def work(self) -> tuple[WorkItem, ...]:
        """All the work of the team, in the order in which it was made."""
        return self._seen(lambda state, _: work_items_of(self._desk, state))

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """What came of the team's work, the oldest first."""
        return self._seen(lambda state, _: artifacts_of(self._desk, state))

    def update_work(
        self,
        work: str | WorkItem | None = None,
        *,
        title: str | None = None,
        status: str | None = None,
        notes: str | None = None,
        owner: str | None = None,
        depends_on: Iterable[str | WorkItem] | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> WorkItem:
        """
        Makes a piece of work, or says how one is by now; what is None stays.

        Args:
            work: The piece, or its id; None makes one.
            title: What it is; 120 characters of it are kept.
            status: How it stands, at most 40 characters; `open` for a new one. At
                `done` and `cancelled` it is over.
            notes: What is to be known, at most 1,000 characters.
            owner: The key of the member that has it, "" for nobody; oneself for a new
                one.
            depends_on: What has to be done before.
            request_id: The same request again returns the same piece.
            now: The instant; the lobby's clock unless given.

        Raises:
            InvalidInput: `invalid_request` for a new one without a title, and for work
                that depends on itself.
            NotFound: `unknown_work`, also for what it depends on; `unknown_member`.
            NotAllowed: `lead_only` where anybody else puts work on another member.
            OverLimit: `too_many` beyond 200 of a team.
            IdempotencyConflict: `idempotency_conflict`.

        Source: S-ARTIFACT-05, S-CONDUCTOR-08.
        """
        room = self.room.id
        item = 0 if work is None else _version_of(room, work)
        given: dict[str, Any] = {"owner": owner}
        if title is not None or not item:
            given["title"] = check_title("" if title is None else title)
        if status is not None:
            given["status"] = check_status(status)
        if notes is not None:
            given["notes"] = check_notes(notes)
        if owner is not None:
            values.storable("owner", owner)
        depends = None
        if depends_on is not None:
            depends = _versions_of(room, depends_on)
        request = self._request("work", request_id, item, given, depends)

        def decide(state: RoomState, by: MemberState, _: int) -> Sequence[Event]:
            said = {"title": "", "status": "open", "notes": ""}
            if item:
                newest = producing.work_of(team_of(state), item).newest
                before = event_at(self._desk, room, newest, WorkUpdated)
                said = {name: getattr(before, name) for name in said}
            return producing.update_work(
                state, by, work=item, depends=depends, **(said | given)
            )

        facts = self._acts(decide, now=now, request=request)
        changed = next(one for one in facts if isinstance(one.event, WorkUpdated))
        with self._desk.lock:
            team = team_of(self._desk.room(room))
            made = producing.work_of(team, item or changed.version)
            return work_told(self._desk, room, made, team.produced.artifacts.values())

    def publish_artifact(
        self,
        kind: str,
        title: str,
        *,
        content: str | None = None,
        ref: str = "",
        work: str | WorkItem | None = None,
        about: Iterable[str] = (),
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Artifact:
        """
        Hands in something that came of the work; who made it is whoever acts.

        Args:
            kind: What it is: `plan`, `decision`, `branch`, `commit`, `patch`,
                `test_result`, `review`, `report`, `pull_request` or `final_answer`.
            title: What it is called; 120 characters of it are kept.
            content: What it says, at most 256 KiB; it is stored.
            ref: Where it is, such as a branch or a URL. One of the two has to be there.
            work: The piece of work that it belongs to, or its id.
            about: The keys of the members that a decision is about; all where empty.
            request_id: The same request again returns the same artifact.
            now: The instant; the lobby's clock unless given.

        Raises:
            InvalidInput: `invalid_request`.
            NotFound: `unknown_work`, `unknown_member`.
            OverLimit: `too_large`; `too_many` beyond 200 of a team.
            IdempotencyConflict: `idempotency_conflict`.

        Source: S-ARTIFACT-01 to S-ARTIFACT-06.
        """
        draft = check_artifact(kind, title, content, ref)
        item = 0 if work is None else _version_of(self.room.id, work)
        named = values.names("about", about)
        keys = tuple(values.storable("about", one) for one in dict.fromkeys(named))
        stored = draft.content
        digest = "" if stored is None else sha256(stored).hexdigest()
        asked = [draft.kind, draft.title, digest, draft.ref, item, keys]
        request = self._request("artifact", request_id, *asked)
        keep = None
        if stored is not None:
            keep = partial(self._desk.storage.put_blob, (stored,))

        def decide(state: RoomState, by: MemberState, _: int) -> Sequence[Event]:
            return producing.publish(state, by, draft, digest, work=item, about=keys)

        facts = self._acts(decide, now=now, request=request, keep=keep)
        made = next(one for one in facts if isinstance(one.event, ArtifactPublished))
        with self._desk.lock:
            found = team_of(self._desk.room(self.room.id))
            artifact = producing.artifact_of(found, made.version)
            return artifact_told(self._desk, self.room.id, artifact)

    def read_artifact(self, artifact: str | Artifact) -> str:
        """
        What an artifact says; "" where only its `ref` is here.

        Raises:
            NotFound: `unknown_artifact`.
        """
        return self._seen(lambda state, _: content_of(self._desk, state, artifact))

    def publish_note(self, text: str, *, now: datetime | None = None) -> None:
        """
        Puts a note of at most 500 characters beside the brief; "" takes it away.

        Raises:
            NotAllowed: `lead_only`.

        Source: S-BRIEF-04.
        """
        note = check_note(text)
        self._acts(lambda state, by, _: producing.note(state, by, note), now=now)


def _version_of(room: str, given: Any) -> int:
    """The version of a record, by its id; one of another room is 0, which is none."""
    named = values.text("id", getattr(given, "id", given), empty=False)
    _, _, digits = named.rpartition(".")
    known = room_of_record(named) == room and digits.isascii() and digits.isdecimal()
    version = int(digits) if known and len(digits) <= _DIGITS else 0
    if not version:
        raise NotFound("unknown_work", "the team has no work of that id")
    return version


_DIGITS = 18  # of a version


def _versions_of(room: str, given: Any) -> tuple[int, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise InvalidInput("depends_on", f"is of type {kind}", allowed="several ids")
    found: list[int] = []
    for one in given:
        if len(found) == _MOST_DEPENDENCIES:
            raise InvalidInput(
                "depends_on", "are too many", allowed=f"at most {_MOST_DEPENDENCIES}"
            )
        found.append(_version_of(room, one))
    return tuple(found)


def work_items_of(desk: Desk, state: RoomState) -> tuple[WorkItem, ...]:
    """All the work of a team, in the order in which it was made."""
    produced = team_of(state).produced
    artifacts = produced.artifacts.values()
    return tuple(
        work_told(desk, state.id, one, artifacts) for one in produced.work.values()
    )


def work_told(
    desk: Desk, room: str, item: WorkItemState, artifacts: Iterable[ArtifactState]
) -> WorkItem:
    """A piece of work, in words."""
    fact = fact_at(desk, room, item.newest)
    said = event_at(desk, room, item.newest, WorkUpdated)
    return WorkItem(
        record_id(room, item.version),
        said.title,
        said.status,
        item.owner or None,
        said.notes,
        tuple(record_id(room, one) for one in item.depends),
        tuple(
            record_id(room, one.version)
            for one in artifacts
            if one.work == item.version
        ),
        moment(fact.at),
    )


def artifacts_of(desk: Desk, state: RoomState) -> tuple[Artifact, ...]:
    """What came of a team's work, the oldest first."""
    found = team_of(state).produced.artifacts.values()
    return tuple(artifact_told(desk, state.id, one) for one in found)


def artifact_told(desk: Desk, room: str, artifact: ArtifactState) -> Artifact:
    """An artifact, in words."""
    fact = fact_at(desk, room, artifact.version)
    said = event_at(desk, room, artifact.version, ArtifactPublished)
    return Artifact(
        record_id(room, artifact.version),
        artifact.kind,
        said.title,
        artifact.key,
        said.ref,
        said.size,
        record_id(room, artifact.work) if artifact.work else None,
        artifact.about,
        moment(fact.at),
    )


def content_of(desk: Desk, state: RoomState, artifact: str | Artifact) -> str:
    """What an artifact of a team says."""
    try:
        version = _version_of(state.id, artifact)
    except NotFound:
        version = 0
    found = producing.artifact_of(team_of(state), version)
    said = event_at(desk, state.id, found.version, ArtifactPublished)
    if not said.content:
        return ""
    try:
        return b"".join(desk.storage.blob(said.content)).decode()
    except NotFound as gone:
        where = f"the content of {record_id(state.id, version)}"
        raise CorruptLog("corrupt_log", f"{where} is missing", where=where) from gone
