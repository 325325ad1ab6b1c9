"""Teams: what a conductor, a member or a person asks of one."""

from __future__ import annotations

from collections.abc import Mapping

from rooms.errors.codes.code import Code

__all__ = ["TEAM"]

TEAM: Mapping[str, Code] = {
    "invalid_blueprint": Code(
        "A team's blueprint has faults, even within what the person allows.",
        "Repair all of `details['faults']`; each names its field and its code.",
        400,
    ),
    "team_not_found": Code(
        "The room has no team.",
        "Use the room of a team, which `Teams.prepare` makes.",
        404,
    ),
    "invalid_transition": Code(
        "The team cannot do this where it stands; `current` is its status.",
        "Look where it stands; the page about teams has the whole table.",
        409,
    ),
    "room_finished": Code(
        "The team is over; `current` is how it ended.",
        "Read what is there, or prepare another team.",
        409,
    ),
    "limit_reached": Code(
        "The team has reached a limit, and would stop at once.",
        "Raise the limit in `current` first: the conductor asks, a person answers.",
        409,
    ),
    "grant_lost": Code(
        "The team gave its grant up, so it cannot go on.",
        "Start it anew, with the person's yes.",
        409,
    ),
    "lead_only": Code(
        "Only the conductor of the team may do this.",
        "Ask the conductor.",
        403,
    ),
    "unknown_member": Code(
        "No member of that key is in the team.",
        "Use a key of the roster.",
        404,
    ),
    "unknown_approval": Code(
        "Nothing of that id waits for a person's answer.",
        "Read `Team.approvals`.",
        404,
    ),
    "unknown_change": Code(
        "No change of that id waits for a person.",
        "Withdraw only what is `awaiting_approval`.",
        404,
    ),
    "approval_needed": Code(
        "A delivery outside needs a person's yes to just this text and place.",
        "Ask with `request_delivery_approval`, and wait for the answer.",
        403,
    ),
    "approval_pending": Code(
        "Another delivery waits for a person's answer.",
        "Wait for it, or ask for that text again.",
        409,
    ),
    "approval_answered": Code(
        "The approval was answered already.",
        "Nothing; the first answer counts.",
        409,
    ),
    "no_chat": Code(
        "The result goes to the chat that started the team, and none did.",
        "Name another destination, or `chat` in what is allowed.",
        409,
    ),
    "unknown_question": Code(
        "No question of that id was asked in the team.",
        "Use the id of a question that was asked here.",
        404,
    ),
    "not_your_question": Code(
        "The question was asked by, or of, somebody else.",
        "Leave it to those whom it concerns.",
        403,
    ),
    "no_recipients": Code(
        "The question names nobody.",
        "Name other members of the team.",
        400,
    ),
    "not_waiting": Code(
        "The member waits on no question, or on another one by now.",
        "Look at `team.questions`; intervene or wake it instead.",
        409,
    ),
    "not_idle": Code(
        "The member works, or is suspended; it cannot be woken.",
        "Wait for its turn's end, or have it resumed.",
        409,
    ),
    "unknown_claim": Code(
        "The member does not claim this: it never did, or the claim is over.",
        "Claim it anew, as anything else.",
        404,
    ),
    "blocked_by_claim": Code(
        "Somebody else claims what this overlaps, and claims of the team block.",
        "Ask the members in `current`, or claim something else.",
        409,
    ),
    "unknown_work": Code(
        "The team has no piece of work of that id.",
        "Use an id that `work` of the team tells.",
        404,
    ),
    "unknown_artifact": Code(
        "The team has no artifact of that id.",
        "Use an id that `artifacts` of the team tells.",
        404,
    ),
    "work_not_saved": Code(
        "A member's work cannot be kept safe, so nothing is deleted.",
        "Save it by hand, or repair what the host's plugin reports.",
        409,
    ),
}
