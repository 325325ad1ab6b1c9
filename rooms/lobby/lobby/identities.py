"""Who is in a lobby: its agents, persons and conversations."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.lobby.access.identities import add_agent, note_person
from rooms.lobby.handles import Agent, Conversation, Person, find_conversation
from rooms.lobby.working.statuses import set_owner_requests, set_status

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["Identities"]


class Identities:
    """Who is here."""

    _desk: Desk

    def add_agent(
        self,
        name: str,
        *,
        threaded: bool = False,
        owner: str | Person | None = None,
        role: str | None = None,
        work_description: str | None = None,
        machine: str | None = None,
        can_broadcast: bool | None = None,
        manage_rooms: bool | None = None,
        allowed_recipients: Iterable[str | Agent] | None = None,
        now: datetime | None = None,
    ) -> Agent:
        """
        Adds an agent; one that is there with equal facts is left as it is.

        Args:
            name: Its id: letters, digits, `_`, `.`, `-`, unique without case.
            threaded: Whether it has many conversations; the bare name then starts one.
            owner: The person behind it.
            role, work_description, machine: What it is said to be, as `Agent.change`
                has them.
            can_broadcast, manage_rooms, allowed_recipients: What it may do, likewise.

        Raises:
            OverLimit: `agent_capacity`.
            InvalidInput: `invalid_request` for a name that is none, `reserved_identity`
                for one that means something in addresses.
            Conflict: `agent_exists` where it is there with other facts.
        """
        facts: dict[str, Any] = {
            "role": role,
            "work_description": work_description,
            "machine": machine,
            "can_broadcast": can_broadcast,
            "manage_rooms": manage_rooms,
        }
        if allowed_recipients is not None:
            facts["allowed_recipients"] = allowed_recipients
        add_agent(
            self._desk, name, threaded=threaded, owner=owner, facts=facts, now=now
        )
        return self.agent(name)

    def agent(self, name: str) -> Agent:
        """
        An agent, by its name in any case.

        Raises:
            NotFound: `agent_not_found`.
        """
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            return Agent(desk.agent(name).agent, desk)

    @property
    def agents(self) -> tuple[Agent, ...]:
        """All agents, in the order of their adding."""
        desk = self._desk
        desk.check_usable()
        with desk.lock:
            known = list(desk.directory().agents.values())
        return tuple(Agent(one.agent, desk) for one in known)

    def person(self, name: str, *, now: datetime | None = None) -> Person:
        """
        A person, noted at the first time that it is named.

        Raises:
            InvalidInput: `invalid_request` for what is no name, or another spelling of
                one that is known.
        """
        note_person(self._desk, name, now=now)
        return Person(name, self._desk)

    def conversation(
        self,
        agent: str | Agent,
        *,
        thread: str | None = None,
        label: str | None = None,
        acts_for: str | Person | None = None,
        now: datetime | None = None,
    ) -> Conversation:
        """
        A conversation of an agent: its only one, or the one of a thread or label.

        A thread that is known finds its conversation, and a label alone the one that
        has it or ever had it; anything else starts one, with a suffix where the label
        is taken.

        Args:
            agent: Whose conversation.
            thread: The host's name for the thread that carries it.
            label: Two to five words for what it works on.
            acts_for: The person for whom a threaded agent's new conversation acts, who
                watches the rooms in which it has a seat; a single agent's acts for its
                owner.

        Raises:
            NotFound: `agent_not_found`.
            InvalidInput: `invalid_request` where a threaded agent's conversation is
                named by neither, or for what is no thread or label;
                `reserved_identity` for `new` and `all`.
            Conflict: `thread_bound` where a single agent's thread is another's;
                `conversation_exists` for one that acts for somebody else.
        """
        name = agent.id if isinstance(agent, Agent) else agent
        return find_conversation(
            self._desk, name, thread=thread, label=label, acts_for=acts_for, now=now
        )

    def set_status(self, text: str, *, by: Any, now: datetime | None = None) -> None:
        """
        Keeps one line for an agent's peers, such as what it has queued; nobody is told
        that it changed. It stays until it is set anew, or the runtime is retired.

        Args:
            text: One line of at most 300 characters, trimmed; "" for none.
            by: Whose line: a conversation, turn or claim.

        Raises:
            InvalidInput: `invalid_request` for no line, `agent_required` for a person.
            Conflict: `stale_runtime`, `stale_wake`.
            NotAllowed: `agent_disabled`.

        Source: L-ACT-12.
        """
        set_status(self._desk, text, by=by, now=now)

    def set_owner_requests(
        self, count: int, text: str = "", *, by: Any, now: datetime | None = None
    ) -> None:
        """
        Says how many things wait on an agent's owner, and which. It stays until it is
        set anew, or the runtime is retired; the same again keeps since when it waits.

        Args:
            count: How many, up to 20; 0 for nothing any more, whatever the text.
            text: Which, in one line of at most 300 characters, trimmed.
            by: Whose requests: a conversation, turn or claim.

        Raises:
            InvalidInput: `invalid_request`, naming what is wrong; `agent_required` for
                a person.
            Conflict: `stale_runtime`, `stale_wake`.
            NotAllowed: `agent_disabled`.

        Source: L-ACT-10, L-ACT-11.
        """
        set_owner_requests(self._desk, count, text, by=by, now=now)
