"""
A room's state: who is in it, how each listens, and what each is owed.

Three laws. It holds no text, and grows with seats and open obligations, never with
messages. It is changed by folding facts alone; every rule that decides only reads it.
And its indexes answer what a post asks (who follows, who hears untagged messages, who
has something to take) in the time of the answer.

Times are microseconds, UTC.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from operator import eq
from typing import Any

from attrs import define, field

from rooms.addressing import name_key
from rooms.hearing import Mode
from rooms.log.activities import Activity, Floor, Opener
from rooms.log.coming import Coming
from rooms.log.events import Fact
from rooms.log.owed import Entry, Lane, OpenWake
from rooms.log.remembered import MemoryState
from rooms.log.seat import Seat
from rooms.log.team_looks import look_at
from rooms.log.team_state import TeamState
from rooms.pacing import RateWindow, digest_tick, frees_at
from rooms.policy import RoomPolicy

__all__ = ["Entry", "Fold", "Lane", "Membership", "OpenWake", "RoomState", "Seat"]

_READY, _HELD, _DIGEST = Lane.READY, Lane.HELD, Lane.DIGEST
_DEFAULT = RoomPolicy()
_SLACK = 64  # an agenda this short is not worth tidying


@define(weakref_slot=False)
class Membership:
    """
    An agent in the room: its conversations here, present and past.

    That of an agent whose only conversation has a seat is the seat itself.
    """

    agent: str
    threaded: bool
    present: bool
    conversations: list[str]


@define(weakref_slot=False)
class RoomState:
    """
    A room, folded from its stream.

    `invited` are the keys of agents that may join, each with the version of the record
    that says so; `acted_for` the persons for whom seats in the room act, counted.
    `some_follow` are those who follow, in their order; None while all seats do, in the
    order of the seats. `spoken` has who said something here, in the order of their
    first message, with the numbers of that and of their last; failures are no speech.
    `expired` is the number up to which messages are gone, by age, and
    `expired_record` the record that brought the last of them.
    `shape` changes with every record that changes more than what is owed and whose turn
    it is.
    `pairs` has the instants at which two conversations woke each other.
    `coming` are the messages that wait for their time; None where none ever did.

    In a planned room, `activity` is what goes on and `floor` whose turn it is;
    `openers` wait for the end of the activity, and `ended` is why the last one did.
    """

    id: str = ""
    access: str = "open"
    hive: str = ""
    owner: str = ""
    policy: RoomPolicy = _DEFAULT
    version: int = 0
    at: int = 0
    seq: int = 0
    paused: bool = False
    released: int = 0
    deleted: bool = False
    archived: bool = False
    seats: dict[str, Seat] = field(factory=dict)
    members: dict[str, Membership | Seat] = field(factory=dict)
    invited: dict[str, int] = field(factory=dict)
    acted_for: dict[str, int] = field(factory=dict)
    some_follow: dict[str, None] | None = None
    hearing_all: dict[str, None] = field(factory=dict)
    takeable: dict[str, None] = field(factory=dict)
    documents: dict[str, int] = field(factory=dict)  # by key: the newest revision
    attached: int = 0  # how many files messages carried
    expired: int = 0
    expired_record: int = 0
    shape: int = field(default=0, eq=False)
    agenda: list[tuple[int, str]] = field(factory=list, eq=False)
    later: dict[str, Seat] | None = field(default=None, eq=False, repr=False)
    activity: Activity | None = None
    floor: Floor | None = None
    openers: list[Opener] = field(factory=list)
    ended: str = ""
    spoken: dict[str, tuple[int, int]] = field(factory=dict)
    memory: MemoryState | None = None
    team: TeamState | None = None
    pairs: dict[str, tuple[int, ...]] = field(factory=dict)
    coming: Coming | None = None

    # -- reading

    @property
    def following(self) -> Mapping[str, Any]:
        """The conversations that follow the room, in their order."""
        return self.seats if self.some_follow is None else self.some_follow

    def member(self, agent: str) -> Membership | Seat | None:
        """The membership of an agent, present or past, by its name in any case."""
        return self.members.get(name_key(agent))

    def roster(self) -> list[str]:
        """The agents that are members now, in the order of their joining."""
        return [one.agent for one in self.members.values() if one.present]

    def rostered(self) -> dict[str, str]:
        """Who takes turns in a planned room: each agent's first seat, by its name."""
        return dict(self._rostered())

    def is_rostered(self) -> bool:
        """Whether anybody takes turns in a planned room."""
        return next(self._rostered(), None) is not None

    def _rostered(self) -> Iterator[tuple[str, str]]:
        if not self.policy.gives_floor:
            return
        lead, seats = name_key(self.policy.lead), self.seats
        for key, member in self.members.items():
            if key == lead:
                continue
            for conversation in member.conversations if member.present else ():
                if seats[conversation].standing.place == "in":
                    yield member.agent, conversation
                    break

    def is_due(self, seat: Seat) -> bool:
        """Whether the seat has the floor, and nobody has taken it."""
        floor = self.floor
        return (
            floor is not None
            and floor.conversation == seat.conversation
            and not floor.wake
        )

    def on_hold(self, seat: Seat) -> bool:
        """Whether nothing is granted to the seat, nor taken for it (ledger 5)."""
        standing = seat.standing
        off = standing.resting or standing.held != ""
        team = self.team
        if team is not None and seat.conversation in team.waiting:
            return True
        return self.paused or off or standing.place != "in"

    def release_at(self, seat: Seat) -> int | None:
        """
        When the oldest held entry takes a place and brings the others (ledger 4).

        The window holds nothing that a person wrote: only a hold does, so once that is
        over, it takes along all that waits (ledger 3).
        """
        held = seat.oldest(Lane.HELD)
        if held is None or self.on_hold(seat):
            return None
        at = max(held.at, seat.released, self.released)
        if seat.persons_held or self.policy.wake_window is None:
            return at
        limit, period = window_of(self.policy.wake_window)
        return frees_at(limit, period, seat.charges, at)

    def digest_at(self, seat: Seat) -> int | None:
        """When the seat's next digest is due; None while one is ready (ledger 6)."""
        first = seat.oldest(Lane.DIGEST)
        if first is None or seat.digests_ready or self.on_hold(seat):
            return None
        due = digest_tick(seat.anchor, seat.interval, first.at)
        return max(due, seat.released, self.released)

    def push_at(self, seat: Seat) -> int | None:
        """When something of the seat's is pushed, or passes as pushed (ledger 17)."""
        account = seat.account
        pushing = account.pushing
        if pushing is None or self.policy.pushes is None or self.on_hold(seat):
            return None
        at = pushing.at(account.fresh)
        return None if at is None else max(at, seat.released, self.released)

    def deadline(self) -> int | None:
        """The earliest instant that the room waits for (ledger 18)."""
        agenda, activity = self.agenda, self.activity
        at = agenda[0][0] if agenda else None
        if activity is not None and self.floor is None:  # to be planned
            at = activity.since if at is None else min(at, activity.since)
        if self.coming is None and self.team is None:
            return at
        comes = None if self.coming is None else self.coming.deadline()
        if comes is not None and (at is None or comes < at):
            at = comes
        stops = None if self.team is None else look_at(self)
        return stops if at is None or (stops is not None and stops < at) else at

    def backlog_of(self, seat: Seat) -> int:
        """What a seat is owed, in bytes, with what waits for it (L-SEND-10)."""
        if self.coming is None:
            return seat.backlog
        return seat.backlog + self.coming.size_for(seat.conversation)

    def due(self, now: int) -> list[Seat]:
        """The seats that wait for an instant that has come, the earliest first."""
        found: dict[tuple[int, str], None] = {}
        places = [0]
        while places:
            place = places.pop()
            if place < len(self.agenda) and self.agenda[place][0] <= now:
                found[self.agenda[place]] = None
                places += (2 * place + 1, 2 * place + 2)  # a heap's children come later
        seats = ((at, self.seats[conversation]) for at, conversation in sorted(found))
        return [seat for at, seat in seats if seat.next == at]

    # -- changed by folding alone

    def count_person(self, seat: Seat, change: int = 1) -> None:
        """Notes that a seat in the room acts for a person, or does not any more."""
        person = seat.acts_for
        if person and seat.place == "in":
            left = self.acted_for.pop(person, 0) + change
            if left:
                self.acted_for[person] = left

    def enroll(self, agent: str, threaded: bool, seat: Seat, *, new: bool) -> None:
        """Notes that an agent is a member, by a seat that it has or that is new."""
        member = _of_its_own(self.member(agent)) or Membership(
            agent, threaded, True, []
        )
        member.present = True
        if new:
            member.conversations.append(seat.conversation)
        self.put_member(member)

    def dismiss(self, seat: Seat, place: str, *, ended: bool) -> None:
        """Notes that a seat was given up, and maybe its agent's membership with it."""
        member = _of_its_own(self.member(seat.agent))
        seat.place = place
        if member is not None:
            member.present = member.present and not ended
            self.put_member(member)

    def put_member(self, member: Membership) -> None:
        """Puts a membership in its place; where a seat says all of it, the seat."""
        key, told = name_key(member.agent), member.conversations
        seat = self.seats.get(told[0]) if len(told) == 1 else None
        alone = seat is not None and not seat.threaded and _of_its_own(seat) == member
        if seat is not None and alone:  # one text for its agent and the key
            self.members[seat.agent if seat.agent == key else key] = seat
        else:
            self.members[key] = member

    def index(self, seat: Seat) -> None:
        """Puts a seat where its mode and place belong."""
        name = seat.conversation
        here = seat.place == "in"
        self._keep_following(name, here and seat.mode not in {None, Mode.ON_DEMAND})
        untagged = seat.mode in {Mode.EVERY_MESSAGE, Mode.NEXT_TURN} or (
            seat.mode == Mode.DIGEST and not seat.tagged_only
        )
        _keep(self.hearing_all, name, here and untagged)

    def _keep_following(self, name: str, follows: object) -> None:
        some = self.some_follow
        if some is None:
            if not follows:
                self.some_follow = dict.fromkeys(self.seats)
                del self.some_follow[name]
        elif not follows:
            some.pop(name, None)
        elif name not in some:
            some[name] = None
            self.follow(some)

    def follow(self, some: dict[str, None]) -> None:
        """Lets these follow and nobody else, in this order."""
        every = len(some) == len(self.seats) and all(map(eq, some, self.seats))
        self.some_follow = None if every else some

    def schedule(self, seat: Seat) -> None:
        """Notes what a changed seat waits for, and whether it has something to take."""
        name, owed, floor = seat.conversation, seat.account.owed, self.floor
        takes = owed is not None and _READY in owed
        if floor is not None and not takes:
            takes = floor.conversation == name and not floor.wake
        if takes and seat.standing.place == "in":
            self.takeable[name] = None
        elif name in self.takeable:
            del self.takeable[name]
        self.wait(seat)

    def wait(self, seat: Seat) -> None:
        """Notes what instant a changed seat waits for, at once or when caught up."""
        if self.later is not None:
            self.later[seat.conversation] = seat
            return
        account = seat.account
        owed, wake = account.owed, account.wake
        at = None if wake is None else wake.until
        if account.pushing is not None or (
            owed is not None and (_HELD in owed or _DIGEST in owed)
        ):  # else it waits for the end of its claim alone
            at = self.next_of(seat)
        before = account.next
        if at == before:
            return
        account.next, agenda = at, self.agenda
        if at is not None:
            heappush(agenda, (at, seat.conversation))
        if before is not None:  # its old place is nobody's, and may be the head
            self._tidy()

    def caught_up(self) -> None:
        """
        Finds out what the seats that changed wait for, once for all that was folded
        since `later` was made.
        """
        changed, self.later = self.later or {}, None
        for seat in changed.values():
            self.wait(seat)

    def next_of(self, seat: Seat) -> int | None:
        """
        The next instant that a seat waits for: the end of its claim, a place or the end
        of a hold, a digest, a push; pushes of which nothing is owed are forgotten.
        """
        account = seat.account
        wake, pushing = account.wake, account.pushing
        instants = [self.release_at(seat), self.digest_at(seat)]
        if wake is not None:
            instants.append(wake.until)
        if pushing is not None:
            pushing.tidy()
            instants.append(self.push_at(seat))
        return min((one for one in instants if one is not None), default=None)

    def _tidy(self) -> None:
        """
        Keeps what nobody waits for any more off the agenda's head, and it from growing.
        """
        seats, agenda = self.seats, self.agenda
        if len(agenda) > _SLACK and len(agenda) > _SLACK + 4 * len(seats):
            self.agenda = agenda = [
                (then, name)
                for name, one in seats.items()
                if (then := one.account.next) is not None
            ]
            heapify(agenda)
        while agenda:
            at, name = agenda[0]
            if seats[name].account.next == at:
                break
            heappop(agenda)


Fold = Callable[[RoomState, Fact], None]
"""How a fact of one kind of event changes a room."""


def _of_its_own(member: Membership | Seat | None) -> Membership | None:
    """What a seat says of its agent's membership, as a value that can be changed."""
    if isinstance(member, Seat):
        conversations = list(member.conversations)
        return Membership(member.agent, member.threaded, member.present, conversations)
    return member


def window_of(window: RateWindow) -> tuple[int, int]:
    """A window's limit and period, in microseconds."""
    return window.limit, window.micros


def _keep(index: dict[str, None], name: str, present: object) -> None:
    if present:
        index[name] = None
    else:
        index.pop(name, None)
