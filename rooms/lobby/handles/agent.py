"""The handle of an agent: what is said of it, what it may do, and what it has."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from rooms import values
from rooms.lobby.access.describing import change_agent, said_of
from rooms.lobby.access.hives import hive_of, switch_hive
from rooms.lobby.derived import gauges as gauges_of
from rooms.lobby.derived.gauges import Reading
from rooms.lobby.handles.conversation import Conversation
from rooms.lobby.handles.finding import find_conversation
from rooms.lobby.handles.person import Person
from rooms.lobby.pushing.renewing import retry
from rooms.lobby.working.strips import Strip, strip_of
from rooms.log.directory import AgentDescribed, Permissions

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["Agent"]


@frozen
class Agent:
    """
    An agent: an identity with one conversation, or with many.

    Attributes:
        id: Its id as it was added; names are compared without case.
    """

    id: str
    _desk: Desk = field(repr=False, eq=False)

    def __str__(self) -> str:
        return f"agent:{self.id}"

    @property
    def threaded(self) -> bool:
        """Whether it has many conversations; the bare name then starts a new one."""
        with self._desk.lock:
            return self._desk.agent(self.id).threaded

    @property
    def owner(self) -> str | None:
        """The person behind it, if one was named."""
        with self._desk.lock:
            return self._desk.agent(self.id).owner or None

    @property
    def role(self) -> str:
        """How it should work, which it alone and the host should see (L-AGENT-03)."""
        return self._said.role

    @property
    def work_description(self) -> str:
        """What it does, for all to read."""
        return self._said.work_description

    @property
    def machine(self) -> str:
        """Where it runs, for all to read."""
        return self._said.machine

    @property
    def can_broadcast(self) -> bool:
        """Whether it may write to all agents at once."""
        return self._may.can_broadcast

    @property
    def manage_rooms(self) -> bool:
        """Whether it is a lead of every room whose membership is managed."""
        return self._may.manage_rooms

    @property
    def allowed_recipients(self) -> tuple[str, ...] | None:
        """The agents that it may write to; None for all."""
        return self._may.allowed_recipients

    @property
    def enabled(self) -> bool:
        """Whether it takes part."""
        return self._may.enabled

    @property
    def paused(self) -> bool:
        """Whether nothing is delivered to it for now."""
        return self._may.paused

    @property
    def paused_until(self) -> datetime | None:
        """When its pause ends by itself, UTC; None where somebody has to say so."""
        with self._desk.lock:
            until = self._desk.agent(self.id).paused_until
        return values.moment(until) if until else None

    @property
    def _may(self) -> Permissions:
        with self._desk.lock:
            return self._desk.agent(self.id).may

    @property
    def _said(self) -> AgentDescribed:
        with self._desk.lock:
            return said_of(self._desk, self._desk.agent(self.id))

    def change(
        self,
        *,
        role: str | None = None,
        work_description: str | None = None,
        machine: str | None = None,
        can_broadcast: bool | None = None,
        manage_rooms: bool | None = None,
        allowed_recipients: Iterable[str | Agent] | Literal["all"] | None = None,
        enabled: bool | None = None,
        paused: bool | None = None,
        now: datetime | None = None,
    ) -> Agent:
        """
        Changes what is given of an agent's facts; the rest stays (L-AGENT-08).

        This is the host's to say: it takes no actor, and nobody's permission leads to
        it. It binds what the library does; what runs elsewhere goes on (L-AGENT-17).

        Args:
            role: How it should work, up to 16,000 characters; "" for nothing.
            work_description: What it does, in a line of up to 300 characters.
            machine: Where it runs, in up to 40.
            can_broadcast: Whether it may write to all agents at once.
            manage_rooms: Whether it may create and delete managed rooms, and say who is
                in them.
            allowed_recipients: Up to 100 agents, the only ones that it may write to;
                none at all for an empty list, and "all" for everybody.
            enabled: Whether it takes part. Disabled, it acts nowhere and hears nothing
                new, its claims are stale and its tokens are void for good.
            paused: Whether what it is owed waits, in every room, until it goes on.

        Raises:
            InvalidInput: `invalid_request`, naming what is wrong.

        Source: L-AGENT-02 to L-AGENT-11.
        """
        given: dict[str, Any] = {
            "role": role,
            "work_description": work_description,
            "machine": machine,
            "can_broadcast": can_broadcast,
            "manage_rooms": manage_rooms,
            "enabled": enabled,
            "paused": paused,
        }
        if allowed_recipients is not None:
            everybody = allowed_recipients == "all"
            given["allowed_recipients"] = None if everybody else allowed_recipients
        change_agent(self._desk, self.id, given, now=now)
        return self

    def retry(self, *, now: datetime | None = None) -> Agent:
        """
        Lets all that waits to be seen be pushed anew, whole where it is little and
        whatever was sent before: its tries begin again, and attention is called again
        only after them. It is the host's to say.

        Source: L-AGENT-15.
        """
        retry(self._desk, self.id, now=now)
        return self

    def conversation(
        self,
        *,
        thread: str | None = None,
        label: str | None = None,
        acts_for: str | Person | None = None,
        now: datetime | None = None,
    ) -> Conversation:
        """
        Its only conversation, or for a threaded agent the one of a thread or label.

        One that is not there yet is started; a thread or label that is there finds it.

        Raises:
            InvalidInput: As `Lobby.conversation`.
        """
        return find_conversation(
            self._desk,
            self.id,
            thread=thread,
            label=label,
            acts_for=acts_for,
            now=now,
        )

    @property
    def hive(self) -> Room | None:
        """The room that its own conversations share, if there is one (G-HIVE-01)."""
        from rooms.lobby.room import Room  # noqa: PLC0415 - rooms hand out handles

        desk = self._desk
        with desk.lock:
            found = hive_of(desk, self.id)
        return Room(found, desk) if found else None

    def switch_hive(self, on: bool | None, *, now: datetime | None = None) -> Agent:
        """
        Lets a threaded agent have a hive, or not; None leaves it to `Lobby(hives=)`.

        Switched off, all leave it: it can be read on, and nobody posts there.

        Source: G-HIVE-02.
        """
        switch_hive(self._desk, self.id, on, now=now)
        return self

    def gauges(self, *, now: datetime | None = None) -> Reading | None:
        """
        What it last reported of itself; None where that is 24 hours old, or never was.
        What has begun anew since is left out. `rooms.pacing.pace` says how one goes.

        Source: L-USAGE-02.
        """
        return gauges_of.reading(self._desk, self.id, now=now)

    def strip(self, *, now: datetime | None = None) -> Strip:
        """
        When it worked in the last 96 quarter hours, by `Conversation.report_work`: a
        turn that goes on counts until now, or until it was last seen where nobody runs
        it any more.

        Source: L-VIEW-04.
        """
        return strip_of(self._desk, self.conversations(), now=now)

    def conversations(self) -> tuple[Conversation, ...]:
        """All its conversations, in the order of their start."""
        with self._desk.lock:
            talks = self._desk.talks(self.id).talks
        return tuple(Conversation(one, self.id, self._desk) for one in talks)
