"""
A talk: a transcript in your own hands, driven by a planner without a lobby.

Three laws. An event is handed to `record` before anybody sees it, so what is published
is stored (P-RUN-10). One drain runs at a time, and a message that comes in meanwhile is
drained behind it (P-RUN-02). And a turn costs what its activity costs, however long the
transcript is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Generator, Iterable, Mapping, Sequence
from inspect import iscoroutine
from typing import Any

from rooms import values
from rooms.driving.outcomes import Answer, Reply
from rooms.driving.speakers import Asynchronous, to_await
from rooms.errors import InvalidInput
from rooms.planning import Plan, RoomEvent, RoundRobinRoomPlanner
from rooms.planning.floors import MOST_TURNS

__all__ = ["Talk", "events_of"]

_FIELDS = ("speaker", "content", "round", "passed", "human")

Speak = Callable[[str, Sequence[RoomEvent]], Any]


class Talk:
    """
    A roster, a planner and a transcript.

    Args:
        roster: Ids in speaking order.
        transcript: What has been said; `events_of` reads it from elsewhere.
        planner: Any object with `plan_next`; the panel's unless given.
        record: Is handed each event before it is appended; what it raises appends
            nothing.

    Source: P-RUN-01 to P-RUN-10.

    >>> talk = Talk(["coder", "tester"])
    >>> produced = talk.on_message("ana", "go", lambda name, _: f"{name} here")
    >>> [event.content for event in produced], talk.reason
    (['coder here', 'tester here'], 'settled')
    """

    def __init__(
        self,
        roster: Sequence[str],
        transcript: Iterable[RoomEvent] = (),
        *,
        planner: Any = None,
        record: Callable[[RoomEvent], object] | None = None,
    ) -> None:
        self.roster = tuple(values.names("roster", roster))
        self.transcript: list[RoomEvent] = list(transcript)
        self.planner = RoundRobinRoomPlanner() if planner is None else planner
        if not callable(getattr(self.planner, "plan_next", None)):
            kind = type(self.planner).__name__
            problem = f"is of type {kind}"
            raise InvalidInput("planner", problem, allowed="one with plan_next")
        self.reason = ""
        self._record = record
        self._waiting: deque[RoomEvent] = deque()
        self._drains = False

    def on_message(
        self, speaker: str, content: str, speak: Speak
    ) -> tuple[RoomEvent, ...]:
        """
        Appends what somebody said and runs the turns that follow; what they brought.

        What `speak(name, transcript)` raises leaves this call; its turn is due again.
        """
        return self._run(RoomEvent(speaker, content), speak)

    async def on_message_async(
        self,
        speaker: str,
        content: str,
        speak: Callable[[str, Sequence[RoomEvent]], Awaitable[Any]],
    ) -> tuple[RoomEvent, ...]:
        """As `on_message`; what comes in during a drain is drained by that one."""
        return await self._run_async(RoomEvent(speaker, content), speak)

    def resume(self, speak: Speak) -> tuple[RoomEvent, ...]:
        """Goes on with a transcript that was loaded in mid-activity."""
        return self._run(None, speak)

    async def resume_async(
        self, speak: Callable[[str, Sequence[RoomEvent]], Awaitable[Any]]
    ) -> tuple[RoomEvent, ...]:
        """As `resume`, for a coroutine function."""
        return await self._run_async(None, speak)

    async def _run_async(
        self,
        message: RoomEvent | None,
        speak: Callable[[str, Sequence[RoomEvent]], Awaitable[Any]],
    ) -> tuple[RoomEvent, ...]:
        loop = self._drain(message)
        try:
            name = next(loop)
            while True:
                coming = speak(name, self.transcript)
                reply = await to_await(coming, instead="on_message")
                name = loop.send(_heard(reply))
        except StopIteration as end:
            return tuple(end.value)
        finally:
            loop.close()

    def _run(self, message: RoomEvent | None, speak: Speak) -> tuple[RoomEvent, ...]:
        loop = self._drain(message)
        try:
            name = next(loop)
            while True:
                name = loop.send(_heard(speak(name, self.transcript)))
        except StopIteration as end:
            return tuple(end.value)
        finally:
            loop.close()

    def _drain(
        self, message: RoomEvent | None
    ) -> Generator[str, Answer, list[RoomEvent]]:
        """The loop itself: it yields whom to ask, and is sent the answer."""
        produced: list[RoomEvent] = []
        if self._drains:
            self._waiting.extend([] if message is None else [message])
            return produced
        self._drains = True
        try:
            if message is not None:
                self._append(message)
            while True:
                plan = self._plan() if self.transcript else Plan(None, 0, "no_person")
                if plan.speaker is None:
                    self.reason = plan.reason
                    if not self._waiting:
                        return produced
                    self._append(self._waiting.popleft())
                    continue
                answer = yield plan.speaker
                silent = answer.outcome == "passed"
                event = plan.event(answer.text, passed=silent, human=False)
                self._append(event)
                produced.append(event)
        finally:
            self._drains = False

    def _append(self, event: RoomEvent) -> None:
        if self._record is not None:
            self._record(event)
        self.transcript.append(event)

    def _plan(self) -> Plan:
        """Who is next; another planner is bounded, and held to the roster."""
        if isinstance(self.planner, RoundRobinRoomPlanner):
            return self.planner.plan(self.roster, self.transcript)
        members, count, current = set(self.roster), 0, 0
        for event in reversed(self.transcript):
            if event.speaker not in members if event.human is None else event.human:
                break
            count, current = count + 1, max(current, event.round)
        if count >= MOST_TURNS:
            return Plan(None, current, "message_cap")
        name = self.planner.plan_next(self.roster, self.transcript)
        if name is None:
            return Plan(None, current, "settled")
        if name not in members:
            raise InvalidInput(
                "the plan",
                f"names {str(name)[:80]!a}",
                allowed="somebody on the roster",
                code="not_on_roster",
            )
        return Plan(name, current, "turn")


def _heard(reply: Any) -> Answer:
    """A text or a `Reply`; no words are read as a pass (P-PASS-05)."""
    if isinstance(reply, str):
        return Answer("spoke", reply)
    if isinstance(reply, Reply):
        return Answer("passed" if reply.passed else "spoke", reply.text)
    if iscoroutine(reply):
        reply.close()
        raise Asynchronous("on_message_async")
    kind = type(reply).__name__
    raise InvalidInput(
        "the reply",
        f"is of type {kind}",
        allowed="a str or a Reply; Reply(passed=True) passes",
    )


def events_of(rows: Iterable[Mapping[str, Any]]) -> list[RoomEvent]:
    """
    A transcript from elsewhere: mappings with at least `speaker`; fields that are not
    an event's are left alone, and None stands for what is missing.

    Raises:
        InvalidInput: `invalid_request`, naming the place, for what is no event.

    >>> events_of([{"speaker": "ana", "content": "go", "mood": "good"}])[0].content
    'go'
    """
    events: list[RoomEvent] = []
    for place, row in enumerate(rows):
        given: Any = row
        if not isinstance(given, Mapping):
            kind = type(given).__name__
            raise InvalidInput(
                f"transcript[{place}]",
                f"is of type {kind}",
                allowed="a mapping, such as asdict of an event makes",
            )
        known = {name: row[name] for name in _FIELDS if row.get(name) is not None}
        try:
            events.append(RoomEvent(**{"speaker": "", **known}))
        except InvalidInput as error:
            raise InvalidInput(
                f"transcript[{place}].{error.field}",
                error.details["problem"],
                allowed=error.details["allowed"],
            ) from None
    return events
