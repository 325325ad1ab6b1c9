"""Several lobbies in one folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rooms import Credentials, Lobbies, NotAllowed, RoomsError


@pytest.fixture
def lobbies(tmp_path: Path) -> Lobbies:
    return Lobbies(tmp_path, reserved=("admin", "www"), most=3)


def code_of(call: Any, *given: Any, **named: Any) -> str:
    with pytest.raises(RoomsError) as refused:
        call(*given, **named)
    return refused.value.code


def ids(lobbies: Lobbies) -> list[str]:
    return [one.id for one in lobbies.listed()]


@pytest.mark.rule("L-SCOPE-02")
@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("a", True),
        ("a-b-1", True),
        ("a" * 48, True),
        ("a" * 49, False),
        ("a_b", False),
        ("a-", False),
        ("-a", False),
        ("1a", False),
        ("A", False),
        ("", False),
        ("../a", False),
        ("a\n", False),
        ("a.b", False),
        (None, False),
    ],
)
def test_an_id_is_a_label_of_a_hosts_name(
    lobbies: Lobbies, name: Any, fits: bool
) -> None:
    if fits:
        assert lobbies.create(name).id == name
        assert ids(lobbies) == [name]
    else:
        assert code_of(lobbies.create, name) == "invalid_request"
        assert ids(lobbies) == []


@pytest.mark.rule("L-SCOPE-03")
def test_reserved_ids_are_the_hosts_and_bind_lobbies_alone(lobbies: Lobbies) -> None:
    assert code_of(lobbies.create, "admin") == "invalid_request"
    lobbies.create("acme")
    with lobbies.open("acme") as lobby:
        assert lobby.add_agent("admin").id == "admin"


@pytest.mark.rule("L-SCOPE-04", "L-SCOPE-18")
def test_a_deleted_lobbys_id_is_never_given_again(
    lobbies: Lobbies, tmp_path: Path
) -> None:
    lobbies.create("acme", display_name="Acme")
    with lobbies.open("acme") as lobby:
        a = lobby.add_agent("a", role="words of acme").conversation()
        lobby.send("words of acme", by=a, to="a")
    assert code_of(lobbies.create, "acme") == "lobby_exists"
    assert code_of(lobbies.delete, "acme", confirm="ACME") == "confirmation_mismatch"
    assert ids(lobbies) == ["acme"]
    lobbies.delete("acme", confirm="acme")

    assert ids(lobbies) == []
    assert code_of(lobbies.open, "acme") == "lobby_not_found"
    assert code_of(lobbies.create, "acme") == "lobby_exists"
    assert code_of(lobbies.delete, "acme", confirm="acme") == "lobby_not_found"
    for path in tmp_path.iterdir():
        assert b"words of acme" not in path.read_bytes()
        assert b"Acme" not in path.read_bytes()


@pytest.mark.rule("L-SCOPE-18", "L-SCOPE-19")
def test_a_deletion_that_was_interrupted_is_one_all_the_same(
    lobbies: Lobbies, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lobbies.create("acme")
    lobbies.create("beta")
    with lobbies.open("acme") as lobby:
        token = Credentials(lobby).issue(lobby.add_agent("a"))

    def stopped(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Lobbies, "_wipe", stopped)
    with pytest.raises(KeyboardInterrupt):
        lobbies.delete("acme", confirm="acme")
    monkeypatch.undo()
    assert (tmp_path / "acme.db").exists()
    again = Lobbies(tmp_path)
    assert ids(again) == ["beta"]
    assert not (tmp_path / "acme.db").exists()
    with again.open() as beta, pytest.raises(NotAllowed) as refused:
        Credentials(beta).actor(token)
    assert refused.value.code == "unauthorized"


@pytest.mark.rule("L-SCOPE-05", "L-SCOPE-06", "L-SCOPE-07")
def test_none_is_there_at_first_and_the_only_one_needs_no_name(
    lobbies: Lobbies,
) -> None:
    assert ids(lobbies) == []
    assert code_of(lobbies.open) == "lobby_required"
    assert lobbies.create("acme").id == "acme"
    with lobbies.open() as lobby:
        lobby.add_agent("a")
    lobbies.create("beta")
    assert code_of(lobbies.open) == "lobby_required"
    assert code_of(lobbies.open, "ghost") == "lobby_not_found"


@pytest.mark.rule("L-SCOPE-16", "L-SCOPE-17")
def test_a_display_name_shows_until_it_is_cleared(lobbies: Lobbies) -> None:
    lobbies.create("acme", display_name="\u00c4cme & Sons")
    with lobbies.open() as lobby:
        lobby.add_agent("a")
        lobby.add_agent("b")

    [listed] = lobbies.listed()
    assert (listed.display_name, listed.agents) == ("\u00c4cme & Sons", 2)
    lobbies.rename("acme", "x" * 40)
    assert lobbies.listed()[0].display_name == "x" * 40
    for wrong in ("x" * 41, "a\nb", "a\0", "\ud800", 7):
        assert code_of(lobbies.rename, "acme", wrong) == "invalid_request"
    for none in (None, ""):
        lobbies.rename("acme", none)
        assert lobbies.listed()[0].display_name == "acme"


@pytest.mark.rule("L-SCOPE-20", "L-LIMIT-01")
def test_a_folder_holds_so_many(lobbies: Lobbies, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        lobbies.create(name)
    assert code_of(lobbies.create, "d") == "lobby_capacity"
    lobbies.delete("a", confirm="a")
    lobbies.create("d")
    assert ids(lobbies) == ["b", "c", "d"]
    assert Lobbies(tmp_path)._most == 100


def test_a_mark_that_was_torn_stands_for_its_lobby(
    lobbies: Lobbies, tmp_path: Path
) -> None:
    lobbies.create("acme", display_name="Acme")
    (tmp_path / "acme.lobby").write_text("{")

    assert [(one.id, one.display_name) for one in lobbies.listed()] == [
        ("acme", "acme")
    ]


@pytest.mark.rule("L-SEND-11")
def test_a_lobby_that_is_full_harms_no_other(lobbies: Lobbies) -> None:
    """Its storage's limit is its own; a retry of what was stored is answered still."""
    for name in ("acme", "beta"):
        lobbies.create(name)
    with lobbies.open("acme") as full, lobbies.open("beta") as other:
        a, b = (one.add_agent("a").conversation() for one in (full, other))
        sent = full.send("stored", by=a, to="a", request_id="k")
        storage: Any = full._desk.storage
        connection = storage._database.connection
        (now,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {now + 1:d}")

        def fill() -> None:
            for _ in range(50):
                full.send("x" * 60_000, by=a, to="a")

        assert [code_of(fill) for _ in range(3)] == ["storage_full"] * 3
        assert full.send("stored", by=a, to="a", request_id="k").duplicate
        assert sent.room.read(by=a).items[0].content == "stored"
        assert other.send("x", by=b, to="a").recipients == (b,)
