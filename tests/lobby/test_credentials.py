"""Tokens: shown once, kept as digests, void when they should be."""

from __future__ import annotations

import asyncio
import string

import pytest

from lobby.place import Place
from rooms import Conflict, Credentials, InvalidInput, Lobby, NotAllowed, aio
from rooms.errors import RoomsError

URL_SAFE = set(string.ascii_letters + string.digits + "-_")


@pytest.fixture
def credentials(lobby: Lobby) -> Credentials:
    return Credentials(lobby)


def refused(credentials: Credentials, token: str) -> str:
    with pytest.raises(RoomsError) as error:
        credentials.actor(token)
    return error.value.code


@pytest.mark.rule("L-AGENT-12")
def test_a_token_is_shown_once_and_kept_nowhere(
    lobby: Lobby, credentials: Credentials
) -> None:
    ben = lobby.add_agent("ben")
    token = credentials.issue(ben)

    assert 32 <= len(token) <= 512
    assert set(token) <= URL_SAFE
    assert token[12:] not in "".join(lobby.export())
    with pytest.raises(Conflict) as again:
        credentials.issue(ben)
    assert again.value.code == "token_exists"
    assert token not in str(again.value)


@pytest.mark.rule("L-SCOPE-11")
def test_the_sender_is_whose_token_it_is(
    lobby: Lobby, credentials: Credentials
) -> None:
    lobby.add_agent("cy")
    ana, ben = lobby.person("ana"), lobby.add_agent("ben")
    tokens = credentials.issue(ana), credentials.issue(ben)

    assert credentials.actor(tokens[0]) == ana
    assert credentials.actor(tokens[1]) == ben.conversation()
    posted = lobby.send("hello", by=credentials.actor(tokens[1]), to="cy")
    assert posted.message.sender == ben.conversation()


def test_a_threaded_agents_token_finds_its_conversation(
    lobby: Lobby, credentials: Credentials
) -> None:
    eve = lobby.add_agent("Eve", threaded=True)
    token = credentials.issue(eve)

    assert credentials.actor(token, thread="t-1") == eve.conversation(thread="t-1")
    assert credentials.who(token) == eve


@pytest.mark.rule("L-AGENT-13")
def test_a_rotation_voids_the_old_token_and_the_claim_made_with_it(
    lobby: Lobby, credentials: Credentials
) -> None:
    lobby.add_agent("cy")
    ben = lobby.add_agent("ben")
    old = credentials.issue(ben)
    claim = ben.conversation().claim()
    new = credentials.rotate(ben)

    assert refused(credentials, old) == "unauthorized"
    assert credentials.actor(new) == ben.conversation()
    with pytest.raises(Conflict) as stale:
        lobby.send("still here", by=claim, to="cy")
    assert stale.value.code == "stale_runtime"


@pytest.mark.rule("L-AGENT-10")
def test_a_disabled_agents_token_is_void_for_good(
    lobby: Lobby, credentials: Credentials
) -> None:
    ben = lobby.add_agent("ben")
    token = credentials.issue(ben)
    ben.change(enabled=False)

    assert refused(credentials, token) == "unauthorized"
    with pytest.raises(NotAllowed) as disabled:
        credentials.rotate(ben)
    assert disabled.value.code == "agent_disabled"
    ben.change(enabled=True)
    assert refused(credentials, token) == "unauthorized"
    assert credentials.actor(credentials.issue(ben)) == ben.conversation()


def test_a_revoked_token_is_void(lobby: Lobby, credentials: Credentials) -> None:
    ben = lobby.add_agent("ben")
    token = credentials.issue(ben)
    credentials.revoke(ben)
    credentials.revoke(ben)

    assert refused(credentials, token) == "unauthorized"


@pytest.mark.rule("L-SCOPE-08", "L-SCOPE-09")
def test_a_token_of_another_lobby_is_nobodys_here(
    lobby: Lobby, credentials: Credentials
) -> None:
    with Lobby.in_memory() as other:
        token = Credentials(other).issue(other.add_agent("ben"))
        lobby.add_agent("ben")

        assert refused(credentials, token) == "unauthorized"


@pytest.mark.parametrize(
    "token", ["", "x", "x" * 31, "x" * 56, "x" * 513, "\u00e9" * 40, "a\0" * 20]
)
def test_what_is_no_token_is_refused_like_a_wrong_one(
    credentials: Credentials, token: str
) -> None:
    assert refused(credentials, token) == "unauthorized"


def test_one_sign_changed_anywhere_is_refused(
    lobby: Lobby, credentials: Credentials
) -> None:
    token = credentials.issue(lobby.add_agent("ben"))
    for place, sign in enumerate(token):
        other = "A" if sign != "A" else "B"

        assert (
            refused(credentials, token[:place] + other + token[place + 1 :])
            == "unauthorized"
        )


def test_tokens_outlive_the_process(place: Place) -> None:
    lobby = place.open()
    token = Credentials(lobby).issue(lobby.add_agent("ben"))

    again = place.crash()
    assert str(Credentials(again).actor(token)) == "agent:ben"


@pytest.mark.rule("L-SCOPE-08")
def test_nobody_of_another_lobby_gets_a_token_here(
    lobby: Lobby, credentials: Credentials
) -> None:
    with Lobby.in_memory() as other:
        strangers = other.person("zoe"), other.add_agent("zed")
    before = list(lobby.export())
    for make in (credentials.issue, credentials.rotate):
        codes = []
        for stranger in strangers:
            with pytest.raises(RoomsError) as error:
                make(stranger)
            codes.append(error.value.code)
        assert codes == ["person_not_found", "agent_not_found"]
    assert list(lobby.export()) == before


def test_a_lobby_of_asyncio_is_refused_with_the_one_to_hand_over() -> None:
    async def handed() -> None:
        async with aio.Lobby.in_memory() as lobby:
            Credentials(lobby.sync)
            Credentials(lobby)  # type: ignore[arg-type]

    with pytest.raises(InvalidInput, match="its `sync`"):
        asyncio.run(handed())


def test_who_hands_over_a_receipt_is_told_of_its_message(lobby: Lobby) -> None:
    ana = lobby.person("ana")
    room = lobby.create_room("work", by=ana)
    posted = room.post("Hi.", by=ana)

    with pytest.raises(InvalidInput, match="is of type Posted; allowed: a message, wh"):
        room.explain(posted)  # type: ignore[arg-type]


def test_who_hands_over_an_agent_is_told_of_its_conversation(lobby: Lobby) -> None:
    ben = lobby.add_agent("ben")
    room = lobby.create_room("work", by=lobby.person("ana"))

    with pytest.raises(InvalidInput, match=r"`agent\.conversation\(\)`"):
        room.join(by=ben)
    with pytest.raises(InvalidInput, match=r"`lobby\.conversation\(name\)`") as join:
        room.join(by="ben")
    assert "lobby.person" not in str(join.value)
    with pytest.raises(InvalidInput, match=r", `lobby\.person\(name\)` a person \["):
        room.post("Hi.", by="ana")
    with pytest.raises(InvalidInput, match=r"^agents is of .*; allowed: several"):
        lobby.take_wakes(agents="ben")
    with pytest.raises(InvalidInput, match=r"^conversations is of type str"):
        lobby.take_wakes(conversations="agent:ben")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"^conversations\[0\] is of type str"):
        lobby.take_wakes(conversations=["agent:ben"])  # type: ignore[list-item]
