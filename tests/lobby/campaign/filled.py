"""
A process with a small file system of its own, which somebody else fills up.

    unshare --mount python filled.py FOLDER ROUNDS

It mounts the file system on the folder. In each round it works on a file there, with so
many pages of the disk left as the number of the round, from 0; then with none, and then
with space again. It prints a line a round: how many posts were acknowledged; or one
line with -1 where it may not mount anything.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from lobby.campaign.oracle import drained, owed_by_the_log
from lobby.campaign.scene import Scene
from rooms import Lobby, SQLiteStorage
from rooms.errors import StorageFull

SIZE = 1 << 20
PAGE = 4_096  # bytes, the least that a file takes
TEXT = "words of somebody " * 100
REFUSALS = 5  # in a row, as SQLite finds room for a small one after a large one
LATER = timedelta(days=1)  # when every claim and every window has run out


def is_mounted(folder: Path) -> bool:
    """Puts the small file system on a folder, where this process may do so."""
    options = ["-t", "tmpfs", "-o", f"size={SIZE}", "rooms", str(folder)]
    return not subprocess.run(["mount", *options], check=False).returncode


def fill(ballast: Path, left: int = 0) -> None:
    """Takes all space of the file system but so many pages."""
    with ballast.open("ab", buffering=0) as file:
        try:
            while file.write(bytes(PAGE)) == PAGE:
                pass
        except OSError:
            file.truncate((file.tell() // PAGE - left) * PAGE)


def refusal(call: Callable[[], object]) -> StorageFull | None:
    """What a call says of a full disk; None where it found room."""
    try:
        call()
    except StorageFull as error:
        full = error
    else:
        return None
    assert full.code == "storage_full"
    return full


class Work:
    """A file on the small file system, and who works with it."""

    def __init__(self, path: Path, *, is_copied_often: bool) -> None:
        self.path = path
        storage = SQLiteStorage(path)
        self.scene = Scene(storage)
        if is_copied_often:  # from the log into the file, in all commits, not in few
            connection = storage._database.connection
            assert connection is not None
            connection.execute("PRAGMA wal_autocheckpoint = 1")
        self.said = self.read(self.scene.lobby)

    @staticmethod
    def read(lobby: Lobby) -> list[tuple[int, str]]:
        """All that was said, which is proven, and without a gap."""
        assert not any(one.damages for one in lobby.verify().values())
        page = lobby.room("work").read(by=lobby.person("ana"), limit=1_000)
        assert [one.seq for one in page] == list(range(1, page.position + 1))
        return [(one.seq, one.content) for one in page]

    def post(self) -> None:
        text = f"{len(self.said)} {TEXT}"
        posted = self.scene.room.post(text, by=self.scene.ana)
        self.said.append((posted.message.seq, text))

    def is_refused(self, call: Callable[[], object]) -> bool:
        """Whether a call is refused by a full disk: then it has done nothing."""
        before = self.scene.everything()
        error = refusal(call)
        if error is None:
            return False
        assert not error.recorded
        assert self.scene.everything() == before, "half a call is stored"
        return True

    def go_on_full(self) -> None:
        """Posts until it is refused for good, and tries all else that writes."""
        refusals = 0
        while refusals < REFUSALS:
            refusals += self.is_refused(self.post)
        scene = self.scene
        for call in (
            partial(scene.room.join, by=scene.bo),
            partial(scene.lobby.create_room, "more", by=scene.ana),
            scene.lobby.take_wakes,
            partial(scene.lobby.add_agent, "more"),
            partial(scene.lobby.contents.upload, TEXT.encode() * 20, by=scene.ana),
            scene.lobby.deliver,
        ):
            self.is_refused(call)
        assert self.read(scene.lobby) == self.said
        with Lobby.open(self.path) as other:  # beside this handle, as another process
            assert self.read(other) == self.said

    def reopen_full(self, ballast: Path) -> None:
        """
        Nobody has it open any more, and somebody else takes what that gave back. SQLite
        leaves its files beside one that has no place for the last pages of a log, so
        all can be read.
        """
        self.scene.lobby.close()
        fill(ballast)
        self.open()
        assert self.read(self.scene.lobby) == self.said

    def refuse_to_open(self, ballast: Path) -> None:
        """Where the files beside it are gone, there is no room to make them."""
        said = self.read(self.scene.lobby)
        self.scene.lobby.close()
        fill(ballast)
        assert refusal(self.open) is not None
        ballast.unlink()
        self.open()
        assert self.read(self.scene.lobby) == said

    def open(self) -> None:
        """As another process, where nobody has it open."""
        self.scene.storage = SQLiteStorage(self.path)
        self.scene.lobby = self.scene.opened()

    def go_on(self) -> None:
        """There is room again: all that was said is there, and is owed, and more."""
        scene, lobby = self.scene, self.scene.lobby
        lobby.room("work").post("goes on", by=lobby.person("ana"))
        later = scene.clock.now + LATER
        lobby.deliver(later)
        said = self.read(lobby)
        assert said[:-2] == self.said
        assert [text for _, text in said[-2:]] == ["goes on", "soon"]
        owed = owed_by_the_log(scene.storage)
        assert owed[scene.eve.id] == {seq for seq, _ in said}
        taken = drained(lobby, later)
        assert {one: sorted(seqs) for one, seqs in owed.items() if seqs} == {
            one: sorted(seqs) for one, seqs in taken.items()
        }


def lived(folder: Path, left: int) -> int:
    """One file, through a full disk and out of it; how many posts it took meanwhile."""
    ballast = folder / "ballast"
    work = Work(folder / "team.db", is_copied_often=left % 4 > 1)
    before = len(work.said)
    fill(ballast, left)
    work.go_on_full()
    if left % 2:
        work.reopen_full(ballast)
    ballast.unlink()
    work.go_on()
    work.refuse_to_open(ballast)
    work.scene.lobby.close()
    for one in folder.iterdir():
        one.unlink()
    return len(work.said) - before


def main() -> None:
    """Fills the disk once a round."""
    folder, rounds = Path(sys.argv[1]), int(sys.argv[2])
    if not is_mounted(folder):
        sys.stdout.write("-1\n")
        return
    for left in range(rounds):
        sys.stdout.write(f"{lived(folder, left)}\n")


if __name__ == "__main__":
    main()
