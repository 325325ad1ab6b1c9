"""
Handles: light values that stand for an agent, a person or a conversation.

Law: a handle holds no state but its id; two that name the same are equal, and what they
say is read when it is asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from attrs import field, frozen

from rooms import values
from rooms.addressing import Address, AddressKind, parse_address
from rooms.errors import Conflict, InvalidInput
from rooms.lobby.access.describing import change_agent, said_of
from rooms.lobby.access.hives import (
    REMIND_AFTER,
    hive_of,
    note_visibility,
    reminder,
    switch_hive,
)
from rooms.lobby.derived import gauges as gauges_of
from rooms.lobby.derived.gauges import Reading
from rooms.lobby.pushing.renewing import retry
from rooms.lobby.recording.commits import Decision
from rooms.lobby.recording.fence import Unclaimed
from rooms.lobby.recording.streams import LOBBY, agent_stream
from rooms.lobby.runtimes.claiming import Claim, reset
from rooms.lobby.runtimes.claiming import claim as claim_of
from rooms.lobby.waking.restarting import restart_notices
from rooms.lobby.working.reporting import report_work
from rooms.lobby.working.strips import Strip, strip_of
from rooms.lobby.working.telling import hear_stops
from rooms.log import agents, directory
from rooms.log.actors import SYSTEM, Actor
from rooms.log.agents import Talk
from rooms.log.directory import AgentDescribed, AgentEntry, Permissions
from rooms.pacing import Gauge
from rooms.rendering import Notice

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room

__all__ = [
    "Agent",
    "Claim",
    "Conversation",
    "Person",
    "acted_for",
    "actor_of",
    "agent_meant",
    "conversation_of",
    "relabel",
]


@frozen
class Person:
    """
    A person, who watches, and posts where a room's policy lets people post.

    Attributes:
        name: Its name, one spelling in the whole lobby.
    """

    name: str
    _desk: Desk = field(repr=False, eq=False)

    def __str__(self) -> str:
        return f"person:{self.name}"

    @property
    def actor(self) -> Actor:
        """
        The person as an actor, on its own word.

        :meta private:
        """
        return Actor("person", self.name)


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
        return Actor("conversation", self.id, self.agent)

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


def find_conversation(
    desk: Desk,
    name: str,
    *,
    thread: str | None = None,
    label: str | None = None,
    acts_for: str | Person | None = None,
    now: datetime | None = None,
) -> Conversation:
    """The conversation of an agent that these name, started where it is not there."""
    desk.check_usable()
    if thread is not None:
        agents.check_thread(thread)
    person = acts_for.name if isinstance(acts_for, Person) else acts_for
    person = "" if person is None else directory.check_person(person, field="acts_for")
    with desk.lock:
        entry = desk.agent(name)
    if not entry.threaded:
        _check_acts_for(person, entry.owner)
        alone = Conversation(entry.conversation, entry.agent, desk)
        return alone if thread is None else alone.bind(thread, now=now)
    if thread is None and label is None:
        raise InvalidInput(
            "thread",
            f"is missing, and {entry.agent} has many conversations",
            allowed="the host's thread, or a label",
        )
    stream = agent_stream(entry.agent)
    new = desk.ids("conversation")
    found: list[str] = []

    def decide(_: int) -> Decision:
        state = desk.talks(entry.agent)
        known = state.threads.get(thread) if thread else None
        if known is None and label is not None and thread is None:
            known = state.labelled(values.text("label", label))
        found[:] = [known or new]
        if known is None:
            noted = directory.add_person(desk.directory(), person) if person else []
            started = agents.start(
                state, new, label=label, thread=thread or "", acts_for=person
            )
            return Decision({stream: started, LOBBY: noted})
        _check_acts_for(person, state.talk(known).acts_for)
        if label is None or label in state.talk(known).labels:
            return Decision()
        return Decision({stream: agents.relabel(state, known, label)})

    desk.record(decide, stream, by=SYSTEM, now=now)
    return Conversation(found[0], entry.agent, desk)


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


def _check_acts_for(person: str, current: str) -> None:
    """Whom a conversation acts for is said at its start, and never again."""
    if person and person != current:
        raise Conflict(
            "conversation_exists",
            "the conversation is there already, and acts for"
            f" {current or 'nobody'}, not for {person}",
            current={"acts_for": current or None},
        )


def actor_of(by: Any, desk: Desk, *, field: str = "by") -> Actor:
    """
    Who acts: a conversation, a person, a turn, or a claim.

    A handle of another lobby is nobody here, unless this one knows whom it names.
    """
    actor = getattr(by, "actor", None)
    if isinstance(actor, Actor):
        handle = by.conversation if isinstance(by, Claim) else by
        if getattr(handle, "_desk", None) is not desk:
            desk.check_known(actor)
        return actor
    raise InvalidInput(
        field,
        f"is of type {type(by).__name__}",
        allowed="a conversation, a person, a turn or a claim",
    )


def conversation_of(by: Any, *, field: str = "by") -> Conversation:
    """The conversation that acts; a person is refused with `agent_required`."""
    if isinstance(by, Conversation):
        return by
    conversation = getattr(by, "conversation", None)
    if isinstance(conversation, Conversation):
        return conversation
    if isinstance(by, Person):
        raise InvalidInput(
            field,
            "is a person",
            allowed="an agent's conversation",
            code="agent_required",
        )
    raise InvalidInput(
        field,
        f"is of type {type(by).__name__}",
        allowed="an agent's conversation, a turn or a claim",
    )


def agent_meant(desk: Desk, given: Any, *, field: str = "agent") -> AgentEntry:
    """
    The agent that a handle, an id or an address such as `agent:Gennie` means.

    Raises:
        InvalidInput: `agent_required` for a person, `bad_address`, `invalid_request`.
        NotFound: `agent_not_found`.
    """
    if isinstance(given, Person):
        raise _person_given(field)
    name = given.id if isinstance(given, Agent) else given
    if isinstance(given, Address):
        name = str(given)
    text = values.text(field, name, empty=False)
    if ":" in text:
        address = parse_address(text)
        if address.kind is AddressKind.PERSON:
            raise _person_given(field)
        if address.kind is not AddressKind.AGENT or address.name is None:
            raise InvalidInput(field, "is no agent's", allowed="agent:<id>")
        text = address.name
    with desk.lock:
        known = desk.directory().agent(text)
        if known is None and text in desk.directory().persons.values():
            raise _person_given(field)
        return desk.agent(text) if known is None else known


def _person_given(field: str) -> InvalidInput:
    return InvalidInput(field, "is a person", allowed="an agent", code="agent_required")


Actable = "Conversation | Person | Claim | Turn"
