"""
A room's documents as a git repository: one commit a change, in their order.

Three laws. The same history is the same commits, whoever exports it and how often. A
repository that holds anything else is left as it is; where it fails, the branch stands
where it stood. And no path leaves the repository, which has no working copy.

Its objects are written by dulwich, the extra `git`, which is loaded when it is needed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any

from attrs import define, field

from rooms.errors import Conflict, InvalidInput
from rooms.errors.extras import needed
from rooms.lobby.files.documents import (
    change_at,
    content_of_change,
    document_of,
    revision_of,
)
from rooms.lobby.files.values import Revision
from rooms.lobby.handles import Person

if TYPE_CHECKING:
    from rooms.lobby.desk import Desk

__all__ = ["export_git"]

_BRANCH = b"refs/heads/main"
_FILE, _FOLDER = 0o100644, 0o040000
_ENOUGH_BYTES = 8 * 2**20
_Objects = list[tuple[Any, None]]


def export_git(desk: Desk, room: str, path: str | os.PathLike[str]) -> str | None:
    """As `Room.export_git`, which documents it."""
    repositories = _dulwich()
    target = _place(path)
    desk.check_usable()
    with desk.lock:
        desk.room(room)
        versions = desk.filed.every_change(room)
    try:
        if _is_free(target):
            return _anew(desk, room, versions, target, repositories)
        with repositories.Repo(os.fspath(target)) as repository:
            return _filled(repository, desk, room, versions)
    except repositories.NotGitRepository:
        raise Conflict(
            "not_empty", "the folder holds something else than a repository"
        ) from None
    except OSError as error:
        from rooms.storage.sqlite.faults import of_file  # noqa: PLC0415 - seldom met

        raise of_file(error) from error


class _Dulwich:
    """What is used of dulwich."""

    def __init__(self) -> None:
        from dulwich.errors import NotGitRepository  # noqa: PLC0415 - an extra
        from dulwich.repo import Repo  # noqa: PLC0415

        self.Repo: Any = Repo
        self.NotGitRepository: type[Exception] = NotGitRepository


def _dulwich() -> _Dulwich:
    with needed("dulwich", by="room.export_git"):
        return _Dulwich()


def _place(path: Any) -> Path:
    if not isinstance(path, str | os.PathLike):
        kind = type(path).__name__
        raise InvalidInput("path", f"is of type {kind}", allowed="a path of a folder")
    try:
        written = os.fsencode(path)
    except UnicodeEncodeError:
        written = b"\0"
    if not written or b"\0" in written:
        raise InvalidInput("path", "is no path", allowed="one of a folder")
    return Path(os.fsdecode(written))


def _is_free(target: Path) -> bool:
    return not target.exists() or (target.is_dir() and not any(target.iterdir()))


def _anew(
    desk: Desk, room: str, versions: Sequence[int], target: Path, dulwich: _Dulwich
) -> str | None:
    """A new repository, which takes its place when all is written."""
    target.parent.mkdir(parents=True, exist_ok=True)
    begun = Path(mkdtemp(dir=target.parent, prefix=f".{target.name[:100]}."))
    try:
        with dulwich.Repo.init_bare(os.fspath(begun)) as repository:
            repository.refs.set_symbolic_ref(b"HEAD", _BRANCH)
            head = _filled(repository, desk, room, versions)
        if target.exists():
            target.rmdir()
        begun.rename(target)
    finally:
        if begun.exists():
            rmtree(begun, ignore_errors=True)
    return head


def _filled(
    repository: Any, desk: Desk, room: str, versions: Sequence[int]
) -> str | None:
    """Writes what the repository lacks, and moves its branch; the newest commit."""
    before = repository.refs.as_dict().get(_BRANCH)
    if before is None and repository.refs.as_dict():
        raise Conflict("not_empty", "the repository has other branches than ours")
    ours, head = before is None, None
    pending: _Objects = []
    size = 0
    for head, objects, weight in _commits(desk, room, versions):
        ours = ours or head == before
        pending += [(one, None) for one in objects]
        size += weight
        if size >= _ENOUGH_BYTES:
            repository.object_store.add_objects(pending)
            pending, size = [], 0
    if not ours:
        raise Conflict("not_empty", "the repository holds other commits than ours")
    if pending:
        repository.object_store.add_objects(pending)
    if head is not None and head != before:
        repository.refs[_BRANCH] = head
    return None if head is None else head.decode("ascii")


def _commits(
    desk: Desk, room: str, versions: Sequence[int]
) -> Iterator[tuple[bytes, list[Any], int]]:
    """Each commit's id, with the objects that came with it and their size."""
    root, parent = _Folder(), None
    paths: dict[str, str] = {}  # of documents, by key: what is erased has lost its own
    for version in versions:
        with desk.lock:
            fact = change_at(desk, room, version)
            content = content_of_change(desk, room, fact)
        change, key = revision_of(desk, room, fact), document_of(fact)
        if change.path:
            paths[key] = change.path
        path = paths.get(key, "")
        blob = None if content is None else _blob(content)
        if path:
            root.put(path.split("/"), None if blob is None else blob.id)
        trees = list(root.written())
        commit = _commit(change, path, root.id or b"", parent)
        parent = commit.id
        objects = [*([] if blob is None else [blob]), *trees, commit]
        yield commit.id, objects, len(content or b"") + 1_000


def _blob(content: bytes) -> Any:
    from dulwich.objects import Blob  # noqa: PLC0415 - an extra

    return Blob.from_string(content)


def _commit(change: Revision, path: str, tree: bytes, parent: bytes | None) -> Any:
    from dulwich.objects import Commit  # noqa: PLC0415 - an extra

    commit: Any = Commit()
    commit.tree = tree
    commit.parents = [] if parent is None else [parent]
    commit.author = commit.committer = _signature(change)
    commit.author_time = commit.commit_time = int(change.at.timestamp())
    commit.author_timezone = commit.commit_timezone = 0
    commit.encoding = b"UTF-8"
    words = " (erased)" if change.erased else ""
    subject = f"{change.change} {path or 'a document'}{words}"
    trailer = f"Revision: {change.id}"
    if change.base is not None:
        trailer += f"\nBase: {change.base}"
    commit.message = f"{subject}\n\n{trailer}\n".encode()
    return commit


def _signature(change: Revision) -> bytes:
    """Who did it, as git writes it: a name, and an address that no mail reaches."""
    author = change.author
    if isinstance(author, Person):
        kind, name, whose = "person", author.name, author.name
    else:
        kind, name, whose = "agent", author.agent, author.id
    shown = "".join("_" if sign in "<>" else sign for sign in name)
    local = "".join(sign if sign.isalnum() or sign in "._-" else "_" for sign in whose)
    return f"{shown} <{local}@{kind}.invalid>".encode()


@define(eq=False)
class _Folder:
    """A folder of the newest commit: what is in it, by name; None where it changed."""

    id: bytes | None = None
    entries: dict[str, _Folder | bytes] = field(factory=dict)

    def put(self, segments: Sequence[str], blob: bytes | None) -> None:
        """Sets or removes a file below it; a folder that is left empty goes."""
        self.id = None
        name, *rest = segments
        if rest:
            folder = self.entries.setdefault(name, _Folder())
            if isinstance(folder, _Folder):
                folder.put(rest, blob)
                if not folder.entries:
                    del self.entries[name]
        elif blob is None:
            self.entries.pop(name, None)
        else:
            self.entries[name] = blob

    def written(self) -> Iterator[Any]:
        """The trees of what changed, the inner ones first; it has its id then."""
        from dulwich.objects import Tree  # noqa: PLC0415 - an extra

        if self.id is not None:
            return
        tree: Any = Tree()
        for name, entry in self.entries.items():
            if isinstance(entry, _Folder):
                yield from entry.written()
                tree.add(name.encode(), _FOLDER, entry.id)
            else:
                tree.add(name.encode(), _FILE, entry)
        self.id = tree.id
        yield tree
