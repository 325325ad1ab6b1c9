"""
Teaming: what a member of a team does, and what its conductor alone does.

Law: who a member is, and of which team, is read from the roster for whoever calls
(S-SURFACE-03, S-SURFACE-05); a model names neither itself nor a room.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from attrs import asdict

from rooms.errors import InvalidInput
from rooms.lobby.team.entrance import member_of
from rooms.lobby.team.member import Member
from rooms.lobby.team.values import Change, TeamMember
from rooms.log.team.changes import DECIDED
from rooms.tools import telling
from rooms.tools.arguments import Argument, Choice, Flag, Many, Text, Whole
from rooms.tools.tool import REQUEST_ID, Caller, Tool

__all__ = ["TOOLS"]


def _member(caller: Caller) -> Member:
    return member_of(caller.desk, by=caller.by, room=None)


def _show(caller: Caller, _: Mapping[str, Any]) -> dict[str, Any]:
    member = _member(caller)
    standing = member.standing
    return {
        "room": member.room.id,
        "status": standing.status,
        "reason": standing.reason,
        "problem": member.problem,
        "you": _told(member.itself),
        "members": [_told(one) for one in member.roster],
        "questions": [
            {"id": one.id, "asker": one.asker, "to": list(one.to), "text": one.text}
            for one in member.questions
        ],
        "waiting_for_the_person": [
            {"id": one.id, "kind": one.kind, "approved": one.approved}
            for one in member.approvals
        ],
    }


def _told(one: TeamMember) -> dict[str, Any]:
    shown = asdict(one, recurse=False)
    shown["conversation"] = None if one.conversation is None else str(one.conversation)
    shown["tools"] = list(one.tools)
    return shown


def _send(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    posted = _member(caller).send(
        given["content"],
        to=given["to"],
        wake=given.get("wake", True),
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return {"room": posted.room.id, **telling.posted(posted)}


def _propose(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    limit = given.get("limit", "")
    change = _member(caller).propose(
        given["kind"],
        given.get("member", ""),
        text=given.get("text", ""),
        tools=given.get("tools"),
        limit=limit,
        value=_value(limit, given.get("value")),
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return _said(change)


def _value(limit: str, written: int | None) -> int | timedelta | None:
    """What a limit should be: seconds for a time, else the number."""
    if written is None or not limit.endswith(("_time", "_idle")):
        return written
    try:
        return timedelta(seconds=written)
    except OverflowError:
        raise InvalidInput("value", "is too long a time", allowed="seconds") from None


def _said(change: Change) -> dict[str, Any]:
    return asdict(change)


def _mandate(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    change = _member(caller).update_mandate(
        given["member"],
        given["text"],
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return _said(change)


def _withdraw(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    _member(caller).withdraw(given["change"], now=caller.now)
    return {"withdrawn": given["change"]}


def _ask(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    member = _member(caller)
    member.request_delivery_approval(
        given["text"], request_id=given.get("request_id"), now=caller.now
    )
    return {"asked": True, "approved": any(one.approved for one in member.approvals)}


def _finish(caller: Caller, given: Mapping[str, Any]) -> dict[str, Any]:
    member = _member(caller)
    member.finish(given["text"], request_id=given.get("request_id"), now=caller.now)
    return {"finished": member.room.id}


_MEMBER = Argument("member", Text(1), "The key of a member, as `team_show` has it.")

TOOLS = (
    Tool(
        "team_show",
        "Look at your team: where it stands, the problem, who is in it, your mandate,"
        " what you may use, and what waits for the person.",
        _show,
        needs="team_member",
        reads=True,
    ),
    Tool(
        "team_send",
        "Say something to members of your team, by their keys. It wakes them, unless"
        " you say otherwise or they wait for an answer.",
        _send,
        (
            Argument("content", Text(1), "What to say."),
            Argument("to", Many(Text(1), 100, 1), "The keys of the members."),
            Argument("wake", Flag(), "Whether it wakes them.", optional=True),
            REQUEST_ID,
        ),
        needs="team_member",
    ),
    Tool(
        "team_update_mandate",
        "Tell a member something else to do: instructions, and nothing else.",
        _mandate,
        (_MEMBER, Argument("text", Text(1), "The new mandate, whole."), REQUEST_ID),
        needs="conductor",
    ),
    Tool(
        "team_propose",
        "Propose a change of your team. What lies within the approval is applied at"
        " once, what widens it waits for the person, and the rest is refused; the"
        " answer says which, and why. Nobody joins a team that has started.",
        _propose,
        (
            Argument(
                "kind",
                Choice(tuple(one.value for one in DECIDED)),
                "What it changes.",
            ),
            Argument(
                "member", Text(0), "The key of the member it is about.", optional=True
            ),
            Argument("text", Text(0), "The words of it, or why.", optional=True),
            Argument(
                "tools",
                Many(Text(1), 200),
                "For `change_configuration`: the tools that the member keeps.",
                optional=True,
            ),
            Argument(
                "limit",
                Text(0),
                "For `lower_soft_limit` and `request_expansion`: which, such as"
                " `max_cost`.",
                optional=True,
            ),
            Argument(
                "value",
                Whole(0),
                "What that limit should be; a time in seconds.",
                optional=True,
            ),
            REQUEST_ID,
        ),
        needs="conductor",
    ),
    Tool(
        "team_withdraw",
        "Take a change back that waits for the person.",
        _withdraw,
        (Argument("change", Text(1), "The change's id."),),
        needs="conductor",
    ),
    Tool(
        "team_request_delivery_approval",
        "Ask the person whether this text may be delivered outside. The yes is to just"
        " this text, and once.",
        _ask,
        (
            Argument("text", Text(1), "The final answer, as it would go out."),
            REQUEST_ID,
        ),
        needs="conductor",
    ),
    Tool(
        "team_finish",
        "Deliver the final answer, and end the team. Nothing goes on afterwards.",
        _finish,
        (Argument("text", Text(1), "The final answer."), REQUEST_ID),
        needs="conductor",
        destroys=True,
    ),
)
