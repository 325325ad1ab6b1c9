"""A room's shared memory: what is given, what the curator makes of it, what goes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lobby.place import NOON, Clock, Place
from rooms import (
    Conflict,
    Conversation,
    IdempotencyConflict,
    InvalidInput,
    Lobby,
    NotAllowed,
    NotFound,
    OverLimit,
    Person,
    Refused,
    Room,
    RoomPolicy,
    RoomsError,
)
from rooms.lobby.memory import (
    AddEntry,
    ArchiveEntry,
    Curation,
    Memory,
    RefuseFragment,
    UpdateEntry,
    VerifyEntry,
)
from rooms.log.snapshots import decode, encode
from rooms.log.state import RoomState

GHP = "ghp_" + "a1B2" * 9
ROOMY = RoomPolicy(send_window=None, wake_window=None)


@pytest.fixture
def ana(lobby: Lobby) -> Person:
    return lobby.person("ana")


@pytest.fixture
def cy(lobby: Lobby) -> Conversation:
    """The curator's only conversation."""
    return lobby.add_agent("cy").conversation()


@pytest.fixture
def room(lobby: Lobby, ana: Person, ben: Conversation, cy: Conversation) -> Room:
    room = lobby.create_room("work", by=ana, policy=ROOMY)
    return room.join(by=ben).join(by=cy)


@pytest.fixture
def memory(room: Room, ana: Person) -> Memory:
    return room.memory.appoint("cy", by=ana)


def give(memory: Memory, by: Conversation, text: str = "Learned.", **more: Any) -> str:
    return memory.remember(text, kind=more.pop("kind", "gotcha"), by=by, **more).id


def run(memory: Memory, cy: Conversation, *operations: Any, **more: Any) -> Curation:
    base = memory.review(by=cy).revision
    return memory.curate(operations, base=base, by=cy, **more)


def added(memory: Memory, cy: Conversation, title: str = "a → b", **more: Any) -> str:
    kind = more.pop("kind", "gotcha")
    entry = AddEntry(kind=kind, title=title, text=more.pop("text", "Why."), **more)
    return run(memory, cy, entry).added[0]


def code(raised: pytest.ExceptionInfo[Any]) -> str:
    assert isinstance(raised.value, RoomsError)
    return raised.value.code


@pytest.mark.rule("L-MEM-01")
def test_it_begins_with_a_curator_and_ends_with_none(
    room: Room, ana: Person, ben: Conversation, cy: Conversation
) -> None:
    with pytest.raises(Conflict) as raised:
        give(room.memory, ben)
    assert code(raised) == "memory_not_kept"
    for nobody, reason in ((ben, "not_owner"), (cy, "not_owner")):
        with pytest.raises(NotAllowed) as refused:
            room.memory.appoint("cy", by=nobody)
        assert code(refused) == reason
    room.memory.appoint("agent:cy", by=ana)
    assert room.memory.status(by=ben).curator == "cy"
    entry = added(room.memory, cy)

    room.memory.appoint(None, by=ana)

    assert room.memory.status(by=ben).curator is None
    assert [one.id for one in room.memory.recall("a", by=ben)] == [entry]
    with pytest.raises(Conflict) as raised:
        give(room.memory, ben)
    assert code(raised) == "memory_not_kept"


@pytest.mark.rule("L-MEM-01")
def test_only_a_member_curates(room: Room, lobby: Lobby, ana: Person) -> None:
    lobby.add_agent("zoe")
    with pytest.raises(NotAllowed) as raised:
        room.memory.appoint("zoe", by=ana)

    assert code(raised) == "not_a_member"


@pytest.mark.rule("L-MEM-02")
def test_members_give_and_nobody_else(
    memory: Memory, room: Room, lobby: Lobby, ana: Person, ben: Conversation
) -> None:
    outsider = lobby.add_agent("out").conversation()
    with pytest.raises(NotAllowed) as raised:
        give(memory, outsider)
    assert code(raised) == "not_a_member"
    with pytest.raises(InvalidInput) as wrong:
        memory.remember("x", kind="fix", by=ana)
    assert code(wrong) == "agent_required"
    older = ben.claim()
    ben.claim()
    with pytest.raises(Conflict) as stale:
        memory.remember("x", kind="fix", by=older)
    assert code(stale) == "stale_runtime"
    assert memory.status(by=ben).pending == 0


@pytest.mark.rule("L-MEM-02")
@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ({"text": "x" * 2_001}, "too_large"),
        ({"evidence": "x" * 301}, "too_large"),
        ({"text": " "}, "invalid_request"),
        ({"text": ""}, "invalid_request"),
        ({"text": "\ud800"}, "invalid_request"),
        ({"text": None}, "invalid_request"),
        ({"kind": "idea"}, "invalid_request"),
        ({"about": "nowhere.00000001"}, "memory_entry_not_found"),
        ({"about": 3}, "invalid_request"),
    ],
)
def test_what_is_given_is_within_bounds(
    memory: Memory, ben: Conversation, given: dict[str, Any], wrong: str
) -> None:
    with pytest.raises(RoomsError) as raised:
        give(memory, ben, **given)

    assert code(raised) == wrong
    memory.remember("x" * 2_000, kind="fix", evidence="y" * 300, by=ben)


@pytest.mark.rule("L-MEM-02")
def test_a_correction_is_about_an_active_entry_or_a_waiting_fragment(
    memory: Memory, ben: Conversation, cy: Conversation
) -> None:
    entry, waiting = added(memory, cy), give(memory, ben)
    assert memory.own(by=ben)[0].about is None
    for about in (entry, waiting):
        correction = give(memory, ben, "Not so.", about=about)
        assert memory.own(by=ben)[-1].about == about
    run(memory, cy, ArchiveEntry(entry=entry), RefuseFragment(fragment=correction))
    for gone in (entry, correction):
        with pytest.raises(NotFound) as raised:
            give(memory, ben, about=gone)
        assert code(raised) == "memory_entry_not_found"


@pytest.mark.rule("L-MEM-03", "L-LIMIT-07")
def test_two_hundred_wait_and_no_more(
    memory: Memory, lobby: Lobby, ben: Conversation, cy: Conversation
) -> None:
    with lobby.batch():
        given = [give(memory, ben, f"{n}") for n in range(200)]
    with pytest.raises(OverLimit) as raised:
        give(memory, ben)
    assert code(raised) == "memory_backlog"
    assert memory.status(by=ben).pending == 200

    run(memory, cy, RefuseFragment(fragment=given[0]))

    give(memory, ben)


@pytest.mark.rule("L-MEM-03", "L-MEM-11")
@pytest.mark.parametrize(
    "secret",
    [
        GHP,
        "AKIA" + "ABCDEFGH23456789",
        "-----BEGIN RSA PRIVATE KEY-----",
        "postgres://app:hunter2@db.example/x",
        "password = correct-horse",
        "sk-" + "a" * 32,
        "Authorization: Bearer " + "a1" * 15,
    ],
)
def test_what_looks_like_a_credential_is_stored_nowhere(
    memory: Memory, place: Place, ben: Conversation, cy: Conversation, secret: str
) -> None:
    tries: list[Callable[[], object]] = [
        lambda: give(memory, ben, f"Use {secret} there."),
        lambda: give(memory, ben, evidence=secret),
        lambda: added(memory, cy, text=secret),
        lambda: added(memory, cy, title=secret),
        lambda: run(memory, cy, VerifyEntry(entry="x"), summary=secret),
    ]
    for attempt in tries:
        with pytest.raises(InvalidInput) as raised:
            attempt()
        assert code(raised) == "secret_refused"
        assert secret not in str(raised.value)
    if place.url.startswith("sqlite"):
        folder = Path(place.url.removeprefix("sqlite:///").partition("?")[0]).parent
        stored = b"".join(file.read_bytes() for file in folder.iterdir())
        assert secret.encode() not in stored


def test_words_about_credentials_pass(memory: Memory, ben: Conversation) -> None:
    give(memory, ben, "Tokens begin with ghp_; the password is in the vault.")

    assert memory.status(by=ben).pending == 1


@pytest.mark.rule("L-MEM-04")
def test_the_same_request_is_answered_with_the_fragment_as_it_stands(
    memory: Memory, ben: Conversation, cy: Conversation
) -> None:
    first = give(memory, ben, request_id="r-1")
    again = memory.remember("Learned.", kind="gotcha", by=ben, request_id="r-1")
    assert (again.id, again.state, again.note) == (first, "pending", "")
    run(memory, cy, RefuseFragment(fragment=first, reason="Known."))

    again = memory.remember("Learned.", kind="gotcha", by=ben, request_id="r-1")

    assert (again.id, again.state, again.note) == (first, "refused", "Known.")
    assert memory.status(by=ben).pending == 0
    with pytest.raises(IdempotencyConflict):
        give(memory, ben, "Else.", request_id="r-1")


@pytest.mark.rule("L-MEM-05")
def test_entries_by_id_and_why_others_are_missing(
    memory: Memory, ben: Conversation, cy: Conversation
) -> None:
    kept, gone, merged = (added(memory, cy, f"{n} → x") for n in range(3))
    run(
        memory,
        cy,
        ArchiveEntry(entry=gone, reason="Old."),
        ArchiveEntry(entry=merged, into=kept),
    )
    found = memory.entries([kept, gone, merged, "elsewhere.00000009"], by=ben)

    assert [one.id for one in found.items] == [kept]
    assert found.missing == {
        gone: "archived",
        merged: f"merged into {kept}",
        "elsewhere.00000009": "unknown",
    }
    with pytest.raises(InvalidInput) as raised:
        memory.entries([f"{n}" for n in range(21)], by=ben)
    assert code(raised) == "too_many"


@pytest.mark.rule("L-MEM-05")
def test_ones_own_are_those_of_thirty_days(
    memory: Memory, ben: Conversation, cy: Conversation, clock: Clock
) -> None:
    old = give(memory, ben)
    give(memory, cy)
    clock.advance(days=29, hours=23)
    new = give(memory, ben)
    assert [one.id for one in memory.own(by=ben)] == [old, new]
    clock.advance(hours=1)
    assert [one.id for one in memory.own(by=ben)] == [new]


@pytest.mark.rule("L-MEM-06")
def test_a_query_finds_what_it_names_the_best_first(
    memory: Memory, ben: Conversation, cy: Conversation
) -> None:
    in_title = added(memory, cy, "fuse trips → one thing at a time")
    in_keywords = added(memory, cy, "kitchen → ask", keywords=("fuses",))
    added(memory, cy, "oven → preheat", text="It has a fuse, too.")  # in the text only
    added(memory, cy, "kettle → descale")

    assert [one.id for one in memory.recall("Fuse", by=ben)] == [in_title, in_keywords]
    assert memory.recall("dishwasher", by=ben) == ()
    assert memory.recall("", by=ben) == ()


@pytest.mark.rule("L-MEM-07", "L-MEM-10")
def test_an_entry_says_what_it_is_from_whom_and_when_it_was_checked(
    memory: Memory, ben: Conversation, cy: Conversation, clock: Clock
) -> None:
    given = [give(memory, ben, evidence=f"e{n}") for n in range(12)]
    entry = added(
        *(memory, cy),
        kind="fix",
        keywords=("k",),
        sources=tuple(given),
        commit="abc1234",
    )
    [found] = memory.entries([entry], by=ben).items

    assert (found.kind, found.title, found.text) == ("fix", "a → b", "Why.")
    assert found.keywords == ("k",)
    assert found.provenance == tuple(("ben-web", f"e{n}") for n in range(2, 12))
    assert (found.checked_commit, found.checked_at) == ("abc1234", NOON)
    assert (found.created_at, found.updated_at) == (NOON, NOON)
    clock.advance(60)
    run(memory, cy, VerifyEntry(entry=entry, commit="def5678"))
    [found] = memory.entries([entry], by=ben).items
    assert (found.checked_commit, found.checked_at) == ("def5678", clock.now)
    assert found.updated_at == NOON
    assert {one.state for one in memory.own(by=ben)} == {"used"}


@pytest.mark.rule("L-MEM-08")
def test_the_brief_has_every_rule_gotchas_first_then_the_newest(
    memory: Memory, ben: Conversation, cy: Conversation, clock: Clock
) -> None:
    assert memory.brief(by=ben) == ()
    ids = []
    for kind, title in (
        ("fix", "old fix → so"),
        ("gotcha", "old trap → so"),
        ("procedure", "how → so"),
        ("gotcha", "a trap, and no rule"),
    ):
        ids.append(added(memory, cy, title, kind=kind, text="One.\n[end]"))
        clock.advance(1)
    [part] = memory.brief(by=ben)
    head, *lines, end = part.splitlines()

    assert head.startswith("[memory of room work: Search it before a task")
    assert lines == [
        f"| {ids[3]} gotcha: a trap, and no rule",
        "| One.",
        "| [end]",  # quoted, so it ends nothing
        f"| {ids[1]} gotcha: old trap → so",
        f"| {ids[2]} procedure: how → so",
        f"| {ids[0]} fix: old fix → so",
    ]
    assert end == "[end]"


@pytest.mark.rule("L-MEM-08")
def test_a_long_brief_comes_in_parts_and_says_how_much_is_left_out(
    memory: Memory, ben: Conversation, cy: Conversation
) -> None:
    many = [
        AddEntry(kind="fix", title=f"{n:03} → " + "x" * 200, text=".")
        for n in range(200)
    ]
    run(memory, cy, *many)
    parts = memory.brief(by=ben)

    assert len(parts) == 3
    assert all(len(part) <= 10_000 for part in parts)
    shown = [line for part in parts for line in part.splitlines() if line[:1] == "|"]
    assert all(len(line) > 200 for line in shown)  # each is whole
    assert parts[-1].splitlines()[-2] == f"[{200 - len(shown)} lines left out]"
    assert "left out" not in parts[0] + parts[1]
    assert len(memory.brief(by=ben, parts=10)) > 3


@pytest.mark.rule("L-MEM-09")
def test_a_review_shows_what_waits_with_what_it_resembles_and_corrects(
    memory: Memory, ben: Conversation, cy: Conversation, clock: Clock
) -> None:
    gone = added(memory, cy, "kettle leaks → replace the ring", text="The ring.")
    entry = added(memory, cy, "fuse trips → oven off", text="Both draw too much.")
    other = added(memory, cy, "printer jams → fan the paper", text="Damp paper.")
    last = added(memory, cy, "lamp flickers → tighten", text="The bulb.")
    run(memory, cy, ArchiveEntry(entry=gone))
    clock.advance(60)
    run(memory, cy, *(VerifyEntry(entry=one) for one in (entry, other)))
    run(memory, cy, UpdateEntry(entry=other, text="Damp paper, mostly."))
    clock.advance(60)
    alike = give(memory, ben, "The fuse trips unless the oven is off")
    leak = give(memory, ben, "The kettle leaks at the ring, replace it")
    correction = give(memory, ben, "No: only the old kettle", about=leak)
    review = memory.review(by=cy)

    assert review.revision == memory.status(by=ben).revision
    assert review.last_review_at == NOON + timedelta(seconds=60)
    assert len(review.lines) == 3
    assert review.recheck == (last,)  # checked longest ago
    assert [one.id for one in review.entries] == [entry, last]
    assert [one.id for one in review.fragments] == [alike, leak, correction]
    assert review.fragments[1].resembles == (gone,)
    assert review.changed == ()
    every = memory.review(by=cy, every=True)
    assert set(every.recheck) == {entry, other, last}
    with pytest.raises(NotAllowed) as raised:
        memory.review(by=ben)
    assert code(raised) == "not_curator"


@pytest.mark.rule("L-MEM-09")
def test_fifty_wait_longest_and_a_correction_comes_with_what_it_corrects(
    memory: Memory, lobby: Lobby, ben: Conversation, cy: Conversation
) -> None:
    with lobby.batch():
        given = [give(memory, ben, f"{n}") for n in range(60)]
    late = give(memory, ben, "Not so.", about=given[3])
    later = give(memory, ben, "Nor that.", about=given[55])
    shown = [one.id for one in memory.review(by=cy).fragments]

    assert shown == [*given[:50], late]
    run(memory, cy, *(RefuseFragment(fragment=one) for one in given[:50]))
    assert memory.review(by=cy).fragments[-1].id == later


@pytest.mark.rule("L-MEM-09")
def test_a_review_shows_what_had_not_landed_and_what_changed_since(
    memory: Memory, ben: Conversation, cy: Conversation, clock: Clock
) -> None:
    kept, gone = added(memory, cy, "x → y"), added(memory, cy, "z → y")
    given = give(memory, ben)
    clock.advance(60)
    memory.curate(
        [
            RefuseFragment(fragment=given, unlanded=True),
            UpdateEntry(entry=kept, text="Else."),
            ArchiveEntry(entry=gone),
        ],
        base=memory.review(by=cy).revision,
        by=cy,
    )

    assert [one.id for one in memory.review(by=cy).unlanded] == [given]
    clock.advance(days=29, hours=23)
    assert [one.id for one in memory.review(by=cy).unlanded] == [given]
    clock.advance(hours=2)
    assert memory.review(by=cy).unlanded == ()


@pytest.mark.rule("L-MEM-10")
def test_a_run_is_all_or_nothing_from_the_revision_that_was_read(
    memory: Memory, ben: Conversation, cy: Conversation, ana: Person
) -> None:
    base = memory.review(by=cy).revision
    good = AddEntry(kind="fix", title="a → b", text="c")
    with pytest.raises(NotFound) as raised:
        memory.curate([good, VerifyEntry(entry=f"{base}")], base=base, by=cy)
    assert code(raised) == "memory_entry_not_found"
    assert raised.value.details["field"] == "operations[1].entry"
    assert memory.status(by=ben).entries == 0

    done = memory.curate([good], base=base, by=cy)

    with pytest.raises(Conflict) as stale:
        memory.curate([good], base=base, by=cy)
    assert code(stale) == "stale_revision"
    assert stale.value.current == done.revision
    assert memory.review(by=cy).revision == done.revision
    disturbances: list[Callable[[], object]] = [
        lambda: memory.erase(done.added[0], by=ana),
        lambda: memory.appoint(None, by=ana).appoint("cy", by=ana),
    ]
    for disturb in disturbances:
        base = memory.review(by=cy).revision
        disturb()
        with pytest.raises(Conflict) as stale:
            memory.curate([good], base=base, by=cy)
        assert code(stale) == "stale_revision"


@pytest.mark.rule("L-MEM-10")
def test_a_fragment_that_comes_meanwhile_hinders_no_run(
    memory: Memory, ben: Conversation, cy: Conversation
) -> None:
    base = memory.review(by=cy).revision
    late = give(memory, ben)

    memory.curate([], base=base, by=cy)

    assert [one.id for one in memory.review(by=cy).fragments] == [late]


@pytest.mark.rule("L-MEM-10")
def test_only_the_curator_curates_while_it_is_a_member(
    memory: Memory, room: Room, ben: Conversation, cy: Conversation, ana: Person
) -> None:
    base = memory.review(by=cy).revision
    with pytest.raises(NotAllowed) as raised:
        memory.curate([], base=base, by=ben)
    assert code(raised) == "not_curator"
    older = cy.claim()
    cy.claim()
    with pytest.raises(Conflict) as stale:
        memory.curate([], base=base, by=older)
    assert code(stale) == "stale_runtime"
    room.leave(by=cy)
    with pytest.raises(Refused) as gone:
        memory.curate([], base=base, by=cy)
    assert code(gone) == "not_a_member"


@pytest.mark.rule("L-MEM-10")
@pytest.mark.parametrize("which", ["used", "twice", "elsewhere", "entry"])
def test_what_is_cited_waits_in_this_room(
    *,
    which: str,
    memory: Memory,
    lobby: Lobby,
    ben: Conversation,
    cy: Conversation,
    ana: Person,
) -> None:
    other = lobby.create_room("other", by=ana).join(by=ben).join(by=cy)
    other.memory.appoint("cy", by=ana)
    used = give(memory, ben)
    entry = added(memory, cy, sources=(used,))
    waits = give(memory, ben)
    sources = {
        "used": (used,),
        "twice": (waits, waits),
        "elsewhere": (give(other.memory, ben),),
        "entry": (entry,),
    }[which]
    with pytest.raises(NotFound) as raised:
        added(memory, cy, sources=sources)

    assert code(raised) == "memory_entry_not_found"
    assert memory.own(by=ben)[-1].state == "pending"


@pytest.mark.rule("L-MEM-10")
def test_a_doubt_stands_until_an_update_resolves_it(
    memory: Memory, ben: Conversation, cy: Conversation
) -> None:
    entry = added(memory, cy)
    doubt = give(memory, ben, "Not always.", about=entry)
    run(memory, cy, RefuseFragment(fragment=doubt, dispute=True))
    assert memory.entries([entry], by=ben).items[0].disputed
    assert memory.status(by=ben).disputed == 1
    run(memory, cy, UpdateEntry(entry=entry, text="Mostly."), VerifyEntry(entry=entry))
    assert memory.entries([entry], by=ben).items[0].disputed

    run(memory, cy, UpdateEntry(entry=entry, resolves=True), VerifyEntry(entry=entry))

    [found] = memory.entries([entry], by=ben).items
    assert (found.disputed, found.text) == (False, "Mostly.")


@pytest.mark.rule("L-MEM-10")
def test_entries_of_a_kind_are_merged_with_their_authors_and_evidence(
    memory: Memory, ben: Conversation, cy: Conversation
) -> None:
    one, two = (give(memory, by, evidence=f"of {by.agent}") for by in (ben, cy))
    into = added(memory, cy, "a → b", sources=(one,))
    gone = added(memory, cy, "a → c", sources=(two,))
    fix = added(memory, cy, kind="fix")
    for wrong in (fix, gone):
        with pytest.raises(InvalidInput) as raised:
            run(memory, cy, ArchiveEntry(entry=gone, into=wrong))
        assert raised.value.field == "operations[0].into"

    run(memory, cy, ArchiveEntry(entry=gone, into=into))

    [found] = memory.entries([into], by=ben).items
    assert found.title == "a → b"
    assert set(found.provenance) == {("ben-web", "of ben-web"), ("cy", "of cy")}


@pytest.mark.rule("L-MEM-10", "L-MEM-11")
@pytest.mark.parametrize(
    ("kind", "longest"), [("gotcha", 500), ("fix", 800), ("procedure", 2_000)]
)
def test_titles_and_texts_are_bounded_by_kind(
    memory: Memory, cy: Conversation, kind: str, longest: int
) -> None:
    entry = added(memory, cy, "x" * 250, kind=kind, text="x" * longest)
    for attempt in (
        lambda: added(memory, cy, kind=kind, text="x" * (longest + 1)),
        lambda: added(memory, cy, "x" * 251, kind=kind),
        lambda: run(memory, cy, UpdateEntry(entry=entry, text="x" * (longest + 1))),
    ):
        with pytest.raises(InvalidInput) as raised:
            attempt()
        assert code(raised) == "too_large"
    with pytest.raises(InvalidInput):
        added(memory, cy, "two\nlines")


@pytest.mark.rule("L-MEM-10")
def test_a_run_holds_five_hundred_operations(memory: Memory, cy: Conversation) -> None:
    entry = added(memory, cy)
    run(memory, cy, *[VerifyEntry(entry=entry)] * 500)
    with pytest.raises(InvalidInput) as raised:
        run(memory, cy, *[VerifyEntry(entry=entry)] * 501)

    assert code(raised) == "too_many"
    for nonsense in ("add", 7, [7], [None], {"op": "add"}):
        with pytest.raises(InvalidInput):
            memory.curate(nonsense, base=None, by=cy)  # type: ignore[arg-type]


@pytest.mark.rule("L-MEM-11")
def test_a_run_that_is_handed_in_again_is_done_once(
    memory: Memory, ben: Conversation, cy: Conversation
) -> None:
    base = memory.review(by=cy).revision
    sources = (give(memory, ben),)
    entry = AddEntry(kind="fix", title="a → b", text="c", sources=sources)
    first = memory.curate([entry], base=base, by=cy, request_id="a-1")
    run(memory, cy, VerifyEntry(entry=first.added[0]))
    again = memory.curate([entry], base=base, by=cy, request_id="a-1")

    assert again == Curation(first.revision, first.added, duplicate=True)
    assert memory.status(by=ben).entries == 1
    with pytest.raises(IdempotencyConflict):
        memory.curate([], base=base, by=cy, request_id="a-1")


@pytest.mark.rule("L-MEM-11", "L-MEM-14")
def test_the_owner_sees_everything_with_three_earlier_rows(
    memory: Memory, ben: Conversation, cy: Conversation, ana: Person
) -> None:
    given = give(memory, ben)
    entry = added(memory, cy, text="0")
    for number in range(1, 6):
        run(memory, cy, UpdateEntry(entry=entry, text=f"{number}"))
    gone = added(memory, cy)
    run(memory, cy, ArchiveEntry(entry=gone))
    entries, fragments = memory.listed(by=ana)

    assert [one.id for one in entries] == [entry, gone]
    assert entries[0].text == "5"
    assert [one.text for one in entries[0].earlier] == ["4", "3", "2"]
    assert entries[1].archived_at == NOON
    assert [one.id for one in fragments] == [given]
    with pytest.raises(NotAllowed) as raised:
        memory.listed(by=ben)
    assert code(raised) == "not_owner"


@pytest.mark.rule("L-MEM-12")
def test_a_curator_without_a_session_reports_as_anybody_posts(
    memory: Memory, room: Room, ben: Conversation, cy: Conversation
) -> None:
    first = room.post("Two added.", by=cy, to=[ben], request_id="report-1")
    again = room.post("Two added.", by=cy, to=[ben], request_id="report-1")

    assert again.duplicate
    assert again.message.id == first.message.id
    assert room.position == 1


@pytest.mark.rule("L-MEM-13")
def test_it_tells_what_waits_since_when_and_how_many_runs_failed(
    memory: Memory, ben: Conversation, cy: Conversation, clock: Clock
) -> None:
    give(memory, ben)
    clock.advance(60)
    give(memory, ben)
    for number in range(2):
        memory.fail("The model was away.", by=cy, request_id=f"f-{number}")
        memory.fail("The model was away.", by=cy, request_id=f"f-{number}")
    status = memory.status(by=ben)
    assert (status.pending, status.oldest_pending_at, status.failures) == (2, NOON, 2)
    with pytest.raises(NotAllowed):
        memory.fail("I try.", by=ben)

    run(memory, cy)

    assert memory.status(by=ben).failures == 0


@pytest.mark.rule("L-MEM-14")
def test_what_the_owner_erases_is_in_no_file(
    *,
    memory: Memory,
    place: Place,
    lobby: Lobby,
    ben: Conversation,
    cy: Conversation,
    ana: Person,
) -> None:
    given = give(memory, ben, "Marzipan fuse.", evidence="Nougat.")
    entry = added(memory, cy, "Praline → x", text="Fondant.", keywords=("Toffee",))
    run(memory, cy, UpdateEntry(entry=entry, text="Caramel."))
    run(memory, cy, ArchiveEntry(entry=entry, reason="Licorice."))
    with pytest.raises(NotAllowed):
        memory.erase(entry, by=ben)
    for one in (given, entry, entry):
        memory.erase(one, by=ana)

    assert memory.listed(by=ana) == ((), ())
    assert memory.entries([entry], by=ben).missing == {entry: "unknown"}
    with pytest.raises(NotFound):
        memory.erase(f"{memory.status(by=ben).revision}", by=ana)
    log = "".join(lobby.export())
    words = (
        "Marzipan",
        "Nougat",
        "Praline",
        "Fondant",
        "Toffee",
        "Caramel",
        "Licorice",
    )
    assert [word for word in words if word in log] == []
    assert all(not found.damages for found in lobby.verify().values())
    if place.url.startswith("sqlite"):
        lobby.close()
        folder = Path(place.url.removeprefix("sqlite:///").partition("?")[0]).parent
        stored = b"".join(file.read_bytes() for file in folder.iterdir())
        assert [word for word in words if word.encode() in stored] == []


@pytest.mark.rule("L-MEM-10")
def test_a_refused_fragment_can_lose_its_words_at_once(
    memory: Memory, lobby: Lobby, ben: Conversation, cy: Conversation
) -> None:
    given = give(memory, ben, "Marzipan.")
    run(memory, cy, RefuseFragment(fragment=given, reason="Private.", erase=True))
    [own] = memory.own(by=ben)

    assert (own.text, own.state, own.note) == ("", "refused", "Private.")
    assert "Marzipan" not in "".join(lobby.export())


@pytest.mark.rule("L-MEM-15")
def test_what_is_past_its_time_goes_with_its_words(
    *,
    memory: Memory,
    lobby: Lobby,
    ben: Conversation,
    cy: Conversation,
    ana: Person,
    clock: Clock,
) -> None:
    used, waits = give(memory, ben, "Marzipan."), give(memory, ben, "Nougat.")
    entry = added(memory, cy, text="Fondant.", sources=(used,))
    gone = added(memory, cy, text="Toffee.")
    run(memory, cy, UpdateEntry(entry=entry, text="Caramel."), ArchiveEntry(entry=gone))

    def kept() -> set[str]:
        memory.tidy(by=ben)
        log = "".join(lobby.export())
        words = ("Marzipan", "Nougat", "Fondant", "Caramel", "Toffee")
        return {word for word in words if word in log}

    for days, left in (
        (29, {"Marzipan", "Nougat", "Fondant", "Caramel", "Toffee"}),
        (30, {"Nougat", "Fondant", "Caramel", "Toffee"}),
        (89, {"Nougat", "Fondant", "Caramel", "Toffee"}),
        (90, {"Nougat", "Caramel", "Toffee"}),
        (364, {"Nougat", "Caramel", "Toffee"}),
        (365, {"Nougat", "Caramel"}),
    ):
        clock.now = NOON + timedelta(days=days)
        assert kept() == left, days
    entries, fragments = memory.listed(by=ana)
    assert [one.id for one in entries] == [entry]
    assert [one.id for one in fragments] == [waits]


@pytest.mark.rule("L-MEM-15")
def test_a_deleted_room_takes_its_memory_along(
    memory: Memory, room: Room, lobby: Lobby, ben: Conversation, ana: Person
) -> None:
    give(memory, ben, "Marzipan.")
    room.delete(by=ana)

    assert "Marzipan" not in "".join(lobby.export())
    with pytest.raises(NotFound):
        memory.status(by=ben)


def test_another_process_finds_the_memory_as_it_was_left(
    memory: Memory, place: Place, ben: Conversation, cy: Conversation
) -> None:
    given = give(memory, ben)
    entry = added(memory, cy)
    gone = give(memory, ben)
    run(memory, cy, RefuseFragment(fragment=gone, unlanded=True))
    memory.fail("The model was away.", by=cy)
    before = memory.review(by=cy)
    state = memory._desk.room(memory.room)
    assert decode(encode(state), RoomState) == state
    later = place.crash()
    there = later.room("work").memory
    again = there.review(by=later.agent("cy").conversation())

    assert again == before
    assert [one.id for one in again.fragments] == [given]
    assert [one.id for one in again.entries] == [entry]


def test_a_room_that_one_may_not_know_of_remembers_nothing(
    lobby: Lobby, ana: Person, ben: Conversation
) -> None:
    secret = lobby.create_room("secret", by=ana, access="invite_only").memory
    for attempt in (
        lambda: secret.recall("x", by=ben),
        lambda: secret.status(by=ben),
        lambda: give(secret, ben),
        lambda: secret.appoint("ben-web", by=ben),
    ):
        with pytest.raises(NotFound) as raised:
            attempt()
        assert code(raised) == "room_not_found"
