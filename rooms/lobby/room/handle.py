"""
The room handle: posting, and all else that its themes bring.

Law: every call here goes the one path of the model, and every refusal comes from the
rules in `rooms.log`; a handle holds no state but its id.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from attrs import frozen

from rooms.lobby.answers import Message, Posted
from rooms.lobby.handles import Agent, Conversation
from rooms.lobby.messages import id_meant, message_of
from rooms.lobby.posting.saying import post
from rooms.lobby.room.membership import Membership
from rooms.lobby.room.owning import Owning
from rooms.lobby.room.reading import Reading
from rooms.lobby.room.seating import Seating
from rooms.log.events import Fact
from rooms.log.posting import PLAIN, meaning_of

__all__ = ["Room"]


@frozen
class Room(Seating, Membership, Owning, Reading):
    """
    A room of a lobby.

    Attributes:
        id: Its id, `room_...`.

    Any call raises `NotFound` with `room_not_found` once the room is deleted, and what
    every call of a `Lobby` may raise. What is done by a claim or a turn that was
    overtaken raises `Conflict` with `stale_runtime` or `stale_wake`.
    """

    def post(
        self,
        content: str,
        *,
        by: Any,
        to: Iterable[Any] = (),
        reply_to: str | Message | None = None,
        request_id: str | None = None,
        confirm_all_threads: bool = False,
        mentions: Sequence[str | Agent] | None = None,
        silent: Iterable[Any] = (),
        attachments: Mapping[str, Any] | None = None,
        kind: str | None = None,
        expects_reply: bool | None = None,
        urgency: str = "normal",
        supersedes: str | Message | None = None,
        correlation: str | None = None,
        fields: Mapping[str, Any] | None = None,
        notify_when_seen: bool = False,
        deliver_at: datetime | None = None,
        now: datetime | None = None,
    ) -> Posted:
        """
        Posts a message; when it returns, the message and all that it owes are stored.

        Args:
            content: What to say, of any characters but lone surrogates.
            by: Who says it: a conversation, a person, a turn, a claim.
            to: Whom it addresses: address strings, Address values, agents,
                conversations. Empty means the room, tagging nobody.
            reply_to: A message that it answers, or its id; it addresses that author.
            request_id: The same request again returns the stored result and wakes
                nobody; another request under it is refused.
            confirm_all_threads: Yes, wake several conversations of one agent.
            mentions: Who is mentioned, by name, instead of whoever the text calls; a
                name that fits nobody here is told as `unresolved`. Empty means nobody.
            silent: Whom it names without calling: addresses, agents, conversations. It
                is a reference that wakes nobody.
            attachments: Files that it carries, by their paths: bytes, a file opened for
                bytes, or an iterable of bytes, which is read as far as it may go; or an
                `Uploaded`, a content that the sender handed in or sent before.
            kind: What it is: `request`, `notice`, `assignment`, `report`, `question`.
            expects_reply: Whether an answer is expected; by itself one is to a
                `request`, an `assignment` and a `question`, but not to a note to
                oneself. It is shown, and never enforced.
            urgency: `quiet` wakes nobody and is told with whatever does; `now` is told
                before what is `normal`.
            supersedes: The sender's own message that it replaces, or its id; it has to
                reach everybody whom that one reached.
            correlation: The sender's own id of what it belongs to.
            fields: What it says as data: `commit`, `commits`, `files`, `evidence`,
                `options`, `recommendation`; 8 KiB of JSON together.
            notify_when_seen: Whether the sender is told when somebody acknowledges it,
                see `Inbox.receipts`; a person cannot be.
            deliver_at: When it is to be delivered, up to 30 days ahead. It is stored
                and whom it is for is settled at once; nobody hears of it before, and
                `lobby.schedules` lists, changes or cancels it. Up to 5 minutes ago is
                at once.
            now: The instant of the post; the lobby's clock unless given.

        Raises:
            NotAllowed: `not_a_member`, `read_only_access`, `draft_refused`;
                `may_not_attach` for a single agent where only threaded ones do;
                `recipient_forbidden`; `agent_disabled`.
            NotFound: `room_not_found`, `unknown_address`, `reply_not_found`,
                `supersedes_not_found`.
            InvalidInput: `body_empty`, `bad_address`, `invalid_request`;
                `receipts_unavailable` for a person that asks to be told;
                `attachment_type` where the policy takes known types alone;
                `deliver_at_out_of_range`, `naive_time`; `supersedes_scheduled` for a
                later one that replaces another.
            OverLimit: `send_rate` with `retry_at`, `message_too_long`,
                `inbox_capacity`, `schedule_capacity`; `too_many` or `too_large` files,
                by the policy's limits; `storage_capacity`.
            Conflict: `recipient_disabled`; `not_room_member`, with all that are not;
                `attachment_upload_required` with the `missing` digests;
                `already_superseded`, `supersedes_audience` with the `missing`;
                `supersedes_scheduled` for what waits itself, `supersedes_cancelled`.
            SelfAddressed: `self_addressed`, with `last_partner`.
            ConfirmAllThreads: `confirm_all_threads`, with a `preview`.
            IdempotencyConflict: `idempotency_conflict`.
            HookFailed: `hook_failed` where a plugin that checks drafts failed.
        """
        meaning = PLAIN
        if (
            kind is not None
            or expects_reply is not None
            or correlation is not None
            or supersedes is not None
            or fields is not None
            or notify_when_seen is not False
            or urgency != "normal"
        ):  # seldom: nearly every message is nothing but its text
            meaning = meaning_of(
                kind=kind,
                expects_reply=expects_reply,
                urgency=urgency,
                correlation=correlation,
                supersedes=id_meant("supersedes", supersedes),
                fields=fields,
                notify_when_seen=notify_when_seen,
            )
        return post(
            self,
            self._desk,
            content,
            by=by,
            to=to,
            reply_to=reply_to,
            request_id=request_id,
            confirm_all_threads=confirm_all_threads,
            mentions=mentions,
            silent=silent,
            attachments=attachments,
            meaning=meaning,
            deliver_at=deliver_at,
            now=now,
        )

    # -- within the lobby

    def message(self, fact: Fact) -> Message:
        """
        A recorded message as a value.

        :meta private:
        """
        return message_of(self._desk, self.id, fact)

    def handle(self, conversation: str, agent: str) -> Conversation:
        """
        The handle of a conversation of an agent.

        :meta private:
        """
        return Conversation(conversation, agent, self._desk)
