"""Writing: what a compiled writer gives is what the plain definition says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from attrs import NOTHING, fields
from hypothesis import given, settings
from hypothesis import strategies as st

import rooms.lobby  # noqa: F401 - declares every event
from effort import sized
from rooms.log import events
from rooms.log.events import Event, encoded, made, recorded, registered
from rooms.log.records import Form, body_digest, chained, written

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
SCALARS = st.none() | st.booleans() | st.integers(-2, 2) | st.integers() | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(WORDS, inner, max_size=3)
    ),
    max_leaves=6,
)
NO_KEYS: dict[str, str] = {}
KEYS = st.just(NO_KEYS) | st.dictionaries(WORDS, WORDS, max_size=2)
CONSENTS = st.lists(st.tuples(WORDS, WORDS), max_size=2).map(tuple)


def text(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def plainly(
    kind: type[Event],
    values: Mapping[str, Any],
    noted: tuple[str, Mapping[str, str], Any, Mapping[str, str]],
) -> tuple[bytes, bytes | None]:
    """
    By hand: who, the rules, keys, consents, and each field that has not its default;
    and of the words each, but where it is one of those that came later.
    """
    by, keys, consents, passing = noted
    header: dict[str, Any] = {"by": by, "rules": 7}
    if keys:
        header["keys"] = list(keys.items())
    if consents:
        header["consents"] = consents
    words: dict[str, Any] = {}
    of_body, later = kind.fields()[1], dict(kind._SPARSE)
    made_by_attrs: Any = kind
    for one in fields(made_by_attrs):
        if one.name not in of_body:
            value = values.get(one.name, one.default)
            if value is not NOTHING and value != one.default:
                header[one.name] = value
            continue
        default = "" if one.default is NOTHING else one.default
        value = values.get(one.name, default)
        if one.name not in later or value != default:
            words[one.name] = value
    if passing and of_body:
        words["keys"] = list(passing.items())
    return text(header), text(words) if of_body else None


@pytest.mark.parametrize("name", sorted(registered()))
@settings(max_examples=sized(5, 50))
@given(data=st.data())
def test_what_is_written_is_what_the_plain_definition_says(
    name: str, data: st.DataObject
) -> None:
    kind = registered()[name]
    every = [*kind._HEADER, *kind._BODY]
    chosen = data.draw(st.permutations(every))
    values = {
        field: data.draw(VALUES if default is NOTHING else st.just(default) | VALUES)
        for field, default in chosen[: data.draw(st.integers(0, len(every)))]
    }
    noted = data.draw(st.tuples(WORDS, KEYS, CONSENTS, KEYS))
    by, keys, consents, passing = noted

    event = made(kind, dict(values))
    written = encoded(
        event, by=by, rules=7, keys=keys, consents=consents, passing=passing
    )

    assert written == plainly(kind, values, noted)


def test_a_value_that_only_equals_another_is_written_as_what_it_is() -> None:
    kind = registered()["seat_left"]
    for value, told in ((1, b"1"), (True, b"true"), ("1", b'"1"'), (None, b"null")):
        event = made(kind, {"conversation": "c", "membership_ended": value})

        header, body = encoded(event, by="system", rules=1)

        begins = b'{"by":"system","rules":1,"conversation":"c","membership_ended":'
        assert header == begins + told + b"}"
        assert body is None


def test_as_many_writers_are_kept_as_there_are_forms_and_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(events, "_MOST_PLANS", 2)
    kind = registered()["floor_given"]
    kind._WRITERS.clear()
    every = ({"round": 1}, {"round": True}, {"may_pass": True}, {"activity": "a"})
    for values in (*every, *every):
        header, _ = encoded(made(kind, dict(values)), by="system", rules=1)

        assert json.loads(header) == {"by": "system", "rules": 1, **values}
        assert 1 <= len(kind._WRITERS) <= 2


def test_the_first_of_the_words_is_always_written() -> None:
    class Told(Event):
        note: str = ""
        text: str = ""

    with pytest.raises(TypeError, match="told may have no words to begin with"):
        recorded("told", body=("note", "text"), sparse=("note",))(Told)
    assert "told" not in registered()


@given(
    before=st.binary(min_size=32, max_size=32),
    place=st.tuples(WORDS, st.integers(1, 2**63), st.integers(0, 2**63)),
    form=st.builds(Form.of, WORDS, st.integers(1, 99), critical=st.booleans()),
    words=st.tuples(st.binary(), st.none() | st.binary()),
    seq=st.none() | st.integers(1),
)
def test_a_record_has_the_digest_and_the_chain_of_what_it_holds(
    before: bytes,
    place: tuple[str, int, int],
    form: Form,
    words: tuple[bytes, bytes | None],
    seq: int | None,
) -> None:
    (stream, version, at), (header, body) = place, words
    salts = [b"sixteen bytes ok"]

    record = written(before, *place, form, words=words, salt=salts.pop, seq=seq)

    salt = None if body is None else b"sixteen bytes ok"
    fields = (stream, version, form.type, form.schema, form.critical, at, header, body)
    assert record[:9] == (*fields, salt)
    assert record.digest == body_digest(body, salt)
    assert record.chain == chained(before, record)
    assert (record.seq, record.position) == (seq, 0)
    assert len(salts) == (body is None)
