"""A team's life: prepared, adjusted, started, paused, resumed, cancelled, recovered."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve

from rooms import Lobby, RateWindow, presets
from rooms.errors import Conflict, InvalidInput, NotFound, RoomsError
from rooms.hooks import hookimpl
from rooms.lobby import Team
from rooms.log.team import GrantEnded, lifecycle
from rooms.team import (
    Asked,
    Blueprint,
    Envelope,
    Proposal,
    Questions,
    StopReason,
    TeamLimits,
)
from team.scene import BLUEPRINT, Scene, member


def refused(call: Any, *given: Any, **more: Any) -> str:
    with pytest.raises(RoomsError) as error:
        call(*given, **more)
    return error.value.code


# -- a draft


@pytest.mark.rule("S-PROPOSAL-01", "S-STATUS-10")
def test_a_draft_keeps_the_problem_word_for_word(scene: Scene) -> None:
    problem = "  Move the orders,\n\tplease. 🜁 "
    team = scene.lobby.teams(by=scene.ana).prepare(problem, BLUEPRINT)

    assert isinstance(team, Team)
    assert (team.status, team.problem) == ("draft", problem)
    assert [(one.key, one.status, one.tools) for one in team.members] == [
        *(("lead", "offline", ()), ("builder", "offline", ())),
        ("scout", "offline", ()),
    ]
    assert team.room.name == "Migrate the orders"
    assert team.blueprint == evolve(BLUEPRINT, delivery=team.proposal.delivery)


@pytest.mark.rule("S-PROPOSAL-01")
@pytest.mark.parametrize("problem", ["", " \n", None, 7, "\ud800", "x" * 100_001])
def test_a_problem_that_is_none_is_refused(scene: Scene, problem: Any) -> None:
    before = list(scene.lobby.export())

    with pytest.raises(InvalidInput):
        scene.lobby.teams(by=scene.ana).prepare(problem, BLUEPRINT)

    assert list(scene.lobby.export()) == before


def test_the_same_request_again_is_the_same_team(scene: Scene) -> None:
    first = scene.prepared(request_id="r-1")

    assert scene.prepared(request_id="r-1") == first
    assert scene.prepared(request_id="r-2") != first


@pytest.mark.rule("S-PROPOSAL-04")
def test_a_planner_that_has_questions_leaves_no_team(scene: Scene) -> None:
    before = list(scene.lobby.export())

    asked = scene.lobby.teams(by=scene.ana).prepare(
        "Fix it", lambda _: Questions(("Which table?",))
    )

    assert asked == Questions(("Which table?",))
    assert list(scene.lobby.export()) == before


@pytest.mark.rule("S-PROPOSAL-02", "S-PROPOSAL-07")
def test_what_was_clamped_is_shown_with_the_draft(scene: Scene) -> None:
    team = scene.prepared(evolve(BLUEPRINT, limits=TeamLimits(max_cost=9)))

    assert team.limits.max_cost == 5
    assert [(one.where, one.after) for one in team.proposal.clamps] == [
        ("limits.max_cost", "5.000000"),
        ("limits.max_member_cost", "2.500000"),
    ]


@pytest.mark.rule("S-PROPOSAL-03")
def test_an_instruction_changes_a_draft_and_never_above_what_is_allowed(
    scene: Scene,
) -> None:
    team = scene.prepared()
    began = team.room.id
    asked: list[Asked] = []

    def planner(request: Asked) -> Blueprint:
        asked.append(request)
        assert request.blueprint is not None
        assert team.status == "adjusting"
        return evolve(request.blueprint, title="Other", limits=TeamLimits(max_cost=99))

    assert team.adjust("Call it Other.", planner) is None
    assert (team.status, team.blueprint.title) == ("draft", "Other")
    assert team.limits.max_cost == 5
    assert (team.room.id, team.problem) == (began, "Move the orders, please.")
    assert [(one.problem, one.instruction) for one in asked] == [
        ("Move the orders, please.", "Call it Other.")
    ]


@pytest.mark.rule("S-STATUS-03")
def test_an_adjustment_that_fails_leaves_the_draft(scene: Scene) -> None:
    team = scene.prepared()

    def planner(_: Asked) -> Blueprint:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        team.adjust("Call it Other.", planner)

    assert team.status == "draft"
    assert team.blueprint.title == BLUEPRINT.title
    questions = Questions(("Why?",))
    assert team.adjust("Call it Other.", lambda _: questions) is questions
    assert team.status == "draft"


@pytest.mark.rule("S-STATUS-04")
def test_a_start_overtakes_an_adjustment(scene: Scene) -> None:
    team = scene.prepared()

    def planner(_: Asked) -> Blueprint:
        assert team.start().status == "ready"
        return evolve(BLUEPRINT, title="Too late")

    assert refused(team.adjust, "Call it Too late.", planner) == "invalid_transition"
    assert (team.status, team.blueprint.title) == ("ready", BLUEPRINT.title)


@pytest.mark.rule("S-PROPOSAL-03", "S-STATUS-03")
def test_a_team_that_is_ready_is_adjusted_and_gives_back_what_it_has(
    scene: Scene,
) -> None:
    host, team = scene.host(), scene.started()
    host.done.clear()

    team.adjust("Other", evolve(BLUEPRINT, title="Other"))

    assert (team.status, team.blueprint.title) == ("draft", "Other")
    assert host.done == [("remove", "lead"), ("remove", "builder")]
    assert team.room.members == ()
    assert {(one.status, one.tools) for one in team.members} == {("offline", ())}
    assert scene.lobby.take_wakes() == []
    assert team.start().status == "ready"


@pytest.mark.rule("S-PROPOSAL-03")
def test_a_team_that_runs_is_adjusted_no_more(scene: Scene) -> None:
    team = scene.started()
    with scene.turn("lead"):
        assert refused(team.adjust, "Other", BLUEPRINT) == "invalid_transition"


def test_a_room_of_a_team_is_made_in_no_other_way(scene: Scene) -> None:
    with pytest.raises(InvalidInput, match=r"Lobby\.teams"):
        scene.lobby.create_room("x", by=scene.ana, policy="team")


# -- the start


@pytest.mark.rule("S-PROPOSAL-12", "S-ACCESS-02", "S-ACCESS-09", "S-STATUS-10")
def test_a_start_places_grants_and_opens_in_this_order(scene: Scene) -> None:
    host, team = scene.host(), scene.prepared()
    seen: list[Any] = []

    def approve(proposal: Proposal) -> bool:
        seen.append((team.status, [one.workspace for one in team.members]))
        seen.append([one.tools for one in team.members])
        return proposal.members == 3

    assert team.start(approve=approve).status == "ready"
    assert host.done == [("place", "lead"), ("place", "builder")]
    assert seen == [("starting", ["/trees/lead", "/trees/builder", ""]), [(), (), ()]]
    assert [one.tools for one in team.members] == [
        *(("room", "read"), ("room", "read", "edit", "bash")),
        ("room", "read"),
    ]
    assert {one.status for one in team.members} == {"idle"}


@pytest.mark.rule("S-PROPOSAL-12")
def test_no_workspace_undoes_the_start(scene: Scene) -> None:
    host, team = scene.host(), scene.prepared()
    host.no_place_for = "builder"

    standing = team.start()

    assert (standing.status, standing.reason) == ("draft", "no_workspace")
    assert standing.text == "builder: host failed with OSError"
    assert host.done == [("place", "lead"), ("remove", "lead")]
    host.no_place_for = ""
    assert team.start().status == "ready"


@pytest.mark.rule("S-PROPOSAL-12")
@pytest.mark.parametrize("named", ["half a pair: \ud800", "x" * 4_097])
def test_a_workspace_that_is_no_place_undoes_the_start(
    scene: Scene, named: str
) -> None:
    class Odd:
        @hookimpl
        def rooms_place_member(self, place: Any) -> str:
            return named

    scene.lobby.register(Odd(), "odd")
    team = scene.prepared()

    standing = team.start()

    assert (standing.status, standing.reason) == ("draft", "no_workspace")
    assert standing.text == "lead: odd failed with InvalidInput"


@pytest.mark.rule("S-STATUS-03", "S-CONDUCTOR-13")
def test_a_conductor_whose_thread_is_refused_pauses_the_team(scene: Scene) -> None:
    class Odd:
        @hookimpl
        def rooms_start_conversation(self, start: Any) -> str:
            return "half a pair: \ud800"

    scene.lobby.register(Odd(), "odd")
    lead = member("lead", agent="Scouts", lead=True, access="read_only")

    standing = scene.prepared(evolve(BLUEPRINT, members=[lead])).start()

    assert str(standing) == "paused (conductor_failed)"
    assert standing.text == "its thread is refused: invalid_request"


@pytest.mark.rule("S-PROPOSAL-12", "S-APPROVE-07")
def test_a_no_to_the_placed_members_undoes_the_start(scene: Scene) -> None:
    host, team = scene.host(), scene.prepared()

    standing = team.start(approve=lambda _: False)

    assert (standing.status, standing.reason) == ("draft", "approval_refused")
    assert host.done[2:] == [("remove", "lead"), ("remove", "builder")]
    assert team.room.members == ()
    assert {one.status for one in team.members} == {"offline"}


@pytest.mark.rule("S-PROPOSAL-12")
def test_a_start_that_raises_is_undone(scene: Scene) -> None:
    team = scene.prepared()

    def approve(_: Proposal) -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        team.start(approve=approve)

    assert (team.standing.status, team.standing.reason) == ("draft", "interrupted")


def test_a_start_that_raises_and_cannot_be_undone_says_what_raised(
    scene: Scene,
) -> None:
    team = scene.prepared()

    def approve(_: Proposal) -> bool:
        scene.lobby.close()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        team.start(approve=approve)


@pytest.mark.rule("S-CONDUCTOR-13")
def test_a_conductor_that_cannot_open_pauses_the_team(scene: Scene) -> None:
    host, team = scene.host(), scene.prepared()
    host.away = True

    standing = team.start()

    assert (standing.status, standing.reason) == ("paused", "conductor_failed")
    assert team.resume().status == "running"


@pytest.mark.rule("S-PROPOSAL-12")
def test_the_conductor_alone_is_told_the_problem(scene: Scene) -> None:
    scene.started()

    wakes = scene.lobby.take_wakes()

    assert [str(one.conversation) for one in wakes] == ["agent:lead"]
    [message] = wakes[0].messages
    assert (message.content, message.sender) == (
        "Move the orders, please.",
        scene.ana,
    )


@pytest.mark.rule("S-PROPOSAL-11")
def test_a_result_for_a_chat_needs_one(scene: Scene) -> None:
    host = scene.host()
    blueprint, _ = scene.sending_to("invoking_chat")
    team = scene.prepared(blueprint)

    assert refused(team.start) == "no_chat"
    assert (team.status, host.done) == ("draft", [])
    with_chat = scene.prepared(*scene.sending_to("invoking_chat", chat="c-1"))
    assert with_chat.start().status == "ready"


def test_a_start_is_of_the_proposal_that_was_seen(scene: Scene) -> None:
    team = scene.prepared()
    seen = team.proposal.revision
    team.adjust("Other", evolve(BLUEPRINT, title="Other"))

    with pytest.raises(Conflict) as stale:
        team.start(revision=seen)

    assert stale.value.code == "stale_revision"
    assert stale.value.details["current"] == team.proposal.revision
    assert team.start(revision=team.proposal.revision).status == "ready"


@pytest.mark.rule("S-STATUS-04")
def test_of_two_starts_one_wins(scene: Scene) -> None:
    team, host = scene.prepared(), scene.host()
    other = scene.team(scene.place.open())

    def approve(_: Proposal) -> bool:
        codes.append(refused(other.start))
        return True

    codes: list[str] = []
    assert team.start(approve=approve).status == "ready"
    assert codes == ["invalid_transition"]
    assert host.done == [("place", "lead"), ("place", "builder")]


@pytest.mark.rule("S-STATUS-04")
def test_a_cancel_overtakes_a_start(scene: Scene) -> None:
    team, host = scene.prepared(), scene.host()

    def approve(_: Proposal) -> bool:
        team.cancel()
        return True

    assert refused(team.start, approve=approve) in {
        "room_finished",
        "invalid_transition",
    }
    assert team.status == "cancelled"
    assert ("remove", "lead") in host.done


def test_an_agent_that_is_not_there_is_told_before_anything_happens(
    scene: Scene,
) -> None:
    host = scene.host()
    lost = scene.prepared(
        evolve(BLUEPRINT, members=[*BLUEPRINT.members[:1], member("ghost")])
    )
    twice = scene.prepared(
        evolve(
            BLUEPRINT,
            members=[*BLUEPRINT.members, member("other", agent="builder")],
        )
    )

    assert refused(lost.start) == "agent_not_found"
    assert refused(twice.start) == "invalid_request"
    assert (lost.status, twice.status, host.done) == ("draft", "draft", [])


# -- turns, pauses


@pytest.mark.rule("S-STATUS-02")
def test_the_first_turn_makes_a_ready_team_run(scene: Scene) -> None:
    team = scene.started()
    [wake] = scene.lobby.take_wakes()

    assert team.status == "ready"
    with scene.lobby.turn(wake):
        assert team.status == "running"
        assert scene.status("lead") == "working"
    assert (team.status, scene.status("lead")) == ("running", "idle")


@pytest.mark.rule("S-STATUS-02")
def test_a_pause_between_selection_and_start_wins(scene: Scene) -> None:
    team = scene.started()
    [wake] = scene.lobby.take_wakes()
    team.pause()

    assert refused(scene.lobby.turn(wake).__enter__) == "stale_wake"
    assert team.status == "paused"
    assert scene.lobby.take_wakes() == []
    team.resume()
    [again] = scene.lobby.take_wakes()
    assert [one.content for one in again.messages] == ["Move the orders, please."]


@pytest.mark.rule("S-STATUS-06", "S-STATUS-11")
def test_story_4_a_pause_lets_turns_end_and_a_cancel_aborts_them(scene: Scene) -> None:
    team = scene.started()
    with scene.turn("lead"):
        assert team.pause("Lunch.").status == "pausing"
        assert str(team.standing) == "pausing (user_paused)"
    assert (team.standing.status, team.standing.reason) == ("paused", "user_paused")
    team.resume()
    with scene.turn("lead") as turn:
        team.pause()
        assert team.cancel("Enough.").status == "cancelled"
        assert refused(turn.reply, "Too late") == "stale_wake"
    assert team.status == "cancelled"  # and its late end brings nothing back
    assert {one.status for one in team.members} == {"completed"}
    assert team.standing.text == "Enough."


@pytest.mark.rule("S-STATUS-06")
def test_a_pause_waits_for_the_last_of_several_turns(scene: Scene) -> None:
    team = scene.started()
    with scene.turn("lead"):
        with scene.turn("builder"):
            assert team.pause().status == "pausing"
        assert team.status == "pausing"
    assert team.status == "paused"


@pytest.mark.rule("S-STATUS-06")
def test_a_turn_whose_host_died_holds_up_no_pause_for_ever(scene: Scene) -> None:
    team = scene.started()
    [wake] = scene.lobby.take_wakes()
    scene.lobby.turn(wake).__enter__()
    assert team.pause().status == "pausing"

    scene.place.clock.advance(minutes=16)
    assert scene.lobby.take_wakes() == []

    assert team.status == "paused"


@pytest.mark.rule("S-STATUS-06")
def test_a_turn_that_raises_ends_a_pause_too(scene: Scene) -> None:
    team = scene.started()
    turn = scene.turn("lead")
    turn.__enter__()
    team.pause()
    turn.__exit__(ZeroDivisionError, ZeroDivisionError(), None)

    assert team.status == "paused"


@pytest.mark.rule("S-STATUS-07")
def test_resume_works_from_paused_alone(scene: Scene) -> None:
    team = scene.prepared()

    assert refused(team.resume) == "invalid_transition"
    team.start()
    assert refused(team.resume) == "invalid_transition"
    team.pause()
    assert team.resume().status == "running"


@pytest.mark.rule("S-STATUS-04", "S-STATUS-05")
@pytest.mark.parametrize("action", ["pause", "resume", "cancel", "start"])
def test_a_team_that_is_over_refuses_everything(scene: Scene, action: str) -> None:
    team = scene.started()
    team.cancel()

    with pytest.raises(Conflict) as over:
        getattr(team, action)()

    assert (over.value.code, over.value.details["current"]) == (
        "room_finished",
        "cancelled",
    )
    assert refused(team.intervene, "Hello?") == "room_finished"
    assert refused(team.room.post, "Hello?", by=scene.ana) == "room_finished"
    assert scene.lobby.take_wakes() == []


@pytest.mark.rule("S-STATUS-12")
def test_the_end_is_stamped_once_as_it_begins(scene: Scene) -> None:
    scene.started()
    host = scene.host()

    def deliver(_: Any) -> str:
        scene.place.clock.advance(minutes=5)
        return "late"

    host.deliver = deliver
    scene.acts("lead").finish("Done.")
    began = scene.place.clock.at(0).timestamp() * 1e6

    state = scene.lobby._desk.room(scene.room)

    assert state.team is not None
    assert state.team.ended_at == began


@pytest.mark.rule("S-STATUS-12")
def test_a_team_that_fails_as_it_completes_has_ended_before(scene: Scene) -> None:
    scene.started()
    host = scene.host()

    def deliver(_: Any) -> str:
        scene.place.clock.advance(minutes=5)
        scene.does(lambda room: lifecycle.fail(room, reason="storage_failure", text=""))
        return "late"

    host.deliver = deliver
    assert refused(scene.acts("lead").finish, "Done.") == "room_finished"
    team = scene.lobby._desk.room(scene.room).team

    assert team is not None
    assert team.status == "failed"
    assert team.ended_at == scene.place.clock.at(0).timestamp() * 1e6


@pytest.mark.rule("S-STATUS-07")
def test_a_team_that_lost_its_grant_does_not_go_on(scene: Scene) -> None:
    team = scene.started()
    team.pause()
    scene.does(lambda _: [GrantEnded("revoked")])

    assert refused(team.resume) == "grant_lost"
    assert team.status == "paused"


@pytest.mark.rule("S-STATUS-11", "S-ACCESS-09", "S-WORKSPACE-06")
def test_a_cancel_saves_work_before_the_grant_goes(scene: Scene) -> None:
    host, team = scene.host(), scene.started()
    host.done.clear()

    team.cancel()

    assert host.done == [("keep", "lead"), ("keep", "builder")]
    assert [one.what for one in team.timeline(limit=1)] == ["grant_ended"]
    assert {one.tools for one in team.members} == {()}


def test_who_is_in_a_team_is_nobodys_to_change_by_the_way(scene: Scene) -> None:
    team = scene.started()
    other = scene.lobby.add_agent("other").conversation()
    builder = scene.conversation("builder")

    assert refused(team.room.join, by=other) == "room_not_found"
    codes = [
        refused(team.room.invite, "other", by=scene.ana),
        refused(team.room.leave, by=builder),
        refused(team.room.remove, "builder", by=scene.ana),
        refused(team.room.pause, by=scene.ana),
        refused(team.room.archive, by=scene.ana),
        refused(team.room.rest, by=builder),
        refused(team.room.delete, by=scene.ana),
        refused(team.room.post, "Hi", by=scene.ana, to=["agent:Scouts"]),
    ]
    assert codes == ["room_management_forbidden"] * 8
    assert len(team.room.conversations) == 3
    opened = evolve(team.room.policy, membership="open")
    assert refused(team.room.change_policy, opened, by=scene.ana) == "invalid_request"
    simple = evolve(team.room.policy, lifecycle="simple")
    assert refused(team.room.change_policy, simple, by=scene.ana) == "invalid_request"
    assert refused(scene.prepared, policy=opened) == "invalid_request"
    team.cancel()
    team.room.archive(by=scene.ana)
    assert refused(team.room.restore, by=scene.ana) == "room_management_forbidden"


@pytest.mark.rule("S-APPROVE-10")
@pytest.mark.parametrize("reason", StopReason)
def test_an_intervention_resumes_a_team_that_waits_for_the_person_alone(
    scene: Scene, reason: StopReason
) -> None:
    team = scene.started()
    scene.does(
        lambda room: lifecycle.pause_team(room, reason=reason.value, text="Stop.")
    )

    team.intervene("Here I am.")

    awaited = reason is StopReason.AWAITING_USER
    assert team.status == ("running" if awaited else "paused")


@pytest.mark.rule("S-STATUS-09")
@pytest.mark.parametrize("reason", ["no_progress", "deadlock", "user_paused"])
def test_what_only_progress_clears_is_seen_until_there_is_some(
    scene: Scene, reason: str
) -> None:
    team = scene.started()
    scene.does(lambda room: lifecycle.pause_team(room, reason=reason, text="Stop."))
    stays = reason != "user_paused"

    assert team.resume().reason == (reason if stays else "")
    with scene.turn("lead"):
        assert team.standing.reason == (reason if stays else "")
    scene.acts("lead").propose("change_strategy", text="Read first.")
    assert team.standing.reason == ""


# -- restarts


def restarted(scene: Scene) -> Lobby:
    lobby = scene.place.crash()
    lobby.recover_teams()
    scene.lobby = lobby
    return lobby


@pytest.mark.rule("S-RECOVER-01", "S-RECOVER-04")
def test_a_start_that_was_cut_is_a_draft_again_and_its_places_go(scene: Scene) -> None:
    host, team = scene.host(), scene.prepared()

    def approve(_: Proposal) -> bool:
        lobby = scene.place.crash()
        lobby.register(host, "host")
        lobby.recover_teams()
        return True

    assert refused(team.start, approve=approve) == "invalid_transition"
    assert (team.standing.status, team.standing.reason) == ("draft", "restart")
    assert host.done[2:4] == [("remove", "lead"), ("remove", "builder")]
    assert team.start().status == "ready"


@pytest.mark.rule("S-RECOVER-04")
def test_an_adjustment_that_was_cut_is_the_draft_as_it_was(scene: Scene) -> None:
    team = scene.prepared()

    def planner(_: Asked) -> Blueprint:
        restarted(scene)
        return evolve(BLUEPRINT, title="Too late")

    assert refused(team.adjust, "Other", planner) == "invalid_transition"
    assert (team.status, team.blueprint.title) == ("draft", BLUEPRINT.title)


@pytest.mark.rule("S-RECOVER-02", "S-RECOVER-03", "S-RECOVER-04")
def test_a_restart_releases_turns_and_a_pause_is_one(scene: Scene) -> None:
    team = scene.started()
    [wake] = scene.lobby.take_wakes()
    scene.lobby.turn(wake).__enter__()
    team.pause()

    lobby = restarted(scene)

    assert scene.team(lobby).status == "paused"
    scene.team(lobby).resume()
    [again] = lobby.take_wakes()
    assert [one.content for one in again.messages] == ["Move the orders, please."]


@pytest.mark.rule("S-RECOVER-04", "S-RECOVER-06")
@pytest.mark.parametrize("status", ["draft", "ready", "running", "paused"])
def test_where_a_team_stands_otherwise_it_stays(scene: Scene, status: str) -> None:
    team = scene.prepared()
    if status != "draft":
        team.start()
    if status == "running":
        with scene.turn("lead"):
            pass
    if status == "paused":
        team.pause()
    before = [one for one in team.timeline() if one.what != "message_posted"]

    lobby = restarted(scene)

    assert scene.team(lobby).status == status
    assert list(scene.team(lobby).timeline()) == before


@pytest.mark.rule("S-RECOVER-05")
def test_a_team_that_is_over_gives_up_its_grant_after_a_restart(scene: Scene) -> None:
    host, team = scene.host(), scene.started()

    host.stops = True  # between the cancel and the end of the grant
    with pytest.raises(KeyboardInterrupt):
        team.cancel()
    assert (team.status, team.members[0].tools) == ("cancelled", ("room", "read"))

    lobby = restarted(scene)

    assert scene.team(lobby).members[0].tools == ()


@pytest.mark.rule("S-RECOVER-08", "S-RECOVER-09")
def test_a_team_is_deleted_once_its_work_is_safe(scene: Scene) -> None:
    host, team = scene.host(), scene.started()
    host.unsaved = {"builder"}

    with pytest.raises(Conflict) as unsaved:
        team.delete()

    assert unsaved.value.code == "work_not_saved"
    assert team.status == "cancelled"
    host.unsaved = set()
    assert team.delete().former_members == ("lead", "builder", "Scouts")
    with pytest.raises(NotFound):
        _ = team.status


def test_a_draft_is_deleted_as_it_is(scene: Scene) -> None:
    host, team = scene.host(), scene.prepared(allow=Envelope())

    team.delete()

    assert host.done == []


def test_the_preset_is_that_of_a_team(scene: Scene) -> None:
    policy = scene.prepared().room.policy

    assert policy == presets.team()
    assert (policy.lifecycle, policy.membership) == ("managed", "fixed")
    assert (policy.settle_on, policy.history) == ("accept", "since_join")
    assert policy.send_window == RateWindow(20, timedelta(minutes=1))
    assert policy.max_message_chars == 4_000
    other = scene.prepared(policy=presets.team(max_message_chars=100))
    assert other.room.policy.max_message_chars == 100
