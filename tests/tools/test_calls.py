"""Calls: each tool does what its Python call does, by the caller's identity."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from lobby.place import Clock, Place
from rooms import (
    Conflict,
    Conversation,
    IdempotencyConflict,
    InvalidInput,
    Lobby,
    NotAllowed,
    NotFound,
    Room,
    RoomPolicy,
    RoomsError,
    hookimpl,
    tools,
)
from rooms.lobby import Team
from rooms.lobby.memory import AddEntry
from rooms.team import Blueprint, Destination, MemberPlan
from rooms.tools.catalogue import NOT_DISPATCHABLE, TOOLS


def call(name: str, by: Any, /, **arguments: Any) -> Any:
    """A call whose answer has to be JSON's own types."""
    answer = tools.call(name, arguments, by=by)
    assert json.loads(json.dumps(answer)) == answer
    return answer


def test_two_agents_talk_through_tools_alone(
    tea: Room, eve: Conversation, ben: Conversation
) -> None:
    asked = call("post_message", ben, room="tea", content="Tea?", to=["agent:Eve/acme"])

    assert asked["woken"] == ["agent:Eve/acme"]
    [wake] = call("take_wakes", eve)["wakes"]
    assert (wake["room"], wake["name"], wake["kind"]) == (tea.id, "tea", "turn")
    [message] = wake["messages"]
    assert message["sender"] == "agent:ben"
    assert message["content"] == "Tea?"
    assert message["why"] == "tagged"

    answered = call(
        "post_message", eve, room=tea.id, content="Yes.", reply_to=message["id"]
    )

    assert answered["woken"] == ["agent:ben"]
    assert call("take_wakes", eve)["wakes"] == []  # which says that it was told
    [wake] = call("take_wakes", ben)["wakes"]
    assert wake["messages"][0]["reply_to"] == asked["message"]["id"]


def test_who_takes_again_has_been_told_and_who_does_not_is_told_again(
    lobby: Lobby, tea: Room, eve: Conversation, ben: Conversation, clock: Clock
) -> None:
    tea.post("One.", by=ben, to=[eve])
    assert len(call("take_wakes", eve)["wakes"]) == 1
    clock.advance(minutes=15)  # the claim has run out, and nobody came back
    [again] = call("take_wakes", eve)["wakes"]
    assert again["messages"][0]["content"] == "One."
    assert call("take_wakes", eve)["wakes"] == []
    clock.advance(minutes=15)
    assert lobby.take_wakes() == []


def test_within_a_turn_taking_fetches_what_came_meanwhile(
    lobby: Lobby, tea: Room, eve: Conversation, ben: Conversation
) -> None:
    tea.post("One.", by=ben, to=[eve])
    [wake] = lobby.take_wakes(conversations=[eve])
    with lobby.turn(wake) as turn:
        tea.post("Two.", by=ben, to=[eve])
        [notice] = call("take_wakes", turn)["wakes"]

    assert notice["kind"] == "notice"
    assert [one["content"] for one in notice["messages"]] == ["Two."]
    assert lobby.take_wakes() == []


def test_pages_search_exchange_and_why(
    tea: Room, eve: Conversation, ben: Conversation
) -> None:
    for number in range(1, 6):
        tea.post(f"Cup {number}", by=ben, to=[eve] if number == 2 else ())

    newest = call("read_messages", eve, room="tea", limit=2)
    assert [one["content"] for one in newest["messages"]] == ["Cup 4", "Cup 5"]
    before = newest["previous_cursor"]
    older = call("read_messages", eve, room="tea", limit=2, before=before)
    assert [one["seq"] for one in older["messages"]] == [2, 3]
    first = call("read_messages", eve, room="tea", limit=3, after=0)
    assert [one["seq"] for one in first["messages"]] == [1, 2, 3]
    assert first["next_cursor"] == 3
    own = call("read_exchange", eve, room="tea")
    assert [one["seq"] for one in own["messages"]] == [2]
    bens = call("read_exchange", eve, room="tea", of="agent:ben")
    assert len(bens["messages"]) == 5
    anas = call("read_exchange", eve, room="tea", of="person:ana")
    assert anas["messages"] == []
    eves = call("read_exchange", ben, room="tea", of="agent:Eve/acme")
    assert [one["seq"] for one in eves["messages"]] == [2]
    [found] = call("search_messages", ben, room="tea", query="cup 3")["messages"]
    assert found["seq"] == 3
    why = call("explain_message", ben, room="tea", message=older["messages"][0]["id"])
    outcomes = {seat["address"]: seat["outcome"] for seat in why["seats"]}
    assert outcomes == {"agent:Eve/acme": "woken", "agent:ben": "author"}
    with pytest.raises(NotFound) as raised:
        call("read_exchange", ben, room="tea", of="agent:Eve/nobody")
    assert raised.value.code == "unknown_address"
    with pytest.raises(InvalidInput, match="stands beside"):
        call("read_messages", ben, room="tea", after=0, before=3)


def test_reading_settles_as_the_python_call_does(
    lobby: Lobby, tea: Room, eve: Conversation, ben: Conversation
) -> None:
    tea.post("Tea?", by=ben, to=[eve])
    call("read_messages", eve, room="tea")

    assert lobby.take_wakes() == []


def test_rooms_are_made_found_joined_and_left(
    lobby: Lobby, tea: Room, eve: Conversation, ben: Conversation
) -> None:
    made = call(
        *("create_room", eve),
        name="plans",
        access="invite_only",
        policy="hall",
        invite=["agent:ben"],
        request_id="r-1",
    )
    plans = lobby.room(made["room"])
    assert plans.policy == RoomPolicy.from_record(plans.policy.recorded())
    listed = call("list_rooms", ben)["rooms"]
    assert {(one["name"], one.get("invited", False)) for one in listed} == {
        ("tea", False),
        ("plans", True),
    }
    assert [one["name"] for one in call("list_rooms", ben, mine=True)["rooms"]] == [
        "tea"
    ]
    [asked] = call("list_invitations", ben)["invitations"]
    assert (asked["room"], asked["by"]) == (plans.id, "agent:Eve/acme")
    call("decline_invitation", ben, room=plans.id)
    assert call("list_invitations", ben)["invitations"] == []
    invited = call("invite_agent", eve, room="plans", agent="ben", reason="Help.")
    assert invited["invited"] == ["agent:ben"]
    assert call("withdraw_invitation", eve, room="plans", agent="ben")["invited"] == []
    with pytest.raises(NotFound) as raised:
        call("join_room", ben, room=plans.id)
    assert raised.value.code == "room_not_found"
    call("invite_agent", eve, room="plans", agent="agent:ben")
    joined = call(
        *("join_room", ben), room=plans.id, mode="digest", interval_minutes=30
    )
    assert joined["mode"] == "digest"
    assert call("subscribe", ben, room="plans", mode="on_demand")["mode"] == "on_demand"
    assert call("rest", ben, room="plans")["resting"] is True
    assert "resting" not in call("resume", ben, room="plans")
    described = call("describe_room", ben, room="plans")
    assert described["access"] == "invite_only"
    assert [one["agent"] for one in described["agents"]] == ["agent:Eve", "agent:ben"]
    assert described["sends"] == {"limit": 30, "left": 30}
    assert call("leave_room", ben, room="plans") == {"left": plans.id}
    assert ben not in plans.conversations


def test_who_is_here_and_what_one_is_called(
    eve: Conversation, ben: Conversation
) -> None:
    here = call("list_agents", eve)

    assert here == {
        "you": "agent:Eve/acme",
        "agents": [
            {"agent": "agent:Eve", "threaded": True, "owner": "ana"},
            {"agent": "agent:ben", "threaded": False},
        ],
    }
    assert call("set_label", eve, label="acme-renewal") == {
        "you": "agent:Eve/acme-renewal"
    }


def test_what_an_agent_says_of_itself(eve: Conversation, ben: Conversation) -> None:
    assert call("set_status", ben, text=" Two queued ") == {"status": "Two queued"}
    asked = call("set_owner_requests", ben, count=2, text="Which key?")
    ben.check_in()
    ben.report_work("stop", running={"shell": 1})
    [_, shown] = call("list_agents", eve)["agents"]

    assert asked == {"count": 2, "text": "Which key?"}
    assert shown["status"]["text"] == "Two queued"
    assert shown["owner_requests"]["count"] == 2
    assert shown["connected"] is True
    assert (shown["work"]["state"], shown["work"]["running"]) == ("idle", {"shell": 1})
    assert call("set_owner_requests", ben, count=0) == {"count": 0, "text": ""}
    assert call("set_status", ben, text="") == {"status": ""}
    [_, shown] = call("list_agents", eve)["agents"]
    assert not {"status", "owner_requests"} & shown.keys()


def test_documents_and_attachments(
    tea: Room, eve: Conversation, ben: Conversation
) -> None:
    written = call(
        "write_document", eve, room="tea", path="plan.md", content="Boil water."
    )
    assert written["change"] == "created"
    with pytest.raises(Conflict) as raised:
        call("write_document", ben, room="tea", path="plan.md", content="No.")
    assert raised.value.code == "stale_revision"
    changed = call(
        *("write_document", ben),
        room="tea",
        path="plan.md",
        content="Pour.",
        base=written["revision"],
    )
    assert call("read_file", eve, room="tea", path="plan.md")["content"] == "Pour."
    former = call(
        "read_file", eve, room="tea", path="plan.md", revision=written["revision"]
    )
    assert former["content"] == "Boil water."
    [listed] = call("list_documents", eve, room="tea")["documents"]
    assert listed["revision"] == changed["revision"]
    removed = call(
        "remove_document", eve, room="tea", path="plan.md", base=changed["revision"]
    )
    assert removed["change"] == "removed"
    changes = call("list_changes", eve, room="tea", path="plan.md")["changes"]
    assert [one["change"] for one in changes] == ["removed", "changed", "created"]

    sent = call(
        *("post_message", ben),
        room="tea",
        content="See.",
        attachments=[
            {"path": "leaf.txt", "content": "green"},
            {"path": "leaf.bin", "content": "AAEC", "encoding": "base64"},
        ],
    )
    assert sent["message"]["attachments"] == ["leaf.txt", "leaf.bin"]
    listed = call("list_attachments", eve, room="tea")["attachments"]
    assert [(one["path"], one["size"]) for one in listed] == [
        ("leaf.txt", 5),
        ("leaf.bin", 3),
    ]
    text = call(
        *("read_file", eve), room="tea", path="leaf.txt", message=sent["message"]["id"]
    )
    assert text["content"] == "green"
    for wrong in (
        [{"path": "a.bin", "content": "?", "encoding": "base64"}],
        [{"path": "a.txt", "content": "1"}, {"path": "a.txt", "content": "2"}],
    ):
        with pytest.raises(InvalidInput) as bad:
            call("post_message", ben, room="tea", content="x", attachments=wrong)
        assert bad.value.field.startswith("attachments[")


def test_messages_are_acknowledged_wherever_they_are(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    room = lobby.create_room("acks", by=eve, policy=RoomPolicy(settle_on="ack"))
    room.join(by=ben)
    sent = room.post("Done?", by=eve, to=[ben]).message.id
    direct = lobby.send("And this?", by=eve, to=ben).message.id

    assert call("acknowledge", ben, messages=[sent, direct, "typo"]) == {
        "receipt_snapshot": 2,
        "unknown_message_ids": ["typo"],
    }
    assert lobby.take_wakes() == []


@pytest.mark.rule("L-CKPT-07", "L-TOOL-07")
def test_what_was_read_is_kept_and_its_sender_sees_so(
    lobby: Lobby, clock: Clock, eve: Conversation, ben: Conversation
) -> None:
    asked = {"content": "Look.", "to": "agent:ben", "notify_when_seen": True}
    sent = call("send_message", eve, **asked, request_id="s-1")
    assert "deliveries" not in sent
    assert call("read_checkpoint", ben) == {
        "revision": 0,
        "content": "",
        "covered_receipt_seq": 0,
        "receipt_snapshot": 0,
    }
    clock.advance(5)
    kept = {"content": "Looked.", "base": 0, "covered_receipt_seq": 0}
    message = sent["message"]["id"]
    saved = call("save_checkpoint", ben, **kept, acknowledge=[message])
    assert saved == {
        "revision": 1,
        "covered_receipt_seq": 1,
        "receipt_snapshot": 1,
        "updated_at": "2026-03-02T12:00:05Z",
    }
    assert call("read_checkpoint", ben) == {**saved, "content": "Looked."}
    assert call("read_receipts", eve) == {
        "receipts": [
            {
                "message": message,
                "seen_by": "agent:ben",
                "seen_at": "2026-03-02T12:00:05Z",
                "room": sent["room"],
                "to": ["agent:ben"],
                "excerpt": "Look.",
            }
        ],
        "next_cursor": None,
    }
    again = call("send_message", eve, **asked, request_id="s-1")
    assert again["deliveries"] == [{"to": "agent:ben", "state": "seen"}]
    with pytest.raises(Conflict) as stale:
        call("save_checkpoint", ben, **kept)
    assert stale.value.code == "checkpoint_conflict"


def test_what_was_learned_is_remembered_and_recalled(
    lobby: Lobby, tea: Room, eve: Conversation, ben: Conversation
) -> None:
    tea.memory.appoint("Eve", by=lobby.person("ana"))
    learned = {
        "room": "tea",
        "kind": "gotcha",
        "text": "The kettle trips the fuse.",
        "evidence": "fuse box",
        "request_id": "m-1",
    }
    given = call("remember", ben, **learned)
    assert given["state"] == "pending"
    assert "text" not in given
    entry = AddEntry(
        kind="gotcha",
        title="kettle on → no oven",
        text="Or else.",
        sources=(given["id"],),
    )
    base = tea.memory.review(by=eve).revision
    [added] = tea.memory.curate([entry], base=base, by=eve).added

    assert call("remember", ben, **learned)["state"] == "used"
    [mine] = call("recall", ben, room="tea", mine=True)["fragments"]
    assert mine["text"] == "The kettle trips the fuse."
    [found] = call("recall", ben, room="tea", query="kettles")["entries"]
    assert (found["id"], found["text"]) == (added, "Or else.")
    assert found["provenance"] == [{"author": "ben", "evidence": "fuse box"}]
    asked = call("recall", ben, room="tea", ids=[added, given["id"]])
    assert asked == {"entries": [found], "missing": {given["id"]: "unknown"}}
    with pytest.raises(InvalidInput, match="one of three"):
        call("recall", ben, room="tea", query="x", mine=True)


def test_a_message_needs_no_room(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    sent = call(
        *("send_message", ben),
        to="agent:Eve/acme",
        content="Look?",
        kind="question",
        fields={"commit": "abc"},
        request_id="s-1",
    )
    assert sent["woken"] == ["agent:Eve/acme"]
    assert (sent["message"]["kind"], sent["message"]["expects_reply"]) == (
        "question",
        True,
    )
    again = lobby.send(
        "Look?",
        by=ben,
        to=eve,
        kind="question",
        fields={"commit": "abc"},
        request_id="s-1",
    )
    assert again.duplicate
    [wake] = call("take_wakes", eve)["wakes"]
    assert wake["room"] == sent["room"]
    assert wake["messages"][0]["fields"] == {"commit": "abc"}
    with pytest.raises(NotAllowed) as raised:
        call("broadcast", ben, content="All!")
    assert raised.value.details["reason"] == "broadcast_forbidden"
    lobby.agent("ben").change(can_broadcast=True)
    assert call("broadcast", ben, content="All!")["message"]["seq"] == 1


def test_a_lead_says_who_is_in_a_managed_room(lobby: Lobby, ben: Conversation) -> None:
    lobby.agent("ben").change(manage_rooms=True)
    for name in ("gus", "zoe"):
        lobby.add_agent(name)
    room = call("create_room", ben, name="work", policy="broker")["room"]
    assert lobby.room(room).policy.membership == "managed"
    set_ = call("set_room_members", ben, room=room, members=["ben", "gus"])
    assert set_["members"] == ["agent:ben", "agent:gus"]
    changed = call("change_room_members", ben, room=room, add=["zoe"], remove=["gus"])
    assert changed["members"] == ["agent:ben", "agent:zoe"]
    rested = call("rest_agents", ben, agents=["zoe"])
    assert rested["agents"] == [{"agent": "agent:zoe", "paused": True}]
    rested = call("resume_agents", ben, agents=["zoe"])
    assert rested["agents"] == [{"agent": "agent:zoe", "paused": False}]


class Host:
    """A host that lets ana give Gennie work."""

    @hookimpl
    def rooms_may(self, actor: Any, action: str, subject: object) -> bool | None:
        return (action, subject) == ("add_agent", "Gennie") or None


def test_what_takes_a_persons_word_is_done_on_it(
    lobby: Lobby, tea: Room, eve: Conversation
) -> None:
    lobby.add_agent("Gennie", threaded=True)
    lobby.register(Host())
    sent = tea.post("Oops.", by=eve).message.id
    with lobby.turn(eve, word_of=lobby.person("ana")) as turn:
        added = call(
            "add_agent_to_room", turn, room="tea", agent="Gennie", reason="Pour tea."
        )
        assert added["added"].startswith("agent:Gennie/")
        assert call("remove_agent_from_room", turn, room="tea", agent="ben") == {
            "room": tea.id,
            "members": ["agent:Eve", "agent:Gennie"],
        }
        assert call("pause_room", turn, room="tea") == {"paused": tea.id}
        assert call("unpause_room", turn, room="tea") == {"unpaused": tea.id}
        assert call("archive_room", turn, room="tea") == {"archived": tea.id}
        assert call("restore_room", turn, room=tea.id) == {"restored": tea.id}
        assert call("erase_message", turn, room="tea", message=sent) == {"erased": sent}
        assert call("delete_room", turn, room="tea") == {"deleted": tea.id}
    with pytest.raises(NotFound):
        lobby.room("tea")


@pytest.mark.rule("L-READ-05", "L-READ-06", "L-READ-07", "L-READ-08", "L-READ-10")
def test_an_inbox_is_read_by_modes_and_filters(lobby: Lobby) -> None:
    a = lobby.add_agent("a").conversation()
    b = lobby.add_agent("b").conversation()
    sent = lobby.send("What?\nWhich?", by=a, to="b", kind="question")

    [told] = call("read_inbox", b)["messages"]
    assert (told["content"], told["delivery"]) == (
        "What?\nWhich?",
        {"state": "pending"},
    )
    assert "deliveries" not in told
    page = call("read_inbox", a, mode="history", awaiting=True, query="WHICH")
    [told] = page["messages"]
    assert told["deliveries"] == [{"recipient": "agent:b", "state": "pending"}]
    assert page["next_cursor"] is None
    asked = {"unanswered": True, "headers": True, "ids": [sent.message.id[:-1]]}
    [line] = call("read_inbox", b, mode="history", **asked)["messages"]
    assert (line["id"], line["first_line"]) == (sent.message.id, "What?")
    assert (line["sender"], line["kind"]) == ("agent:a", "question")
    lobby.inbox(b).acknowledge([sent.message.id])
    [told] = call("read_inbox", b, mode="reconciliation")["messages"]
    assert told["delivery"]["receipt_seq"] == 1
    for name, value, code in (
        ("query", "x", "query_needs_history"),
        ("ids", [sent.message.id], "ids_need_history"),
        ("headers", True, "headers_need_history"),
        ("awaiting", True, "awaiting_needs_history"),
        ("unanswered", True, "unanswered_needs_history"),
    ):
        for mode in ("pending", "reconciliation"):
            with pytest.raises(InvalidInput) as refused:
                call("read_inbox", b, mode=mode, **{name: value})
            assert refused.value.code == code
    with pytest.raises(InvalidInput) as refused:
        call("read_inbox", b, mode="history", awaiting=True, unanswered=True)
    assert refused.value.code == "awaiting_or_unanswered"


@pytest.mark.rule("L-TOOL-12", "L-RECUR-01", "L-RECUR-14", "L-RECUR-15")
def test_a_schedule_is_made_changed_and_cancelled(tea: Room, ben: Conversation) -> None:
    asked = {
        "content": "Tea?",
        "repeat": {"time_zone": "europe/stockholm", "times": ["16:00"]},
        "request_id": "t",
    }
    made = call("create_schedule", ben, room=tea.id, **asked)
    again = call("create_schedule", ben, room=tea.id, **asked)
    assert (made["duplicate"], again["duplicate"]) == (False, True)
    schedule = made["schedule"]
    assert schedule == {
        "id": schedule["id"],
        "room": tea.id,
        "repeat": {"time_zone": "Europe/Stockholm", "times": ["16:00"]},
        "next_occurrence_at": "2026-03-02T15:00:00Z",
        "next_occurrence_local": "Mon 2026-03-02 16:00 Europe/Stockholm",
        "occurrence_count": 0,
        "content": "Tea?",
    }
    assert call("list_schedules", ben)["schedules"] == [schedule]
    repeat = {"time_zone": "UTC", "times": ["16:00"], "weekdays": ["sun"]}
    changed = call("update_scheduled", ben, id=schedule["id"], repeat=repeat)
    assert changed["schedule"]["next_occurrence_at"] == "2026-03-08T16:00:00Z"
    done = call("cancel_scheduled", ben, id=schedule["id"])
    assert done["cancelled"] == "schedule"
    sent = call(
        "create_schedule",
        ben,
        content="Look",
        repeat=repeat,
        to=["agent:Eve/acme"],
        missed="skip",
    )
    assert sent["schedule"]["missed"] == "skip"
    for wrong in ([], ["ben", "Eve"], None):
        with pytest.raises(InvalidInput):
            call("create_schedule", ben, content="x", repeat=repeat, to=wrong)
    with pytest.raises(InvalidInput) as raised:
        call(
            "create_schedule",
            ben,
            content="x",
            to=["Eve"],
            repeat={"time_zone": "Mars/Olympus", "times": ["16:00"]},
        )
    assert raised.value.code == "unknown_time_zone"


@pytest.mark.rule("L-TOOL-12", "L-SCHED-10", "L-SCHED-12")
def test_a_message_that_waits_is_listed_changed_and_cancelled(
    tea: Room, ben: Conversation
) -> None:
    sent = call(
        *("post_message", ben),
        room=tea.id,
        content="Tea?",
        deliver_at="2026-03-02T14:00:00+01:00",
    )
    waiting = sent["message"]["id"]
    assert (sent["waits"], sent["message"]["deliver_at"]) == (
        True,
        "2026-03-02T13:00:00Z",
    )
    changed = call("update_scheduled", ben, id=waiting, content="Coffee?")
    assert changed["message"]["content"] == "Coffee?"
    assert call("list_schedules", ben)["messages"] == [
        {
            "id": waiting,
            "room": tea.id,
            "deliver_at": "2026-03-02T13:00:00Z",
            "recipients": 0,
            "content": "Coffee?",
        }
    ]
    assert call("cancel_scheduled", ben, id=waiting) == {
        "cancelled": "message",
        "id": waiting,
        "already_cancelled": False,
    }
    for wrong in ("soon", "2026-03-02T14:00:00", "2026-13-02T14:00:00Z", ""):
        with pytest.raises(InvalidInput) as raised:
            call("update_scheduled", ben, id=waiting, deliver_at=wrong)
        assert raised.value.field == "deliver_at"


@pytest.mark.rule("S-SURFACE-04", "S-CONDUCTOR-07")
def test_a_member_of_a_team_has_its_tools_and_the_conductor_more(
    lobby: Lobby, ben: Conversation
) -> None:
    lead = lobby.add_agent("lead").conversation()
    plans = [
        MemberPlan(key="lead", lead=True, responsibility="all", mandate="Lead."),
        MemberPlan(key="hand", agent="ben", responsibility="it", mandate="Do it."),
    ]
    blueprint = Blueprint(
        title="Tea",
        objective="There is tea.",
        approach="Hot water.",
        success_criteria=["It is hot."],
        members=plans,
        delivery=Destination("chat_post"),
    )
    names = {one for one in TOOLS if one.startswith("team_")}

    def offered(by: Conversation) -> set[str]:
        return names & {one["name"] for one in tools.catalog(by).tools}

    assert offered(ben) == set()
    team = lobby.teams(by=lobby.person("ana")).prepare("Make tea.", blueprint)
    assert isinstance(team, Team)
    team.start()
    conductors = {one for one in names if TOOLS[one].needs == "conductor"}
    assert offered(ben) == names - conductors
    assert offered(lead) == names
    shown = call("team_show", ben)
    assert (shown["status"], shown["problem"]) == ("ready", "Make tea.")
    assert (shown["you"]["key"], shown["you"]["mandate"]) == ("hand", "Do it.")
    sent = call("team_send", lead, content="Boil it.", to=["hand"])
    assert sent["woken"] == ["agent:ben"]
    with pytest.raises(NotAllowed) as raised:
        call("team_finish", ben, text="Tea.")
    assert raised.value.details["reason"] == "lead_only"
    told = call("team_update_mandate", lead, member="hand", text="Pour it.")
    assert told["verdict"] == "applied"
    asked = call(
        "team_propose", lead, kind="request_expansion", limit="max_time", value=7200
    )
    assert asked["verdict"] == "awaiting_approval"
    with pytest.raises(InvalidInput, match="kind"):  # it would always be refused
        call("team_propose", lead, kind="add_member")
    assert call("team_withdraw", lead, change=asked["id"]) == {"withdrawn": asked["id"]}
    with pytest.raises(InvalidInput):
        call("team_propose", lead, kind="request_expansion", limit="max_time", value=-1)
    assert call("team_request_delivery_approval", lead, text="Tea.") == {
        "asked": True,
        "approved": False,
    }
    team.resolve_approval(team.approvals[0], approved=True)
    assert call("team_finish", lead, text="Tea.") == {"finished": team.room.id}
    assert (team.status, offered(lead)) == ("completed", set())


@pytest.mark.rule("S-SURFACE-04")
def test_members_claim_work_and_hand_in(lobby: Lobby, ben: Conversation) -> None:
    lead = lobby.add_agent("lead").conversation()
    blueprint = Blueprint(
        title="Tea",
        objective="There is tea.",
        approach="Hot water.",
        success_criteria=["It is hot."],
        members=[
            MemberPlan(key="lead", lead=True, responsibility="all", mandate="Lead."),
            MemberPlan(key="hand", agent="ben", responsibility="it", mandate="Do it."),
        ],
    )
    team = lobby.teams(by=lobby.person("ana")).prepare("Make tea.", blueprint)
    assert isinstance(team, Team)
    team.start()
    assert call("team_claim_paths", ben, patterns=["pot"], reason="Mine.") == {
        "claimed": ["pot"],
        "members": [],
        "overlaps": [],
    }
    met = call("team_claim_paths", lead, patterns=["pot/lid"], expires_after=60)
    assert (met["members"], met["overlaps"][0]["claim"]["reason"]) == (
        ["hand"],
        "Mine.",
    )
    assert call("team_renew_paths", lead) == {"renewed": ["pot/lid"]}
    assert call("team_release_paths", lead, patterns=["pot/lid"]) == {
        "released": ["pot/lid"]
    }
    work = call("team_update_work", lead, title="Boil it.", owner="hand")
    done = call("team_update_work", ben, work=work["id"], status="done")
    assert (done["owner"], done["status"]) == ("hand", "done")
    shown = call("team_show_work", ben)
    assert [one["status"] for one in shown["work"]] == ["done"]
    assert [one["pattern"] for one in shown["claims"]] == ["pot"]
    made = call(
        *("team_publish_artifact", ben),
        kind="report",
        title="Boiled",
        content="It is hot.",
        work=work["id"],
    )
    assert made["member"] == "hand"
    assert call("team_show_artifacts", lead) == {"artifacts": [made]}
    assert call("team_read_artifact", lead, artifact=made["id"]) == {
        "content": "It is hot."
    }
    assert call("team_publish_note", lead, text=" Hurry. ") == {"note": "Hurry."}
    brief = call("team_brief", ben)
    assert (brief["objective"], brief["note"]) == ("There is tea.", "Hurry.")
    assert call("team_collect", lead)["overlaps"] == {}
    with pytest.raises(NotAllowed):
        call("team_collect", ben)


@pytest.mark.rule("S-SURFACE-04")
def test_members_ask_wait_and_answer(lobby: Lobby, ben: Conversation) -> None:
    lead = lobby.add_agent("lead").conversation()
    blueprint = Blueprint(
        title="Tea",
        objective="There is tea.",
        approach="Hot water.",
        success_criteria=["It is hot."],
        members=[
            MemberPlan(key="lead", lead=True, responsibility="all", mandate="Lead."),
            MemberPlan(key="hand", agent="ben", responsibility="it", mandate="Do it."),
        ],
    )
    team = lobby.teams(by=lobby.person("ana")).prepare("Make tea.", blueprint)
    assert isinstance(team, Team)
    team.start()

    told = call("team_broadcast", lead, content="Tea!", wake=True)
    assert told["woken"] == ["agent:ben"]
    asked = call("team_ask", ben, content="Green?", to=["lead"], wait=False)
    question = asked["message"]["id"]
    assert asked["your_turn_ends"] is False
    [shown] = call("team_show", lead)["questions"]
    assert (shown["id"], shown["asker"], shown["text"]) == (question, "hand", "Green?")
    assert call("team_wait", ben, question=question) == {"waits_on": question}
    assert [one.status for one in team.members] == ["idle", "waiting"]
    call("team_reply", lead, question=question, content="Black.")
    assert [one.status for one in team.members] == ["idle", "idle"]
    again = call("team_ask", ben, content="Milk?", to=["lead"])
    taken_back = again["message"]["id"]
    assert call("team_withdraw_question", lead, question=taken_back) == {
        "withdrawn": taken_back
    }
    call("team_request_attention", ben, content="No water.")
    assert [one.status for one in team.members] == ["idle", "blocked"]


@pytest.mark.rule("L-TOOL-12")
def test_every_tool_is_called_in_these_stories() -> None:
    stories = Path(__file__).read_text("utf-8")
    called = set(re.findall(r'call\(\s*(?:\*\()?"(\w+)"', stories))

    assert set(TOOLS) - called == set()


@pytest.mark.rule("L-TOOL-02", "L-TOOL-05")
def test_what_is_withheld_is_refused_and_nothing_ran(
    tea: Room, ben: Conversation
) -> None:
    with pytest.raises(NotAllowed) as raised:
        tools.call("delete_room", {"room": "tea"}, by=ben)

    assert raised.value.code == "tool_forbidden"
    assert raised.value.details["reason"] == "person_required"
    assert tea.name == "tea"


@pytest.mark.rule("L-TOOL-02")
def test_the_call_behind_a_tool_checks_again(
    lobby: Lobby, tea: Room, eve: Conversation
) -> None:
    with lobby.turn(eve, word_of=lobby.person("bob")) as turn:  # it is ana's room
        assert "delete_room" in {t["name"] for t in tools.catalog(turn).tools}
        with pytest.raises(NotAllowed) as raised:
            tools.call("delete_room", {"room": "tea"}, by=turn)

    assert raised.value.code == "not_owner"


@pytest.mark.rule("L-TOOL-05")
def test_an_unknown_tool_is_refused_with_the_likeliest_one(ben: Conversation) -> None:
    with pytest.raises(NotFound) as raised:
        tools.call("post_mesage", {}, by=ben)

    assert raised.value.code == "unknown_tool"
    assert raised.value.details["closest"] == "post_message"


@pytest.mark.rule("L-TOOL-06")
@pytest.mark.parametrize("name", NOT_DISPATCHABLE)
def test_what_is_the_hosts_is_no_models_to_call(name: str, ben: Conversation) -> None:
    with pytest.raises(NotAllowed) as raised:
        tools.call(name, {}, by=ben)

    assert raised.value.code == "operation_not_dispatchable"
    assert name not in TOOLS


@pytest.mark.rule("L-TOOL-04")
def test_a_tool_and_the_python_call_share_their_request_ids(
    tea: Room, ben: Conversation
) -> None:
    sent = {"room": tea.id, "content": "Once.", "request_id": "r-1"}
    first = tools.call("post_message", sent, by=ben)
    direct = tea.post("Once.", by=ben, request_id="r-1")
    again = tools.call("post_message", sent, by=ben)

    assert (direct.duplicate, again["duplicate"]) == (True, True)
    assert direct.message.id == first["message"]["id"] == again["message"]["id"]
    assert tea.position == 1
    with pytest.raises(IdempotencyConflict):
        tools.call("post_message", {**sent, "content": "Twice."}, by=ben)


@pytest.mark.rule("L-TOOL-04")
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("post_message", {"room": "tea", "content": "x"}),
        ("read_messages", {"room": "tea"}),
        ("take_wakes", {}),
        ("leave_room", {"room": "tea"}),
        ("set_label", {"label": "late"}),
        ("write_document", {"room": "tea", "path": "a.md", "content": "x"}),
        ("create_room", {"name": "more"}),
    ],
)
def test_an_older_claim_is_refused_whatever_it_calls(
    tea: Room, eve: Conversation, name: str, arguments: dict[str, Any]
) -> None:
    older = eve.claim()
    eve.claim()
    with pytest.raises(Conflict) as raised:
        tools.call(name, arguments, by=older)

    assert raised.value.code == "stale_runtime"


@pytest.mark.rule("L-TOOL-07")
def test_the_answer_to_a_post_is_short_and_says_not_again_what_was_said(
    tea: Room, ben: Conversation, clock: Clock
) -> None:
    answer = tools.call(
        "post_message",
        {"room": "tea", "content": "secret words", "to": ["all"], "mentions": ["zoe"]},
        by=ben,
    )

    assert answer == {
        "duplicate": False,
        "message": {
            "id": tea.latest(by=ben).items[0].id,
            "seq": 1,
            "at": "2026-03-02T12:00:00Z",
        },
        "woken": ["agent:Eve/acme"],
        "unresolved": ["zoe"],
    }


def test_a_refusal_is_an_answer_in_jsons_types(
    tea: Room, eve: Conversation, ben: Conversation, clock: Clock, lobby: Lobby
) -> None:
    lobby.conversation("Eve", thread="t-2", label="other")
    tea.join(by=lobby.conversation("Eve", thread="t-2"))
    for _ in range(30):
        tea.post("x", by=ben)
    with pytest.raises(RoomsError) as raised:
        tools.call("post_message", {"room": "tea", "content": "y"}, by=ben)

    told = tools.refusal(raised.value)["error"]
    assert told["code"] == "send_rate"
    assert told["details"]["retry_at"] == "2026-03-02T12:05:00Z"
    fanout = {"room": "tea", "content": "y", "to": ["agent:Eve/all"]}
    gus = lobby.add_agent("gus").conversation()
    tea.join(by=gus)
    with pytest.raises(RoomsError) as raised:
        tools.call("post_message", fanout, by=gus)
    told = tools.refusal(raised.value)["error"]
    assert told["code"] == "confirm_all_threads"
    assert json.loads(json.dumps(told)) == told


def test_a_call_is_timed_by_its_now(tea: Room, ben: Conversation, clock: Clock) -> None:
    answer = tools.call(
        "post_message", {"room": "tea", "content": "x"}, by=ben, now=clock.at(60)
    )

    assert answer["message"]["at"] == "2026-03-02T12:01:00Z"


def test_a_room_that_one_may_not_know_of_is_none(
    lobby: Lobby, eve: Conversation, ben: Conversation, place: Place
) -> None:
    secret = lobby.create_room("secret", by=eve, access="invite_only")
    errors = []
    for room in (secret.id, "room_nowhere"):
        for name, more in (("read_messages", {}), ("post_message", {"content": "x"})):
            with pytest.raises(NotFound) as raised:
                tools.call(name, {"room": room, **more}, by=ben)
            errors.append((raised.value.code, name))

    assert errors[:2] == errors[2:]
    assert {code for code, _ in errors} == {"room_not_found"}


@pytest.mark.rule("L-CTX-01", "L-TOOL-08")
def test_a_context_is_all_that_a_model_needs_to_go_on(
    lobby: Lobby, eve: Conversation, ben: Conversation
) -> None:
    lobby.agent("ben").change(role="Look after tea.")
    sent = [lobby.send(f"{n}", by=eve, to=ben).message.id for n in range(8)]
    lobby.inbox(ben).acknowledge(sent[:7])

    found = call("read_context", ben)

    assert list(found) == [
        *("agent", "you", "runtime", "role", "checkpoint", "receipt_snapshot"),
        *("pending", "reconciliation", "scheduled", "guidance", "tool_guide"),
    ]
    assert (found["agent"], found["role"]) == ("ben", "Look after tea.")
    assert found["receipt_snapshot"] == found["checkpoint"]["receipt_snapshot"] == 7
    [waits] = found["pending"]["messages"]
    assert waits["id"] == sent[7]
    seen = found["reconciliation"]
    assert [one["id"] for one in seen["messages"]] == sent[:5]
    assert (seen["next_cursor"], seen["total"]) == (5, 7)
    assert [(one["id"], one["receipt_seq"]) for one in seen["headers"]] == [
        (sent[5], 6),
        (sent[6], 7),
    ]
    assert "content" not in seen["headers"][0]
    assert len(found["guidance"]) == 2
    assert found["tool_guide"] == tools.catalog(ben).guide()
