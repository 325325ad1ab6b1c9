"""Files and memories on a stage."""

from __future__ import annotations

from typing import Any

from rooms.lobby import Revision
from rooms.lobby.memory import (
    AddEntry,
    ArchiveEntry,
    RefuseFragment,
    UpdateEntry,
    VerifyEntry,
)
from rooms.testing.stage.standing import Standing, nth

__all__ = ["Filing"]


class Filing(Standing):
    """The verbs of files and of what a room remembers."""

    __slots__ = ()

    def write_document(
        self,
        who: str,
        path: str,
        text: str,
        *,
        base: int | None = None,
        room: int = 0,
        request_id: str | None = None,
    ) -> Any:
        """Writes a document, from a revision that came up before or from none."""
        written = self.room(room).files.write(
            path,
            text,
            by=self.actor(who),
            base=self._revision(base),
            request_id=request_id,
        )
        return self._revised(written)

    def remove_document(self, who: str, path: str, *, base: int, room: int = 0) -> Any:
        """Removes a document."""
        files, named = self.room(room).files, self._revision(base) or "none"
        return self._revised(files.remove(path, by=self.actor(who), base=named))

    def documents(self, who: str, *, room: int = 0) -> Any:
        """Lists the documents."""
        return self.room(room).files.documents(by=self.actor(who))

    def history(
        self, who: str, *, path: str | None = None, limit: int = 30, room: int = 0
    ) -> Any:
        """Lists changes of documents."""
        return self.room(room).files.history(path, by=self.actor(who), limit=limit)

    def read_file(
        self, who: str, path: str, *, revision: int | None = None, room: int = 0
    ) -> Any:
        """Reads a file by its path."""
        files, named = self.room(room).files, self._revision(revision)
        return files.read(path, by=self.actor(who), revision=named)

    def download(
        self, who: str, path: str, *, message: int | None = None, room: int = 0
    ) -> Any:
        """Fetches all bytes of a file."""
        files, named = self.room(room).files, self.message(message)
        return b"".join(files.download(path, by=self.actor(who), message=named))

    def attachments(self, who: str, *, limit: int = 30, room: int = 0) -> Any:
        """Lists what messages carry."""
        return self.room(room).files.attachments(by=self.actor(who), limit=limit)

    def upload(self, who: str, content: bytes) -> Any:
        """Hands in a content for messages to come."""
        return self.lobby.contents.upload(content, by=self.actor(who))

    def contents(self) -> Any:
        """Lists what is kept of files, and counts it."""
        usage = self.lobby.contents.usage()
        listed = tuple(self.lobby.contents.listed())
        return usage.used_bytes, usage.uploads, listed

    def _revision(self, place: int | None) -> str | None:
        """The id of the revision at a place, or None where there is none."""
        if place is None or not self.revisions:
            return None
        return nth(self.revisions, place)

    def _revised(self, revision: Revision) -> Revision:
        if revision.id not in self.revisions:
            self.revisions.append(revision.id)
        return revision

    def appoint(self, who: str, agent: str | None, *, room: int = 0) -> Any:
        """Names the curator of a room's memory, or ends it."""
        return self.room(room).memory.appoint(agent, by=self.actor(who))

    def remember(
        self,
        who: str,
        text: str,
        *,
        kind: str = "fix",
        about: int | None = None,
        request_id: str | None = None,
        room: int = 0,
    ) -> Any:
        """Gives a room's curator something to remember."""
        kept = self.room(room).memory.remember(
            text,
            kind=kind,
            about=None if about is None else self._remembered(about),
            by=self.actor(who),
            request_id=request_id,
        )
        if kept.id not in self.remembered:
            self.remembered.append(kept.id)
        return kept

    def curate(
        self, who: str, operation: str, item: int, *, other: int = 0, room: int = 0
    ) -> Any:
        """Has a curator do one thing, from the memory as it stands."""
        memory, by = self.room(room).memory, self.actor(who)
        one, more = self._remembered(item), self._remembered(other)
        does: dict[str, Any] = {
            "add": AddEntry(
                kind="fix", title=f"item {item} → {other}", text="So.", sources=(one,)
            ),
            "update": UpdateEntry(entry=one, text="Or so.", resolves=bool(other % 2)),
            "verify": VerifyEntry(entry=one),
            "archive": ArchiveEntry(entry=one),
            "merge": ArchiveEntry(entry=one, into=more),
            "refuse": RefuseFragment(fragment=one, dispute=True, erase=other == 1),
        }
        done = memory.curate(
            [does[operation]], base=memory.status(by=by).revision, by=by
        )
        self.remembered += done.added
        return done

    def recall(self, who: str, query: str, *, room: int = 0) -> Any:
        """Recalls entries by words, with what the memory comes to."""
        memory, by = self.room(room).memory, self.actor(who)
        return memory.recall(query, by=by), memory.status(by=by), memory.brief(by=by)

    def forget(self, who: str, item: int, *, room: int = 0) -> Any:
        """Takes what is remembered away for good."""
        memory = self.room(room).memory
        return memory.erase(self._remembered(item), by=self.actor(who))

    def _remembered(self, item: int) -> str:
        """The id of a fragment or an entry, by its place."""
        known = self.remembered
        return known[item % len(known)] if known else "none"
