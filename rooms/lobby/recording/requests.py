"""
Requests: the same one again is answered with what it left, and does nothing.

Three laws. A request is known by its actor, its family and its id in the whole lobby,
and by a digest of what it asks for (foundation 5). Its key stands in the record that it
left, so it ends with that record. And where the words of a record have an end, its key
is among them, and no index has the text of one that is gone (L-SEND-18).
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from rooms import values
from rooms.errors import CorruptLog, IdempotencyConflict, InvalidInput
from rooms.log.actors import Actor
from rooms.log.documents import DocumentChanged
from rooms.log.events import Event, Fact
from rooms.log.memory import FragmentKept, MemoryRun
from rooms.log.posting import MessagePosted, MessageScheduled
from rooms.log.records import canonical, record_id
from rooms.log.rooms import RoomCreated
from rooms.log.schedules import ScheduleCreated
from rooms.log.team import (
    ApprovalAnswered,
    ApprovalAsked,
    ArtifactPublished,
    ChangeProposed,
    TeamFinished,
    TeamMoved,
    WorkUpdated,
)
from rooms.values import moment

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.storage import Storage

__all__ = ["NO_REQUEST", "Request", "check_request_id", "fingerprint"]

_LONGEST = 18  # digits of a version
FINGERPRINT = 1
"""The version of the digest that tells one request from another."""


def fingerprint(*asked: Any) -> str:
    """The digest of what a request asks for, in its normal form."""
    return blake2b(canonical([FINGERPRINT, *asked]), digest_size=16).hexdigest()


def check_request_id(request_id: str) -> None:
    """Refuses what is no request id."""
    if type(request_id) is not str or not request_id:
        values.text("request_id", request_id, empty=False)
    if len(request_id) > 128 or not request_id.isprintable():
        raise InvalidInput(
            "request_id", "is no id", allowed="1 to 128 printable characters"
        )


class Request(NamedTuple):
    """A request id of one actor, with the digest of what it asks for."""

    key: str = ""
    fingerprint: str = ""
    other: str = ""

    @classmethod
    def of(
        cls,
        actor: Actor,
        family: str,
        request_id: str | None,
        fingerprint: str,
        *,
        passing: bool = False,
    ) -> Request:
        """
        A request of an actor; without an id it is never answered. One that is passing
        has a digest for its key; it may have been accepted before it was.
        """
        if request_id is None:
            return cls()
        check_request_id(request_id)
        plain = f"request:{family}:{actor.recorded}:{request_id}"
        digest = blake2b(plain.encode(), digest_size=16).hexdigest()
        hidden = f"request:{family}:#{digest}"
        key, other = (hidden, plain) if passing else (plain, hidden)
        return cls(key, fingerprint, other if family == "post" else "")

    @property
    def keys(self) -> dict[str, str]:
        """What its commit adds."""
        return {self.key: self.fingerprint} if self.key else {}

    def known(self, storage: Storage) -> bool:
        """Whether it, or another one under its id, was accepted."""
        key, _, other = self
        if key and storage.find(key) is not None:
            return True
        return other != "" and storage.find(other) is not None

    def answered(self, desk: Desk) -> list[Fact]:
        """The fact that the same request left before, if it was accepted."""
        for key in (self.key, self.other):
            holder = desk.storage.find(key) if key else None
            if holder is not None:
                return self._held(desk, key, holder)
        return []

    def _held(self, desk: Desk, key: str, holder: str) -> list[Fact]:
        stream, _, version = holder.rpartition(" ")
        if not version.isdecimal() or len(version) > _LONGEST:
            raise CorruptLog("corrupt_log", "a key is held by nothing", where=stream)
        fact = desk.fact(stream, int(version))
        if fact is None:
            return []
        if dict(fact.keys).get(key) != self.fingerprint:
            raise self._used(desk, stream, fact, holder)
        return [self._result(desk, stream, fact)]

    def _result(self, desk: Desk, stream: str, fact: Fact) -> Fact:
        sent = self.key.startswith("request:post:")  # it may have made its room
        return _result(desk, stream, fact, _MESSAGE if sent else _RESULTS)

    def _used(
        self, desk: Desk, stream: str, fact: Fact, holder: str
    ) -> IdempotencyConflict:
        """What is said of another request, and what the key stands for (L-SEND-16)."""
        original = self._result(desk, stream, fact)
        if not isinstance(original.event, _MESSAGE):
            return IdempotencyConflict(
                "idempotency_conflict",
                "the request id was used for another request",
                current=holder,
            )
        message = record_id(stream.partition(":")[2], original.version)
        at = moment(original.at)
        return IdempotencyConflict(
            "idempotency_conflict",
            f"the request id was used for another message, {message} at {at}",
            current=holder,
            original_message_id=message,
            original_created_at=at,
        )


_MESSAGE = (MessagePosted, MessageScheduled)
_RESULTS = (
    *(*_MESSAGE, DocumentChanged, RoomCreated, FragmentKept, MemoryRun),
    ScheduleCreated,
    *(TeamMoved, TeamFinished, ChangeProposed, ApprovalAsked, ApprovalAnswered),
    *(ArtifactPublished, WorkUpdated),
)


def _result(
    desk: Desk, stream: str, fact: Fact, results: tuple[type[Event], ...]
) -> Fact:
    """What the commit came to, where what holds the key only came before it."""
    while not isinstance(fact.event, results):
        following = desk.fact(stream, fact.version + 1)
        if following is None:
            break
        fact = following
    return fact


NO_REQUEST = Request()
"""What a call without a request id makes."""
