"""
Every order of what two runtimes, and whoever runs the lobby, do about one conversation.

The oracle is a table by hand (`EXPECTED`): for each step, what it comes to by how the
conversation stands. After each step, every claim ever made is tried, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import count, product
from random import Random

import pytest
from attrs import define, field

from effort import sized
from lobby.place import NOON
from rooms import Conversation, Lobby, MemoryStorage, RoomsError
from rooms.lobby import Claim, Credentials

OTHER = {"A": "B", "B": "A"}

EXPECTED = {
    # step: by how its runtime stands; "-" where that makes no difference
    "start": {
        "free": "bound",
        "bound": "bound",
        "other": "runtime_conflict",
        "retired": "stale_runtime",
    },
    "nameless": {
        "never named": "nameless",
        "bound": "runtime_conflict",
        "named before": "runtime_required",
    },
    "back": {"current": "as it is", "else": "stale_runtime"},
    "ready": {"current": "ready", "else": "stale_runtime"},
    "role": {"-": "unready"},
    "reset": {"-": "retired"},
    "rotate": {"-": "retired"},
    "disable": {"-": "retired"},
    "recover": {"-": "unbound"},
    "restart": {"-": "as it is"},
}
REFUSALS = {"runtime_conflict", "stale_runtime", "runtime_required"}
STEPS = [
    *product(("start", "back", "ready"), "AB"),
    *((step, "") for step in EXPECTED if step not in {"start", "back", "ready"}),
]


@define
class Standing:
    """How the conversation stands by the rules."""

    bound: str = ""
    current: Claim | None = None
    ready: bool = True
    retired: set[str] = field(factory=set)
    named: bool = False

    def expected(self, step: str, runtime: str, last: Claim | None) -> str:
        """What a step comes to."""
        return EXPECTED[step][self.how(step, runtime, last)]

    def how(self, step: str, runtime: str, last: Claim | None) -> str:
        """How a step's runtime stands, in the words of the table."""
        if step in {"back", "ready"}:
            return "current" if last and last == self.current else "else"
        named = "named before" if self.named else "never named"
        if step == "nameless":
            return "bound" if self.bound else named
        if step != "start":
            return "-"
        if runtime in self.retired:
            return "retired"
        bound = "other" if self.bound == OTHER[runtime] else "bound"
        return bound if self.bound else "free"

    def follow(self, came: str, runtime: str, claim: Claim | None) -> None:
        """Moves on with what a step came to."""
        match came:
            case "bound":
                self.bound, self.current, self.ready = runtime, claim, False
                self.named = True
            case "nameless":
                self.current = claim
            case "ready":
                self.ready = True
            case "unready" if self.bound:
                self.ready = False
            case "retired" | "unbound":
                if came == "retired" and self.bound:
                    self.retired.add(self.bound)
                self.bound, self.current = "", None


class Scene:
    """A lobby with one conversation, and the claims that were made on it."""

    def __init__(self) -> None:
        numbers = count(1)
        self.storage = MemoryStorage()
        self.ids: Callable[[str], str] = lambda prefix: f"{prefix}_{next(numbers)}"
        self.roles = count(1)
        self.lobby = self.opened()
        self.lobby.add_agent("ben")
        self.lobby.add_agent("cy")
        self.lobby.send("for ben", by=self.of("cy"), to="ben")
        self.claims: list[Claim] = []
        self.last: dict[str, Claim] = {}
        self.standing = Standing()
        self.ever = False

    def opened(self) -> Lobby:
        return Lobby(self.storage, clock=lambda: NOON, ids=self.ids)

    def of(self, agent: str) -> Conversation:
        return self.lobby.conversation(agent)

    @property
    def ben(self) -> Conversation:
        return self.of("ben")

    # -- steps

    def step(self, step: str, runtime: str) -> None:
        """Takes one step, and compares all of it with the rules."""
        last = self.last.get(runtime)
        if step in {"back", "ready"} and last is None:
            return
        expected = self.standing.expected(step, runtime, last)
        made: list[Claim | None] = []
        refused = code(lambda: made.append(getattr(self, step)(runtime)))
        assert refused == (expected if expected in REFUSALS else ""), step
        claim = made[0] if made else None
        if step in {"start", "nameless"} and claim is not None:
            self.claims.append(claim)
            self.last[runtime] = claim
            self.ever = True
        if step == "back" and claim is not None:
            assert (claim, claim.nonce) == (last, last and last.nonce)
            assert claim.is_ready == self.standing.ready
        self.standing.follow(expected, runtime, claim)

    def start(self, runtime: str) -> Claim:
        return self.ben.claim(runtime)

    def nameless(self, _: str) -> Claim:
        return self.ben.claim()

    def back(self, runtime: str) -> Claim:
        return self.ben.claim(runtime, generation=self.last[runtime].generation)

    def ready(self, runtime: str) -> None:
        claim = self.last[runtime]
        asked = claim.bootstrap()
        claim.ready(0, claim.nonce if asked is None else asked.nonce)
        self.last[runtime] = self.back(runtime)

    def role(self, _: str) -> None:
        self.lobby.agent("ben").change(role=f"role {next(self.roles)}")
        bound = self.standing.bound
        if bound:
            self.last[bound] = self.back(bound)

    def reset(self, _: str) -> None:
        self.ben.reset_runtime()

    def rotate(self, _: str) -> None:
        Credentials(self.lobby).rotate(self.lobby.agent("ben"))

    def disable(self, _: str) -> None:
        self.lobby.agent("ben").change(enabled=False)
        self.lobby.agent("ben").change(enabled=True)

    def recover(self, _: str) -> None:
        self.lobby.recover()

    def restart(self, _: str) -> None:
        self.lobby = self.opened()

    # -- what holds after each

    def check(self) -> bool:
        """Who may act, and whether anything is handed out, which is told."""
        said = "I act." if len(self.claims) % 2 else "So do I."
        for claim in self.claims:
            current = self.standing.current == claim
            came = code(partial(self.lobby.send, said, by=claim, to="cy"))
            assert came == ("" if current else "stale_runtime"), claim
        came = code(partial(self.lobby.set_status, said, by=self.ben))
        assert came == ("runtime_required" if self.standing.named else "")
        came = code(partial(self.lobby.send, said, by=self.ben, to="cy"))
        assert came == ("runtime_required" if self.ever else "")
        bound = self.standing.bound
        handed = not self.standing.named or bool(bound and self.standing.ready)
        wakes = self.lobby.take_wakes(agents=["ben"], holder="look")
        assert bool(wakes) == handed
        for wake in wakes:
            self.lobby.give_back(wake)
        if bound:
            asked = self.last[bound].bootstrap()
            assert (asked is None) == self.standing.ready
        return handed


def code(act: Callable[[], object]) -> str:
    """The code with which something is refused, or nothing."""
    try:
        act()
    except RoomsError as error:
        return error.code
    return ""


def walks() -> Iterator[list[tuple[str, str]]]:
    """Every order of so many steps; and longer ones, drawn."""
    yield from (list(one) for one in product(STEPS, repeat=sized(2, 2, 3)))
    random = Random(7)
    for _ in range(sized(25, 100, 800)):
        yield random.choices(STEPS, k=random.randint(4, 14))


@pytest.mark.rule("L-FENCE-02", "L-FENCE-03", "L-FENCE-04", "L-FENCE-05", "L-FENCE-06")
@pytest.mark.rule("L-FENCE-07", "L-FENCE-08", "L-BOOT-01", "L-BOOT-05")
def test_every_order_of_claims_comes_to_what_the_table_says() -> None:
    handed = 0
    for walk in walks():
        scene = Scene()
        try:
            for step, runtime in walk:
                scene.step(step, runtime)
                handed += scene.check()
        except AssertionError as wrong:
            wrong.add_note(f"in {walk}")
            raise
    assert handed > len(STEPS)
