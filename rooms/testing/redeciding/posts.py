"""
Posts, decided again: who is owed a message, by which rule, now or later.

Two laws. What the sender asked for is read from the record; who hears it, and when, is
not. And where the record may stand for more than one request, whichever of them gives
it today is taken for the one that was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from attrs import evolve

from rooms.addressing import Address, AddressKind, name_key, parse_address
from rooms.errors import NotFound, RoomsError
from rooms.log.actors import SYSTEM, Actor
from rooms.log.events import Event, Fact
from rooms.log.posting import AttachedFile, Comes, Draft, MessagePosted, PostFacts, post
from rooms.log.posting.addressing import called_in
from rooms.log.posting.meaning import Meaning
from rooms.log.state import RoomState
from rooms.log.team.questions import SYSTEM_AUTHOR
from rooms.testing.redeciding.history import History

__all__ = ["decide_post", "is_decidable"]


def is_decidable(fact: Fact) -> bool:
    """
    Whether its sender decided it, and the words that it was decided on are still there.

    What waited for its time was settled when it was accepted.
    """
    message = fact.event
    if not isinstance(message, MessagePosted) or message.accepted:
        return False
    if not message.sender and message.author == SYSTEM_AUTHOR:
        return False  # which a team's state says, and nobody who sends
    return not fact.erased


def decide_post(history: History, room: RoomState, fact: Fact) -> list[Event]:
    """
    The events that the message would leave today.

    Raises:
        RoomsError: As `rooms.log.posting.post`, where today's rules refuse it.
    """
    message = fact.event
    assert isinstance(message, MessagePosted)  # noqa: S101 - `is_decidable` says so
    by = history.actor(room, fact, message.wake)
    if by == SYSTEM and message.sender:  # an occurrence of its sender's schedule
        agent = history.agent_of(room, message.sender)
        by = Actor("conversation", message.sender, agent, wake=message.wake)
    known = _facts(history, room, message)

    def posted(draft: Draft) -> list[Event]:
        facts = evolve(known, itself=_to_itself(draft.to, by, history))
        try:
            return post(room, draft, facts, by=by, now=fact.at)
        except NotFound:  # of a conversation, it may be, that the same commit brings
            if not history.coming:
                raise
            ahead = evolve(facts, talks=history.talks(ahead=True))
            return post(room, draft, ahead, by=by, now=fact.at)

    first, *others = _requests(message, room, by, history)
    for draft in (first, *others) if others else ():
        with suppress(RoomsError):
            decided = posted(draft)
            if decided[-1] == message:
                return decided
    return posted(first)


def _requests(
    message: MessagePosted, room: RoomState, by: Actor, history: History
) -> Iterator[Draft]:
    """
    What may have been asked for, the likeliest first.

    Whom a message names stands in its record together: those that it was addressed to,
    and those that its text or its mentions called. That makes a difference where an
    audience is of the named, since to address one limits it and to call one does not,
    and where who is addressed alone may be the sender.
    """
    every = [_address(one) for one in message.to]
    given = [one for one in every if _may_be_given(one, by, history)]
    yield _draft(message, by, history, given)
    if room.policy.audience != "named" and room.policy.self_address != "allow":
        return
    called = [one for one in given if _may_be_called(one, message, room, by)]
    addressed = [one for one in given if one not in called]
    if called:
        yield _draft(message, by, history, addressed)
        yield _draft(message, by, history, [*addressed, called[0]])
    for place in reversed(range(len(given))):  # whoever is called stands behind
        if given[place] not in called:
            break
        yield _draft(message, by, history, given[:place])


def _may_be_called(
    one: Address, message: MessagePosted, room: RoomState, by: Actor
) -> bool:
    if one.key == name_key(by.agent):
        return False
    if not message.named:
        return one in called_in(room, message.text, by)[0]
    return one.kind in {AddressKind.AGENT, AddressKind.ALL}


def _draft(
    message: MessagePosted, by: Actor, history: History, given: Sequence[Address]
) -> Draft:
    every = [_address(one) for one in message.to]
    called = [str(one.name or one) for one in every if one not in given]
    text = message.text
    if message.truncated_from:  # what was cut off is in no log, but how much it was is
        text += "x" * (message.truncated_from - len(text))
    kinds = message.types or ("",) * len(message.files)
    files = tuple(
        AttachedFile(path, content, size, text=is_text, kind=kind)
        for (path, content), (_, size, is_text), kind in zip(
            message.attachments, message.files, kinds, strict=True
        )
    )
    meaning = Meaning(
        kind=message.kind,
        urgency=message.urgency,
        correlation=message.correlation,
        supersedes=message.supersedes,
        fields=message.structured,
        notify_when_seen=message.notify_when_seen,
    )
    itself = _to_itself(tuple(given), by, history)
    if meaning.expected(to_itself=itself) != message.expects_reply:
        meaning = meaning._replace(expects_reply=message.expects_reply)
    return Draft(
        text,
        tuple(given),
        message.reply_to or None,
        confirm_all_threads=True,
        mentions=(*message.unresolved, *called) if message.named else None,
        silent=tuple(_address(address) for address, _ in message.silent),
        files=files,
        late=message.late,
        failed=message.failed,
        meaning=meaning,
        comes=Comes(
            message.due,
            message.schedule,
            message.hops if message.schedule else None,
        ),
    )


def _facts(history: History, room: RoomState, message: MessagePosted) -> PostFacts:
    return PostFacts(
        agents=history.lobby.agents,
        talks=history.talks(ahead=False),
        replied=history.author(message.reply_to, room),
        gone=message.reply_gone,
        earlier=history.messages.get(message.supersedes),
        elsewhere=lambda one: history.owed_elsewhere(room, one),
        conversations=[conversation for conversation, _ in message.started],
    )


def _may_be_given(address: Address, by: Actor, history: History) -> bool:
    """Whether a sender may name it; what it may not was called in the text alone."""
    agents = history.lobby.agents
    named, sender = agents.get(address.key), agents.get(name_key(by.agent))
    if named is None or named is sender or address.kind is AddressKind.PERSON:
        return True
    may = sender is None or sender.may.may_address(named.agent)
    return may and named.may.enabled


def _address(written: str) -> Address:
    return parse_address(written, bare_word="agent")


def _to_itself(to: tuple[Address, ...], by: Actor, history: History) -> bool:
    if len(to) != 1 or to[0].key != name_key(by.agent) or not by.agent:
        return False
    if to[0].kind is AddressKind.PERSON:  # who may be called as an agent is
        return False
    if to[0].label is not None:
        talks = history.agents.get(by.agent)
        return talks is not None and talks.labelled(to[0].label) == by.id
    entry = history.lobby.agents.get(name_key(by.agent))
    return entry is not None and not entry.threaded
