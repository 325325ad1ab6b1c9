"""Agents on a stage: what they are, what runs them, what they say of themselves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from rooms.lobby import Conversation
from rooms.testing.stage.standing import Standing, nth

__all__ = ["Agents"]


class Agents(Standing):
    """The verbs of agents, their conversations and runtimes."""

    __slots__ = ()

    def add_agent(
        self,
        name: str,
        *,
        threaded: bool = False,
        owner: str | None = None,
        **facts: Any,
    ) -> Any:
        """Adds an agent."""
        return self.lobby.add_agent(name, threaded=threaded, owner=owner, **facts)

    def change_agent(self, name: str, **facts: Any) -> Any:
        """Changes what an agent is said to be, and what it may do."""
        agent = self.lobby.agent(name).change(**facts)
        may = (agent.can_broadcast, agent.manage_rooms, agent.allowed_recipients)
        return agent, may, agent.enabled, agent.paused, agent.role, agent.machine

    def start(
        self,
        agent: str,
        *,
        thread: str | None = None,
        label: str | None = None,
        acts_for: str | None = None,
    ) -> Any:
        """Names a conversation of an agent, which starts it if need be."""
        found = self.lobby.conversation(
            agent, thread=thread, label=label, acts_for=acts_for
        )
        return found, found.label, found.labels, found.thread, found.acts_for

    def rename(self, who: str, label: str) -> Any:
        """Gives a conversation another label."""
        actor = self.actor(who)
        return actor.rename(label) if isinstance(actor, Conversation) else None

    def claim(
        self, who: str, *, runtime: str | None = None, generation: int | None = None
    ) -> Any:
        """Claims a conversation for a runtime."""
        actor = self.actor(who)
        if not isinstance(actor, Conversation):
            return None
        self.claims.append(actor.claim(runtime, generation=generation))
        return self.claims[-1], self.claims[-1].nonce, self.claims[-1].is_ready

    def ready(
        self, claim: int = 0, *, revision: int = 0, nonce: str | None = None
    ) -> Any:
        """Says that a runtime has read its context."""
        if not self.claims:
            return None
        one = nth(self.claims, claim)
        asked = one.bootstrap()
        one.ready(revision, one.nonce if asked is None else nonce or asked.nonce)
        return asked

    def reset_runtime(self, who: str) -> Any:
        """Takes a conversation away from whoever claimed it."""
        actor = self.actor(who)
        return actor.reset_runtime() if isinstance(actor, Conversation) else None

    def rest_agents(
        self, agents: Sequence[str], *, by: str, minutes: int | None = None
    ) -> Any:
        """Lets other agents rest, for so long."""
        for_ = None if minutes is None else timedelta(minutes=minutes)
        until = None if for_ is None else self.clock() + for_
        return self.lobby.rest(agents, by=self.actor(by), until=until)

    def resume_agents(self, agents: Sequence[str], *, by: str) -> Any:
        """Lets agents that rest go on."""
        return self.lobby.resume(agents, by=self.actor(by))

    def retry(self, name: str) -> Any:
        """Lets the tries of an agent's pushes begin anew."""
        return self.lobby.agent(name).retry()

    def confirm(self, place: int, *, by: str, stage: str = "attempted") -> Any:
        """Says what became of a push of those that were sent."""
        push = nth(self.pushes, place).id if self.pushes else "push_ben.00000001"
        return self.lobby.confirm(push, by=self.actor(by), stage=stage)

    def switch_hive(self, agent: str, *, on: bool | None) -> Any:
        """Lets an agent have a hive, or not."""
        return self.lobby.agent(agent).switch_hive(on).hive

    def set_public(self, who: str, *, public: bool | None) -> Any:
        """Notes whether a conversation is public."""
        actor = self.actor(who)
        if not isinstance(actor, Conversation):
            return None
        return actor.set_public(public).public

    def check_in(self, who: str) -> Any:
        """Says that a conversation's helper is there."""
        actor = self.actor(who)
        return actor.check_in() if isinstance(actor, Conversation) else None

    def report_work(self, who: str, event: str, **told: Any) -> None:
        """Says that a turn started or stopped."""
        one = self.actor(who)
        if isinstance(one, Conversation):
            report: Any = one.report_work
            report(event, **told)

    def strip(self, agent: str) -> Any:
        """When an agent worked in the last day."""
        return self.lobby.agent(agent).strip()

    def set_status(self, who: str, text: str) -> None:
        """Keeps a line for the peers."""
        self.lobby.set_status(text, by=self.actor(who))

    def set_owner_requests(self, who: str, count: int, text: str = "") -> None:
        """Says what waits on the owner."""
        self.lobby.set_owner_requests(count, text, by=self.actor(who))

    def list_agents(self, who: str) -> Any:
        """Whoever takes part, as others find them."""
        return self.lobby.list_agents(by=self.actor(who))
