"""Agents that always answer: a guard stops them, or the windows keep their rates."""

from __future__ import annotations

from random import Random

import pytest

from effort import sized
from rooms import presets
from rooms.simulation import Part, Say, chatty, simulate

PRESETS = ("hall", "broker", "panel", "thread")


def parts(random: Random, count: int) -> dict[str, Part]:
    """Agents that answer whoever woke them, or always the same one of the others."""
    names = [f"a{number}" for number in range(count)]
    played = {}
    for name in names:
        to = random.choice(
            [(), (random.choice([one for one in names if one != name]),)]
        )
        played[name] = chatty(
            to=to,
            every=None,
            text="@" + random.choice(names) + " {n}",
            latency=("1s", random.choice(["2s", "30s", "5m"])),
        )
    return played


@pytest.mark.parametrize("seed", range(sized(4, 50, 1_000)))
def test_a_storm_ends_or_keeps_its_rates(seed: int) -> None:
    random = Random(seed)
    preset, count = PRESETS[seed % len(PRESETS)], random.randint(2, 20)
    guard = random.choice([None, 1, 6, 12])
    policy = getattr(presets, preset)(max_hops=guard)
    agents = parts(random, count)
    who, to = ("a1", "a0") if preset == "hall" else ("ana", "a0")
    if preset in {"panel", "thread"}:
        start = (who, Say("@a0 @a1 go"))
    else:
        start = (who, Say("go", to))

    bounded = guard is not None or policy.planner != "none"

    run = simulate(
        agents,
        policy=policy,
        start=start,
        until="2d" if bounded else "10m",  # a turn may take five minutes
        seed=seed,
    )

    # What `simulate` checks itself: no window admits more than its limit.
    if bounded:
        assert run.reason == "quiet"


@pytest.mark.parametrize("agents", [2, 20])
def test_a_chain_of_answers_is_as_long_as_the_guard_lets_it(agents: int) -> None:
    names = [f"a{n}" for n in range(agents)]
    played = {
        name: chatty(to=names[(n + 1) % agents], every=None, latency=("1s", "9s"))
        for n, name in enumerate(names)
    }

    run = simulate(
        played,
        policy=presets.hall(people="post", max_hops=6),
        start=("ana", "go", "a0"),
    )

    assert run.reason == "quiet"
    assert len(run.records("messages")) == 7  # the person's, and six answers to it
