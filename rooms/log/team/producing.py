"""
Producing: the work that a team has, what comes of it, and the conductor's note.

Three laws. Who made something is read from who acts, and nobody hands in for another
(S-ARTIFACT-03). Only the conductor puts work on somebody else (S-CONDUCTOR-08). And the
note is the conductor's, beside what is computed and never within it (S-BRIEF-04).
"""

from __future__ import annotations

from collections.abc import Sequence

from rooms.errors import InvalidInput, NotFound, OverLimit
from rooms.log.events import Event, Fact, recorded
from rooms.log.produced import ArtifactState, WorkItemState
from rooms.log.state import RoomState
from rooms.log.team.changes import lead_only
from rooms.log.team.standing import check_living, unknown_member
from rooms.log.team_state import MemberState, TeamState
from rooms.team.artifacts import DECISION, DONE, MOST_ARTIFACTS, MOST_WORK, Draft

__all__ = [
    "ArtifactPublished",
    "NotePublished",
    "WorkUpdated",
    "artifact_of",
    "evolve",
    "note",
    "publish",
    "update_work",
    "work_of",
]


@recorded("artifact_published", body=("title", "ref", "content"))
class ArtifactPublished(Event):
    """
    Something came of the work.

    `content` is the SHA-256 of what it says, in hexadecimal, "" where it is elsewhere;
    `size` its bytes. `ref` is where it is outside.
    """

    key: str
    kind: str
    size: int = 0
    work: int = 0
    about: tuple[str, ...] = ()
    title: str = ""
    ref: str = ""
    content: str = ""


@recorded("work_updated", body=("title", "status", "notes"))
class WorkUpdated(Event):
    """
    How a piece of work is from here on; `work` is the record that made it, 0 for a new
    one. It says all of it, so that what stood before need not be read.
    """

    key: str
    work: int = 0
    owner: str = ""
    active: bool = True
    depends: tuple[int, ...] = ()
    title: str = ""
    status: str = ""
    notes: str = ""


@recorded("note_published", body=("text",))
class NotePublished(Event):
    """The conductor's note is another, or there is none any more."""

    key: str
    cleared: bool = False
    text: str = ""


def publish(
    room: RoomState,
    by: MemberState,
    draft: Draft,
    content: str,
    *,
    work: int = 0,
    about: tuple[str, ...] = (),
) -> list[Event]:
    """
    Hands in an artifact, as whoever acts; `content` is the digest of what it says.

    Raises:
        NotFound: `unknown_work`, `unknown_member` for whom a decision is about.
        InvalidInput: `invalid_request` for another kind that is about somebody.
        OverLimit: `too_many` beyond 200.
    """
    team = check_living(room)
    if work:
        work_of(team, work)
    if about and draft.kind != DECISION:
        raise InvalidInput("about", "is given", allowed="nobody, but for a decision")
    for key in about:
        if key not in team.members:
            raise unknown_member(key)
    if len(team.produced.artifacts) >= MOST_ARTIFACTS:
        raise _too_many("artifacts", MOST_ARTIFACTS)
    size = len(draft.content or b"")
    kind, title = draft.kind, draft.title
    return [
        ArtifactPublished(by.key, kind, size, work, about, title, draft.ref, content)
    ]


def update_work(
    room: RoomState,
    by: MemberState,
    *,
    work: int,
    owner: str | None,
    depends: Sequence[int] | None,
    title: str,
    status: str,
    notes: str,
) -> list[Event]:
    """
    A new piece of work, or how one is from here on.

    Args:
        room: The room.
        by: Who says so.
        work: The record that made it; 0 for a new one.
        owner: Who has it, "" for nobody; None for as it was, and oneself for a new one.
        depends: What has to be done before; None for as it was.
        title: What it is.
        status: How it stands, in free form.
        notes: What is to be known.

    Raises:
        NotFound: `unknown_work` for what it is, or depends on; `unknown_member`.
        NotAllowed: `lead_only` where anybody else puts work on another.
        InvalidInput: `invalid_request` for work that depends on itself.
        OverLimit: `too_many` beyond 200.
    """
    team = check_living(room)
    before = work_of(team, work) if work else None
    if before is None and len(team.produced.work) >= MOST_WORK:
        raise _too_many("pieces of work", MOST_WORK)
    known = tuple(dict.fromkeys(depends or ()))
    if depends is None and before is not None:
        known = before.depends
    for one in known:
        work_of(team, one)
        if one == work:
            raise InvalidInput("depends_on", "is itself", allowed="other work")
    had = by.key if before is None else before.owner
    has = had if owner is None else owner
    if has not in {"", by.key, had if before else by.key} and not by.lead:
        raise lead_only("assign_work")
    if has and has != had:
        member = team.members.get(has)
        if member is None or not member.present:
            raise unknown_member(has)
    return [
        WorkUpdated(by.key, work, has, status not in DONE, known, title, status, notes)
    ]


def note(room: RoomState, by: MemberState, text: str) -> list[Event]:
    """
    The conductor's note; nothing where there is none to clear.

    Raises:
        NotAllowed: `lead_only`.
    """
    team = check_living(room)
    if not by.lead:
        raise lead_only("publish_note")
    if not text and not team.produced.note:
        return []
    return [NotePublished(by.key, not text, text)]


def work_of(team: TeamState, work: int) -> WorkItemState:
    """
    A piece of work.

    Raises:
        NotFound: `unknown_work`.
    """
    found = team.produced.work.get(work)
    if found is None:
        raise NotFound("unknown_work", "the team has no work of that id")
    return found


def artifact_of(team: TeamState, artifact: int) -> ArtifactState:
    """
    An artifact.

    Raises:
        NotFound: `unknown_artifact`.
    """
    found = team.produced.artifacts.get(artifact)
    if found is None:
        raise NotFound("unknown_artifact", "the team has no artifact of that id")
    return found


def _too_many(what: str, most: int) -> OverLimit:
    return OverLimit("too_many", f"a team has at most {most} {what}", limit=most)


# -- folding


def evolve(room: RoomState, fact: Fact) -> bool:
    """Folds one fact in, if it is one of these."""
    event, team = fact.event, room.team
    if team is None or not isinstance(event, _EVENTS):
        return False
    produced = team.produced
    if isinstance(event, NotePublished):
        produced.note = 0 if event.cleared else fact.version
        return True
    if isinstance(event, ArtifactPublished):
        produced.artifacts[fact.version] = ArtifactState(
            fact.version, event.kind, event.key, event.work, event.about
        )
    else:
        made = event.work or fact.version
        produced.work[made] = WorkItemState(
            made, fact.version, event.owner, event.active, event.depends
        )
    team.note_progress(fact.at)
    return True


_EVENTS = (ArtifactPublished, WorkUpdated, NotePublished)
