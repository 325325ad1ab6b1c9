"""
Posting: may it be said, who is meant, who hears it, and when.

    draft --admit--> --address--> --confirm--> --hear, pace--> message

Three laws. The order of checks is the same everywhere (foundation 6), and a refusal
changes nothing. What happens to the message is decided at the post, for each seat with
the rule's name, so it does not depend on how fast a host takes (ledger 3). And a post
costs the seats that it is owed to, whatever the room's size.

On the way: `deciding` calls each step in its order; `admitting`, `addressing`,
`confirming` and `owing` are the steps, and `message` is what is recorded and folded.
`routing` knows what comes of those steps where the same were taken before.
`adding` takes the same path with a seat of its own making, and `scheduled` in two
parts: up to whom it is for at once, and from there on at its time.
"""

from __future__ import annotations

from rooms.log.posting.adding import Addition, add
from rooms.log.posting.admitting import (
    check_file_count,
    check_file_size,
    check_left,
    fitting,
    may_attach,
    upload_required,
)
from rooms.log.posting.deciding import post
from rooms.log.posting.draft import AT_ONCE, AttachedFile, Comes, Draft, PostFacts
from rooms.log.posting.meaning import (
    FIELDS,
    KINDS,
    PLAIN,
    URGENCIES,
    Meaning,
    meaning_of,
)
from rooms.log.posting.message import MessagePosted, Owed
from rooms.log.posting.message import fold as fold_posted
from rooms.log.posting.routing import Route, opened_along, post_along, route_of
from rooms.log.posting.scheduled import (
    MOST_WAITING,
    MessageScheduled,
    ScheduledCancelled,
    ScheduledChanged,
    Words,
    accept,
    cancel,
    change,
    check_due,
    check_ended,
    release,
    schedule_not_found,
)
from rooms.log.posting.scheduled import evolve as evolve_scheduled

__all__ = [
    "AT_ONCE",
    "FIELDS",
    "KINDS",
    "MOST_WAITING",
    "PLAIN",
    "URGENCIES",
    "Addition",
    "AttachedFile",
    "Comes",
    "Draft",
    "Meaning",
    "MessagePosted",
    "MessageScheduled",
    "Owed",
    "PostFacts",
    "Route",
    "ScheduledCancelled",
    "ScheduledChanged",
    "Words",
    "accept",
    "add",
    "cancel",
    "change",
    "check_due",
    "check_ended",
    "check_file_count",
    "check_file_size",
    "check_left",
    "evolve_scheduled",
    "fitting",
    "fold_posted",
    "may_attach",
    "meaning_of",
    "opened_along",
    "post",
    "post_along",
    "release",
    "route_of",
    "schedule_not_found",
    "upload_required",
]
