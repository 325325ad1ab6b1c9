"""A path or URL opens the storage that it names, and nothing is guessed."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from rooms import Lobby
from rooms.errors import InvalidInput, StorageError
from rooms.storage import MemoryStorage, SQLiteStorage, open_storage


def test_memory_is_a_new_storage_each_time() -> None:
    one, two = open_storage("memory:"), open_storage("MEMORY:")

    assert isinstance(one, MemoryStorage)
    assert one is not two


@pytest.mark.parametrize(
    ("where", "file"),
    [
        ("team.db", "team.db"),
        ("sqlite:///team.db", "team.db"),
        ("sqlite:///my%20team.db", "my team.db"),
        ("sqlite:///sub/../team.db?durability=relaxed&busy_timeout=5", "team.db"),
        ("sqlite:///team.db?durability=full", "team.db"),
        (Path("sqlite:x.db"), "sqlite:x.db"),
        (Path("team.db"), "team.db"),
    ],
)
def test_a_path_or_url_opens_its_file(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str | os.PathLike[str],
    file: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()

    storage = open_storage(where)
    storage.close()

    assert isinstance(storage, SQLiteStorage)
    assert {one.name for one in tmp_path.iterdir()} == {file, "sub"}


def test_four_slashes_are_an_absolute_path(tmp_path: Path) -> None:
    with closing(open_storage(f"sqlite:///{tmp_path}/abs.db")) as storage:
        assert isinstance(storage, SQLiteStorage)
        assert storage.path == tmp_path / "abs.db"


def test_a_plugins_scheme_is_handed_the_whole_url() -> None:
    seen = []

    def opened(url: str) -> MemoryStorage:
        seen.append(url)
        return MemoryStorage()

    open_storage("postgresql://host/lobby?x=1", schemes={"postgresql": opened})

    assert seen == ["postgresql://host/lobby?x=1"]


@pytest.mark.parametrize(
    ("where", "told"),
    [
        ("postgresql://host/db", "memory, sqlite"),
        ("memory:x", "memory:"),
        ("sqlite:team.db", "sqlite:///relative.db"),
        ("sqlite://team.db", "sqlite:///relative.db"),
        ("sqlite:///", "a path"),
        ("sqlite:///team.db?speed=fast", "durability, busy_timeout"),
        ("sqlite:///team.db?durability=off", "full, relaxed"),
        ("sqlite:///team.db?durability=", "full, relaxed"),
        ("sqlite:///team.db?durability", "cannot be read"),
        ("sqlite:///team.db?durability=full&durability=full", "twice"),
        ("sqlite:///team.db?busy_timeout=soon", "whole number"),
        ("sqlite:///team.db?busy_timeout=-1", "whole number"),
        ("sqlite:///team.db?busy_timeout=" + "9" * 5_000, "whole number"),
        ("sqlite:///team.db#part", "sqlite:///relative.db"),
        ("sqlite:///a%00b", "NUL"),
        (":memory:", "MemoryStorage"),
        ("", "MemoryStorage"),
        (None, "path"),
        (7, "path"),
    ],
)
def test_what_names_no_storage_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: Any, told: str
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(InvalidInput) as caught:
        open_storage(where)

    assert told in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_the_schemes_that_there_are_are_told() -> None:
    with pytest.raises(InvalidInput, match="memory, mine, sqlite"):
        open_storage("other:", schemes={"mine": lambda _: MemoryStorage()})


def test_a_path_with_options_is_no_file_of_that_name(tmp_path: Path) -> None:
    named = tmp_path / "team.db?durability=relaxed"

    with pytest.raises(InvalidInput, match=r"sqlite:///team\.db"):
        open_storage(str(named))
    assert not named.exists()
    open_storage(named).close()
    assert named.exists()


def test_a_folder_and_a_missing_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=f"{tmp_path.name}' is a folder"):
        open_storage(tmp_path)
    with pytest.raises(StorageError, match=r"there is no folder '.*nowhere'"):
        open_storage(tmp_path / "nowhere" / "team.db")


def test_a_lobby_takes_a_storage_and_names_what_takes_a_path() -> None:
    given: Any = "team.db"

    with pytest.raises(InvalidInput, match=r"Lobby\.open"):
        Lobby(given)


@pytest.mark.parametrize("given", [[object()], "all", 1])
def test_plugins_that_are_no_source_are_named_as_they_were_given(given: Any) -> None:
    with pytest.raises(InvalidInput, match=r"lobby\.register") as refused:
        Lobby.open("memory:", plugins=given)

    assert refused.value.field == "plugins"
