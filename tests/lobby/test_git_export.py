"""A room's documents as a git repository, read back with git itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lobby.place import Clock
from lobby.test_documents import digest, refused
from rooms import Conflict, Conversation, InvalidInput, Lobby, NotFound, Room
from rooms.errors import CorruptLog, MissingExtra

ENVIRONMENT = {
    **os.environ,
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "LC_ALL": "C.UTF-8",
}


def git(path: Path, *arguments: str) -> str:
    """What git says of a repository."""
    if shutil.which("git") is None:
        if os.environ.get("CI"):
            pytest.fail("git is not installed")
        pytest.skip("git is not installed")
    done = subprocess.run(
        ["git", "-c", "core.quotePath=false", "-C", str(path), *arguments],
        capture_output=True,
        check=False,
        env=ENVIRONMENT,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


def files_at(path: Path, commit: str) -> dict[str, str]:
    """What every file says at a commit."""
    names = git(path, "ls-tree", "-r", "--name-only", "-z", commit).split("\0")[:-1]
    return {name: git(path, "show", f"{commit}:{name}") for name in names}


@pytest.fixture
def written(hall: Room, eve: Conversation, ben: Conversation, clock: Clock) -> Room:
    """A room in which documents were made, changed, removed and made again."""
    files = hall.files
    plan = files.write("plan.md", "One.\n", by=eve)
    clock.advance(60)
    files.write("notes/2026/会議.txt", "Two.\r\n", by=ben)
    plan = files.write("plan.md", "One. More.\n", by=ben, base=plan.id)
    hall.post("a message between", by=ben)
    clock.advance(3_600)
    files.write("notes/a.md", "", by=eve)
    plan = files.remove("plan.md", by=eve, base=plan.id)
    other = files.write("notes/a b.md", "x", by=ben)
    files.write("plan.md", "Anew.", by=ben)
    files.remove("notes/a b.md", by=ben, base=other.id)
    return hall


@pytest.mark.rule("G-DOC-04")
def test_git_log_agrees_with_the_history(
    written: Room, eve: Conversation, tmp_path: Path
) -> None:
    head = written.export_git(tmp_path / "out.git")

    history = list(written.files.history(by=eve))
    logged = git(
        tmp_path / "out.git",
        "log",
        "--format=%H|%an|%at|%ct|%s|%(trailers:key=Revision,valueonly,separator=%x2C)",
    )
    told = [line.split("|") for line in logged.splitlines()]
    assert [one[5] for one in told] == [change.id for change in history]
    assert [one[1] for one in told] == [change.author.agent for change in history]  # type: ignore[union-attr]
    assert [int(one[2]) for one in told] == [int(c.at.timestamp()) for c in history]
    assert [int(one[3]) for one in told] == [int(c.at.timestamp()) for c in history]
    assert [one[4] for one in told] == [f"{c.change} {c.path}" for c in history]
    assert told[0][0] == head
    assert git(tmp_path / "out.git", "fsck", "--strict") == ""


@pytest.mark.rule("G-DOC-04")
def test_git_show_agrees_with_each_revision(
    written: Room, eve: Conversation, tmp_path: Path
) -> None:
    written.export_git(tmp_path / "out.git")

    commits = git(tmp_path / "out.git", "rev-list", "--reverse", "main").split()
    expected: dict[str, str] = {}
    history = list(written.files.history(by=eve))[::-1]
    assert len(commits) == len(history) == 8
    for commit, change in zip(commits, history, strict=True):
        if change.change == "removed":
            del expected[change.path]
        else:
            read = written.files.read(change.path, by=eve, revision=change.id)
            expected[change.path] = str(read.content)
        assert files_at(tmp_path / "out.git", commit) == expected
    assert expected == {
        "notes/2026/会議.txt": "Two.\r\n",
        "notes/a.md": "",
        "plan.md": "Anew.",
    }
    one_file = git(tmp_path / "out.git", "log", "--format=%s", "--", "plan.md")
    assert one_file.splitlines() == [
        f"{one.change} plan.md" for one in written.files.history("plan.md", by=eve)
    ]
    git(tmp_path, "clone", "-q", "out.git", "copy")
    assert (tmp_path / "copy" / "plan.md").read_text() == "Anew."


def test_a_folder_goes_with_its_last_file(
    hall: Room, eve: Conversation, tmp_path: Path
) -> None:
    kept = hall.files.write("a/x.md", "x", by=eve)
    deep = hall.files.write("a/b/c/y.md", "y", by=eve)
    hall.files.remove("a/b/c/y.md", by=eve, base=deep.id)
    hall.files.remove("a/x.md", by=eve, base=kept.id)

    hall.export_git(tmp_path / "out.git")

    trees = git(tmp_path / "out.git", "log", "--format=%T").split()
    assert git(
        tmp_path / "out.git", "ls-tree", "-t", "-r", "--name-only", "main~1"
    ) == ("a\na/x.md\n")
    assert trees[0] == "4b825dc642cb6eb9a060e54bf8d69288fbee4904"  # git's empty tree


def test_an_export_goes_on_with_an_earlier_one(
    written: Room, eve: Conversation, tmp_path: Path
) -> None:
    first = written.export_git(tmp_path / "out.git")
    assert written.export_git(tmp_path / "out.git") == first
    written.files.write("more.md", "more", by=eve)

    second = written.export_git(tmp_path / "out.git")
    anew = written.export_git(str(tmp_path / "deep" / "er" / "other.git"))

    assert second == anew
    log = git(tmp_path / "out.git", "log", "--format=%H").split()
    assert (log[0], log[1], len(log)) == (second, first, 9)
    assert git(tmp_path / "out.git", "fsck", "--strict") == ""


def test_a_room_without_documents_is_an_empty_repository(
    hall: Room, eve: Conversation, tmp_path: Path
) -> None:
    (tmp_path / "out.git").mkdir()

    assert hall.export_git(tmp_path / "out.git") is None
    assert git(tmp_path / "out.git", "for-each-ref") == ""
    hall.files.write("a.md", "a", by=eve)
    head = hall.export_git(tmp_path / "out.git")
    assert git(tmp_path / "out.git", "rev-parse", "HEAD").strip() == head


def test_names_that_git_reads_otherwise_are_written_so_that_it_does_not(
    lobby: Lobby, ben: Conversation, tmp_path: Path
) -> None:
    room = lobby.create_room("r", by=ben)
    room.files.write("a.md", "a", by=lobby.person("A <b> c\N{SNOWMAN}"))

    room.export_git(tmp_path / "out.git")

    told = git(tmp_path / "out.git", "log", "--format=%an <%ae>")
    assert told == "A _b_ c\N{SNOWMAN} <A__b__c_@person.invalid>\n"
    assert git(tmp_path / "out.git", "fsck", "--strict") == ""


def test_what_is_no_export_of_the_room_is_left_as_it_is(
    written: Room, lobby: Lobby, ben: Conversation, tmp_path: Path
) -> None:
    other = lobby.create_room("other", by=ben)
    other.files.write("a.md", "a", by=ben)
    head = other.export_git(tmp_path / "other.git")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    git(tmp_path, "init", "-q", "-b", "trunk", "theirs")
    (tmp_path / "theirs" / "a").write_text("mine")
    git(tmp_path / "theirs", "add", "a")
    git(
        tmp_path / "theirs",
        *("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "mine"),
    )

    for name in ("other.git", "full", "theirs", "file"):
        error = refused(Conflict, lambda one=name: written.export_git(tmp_path / one))
        assert error.code == "not_empty"
    assert git(tmp_path / "other.git", "rev-parse", "HEAD").strip() == head
    assert (tmp_path / "file").read_text() == "mine"
    assert (tmp_path / "full" / "mine.txt").read_text() == "mine"
    assert not any(one.name.startswith(".") for one in tmp_path.iterdir())


def test_an_export_that_fails_leaves_nothing(
    written: Room, lobby: Lobby, eve: Conversation, tmp_path: Path
) -> None:
    out = tmp_path / "out.git"
    head = written.export_git(out)
    written.files.write("lost.md", "lost", by=eve)
    written.files.write("after.md", "after", by=eve)
    lobby._desk.storage.remove_blob(digest("lost"))

    refused(CorruptLog, lambda: written.export_git(out))
    refused(CorruptLog, lambda: written.export_git(tmp_path / "new.git"))

    assert git(out, "rev-parse", "main").strip() == head
    assert not any("new.git" in one.name for one in tmp_path.iterdir())


def test_an_erased_change_is_a_commit_without_its_words(
    hall: Room, lobby: Lobby, eve: Conversation, tmp_path: Path
) -> None:
    first = hall.files.write("plan.md", "canary", by=eve)
    hall.files.write("plan.md", "kept", by=eve, base=first.id)
    version = int(first.id.rpartition(".")[2])
    lobby._desk.storage.erase(f"room:{hall.id}", [version])

    hall.export_git(tmp_path / "out.git")

    subjects = git(tmp_path / "out.git", "log", "--format=%s").splitlines()
    assert subjects == ["changed plan.md", "created a document (erased)"]
    assert files_at(tmp_path / "out.git", "main~1") == {}
    assert files_at(tmp_path / "out.git", "main") == {"plan.md": "kept"}


def test_a_history_of_many_bytes_is_written_in_parts(
    lobby: Lobby, ben: Conversation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rooms.lobby.files.git_export._ENOUGH_BYTES", 10_000)
    room = lobby.create_room("r", by=ben)
    for number in range(30):
        room.files.write(f"{number}.md", f"{number}" * 1_000, by=ben)

    room.export_git(tmp_path / "out.git")

    assert len(git(tmp_path / "out.git", "rev-list", "main").split()) == 30
    assert git(tmp_path / "out.git", "fsck", "--strict") == ""


@pytest.mark.parametrize("path", [None, 7, b"bytes\0", "", "nul\0", "half \ud800"])
def test_what_is_no_place_is_refused(written: Room, path: Any) -> None:
    assert refused(InvalidInput, lambda: written.export_git(path)).details["field"] == (
        "path"
    )


def test_a_deleted_room_is_not_exported(
    lobby: Lobby, ben: Conversation, tmp_path: Path
) -> None:
    room = lobby.create_room("r", by=ben)
    room.files.write("a.md", "a", by=ben)
    room.delete(by=lobby.person("ben"))

    error = refused(NotFound, lambda: room.export_git(tmp_path / "out.git"))

    assert error.code == "room_not_found"
    assert not (tmp_path / "out.git").exists()


def test_without_the_package_the_extra_is_named(
    written: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [one for one in sys.modules if one.partition(".")[0] == "dulwich"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "dulwich", None)

    error = refused(MissingExtra, lambda: written.export_git(tmp_path / "out.git"))

    assert isinstance(error, MissingExtra)
    assert (error.code, error.extra) == ("missing_extra", "git")
    assert not (tmp_path / "out.git").exists()
