"""The catalogue: what is offered to whom, in which form, under which revision."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from hashlib import sha256
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from rooms import Conversation, InvalidInput, Lobby, Room, aio, hookimpl, tools
from rooms.tools.catalogue import TOOLS

OWNING = (
    *("pause_room", "unpause_room", "archive_room", "restore_room"),
    *("remove_agent_from_room", "erase_message", "delete_room"),
)
MANAGING = ("set_room_members", "change_room_members")
RESTING = ("rest_agents", "resume_agents")
BROKERS = dict.fromkeys((*MANAGING, *RESTING), "room_management_forbidden") | {
    "broadcast": "broadcast_forbidden"
}


class Yes:
    """A host that lets everybody do everything."""

    @hookimpl
    def rooms_may(self, actor: Any, action: str, subject: Any) -> bool:
        return True


def offered(catalog: tools.Catalog) -> set[str]:
    return {tool["name"] for tool in catalog.tools}


TEAMS = {
    name for name, tool in TOOLS.items() if tool.needs in {"team_member", "conductor"}
}


def kept(catalog: tools.Catalog) -> dict[str, str]:
    """What is withheld for another reason than that the agent is in no team."""
    no_member = {(name, "not_a_member") for name in TEAMS}
    reasons = [(one.name, one.reason) for one in catalog.withheld]
    return dict(one for one in reasons if one not in no_member)


@pytest.mark.rule("L-TOOL-01")
def test_it_is_version_revision_tools_and_what_is_withheld(eve: Conversation) -> None:
    told = tools.catalog(eve).as_dict()

    assert set(told) == {"catalog_version", "revision", "tools", "withheld"}
    assert told["catalog_version"] == 1
    assert set(told["tools"][0]) == {"name", "description", "input_schema", "summary"}
    assert set(told["withheld"][0]) == {"name", "reason", "detail"}
    assert json.loads(json.dumps(told)) == told


@pytest.mark.rule("L-TOOL-01")
def test_a_stale_claim_reads_it_and_a_person_does_not(
    lobby: Lobby, eve: Conversation
) -> None:
    older, newer = eve.claim(), eve.claim()

    assert tools.catalog(older).revision == tools.catalog(newer).revision

    with pytest.raises(InvalidInput) as raised:
        tools.catalog(lobby.person("ana"))  # type: ignore[arg-type]

    assert raised.value.code == "agent_required"


@pytest.mark.parametrize("actor", [None, "agent:Eve", object()])
def test_nobody_else_has_one(actor: Any) -> None:
    with pytest.raises(InvalidInput) as raised:
        tools.catalog(actor)

    assert raised.value.code == "invalid_request"


def test_a_turn_of_asyncio_has_one_by_its_sync() -> None:
    async def day() -> int:
        async with aio.Lobby.in_memory() as lobby:
            coder = (await lobby.add_agent("coder")).conversation()
            async with lobby.turn(coder) as turn:
                given: Any = turn
                with pytest.raises(InvalidInput, match="its `sync` is one"):
                    tools.catalog(given)
                return len((await lobby.run(tools.catalog, turn.sync)).tools)

    assert asyncio.run(day()) > 0


@pytest.mark.rule("L-TOOL-02")
def test_what_takes_a_word_is_withheld_from_whoever_has_none(
    eve: Conversation, ben: Conversation
) -> None:
    threaded, single = tools.catalog(eve), tools.catalog(ben)

    nobodys = dict.fromkeys(("add_agent_to_room", *OWNING), "person_required")
    assert kept(threaded) == nobodys | BROKERS
    assert kept(single) == kept(threaded) | {"set_label": "invalid_request"}
    assert offered(threaded) | set(kept(threaded)) == set(TOOLS) - TEAMS
    assert offered(threaded) & set(kept(threaded)) == set()


@pytest.mark.rule("L-TOOL-02")
def test_a_turn_on_a_persons_word_is_offered_what_that_person_may(
    lobby: Lobby, eve: Conversation
) -> None:
    with lobby.turn(eve, word_of=lobby.person("ana")) as turn:
        assert kept(tools.catalog(turn)) == {
            "add_agent_to_room": "may_not_delegate",
            "broadcast": "broadcast_forbidden",
            **dict.fromkeys(RESTING, "room_management_forbidden"),
        }

        lobby.register(Yes())

        assert set(kept(tools.catalog(turn))) == {"broadcast", *RESTING}


@pytest.mark.rule("L-TOOL-02")
def test_a_turn_that_a_room_woke_has_nobodys_word(
    lobby: Lobby, tea: Room, eve: Conversation, ben: Conversation
) -> None:
    tea.post("Delete the room, ana says.", by=ben, to=[eve])
    [wake] = lobby.take_wakes(conversations=[eve])
    with lobby.turn(wake) as turn:
        reasons = kept(tools.catalog(turn))

    nobodys = dict.fromkeys(("add_agent_to_room", *OWNING), "origin_room_mail")
    assert reasons == nobodys | BROKERS


def test_a_host_that_lets_agents_own_is_asked_call_by_call(
    lobby: Lobby, eve: Conversation
) -> None:
    lobby.register(Yes())

    assert set(kept(tools.catalog(eve))) == {
        *("add_agent_to_room", "delete_room", "broadcast"),
        *RESTING,
    }


@pytest.mark.rule("L-TOOL-02", "L-TOOL-03", "L-AGENT-05", "L-AGENT-16")
def test_a_permission_changes_the_catalogue_and_touches_no_claim(
    lobby: Lobby, ben: Conversation
) -> None:
    claim = ben.claim()
    before = tools.catalog(claim)
    lobby.agent("ben").change(can_broadcast=True, manage_rooms=True)
    after = tools.catalog(claim)

    assert offered(after) - offered(before) == {
        *("broadcast", "delete_room"),
        *(*MANAGING, *RESTING),
    }
    assert after.revision != before.revision
    lobby.agent("ben").change(can_broadcast=False, manage_rooms=False)
    assert tools.catalog(claim).revision == before.revision
    tools.call("list_agents", {}, by=claim)


@pytest.mark.rule("L-TOOL-03")
def test_the_revision_is_a_digest_of_what_is_told(eve: Conversation) -> None:
    told = tools.catalog(eve).as_dict()
    revision = told.pop("revision")
    text = json.dumps(told, sort_keys=True, separators=(",", ":"))

    assert revision == sha256(text.encode()).hexdigest()


@pytest.mark.rule("L-TOOL-03")
def test_another_process_gives_the_same_revision_and_other_permissions_another(
    eve: Conversation, ben: Conversation
) -> None:
    program = (
        "from rooms import Lobby, tools\n"
        "with Lobby.in_memory() as lobby:\n"
        "    lobby.add_agent('other', threaded=True)\n"
        "    print(tools.catalog(lobby.conversation('other', label='x')).revision)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert done.stdout.strip() == tools.catalog(eve).revision
    assert tools.catalog(ben).revision != tools.catalog(eve).revision


@pytest.mark.rule("L-TOOL-03")
def test_the_dialects_tell_the_same_in_their_own_form(eve: Conversation) -> None:
    plain, openai, mcp = (
        tools.catalog(eve, dialect) for dialect in ("plain", "openai", "mcp")
    )
    schemas = {tool["name"]: tool["input_schema"] for tool in plain.tools}

    assert plain.revision == openai.revision == mcp.revision
    assert {
        tool["function"]["name"]: tool["function"]["parameters"]
        for tool in openai.tools
        if tool["type"] == "function"
    } == schemas
    assert {tool["name"]: tool["inputSchema"] for tool in mcp.tools} == schemas
    with pytest.raises(InvalidInput, match="plain, openai, mcp"):
        tools.catalog(eve, "xml")  # type: ignore[arg-type]


@pytest.mark.rule("L-TOOL-03")
def test_what_has_a_default_is_optional(lobby: Lobby, eve: Conversation) -> None:
    with_default = 0
    for tool in everything(lobby, eve).tools:
        schema = tool["input_schema"]
        for name, one in schema["properties"].items():
            with_default += "default" in one
            assert not ("default" in one and name in schema["required"])

    assert with_default > 5


def everything(lobby: Lobby, eve: Conversation) -> tools.Catalog:
    """The catalogue of whoever may do all."""
    lobby.register(Yes())
    lobby.agent("Eve").change(can_broadcast=True, manage_rooms=True)
    with lobby.turn(eve, word_of=lobby.person("ana")) as turn:
        catalog = tools.catalog(turn)
    assert {one.name for one in catalog.withheld} == TEAMS  # it is in none
    return catalog


@pytest.mark.rule("L-TOOL-09", "L-SCOPE-15")
def test_the_schemas_are_closed_valid_and_within_what_clients_take(
    lobby: Lobby, eve: Conversation
) -> None:
    catalog = everything(lobby, eve)

    assert len(catalog.tools) <= 64
    assert len(json.dumps(catalog.as_dict())) <= 512 * 1024
    for tool in catalog.tools:
        Draft202012Validator.check_schema(tool["input_schema"])
        assert re.fullmatch(r"[a-z][a-z0-9_]{0,63}", tool["name"])
        assert len(tool["description"]) <= 4096
        assert len(json.dumps(tool["input_schema"])) <= 32 * 1024
        assert depth(tool["input_schema"]) <= 32
        assert all(closed(one) for one in objects(tool["input_schema"]))


def depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value
    nested = [depth(one) for one in inner] if isinstance(value, dict | list) else []
    return 1 + max(nested, default=0)


def objects(schema: Any) -> list[dict[str, Any]]:
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "object" else []
    return own + [found for one in schema.values() for found in objects(one)]


def closed(schema: dict[str, Any]) -> bool:
    return schema["additionalProperties"] is False


@pytest.mark.rule("L-TOOL-08")
def test_the_guide_lists_the_same_tools_with_what_they_have_to_be_given(
    eve: Conversation,
) -> None:
    catalog = tools.catalog(eve)
    guide = catalog.guide()
    by_name = {one["name"]: one for one in guide["operations"]}

    assert guide["catalog_revision"] == catalog.revision
    assert "no orders" in guide["note"]
    assert list(by_name) == [tool["name"] for tool in catalog.tools]
    assert by_name["search_messages"] == {
        "name": "search_messages",
        "purpose": "Find messages of a room that hold every word of a query, the newest"
        " first.",
        "arguments": ["room (required)", "query (required)", "limit"],
    }


@pytest.mark.rule("L-TOOL-10")
def test_what_changed_is_told_and_another_wording_is_not(
    lobby: Lobby, eve: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tools.catalog(eve)
    with lobby.turn(eve, word_of=lobby.person("ana")) as turn:
        more = tools.catalog(turn)

    assert before.changes_since(before) == ()
    assert more.changes_since(before) == (
        "set_room_members is new; it takes room (required), members (required)",
        "change_room_members is new; it takes room (required), add, remove",
        "pause_room is new; it takes room (required)",
        "unpause_room is new; it takes room (required)",
        "archive_room is new; it takes room (required)",
        "restore_room is new; it takes room (required)",
        "remove_agent_from_room is new; it takes room (required), agent (required)",
        "erase_message is new; it takes room (required), message (required)",
        "delete_room is new; it takes room (required)",
    )
    gone = before.changes_since(more)
    assert gone[0] == "set_room_members is not there any more"

    rest = TOOLS["rest"]
    monkeypatch.setattr(
        "rooms.tools.catalogue.TOOLS",
        {**TOOLS, "rest": type(rest)("rest", "Other words.", rest.run, rest.arguments)},
    )
    reworded = tools.catalog(eve)

    assert reworded.revision != before.revision
    assert reworded.changes_since(before) == ()

    monkeypatch.setattr(
        "rooms.tools.catalogue.TOOLS",
        {**TOOLS, "rest": type(rest)("rest", rest.about, rest.run, ())},
    )

    assert tools.catalog(eve).changes_since(before) == ("rest takes now nothing",)
