"""
What holds in every run, whatever its seed and whatever went wrong in it.

One law: a run that breaks a promise says how to repeat it.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from typing import TYPE_CHECKING, Any

from rooms.log.owed import Lane
from rooms.log.team_looks import is_startable
from rooms.simulation.ceilings import broken_ceilings
from rooms.simulation.spans import as_span
from rooms.simulation.teams import is_team

if TYPE_CHECKING:
    from rooms.log.state import RoomState
    from rooms.pacing import RateWindow
    from rooms.simulation.run import Run
    from rooms.simulation.scenario import Scenario

__all__ = ["SimulationFailed", "check", "repeated_by"]


class SimulationFailed(AssertionError):
    """
    A promise was broken in a run, or a part of it raised.

    Attributes:
        seed: The seed of the run.
        at: The time of the run.
        problem: What went wrong.
        command: What repeats it.
    """

    def __init__(
        self, scenario: Scenario, seed: int, at: datetime, problem: str
    ) -> None:
        self.seed, self.at, self.problem = seed, at, problem
        self.command = repeated_by(scenario, seed)
        after = as_span(at - scenario.begins)
        again = "" if scenario.source else f", or simulate(..., seed={seed})"
        super().__init__(
            f"{problem} ({after} into the run)\nrepeat it: {self.command}{again}"
        )


def repeated_by(scenario: Scenario, seed: int) -> str:
    """The one command that repeats a run, or the call for a scenario from Python."""
    if scenario.source:
        from shlex import quote  # noqa: PLC0415 - for a file's name alone

        return f"rooms simulate {quote(scenario.source)} --seed {seed}"
    return f"scenario.run(seed={seed})"


def check(run: Run) -> None:
    """
    Checks what is promised of every run.

    Each record is as it was written. Each acknowledged post stands in its transcript
    once, and the transcript has no gap. No wake or send window admits more than its
    limit. Nobody is woken by its own message. No turn of a team begins that stands
    still or has reached a limit, nor one too many at once, and its result is sent once.
    And nothing that is owed is forgotten: in a run that ended because nothing was to
    come, nothing waits for a host, a place in a window or a digest, but in a team for
    what stopped there.

    Raises:
        AssertionError: It says what was broken, and where.
    """
    for stream, verified in run.lobby.verify().items():
        _holds(not verified.damages, f"{stream} is damaged: {verified.damages}")
    said = run.records("messages")
    _check_transcripts(run, said)
    _check_windows(run)
    _check_sends(run, said)
    _check_own(run, said)
    if is_team(run.scenario):
        for broken in broken_ceilings(run):
            _holds(False, broken)
    if run.reason == "quiet":
        _check_owed(run)


def _check_transcripts(run: Run, said: list[dict[str, Any]]) -> None:
    count = Counter(one["id"] for one in said)
    for request, (_, message) in run.acknowledged.items():
        times = count[message]
        _holds(times == 1, f"{request} was acknowledged and stands {times} times")
    numbers: dict[str, int] = {}
    for one in said:
        expected = numbers.get(one["room"], 0) + 1
        _holds(one["seq"] == expected, f"{one['room']} has no message {expected}")
        numbers[one["room"]] = one["seq"]


def _check_windows(run: Run) -> None:
    window = run.scenario.policy.wake_window
    if window is None:
        return
    charges: dict[tuple[str, str], list[datetime]] = {}
    for one in run.records("charges"):
        charges.setdefault((one["room"], one["who"]), []).append(one["at"])
    for (room, who), instants in charges.items():
        _check_window(window, instants, f"{who} was woken", room)


def _check_sends(run: Run, said: list[dict[str, Any]]) -> None:
    policy = run.scenario.policy
    if policy.send_window is None or policy.gives_floor:
        return  # whoever has the floor may speak: rounds bound that
    seated = {(one["room"], one["who"]) for one in run.records("seats")}
    sends: dict[tuple[str, str], list[datetime]] = {}
    for one in said:
        who = one["room"], one["sender"]
        if who in seated:
            sends.setdefault(who, []).append(one["at"])
    for (room, name), instants in sends.items():
        _check_window(policy.send_window, instants, f"{name} posted", room)


def _check_window(
    window: RateWindow, instants: list[datetime], did: str, room: str
) -> None:
    """Half open: what is a whole period apart may be."""
    instants.sort()
    for first, last in zip(instants, instants[window.limit :], strict=False):
        _holds(
            last - first >= window.period,
            f"{did} {window.limit + 1} times within {as_span(window.period)} in {room}",
        )


def _check_own(run: Run, said: list[dict[str, Any]]) -> None:
    senders = {(one["room"], one["seq"]): one["sender"] for one in said}
    allowed = run.scenario.policy.self_address == "allow"
    for wake in run.records("wakes"):
        for seq in wake["messages"]:
            own = senders[wake["room"], seq] == wake["who"]
            _holds(allowed or not own, f"{wake['who']} was woken by its own #{seq}")


def _check_owed(run: Run) -> None:
    for room in run.lobby.rooms:
        state = room._state()  # noqa: SLF001 - our own
        for seat in state.seats.values():
            if state.on_hold(seat) or not _may_start(state, seat.conversation):
                continue
            waits = (Lane.READY, Lane.TAKEN, Lane.HELD, Lane.DIGEST)
            for lane, entry in seat.placed(*waits):
                where = f"{lane} for {seat.agent} in {room.name}"
                _holds(False, f"#{entry.seq} is {where}, and forgotten")


def _may_start(state: RoomState, conversation: str) -> bool:
    """Whether a turn may start, as far as a team says so."""
    members = () if state.team is None else state.team.members.values()
    found = [one for one in members if one.conversation == conversation]
    return all(is_startable(state, one) for one in found)


def _holds(promise: bool, otherwise: str) -> None:
    if not promise:
        raise AssertionError(otherwise)
