"""
One side of the state machine: a stage on one storage, what its log adds up to, and
everything that has to hold after a step.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from log import invariants
from log.accounts import Accounts
from log.room import Room as Walked
from rooms.lobby import Lobby
from rooms.lobby.derived.deliveries import Deliveries
from rooms.lobby.recording.streams import Stream, Streams, empty_stream
from rooms.log import snapshots
from rooms.log.agents import AgentState
from rooms.log.events import Fact, decoded
from rooms.log.records import Record
from rooms.log.rooms import PolicyChanged
from rooms.log.state import RoomState
from rooms.log.verification import verify_stream
from rooms.storage import SQLiteStorage, Storage
from rooms.testing import CountingIds, CountingSalts, FakeClock, Stage

# Of the ledger's invariants, those that are asked of a state and its accounts alone.
OF_A_ROOM: tuple[Callable[[Any, Any, Any], None], ...] = (
    invariants.every_entry_is_owed_until_it_is_settled_or_ended,
    invariants.one_wake_is_open_at_most,
    invariants.one_floor_is_there_at_most_and_whoever_has_it_can_take_it,
    invariants.lanes_are_in_order_and_counted,
    invariants.no_message_of_a_person_is_held_by_the_window,
)


@define(eq=False)
class Known:
    """What was seen of a stream at the end of the step before."""

    version: int = 0
    state: bytes = b""
    accounts: Accounts = field(factory=Accounts)
    policy_changed: bool = False


@define(eq=False)
class Side:
    """A stage, its storage, and what was seen of its streams."""

    name: str
    folder: Path
    storage: Storage
    clock: FakeClock = field(factory=FakeClock)
    ids: CountingIds = field(factory=CountingIds)
    salts: CountingSalts = field(factory=CountingSalts)
    plugin: Any = None
    lobbies: list[Lobby] = field(factory=list)
    stage: Stage = field(init=False)
    position: int = 0
    images: int = 0
    known: dict[str, Known] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.stage = Stage(self.opened(), self.clock)

    def opened(self) -> Lobby:
        """Another handle of this storage."""
        lobby = Lobby(self.storage, clock=self.clock, ids=self.ids, salt=self.salts)
        if self.plugin is not None:
            lobby.register(self.plugin, "troubled")
        self.lobbies.append(lobby)
        return lobby

    def take_in(self, plugin: Any) -> None:
        """A plugin of every handle, from here on."""
        self.plugin = plugin
        for lobby in self.lobbies:
            lobby.register(plugin, "troubled")

    def hand_over(self, place: int) -> None:
        """Goes on with another handle of the same storage, which trusts what it has."""
        while len(self.lobbies) <= place:
            self.opened()
        self.stage.lobby = self.lobbies[place]

    def crash(self) -> None:
        """Nobody closes anything: all that is left is what the storage has."""
        if isinstance(self.storage, SQLiteStorage):
            self.images += 1
            image = self.folder / f"{self.images}.db"
            for part in ("", "-wal"):  # what a dead process leaves
                shutil.copyfile(f"{self.storage.path}{part}", f"{image}{part}")
            self.storage.close()
            self.storage = SQLiteStorage(image, durability="relaxed")
        self.lobbies = []
        self.stage.go_on_with(self.opened())

    def save_snapshots(self, *, torn: bool) -> None:
        """What a shell does now and then, and what a crash makes of it."""
        self.streams.save_snapshots(every=1)
        if torn:
            for stream in self.storage.streams():
                kept = self.storage.load_snapshot(stream)
                if kept is not None:
                    half = kept.state[: len(kept.state) // 2]
                    self.storage.save_snapshot(evolve(kept, state=half))

    @property
    def streams(self) -> Streams:
        """The states that the lobby in hand works with."""
        return self.stage.lobby._desk.streams

    # -- after every step

    def news(self) -> list[Record]:
        """What was recorded since the last look, in commit order."""
        records = self.storage.scan(after=self.position)
        self.position = self.storage.position()
        return records

    def check(self, news: list[Record]) -> None:
        """The four states of every stream are one, and the invariants hold."""
        touched = {record.stream for record in news}
        with self.stage.lobby._desk.lock:  # which proves every state current
            for name in self.storage.streams():
                self.check_stream(name, grew=name in touched)
        for name in self.known.keys() - set(self.storage.streams()):
            del self.known[name]

    def check_stream(self, name: str, *, grew: bool) -> None:
        live = self.streams.current(name)
        state = snapshots.encode(live.state)
        known = self.known.get(name) or self.known.setdefault(name, Known())
        if not grew:
            assert (live.version, state) == (known.version, known.state), name
            return
        records = list(all_of(self.storage, name))
        checked = verify_stream(records)
        assert checked.damages == ()
        assert checked.chain == live.chain
        for other in (folded(name, records), self.from_snapshot(name, records)):
            assert snapshots.encode(other.state) == state, name
            assert (other.version, other.at) == (live.version, live.at)
            assert other.deadline() == live.deadline()
        self.check_due(name, live.deadline())
        if isinstance(live.state, RoomState):
            self.check_room(live, known, records[known.version :])
        known.version, known.state = live.version, state

    def from_snapshot(self, name: str, records: list[Record]) -> Stream:
        """The stream from its snapshot, if there is a good one, and what followed."""
        kept = self.storage.load_snapshot(name)
        if kept is None or not kept.intact:
            return folded(name, records)
        state = snapshots.decode(kept.state, type(empty_stream(name).state))
        assert state is not None
        at = records[kept.version - 1].at
        loaded = Stream(name, state, kept.version, kept.chain, at)
        return folded(name, records[kept.version :], loaded)

    def check_inboxes(self) -> None:
        """What waits in an inbox is what its conversation is owed in all its rooms."""
        owed: dict[str, set[tuple[str, int]]] = {}
        talks: dict[str, Any] = {}
        with self.stage.lobby._desk.lock:
            for name in self.storage.streams():
                state = self.streams.current(name).state
                if isinstance(state, AgentState):
                    talks |= state.talks
                elif isinstance(state, RoomState):
                    for one, seat in state.seats.items():
                        waits = {(state.id, entry.seq) for entry in seat.entries()}
                        owed.setdefault(one, set()).update(waits)
        kept = Deliveries(self.storage)
        for one, talk in talks.items():
            unseen = kept.unseen(one, after=0, limit=10_000)
            assert {(each.room, each.seq) for each in unseen} == owed.get(one, set())
            assert kept.count_unseen(one) == len(unseen)
            assert kept.count_seen(one) == len(kept.seen(one, after=0, limit=10_000))
            numbers = [each.place for each in kept.seen(one, after=0, limit=10_000)]
            assert all(talk.covered < number <= talk.receipts for number in numbers)

    def check_due(self, name: str, deadline: int | None) -> None:
        """The stored instant is the state's deadline."""
        if deadline is None:
            assert name not in self.storage.due(2**62, limit=1_000)
        else:
            assert name in self.storage.due(deadline, limit=1_000)
            assert name not in self.storage.due(deadline - 1, limit=1_000)

    def check_room(self, live: Stream, known: Known, news: list[Record]) -> None:
        facts: list[Fact] = [decoded(record) for record in news]
        for fact in facts:
            known.accounts.book([fact.event], fact.at)
            known.policy_changed |= isinstance(fact.event, PolicyChanged)
        walk = invariants.Walk(Walked(state=live.state, now=live.at), known.accounts)
        for holds in OF_A_ROOM:
            holds(walk, [], walk)
        if not known.policy_changed:  # else windows of two sizes follow one another
            invariants.at_most_so_many_charges_in_any_window(walk, [], walk)


def all_of(storage: Storage, name: str) -> Iterator[Record]:
    after = 0
    while records := storage.read(name, after=after):
        yield from records
        after = records[-1].version


def folded(name: str, records: list[Record], onto: Stream | None = None) -> Stream:
    """A stream from its records, from zero unless there is one to go on with."""
    stream = onto or empty_stream(name)
    for record in records:
        stream.fold_read(decoded(record), record.chain)
    return stream
