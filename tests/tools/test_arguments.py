"""What a tool takes: the check agrees with its schema, as another validator has it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from effort import sized
from rooms import Conversation, InvalidInput, RoomsError, tools
from rooms.tools.arguments import (
    Argument,
    Choice,
    Flag,
    Instant,
    Many,
    Record,
    Text,
    Whole,
)
from rooms.tools.catalogue import TOOLS

INSTANTS = (
    *("2026-03-02T12:00:00Z", "2026-03-02T12:00:00.25+01:00", "2026-03-02T12:00:00"),
    *("2026-03-02 12:00:00Z", "2026-13-02T12:00:00Z", "2026-03-02T12:00:00Z\n"),
)
WORDS = st.sampled_from(
    ["", "a", "digest", "text", "base64", "open", "x" * 121, *INSTANTS]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-2, 1500)
    | st.floats()
    | st.sampled_from([3.0, 1e300])
    | WORDS
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["path", "content", "encoding"]), inner)
    ),
    max_leaves=6,
)
NAMES = sorted({one.name for tool in TOOLS.values() for one in tool.arguments})


@st.composite
def near(draw: st.DrawFn, name: str) -> Any:
    """Arguments that a tool might nearly take: its own names, now and then another."""
    own = [one.name for one in TOOLS[name].arguments]
    needed = [one.name for one in TOOLS[name].arguments if not one.optional]
    names = set(needed) ^ set(draw(st.lists(st.sampled_from(own or NAMES), max_size=3)))
    if draw(st.integers(0, 9)) == 0:
        names.add(draw(st.sampled_from(NAMES)))
    return {one: draw(VALUES) for one in sorted(names)}


@pytest.mark.rule("L-TOOL-04", "L-SCOPE-15")
@given(data=st.data())
@settings(max_examples=sized(300, 2_000, 20_000))
def test_what_the_schema_takes_the_check_takes_and_nothing_else(
    data: st.DataObject,
) -> None:
    name = data.draw(st.sampled_from(sorted(TOOLS)))
    given_: Any = data.draw(near(name) | VALUES)
    record = TOOLS[name].record
    wanted = Draft202012Validator(record.schema()).is_valid(given_)

    if wanted:
        assert set(given_) <= set(record.checked("", given_))
    else:
        with pytest.raises(InvalidInput):
            record.checked("", given_)


EVERY_KIND = Record(
    (
        Argument("text", Text(1, 3), "", optional=True),
        Argument("whole", Whole(1, 5), "", optional=True),
        Argument("instant", Instant(), "", optional=True),
        Argument("flag", Flag(), "", optional=True),
        Argument("choice", Choice(("a", "b")), "", optional=True),
        Argument("many", Many(Whole(0), 2, 1), "", optional=True),
        Argument("record", Record((Argument("x", Text(), ""),)), "", optional=True),
    )
)


@pytest.mark.parametrize(
    ("given_", "field"),
    [
        ({"text": ""}, "text"),
        ({"text": "four"}, "text"),
        ({"text": "\ud800"}, "text"),
        ({"text": None}, "text"),
        ({"whole": 0}, "whole"),
        ({"whole": 6}, "whole"),
        ({"whole": True}, "whole"),
        ({"whole": 1.5}, "whole"),
        ({"whole": float("nan")}, "whole"),
        *(({"instant": one}, "instant") for one in (*INSTANTS[2:], 3, "", None)),
        ({"instant": "2026-02-30T12:00:00Z"}, "instant"),
        ({"flag": 1}, "flag"),
        ({"choice": "c"}, "choice"),
        ({"choice": ["a"]}, "choice"),
        ({"many": []}, "many"),
        ({"many": [1, 2, 3]}, "many"),
        ({"many": [1, -1]}, "many[1]"),
        ({"many": "12"}, "many"),
        ({"record": {}}, "record.x"),
        ({"record": {"x": "", "y": ""}}, "record.y"),
        ({"record": []}, "record"),
        ({"other": 1}, "other"),
        ({1: 1}, "int"),
        ([], "arguments"),
        (None, "arguments"),
    ],
)
def test_the_field_that_is_wrong_is_named(given_: Any, field: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        EVERY_KIND.checked("", given_)

    assert raised.value.field == field


def test_what_is_right_is_taken_and_a_whole_float_is_a_number() -> None:
    right = {"text": "abc", "whole": 5.0, "flag": False, "choice": "b", "many": [0, 1]}

    assert EVERY_KIND.checked("", right) == right
    assert type(EVERY_KIND.checked("", right)["whole"]) is int


@pytest.mark.rule("L-TOOL-05")
@pytest.mark.parametrize(
    ("given_", "field"),
    [
        ({"room": "tea"}, "content"),
        ({"content": "x", "room": "tea", "from": "owner"}, "from"),
        ({"content": 7, "room": "tea"}, "content"),
        (["tea"], "arguments"),
    ],
)
def test_a_refusal_names_the_field_and_lists_what_the_tool_takes(
    ben: Conversation, given_: Any, field: str
) -> None:
    with pytest.raises(InvalidInput) as raised:
        tools.call("post_message", given_, by=ben)

    told = tools.refusal(raised.value)["error"]
    assert told["code"] == "invalid_request"
    assert told["details"]["field"] == field
    assert told["details"]["arguments"] == [
        *("room (required)", "content (required)", "to", "reply_to", "request_id"),
        *("confirm_all_threads", "mentions", "silent", "deliver_at", "attachments"),
        *("kind", "expects_reply", "urgency", "supersedes", "correlation"),
        *("notify_when_seen", "fields"),
    ]
    assert "room (required), content (required), to" in told["message"]


@pytest.mark.parametrize(
    "text",
    ["", "{", '{"room": NaN}', "[" * 100_000, "9" * 5_000 + "x", '{"a": Infinity}'],
)
def test_what_is_no_json_is_refused(ben: Conversation, text: str) -> None:
    with pytest.raises(RoomsError) as raised:
        tools.call("list_rooms", text, by=ben)

    assert raised.value.code == "invalid_json"


def test_arguments_may_be_the_json_text_of_an_object(ben: Conversation) -> None:
    assert tools.call("list_rooms", json.dumps({"limit": 3}), by=ben)["rooms"] == []
