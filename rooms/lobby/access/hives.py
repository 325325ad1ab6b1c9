"""
Hives: the room that one agent's own conversations share.

Three laws. A public conversation comes into its agent's hive at its first turn, and no
other way leads there (G-HIVE-03, G-HIVE-05). One that is private, or of which nobody
knows, reads and never posts (G-HIVE-04, G-HIVE-09). And a hive is in no list, no figure
and no answer to anybody else, but to whom the host lets read every room.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rooms import presets, values
from rooms.addressing import name_key
from rooms.errors import NotAllowed
from rooms.hearing import Mode, Subscription
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, agent_stream, room_stream
from rooms.log import rooms, seats
from rooms.log.access import HIVE
from rooms.log.actors import SYSTEM, Actor
from rooms.log.agents import HiveSwitched, VisibilityNoted
from rooms.log.directory import RoomListed
from rooms.log.events import Event
from rooms.log.rooms import hive_name
from rooms.log.state import RoomState
from rooms.rendering import Notice

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.handles import Conversation

__all__ = [
    "REMIND_AFTER",
    "belongs_in_hive",
    "check_may_join",
    "check_no_hive",
    "hive_of",
    "join_hive",
    "note_visibility",
    "reminder",
    "switch_hive",
]

REMIND_AFTER = timedelta(minutes=5)
"""After so long without a word in the hive a reminder is due (G-HIVE-06)."""

_MOMENT = timedelta(microseconds=1)
_FOLLOWING = Subscription(Mode.NEXT_TURN)


def hive_of(desk: Desk, agent: str) -> str:
    """The id of an agent's hive, or "" before there is one; the lock is held."""
    stream, _, _ = (desk.storage.find(_key(agent)) or "").partition(" ")
    return stream.removeprefix("room:")


def _key(agent: str) -> str:
    return f"hive:{name_key(agent)}"


def _has_hive(desk: Desk, agent: str) -> bool:
    """The agent's own switch, or what the lobby says where it is unset (G-HIVE-02)."""
    switch = desk.talks(agent).hive
    return desk.hives if switch is None else switch


# -- who takes part


def join_hive(
    desk: Desk, one: Conversation, *, by: Actor, now: datetime | None
) -> None:
    """
    Brings a conversation that begins a turn into its agent's hive, where it belongs
    there; the first one makes it.
    """
    with desk.lock:
        if not belongs_in_hive(desk, one):
            return
        found = hive_of(desk, one.agent)
        if found and seats.is_seated(desk.room(found), one.id):
            return
    new = found or desk.ids("room")

    def decide(_: int) -> Decision:
        hive = hive_of(desk, one.agent)
        if not belongs_in_hive(desk, one):
            return Decision()
        state = desk.room(hive) if hive else RoomState()
        joined = seats.join(
            state, one.id, agent=one.agent, threaded=True, subscription=_FOLLOWING
        )
        if hive:
            return Decision({room_stream(hive): joined if _is_out(state, one) else []})
        made = rooms.create_hive(new, one.agent, policy=presets.hall())
        listed: list[Event] = [RoomListed(new, HIVE, hive_name(one.agent))]
        return Decision(
            {room_stream(new): [*made, *joined], LOBBY: listed},
            add={_key(one.agent): ""},
        )

    names = [LOBBY, room_stream(found)] if found else [LOBBY]
    desk.record(decide, *names, by=by, now=now)


def _is_out(hive: RoomState, one: Conversation) -> bool:
    return not seats.is_seated(hive, one.id)


def belongs_in_hive(desk: Desk, one: Conversation) -> bool:
    """
    Whether a conversation is public, of a threaded agent that has a hive; the lock is
    held.
    """
    if not desk.agent(one.agent).threaded or not _has_hive(desk, one.agent):
        return False
    return desk.talks(one.agent).talk(one.id).public is True


def check_may_join(desk: Desk, room: RoomState, one: Conversation) -> None:
    """
    Refuses a conversation that may not take part in a hive.

    Raises:
        NotAllowed: `hive_closed`.
    """
    if room.hive and not belongs_in_hive(desk, one):
        check_no_hive(room)


def check_no_hive(room: RoomState) -> None:
    """
    Refuses what no hive lets happen.

    Raises:
        NotAllowed: `hive_closed`.
    """
    if room.hive:
        raise NotAllowed(
            "hive_closed", "only the agent's public conversations take part in a hive"
        )


# -- what the host says


def switch_hive(
    desk: Desk, agent: str, on: bool | None, *, now: datetime | None
) -> None:
    """As `Agent.switch_hive`, which documents it."""
    wanted = None if on is None else values.flag("on", on)
    stream = agent_stream(agent)

    def decide(_: int) -> Decision:
        same = desk.talks(agent).hive is wanted
        appends: dict[str, Sequence[Event]] = {
            stream: [] if same else [HiveSwitched(wanted)]
        }
        if not (desk.hives if wanted is None else wanted):
            appends |= _emptied(desk, agent, None)
        return Decision(appends)

    desk.record(decide, stream, by=SYSTEM, now=now)


def note_visibility(
    desk: Desk, one: Conversation, public: bool | None, *, now: datetime | None
) -> None:
    """As `Conversation.set_public`, which documents it."""
    wanted = None if public is None else values.flag("public", public)
    stream = agent_stream(one.agent)

    def decide(_: int) -> Decision:
        same = desk.talks(one.agent).talk(one.id).public is wanted
        appends: dict[str, Sequence[Event]] = {
            stream: [] if same else [VisibilityNoted(one.id, wanted)]
        }
        if not wanted:
            appends |= _emptied(desk, one.agent, one.id)
        return Decision(appends)

    desk.record(decide, stream, by=SYSTEM, now=now)


def _emptied(
    desk: Desk, agent: str, conversation: str | None
) -> dict[str, Sequence[Event]]:
    """The hive of an agent without this conversation, or without all of them."""
    hive = hive_of(desk, agent)
    if not hive:
        return {}
    state = desk.room(hive)
    named = list(state.seats) if conversation is None else [conversation]
    seated = [state.seats[one] for one in named if one in state.seats]
    return {
        room_stream(hive): [
            event for seat in seated for event in seats.leave(seat, why="removed")
        ]
    }


# -- the reminder


def reminder(
    desk: Desk,
    one: Conversation,
    *,
    worked_at: datetime,
    after: timedelta,
    now: datetime | None,
) -> Notice | None:
    """As `Conversation.hive_reminder`, which documents it."""
    worked = values.micros("worked_at", worked_at)
    quiet = values.duration("after", after, at_least=_MOMENT) // _MOMENT
    desk.check_usable()
    at = desk.time(now)
    with desk.lock:
        hive = hive_of(desk, one.agent)
        if not hive or _is_out(desk.room(hive), one):
            return None
        row = desk.views.asked(lambda: desk.views.row("room", hive, "seat", one.id))
    if row is None or at - row["said"] < quiet or worked <= row["said"]:
        return None
    return Notice("hive_reminder", {"room": hive_name(one.agent)})
