"""Which signs pass as they are: by Python's own tables, and by hand."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rooms.rendering.signs import in_body, in_name, plain

EVERY_SIGN = [chr(code) for code in range(0x110000)]
BREAKS = ["\n", "\v", "\f", "\r", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
# Of category Cf, but drawn: Arabic, Syriac and Kaithi signs that embrace a number.
DRAWN_FORMATS = {*"\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2"}
DRAWN_FORMATS |= {"\U000110bd", "\U000110cd"}

any_text = st.text(
    st.one_of(
        st.sampled_from([*BREAKS, "⟨", "⟩", "U", "+", "0", "A", "\u202e", "\u200d"]),
        st.characters(codec=None),
    )
)


def test_the_breaks_are_those_of_splitlines() -> None:
    assert [s for s in EVERY_SIGN if len(f"a{s}b".splitlines()) == 2] == BREAKS


@pytest.mark.parametrize("sign", BREAKS[1:])
def test_each_break_is_written_out_and_then_breaks(sign: str) -> None:
    assert in_body(f"a{sign}b") == f"a⟨U+{ord(sign):04X}⟩\nb"


def test_a_line_feed_and_a_pair_break_once() -> None:
    assert in_body("a\nb\r\nc\n\rd") == "a\nb⟨CRLF⟩\nc\n⟨U+000D⟩\nd"


def test_no_control_format_sign_or_surrogate_passes() -> None:
    passed = [
        sign
        for sign in EVERY_SIGN
        if unicodedata.category(sign) in {"Cc", "Cf", "Cs", "Zl", "Zp"}
        and sign in in_body(f"a{sign}b").replace("\n", "")
    ]

    assert set(passed) <= DRAWN_FORMATS | {"\t"}


def test_no_sign_with_a_direction_of_its_own_making_passes() -> None:
    moving = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    signs = [s for s in EVERY_SIGN if unicodedata.bidirectional(s) in moving]
    signs += "\u200e\u200f\u061c"  # the three marks

    assert len(signs) == 12
    for sign in signs:
        assert in_body(f"ab{sign}") == f"ab⟨U+{ord(sign):04X}⟩"


def test_a_name_takes_no_tab_bracket_quote_bar_or_dot_of_ours() -> None:
    assert in_name('a\t"[]|·') == ("a⟨U+0009⟩⟨U+0022⟩⟨U+005B⟩⟨U+005D⟩⟨U+007C⟩⟨U+00B7⟩")


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # a Persian word with a non-joiner in it
        "क्\u200dष",  # a conjunct of Hindi
        "👩\u200d💻",  # one picture of two
        "❤\ufe0f",  # a heart as a picture
        "❤\ufe0f\u200d🔥",
        "1\ufe0f\u20e3",  # a keycap
        "col1\tcol2",
        "Åsa, 日本語, naïve",
    ],
)
def test_signs_stay_where_they_do_their_own_work(text: str) -> None:
    assert in_body(text) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\u200db", "a⟨U+200D⟩b"),
        ("a\ufe0f", "a⟨U+FE0F⟩"),
        ("\u200c我", "⟨U+200C⟩我"),
        ("我\u200c", "我⟨U+200C⟩"),
        ("😀\ufe00", "😀⟨U+FE00⟩"),
        ("😀\ufe0f\ufe0f\ufe0e", "😀\ufe0f⟨U+FE0F⟩⟨U+FE0E⟩"),
        ("我\u200c\u200d\u200c们", "我⟨U+200C⟩⟨U+200D⟩⟨U+200C⟩们"),
        ("\U000e0041", "⟨U+E0041⟩"),
    ],
)
def test_hidden_signs_elsewhere_are_written_out(text: str, written: str) -> None:
    assert in_body(text) == written


def test_what_looks_like_an_escape_comes_back_as_it_was() -> None:
    assert in_body("⟨U+000A⟩") == "⟨U+27E8⟩U+000A⟩"
    assert plain("⟨U+27E8⟩U+000A⟩") == "⟨U+000A⟩"
    assert plain("⟨U+110000⟩ ⟨U+a⟩ ⟨CR⟩") == "⟨U+110000⟩ ⟨U+a⟩ ⟨CR⟩"


@given(any_text)
@settings(max_examples=2_000, derandomize=True)
def test_every_text_comes_back(text: str) -> None:
    assert plain(in_body(text)) == text
    assert plain(in_name(text)) == text
    assert "".join(in_body(text).split("\n")).splitlines() in ([], [*_one_line(text)])
    assert len(in_name(text).splitlines()) <= 1


def _one_line(text: str) -> list[str]:
    return [in_body(text).replace("\n", "")]
