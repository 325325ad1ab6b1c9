"""Agents that always answer: a guard stops them, or the windows keep their rates."""

from __future__ import annotations

from random import Random

import pytest

from effort import sized
from rooms import presets
from rooms.simulation import Call, Heard, Part, Run, Say, chatty, reactive, simulate
from rooms.team import Blueprint, TeamLimits

PRESETS = ("hall", "broker", "panel", "thread", "team")


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


def members(random: Random, count: int) -> dict[str, Part]:
    """Members that answer, of whom some also work: their limits alone end it."""
    names = [f"a{number}" for number in range(count)]
    workers = random.sample(names, random.randint(0, count))

    def busy(name: str, to: str) -> Part:
        def answer(heard: Heard) -> list[Say | Call]:
            work = {"title": f"piece {heard.turn}", "owner": name}
            more = [Call("team_update_work", work)] if name in workers else []
            return [Say("and you?", to), *more]

        return reactive(
            answer,
            latency=("1s", random.choice(["2s", "30s", "5m"])),
            cost=("0.001", "0.1"),
            tokens=(0, 20_000),
        )

    return {
        name: busy(name, random.choice([one for one in names if one != name]))
        for name in names
    }


def storm_of_a_team(seed: int) -> Run:
    random = Random(seed)
    count = random.randint(2, 20)
    limits = TeamLimits(
        max_members=20,
        max_cost=random.choice([1, 5, 1_000]),
        max_member_turns=random.choice([5, 30, 1_000]),
        max_active_turns=random.randint(1, 4),
    )
    return simulate(
        members(random, count),
        policy=presets.team(max_hops=random.choice([None, 1, 6, 12])),
        team=Blueprint(limits=limits),
        start=("ana", "go"),
        until="2d",  # after an hour of work it is stopped anyway
        seed=seed,
    )


@pytest.mark.parametrize("seed", range(sized(5, 50, 1_000)))
def test_a_storm_ends_or_keeps_its_rates(seed: int) -> None:
    preset = PRESETS[seed % len(PRESETS)]
    if preset == "team":
        # What `simulate` checks itself: no turn begins beyond a limit.
        run = storm_of_a_team(seed)
        assert run.reason == "quiet"
        [team] = run.teams.values()
        assert team.standing.reason in {"limit_reached", "no_progress"}
        return
    random = Random(seed)
    count = random.randint(2, 20)
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
