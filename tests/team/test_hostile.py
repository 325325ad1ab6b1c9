"""No argument makes a call of a team do anything but answer or refuse."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

from lobby.place import Place
from lobby.test_hostile import HOSTILE
from rooms.errors import CODES, RoomsError
from rooms.lobby import Member, Team, Teams
from team.scene import BLUEPRINT, Scene

# What each call is handed where it is handed nothing odd.
TEAMS: dict[str, dict[str, Any]] = {
    "prepare": {"problem": "Move them.", "plan": BLUEPRINT},
    "team": {"room": "room_none"},
}
TEAM: dict[str, dict[str, Any]] = {
    "adjust": {"instruction": "Smaller.", "plan": BLUEPRINT},
    "answer": {"member": "builder", "text": "Yes."},
    "cancel": {},
    "delete": {},
    "intervene": {"text": "Go on."},
    "pause": {},
    "read_artifact": {"artifact": "0004.00000099"},
    "release": {"member": "builder"},
    "resolve_approval": {"approval": "0004.00000099", "approved": True},
    "resume": {},
    "settle_completion": {"delivered": True},
    "start": {},
    "timeline": {},
    "wake": {"member": "builder"},
}
MEMBER: dict[str, dict[str, Any]] = {
    "ask": {"text": "Which?", "to": ["builder"]},
    "broadcast": {"text": "Hello."},
    "claim_paths": {"patterns": ["src"]},
    "collect": {},
    "finish": {"text": "Done."},
    "propose": {"kind": "request_expansion", "limit": "max_tokens", "value": 3_000_000},
    "publish_artifact": {"kind": "plan", "title": "Plan", "content": "First."},
    "publish_note": {"text": "Mind it."},
    "read_artifact": {"artifact": "0004.00000099"},
    "release_paths": {},
    "renew_paths": {},
    "reply": {"question": "0004.00000099", "text": "Yes."},
    "request_attention": {"text": "Help."},
    "request_delivery_approval": {"text": "Done."},
    "send": {"text": "Hello.", "to": ["builder"]},
    "update_mandate": {"member": "builder", "text": "Write."},
    "update_work": {"title": "Write it."},
    "wait": {"question": "0004.00000099"},
    "withdraw": {"change": "0004.00000099"},
    "withdraw_question": {"question": "0004.00000099"},
}
SURFACES = {Teams: TEAMS, Team: TEAM, Member: MEMBER}
EACH = [(kind, name) for kind, calls in SURFACES.items() for name in calls]

# Both are asked behind the commit that claims what they are asked for; it is undone.
COMMITS_FIRST = {("adjust", "plan"), ("start", "approve")}


def calls_of(kind: type) -> set[str]:
    """The names of what a surface does."""
    return {
        name
        for name, found in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize("kind", SURFACES)
def test_every_call_is_asked(kind: type) -> None:
    assert calls_of(kind) == set(SURFACES[kind])


def surface(scene: Scene, kind: type) -> Any:
    """The person's, or the conductor's."""
    if kind is Teams:
        return scene.lobby.teams(by=scene.ana)
    return scene.team() if kind is Team else scene.acts("lead")


def refusal(call: Callable[..., Any], **given: Any) -> str:
    """The code of a refusal; "" for an answer."""
    try:
        call(**given)
    except RoomsError as refused:
        return refused.code
    return ""


def counted(scene: Scene) -> Callable[[], int]:
    """How many commits there were from here on."""
    storage: Any = scene.lobby._desk.storage
    append, commits = storage.append, [0]

    def count(*given: Any, **more: Any) -> Any:
        commits[0] += 1
        return append(*given, **more)

    storage.append = count
    return lambda: commits[0]


@pytest.mark.parametrize(("kind", "name"), EACH)
def test_a_call_answers_or_refuses_and_a_refusal_changes_nothing(
    kind: type, name: str
) -> None:
    given = SURFACES[kind][name]
    for argument in inspect.signature(getattr(kind, name)).parameters:
        if argument == "self":
            continue
        place = Place("memory:")
        scene = Scene(place)
        scene.started()
        commits, on = counted(scene), surface(scene, kind)
        for odd in HOSTILE.values():
            before = commits()
            code = refusal(getattr(on, name), **{**given, argument: odd})
            assert code in {"", *CODES}
            if code and (name, argument) not in COMMITS_FIRST:
                assert commits() == before
        assert scene.lobby.verify()
        place.close()
