"""
Rooms as tools: what an agent may do over a lobby, for a model that calls functions.

A framework needs a few lines::

    from rooms import RoomsError, tools

    functions = tools.catalog(eve, dialect="openai").tools
    for use in ask_the_model(messages, tools=functions):
        try:
            answer = tools.call(use.name, use.arguments, by=eve)
        except RoomsError as error:
            answer = tools.refusal(error)

A call goes the way of the Python call behind it, with the caller's identity: the same
rules, gate, fence and request ids. `server` hands the same tools to clients of the
Model Context Protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from rooms.errors import RoomsError
from rooms.lobby import Claim, Conversation, Turn
from rooms.tools import telling
from rooms.tools.calling import call_tool, caller_of
from rooms.tools.catalogue import Catalog, catalog_of
from rooms.tools.permissions import Withheld

if TYPE_CHECKING:
    from mcp.server import Server

__all__ = ["Catalog", "Withheld", "call", "catalog", "refusal", "server"]


def catalog(
    actor: Conversation | Turn | Claim,
    dialect: Literal["plain", "openai", "mcp"] = "plain",
) -> Catalog:
    """
    What an agent may do over its lobby, with a JSON Schema for each tool.

    Args:
        actor: For whom: a conversation, or a turn or claim of it. A turn offers what
            stands behind it: with `word_of`, what takes that person's word.
        dialect: The form of the tools. `plain`: name, description, input_schema and
            summary. `openai`: what chat completions take as `tools`. `mcp`: what
            `tools/list` answers.

    Raises:
        InvalidInput: `agent_required` for a person; `invalid_request` for another
            dialect or actor.

    Guarantees: the same permissions and version give the same revision, in every
    process. It is read without a claim that is current: a stale one may look.

    Source: L-TOOL-01, L-TOOL-02, L-TOOL-03.
    """
    return catalog_of(caller_of(actor, holder=None, now=None), dialect)


def call(
    name: str,
    arguments: Mapping[str, Any] | str,
    *,
    by: Conversation | Turn | Claim,
    holder: str | None = None,
    now: datetime | None = None,
) -> dict[str, Any]:
    """
    Does what a model asks for, by the identity of `by`; the answer is JSON's own types.

    Args:
        name: The tool's name.
        arguments: Its arguments: an object, or the JSON text of one.
        by: Who calls: a conversation, turn or claim. What a turn may, that a room woke,
            is what such a turn may.
        holder: Who takes wakes; the calling thread unless given, as `take_wakes`.
        now: The instant of the call; the lobby's clock unless given.

    Raises:
        NotFound: `unknown_tool`, with the `closest` name.
        NotAllowed: `tool_forbidden`, with the `reason` for which it is withheld;
            `operation_not_dispatchable` for what is not a model's to call.
        InvalidInput: `invalid_request` for an argument that is missing, unknown or
            wrong, with the `arguments` that the tool takes; `invalid_json`.
        RoomsError: What the Python call behind the tool raises.

    Source: L-TOOL-04 to L-TOOL-07.
    """
    return call_tool(caller_of(by, holder=holder, now=now), name, arguments)


def refusal(error: RoomsError) -> dict[str, Any]:
    """
    An error as an answer to a model: `{"error": {"code", "message", "details"}}`.
    """
    return telling.refusal(error)


def server(by: Conversation | Claim, *, name: str = "rooms") -> Server[Any]:
    """
    A server of the Model Context Protocol that offers the tools to one agent.

    Run it over any transport of the package `mcp`, for example over stdio::

        async with mcp.server.stdio.stdio_server() as streams:
            await server.run(*streams, server.create_initialization_options())

    Calls are done in worker threads, one after the other. Errors of the lobby are
    answers with `isError`, for the model to do better.

    Args:
        by: The agent's conversation, or a claim on it.
        name: What the server is called.

    Raises:
        MissingExtra: `missing_extra` without the package `mcp`, which
            the extra `mcp` brings.
        InvalidInput: As `catalog`.
    """
    from rooms.tools.serving import server_for  # noqa: PLC0415 - an extra

    return server_for(caller_of(by, holder=None, now=None), name=name)
