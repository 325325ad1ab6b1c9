"""
A member's surface: what whoever is on a team's roster may do, and no more.

Law: who it is, and which team it is in, is read from the roster for whoever acts, at
every call; nothing that it says makes it anything else (S-SURFACE-03, S-SURFACE-05).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from attrs import frozen

from rooms import values
from rooms.errors import NotFound
from rooms.lobby.answers import Posted
from rooms.lobby.handles import Conversation, actor_of
from rooms.lobby.messages import Message
from rooms.lobby.recording.requests import Request, fingerprint
from rooms.lobby.team.asking import conversations_of
from rooms.lobby.team.authority import member_now
from rooms.lobby.team.briefing import Brief, brief_of
from rooms.lobby.team.claiming import Claiming
from rooms.lobby.team.collecting import Collected, check_lead, collect
from rooms.lobby.team.facts import version_of
from rooms.lobby.team.finishing import ask_for_delivery, finish
from rooms.lobby.team.producing import Producing
from rooms.lobby.team.questioning import Questioning
from rooms.lobby.team.records import problem_of
from rooms.lobby.team.stepping import step
from rooms.lobby.team.values import Approval, Change, Standing, TeamMember
from rooms.lobby.team.viewing import (
    approvals_of,
    change_of,
    member_of,
    members_of,
    standing_of,
)
from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.log.team import ChangeProposed, changes, lifecycle
from rooms.log.team.changes import ChangeKind
from rooms.log.team_state import MemberState
from rooms.team.access import check_tools
from rooms.team.amounts import amount, micros_of

__all__ = ["Member"]


@frozen
class Member(Claiming, Producing, Questioning):
    """
    A member of a team, as it acts itself.

    Attributes:
        room: The room that its team works in.

    Every call raises `NotAllowed` with `not_a_member` once it is in the team no more,
    `Conflict` with `room_finished` once that is over, and `lead_only` where only the
    conductor may do it.
    """

    # -- what it sees

    @property
    def itself(self) -> TeamMember:
        """Itself, with its mandate, its access, what it may use and where it works."""
        return self._seen(lambda state, one: member_of(self._desk, state, one))

    @property
    def roster(self) -> tuple[TeamMember, ...]:
        """All members of the team."""
        return self._seen(lambda state, _: members_of(self._desk, state))

    @property
    def problem(self) -> str:
        """The problem, word for word."""
        return self._seen(lambda state, _: problem_of(self._desk, state))

    @property
    def standing(self) -> Standing:
        """Where the team stands."""
        return self._seen(lambda state, _: standing_of(self._desk, state))

    @property
    def approvals(self) -> tuple[Approval, ...]:
        """What waits for the person; a member sees it, and cannot answer it."""
        return self._seen(lambda state, _: approvals_of(self._desk, state))

    @property
    def brief(self) -> Brief:
        """
        What the team is about and where it stands, as far as it concerns the member.

        Source: S-BRIEF-01 to S-BRIEF-06.
        """
        return self._seen(lambda state, one: brief_of(self._desk, state, one))

    def collect(self) -> Collected:
        """
        Has the host save what members have not committed, and tells which files each of
        them changed, and which several did.

        Raises:
            NotAllowed: `lead_only`.

        Source: S-WORKSPACE-07.
        """
        self._seen(lambda _, one: check_lead(one, "collect"))
        return collect(self._desk, self.room.id)

    # -- what it says

    def send(
        self,
        text: str,
        *,
        to: Iterable[str],
        reply_to: str | Message | None = None,
        wake: bool = True,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Says something to members, by their keys, in the team's room. It wakes them,
        unless `wake` is False: then it waits for their next turn. Who waits for an
        answer is not woken by it (S-QUESTION-07).

        Raises:
            NotFound: `unknown_member`.
            Refused: What `Room.post` raises.
        """
        keys = values.names("to", to)
        values.flag("wake", wake)

        def found(state: RoomState, _: MemberState) -> list[Conversation]:
            return conversations_of(self._desk, state, keys)

        return self.room.post(
            text,
            by=self._by,
            to=self._seen(found),
            reply_to=reply_to,
            urgency="normal" if wake else "quiet",
            request_id=request_id,
            now=now,
        )

    def broadcast(
        self,
        text: str,
        *,
        wake: bool = False,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Says something to all members. It waits for their next turns; it wakes them
        where that is asked for, and the room's `broadcast_wake` lets the member.

        Raises:
            Refused: What `Room.post` raises.

        Source: S-QUESTION-13.
        """
        values.flag("wake", wake)
        self._seen(lambda state, member: (state, member))
        return self.room.post(
            text,
            by=self._by,
            to=["all"],
            urgency="normal" if wake else "quiet",
            request_id=request_id,
            confirm_all_threads=True,
            now=now,
        )

    # -- what only the conductor does

    def update_mandate(
        self,
        member: str,
        text: str,
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Change:
        """
        Tells a member something else to do: instructions, and nothing else.

        Source: S-ACCESS-11, S-CONDUCTOR-02.
        """
        kind = ChangeKind.UPDATE_MANDATE
        return self.propose(kind, member, text=text, request_id=request_id, now=now)

    def propose(
        self,
        kind: ChangeKind | str,
        member: str = "",
        *,
        text: str = "",
        tools: Iterable[str] | None = None,
        limit: str = "",
        value: Decimal | timedelta | float | None = None,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> Change:
        """
        Proposes a change of the team, and says what became of it.

        Args:
            kind: What it changes, see `rooms.log.team.changes.ChangeKind`.
            member: The key of the member that it is about.
            text: The words of it: a mandate, a strategy, a reason.
            tools: The tools that the member keeps, for `change_configuration`.
            limit: The name of a limit, for `lower_soft_limit`; for `request_expansion`
                `max_cost`, `max_time` or `max_tokens`.
            value: What that should be: a cost, a number, a time as a `timedelta`.
            request_id: The same request again returns the same change.
            now: The instant; the lobby's clock unless given.

        Raises:
            NotAllowed: `lead_only`.
            NotFound: `unknown_member`.
            InvalidInput: `invalid_request` for what is no change.
            OverLimit: `too_many` approvals that wait.

        Source: S-CONDUCTOR-09, S-CONDUCTOR-11.
        """
        chosen = ChangeKind(values.member("kind", kind, ChangeKind))
        lifecycle.check_text("text", text)
        values.storable("member", member)
        given = _values(tools, limit, value)
        actor = actor_of(self._by, self._desk)
        digest = fingerprint(self.room.id, chosen.value, member, text, given)

        def decide(state: RoomState) -> list[Event]:
            by = member_now(state, actor)
            return changes.propose(
                state, by, chosen, member=member, values=given, text=text
            )

        done = step(
            self._desk,
            self.room.id,
            decide,
            by=actor,
            now=now,
            request=Request.of(actor, "propose", request_id, digest),
        )
        proposed = next(
            one for one in done.facts if isinstance(one.event, ChangeProposed)
        )
        with self._desk.lock:
            return change_of(self._desk.room(self.room.id), proposed)

    def withdraw(self, change: str | Change, *, now: datetime | None = None) -> None:
        """
        Takes a change back that waits for the person.

        Raises:
            NotAllowed: `lead_only`.
            NotFound: `unknown_change`.
        """
        try:
            version = version_of(self.room.id, getattr(change, "id", change))
        except NotFound:
            raise NotFound("unknown_change", "no change of that id waits") from None
        actor = actor_of(self._by, self._desk)

        def decide(state: RoomState) -> list[Event]:
            return changes.withdraw(state, member_now(state, actor), version)

        step(self._desk, self.room.id, decide, by=actor, now=now)

    def request_delivery_approval(
        self,
        text: str,
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> None:
        """
        Asks the person whether this text may be delivered, where the destination is
        outside. The yes is to just this text, and once.

        Raises:
            NotAllowed: `lead_only`.
            Conflict: `approval_pending` while another one waits.
            InvalidInput: `invalid_request` for no text.

        Source: S-DELIVER-06, S-DELIVER-07.
        """
        actor = actor_of(self._by, self._desk)
        ask_for_delivery(
            self._desk,
            self.room.id,
            text,
            by=actor,
            request_id=request_id,
            now=now,
        )

    def finish(
        self,
        text: str,
        *,
        request_id: str | None = None,
        now: datetime | None = None,
    ) -> None:
        """
        Delivers the final answer and ends the team. It is claimed, then sent once by
        `rooms_deliver`, then settled; whatever the destination says, the team is over,
        and the text of its standing says why the result was not taken.

        Raises:
            NotAllowed: `lead_only`; `approval_needed` for a destination outside,
                without a yes to just this text.
            Conflict: `invalid_transition` where it is finished already.
            InvalidInput: `invalid_request` for no text.

        Source: S-DELIVER-08, S-DELIVER-09, S-DELIVER-11.
        """
        actor = actor_of(self._by, self._desk)
        finish(self._desk, self.room.id, text, by=actor, request_id=request_id, now=now)


def _values(tools: Any, limit: Any, value: Any) -> Mapping[str, Any]:
    """What a change sets, in JSON's own types."""
    given: dict[str, Any] = {}
    if tools is not None:
        given["tools"] = list(check_tools("tools", tools))
    if limit != "" or value is not None:
        given["limit"] = values.storable("limit", limit)
        given["value"] = _recorded(given["limit"], value)
    return given


def _recorded(limit: str, value: Any) -> int:
    """A limit's value as `TeamLimits.recorded` writes it."""
    if isinstance(value, timedelta) and not limit.endswith("_cost"):
        values.duration("value", value, at_least=timedelta(0))
        return value // timedelta(microseconds=1)
    if limit.endswith("_cost"):
        return micros_of(amount("value", value))
    return values.whole_number("value", value, at_least=0)
