"""
Credentials: tokens by which a host without a sign-in of its own knows who calls.

Three laws. A token is shown once, when it is made; what is kept is a digest, from which
nobody gets it back (L-AGENT-12). It is looked up by a part that is no secret, and the
rest is compared in constant time. And it says who calls, and nothing of what that one
may do: whoever signs people in otherwise never needs this.
"""

from __future__ import annotations

import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING, Any

from rooms import values
from rooms.errors import Conflict, InvalidInput, NotAllowed
from rooms.lobby.access.describing import retired_by
from rooms.lobby.handles import Agent, Conversation, Person
from rooms.lobby.recording.decisions import Decision
from rooms.lobby.recording.streams import LOBBY, agent_stream
from rooms.log.actors import SYSTEM
from rooms.log.directory import TokenIssued, TokenRevoked
from rooms.log.events import Event

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk
    from rooms.lobby.lobby import Lobby

__all__ = ["Credentials"]

_KEY_BYTES, _SECRET_BYTES = 9, 32
_KEY_LENGTH = 12  # of so many bytes in URL-safe base64
_SHORTEST, _LONGEST = 32, 512
_NOBODY = sha256(b"nobody").hexdigest()


class Credentials:
    """
    The tokens of a lobby's agents and persons, one each.

    Args:
        lobby: Whose.
        random: What makes so many bytes that nobody can guess.

    >>> from rooms import Lobby
    >>> with Lobby.in_memory() as lobby:
    ...     ben = lobby.add_agent("ben")
    ...     credentials = Credentials(lobby)
    ...     token = credentials.issue(ben)
    ...     str(credentials.actor(token))
    'agent:ben'

    Source: L-AGENT-12, L-AGENT-13, L-SCOPE-08, L-SCOPE-11.
    """

    def __init__(
        self, lobby: Lobby, *, random: Callable[[int], bytes] = secrets.token_bytes
    ) -> None:
        desk = getattr(lobby, "_desk", None)  # it is a part of the lobby
        if desk is None:
            told = f"is of type {type(lobby).__name__}"
            allowed = "a lobby; of one of `rooms.aio`, its `sync`"
            raise InvalidInput("lobby", told, allowed=allowed)
        self._desk: Desk = desk
        self._random = random

    def issue(self, who: Agent | Person, *, now: datetime | None = None) -> str:
        """
        A first token: 56 URL-safe characters, which nobody is shown again.

        Raises:
            Conflict: `token_exists`; `rotate` makes another one.
            NotAllowed: `agent_disabled`.
            NotFound: `agent_not_found`, `person_not_found` for one of another lobby.
        """
        return self._made(who, first=True, now=now)

    def rotate(self, who: Agent | Person, *, now: datetime | None = None) -> str:
        """
        Another token; the one before is void at once, and so is every claim that an
        agent's runtime made with it.

        Raises:
            NotAllowed: `agent_disabled`.
            NotFound: As `issue`.
        """
        return self._made(who, first=False, now=now)

    def revoke(self, who: Agent | Person, *, now: datetime | None = None) -> None:
        """Makes the token void, if there is one, and every claim of an agent stale."""
        subject, retired = _subject(who), list[str]()

        def decide(_: int) -> Decision:
            if subject not in self._desk.directory().tokens_of:
                return Decision()
            revoked: list[Event] = [TokenRevoked(subject)]
            return Decision({LOBBY: revoked, **self._retired(who, retired)})

        self._record(who, decide, retired, now)

    def actor(
        self,
        token: str,
        *,
        thread: str | None = None,
        label: str | None = None,
        now: datetime | None = None,
    ) -> Conversation | Person:
        """
        Who calls with a token: a person, or a conversation of an agent.

        Args:
            token: As it was issued.
            thread, label: Which conversation of a threaded agent, as
                `Agent.conversation` has them.

        Raises:
            NotAllowed: `unauthorized` for a token that is unknown, void, of another
                lobby, or of an agent that is disabled: nothing tells which.
        """
        who = self.who(token)
        if isinstance(who, Person):
            return who
        return who.conversation(thread=thread, label=label, now=now)

    def who(self, token: str) -> Agent | Person:
        """
        Whose token it is.

        Raises:
            NotAllowed: `unauthorized`.
        """
        given = values.text("token", token)
        desk = self._desk
        desk.check_usable()
        fits = _SHORTEST <= len(given) <= _LONGEST and given.isascii()
        key, secret = (given[:_KEY_LENGTH], given[_KEY_LENGTH:]) if fits else ("", "")
        with desk.lock:
            subject, digest = desk.directory().tokens.get(key, ("", _NOBODY))
        right = compare_digest(_digest(secret), digest)
        if not right or not subject:
            raise NotAllowed("unauthorized", "the token is not valid here")
        kind, _, name = subject.partition(":")
        return Person(name, desk) if kind == "person" else Agent(name, desk)

    def _made(self, who: Agent | Person, *, first: bool, now: datetime | None) -> str:
        key = _written(self._random(_KEY_BYTES))
        secret = _written(self._random(_SECRET_BYTES))
        subject, retired = _subject(who), list[str]()

        def decide(_: int) -> Decision:
            directory = self._desk.directory()
            known = subject in directory.tokens_of
            if isinstance(who, Person):
                self._desk.check_known(who.actor)
            if first and known:
                raise Conflict("token_exists", f"{subject} has a token already")
            if isinstance(who, Agent) and not self._desk.agent(who.id).may.enabled:
                raise NotAllowed(
                    "agent_disabled", f"{who.id} takes no part at present", agent=who.id
                )
            issued: list[Event] = [TokenIssued(subject, key, _digest(secret))]
            stale = {} if first else self._retired(who, retired)
            return Decision({LOBBY: issued, **stale})

        self._record(who, decide, retired, now)
        return key + secret

    def _retired(
        self, who: Agent | Person, retired: list[str]
    ) -> dict[str, list[Event]]:
        """What makes an agent's claims stale."""
        retired.clear()
        if isinstance(who, Person):
            return {}
        entry = self._desk.agent(who.id)
        return retired_by(self._desk, entry, retired, "rotated")

    def _record(
        self,
        who: Agent | Person,
        decide: Callable[[int], Decision],
        retired: list[str],
        now: datetime | None,
    ) -> None:
        named = [agent_stream(who.id)] if isinstance(who, Agent) else []
        self._desk.record(decide, LOBBY, *named, by=SYSTEM, now=now)
        if isinstance(who, Agent):
            for conversation in retired:
                self._desk.reclaim(conversation, who.id, now=now)


def _subject(who: Any) -> str:
    if isinstance(who, Agent | Person):
        return str(who)
    kind = type(who).__name__
    raise InvalidInput("who", f"is of type {kind}", allowed="an agent or a person")


def _written(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")


def _digest(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()
