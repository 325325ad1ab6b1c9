"""The programs that users want to write, as the design gives them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from inspect import Parameter, signature
from pathlib import Path
from typing import Any

import pytest

from lobby.place import Place
from rooms import Lobby, MemoryStorage, RateWindow, Room, RoomPolicy, Turn, presets


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_framework_authors_program_runs_as_it_stands() -> None:
    def coder(mail: str) -> str:
        return "Done." if "| write the parser" in mail else "What?"

    AGENTS: dict[str, Callable[[str], str]] = {"coder": coder, "tester": coder}  # noqa: N806
    task = "write the parser"

    lobby = Lobby.open("team.db")
    me = lobby.person("me")
    for name in AGENTS:
        lobby.add_agent(name)
    room = lobby.create_room("work", by=me, request_id="work")
    for name in AGENTS:
        room.join(by=lobby.conversation(name))
    room.post(task, by=me, to=["agent:coder"])
    while wakes := lobby.take_wakes(agents=AGENTS):
        for wake in wakes:
            with lobby.turn(wake) as turn:
                turn.reply(AGENTS[wake.conversation.agent](wake.render()))

    said = [(str(one.sender), one.content) for one in room.read(by=me)]
    lobby.close()
    assert said == [("person:me", "write the parser"), ("agent:coder", "Done.")]
    assert Path("team.db").is_file()


def test_the_lobby_example_runs_as_it_stands() -> None:
    with Lobby.open("team.db") as lobby:
        ana = lobby.person("ana")
        lobby.add_agent("Eve", threaded=True, owner="ana")
        lobby.add_agent("ben-web", owner="ben")
        eve = lobby.conversation("Eve", thread="t-1", label="acme-renewal")
        ben = lobby.conversation("ben-web")
        assert lobby.agent("ben-web").conversation() == ben

        room = lobby.create_room(
            "orders-migration", by=eve, policy="hall", request_id="orders"
        )
        room.join(by=ben, mode="when_tagged")
        posted = room.post(
            "Leave the connector alone for an hour.", by=eve, to=[ben], request_id="r-1"
        )
        assert (posted.message.seq, posted.duplicate) == (1, False)
        assert posted.woken == (ben,)
        assert (posted.held, posted.started, posted.unresolved) == ((), (), ())
        again = room.post(
            "Leave the connector alone for an hour.", by=eve, to=[ben], request_id="r-1"
        )
        assert again.duplicate
        assert again.message == posted.message

        [wake] = lobby.take_wakes()
        assert (wake.conversation, wake.room, wake.kind) == (ben, room, "turn")
        assert [one.id for one in wake.messages] == [posted.message.id]
        assert (wake.waited, wake.reasons) == (0, ("tagged",))
        with lobby.turn(wake) as turn:
            prompt = wake.render()
            turn.reply("Fine, done by ten.")
        assert "\n| Leave the connector alone for an hour.\n" in prompt

        page = room.read(by=ben, after=0, limit=30)
        assert [one.seq for one in page.items] == [1, 2]
        assert (page.next_cursor, page.position) == (None, 2)
        assert page.items[1].reply_to == posted.message.id
        hits = room.search("ten", by=ben, limit=20)
        assert [hit.seq for hit in hits] == [2]
        assert room.search("multi-agent", by=ben, limit=20) == ()
        assert lobby.next_deadline() is None
        assert str(eve) == "agent:Eve/acme-renewal"
        assert [one.content for one in room.read(by=ana)] == [
            "Leave the connector alone for an hour.",
            "Fine, done by ten.",
        ]


def test_what_was_acknowledged_is_there_after_the_process_is_gone(place: Place) -> None:
    lobby = place.open()
    ada, bo = (lobby.add_agent(name).conversation() for name in ("ada", "bo"))
    room = lobby.create_room("r", by=ada).join(by=bo)
    room.post("one", by=ada, to=[bo])
    room.post("two", by=ada, to=[bo], request_id="two")

    again = place.crash()

    room = again.room("r")
    [wake] = again.take_wakes()
    assert [one.content for one in wake.messages] == ["one", "two"]
    assert room.post("two", by=ada, to=[bo], request_id="two").duplicate
    assert [one.seq for one in room.read(by=bo)] == [1, 2]


REQUIRED = Parameter.empty
PINNED: list[tuple[Callable[..., Any], str, list[str], dict[str, Any]]] = [
    (Lobby.in_memory, "", [], {}),
    (Lobby.open, "", ["where"], {}),
    (
        *(Lobby.create_room, "self", ["name"]),
        {"by": REQUIRED, "access": None, "policy": None, "request_id": None},
    ),
    (
        *(Lobby.add_agent, "self", ["name"]),
        {"threaded": False, "owner": None},
    ),
    (*(Lobby.conversation, "self", ["agent"]), {"thread": None, "label": None}),
    (
        *(Lobby.take_wakes, "self", []),
        {
            "agents": None,
            "conversations": None,
            "limit": 20,
            "hold_for": timedelta(minutes=15),
            "now": None,
        },
    ),
    (*(Lobby.turn, "self", ["woken"]), {"word_of": None}),
    (*(Lobby.deliver, "self", ["now"]), {}),
    (*(Lobby.register, "self", ["plugin"]), {}),
    (*(Lobby.room, "self", ["name"]), {}),
    (
        *(Room.post, "self", ["content"]),
        {
            "by": REQUIRED,
            "to": (),
            "reply_to": None,
            "request_id": None,
            "confirm_all_threads": False,
            "now": None,
        },
    ),
    (*(Room.join, "self", []), {"by": REQUIRED, "mode": None}),
    (
        *(Room.subscribe, "self", []),
        {
            "by": REQUIRED,
            "mode": REQUIRED,
            "interval": timedelta(minutes=15),
            "tagged_only": False,
        },
    ),
    (*(Room.leave, "self", []), {"by": REQUIRED}),
    (*(Room.read, "self", []), {"by": REQUIRED, "after": 0, "limit": 30}),
    (*(Room.search, "self", ["query"]), {"by": REQUIRED, "limit": 20}),
    (*(Room.explain, "self", ["message"]), {}),
    (*(Turn.reply, "self", ["content"]), {}),
]


@pytest.mark.parametrize(
    ("call", "bound", "positional", "keywords"),
    PINNED,
    ids=[call.__qualname__ for call, *_ in PINNED],
)
def test_a_pinned_call_takes_what_the_design_says(
    call: Callable[..., Any],
    bound: str,
    positional: list[str],
    keywords: dict[str, Any],
) -> None:
    parameters = dict(signature(call).parameters)
    parameters.pop(bound, None)

    taken = [
        name
        for name, one in parameters.items()
        if one.kind is Parameter.POSITIONAL_OR_KEYWORD
    ]

    assert taken[: len(positional)] == positional
    assert all(parameters[name].default is not REQUIRED for name in taken[1:])
    given = {name: parameters[name].default for name in keywords}
    assert given == keywords
    added = set(parameters) - set(taken) - set(keywords)
    assert all(
        parameters[name].kind is Parameter.VAR_KEYWORD
        or parameters[name].default is not REQUIRED
        for name in added
    )


CHANGES = (
    *(Lobby.add_agent, Lobby.person, Lobby.conversation, Lobby.create_room),
    *(Lobby.take_wakes, Lobby.turn, Lobby.deliver, Room.post, Room.join),
    *(Room.subscribe, Room.leave, Room.rest, Room.resume, Room.pause, Room.unpause),
    *(Room.change_policy, Room.delete, Room.acknowledge, Room.read),
    *(Turn.renew, Turn.end, Turn.fetch_notices),
)


@pytest.mark.parametrize("call", CHANGES, ids=lambda call: str(call.__qualname__))
def test_every_call_that_changes_something_takes_its_instant(
    call: Callable[..., Any],
) -> None:
    assert signature(call).parameters["now"].default is None


def test_a_preset_is_a_policy_with_every_option_as_a_keyword() -> None:
    policy = presets.hall(
        wake_window=RateWindow(3),
        send_window=None,
        people="post",
        mentions="leading",
        planner="none",
        max_message_chars=100,
        oversize="refuse",
        max_hops=6,
    )

    assert policy == RoomPolicy(
        wake_window=RateWindow(3),
        send_window=None,
        mentions="leading",
        max_message_chars=100,
        max_hops=6,
        bare_word="person",
        home_agent="Eve",
        attachments_from="threaded",
    )


def test_a_lobby_takes_a_storage_a_clock_and_ids(place: Place) -> None:
    made: list[str] = []

    def ids(prefix: str) -> str:
        made.append(prefix)
        return f"{prefix}_{len(made)}"

    lobby = Lobby(MemoryStorage(), clock=place.clock, ids=ids)
    room = lobby.create_room("r", by=lobby.person("me"))

    posted = room.post("hello", by=lobby.person("me"))

    assert posted.message.at == place.clock.now
    assert room.id == f"room_{made.index('room') + 1}"


@pytest.mark.case("F-128")
def test_two_lobbies_in_memory_have_nothing_in_common(tmp_path: Path) -> None:
    first, second = Lobby.open("memory:"), Lobby.in_memory()
    first.create_room("r", by=first.person("me"))

    assert (len(first.rooms), second.rooms) == (1, ())
    assert list(tmp_path.iterdir()) == []


def test_handles_compare_and_hash_by_their_ids(place: Place) -> None:
    lobby = place.open()
    ada = lobby.add_agent("ada").conversation()
    room = lobby.create_room("r", by=ada)
    other = place.open()

    assert {ada, other.conversation("ada")} == {ada}
    assert {room, other.room("r"), other.room(room.id)} == {room}
    assert lobby.agent("ada") == other.agent("ADA")
    assert lobby.person("me") == other.person("me")
