"""
A session: the runtime's own part of a bootstrap, for hosts that let a model say it.

Two laws. Nobody is ready by having said so: the context was loaded after the newest
bootstrap, or the word is refused (L-BOOT-09). And what the context showed already is
not shown once more by the first push of it, which is no receipt (L-BOOT-10).
"""

from __future__ import annotations

from datetime import datetime

from attrs import evolve

from rooms.errors import Conflict
from rooms.lobby.inbox import Context
from rooms.lobby.inbox.handle import inbox_of
from rooms.lobby.pushing.values import Push
from rooms.lobby.runtimes.bootstraps import Bootstrap
from rooms.lobby.runtimes.claiming import Claim

__all__ = ["Session"]


class Session:
    """
    What one process of a runtime remembers between its start and its end.

    Args:
        claim: The claim that it acts by.

    >>> from rooms import Lobby
    >>> with Lobby.in_memory() as lobby:
    ...     ben = lobby.add_agent("ben").conversation()
    ...     session = Session(ben.claim("runtime-7f3a"))
    ...     context = session.load()
    ...     session.ready()
    ...     session.claim.bootstrap() is None
    True

    It stands in no log: a process that starts anew loads its context anew.
    """

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self._answers: Bootstrap | None = None
        self._revision = 0
        self._shown: set[str] = set()

    def load(self, *, now: datetime | None = None) -> Context:
        """
        The context, to be read before anything else; as `Inbox.context`.

        Raises:
            Conflict: `stale_runtime`.
        """
        one, asked = self.claim.conversation, self.claim.bootstrap()
        desk = one._desk  # noqa: SLF001 - it acts as the conversation
        found = inbox_of(desk, one, self.claim).context(now=now)
        if asked is not None:
            self._answers, self._revision = asked, found.checkpoint.revision
            self._shown = {mail.message.id for mail in found.pending}
        return found

    def ready(self, *, now: datetime | None = None) -> None:
        """
        Says that the runtime is ready, by the context that was loaded last. Said again,
        it changes nothing.

        Raises:
            Conflict: `bootstrap_conflict` where the context was not loaded since the
                newest bootstrap was handed over, or a checkpoint was saved since;
                `stale_runtime`.

        Source: L-BOOT-09.
        """
        newest = self.claim.bootstrap()
        if newest is None:
            return
        if newest != self._answers:
            raise Conflict(
                "bootstrap_conflict",
                "the context was not loaded after the newest bootstrap",
                current=self._revision,
            )
        self.claim.ready(self._revision, newest.nonce, now=now)

    def fresh(self, push: Push) -> Push | None:
        """
        What of a push is to be shown: without what the context showed already, once for
        each message; None where nothing is left. It acknowledges nothing.

        Source: L-BOOT-10.
        """
        headers = {one.id for one in push.covered}
        told = ({one.id for one in push.messages} | headers) & self._shown
        self._shown -= told
        if not told:
            return push
        count = push.covered_count - len(told)
        if not count:
            return None
        return evolve(
            push,
            messages=tuple(one for one in push.messages if one.id not in told),
            covered=tuple(one for one in push.covered if one.id not in told),
            covered_count=count,
        )
