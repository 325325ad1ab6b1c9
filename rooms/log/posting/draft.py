"""What a post is decided on beside the room: the message, and facts from elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from attrs import field, frozen

from rooms.addressing import Address, Author
from rooms.log.agents import AgentState
from rooms.log.directory import AgentEntry
from rooms.log.posting.meaning import PLAIN, Meaning
from rooms.log.posting.message import MessagePosted

__all__ = ["AT_ONCE", "AttachedFile", "Comes", "Draft", "PostFacts"]


@frozen
class AttachedFile:
    """
    A file as it is attached: digest and size of its content, whether it is text, and
    its media type.

    One that is `given` was handed in before: until it is looked at, it has what its
    sender says of it, and -1 for a size that nobody said; `missing` is one that its
    sender does not have. `fresh` are the bytes that it adds to what is kept.
    """

    path: str
    content: str
    size: int
    text: bool
    kind: str = ""
    given: bool = False
    missing: bool = False
    fresh: int = 0


@frozen
class Comes:
    """
    When a message is to come, and as what.

    Attributes:
        due: When it is to be delivered, in microseconds; 0 for at once.
        schedule: The recurring schedule of which it is an occurrence, or "".
        hops: How far it is from a person's word, where that was settled before.
    """

    due: int = 0
    schedule: str = ""
    hops: int | None = None


AT_ONCE = Comes()
"""What comes by itself and now."""


@frozen
class Draft:
    """
    A message as its sender hands it in, its addresses parsed.

    `mentions` are names given instead of those in the text, or None; `silent` are those
    that are named and not called.
    `meaning` is what it asks and says beside its text.
    `comes` says when it is to be delivered.
    `late` is one that came after its turn, `failed` what a failed turn left.
    """

    text: str
    to: tuple[Address, ...] = ()
    reply_to: str | None = None
    confirm_all_threads: bool = False
    mentions: tuple[str, ...] | None = None
    silent: tuple[Address, ...] = ()
    files: tuple[AttachedFile, ...] = ()
    late: bool = False
    failed: bool = False
    meaning: Meaning = PLAIN
    comes: Comes = AT_ONCE


def _nothing(_: str) -> int:
    return 0


def _none() -> int:
    return 0


@frozen
class PostFacts:
    """
    What a post needs that is not in the room's own state.

    Attributes:
        agents: The agents named, by key, as the directory has them.
        talks: The conversations of the threaded ones, by agent id.
        replied: Who wrote the message that is answered; None for one that is not here.
        gone: Whether that message has expired: it is answered all the same.
        itself: Whether the message is a note of its sender to itself (L-KIND-03).
        earlier: The message that this one replaces; None for one that is not here.
        replaced_by: The id of what replaced that already, or "".
        waiting: How many messages of the sender wait for their time, in all rooms.
        unsent: Why what this one replaces is not there yet, `scheduled` or `cancelled`;
            "" where it is.
        left: For how many bytes of files there is room, and what says so; None where
            nothing does.
        elsewhere: The bytes that a conversation is owed in all other rooms together.
        conversations: Ids for conversations to be started, as many as are needed.
    """

    agents: Mapping[str, AgentEntry] = field(factory=dict)
    talks: Mapping[str, AgentState] = field(factory=dict)
    replied: Author | None = None
    gone: bool = False
    itself: bool = False
    earlier: MessagePosted | None = None
    replaced_by: str = ""
    waiting: Callable[[], int] = _none
    unsent: str = ""
    left: tuple[int, str] | None = None
    elsewhere: Callable[[str], int] = _nothing
    conversations: Iterable[str] = ()
