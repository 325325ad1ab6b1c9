"""
An agent's own stream: its conversations, their labels and bindings, and their claims.

Three laws. A label is only ever added, and never given to another conversation, so a
stale directory can only miss (foundation 13). A host's thread is bound to one
conversation. And a claim with a higher generation makes every older one stale.
"""

from __future__ import annotations

from attrs import define, field

from rooms import values
from rooms.addressing import check_label, derive_label, free_label
from rooms.errors import Conflict, InvalidInput, NotFound
from rooms.log import receipts, statuses
from rooms.log.events import Event, Fact, recorded
from rooms.log.statuses import StatusState

__all__ = [
    "AgentState",
    "ConversationStarted",
    "HiveSwitched",
    "Labelled",
    "RestartTold",
    "RuntimeClaimed",
    "Talk",
    "ThreadBound",
    "VisibilityNoted",
    "bind",
    "check_thread",
    "claim",
    "evolve",
    "label_from_post",
    "relabel",
    "start",
]

_THREAD_LENGTH = 256


@recorded("conversation_started")
class ConversationStarted(Event):
    """
    A conversation came to be.

    `chosen` tells a label that somebody chose; `acts_for` is the person for whom it
    acts, "" for nobody.
    """

    conversation: str
    label: str
    thread: str = ""
    chosen: bool = False
    why: str = "named"
    acts_for: str = ""


@recorded("labelled")
class Labelled(Event):
    """A conversation has another label; the former ones go on reaching it."""

    conversation: str
    label: str
    why: str = "renamed"


@recorded("thread_bound")
class ThreadBound(Event):
    """A host's thread carries the conversation."""

    conversation: str
    thread: str


@recorded("runtime_claimed")
class RuntimeClaimed(Event):
    """One runtime claimed the conversation; whatever older ones hold is stale."""

    conversation: str
    generation: int


@recorded("visibility_noted")
class VisibilityNoted(Event):
    """Whether a conversation is public; None where that is not known (G-HIVE-09)."""

    conversation: str
    public: bool | None


@recorded("hive_switched")
class HiveSwitched(Event):
    """Whether the agent has a hive; None leaves it to the lobby (G-HIVE-02)."""

    on: bool | None


@recorded("restart_told")
class RestartTold(Event):
    """A conversation was told of the restart that a record of the lobby announced."""

    conversation: str
    restart: int


@define
class Talk:
    """
    A conversation as its agent has it; the last label is the current one.

    `receipts` is the number of its last one; `revision` that of its checkpoint, which
    stands in the record `saved` and covers receipts up to `covered`.
    """

    id: str
    labels: list[str]
    thread: str = ""
    chosen: bool = False
    generation: int = 0
    claimed_at: int = 0
    acts_for: str = ""
    public: bool | None = None
    told: int = 0
    receipts: int = 0
    revision: int = 0
    covered: int = 0
    saved: int = 0

    @property
    def label(self) -> str:
        """The current label."""
        return self.labels[-1]


@define
class AgentState:
    """The conversations of one agent, by id, by every label, and by thread."""

    version: int = 0
    at: int = 0
    talks: dict[str, Talk] = field(factory=dict)
    labels: dict[str, str] = field(factory=dict)
    threads: dict[str, str] = field(factory=dict)
    hive: bool | None = None
    statuses: StatusState = field(factory=StatusState)

    def labelled(self, label: str) -> str | None:
        """The conversation that has, or ever had, a label."""
        return self.labels.get(label)

    def talk(self, conversation: str) -> Talk:
        """A conversation, or `NotFound` with `unknown_conversation`."""
        known = self.talks.get(conversation)
        if known is None:
            raise NotFound(
                "unknown_conversation",
                f"no conversation {conversation[:80]!a} is known",
                conversation=conversation,
            )
        return known


def evolve(state: AgentState, fact: Fact) -> None:
    """Folds one fact in."""
    match fact.event:
        case ConversationStarted() as started:
            state.talks[started.conversation] = Talk(
                started.conversation,
                [started.label],
                started.thread,
                started.chosen,
                acts_for=started.acts_for,
            )
            state.labels[started.label] = started.conversation
            if started.thread:
                state.threads[started.thread] = started.conversation
        case Labelled() as labelled:
            talk = state.talks[labelled.conversation]
            if labelled.label in talk.labels:
                talk.labels.remove(labelled.label)
            talk.labels.append(labelled.label)
            talk.chosen = True
            state.labels[labelled.label] = labelled.conversation
        case ThreadBound() as bound:
            talk = state.talks[bound.conversation]
            state.threads.pop(talk.thread, None)
            talk.thread = bound.thread
            state.threads[bound.thread] = bound.conversation
        case RuntimeClaimed() as claimed:
            talk = state.talks[claimed.conversation]
            talk.generation, talk.claimed_at = claimed.generation, fact.at
        case VisibilityNoted() as noted:
            state.talks[noted.conversation].public = noted.public
        case HiveSwitched() as switched:
            state.hive = switched.on
        case RestartTold() as told:
            state.talks[told.conversation].told = told.restart
        case _:
            _fold_features(state, fact)
    state.version, state.at = fact.version, fact.at


def _fold_features(state: AgentState, fact: Fact) -> None:
    """Folds in what other features record in the stream, each by its own module."""
    talk = state.talks.get(getattr(fact.event, "conversation", ""))
    if talk is not None and receipts.evolve(talk, fact):
        return
    statuses.evolve(state.statuses, fact)


def start(
    state: AgentState,
    conversation: str,
    *,
    label: str | None = None,
    thread: str = "",
    about: str = "",
    why: str = "named",
    acts_for: str = "",
) -> list[Event]:
    """
    A new conversation, with the label chosen for it or one from what it is about.

    A label that another holds, or ever held, gets a suffix (G-LABEL-03, G-LABEL-07).

    Raises:
        Conflict: `thread_bound` where the thread carries another conversation.
    """
    _check_thread_free(state, conversation, thread)
    wanted = derive_label(about) if label is None else check_label(label)
    return [
        ConversationStarted(
            conversation,
            free_label(wanted, state.labels),
            thread,
            chosen=label is not None,
            why=why,
            acts_for=acts_for,
        )
    ]


def label_from_post(state: AgentState, conversation: str, text: str) -> list[Event]:
    """The label that a first post gives to a conversation without a chosen one."""
    talk = state.talks.get(conversation)
    if talk is None or talk.chosen:
        return []
    label = _label_for(state, conversation, derive_label(text))
    return [Labelled(conversation, label, "posted")]


def relabel(state: AgentState, conversation: str, label: str) -> list[Event]:
    """
    Another label; one that the conversation has already is current again.

    Asked again, it changes nothing, with or without the suffix that it came to.
    """
    talk = state.talk(conversation)
    wanted = _label_for(state, conversation, check_label(label))
    if wanted == talk.label and talk.chosen:
        return []
    return [Labelled(conversation, wanted)]


def _label_for(state: AgentState, conversation: str, wanted: str) -> str:
    """The label, or with a suffix where another has it or ever had it."""
    if state.labels.get(wanted, conversation) == conversation:
        return wanted
    others = {label for label, holder in state.labels.items() if holder != conversation}
    return free_label(wanted, others)


def bind(state: AgentState, conversation: str, thread: str) -> list[Event]:
    """
    The host's thread for a conversation; unique for the agent.

    Raises:
        Conflict: `thread_bound` where the thread carries another conversation.
    """
    talk = state.talk(conversation)
    check_thread(thread)
    _check_thread_free(state, conversation, thread)
    return [] if talk.thread == thread else [ThreadBound(conversation, thread)]


def _check_thread_free(state: AgentState, conversation: str, thread: str) -> None:
    holder = state.threads.get(thread)
    if holder is not None and holder != conversation:
        raise Conflict(
            "thread_bound", "the thread carries another conversation", current=holder
        )


def check_thread(thread: object) -> str:
    """A host's name for a thread: 1 to 256 printable characters."""
    name = values.text("thread", thread, empty=False)
    if len(name) > _THREAD_LENGTH or not name.isprintable():
        raise InvalidInput(
            "thread", "is no name", allowed="1 to 256 printable characters"
        )
    return name


def claim(state: AgentState, conversation: str) -> list[Event]:
    """The next generation of a conversation's claim."""
    talk = state.talk(conversation)
    return [RuntimeClaimed(conversation, talk.generation + 1)]
