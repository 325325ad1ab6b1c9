"""The contract of storages, and a lobby that is opened by its URL."""

from rooms_kept import KeptStorage

from rooms import Lobby
from rooms.testing.conformance import StorageConformance


class TestKept(StorageConformance):
    persistent = False  # until yours keeps it
    shared = False

    def make_storage(self, folder):
        return KeptStorage(str(folder))


def test_a_lobby_is_opened_by_its_url():
    with Lobby.open("kept:team", plugins="entrypoints") as lobby:
        lobby.person("ana")
        assert list(lobby.export())
