"""
Acting: what every command of a member has in common.

Law: who acts, and in which team, is read from the roster at every call (S-SURFACE-03,
S-SURFACE-05).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import field, frozen

from rooms.lobby.handles import actor_of
from rooms.lobby.recording.fence import check_fence
from rooms.lobby.recording.requests import NO_REQUEST, Request, fingerprint
from rooms.lobby.room import Room
from rooms.lobby.team.authority import member_now
from rooms.lobby.team.stepping import step_at
from rooms.log.events import Event, Fact
from rooms.log.state import RoomState
from rooms.log.team_state import MemberState

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Acting"]

Seen = TypeVar("Seen")


@frozen
class Acting:
    """
    A member of a team, as it acts itself.

    Attributes:
        room: The room that its team works in.
    """

    room: Room
    _by: Any = field(repr=False)
    _desk: Desk = field(repr=False, eq=False)

    def _seen(self, look: Callable[[RoomState, MemberState], Seen]) -> Seen:
        actor = actor_of(self._by, self._desk)
        with self._desk.lock:
            check_fence(self._desk, actor)
            state = self._desk.room(self.room.id)
            return look(state, member_now(state, actor))

    def _acts(
        self,
        decide_as: Callable[[RoomState, MemberState, int], Sequence[Event]],
        *,
        now: datetime | None,
        request: Request = NO_REQUEST,
        keep: Callable[[], object] | None = None,
    ) -> tuple[Fact, ...]:
        """Records what a member decides, as the member that it is by then."""
        actor = actor_of(self._by, self._desk)

        def decide(state: RoomState, at: int) -> Sequence[Event]:
            return decide_as(state, member_now(state, actor), at)

        return step_at(
            self._desk,
            self.room.id,
            decide,
            by=actor,
            now=now,
            request=request,
            keep=keep,
        ).facts

    def _request(self, family: str, request_id: str | None, *asked: Any) -> Request:
        actor = actor_of(self._by, self._desk)
        digest = fingerprint(self.room.id, *asked)
        return Request.of(actor, family, request_id, digest)
