"""
A run that was played: its log, what happened in it, and why.

Law: everything but the host's own notes is read from the log, which is the run.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from rooms import values
from rooms.errors import NotFound
from rooms.simulation.checking import repeated_by
from rooms.simulation.chronicle import COLUMNS, chronicled
from rooms.simulation.report import refusals, reported
from rooms.simulation.teams import is_team, opened_by

if TYPE_CHECKING:
    from rooms.lobby import Lobby, Person, Team
    from rooms.log.explaining import Explanation, SeatExplanation
    from rooms.simulation.scenario import Scenario
    from rooms.storage import Storage

__all__ = ["RECORDS", "Noted", "Run"]

_DIGEST_BYTES = 16
_COLUMNS = {
    **COLUMNS,
    "notes": ("at", "what", "who", "detail"),
    "refusals": ("at", "who", "to", "code", "count", "text", "problem"),
}

RECORDS = tuple(_COLUMNS)
"""The kinds of rows that `Run.records` gives."""


@frozen
class Noted:
    """
    Something that befell the host of a run, and stands in no log.

    Attributes:
        at: When.
        what: `crashed`, `restarted`, `refused`, `unresolved` for words to somebody who
            is not there, `delivered`, `storage_failed`, `plugin_failed`, `turn_lost`,
            `turn_refused`.
        who: The agent that it concerns, or "".
        detail: The error's code, or the plugin's name, or where a result was sent.
        to: Whom it was to reach, for something that was said.
        text: What was said, or the tool that was called.
        problem: The error in words.
    """

    at: datetime
    what: str
    who: str = ""
    detail: str = ""
    to: tuple[str, ...] = ()
    text: str = ""
    problem: str = ""


@define(eq=False, slots=False, repr=False)
class Run:
    """
    A simulated run.

    Attributes:
        scenario: What it was played from.
        seed: What its chance was drawn from.
        reason: Why it ended: `quiet`, nothing was to come; `time`, it reached its end;
            `bound`, it took as many steps as it may.
        ended: When, on its own clock.
        lobby: The lobby as it stands then, to be asked anything.
        notes: What befell the host.
    """

    scenario: Scenario
    seed: int
    reason: str
    ended: datetime
    lobby: Lobby
    notes: tuple[Noted, ...]
    storage: Storage = field(repr=False)
    acknowledged: Mapping[str, tuple[str, str]] = field(repr=False)

    @cached_property
    def trace_hash(self) -> str:
        """
        A digest of the whole log and of the notes, equal for equal runs.

        The same scenario and seed give the same one, on every machine.
        """
        digest = blake2b(digest_size=_DIGEST_BYTES)
        for line in self.log():
            digest.update(line.encode())
        for note in self.notes:
            told = (note.at.isoformat(), note.what, note.who, note.detail)
            digest.update("\x1f".join(told).encode())
        return digest.hexdigest()

    @property
    def command(self) -> str:
        """What repeats the run."""
        return repeated_by(self.scenario, self.seed)

    def log(self) -> list[str]:
        """The log as `Lobby.export` writes it, a line a record; it can be imported."""
        return list(self.lobby.export())

    def records(self, kind: str = "messages") -> list[dict[str, Any]]:
        """
        What happened, as rows for a data frame, in the order in which it did.

        Args:
            kind: `messages`, `wakes`, `turns`, `holds`, `digests`, `charges`, `seats`,
                `team` and `usage`; `notes`, which befell the host; or `refusals`, who
                was refused what, counted. Each row is a dict with the keys `columns`,
                whatever happened; `room` and `who` are names, `at` and other instants
                aware datetimes, numbers of messages lists of ints.

        Raises:
            InvalidInput: `invalid_request` for another kind.
        """
        values.member("kind", kind, RECORDS)
        if kind == "refusals":
            return refusals(self.notes)
        if kind == "notes":
            return [
                {"at": one.at, "what": one.what, "who": one.who, "detail": one.detail}
                for one in self.notes
            ]
        rows: list[dict[str, Any]] = getattr(self.chronicle, kind)
        return [dict(row) for row in rows]

    @staticmethod
    def columns(kind: str = "messages") -> list[str]:
        """
        The keys of each row of `records`, in their order. A data frame that is told
        them as its columns has them also where there are no rows.

        Args:
            kind: As in `records`.

        Raises:
            InvalidInput: `invalid_request` for another kind.
        """
        values.member("kind", kind, _COLUMNS)
        return list(_COLUMNS[kind])

    @property
    def teams(self) -> Mapping[str, Team]:
        """
        The team of each room by its name, as the person has it who started it.

        It says where it stands, what it used, its members and its timeline; its calls
        work on the lobby at the end of the run. Empty where rooms are no teams.
        """
        return {
            room.name: self.lobby.teams(by=self._owner(room.name)).team(room)
            for room in self.lobby.rooms
            if is_team(self.scenario) and room.name in self.scenario.seated
        }

    def _owner(self, room: str) -> Person:
        opening = opened_by(self.scenario, room)
        assert opening is not None  # noqa: S101 - else the scenario was refused
        return self.lobby.person(opening.who)

    def explain(
        self, message: int, who: str | None = None, *, room: str | None = None
    ) -> Explanation | SeatExplanation:
        """
        Why a message woke whom it woke, and did not wake the others.

        Args:
            message: Its number in the transcript.
            who: Only what it was to this agent, or to this conversation.
            room: The room's name; the first one unless said.

        Raises:
            NotFound: `unknown_message`, `unknown_address` for who was not there.
            InvalidInput: `invalid_request` for what is no number and no name.
        """
        values.whole_number("message", message, at_least=0)
        if who is not None:
            values.text("who", who)
        name = next(iter(self.scenario.seated)) if room is None else room
        said = {
            one["seq"]: one["id"]
            for one in self.chronicle.messages
            if one["room"] == name
        }
        if message not in said:
            raise NotFound(
                "unknown_message", f"{name} has no message {message}", seqs=[message]
            )
        explained = self.lobby.room(name).explain(said[message])
        if who is None:
            return explained
        names = {seat.name.removeprefix("agent:"): seat for seat in explained.seats}
        found = names.get(who) or names.get(f"{who}/main")
        if found is None:
            raise NotFound(
                "unknown_address",
                f"{who!r} was not in {name} then; there were {', '.join(names)}",
                alternatives=sorted(names),
            )
        return found

    def svg(self, picture: str = "timeline") -> str:
        """
        A picture of the run, as SVG that stands alone.

        Args:
            picture: `timeline`, a lane a conversation with its turns, posts, wakes and
                what waited until when, and how each team stood; `graph`, who woke whom;
                `windows`, how full each wake window was; `costs`, what teams used
                beside what they may.

        Raises:
            InvalidInput: `invalid_request` for another one.
        """
        from rooms.simulation.pictures import drawn  # noqa: PLC0415 - when it is seen

        return drawn(self, picture)

    def to_svg(self, path: str | os.PathLike[str], picture: str = "timeline") -> Path:
        """
        Writes a picture, as `svg`, to a file; its path.

        Raises:
            InvalidInput: `invalid_request` for another picture.
            OSError: Where the file cannot be written.
        """
        file = Path(path)
        file.write_text(self.svg(picture), encoding="utf-8")
        return file

    def mermaid(self) -> str:
        """Who woke whom, as a fence of mermaid for Markdown."""
        from rooms.simulation.pictures import mermaid  # noqa: PLC0415 - when seen

        return mermaid(self)

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> Mapping[str, str]:
        """The run as text, as HTML with its pictures, and as Markdown."""
        from rooms.simulation.pictures import bundled  # noqa: PLC0415 - when it is seen

        del include, exclude  # a notebook chooses among what is there
        return bundled(self)

    @cached_property
    def chronicle(self) -> Any:
        """
        What the log says, read once.

        :meta private:
        """
        return chronicled(self.lobby, self.storage)

    def __repr__(self) -> str:
        return "\n".join(reported(self))
