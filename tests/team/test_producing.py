"""Work and what comes of it, the conductor's note, the brief, and what is collected."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from hashlib import sha256
from typing import Any

import pytest
from attrs import evolve

from lobby.place import Place
from rooms import Lobby
from rooms.errors import IdempotencyConflict, NotFound, RoomsError
from rooms.hooks import hookimpl
from rooms.log import snapshots
from rooms.log.state import RoomState
from rooms.log.team import MemberMoved
from rooms.team import Envelope, WorkspaceMode
from rooms.team.artifacts import KINDS
from rooms.team.workspaces import mode_of
from team.scene import BLUEPRINT, Host, Scene


def refused(call: Callable[..., Any], *given: Any, **more: Any) -> str:
    with pytest.raises(RoomsError) as error:
        call(*given, **more)
    return error.value.code


def records(scene: Scene) -> int:
    return len(list(scene.lobby.export()))


# -- artifacts


@pytest.mark.rule("S-ARTIFACT-01", "S-ARTIFACT-02", "S-ARTIFACT-03")
def test_an_artifact_is_whoevers_who_hands_it_in(scene: Scene, place: Place) -> None:
    team = scene.started()
    builder = scene.acts("builder")
    work = builder.update_work(title="Write it.")
    made = builder.publish_artifact(
        "patch", "The migration", content="+ α\n", ref="branch x", work=work
    )

    told = (made.kind, made.title, made.member, made.ref, made.size, made.work)
    assert told == ("patch", "The migration", "builder", "branch x", 5, work.id)
    assert made.at == place.clock()
    assert team.artifacts == scene.acts("scout").artifacts == (made,)
    assert scene.acts("scout").read_artifact(made) == "+ α\n"
    assert team.read_artifact(made.id) == "+ α\n"
    assert team.work[0].artifacts == (made.id,)  # S-ARTIFACT-04
    kinds = [builder.publish_artifact(one, one, ref="x").kind for one in KINDS]
    assert kinds == [
        *("plan", "decision", "branch", "commit", "patch", "test_result"),
        *("review", "report", "pull_request", "final_answer"),
    ]


@pytest.mark.rule("S-ARTIFACT-04", "S-ARTIFACT-07")
def test_what_is_no_artifact_is_refused_and_changes_nothing(scene: Scene) -> None:
    scene.started()
    publish = scene.acts("builder").publish_artifact
    before = records(scene)
    other = f"{scene.room.removeprefix('room_')}.00000001"
    hostile: list[tuple[dict[str, Any], str]] = [
        ({"kind": "poem"}, "invalid_request"),
        ({"title": " "}, "invalid_request"),
        ({"title": 7}, "invalid_request"),
        ({"content": None}, "invalid_request"),
        ({"content": ""}, "invalid_request"),
        ({"content": "a\x00"}, "invalid_request"),
        ({"content": "a\ud800"}, "invalid_request"),
        ({"content": "é" * 131_073}, "too_large"),
        ({"ref": "r" * 2_001}, "invalid_request"),
        ({"work": other}, "unknown_work"),
        ({"work": "nothing"}, "unknown_work"),
        ({"work": ""}, "invalid_request"),
        ({"about": ["scout"]}, "invalid_request"),
        ({"kind": "decision", "about": ["nobody"]}, "unknown_member"),
        ({"kind": "decision", "about": "scout"}, "invalid_request"),
    ]
    for wrong, code in hostile:
        given = {"kind": "report", "title": "t", "content": "c"} | wrong
        assert refused(publish, **given) == code, wrong
    for id_ in (other, "nothing", "x.1"):
        assert refused(scene.acts("builder").read_artifact, id_) == "unknown_artifact"
    assert records(scene) == before

    made = publish("report", f" {'t' * 130} ", content="é" * 131_072)
    assert (made.title, made.size) == ("t" * 120, 262_144)
    assert publish("branch", "b", ref="main").size == 0
    assert scene.acts("builder").read_artifact(publish("branch", "b", ref="x")) == ""


@pytest.mark.rule("S-ARTIFACT-04")
def test_a_team_has_two_hundred_artifacts(scene: Scene) -> None:
    scene.started()
    publish = scene.acts("builder").publish_artifact
    for one in range(200):
        publish("commit", f"c{one}", ref="x")

    assert refused(publish, "commit", "one more", ref="x") == "too_many"
    assert len(scene.team().artifacts) == 200


@pytest.mark.rule("S-ARTIFACT-06")
def test_a_repeat_of_a_command_records_nothing(scene: Scene) -> None:
    scene.started()
    builder = scene.acts("builder")
    first = builder.publish_artifact("plan", "p", content="x", request_id="a")
    work = builder.update_work(title="w", request_id="w")
    before = records(scene)

    assert builder.publish_artifact("plan", "p", content="x", request_id="a") == first
    assert builder.update_work(title="w", request_id="w") == work
    with pytest.raises(IdempotencyConflict):
        builder.publish_artifact("plan", "p", content="y", request_id="a")
    with pytest.raises(IdempotencyConflict):
        builder.update_work(title="other", request_id="w")
    assert records(scene) == before


def test_a_content_goes_with_the_log_and_ends_with_the_room(scene: Scene) -> None:
    team = scene.started()
    made = scene.acts("builder").publish_artifact("report", "r", content="a secret")
    again = Lobby.import_from(scene.lobby.export(), "memory:")

    there = again.teams(by=again.person("ana")).team(scene.room)
    assert there.read_artifact(made.id) == "a secret"
    storage, digest = scene.lobby._desk.storage, sha256(b"a secret").hexdigest()
    assert b"".join(storage.blob(digest)) == b"a secret"
    team.delete()
    with pytest.raises(NotFound):
        list(storage.blob(digest))


# -- work


@pytest.mark.rule("S-ARTIFACT-05", "S-ARTIFACT-07")
def test_work_has_an_owner_a_status_and_what_it_waits_for(scene: Scene) -> None:
    team = scene.started()
    builder, scout = scene.acts("builder"), scene.acts("scout")
    first = builder.update_work(title="t" * 130)
    assert (first.title, first.status, first.owner) == ("t" * 120, "open", "builder")
    second = scout.update_work(title="Read.", owner="", depends_on=[first])
    assert (second.owner, second.depends_on) == (None, (first.id,))

    changed = scout.update_work(second, status="in review", notes="n" * 1_000)
    assert (changed.title, changed.status) == ("Read.", "in review")
    assert changed.depends_on == (first.id,)
    assert scout.update_work(second, owner="scout").owner == "scout"  # it takes it
    assert scout.update_work(second.id, depends_on=[]).depends_on == ()
    assert [one.id for one in team.work] == [first.id, second.id]
    before = records(scene)
    hostile: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((), {}, "invalid_request"),
        ((), {"title": ""}, "invalid_request"),
        ((first,), {"title": " "}, "invalid_request"),
        ((first,), {"status": "s" * 41}, "invalid_request"),
        ((first,), {"status": ""}, "invalid_request"),
        ((first,), {"notes": "n" * 1_001}, "invalid_request"),
        ((first,), {"notes": "\ud800"}, "invalid_request"),
        ((first,), {"depends_on": [first]}, "invalid_request"),
        ((first,), {"depends_on": ["x"]}, "unknown_work"),
        ((first,), {"depends_on": first.id}, "invalid_request"),
        ((first,), {"depends_on": [first.id] * 201}, "invalid_request"),
        ((first,), {"owner": 7}, "invalid_request"),
        (("nothing",), {"status": "done"}, "unknown_work"),
        ((7,), {"status": "done"}, "invalid_request"),
    ]
    for given, more, code in hostile:
        assert refused(builder.update_work, *given, **more) == code, more
    assert records(scene) == before


@pytest.mark.rule("S-ARTIFACT-05")
def test_a_team_has_two_hundred_pieces_of_work(scene: Scene) -> None:
    scene.started()
    update = scene.acts("builder").update_work
    items = [update(title=f"w{one}") for one in range(200)]

    assert refused(update, title="one more") == "too_many"
    assert update(items[0], status="done").status == "done"


@pytest.mark.rule("S-CONDUCTOR-08", "S-ARTIFACT-07")
def test_only_the_conductor_puts_work_on_another(scene: Scene) -> None:
    scene.started()
    lead, builder, scout = map(scene.acts, ("lead", "builder", "scout"))
    before = records(scene)
    assert refused(builder.update_work, title="x", owner="scout") == "lead_only"
    assert records(scene) == before

    work = lead.update_work(title="x", owner="scout")
    assert work.owner == "scout"
    assert refused(builder.update_work, work, owner="lead") == "lead_only"
    assert builder.update_work(work, notes="Mind the view.").owner == "scout"
    assert builder.update_work(work, owner="builder").owner == "builder"
    assert scout.update_work(work, owner="").owner is None
    assert refused(lead.update_work, work, owner="nobody") == "unknown_member"
    lead.propose("retire_member", "scout")
    assert refused(lead.update_work, work, owner="scout") == "unknown_member"


@pytest.mark.rule("S-ARTIFACT-07")
def test_a_team_that_is_over_has_no_more_of_it(scene: Scene) -> None:
    team = scene.started()
    builder = scene.acts("builder")
    team.cancel()

    assert refused(builder.update_work, title="x") == "room_finished"
    assert refused(builder.publish_artifact, "plan", "x", ref="y") == "room_finished"


# -- the brief


@pytest.mark.rule("S-BRIEF-01", "S-BRIEF-02")
def test_the_brief_is_computed_from_records_and_no_message_changes_it(
    scene: Scene,
) -> None:
    team = scene.started()
    lead, builder = scene.acts("lead"), scene.acts("builder")
    decision = lead.publish_artifact("decision", "By hand.", content="No tools.")
    work = builder.update_work(title="Write it.", status="blocked")
    patch = builder.publish_artifact("patch", "p", ref="x")
    brief = lead.brief

    assert brief.objective == "The orders live in the new table."
    assert brief.criteria == ("All tests pass.",)
    assert (brief.decisions, brief.work) == ((decision,), (work,))
    assert brief.artifacts == (decision, patch)
    assert [(one.member, one.work) for one in brief.blockers] == [("builder", work)]
    assert brief.mandate == "Do lead things."
    assert team.brief == evolve(brief, mandate="")
    builder.send("Decision: the objective is tea. builder is blocked.", to=["lead"])
    team.intervene("Decision: stop everything.")
    assert lead.brief == brief


@pytest.mark.rule("S-BRIEF-01", "S-BRIEF-03")
def test_open_questions_stand_in_the_conductors_brief(scene: Scene) -> None:
    scene.started()
    builder = scene.acts("builder")
    for one in range(9):
        builder.ask(f"Why {one}?", to=["scout"], wait=False)

    asked = [one.text for one in scene.acts("lead").brief.questions]
    assert asked == [f"Why {one}?" for one in range(8)]
    assert scene.team().brief.questions == scene.acts("lead").brief.questions
    assert builder.brief.questions == ()


def noting(handed: list[Any]) -> Callable[[Any], str]:
    def deliver(sending: Any) -> str:
        handed.append(sending)
        return "ref"

    return deliver


@pytest.mark.rule("S-DELIVER-10")
def test_the_chat_is_told_what_came_of_it(scene: Scene, place: Place) -> None:
    handed: list[Any] = []
    scene.host().deliver = noting(handed)
    scene.started(BLUEPRINT, Envelope(chat="ana's chat"))
    lead = scene.acts("lead")
    for one in range(10):
        lead.publish_artifact("commit", f"c{one}", ref="x")
        lead.update_work(title=f"w{one}")
    lead.update_work(lead.work[0], status="done")
    lead.ask("Why?", to=["builder"], wait=False)
    with scene.turn("lead") as turn:
        place.clock.advance(60)
        scene.lobby.report_usage(turn, cost=1.5, tokens=7)
    lead.finish("All moved.")

    told = handed[-1]
    assert (told.destination, told.text) == ("invoking_chat", "All moved.")
    result = told.result
    assert [one.title for one in result.artifacts] == [
        f"c{one}" for one in range(2, 10)
    ]
    assert [one.title for one in result.unresolved] == [
        f"w{one}" for one in range(1, 9)
    ]
    assert (result.usage.turns, result.usage.cost) == (1, Decimal("1.5"))
    assert result.usage.worked == timedelta(minutes=1)


@pytest.mark.rule("S-DELIVER-10")
def test_questions_are_unresolved_too(scene: Scene) -> None:
    handed: list[Any] = []
    scene.host().deliver = noting(handed)
    scene.started()
    lead = scene.acts("lead")
    work = lead.update_work(title="w")
    lead.ask("Why?", to=["builder"], wait=False)
    lead.finish("All moved.")

    first, second = handed[0].result.unresolved
    assert (first, second.text) == (work, "Why?")


@pytest.mark.rule("S-BRIEF-03")
def test_each_list_has_eight(scene: Scene) -> None:
    scene.started()
    lead = scene.acts("lead")
    for one in range(10):
        lead.publish_artifact("decision", f"d{one}", ref="x")
        lead.update_work(title=f"w{one}", status="blocked")
    for work in lead.work[:1]:
        lead.update_work(work, status="cancelled")
    brief = lead.brief

    newest = [f"d{one}" for one in range(2, 10)]
    assert [one.title for one in brief.decisions] == newest
    assert [one.title for one in brief.artifacts] == newest
    assert [one.title for one in brief.work] == [f"w{one}" for one in range(2, 10)]
    stuck = [one.work.title for one in brief.blockers if one.work is not None]
    assert stuck == [f"w{one}" for one in range(1, 9)]  # the first


@pytest.mark.rule("S-BRIEF-03")
def test_a_member_that_is_blocked_is_a_blocker(scene: Scene) -> None:
    scene.started()
    scene.does(lambda _: [MemberMoved("scout", "blocked")])

    assert [one.member for one in scene.acts("lead").brief.blockers] == ["scout"]
    assert scene.acts("builder").brief.blockers == ()


@pytest.mark.rule("S-BRIEF-04")
def test_the_note_is_the_conductors_and_alters_nothing(scene: Scene) -> None:
    scene.started()
    lead, builder = scene.acts("lead"), scene.acts("builder")
    before = lead.brief
    lead.publish_note("Objective: tea. Mind the view.")

    assert lead.brief == evolve(before, note="Objective: tea. Mind the view.")
    builder.update_work(title="x")
    assert builder.brief.note == "Objective: tea. Mind the view."
    stood = records(scene)
    assert refused(builder.publish_note, "Mine.") == "lead_only"
    assert refused(lead.publish_note, "n" * 501) == "invalid_request"
    assert refused(lead.publish_note, 7) == "invalid_request"
    assert records(scene) == stood
    lead.publish_note("n" * 500)
    lead.publish_note("")
    assert lead.brief.note == ""
    stood = records(scene)
    lead.publish_note(" ")
    assert records(scene) == stood  # nothing to clear


@pytest.mark.rule("S-BRIEF-05", "S-BRIEF-06")
def test_a_member_sees_what_concerns_it_by_its_key(scene: Scene) -> None:
    scene.started()
    lead, builder, scout = map(scene.acts, ("lead", "builder", "scout"))
    lead.publish_artifact("decision", "for all", ref="x")
    lead.publish_artifact("decision", "builder is told", ref="x", about=["scout"])
    mine = builder.update_work(title="scout's, says the title", status="blocked")
    lead.publish_note("Note.")

    seen = builder.brief
    assert [one.title for one in seen.decisions] == ["for all"]
    assert seen.work == (mine,)
    assert [one.member for one in seen.blockers] == ["builder"]
    assert (seen.mandate, seen.note) == ("Do builder things.", "Note.")
    assert seen.artifacts == ()
    told = [one.title for one in scout.brief.decisions]
    assert told == ["for all", "builder is told"]
    assert (scout.brief.work, scout.brief.blockers) == ((), ())
    assert len(lead.brief.decisions) == 2
    assert lead.brief.work == (mine,)


def test_what_is_produced_is_progress_and_a_note_is_none(
    scene: Scene, place: Place
) -> None:
    scene.started()
    lead = scene.acts("lead")

    def progressed() -> int:
        state = scene.lobby._desk.room(scene.room)
        assert state.team is not None
        return state.team.progressed_at

    last = progressed()
    for act in (
        lambda: lead.update_work(title="w"),
        lambda: lead.publish_artifact("plan", "p", ref="x"),
    ):
        place.clock.advance(60)
        act()
        assert progressed() == last + timedelta(minutes=1) // timedelta(microseconds=1)
        last = progressed()
    place.clock.advance(60)
    lead.publish_note("n")
    assert progressed() == last


def test_a_snapshot_has_what_was_produced(scene: Scene) -> None:
    scene.started()
    lead = scene.acts("lead")
    work = lead.update_work(title="a")
    lead.update_work(title="b", depends_on=[work])
    lead.publish_artifact("decision", "d", ref="x", about=["scout"], work=work)
    lead.publish_note("n")
    state = scene.lobby._desk.room(scene.room)
    read = snapshots.decode(snapshots.encode(state), RoomState)

    assert read == state


# -- workspaces


@pytest.mark.rule("S-WORKSPACE-01", "S-WORKSPACE-02")
def test_modes_go_by_reach_and_who_reads_needs_no_worktree(scene: Scene) -> None:
    assert [one.value for one in WorkspaceMode] == [
        *("read_only_shared", "worktree_per_member", "shared_working_tree"),
    ]
    for workspace in WorkspaceMode:
        for shared in (True, False):
            reads = mode_of("read_only", workspace, shared_tree=shared)
            assert reads is WorkspaceMode.READ_ONLY_SHARED
    assert BLUEPRINT.workspace == WorkspaceMode.WORKTREE_PER_MEMBER
    host = scene.host()
    scene.started()
    placed = [key for what, key in host.done if what == "place"]
    assert placed == ["lead", "builder"]  # and no scout, which only reads
    assert [one.workspace for one in scene.team().members][2] == ""


@pytest.mark.rule("S-WORKSPACE-05")
def test_a_checkout_is_the_same_after_a_restart(scene: Scene, place: Place) -> None:
    host = scene.host()
    scene.started()
    before = [one.workspace for one in scene.team().members]
    done = list(host.done)

    lobby = place.open()
    lobby.register(host, "host")
    lobby.recover_teams()
    assert [one.workspace for one in scene.team(lobby).members] == before
    assert before == ["/trees/lead", "/trees/builder", ""]
    assert host.done == done


class Checkouts(Host):
    """A host that knows which files members changed."""

    files: dict[str, Any]

    @hookimpl
    def rooms_changed_files(self, place: Any) -> Any:
        self.done.append(("files", place.key))
        return self.files[place.key]


@pytest.mark.rule("S-WORKSPACE-07")
def test_collecting_saves_first_and_names_what_several_changed(scene: Scene) -> None:
    host = Checkouts()
    host.files = {"lead": ["a.py", "b.py"], "builder": ("b.py", "c.py")}
    scene.lobby.register(host, "host")
    scene.started()
    host.done.clear()
    host.unsaved = {"builder"}
    found = scene.acts("lead").collect()

    assert host.done == [
        *(("keep", "lead"), ("keep", "builder")),
        *(("files", "lead"), ("files", "builder")),
    ]
    assert dict(found.files) == {"lead": ("a.py", "b.py"), "builder": ("b.py", "c.py")}
    assert dict(found.overlaps) == {"b.py": ("lead", "builder")}
    assert found.unsaved == ("builder",)
    assert refused(scene.acts("builder").collect) == "lead_only"
    host.files = {"lead": "a.py", "builder": 7}  # which are no paths
    assert dict(scene.acts("lead").collect().files) == {"lead": (), "builder": ()}


def test_without_a_host_there_is_nothing_to_collect(scene: Scene) -> None:
    scene.started(allow=Envelope())
    found = scene.acts("lead").collect()

    assert (dict(found.overlaps), found.unsaved) == ({}, ())
