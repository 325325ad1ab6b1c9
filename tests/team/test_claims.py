"""Claims: who is told, who is refused, what ends them, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from lobby.place import Place
from rooms.errors import Conflict, OverLimit, RoomsError
from rooms.lobby import Team
from rooms.log import patterns, snapshots
from rooms.log.patterns import PatternIndex, check_patterns
from rooms.log.state import RoomState
from rooms.log.team.standing import unseated
from rooms.paths import normalized_overlap
from rooms.team import Envelope, TeamLimits, WorkspaceMode
from team.scene import BLUEPRINT, Scene, member

HOUR = timedelta(hours=1)


def refused(call: Callable[..., Any], *given: Any, **more: Any) -> str:
    with pytest.raises(RoomsError) as error:
        call(*given, **more)
    return error.value.code


def held(scene: Scene, key: str) -> list[str]:
    return [one.pattern for one in scene.team().claims if one.member == key]


def started(scene: Scene, policy: str = "warn") -> Team:
    limits = TeamLimits(claims=policy)
    return scene.started(evolve(BLUEPRINT, limits=limits), Envelope(limits=limits))


def records(scene: Scene) -> int:
    return len(list(scene.lobby.export()))


# -- whom it concerns


@pytest.mark.rule("S-CLAIM-01", "S-CLAIM-02", "S-CLAIM-05")
def test_a_claim_is_told_with_those_that_it_overlaps(
    scene: Scene, place: Place
) -> None:
    started(scene)
    place.clock.advance(HOUR.total_seconds())
    first = scene.acts("builder").claim_paths(["src"], reason="Moving it.")
    second = scene.acts("scout").claim_paths(["src/api/*.ts", "docs", "port 80"])

    assert (first.members, second.members) == ((), ("builder",))
    [overlap] = second.overlaps
    assert (overlap.pattern, overlap.claim.pattern) == ("src/api/*.ts", "src")
    assert overlap.claim.reason == "Moving it."
    assert [one.pattern for one in second.claims] == ["src/api/*.ts", "docs", "port 80"]
    shown = scene.team().claims
    assert [(one.member, one.pattern) for one in shown] == [
        ("builder", "src"),
        ("scout", "src/api/*.ts"),
        ("scout", "docs"),
        ("scout", "port 80"),
    ]
    assert shown[0].at == place.clock()
    assert shown[0].active
    assert scene.acts("lead").claims == shown


@pytest.mark.rule("S-CLAIM-02")
def test_a_reason_is_kept_to_300_characters(scene: Scene) -> None:
    started(scene)
    scene.acts("builder").claim_paths(["src"], reason="r" * 301)

    assert scene.team().claims[0].reason == "r" * 300


@pytest.mark.rule("S-CLAIM-03", "S-CLAIM-04")
def test_ones_own_claims_never_conflict_and_are_recorded_once(scene: Scene) -> None:
    started(scene, "block")
    builder = scene.acts("builder")
    builder.claim_paths(["src", "src/api"])
    before = records(scene)

    again = builder.claim_paths(["./src/", "src/api/u.ts"])
    assert [one.pattern for one in again.claims] == ["src/api/u.ts"]
    assert records(scene) == before + 1
    assert builder.claim_paths(["src"]).claims == ()
    assert records(scene) == before + 1


@pytest.mark.rule("S-CLAIM-06", "S-CLAIM-03")
def test_block_is_all_or_nothing(scene: Scene) -> None:
    """The first of the 8 subtlest rules."""
    started(scene, "block")
    builder, scout = scene.acts("builder"), scene.acts("scout")
    builder.claim_paths(["src"])
    before = records(scene)

    with pytest.raises(Conflict) as error:
        scout.claim_paths(["docs/a.md", "src/api.ts"])
    assert (error.value.code, error.value.current) == ("blocked_by_claim", ["builder"])
    assert (held(scene, "scout"), records(scene)) == ([], before)
    again = builder.claim_paths(["src"])
    assert (again.claims, again.overlaps, records(scene)) == ((), (), before)


@pytest.mark.rule("S-CLAIM-07")
def test_under_block_a_pattern_of_ones_own_that_another_holds_refuses_too(
    scene: Scene,
) -> None:
    started(scene)
    scene.acts("builder").claim_paths(["src"])
    scout = scene.acts("scout")
    assert scout.claim_paths(["src"]).members == ("builder",)
    _block(scene)

    assert refused(scout.claim_paths, ["src", "docs"]) == "blocked_by_claim"
    assert held(scene, "scout") == ["src"]


def _block(scene: Scene) -> None:
    """The policy becomes `block`, as an approved change would make it."""
    state = scene.lobby._desk.room(scene.room)
    assert state.team is not None
    state.team.limits = evolve(state.team.limits, claims="block")


@pytest.mark.rule("S-CLAIM-08")
def test_a_member_holds_fifty_claims_and_that_is_looked_at_first(scene: Scene) -> None:
    started(scene, "block")
    scene.acts("scout").claim_paths(["taken"])
    builder = scene.acts("builder")
    builder.claim_paths([f"a{one}" for one in range(49)])

    assert refused(builder.claim_paths, ["b1", "b2"]) == "too_many"
    assert refused(builder.claim_paths, ["taken", "b2"]) == "too_many"
    assert refused(builder.claim_paths, ["taken"]) == "blocked_by_claim"
    builder.claim_paths(["b1", "a0", "a1"])
    assert len(held(scene, "builder")) == 50
    with pytest.raises(OverLimit) as error:
        builder.claim_paths([f"c{one}" for one in range(51)])
    assert error.value.details["limit"] == 50
    builder.release_paths(["a0"])
    builder.claim_paths(["b2"])
    assert len(held(scene, "builder")) == 50


@pytest.mark.rule("S-CLAIM-09")
def test_two_hundred_released_claims_are_kept_and_no_active_one_goes(
    scene: Scene,
) -> None:
    started(scene)
    builder = scene.acts("builder")
    builder.claim_paths(["stays"])
    for turn in range(5):
        builder.claim_paths([f"t{turn}/f{one:02}" for one in range(49)])
        builder.release_paths([f"t{turn}/f{one:02}" for one in range(49)])

    over = [one.pattern for one in scene.team().released_claims]
    assert len(over) == 200
    assert (over[0], over[-1]) == ("t0/f45", "t4/f48")  # 245 were released
    assert held(scene, "builder") == ["stays"]


@pytest.mark.rule("S-CLAIM-10", "S-CLAIM-15")
def test_patterns_are_normalised_merged_and_dropped_where_they_name_nothing(
    scene: Scene,
) -> None:
    started(scene)
    builder = scene.acts("builder")
    builder.claim_paths([" .\\src//api/ ", "/src/api", "./", " ", "*****a"])

    assert held(scene, "builder") == ["src/api", "*****a"]
    before = records(scene)
    hostile: list[tuple[Any, str]] = [
        ([], "no_patterns"),
        (["", "./", "/"], "no_patterns"),
        (["../up"], "bad_path"),
        (["a" * 10_000], "too_large"),
        (["a\x00b"], "bad_path"),
        (["a\ud800"], "bad_path"),
        ([7], "invalid_request"),
        ("src", "invalid_request"),
        ({"src"}, "invalid_request"),
        (None, "invalid_request"),
        ([f"f{one}" for one in range(51)], "too_many"),
        ((f"f{one}" for one in range(10**9)), "too_many"),
    ]
    for given, code in hostile:
        assert refused(builder.claim_paths, given) == code
    for given in ([" "], ["../up"], "src", 7):
        assert refused(builder.release_paths, given) in {
            *("no_patterns", "bad_path", "invalid_request"),
        }
    assert refused(builder.claim_paths, ["x"], reason="a\ud800") == "invalid_request"
    for after in (timedelta(0), -HOUR, timedelta(days=400), 7):
        code = refused(builder.claim_paths, ["x"], expires_after=after)
        assert code == "invalid_request"
    assert records(scene) == before


@pytest.mark.rule("S-CLAIM-11")
@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("src", "src/api/u.ts", True),
        ("src/*.ts", "src/api/u.ts", False),
        ("src/**", "./src//x/", True),
        ("srcs", "src", False),
        ("Src", "src", False),
        ("a*", "*b", True),  # S-CLAIM-12, as it should be
    ],
)
def test_a_folder_covers_what_is_below_and_a_star_crosses_no_slash(
    scene: Scene, one: str, other: str, meet: bool
) -> None:
    """The second of the 8 subtlest rules."""
    started(scene)
    scene.acts("builder").claim_paths([one])

    assert bool(scene.acts("scout").claim_paths([other]).overlaps) is meet


# -- what ends it


@pytest.mark.rule("S-CLAIM-13")
def test_released_are_those_that_are_named_or_all(scene: Scene) -> None:
    started(scene)
    builder = scene.acts("builder")
    builder.claim_paths(["a", "b", "c"])

    assert builder.release_paths(["./b", "never"]) == ("b",)
    assert held(scene, "builder") == ["a", "c"]
    assert builder.release_paths() == ("a", "c")
    assert builder.release_paths() == ()
    over = scene.team().released_claims
    assert [one.pattern for one in over] == ["b", "a", "c"]
    assert not any(one.active for one in over)


@pytest.mark.rule("S-CLAIM-13", "S-CLAIM-14")
def test_whoever_is_retired_claims_nothing_any_more(scene: Scene) -> None:
    started(scene, "block")
    scene.acts("scout").claim_paths(["src"])
    scene.acts("lead").propose("retire_member", "scout")

    assert scene.team().claims == ()
    assert [one.pattern for one in scene.team().released_claims] == ["src"]
    assert scene.acts("builder").claim_paths(["src/a"]).overlaps == ()


@pytest.mark.rule("S-CLAIM-14")
def test_a_member_whose_seat_is_gone_claims_nothing_that_anybody_sees(
    scene: Scene,
) -> None:
    started(scene, "block")
    builder = scene.acts("builder")
    builder.claim_paths(["src"])
    seat = scene.conversation("builder").id
    scene.does(lambda room: [unseated(room, room.seats[seat], "left")])

    assert scene.team().claims == ()
    assert scene.acts("scout").claim_paths(["src"]).overlaps == ()


@pytest.mark.rule("S-CLAIM-13", "S-CLAIM-14", "S-CLAIM-15")
@pytest.mark.parametrize("end", ["cancel", "finish"])
def test_the_end_of_the_team_ends_its_claims(scene: Scene, end: str) -> None:
    team = started(scene)
    builder = scene.acts("builder")
    builder.claim_paths(["src"])
    if end == "cancel":
        team.cancel()
    else:
        scene.acts("lead").finish("Done.")

    assert team.claims == ()
    assert [one.pattern for one in team.released_claims] == ["src"]
    assert refused(builder.claim_paths, ["docs"]) == "room_finished"


@pytest.mark.rule("S-CLAIM-15")
def test_nobody_else_claims(scene: Scene) -> None:
    started(scene)
    other = scene.lobby.add_agent("other").conversation()

    assert refused(scene.lobby.member, by=other) == "not_a_member"
    builder = scene.acts("builder")
    scene.acts("lead").propose("retire_member", "builder")
    assert refused(builder.claim_paths, ["src"]) == "not_a_member"


@pytest.mark.rule("S-CLAIM-16")
def test_a_claim_is_progress_and_claiming_it_again_is_none(
    scene: Scene, place: Place
) -> None:
    started(scene)

    def progressed() -> int:
        state = scene.lobby._desk.room(scene.room)
        assert state.team is not None
        return state.team.progressed_at

    before = progressed()
    place.clock.advance(HOUR.total_seconds())
    scene.acts("builder").claim_paths(["src"])
    after = progressed()
    assert after - before == HOUR // timedelta(microseconds=1)
    place.clock.advance(HOUR.total_seconds())
    scene.acts("builder").claim_paths(["src"])
    scene.acts("builder").release_paths()
    assert progressed() == after


# -- expiry


def test_a_claim_expires_is_renewed_for_its_width_and_never_revived(
    scene: Scene, place: Place
) -> None:
    started(scene, "block")
    builder, scout = scene.acts("builder"), scene.acts("scout")
    start = place.clock()
    builder.claim_paths(["src", "docs"], expires_after=HOUR)
    builder.claim_paths(["stays"])
    assert [one.until for one in builder.claims] == [start + HOUR, start + HOUR, None]

    place.clock.advance((HOUR / 2).total_seconds())
    assert builder.renew_paths(["src"]) == ("src",)  # till 1:30, and not 2:00
    place.clock.advance((HOUR / 2).total_seconds())
    assert held(scene, "builder") == ["src", "stays"]
    before = records(scene)
    assert refused(builder.renew_paths, ["src", "docs"]) == "unknown_claim"
    assert records(scene) == before
    assert builder.renew_paths() == ("src",)  # till 2:00
    assert builder.renew_paths(["stays"]) == ()

    place.clock.advance((HOUR - timedelta(microseconds=1)).total_seconds())
    assert refused(scout.claim_paths, ["src/a"]) == "blocked_by_claim"
    place.clock.advance((timedelta(microseconds=1)).total_seconds())
    scout.claim_paths(["src/a"])
    assert refused(builder.renew_paths, ["src"]) == "unknown_claim"
    assert refused(builder.claim_paths, ["src"]) == "blocked_by_claim"
    over = {one.pattern: one.released_at for one in scene.team().released_claims}
    assert over == {"docs": start + HOUR, "src": start + 2 * HOUR}


def test_what_expired_makes_room_for_others(scene: Scene, place: Place) -> None:
    started(scene)
    builder = scene.acts("builder")
    builder.claim_paths([f"a{one}" for one in range(50)], expires_after=HOUR)
    place.clock.advance(HOUR.total_seconds())

    assert len(builder.claim_paths([f"a{one}" for one in range(50)]).claims) == 50


# -- one shared tree


@pytest.mark.rule("S-WORKSPACE-04")
def test_in_one_tree_those_that_edit_never_hold_what_overlaps(scene: Scene) -> None:
    shared = evolve(
        BLUEPRINT,
        workspace=WorkspaceMode.SHARED_WORKING_TREE,
        members=[
            member("lead", lead=True),
            member("builder"),
            member("scout", agent="Scouts", access="read_only"),
        ],
    )
    scene.started(shared, Envelope(shared_tree=True))
    lead, builder, scout = map(scene.acts, ("lead", "builder", "scout"))
    builder.claim_paths(["src"])

    assert refused(lead.claim_paths, ["src/a"]) == "blocked_by_claim"
    assert scout.claim_paths(["src/a"]).members == ("builder",)  # it only reads
    assert builder.claim_paths(["src/a"]).members == ("scout",)


# -- what it costs


class Counting:
    """Counts how often two patterns are compared."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.compared = 0
        overlap = normalized_overlap

        def counted(one: str, other: str) -> bool:
            self.compared += 1
            return overlap(one, other)

        monkeypatch.setattr(patterns, "normalized_overlap", counted)


def test_a_path_is_looked_up_among_two_thousand(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index, counting = PatternIndex(), Counting(monkeypatch)
    for one in range(2_000):
        pattern = f"src/p{one}/*.py" if one % 2 else f"src/p{one}/a.py"
        index.add(f"m{one // 50}", pattern)

    assert list(index.meeting("src/p7/a.py")) == [("m0", "src/p7/*.py")]
    assert list(index.meeting("lib/p7/a.py")) == []
    assert counting.compared <= 2
    assert len(list(index.meeting("**/a.py"))) == 2_000
    assert counting.compared <= 2_002


@pytest.mark.no_cover
def test_patterns_that_nobody_could_compare_in_time_are_refused(scene: Scene) -> None:
    started(scene)
    builder, scout = scene.acts("builder"), scene.acts("scout")
    builder.claim_paths([f"*{one:02}" + "*a" * 120 + "b" for one in range(50)])
    before = records(scene)

    # 50 times 50 pairs of 244 signs each: 148,840,000 steps.
    hostile = [f"*{one:02}" + "*a" * 120 + "c" for one in range(50)]
    assert refused(scout.claim_paths, hostile) == "too_large"
    assert records(scene) == before
    # Once 50 are 2,976,800; and what is short is never in the way of it.
    assert len(scout.claim_paths(hostile[:1]).claims) == 1
    assert scout.claim_paths([f"s{one}/**/*.py" for one in range(48)]).claims


def test_what_begins_otherwise_costs_no_comparing(scene: Scene) -> None:
    started(scene)
    builder, scout = scene.acts("builder"), scene.acts("scout")
    builder.claim_paths([f"b{one:02}" + "*a" * 120 for one in range(50)])
    asked = [f"c{one:02}" + "*a" * 120 for one in range(50)]

    # 148,840,000 steps, were any of them taken.
    assert len(scout.claim_paths(asked).claims) == 50


@pytest.mark.no_cover
def test_four_million_steps_are_too_many(scene: Scene) -> None:
    started(scene)
    scene.acts("builder").claim_paths([f"*{one:02}" + "*a" * 120 for one in range(50)])

    # 1 + 166 signs times 1 + 243 times 50: 2,037,400 steps for each of them.
    long = [f"*{one}" + "*c" * 82 for one in "ab"]
    assert refused(scene.acts("scout").claim_paths, long) == "too_large"
    assert scene.acts("scout").claim_paths(long[:1]).claims


def test_the_index_finds_what_comparing_all_finds() -> None:
    kept = [
        *("src", "src/a", "src/a/b", "src/*", "src/**/b", "srcs", "*", "**/b", "s*/a"),
        *("docs/x.md", "docs/*.md", "docs-x", "src/a.b", "src/a-b", "a?", "src/a/**"),
    ]
    index = PatternIndex()
    for place, one in enumerate(kept):
        index.add(f"m{place}", one)

    for wanted in kept:
        found = [one for _, one in index.meeting(wanted)]
        expected = [one for one in kept if normalized_overlap(wanted, one)]
        assert sorted(found) == sorted(expected)
    for place, one in enumerate(kept):
        index.remove(f"m{place}", one)
    assert list(index.meeting("**")) == []


def test_a_snapshot_has_the_claims_and_finds_them(scene: Scene, place: Place) -> None:
    started(scene, "block")
    scene.acts("builder").claim_paths(["src", "docs"], expires_after=HOUR)
    scene.acts("builder").release_paths(["docs"])
    state = scene.lobby._desk.room(scene.room)
    written = snapshots.encode(state)
    read = snapshots.decode(written, RoomState)

    assert read == state
    assert read is not None
    assert snapshots.encode(read) == written
    assert read.team is not None
    assert [one.key for one in read.team.claims.meeting("scout", "src/a", 0)] == [
        "builder"
    ]
    place.clock.advance(HOUR.total_seconds())
    read.team.claims.expire(read.at + 10**12)
    assert read.team.claims.held == {}


def test_claims_are_checked_as_they_are_handed_in() -> None:
    assert check_patterns(("a", "./a", "b")) == ("a", "b")
