"""
Blueprints: what a team is to be, as a planner drew it and a person reads it.

Two laws. A blueprint may be wrong, so that all that is wrong with it is told at once
(`rooms.team.validation`); what is refused here is what is none, such as a number for a
title. And it has two halves: the words, which are people's and stand in bodies, and the
plan, which rules read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

from attrs import Attribute, evolve, field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.team.access import LEVELS, Access, check_tools
from rooms.team.delivery import Destination
from rooms.team.limits import TeamLimits

__all__ = ["Blueprint", "MemberPlan", "WorkspaceMode"]

_LONGEST = 20_000
_MOST_MEMBERS = 1_000
_MOST_CRITERIA = 100


class WorkspaceMode(StrEnum):
    """How far members share one tree, the narrowest first (S-WORKSPACE-01)."""

    READ_ONLY_SHARED = "read_only_shared"
    WORKTREE_PER_MEMBER = "worktree_per_member"
    SHARED_WORKING_TREE = "shared_working_tree"


def _words(_: Any, attribute: Attribute[Any], value: Any) -> None:
    check_words(attribute.name, value)


def check_words(name: str, value: Any, *, most: int = _LONGEST) -> str:
    """Text of at most so many characters that every storage can keep."""
    written = values.storable(name, value)
    if len(written) > most:
        raise InvalidInput(
            name, f"has {len(written)} characters", allowed=f"at most {most}"
        )
    return written


def _name(_: Any, attribute: Attribute[Any], value: Any) -> None:
    check_words(attribute.name, value, most=128)


def _flag(_: Any, attribute: Attribute[Any], value: Any) -> None:
    values.flag(attribute.name, value)


def _access(value: Any) -> Access:
    return Access(values.member("access", value, LEVELS))


def _mode(value: Any) -> WorkspaceMode:
    return WorkspaceMode(values.member("workspace", value, WorkspaceMode))


def _tools(value: Any) -> tuple[str, ...]:
    return check_tools("tools", value)


def _skills(value: Any) -> tuple[str, ...]:
    return check_tools("skills", value)


def _several(name: str, given: Any, *, most: int) -> tuple[Any, ...]:
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        kind = type(given).__name__
        raise InvalidInput(name, f"is of type {kind}", allowed="several")
    told = tuple(given)
    values.whole_number(f"{name} (how many)", len(told), at_least=0, at_most=most)
    return told


def _criteria(value: Any) -> tuple[str, ...]:
    told = _several("success_criteria", value, most=_MOST_CRITERIA)
    for place, one in enumerate(told):
        check_words(f"success_criteria[{place}]", one)
    return told


def _members(value: Any) -> tuple[MemberPlan, ...]:
    planned = _several("members", value, most=_MOST_MEMBERS)
    for place, one in enumerate(planned):
        if not isinstance(one, MemberPlan):
            kind = type(one).__name__
            raise InvalidInput(
                f"members[{place}]", f"is of type {kind}", allowed="a MemberPlan"
            )
    return planned


def _of(kind: type[Any]) -> Any:
    def check(_: Any, attribute: Attribute[Any], value: Any) -> None:
        if not isinstance(value, kind):
            raise InvalidInput(
                attribute.name,
                f"is of type {type(value).__name__}",
                allowed=f"a {kind.__name__}",
            )

    return check


@frozen(kw_only=True)
class MemberPlan:
    """
    One member of a team to be.

    Attributes:
        key: What the team calls it, such as `builder`.
        responsibility: What it answers for; no team is prepared without.
        mandate: What it is told to do; instructions, and no authority (S-ACCESS-11). No
            team is prepared without.
        agent: The agent of the lobby that works as this member; by itself the one that
            is called as the key. It has to be there when the team is started.
        lead: Whether it is the conductor.
        access: Its permission level.
        tools: The names of the tools that it asks for.
        skills: The names of the skills that it asks for.
        model: The model that it runs on; "" leaves it to the host.
        thinking: How much it thinks, in the host's word; "" leaves it to the host.
        network: Whether it reaches the network.
    """

    key: str = field(validator=_name)
    responsibility: str = field(default="", validator=_words)
    mandate: str = field(default="", validator=_words)
    agent: str = field(validator=_name)
    lead: bool = field(default=False, validator=_flag)
    access: Access = field(default=Access.EDIT_WORKSPACE, converter=_access)
    tools: tuple[str, ...] = field(default=(), converter=_tools)
    skills: tuple[str, ...] = field(default=(), converter=_skills)
    model: str = field(default="", validator=_name)
    thinking: str = field(default="", validator=_name)
    network: bool = field(default=False, validator=_flag)

    @agent.default
    def _called_as_key(self) -> str:
        return self.key

    @property
    def edits(self) -> bool:
        """Whether it changes files."""
        return self.access is not Access.READ_ONLY

    def plan(self) -> dict[str, Any]:
        """What rules read of it, in JSON's own types."""
        return {
            "key": self.key,
            "agent": self.agent,
            "lead": self.lead,
            "access": self.access.value,
            "tools": list(self.tools),
            "skills": list(self.skills),
            "model": self.model,
            "thinking": self.thinking,
            "network": self.network,
        }


@frozen(kw_only=True)
class Blueprint:
    """
    A team to be: what for, who, how far, and where the result goes.

    It may be unfinished: what a team needs of it is told by `rooms.team.faults`.

    Attributes:
        title: What the work is called.
        objective: What is to be reached.
        approach: How.
        success_criteria: By what it is told that it was reached.
        members: Who works on it, one of them the conductor.
        limits: Its ceilings.
        workspace: How far members share one tree.
        delivery: Where the result goes.

    Raises:
        InvalidInput: `invalid_request`, naming the field and what it may be.
    """

    title: str = field(default="", validator=_words)
    objective: str = field(default="", validator=_words)
    approach: str = field(default="", validator=_words)
    success_criteria: tuple[str, ...] = field(default=(), converter=_criteria)
    members: tuple[MemberPlan, ...] = field(default=(), converter=_members)
    limits: TeamLimits = field(factory=TeamLimits, validator=_of(TeamLimits))
    workspace: WorkspaceMode = field(
        default=WorkspaceMode.WORKTREE_PER_MEMBER, converter=_mode
    )
    delivery: Destination = field(factory=Destination, validator=_of(Destination))

    @property
    def conductor(self) -> MemberPlan | None:
        """The member that leads; None where it is not exactly one."""
        leads = [one for one in self.members if one.lead]
        return leads[0] if len(leads) == 1 else None

    def member(self, key: str) -> MemberPlan | None:
        """The member of a key."""
        return next((one for one in self.members if one.key == key), None)

    def with_member(self, member: MemberPlan) -> Blueprint:
        """The blueprint with another member in the place of the one with its key."""
        return evolve(
            self,
            members=[member if one.key == member.key else one for one in self.members],
        )

    def plan(self) -> dict[str, Any]:
        """What rules read of it, in JSON's own types."""
        return {
            "members": [one.plan() for one in self.members],
            "limits": self.limits.recorded(),
            "workspace": self.workspace.value,
            "destination": self.delivery.name,
        }

    def words(self) -> dict[str, Any]:
        """What people worded in it, in JSON's own types."""
        return {
            "title": self.title,
            "objective": self.objective,
            "approach": self.approach,
            "success_criteria": list(self.success_criteria),
            "members": [[one.responsibility, one.mandate] for one in self.members],
            "params": dict(self.delivery.params),
        }

    @classmethod
    def from_record(
        cls, plan: Mapping[str, Any], words: Mapping[str, Any] | None = None
    ) -> Blueprint:
        """
        The blueprint of a record; without its words where they were erased or are not
        needed. What this version does not know is left.
        """
        told = words or {}
        said = told.get("members") or [["", ""] for _ in plan["members"]]
        members = [
            MemberPlan(
                **{name: one[name] for name in _OF_MEMBER if name in one},
                responsibility=responsibility,
                mandate=mandate,
            )
            for one, (responsibility, mandate) in zip(
                plan["members"], said, strict=True
            )
        ]
        return cls(
            **{name: told[name] for name in _OF_TEAM if name in told},
            members=members,
            limits=TeamLimits.from_record(plan["limits"]),
            workspace=plan["workspace"],
            delivery=Destination(plan["destination"], told.get("params") or {}),
        )


_OF_MEMBER = (
    *("key", "agent", "lead", "access", "tools", "skills"),
    *("model", "thinking", "network"),
)
_OF_TEAM = ("title", "objective", "approach", "success_criteria")
