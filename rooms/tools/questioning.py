"""
Questioning: what a member of a team asks, answers and waits for.

Law: a question ends the turn that asks it, unless the model says that it goes on
(S-QUESTION-01, S-QUESTION-03).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rooms.lobby.answers import Posted
from rooms.lobby.team.entrance import member_of
from rooms.lobby.team.member import Member
from rooms.tools import telling
from rooms.tools.arguments import Argument, Flag, Many, Text
from rooms.tools.tool import REQUEST_ID, Caller, Tool

__all__ = ["TOOLS"]

Told = dict[str, Any]


def _member(caller: Caller) -> Member:
    return member_of(caller.desk, by=caller.by, room=None)


def _posted(one: Posted) -> Told:
    return {"room": one.room.id, **telling.posted(one)}


def _broadcast(caller: Caller, given: Mapping[str, Any]) -> Told:
    posted = _member(caller).broadcast(
        given["content"],
        wake=given.get("wake", False),
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return _posted(posted)


def _ask(caller: Caller, given: Mapping[str, Any]) -> Told:
    wait = given.get("wait", True)
    posted = _member(caller).ask(
        given["content"],
        to=given["to"],
        wait=wait,
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return {**_posted(posted), "your_turn_ends": wait}


def _reply(caller: Caller, given: Mapping[str, Any]) -> Told:
    posted = _member(caller).reply(
        given["question"],
        given["content"],
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return _posted(posted)


def _wait(caller: Caller, given: Mapping[str, Any]) -> Told:
    _member(caller).wait(given["question"], now=caller.now)
    return {"waits_on": given["question"]}


def _withdraw(caller: Caller, given: Mapping[str, Any]) -> Told:
    _member(caller).withdraw_question(given["question"], now=caller.now)
    return {"withdrawn": given["question"]}


def _attention(caller: Caller, given: Mapping[str, Any]) -> Told:
    posted = _member(caller).request_attention(
        given["content"], request_id=given.get("request_id"), now=caller.now
    )
    return {**_posted(posted), "your_turn_ends": True}


_QUESTION = Argument("question", Text(1), "The id of the question's message.")

TOOLS = (
    Tool(
        "team_broadcast",
        "Say something to all members of your team. They are told with their next"
        " turns; it wakes them if you ask for it and the team lets you.",
        _broadcast,
        (
            Argument("content", Text(1), "What to say."),
            Argument("wake", Flag(), "Whether it should wake them.", optional=True),
            REQUEST_ID,
        ),
        needs="team_member",
    ),
    Tool(
        "team_ask",
        "Ask members of your team something. Your turn ends with it, and you are woken"
        " by the first answer; with `wait` false you go on, and the answer comes as a"
        " message.",
        _ask,
        (
            Argument("content", Text(1), "The question."),
            Argument("to", Many(Text(1), 100, 1), "The keys of the members."),
            Argument(
                "wait", Flag(), "Whether you wait; true by itself.", optional=True
            ),
            REQUEST_ID,
        ),
        needs="team_member",
    ),
    Tool(
        "team_reply",
        "Answer a question that a member asked you; who asked goes on with it.",
        _reply,
        (_QUESTION, Argument("content", Text(1), "The answer."), REQUEST_ID),
        needs="team_member",
    ),
    Tool(
        "team_wait",
        "Wait for the answer to a question of yours. Your turn ends with it.",
        _wait,
        (_QUESTION,),
        needs="team_member",
    ),
    Tool(
        "team_withdraw_question",
        "Take a question of yours back; the conductor may take back any.",
        _withdraw,
        (_QUESTION,),
        needs="team_member",
    ),
    Tool(
        "team_request_attention",
        "Say that you cannot go on without the person. Your turn ends with it, and only"
        " the person lets you go on: say all that is needed.",
        _attention,
        (Argument("content", Text(1), "What you need, and why."), REQUEST_ID),
        needs="team_member",
    ),
)
