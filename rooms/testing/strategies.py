"""
Strategies for hypothesis: names, addresses, texts, policies, transcripts, clocks.

Law: what these give is valid by the grammar, or is said to be hostile. Importing this
module registers the values that have one with `hypothesis.strategies.from_type`.

`rooms.testing.commands` has those of whole commands to a lobby, `rooms.testing.logs` of
what they leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from rooms.errors.extras import needed

with needed("hypothesis", by=__name__):
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy

from rooms.addressing import Address, AddressKind
from rooms.addressing.names import RESERVED_IDS, RESERVED_LABELS
from rooms.hearing import CHOICES, Subscription
from rooms.pacing import RateWindow
from rooms.planning import RoomEvent
from rooms.policy import RoomPolicy
from rooms.testing.clock import START
from rooms.transcripts import Recorded, Transcript

__all__ = [
    "addresses",
    "agent_ids",
    "chats",
    "clock_plans",
    "hostile_texts",
    "labels",
    "mention_texts",
    "policies",
    "rate_windows",
    "subscriptions",
    "transcripts",
]

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_DIGITS = "0123456789"
_ID_SIGNS = f"{_LETTERS}{_LETTERS.upper()}{_DIGITS}_.-"
# Whatever broke a parser or a line once: every line break of `str.splitlines`, signs
# that move the cursor or the direction, wide and combining ones, our own words.
_HOSTILE = (
    *("\n", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"),
    *("\x00", "\x1b[2J", "\u202e", "\u200b", "\ufeff", "\u0301", "\U0001f600", "ß"),
    *("@", "@all", "> ", "```", "agent:", "room", "'", '"', "\\", "<b>", "%s", "{}"),
)


def agent_ids() -> SearchStrategy[str]:
    """Ids that an agent may have."""
    first = st.sampled_from(_LETTERS + _LETTERS.upper() + _DIGITS)
    rest = st.text(_ID_SIGNS, max_size=12)
    return st.builds(str.__add__, first, rest).filter(
        lambda name: not name.endswith(".") and name.lower() not in RESERVED_IDS
    )


def labels() -> SearchStrategy[str]:
    """Labels that a conversation may be given."""
    words = st.text(_LETTERS + _DIGITS, min_size=1, max_size=6)
    joined = st.lists(words, min_size=1, max_size=4).map("-".join)
    return joined.filter(lambda label: label not in RESERVED_LABELS)


def addresses(
    names: SearchStrategy[str] | None = None,
    words: SearchStrategy[str] | None = None,
) -> SearchStrategy[Address]:
    """Addresses of every kind, of these names and labels, or of any."""
    named = agent_ids() if names is None else names
    labelled = labels() if words is None else words
    kinds = AddressKind
    return st.one_of(
        st.sampled_from([Address(kinds.ROOM), Address(kinds.ALL)]),
        st.builds(
            Address,
            st.sampled_from([kinds.AGENT, kinds.EVERY_CONVERSATION, kinds.PERSON]),
            name=named,
        ),
        st.builds(Address, st.just(kinds.CONVERSATION), name=named, label=labelled),
    )


def hostile_texts(*, max_size: int = 8) -> SearchStrategy[str]:
    """Texts out of what once broke a parser or forged a line; no lone surrogates."""
    sign = st.sampled_from(_HOSTILE) | st.characters(exclude_categories=["Cs"])
    return st.lists(sign, max_size=max_size).map("".join)


def mention_texts(names: Sequence[str]) -> SearchStrategy[str]:
    """Texts that call these names, everyone, or nobody who is there, in many ways."""
    called = st.sampled_from([*names, "all", "room", "nobody-here"])
    mention = st.builds(
        "{}@{}{}".format,
        st.sampled_from(["", "", "(", "mail", "`"]),
        called,
        st.sampled_from(["", " ", ", ", ".", "'s ", "`"]),
    )
    word = st.sampled_from(["look", " ", "and ", "\n> ", "\n", "完了"])
    return st.lists(mention | word, max_size=6).map("".join)


def rate_windows() -> SearchStrategy[RateWindow]:
    """Windows of a few in a few minutes; seldom of none."""
    minutes = st.sampled_from([1, 5, 60]).map(lambda many: timedelta(minutes=many))
    return st.builds(RateWindow, st.sampled_from([1, 2, 3, 4, 10, 0]), minutes)


_RETENTIONS = tuple(timedelta(minutes=many) for many in (1, 60, 1440))


def policies() -> SearchStrategy[RoomPolicy]:
    """Policies with every option; most rooms are not planned."""
    return st.builds(
        RoomPolicy,
        people=st.sampled_from(["post", "post", "post", "watch"]),
        mentions=st.sampled_from(["off", "leading", "anywhere"]),
        mentions_from=st.sampled_from(["people", "any"]),
        bare_word=st.sampled_from(["agent", "person"]),
        home_agent=st.sampled_from([None, "Eve", "nobody"]),
        default_mode=st.sampled_from(CHOICES[False]),
        reply_wakes_author=st.booleans(),
        settle_on=st.sampled_from(["read", "ack", "accept"]),
        wake_window=st.none() | rate_windows(),
        send_window=st.none() | rate_windows(),
        pair_window=st.none() | rate_windows().filter(lambda one: one.limit > 0),
        max_hops=st.none() | st.integers(1, 4),
        max_message_chars=st.none() | st.integers(1, 200),
        oversize=st.sampled_from(["refuse", "truncate"]),
        retention=st.sampled_from([None, None, None, *_RETENTIONS]),
        max_documents=st.sampled_from([1, 500, 500]),
        max_document_bytes=st.sampled_from([10, 512 * 2**10]),
        attachments_from=st.sampled_from(["any", "any", "threaded"]),
        max_attachments=st.sampled_from([0, 1, 10]),
        max_attachment_bytes=st.sampled_from([10, 100 * 2**20]),
        max_text_attachment_bytes=st.sampled_from([None, None, 3]),
        attachment_types=st.sampled_from(["any", "any", "known"]),
        planner=st.sampled_from(
            ["none", "none", "none", "addressed", "roster", "mentions", "nobodys"]
        ),
        interrupt=st.sampled_from(["queue", "restart"]),
        max_rounds=st.integers(1, 3),
        max_messages=st.none() | st.integers(1, 9),
        on_failure=st.sampled_from(["drop", "retry", "raise"]),
        lead=st.sampled_from(["", "", "cy"]),
        default_responder=st.sampled_from(["", "ben"]),
        handoffs=st.booleans(),
        last_question=st.booleans(),
        stop_line=st.sampled_from(["", "done"]),
    )


def subscriptions(*, threaded: bool = True) -> SearchStrategy[Subscription]:
    """Subscriptions that an agent of this kind may choose."""
    return st.builds(
        Subscription,
        st.sampled_from(CHOICES[threaded]),
        st.integers(1, 1440).map(lambda minutes: timedelta(minutes=minutes)),
        st.booleans(),
    )


def clock_plans(*, max_size: int = 12) -> SearchStrategy[list[timedelta]]:
    """
    Moves of a clock, one after the other: on by moments, minutes or days, standing, and
    back, as clocks of hosts are set.
    """
    on = st.sampled_from([0, 1, 1_000_000, 59_999_999, 60_000_000, 300_000_000])
    moves = st.one_of(
        on.map(lambda moments: timedelta(microseconds=moments)),
        st.integers(0, 30).map(lambda days: timedelta(days=days)),
        st.integers(1, 3_600).map(lambda seconds: timedelta(seconds=-seconds)),
    )
    return st.lists(moves, max_size=max_size)


def transcripts(
    names: Sequence[str] = ("Eve", "ben", "ana"), *, max_size: int = 12
) -> SearchStrategy[Transcript]:
    """Transcripts in which these speak, told as fully as a transcript may be."""
    name = st.sampled_from(names)
    minutes = st.integers(0, 9_999).map(lambda minutes: timedelta(minutes=minutes))
    event = st.builds(
        RoomEvent,
        name,
        mention_texts(names) | hostile_texts(),
        st.integers(0, 3),
        st.booleans(),
        st.none() | st.booleans(),
    )
    recorded = st.builds(
        Recorded,
        st.just(1),
        event,
        st.none() | minutes.map(lambda since: START + since),
        st.lists(name, max_size=2).map(tuple),
        st.booleans(),
    )
    cap = st.none() | st.integers(1, 20)
    return st.builds(
        Transcript,
        st.lists(recorded, min_size=1, max_size=max_size).map(tuple),
        st.lists(name, unique=True).map(tuple),
        cap,
        cap,
        st.none() | st.booleans(),
    ) | st.builds(
        Transcript, st.lists(recorded, min_size=1, max_size=max_size).map(tuple)
    )


def chats(
    names: Sequence[str] = ("Eve", "ben", "Ana Maria"), *, max_size: int = 6
) -> SearchStrategy[tuple[str, list[tuple[datetime, str, str]]]]:
    """A chat as a messenger exports it, and what is said in it: when, by whom, what."""
    line = hostile_texts().map(lambda text: text.replace("\n", "").replace("\r", ""))
    other = line.filter(
        lambda text: text.lstrip(_DIRECTION)[:1] not in (*"[0123456789",)
    )
    body = st.builds(
        lambda first, more, last: "\n".join([first, *more, last] if last else [first]),
        line,
        st.lists(other, max_size=3),
        other.filter(str.strip) | st.just(""),
    )
    said = st.tuples(st.integers(0, 10_000), st.sampled_from(names), body)
    frames = ("[{:%Y-%m-%d %H:%M}] {}: {}", "{:%d.%m.%Y, %H:%M} - {}: {}")
    return st.builds(
        _written,
        st.sampled_from([*frames, "{:%Y-%m-%d %H:%M} <{}> {}"]),
        st.lists(said, min_size=1, max_size=max_size),
        st.sampled_from(["\n", "\r\n", "\n\n"]),
    )


_DIRECTION = "\u200e\u200f\ufeff"


def _written(
    frame: str, chat: list[tuple[int, str, str]], end: str
) -> tuple[str, list[tuple[datetime, str, str]]]:
    said = [(START + timedelta(minutes=at), name, body) for at, name, body in chat]
    return "".join(frame.format(*one) + end for one in said), said


st.register_type_strategy(Address, addresses())
st.register_type_strategy(RateWindow, rate_windows())
st.register_type_strategy(RoomPolicy, policies())
st.register_type_strategy(Subscription, subscriptions())
