"""Who is called in a text: the field's cases, and the rules of the edges."""

from __future__ import annotations

from typing import Any

import pytest

from rooms.addressing import Ambiguity, Mentions, find_mentions
from rooms.errors import InvalidInput

TRIO = ("eve", "ada", "bo")


def called(text: str, *roster: str) -> list[str]:
    return list(find_mentions(text, roster or TRIO).names)


def unresolved(text: str, *roster: str) -> list[str]:
    return list(find_mentions(text, roster or TRIO).unresolved)


@pytest.mark.case("F-53")
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("@chief-west go", "chief-west"),
        ("@chief, go", "chief"),
        ("@chief- go", "chief"),
        ("@agent-1.", "agent-1"),
    ],
)
def test_a_hyphenated_name_is_a_whole_name(text: str, name: str) -> None:
    assert called(text, "chief", "chief-west", "agent-1") == [name]


@pytest.mark.case("F-53")
def test_a_name_is_never_matched_in_part() -> None:
    for text in ("@chief-west go", "@chief.west", "@chief_west", "@chiefs", "@chief2"):
        found = find_mentions(text, ["chief"])

        assert found.names == ()
        assert found.unresolved == (text.split()[0][1:],)


@pytest.mark.case("F-56")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("run `@eve` now", []),
        ("look:\n```python\n@ada\n```\n", []),
        ("`x` then @bo", ["bo"]),
        ("look:\n```\n@ada", []),
        ("it is 5` long, @bo", ["bo"]),
    ],
)
def test_code_is_no_call(text: str, names: list[str]) -> None:
    assert called(text) == names


@pytest.mark.case("F-58")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("(@eve:)", ["eve"]),
        ("<test> @eve ", ["eve"]),
        ("done.@eve", ["eve"]),
        ("result:@eve", ["eve"]),
        ("[@eve]", ["eve"]),
        ("user@eve:", []),
    ],
)
def test_signs_around_a_name_leave_it_a_call(text: str, names: list[str]) -> None:
    assert called(text) == names


@pytest.mark.case("F-60")
def test_a_bare_name_in_prose_calls_nobody() -> None:
    assert called("set it to max", "max") == []
    assert called("Max is away", "max") == []
    assert called("@max hi", "max") == ["max"]


@pytest.mark.case("F-61")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("https://hackmd.io/@eve/B1", []),
        ("npm i @types/node", []),
        ("deploy@buildbot", []),
        ("(cc @eve)", ["eve"]),
    ],
)
def test_paths_packages_and_remotes_call_nobody(text: str, names: list[str]) -> None:
    found = find_mentions(text, ["eve", "types", "buildbot"])

    assert list(found.names) == names
    assert found.unresolved == ()


@pytest.mark.parametrize(
    "text",
    [
        "hackmd.io/@eve",
        "src\\@eve",
        "https://x.example/?by=@eve,@ada",
        "(see https://x.example/@eve)",
        "git@eve:repo.git",
        "first.last+tag@eve",
        "foo_@eve",
        "x_@eve",
        "x__@eve",
        "x___@eve",
        "明x_@eve",
        "é@eve",
        "@eve@social.example",
        "@@eve",
        "@absent/node",
        "@absent@social.example",
    ],
)
def test_an_at_sign_inside_something_else_is_not_even_unresolved(text: str) -> None:
    assert find_mentions(text, TRIO) == Mentions()


def test_after_a_link_people_can_be_called_again() -> None:
    assert called("https://x.example/a @eve") == ["eve"]
    assert called("[text](https://x.example/a) @eve") == ["eve"]
    assert called("见https://x.example/a，@eve") == ["eve"]
    assert called("either @eve/@ada") == ["eve", "ada"]
    assert called("and/@ada") == []


@pytest.mark.case("F-62")
def test_part_of_an_address_calls_nobody() -> None:
    assert find_mentions("see agent:ada/eve", TRIO) == Mentions()


@pytest.mark.case("F-63")
def test_names_come_in_order_of_first_use_each_once_through_emphasis() -> None:
    assert called("**@ada**, *@eve* and **@ada**") == ["ada", "eve"]
    assert called("_@bo_ ~~@eve~~ __@ada__") == ["bo", "eve", "ada"]
    assert called("see _@eve_ and ___@ada___") == ["eve", "ada"]


@pytest.mark.case("F-66")
def test_case_is_matched_loosely_and_fully() -> None:
    assert called("@eve", "Eve") == ["Eve"]
    assert called("@STRASSE!", "straße") == ["straße"]
    assert called("@straße!", "STRASSE") == ["STRASSE"]
    assert called("@ﬁnn", "finn") == ["finn"]
    assert called("@ßß", "ssss") == ["ssss"]


@pytest.mark.case("F-66")
def test_of_names_that_differ_in_case_only_an_exact_one_is_called() -> None:
    assert called("@Eve", "Eve", "EVE") == ["Eve"]
    assert called("@EVE.", "Eve", "EVE") == ["EVE"]

    found = find_mentions("@eve", ["Eve", "EVE"])

    assert found == Mentions(unresolved=("eve",))
    assert found.ambiguous == (Ambiguity("eve", ("Eve", "EVE")),)


def test_names_compare_in_one_normal_form() -> None:
    assert called("@Rene\u0301", "Ren\u00e9") == ["Ren\u00e9"]
    assert called("@Ren\u00e9", "Rene\u0301") == ["Rene\u0301"]
    assert called("@rene\u0301", "rene") == []
    assert unresolved("@bo\u0332", "bo") == ["bo\u0332"]
    assert unresolved("@Ren\u00e9", "Ren\u00e9", "Rene\u0301") == ["Ren\u00e9"]


@pytest.mark.case("F-67")
def test_two_names_in_a_script_without_spaces_are_ambiguous() -> None:
    found = find_mentions("@小明明天来", ["小明", "小明明"])

    assert found == Mentions(unresolved=("小明明天来",))
    assert found.ambiguous == (Ambiguity("小明明天来", ("小明", "小明明")),)
    assert unresolved("@小明明天来/x", "小明", "小明明") == ["小明明天来"]
    assert called("@archay", "archay", "searchay") == ["archay"]


@pytest.mark.case("F-67")
@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@小明明", ["小明明"]),
        ("@小明 明天来", ["小明"]),
        ("@小明，明天来", ["小明"]),
        ("@小明明。", ["小明明"]),
        ("@小明来", ["小明"]),
    ],
)
def test_a_name_that_ends_where_the_word_does_wins(text: str, names: list[str]) -> None:
    assert called(text, "小明", "小明明") == names


@pytest.mark.parametrize(
    ("text", "name", "names"),
    [
        ("请@eve来看", "eve", ["eve"]),
        ("@eve来看", "eve", ["eve"]),
        ("@EVE来看", "eve", ["eve"]),
        ("@eveヿ", "eve", ["eve"]),  # the last of the kana
        ("ดี@สมช่วยดู", "สม", ["สม"]),
        ("ຂໍ@ຄຳເບິ່ງ", "ຄຳ", ["ຄຳ"]),
        ("សូម@ដារាមើល", "ដារា", ["ដារា"]),
        ("@အောင်ကြည့်", "အောင်", ["အောင်"]),
        ("@ありすです", "ありす", ["ありす"]),
        # A mark or a lengthening sign belongs to the letter before it.
        ("@สมี", "สม", []),
        ("@マリーです", "マリ", []),
        ("@佐々木", "佐", []),
        # Digits, Latin and Hangul letters go on with the name.
        ("@小明2", "小明", []),
        ("@小明x", "小明", []),
        ("๕@eve", "eve", []),
        ("请看_@eve_", "eve", ["eve"]),
        ("x看_@eve_", "eve", ["eve"]),
        ("@지민이", "지민", []),
        ("@지민 이", "지민", ["지민"]),
        ("@हिन्दी", "हिन्दी", ["हिन्दी"]),
        ("@हिन्दी", "हिन", []),
        ("@小明@小红", "小明", ["小明"]),
    ],
)
def test_letters_may_follow_only_where_words_have_no_spaces(
    text: str, name: str, names: list[str]
) -> None:
    assert called(text, name) == names


@pytest.mark.case("F-68")
def test_a_name_with_spaces_is_found_as_it_stands() -> None:
    roster = ["Founding", "Founding Engineer", "o'brien", "bot 🤖"]

    assert called("@Founding Engineer, go", *roster) == ["Founding Engineer"]
    assert called("@founding engineer", *roster) == ["Founding Engineer"]
    assert called("@Founding Engineers", *roster) == ["Founding"]
    assert called("@o'brien and @bot 🤖!", *roster) == ["o'brien", "bot 🤖"]


@pytest.mark.case("F-11")
def test_what_fits_nobody_is_told_once_without_its_last_signs() -> None:
    found = find_mentions("@zoe was on this, @zoe. @Nope-- or @eve?", TRIO)

    assert found == Mentions(("eve",), unresolved=("zoe", "Nope"))
    assert found.ambiguous == ()


def test_a_lone_sign_is_no_mention() -> None:
    for text in ("@", "@ eve", "@!", "@.", "@-eve", "a @ b", "@@@", "@_"):
        assert find_mentions(text, TRIO) == Mentions()


def test_last_signs_are_dropped_one_at_a_time_until_a_name_fits() -> None:
    roster = ["b", "b.", "b.-."]

    assert called("@b.", *roster) == ["b."]
    assert called("@b..", *roster) == ["b."]
    assert called("@b.-", *roster) == ["b."]
    assert called("@b.-._", *roster) == ["b.-."]
    assert called("@b_", *roster) == ["b"]
    assert called("@b.x", *roster) == []
    assert called("@B-", *roster) == ["b"]


def test_a_name_may_end_before_any_other_sign() -> None:
    for sign in ",:;!?'’)]}\"…—/\\*&\n🎉，。":
        assert called(f"@eve{sign} x") == ["eve"]
    assert called("@eve's") == ["eve"]


def test_words_for_everybody_are_no_names() -> None:
    assert find_mentions("@all, and @eve", TRIO) == Mentions(("eve",), everyone=True)
    assert find_mentions("@Room!", TRIO).everyone
    assert find_mentions("@all来看", TRIO).everyone
    assert not find_mentions("@all-hands `@all` x@all", TRIO).everyone
    assert find_mentions("@here", TRIO) == Mentions(unresolved=("here",))
    assert find_mentions("@here", TRIO, everyone=["here"]).everyone
    assert find_mentions("@all", TRIO, everyone=()) == Mentions(unresolved=("all",))


def test_a_member_with_that_very_name_is_called_instead() -> None:
    assert find_mentions("@all", ["all"]) == Mentions(("all",))
    assert find_mentions("@ALL", ["all"]) == Mentions(("all",))
    assert find_mentions("@all", ["All"]) == Mentions(everyone=True)
    assert find_mentions("@All", ["All"]) == Mentions(("All",))
    assert find_mentions("@ALL", ["All"]) == Mentions(("All",))


def test_a_word_for_everybody_takes_part_in_ambiguity() -> None:
    found = find_mentions("@大家来看", ["大家来"], everyone=["大家"])

    assert found == Mentions(unresolved=("大家来看",))
    assert found.ambiguous == (Ambiguity("大家来看", ("大家来",)),)


def test_a_name_that_holds_an_at_sign_is_never_found() -> None:
    assert find_mentions("@a@b", ["a@b", "@a"]) == Mentions()


def test_a_name_of_two_lines_is_not_called_by_one_of_them() -> None:
    assert find_mentions("@a @b", ["a\nb"]) == Mentions(unresolved=("a", "b"))
    assert find_mentions("@a\nb", ["a\nb"]) == Mentions(("a\nb",))


def test_names_that_stand_twice_on_the_roster_are_one() -> None:
    assert called("@eve.", "eve", "eve") == ["eve"]


def test_only_the_first_candidates_are_listed() -> None:
    grown = ["明" * length for length in range(1, 30)]
    (longer,) = find_mentions("@" + "明" * 40, grown).ambiguous
    twins = [f"{place:05b}".translate({48: "a", 49: "A"}) for place in range(31)]
    (alike,) = find_mentions("@AAAAA", twins).ambiguous

    assert longer.candidates == tuple(grown[:16])
    assert alike.candidates == tuple(twins[:16])


def test_an_empty_roster_resolves_nobody() -> None:
    assert find_mentions("@eve", []) == Mentions(unresolved=("eve",))
    assert find_mentions("", []) == Mentions()


def test_a_roster_may_be_any_iterable_in_order() -> None:
    assert find_mentions("@eve", iter(TRIO)).names == ("eve",)
    assert find_mentions("@eve", {"eve": 1, "ada": 2}.keys()).names == ("eve",)


@pytest.mark.parametrize(
    ("text", "roster", "everyone", "field"),
    [
        (None, TRIO, (), "text"),
        (b"@eve", TRIO, (), "text"),
        ("@eve", None, (), "roster"),
        ("@eve", "eve", (), "roster"),
        ("none", "eve", (), "roster"),
        ("@eve", {"eve"}, (), "roster"),
        ("@eve", ["eve", None], (), "roster[1]"),
        ("@eve", ["eve", ""], (), "roster[1]"),
        ("@eve", TRIO, "all", "everyone"),
        ("@eve", TRIO, ["all", 3], "everyone[1]"),
    ],
)
def test_bad_input_names_the_field(
    text: Any, roster: Any, everyone: Any, field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        find_mentions(text, roster, everyone=everyone)

    assert refused.value.field == field


# -- at the edges of the text, of quiet stretches and of other calls


def test_a_slash_before_the_first_call_is_that_of_a_path() -> None:
    assert called("a/@eve") == []
    assert called("/@eve") == []
    assert called("@eve/@ada") == ["eve", "ada"]


def test_whatever_is_no_call_ends_no_search_for_the_next_one() -> None:
    assert called("x@eve and @ada") == ["ada"]
    assert called("@eve/tools and @ada") == ["ada"]
    assert called("@eve/_tools and @ada") == ["ada"]
    assert called("@eve@example.org and @ada") == ["ada"]


def test_the_last_sign_of_a_name_tells_whether_a_host_may_follow_it() -> None:
    assert called("@a明@eve", "a明", "eve") == ["a明", "eve"]
    assert called("@明a@eve", "明a", "eve") == []
    assert called("@明/node", "明") == []  # whichever it is, a path may


def test_a_call_at_the_very_beginning_stands_before_a_quiet_stretch() -> None:
    assert called("@eve `code` @ada") == ["eve", "ada"]
    assert called("@eve, @bo and @ada `code`") == ["eve", "bo", "ada"]
    assert called("`code` @eve") == ["eve"]
    assert called("`@eve` @ada") == ["ada"]


def test_a_link_before_a_code_span_and_one_behind_it_are_both_quiet() -> None:
    assert called("https://x.example/?@eve `@eve` @ada") == ["ada"]
    assert called("`@eve` https://x.example/?@eve @ada") == ["ada"]


def test_a_backslash_at_the_end_of_a_text_escapes_nothing_at_its_beginning() -> None:
    assert called("\\`@eve` x\\") == ["eve"]  # the first backtick is escaped
    assert called("\\\\`@eve` x\\") == []  # the backslash is


def test_letters_go_on_behind_a_mark_that_no_letter_is_made_of() -> None:
    assert unresolved("@x\u0301ve, hi") == ["x\u0301ve"]
    assert unresolved("@x\u0301!ve") == ["x\u0301"]  # and no farther


def test_a_name_in_a_script_without_spaces_ends_where_it_does_and_not_later() -> None:
    assert called("@王様 @eve", "王", "eve") == ["王", "eve"]
    assert called("@bo王様", "Bo王", "bo王") == ["bo王"]  # as it is spelled
