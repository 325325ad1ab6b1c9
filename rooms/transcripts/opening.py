"""
A room whose history is a transcript from elsewhere.

Three laws. History wakes nobody and owes nothing: it was said before there was a room.
What is wrong is found before anything is recorded, and a room that could not be filled
does not stay. And a message keeps its time, or has that of the one before, but never an
earlier one than the lobby's log has reached: time in a log does not go back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import evolve, field, frozen

from rooms import presets, values
from rooms.addressing import check_agent_id
from rooms.errors import InvalidInput, NotFound, RoomsError
from rooms.hearing import Mode
from rooms.policy import RoomPolicy
from rooms.transcripts.recorded import Recorded, Transcript

if TYPE_CHECKING:
    from rooms.lobby import Conversation, Lobby, Message, Person, Room

__all__ = ["History", "open_room"]


@frozen
class History:
    """
    A room that was made of a transcript.

    Attributes:
        room: The room, with the policy that was asked for.
        messages: Its messages, oldest first. In a lobby whose log is younger than they
            are they have the time at which they were put in.
        told: What each of them was made of, place by place, with its own time.
        left_out: What is no message: a pass, an event without words, a failure.
    """

    room: Room
    messages: tuple[Message, ...] = field(repr=False)
    told: tuple[Recorded, ...] = field(repr=False)
    left_out: tuple[Recorded, ...] = field(default=(), repr=False)


def open_room(
    lobby: Lobby,
    name: str,
    transcript: Transcript,
    *,
    by: Person,
    policy: RoomPolicy | str | None = None,
    agents: Iterable[str] = (),
    names: Mapping[str, str] | None = None,
) -> History:
    r"""
    Makes a room of a transcript: who spoke is there, and what was said is its history.

    Agents are added where they are not there yet, and have a seat each, the roster's in
    its order; whoever else spoke is a person.

    Args:
        lobby: Where.
        name: What the room is called.
        transcript: As `read` gives it.
        by: Who opens it, and owns it.
        policy: What the room keeps to from then on, or a preset's name; its limits do
            not count for the history.
        agents: Who of the speakers is an agent, beside the transcript's roster and
            those of whom it says so.
        names: What speakers are called here, where it is not what they are called
            there: ids of agents have letters, digits, `_`, `.` and `-` alone.

    Raises:
        InvalidInput: `invalid_request` with the line for an event of the future, words
            that cannot be stored, and a speaker who is both agent and person; for a
            name that no agent may have; `reserved_identity`.
        Conflict: `room_exists`.
        Refused: What adding an agent, joining and posting may be refused with; then
            there is no such room.

    >>> from rooms import Lobby
    >>> from rooms.transcripts import read
    >>> lines = ["[2026-01-05 09:00] ana: Go.\n", "[2026-01-05 09:01] eve: Gone."]
    >>> said = read(lines, "chat")
    >>> lobby = Lobby.in_memory()
    >>> made = open_room(lobby, "old", said, by=lobby.person("ana"), agents=["eve"])
    >>> [(str(one.sender), one.content) for one in made.messages]
    [('person:ana', 'Go.'), ('agent:eve', 'Gone.')]
    """
    from rooms.lobby.given import check_lobby  # noqa: PLC0415 - loads the lobby

    check_lobby(lobby)
    given: Any = transcript
    if not isinstance(given, Transcript):
        kind = type(given).__name__
        raise InvalidInput("transcript", f"is of type {kind}", allowed="a Transcript")
    cast = _cast(transcript, agents, names)
    said = [one for one in transcript.events if _is_message(one)]
    _check(said, lobby)
    first = next((one.at for one in said if one.at is not None), None)
    chosen = _policy(policy)
    room = lobby.create_room(name, by=by, policy=_while_filling(chosen), now=first)
    try:
        seated = _seated(lobby, room, cast, first)
        filled = _filled(lobby, room, said, cast, seated)
        for one in seated.values():
            room.subscribe(by=one, mode=chosen.default_mode)
        room.change_policy(chosen, by=by)
    except BaseException:  # an interrupt too: half a history is none
        with suppress(RoomsError):
            room.delete(by=by)
        raise
    left_out = tuple(one for one in transcript.events if not _is_message(one))
    return History(room, filled, tuple(said), left_out)


def _is_message(one: Recorded) -> bool:
    silent = one.event.passed or not one.event.content.strip()
    return not silent and not one.failed


def _policy(given: RoomPolicy | str | None) -> RoomPolicy:
    if given is None:
        return RoomPolicy()
    return given if isinstance(given, RoomPolicy) else presets.named(given)


def _while_filling(policy: RoomPolicy) -> RoomPolicy:
    """The policy, without what would plan, hold or refuse a message of long ago."""
    return evolve(
        policy,
        people="post",
        mentions="off",
        membership="open",
        max_members=None,
        audience="heard",
        sessions="shared",
        settle_on="read",
        wake_window=None,
        send_window=None,
        pair_window=None,
        max_hops=None,
        max_message_chars=None,
        max_message_bytes=None,
        backlog=None,
        planner="none",
        retention=None,
    )


def _cast(
    transcript: Transcript, agents: Iterable[str], names: Mapping[str, str] | None
) -> dict[str, tuple[bool, str]]:
    """For each speaker whether it is an agent, and what it is called here."""
    here: Any = {} if names is None else names
    if not isinstance(here, Mapping):
        kind = type(here).__name__
        raise InvalidInput("names", f"is of type {kind}", allowed="a mapping")
    named = {*values.names("agents", agents), *(transcript.roster or ())}
    cast = {name: (True, name) for name in transcript.roster or ()}
    for one in transcript.events:
        speaker, human = one.event.speaker, one.event.human
        is_agent = speaker in named if human is None else not human
        known = cast.setdefault(speaker, (is_agent, speaker))
        if known[0] is not is_agent:
            problem = f"is of {speaker[:60]!a}, an agent here and a person there"
            raise InvalidInput(f"line {one.line}", problem, allowed="one of both")
    for speaker, (is_agent, _) in cast.items():
        called = values.text("names", here.get(speaker, speaker), empty=False)
        cast[speaker] = is_agent, check_agent_id(called) if is_agent else called
    return cast


def _check(said: list[Recorded], lobby: Lobby) -> None:
    now = lobby._desk.clock()  # noqa: SLF001 - our own handle
    for one in said:
        values.storable(f"line {one.line}: content", one.event.content)
        if one.at is not None and values.instant(f"line {one.line}: at", one.at) > now:
            problem = f"is of {one.at.isoformat()}, which is still to come"
            allowed = f"at most {now.isoformat()}"
            raise InvalidInput(f"line {one.line}", problem, allowed=allowed)


def _seated(
    lobby: Lobby,
    room: Room,
    cast: Mapping[str, tuple[bool, str]],
    first: datetime | None,
) -> dict[str, Conversation]:
    """A seat for each agent, which is told nothing while the room is filled."""
    seated: dict[str, Conversation] = {}
    for is_agent, called in cast.values():
        if is_agent and called not in seated:
            seated[called] = _conversation(lobby, called, first)
            room.join(by=seated[called], mode=Mode.ON_DEMAND, now=first)
    return seated


def _conversation(lobby: Lobby, name: str, first: datetime | None) -> Conversation:
    with suppress(NotFound):
        return lobby.agent(name).conversation()
    return lobby.add_agent(name, now=first).conversation()


def _filled(
    lobby: Lobby,
    room: Room,
    said: list[Recorded],
    cast: Mapping[str, tuple[bool, str]],
    seated: Mapping[str, Conversation],
) -> tuple[Message, ...]:
    filled, at = [], None
    with lobby.batch():
        for one in said:
            is_agent, called = cast[one.event.speaker]
            speaker: Any = seated[called] if is_agent else lobby.person(called)
            at = one.at or at
            named = [cast[name] for name in one.to if name in cast]
            to = [seated[name] for agent, name in named if agent and name != called]
            posted = room.post(one.event.content, by=speaker, silent=to, now=at)
            filled.append(posted.message)
    return tuple(filled)
