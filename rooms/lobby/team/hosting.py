"""
The host's part in a team: workspaces, the conductor's session, and the sending.

Law: a hook is asked with no lock held and after the commit that says what it is asked
for; what it does wrong becomes a reason on the record, and nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms.errors import RoomsError
from rooms.lobby.handles import Conversation
from rooms.team.workspaces import WorkspaceMode, mode_of

if TYPE_CHECKING:
    from rooms.hooks import HookFailure
    from rooms.lobby.desk import Desk
    from rooms.lobby.room import Room
    from rooms.lobby.team.briefing import Result
    from rooms.log.team_state import MemberState

__all__ = [
    "MemberPlace",
    "Sending",
    "changed_files",
    "open_conductor",
    "place_member",
    "release_member",
    "send",
]

_SELF_DELIVERED = frozenset({"saved_artifact", "workspace_files"})
"""Destinations at which a result is already, so nobody has to send it."""


@frozen
class MemberPlace:
    """
    A member's place, as hooks are handed it.

    Attributes:
        room: The team's room.
        key: What the team calls the member.
        agent: Its agent.
        access: Its permission level.
        mode: `read_only_shared`, `worktree_per_member` or `shared_working_tree`.
        workspace: Where it works, in the host's word; "" before it is placed.
    """

    room: Room
    key: str
    agent: str
    access: str
    mode: str
    workspace: str = ""

    @property
    def edits(self) -> bool:
        """Whether it changes files there."""
        return self.mode != WorkspaceMode.READ_ONLY_SHARED


@frozen
class Sending:
    """
    A result on its way, as hooks are handed it.

    Attributes:
        room: The team's room.
        destination: Where it goes.
        params: What the destination needs to know.
        text: The final answer.
        chat: The chat that the team was started from, or "".
        claim: The record of the claim: the same one is never sent again.
        state: What became of the team: `completing` for its own delivery, else how it
            went, for the chat that is told as well.
        problem: Why the delivery was not taken, where the chat is told so.
        result: What else came of it: artifacts, what is unresolved, time, turns, cost.
    """

    room: Room
    destination: str
    params: Mapping[str, str] = field(hash=False)
    text: str = ""
    chat: str = ""
    claim: str = ""
    state: str = "completing"
    problem: str = ""
    result: Result | None = field(default=None, hash=False)


def place_member(desk: Desk, place: MemberPlace) -> tuple[str, str]:
    """
    Where a member works, and why it has nowhere to, or "".

    A host without the hook has no workspaces to make; where it has, a member that edits
    needs one.
    """
    if desk.plugins is None or not desk.plugins.has("rooms_place_member"):
        return "", ""
    outcome = desk.plugins.first("rooms_place_member", place=place)
    if outcome.answer is not None:
        return str(outcome.answer.value), ""
    return "", _failed(outcome.failures) or ("no workspace" if place.edits else "")


def release_member(desk: Desk, place: MemberPlace, *, keep: bool) -> bool:
    """
    Whether a member's work is safe: saved by the host, or there was nothing to save.
    """
    if desk.plugins is None or not (place.edits or place.workspace):
        return True
    if not desk.plugins.has("rooms_release_member"):
        return True
    outcome = desk.plugins.first("rooms_release_member", place=place, keep=keep)
    return outcome.answer is not None and outcome.answer.value is True


def changed_files(desk: Desk, place: MemberPlace) -> tuple[str, ...]:
    """The files that a member changed, as the host says; none where nobody can."""
    if desk.plugins is None or not desk.plugins.has("rooms_changed_files"):
        return ()
    outcome = desk.plugins.first("rooms_changed_files", place=place)
    return () if outcome.answer is None else tuple(outcome.answer.value)


def open_conductor(desk: Desk, one: Conversation, start: Any) -> str:
    """Why the conductor's session cannot be opened, or "" where it is open."""
    plugins = desk.plugins
    if plugins is None:
        return ""
    if plugins.has("rooms_state"):
        state = plugins.first("rooms_state", conversation=one)
        if state.answer is not None and state.answer.value == "away":
            return "the conductor is away"
    if not one.threaded or one.thread is not None:
        return ""
    if not plugins.has("rooms_start_conversation"):
        return ""
    outcome = plugins.first("rooms_start_conversation", start=start)
    if outcome.answer is None:
        return _failed(outcome.failures)
    return _bound(one, str(outcome.answer.value))


def _bound(one: Conversation, thread: str) -> str:
    """Why a thread cannot carry a conversation, or "" where it does from here on."""
    try:
        one.bind(thread)
    except RoomsError as refused:
        return f"its thread is refused: {refused.code}"
    return ""


def send(desk: Desk, sending: Sending) -> tuple[str, str, str]:
    """
    Sends a result once: `delivered`, `refused` or `failed`, the destination's reference
    and the problem.
    """
    plugins = desk.plugins
    if plugins is not None and plugins.has("rooms_deliver"):
        outcome = plugins.first("rooms_deliver", sending=sending)
        if outcome.answer is not None:
            return "delivered", str(outcome.answer.value), ""
        if outcome.failures:
            return "failed", "", _failed(outcome.failures)
    if sending.destination in _SELF_DELIVERED:
        return "delivered", "", ""
    return "refused", "", f"nobody delivers to {sending.destination}"


def _failed(failures: Sequence[HookFailure]) -> str:
    """What went wrong, without an error's own words, which may quote a message."""
    return "; ".join(
        f"{one.plugin} failed with {type(one.error).__name__}" for one in failures
    )


def members_placed(
    room: Room,
    members: Sequence[MemberState],
    workspace: str,
    *,
    shared_tree: bool,
) -> list[MemberPlace]:
    """The members' places to be."""
    return [
        MemberPlace(
            room,
            one.key,
            one.agent,
            one.access,
            mode_of(one.access, workspace, shared_tree=shared_tree).value,
        )
        for one in members
    ]
