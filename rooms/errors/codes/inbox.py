"""What an agent reads, acknowledges and keeps of it."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["INBOX"]

INBOX: Mapping[str, Code] = {
    "receipt_forbidden": Code(
        "A message is acknowledged that was never for whoever acknowledges it.",
        "Leave it out, see `id`; nothing of the batch was recorded.",
        403,
    ),
    "not_yet_delivered": Code(
        "A message is acknowledged that waits for its time.",
        "Leave it out, see `id`; nothing of the batch was recorded.",
        409,
    ),
    "checkpoint_conflict": Code(
        "The checkpoint was saved anew since it was read.",
        "Read it, take over what is new, and save with its revision, `current`.",
        409,
    ),
    "receipt_snapshot_conflict": Code(
        "A checkpoint would cover receipts that it may not, or hide some.",
        "Look at what was acknowledged; cover `at_least` to `at_most`.",
        409,
    ),
    "query_needs_history": Code(
        "Only a history is searched.",
        "Pass `mode` as `history`.",
        400,
    ),
    "ids_need_history": Code(
        "Only a history is read by ids.",
        "Pass `mode` as `history`.",
        400,
    ),
    "headers_need_history": Code(
        "Only a history is read as headers.",
        "Pass `mode` as `history`.",
        400,
    ),
    "awaiting_needs_history": Code(
        "Only a history is asked what awaits an answer.",
        "Pass `mode` as `history`.",
        400,
    ),
    "unanswered_needs_history": Code(
        "Only a history is asked what is unanswered.",
        "Pass `mode` as `history`.",
        400,
    ),
    "awaiting_or_unanswered": Code(
        "A history is asked for what awaits an answer and for what is unanswered.",
        "Ask for the one, and then for the other.",
        400,
    ),
}
