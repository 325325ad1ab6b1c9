"""
The ledger of wakes: what becomes of what a seat is owed.

    held, digest, rider --granted--> ready --taken--> told --settled-->

Three laws. An entry leaves the ledger settled, or ended with a stated reason, and in no
other way; a crash, a stale claim, a failed turn give it back (ledger 9). A seat has at
most one wake open. And whoever is not its holder, or holds an older claim, changes
nothing.

On the way: `events` are what is recorded, `granting`, `taking`, `turns`, `ending` and
`settling` decide it, `pushing` how it is handed over, `claims` say who may, and
`folding` with `pushed` makes it the state.
"""

from __future__ import annotations

from rooms.log.ledger.claims import TakeFacts, renew
from rooms.log.ledger.events import (
    AttentionCalled,
    Ended,
    Granted,
    Noticed,
    Pushed,
    PushHeld,
    PushPassed,
    PushRenewed,
    PushSpent,
    PushTold,
    Reclaimed,
    Settled,
    Superseded,
    TurnOpened,
    WakeClosed,
    WakeRenewed,
    WakeReturned,
    WakeTaken,
)
from rooms.log.ledger.folding import FOLDS
from rooms.log.ledger.granting import charge, noted, release, tick
from rooms.log.ledger.pushing import (
    Offer,
    hold,
    let_go,
    offer,
    passed,
    push,
    renewed,
    tell,
    unpushed,
)
from rooms.log.ledger.settling import acknowledge, end, settle_read, superseded
from rooms.log.ledger.taking import reclaim, take
from rooms.log.ledger.turns import close, give_back, notice, open_turn

__all__ = [
    "FOLDS",
    "AttentionCalled",
    "Ended",
    "Granted",
    "Noticed",
    "Offer",
    "PushHeld",
    "PushPassed",
    "PushRenewed",
    "PushSpent",
    "PushTold",
    "Pushed",
    "Reclaimed",
    "Settled",
    "Superseded",
    "TakeFacts",
    "TurnOpened",
    "WakeClosed",
    "WakeRenewed",
    "WakeReturned",
    "WakeTaken",
    "acknowledge",
    "charge",
    "close",
    "end",
    "give_back",
    "hold",
    "let_go",
    "noted",
    "notice",
    "offer",
    "open_turn",
    "passed",
    "push",
    "reclaim",
    "release",
    "renew",
    "renewed",
    "settle_read",
    "superseded",
    "take",
    "tell",
    "tick",
    "unpushed",
]
