"""
Events: recorded facts as values, and how they become header and body.

Two laws. An event says what was decided, never how to decide it, so that later rules
change nothing that an old log says. And whatever people worded stands in the body, all
else in the header: folding a log reads headers only (foundation 7).

A feature module declares its events with `@recorded`; the type's name is for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from json import JSONDecoder
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar, dataclass_transform

from attrs import NOTHING, define, field, fields, frozen

from rooms.errors import CorruptLog
from rooms.log.records import Form, Record, parsed, proven_up_to
from rooms.log.writing import Writer, compiled, member

__all__ = [
    "RULES_VERSION",
    "Event",
    "Fact",
    "Unknown",
    "decoded",
    "encoded",
    "followed",
    "made",
    "recorded",
    "registered",
]

RULES_VERSION = 1
"""The version of the rules that decide now; each commit records its own."""

_OF_COMMIT = _ACTOR, _RULES, _KEYS, _CONSENTS = "by", "rules", "keys", "consents"


class Event:
    """The base of every event."""

    TYPE: ClassVar[str]
    SCHEMA: ClassVar[int]
    CRITICAL: ClassVar[bool]
    FORM: ClassVar[Form]
    _HEADER: ClassVar[tuple[tuple[str, Any], ...]]
    _BODY: ClassVar[tuple[tuple[str, Any], ...]]
    _SPARSE: ClassVar[tuple[tuple[str, Any], ...]]
    _LISTS: ClassVar[Mapping[str, Callable[[Any], Any]]]
    _PLANS: ClassVar[dict[tuple[str, ...], _Plan]]
    _SPOKEN: ClassVar[dict[tuple[str, ...], _Plan]]
    _WRITERS: ClassVar[dict[tuple[Any, ...], Writer]]

    @classmethod
    def fields(cls) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names of the fields in the header, and of those in the body."""
        return tuple(dict(cls._HEADER)), tuple(dict(cls._BODY))


@frozen
class Unknown(Event):
    """
    An event of a type, or of a later schema, that this version does not know.

    It is kept as it stands. One that is critical makes its stream read-only, because
    what it changed is not known.
    """

    type: str
    critical: bool
    header: Mapping[str, Any]
    body: Mapping[str, Any]


class Fact(NamedTuple):
    """
    An event as it stands in its stream.

    Attributes:
        version: Its place in the stream, from 1.
        at: When it was recorded, in microseconds.
        by: Who did it, as `Actor.recorded` writes it.
        rules: The version of the rules that decided it.
        keys: The keys that its commit added, each with a fingerprint; they stand with
            the commit's first record, or among the words that they end with.
        event: What happened.
        consents: What hosts let happen, each with the plugin that said so; they stand
            with the commit's first record.
        erased: Whether the words that belonged to it are gone.
    """

    version: int
    at: int
    by: str
    rules: int
    event: Event
    erased: bool = False
    keys: tuple[tuple[str, str], ...] = ()
    consents: tuple[tuple[str, str], ...] = ()


Upcaster = Callable[[dict[str, Any], dict[str, Any]], None]
T = TypeVar("T")
E = TypeVar("E", bound=Event)

_TYPES: dict[str, type[Event]] = {}
_UPCASTERS: dict[tuple[str, int], Upcaster] = {}


def _unlisted(value: Any) -> Any:
    """JSON's arrays as tuples, all the way down, as they were before encoding."""
    if type(value) is not list and type(value) is not tuple:
        return value
    if list in map(type, value):
        value = [_unlisted(one) if type(one) is list else one for one in value]
    return tuple(value)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def recorded(
    name: str,
    *,
    body: tuple[str, ...] = (),
    sparse: tuple[str, ...] = (),
    schema: int = 1,
    critical: bool = True,
) -> Callable[[type[T]], type[T]]:
    """
    Makes a class an event that is recorded under a name.

    Args:
        name: The type as it stands in every log, for ever.
        body: The fields that hold words of people.
        sparse: Those of them that are left out where they have their default, as all
            of the header are; a field that came later has to be, and the first is not.
        schema: The form of its fields; a new form needs an upcaster from the last.
        critical: False where a reader that does not know it may go on.
    """

    def declare(cls: type[T]) -> type[T]:
        made: Any = define(cls, frozen=True, slots=False)
        every = fields(made)
        made.TYPE, made.SCHEMA, made.CRITICAL = name, schema, critical
        made.FORM = Form.of(name, schema, critical=critical)
        made._HEADER = tuple(  # noqa: SLF001 - the class that this makes
            (one.name, one.default) for one in every if one.name not in body
        )
        made._BODY = tuple(  # noqa: SLF001
            (one.name, "" if one.default is NOTHING else one.default)
            for one in every
            if one.name in body
        )
        made._SPARSE = tuple(  # noqa: SLF001
            (one.name, one.default) for one in every if one.name in sparse
        )
        if made._BODY and made._BODY[0][0] in sparse:  # noqa: SLF001
            raise TypeError(f"{name} may have no words to begin with")
        _prepare(made, [(one.name, str(one.type)) for one in every])
        _TYPES[name] = made
        event: type[T] = made
        return event

    return declare


def _prepare(made: Any, every: list[tuple[str, str]]) -> None:
    """Notes what decoding needs; a field that is absent has its default."""
    made._LISTS = {  # noqa: SLF001 - the class that `recorded` makes
        name: tuple if kind in _FLAT else _unlisted
        for name, kind in every
        if kind.startswith("tuple[")
    }
    made._PLANS, made._SPOKEN, made._WRITERS = {}, {}, {}  # noqa: SLF001
    for name, default in (*made._HEADER, *made._BODY):  # noqa: SLF001
        if default is not NOTHING:
            setattr(made, name, default)


def registered() -> Mapping[str, type[Event]]:
    """The types that the feature modules loaded so far declare, by their names."""
    return MappingProxyType(_TYPES)


def upcasts(name: str, schema: int) -> Callable[[Upcaster], Upcaster]:
    """Declares how header and body of an old schema become the next one's, in place."""

    def declare(upcaster: Upcaster) -> Upcaster:
        _UPCASTERS[name, schema] = upcaster
        return upcaster

    return declare


def encoded(
    event: Event,
    *,
    by: str,
    rules: int,
    keys: Mapping[str, str] | None = None,
    consents: tuple[tuple[str, str], ...] = (),
    passing: Mapping[str, str] | None = None,
) -> tuple[bytes, bytes | None]:
    """
    The header and the body of an event, without fields that have their default.

    `passing` are keys that end with the event's words, and stand among them.
    """
    given = event.__dict__
    values = given.values()
    form = (*given, *map(type, values))
    write = event._WRITERS.get(form) or _writer(event, form)  # noqa: SLF001
    noted = keyed(keys) if keys else ""
    if consents:
        noted += member(_CONSENTS, consents)
    ending = member(_KEYS, list(passing.items())) if passing else ""
    return write(by, rules, noted, ending, *values)


def keyed(keys: Mapping[str, str]) -> str:
    """What a header notes of keys, behind the rules."""
    return member(_KEYS, list(keys.items()))


def _writer(event: Event, form: tuple[Any, ...]) -> Writer:
    """What writes events that were given the same fields with values of such types."""
    kind, given = type(event), vars(event)
    types = {name: type(value) for name, value in given.items()}
    sparse = dict(kind._SPARSE)  # noqa: SLF001 - our own base
    body = [
        (name, sparse.get(name, NOTHING) if name in given else default)
        for name, default in kind._BODY  # noqa: SLF001
        if name in given or name not in sparse
    ]
    writer = compiled(kind.TYPE, kind._HEADER, body, types)  # noqa: SLF001
    if len(kind._WRITERS) >= _MOST_PLANS:  # noqa: SLF001
        kind._WRITERS.clear()  # noqa: SLF001
    return kind._WRITERS.setdefault(form, writer)  # noqa: SLF001


def made(kind: type[E], given: dict[str, Any]) -> E:
    """
    An event that was given these fields, as one is that was read; the rest have their
    defaults. It takes half the time of calling the class where there are many.
    """
    event = _new(kind)
    _fill(event, given)
    return event


def decoded(record: Record) -> Fact:
    """
    The fact that a record holds.

    Raises:
        CorruptLog: `corrupt_log` for a header or body that does not fit its type.
    """
    # One look, as nearly all records are; what was read is not copied, and the header's
    # object becomes that of the event. Whatever is odd is looked at carefully.
    _, version, name, schema, _, at, header, body, _, digest, _, _, _ = record
    kind = _TYPES.get(name)
    if (
        kind is None
        or schema != kind.SCHEMA
        or type(version) is not int
        or type(at) is not int
    ):
        return _carefully(record)
    try:
        text = header.decode()
        read, end = _scan(text, 0)
        plan = kind._PLANS.get(tuple(read)) or _planned(kind, read)  # noqa: SLF001
        if plan is None or end != len(text):
            return _carefully(record)
        by, rules = read.pop(_ACTOR), read.pop(_RULES)
        keys: Any = ()
        if plan.keyed and type(keys := _unlisted(read.pop(_KEYS))) is not tuple:
            return _carefully(record)
        consents = _unlisted(read.pop(_CONSENTS)) if plan.consented else ()
        if body is not None:
            ending = _take_words(kind, read, body)
            if ending is None:
                return _carefully(record)
            keys = keys + ending if ending else keys
    except _ODD:
        return _carefully(record)
    for name, convert in plan.lists:
        value = read[name]
        if type(value) is list:
            read[name] = convert(value)
    event = _new(kind)
    _fill(event, read)
    erased = body is None and digest != b""
    return _fact(Fact, (version, at, by, rules, event, erased, keys, consents))


def _take_words(
    kind: type[Event], read: dict[str, Any], body: bytes
) -> tuple[tuple[str, str], ...] | None:
    """Adds an event's words to what was read; the keys that end with them, or None."""
    text = body.decode()
    said, end = _scan(text, 0)
    if end != len(text) or type(said) is not dict:
        return None
    plan = kind._SPOKEN.get(tuple(said)) or _planned_words(kind, said)  # noqa: SLF001
    ending = said.pop(_KEYS) if plan is not None and plan.keyed else []
    if plan is None or type(ending) is not list:
        return None
    for name, convert in plan.lists:
        value = said[name]
        if type(value) is list:
            said[name] = convert(value)
    read.update(said)
    keys: tuple[tuple[str, str], ...] = _unlisted(ending)
    return keys


def followed(records: Sequence[Record], version: int, chain: bytes) -> list[Fact]:
    """
    The facts of a stream's records that are only to be folded: without words, keys and
    consents.

    They are proven to be what was written behind that version and chain; it ends before
    the first record that is not.

    Raises:
        CorruptLog: `corrupt_log`, as `decoded`.
    """
    proven = records[: proven_up_to(records, version, chain)]
    facts = _read_together(proven)
    return [decoded(record) for record in proven] if facts is None else facts


def _read_together(records: Sequence[Record]) -> list[Fact] | None:
    """
    The facts of records whose headers are read as one text, which takes two thirds of
    the time of one after the other; None where any of them has to be looked at.
    """
    if not records:
        return []
    # Between two headers stands what none can hold, since it is made from all of them:
    # so none ends in another.
    mark = records[-1].chain.hex()[:16]
    headers = f',"{mark}",'.encode().join([record.header for record in records])
    try:
        found, end = _scan(text := f"[{headers.decode()}]", 0)
    except _ODD:
        return None
    if end != len(text) or found[1::2] != [mark] * (len(records) - 1):
        return None
    facts: list[Fact] = []
    kinds = {name: (kind, kind.SCHEMA, kind._PLANS) for name, kind in _TYPES.items()}  # noqa: SLF001
    for record, read in zip(records, found[::2], strict=True):
        _, version, name, schema, _, at, _, _, _, _, _, _, _ = record
        kind, form, plans = kinds.get(name, _NONE)
        if (
            kind is None
            or schema != form
            or type(read) is not dict
            or not type(at) is type(version) is int
        ):
            return None
        plan = plans.get(tuple(read)) or _planned(kind, read)
        if plan is None:
            return None
        for name, convert in plan.lists:
            value = read[name]
            if type(value) is list:
                read[name] = convert(value)
        event = _new(kind)
        _fill(event, read)  # with who did it, which no field is named like
        fact = (version, at, read[_ACTOR], read[_RULES], event, False, (), ())
        facts.append(_fact(Fact, fact))
    return facts


_NONE: tuple[None, int, dict[tuple[str, ...], _Plan]] = (None, 0, {})
_scan: Callable[[str, int], tuple[Any, int]] = vars(JSONDecoder())["scan_once"]
_new = object.__new__
_fill: Callable[[Event, dict[str, Any]], None] = vars(Event)["__dict__"].__set__
"""Gives an event its fields; it is frozen for everybody else."""
_fact: Callable[[type[Fact], tuple[Any, ...]], Fact] = tuple.__new__
_FLAT = frozenset({"tuple[int, ...]", "tuple[str, ...]"})
_MOST_PLANS = 256
_ODD = (
    *(AttributeError, LookupError, RecursionError, StopIteration),
    *(TypeError, ValueError),
)


class _Plan(NamedTuple):
    """How headers, or words, with certain names in a certain order are read."""

    keyed: bool
    consented: bool
    lists: tuple[tuple[str, Callable[[Any], Any]], ...]


def _planned(kind: type[Event], read: Any) -> _Plan | None:
    """How a header is read; None for one that has other names than it should."""
    if type(read) is not dict:
        return None
    header = dict(kind._HEADER)  # noqa: SLF001 - our own base
    needed = {name for name, default in header.items() if default is NOTHING}
    if not {*needed, _ACTOR, _RULES} <= read.keys() <= {*header, *_OF_COMMIT}:
        return None
    lists = tuple(one for one in kind._LISTS.items() if one[0] in read)  # noqa: SLF001
    plan = _Plan(_KEYS in read, _CONSENTS in read, lists)
    if len(kind._PLANS) < _MOST_PLANS:  # noqa: SLF001
        kind._PLANS[tuple(read)] = plan  # noqa: SLF001
    return plan


def _planned_words(kind: type[Event], said: dict[str, Any]) -> _Plan | None:
    """How words are read, likewise; none of them is needed."""
    if not said.keys() <= {*dict(kind._BODY), _KEYS}:  # noqa: SLF001 - our own base
        return None
    lists = tuple(one for one in kind._LISTS.items() if one[0] in said)  # noqa: SLF001
    plan = _Plan(_KEYS in said, False, lists)
    if len(kind._SPOKEN) < _MOST_PLANS:  # noqa: SLF001
        kind._SPOKEN[tuple(said)] = plan  # noqa: SLF001
    return plan


def _as_recorded(kind: type[Event], name: str, value: Any) -> Any:
    """A field's value as it was before encoding."""
    convert = kind._LISTS.get(name)  # noqa: SLF001 - our own base
    return value if convert is None or type(value) is not list else convert(value)


def _carefully(record: Record) -> Fact:
    """The fact of a record of any form, or the fault that it has."""
    where = f"{record.stream} {record.version}"
    if not (  # one flipped bit gives a column of a file another type
        type(record.version) is int
        and type(record.at) is int
        and type(record.schema) is int
        and type(record.header) is bytes
        and (record.body is None or type(record.body) is bytes)
    ):
        raise CorruptLog("corrupt_log", f"{where} is no record", where=where)
    header = parsed(record.header, where=where)
    body = {} if record.body is None else parsed(record.body, where=where)
    by, rules = header.pop(_ACTOR, ""), header.pop(_RULES, 0)
    held, ending = _unlisted(header.pop(_KEYS, ())), _unlisted(body.pop(_KEYS, ()))
    if not type(held) is type(ending) is tuple:
        raise CorruptLog("corrupt_log", f"{where} has odd keys", where=where)
    keys = held + ending
    consents = _unlisted(header.pop(_CONSENTS, ()))
    erased = record.body is None and record.digest != b""
    event = _event(record, header, body, where=where)
    return Fact(record.version, record.at, by, rules, event, erased, keys, consents)


def _event(
    record: Record, header: dict[str, Any], body: dict[str, Any], *, where: str
) -> Event:
    kind = _TYPES.get(record.type)
    if kind is None or record.schema > kind.SCHEMA:
        return Unknown(record.type, record.critical, header, body)
    for schema in range(record.schema, kind.SCHEMA):
        upcaster = _UPCASTERS.get((record.type, schema))
        if upcaster is None:
            raise CorruptLog("corrupt_log", f"{where} never had a form", where=where)
        upcaster(header, body)
    found = {name: header[name] for name, _ in kind._HEADER if name in header}  # noqa: SLF001
    found |= {name: body.get(name, gone) for name, gone in kind._BODY}  # noqa: SLF001
    for name, value in found.items():
        found[name] = _as_recorded(kind, name, value)
    try:
        return kind(**found)
    except TypeError as error:
        raise CorruptLog(
            "corrupt_log", f"{where} does not fit {record.type}", where=where
        ) from error
