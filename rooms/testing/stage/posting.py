"""Messages on a stage: posted, sent, to come, acknowledged, erased."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rooms.lobby import Uploaded
from rooms.pacing import Recurrence
from rooms.testing.stage.standing import Standing

__all__ = ["Posting"]


class Posting(Standing):
    """The verbs of messages."""

    __slots__ = ()

    def post(
        self,
        text: str,
        *,
        by: str,
        to: Sequence[str] = (),
        room: int = 0,
        reply_to: int | None = None,
        request_id: str | None = None,
        confirm: bool = False,
        mentions: Sequence[str] | None = None,
        silent: Sequence[str] = (),
        attach: Mapping[str, bytes | Uploaded] | None = None,
        supersedes: int | None = None,
        deliver_in: int | None = None,
        **meaning: Any,
    ) -> Any:
        """Posts a message, maybe in so many minutes."""
        posted = self.room(room).post(
            text,
            by=self.actor(by),
            to=to,
            reply_to=self.message(reply_to),
            request_id=request_id,
            confirm_all_threads=confirm,
            mentions=mentions,
            silent=silent,
            attachments=attach,
            supersedes=self.message(supersedes),
            deliver_at=self._in_minutes(deliver_in),
            **meaning,
        )
        return self._noted(posted)

    def send(
        self,
        text: str,
        *,
        by: str,
        to: str,
        reply_to: int | None = None,
        request_id: str | None = None,
        supersedes: int | None = None,
        deliver_in: int | None = None,
        **meaning: Any,
    ) -> Any:
        """Sends a message to an agent, or to all, maybe in so many minutes."""
        posted = self.lobby.send(
            text,
            by=self.actor(by),
            to=to,
            reply_to=self.message(reply_to),
            request_id=request_id,
            supersedes=self.message(supersedes),
            deliver_at=self._in_minutes(deliver_in),
            **meaning,
        )
        if posted.room.id not in self.rooms:
            self.rooms.append(posted.room.id)
        return self._noted(posted)

    def repeat(
        self,
        who: str,
        text: str,
        *,
        to: Any = (),
        room: int | None = 0,
        zone: str = "Europe/Stockholm",
        times: Sequence[str] = ("06:41",),
        weekdays: Sequence[str] | None = None,
        missed: str = "once",
        request_id: str | None = None,
        attach: Mapping[str, bytes] | None = None,
        **meaning: Any,
    ) -> Any:
        """Has an agent say something again and again."""
        made = self.lobby.schedules(by=self.actor(who)).create(
            text,
            repeat=Recurrence(zone, tuple(times), weekdays),
            to=to,
            room=None if room is None else self.room(room),
            missed=missed,
            request_id=request_id,
            attachments=attach,
            **meaning,
        )
        if made.id not in self.schedules:
            self.schedules.append(made.id)
        return made

    def cancel(self, who: str, message: int, *, of: str | None = None) -> Any:
        """Cancels a message that waits."""
        theirs = self.lobby.schedules(by=self.actor(who), of=of)
        return theirs.cancel(self._scheduled(message))

    def reschedule(
        self,
        who: str,
        message: int,
        *,
        text: str | None = None,
        deliver_in: int | None = None,
        times: Sequence[str] | None = None,
        of: str | None = None,
    ) -> Any:
        """Gives a message that waits other words, or another time."""
        theirs = self.lobby.schedules(by=self.actor(who), of=of)
        return theirs.update(
            self._scheduled(message),
            content=text,
            deliver_at=self._in_minutes(deliver_in),
            repeat=None if times is None else Recurrence("Asia/Tokyo", tuple(times)),
        )

    def list_schedules(self, who: str, *, of: str | None = None) -> Any:
        """What somebody has to come."""
        return self.lobby.schedules(by=self.actor(who), of=of).list()

    def acknowledge(self, who: str, message: int, *, room: int = 0) -> Any:
        """Settles a message by name."""
        named = self.message(message) or "none"
        return self.room(room).acknowledge([named], by=self.actor(who))

    def acknowledge_many(self, who: str, messages: Sequence[int]) -> Any:
        """Says what was seen, over all rooms."""
        named = [self.message(one) or "none" for one in messages]
        return self.lobby.inbox(self.actor(who)).acknowledge(named)

    def erase(self, who: str, message: int, *, room: int = 0) -> Any:
        """Takes the words of a message away."""
        named = self.message(message) or "none"
        return self.room(room).erase(named, by=self.actor(who))
