"""
A stage: a lobby that is played by commands which are plain values.

Two laws. A command names everything by words and places ("the third message"), so one
script plays on any number of stages, and their answers can be compared. And a command
that is refused is an outcome like any other; only what is no error of the library
passes through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeVar

from attrs import define, field, frozen

from rooms.driving import TurnFailed, View, drive
from rooms.errors import RoomsError
from rooms.lobby import (
    Claim,
    Conversation,
    Lobby,
    Person,
    Posted,
    Push,
    ReceiptPush,
    Revision,
    Room,
    Turn,
    Uploaded,
    Wake,
)
from rooms.lobby.memory import (
    AddEntry,
    ArchiveEntry,
    RefuseFragment,
    UpdateEntry,
    VerifyEntry,
)
from rooms.pacing import Recurrence
from rooms.policy import RoomPolicy
from rooms.testing.clock import FakeClock
from rooms.testing.teams import play

__all__ = ["Command", "Outcome", "Stage"]

T = TypeVar("T")


@frozen
class Outcome:
    """
    What a command came to.

    Attributes:
        answer: What was returned; handles in it are equal where their ids are.
        refusal: The error's class, code and words, or None.
        details: The error's details.
    """

    answer: Any = None
    refusal: tuple[str, str, str] | None = None
    details: Mapping[str, Any] = field(factory=dict)


@frozen
class Command:
    """
    A call of one of the verbs of a `Stage`.

    >>> str(Command("post", {"by": "eve", "text": "hello"}))
    "stage.post(by='eve', text='hello')"
    """

    verb: str
    options: Mapping[str, Any] = field(factory=dict)

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.options.items())
        return f"stage.{self.verb}({given})"


@define(eq=False)
class Stage:
    """
    A lobby, its clock, and what has come up on it so far.

    Who acts is named by words: `eve` for the conversation of a single agent; `Eve#0`
    for the first of a threaded one, counted from its start and around again; `person:
    ana`. Rooms, messages, wakes, turns and claims are named by their place, counted
    around again, so that every number names one as soon as there is any.

    Attributes:
        lobby: The lobby that is played; another handle may take its place.
        clock: What `advance` and `set_clock` move; the lobby should read it.
        rooms: The rooms in the order of their creation, deleted ones too.
        messages: Ids of the messages posted.
        wakes: The wakes taken.
        turns: The turns opened.
        revisions: Ids of the revisions of documents.
        claims: The claims made.
        schedules: Ids of the schedules.
        remembered: Ids of fragments and entries of memories.
    """

    lobby: Lobby
    clock: FakeClock
    rooms: list[str] = field(factory=list)
    messages: list[str] = field(factory=list)
    revisions: list[str] = field(factory=list)
    wakes: list[Wake] = field(factory=list)
    turns: list[Turn] = field(factory=list)
    claims: list[Claim] = field(factory=list)
    remembered: list[str] = field(factory=list)
    pushes: list[Push | ReceiptPush] = field(factory=list)
    schedules: list[str] = field(factory=list)

    def perform(self, command: Command) -> Outcome:
        """Plays a command, and says what it came to."""
        verb: Callable[..., Any] = getattr(self, command.verb)
        try:
            return Outcome(verb(**command.options))
        except RoomsError as error:
            refusal = (type(error).__name__, error.code, str(error))
            return Outcome(refusal=refusal, details=dict(error.details))

    def go_on_with(self, lobby: Lobby) -> None:
        """Another handle of the same storage; what the last one had in hand is gone."""
        self.lobby = lobby
        self.wakes, self.turns, self.claims, self.pushes = [], [], [], []

    # -- who and what

    def actor(self, who: str) -> Conversation | Person | Claim | Turn:
        """Who a word names; `turn#0` and `claim#0` act for their conversation."""
        kind, _, number = who.partition("#")
        if kind.startswith("person:"):
            return self.lobby.person(kind.removeprefix("person:"))
        if kind == "turn" and self.turns:
            return _nth(self.turns, int(number))
        if kind == "claim" and self.claims:
            return _nth(self.claims, int(number))
        if kind in {"turn", "claim"}:
            return self.lobby.person("nobody")
        agent = self.lobby.agent(kind)
        return _nth(agent.conversations(), int(number or 0))

    def room(self, place: int) -> Room:
        """The room at a place, by its id, so that a deleted one is refused."""
        return self.lobby.room(_nth(self.rooms, place))

    def message(self, place: int | None) -> str | None:
        """The id of the message at a place, or None where there is none."""
        if place is None or not self.messages:
            return None
        return _nth(self.messages, place)

    # -- the lobby's verbs

    def add_agent(
        self,
        name: str,
        *,
        threaded: bool = False,
        owner: str | None = None,
        **facts: Any,
    ) -> Any:
        """Adds an agent."""
        return self.lobby.add_agent(name, threaded=threaded, owner=owner, **facts)

    def change_agent(self, name: str, **facts: Any) -> Any:
        """Changes what an agent is said to be, and what it may do."""
        agent = self.lobby.agent(name).change(**facts)
        may = (agent.can_broadcast, agent.manage_rooms, agent.allowed_recipients)
        return agent, may, agent.enabled, agent.paused, agent.role, agent.machine

    def confirm(self, place: int, *, by: str, stage: str = "attempted") -> Any:
        """Says what became of a push of those that were sent."""
        push = _nth(self.pushes, place).id if self.pushes else "push_ben.00000001"
        return self.lobby.confirm(push, by=self.actor(by), stage=stage)

    def retry(self, name: str) -> Any:
        """Lets the tries of an agent's pushes begin anew."""
        return self.lobby.agent(name).retry()

    def rest_agents(
        self, agents: Sequence[str], *, by: str, minutes: int | None = None
    ) -> Any:
        """Lets other agents rest, for so long."""
        for_ = None if minutes is None else timedelta(minutes=minutes)
        until = None if for_ is None else self.clock() + for_
        return self.lobby.rest(agents, by=self.actor(by), until=until)

    def resume_agents(self, agents: Sequence[str], *, by: str) -> Any:
        """Lets agents that rest go on."""
        return self.lobby.resume(agents, by=self.actor(by))

    def send(
        self,
        text: str,
        *,
        by: str,
        to: str,
        reply_to: int | None = None,
        request_id: str | None = None,
        supersedes: int | None = None,
        deliver_in: int | None = None,
        **meaning: Any,
    ) -> Any:
        """Sends a message to an agent, or to all, maybe in so many minutes."""
        posted = self.lobby.send(
            text,
            by=self.actor(by),
            to=to,
            reply_to=self.message(reply_to),
            request_id=request_id,
            supersedes=self.message(supersedes),
            deliver_at=self._in_minutes(deliver_in),
            **meaning,
        )
        if posted.room.id not in self.rooms:
            self.rooms.append(posted.room.id)
        return self._noted(posted)

    def start(
        self,
        agent: str,
        *,
        thread: str | None = None,
        label: str | None = None,
        acts_for: str | None = None,
    ) -> Any:
        """Names a conversation of an agent, which starts it if need be."""
        found = self.lobby.conversation(
            agent, thread=thread, label=label, acts_for=acts_for
        )
        return found, found.label, found.labels, found.thread, found.acts_for

    def rename(self, who: str, label: str) -> Any:
        """Gives a conversation another label."""
        actor = self.actor(who)
        return actor.rename(label) if isinstance(actor, Conversation) else None

    def claim(
        self, who: str, *, runtime: str | None = None, generation: int | None = None
    ) -> Any:
        """Claims a conversation for a runtime."""
        actor = self.actor(who)
        if not isinstance(actor, Conversation):
            return None
        self.claims.append(actor.claim(runtime, generation=generation))
        return self.claims[-1], self.claims[-1].nonce, self.claims[-1].is_ready

    def ready(
        self, claim: int = 0, *, revision: int = 0, nonce: str | None = None
    ) -> Any:
        """Says that a runtime has read its context."""
        if not self.claims:
            return None
        one = _nth(self.claims, claim)
        asked = one.bootstrap()
        one.ready(revision, one.nonce if asked is None else nonce or asked.nonce)
        return asked

    def reset_runtime(self, who: str) -> Any:
        """Takes a conversation away from whoever claimed it."""
        actor = self.actor(who)
        return actor.reset_runtime() if isinstance(actor, Conversation) else None

    def create_room(
        self,
        name: str,
        *,
        by: str,
        access: str | None = None,
        policy: RoomPolicy | str | None = None,
        invite: Sequence[str] = (),
        request_id: str | None = None,
    ) -> Any:
        """Creates a room."""
        made = self.lobby.create_room(
            name,
            by=self.actor(by),
            access=access,
            policy=policy,
            invite=invite,
            request_id=request_id,
        )
        if made.id not in self.rooms:
            self.rooms.append(made.id)
        return made

    # -- the rooms' verbs

    def post(
        self,
        text: str,
        *,
        by: str,
        to: Sequence[str] = (),
        room: int = 0,
        reply_to: int | None = None,
        request_id: str | None = None,
        confirm: bool = False,
        mentions: Sequence[str] | None = None,
        silent: Sequence[str] = (),
        attach: Mapping[str, bytes | Uploaded] | None = None,
        supersedes: int | None = None,
        deliver_in: int | None = None,
        **meaning: Any,
    ) -> Any:
        """Posts a message, maybe in so many minutes."""
        posted = self.room(room).post(
            text,
            by=self.actor(by),
            to=to,
            reply_to=self.message(reply_to),
            request_id=request_id,
            confirm_all_threads=confirm,
            mentions=mentions,
            silent=silent,
            attachments=attach,
            supersedes=self.message(supersedes),
            deliver_at=self._in_minutes(deliver_in),
            **meaning,
        )
        return self._noted(posted)

    def _in_minutes(self, minutes: int | None) -> datetime | None:
        return None if minutes is None else self.clock() + timedelta(minutes=minutes)

    def cancel(self, who: str, message: int, *, of: str | None = None) -> Any:
        """Cancels a message that waits."""
        theirs = self.lobby.schedules(by=self.actor(who), of=of)
        return theirs.cancel(self._scheduled(message))

    def _scheduled(self, place: int) -> str:
        """A message, or with a number below 0 a schedule."""
        if place < 0 and self.schedules:
            return _nth(self.schedules, -place - 1)
        return self.message(place) or ""

    def repeat(
        self,
        who: str,
        text: str,
        *,
        to: Any = (),
        room: int | None = 0,
        zone: str = "Europe/Stockholm",
        times: Sequence[str] = ("06:41",),
        weekdays: Sequence[str] | None = None,
        missed: str = "once",
        request_id: str | None = None,
        attach: Mapping[str, bytes] | None = None,
        **meaning: Any,
    ) -> Any:
        """Has an agent say something again and again."""
        made = self.lobby.schedules(by=self.actor(who)).create(
            text,
            repeat=Recurrence(zone, tuple(times), weekdays),
            to=to,
            room=None if room is None else self.room(room),
            missed=missed,
            request_id=request_id,
            attachments=attach,
            **meaning,
        )
        if made.id not in self.schedules:
            self.schedules.append(made.id)
        return made

    def reschedule(
        self,
        who: str,
        message: int,
        *,
        text: str | None = None,
        deliver_in: int | None = None,
        times: Sequence[str] | None = None,
        of: str | None = None,
    ) -> Any:
        """Gives a message that waits other words, or another time."""
        theirs = self.lobby.schedules(by=self.actor(who), of=of)
        return theirs.update(
            self._scheduled(message),
            content=text,
            deliver_at=self._in_minutes(deliver_in),
            repeat=None if times is None else Recurrence("Asia/Tokyo", tuple(times)),
        )

    def list_schedules(self, who: str, *, of: str | None = None) -> Any:
        """What somebody has to come."""
        return self.lobby.schedules(by=self.actor(who), of=of).list()

    def _noted(self, posted: Posted) -> Any:
        if posted.message.id not in self.messages:
            self.messages.append(posted.message.id)
        became = (posted.woken, posted.held, posted.later, posted.started)
        waits = (posted.waits, posted.recipients, posted.message.deliver_at)
        said = (posted.unresolved, posted.notices)
        return posted, posted.message, became, waits, *said

    def join(self, who: str, *, room: int = 0, **how: Any) -> Any:
        """Takes a seat."""
        return self.room(room).join(by=self.actor(who), **how)

    def subscribe(self, who: str, mode: str, *, room: int = 0, **how: Any) -> Any:
        """Listens otherwise."""
        return self.room(room).subscribe(by=self.actor(who), mode=mode, **how)

    def leave(self, who: str, *, room: int = 0) -> Any:
        """Gives a seat up."""
        return self.room(room).leave(by=self.actor(who))

    def change_members(
        self,
        *,
        by: str,
        add: Sequence[str] = (),
        remove: Sequence[str] = (),
        room: int = 0,
    ) -> Any:
        """Lets agents in, and takes others out."""
        one = self.room(room)
        one.change_members(add=add, remove=remove, by=self.actor(by))
        return one, one.members, one.invited

    def set_members(self, members: Sequence[str], *, by: str, room: int = 0) -> Any:
        """Lets exactly these agents in."""
        one = self.room(room).set_members(members, by=self.actor(by))
        return one, one.members, one.invited

    def archive(self, who: str, *, room: int = 0) -> Any:
        """Closes a room to everything new."""
        one = self.room(room).archive(by=self.actor(who))
        return one, one.archived

    def restore(self, who: str, *, room: int = 0) -> Any:
        """Opens an archived room again."""
        one = self.room(room).restore(by=self.actor(who))
        return one, one.archived, one.members

    def invite(self, agent: str, *, by: str, room: int = 0, reason: str = "") -> Any:
        """Lets an agent join."""
        return self.room(room).invite(agent, by=self.actor(by), reason=reason)

    def add(
        self,
        agent: str,
        *,
        by: str,
        reason: str,
        room: int = 0,
        request_id: str | None = None,
    ) -> Any:
        """Brings a threaded agent in."""
        added = self.room(room).add(
            agent, by=self.actor(by), reason=reason, request_id=request_id
        )
        return added, added.label, added.acts_for

    def uninvite(self, agent: str, *, by: str, room: int = 0) -> Any:
        """Takes an invitation back."""
        return self.room(room).uninvite(agent, by=self.actor(by))

    def decline(self, who: str, *, room: int = 0) -> Any:
        """Answers an invitation with no."""
        return self.room(room).decline(by=self.actor(who))

    def remove(self, who: str, agent: str, *, room: int = 0) -> Any:
        """Takes an agent out."""
        return self.room(room).remove(agent, by=self.actor(who))

    def rest(self, who: str, *, room: int = 0) -> Any:
        """Holds everything for a conversation."""
        return self.room(room).rest(by=self.actor(who))

    def resume(self, who: str, *, room: int = 0) -> Any:
        """Lets it be woken again."""
        return self.room(room).resume(by=self.actor(who))

    def pause(self, who: str, *, room: int = 0) -> Any:
        """Holds every wake in a room."""
        return self.room(room).pause(by=self.actor(who))

    def unpause(self, who: str, *, room: int = 0) -> Any:
        """Lets them go on."""
        return self.room(room).unpause(by=self.actor(who))

    def change_policy(self, who: str, policy: RoomPolicy, *, room: int = 0) -> Any:
        """Sets a room's options."""
        return self.room(room).change_policy(policy, by=self.actor(who))

    def delete(self, who: str, *, room: int = 0) -> Any:
        """Deletes a room."""
        return self.room(room).delete(by=self.actor(who))

    def read(self, who: str, *, room: int = 0, after: int = 0, limit: int = 30) -> Any:
        """Reads a page."""
        return self.room(room).read(by=self.actor(who), after=after, limit=limit)

    def search(self, who: str, query: str, *, room: int = 0) -> Any:
        """Searches."""
        return self.room(room).search(query, by=self.actor(who))

    def acknowledge(self, who: str, message: int, *, room: int = 0) -> Any:
        """Settles a message by name."""
        named = self.message(message) or "none"
        return self.room(room).acknowledge([named], by=self.actor(who))

    def acknowledge_many(self, who: str, messages: Sequence[int]) -> Any:
        """Says what was seen, over all rooms."""
        named = [self.message(one) or "none" for one in messages]
        return self.lobby.inbox(self.actor(who)).acknowledge(named)

    def save_checkpoint(
        self,
        who: str,
        text: str,
        *,
        acknowledge: Sequence[int] = (),
        base: int | None = None,
        covered: int | None = None,
    ) -> Any:
        """Keeps what was read; by itself from what is current, covering all."""
        inbox = self.lobby.inbox(self.actor(who))
        now = inbox.checkpoint()
        return inbox.save_checkpoint(
            text,
            base=now.revision if base is None else base,
            covered_receipt_seq=now.receipt_snapshot if covered is None else covered,
            acknowledge=[self.message(one) or "none" for one in acknowledge],
        )

    def inbox(self, who: str) -> Any:
        """What waits to be seen, and what is kept."""
        inbox = self.lobby.inbox(self.actor(who))
        return inbox, inbox.count(), inbox.context()

    def read_inbox(
        self,
        who: str,
        *,
        query: str | None = None,
        unanswered: bool = False,
        awaiting: bool = False,
        ids: Sequence[int] | None = None,
        cut: int = 0,
        after: int = 0,
        limit: int = 5,
    ) -> Any:
        """Reads a history; `ids` are cut by so many characters."""
        named = None
        if ids is not None:
            named = [(self.message(one) or "none.0000")[: -cut or None] for one in ids]
        history = self.lobby.inbox(self.actor(who)).history(
            after=after,
            limit=limit,
            query=query,
            unanswered=unanswered,
            awaiting=awaiting,
            ids=named,
        )
        return history, history.headers, self.lobby.history(after=after, limit=limit)

    def erase(self, who: str, message: int, *, room: int = 0) -> Any:
        """Takes the words of a message away."""
        named = self.message(message) or "none"
        return self.room(room).erase(named, by=self.actor(who))

    # -- memory

    def appoint(self, who: str, agent: str | None, *, room: int = 0) -> Any:
        """Names the curator of a room's memory, or ends it."""
        return self.room(room).memory.appoint(agent, by=self.actor(who))

    def remember(
        self,
        who: str,
        text: str,
        *,
        kind: str = "fix",
        about: int | None = None,
        request_id: str | None = None,
        room: int = 0,
    ) -> Any:
        """Gives a room's curator something to remember."""
        kept = self.room(room).memory.remember(
            text,
            kind=kind,
            about=None if about is None else self._remembered(about),
            by=self.actor(who),
            request_id=request_id,
        )
        if kept.id not in self.remembered:
            self.remembered.append(kept.id)
        return kept

    def curate(
        self, who: str, operation: str, item: int, *, other: int = 0, room: int = 0
    ) -> Any:
        """Has a curator do one thing, from the memory as it stands."""
        memory, by = self.room(room).memory, self.actor(who)
        one, more = self._remembered(item), self._remembered(other)
        does: dict[str, Any] = {
            "add": AddEntry(
                kind="fix", title=f"item {item} → {other}", text="So.", sources=(one,)
            ),
            "update": UpdateEntry(entry=one, text="Or so.", resolves=bool(other % 2)),
            "verify": VerifyEntry(entry=one),
            "archive": ArchiveEntry(entry=one),
            "merge": ArchiveEntry(entry=one, into=more),
            "refuse": RefuseFragment(fragment=one, dispute=True, erase=other == 1),
        }
        done = memory.curate(
            [does[operation]], base=memory.status(by=by).revision, by=by
        )
        self.remembered += done.added
        return done

    def recall(self, who: str, query: str, *, room: int = 0) -> Any:
        """Recalls entries by words, with what the memory comes to."""
        memory, by = self.room(room).memory, self.actor(who)
        return memory.recall(query, by=by), memory.status(by=by), memory.brief(by=by)

    def forget(self, who: str, item: int, *, room: int = 0) -> Any:
        """Takes what is remembered away for good."""
        memory = self.room(room).memory
        return memory.erase(self._remembered(item), by=self.actor(who))

    def _remembered(self, item: int) -> str:
        """The id of a fragment or an entry, by its place."""
        known = self.remembered
        return known[item % len(known)] if known else "none"

    # -- files

    def write_document(
        self,
        who: str,
        path: str,
        text: str,
        *,
        base: int | None = None,
        room: int = 0,
        request_id: str | None = None,
    ) -> Any:
        """Writes a document, from a revision that came up before or from none."""
        written = self.room(room).files.write(
            path,
            text,
            by=self.actor(who),
            base=self._revision(base),
            request_id=request_id,
        )
        return self._revised(written)

    def remove_document(self, who: str, path: str, *, base: int, room: int = 0) -> Any:
        """Removes a document."""
        files, named = self.room(room).files, self._revision(base) or "none"
        return self._revised(files.remove(path, by=self.actor(who), base=named))

    def read_file(
        self, who: str, path: str, *, revision: int | None = None, room: int = 0
    ) -> Any:
        """Reads a file by its path."""
        files, named = self.room(room).files, self._revision(revision)
        return files.read(path, by=self.actor(who), revision=named)

    def download(
        self, who: str, path: str, *, message: int | None = None, room: int = 0
    ) -> Any:
        """Fetches all bytes of a file."""
        files, named = self.room(room).files, self.message(message)
        return b"".join(files.download(path, by=self.actor(who), message=named))

    def attachments(self, who: str, *, limit: int = 30, room: int = 0) -> Any:
        """Lists what messages carry."""
        return self.room(room).files.attachments(by=self.actor(who), limit=limit)

    def upload(self, who: str, content: bytes) -> Any:
        """Hands in a content for messages to come."""
        return self.lobby.contents.upload(content, by=self.actor(who))

    def contents(self) -> Any:
        """Lists what is kept of files, and counts it."""
        usage = self.lobby.contents.usage()
        listed = tuple(self.lobby.contents.listed())
        return usage.used_bytes, usage.uploads, listed

    def documents(self, who: str, *, room: int = 0) -> Any:
        """Lists the documents."""
        return self.room(room).files.documents(by=self.actor(who))

    def history(
        self, who: str, *, path: str | None = None, limit: int = 30, room: int = 0
    ) -> Any:
        """Lists changes of documents."""
        return self.room(room).files.history(path, by=self.actor(who), limit=limit)

    def _revision(self, place: int | None) -> str | None:
        """The id of the revision at a place, or None where there is none."""
        if place is None or not self.revisions:
            return None
        return _nth(self.revisions, place)

    def _revised(self, revision: Revision) -> Revision:
        if revision.id not in self.revisions:
            self.revisions.append(revision.id)
        return revision

    # -- views

    def latest(
        self, who: str, *, room: int = 0, before: int | None = None, limit: int = 30
    ) -> Any:
        """Reads the newest page, or the one before a number."""
        return self.room(room).latest(by=self.actor(who), before=before, limit=limit)

    def exchange(self, who: str, of: str, *, room: int = 0, limit: int = 30) -> Any:
        """Reads one seat's or person's part of a room."""
        whose: Any = self.actor(of)
        return self.room(room).exchange(whose, by=self.actor(who), limit=limit)

    def participants(self, who: str, *, room: int = 0) -> Any:
        """Says who is in a room, and who owes a reply."""
        return self.room(room).participants(by=self.actor(who))

    def windows(self, who: str, *, room: int = 0) -> Any:
        """Says what is left of a conversation's windows."""
        return self.room(room).windows(by=self.actor(who))

    def figures(self, who: str, *, hours: int | None = None) -> Any:
        """Counts what there was, of all time or in the last hours."""
        since = None if hours is None else self.clock() - timedelta(hours=hours)
        return self.lobby.figures(by=self.actor(who), since=since)

    def list_rooms(self, who: str, *, need_look: bool = False, limit: int = 50) -> Any:
        """Lists the rooms that somebody may know of."""
        return self.lobby.list_rooms(
            by=self.actor(who), need_look=need_look, limit=limit
        )

    def team(self, do: str, *, by: str, room: int = -1, key: str = "hand") -> Any:
        """Plays what a person or a member does with a team; its room is a room."""
        about = None if do in {"prepare", "recover"} else self.room(room)
        outcome = play(self.lobby, do, by=self.actor(by), room=about, key=key)
        if do == "prepare":
            self.rooms.append(str(outcome))
        return outcome

    def sweep(self, *, idle_for: timedelta = timedelta(days=30)) -> Any:
        """Ends the subscriptions of whoever was idle for so long."""
        return self.lobby.sweep(idle_for=idle_for)

    # -- hives and restarts

    def switch_hive(self, agent: str, *, on: bool | None) -> Any:
        """Lets an agent have a hive, or not."""
        return self.lobby.agent(agent).switch_hive(on).hive

    def set_public(self, who: str, *, public: bool | None) -> Any:
        """Notes whether a conversation is public."""
        actor = self.actor(who)
        if not isinstance(actor, Conversation):
            return None
        return actor.set_public(public).public

    def announce_restart(self, *, minutes: int, notify: bool = True) -> Any:
        """Plans a restart."""
        at = self.clock() + timedelta(minutes=minutes)
        return self.lobby.announce_restart(at, "A restart.", notify_rooms=notify)

    def check_in(self, who: str) -> Any:
        """Says that a conversation's helper is there."""
        actor = self.actor(who)
        return actor.check_in() if isinstance(actor, Conversation) else None

    # -- wakes and turns

    def take(
        self,
        *,
        holder: str = "h-1",
        agents: Sequence[str] | None = None,
        limit: int = 20,
        minutes: float = 15,
    ) -> Any:
        """Takes wakes."""
        taken = self.lobby.take_wakes(
            holder=holder,
            agents=agents,
            limit=limit,
            hold_for=timedelta(minutes=minutes),
        )
        self.wakes += taken
        return taken, [wake.render() for wake in taken]

    def open_turn(self, wake: int) -> Any:
        """Opens the turn for a wake that was taken."""
        if not self.wakes:
            return None
        return self._opened(self.lobby.turn(_nth(self.wakes, wake)))

    def open_own_turn(self, who: str, *, word_of: str | None = None) -> Any:
        """Opens a turn that no wake is the reason of."""
        actor: Any = self.actor(who)  # a person's is refused
        word = None if word_of is None else self.lobby.person(word_of)
        return self._opened(self.lobby.turn(actor, word_of=word))

    def _opened(self, turn: Turn) -> Any:
        turn.__enter__()
        self.turns.append(turn)
        return turn.notices, turn.announced

    def fetch_notices(self, turn: int) -> Any:
        """Tells a running turn what became ready since."""
        return _nth(self.turns, turn).fetch_notices() if self.turns else None

    def reply(self, turn: int, text: str) -> Any:
        """Answers what woke a turn."""
        if not self.turns:
            return None
        posted = _nth(self.turns, turn).reply(text)
        self.messages.append(posted.message.id)
        return posted

    def renew(self, turn: int, *, minutes: float = 15) -> Any:
        """Lets a turn's claims hold for longer."""
        if not self.turns:
            return None
        return _nth(self.turns, turn).renew(timedelta(minutes=minutes))

    def end_turn(self, turn: int, *, failed: bool = False) -> Any:
        """Ends a turn, well or not."""
        return _nth(self.turns, turn).end(failed=failed) if self.turns else None

    def drive(
        self, *, says: str = "on", turns: int = 2, failed: bool = False, room: int = 0
    ) -> Any:
        """Drives a planned room for some turns, in which everybody says the same."""

        def speak(_: Conversation, view: View) -> str:
            if failed:
                raise TurnFailed(f"{view.name} is down")
            return says

        try:
            driven = drive(self.room(room), speak, limit=turns)
        except TurnFailed as error:  # where the policy lets it leave the driver
            return str(error)
        had = [(one.name, one.round, one.outcome) for one in driven.turns]
        return had, driven.reason, driven.until, driven.problem

    def report_work(self, who: str, event: str, **told: Any) -> None:
        """Says that a turn started or stopped."""
        one = self.actor(who)
        if isinstance(one, Conversation):
            report: Any = one.report_work
            report(event, **told)

    def strip(self, agent: str) -> Any:
        """When an agent worked in the last day."""
        return self.lobby.agent(agent).strip()

    def set_status(self, who: str, text: str) -> None:
        """Keeps a line for the peers."""
        self.lobby.set_status(text, by=self.actor(who))

    def set_owner_requests(self, who: str, count: int, text: str = "") -> None:
        """Says what waits on the owner."""
        self.lobby.set_owner_requests(count, text, by=self.actor(who))

    def list_agents(self, who: str) -> Any:
        """Whoever takes part, as others find them."""
        return self.lobby.list_agents(by=self.actor(who))

    def deliver(self) -> Any:
        """Lets what is due happen, and hands wakes to the plugins."""
        report = self.lobby.deliver()
        self.pushes += report.pushed
        failed = [(one.plugin, one.hook) for one in report.failures]
        carried = (report.delivered, report.settled, report.uncarried)
        return *carried, report.bootstraps, report.pushed, failed

    # -- time, and what can be asked

    def advance(self, by: timedelta) -> None:
        """Moves the clock on."""
        self.clock.advance(by)

    def set_clock(self, to: datetime) -> None:
        """Sets the clock, back too."""
        self.clock.set(to)

    def deadline(self) -> datetime | None:
        """When there is work again."""
        return self.lobby.next_deadline()

    def explain(self, message: int, *, room: int = 0) -> Any:
        """Why each seat was woken for a message, or was not."""
        return self.room(room).explain(self.message(message) or "none")


def _nth(things: Sequence[T], place: int) -> T:
    return things[place % len(things)]
