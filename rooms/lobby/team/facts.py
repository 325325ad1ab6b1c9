"""What a team is, for its person: where it stands, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput, NotFound
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.room import Room
from rooms.lobby.team.asking import questions_of
from rooms.lobby.team.authority import Word, word_on
from rooms.lobby.team.briefing import Brief, brief_of
from rooms.lobby.team.claiming import Claim, claims_of
from rooms.lobby.team.producing import (
    Artifact,
    WorkItem,
    artifacts_of,
    content_of,
    work_items_of,
)
from rooms.lobby.team.records import blueprint_of, problem_of, proposal_of
from rooms.lobby.team.stepping import step
from rooms.lobby.team.using import usage_of
from rooms.lobby.team.values import (
    Approval,
    Question,
    Standing,
    TeamMember,
    TimelineEntry,
    Usage,
)
from rooms.lobby.team.viewing import approvals_of, members_of, standing_of, timeline_of
from rooms.log.events import Event
from rooms.log.records import record_named
from rooms.log.state import RoomState
from rooms.log.team.standing import team_of
from rooms.team import Blueprint, Catalogue, Proposal, TeamLimits

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["TeamFacts", "version_of"]

_LATEST = 2**62


@frozen
class TeamFacts:
    """What a team is."""

    room: Room
    catalogue: Catalogue = field(repr=False, eq=False)
    _by: Any = field(repr=False, eq=False)
    _desk: Desk = field(repr=False, eq=False)

    @property
    def standing(self) -> Standing:
        """Where it stands, and why, or why its result was not taken in the end."""
        with self._desk.lock:
            return standing_of(self._desk, self._state())

    @property
    def status(self) -> str:
        """Its status, see `rooms.team.TeamStatus`."""
        with self._desk.lock:
            return team_of(self._state()).status

    @property
    def problem(self) -> str:
        """The problem, word for word."""
        with self._desk.lock:
            return problem_of(self._desk, self._state())

    @property
    def blueprint(self) -> Blueprint:
        """What it is to be, as it was drafted last."""
        with self._desk.lock:
            return blueprint_of(self._desk, self._state())

    @property
    def proposal(self) -> Proposal:
        """What the person approves, with size, time, cost, access and warnings."""
        with self._desk.lock:
            return proposal_of(self._desk, self._state(), self.catalogue)

    @property
    def limits(self) -> TeamLimits:
        """Its ceilings, as they are by now."""
        with self._desk.lock:
            return team_of(self._state()).limits

    @property
    def members(self) -> tuple[TeamMember, ...]:
        """Its members, in the order of the blueprint."""
        with self._desk.lock:
            return members_of(self._desk, self._state())

    @property
    def approvals(self) -> tuple[Approval, ...]:
        """What waits for the person's answer, and what was approved and not used."""
        with self._desk.lock:
            return approvals_of(self._desk, self._state())

    @property
    def claims(self) -> tuple[Claim, ...]:
        """What its members claim now."""
        with self._desk.lock:
            return claims_of(self._desk, self._state())

    @property
    def released_claims(self) -> tuple[Claim, ...]:
        """What they claimed and do no more, the oldest first; 200 are kept."""
        with self._desk.lock:
            return claims_of(self._desk, self._state(), released=True)

    @property
    def work(self) -> tuple[WorkItem, ...]:
        """All its work, in the order in which it was made."""
        with self._desk.lock:
            return work_items_of(self._desk, self._state())

    @property
    def artifacts(self) -> tuple[Artifact, ...]:
        """What came of its work, the oldest first."""
        with self._desk.lock:
            return artifacts_of(self._desk, self._state())

    @property
    def brief(self) -> Brief:
        """What it is about, where it stands, and what is open; all of it."""
        with self._desk.lock:
            return brief_of(self._desk, self._state(), None)

    def read_artifact(self, artifact: str | Artifact) -> str:
        """
        What an artifact says; "" where only its `ref` is here.

        Raises:
            NotFound: `unknown_artifact`.
        """
        self._word("read_artifact")
        with self._desk.lock:
            return content_of(self._desk, self._state(), artifact)

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions of its members that nobody has answered, the oldest first."""
        with self._desk.lock:
            return questions_of(self._desk, self._state())

    @property
    def usage(self) -> Usage:
        """The cost, the tokens, the turns and the working time that it has used."""
        with self._desk.lock:
            return usage_of(self._state(), self._desk.time(None))

    def timeline(
        self, *, limit: int = 100, before: TimelineEntry | None = None
    ) -> tuple[TimelineEntry, ...]:
        """
        What happened, the newest first, at most 100; `before` pages on to older ones.

        Source: S-SURFACE-07.
        """
        self._word("timeline")
        after: Any = before
        if after is not None and not isinstance(after, TimelineEntry):
            kind = type(after).__name__
            raise InvalidInput("before", f"is of type {kind}", allowed="an entry of it")
        first = _LATEST if before is None else version_of(self.room.id, before.id)
        with self._desk.lock:
            latest = self._state().version + 1
            return timeline_of(
                self._desk, self.room.id, limit=limit, before=min(first, latest)
            )

    def _step(
        self,
        action: str,
        decide: Callable[[RoomState], list[Event]],
        *,
        asked: Sequence[Any],
        request_id: str | None,
        now: datetime | None,
    ) -> Standing:
        word = self._word(action)
        digest = fingerprint(self.room.id, action, *asked)
        step(
            self._desk,
            self.room.id,
            decide,
            by=word.actor,
            now=now,
            request=Request.of(word.actor, action, request_id, digest),
            consents=word.consents,
        )
        return self.standing

    def _word(self, action: str) -> Word:
        return word_on(self._desk, self.room.id, self._by, action=action)

    def _state(self) -> RoomState:
        return self._desk.room(self.room.id)


def version_of(room: str, given: Any) -> int:
    """
    The version of a record of this room, by its id.

    Raises:
        NotFound: `unknown_approval` for what is none of it.
    """
    version = record_named(room, values.text("id", given, empty=False))
    if not version:
        raise NotFound("unknown_approval", "nothing of that id waits for an answer")
    return version
