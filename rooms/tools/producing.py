"""
Producing: what a member of a team claims, works on and hands in.

Law: who made something is who calls, and stands in no argument (S-ARTIFACT-03).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from attrs import asdict

from rooms.lobby.team.entrance import member_of
from rooms.lobby.team.member import Member
from rooms.log.patterns import MOST_CLAIMS
from rooms.team.artifacts import KINDS
from rooms.tools.arguments import Argument, Choice, Many, Text, Whole
from rooms.tools.tool import REQUEST_ID, Caller, Tool

__all__ = ["TOOLS"]

Told = dict[str, Any]


def _member(caller: Caller) -> Member:
    return member_of(caller.desk, by=caller.by, room=None)


def _written(one: Any) -> Told:
    """A value of a team's as JSON: instants as text, all else as it is."""
    return asdict(one, value_serializer=_as_json)


def _as_json(_: Any, __: Any, value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    return list(value) if isinstance(value, tuple) else value


def _claim(caller: Caller, given: Mapping[str, Any]) -> Told:
    seconds = given.get("expires_after")
    claimed = _member(caller).claim_paths(
        given["patterns"],
        reason=given.get("reason", ""),
        expires_after=None if seconds is None else timedelta(seconds=seconds),
        now=caller.now,
    )
    return {
        "claimed": [one.pattern for one in claimed.claims],
        "members": list(claimed.members),
        "overlaps": [_written(one) for one in claimed.overlaps],
    }


def _release(caller: Caller, given: Mapping[str, Any]) -> Told:
    patterns = given.get("patterns", ())
    released = _member(caller).release_paths(patterns, now=caller.now)
    return {"released": list(released)}


def _renew(caller: Caller, given: Mapping[str, Any]) -> Told:
    patterns = given.get("patterns", ())
    return {"renewed": list(_member(caller).renew_paths(patterns, now=caller.now))}


def _show_work(caller: Caller, _: Mapping[str, Any]) -> Told:
    member = _member(caller)
    return {
        "work": [_written(one) for one in member.work],
        "claims": [_written(one) for one in member.claims],
    }


def _update_work(caller: Caller, given: Mapping[str, Any]) -> Told:
    names = ("title", "status", "notes", "owner", "depends_on", "request_id")
    item = _member(caller).update_work(
        given.get("work"),
        **{name: given.get(name) for name in names},
        now=caller.now,
    )
    return _written(item)


def _publish(caller: Caller, given: Mapping[str, Any]) -> Told:
    artifact = _member(caller).publish_artifact(
        given["kind"],
        given["title"],
        content=given.get("content"),
        ref=given.get("ref", ""),
        work=given.get("work"),
        about=given.get("about", ()),
        request_id=given.get("request_id"),
        now=caller.now,
    )
    return _written(artifact)


def _show_artifacts(caller: Caller, _: Mapping[str, Any]) -> Told:
    return {"artifacts": [_written(one) for one in _member(caller).artifacts]}


def _read_artifact(caller: Caller, given: Mapping[str, Any]) -> Told:
    return {"content": _member(caller).read_artifact(given["artifact"])}


def _brief(caller: Caller, _: Mapping[str, Any]) -> Told:
    return _written(_member(caller).brief)


def _note(caller: Caller, given: Mapping[str, Any]) -> Told:
    _member(caller).publish_note(given["text"], now=caller.now)
    return {"note": given["text"].strip()}


def _collect(caller: Caller, _: Mapping[str, Any]) -> Told:
    found = _member(caller).collect()
    return {
        "files": {key: list(names) for key, names in found.files.items()},
        "overlaps": {name: list(keys) for name, keys in found.overlaps.items()},
        "unsaved": list(found.unsaved),
    }


_YEAR = 365 * 24 * 3_600

_PATTERNS = Argument(
    "patterns",
    Many(Text(1), MOST_CLAIMS),
    "Which of your claims; all of them unless given.",
    optional=True,
)

TOOLS = (
    Tool(
        "team_brief",
        "Read what your team is about and where it stands, as far as it concerns you:"
        " the objective, your mandate, decisions, your work, what is blocked, and the"
        " conductor's note.",
        _brief,
        needs="team_member",
        reads=True,
    ),
    Tool(
        "team_claim_paths",
        "Say which files, folders or patterns you are going to change. It locks"
        " nothing. You are told who claims anything that overlaps: talk with them"
        " before you change it. Where your team blocks overlaps, it is refused.",
        _claim,
        (
            Argument(
                "patterns",
                Many(Text(1), MOST_CLAIMS, 1),
                "Paths from the workspace's root. `*` is within one folder, `**` any"
                " depth; a folder covers what is below it.",
            ),
            Argument("reason", Text(0, 300), "Why, for the others.", optional=True),
            Argument(
                "expires_after",
                Whole(1, _YEAR),
                "After how many seconds it is over by itself unless you renew it.",
                optional=True,
            ),
        ),
        needs="team_member",
    ),
    Tool(
        "team_release_paths",
        "Say that you change these no more.",
        _release,
        (_PATTERNS,),
        needs="team_member",
    ),
    Tool(
        "team_renew_paths",
        "Hold claims of yours that expire for as long again as you made them for.",
        _renew,
        (_PATTERNS,),
        needs="team_member",
    ),
    Tool(
        "team_show_work",
        "See all the work of your team, and what its members claim.",
        _show_work,
        needs="team_member",
        reads=True,
    ),
    Tool(
        "team_update_work",
        "Make a piece of work, take one, or say how it stands. What you leave out"
        " stays. Only the conductor puts work on another member.",
        _update_work,
        (
            Argument(
                "work",
                Text(1),
                "The piece's id; a new one unless given.",
                optional=True,
            ),
            Argument("title", Text(1), "What it is.", optional=True),
            Argument(
                "status",
                Text(1, 40),
                "How it stands, in your words; at `done` and `cancelled` it is over.",
                optional=True,
            ),
            Argument("notes", Text(0, 1_000), "What is to be known.", optional=True),
            Argument(
                "owner",
                Text(0),
                "The key of the member that has it, or empty for nobody; you, of a new"
                " one.",
                optional=True,
            ),
            Argument(
                "depends_on",
                Many(Text(1), 200),
                "The ids of what has to be done before.",
                optional=True,
            ),
            REQUEST_ID,
        ),
        needs="team_member",
    ),
    Tool(
        "team_publish_artifact",
        "Hand in something that came of your work, for all to see.",
        _publish,
        (
            Argument("kind", Choice(KINDS), "What it is."),
            Argument("title", Text(1), "What it is called."),
            Argument("content", Text(1), "What it says.", optional=True),
            Argument(
                "ref",
                Text(0, 2_000),
                "Where it is, such as a branch or an address, unless it has content.",
                optional=True,
            ),
            Argument("work", Text(1), "The id of the work it is of.", optional=True),
            Argument(
                "about",
                Many(Text(1), 100),
                "For a decision: the keys of those whom it is about.",
                optional=True,
            ),
            REQUEST_ID,
        ),
        needs="team_member",
    ),
    Tool(
        "team_show_artifacts",
        "See what came of the work of your team.",
        _show_artifacts,
        needs="team_member",
        reads=True,
    ),
    Tool(
        "team_read_artifact",
        "Read what an artifact says.",
        _read_artifact,
        (Argument("artifact", Text(1), "The artifact's id."),),
        needs="team_member",
        reads=True,
    ),
    Tool(
        "team_publish_note",
        "Put a note beside everybody's brief, or take it away with an empty one.",
        _note,
        (Argument("text", Text(0, 500), "The note, whole."),),
        needs="conductor",
    ),
    Tool(
        "team_collect",
        "Have all members' work saved, and see which files each of them changed, and"
        " which several did.",
        _collect,
        needs="conductor",
    ),
)
