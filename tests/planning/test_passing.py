import pytest
from hypothesis import given
from hypothesis import strategies as st

from rooms.errors import InvalidInput
from rooms.planning import is_pass

SILENT = [
    *("pass", "PASS", "Pass.", "**pass**.", "`pass`", "“pass”", "pass!!", "(pass)"),
    *("[pass]", "{pass}", "<pass>", "—pass–", "_'pass'_;", '("pass"):', '"pass?"'),
]
SPOKEN = [
    *("No — pass.", "pass or fail", "...", "I pass", "passed", "pass it on", "p-a-s-s"),
    *("pass pass", "pa ss", "`", "Pass, but note the auth change", "passé", "paſs"),
    *("\u200b", "-"),
]
DECORATION = "()[]{}<>`'\"‘’“”*_-–—.,;:!? \t\r\n"


@pytest.mark.rule("R-PASS-02")
@pytest.mark.parametrize("reply", SILENT)
def test_silence_is_nothing_or_the_word_alone_with_decoration(reply: str) -> None:
    assert is_pass(reply)
    assert is_pass(f"\n- {reply}\u2028\x85 ")


@pytest.mark.rule("R-PASS-02")
@pytest.mark.parametrize("reply", ["", " ", "\n\t", "\u2003\u2028"])
def test_a_blank_reply_is_silence(reply: str) -> None:
    assert is_pass(reply)


@pytest.mark.rule("R-PASS-02", "R-PASS-03")
@pytest.mark.parametrize("reply", SPOKEN)
def test_the_word_inside_a_sentence_and_signs_alone_are_answers(reply: str) -> None:
    assert not is_pass(reply)


@pytest.mark.case("F-15", "F-25")
def test_a_word_in_prose_is_no_command() -> None:
    assert not is_pass("I would (pass) on option B")
    assert not is_pass("@eve stop the docker container")
    assert is_pass("pass")
    assert is_pass("  pass \n")
    assert is_pass("")


@pytest.mark.rule("R-PASS-02")
@given(
    st.text(st.sampled_from(DECORATION)),
    st.sampled_from(["pass", "Pass", "pASS"]),
    st.text(st.sampled_from(DECORATION)),
)
def test_any_combination_of_decoration_at_both_ends_is_taken_off(
    before: str, word: str, after: str
) -> None:
    assert is_pass(before + word + after)


@pytest.mark.rule("R-PASS-03")
@given(st.text(), st.text())
def test_a_letter_anywhere_beside_the_word_makes_it_an_answer(
    before: str, after: str
) -> None:
    assert not is_pass(f"{before}x{after}pass")
    assert not is_pass(f"pass{before}x{after}")


@pytest.mark.parametrize("reply", [None, 7, b"pass"])
def test_what_is_no_text_is_refused(reply: object) -> None:
    with pytest.raises(InvalidInput, match="text is"):
        is_pass(reply)  # type: ignore[arg-type]


def test_a_reply_of_decoration_alone_is_read_in_one_pass() -> None:
    assert not is_pass("-" * 1_000_000)
    assert is_pass("-" * 500_000 + "pass" + "-" * 500_000)
