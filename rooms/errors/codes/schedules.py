"""Messages that wait for their time, and rests that end at theirs."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["SCHEDULES"]

SCHEDULES: Mapping[str, Code] = {
    "deliver_at_out_of_range": Code(
        "A message cannot be delivered then.",
        "Give an instant from 5 minutes ago up to `latest` in `details`, which is"
        " 30 days ahead.",
        400,
    ),
    "schedule_capacity": Code(
        "As many messages of the sender wait as may, or schedules are active.",
        "Wait, or cancel one: `lobby.schedules(by=...).list()` has them.",
        409,
    ),
    "schedule_not_found": Code(
        "No schedule, and no message that waits, of that id is the caller's.",
        "Look at `lobby.schedules(by=...).list()`; what was cancelled is known for"
        " a day.",
        404,
    ),
    "already_delivered": Code(
        "The message that should be changed or cancelled is delivered.",
        "Post another, which may replace it with `supersedes`.",
        409,
    ),
    "already_cancelled": Code(
        "What should be changed was cancelled.",
        "Make it anew.",
        409,
    ),
    "cannot_rest_self": Code(
        "An agent would let itself rest.",
        "Name other agents; a seat of its own rests by `room.rest`.",
        400,
    ),
    "resume_at_past": Code(
        "A rest would be over before it begins.",
        "Give an instant to come, or none.",
        400,
    ),
    "owner_pauses": Code(
        "A person would let agents rest, as a lead does.",
        "The host pauses an agent: `agent.change(paused=True)`.",
        400,
    ),
}
