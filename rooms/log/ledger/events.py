"""
What is recorded of a wake, from its granting to its settling.

Two laws. Each event names the entries that it moves, so folding finds out nothing. And
one that ends or returns something says why, in a word that `steps` tells people.
"""

from __future__ import annotations

from typing import Literal

from rooms.log.events import Event, recorded

__all__ = [
    "AttentionCalled",
    "Ended",
    "Granted",
    "Noticed",
    "PushHeld",
    "PushPassed",
    "PushRenewed",
    "PushSpent",
    "PushTold",
    "Pushed",
    "Reclaimed",
    "ReturnReason",
    "Settled",
    "Superseded",
    "TurnOpened",
    "WakeClosed",
    "WakeRenewed",
    "WakeReturned",
    "WakeTaken",
]

ReturnReason = Literal["raised", "expired", "given_back", "generation", "restart"]


@recorded("granted")
class Granted(Event):
    """
    Entries became ready: a `place` freed, a `person` wrote, a `digest` fell due.

    `at` is the instant of it, which may lie before that of the record; `charged` tells
    whether it took a place of the wake window then.
    """

    conversation: str
    entries: tuple[int, ...]
    at: int
    why: str
    charged: bool = False


@recorded("wake_taken")
class WakeTaken(Event):
    """A holder took a seat's wake: intent, attempt and claim at once (ledger 7)."""

    conversation: str
    kind: str
    holder: str
    until: int
    entries: tuple[int, ...]
    waited: int = 0
    hops: int = 0
    generation: int = 0
    digest: bool = False


@recorded("turn_opened")
class TurnOpened(Event):
    """The turn for a wake runs."""

    conversation: str
    wake: str
    until: int


@recorded("noticed")
class Noticed(Event):
    """What became ready during a turn was handed into it."""

    conversation: str
    wake: str
    entries: tuple[int, ...]
    hops: int = 0


@recorded("wake_renewed")
class WakeRenewed(Event):
    """The holder's claim holds for longer."""

    conversation: str
    wake: str
    until: int


@recorded("wake_closed")
class WakeClosed(Event):
    """
    A wake ended well: `ended` with its turn, or `taken_again` by a holder who came back
    for more, which says that it was told.
    """

    conversation: str
    wake: str
    why: str
    settled: tuple[int, ...] = ()
    told: tuple[int, ...] = ()


@recorded("wake_returned")
class WakeReturned(Event):
    """
    A wake's entries are owed again, without a new charge, and why.

    `failed` are those whose turn failed once more; `demoted` those of them that only
    ride along from now on.
    """

    conversation: str
    wake: str
    why: str
    entries: tuple[int, ...]
    failed: tuple[int, ...] = ()
    demoted: tuple[int, ...] = ()


@recorded("attention_called", critical=False)
class AttentionCalled(Event):
    """
    A person should look: these entries `failed` so often that they cause no wake, or
    were pushed in vain and are `unseen`.

    It says it beside the event that did it, so folding has nothing to do.
    """

    conversation: str
    why: str
    entries: tuple[int, ...]


@recorded("reclaimed")
class Reclaimed(Event):
    """
    A newer claim on the conversation is known here; it was made at `since`.

    `again` are entries that the older one was told and never settled: owed once more.
    """

    conversation: str
    generation: int
    since: int
    again: tuple[int, ...] = ()


@recorded("settled")
class Settled(Event):
    """
    Entries are done: `read` on a page up to `told`, or `acked` by name.

    `receipts` are the numbers of their acknowledgements, one an entry.
    """

    conversation: str
    why: str
    entries: tuple[int, ...] = ()
    told: int = 0
    wake: str = ""
    receipts: tuple[int, ...] = ()


@recorded("pushed")
class Pushed(Event):
    """
    Entries are handed over by a push, which is one try (ledger 17).

    Attributes:
        conversation: Whose.
        push: The id of the push.
        entries: All that it carries of this room.
        fresh: Those of them that were never tried.
        next: When these are due again.
        tried: Tries that this one belongs to, by the push that began them, each with
            when it is due again.
    """

    conversation: str
    push: str
    entries: tuple[int, ...]
    fresh: tuple[int, ...] = ()
    next: int = 0
    tried: tuple[tuple[str, int], ...] = ()


@recorded("push_passed")
class PushPassed(Event):
    """
    Tries that fell due and were not sent, as the runtime has them already; each with
    when it is due again.
    """

    conversation: str
    tried: tuple[tuple[str, int], ...]


@recorded("push_spent")
class PushSpent(Event):
    """All tries of these pushes were in vain; a person should look."""

    conversation: str
    pushes: tuple[str, ...]


@recorded("push_told")
class PushTold(Event):
    """
    A transport says that it wrote a push for the runtime: `told` are those of its
    entries that are told by that.
    """

    conversation: str
    push: str
    entries: tuple[int, ...]
    told: tuple[int, ...] = ()


@recorded("push_held")
class PushHeld(Event):
    """
    Nothing of the seat is pushed before an instant, as the agent's `window` is full; or
    with 0 until somebody looks again, as the runtime is `away` or `unready`, or
    nobody who acts here pushes (`nobody`). It is let go as the runtime is `ready`.
    """

    conversation: str
    why: str
    until: int = 0


@recorded("push_renewed")
class PushRenewed(Event):
    """
    Tries begin anew: the agent `resumed`, or somebody asked to `retry`, by which
    `again` are owed again though they were told.
    """

    conversation: str
    why: str
    again: tuple[int, ...] = ()


@recorded("superseded")
class Superseded(Event):
    """
    What was not told yet of a message that another one replaces: it only rides along
    from now on (ledger 14).
    """

    conversation: str
    entries: tuple[int, ...]


@recorded("ended")
class Ended(Event):
    """
    Entries are owed no more, for a reason of their messages: they were `erased`, or
    are `expired`.

    `wake` is the open wake that has nothing left then, or "".
    """

    conversation: str
    why: str
    entries: tuple[int, ...]
    wake: str = ""
