"""
Posting: may it be said, who is meant, who hears it, and when.

    draft --admit--> --address--> --confirm--> --hear, pace--> message

Three laws. The order of checks is the same everywhere (foundation 6), and a refusal
changes nothing. What happens to the message is decided at the post, for each seat with
the rule's name, so it does not depend on how fast a host takes (ledger 3). And a post
costs the seats that it is owed to, whatever the room's size.

On the way: `deciding` calls each step in its order; `admitting`, `addressing`,
`confirming` and `owing` are the steps, and `message` is what is recorded and folded.
`adding` takes the same path with a seat of its own making.
"""

from __future__ import annotations

from rooms.log.posting.adding import Addition, add
from rooms.log.posting.admitting import (
    check_file_count,
    check_file_size,
    check_left,
    may_attach,
    upload_required,
)
from rooms.log.posting.deciding import post
from rooms.log.posting.draft import AttachedFile, Draft, PostFacts
from rooms.log.posting.meaning import (
    FIELDS,
    KINDS,
    PLAIN,
    URGENCIES,
    Meaning,
    meaning_of,
)
from rooms.log.posting.message import MessagePosted, Owed, evolve

__all__ = [
    "FIELDS",
    "KINDS",
    "PLAIN",
    "URGENCIES",
    "Addition",
    "AttachedFile",
    "Draft",
    "Meaning",
    "MessagePosted",
    "Owed",
    "PostFacts",
    "add",
    "check_file_count",
    "check_file_size",
    "check_left",
    "evolve",
    "may_attach",
    "meaning_of",
    "post",
    "upload_required",
]
