"""
What a stage does with a team: the person's calls, and those of its members.

Law: a call is played by whoever is said to act, whether it may or not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from rooms.lobby import Lobby, Room
from rooms.lobby.team.member import Member
from rooms.lobby.team.person import Team
from rooms.team import Blueprint, Destination, MemberPlan

__all__ = ["ACTIONS", "play"]

_SOON = timedelta(seconds=30)


def _member(key: str, agent: str, **more: Any) -> MemberPlan:
    told = {"responsibility": key, "mandate": f"Do {key}.", **more}
    return MemberPlan(key=key, agent=agent, **told)


BLUEPRINT = Blueprint(
    title="a team",
    objective="It is done.",
    approach="Together.",
    success_criteria=["It is seen."],
    members=[
        _member("lead", "ben", lead=True, tools=["read"]),
        _member("hand", "Eve", tools=["read", "edit"]),
        _member("eye", "cy", access="read_only", tools=["read"]),
    ],
    delivery=Destination("chat_post", {"channel": "ops"}),
)


def _answer(team: Team, *, approved: bool) -> Any:
    waiting = [one for one in team.approvals if not one.approved]
    named = waiting[0].id if waiting else "none"
    return str(team.resolve_approval(named, approved=approved))


_PERSONS: Mapping[str, Callable[[Team, str], Any]] = {
    "start": lambda team, _: str(team.start()),
    "adjust": lambda team, key: team.adjust(key, BLUEPRINT),
    "pause": lambda team, key: str(team.pause(key)),
    "unpause": lambda team, key: str(team.resume(key)),
    "cancel": lambda team, key: str(team.cancel(key)),
    "delete": lambda team, _: team.delete(),
    "say yes": lambda team, _: _answer(team, approved=True),
    "say no": lambda team, _: _answer(team, approved=False),
    "intervene": lambda team, key: team.intervene("Go on.", to=[key]).woken,
    "answer": lambda team, key: team.answer(key, "That one.").woken,
    "let go": lambda team, key: str(team.release(key)),
    "wake": lambda team, key: str(team.wake(key, "Up!")),
    "look at use": lambda team, _: (team.usage, team.questions),
    "settle": lambda team, _: str(team.settle_completion(delivered=True)),
    "look": lambda team, _: (
        str(team.standing),
        team.members,
        team.approvals,
        team.timeline(limit=5),
    ),
    "look at work": lambda team, _: (
        (team.claims, team.released_claims, team.work),
        [(one, team.read_artifact(one)) for one in team.artifacts],
        team.brief,
    ),
}


def _wait(member: Member, _: str) -> None:
    for one in member.questions[-1:]:
        member.wait(one)


def _take_back(member: Member, _: str) -> None:
    for one in member.questions[:1]:
        member.withdraw_question(one)


_MEMBERS: Mapping[str, Callable[[Member, str], Any]] = {
    "show": lambda member, _: (member.itself, member.roster),
    "tell": lambda member, key: member.send("Do it.", to=[key]).woken,
    "tell quietly": lambda member, key: member.send("L.", to=[key], wake=False).woken,
    "tell all": lambda member, _: member.broadcast("Hear me.", wake=True).woken,
    "question": lambda member, key: member.ask("Which?", to=[key]).waits,
    "question all": lambda member, _: (
        member.ask("Which?", to=["hand", "eye"], wait=False).waits
    ),
    "reply": lambda member, key: [
        member.reply(one, f"By {key}.").woken for one in member.questions[:1]
    ],
    "wait": _wait,
    "take back": _take_back,
    "call the person": lambda member, key: member.request_attention(key).waits,
    "mandate": lambda member, key: member.update_mandate(key, "Do less."),
    "suspend": lambda member, key: member.propose("suspend_member", key),
    "go on": lambda member, key: member.propose("resume_member", key),
    "retire": lambda member, key: member.propose("retire_member", key),
    "narrow": lambda member, key: member.propose(
        "change_configuration", key, tools=["read"]
    ),
    "expand": lambda member, _: member.propose(
        "request_expansion", limit="max_cost", value=9
    ),
    "claim": lambda member, key: member.claim_paths(
        [f"src/{key}", "docs/*.md"], expires_after=_SOON
    ),
    "claim all": lambda member, _: member.claim_paths(["src", "docs"]),
    "release": lambda member, key: member.release_paths([f"src/{key}"]),
    "renew": lambda member, _: member.renew_paths(),
    "work": lambda member, key: member.update_work(title=f"For {key}", owner=key),
    "do work": lambda member, key: [
        member.update_work(one, status=key) for one in member.work[:1]
    ],
    "publish": lambda member, key: member.publish_artifact(
        "decision", f"By {key}", content=f"As {key} said.", about=[key]
    ),
    "note": lambda member, key: member.publish_note(key),
    "read the brief": lambda member, _: member.brief,
    "ask": lambda member, key: member.request_delivery_approval(f"Done by {key}."),
    "finish": lambda member, key: member.finish(f"Done by {key}."),
}

ACTIONS = ("prepare", "recover", "use", *_PERSONS, *_MEMBERS)
"""What may be played."""


def play(lobby: Lobby, do: str, *, by: Any, room: Room | None, key: str) -> Any:
    """
    Plays one action.

    Args:
        lobby: The lobby.
        do: One of `ACTIONS`.
        by: Who acts.
        room: The team's room; None for what is about none.
        key: The member that it is about, or a word.

    Returns:
        What it came to, as a value; for `prepare` the id of the new room.
    """
    if do == "prepare":
        made = lobby.teams(by=by).prepare("Fix it.", BLUEPRINT)
        return made.room.id if isinstance(made, Team) else made
    if do == "recover" or room is None:
        return lobby.recover_teams()
    if do == "use":
        return lobby.report_usage(by, cost="0.7", tokens=100_000, room=room)
    if do in _MEMBERS:
        return _MEMBERS[do](lobby.member(by=by, room=room), key)
    return _PERSONS[do](lobby.teams(by=by).team(room), key)
