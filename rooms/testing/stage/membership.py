"""Rooms on a stage: made and ended, joined, managed and left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rooms.policy import RoomPolicy
from rooms.testing.stage.standing import Standing
from rooms.testing.teams import play

__all__ = ["Membership"]


class Membership(Standing):
    """The verbs of rooms and of who is in them."""

    __slots__ = ()

    def create_room(
        self,
        name: str,
        *,
        by: str,
        access: str | None = None,
        policy: RoomPolicy | str | None = None,
        invite: Sequence[str] = (),
        request_id: str | None = None,
    ) -> Any:
        """Creates a room."""
        made = self.lobby.create_room(
            name,
            by=self.actor(by),
            access=access,
            policy=policy,
            invite=invite,
            request_id=request_id,
        )
        if made.id not in self.rooms:
            self.rooms.append(made.id)
        return made

    def join(self, who: str, *, room: int = 0, **how: Any) -> Any:
        """Takes a seat."""
        return self.room(room).join(by=self.actor(who), **how)

    def subscribe(self, who: str, mode: str, *, room: int = 0, **how: Any) -> Any:
        """Listens otherwise."""
        return self.room(room).subscribe(by=self.actor(who), mode=mode, **how)

    def leave(self, who: str, *, room: int = 0) -> Any:
        """Gives a seat up."""
        return self.room(room).leave(by=self.actor(who))

    def rest(self, who: str, *, room: int = 0) -> Any:
        """Holds everything for a conversation."""
        return self.room(room).rest(by=self.actor(who))

    def resume(self, who: str, *, room: int = 0) -> Any:
        """Lets it be woken again."""
        return self.room(room).resume(by=self.actor(who))

    def invite(self, agent: str, *, by: str, room: int = 0, reason: str = "") -> Any:
        """Lets an agent join."""
        return self.room(room).invite(agent, by=self.actor(by), reason=reason)

    def add(
        self,
        agent: str,
        *,
        by: str,
        reason: str,
        room: int = 0,
        request_id: str | None = None,
    ) -> Any:
        """Brings a threaded agent in."""
        added = self.room(room).add(
            agent, by=self.actor(by), reason=reason, request_id=request_id
        )
        return added, added.label, added.acts_for

    def uninvite(self, agent: str, *, by: str, room: int = 0) -> Any:
        """Takes an invitation back."""
        return self.room(room).uninvite(agent, by=self.actor(by))

    def decline(self, who: str, *, room: int = 0) -> Any:
        """Answers an invitation with no."""
        return self.room(room).decline(by=self.actor(who))

    def remove(self, who: str, agent: str, *, room: int = 0) -> Any:
        """Takes an agent out."""
        return self.room(room).remove(agent, by=self.actor(who))

    def change_members(
        self,
        *,
        by: str,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        room: int = 0,
    ) -> Any:
        """Lets agents in, and takes others out."""
        one = self.room(room)
        one.change_members(add=add, remove=remove, by=self.actor(by))
        return one, one.members, one.invited

    def set_members(self, members: Sequence[str], *, by: str, room: int = 0) -> Any:
        """Lets exactly these agents in."""
        one = self.room(room).set_members(members, by=self.actor(by))
        return one, one.members, one.invited

    def pause(self, who: str, *, room: int = 0) -> Any:
        """Holds every wake in a room."""
        return self.room(room).pause(by=self.actor(who))

    def unpause(self, who: str, *, room: int = 0) -> Any:
        """Lets them go on."""
        return self.room(room).unpause(by=self.actor(who))

    def change_policy(self, who: str, policy: RoomPolicy, *, room: int = 0) -> Any:
        """Sets a room's options."""
        return self.room(room).change_policy(policy, by=self.actor(who))

    def archive(self, who: str, *, room: int = 0) -> Any:
        """Closes a room to everything new."""
        one = self.room(room).archive(by=self.actor(who))
        return one, one.archived

    def restore(self, who: str, *, room: int = 0) -> Any:
        """Opens an archived room again."""
        one = self.room(room).restore(by=self.actor(who))
        return one, one.archived, one.members

    def delete(self, who: str, *, room: int = 0) -> Any:
        """Deletes a room."""
        return self.room(room).delete(by=self.actor(who))

    def team(self, do: str, *, by: str, room: int = -1, key: str = "hand") -> Any:
        """Plays what a person or a member does with a team; its room is a room."""
        about = None if do in {"prepare", "recover"} else self.room(room)
        outcome = play(self.lobby, do, by=self.actor(by), room=about, key=key)
        if do == "prepare":
            self.rooms.append(str(outcome))
        return outcome
