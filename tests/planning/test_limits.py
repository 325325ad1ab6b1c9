import pytest

from rooms.planning import (
    CATCHUP_CHARS,
    CATCHUP_MESSAGES,
    MAX_ROUNDS,
    CastPlanner,
    CastReply,
    Limit,
    catch_up,
)

NONSENSE = [0, -1, None, "", "x", "3.5", "-3", True, float("inf"), float("nan"), [3]]


@pytest.mark.rule("R-CONFIG-01", "R-CAP-01", "R-CATCHUP-05")
def test_the_three_settings_have_their_defaults_and_ceilings() -> None:
    assert Limit(default=40, ceiling=500) == CATCHUP_MESSAGES
    assert Limit(default=8_000, ceiling=200_000) == CATCHUP_CHARS
    assert Limit(default=3, ceiling=10) == MAX_ROUNDS


@pytest.mark.rule("R-CONFIG-02")
@pytest.mark.parametrize("written", NONSENSE)
def test_nonsense_means_the_default_and_never_nothing(written: object) -> None:
    assert MAX_ROUNDS.used(written) == 3


@pytest.mark.rule("R-CONFIG-02")
@pytest.mark.parametrize("written", [2, "2", " 2 ", 2.0])
def test_a_number_may_be_written_as_files_write_it(written: object) -> None:
    assert MAX_ROUNDS.used(written) == 2


@pytest.mark.rule("R-CONFIG-03")
def test_a_larger_number_is_kept_as_written_and_clamped_when_used() -> None:
    planner = CastPlanner(50)

    assert (planner.max_rounds, planner.cap) == (50, 10)
    assert CATCHUP_MESSAGES.used(501) == 500
    assert CATCHUP_CHARS.used(10**30) == 200_000
    assert MAX_ROUNDS.used("9" * 5_000) == 10


@pytest.mark.rule("R-CONFIG-06")
@pytest.mark.parametrize("written", [*NONSENSE, "4", 4.0])
def test_a_planner_given_a_bad_cap_directly_uses_one(written: int) -> None:
    assert CastPlanner(written).cap == 1


@pytest.mark.rule("R-CONFIG-04", "R-CONFIG-05")
def test_settings_are_read_at_each_call_and_for_everybody_alike() -> None:
    said = [CastReply("op", str(number)) for number in range(3)]

    assert len(catch_up(said, "a", max_messages=1).messages) == 1
    assert catch_up(said, "a", max_messages=2) == catch_up(said, "b", max_messages=2)
    assert len(catch_up(said, "a", max_messages=-1).messages) == 3
