"""
Parts that agents play in a simulated room: what they say when they are woken.

Three laws. A part is a value: what it remembers begins anew in each run. It draws from
the random source that it is handed, and from no other. And it takes time: what it says
is posted when its turn ends.

    chatty(to="ben")                         answers, and speaks up now and then
    silent()                                 is told, and says nothing
    scripted("yes", "no")                    says these, a turn each, then nothing
    reactive(lambda heard: heard.last_text)  says what a function answers
    erratic(speaks=0.3)                      says something to somebody, or not

What is said is words or a `Say`; what is done otherwise is a `Call` of a tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from decimal import Decimal
from random import Random
from typing import TYPE_CHECKING, Any

from attrs import field, frozen

from rooms import values
from rooms.errors import InvalidInput
from rooms.hearing import Mode
from rooms.simulation import given
from rooms.simulation.saying import Call, Say
from rooms.team.amounts import from_micros, micros_of

if TYPE_CHECKING:
    from rooms import Message, Wake
    from rooms.lobby.team.briefing import Brief

__all__ = [
    "Heard",
    "Part",
    "Speaker",
    "chatty",
    "check_part",
    "erratic",
    "reactive",
    "scripted",
    "silent",
]

_SECOND = timedelta(seconds=1)
_NOW_AND_THEN = timedelta(minutes=5)


@frozen
class Heard:
    """
    What an agent has when it is asked.

    Attributes:
        who: Its own name.
        now: The time of the run.
        wake: What it was woken with; None where it speaks on its own initiative.
        random: Its own random source, seeded for the run.
        others: The names of all other agents of the run, sorted.
        turn: How often it was asked before.
    """

    who: str
    now: datetime
    wake: Wake | None
    random: Random = field(repr=False)
    others: tuple[str, ...]
    turn: int
    _brief: Callable[[], Brief | None] = field(
        default=lambda: None, repr=False, eq=False, kw_only=True
    )

    @property
    def brief(self) -> Brief | None:
        """
        What its team is about and where it stands, None for who is in no team.

        Its mandate, open work, what keeps somebody from it, and open questions.
        """
        return self._brief()

    @property
    def messages(self) -> tuple[Message, ...]:
        """What it is told in this turn."""
        return () if self.wake is None else self.wake.messages

    @property
    def last_text(self) -> str:
        """The words of the newest of them; "" for none."""
        return self.messages[-1].content if self.messages else ""


Speaker = Callable[[Heard], "str | Say | Call | Iterable[str | Say | Call] | None"]
"""What answers: words, a `Say`, a `Call`, several of them, or None for nothing."""


@frozen(kw_only=True)
class Part:
    """
    How an agent takes part.

    Attributes:
        begin: Makes what speaks in one run.
        latency: How long its turns take: a span, or the shortest and the longest, of
            which one is drawn each time.
        mode: How it subscribes; None as the room's policy says.
        fails: How likely a turn fails, from 0 to 1.
        every: How often it speaks on its own initiative, on average; None never.
        threaded: Whether it has many conversations. It takes part with one, called
            `main`; those that messages start play the same part.
        cost: What a turn of it costs in a team, in the host's unit: an amount, or the
            lowest and the highest, of which one is drawn each time.
        tokens: How many tokens such a turn uses, likewise.
        addresses: Whom it will address, as far as that is known before it speaks. A
            scenario is refused where one of them can never be there.
    """

    begin: Callable[[], Speaker] = field(repr=False)
    latency: tuple[timedelta, timedelta] = field(
        default=(_SECOND, _SECOND), converter=given.latency
    )
    mode: Mode | None = field(default=None, converter=given.mode)
    fails: float = field(default=0.0, converter=given.fails)
    every: timedelta | None = field(default=None, converter=given.every)
    threaded: bool = field(default=False)
    cost: tuple[Decimal, Decimal] = field(
        default=(Decimal(0), Decimal(0)), converter=given.cost
    )
    tokens: tuple[int, int] = field(default=(0, 0), converter=given.tokens)
    addresses: tuple[str, ...] = field(default=(), converter=given.to)

    def __attrs_post_init__(self) -> None:
        values.flag("threaded", self.threaded)
        if not callable(self.begin):
            raise InvalidInput("begin", "cannot be called", allowed="a callable")

    def takes(self, random: Random) -> timedelta:
        """How long the next turn takes."""
        shortest, longest = self.latency
        spread = (longest - shortest) // timedelta(microseconds=1)
        return shortest + timedelta(microseconds=random.randint(0, spread))

    def uses(self, random: Random) -> tuple[Decimal, int]:
        """What the next turn costs, and how many tokens it uses."""
        low, high = map(micros_of, self.cost)
        cost = random.randint(low, high) if low < high else low
        least, most = self.tokens
        tokens = random.randint(least, most) if least < most else least
        return from_micros(cost), tokens


def chatty(
    to: str | Iterable[str] = (), text: str = "message {n}", **manner: Any
) -> Part:
    """
    Says something whenever it is woken, and every five minutes or so of itself.

    Args:
        to: Whom it addresses; empty answers what woke it.
        text: What it says; `{n}` is the number of its turn, from 1.
        manner: `latency`, `mode`, `fails`, `every`, `threaded`, `cost`, `tokens`, as
            for `Part`; `every=None` lets it answer only.

    Raises:
        InvalidInput: `invalid_request`, naming the keyword and what it may be.
    """
    values.storable("text", text)
    named = given.to(to)

    def begin() -> Speaker:
        return lambda heard: Say(text.replace("{n}", str(heard.turn + 1)), named)

    return _part(begin, {"every": _NOW_AND_THEN} | manner, named)


def silent(**manner: Any) -> Part:
    """Is told what it is owed, and says nothing; keywords as for `chatty`."""
    return _part(lambda: lambda _: None, manner)


def scripted(
    *lines: str | Say | Call | Iterable[str | Say | Call] | None, **manner: Any
) -> Part:
    """
    Says these, one a turn, then nothing; None is a turn without words, and several
    together are of one turn.

    Raises:
        InvalidInput: As for `chatty`.
    """
    said = tuple(_line(one) for one in lines)

    def begin() -> Speaker:
        left = iter(said)
        return lambda _: next(left, ())

    spoken = (one for line in said for one in line if isinstance(one, Say))
    return _part(begin, manner, (name for one in spoken for name in one.to))


def reactive(answer: Speaker, **manner: Any) -> Part:
    """
    Says what a function answers to what was heard.

    Args:
        answer: From a `Heard` to words, a `Say`, a `Call`, several, or None. It should
            depend on what it is handed and on nothing else; whatever has a memory of
            its own belongs into `Part(begin=...)`.
        manner: As for `chatty`.

    Raises:
        InvalidInput: As for `chatty`.
    """
    if not callable(answer):
        raise InvalidInput("answer", "cannot be called", allowed="a callable")
    return _part(lambda: answer, manner)


def erratic(speaks: float = 0.5, text: str = "message {n}", **manner: Any) -> Part:
    """
    Says something to one of the others, drawn each time, or nothing.

    Args:
        speaks: How likely it says something, from 0 to 1.
        text: As for `chatty`.
        manner: As for `chatty`.

    Raises:
        InvalidInput: As for `chatty`.
    """
    likely = given.odds("speaks", speaks)
    values.storable("text", text)

    def answer(heard: Heard) -> Say | None:
        if heard.random.random() >= likely or not heard.others:
            return None
        to = heard.random.choice(heard.others)
        return Say(text.replace("{n}", str(heard.turn + 1)), to)

    return _part(lambda: answer, manner)


MANNER = ("latency", "mode", "fails", "every", "threaded", "cost", "tokens")
"""The keywords that every part takes."""


def _part(
    begin: Callable[[], Speaker],
    manner: dict[str, Any],
    addresses: Iterable[str] = (),
) -> Part:
    for name in manner:
        values.member("keyword", name, MANNER)
    named = tuple(dict.fromkeys(addresses))
    return Part(begin=begin, addresses=named, **manner)


def _line(said: Any) -> tuple[Say | Call, ...]:
    if said is None:
        return ()
    if isinstance(said, str | Say | Call) or not isinstance(said, Iterable):
        said = (said,)
    return tuple(one if isinstance(one, Say | Call) else Say(one) for one in said)


def check_part(name: str, part: Any) -> Part:
    """
    A part as it was given.

    Raises:
        InvalidInput: `invalid_request` for anything else.
    """
    if not isinstance(part, Part):
        kind = type(part).__name__
        raise InvalidInput(
            f"agents[{name!r}]",
            f"is of type {kind}",
            allowed="a part, such as silent() or reactive(function)",
        )
    return part
