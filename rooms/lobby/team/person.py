"""
The person's surface: teams are prepared, started, paused, ended and answered here.

Law: every call needs a person's own word, and a member of any team is refused, whatever
its turn says (S-SURFACE-01, S-APPROVE-01).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.errors import Conflict, InvalidInput, NotFound
from rooms.lobby.answers import Posted
from rooms.lobby.handles import Conversation, Person
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.room import Room
from rooms.lobby.team.asking import answer, questions_of
from rooms.lobby.team.authority import Word, persons_word, word_on
from rooms.lobby.team.briefing import Brief, brief_of
from rooms.lobby.team.claiming import Claim, claims_of
from rooms.lobby.team.ending import cancel, delete
from rooms.lobby.team.finishing import settle_completion
from rooms.lobby.team.preparing import adjust, prepare
from rooms.lobby.team.producing import (
    Artifact,
    WorkItem,
    artifacts_of,
    content_of,
    work_items_of,
)
from rooms.lobby.team.records import blueprint_of, problem_of, proposal_of
from rooms.lobby.team.starting import start
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
from rooms.lobby.team.viewing import (
    approvals_of,
    members_of,
    standing_of,
    timeline_of,
)
from rooms.log.events import Event
from rooms.log.records import record_named
from rooms.log.state import RoomState
from rooms.log.team import (
    ApprovalAsked,
    approvals,
    changes,
    check_living,
    lifecycle,
    questions,
)
from rooms.log.team.standing import team_of, unknown_member
from rooms.policy import RoomPolicy
from rooms.team import (
    Blueprint,
    Catalogue,
    Envelope,
    Planner,
    Proposal,
    Questions,
    StopReason,
    TeamLimits,
)

if TYPE_CHECKING:
    from rooms.lobby.access.owning import DeletedRoom
    from rooms.lobby.desk import Desk

__all__ = ["Team", "Teams", "version_of"]

_LATEST = 2**62


@frozen
class Teams:
    """
    A person's surface: makes teams, and finds them.

    Attributes:
        catalogue: What the host has: models, tools, skills; anything where it was not
            said.

    Every call raises `NotAllowed` with `person_required` for anybody who is no person
    and acts on no person's word, and for a member of any team that is not over; and
    `origin_room_mail` for a turn that a room message woke.
    """

    catalogue: Catalogue
    _by: Any = field(repr=False)
    _desk: Desk = field(repr=False, eq=False)

    def prepare(
        self,
        problem: str,
        plan: Planner | Blueprint,
        *,
        allow: Envelope | None = None,
        policy: RoomPolicy | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Team | Questions:
        """
        A draft for a problem; nothing is started or spent.

        Args:
            problem: What is to be done; it is kept word for word.
            plan: A blueprint, or whoever draws one: it is asked with the problem, may
                answer with `Questions`, and may repair a blueprint once.
            allow: What the person allows; the default limits unless given.
            policy: The room's options, `presets.team()` unless given.
            request_id: The same request again returns the same team.
            now: The instant; the lobby's clock unless given.

        Returns:
            The team, or what the planner has to know first. Nothing is kept of that;
            prepare again, with a problem that says it.

        Raises:
            InvalidInput: `invalid_request` for an empty problem; `invalid_blueprint`
                with all `faults`.

        Source: S-PROPOSAL-01, S-PROPOSAL-04, S-PROPOSAL-07.
        """
        word = persons_word(self._desk, self._by, action="prepare_team")
        made = prepare(
            self._desk,
            problem,
            plan,
            word=word,
            allow=allow,
            catalogue=self.catalogue,
            policy=policy,
            request_id=request_id,
            now=now,
        )
        return made if isinstance(made, Questions) else self.team(made)

    def team(self, room: str | Room) -> Team:
        """
        The team of a room, by the room or its id, also after a restart.

        Raises:
            NotFound: `room_not_found`, `team_not_found`.
            NotAllowed: `not_owner` for somebody else's, unless the host lets.
        """
        named = values.text("room", getattr(room, "id", room))
        word_on(self._desk, named, self._by, action="look")
        return Team(Room(named, self._desk), self.catalogue, self._by, self._desk)


@frozen
class Team:
    """
    A team, as the person who answers for it has it.

    Attributes:
        room: The room that it works in.
        catalogue: What the host has.

    Every call raises what `Teams` does, and `NotAllowed` with `not_owner` for somebody
    else's team; what moves it raises `Conflict` with `invalid_transition`, with the
    status that it met, or `room_finished` once it is over.
    """

    room: Room
    catalogue: Catalogue = field(repr=False, eq=False)
    _by: Any = field(repr=False, eq=False)
    _desk: Desk = field(repr=False, eq=False)

    # -- what it is

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

    # -- what it becomes

    def adjust(
        self,
        instruction: str,
        plan: Planner | Blueprint,
        *,
        now: datetime | None = None,
    ) -> Questions | None:
        """
        Changes the draft by an instruction, never above what was allowed.

        Args:
            instruction: How it should change, in plain words.
            plan: A blueprint, or whoever draws one, handed the draft and the
                instruction. Where it raises, or has questions, the draft stays.
            now: The instant; the lobby's clock unless given.

        Returns:
            What the planner has to know first; None where the draft is changed.

        Source: S-PROPOSAL-03.
        """
        word = self._word("adjust_team")
        return adjust(
            self._desk,
            self.room.id,
            instruction,
            plan,
            word=word,
            catalogue=self.catalogue,
            now=now,
        )

    def start(
        self,
        *,
        revision: str | None = None,
        approve: Callable[[Proposal], bool] | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Starts the draft: members are placed, the grant is given, the conductor opened,
        and told the problem.

        Args:
            revision: The `revision` of the proposal that the person saw; another draft
                is refused then.
            approve: Asks the person once more, when the members are placed; anything
                but True undoes the start. The call itself is the person's yes
                otherwise.
            request_id: The same request again starts nothing; without one, a team that
                is ready is started anew.
            now: The instant; the lobby's clock unless given.

        Returns:
            Where it stands then, `ready`; or `draft` again with the reason
            `no_workspace` or `approval_refused`; `paused` where the conductor cannot be
            opened.

        Raises:
            Conflict: `invalid_transition`; `stale_revision`; `no_chat` where the result
                should go to a chat that there is none of.
            NotFound: `agent_not_found` where a member's agent was not added.
            InvalidInput: `invalid_blueprint`, where the host has no longer what it
                needs.

        Source: S-PROPOSAL-11, S-PROPOSAL-12.
        """
        word = self._word("start_team")
        if revision is not None:
            values.storable("revision", values.text("revision", revision, empty=False))
        asks: Any = approve
        if asks is not None and not callable(asks):
            kind = type(asks).__name__
            raise InvalidInput("approve", f"is of type {kind}", allowed="a callable")
        start(
            self._desk,
            self.room.id,
            word=word,
            catalogue=self.catalogue,
            revision=revision,
            approve=approve,
            request_id=request_id,
            now=now,
        )
        return self.standing

    def pause(
        self,
        text: str = "",
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Starts no new turn; those that run end as they will.

        Source: S-STATUS-06.
        """
        lifecycle.check_text("text", text)
        reason = StopReason.USER_PAUSED.value
        return self._step(
            "pause_team",
            lambda room: lifecycle.pause_team(room, reason=reason, text=text),
            asked=[text],
            request_id=request_id,
            now=now,
        )

    def resume(
        self,
        text: str = "",
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Lets turns start again.

        Raises:
            Conflict: `grant_lost` where it has to be started anew; `limit_reached`
                where a limit would stop it at once; `invalid_transition` where it is
                not paused, or its conductor is in it no more.

        Source: S-STATUS-07, S-LIMIT-02.
        """
        lifecycle.check_text("text", text)
        return self._step(
            "resume_team",
            lambda room: lifecycle.resume(room, text=text),
            asked=[text],
            request_id=request_id,
            now=now,
        )

    def cancel(
        self,
        text: str = "",
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Ends it: turns that run are aborted, and members' work is saved.

        Source: S-STATUS-11.
        """
        lifecycle.check_text("text", text)
        word = self._word("cancel_team")
        cancel(
            self._desk, self.room.id, text, word=word, request_id=request_id, now=now
        )
        return self.standing

    def delete(self, *, now: datetime | None = None) -> DeletedRoom:
        """
        Deletes it with its room; one that runs is cancelled first.

        Raises:
            Conflict: `work_not_saved` where a member's work cannot be kept safe.

        Source: S-RECOVER-08, S-RECOVER-09.
        """
        word = self._word("delete_team")
        return delete(self._desk, self.room.id, word=word, now=now)

    def settle_completion(
        self,
        *,
        delivered: bool,
        reference: str = "",
        problem: str = "",
        now: datetime | None = None,
    ) -> Standing:
        """
        Says whether the result of a team that was left `completing` arrived, and so
        ends it. Nothing is sent.

        Source: S-RECOVER-04.
        """
        word = self._word("settle_completion")
        settle_completion(
            self._desk,
            self.room.id,
            delivered=delivered,
            reference=reference,
            problem=problem,
            word=word,
            now=now,
        )
        return self.standing

    # -- what the person says

    def resolve_approval(
        self,
        approval: str | Approval,
        *,
        approved: bool,
        text: str = "",
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Answers what is asked for, once. A change that waited is decided again on the
        team as it is now, and may turn out to be impossible.

        Raises:
            NotFound: `unknown_approval`.
            Conflict: `approval_answered` for a second answer.

        Source: S-APPROVE-05 to S-APPROVE-07.
        """
        values.flag("approved", approved)
        lifecycle.check_text("text", text)
        version = version_of(self.room.id, getattr(approval, "id", approval))

        def decide(room: RoomState) -> list[Event]:
            return approvals.answer(
                room,
                version,
                approved=approved,
                text=text,
                known=self._was_asked(version),
                apply=changes.applied_now,
            )

        return self._step(
            "resolve_approval",
            decide,
            asked=[version, approved, text],
            request_id=request_id,
            now=now,
        )

    def intervene(
        self,
        text: str,
        *,
        to: Iterable[str] = (),
        when: str = "now",
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Tells members something, as the person: no member can say it so.

        Args:
            text: What.
            to: The keys of the members; all that are in the team where none is named.
            when: `now` wakes them, or goes into the turn that runs; `next_turn` waits
                for the next one, and wakes nobody.
            request_id: As for `Room.post`.
            now: The instant; the lobby's clock unless given.

        It resumes a team that was paused as `awaiting_user`, and no other.

        Raises:
            NotFound: `unknown_member`.
            Refused: What `Room.post` raises.

        Source: S-APPROVE-09, S-APPROVE-10.
        """
        word = self._word("intervene")
        urgency = _URGENCY[values.member("when", when, _URGENCY)]
        keys = values.names("to", to)
        with self._desk.lock:
            named = self._conversations(keys)
        posted = self.room.post(
            text,
            by=Person(word.person, self._desk),
            to=named,
            urgency=urgency,
            request_id=request_id,
            now=now,
        )
        self._resume_if_awaited(word, now)
        return posted

    def answer(
        self,
        member: str,
        text: str,
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Answers, for whoever was asked, the question that a member waits on.

        Raises:
            NotFound: `unknown_member`.
            Conflict: `not_waiting` for a member that waits on no question.
            Refused: What `Room.post` raises.

        Source: S-QUESTION-08.
        """
        word = self._word("answer")
        return answer(
            self._desk,
            self.room.id,
            member,
            text,
            by=Person(word.person, self._desk),
            request_id=request_id,
            now=now,
        )

    def release(
        self,
        member: str,
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Lets a member that waits on a question go on without an answer.

        Raises:
            NotFound: `unknown_member`.
            Conflict: `not_waiting`.

        Source: S-QUESTION-08.
        """
        values.storable("member", member)
        return self._step(
            "release_member",
            lambda room: questions.release(room, member),
            asked=[member],
            request_id=request_id,
            now=now,
        )

    def wake(
        self,
        member: str,
        text: str = "",
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Standing:
        """
        Wakes a member of a team that runs; a wait of its own ends first.

        Raises:
            NotFound: `unknown_member`.
            Conflict: `invalid_transition` where the team does not run; `not_idle` for a
                member that works, or is suspended.

        Source: S-SCHED-12.
        """
        values.storable("member", member)
        lifecycle.check_text("text", text)
        return self._step(
            "wake_member",
            lambda room: questions.wake(room, member, text),
            asked=[member, text],
            request_id=request_id,
            now=now,
        )

    # -- the rest

    def _conversations(self, keys: Sequence[str]) -> list[Conversation]:
        team = check_living(self._state())
        chosen = list(team.present())
        if keys:
            chosen = []
            for key in keys:
                member = team.members.get(key)
                if member is None or not member.present:
                    raise unknown_member(key)
                chosen.append(member)
        return [Conversation(one.conversation, one.agent, self._desk) for one in chosen]

    def _resume_if_awaited(self, word: Word, now: datetime | None) -> None:
        def decide(room: RoomState) -> list[Event]:
            team = room.team
            awaited = StopReason.AWAITING_USER.value
            if team is None or (team.status, team.reason) != ("paused", awaited):
                return []
            return lifecycle.resume(room)

        with suppress(Conflict):  # it ended in between, or lost its grant
            step(self._desk, self.room.id, decide, by=word.actor, now=now)

    def _was_asked(self, version: int) -> bool:
        fact = self._desk.fact(f"room:{self.room.id}", version)
        return fact is not None and isinstance(fact.event, ApprovalAsked)

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


_URGENCY = {"now": "now", "next_turn": "quiet"}


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
