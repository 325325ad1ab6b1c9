"""Whom and what the lobby knows: lobbies, agents, persons, conversations, tokens."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["NAMING"]

NAMING: Mapping[str, Code] = {
    "lobby_required": Code(
        "No lobby is named, and there is not exactly one.",
        "Name one of `lobbies.listed()`.",
        400,
    ),
    "lobby_not_found": Code(
        "No lobby of that id is in the folder.",
        "Look at `lobbies.listed()`, or create it.",
        404,
    ),
    "lobby_exists": Code(
        "A lobby of that id is there, or was: an id is never given again.",
        "Open it, or choose another id.",
        409,
    ),
    "lobby_capacity": Code(
        "The folder holds as many lobbies as it may.",
        "Delete one, or open the registry with a larger `most`.",
        409,
    ),
    "confirmation_mismatch": Code(
        "What confirms a deletion is not the id of what is deleted.",
        "Give the id once more, exactly.",
        400,
    ),
    "agent_required": Code(
        "A person was named where only an agent's conversation can act.",
        "Pass a conversation, a turn or a claim; people take no seats.",
        400,
    ),
    "agent_not_found": Code(
        "No agent of that name is in the lobby.",
        "Add it with `add_agent`, or look at `lobby.agents`.",
        404,
    ),
    "agent_exists": Code(
        "An agent of that name is there already, with other facts.",
        "Use it as it is, see `current`, or choose another name.",
        409,
    ),
    "agent_capacity": Code(
        "The lobby holds as many agents as it may.",
        "Open it with a larger `max_agents`.",
        409,
    ),
    "agent_disabled": Code(
        "The agent takes no part at present, and acts nowhere.",
        "The host enables it: `agent.change(enabled=True)`.",
        403,
    ),
    "person_not_found": Code(
        "No person of that name is known in this lobby.",
        "Use a handle that this lobby gave: `lobby.person(name)` notes a new one.",
        404,
    ),
    "person_required": Code(
        "Only a person's own word is enough, and nobody's stands behind the actor.",
        "Let the person ask: `lobby.turn(conversation, word_of=person)`.",
        403,
    ),
    "ambiguous_name": Code(
        "Several rooms that the asker may know of are called so.",
        "Use one of the ids in `current`.",
        409,
    ),
    "unknown_conversation": Code(
        "The agent has no conversation of that id.",
        "Ask the agent for it by its thread or label.",
        404,
    ),
    "conversation_exists": Code(
        "The conversation is there already, and acts for somebody else.",
        "Use another thread or label: whom it acts for is said at its start.",
        409,
    ),
    "thread_bound": Code(
        "The host's thread carries another conversation of the agent.",
        "Use the conversation in `current`, or bind another thread.",
        409,
    ),
    "token_exists": Code(
        "The agent or the person has a token already.",
        "Use it, or make another one with `rotate`, which voids it.",
        409,
    ),
    "unauthorized": Code(
        "The token is unknown here, void, or of an agent that is disabled.",
        "Use the one that was shown last; the host makes another with `rotate`.",
        401,
    ),
}
