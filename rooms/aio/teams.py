"""Teams for asyncio hosts: the same two surfaces, each call awaited."""

from __future__ import annotations

from typing import Any

from rooms.aio.calls import Call, Handle, call, got
from rooms.lobby.team import member as members
from rooms.lobby.team import person as persons
from rooms.lobby.team.claiming import Claiming
from rooms.lobby.team.producing import Producing
from rooms.lobby.team.questioning import Questioning
from rooms.team import Questions

__all__ = ["Member", "Team", "Teams", "member_made", "teams_made"]


class Team(Handle):
    """A team, as the person who answers for it has it: `rooms.Team`."""

    sync: persons.Team

    standing = got(lambda team: team.standing, "Where it stands, and why")
    status = got(lambda team: team.status, "Its status")
    problem = got(lambda team: team.problem, "The problem, word for word")
    blueprint = got(lambda team: team.blueprint, "What it is to be")
    proposal = got(lambda team: team.proposal, "What the person approves")
    limits = got(lambda team: team.limits, "Its ceilings")
    members = got(lambda team: team.members, "Its members")
    approvals = got(lambda team: team.approvals, "What waits for an answer")
    claims = got(lambda team: team.claims, "What its members claim")
    released_claims = got(lambda team: team.released_claims, "What they claimed")
    work = got(lambda team: team.work, "All its work")
    artifacts = got(lambda team: team.artifacts, "What came of its work")
    brief = got(lambda team: team.brief, "What it is about, and where it stands")
    read_artifact = call(persons.Team.read_artifact)
    questions = got(lambda team: team.questions, "What nobody has answered")
    usage = got(lambda team: team.usage, "What it has used so far")
    timeline = call(persons.Team.timeline)
    adjust = call(persons.Team.adjust)
    start = call(persons.Team.start)
    pause = call(persons.Team.pause)
    resume = call(persons.Team.resume)
    cancel = call(persons.Team.cancel)
    delete = call(persons.Team.delete)
    settle_completion = call(persons.Team.settle_completion)
    resolve_approval = call(persons.Team.resolve_approval)
    intervene = call(persons.Team.intervene)
    answer = call(persons.Team.answer)
    release = call(persons.Team.release)
    wake = call(persons.Team.wake)


def _team(handle: Handle, team: Any) -> Any:
    return team if isinstance(team, Questions) else Team(team, handle.worker)


class Teams(Handle):
    """A person's surface: makes teams, and finds them."""

    sync: persons.Teams

    prepare: Call[..., Team | Questions] = Call(
        persons.Teams.prepare, _team, brief=False
    )
    team: Call[..., Team] = Call(persons.Teams.team, _team, brief=False)


class Member(Handle):
    """A member of a team, as it acts itself: `rooms.Member`."""

    sync: members.Member

    itself = got(lambda member: member.itself, "Itself")
    roster = got(lambda member: member.roster, "All members of the team")
    problem = got(lambda member: member.problem, "The problem, word for word")
    standing = got(lambda member: member.standing, "Where the team stands")
    approvals = got(lambda member: member.approvals, "What waits for the person")
    brief = got(lambda member: member.brief, "What concerns it, in a page")
    claims = got(lambda member: member.claims, "What all members claim")
    work = got(lambda member: member.work, "All the work of the team")
    artifacts = got(lambda member: member.artifacts, "What came of the work")
    collect = call(members.Member.collect, brief=False)
    claim_paths = call(Claiming.claim_paths)
    release_paths = call(Claiming.release_paths)
    renew_paths = call(Claiming.renew_paths)
    update_work = call(Producing.update_work)
    publish_artifact = call(Producing.publish_artifact)
    read_artifact = call(Producing.read_artifact)
    publish_note = call(Producing.publish_note)
    questions = got(lambda member: member.questions, "What nobody has answered")
    send = call(members.Member.send)
    broadcast = call(members.Member.broadcast)
    ask = call(Questioning.ask)
    reply = call(Questioning.reply)
    wait = call(Questioning.wait)
    withdraw_question = call(Questioning.withdraw_question)
    request_attention = call(Questioning.request_attention)
    update_mandate = call(members.Member.update_mandate)
    propose = call(members.Member.propose)
    withdraw = call(members.Member.withdraw)
    request_delivery_approval = call(members.Member.request_delivery_approval)
    finish = call(members.Member.finish)


def teams_made(handle: Handle, teams: persons.Teams) -> Teams:
    """A person's surface of a handle."""
    return Teams(teams, handle.worker)


def member_made(handle: Handle, member: members.Member) -> Member:
    """A member's surface of a handle."""
    return Member(member, handle.worker)
