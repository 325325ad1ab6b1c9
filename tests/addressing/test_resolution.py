"""Whom addresses and replies come to, in small rooms written out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from attrs import define, field
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import sized
from rooms.addressing import (
    ADDRESS_GRAMMAR,
    Author,
    Member,
    Resolution,
    Start,
    parse_address,
    resolve,
)
from rooms.addressing.names import name_key
from rooms.errors import InvalidInput, NotFound, SelfAddressed


@define
class Hall:
    """
    Eve (threaded) with seats a, b, c, of which a and b follow; Gennie (threaded) with
    none; ben-web and cy (single), of whom ben-web follows; Out, who is no member.

    Conversations are called as their label; `old-a` is a's former label.
    """

    members: dict[str, Member] = field(
        factory=lambda: {
            name_key(member.agent): member
            for member in (
                Member("Eve", threaded=True),
                Member("Gennie", threaded=True, seated=False),
                Member("ben-web", threaded=False, conversation="ben"),
                Member("cy", threaded=False, conversation="cy"),
                Member("Out", threaded=True, present=False),
            )
        }
    )
    known: dict[tuple[str, str], str] = field(
        factory=lambda: {
            ("Eve", "a"): "a",
            ("Eve", "old-a"): "a",
            ("Eve", "b"): "b",
            ("Eve", "c"): "c",
            ("Out", "x"): "x",
        }
    )
    followers: dict[str, tuple[str, ...]] = field(
        factory=lambda: {"Eve": ("a", "b"), "ben-web": ("ben",)}
    )
    gone: set[str] = field(factory=set)
    authors: dict[str, Author] = field(
        factory=lambda: {
            "m-a": Author("Eve", "a"),
            "m-b": Author("Eve", "b"),
            "m-c": Author("Eve", "c"),
            "m-ben": Author("ben-web", "ben"),
            "m-x": Author("Out", "x"),
            "m-ana": Author(),
        }
    )
    asked: int = 0

    def member(self, key: str, /) -> Member | None:
        self.asked += 1
        return self.members.get(key)

    def labelled(self, agent: str, label: str, /) -> str | None:
        self.asked += 1
        return self.known.get((agent, label))

    def following(self, agent: str, /) -> Sequence[str]:
        return self.followers.get(agent, ())

    def everyone_following(self) -> Sequence[str]:
        return [one for several in self.followers.values() for one in several]

    def left(self, conversation: str, /) -> bool:
        return conversation in self.gone

    def author(self, message: str, /) -> Author | None:
        return self.authors.get(message)

    def last_partner(self, conversation: str, /) -> str | None:
        return "agent:Eve/b" if conversation == "a" else None

    def agents(self) -> Iterator[str]:
        return (one.agent for one in self.members.values() if one.present)

    def labels(self, agent: str, /) -> Iterator[str]:
        return (label for owner, label in self.known if owner == agent)


def to(
    *addresses: Any, hall: Hall | None = None, sender: str | None = None, **more: Any
) -> Resolution:
    return resolve(addresses, sender=sender, view=hall or Hall(), **more)


def unknown(*addresses: Any, hall: Hall | None = None, **more: Any) -> NotFound:
    with pytest.raises(NotFound) as refused:
        to(*addresses, hall=hall, **more)
    assert refused.value.code == "unknown_address"
    return refused.value


@pytest.mark.rule("G-ADDR-03", "G-FOLLOW-03")
def test_a_label_reaches_that_conversation_whether_it_follows_or_not() -> None:
    assert to("agent:Eve/a") == Resolution(direct=("a",))
    assert to("agent:Eve/c") == Resolution(direct=("c",))


@pytest.mark.rule("G-ADDR-03", "G-FOLLOW-04")
def test_in_place_of_one_that_left_by_its_own_choice_a_new_one_starts() -> None:
    hall = Hall(gone={"a"})
    successor = Start("Eve", instead_of="a", reason="left")

    assert to("agent:Eve/a", hall=hall) == Resolution(started=(successor,))
    assert to(hall=hall, reply_to="m-a") == Resolution(started=(successor,))
    assert to("agent:Eve/a", "agent:Eve/old-a", hall=hall, reply_to="m-a").started == (
        successor,
    )


@pytest.mark.rule("G-ADDR-04")
def test_a_reply_addresses_the_conversation_that_wrote_the_message() -> None:
    assert to("agent:ben-web", reply_to="m-c") == Resolution(direct=("ben", "c"))


@pytest.mark.rule("G-ADDR-05", "G-ADDR-06")
def test_a_bare_id_of_a_threaded_agent_starts_one_and_reaches_no_existing_one() -> None:
    new = Resolution(started=(Start("Eve"),))

    assert to("agent:Eve") == new
    assert to("agent:Eve/new") == new
    assert to("agent:Eve", "agent:eve/new") == new


@pytest.mark.rule("G-ADDR-07")
def test_room_tags_nobody() -> None:
    assert to("room") == Resolution(room=True)
    assert to("room", "agent:Eve/a") == Resolution(direct=("a",), room=True)


@pytest.mark.rule("G-ADDR-08")
def test_all_reaches_those_who_follow_in_the_order_of_the_room() -> None:
    assert to("agent:Eve/all") == Resolution(group=("a", "b"))
    assert to("all") == Resolution(group=("a", "b", "ben"))
    assert to("agent:cy/all") == Resolution()


@pytest.mark.rule("G-ADDR-09")
def test_the_name_of_a_single_agent_reaches_its_one_conversation_directly() -> None:
    assert to("agent:ben-web") == Resolution(direct=("ben",))
    assert to("agent:BEN-WEB/new") == Resolution(direct=("ben",))
    assert to("agent:cy") == Resolution(direct=("cy",))


@pytest.mark.rule("G-ADDR-10")
def test_a_message_only_to_its_sender_is_refused_with_the_last_partner() -> None:
    for addresses, reply in (
        (["agent:Eve/a"], None),
        ([], "m-a"),
        (["agent:Eve/old-a"], "m-a"),
    ):
        with pytest.raises(SelfAddressed) as refused:
            to(*addresses, sender="a", reply_to=reply)

        assert refused.value.code == "self_addressed"
        assert refused.value.last_partner == "agent:Eve/b"
        assert "only one addressed; it last talked with agent:Eve/b [" in str(
            refused.value
        )

    with pytest.raises(SelfAddressed) as refused:
        to("agent:ben-web/all", sender="ben")

    assert refused.value.last_partner is None
    assert "only one addressed [" in str(refused.value)
    assert to("agent:cy/all", sender="a") == Resolution()  # nobody, and not itself


@pytest.mark.rule("G-ADDR-11")
def test_the_senders_own_conversation_is_never_among_the_addressees() -> None:
    assert to("agent:Eve/a", "agent:Eve/b", sender="a").direct == ("b",)
    assert to("all", sender="a").group == ("b", "ben")
    assert to("agent:Eve/all", sender="a").group == ("b",)
    assert to("room", "agent:Eve/a", sender="a") == Resolution(room=True)
    assert to("agent:ben-web", reply_to="m-a", sender="a").direct == ("ben",)
    assert to("agent:Eve", sender="a").started == (Start("Eve"),)


@pytest.mark.rule("G-ADDR-12", "G-FOLLOW-06")
def test_a_member_without_any_conversation_here_gets_its_first() -> None:
    first = Resolution(started=(Start("Gennie", reason="no_seat"),))

    assert to("agent:Gennie") == first
    assert to("agent:Gennie/all") == first
    assert to("agent:Gennie/all", "agent:gennie") == first


def test_a_single_agent_without_its_conversation_gets_it() -> None:
    hall = Hall()
    hall.members["dee"] = Member("dee", threaded=False, seated=False)

    assert to("agent:dee", hall=hall).started == (Start("dee", reason="no_seat"),)


@pytest.mark.rule("G-ADDR-13", "G-LABEL-06")
def test_a_former_label_goes_on_reaching_its_conversation() -> None:
    assert to("agent:Eve/old-a") == Resolution(direct=("a",))


@pytest.mark.rule("G-ADDR-14")
def test_addressees_are_a_set_and_direct_comes_first() -> None:
    found = to("all", "agent:Eve/b", "agent:Eve/b", "all", reply_to="m-b")

    assert found == Resolution(direct=("b",), group=("a", "ben"))


@pytest.mark.rule("G-ADDR-15")
def test_without_addresses_a_reply_is_for_its_author_and_else_for_the_room() -> None:
    assert to(reply_to="m-b") == Resolution(direct=("b",))
    assert to() == Resolution(room=True)
    assert to(reply_to="m-ana") == Resolution(room=True)


@pytest.mark.case("F-33")
def test_a_reply_can_address_nobody() -> None:
    assert to(reply_to="m-b", reply_wakes_author=False) == Resolution(room=True)


@pytest.mark.rule("G-ADDR-16")
def test_an_address_that_reaches_nobody_refuses_the_whole_message() -> None:
    for address, reason in (
        ("agent:Nobody", "unknown_agent"),
        ("agent:Nobody/all", "unknown_agent"),
        ("agent:Out", "not_a_member"),
        ("agent:Out/x", "not_a_member"),
        ("agent:Out/all", "not_a_member"),
        ("agent:Eve/zebra", "unknown_label"),
        ("agent:ben-web/a", "unknown_label"),
        ("nobody", "unknown_agent"),
    ):
        error = unknown("agent:Eve/a", address)

        assert error.details["reason"] == reason
        assert address in error.details["address"]

    assert unknown(reply_to="m-x").details["reason"] == "not_a_member"


@pytest.mark.rule("G-ADDR-16")
def test_a_single_agent_that_left_is_refused_and_the_reason_says_so() -> None:
    hall = Hall(gone={"ben"})
    stays = unknown("agent:ben-web", hall=hall)
    hall.members["ben-web"] = Member(
        "ben-web", threaded=False, conversation="ben", present=False
    )

    assert stays.details["reason"] == "left"
    assert unknown("agent:ben-web", hall=hall).details["reason"] == "left"
    assert unknown(hall=hall, reply_to="m-ben").details["reason"] == "left"


@pytest.mark.rule("G-ADDR-16")
def test_a_single_agent_that_was_removed_did_not_leave() -> None:
    hall = Hall()
    hall.members["dee"] = Member(
        "dee", threaded=False, conversation="dee", present=False
    )

    assert unknown("agent:dee", hall=hall).details["reason"] == "not_a_member"


def test_a_label_of_a_single_agent_that_left_is_refused_as_it_was_written() -> None:
    hall = Hall(gone={"ben"})
    hall.known["ben-web", "site"] = "ben"
    error = unknown("agent:ben-web/site", hall=hall)

    assert (error.details["address"], error.details["reason"]) == (
        *("agent:ben-web/site", "left"),
    )


def test_a_reply_to_a_message_that_is_not_here_has_a_meaning_of_its_own() -> None:
    with pytest.raises(NotFound) as refused:
        to("agent:Eve/a", reply_to="m-none")

    assert refused.value.code == "reply_not_found"
    assert refused.value.details["reply_to"] == "m-none"


@pytest.mark.case("F-68")
def test_a_refusal_names_the_addresses_that_are_most_like_it() -> None:
    hall = Hall()
    hall.members["founding-engineer"] = Member(
        "founding-engineer", threaded=False, conversation="fe"
    )
    spaced = unknown("Founding Engineer", hall=hall)
    with pytest.raises(InvalidInput) as quoted:
        to("'founding-engineer'", hall=hall)
    label = unknown("agent:Eve/ald-a")

    assert to(" founding-engineer ", hall=hall) == Resolution(direct=("fe",))
    assert spaced.details["nearest"][0] == "agent:founding-engineer"
    assert quoted.value.code == "bad_address"
    assert quoted.value.field == "to[0]"
    assert quoted.value.details["nearest"][0] == "agent:founding-engineer"
    assert label.details["nearest"] == (
        "agent:Eve/old-a",
        "agent:Eve/a",
        "agent:Eve/b",
        "agent:Eve/c",
    )
    assert "agent:Eve/old-a" in str(label)


def test_what_every_address_begins_with_makes_none_more_like_another() -> None:
    hall = Hall(
        members={name: Member(name, threaded=False) for name in ("bo", "ant", "stan")}
    )

    # `nta` shares one pair of letters with `ant` and one with `stan`.
    assert unknown("agent:nta", hall=hall).details["nearest"] == (
        *("agent:ant", "agent:stan", "agent:bo"),
    )


def test_a_refusal_names_the_address_that_a_reply_or_a_name_stood_for() -> None:
    author = unknown(reply_to="m-x")
    assert (author.details["address"], author.details["reason"]) == (
        *("agent:Out", "not_a_member"),
    )
    alone = unknown("cy", hall=Hall(gone={"cy"}))
    assert (alone.details["address"], alone.details["reason"]) == ("agent:cy", "left")
    writer = unknown(reply_to="m-ben", hall=Hall(gone={"ben"}))
    assert (writer.details["address"], writer.details["reason"]) == (
        *("agent:ben-web", "left"),
    )


def test_what_is_no_address_is_told_with_its_place_and_the_grammar() -> None:
    with pytest.raises(InvalidInput, match=r"^to\[1\] is 'agent:';") as refused:
        to("room", "agent:")
    assert refused.value.details["allowed"] == ADDRESS_GRAMMAR


def test_a_refusal_in_an_empty_room_names_nobody() -> None:
    error = unknown("agent:Eve", hall=Hall(members={}))

    assert error.details["nearest"] == ()
    assert str(error).startswith("'agent:Eve' reaches nobody here: unknown agent [")


def test_a_refusal_reads_two_hundred_names_of_a_room_and_no_more() -> None:
    read: list[str] = []

    class Crowd(Hall):
        def agents(self) -> Iterator[str]:
            for place in range(1_000):
                read.append(f"a{place}")
                yield read[-1]

        def labels(self, agent: str, /) -> Iterator[str]:
            return self.agents()

    unknown("agent:Nobody", hall=Crowd())
    assert len(read) == 200
    unknown("agent:Eve/nothing", hall=Crowd())
    assert len(read) == 400


def test_one_letter_alone_makes_no_name_more_like_another() -> None:
    hall = Hall(members={name: Member(name, threaded=False) for name in ("ab", "xo")})

    # `eno` shares no pair of letters with either, so they stay in the room's order.
    nearest = unknown("agent:eno", hall=hall).details["nearest"]
    assert nearest == ("agent:ab", "agent:xo")


@pytest.mark.rule("G-ADDR-02")
def test_a_bare_word_is_a_person_where_the_room_says_so_but_for_its_home() -> None:
    hall: dict[str, Any] = {"bare_word": "person", "home": "Eve"}

    assert to("ben-web") == Resolution(direct=("ben",))
    assert to("ben-web", **hall) == Resolution(people=("ben-web",))
    assert to("person:ana", "ben", "ana", **hall) == Resolution(people=("ana", "ben"))
    assert to("eve", **hall) == Resolution(started=(Start("Eve"),))


def test_a_message_to_a_person_and_its_sender_is_for_the_person() -> None:
    assert to("person:ana", "agent:Eve/a", sender="a") == Resolution(people=("ana",))


def test_addresses_come_as_values_or_texts_in_order_of_first_use() -> None:
    found = to(
        parse_address("agent:cy"),
        "agent:Eve/b",
        "agent:Gennie",
        "agent:Eve",
        "agent:cy",
    )

    assert found.direct == ("cy", "b")
    assert found.started == (Start("Gennie", reason="no_seat"), Start("Eve"))


def test_resolution_asks_once_an_address_however_often_it_stands_there() -> None:
    hall = Hall()
    to(*["agent:Eve/a"] * 1_000, hall=hall)

    assert hall.asked <= 3


@pytest.mark.parametrize(
    ("addresses", "more", "field"),
    [
        ("agent:Eve", {}, "to"),
        (None, {}, "to"),
        ({"agent:Eve"}, {}, "to"),
        ({"agent:Eve": 1}, {}, "to"),
        (["agent:Eve", 7], {}, "to[1]"),
        (["agent:Eve", "agent:"], {}, "to[1]"),
        (["\ud800" * 300_000], {}, "to[0]"),
        ([], {"sender": 7}, "sender"),
        ([], {"sender": ""}, "sender"),
        ([], {"reply_to": 7}, "reply_to"),
        ([], {"reply_to": ""}, "reply_to"),
        ([], {"bare_word": "refuse"}, "bare_word"),
        ([], {"home": 7}, "home"),
    ],
)
def test_bad_input_names_the_field(
    addresses: Any, more: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        resolve(addresses, **{"sender": None, "view": Hall(), **more})

    assert refused.value.field == field


ADDRESSES = ["room", "all", "agent:Eve", "agent:Eve/all", "agent:Eve/a", "agent:Eve/b"]
ADDRESSES += ["agent:Eve/old-a", "agent:Gennie", "agent:Gennie/all", "agent:ben-web"]


@given(
    st.lists(st.sampled_from(ADDRESSES), max_size=6),
    st.sampled_from([None, "m-a", "m-ben", "m-ana"]),
    st.sampled_from([None, "a", "ben"]),
    st.sets(st.sampled_from(["a", "b"])),
)
@settings(max_examples=sized(500, 2_000), derandomize=True)
def test_each_addressee_is_there_once_and_the_sender_never(
    addresses: list[str], reply_to: str | None, sender: str | None, gone: set[str]
) -> None:
    hall = Hall(gone=gone)
    try:
        found = to(*addresses, hall=hall, sender=sender, reply_to=reply_to)
    except SelfAddressed:
        assert sender is not None
        return
    reached = [*found.direct, *found.group]

    assert len(set(reached)) == len(reached)
    assert sender not in reached
    assert len(set(found.started)) == len(found.started)
    assert not gone & set(found.direct)
    assert found.room == (
        "room" in addresses or (not addresses and not reached and not found.started)
    )
