from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.errors import InvalidInput
from rooms.planning import CastReply, CatchUp, RoomEvent, catch_up


def said(*entries: str) -> list[CastReply]:
    """`"author: text"`, or `"author! error"` for a failed turn, oldest first."""
    made = []
    for entry in entries:
        if "! " in entry:
            author, error = entry.split("! ")
            made.append(CastReply(author, ok=False, error=error))
        else:
            author, text = entry.split(": ")
            made.append(CastReply(author, text))
    return made


def lines(window: CatchUp[CastReply]) -> list[str]:
    return [f"{entry.author}: {entry.text or entry.error}" for entry in window.messages]


@pytest.mark.rule("R-CATCHUP-01")
def test_a_participant_gets_what_landed_after_its_own_last_message() -> None:
    thread = said("op: x", "a: one", "op: y", "b: two", "op: z")

    assert lines(catch_up(thread, "a")) == ["op: y", "b: two", "op: z"]


@pytest.mark.rule("R-CATCHUP-02", "R-CATCHUP-11")
def test_the_start_is_derived_anew_from_the_transcript_each_time() -> None:
    thread = said("op: x", "a: one", "op: y")
    before = catch_up(thread, "a")

    assert catch_up(thread, "a") == before
    assert lines(catch_up(thread[:1], "a")) == ["op: x"]


@pytest.mark.rule("R-CATCHUP-03")
@pytest.mark.case("F-98", "F-99")
def test_one_that_never_spoke_gets_everything_attributed() -> None:
    thread = said("ops: hello", "eve: hi", "ada: hi")

    assert lines(catch_up(thread, "bo")) == ["ops: hello", "eve: hi", "ada: hi"]


@pytest.mark.rule("R-CATCHUP-04")
def test_entries_without_words_are_no_messages() -> None:
    thread = [
        *said("op: x"),
        CastReply("lead"),
        CastReply("lead", " \n"),
        *said("b: y"),
    ]

    assert lines(catch_up(thread, "a", max_messages=2)) == ["op: x", "b: y"]


@pytest.mark.rule("R-CATCHUP-05")
def test_forty_messages_are_the_newest_forty() -> None:
    thread = said(*(f"op: {number}" for number in range(45)))

    window = catch_up(thread, "a")

    assert lines(window) == [f"op: {number}" for number in range(5, 45)]
    assert (window.truncated, window.omitted, window.cut_from) == (True, 5, None)


@pytest.mark.rule("R-CATCHUP-05", "R-CATCHUP-06")
def test_eight_thousand_characters_count_author_and_text() -> None:
    fits = [CastReply("op", "x" * 3_998), CastReply("bo", "y" * 3_998)]

    assert not catch_up(fits, "a").truncated
    assert catch_up([*fits, CastReply("c", "")], "a") == catch_up(fits, "a")
    over = catch_up([fits[0], CastReply("bob", "y" * 3_998)], "a")
    assert (len(over.messages), over.omitted) == (1, 1)


@pytest.mark.rule("R-CATCHUP-07")
def test_whole_entries_go_from_the_old_end_until_the_rest_fits() -> None:
    thread = said("o: 1234567", "o: 12", "o: 123")  # 8, 3 and 4 characters

    assert lines(catch_up(thread, "a", max_chars=8)) == ["o: 12", "o: 123"]
    assert lines(catch_up(thread, "a", max_chars=15)) == [
        "o: 1234567",
        "o: 12",
        "o: 123",
    ]
    # An old entry that would fit by itself stays out behind one that does not.
    assert lines(
        catch_up(said("o: 1", *["o: 1234567"], "o: 123"), "a", max_chars=8)
    ) == ["o: 123"]


@pytest.mark.rule("R-CATCHUP-08", "R-CATCHUP-10")
@pytest.mark.case("F-96")
def test_a_newest_message_above_the_bound_is_cut_and_not_lost() -> None:
    thread = [*said("op: before"), CastReply("op", "中" * 10_000)]

    window = catch_up(thread, "a", max_chars=4_000)

    assert window == CatchUp(
        (CastReply("op", "中" * 3_998),), truncated=True, omitted=1, cut_from=10_000
    )


@pytest.mark.rule("R-CATCHUP-08")
def test_a_newest_message_that_just_fits_is_whole() -> None:
    window = catch_up([CastReply("op", "t" * 98)], "a", max_chars=100)

    assert window == CatchUp(
        (CastReply("op", "t" * 98),), truncated=False, omitted=0, cut_from=None
    )


@pytest.mark.rule("R-CATCHUP-08")
def test_a_long_failure_and_a_long_event_are_cut_too() -> None:
    failed = CastReply("b", ok=False, error="e" * 50)
    event = RoomEvent("b", "t" * 50, round=2)

    assert catch_up([failed], "a", max_chars=11).messages == (
        CastReply("b", ok=False, error="e" * 10),
    )
    assert catch_up([event], "a", max_chars=11).messages == (
        RoomEvent("b", "t" * 10, round=2),
    )


@pytest.mark.case("F-96")
def test_three_of_five_missed_messages_say_that_two_are_missing() -> None:
    thread = said(*(f"ops: m{number}" for number in range(1, 6)))

    window = catch_up(thread, "eve", max_messages=3)

    assert lines(window) == ["ops: m3", "ops: m4", "ops: m5"]
    assert window.omitted == 2


@pytest.mark.rule("R-CATCHUP-09")
def test_the_second_addressee_sees_the_first_ones_exchange() -> None:
    thread = said("op: earlier")
    assert lines(catch_up(thread, "a")) == ["op: earlier"]
    thread += said("op: what broke?", "a: auth")

    assert lines(catch_up(thread, "b")) == ["op: earlier", "op: what broke?", "a: auth"]


@pytest.mark.rule("R-CATCHUP-12")
def test_a_failed_record_does_not_move_its_authors_start() -> None:
    thread = said("op: x", "proto! refused", "op: y")

    assert lines(catch_up(thread, "proto")) == ["op: x", "op: y"]
    assert lines(catch_up(thread, "other")) == ["op: x", "proto: refused", "op: y"]


@pytest.mark.rule("R-CATCHUP-04", "R-CATCHUP-12")
def test_the_words_of_a_failure_are_its_error_unless_it_said_something() -> None:
    blank = CastReply("b", "  ", ok=False, error="refused")

    assert catch_up([blank], "a").messages == (blank,)
    assert catch_up([blank], "a", max_chars=4).messages == (
        CastReply("b", "  ", ok=False, error="ref"),
    )


@pytest.mark.rule("R-CATCHUP-13")
def test_a_late_answer_is_its_authors_last_message() -> None:
    thread = said("op: x", "proto! timed out", "op: y", "proto: late answer", "op: z")

    assert lines(catch_up(thread, "proto")) == ["op: z"]


@pytest.mark.case("F-100")
def test_a_burst_answered_in_one_turn_is_not_missed_again() -> None:
    thread = said("ops: m1", "ops: m2", "ops: m3", "eve: done", "ops: m4")

    assert lines(catch_up(thread, "eve")) == ["ops: m4"]
    assert lines(catch_up(said("ops: m5", "ops: m6", "ops: @ada m7"), "ada")) == [
        "ops: m5",
        "ops: m6",
        "ops: @ada m7",
    ]


def test_the_panels_events_are_a_transcript_too_and_a_pass_was_a_turn() -> None:
    log = [RoomEvent("ana", "go"), RoomEvent("a", passed=True), RoomEvent("b", "x")]

    assert catch_up(log, "a").messages == (RoomEvent("b", "x"),)
    assert catch_up(log, "b").messages == ()
    assert catch_up(log, "c").messages == (log[0], log[2])


authors = st.sampled_from(["a", "b", "op"])
threads = st.lists(
    st.builds(
        CastReply, authors, st.text(max_size=6), st.booleans(), st.text(max_size=3)
    )
)


@pytest.mark.rule("R-CATCHUP-05", "R-CATCHUP-07", "R-CATCHUP-08")
@given(threads, st.integers(1, 5), st.integers(1, 30))
def test_a_window_keeps_both_bounds_and_the_newest_end(
    thread: list[CastReply], most: int, room: int
) -> None:
    window = catch_up(thread, "a", max_messages=most, max_chars=room)
    everything = catch_up(thread, "a", max_messages=500, max_chars=200_000)

    assert len(window.messages) <= most
    shown = window.messages
    size = sum(len(entry.author) + len(entry.text or entry.error) for entry in shown)
    assert size <= room or len(shown) == 1
    assert len(shown) + window.omitted == len(everything.messages)
    if everything.messages:
        assert shown
        assert shown[-1].author == everything.messages[-1].author
    if window.cut_from is None:
        assert shown == everything.messages[len(everything.messages) - len(shown) :]


@pytest.mark.parametrize(
    ("transcript", "participant", "field"),
    [
        (None, "a", "transcript"),
        ("text", "a", "transcript"),
        ({CastReply("a")}, "a", "transcript"),
        ([("op", "x")], "a", "transcript[0]"),
        ([CastReply("op"), {"speaker": "op"}], "a", "transcript[1]"),
        ([CastReply("op"), CastReply("a"), object()], "a", "transcript[2]"),
        ([], "", "participant"),
        ([], None, "participant"),
    ],
)
def test_wrong_types_are_named(
    transcript: object, participant: object, field: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        catch_up(transcript, participant)  # type: ignore[arg-type]

    assert caught.value.field == field


def test_one_message_that_is_left_out_is_said_to_be() -> None:
    window = catch_up([CastReply("op", text) for text in "abc"], "x", max_messages=2)

    assert (window.truncated, window.omitted, window.cut_from) == (True, 1, None)


def test_of_a_message_whose_authors_name_fills_the_bound_no_word_is_shown() -> None:
    window = catch_up([CastReply("operator", "words")], "x", max_chars=8)

    assert window.messages == (CastReply("operator", ""),)
    assert window.cut_from == 5


def test_an_event_that_is_cut_keeps_all_else_that_it_says() -> None:
    theirs: Any = Theirs("op", "t" * 50)
    theirs.round, theirs.passed, theirs.human = 3, True, False

    shown: Any = catch_up([theirs], "a", max_chars=12).messages
    assert shown == (RoomEvent("op", "t" * 10, 3, True, False),)


def test_what_is_no_transcript_is_told_by_its_type() -> None:
    with pytest.raises(InvalidInput, match="transcript is of type set"):
        catch_up({CastReply("a")}, "a")  # type: ignore[arg-type]


class Theirs:
    """An event of somebody else's class, with the two fields that are needed."""

    def __init__(self, speaker: Any, content: Any) -> None:
        self.speaker = speaker
        self.content = content


def test_events_of_any_class_are_given_back_as_they_are() -> None:
    opener, own, later = (Theirs(*it) for it in [("op", "x"), ("a", "y"), ("op", "z")])
    thread: Any = [opener, own, later]

    assert catch_up(thread, "a").messages == (later,)
    assert catch_up(thread, "b").messages == (opener, own, later)


def test_an_event_of_another_class_that_is_cut_becomes_one_of_ours(
    peer: ModuleType,
) -> None:
    thread = [peer.RoomEvent("op", "x" * 20, 0), peer.RoomEvent("b", "y" * 20, 2)]

    window = catch_up(thread, "a", max_chars=11)

    assert window.messages == (RoomEvent("b", "y" * 10, 2),)
    assert (window.omitted, window.cut_from) == (1, 20)


def test_a_foreign_event_without_words_is_named_by_place_and_full_type() -> None:
    thread: Any = [CastReply("op", "x"), Theirs("b", None)]

    with pytest.raises(InvalidInput) as caught:
        catch_up(thread, "a")

    kind = f"{Theirs.__module__}.Theirs"
    assert str(caught.value) == (
        f"transcript[1] is of type {kind}, and its content is no string; allowed: a"
        " CastReply, or an event with speaker and content [invalid_request]"
    )


def test_an_event_as_it_was_loaded_from_json_is_told_how_to_become_one() -> None:
    thread: Any = [{"speaker": "op", "content": "x"}]

    with pytest.raises(InvalidInput, match=r"transcript\[0\] is a dict; .*\(\*\*it\)"):
        catch_up(thread, "a")
