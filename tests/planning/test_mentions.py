import random
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import sized
from rooms.errors import InvalidInput
from rooms.planning import extract_mentions
from rooms.planning.mentions import named

# Small enough to meet every edge of the grammar often.
GRAMMAR = "@@@ab1_-.é \n,:'()中\u0661\x00\ud83d"


@pytest.mark.rule("P-MENTION-01")
def test_names_come_in_order_of_first_appearance_each_once() -> None:
    text = "@coder and @reviewer, then @coder again"

    assert extract_mentions(text) == ["coder", "reviewer"]
    assert extract_mentions("") == []
    assert extract_mentions(None) == []


@pytest.mark.rule("P-MENTION-02")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@a1_-.b", ["a1_-.b"]),
        ("@7up", ["7up"]),
        ("@_a", []),
        ("@-a", []),
        ("@.a", []),
        ("@", []),
    ],
)
def test_a_name_begins_with_an_ascii_letter_or_digit(
    text: str, names: list[str]
) -> None:
    assert extract_mentions(text) == names


@pytest.mark.rule("P-MENTION-03")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("foo@bar.com", []),
        ("_@b", []),
        ("é@b", []),
        ("@@x", []),
        ("a@b@c", []),
        ("@b@c", ["b"]),
    ],
)
def test_a_sign_behind_a_word_or_a_sign_starts_none(
    text: str, names: list[str]
) -> None:
    assert extract_mentions(text) == names


@pytest.mark.rule("P-MENTION-04")
def test_letters_of_all_scripts_go_on_with_a_name_but_start_none() -> None:
    assert extract_mentions("@aé @é @b中") == ["aé", "b中"]


@pytest.mark.rule("P-MENTION-06")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ask @b.", ["b."]),
        ("ask @b-", ["b-"]),
        ("@b, @c: (@d) @e's", ["b", "c", "d", "e"]),
    ],
)
def test_a_full_stop_belongs_to_the_name_and_other_signs_end_it(
    text: str, names: list[str]
) -> None:
    assert extract_mentions(text) == names


@pytest.mark.rule("P-MENTION-07")
def test_a_mention_may_stand_anywhere_behind_a_sign_that_is_no_letter() -> None:
    assert extract_mentions('-@b "@c" `@d`') == ["b", "c", "d"]


@pytest.mark.rule("P-MENTION-05")
def test_names_keep_their_case() -> None:
    assert extract_mentions("@B @b") == ["B", "b"]


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("coder", "coder"),
        ("coder.", "coder"),
        ("coder.-.", "coder"),
        ("v1.", "v1."),
        ("v1..", "v1."),
        ("nobody.", "nobody."),
        ("coderx", "coderx"),
        ("code", "code"),
    ],
)
def test_signs_behind_a_name_go_one_at_a_time_until_it_is_known(
    written: str, known: str
) -> None:
    assert named(written, {"coder", "v1", "v1."}, {2, 3, 5}) == known


@pytest.mark.parametrize("text", [7, b"@a", ["@a"], object()])
def test_what_is_no_text_is_refused(text: object) -> None:
    with pytest.raises(InvalidInput, match="text is of type"):
        extract_mentions(text)  # type: ignore[arg-type]


@pytest.mark.rule("P-MENTION-02", "P-MENTION-03", "P-MENTION-04", "P-MENTION-06")
@settings(max_examples=sized(1_000, 10_000), derandomize=True, deadline=None)
@given(st.text(st.sampled_from(GRAMMAR), max_size=40) | st.text(max_size=40))
def test_the_peer_reads_the_same_names(peer: ModuleType, text: str) -> None:
    assert extract_mentions(text) == peer.extract_mentions(text)


@pytest.mark.parametrize(
    "piece", ["@", "@a", "a@b ", "@a. ", "@@a-", "\ud83d@x", "@" + "a" * 300_000]
)
def test_hostile_text_is_read_like_the_peer_reads_it(
    peer: ModuleType, piece: str
) -> None:
    text = piece * max(1, 200_000 // len(piece))

    assert extract_mentions(text) == peer.extract_mentions(text)


def test_a_name_with_a_long_tail_is_found_in_one_pass() -> None:
    # 50,000 shorter forms of one name, of which only two have a length to look up.
    tail = "".join(random.Random(7).choices(".-", k=50_000))
    roster = {"a", *(f"b{n}" for n in range(10))}

    assert named("a" + tail, roster, {1, 2}) == "a"


def test_many_unknown_names_cost_no_walk_over_the_roster() -> None:
    class Counted(set[str]):
        asked = 0

        def __contains__(self, name: object) -> bool:
            Counted.asked += 1
            return super().__contains__(name)

        def __iter__(self) -> Iterator[str]:
            raise AssertionError("the roster is looked up, not walked")

    roster = Counted(f"x{number}" for number in range(1_000))

    assert [named(f"y{n}.", roster, {2, 3, 4}) for n in range(1_000)] == [
        f"y{n}." for n in range(1_000)
    ]
    assert Counted.asked <= 2_000
