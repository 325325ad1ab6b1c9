"""
Continuity: the way back to a participant's own conversation at its peer.

Three laws. A pointer is learned from an exchange that was answered, echoed, and never
invented (R-KEY-03, R-KEY-09). It is bound to the thread, the name, the peer's address
and its credential: with any other of these a conversation starts afresh (R-KEY-04). And
it is memory alone: a restart forgets all, and forgetting ends nothing at the peer.

Source: area KEY of docs/rules/thread.md.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Literal

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput

__all__ = ["ContinuityStore", "Peer", "Reached"]

MOST_POINTERS = 512

Reached = Literal["address", "delegation", "background", "resume", "claim"]
"""How a participant is reached; only the first two carry a pointer (R-KEY-11)."""

Ended = Literal[
    "answered", "parked", "working", "timed_out", "wordless", "unreachable", "failed"
]
"""How an exchange ended."""

_DROPS = frozenset({"parked", "working", "timed_out", "wordless"})
_CARRY = frozenset({"address", "delegation"})


@frozen
class Peer:
    """
    Where a participant is reached.

    Attributes:
        address: Its URL, or whatever names it.
        credential: What it is reached with; kept as a digest alone.
        kind: `context`: the peer may give an id. `session`: its adapter keeps the
            session by itself. `stateless`: it keeps none.
    """

    address: str
    credential: str = field(default="", repr=False)
    kind: Literal["context", "session", "stateless"] = "context"

    def __attrs_post_init__(self) -> None:
        values.text("address", self.address, empty=False)
        values.text("credential", self.credential)
        values.member("kind", self.kind, ("context", "session", "stateless"))

    @property
    def digest(self) -> str:
        """What tells it from any other, without its credential."""
        parts = (self.address, self.credential, self.kind)
        joined = "".join(f"{len(part)}:{part}" for part in parts)
        return blake2b(joined.encode("utf-8", "replace"), digest_size=16).hexdigest()


class ContinuityStore:
    """
    The pointers of one process, at most 512, the least recently used let go.

    >>> store, peer = ContinuityStore(), Peer("https://proto.example")
    >>> store.after("t", "proto", peer, "answered", pointer="ctx-1")
    >>> store.pointer("t", "proto", peer)
    'ctx-1'
    """

    def __init__(self, *, most: int = MOST_POINTERS) -> None:
        self.most = values.whole_number("most", most, at_least=1)
        self._pointers: dict[tuple[str, str], tuple[str, str]] = {}
        self._marks: dict[tuple[str, str], int] = {}
        self._exchanges = 0

    def __len__(self) -> int:
        return len(self._pointers)

    def pointer(
        self, thread: str, name: str, peer: Peer, *, by: Reached = "address"
    ) -> str | None:
        """
        What to send along to a participant, or None to begin afresh.

        Raises:
            InvalidInput: `invalid_request` for a stateless peer, which keeps none
                (R-KEY-02).
        """
        _check_keeps(peer)
        key = (thread, name)
        known = self._pointers.get(key)
        if known is None or by not in _CARRY:
            return None
        digest, pointer = known
        if digest != peer.digest:
            del self._pointers[key]
            return None
        self._pointers[key] = self._pointers.pop(key)  # the most recently used
        return pointer

    def after(
        self,
        thread: str,
        name: str,
        peer: Peer,
        ended: Ended,
        *,
        pointer: str = "",
        by: Reached = "address",
    ) -> None:
        """
        Notes how an exchange ended, and the id that the peer gave in it, if any.

        Raises:
            InvalidInput: `invalid_request` for a stateless peer that should have one.
        """
        if pointer:
            _check_keeps(peer)
        if by not in _CARRY:
            return
        self._exchanges += 1
        self._marks[thread, name] = self._exchanges
        if ended == "answered" and pointer:
            self._learn(thread, name, peer, pointer)
        elif ended == "answered" or ended in _DROPS:
            self.drop_one(thread, name)

    def mark(self, thread: str, name: str) -> int:
        """What tells whether a participant was addressed again since."""
        return self._marks.get((thread, name), 0)

    def restore(
        self, thread: str, name: str, peer: Peer, pointer: str, *, mark: int
    ) -> bool:
        """
        Takes a late answer's id back, unless a newer address opened another
        conversation meanwhile (R-LATE-11); whether it did.
        """
        if not pointer or self.mark(thread, name) != mark:
            return False
        self._learn(thread, name, peer, pointer)
        return True

    def drop_one(self, thread: str, name: str) -> None:
        """Forgets the way back to one participant of a thread."""
        self._pointers.pop((thread, name), None)

    def drop_thread(self, thread: str) -> None:
        """Forgets a thread: it was deleted, or something was taken back in it."""
        for key in [one for one in self._pointers if one[0] == thread]:
            del self._pointers[key]

    def drop_peer(self, name: str) -> None:
        """Forgets a participant everywhere: it was removed, or pointed elsewhere."""
        for key in [one for one in self._pointers if one[1] == name]:
            del self._pointers[key]

    def rewound(self, thread: str, *, removed: int) -> None:
        """A thread went back; where that took nothing away, all is kept (R-KEY-06)."""
        if removed:
            self.drop_thread(thread)

    def _learn(self, thread: str, name: str, peer: Peer, pointer: str) -> None:
        self._pointers.pop((thread, name), None)
        self._pointers[thread, name] = (peer.digest, pointer)
        while len(self._pointers) > self.most:
            del self._pointers[next(iter(self._pointers))]


def _check_keeps(peer: Peer) -> None:
    if peer.kind == "stateless":
        raise InvalidInput(
            "peer", "keeps no conversation", allowed="one that gives an id, or none"
        )
