"""
Resolution: whom the addresses and the reply of one message come to, in one room.

Four laws. The addressees are a set: a conversation reached twice is there once, as
`direct` if any address was (`G-ADDR-14`). The sender's own conversation is never among
them (`G-ADDR-11`). One address that reaches nobody refuses the whole message before
anything is recorded (`G-ADDR-16`). The cost is that of the answer: the room is asked
only by name, by label and for those who follow.

Who hears it, and when, is decided elsewhere: an addressee is not yet a wake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import Any, Literal, NoReturn

from attrs import frozen

from rooms import values
from rooms.addressing.address import Address, AddressKind, parse_address
from rooms.addressing.names import name_key
from rooms.addressing.view import Author, Member, RoomView
from rooms.errors import InvalidInput, NotFound, SelfAddressed

__all__ = ["Resolution", "Start", "resolve", "resolve_addresses"]

BareWord = Literal["agent", "person"]
StartReason = Literal["address", "left", "no_seat"]

# Bound once: in Python 3.11 a member is looked up by a function of the enumeration.
_ROOM, _ALL, _PERSON = AddressKind.ROOM, AddressKind.ALL, AddressKind.PERSON
_CONVERSATION = AddressKind.CONVERSATION
_EVERY_CONVERSATION = AddressKind.EVERY_CONVERSATION
_NEAREST = 5  # alternatives that a refusal names
_COMPARED = 200  # names that are compared for them
_LONGEST_COMPARED = 128


@frozen
class Start:
    """
    A conversation to be started for the message.

    Attributes:
        agent: The id of the agent.
        instead_of: The conversation that left, in whose place it comes, or None.
        reason: `address` for a bare id, `left` for a successor, `no_seat` for the first
            conversation of a member that has none (`G-ADDR-12`).
    """

    agent: str
    instead_of: str | None = None
    reason: StartReason = "address"


@frozen
class Resolution:
    """
    Whom a message addresses, each part in order of first use, each once.

    Attributes:
        direct: Conversations named by label, reply, or the name of a single agent.
        group: Conversations reached by `/all` or `all`, in the room's order, and not
            `direct`.
        started: Conversations to be started.
        people: Persons named; they take no turns (`G-ADDR-02`).
        room: Whether `room` is addressed, or nobody else is.
    """

    direct: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    started: tuple[Start, ...] = ()
    people: tuple[str, ...] = ()
    room: bool = False


def resolve(
    addresses: Iterable[Address | str],
    *,
    sender: str | None,
    view: RoomView,
    reply_to: str | None = None,
    reply_wakes_author: bool = True,
    bare_word: BareWord = "agent",
    home: str | None = None,
) -> Resolution:
    """
    Whom a message with these addresses and this reply is for.

    Args:
        addresses: A sequence of Address values or their texts; may be empty.
        sender: The conversation that sends, or None for a person.
        view: The room.
        reply_to: The id of the message that this one answers; it addresses that one's
            author as a label would (`G-ADDR-04`).
        reply_wakes_author: Whether a reply addresses anybody.
        bare_word: What a word without prefix is: the agent with that id, and refused
            if it is no member's; or a person.
        home: The agent whose bare name is an agent even where bare words are persons.

    Raises:
        InvalidInput: `bad_address` for a text that is none, with `nearest`.
        NotFound: `unknown_address` with `address`, `reason` (`unknown_agent`,
            `not_a_member`, `unknown_label`, `left`) and `nearest`, the addresses here
            that are most like it; `reply_not_found` for a reply to a message that is
            not here.
        SelfAddressed: The sender would be the only addressee (`G-ADDR-10`).
    """
    for name, given in (("sender", sender), ("reply_to", reply_to), ("home", home)):
        if given is not None:
            values.text(name, given, empty=False)
    values.member("bare_word", bare_word, ("agent", "person"))
    read = _addresses(addresses, view, bare_word, home)
    return resolve_addresses(
        read,
        sender=sender,
        view=view,
        reply_to=reply_to,
        reply_wakes_author=reply_wakes_author,
    )


def resolve_addresses(
    addresses: Iterable[Address],
    *,
    sender: str | None,
    view: RoomView,
    reply_to: str | None,
    reply_wakes_author: bool,
) -> Resolution:
    """As `resolve`, for addresses that are parsed and arguments that are checked."""
    found = _Found(view)
    for address in {str(one): one for one in addresses}.values():
        found.add(address)
    author = None if reply_to is None else _author(reply_to, view)
    if author and author.agent and author.conversation and reply_wakes_author:
        address = Address(AddressKind.AGENT, name=author.agent)
        member = found.member(address.key, address)
        found.add_conversation(member, author.conversation, address)
    return _settled(found, sender, view)


def _addresses(
    addresses: Any, view: RoomView, bare_word: BareWord, home: str | None
) -> Iterator[Address]:
    if not isinstance(addresses, Iterable) or isinstance(
        addresses, str | bytes | AbstractSet | Mapping
    ):
        raise InvalidInput(
            "to", f"is of type {type(addresses).__name__}", allowed="a sequence"
        )
    for place, address in enumerate(addresses):
        if isinstance(address, Address):
            yield address
            continue
        position = f"to[{place}]"
        text = values.text(position, address)
        at_home = home is not None and name_key(text.strip()) == name_key(home)
        try:
            yield parse_address(text, bare_word="agent" if at_home else bare_word)
        except InvalidInput as error:
            raise InvalidInput(
                position,
                error.details["problem"],
                allowed=error.details["allowed"],
                code=error.code,
                nearest=_nearest(text, _agents(view)),
            ) from None


def _author(reply_to: str, view: RoomView) -> Author:
    author = view.author(reply_to)
    if author is None:
        raise NotFound(
            "reply_not_found",
            f"no message {reply_to[:80]!a} is here to reply to",
            reply_to=reply_to,
        )
    return author


def _settled(found: _Found, sender: str | None, view: RoomView) -> Resolution:
    direct, group = found.direct, found.group
    resolution = Resolution(
        tuple([one for one in direct if one != sender]),
        tuple([one for one in group if one != sender and one not in direct]),
        tuple(found.started.values()),
        tuple(found.people),
        found.room or not found.given,
    )
    if sender is None or (sender not in direct and sender not in group):
        return resolution
    if resolution != Resolution():
        return resolution
    partner = view.last_partner(sender)
    hint = f"; it last talked with {partner}" if partner else ""
    raise SelfAddressed(
        "self_addressed",
        f"the sender would be the only one addressed{hint}",
        last_partner=partner,
    )


class _Found:
    """What the addresses came to so far; dicts are sets that keep their order."""

    def __init__(self, view: RoomView) -> None:
        self.view = view
        self.direct: dict[str, None] = {}
        self.group: dict[str, None] = {}
        self.started: dict[tuple[str, str | None], Start] = {}
        self.people: dict[str, None] = {}
        self.room = False
        self.given = False

    def add(self, address: Address) -> None:
        """Whom one address names."""
        self.given = True
        kind = address.kind
        if kind is _ROOM:
            self.room = True
        elif kind is _ALL:
            self.group.update(dict.fromkeys(self.view.everyone_following()))
        elif kind is _PERSON:
            self.people[str(address.name)] = None
        else:
            self.add_agent(address, self.member(address.key, address))

    def add_agent(self, address: Address, member: Member) -> None:
        agent = member.agent
        if address.kind is _CONVERSATION:
            conversation = self.view.labelled(agent, str(address.label))
            if conversation is None:
                self.refuse(address, "unknown_label", agent)
            self.add_conversation(member, conversation, address)
        elif address.kind is _EVERY_CONVERSATION and member.seated:
            self.group.update(dict.fromkeys(self.view.following(agent)))
        elif member.conversation is not None:
            self.add_conversation(member, member.conversation, address)
        else:
            self.start(agent, None, "address" if member.seated else "no_seat")

    def add_conversation(self, member: Member, one: str, address: Address) -> None:
        """A conversation, or the successor of one that left (`G-FOLLOW-04`)."""
        self.given = True
        if not self.view.left(one):
            self.direct[one] = None
        elif member.threaded:
            self.start(member.agent, one, "left")
        else:
            self.refuse(address, "left")

    def start(self, agent: str, instead_of: str | None, reason: StartReason) -> None:
        start = Start(agent, instead_of, reason)
        self.started.setdefault((agent, instead_of), start)

    def member(self, key: str, address: Address) -> Member:
        member = self.view.member(key)
        if member is None:
            self.refuse(address, "unknown_agent")
        if not member.present:
            alone = member.conversation
            left = alone is not None and self.view.left(alone)
            self.refuse(address, "left" if left else "not_a_member")
        return member

    def refuse(self, address: Address, reason: str, agent: str = "") -> NoReturn:
        others = _labels(self.view, agent) if agent else _agents(self.view)
        nearest = _nearest(str(address), others)
        raise NotFound(
            "unknown_address",
            f"{str(address)!a} reaches nobody here: {reason.replace('_', ' ')}"
            + (f"; nearest: {', '.join(nearest)}" if nearest else ""),
            address=str(address),
            reason=reason,
            nearest=nearest,
        )


def _agents(view: RoomView) -> list[str]:
    return [f"agent:{agent}" for agent in islice(view.agents(), _COMPARED)]


def _labels(view: RoomView, agent: str) -> list[str]:
    return [f"agent:{agent}/{label}" for label in islice(view.labels(agent), _COMPARED)]


def _nearest(written: str, others: list[str]) -> tuple[str, ...]:
    """The few that share the most pairs of letters with what was written."""
    pairs = _pairs(written)
    common = [len(pairs & _pairs(other)) for other in others]
    order = sorted(range(len(others)), key=lambda place: (-common[place], place))
    return tuple(others[place] for place in order[:_NEAREST])


def _pairs(written: str) -> AbstractSet[str]:
    key = name_key(written[:_LONGEST_COMPARED]).removeprefix("agent:")
    return {key[at : at + 2] for at in range(len(key) - 1)}
