"""
A room's policy: every option that the rules read, as one frozen value.

Two laws. Nothing in the core asks which system a room imitates: a preset only sets
options (unify.md). And a room records the options themselves, so a preset or a default
that changes later changes no room.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import lru_cache
from typing import Any, Literal

from attrs import Attribute, asdict, field, fields, frozen

from rooms import values
from rooms.addressing import check_agent_id
from rooms.errors import InvalidInput
from rooms.hearing import Mode
from rooms.pacing import Pushes, RateWindow
from rooms.planning import CATCHUP_CHARS, CATCHUP_MESSAGES

__all__ = ["RoomPolicy"]

_LARGEST = 2**53  # what every reader of JSON takes
_MICROSECOND = timedelta(microseconds=1)


def _one_of(*allowed: str) -> Callable[[Any, Attribute[Any], Any], None]:
    def check(_: Any, attribute: Attribute[Any], value: Any) -> None:
        values.member(attribute.name, value, allowed)

    return check


def _flag(_: Any, attribute: Attribute[Any], value: Any) -> None:
    values.flag(attribute.name, value)


def _window(_: Any, attribute: Attribute[Any], value: Any) -> None:
    if value is not None and not isinstance(value, RateWindow):
        kind = type(value).__name__
        raise InvalidInput(
            attribute.name, f"is of type {kind}", allowed="a RateWindow or None"
        )


def _retention(_: Any, attribute: Attribute[Any], value: Any) -> None:
    if value is not None:
        values.duration(attribute.name, value, at_least=_MICROSECOND)


def _pushes(_: Any, attribute: Attribute[Any], value: Any) -> None:
    if value is not None and not isinstance(value, Pushes):
        kind = type(value).__name__
        raise InvalidInput(attribute.name, f"is of type {kind}", allowed="Pushes")


def _pair_window(_: Any, attribute: Attribute[Any], value: Any) -> None:
    _window(_, attribute, value)
    if value is not None and value.limit < 1:
        raise InvalidInput(
            attribute.name, "has no place", allowed="a limit of 1 or more, or None"
        )


def _count(_: Any, attribute: Attribute[Any], value: Any) -> None:
    if value is not None:
        values.whole_number(attribute.name, value, at_least=1)


def _limit(_: Any, attribute: Attribute[Any], value: Any) -> None:
    values.whole_number(attribute.name, value, at_least=0, at_most=_LARGEST)


def _rounds(_: Any, attribute: Attribute[Any], value: Any) -> None:
    values.whole_number(attribute.name, value, at_least=1)


def _text(_: Any, attribute: Attribute[Any], value: Any) -> None:
    values.text(attribute.name, value)


def _line(_: Any, attribute: Attribute[Any], value: Any) -> None:
    line = values.text(attribute.name, value)
    if line != line.strip() or len(line.splitlines()) > 1:
        raise InvalidInput(
            attribute.name,
            "is no line",
            allowed="one line, without blanks around it, or nothing",
        )


def _int(written: Any) -> int:
    """A number as it is written; nonsense is kept as 0, which means the default."""
    return written if type(written) is int else 0


def _planner(_: Any, attribute: Attribute[Any], value: Any) -> None:
    values.text(attribute.name, value, empty=False)


def _agent(_: Any, attribute: Attribute[Any], value: Any) -> None:
    if value is not None:
        check_agent_id(value, field=attribute.name)


def _mode(value: Any) -> Mode:
    return Mode(values.member("default_mode", value, Mode))


@frozen(kw_only=True)
class RoomPolicy:
    """
    What a room's rules are.

    Attributes:
        people: `post`: persons may post. `watch`: they read, and act through agents.
        mentions: Where an `@name` in a text addresses a member: nowhere (`off`), in the
            run at its start (`leading`), or `anywhere`.
        mentions_from: Whose texts are read for mentions: those of `people`, or `any`.
        bare_word: What a word without a prefix means in `to`: an `agent`, or a
            `person`, who takes no turns.
        home_agent: An agent of the lobby whose bare name means it even where a word
            means a person; None for no such agent.
        default_mode: The mode of a conversation that joins and names none.
        reply_wakes_author: Whether an agent's reply addresses the author whom it
            answers; a person's always does.
        lifecycle: `simple`: the room is there until it is archived or deleted.
            `managed`: a team works in it, which is prepared, started and ended; a
            person makes such a room with `Teams.prepare`.
        membership: `open`: agents join by themselves, as the room's access says.
            `managed`: a lead alone says who is in it, any agent that may
            `manage_rooms`, or the room's owner. `fixed`: nobody; who is in it comes
            with what made the room.
        max_members: How many agents are members at once; None sets no end.
        lead_may_delete: Whether a lead may delete the room, as its owner may.
        history: What a conversation reads: `all` of the room, or what was said
            `since_join`, since it took its seat last.
        audience: `heard`: what a message is to whom the modes decide. `named`: one that
            names agents is owed to them alone, and each has to be another member that
            may be addressed.
        max_named: How many agents a message names at most where that is so.
        self_address: What a message to its own sender alone is: to `refuse`, or to
            `allow`, as a reminder.
        sessions: `shared`: whoever runs a conversation acts in the room, also beside
            somebody that claimed it. `exclusive`: once it was claimed, the newest claim
            alone does; reading needs none.
        settle_on: `read`: reading a message, or the end of a turn that carried it,
            settles what was owed for it. `accept`: the good end of the turn does, and
            reading does not. `ack`: only an acknowledgement does.
        wake_window: How many messages of agents may wake one conversation in how long;
            more are held until a place frees. None holds nothing.
        pushes: How what is owed is pushed to whoever runs a conversation, where a
            plugin pushes; None leaves it to be taken, or carried.
        send_window: How many messages one conversation may post in how long; more are
            refused. None refuses none.
        pair_window: How often two conversations may wake each other in how long, both
            directions together; more is held until a place frees. None holds nothing.
        max_hops: From this many answers on from a person's message, a message wakes
            nobody and is told with the next wake. None sets no end.
        max_message_chars: The longest text, in characters. None sets no end.
        max_message_bytes: The longest text, in bytes of UTF-8 as JSON writes it,
            without the quotes around it: a quote or a line's end is two, a control
            character up to six. None sets no end; a longer one is refused.
        oversize: What becomes of a text with too many characters: `refuse` or
            `truncate`, with a notice.
        backlog: From how many bytes of what an agent's conversation is owed, in all
            rooms that count it, nothing more is taken in for it. None counts nothing.
        backlog_full: What becomes of a message to somebody whose backlog is full, or
            that has too many unread: to `refuse` it for all, or to `skip` that one; a
            question to several is refused.
        max_unread: From how many messages that a conversation is owed in the room on
            nothing more is taken in for it, but answers to what it asked as a member of
            a team. None counts none.
        broadcast_wake: Whose messages to `all` wake whom they reach: of `any`, of the
            `lead` of the room or of its team, or of nobody (`never`), beside those of
            persons; others ride along.
        planner: Who says whose turn it is. `none`: nobody, messages wake. `addressed`:
            whom a person addresses, in bounded rounds. `roster`: everybody, in such
            rounds. `mentions`: everybody once, then whom agents name. `signals`:
            messages wake, and in a team's room as many turns run as its limits say, the
            most urgent first. Or the name of a planner that a plugin brings.
        interrupt: What a person in mid-activity does: `queue`, opens the next one;
            `restart`, starts anew at once.
        max_rounds: The rounds of one activity; of `addressed` and `roster` at most 10.
        max_messages: The messages and turns of one activity, the person's included.
            None sets no end, but to an activity that a plugin plans, at 100.
        on_failure: What a failed turn comes to: `drop`, it is recorded and its seat
            asked no more; `retry`, it is asked again, up to three times; `raise`, the
            failure leaves the driver, and the seat is named again when that goes on.
        lead: The agent that leads a planned room: it has no turns there, and its own
            messages open activities as a person's do. "" is nobody.
        default_responder: The agent that answers a person who addresses nobody, where
            the planner is `addressed`; the others step in only if its turn fails. "" is
            nobody.
        handoffs: Whether an agent of an `addressed` room that is named in an answer is
            asked next, in the order of naming.
        last_question: Whether an agent that is asked by name in the last allowed round
            has one more turn.
        stop_line: A line that ends an activity, where it stands alone in a turn after
            everyone had one. "" ends none.
        catchup_max_messages: How many messages a participant is shown that it missed,
            up to 500; nonsense means 40.
        catchup_max_chars: How many characters, up to 200,000; nonsense means 8,000.
        retention: How long a message is kept from its posting on, read or not; then a
            sweep takes it away, with its words, its request id and what was owed for
            it. None keeps all.
        max_documents: How many documents the room holds at once.
        max_document_bytes: The largest document, in bytes of UTF-8.
        attachments_from: Who attaches files: `any` who posts, or of the agents only
            `threaded` ones.
        max_attachments: How many files a message carries; 0 for none.
        max_attachment_bytes: The largest of them, in bytes.
        max_text_attachment_bytes: The largest that is named as one of the texts that
            `known` takes. None for as large as any.
        attachment_types: `any`: files of all types. `known`: images (PNG, JPEG, GIF,
            WebP, as their bytes say) and texts (named `md`, `txt`, `csv`, `json`,
            `log`, `mjs`, `cjs`, `js`, `ts`, `py`, `sh`, `swift`, and UTF-8 without a
            NUL); any other is refused.

    Raises:
        InvalidInput: `invalid_request`, naming the option and what it may be.
    """

    people: Literal["post", "watch"] = field(
        default="post", validator=_one_of("post", "watch")
    )
    mentions: Literal["off", "leading", "anywhere"] = field(
        default="leading", validator=_one_of("off", "leading", "anywhere")
    )
    mentions_from: Literal["people", "any"] = field(
        default="people", validator=_one_of("people", "any")
    )
    bare_word: Literal["agent", "person"] = field(
        default="agent", validator=_one_of("agent", "person")
    )
    home_agent: str | None = field(default=None, validator=_agent)
    default_mode: Mode = field(default=Mode.WHEN_TAGGED, converter=_mode)
    reply_wakes_author: bool = field(default=True, validator=_flag)
    lifecycle: Literal["simple", "managed"] = field(
        default="simple", validator=_one_of("simple", "managed")
    )
    membership: Literal["open", "managed", "fixed"] = field(
        default="open", validator=_one_of("open", "managed", "fixed")
    )
    max_members: int | None = field(default=None, validator=_count)
    lead_may_delete: bool = field(default=False, validator=_flag)
    history: Literal["all", "since_join"] = field(
        default="all", validator=_one_of("all", "since_join")
    )
    audience: Literal["heard", "named"] = field(
        default="heard", validator=_one_of("heard", "named")
    )
    max_named: int | None = field(default=None, validator=_count)
    self_address: Literal["refuse", "allow"] = field(
        default="refuse", validator=_one_of("refuse", "allow")
    )
    sessions: Literal["shared", "exclusive"] = field(
        default="shared", validator=_one_of("shared", "exclusive")
    )
    settle_on: Literal["read", "ack", "accept"] = field(
        default="read", validator=_one_of("read", "ack", "accept")
    )
    wake_window: RateWindow | None = field(
        default=RateWindow(10, timedelta(minutes=5)), validator=_window
    )
    send_window: RateWindow | None = field(
        default=RateWindow(30, timedelta(minutes=5)), validator=_window
    )
    pushes: Pushes | None = field(default=None, validator=_pushes)
    pair_window: RateWindow | None = field(default=None, validator=_pair_window)
    max_hops: int | None = field(default=None, validator=_count)
    max_message_chars: int | None = field(default=15_000, validator=_count)
    max_message_bytes: int | None = field(default=None, validator=_count)
    oversize: Literal["refuse", "truncate"] = field(
        default="refuse", validator=_one_of("refuse", "truncate")
    )
    backlog: int | None = field(default=None, validator=_count)
    backlog_full: Literal["refuse", "skip"] = field(
        default="refuse", validator=_one_of("refuse", "skip")
    )
    max_unread: int | None = field(default=None, validator=_count)
    broadcast_wake: Literal["any", "lead", "never"] = field(
        default="any", validator=_one_of("any", "lead", "never")
    )
    planner: str = field(default="none", validator=_planner)
    retention: timedelta | None = field(default=None, validator=_retention)
    max_documents: int = field(default=500, validator=_limit)
    max_document_bytes: int = field(default=512 * 2**10, validator=_limit)
    attachments_from: Literal["any", "threaded"] = field(
        default="any", validator=_one_of("any", "threaded")
    )
    max_attachments: int = field(default=10, validator=_limit)
    max_attachment_bytes: int = field(default=100 * 2**20, validator=_limit)
    max_text_attachment_bytes: int | None = field(default=None, validator=_count)
    attachment_types: Literal["any", "known"] = field(
        default="any", validator=_one_of("any", "known")
    )
    interrupt: Literal["queue", "restart"] = field(
        default="queue", validator=_one_of("queue", "restart")
    )
    max_rounds: int = field(default=3, validator=_rounds)
    max_messages: int | None = field(default=None, validator=_count)
    on_failure: Literal["drop", "retry", "raise"] = field(
        default="drop", validator=_one_of("drop", "retry", "raise")
    )
    lead: str = field(default="", validator=_text)
    default_responder: str = field(default="", validator=_text)
    handoffs: bool = field(default=False, validator=_flag)
    last_question: bool = field(default=False, validator=_flag)
    stop_line: str = field(default="", validator=_line)
    catchup_max_messages: int = field(default=CATCHUP_MESSAGES.default, converter=_int)
    catchup_max_chars: int = field(default=CATCHUP_CHARS.default, converter=_int)

    @property
    def gives_floor(self) -> bool:
        """Whether turns are given one at a time, by a planner that names a seat."""
        return self.planner not in {"none", "signals"}

    def recorded(self) -> dict[str, Any]:
        """The options as a record holds them: JSON's own types, durations in µs."""
        options = asdict(self, recurse=False)
        for name in _WINDOWS:
            window = options[name]
            if window is not None:
                options[name] = [window.limit, window.micros]
        if self.pushes is not None:
            options["pushes"] = self.pushes.recorded()
        options["default_mode"] = self.default_mode.value
        if self.retention is not None:
            options["retention"] = self.retention // _MICROSECOND
        return options

    @classmethod
    def from_record(cls, options: Mapping[str, Any]) -> RoomPolicy:
        """The policy of a record; options that this version does not know are left."""
        known = {name: options[name] for name in _OPTIONS if name in options}
        for name in _WINDOWS:
            window = known.get(name)
            if window is not None:
                limit, period = window
                known[name] = RateWindow(limit, timedelta(microseconds=period))
        if known.get("retention") is not None:
            known["retention"] = timedelta(microseconds=known["retention"])
        if known.get("pushes") is not None:
            known["pushes"] = Pushes.from_record(known["pushes"])
        return _one_of_equals(cls(**known))


@lru_cache(maxsize=256)
def _one_of_equals(policy: RoomPolicy) -> RoomPolicy:
    """The same value for rooms of equal policies: there may be very many."""
    return policy


_OPTIONS = tuple(option.name for option in fields(RoomPolicy))
_WINDOWS = ("wake_window", "send_window", "pair_window")
