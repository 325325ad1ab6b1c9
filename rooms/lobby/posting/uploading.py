"""
Uploading: files that somebody attaches are read once, to their ends or their limit.

Three laws. Who may not attach has nothing read, and of a file that is too large no more
is read than shows it. What was read is held outside of memory until the message is
stored, with no lock held while a caller's file is read. And a content is stored in the
commit of the message that names it.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import ExitStack, contextmanager
from functools import partial
from hashlib import sha256
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

from attrs import define

from rooms.errors import InvalidInput
from rooms.lobby.access.gate import check
from rooms.lobby.contents.values import Uploaded
from rooms.log.actors import Actor
from rooms.log.media import BEGINS, media_type
from rooms.log.posting import AttachedFile, check_file_size, may_attach
from rooms.paths import check_path
from rooms.policy import RoomPolicy

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = [
    "IN_MEMORY",
    "PIECE",
    "Uploads",
    "check_content",
    "files_given",
    "read_files",
    "spooled",
    "uploaded",
]

PIECE = 1 << 18
IN_MEMORY = 1 << 20
_BYTES = bytes | bytearray | memoryview
_Utf8 = getincrementaldecoder("utf-8")


@define(eq=False)
class Uploads:
    """Files that were read, to be attached to one message."""

    files: tuple[AttachedFile, ...] = ()
    spools: tuple[SpooledTemporaryFile[bytes], ...] = ()

    def read(self) -> Iterator[tuple[AttachedFile, SpooledTemporaryFile[bytes]]]:
        """The files that were read, each with its content."""
        return zip(
            (one for one in self.files if not one.given), self.spools, strict=True
        )

    def keep(self, desk: Desk, by: Actor) -> None:
        """Stores every content; what was handed in before waits no more."""
        from rooms.lobby.contents.uploading import take  # noqa: PLC0415 - it reads, too

        take(desk, by, self)


@contextmanager
def uploaded(
    desk: Desk, room: str, attachments: Any, actor: Actor
) -> Iterator[Uploads]:
    """
    The files of a message, read and checked; they are let go at the context's end.

    Raises:
        InvalidInput: `bad_path`, `too_large` for a path that is none; `invalid_request`
            for what is no mapping of paths to contents.
        NotAllowed, OverLimit: As `rooms.log.posting.may_attach`; `too_large` for a
            file.
    """
    given = files_given(attachments)
    with desk.lock:
        policy = may_attach(check(desk, room, actor), actor, len(given))
    from rooms.lobby.contents.uploading import staged  # noqa: PLC0415 - it reads, too

    with read_files(given, policy) as uploads, staged(desk, actor, uploads):
        yield uploads


@contextmanager
def read_files(given: Mapping[str, Any], policy: RoomPolicy) -> Iterator[Uploads]:
    """
    Files, each read as far as it may go; they are let go at the context's end.

    Raises:
        OverLimit: `too_large`.
    """
    for path, content in given.items():
        if isinstance(content, _BYTES):
            check_file_size(path, memoryview(content).nbytes, policy)
    with ExitStack() as stack:
        files, spools = list[AttachedFile](), list[SpooledTemporaryFile[bytes]]()
        for path, content in given.items():
            if isinstance(content, Uploaded):
                files.append(_named(path, content))
                continue
            spools.append(stack.enter_context(SpooledTemporaryFile(IN_MEMORY)))
            check = partial(check_file_size, path, policy=policy)
            files.append(spooled(path, content, spools[-1], check))
        yield Uploads(tuple(files), tuple(spools))


def _named(path: str, content: Uploaded) -> AttachedFile:
    """A file whose content was handed in before, as its sender names it."""
    size = -1 if content.size is None else content.size
    kind = content.mime_type
    return AttachedFile(path, content.sha256, size, False, kind, given=True)


def files_given(attachments: Any) -> Mapping[str, Any]:
    """What was handed in, looked at and not read yet."""
    if not isinstance(attachments, Mapping):
        kind = type(attachments).__name__
        raise InvalidInput(
            "attachments",
            f"is of type {kind}",
            allowed="a mapping of paths to contents",
        )
    for path, content in attachments.items():
        check_path(path, field="attachments")
        if not isinstance(content, Uploaded):
            check_content(_field(path), content)
    return attachments


def spooled(
    path: str,
    content: Any,
    spool: SpooledTemporaryFile[bytes],
    check_size: Callable[[int], None],
    *,
    field: str = "",
) -> AttachedFile:
    """Reads a content into a spool, as far as it may go."""
    field = field or _field(path)
    hashed, size, text, begins = sha256(), 0, _Text(), b""
    for piece in _pieces(field, content):
        size += len(piece)
        check_size(size)
        begins = begins if len(begins) >= BEGINS else begins + piece[:BEGINS]
        hashed.update(piece)
        text.take(piece)
        _write(spool, piece)
    whole = text.whole()
    kind = media_type(path, begins[:BEGINS], text=whole)
    return AttachedFile(path, hashed.hexdigest(), size, whole, kind)


def check_content(field: str, content: Any) -> None:
    """Refuses what gives no bytes, or none in an order."""
    if isinstance(content, str | Mapping | AbstractSet) or not (
        isinstance(content, Iterable) or hasattr(content, "read")
    ):
        raise _no_content(field, f"is of type {type(content).__name__}")


def _field(path: str) -> str:
    return f"attachments[{path[:80]!a}]"


def _write(spool: SpooledTemporaryFile[bytes], piece: bytes) -> None:
    try:
        spool.write(piece)
    except OSError as error:
        from rooms.storage.sqlite.faults import of_file  # noqa: PLC0415 - seldom met

        raise of_file(error) from error


def _pieces(field: str, content: Any) -> Iterator[bytes]:
    pieces: Iterable[Any]
    if isinstance(content, _BYTES):
        pieces = (bytes(content),)
    elif hasattr(content, "read"):
        pieces = iter(partial(content.read, PIECE), b"")
    else:
        pieces = content
    for piece in pieces:
        if not isinstance(piece, _BYTES):
            raise _no_content(field, f"gave {type(piece).__name__}")
        yield bytes(piece)


def _no_content(field: str, problem: str) -> InvalidInput:
    return InvalidInput(
        field,
        problem,
        allowed="bytes, a file opened for bytes, an iterable of bytes, or an Uploaded",
    )


class _Text:
    """Tells whether bytes that come in pieces are text: UTF-8 without a NUL."""

    def __init__(self) -> None:
        self._decoder = _Utf8()
        self._so_far = True

    def take(self, piece: bytes) -> None:
        """Looks at the next piece."""
        self._so_far = self._so_far and b"\0" not in piece and self._decodes(piece)

    def whole(self) -> bool:
        """Whether all of them were text, now that there is no more."""
        return self._so_far and self._decodes(b"", final=True)

    def _decodes(self, piece: bytes, *, final: bool = False) -> bool:
        try:
            self._decoder.decode(piece, final)
        except UnicodeDecodeError:
            return False
        return True
