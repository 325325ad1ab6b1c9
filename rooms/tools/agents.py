"""Agents as tools: who is here, who may rest, and what a thread is called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rooms.lobby.access.resting import Rested, rest, resume
from rooms.lobby.handles import actor_of, relabel
from rooms.lobby.views.agents import list_agents
from rooms.tools import telling
from rooms.tools.arguments import Argument, Flag, Instant, Many, Text
from rooms.tools.tool import Caller, Tool

__all__ = ["TOOLS"]


def _agents(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    found = list_agents(
        caller.desk,
        by=caller.by,
        waiting=given.get("waiting", False),
        now=caller.now,
    )
    return {
        "you": str(caller.conversation),
        "agents": [
            {
                "agent": str(one.agent),
                "threaded": one.agent.threaded,
                **telling.said(
                    owner=one.agent.owner,
                    work_description=one.work_description,
                    machine=one.machine,
                    paused=one.paused,
                    paused_until=telling.instant(one.paused_until),
                    connected=one.connected,
                    standing=None if one.standing == "away" else one.standing,
                    ready=one.ready,
                    work=telling.work(one.work),
                    last_agent_seen_at=telling.instant(one.last_agent_seen_at),
                    last_message_at=telling.instant(one.last_message_at),
                    status=telling.status(one.status),
                    owner_requests=telling.owner_requests(one.owner_requests),
                    unseen_notified=one.unseen_notified or None,
                    oldest_unseen_notified_at=telling.instant(
                        one.oldest_unseen_notified_at
                    ),
                    attention_required=one.attention_required or None,
                ),
            }
            for one in found
        ],
    }


def _rest_agents(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    found = rest(
        caller.desk,
        given["agents"],
        by=caller.by,
        until=given.get("until"),
        now=caller.now,
    )
    return _rested(found)


def _resume_agents(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    return _rested(resume(caller.desk, given["agents"], by=caller.by, now=caller.now))


def _rested(found: Iterable[Rested]) -> dict[str, Any]:
    return {
        "agents": [
            {
                "agent": str(one.agent),
                "paused": one.paused,
                **telling.said(until=telling.instant(one.until)),
            }
            for one in found
        ]
    }


def _relabel(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    one, desk = caller.conversation, caller.desk
    by = actor_of(caller.by, desk)
    relabel(desk, one, given["label"], by=by, now=caller.now)
    return {"you": str(caller.conversation)}


TOOLS = (
    Tool(
        "list_agents",
        "List the agents of the lobby, and your own address. A threaded agent has many"
        " conversations: its bare name starts a new one.",
        _agents,
        (
            Argument(
                "waiting",
                Flag(),
                "Only those of which something waits on the owner, the longest first.",
                optional=True,
            ),
        ),
        reads=True,
    ),
    Tool(
        "rest_agents",
        "Let other agents have nothing delivered for a while: what is said to them is"
        " owed, and comes when they go on. What they do meanwhile goes on.",
        _rest_agents,
        (
            Argument("agents", Many(Text(1), 100), "Agents: their ids."),
            Argument(
                "until",
                Instant(),
                "When they go on by themselves, with a zone, as 2026-03-02T12:00:00Z;"
                " without it you have to resume them.",
                optional=True,
            ),
        ),
        needs="lead",
    ),
    Tool(
        "resume_agents",
        "Let agents that rest go on: what came meanwhile is delivered at once.",
        _resume_agents,
        (Argument("agents", Many(Text(1), 100), "Agents: their ids."),),
        needs="lead",
    ),
    Tool(
        "set_label",
        "Change the label of your conversation, by which it is addressed; former labels"
        " go on reaching it.",
        _relabel,
        (Argument("label", Text(1), "Two to five words for what you work on."),),
        needs="label",
    ),
)
