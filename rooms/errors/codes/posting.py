"""A message on its way in: whether it may be said, and whom it addresses."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["POSTING"]

POSTING: Mapping[str, Code] = {
    "body_empty": Code(
        "The message has no words.",
        "Say something; white space alone is nothing.",
        400,
    ),
    "message_too_long": Code(
        "The text is longer than the room's policy allows.",
        "Shorten it to `limit` characters, or say it in several messages.",
        413,
    ),
    "send_rate": Code(
        "The sender has posted as much as the room's send window allows.",
        "Post again at `retry_at`; with no window place ever free it is None.",
        429,
    ),
    "draft_refused": Code(
        "A plugin has a reason not to post the message.",
        "Read `reasons`; change the message, or ask the host whose plugin it is.",
        403,
    ),
    "idempotency_conflict": Code(
        "The request id was used before, for a request with other content.",
        "Use a new request id for a new request.",
        409,
    ),
    "bad_address": Code(
        "The text is no address of the grammar.",
        "Write `room`, `all`, `agent:<id>`, or `agent:<id>/<label>`.",
        400,
    ),
    "unknown_address": Code(
        "Nobody in the room is reached by this address.",
        "Use one of the addresses in `details`, or none for the whole room.",
        404,
    ),
    "self_addressed": Code(
        "The sender would be the only one addressed.",
        "Address somebody else; `last_partner` says whom it last talked with.",
        409,
    ),
    "confirm_all_threads": Code(
        "The message would wake two or more conversations of one agent.",
        "Send one of the alternatives in `preview`, or the same message with"
        " `confirm_all_threads=True`.",
        409,
    ),
    "reply_not_found": Code(
        "The message that this one replies to is not in the room.",
        "Give the id of a message of this room, or none.",
        404,
    ),
    "unknown_message": Code(
        "No message of that id or number is in the room.",
        "Use the id of a message that this room gave.",
        404,
    ),
    "recipient_disabled": Code(
        "An agent that is named takes no part at present.",
        "Name somebody else; `lobby.list_agents` has whoever takes part.",
        409,
    ),
    "recipient_forbidden": Code(
        "The sender may not write to an agent that it names.",
        "Name one that its `allowed_recipients` hold; the host changes them.",
        403,
    ),
    "broadcast_forbidden": Code(
        "The sender may not write to all agents at once.",
        "Write to those that are meant, or have the host let it `can_broadcast`.",
        403,
    ),
    "inbox_capacity": Code(
        "An agent that a message is for is owed as much as it may be.",
        "Wait until the `agents` in `details` acknowledged something.",
        409,
    ),
    "receipts_unavailable": Code(
        "A person asks to be told of acknowledgements, and has no inbox.",
        "Look at the message's deliveries instead.",
        400,
    ),
    "supersedes_not_found": Code(
        "What the message replaces is none of the sender's messages in the room.",
        "Give the complete id of one, or none.",
        404,
    ),
    "supersedes_audience": Code(
        "The message would not reach everybody whom the one that it replaces did.",
        "Address the `missing` too.",
        409,
    ),
    "supersedes_scheduled": Code(
        "A message that waits for its time neither replaces another nor is replaced.",
        "Change or cancel the one that waits; or leave out `deliver_at`.",
        409,
    ),
    "supersedes_cancelled": Code(
        "What the message replaces was cancelled, and never delivered.",
        "Post it by itself.",
        409,
    ),
    "already_superseded": Code(
        "The message that this one replaces is replaced already.",
        "Replace `current`, which did so, or nothing.",
        409,
    ),
}
