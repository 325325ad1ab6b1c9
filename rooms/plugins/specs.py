"""
The thirteen hooks, each as a function whose docstring is its card.

One law: a hook has a user of ours, one name, one list of arguments and one set of
answers. The functions are only signatures; nobody calls them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from pluggy import HookimplMarker, HookspecMarker

__all__ = [
    "hookimpl",
    "rooms_carry",
    "rooms_changed_files",
    "rooms_check_draft",
    "rooms_committed",
    "rooms_deliver",
    "rooms_may",
    "rooms_place_member",
    "rooms_planners",
    "rooms_push",
    "rooms_release_member",
    "rooms_start_conversation",
    "rooms_state",
    "rooms_storages",
]

hookimpl = HookimplMarker("rooms")
"""
Marks a plugin's function as the implementation of the hook that it is named after.

`@hookimpl(tryfirst=True)` and `trylast=True` move it in the order, `specname=` gives
the hook's name where the function has another, and `optionalhook=True` lets a hook pass
that this version does not know. Wrappers are refused: they would stand between others.
"""

hookspec = HookspecMarker("rooms")


@hookspec
def rooms_may(actor: Any, action: str, subject: Any) -> bool | None:
    """
    May this actor do this?

    Asked:
        Before the commit, for every action that the rules leave to the host. No lock
        and no transaction is held meanwhile.
    Handed:
        `actor`: who acts, and on whose word, `actor.person`. `action`: a stable word.
        `subject`: what it is done to, a frozen value. They are `add_agent` (the agent's
        id: may the actor give it work?), `delete_room`, `pause_room`,
        `change_policy`, `erase_message` and `remove_agent` (the room's id, of
        somebody else's room), `manage_team` (the room's id, of somebody else's
        team), `manage_schedules` (the agent's id, of somebody else's agent),
        `read_every_room` and `read_audit` (None).
    Order:
        Every plugin is asked, the last registered first. One False outweighs every
        True; where nobody answers True, and with no plugin at all, the answer is no.
    May return:
        True, False, or None for no opinion.
    May raise:
        Nothing. Whoever raises, or answers anything else, is named in `hook_failed`,
        and the action is refused.
    Pure:
        It must be: the same arguments, the same answer, and nothing else happens.
        The answer is recorded, so a replay asks nobody.
    """


@hookspec
def rooms_check_draft(draft: Any) -> str | None:
    """
    Is there a reason not to post this draft?

    Asked:
        Before the commit of a post, after the rules have let it pass. No lock and no
        transaction is held meanwhile.
    Handed:
        `draft`: the message as it would be recorded, a frozen value. One that is to be
        delivered later has `due`, and is not asked about again; what a schedule says
        is, each time.
    Order:
        Every plugin is asked, the last registered first; one reason is enough.
    May return:
        None for no objection, or the reason as a non-empty string. The sender is told.
    May raise:
        Nothing. Whoever raises, or answers anything else, is named in `hook_failed`,
        and nothing is posted.
    Pure:
        It must be, as `rooms_may`; the answer is recorded.
    """


@hookspec
def rooms_start_conversation(start: Any) -> str | None:
    """
    Start the host's side of a new conversation of a threaded agent.

    Asked:
        After the commit that started the conversation, each time a wake of it is to be
        delivered and no thread is bound yet.
    Handed:
        `start`: the new conversation, its room and what it was started for, a frozen
        value.
    Order:
        The last registered first, until one answers.
    May return:
        The id of the host's thread, a non-empty string, which is then bound to the
        conversation; None for "not mine".
    May raise:
        Anything. It is reported with the plugin's name, the next one is asked, and the
        conversation and what it is owed stay.
    Pure:
        No, it acts. It may be asked again for the same conversation, after a crash.
    """


@hookspec
def rooms_state(conversation: Any) -> Literal["idle", "in_turn", "away"] | None:
    """
    What is this conversation doing at the moment?

    Asked:
        Before a wake is carried, to know whether it starts a turn, goes into one, or
        waits; and to know who is connected, when agents are listed and before leads are
        told of turns that stopped.
    Handed:
        `conversation`: whose state is asked, a frozen value.
    Order:
        The last registered first, until one answers.
    May return:
        `idle`, `in_turn`, `away`, or None for "not mine".
    May raise:
        Anything. It is reported with the plugin's name, and the next one is asked.
    Pure:
        No: it tells what is so now. It must change nothing.
    """


@hookspec
def rooms_carry(wake: Any) -> Literal["delivered", "settled"] | None:
    """
    Carry this wake to whoever runs the conversation.

    Asked:
        By `deliver()`, after the commit that claimed the wake. No lock and no
        transaction is held meanwhile.
    Handed:
        `wake`: the conversation, the room, the messages and the reasons, a frozen
        value; `wake.render()` is its text. Where no plugin pushes, what comes in no
        room comes here: by its `kind`, a `bootstrap` or `stops`.
    Order:
        The last registered first, until one answers.
    May return:
        `delivered` when it was handed over and is settled later, `settled` when its
        turn is over already, None for "not mine".
    May raise:
        Anything. It is reported with the plugin's name and the next one is asked; a
        wake that nobody carries stays owed.
    Pure:
        No, it acts. Delivery is at least once: the same wake may come again.
    """


@hookspec
def rooms_push(push: Any) -> Literal["received", "attempted"] | None:
    """
    Send this push to whoever runs the conversation.

    Asked:
        By `deliver()`, for rooms whose policy has `pushes`, after the commit that
        counted the try. No lock and no transaction is held meanwhile.
    Handed:
        `push`: its id, the conversation, the messages or a hint at them, a frozen
        value; `push.as_dict()` is what to send as JSON, `push.render()` its text. Or,
        by `push.kind`, a `bootstrap`, or `stops` of which a lead is told: they are no
        room's, and take no confirming.
    Order:
        The last registered first, until one answers.
    May return:
        `attempted` when it was written for the runtime, `received` when whoever writes
        it has it; None where the transport says so later, with `lobby.confirm`, or for
        "not mine".
    May raise:
        Anything. It is reported with the plugin's name and the next one is asked; the
        try counts, and the next one comes in its time.
    Pure:
        No, it acts. What is not confirmed is sent again, as a hint.
    """


@hookspec
def rooms_place_member(place: Any) -> str | None:
    """
    Make the workspace of a member of a team that starts.

    Asked:
        After the commit that claimed the start, for each member in the order of the
        blueprint. No lock and no transaction is held meanwhile.
    Handed:
        `place`: the room, the member's key, agent and access, and how it shares the
        tree, a frozen value. `place.edits` tells whether it changes files there.
    Order:
        The last registered first, until one answers.
    May return:
        Where the member works, such as a path, a string of 1 to 4,096 characters; None
        for "not mine". Where no plugin has a workspace for a member that edits, the
        start is undone.
    May raise:
        Anything. It is reported with the plugin's name, and the start is undone.
    Pure:
        No, it acts. Asked again for the same member, it gives the same place
        (S-WORKSPACE-05).
    """


@hookspec
def rooms_release_member(place: Any, keep: bool) -> bool | None:
    """
    Save what a member has not committed, and unless it is to be kept, remove its place.

    Asked:
        After the commit that ended the member's work, or undid a start. No lock and no
        transaction is held meanwhile.
    Handed:
        `place`: as `rooms_place_member` was handed it, with its answer as `workspace`.
        `keep`: whether the place stays after its work was saved.
    Order:
        The last registered first, until one answers.
    May return:
        True where the work is safe; False where it cannot be saved, and then the place
        has to stay as it is; None for "not mine".
    May raise:
        Anything. It is reported with the plugin's name, and counts as False.
    Pure:
        No, it acts. It may be asked again for a place that is gone, which is safe.
    """


@hookspec
def rooms_changed_files(place: Any) -> Iterable[str] | None:
    """
    Which files did a member of a team change?

    Asked:
        When the conductor collects, for each member that edits, after its work was
        saved. No lock and no transaction is held meanwhile.
    Handed:
        `place`: as `rooms_release_member`.
    Order:
        The last registered first, until one answers.
    May return:
        The paths of the files, relative to the workspace's root, at most 10,000; None
        for "not mine".
    May raise:
        Anything. It is reported with the plugin's name; the member has no files then.
    Pure:
        Yes.
    """


@hookspec
def rooms_deliver(sending: Any) -> str | None:
    """
    Deliver a team's result.

    Asked:
        After the commit that claimed the delivery, once: whatever comes of it, the same
        claim is never handed out again. A chat that started the team is handed the
        result as well, under `invoking_chat`. No lock and no transaction is held.
    Handed:
        `sending`: the room, the destination with its parameters, the text and the
        claim, a frozen value.
    Order:
        The last registered first, until one answers.
    May return:
        What the destination calls it, a string, "" where it calls it nothing; None for
        "not mine".
    May raise:
        Anything. It is reported with the plugin's name; where nobody else delivers it,
        the team ends with that problem beside its result.
    Pure:
        No, it acts.
    """


@hookspec
def rooms_committed(commit: Any) -> None:
    """
    Hear of what was recorded.

    Asked:
        After every commit of this process, once for each; those of one thread in their
        order.
    Handed:
        `commit`: the events, with when and by whom, a frozen value.
    Order:
        Every plugin, the last registered first, each by itself.
    May return:
        Anything; nobody looks at it.
    May raise:
        Anything. It is reported with the plugin's name; the commit stands, and the
        others hear of it.
    Pure:
        No. What it commits itself is told to all, to itself too: it is its part to
        come to an end.
    """


@hookspec
def rooms_planners() -> Mapping[str, Callable[..., Any]] | None:
    """
    Which turn planners are there, by the name that a policy gives?

    Asked:
        When a room's policy names a planner that the library does not bring.
    Handed:
        Nothing.
    Order:
        Every plugin, the last registered first; of two planners with one name the
        first stays, and the other is reported.
    May return:
        A mapping from names to callables that make a planner, or None for none.
    May raise:
        Anything. It is reported with the plugin's name; the others' planners stay.
    Pure:
        Yes, and so must the planners be: they are asked again in a replay.
    """


@hookspec
def rooms_storages() -> Mapping[str, Callable[..., Any]] | None:
    """
    Which storages are there, by the scheme of their URLs?

    Asked:
        When a lobby is opened with a URL whose scheme the library does not know.
    Handed:
        Nothing.
    Order:
        Every plugin, the last registered first; of two storages with one scheme the
        first stays, and the other is reported.
    May return:
        A mapping from schemes to callables that take the URL and open a storage, or
        None for none.
    May raise:
        Anything. It is reported with the plugin's name; the others' storages stay.
    Pure:
        Yes: naming a storage opens none.
    """
