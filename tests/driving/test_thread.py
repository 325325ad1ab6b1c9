"""The thread: who is asked, what is recorded, and what the operator is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from driving.scene import Scene, turns
from rooms import MemoryStorage, StorageError
from rooms.driving import (
    Reply,
    Thread,
    ThreadAnswer,
    TurnFailed,
    View,
    cast_line,
    cast_of,
    render_note,
    with_cast_line,
)
from rooms.driving.notes import Note
from rooms.log.records import Record


class Chat:
    """A thread with three participants and a lead, and an operator."""

    def __init__(self, scene: Scene, *names: str, **options: Any) -> None:
        self.scene = scene
        options = {"lead": "lead", **options}
        everybody = (*(names or ("proto", "reviewer", "docs")), "lead")
        self.room = scene.room("thread", *everybody, **options)
        self.thread = Thread(self.room)

    def say(self, text: str, **lines: Any) -> ThreadAnswer:
        ops = self.scene.lobby.person("ops")
        return self.thread.address(text, by=ops, speak=self.scene.says(**lines))

    def said(self) -> list[tuple[str, str]]:
        return self.scene.said(self.room)


@pytest.fixture
def chat(scene: Scene) -> Chat:
    return Chat(scene)


# -- whom a message addresses


@pytest.mark.rule("R-RECORD-09", "R-FAIL-07", "R-ADDR-04", "R-ADDR-07")
def test_a_first_name_that_nobody_bears_is_answered_with_the_roster(
    chat: Chat,
) -> None:
    unknown = chat.say("@nope hi", proto="never")
    empty = chat.say("@proto @docs  ", proto="never")

    assert (unknown.kind, unknown.refused) == ("roster", "unknown_participant")
    assert (unknown.unknown, unknown.names) == ("nope", ("proto", "reviewer", "docs"))
    assert unknown.render() == (
        "Nobody is called nope. Available: proto, reviewer, docs."
    )
    assert (empty.kind, empty.refused) == ("usage", "empty_message")
    assert chat.said() == []
    assert chat.scene.asked == []


@pytest.mark.rule("R-FAIL-07", "R-ADDR-09")
def test_without_a_roster_an_address_is_text_for_the_lead(scene: Scene) -> None:
    chat = Chat(scene, "lead")

    answer = chat.say("@proto hi")

    assert (answer.kind, answer.refused, answer.falls_to_lead) == ("lead", "", True)
    assert chat.said() == [("ops", "@proto hi")]


def test_who_left_as_the_message_was_recorded_is_answered_with_the_roster(
    chat: Chat, monkeypatch: pytest.MonkeyPatch
) -> None:
    """R-ADDR-12: they are looked at again just before."""
    stale = chat.thread.roster
    chat.room.leave(by=chat.scene.lobby.agent("docs").conversation())
    looked = iter([stale, chat.thread.roster])
    monkeypatch.setattr(Thread, "roster", property(lambda _: next(looked)))

    answer = chat.say("@docs @proto hi", proto="never")

    assert (answer.kind, answer.names) == ("roster", ("proto", "reviewer"))
    assert chat.said() == []


# -- who is asked


@pytest.mark.rule("R-DISPATCH-01", "R-RECORD-01", "R-RECORD-02", "R-RECORD-06")
def test_an_address_is_answered_in_the_participants_own_words(chat: Chat) -> None:
    answer = chat.say("@proto what broke?", proto="The *cookie*.", lead="never")

    assert answer.render() == "The *cookie*."
    assert chat.scene.asked == [("proto", 0)]
    page = chat.room.read(by=chat.scene.lobby.person("ops"))
    asked, reply = page.items
    proto = chat.scene.lobby.agent("proto").conversation()
    assert (asked.sender, asked.to) == (
        chat.scene.lobby.person("ops"),
        ("agent:proto",),
    )
    assert (reply.sender, reply.reply_to) == (proto, asked.id)


@pytest.mark.rule("R-DISPATCH-02", "R-CATCHUP-09")
def test_participants_run_in_written_order_and_see_what_was_just_said(
    chat: Chat,
) -> None:
    seen: dict[str, list[str]] = {}

    def look(view: View) -> str:
        seen[view.name] = [one.content for one in view.missed]
        return f"{view.name} here"

    chat.say("@docs @proto why?", docs=[look, "pass"], proto=[look, "pass"])

    assert chat.scene.asked == [("docs", 0), ("proto", 0), ("docs", 1), ("proto", 1)]
    assert seen == {"docs": [], "proto": ["@docs @proto why?", "docs here"]}


@pytest.mark.rule("R-DISPATCH-04")
def test_one_alone_with_nothing_to_catch_up_gets_the_bare_message(chat: Chat) -> None:
    prompts: list[str] = []

    def look(view: View) -> str:
        prompts.append(view.render())
        return "yes"

    chat.say("@proto  is it\nsafe? ", proto=look)

    assert prompts == ["is it\nsafe?"]


def test_the_pass_is_offered_where_it_counts_and_nothing_new_is_told(
    chat: Chat,
) -> None:
    prompts: list[str] = []

    def look(view: View) -> Any:
        prompts.append(view.render())
        return "pass" if view.round else "hm"

    chat.say("@proto @docs go", proto=look, docs=lambda _: Reply(passed=True))

    assert len(prompts) == 2
    for prompt in prompts:
        assert "[addressed as @proto" in prompt
        assert "[pass allowed" in prompt
        assert "[catch-up · nothing new" in prompt


@pytest.mark.rule("R-DISPATCH-05")
def test_another_address_waits_for_the_whole_of_the_first(chat: Chat) -> None:
    def interrupt(view: View) -> str:
        if view.round == 0 and view.message.seq == 1:
            chat.scene.ask(chat.room, "@docs and you?")
        return "pass" if view.round else "first"

    answer = chat.say(
        "@proto @reviewer go", proto=interrupt, reviewer=interrupt, docs="y"
    )

    assert [one.name for one in answer.turns] == ["proto", "reviewer"] * 2
    assert answer.reason == "settled"
    assert chat.scene.asked[-2:] == [("docs", 0)] * 2
    assert chat.scene.state(chat.room).activity is None


@pytest.mark.rule("R-DISPATCH-06")
def test_a_turn_takes_as_long_as_its_participant_lets_it(chat: Chat) -> None:
    def slow(_: View) -> str:
        chat.scene.clock.advance(hours=10)
        return "At last."

    answer = chat.say("@proto think", proto=slow)

    assert answer.render() == "At last."


@pytest.mark.rule("R-DISPATCH-07")
def test_what_the_lead_delegates_says_so_and_an_operators_address_does_not(
    chat: Chat,
) -> None:
    limited: list[bool] = []

    def look(view: View) -> str:
        limited.append(view.delegated)
        return "done"

    chat.say("@proto go", proto=look)
    lead = chat.scene.lobby.agent("lead").conversation()
    speak = chat.scene.says(docs=look)
    answer = chat.thread.address("@docs go", by=lead, speak=speak)

    assert limited == [False, True]
    assert answer.render() == "done"


@pytest.mark.rule("R-DISPATCH-08")
@pytest.mark.parametrize(
    ("text", "lines", "expected"),
    [
        ("@proto q", {"proto": "A"}, "A"),
        ("@proto @docs q", {"proto": "A", "docs": "pass"}, "proto: A"),
        ("@proto @docs q", {}, "Nobody had anything to add."),
        ("@proto q", {"proto": " "}, "proto came back with an empty reply."),
        ("@proto q", {"proto": "pass"}, "pass"),
    ],
)
def test_the_answer_has_an_author_where_several_were_addressed(
    scene: Scene, text: str, lines: dict[str, str], expected: str
) -> None:
    scripts = {name: [said, *["pass"] * 3] for name, said in lines.items()}

    assert Chat(scene).say(text, **scripts).render() == expected


@pytest.mark.rule("R-DISPATCH-09")
def test_where_nobody_could_be_reached_the_message_falls_to_the_lead(
    chat: Chat,
) -> None:
    gone = TurnFailed("no route", kind="unreachable")

    assert chat.say("@proto @docs q", proto=gone, docs=gone).falls_to_lead
    assert not chat.say("@proto @docs q", proto=gone, docs="here").falls_to_lead
    other = TurnFailed("no", kind="error")
    assert not chat.say("@proto q", proto=other).falls_to_lead


class Forgetful(MemoryStorage):
    """A storage that cannot read a history, and at times not write."""

    broken = False
    full = False

    def messages(self, stream: str, **asked: Any) -> list[Record]:
        if self.broken and asked["limit"] > 1:
            raise StorageError("storage_failed", "the history cannot be read")
        return super().messages(stream, **asked)

    def append(self, commit: Any) -> int:
        if self.full:
            raise StorageError("storage_failed", "nothing can be written")
        return super().append(commit)


@pytest.mark.rule("R-DISPATCH-10")
def test_bookkeeping_never_costs_the_answer() -> None:
    storage = Forgetful()
    scene = Scene(storage)
    chat = Chat(scene)
    chat.say("@docs one", docs="two")
    ops = scene.lobby.person("ops")
    chat.room.pause(by=ops).unpause(by=ops)  # what was heard has to be read again
    storage.broken = True
    seen: list[int] = []

    def look(view: View) -> str:
        seen.append(len(view.missed))
        storage.full = True
        return "the answer"

    answer = chat.say("@proto what now?", proto=look)

    assert seen == [0]
    assert answer.render() == "the answer"
    assert turns_of(answer) == [("proto", 0, "unrecorded")]
    assert answer.reason == "unrecorded"


def turns_of(answer: ThreadAnswer) -> list[tuple[str, int, str]]:
    return [(one.name, one.round, one.outcome) for one in answer.turns]


# -- what is recorded


@pytest.mark.rule("R-RECORD-04", "R-PASS-04")
def test_silence_leaves_no_record(chat: Chat) -> None:
    chat.say("@proto @docs q", proto=["A", "**pass**."], docs="")

    assert chat.said() == [("ops", "@proto @docs q"), ("proto", "A")]


@pytest.mark.rule("R-RECORD-05", "R-FAIL-01", "R-FAIL-06")
def test_a_failure_is_recorded_and_told_in_the_adapters_words(chat: Chat) -> None:
    gone = TurnFailed("connection refused by 10.0.0.7", kind="unreachable")

    answer = chat.say("@proto q", proto=gone)

    assert answer.render() == "proto failed: connection refused by 10.0.0.7"
    assert "unreachable" not in answer.render()
    assert answer.turns[0].kind == "unreachable"
    ops = chat.scene.lobby.person("ops")
    _, failure = chat.room.read(by=ops).items
    assert (failure.content, failure.failed) == ("connection refused by 10.0.0.7", True)
    assert str(failure.sender) == "agent:proto"


@pytest.mark.rule("R-CATCHUP-12")
def test_subtle_8_a_failure_does_not_move_where_the_catch_up_starts(
    chat: Chat,
) -> None:
    chat.say("@proto x", proto=TurnFailed("down"))
    chat.say("y")
    seen: list[str] = []

    def look(view: View) -> str:
        seen.extend(one.content for one in view.missed)
        return "z!"

    chat.say("@proto z", proto=look)

    assert seen == ["@proto x", "y"]


@pytest.mark.rule("R-RECORD-08")
def test_searching_exporting_and_deleting_are_of_the_room(chat: Chat) -> None:
    chat.say("@proto what broke?", proto="The cookie.")
    ops = chat.scene.lobby.person("ops")

    assert [one.seq for one in chat.room.search("cookie", by=ops)] == [2]
    assert "The cookie." in "".join(chat.scene.lobby.export())
    chat.room.delete(by=ops)
    assert "The cookie." not in "".join(chat.scene.lobby.export())


@pytest.mark.rule("R-FAIL-02", "R-FAIL-03")
def test_who_failed_is_asked_again_by_the_next_address_alone(chat: Chat) -> None:
    answer = chat.say(
        "@proto @docs @reviewer q",
        proto=TurnFailed("still working", pending="task-1"),
        docs=["A", "pass"],
        reviewer=["B", "pass"],
    )
    assert [one[0] for one in turns_of(answer)].count("proto") == 1

    assert chat.say("@proto again", proto="Here.").render() == "Here."


# -- notes


@pytest.mark.rule("R-NOTE-01", "R-NOTE-02")
def test_subtle_5_only_an_answer_that_used_a_clipped_view_is_named(
    scene: Scene,
) -> None:
    chat = Chat(scene, "a", "b", "c", catchup_max_messages=1)
    for number in range(3):
        chat.say(f"m{number}")

    answer = chat.say("@a @b @c q", a=["A", "pass"], c=TurnFailed("x"))

    [note] = answer.notes
    assert note == Note(
        "catch_up_cut", ("a",), ("catchup_max_messages", "catchup_max_chars")
    )
    assert render_note(note) == (
        "Not all that came before was shown to a;"
        " catchup_max_messages and catchup_max_chars widen it."
    )


@pytest.mark.rule("R-NOTE-05", "R-NOTE-06", "R-LATE-01")
def test_notes_follow_the_replies_in_their_order(scene: Scene) -> None:
    chat = Chat(scene, "a", "b", "c", catchup_max_messages=1, max_rounds=2)
    for number in range(3):
        chat.say(f"m{number}")

    answer = chat.say(
        "@a @b @c q", a="A", b="B", c=TurnFailed("still working", pending="t-1")
    )

    assert [note.kind for note in answer.notes] == [
        "catch_up_cut",
        "waiting",
        "round_cap",
    ]
    assert answer.notes[1].names == ("c",)
    assert answer.notes[2].rounds == 2
    said = answer.render().split("\n\n")
    assert said[-3:] == [render_note(note) for note in answer.notes]
    assert said[-2] == "Still working, and posted here when it is done: c."


@pytest.mark.rule("R-NOTE-07")
def test_at_one_round_the_catch_up_note_is_the_only_one(scene: Scene) -> None:
    chat = Chat(scene, "a", "b", catchup_max_messages=1, max_rounds=1)
    for number in range(3):
        chat.say(f"m{number}")

    answer = chat.say("@a @b q", a="pass", b="B")

    assert [note.kind for note in answer.notes] == ["catch_up_cut"]
    assert answer.notes[0].names == ("a", "b")  # "pass" is a reply like any other here


def test_subtle_3_a_lost_partner_ends_the_room_silently(chat: Chat) -> None:
    answer = chat.say("@proto @docs q", proto="ok", docs=TurnFailed("x"))

    assert (turns_of(answer), answer.notes) == (
        [("proto", 0, "spoke"), ("docs", 0, "failed")],
        (),
    )


def test_subtle_2_solo_is_one_round(scene: Scene) -> None:
    chat = Chat(scene, max_rounds=10)

    answer = chat.say("@proto do X", proto="pass")

    assert (answer.render(), chat.scene.asked) == ("pass", [("proto", 0)])
    assert chat.said()[-1] == ("proto", "pass")


# -- the cast


@pytest.mark.rule("R-CAST-01", "R-CAST-02", "R-CAST-03")
def test_who_has_spoken_is_the_cast_in_the_order_of_first_speech(chat: Chat) -> None:
    lead = chat.scene.lobby.agent("lead").conversation()
    chat.room.post("I lead.", by=lead)
    assert cast_of(chat.room) == ()
    chat.say("@docs q", docs="A")
    chat.say("@proto q", proto=TurnFailed("down"))
    chat.say("@reviewer @docs q", reviewer=["B", "pass"], docs="C")
    assert cast_of(chat.room) == ("docs", "reviewer")

    chat.say("@proto q", proto="up again")

    assert cast_of(chat.room) == ("docs", "reviewer", "proto")
    assert chat.thread.roster == ("proto", "reviewer", "docs")


@pytest.mark.rule("R-CAST-04", "R-CAST-05")
def test_the_cast_line_takes_the_place_of_an_earlier_one() -> None:
    one, two = cast_line("lead", ["proto"]), cast_line("lead", ["proto", "docs"])

    prompt = with_cast_line(with_cast_line("You lead.", one), two)

    assert prompt == f"{two}\nYou lead."
    for told in ("you are lead", "proto, docs", "other agents", "names its author"):
        assert told in two
    assert "never as one of them" in two
    assert cast_line("lead", []) == ""
    assert with_cast_line(prompt, "") == "You lead."


@pytest.mark.rule("R-CAST-06")
def test_the_lead_reads_all_of_the_room_and_passes_are_not_there(chat: Chat) -> None:
    chat.say("@docs @proto q", docs=["A", "pass"], proto=["pass", "pass"])
    lead = chat.scene.lobby.agent("lead").conversation()

    assert [one.content for one in chat.room.read(by=lead)] == ["@docs @proto q", "A"]


def test_the_thread_under_asyncio_is_the_same(chat: Chat) -> None:
    async def speak(_: Any, view: View) -> str:
        await asyncio.sleep(0)
        return "pass" if view.round else f"{view.name}!"

    answer = asyncio.run(
        chat.thread.address_async(
            "@proto @docs q", by=chat.scene.lobby.person("ops"), speak=speak
        )
    )

    assert answer.render() == "proto: proto!\n\ndocs: docs!"
    assert turns(answer) == turns_of(answer)  # type: ignore[arg-type]
