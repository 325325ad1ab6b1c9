"""
Routes: a message that takes a known way leaves just what it leaves by the whole way.

Two lobbies play the same programs with the same clock, ids and salts; in one of them
no route is ever taken. Whatever either answers, refuses or records is the same, byte
for byte.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from effort import sized
from rooms import (
    Conversation,
    InvalidInput,
    Lobby,
    MemoryStorage,
    NotAllowed,
    NotFound,
    OverLimit,
    Room,
    RoomPolicy,
)
from rooms.lobby.posting import routed, saying
from rooms.pacing import RateWindow
from rooms.presets import broker, hall, panel
from rooms.testing import Command, CountingIds, CountingSalts, FakeClock, Stage

PROGRAMS = sized(6, 25, 2_000)
ROUNDS = 25

SEATS = ("ben", "cy", "Eve#0", "Eve#1")
SENDERS = (*SEATS, "ben", "cy", "person:ana", "person:ana", "turn#0", "claim#0")
AUDIENCES: tuple[tuple[str, ...], ...] = (
    *((), ("agent:ben",), ("agent:cy",), ("agent:ben", "agent:cy")),
    *(("room", "agent:Eve/work"), ("agent:Eve/work",), ("agent:Eve/home",)),
    *((), ("agent:ben",), ("agent:cy",), ("agent:ben", "agent:Eve/work")),
    *(("all",), ("agent:Eve/all",), ("agent:dan",), ("agent:Eve/new",)),
)
SHORT = timedelta(minutes=1)
POLICIES = (
    RoomPolicy(),
    RoomPolicy(wake_window=None, send_window=None, max_hops=1),
    RoomPolicy(send_window=RateWindow(5, SHORT), wake_window=RateWindow(2, SHORT)),
    RoomPolicy(wake_window=None, mentions="anywhere", mentions_from="any"),
    RoomPolicy(max_unread=3, max_message_chars=40, oversize="truncate"),
    RoomPolicy(max_unread=2, backlog_full="skip", people="watch"),
    RoomPolicy(pair_window=RateWindow(1, SHORT), audience="named"),
    RoomPolicy(broadcast_wake="never", max_message_chars=40, bare_word="person"),
    RoomPolicy(self_address="allow", sessions="exclusive", wake_window=None),
    RoomPolicy(backlog=200, wake_window=None),
    *(hall(), broker(), panel()),
)
TEXTS = (*["on it"] * 12, "¿qué?", "@ben, look", " ", "long " * 20, "x" * 70_000)


MORE: tuple[dict[str, Any], ...] = (
    *({}, {}, {}, {}),
    *({"request_id": "r-1"}, {"request_id": "r-2", "kind": "question"}),
    *({"kind": "report"}, {"urgency": "now"}, {"urgency": "quiet"}),
)
MENDED = (
    Command("change_agent", {"name": "cy", "enabled": True}),
    Command("change_agent", {"name": "ben", "allowed_recipients": "all"}),
    Command("unpause", {"who": "person:ana"}),
    *(Command("join", {"who": one}) for one in SEATS),
    Command("open_own_turn", {"who": "cy"}),
)


def begun(
    policy: RoomPolicy, *, access: str | None = None, seats: Iterable[str] = SEATS
) -> Iterator[Command]:
    """A room under a policy, and who sits in it."""
    yield Command("add_agent", {"name": "ben", "threaded": False})
    yield Command("add_agent", {"name": "cy", "threaded": False})
    yield Command("add_agent", {"name": "Eve", "threaded": True})
    for label in ("work", None):
        yield Command("start", {"agent": "Eve", "thread": f"t-{label}", "label": label})
    invited = ("ben", "cy", "Eve") if access else ()
    made = {"name": "r", "by": "person:ana", "access": access, "invite": invited}
    yield Command("create_room", made)
    for seat in seats:
        yield Command("join", {"who": seat})
    yield Command("change_policy", {"who": "person:ana", "policy": policy})


def program(draw: random.Random) -> Iterator[Command]:
    """
    The commands of a program: again and again something happens, and then a message
    goes the same way as often as it takes to know that, and once more.
    """
    access = draw.choice([None, None, None, "invite_only"])
    seats = draw.choice([SEATS, SEATS[1:], SEATS[:3]])
    policy = draw.choice((*POLICIES[:4], *POLICIES[:4], *POLICIES))
    yield from begun(policy, access=access, seats=seats)
    if draw.random() < 0.3:
        yield Command("claim", {"who": draw.choice(SEATS)})
    for _ in range(ROUNDS):
        if draw.random() < 0.6:
            yield from MENDED
        way: dict[str, Any] = {
            "by": draw.choice(SENDERS),
            "to": draw.choice(AUDIENCES),
            "confirm": draw.random() < 0.1,
        }
        for _ in range(3):
            yield Command("post", {"text": "on it", **way})
        for _ in range(draw.choice([0, 1, 1, 2])):
            yield disturbance(draw)
            for _ in range(draw.choice([1, 2, 3])):
                more = draw.choice(MORE)
                yield Command("post", {"text": draw.choice(TEXTS), **way, **more})
        yield Command("advance", {"by": draw.choice([SHORT, 20 * SHORT, timedelta(0)])})
        yield Command("take", {"minutes": 1})


def disturbance(draw: random.Random) -> Command:
    """Something that may change what becomes of the next message."""
    who, modes = draw.choice(SEATS), ("every_message", "when_tagged", "on_demand")
    flag = draw.choice([True, False])
    every: list[tuple[str, dict[str, Any]]] = [
        ("advance", {"by": timedelta(seconds=draw.choice([1, 20, 61]))}),
        ("advance", {"by": timedelta(seconds=draw.choice([1, 20, 61]))}),
        ("take", {"minutes": draw.choice([1, 15])}),
        ("open_own_turn", {"who": who}),
        ("open_turn", {"wake": draw.randrange(3)}),
        ("end_turn", {"turn": 0, "failed": flag}),
        ("claim", {"who": who}),
        ("read", {"who": who}),
        ("acknowledge", {"who": who, "message": draw.randrange(9)}),
        ("subscribe", {"who": who, "mode": draw.choice(modes)}),
        ("leave", {"who": who}),
        *[("join", {"who": one}) for one in SEATS],
        ("rest", {"who": who}),
        ("resume", {"who": who}),
        ("pause", {"who": "person:ana"}),
        ("unpause", {"who": "person:ana"}),
        ("change_agent", {"name": "cy", "enabled": flag}),
        ("change_agent", {"name": "ben", "allowed_recipients": "all" if flag else []}),
        ("rename", {"who": "Eve#0", "label": draw.choice(["work", "gone"])}),
        ("change_policy", {"who": "person:ana", "policy": draw.choice(POLICIES)}),
        ("add_agent", {"name": "dan", "threaded": False}),
        ("deliver", {}),
    ]
    return Command(*draw.choice(every))


def posts(by: str, *to: str, times: int = 4, **more: Any) -> list[Command]:
    """The same way so often that it is known."""
    return [Command("post", {"text": "on it", "by": by, "to": to, **more})] * times


STORIES: dict[str, tuple[RoomPolicy, list[Command]]] = {
    "what is held goes first": (
        RoomPolicy(wake_window=RateWindow(1, SHORT)),
        [
            *posts("ben", "agent:cy"),
            Command("advance", {"by": SHORT}),
            *posts("ben", "agent:cy", times=1),
        ],
    ),
    "a person is never held, and takes along what is": (
        RoomPolicy(wake_window=RateWindow(1, SHORT)),
        [
            *posts("person:ana", "agent:cy", times=2),
            *posts("ben", "agent:cy", times=2),
            *posts("person:ana", "agent:cy", times=1),
        ],
    ),
    "a person is never held by a window that is full": (
        RoomPolicy(wake_window=RateWindow(1, SHORT)),
        [
            *posts("person:ana", "agent:cy", times=3),
            *posts("ben", "agent:cy", times=1),
            *posts("person:ana", "agent:cy", times=1),
        ],
    ),
    "who rests is not woken": (
        RoomPolicy(),
        [
            *posts("ben", "agent:cy"),
            Command("rest", {"who": "cy"}),
            *posts("ben", "agent:cy"),
            Command("read", {"who": "cy"}),
            *posts("ben", "agent:cy", times=1),
        ],
    ),
    "a name in a text calls": (
        RoomPolicy(mentions="anywhere", mentions_from="any"),
        [
            Command("post", {"text": "@cy?", "by": "ben"}),
            Command("post", {"text": "@cy?", "by": "ben"}),
            *posts("ben"),
            Command("post", {"text": "@cy?", "by": "ben"}),
        ],
    ),
    "a text is cut": (
        RoomPolicy(max_message_chars=3, oversize="truncate"),
        posts("ben", "agent:cy"),
    ),
    "a text is cut, and the next one is not, and is cut elsewhere": (
        RoomPolicy(max_message_chars=6, oversize="truncate"),
        [
            *posts("ben", "agent:cy"),
            Command("post", {"text": "too long", "by": "ben", "to": ("agent:cy",)}),
            Command("post", {"text": "far too long", "by": "ben", "to": ("agent:cy",)}),
            *posts("ben", "agent:cy", times=1),
        ],
    ),
    "an answer is further from a person than what was said before": (
        RoomPolicy(),
        [
            *posts("cy", "agent:ben"),
            *posts("ben", "agent:cy", times=1),
            Command("take", {}),
            Command("open_turn", {"wake": 0}),
            Command("open_turn", {"wake": 1}),
            *posts("cy", "agent:ben", times=2),
        ],
    ),
    "a turn names its wake, and who speaks of itself none": (
        RoomPolicy(),
        [
            *posts("person:ana", "agent:cy", times=1),
            Command("take", {}),
            Command("open_turn", {"wake": 0}),
            *posts("cy", "agent:ben", times=3),
            *posts("turn#0", "agent:ben", times=1),
            *posts("cy", "agent:ben", times=1),
        ],
    ),
    "a pair is damped": (
        RoomPolicy(pair_window=RateWindow(1, SHORT), wake_window=None),
        [
            *posts("ben", "agent:cy", times=2),
            Command("advance", {"by": SHORT}),
            Command("read", {"who": "cy"}),
            *posts("ben", "agent:cy", times=1),
            Command("read", {"who": "cy"}),
            *posts("ben", "agent:cy", times=1),
        ],
    ),
    "who is far from a person wakes nobody": (
        RoomPolicy(max_hops=1),
        [
            *posts("person:ana", "agent:cy", times=1),
            Command("take", {}),
            *posts("cy", "agent:ben"),
        ],
    ),
    "turns come from the floor": (
        panel(),
        [*posts("ben", "agent:cy"), *posts("person:ana"), *posts("ben", "agent:cy")],
    ),
    "an activity outlives its policy": (
        panel(),
        [
            *posts("person:ana", times=1),
            Command("change_policy", {"who": "person:ana", "policy": RoomPolicy()}),
            *posts("ben", "agent:cy"),
            *posts("person:ana", "agent:cy"),
        ],
    ),
    "nobody is woken as one of all": (
        RoomPolicy(broadcast_wake="never"),
        [Command("leave", {"who": "Eve#1"}), *posts("ben", "all")],
    ),
    "a note to oneself expects nothing": (
        RoomPolicy(self_address="allow"),
        posts("ben", "agent:ben", kind="question"),
    ),
    "a turn says so, until it is over": (
        RoomPolicy(),
        [
            *posts("person:ana", "agent:cy", times=1),
            Command("take", {}),
            Command("open_turn", {"wake": 0}),
            *posts("turn#0", "agent:ben"),
            Command("end_turn", {"turn": 0}),
            *posts("turn#0", "agent:ben", times=1),
        ],
    ),
    "a claim is overtaken": (
        RoomPolicy(),
        [
            Command("claim", {"who": "ben"}),
            *posts("claim#0", "agent:cy"),
            Command("claim", {"who": "ben"}),
            *posts("claim#0", "agent:cy", times=1),
        ],
    ),
    "only who holds the claim speaks": (
        RoomPolicy(sessions="exclusive"),
        [
            *posts("ben", "agent:cy"),
            Command("claim", {"who": "ben"}),
            *posts("ben", "agent:cy", times=1),
        ],
    ),
    "a first post names its conversation": (
        RoomPolicy(),
        [
            Command("start", {"agent": "Eve"}),
            Command("join", {"who": "Eve#2"}),
            *posts("Eve#2", "agent:cy"),
        ],
    ),
    "a label is somebody else's": (
        RoomPolicy(),
        [
            *posts("ben", "agent:Eve/work", times=3),
            Command("rename", {"who": "Eve#0", "label": "play"}),
            Command("rename", {"who": "Eve#1", "label": "work"}),
            *posts("ben", "agent:Eve/work", times=1),
        ],
    ),
    "whom one may write to": (
        RoomPolicy(),
        [
            *posts("ben", "agent:cy", times=3),
            Command("change_agent", {"name": "ben", "allowed_recipients": []}),
            *posts("ben", "agent:cy", times=1),
        ],
    ),
    "who is told, follows": (
        RoomPolicy(),
        [
            Command("subscribe", {"who": "ben", "mode": "on_demand"}),
            *posts("ben", "agent:cy", times=3),
            Command("subscribe", {"who": "ben", "mode": "on_demand"}),
            *posts("ben", "agent:cy", times=2),
        ],
    ),
    "a request is answered again, and only as it was asked": (
        RoomPolicy(),
        [
            *posts("ben", "agent:cy", times=3),
            *posts("ben", "agent:cy", times=2, request_id="r-1", kind="question"),
            *posts("ben", "agent:cy", times=1, request_id="r-1"),
            *posts("ben", "agent:cy", "agent:Eve/work", times=3),
            *posts("ben", "agent:cy", "agent:Eve/work", times=1, request_id="r-2"),
            *posts("ben", "agent:Eve/work", "agent:cy", times=1, request_id="r-2"),
        ],
    ),
    "a request whose words have an end": (
        RoomPolicy(retention=timedelta(days=1)),
        [
            *posts("ben", "agent:cy", times=3),
            *posts("ben", "agent:cy", times=2, request_id="r-1"),
        ],
    ),
    "what a message means": (
        RoomPolicy(),
        [
            *posts("ben", "agent:cy", times=3),
            *posts("ben", "agent:cy", times=1, urgency="quiet"),
            *posts("ben", "agent:cy", times=1, urgency="now", kind="report"),
            *posts("ben", "agent:cy", times=1, kind="question", correlation="c"),
            *posts("ben", "agent:cy", times=1, expects_reply=False),
            *posts("ben", "agent:cy", times=1, notify_when_seen=True),
            *posts("person:ana", "agent:cy", times=3),
            *posts("person:ana", "agent:cy", times=1, notify_when_seen=True),
            *posts("ben", "agent:cy", times=1, fields={"commit": "abc"}),
            *posts("ben", "agent:cy", times=1, supersedes=0),
        ],
    ),
    "a new conversation each time": (RoomPolicy(), posts("ben", "agent:Eve/new")),
    "none of an agent that takes no part": (
        RoomPolicy(),
        [
            Command("change_agent", {"name": "Eve", "enabled": False}),
            *posts("ben", "agent:Eve/new"),
            Command("change_agent", {"name": "Eve", "enabled": True}),
            *posts("ben", "agent:Eve/new", times=1),
        ],
    ),
    "what only rode along was not confirmed": (
        RoomPolicy(),
        [*posts("ben", "all", urgency="quiet"), *posts("ben", "all")],
    ),
    "several of one agent are confirmed each time": (
        RoomPolicy(),
        [
            Command(
                "post", {"text": "x", "by": "ben", "to": ("all",), "confirm": True}
            ),
            *posts("ben", "all", times=3),
        ],
    ),
}


def staged() -> Stage:
    """A lobby whose ids, salts and clock are the same as those of any other."""
    clock = FakeClock()
    ids, salts = CountingIds(), CountingSalts()
    lobby = Lobby(MemoryStorage(), clock=clock, ids=ids, salt=salts)
    return Stage(lobby, clock)


@pytest.fixture
def whole_ways(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """A lobby that never takes a route, by its desk, and how often others did."""
    seen: dict[str, Any] = {"desk": None, "routed": 0, "posted": 0}
    real = routed.post_on

    def post_on(desk: Any, *given: Any, **more: Any) -> Any:
        if desk is seen["desk"]:
            return None
        said = real(desk, *given, **more)
        seen["posted"] += 1
        seen["routed"] += said is not None
        return said

    monkeypatch.setattr(saying, "post_on", post_on)
    return seen


def play(commands: Iterable[Command], seen: dict[str, Any]) -> None:
    """Plays commands in two lobbies; whatever they answer and record is the same."""
    routing, plain = staged(), staged()
    seen["desk"] = plain.lobby._desk
    for step, command in enumerate(commands):
        there, here = routing.perform(command), plain.perform(command)
        assert str(there) == str(here), (step, command)
    logs = [one.lobby._desk.storage.scan(limit=10**6) for one in (routing, plain)]
    assert logs[0] == logs[1]  # every column of every record
    assert routing.lobby.next_deadline() == plain.lobby.next_deadline()


def test_a_route_comes_to_what_the_whole_way_comes_to(
    whole_ways: dict[str, Any],
) -> None:
    for seed in range(PROGRAMS):
        play(program(random.Random(f"routes {seed}")), whole_ways)
    assert whole_ways["routed"] > 2 * PROGRAMS


@pytest.mark.parametrize("story", STORIES)
def test_what_a_route_may_not_pass_over(story: str, whole_ways: dict[str, Any]) -> None:
    policy, then = STORIES[story]
    play([*begun(policy), *then], whole_ways)


def test_a_refusal_along_a_route_says_when_to_come_again(
    whole_ways: dict[str, Any],
) -> None:
    """The window of the sender is full: nothing is recorded, and a place frees."""
    stage = staged()
    lobby, clock = stage.lobby, stage.clock
    ben, cy = (lobby.add_agent(name).conversation() for name in ("ben", "cy"))
    policy = RoomPolicy(send_window=RateWindow(3, SHORT))
    room = lobby.create_room("r", by=ben, policy=policy)
    room.join(by=cy)
    start = clock.now
    for _ in range(3):
        room.post("hello", by=ben, to=["agent:cy"])
    head = lobby._desk.storage.position()
    assert whole_ways["routed"] == 1  # the third; the second is when it was learnt

    with pytest.raises(OverLimit) as refused:
        room.post("hello", by=ben, to=["agent:cy"])

    assert refused.value.details["retry_at"] == start + SHORT
    assert lobby._desk.storage.position() == head
    clock.advance(SHORT)
    assert room.post("hello", by=ben, to=["agent:cy"]).woken == (cy,)


def test_what_another_handle_changed_is_seen(whole_ways: dict[str, Any]) -> None:
    """Nothing is decided on what was so before somebody else wrote."""
    storage, clock, ids = MemoryStorage(), FakeClock(), CountingIds()
    one, other = (Lobby(storage, clock=clock, ids=ids) for _ in range(2))
    ben, cy = (one.add_agent(name).conversation() for name in ("ben", "cy"))
    room = one.create_room("r", by=ben)
    room.join(by=cy)
    for _ in range(3):
        assert room.post("hello", by=ben, to=["agent:cy"]).woken == (cy,)
    assert whole_ways["routed"] == 1

    other.room("r").rest(by=other.agent("cy").conversation())
    assert room.post("hello", by=ben, to=["agent:cy"]).held == (cy,)
    other.room("r").leave(by=other.agent("ben").conversation())
    with pytest.raises(Exception, match="only a member"):
        room.post("hello", by=ben, to=["agent:cy"])


class Held:
    """An object of the caller's that stands for a conversation, now this, now that."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation


def test_what_is_equal_or_changes_may_mean_somebody_else(
    whole_ways: dict[str, Any],
) -> None:
    """Only what always means the same tells one way from another."""
    lobby, elsewhere = staged().lobby, staged().lobby
    ben, cy, dan = (lobby.add_agent(one).conversation() for one in ("ben", "cy", "dan"))
    zed = elsewhere.add_agent("zed").conversation()
    room = lobby.create_room("r", by=cy).join(by=ben).join(by=dan)
    held = Held(ben)
    for _ in range(3):
        assert room.post("hello", by=cy, to=[held]).woken == (ben,)
        assert room.post("hello", by=cy, to=[ben]).woken == (ben,)
    assert whole_ways["routed"] == 1  # to the handle

    held.conversation = dan
    assert room.post("hello", by=cy, to=[held]).woken == (dan,)
    assert zed == ben  # as their ids are
    with pytest.raises(NotFound) as refused:
        room.post("hello", by=cy, to=[zed])
    assert refused.value.code == "unknown_address"
    nobody: Any = ["agent:ben"]
    with pytest.raises(InvalidInput) as unhashable:
        room.post("hello", by=cy, to=[nobody])
    assert unhashable.value.details["field"] == "to[0]"


class Crowd:
    """More rooms than are kept loaded, of which one is written to along a way."""

    def __init__(self, before: int) -> None:
        """With so many streams loaded between the lobby's own and that room's."""
        self.lobby = lobby = staged().lobby
        self.ben, self.cy = (
            lobby.add_agent(name).conversation() for name in ("ben", "cy")
        )
        self.eve = lobby.add_agent("Eve", threaded=True).conversation(label="work")
        self.room = lobby.create_room("r", by=self.ben).join(by=self.cy)
        self.room.join(by=self.eve)
        self.others = [lobby.create_room(f"other {n}", by=self.cy) for n in range(8)]
        self.streams = lobby._desk.streams
        self.streams.most = 7
        self.streams.drop_all()
        self.look_at(self.others[:before])
        for _ in range(3):
            assert self.post("agent:cy") == (self.cy,)

    def post(self, to: str) -> tuple[Conversation, ...]:
        return self.room.post("hello", by=self.ben, to=[to]).woken

    def look_at(self, rooms: Iterable[Room]) -> None:
        """Lets others go for their streams."""
        for room in rooms:
            assert room.members


@pytest.mark.parametrize(("before", "behind"), [(1, 4), (2, 3), (3, 2)])
def test_a_way_ends_with_the_streams_that_it_was_found_from(
    before: int, behind: int
) -> None:
    """The lobby's own is let go, loaded anew, and written to there."""
    crowd = Crowd(before)
    crowd.look_at(crowd.others[3 : 3 + behind])

    crowd.lobby.agent("ben").change(allowed_recipients=[])

    with pytest.raises(NotAllowed) as refused:
        crowd.post("agent:cy")
    assert refused.value.code == "recipient_forbidden"


@pytest.mark.parametrize("before", [1, 2])
def test_a_room_that_is_let_go_while_it_is_decided_on_remembers_nothing(
    before: int,
) -> None:
    """Its agent's stream has to be loaded, and the room's is the oldest."""
    crowd = Crowd(before)
    assert crowd.post("agent:Eve/work") == (crowd.eve,)
    crowd.streams.drop("agent:Eve")
    crowd.look_at(crowd.others[3:8])

    assert crowd.post("agent:Eve/work") == (crowd.eve,)
