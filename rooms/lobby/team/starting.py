"""
Starting: a draft becomes a team that works.

Two laws. The order is: claim the start, place the members, ask for the yes against the
members as they are placed, give the grant, open the conductor (S-PROPOSAL-12). And each
step that fails undoes what came before it, in the log and with the host.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field, frozen

from rooms.errors import Conflict, InvalidInput, RoomsError
from rooms.lobby.handles import Conversation, Person, acted_for
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.recording.streams import agent_stream
from rooms.lobby.room import Room
from rooms.lobby.team.authority import Word
from rooms.lobby.team.ending import places_of
from rooms.lobby.team.hosting import (
    MemberPlace,
    members_placed,
    open_conductor,
    place_member,
    release_member,
)
from rooms.lobby.team.records import envelope_of, problem_of, proposal_of
from rooms.lobby.team.stepping import step
from rooms.log import agents
from rooms.log.events import Event
from rooms.log.records import record_id
from rooms.log.state import RoomState
from rooms.log.team import TeamMoved, lifecycle, team_of
from rooms.log.team.lifecycle import Placed
from rooms.team import Catalogue, Proposal
from rooms.team.proposals import lacks_chat

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["ConductorStart", "first_word", "start"]


@frozen
class ConductorStart:
    """
    What the conductor's conversation is started for, as a hook is handed it.

    Attributes:
        conversation: The conversation.
        room: The team's room.
        problem: The problem, word for word.
    """

    conversation: Conversation
    room: Room
    problem: str


def start(
    desk: Desk,
    room: str,
    *,
    word: Word,
    catalogue: Catalogue,
    revision: str | None,
    approve: Callable[[Proposal], bool] | None,
    request_id: str | None,
    now: datetime | None,
) -> None:
    """As `Team.start`, which documents it."""
    proposals: list[Proposal] = []
    asked = fingerprint(room, "start", revision)
    request = Request.of(word.actor, "start_team", request_id, asked)

    def claim(state: RoomState) -> list[Event]:
        proposal = proposal_of(desk, state, catalogue)
        if revision is not None and revision != proposal.revision:
            raise Conflict(
                "stale_revision",
                "the proposal is another by now",
                current=proposal.revision,
            )
        if lacks_chat(proposal, envelope_of(desk, state)):
            raise Conflict(
                "no_chat",
                "the result goes to the chat that started the team, and none did",
                current=proposal.delivery.name,
            )
        _check_agents(desk, proposal)
        proposals[:] = [proposal]
        return lifecycle.start(state)

    claimed = step(
        desk,
        room,
        claim,
        by=word.actor,
        now=now,
        request=request,
        consents=word.consents,
    )
    if claimed.repeated:
        return
    facts = claimed.facts
    since = next(one.version for one in facts if isinstance(one.event, TeamMoved))
    _Start(desk, Room(room, desk), word, proposals[0], since, now).run(approve)


def _check_agents(desk: Desk, proposal: Proposal) -> None:
    """Whether the lobby has every agent; a single one works as one member."""
    single = set[str]()
    for place, one in enumerate(proposal.blueprint.members):
        entry = desk.agent(one.agent)
        if not entry.threaded and entry.agent in single:
            raise InvalidInput(
                f"members[{place}].agent",
                f"is {entry.agent} twice, which has one conversation",
                allowed="an agent of its own",
            )
        single.add(entry.agent)


@define(eq=False)
class _Start:
    """One start under way, from its claim on."""

    _desk: Desk
    _room: Room
    _word: Word
    _proposal: Proposal
    _since: int
    _now: datetime | None
    _places: list[MemberPlace] = field(factory=list)
    _conductor: Conversation | None = None

    def run(self, approve: Callable[[Proposal], bool] | None) -> None:
        try:
            opened = self._go(approve)
        except BaseException:  # an interrupt too: what was begun is taken back
            with suppress(RoomsError):
                self._undo("interrupted", "")
            raise
        if opened:
            first_word(self._desk, self._room, self._word.person, now=self._now)

    def _go(self, approve: Callable[[Proposal], bool] | None) -> bool:
        """Takes the steps, and undoes them where one fails; whether it is ready."""
        problem = self._make_places()
        if problem:
            self._undo("no_workspace", problem)
            return False
        self._place()
        if approve is not None and approve(self._proposal) is not True:
            self._undo("approval_refused", "")
            return False
        self._step(lambda state: lifecycle.grant(state, self._since, self._proposal))
        with self._desk.lock:
            told = problem_of(self._desk, self._desk.room(self._room.id))
        failed = ""
        if self._conductor is not None:
            start = ConductorStart(self._conductor, self._room, told)
            failed = open_conductor(self._desk, self._conductor, start)
        self._step(lambda state: lifecycle.opened(state, self._since, problem=failed))
        return not failed

    def _make_places(self) -> str:
        """Asks the host for each member's workspace; what is missing, if any is."""
        with self._desk.lock:
            state = self._desk.room(self._room.id)
            team = team_of(state)
            wanted = members_placed(
                self._room,
                [*team.members.values()],
                team.workspace,
                shared_tree=bool(team.envelope.get("shared_tree")),
            )
        for one in wanted:
            where, problem = place_member(self._desk, one)
            if problem:
                return f"{one.key}: {problem}"
            self._places.append(evolve(one, workspace=where))
        return ""

    def _place(self) -> None:
        """Seats a conversation for each member, started where its agent is threaded."""
        desk = self._desk
        started: dict[str, Sequence[Event]] = {}
        new = {one.key: desk.ids("conversation") for one in self._places}
        placed: list[Placed] = []

        def decide(state: RoomState) -> list[Event]:
            started.clear()
            placed.clear()
            placed.extend(
                self._placed(one, new[one.key], started) for one in self._places
            )
            return lifecycle.place(state, self._since, placed)

        self._step(decide, lambda: dict(started))
        leads = {one.key for one in self._proposal.blueprint.members if one.lead}
        for seated in placed:
            if seated.key in leads:
                self._conductor = Conversation(seated.conversation, seated.agent, desk)

    def _placed(
        self, one: MemberPlace, new: str, started: dict[str, Sequence[Event]]
    ) -> Placed:
        desk = self._desk
        entry = desk.agent(one.agent)
        conversation, person = entry.conversation, self._word.person
        if entry.threaded:
            conversation, stream = new, agent_stream(entry.agent)
            more = agents.start(
                desk.talks(entry.agent),
                new,
                about=f"{one.key} {self._room.id[-8:]}",
                why="placed",
                acts_for=person,
            )
            started[stream] = [*started.get(stream, ()), *more]
        else:
            person = acted_for(desk, entry.agent, conversation)
        return Placed(
            one.key,
            conversation,
            entry.agent,
            entry.threaded,
            person,
            one.mode,
            one.workspace,
            entry.may.held,
        )

    def _undo(self, reason: str, text: str) -> None:
        """
        Takes back what was done, as far as nobody went on from it: a place is given
        back only where the log says that no member works there.
        """
        with suppress(RoomsError):
            self._step(
                lambda state: lifecycle.not_started(
                    state, self._since, reason=reason, text=text
                )
            )
        with self._desk.lock:
            state = self._desk.room(self._room.id)
            working = {one.key for one in team_of(state).present()}
            used = {
                (one.key, one.workspace)
                for one in places_of(self._desk, state)
                if one.key in working
            }
        for one in self._places:
            if (one.key, one.workspace) not in used:
                release_member(self._desk, one, keep=False)

    def _step(
        self,
        decide: Callable[[RoomState], Sequence[Event]],
        others: Callable[[], dict[str, Sequence[Event]]] | None = None,
    ) -> None:
        step(
            self._desk,
            self._room.id,
            decide,
            by=self._word.actor,
            now=self._now,
            consents=self._word.consents,
            others=others,
        )


def first_word(desk: Desk, room: Room, person: str, *, now: datetime | None) -> None:
    """Tells the conductor the problem, once, in the person's name."""
    with desk.lock:
        state = desk.room(room.id)
        team = team_of(state)
        lead = team.conductor
        if lead is None or not lead.conversation or team.final:
            return
        told, placed = problem_of(desk, state), record_id(room.id, lead.placed)
        conductor = Conversation(lead.conversation, lead.agent, desk)
    most = room.policy.max_message_chars
    words: Any = told if most is None else told[:most]
    room.post(
        words,
        by=Person(person, desk),
        to=[conductor],
        request_id=f"problem-{placed}",  # one for each start
        now=now,
    )
