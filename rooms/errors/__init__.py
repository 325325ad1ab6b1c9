"""
Every way in which `rooms` says no.

Two laws hold for all of them: an error carries a stable `code` to branch on, and
whatever raised it has changed nothing, but for a `StorageError` that says so
(`recorded`). Words are for people and may change; codes and the names in `details` do
not.

`CODES` lists each code with its meaning and remedy; the reference page is made from it.
It is loaded when it is first named (`rooms.errors.codes`): the kinds below need it not.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rooms.errors.codes import CODES as CODES
    from rooms.errors.codes import Code as Code

__all__ = [
    "CODES",
    "Code",
    "ConfirmAllThreads",
    "Conflict",
    "CorruptLog",
    "HookFailed",
    "IdempotencyConflict",
    "InvalidInput",
    "KeyHeld",
    "MissingExtra",
    "NotAllowed",
    "NotFound",
    "OverLimit",
    "Refused",
    "RoomsError",
    "SelfAddressed",
    "StorageBusy",
    "StorageError",
    "StorageFull",
    "UnsupportedSchema",
    "VersionConflict",
]


class RoomsError(Exception):
    """
    The base of every error that leaves the library.

    Attributes:
        code: A stable snake_case string, a key of `CODES`.
        details: The values behind the words, by name.
    """

    code: str
    details: Mapping[str, Any]

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.details = MappingProxyType(details)

    def __str__(self) -> str:
        return f"{self.args[0]} [{self.code}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.code, self.args[0], dict(self.details))


def _rebuild(
    kind: type[RoomsError], code: str, message: str, details: Mapping[str, Any]
) -> RoomsError:
    error = kind.__new__(kind)
    RoomsError.__init__(error, code, message, **details)
    return error


class InvalidInput(RoomsError, ValueError):
    """
    The caller's mistake: `field` names it, `problem` says what is wrong, `allowed`
    what may be there.
    """

    def __init__(
        self,
        field: str,
        problem: str,
        *,
        allowed: Any = None,
        code: str = "invalid_request",
        **details: Any,
    ) -> None:
        message = f"{field} {problem}"
        if allowed is not None:
            message += f"; allowed: {allowed}"
        super().__init__(
            code, message, field=field, problem=problem, allowed=allowed, **details
        )

    @property
    def field(self) -> str:
        """The argument, attribute or position that was wrong."""
        return str(self.details["field"])


class Refused(RoomsError):
    """The rules said no, and nothing was recorded."""


class NotFound(Refused, LookupError):
    """What was named does not exist, or not for this caller."""


class NotAllowed(Refused, PermissionError):
    """The caller may not do this."""


class Conflict(Refused):
    """Something moved on in between; `current` is how it stands now."""

    @property
    def current(self) -> Any:
        """The value that the caller's was compared with."""
        return self.details.get("current")


class OverLimit(Refused):
    """A limit is reached; `retry_at` is when a place frees, if it ever does."""

    @property
    def retry_at(self) -> datetime | None:
        """The earliest instant at which the same request may pass, aware and UTC."""
        return self.details.get("retry_at")


class SelfAddressed(Refused):
    """The only one whom the message addresses is its own sender."""

    @property
    def last_partner(self) -> str | None:
        """The address that the sender last talked with here, if there is one."""
        return self.details.get("last_partner")


class ConfirmAllThreads(Refused):
    """A message would wake several conversations of one agent; say so to send it."""

    @property
    def preview(self) -> Any:
        """Whom it would wake, whom it would only be told to, and what else to send."""
        return self.details.get("preview")


class IdempotencyConflict(Conflict):
    """A request id that was used already, for something else."""


class HookFailed(RoomsError):
    """A plugin that was asked to decide failed, so the answer is no."""

    @property
    def plugin(self) -> str:
        """The name under which the plugin is registered."""
        return str(self.details["plugin"])

    @property
    def hook(self) -> str:
        """The hook that it was asked."""
        return str(self.details["hook"])


class MissingExtra(RoomsError, ImportError):
    """A call needs a package that is not installed, of the extra that is named."""

    @property
    def extra(self) -> str:
        """The extra to install, with `pip install '/path/to/clone[...]'`."""
        return str(self.details["extra"])


class StorageError(RoomsError):
    """
    The storage failed and added nothing; what was acknowledged before is safe.

    Only where `recorded` is true, what was asked for stands.
    """

    @property
    def recorded(self) -> bool:
        """
        Whether the call is recorded all the same. It took words away, and these may
        stand in the storage's write-ahead log until its next commit or a sweep.
        """
        return self.details.get("recorded") is True


class StorageBusy(StorageError):
    """Another process held the storage for too long; try the same call again."""


class StorageFull(StorageError):
    """There is no room left to write; reading goes on."""


class UnsupportedSchema(StorageError):
    """What was opened is no storage of ours, or one that this version cannot read."""


class CorruptLog(StorageError):
    """What is stored is not what was written."""


class KeyHeld(StorageError):
    """A commit adds a key that is held, by `holder`. Only the shell meets it."""

    @property
    def holder(self) -> str:
        """What the key's owner recorded with it."""
        return str(self.details["holder"])


class VersionConflict(StorageError):
    """A stream moved on since it was read. The shell meets it and decides anew."""


if not TYPE_CHECKING:  # a checker sees the imports above, and misspelt names

    def __getattr__(name: str) -> Any:
        if name not in {"CODES", "Code"}:
            raise AttributeError(f"module 'rooms.errors' has no attribute {name!r}")
        from rooms.errors import codes  # noqa: PLC0415 - a table of words, seldom asked

        return getattr(codes, name)
