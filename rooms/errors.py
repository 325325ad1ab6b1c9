"""
Every way in which `rooms` says no.

Two laws hold for all of them: an error carries a stable `code` to branch on, and
whatever raised it has changed nothing. Words are for people and may change; codes and
the names in `details` do not.

`CODES` lists each code with its meaning and remedy; the reference page is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from attrs import frozen

__all__ = [
    "CODES",
    "Code",
    "ConfirmAllThreads",
    "Conflict",
    "CorruptLog",
    "HookFailed",
    "IdempotencyConflict",
    "InvalidInput",
    "KeyHeld",
    "MissingExtra",
    "NotAllowed",
    "NotFound",
    "OverLimit",
    "Refused",
    "RoomsError",
    "SelfAddressed",
    "StorageBusy",
    "StorageError",
    "StorageFull",
    "UnsupportedSchema",
    "VersionConflict",
]


@frozen
class Code:
    """
    What a code means, what to do about it, and the HTTP class a gateway maps it to.
    """

    meaning: str
    remedy: str
    http: int


CODES: Mapping[str, Code] = MappingProxyType(
    {
        "invalid_request": Code(
            "A value has the wrong type, or lies outside what may be there.",
            "Read `details`: it names the field, the problem and what is allowed.",
            400,
        ),
        "naive_time": Code(
            "A datetime carries no time zone.",
            "Pass an aware one, such as `datetime.now(timezone.utc)`.",
            400,
        ),
        "invalid_blueprint": Code(
            "A team's blueprint has faults, even within what the person allows.",
            "Repair all of `details['faults']`; each names its field and its code.",
            400,
        ),
        "team_not_found": Code(
            "The room has no team.",
            "Use the room of a team, which `Teams.prepare` makes.",
            404,
        ),
        "unknown_member": Code(
            "No member of that key is in the team.",
            "Use a key of the roster.",
            404,
        ),
        "unknown_approval": Code(
            "Nothing of that id waits for a person's answer.",
            "Read `Team.approvals`.",
            404,
        ),
        "unknown_change": Code(
            "No change of that id waits for a person.",
            "Withdraw only what is `awaiting_approval`.",
            404,
        ),
        "invalid_transition": Code(
            "The team cannot do this where it stands; `current` is its status.",
            "Look where it stands; the page about teams has the whole table.",
            409,
        ),
        "room_finished": Code(
            "The team is over; `current` is how it ended.",
            "Read what is there, or prepare another team.",
            409,
        ),
        "limit_reached": Code(
            "The team has reached a limit, and would stop at once.",
            "Raise the limit in `current` first: the conductor asks, a person answers.",
            409,
        ),
        "unknown_question": Code(
            "No question of that id was asked in the team.",
            "Use the id of a question that was asked here.",
            404,
        ),
        "not_your_question": Code(
            "The question was asked by, or of, somebody else.",
            "Leave it to those whom it concerns.",
            403,
        ),
        "no_recipients": Code(
            "The question names nobody.",
            "Name other members of the team.",
            400,
        ),
        "not_waiting": Code(
            "The member waits on no question, or on another one by now.",
            "Look at `team.questions`; intervene or wake it instead.",
            409,
        ),
        "not_idle": Code(
            "The member works, or is suspended; it cannot be woken.",
            "Wait for its turn's end, or have it resumed.",
            409,
        ),
        "grant_lost": Code(
            "The team gave its grant up, so it cannot go on.",
            "Start it anew, with the person's yes.",
            409,
        ),
        "no_chat": Code(
            "The result goes to the chat that started the team, and none did.",
            "Name another destination, or `chat` in what is allowed.",
            409,
        ),
        "approval_needed": Code(
            "A delivery outside needs a person's yes to just this text and place.",
            "Ask with `request_delivery_approval`, and wait for the answer.",
            403,
        ),
        "approval_pending": Code(
            "Another delivery waits for a person's answer.",
            "Wait for it, or ask for that text again.",
            409,
        ),
        "approval_answered": Code(
            "The approval was answered already.",
            "Nothing; the first answer counts.",
            409,
        ),
        "lead_only": Code(
            "Only the conductor of the team may do this.",
            "Ask the conductor.",
            403,
        ),
        "blocked_by_claim": Code(
            "Somebody else claims what this overlaps, and claims of the team block.",
            "Ask the members in `current`, or claim something else.",
            409,
        ),
        "unknown_claim": Code(
            "The member does not claim this: it never did, or the claim is over.",
            "Claim it anew, as anything else.",
            404,
        ),
        "unknown_work": Code(
            "The team has no piece of work of that id.",
            "Use an id that `work` of the team tells.",
            404,
        ),
        "unknown_artifact": Code(
            "The team has no artifact of that id.",
            "Use an id that `artifacts` of the team tells.",
            404,
        ),
        "work_not_saved": Code(
            "A member's work cannot be kept safe, so nothing is deleted.",
            "Save it by hand, or repair what the host's plugin reports.",
            409,
        ),
        "unknown_time_zone": Code(
            "The name is no IANA time zone that this machine knows.",
            "Use a name such as `Europe/Stockholm`; on bare systems install `tzdata`.",
            400,
        ),
        "bad_address": Code(
            "The text is no address of the grammar.",
            "Write `room`, `all`, `agent:<id>`, or `agent:<id>/<label>`.",
            400,
        ),
        "reserved_identity": Code(
            "The name has a meaning of its own in addresses.",
            "Choose another name.",
            400,
        ),
        "bad_path": Code(
            "A path or pattern leaves the root, or holds what no path may hold.",
            "Write it relative to the root, with forward slashes; a file's path has at"
            " most four segments.",
            400,
        ),
        "no_patterns": Code(
            "Nothing is left of a pattern once it is normalised.",
            "Name at least one path, directory or pattern.",
            400,
        ),
        "too_large": Code(
            "The value, or the file, is larger than it may be.",
            "Shorten it to the limit given in `details`.",
            413,
        ),
        "too_many": Code(
            "There are as many of these as there may be, or more were handed in.",
            "Keep to the `limit` in `details`: remove one first, or hand in fewer.",
            413,
        ),
        "not_text": Code(
            "A document is no text file: by the ending of its name, or by a NUL in it.",
            "Name it as `details` allow; attach anything else to a message.",
            415,
        ),
        "attachment_type": Code(
            "A file is neither an image nor a text of a known name, and the room takes"
            " no others; or one that is named as a text is none.",
            "Name it as `details` allow, or say where it is in the field `evidence`.",
            415,
        ),
        "attachment_upload_required": Code(
            "A message names contents that its sender has not handed in, or that have"
            " lapsed; nothing was stored.",
            "Hand in each in `missing` with `lobby.contents.upload`, and repeat the"
            " message.",
            409,
        ),
        "attachment_hash_mismatch": Code(
            "A content is not what its digest says.",
            "Read it anew, and give the SHA-256 of all its bytes.",
            400,
        ),
        "attachment_mismatch": Code(
            "A file is said to have another size or type than its content has.",
            "Say what `allowed` says, or nothing.",
            400,
        ),
        "storage_capacity": Code(
            "The lobby holds as many bytes of files as it may, or its disk has no more"
            " than it is to leave free; nothing was stored.",
            "Wait until older messages go, erase some, or raise the `setting`.",
            507,
        ),
        "attachment_expired": Code(
            "The file went with the message that carried it, which is kept no more.",
            "Attach it again, from where it came; its sender is told so for 7 days.",
            410,
        ),
        "stale_revision": Code(
            "The document is not any more what the change started from.",
            "Read it anew, `current` is its revision now or None, and change that.",
            409,
        ),
        "file_not_found": Code(
            "The room has no file of that path, in that revision or message.",
            "Look at `room.files.documents` and `room.files.attachments`.",
            404,
        ),
        "invalid_json": Code(
            "A file is not the JSON or JSON Lines that it should be.",
            "Look at the line that the error names.",
            400,
        ),
        "unknown_address": Code(
            "Nobody in the room is reached by this address.",
            "Use one of the addresses in `details`, or none for the whole room.",
            404,
        ),
        "reply_not_found": Code(
            "The message that this one replies to is not in the room.",
            "Give the id of a message of this room, or none.",
            404,
        ),
        "confirm_all_threads": Code(
            "The message would wake two or more conversations of one agent.",
            "Send one of the alternatives in `preview`, or the same message with"
            " `confirm_all_threads=True`.",
            409,
        ),
        "idempotency_conflict": Code(
            "The request id was used before, for a request with other content.",
            "Use a new request id for a new request.",
            409,
        ),
        "storage_busy": Code(
            "Another process held the storage for longer than the busy timeout.",
            "Try the same call again, with the same request id.",
            503,
        ),
        "storage_full": Code(
            "The disk or the database's page limit is full; nothing was recorded.",
            "Free space and try again; reading goes on meanwhile.",
            507,
        ),
        "storage_failed": Code(
            "The storage failed in a way that the details name.",
            "Look at the file and the disk; try again with the same request id.",
            500,
        ),
        "unsupported_schema": Code(
            "The file is no database of ours, or one that this version cannot read.",
            "Open another path, or the file with the version that wrote it.",
            500,
        ),
        "corrupt_log": Code(
            "A stored record is not what was written.",
            "Run `rooms verify`; restore the file or import an export.",
            500,
        ),
        "closed": Code(
            "The storage or the lobby was closed, or belongs to another process.",
            "Open it again; after a fork, open one in the child.",
            500,
        ),
        "unknown_blob": Code(
            "No content with this digest is kept.",
            "Use a digest that the library returned.",
            404,
        ),
        "hook_failed": Code(
            "A plugin that decides raised, or answered what is no answer.",
            "Look at `plugin` and `hook` in `details`; the plugin has to be mended.",
            500,
        ),
        "unknown_hook": Code(
            "A plugin implements, or a call names, a hook that does not exist.",
            "Use the name in `closest`, or one of those in the reference.",
            400,
        ),
        "key_held": Code(
            "A commit adds a key that is held already.",
            "For authors of storages: the shell answers it from what holds the key.",
            409,
        ),
        "version_conflict": Code(
            "A stream moved on between reading and writing.",
            "For authors of storages: the shell folds the news in and decides again.",
            409,
        ),
        "body_empty": Code(
            "The message has no words.",
            "Say something; white space alone is nothing.",
            400,
        ),
        "message_too_long": Code(
            "The text is longer than the room's policy allows.",
            "Shorten it to `limit` characters, or say it in several messages.",
            413,
        ),
        "send_rate": Code(
            "The sender has posted as much as the room's send window allows.",
            "Post again at `retry_at`; with no window place ever free it is None.",
            429,
        ),
        "draft_refused": Code(
            "A plugin has a reason not to post the message.",
            "Read `reasons`; change the message, or ask the host whose plugin it is.",
            403,
        ),
        "not_a_member": Code(
            "Only a conversation that has a seat in the room may do this.",
            "Join the room first; an open room needs no invitation.",
            403,
        ),
        "read_only_access": Code(
            "People watch in this room: they neither create it nor post in it.",
            "Let an agent do it, or choose a policy with `people='post'`.",
            403,
        ),
        "may_not_attach": Code(
            "Only conversations of threaded agents attach files in this room.",
            "Write a document, or choose a policy with `attachments_from='any'`.",
            403,
        ),
        "not_owner": Code(
            "Only the room's owner, or whom the host's `rooms_may` lets, may do this.",
            "Ask the owner, a person; a turn that a room woke has nobody's word.",
            403,
        ),
        "invite_required": Code(
            "A single agent was to be added, which decides by itself whether it joins;"
            " or an agent that was removed from the room would join it again.",
            "Invite it: `room.invite(agent, by=...)`.",
            403,
        ),
        "may_not_delegate": Code(
            "The host does not let the actor give work to this agent.",
            "Ask the host: its `rooms_may` answers `add_agent`. Or invite the agent.",
            403,
        ),
        "receipt_forbidden": Code(
            "A message is acknowledged that was never for whoever acknowledges it.",
            "Leave it out, see `id`; nothing of the batch was recorded.",
            403,
        ),
        "not_yet_delivered": Code(
            "A message is acknowledged that waits for its time.",
            "Leave it out, see `id`; nothing of the batch was recorded.",
            409,
        ),
        "receipts_unavailable": Code(
            "A person asks to be told of acknowledgements, and has no inbox.",
            "Look at the message's deliveries instead.",
            400,
        ),
        "checkpoint_conflict": Code(
            "The checkpoint was saved anew since it was read.",
            "Read it, take over what is new, and save with its revision, `current`.",
            409,
        ),
        "receipt_snapshot_conflict": Code(
            "A checkpoint would cover receipts that it may not, or hide some.",
            "Look at what was acknowledged; cover `at_least` to `at_most`.",
            409,
        ),
        "person_required": Code(
            "Only a person's own word is enough, and nobody's stands behind the actor.",
            "Let the person ask: `lobby.turn(conversation, word_of=person)`.",
            403,
        ),
        "origin_room_mail": Code(
            "The turn was woken by a room message, and that is nobody's word.",
            "Let the person itself ask for it, in a turn of its own.",
            403,
        ),
        "administrator_required": Code(
            "Only an administrator may do this: whom the host's `rooms_may` lets.",
            "Ask an administrator, or have the host's plugin let this person.",
            403,
        ),
        "hive_closed": Code(
            "A hive is one agent's own: only its public conversations take part.",
            "Let a public conversation of it do so, and address those that are there.",
            403,
        ),
        "owner_required": Code(
            "Only whose it is may do this, or the person behind it, or the host.",
            "Do it as that one; a person whom the host lets may look, too.",
            403,
        ),
        "awaiting_or_unanswered": Code(
            "A history is asked for what awaits an answer and for what is unanswered.",
            "Ask for the one, and then for the other.",
            400,
        ),
        "query_needs_history": Code(
            "Only a history is searched.",
            "Pass `mode` as `history`.",
            400,
        ),
        "ids_need_history": Code(
            "Only a history is read by ids.",
            "Pass `mode` as `history`.",
            400,
        ),
        "headers_need_history": Code(
            "Only a history is read as headers.",
            "Pass `mode` as `history`.",
            400,
        ),
        "awaiting_needs_history": Code(
            "Only a history is asked what awaits an answer.",
            "Pass `mode` as `history`.",
            400,
        ),
        "unanswered_needs_history": Code(
            "Only a history is asked what is unanswered.",
            "Pass `mode` as `history`.",
            400,
        ),
        "agent_required": Code(
            "A person was named where only an agent's conversation can act.",
            "Pass a conversation, a turn or a claim; people take no seats.",
            400,
        ),
        "agent_exists": Code(
            "An agent of that name is there already, with other facts.",
            "Use it as it is, see `current`, or choose another name.",
            409,
        ),
        "agent_capacity": Code(
            "The lobby holds as many agents as it may.",
            "Open it with a larger `max_agents`.",
            409,
        ),
        "room_capacity": Code(
            "The lobby holds as many rooms as it may.",
            "Delete one, or open it with a larger `max_rooms`.",
            409,
        ),
        "agent_not_found": Code(
            "No agent of that name is in the lobby.",
            "Add it with `add_agent`, or look at `lobby.agents`.",
            404,
        ),
        "lobby_exists": Code(
            "A lobby of that id is there, or was: an id is never given again.",
            "Open it, or choose another id.",
            409,
        ),
        "lobby_capacity": Code(
            "The folder holds as many lobbies as it may.",
            "Delete one, or open the registry with a larger `most`.",
            409,
        ),
        "lobby_required": Code(
            "No lobby is named, and there is not exactly one.",
            "Name one of `lobbies.listed()`.",
            400,
        ),
        "lobby_not_found": Code(
            "No lobby of that id is in the folder.",
            "Look at `lobbies.listed()`, or create it.",
            404,
        ),
        "confirmation_mismatch": Code(
            "What confirms a deletion is not the id of what is deleted.",
            "Give the id once more, exactly.",
            400,
        ),
        "token_exists": Code(
            "The agent or the person has a token already.",
            "Use it, or make another one with `rotate`, which voids it.",
            409,
        ),
        "unauthorized": Code(
            "The token is unknown here, void, or of an agent that is disabled.",
            "Use the one that was shown last; the host makes another with `rotate`.",
            401,
        ),
        "room_archived": Code(
            "The room is archived: it can be read, and its name is kept.",
            "Have its owner restore it, or choose another name.",
            409,
        ),
        "agent_disabled": Code(
            "The agent takes no part at present, and acts nowhere.",
            "The host enables it: `agent.change(enabled=True)`.",
            403,
        ),
        "unknown_notification": Code(
            "No push of that id was sent to the conversation.",
            "Confirm with the `notification_id` that the push brought, as its runtime.",
            404,
        ),
        "cannot_rest_self": Code(
            "An agent would let itself rest.",
            "Name other agents; a seat of its own rests by `room.rest`.",
            400,
        ),
        "resume_at_past": Code(
            "A rest would be over before it begins.",
            "Give an instant to come, or none.",
            400,
        ),
        "owner_pauses": Code(
            "A person would let agents rest, as a lead does.",
            "The host pauses an agent: `agent.change(paused=True)`.",
            400,
        ),
        "recipient_disabled": Code(
            "An agent that is named takes no part at present.",
            "Name somebody else; `lobby.list_agents` has whoever takes part.",
            409,
        ),
        "recipient_forbidden": Code(
            "The sender may not write to an agent that it names.",
            "Name one that its `allowed_recipients` hold; the host changes them.",
            403,
        ),
        "broadcast_forbidden": Code(
            "The sender may not write to all agents at once.",
            "Write to those that are meant, or have the host let it `can_broadcast`.",
            403,
        ),
        "not_room_member": Code(
            "Agents that a message names are not in the room.",
            "Name others than those in `not_members`, or have a lead let them in.",
            409,
        ),
        "room_management_forbidden": Code(
            "Who is in the room is a lead's to say, or its owner's.",
            "Ask an agent that may `manage_rooms`, or the room's owner.",
            403,
        ),
        "member_limit": Code(
            "The room would have more members than it may.",
            "Keep to the `limit` in `details`: take somebody out first.",
            409,
        ),
        "inbox_capacity": Code(
            "An agent that a message is for is owed as much as it may be.",
            "Wait until the `agents` in `details` acknowledged something.",
            409,
        ),
        "deliver_at_out_of_range": Code(
            "A message cannot be delivered then.",
            "Give an instant from 5 minutes ago up to `latest` in `details`, which is"
            " 30 days ahead.",
            400,
        ),
        "schedule_capacity": Code(
            "As many messages of the sender wait as may, or schedules are active.",
            "Wait, or cancel one: `lobby.schedules(by=...).list()` has them.",
            409,
        ),
        "schedule_not_found": Code(
            "No schedule, and no message that waits, of that id is the caller's.",
            "Look at `lobby.schedules(by=...).list()`; what was cancelled is known for"
            " a day.",
            404,
        ),
        "already_delivered": Code(
            "The message that should be changed or cancelled is delivered.",
            "Post another, which may replace it with `supersedes`.",
            409,
        ),
        "already_cancelled": Code(
            "What should be changed was cancelled.",
            "Make it anew.",
            409,
        ),
        "supersedes_scheduled": Code(
            "A message that waits for its time neither replaces another nor is"
            " replaced.",
            "Change or cancel the one that waits; or leave out `deliver_at`.",
            409,
        ),
        "supersedes_cancelled": Code(
            "What the message replaces was cancelled, and never delivered.",
            "Post it by itself.",
            409,
        ),
        "supersedes_not_found": Code(
            "What the message replaces is none of the sender's messages in the room.",
            "Give the complete id of one, or none.",
            404,
        ),
        "already_superseded": Code(
            "The message that this one replaces is replaced already.",
            "Replace `current`, which did so, or nothing.",
            409,
        ),
        "supersedes_audience": Code(
            "The message would not reach everybody whom the one that it replaces did.",
            "Address the `missing` too.",
            409,
        ),
        "room_exists": Code(
            "A room of that name is open already.",
            "Open it with `lobby.room(name)`, or choose another name.",
            409,
        ),
        "room_not_found": Code(
            "No room of that id or name is in the lobby.",
            "Look at `lobby.rooms`; a word that begins with `room_` is an id.",
            404,
        ),
        "room_deleted": Code(
            "The room is deleted.",
            "Nothing can be done in it any more; its name is free again.",
            410,
        ),
        "person_not_found": Code(
            "No person of that name is known in this lobby.",
            "Use a handle that this lobby gave: `lobby.person(name)` notes a new one.",
            404,
        ),
        "ambiguous_name": Code(
            "Several rooms that the asker may know of are called so.",
            "Use one of the ids in `current`.",
            409,
        ),
        "unknown_invitation": Code(
            "No invitation of this agent is open in the room.",
            "An open room needs none: join it. Else ask a member for another one.",
            404,
        ),
        "conversation_exists": Code(
            "The conversation is there already, and acts for somebody else.",
            "Use another thread or label: whom it acts for is said at its start.",
            409,
        ),
        "unknown_conversation": Code(
            "The agent has no conversation of that id.",
            "Ask the agent for it by its thread or label.",
            404,
        ),
        "unknown_message": Code(
            "No message of that id or number is in the room.",
            "Use the id of a message that this room gave.",
            404,
        ),
        "thread_bound": Code(
            "The host's thread carries another conversation of the agent.",
            "Use the conversation in `current`, or bind another thread.",
            409,
        ),
        "not_on_roster": Code(
            "A planner named somebody who takes no turns in the room.",
            "The planner has to be mended; nobody is asked until it is.",
            500,
        ),
        "unknown_planner": Code(
            "The room's policy names a planner that nobody brings.",
            "Register the plugin that offers it in `rooms_planners`, then `deliver()`.",
            404,
        ),
        "stale_runtime": Code(
            "A newer runtime claimed the conversation; this one may not go on.",
            "Stop. What it held is owed again, to the newer one.",
            409,
        ),
        "runtime_conflict": Code(
            "Another runtime has the conversation.",
            "Leave it to that one; only whoever runs the lobby frees it, by a reset.",
            409,
        ),
        "runtime_required": Code(
            "The conversation is claimed, and the call names no claim, or half of one.",
            "Claim it as a runtime with a name, and act by that claim.",
            409,
        ),
        "bootstrap_conflict": Code(
            "A runtime said that it is ready by an older bootstrap or checkpoint.",
            "Read the context again; say so with its revision and the newest nonce.",
            409,
        ),
        "stale_wake": Code(
            "The wake is not open any more, or somebody else holds it.",
            "Drop it and take wakes again: what it carried is not lost.",
            409,
        ),
        "turn_running": Code(
            "A turn for this wake was opened before.",
            "Go on with that turn; another wake comes after its end.",
            409,
        ),
        "unsupported_event": Code(
            "The stream holds a critical event that this version does not know.",
            "Read it as it is; write to it with the version that wrote the event.",
            500,
        ),
        "erased_meanwhile": Code(
            "A message with files was erased, or expired, while the log was exported.",
            "Export again: what was written so far is no whole log.",
            409,
        ),
        "not_empty": Code(
            "What an import or an export should fill holds something else already.",
            "Import into a storage that holds nothing, export into a new folder.",
            409,
        ),
        "missing_extra": Code(
            "The call needs a package that is not installed.",
            "Install the package that it names, or a clone with the `extra`.",
            501,
        ),
        "memory_not_kept": Code(
            "The room keeps no memory: its owner has named no curator.",
            "Ask the owner: `room.memory.appoint(agent, by=owner)`.",
            409,
        ),
        "memory_entry_not_found": Code(
            "The id names no entry, or no fragment that waits, of this room.",
            "Read `field`; look at `recall`, `entries` or the curator's `review`.",
            404,
        ),
        "memory_backlog": Code(
            "As many fragments wait for the room's curator as may wait.",
            "Wait until the curator has had its run.",
            409,
        ),
        "secret_refused": Code(
            "The words hold what looks like a credential; nothing was stored.",
            "Say it without the credential: where it is kept, not what it is.",
            400,
        ),
        "not_curator": Code(
            "Only the agent that the room's owner named as curator may do this.",
            "Let that agent do it, or ask the owner to name another.",
            403,
        ),
        "unknown_tool": Code(
            "No tool of that name is in the catalogue.",
            "Use the name in `closest`, or one of `rooms.tools.catalog(actor)`.",
            404,
        ),
        "tool_forbidden": Code(
            "The tool is withheld from this actor; nothing ran.",
            "Read `reason`, the code with which the call would be refused.",
            403,
        ),
        "operation_not_dispatchable": Code(
            "The operation is not a model's to call.",
            "Let the host, or whoever runs the agent, make the Python call.",
            403,
        ),
        "self_addressed": Code(
            "The sender would be the only one addressed.",
            "Address somebody else; `last_partner` says whom it last talked with.",
            409,
        ),
    }
)


class RoomsError(Exception):
    """
    The base of every error that leaves the library.

    Attributes:
        code: A stable snake_case string, a key of `CODES`.
        details: The values behind the words, by name.
    """

    code: str
    details: Mapping[str, Any]

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.details = MappingProxyType(details)

    def __str__(self) -> str:
        return f"{self.args[0]} [{self.code}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.code, self.args[0], dict(self.details))


def _rebuild(
    kind: type[RoomsError], code: str, message: str, details: Mapping[str, Any]
) -> RoomsError:
    error = kind.__new__(kind)
    RoomsError.__init__(error, code, message, **details)
    return error


class InvalidInput(RoomsError, ValueError):
    """
    The caller's mistake: `field` names it, `problem` says what is wrong, `allowed`
    what may be there.
    """

    def __init__(
        self,
        field: str,
        problem: str,
        *,
        allowed: Any = None,
        code: str = "invalid_request",
        **details: Any,
    ) -> None:
        message = f"{field} {problem}"
        if allowed is not None:
            message += f"; allowed: {allowed}"
        super().__init__(
            code, message, field=field, problem=problem, allowed=allowed, **details
        )

    @property
    def field(self) -> str:
        """The argument, attribute or position that was wrong."""
        return str(self.details["field"])


class Refused(RoomsError):
    """The rules said no, and nothing was recorded."""


class NotFound(Refused, LookupError):
    """What was named does not exist, or not for this caller."""


class NotAllowed(Refused, PermissionError):
    """The caller may not do this."""


class Conflict(Refused):
    """Something moved on in between; `current` is how it stands now."""

    @property
    def current(self) -> Any:
        """The value that the caller's was compared with."""
        return self.details.get("current")


class OverLimit(Refused):
    """A limit is reached; `retry_at` is when a place frees, if it ever does."""

    @property
    def retry_at(self) -> datetime | None:
        """The earliest instant at which the same request may pass, aware and UTC."""
        return self.details.get("retry_at")


class SelfAddressed(Refused):
    """The only one whom the message addresses is its own sender."""

    @property
    def last_partner(self) -> str | None:
        """The address that the sender last talked with here, if there is one."""
        return self.details.get("last_partner")


class ConfirmAllThreads(Refused):
    """A message would wake several conversations of one agent; say so to send it."""

    @property
    def preview(self) -> Any:
        """Whom it would wake, whom it would only be told to, and what else to send."""
        return self.details.get("preview")


class IdempotencyConflict(Conflict):
    """A request id that was used already, for something else."""


class HookFailed(RoomsError):
    """A plugin that was asked to decide failed, so the answer is no."""

    @property
    def plugin(self) -> str:
        """The name under which the plugin is registered."""
        return str(self.details["plugin"])

    @property
    def hook(self) -> str:
        """The hook that it was asked."""
        return str(self.details["hook"])


class MissingExtra(RoomsError, ImportError):
    """A call needs a package that is not installed, of the extra that is named."""

    @property
    def extra(self) -> str:
        """The extra to install, with `pip install '/path/to/clone[...]'`."""
        return str(self.details["extra"])


class StorageError(RoomsError):
    """The storage failed and added nothing; what was acknowledged before is safe."""


class StorageBusy(StorageError):
    """Another process held the storage for too long; try the same call again."""


class StorageFull(StorageError):
    """There is no room left to write; reading goes on."""


class UnsupportedSchema(StorageError):
    """What was opened is no storage of ours, or one that this version cannot read."""


class CorruptLog(StorageError):
    """What is stored is not what was written."""


class KeyHeld(StorageError):
    """A commit adds a key that is held, by `holder`. Only the shell meets it."""

    @property
    def holder(self) -> str:
        """What the key's owner recorded with it."""
        return str(self.details["holder"])


class VersionConflict(StorageError):
    """A stream moved on since it was read. The shell meets it and decides anew."""
