"""Wakes, turns and time on a stage."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from rooms.driving import TurnFailed, View, drive
from rooms.lobby import Conversation, Turn
from rooms.testing.stage.standing import Standing, nth

__all__ = ["Waking"]


class Waking(Standing):
    """The verbs of whoever drives a lobby."""

    __slots__ = ()

    def take(
        self,
        *,
        holder: str = "h-1",
        agents: Sequence[str] | None = None,
        limit: int = 20,
        minutes: float = 15,
    ) -> Any:
        """Takes wakes."""
        taken = self.lobby.take_wakes(
            holder=holder,
            agents=agents,
            limit=limit,
            hold_for=timedelta(minutes=minutes),
        )
        self.wakes += taken
        return taken, [wake.render() for wake in taken]

    def open_turn(self, wake: int) -> Any:
        """Opens the turn for a wake that was taken."""
        if not self.wakes:
            return None
        return self._opened(self.lobby.turn(nth(self.wakes, wake)))

    def open_own_turn(self, who: str, *, word_of: str | None = None) -> Any:
        """Opens a turn that no wake is the reason of."""
        actor: Any = self.actor(who)  # a person's is refused
        word = None if word_of is None else self.lobby.person(word_of)
        return self._opened(self.lobby.turn(actor, word_of=word))

    def _opened(self, turn: Turn) -> Any:
        turn.__enter__()
        self.turns.append(turn)
        return turn.notices, turn.announced

    def fetch_notices(self, turn: int) -> Any:
        """Tells a running turn what became ready since."""
        return nth(self.turns, turn).fetch_notices() if self.turns else None

    def reply(self, turn: int, text: str) -> Any:
        """Answers what woke a turn."""
        if not self.turns:
            return None
        posted = nth(self.turns, turn).reply(text)
        self.messages.append(posted.message.id)
        return posted

    def renew(self, turn: int, *, minutes: float = 15) -> Any:
        """Lets a turn's claims hold for longer."""
        if not self.turns:
            return None
        return nth(self.turns, turn).renew(timedelta(minutes=minutes))

    def end_turn(self, turn: int, *, failed: bool = False) -> Any:
        """Ends a turn, well or not."""
        return nth(self.turns, turn).end(failed=failed) if self.turns else None

    def drive(
        self, *, says: str = "on", turns: int = 2, failed: bool = False, room: int = 0
    ) -> Any:
        """Drives a planned room for some turns, in which everybody says the same."""

        def speak(_: Conversation, view: View) -> str:
            if failed:
                raise TurnFailed(f"{view.name} is down")
            return says

        try:
            driven = drive(self.room(room), speak, limit=turns)
        except TurnFailed as error:  # where the policy lets it leave the driver
            return str(error)
        had = [(one.name, one.round, one.outcome) for one in driven.turns]
        return had, driven.reason, driven.until, driven.problem

    def deliver(self) -> Any:
        """Lets what is due happen, and hands wakes to the plugins."""
        report = self.lobby.deliver()
        self.pushes += report.pushed
        failed = [(one.plugin, one.hook) for one in report.failures]
        carried = (report.delivered, report.settled, report.uncarried)
        return *carried, report.bootstraps, report.pushed, failed

    def sweep(self, *, idle_for: timedelta = timedelta(days=30)) -> Any:
        """Ends the subscriptions of whoever was idle for so long."""
        return self.lobby.sweep(idle_for=idle_for)

    def announce_restart(self, *, minutes: int, notify: bool = True) -> Any:
        """Plans a restart."""
        at = self.clock() + timedelta(minutes=minutes)
        return self.lobby.announce_restart(at, "A restart.", notify_rooms=notify)

    def advance(self, by: timedelta) -> None:
        """Moves the clock on."""
        self.clock.advance(by)

    def set_clock(self, to: datetime) -> None:
        """Sets the clock, back too."""
        self.clock.set(to)

    def deadline(self) -> datetime | None:
        """When there is work again."""
        return self.lobby.next_deadline()
