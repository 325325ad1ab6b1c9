"""
An agent's own stream: its conversations, their labels and bindings.

Two laws. A label is only ever added, and never given to another conversation, so a
stale directory can only miss (foundation 13). And a host's thread is bound to one
conversation. Who claims a conversation stands in `runtimes`, in the same stream.
"""

from __future__ import annotations

from attrs import define, field

from rooms import values
from rooms.addressing import check_label, derive_label, free_label
from rooms.errors import Conflict, InvalidInput, NotFound
from rooms.log import notified, receipts, runtimes, schedules, statuses, work
from rooms.log.events import Event, Fact, recorded
from rooms.log.notified import Notified
from rooms.log.runtimes import Runtime
from rooms.log.schedules import ScheduleState
from rooms.log.statuses import StatusState
from rooms.log.work import WorkState

__all__ = [
    "AgentState",
    "ConversationStarted",
    "HiveSwitched",
    "Labelled",
    "RestartTold",
    "Talk",
    "ThreadBound",
    "VisibilityNoted",
    "bind",
    "check_thread",
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

    `generation` is that of the newest claim, made at `claimed_at`, or of its end where
    it is not `claimed` any more; `runtime` who made it, where it names itself, and
    `retired` those that may not any more. `exclusive` says that one named itself once.
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
    runtime: Runtime | None = None
    retired: tuple[str, ...] = ()
    claimed: bool = False
    exclusive: bool = False

    @property
    def label(self) -> str:
        """The current label."""
        return self.labels[-1]

    @property
    def listening(self) -> bool:
        """Whether it may be handed what it is owed (L-BOOT-01, L-NOTIFY-01)."""
        if not self.exclusive:
            return True
        return self.runtime is not None and self.runtime.ready


@define
class AgentState:
    """
    The conversations of one agent, by id, by every label, and by thread; `bootstraps`
    has when that of a runtime is due, by conversation.
    """

    version: int = 0
    at: int = 0
    talks: dict[str, Talk] = field(factory=dict)
    labels: dict[str, str] = field(factory=dict)
    threads: dict[str, str] = field(factory=dict)
    hive: bool | None = None
    statuses: StatusState = field(factory=StatusState)
    bootstraps: dict[str, int] = field(factory=dict)
    work: WorkState = field(factory=WorkState)
    notified: Notified = field(factory=Notified)
    schedules: dict[str, ScheduleState] = field(factory=dict)

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

    def deadline(self) -> int | None:
        """The earliest instant that anything of the agent waits for."""
        coming = [one.due for one in self.schedules.values() if one.due]
        every = (*self.bootstraps.values(), *self.work.due.values(), *coming)
        first, receipts = min(every, default=None), self.notified.deadline()
        return min((at for at in (first, receipts) if at is not None), default=None)

    def note_runtime(self, talk: Talk) -> None:
        """Keeps when the bootstrap of a conversation's runtime is due, if it is."""
        due = None if talk.runtime is None else talk.runtime.due
        if due is None:
            self.bootstraps.pop(talk.id, None)
        else:
            self.bootstraps[talk.id] = due


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
    if talk is not None:
        runtimes.evolve(talk, fact)
        state.note_runtime(talk)
    statuses.evolve(state.statuses, fact)
    work.evolve(state.work, fact)
    notified.evolve(state.notified, fact)
    schedules.evolve(state.schedules, fact)


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
