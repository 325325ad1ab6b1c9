"""
Delivering: a team's end with a result.

Three laws. A delivery is claimed before it is sent, in the commit that says that the
team completes, so two finishes never both send (S-DELIVER-08). What leaves the machine
needs a yes to just this text at just this place, and uses it up when it is accepted.
And a team that was left in `completing` is never sent again by anybody but a person
(S-RECOVER-04).
"""

from __future__ import annotations

from rooms.errors import NotAllowed
from rooms.log.events import Event
from rooms.log.state import RoomState
from rooms.log.team.approvals import check_result, used_for
from rooms.log.team.events import ApprovalUsed, DeliverySettled, TeamFinished
from rooms.log.team.standing import move, team_of
from rooms.team import Destination, binding
from rooms.team.delivery import is_external

__all__ = ["finish", "settle"]


def finish(room: RoomState, delivery: Destination, text: str) -> list[Event]:
    """
    Claims the delivery of a result, and with it the team's end.

    Raises:
        InvalidInput: `invalid_request` for no text.
        Conflict: `invalid_transition` where it is finished already, or cannot be yet.
        NotAllowed: `approval_needed` for a destination outside, without a yes to just
            this, not used before.
    """
    check_result(text)
    moved = move(room, "finish")
    bound = binding(delivery.name, delivery.params, text)
    approval = used_for(room, bound)
    if is_external(delivery.name) and approval is None:
        raise NotAllowed(
            "approval_needed",
            f"a delivery to {delivery.name} needs a person's yes to its text",
            destination=delivery.name,
        )
    finished = TeamFinished(
        delivery.name,
        bound,
        0 if approval is None else approval.version,
        text.strip(),
        dict(delivery.params),
    )
    return [finished, *moved]


def settle(
    room: RoomState,
    outcome: str,
    *,
    approval: int,
    reference: str = "",
    problem: str = "",
) -> list[Event]:
    """
    What became of the delivery, and the end of the team: a result that was not taken
    opens it no more (S-DELIVER-09).

    Args:
        room: The room.
        outcome: `delivered`; `refused` by the destination; `failed` on the way.
        approval: The yes that the delivery stood on; used up if it was accepted.
        reference: What the destination calls it, or "".
        problem: Why it was not taken, in words.

    Raises:
        Conflict: `invalid_transition` where nothing waits to be settled.
    """
    moved = move(room, "delivered", text=problem)
    events: list[Event] = [DeliverySettled(outcome, reference, problem)]
    if outcome == "delivered" and approval in team_of(room).approvals:
        events.append(ApprovalUsed(approval))
    return [*events, *moved]
