"""Wakes, the turns that they open, and the runtimes that hold them."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["WAKING"]

WAKING: Mapping[str, Code] = {
    "stale_wake": Code(
        "The wake is not open any more, or somebody else holds it.",
        "Drop it and take wakes again: what it carried is not lost. A wake that a"
        " plugin answered with `delivered` opens no turn: its agent reads and posts.",
        409,
    ),
    "turn_running": Code(
        "A turn for this wake was opened before.",
        "Go on with that turn; another wake comes after its end.",
        409,
    ),
    "stale_runtime": Code(
        "A newer runtime claimed the conversation; this one may not go on.",
        "Stop. What it held is owed again, to the newer one.",
        409,
    ),
    "runtime_conflict": Code(
        "Another runtime has the conversation.",
        "Leave it to that one; only whoever runs the lobby frees it, by a reset.",
        409,
    ),
    "runtime_required": Code(
        "The conversation is claimed, and the call names no claim, or half of one.",
        "Claim it as a runtime with a name, and act by that claim.",
        409,
    ),
    "bootstrap_conflict": Code(
        "A runtime said that it is ready by an older bootstrap or checkpoint.",
        "Read the context again; say so with its revision and the newest nonce.",
        409,
    ),
    "unknown_notification": Code(
        "No push of that id was sent to the conversation.",
        "Confirm with the `notification_id` that the push brought, as its runtime.",
        404,
    ),
    "unknown_planner": Code(
        "The room's policy names a planner that nobody brings.",
        "Register the plugin that offers it in `rooms_planners`, then `deliver()`.",
        404,
    ),
    "not_on_roster": Code(
        "A planner named somebody who takes no turns in the room.",
        "The planner has to be mended; nobody is asked until it is.",
        500,
    ),
}
