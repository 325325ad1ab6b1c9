"""
Arguments: what a tool takes, as a JSON Schema and as a check, from one description.

Two laws. Objects are closed: what is not described is refused, and never dropped. And
what the schema takes the check takes, and nothing else but lone surrogates differs,
which no JSON should hold: a test compares the two with another validator.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Protocol

from attrs import frozen

from rooms import values
from rooms.errors import InvalidInput

__all__ = [
    "Argument",
    "Choice",
    "Flag",
    "Instant",
    "Kind",
    "Many",
    "Record",
    "Text",
    "Whole",
]

Schema = dict[str, Any]


class Kind(Protocol):
    """What a value may be."""

    def schema(self) -> Schema:
        """The kind as JSON Schema, 2020-12."""

    def checked(self, field: str, value: Any) -> Any:
        """The value, or `InvalidInput` with `invalid_request` that names the field."""


@frozen
class Text:
    """A string of so many characters."""

    at_least: int = 0
    at_most: int | None = None

    def schema(self) -> Schema:
        """As `Kind.schema`."""
        schema: Schema = {"type": "string"}
        if self.at_least:
            schema["minLength"] = self.at_least
        if self.at_most is not None:
            schema["maxLength"] = self.at_most
        return schema

    def checked(self, field: str, value: Any) -> str:
        """As `Kind.checked`."""
        text = values.storable(field, value)
        length = len(text)
        if length < self.at_least:
            raise InvalidInput(field, "is empty", allowed="a non-empty string")
        if self.at_most is not None and length > self.at_most:
            raise InvalidInput(
                field, f"has {length} characters", allowed=f"at most {self.at_most}"
            )
        return text


@frozen
class Whole:
    """A whole number within bounds; 3.0 is one, as in JSON Schema."""

    at_least: int
    at_most: int | None = None

    def schema(self) -> Schema:
        """As `Kind.schema`."""
        schema: Schema = {"type": "integer", "minimum": self.at_least}
        if self.at_most is not None:
            schema["maximum"] = self.at_most
        return schema

    def checked(self, field: str, value: Any) -> int:
        """As `Kind.checked`."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        most = values.LARGEST if self.at_most is None else self.at_most
        return values.whole_number(field, value, at_least=self.at_least, at_most=most)


@frozen
class Instant:
    """
    A moment: a date and a time with its zone, as in RFC 3339.

    The schema's pattern is the form; a day that no month has is refused by the check.
    """

    def schema(self) -> Schema:
        """As `Kind.schema`."""
        return {"type": "string", "format": "date-time", "pattern": _RFC_3339}

    def checked(self, field: str, value: Any) -> datetime:
        """As `Kind.checked`."""
        text = values.text(field, value)
        if re.search(_RFC_3339, text) is None:
            raise InvalidInput(field, "is no instant", allowed=_EXAMPLE)
        try:
            return values.instant(field, datetime.fromisoformat(text))
        except ValueError as error:
            raise InvalidInput(field, "is no instant", allowed=_EXAMPLE) from error


_EXAMPLE = "a date and time with its zone, as 2026-03-02T12:00:00Z"
_RFC_3339 = (
    r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    r"T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?"
    r"(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9])$"
)


@frozen
class Flag:
    """True or false."""

    def schema(self) -> Schema:
        """As `Kind.schema`."""
        return {"type": "boolean"}

    def checked(self, field: str, value: Any) -> bool:
        """As `Kind.checked`."""
        return values.flag(field, value)


@frozen
class Choice:
    """One of some words."""

    words: tuple[str, ...]

    def schema(self) -> Schema:
        """As `Kind.schema`."""
        return {"type": "string", "enum": list(self.words)}

    def checked(self, field: str, value: Any) -> str:
        """As `Kind.checked`."""
        return values.member(field, value, self.words)


@frozen
class Many:
    """So many values of one kind, in their order."""

    of: Kind
    at_most: int
    at_least: int = 0

    def schema(self) -> Schema:
        """As `Kind.schema`."""
        schema: Schema = {"type": "array", "items": self.of.schema()}
        if self.at_least:
            schema["minItems"] = self.at_least
        return {**schema, "maxItems": self.at_most}

    def checked(self, field: str, value: Any) -> list[Any]:
        """As `Kind.checked`."""
        if not isinstance(value, list | tuple):
            kind = type(value).__name__
            raise InvalidInput(field, f"is of type {kind}", allowed="a list")
        if not self.at_least <= len(value) <= self.at_most:
            raise InvalidInput(
                field,
                f"has {len(value)} items",
                allowed=f"{self.at_least} to {self.at_most}",
            )
        return [
            self.of.checked(f"{field}[{place}]", one) for place, one in enumerate(value)
        ]


@frozen
class Argument:
    """
    One argument: its name, what it may be, and what it is for.

    Attributes:
        optional: Whether it may be left out.
        default: What it is then, where the schema should say so.
    """

    name: str
    kind: Kind
    about: str
    optional: bool = False
    default: Any = None

    def schema(self) -> Schema:
        """The argument as a property of a JSON Schema."""
        schema = {**self.kind.schema(), "description": self.about}
        return schema if self.default is None else {**schema, "default": self.default}


@frozen
class Record:
    """A closed object; every argument that is not optional has to be there."""

    arguments: tuple[Argument, ...]

    def schema(self) -> Schema:
        """As `Kind.schema`."""
        return {
            "type": "object",
            "properties": {one.name: one.schema() for one in self.arguments},
            "required": [one.name for one in self.arguments if not one.optional],
            "additionalProperties": False,
        }

    def checked(self, field: str, value: Any) -> dict[str, Any]:
        """The arguments by name, with defaults for what is left out."""
        if not isinstance(value, Mapping):
            kind = type(value).__name__
            raise InvalidInput(field or "arguments", f"is {kind}", allowed="an object")
        prefix = f"{field}." if field else ""
        known = {one.name for one in self.arguments}
        for name in value:
            if not isinstance(name, str) or name not in known:
                shown = name[:80] if isinstance(name, str) else type(name).__name__
                raise InvalidInput(prefix + shown, "is no argument here")
        found: dict[str, Any] = {}
        for one in self.arguments:
            if one.name in value:
                found[one.name] = one.kind.checked(prefix + one.name, value[one.name])
            elif not one.optional:
                raise InvalidInput(prefix + one.name, "is missing")
            elif one.default is not None:
                found[one.name] = one.default
        return found

    def listed(self) -> list[str]:
        """The arguments by name, those that have to be there first and marked."""
        required = [f"{a.name} (required)" for a in self.arguments if not a.optional]
        return required + [a.name for a in self.arguments if a.optional]
