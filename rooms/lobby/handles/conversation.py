"""The handle of a conversation: its names, whom it acts for, what runs it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal

from attrs import field, frozen

from rooms.addressing import Address, AddressKind
from rooms.lobby.access.hives import REMIND_AFTER, note_visibility, reminder
from rooms.lobby.derived import gauges as gauges_of
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.fence import Unclaimed
from rooms.lobby.recording.streams import agent_stream
from rooms.lobby.runtimes.claiming import Claim, reset
from rooms.lobby.runtimes.claiming import claim as claim_of
from rooms.lobby.waking.restarting import restart_notices
from rooms.lobby.working.reporting import report_work
from rooms.lobby.working.telling import hear_stops
from rooms.log import agents
from rooms.log.actors import Actor
from rooms.log.agents import Talk
from rooms.pacing import Gauge
from rooms.rendering import Notice

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = ["Conversation", "acted_for", "relabel"]


@frozen
class Conversation:
    """
    One thread of one agent: the unit that is woken.

    Attributes:
        id: Our own id; the host's thread and the label are bindings that may change.
        agent: The agent's id.

    `str()` is its address. What it says is read when it is asked, which raises
    `StorageError` with `closed` once the lobby is.
    """

    id: str
    agent: str = field(eq=False)
    _desk: Desk = field(repr=False, eq=False)

    def __str__(self) -> str:
        return str(self.address)

    @property
    def threaded(self) -> bool:
        """Whether its agent has many conversations."""
        with self._desk.lock:
            return self._desk.agent(self.agent).threaded

    @property
    def address(self) -> Address:
        """Its canonical address, with the label where its agent is threaded."""
        return _address(self.agent, self.label if self.threaded else None)

    @property
    def label(self) -> str:
        """The current label; the former ones go on reaching it (G-LABEL-06)."""
        return self._talk.label

    @property
    def labels(self) -> tuple[str, ...]:
        """Every label that it has or ever had, the current one last."""
        return tuple(self._talk.labels)

    @property
    def thread(self) -> str | None:
        """The host's thread that carries it, if one is bound."""
        return self._talk.thread or None

    @property
    def acts_for(self) -> str | None:
        """
        The person for whom it acts. That is a single agent's owner, else whom it was
        started for; None for nobody, as where a message started it (G-ADD-06,
        G-SAFE-05).
        """
        with self._desk.lock:
            return acted_for(self._desk, self.agent, self.id) or None

    @property
    def owner(self) -> str | None:
        """The person behind its agent, if one was named (G-AUDIT-01)."""
        with self._desk.lock:
            return self._desk.agent(self.agent).owner or None

    @property
    def public(self) -> bool | None:
        """Whether it is public; None where nobody said so (G-HIVE-09)."""
        return self._talk.public

    @property
    def rooms(self) -> tuple[Room, ...]:
        """The rooms that it follows, in the order of their ids (G-LABEL-09)."""
        from rooms.lobby.room import Room  # noqa: PLC0415 - rooms hand out handles

        desk = self._desk
        desk.check_usable()
        with desk.lock:
            listed = desk.directory().rooms
            seated = [one for one in desk.wakes.rooms_of(self.id) if one in listed]
            followed = [one for one in seated if self.id in desk.room(one).following]
        return tuple(Room(one, desk) for one in followed)

    @property
    def actor(self) -> Actor:
        """
        The conversation as an actor, on its own initiative.

        :meta private:
        """
        return _acting(self.id, self.agent)

    @property
    def _talk(self) -> Talk:
        with self._desk.lock:
            return self._desk.talks(self.agent).talk(self.id)

    def rename(self, label: str, *, now: datetime | None = None) -> str:
        """
        Gives it another label, with a suffix where that is taken; returns the label.

        Raises:
            InvalidInput: `invalid_request` for what is no label, `reserved_identity`
                for `new` and `all`.

        Source: G-LABEL-03, G-LABEL-06.
        """
        relabel(self._desk, self, label, by=self.actor, now=now, unclaimed="allowed")
        return self.label

    def bind(self, thread: str, *, now: datetime | None = None) -> Conversation:
        """
        Binds the host's thread that carries it, unique for the agent.

        Raises:
            Conflict: `thread_bound` where the thread carries another conversation.
            InvalidInput: `invalid_request` for what is no thread's name.
        """
        stream = agent_stream(self.agent)

        def decide(_: int) -> Decision:
            state = self._desk.talks(self.agent)
            return Decision({stream: agents.bind(state, self.id, thread)})

        self._desk.record(decide, stream, by=self.actor, now=now, unclaimed="allowed")
        return self

    def set_public(
        self, public: bool | None, *, now: datetime | None = None
    ) -> Conversation:
        """
        Notes whether it is public, as the host knows; None for what nobody knows, which
        counts as private.

        A public one comes into its agent's hive at its next turn, where there is one;
        any other leaves it, and reads it without posting (G-HIVE-03, G-HIVE-04).
        """
        note_visibility(self._desk, self, public, now=now)
        return self

    def hive_reminder(
        self,
        *,
        worked_at: datetime,
        after: timedelta = REMIND_AFTER,
        now: datetime | None = None,
    ) -> Notice | None:
        """
        A short suggestion to tell the hive what it is doing, where that is due.

        Args:
            worked_at: When it last worked on something, as the host knows.
            after: How long it has to have said nothing there; since it came into the
                hive, where it never did.

        Returns:
            The notice, or None where it is in no hive, said something there of late,
            or has worked on nothing since.

        Source: G-HIVE-06.
        """
        return reminder(self._desk, self, worked_at=worked_at, after=after, now=now)

    def check_in(self, *, now: datetime | None = None) -> tuple[Notice, ...]:
        """
        Says that the helper which runs the conversation is there, for 90 seconds.

        It is advice for people: nothing is delivered sooner or later for it, and it
        stands in no log (G-IDLE-05).

        Returns:
            What the helper should tell it, once, such as of a restart that is planned
            (G-NOTICE-02), and where it leads, of turns that stopped (L-ACT-07), if no
            plugin carries that.
        """
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            desk.presence.check_in(self.id, desk.time(now))
        stops = hear_stops(desk, self, now=now)
        return (*restart_notices(desk, self, now=now), *stops)

    def is_present(self, *, now: datetime | None = None) -> bool:
        """Whether its helper checked in within the last 90 seconds (G-IDLE-05)."""
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            return self.id in desk.presence.present(desk.time(now))

    def report_gauges(
        self, gauges: Mapping[str, Gauge], *, now: datetime | None = None
    ) -> None:
        """
        Says what the agent that runs it has used of what renews itself, such as a plan;
        the latest reading of an agent counts. It is for people and other agents to
        read: nobody is warned, held or paused for it (L-USAGE-06).

        Args:
            gauges: By names of the host's own, `[a-z][a-z0-9_]{0,39}`, at most eight.

        Raises:
            InvalidInput: `invalid_request`, naming what is wrong.
        """
        gauges_of.report(self._desk, self.agent, gauges, now=now)

    def report_work(
        self,
        event: Literal["start", "stop", "failed", "waiting"],
        *,
        at: datetime | None = None,
        background_tasks: int = 0,
        running: Mapping[str, int] | None = None,
        now: datetime | None = None,
    ) -> None:
        """
        Says that a turn of it started, stopped or failed, or that it waits for a word;
        whoever runs the conversation does, without any claim. `lobby.list_agents` shows
        it while the conversation is connected, and agents that may `manage_rooms` hear
        of a turn that stopped five minutes ago, with no new one since.

        Args:
            event: `start`; `stop`, or `failed` where the turn ended by a failure; and
                `waiting` where the session stands at its prompt for a while, which ends
                a turn that was interrupted.
            at: When, by the source's clock, up to five minutes ahead; now unless given.
                An older report never takes the place of a newer one.
            background_tasks: With a stop, how many tasks go on whose results come back
                to it, which keep it at work.
            running: With a stop or a failure, what else runs on by itself, by names of
                the host's own, `[a-z][a-z0-9_]{0,39}`, at most eight.

        Raises:
            InvalidInput: `invalid_request`, naming what is wrong.
            NotAllowed: `agent_disabled`.

        Source: L-ACT-01 to L-ACT-09.
        """
        report_work(
            self._desk,
            self,
            event,
            at=at,
            background_tasks=background_tasks,
            running=running,
            now=now,
        )

    def claim(
        self,
        runtime: str | None = None,
        *,
        generation: int | None = None,
        now: datetime | None = None,
    ) -> Claim:
        """
        Claims the conversation for one runtime: every older claim is stale from now on,
        and what it holds is owed again. The older process is refused with
        `stale_runtime`, whatever it does.

        Args:
            runtime: How the runtime names itself: an id of its own that is the same
                each time it starts, such as a UUID. It is alone then: no other one
                claims the conversation until `reset_runtime`, all that is done in it
                takes its claim, and it is handed what it is owed once it says that it
                is ready. Without a name, whoever claims last has it.
            generation: For a process that was cut off and goes on, that of its claim;
                it is the current one, unchanged, or refused.

        Raises:
            Conflict: `runtime_conflict` while another runtime has it; `stale_runtime`
                for one that was retired, and for a generation that is not the newest;
                `runtime_required` without a name where one was given before.

        Source: L-FENCE-01 to L-FENCE-06, foundation 14.
        """
        return claim_of(self._desk, self, runtime, generation, now=now)

    def reset_runtime(self, *, now: datetime | None = None) -> Conversation:
        """
        Takes the conversation away from whoever claimed it, so that another runtime may
        claim it; a runtime that named itself never gets it again.

        This is the host's to say, and nothing that a runtime does by itself to mend an
        error (L-FENCE-13). Where nobody claimed it, it does nothing.

        Source: L-AGENT-14, L-FENCE-05.
        """
        reset(self._desk, self, now=now)
        return self


_acting = lru_cache(maxsize=1_024)(partial(Actor, "conversation"))


@lru_cache(maxsize=1_024)
def _address(agent: str, label: str | None) -> Address:
    """The address of a conversation; it is checked once, as every message has one."""
    if label is None:
        return Address(AddressKind.AGENT, name=agent)
    return Address(AddressKind.CONVERSATION, name=agent, label=label)


def acted_for(desk: Desk, agent: str, conversation: str) -> str:
    """The person for whom a conversation acts, or ""; the lock is held."""
    entry = desk.agent(agent)
    if not entry.threaded:  # its name is a label on that person's rights (G-ROOM-11)
        return entry.owner
    return desk.talks(entry.agent).talk(conversation).acts_for


def relabel(
    desk: Desk,
    one: Conversation,
    label: str,
    *,
    by: Actor,
    now: datetime | None,
    unclaimed: Unclaimed = "refused",
) -> None:
    """As `Conversation.rename`, which documents it, by whoever runs it."""
    stream = agent_stream(one.agent)

    def decide(_: int) -> Decision:
        events = agents.relabel(desk.talks(one.agent), one.id, label)
        return Decision({stream: events})

    desk.record(decide, stream, by=by, now=now, unclaimed=unclaimed)
