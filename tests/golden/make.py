"""
Makes golden logs: each feature played once, with a clock, ids and salts that count.

    python tests/golden/make.py FOLDER [NAME ...]

A log that is there is left as it is: what it says was said, whatever the rules are now.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from rooms import Lobby, RoomPolicy, Storage, presets
from rooms.hooks import hookimpl
from rooms.lobby import Conversation, Credentials, Team
from rooms.lobby.memory import (
    AddEntry,
    ArchiveEntry,
    Curation,
    Memory,
    RefuseFragment,
    UpdateEntry,
    VerifyEntry,
)
from rooms.log.events import RULES_VERSION
from rooms.log.records import Commit, Record, body_digest, canonical, chained
from rooms.pacing import Pushes, RateWindow
from rooms.presets import hall as hall_policy
from rooms.storage import MemoryStorage
from rooms.team import Blueprint, Destination, MemberPlan, TeamLimits
from rooms.testing import CountingIds, CountingSalts, FakeClock, Stage

MINUTE = timedelta(minutes=1)


def stage_on(storage: Storage) -> Stage:
    """A stage on an empty storage."""
    clock = FakeClock()
    lobby = Lobby(storage, clock=clock, ids=CountingIds(), salt=CountingSalts())
    return Stage(lobby, clock)


# -- the scripts


def hall(stage: Stage) -> None:
    """Who is meant and who hears it: addresses, labels, modes, successors."""
    stage.add_agent("Eve", threaded=True, owner="ana")
    stage.add_agent("ben-web", owner="ben")
    stage.add_agent("cy")
    stage.start("Eve", thread="t-1", label="acme-renewal")
    stage.start("Eve", label="billing")
    stage.start("Eve", thread="t-2", label="billing")  # is billing-2
    stage.create_room("orders-migration", by="Eve#0", policy="hall", request_id="o")
    stage.create_room("orders-migration", by="Eve#0", policy="hall", request_id="o")
    stage.join("ben-web", mode="when_tagged")
    stage.join("cy", mode="every_message")
    stage.join("Eve#1", mode="next_turn")
    stage.post("Leave the connector alone.", by="Eve#0", to=["agent:ben-web"])
    stage.post("Why?", by="ben-web", reply_to=0, request_id="r-1")
    stage.post("Why?", by="ben-web", reply_to=0, request_id="r-1")
    stage.post("To everybody", by="cy", to=["all"], confirm=True)
    stage.subscribe("cy", "digest", interval=timedelta(minutes=30))
    stage.post("For the digest", by="ben-web")
    stage.subscribe("ben-web", "on_demand")
    stage.subscribe("Eve#1", "digest", tagged_only=True)
    stage.post("A new matter", by="cy", to=["agent:Eve"])
    stage.post("And that", by="cy", to=["agent:Eve/billing", "person:ana"])
    stage.rename("Eve#1", "invoices")
    stage.post("Both names reach it", by="cy", to=["agent:Eve/billing"])
    stage.leave("Eve#1")
    stage.post("Are you there?", by="cy", to=["agent:Eve/invoices"])
    stage.leave("cy")
    stage.join("cy")
    stage.rest("cy")
    stage.post("While cy rests", by="ben-web", to=["agent:cy"])
    stage.resume("cy")
    stage.advance(timedelta(minutes=31))
    stage.take()


def team(stage: Stage) -> None:
    """A team: drafted, granted, changed, asked for a yes, paused, delivered."""
    for name in ("lead", "builder"):
        stage.add_agent(name)
    stage.add_agent("Scouts", threaded=True)
    lobby = stage.lobby
    plans = [
        MemberPlan(key="lead", responsibility="all", mandate="Lead.", lead=True),
        MemberPlan(
            key="builder",
            responsibility="code",
            mandate="Build.",
            tools=["read", "edit", "acme.read"],
        ),
        MemberPlan(
            key="scout",
            agent="Scouts",
            responsibility="facts",
            mandate="Look.",
            access="read_only",
            tools=["read"],
        ),
    ]
    blueprint = Blueprint(
        title="Migrate",
        objective="It is moved.",
        approach="By hand.",
        success_criteria=["Tests pass."],
        members=plans,
        limits=TeamLimits(max_cost=9),
        delivery=Destination("chat_post", {"channel": "ops"}),
    )

    class Chat:
        @hookimpl
        def rooms_deliver(self, sending: Any) -> str:
            return f"post of {sending.claim}"

    lobby.register(Chat(), "chat")
    made = lobby.teams(by=lobby.person("ana")).prepare("Move the orders.", blueprint)
    assert isinstance(made, Team)
    made.adjust("Shorter.", made.blueprint)
    made.start(approve=lambda _: False)
    made.start()
    [wake] = lobby.take_wakes()
    with lobby.turn(wake) as turn:
        lead = lobby.member(by=turn)
        lead.send("Look at it.", to=["scout", "builder"])
        lead.update_mandate("builder", "Build it twice.")
        lead.propose("change_configuration", "builder", tools=["read"])
        lead.propose("suspend_member", "builder", text="Wait.")
        lead.propose("resume_member", "builder")
        lead.propose("add_member")
        lead.propose("lower_soft_limit", limit="max_cost", value=3)
        lead.withdraw(lead.propose("request_expansion", limit="max_cost", value=4))
        lead.propose("request_expansion", limit="max_cost", value=6)
        lead.propose("retire_member", "scout")
        stage.advance(MINUTE)
        made.pause("Lunch.")
    made.resolve_approval(made.approvals[0], approved=True)
    made.intervene("Hurry.", to=["builder"])
    made.resume()
    conductor = lobby.agent("lead").conversation()
    lobby.member(by=conductor).request_delivery_approval("All moved.")
    made.resolve_approval(made.approvals[0], approved=True, text="Fine.")
    lobby.member(by=conductor).finish("All moved.")


def claimed(stage: Stage) -> None:
    """What a team's members claim, release and renew, work on and hand in."""
    for name in ("lead", "hand"):
        stage.add_agent(name)
    lobby = stage.lobby
    plans = [
        MemberPlan(key="lead", responsibility="all", mandate="Lead.", lead=True),
        MemberPlan(key="hand", responsibility="code", mandate="Build."),
        MemberPlan(key="eye", agent="Eyes", responsibility="facts", mandate="Look."),
    ]
    stage.add_agent("Eyes", threaded=True)
    blueprint = Blueprint(
        title="Migrate",
        objective="It is moved.",
        approach="By hand.",
        success_criteria=["Tests pass."],
        members=plans,
    )
    made = lobby.teams(by=lobby.person("ana")).prepare("Move it.", blueprint)
    assert isinstance(made, Team)
    made.start()
    told = {one.key: one.conversation for one in made.members}
    lead, hand, eye = (lobby.member(by=told[key]) for key in ("lead", "hand", "eye"))
    hand.claim_paths(["src", "docs/*.md"], reason="Moving.", expires_after=MINUTE)
    eye.claim_paths(["src/a.py", "port 80"])
    stage.advance(MINUTE / 2)
    hand.renew_paths(["src"])
    stage.advance(MINUTE / 2)
    eye.release_paths(["port 80"])
    work = hand.update_work(title="Write it.")
    lead.update_work(title="Read it.", owner="eye", depends_on=[work])
    hand.update_work(work, status="done", notes="By hand.")
    hand.publish_artifact("patch", "It", content="+ it", work=work)
    lead.publish_artifact("decision", "No tools.", ref="the wiki", about=["eye"])
    lead.publish_note("Mind the view.")
    lead.publish_note("")
    lead.publish_note("Mind both views.")
    lead.propose("retire_member", "eye")
    hand.claim_paths(["lib"])


def asked(stage: Stage) -> None:
    """Slots, questions, waits, what turns cost, nudges and what stops a team."""
    for name in ("lead", "hand"):
        stage.add_agent(name)
    stage.add_agent("Eyes", threaded=True)
    lobby = stage.lobby
    plans = [
        MemberPlan(key="lead", responsibility="all", mandate="Lead.", lead=True),
        MemberPlan(key="hand", responsibility="code", mandate="Build."),
        MemberPlan(key="eye", agent="Eyes", responsibility="facts", mandate="Look."),
    ]
    blueprint = Blueprint(
        title="Migrate",
        objective="It is moved.",
        approach="By hand.",
        success_criteria=["Tests pass."],
        members=plans,
        limits=TeamLimits(max_cost=2, max_failures=1, max_active_turns=2),
    )
    made = lobby.teams(by=lobby.person("ana")).prepare("Move it.", blueprint)
    assert isinstance(made, Team)
    made.start()
    told = {one.key: one.conversation for one in made.members}
    lead, hand, eye = (lobby.member(by=told[key]) for key in ("lead", "hand", "eye"))

    def turn() -> None:
        [wake, *rest] = lobby.take_wakes()
        for one in rest:
            lobby.give_back(one)
        with lobby.turn(wake) as running:
            stage.advance(MINUTE / 4)
            lobby.report_usage(running, cost="0.1", tokens=100)

    turn()
    first = hand.ask("Which?", to=["eye"])
    hand.send("While I wait.", to=["lead"], wake=False)
    lead.broadcast("Hear me.", wake=True)
    eye.reply(first, "That one.")
    eye.withdraw_question(eye.ask("Who?", to=["hand"], wait=False))
    hand.ask("When?", to=["eye"])
    eye.ask("Why?", to=["hand"])
    lobby.deliver()
    turn()
    made.answer("hand", "Now.")
    made.release("eye")
    turn()
    turn()
    hand.request_attention("A key, please.")
    for _ in range(3):
        lobby.deliver()
        if lobby.take_wakes(limit=1, holder="look") == []:
            break
        lobby.recover_teams()
    stage.advance(MINUTE / 2)
    lobby.recover_teams()
    made.intervene("Here.", to=["hand"])
    if made.status == "paused":
        made.resume()
    made.wake("eye", "Up!")
    lobby.report_usage(told["eye"], cost=2)


def windows(stage: Stage) -> None:
    """What waits: places of a window, people who take it along, rests, digests."""
    stage.add_agent("ben", owner="ana")
    stage.add_agent("cy")
    policy = RoomPolicy(
        wake_window=RateWindow(2, MINUTE),
        send_window=RateWindow(6, MINUTE),
        max_hops=2,
        max_message_chars=12,
        oversize="truncate",
    )
    stage.create_room("busy", by="ben", policy=policy)
    stage.join("cy")
    for number in range(4):
        stage.post(f"word {number}", by="ben", to=["agent:cy"])
    stage.post("a person's word", by="person:ana", to=["agent:cy"])
    stage.take(minutes=2)
    stage.post("held", by="ben", to=["agent:cy"])
    stage.advance(MINUTE)
    stage.deliver()
    stage.take(minutes=2)
    stage.open_turn(1)
    stage.reply(0, "an answer")  # one hop
    stage.end_turn(0)
    stage.take()
    stage.post("two hops on", by="ben", to=["agent:cy"])
    stage.subscribe("cy", "digest", interval=timedelta(minutes=5))
    stage.post("for later", by="person:ana")
    stage.advance(timedelta(minutes=6))
    stage.deliver()
    stage.pause("person:ana")
    stage.post("while it stands still", by="person:ana", to=["agent:cy"])
    stage.unpause("person:ana")
    stage.deliver()
    stage.take()


def turns(stage: Stage) -> None:
    """What becomes of a wake: told, settled, failed, run out, claimed by another."""
    stage.add_agent("ben", owner="ana")
    stage.add_agent("cy")
    stage.create_room("work", by="ben")
    stage.join("cy")
    stage.post("first", by="ben", to=["agent:cy"])
    for _ in range(3):  # and rides along from the third on
        stage.take(agents=["cy"])
        stage.open_turn(-1)
        stage.end_turn(-1, failed=True)
    stage.post("second", by="ben", to=["agent:cy"])
    stage.take(agents=["cy"], minutes=1)
    stage.advance(timedelta(minutes=2))
    stage.deliver()  # the claim ran out
    stage.take(agents=["cy"], holder="h-2")
    stage.open_turn(-1)
    stage.renew(-1, minutes=30)
    stage.post("third", by="ben", to=["agent:cy"])
    stage.fetch_notices(-1)
    stage.reply(-1, "done")
    stage.end_turn(-1)
    stage.take(agents=["ben"])
    stage.read("ben", after=0, limit=10)
    stage.post("fourth", by="ben", to=["agent:cy"])
    stage.open_own_turn("cy", word_of="ana")
    stage.end_turn(-1)
    stage.post("fifth", by="ben", to=["agent:cy"])
    stage.take(agents=["cy"])
    stage.claim("cy")
    stage.take(agents=["cy"], holder="h-3")
    stage.take(agents=["cy"], holder="h-3")  # who comes back was told
    stage.advance(timedelta(hours=7))
    stage.read("cy", after=0, limit=2)


class Carries:
    """A transport that starts threads and hands everything over, but to dan."""

    @hookimpl
    def rooms_start_conversation(self, start: Any) -> str:
        return f"thread-of-{start.conversation.label}"

    @hookimpl
    def rooms_carry(self, wake: Any) -> str | None:
        if wake.conversation.agent == "dan":
            return None
        return "settled" if wake.conversation.threaded else "delivered"


def carried(stage: Stage) -> None:
    """Wakes that a plugin carries, and acknowledgements."""
    stage.lobby.register(Carries())
    stage.add_agent("Eve", threaded=True)
    stage.add_agent("cy")
    stage.add_agent("dan")
    stage.create_room("desk", by="person:ana", policy=RoomPolicy(settle_on="ack"))
    stage.start("Eve", label="desk")
    stage.join("Eve#0")
    stage.join("cy")
    stage.join("dan")
    everybody = ["agent:Eve", "agent:cy", "agent:dan"]
    stage.post("To a new one, too", by="person:ana", to=everybody)
    stage.deliver()
    stage.acknowledge("cy", 0)
    stage.acknowledge("Eve#1", 0)


def failures(stage: Stage) -> None:
    """Turns that fail until somebody has to look; a room where only turns settle."""
    stage.add_agent("ben", owner="ana")
    stage.add_agent("cy")
    stage.create_room("work", by="cy", policy=RoomPolicy(settle_on="accept"))
    stage.join("ben")
    stage.post("It breaks you.", by="cy", to=["agent:ben"])
    for number in range(3):
        stage.take()
        stage.open_turn(number)
        stage.read("ben")
        stage.end_turn(number, failed=True)
    stage.take()
    stage.post("And this?", by="cy", to=["agent:ben"])
    stage.take()
    stage.open_turn(3)
    stage.end_turn(3)


def rooms(stage: Stage) -> None:
    """Rooms that change and end, and words of every kind."""
    stage.add_agent("ben", owner="ana")
    stage.add_agent("Zoe")
    stage.create_room("short-lived", by="ben", request_id="c-1")
    stage.post("gone with its room", by="ben", room=0, request_id="p-1")
    stage.delete("person:ana", room=0)
    stage.create_room("Short Lived", by="ben", request_id="c-2")
    stage.join("Zoe", room=1)
    stage.change_policy(
        "person:ana",
        hall_policy(people="post", mentions="anywhere", mentions_from="any"),
        room=1,
    )
    stage.post("@Zoe @nobody 会議 \u202e> | [end]\u2028\x00", by="person:ana", room=1)
    stage.post("x" * 16_000, by="ben", room=1)
    stage.post("to be forgotten", by="ben", room=1)
    stage.read("person:ana", room=1, after=0, limit=3)


class Lets:
    """A host that lets everybody's work be given to everybody."""

    @hookimpl
    def rooms_may(self, action: str) -> bool:
        return action in {"add_agent", "read_every_room"}


def access(stage: Stage) -> None:
    """Who may know of a room: invitations, answers, additions, whom one acts for."""
    stage.lobby.register(Lets())
    stage.add_agent("Eve", threaded=True)
    stage.add_agent("Gennie", threaded=True)
    stage.add_agent("ben-web", owner="ben")
    stage.add_agent("cy")
    stage.start("Eve", thread="t-1", label="acme", acts_for="ana")
    stage.create_room(
        "plans",
        by="Eve#0",
        access="invite_only",
        policy="hall",
        invite=["agent:ben-web", "cy"],
    )
    stage.create_room("plans", by="cy", policy="hall")  # the name is free
    stage.join("ben-web")
    stage.decline("cy")
    stage.invite("cy", by="ben-web", reason="Please.")
    stage.uninvite("cy", by="Eve#0")
    stage.invite("Gennie", by="ben-web", reason="She knows the ledger.")
    stage.open_own_turn("Eve#0", word_of="ana")
    stage.add("Gennie", by="turn#0", reason="The ledger is yours now.", request_id="a")
    stage.add("Gennie", by="turn#0", reason="The ledger is yours now.", request_id="a")
    stage.add("Eve", by="ben-web", reason="One more of you.")
    stage.post("A new matter", by="Gennie#0", to=["agent:Eve"])
    stage.take()
    stage.leave("Eve#1")
    stage.leave("ben-web")
    stage.search("person:zoe", "ledger")


class Administers:
    """A host in which root reads every room."""

    @hookimpl
    def rooms_may(self, actor: Any, action: str) -> bool | None:
        return True if (actor.id, action) == ("root", "read_every_room") else None


def sight(stage: Stage) -> None:
    """Who looks where by oversight, and whose subscription ends for idleness."""
    stage.lobby.register(Administers())
    stage.add_agent("ben", owner="ana")
    stage.add_agent("cy")
    ben = stage.actor("ben")
    secret = stage.lobby.create_room("plans", by=ben, access="invite_only")
    stage.create_room("work", by="cy")
    stage.join("ben", mode="digest", interval=timedelta(days=1))
    stage.post("Nobody answers.", by="cy", to=["all"])
    secret.post("One word.", by=ben)
    root = stage.lobby.person("root")
    secret.read(by=root)
    secret.participants(by=root)
    stage.advance(timedelta(days=31))
    stage.lobby.sweep()
    stage.post("Still there?", by="cy", to=["agent:ben"])


def documents(stage: Stage) -> None:
    """Documents: written, edited by two, removed, created again."""
    stage.add_agent("Eve", threaded=True, owner="ana")
    stage.add_agent("ben")
    stage.start("Eve", label="desk")
    stage.create_room("files", by="ben")
    stage.join("Eve#0")
    stage.write_document("ben", "plan.md", "First.")
    stage.write_document("Eve#0", "notes/2026/会議.txt", "Second.", request_id="r-1")
    stage.write_document("Eve#0", "notes/2026/会議.txt", "Second.", request_id="r-1")
    stage.write_document("Eve#0", "plan.md", "First. And more.", base=0)
    stage.write_document("person:ana", "plan.md", "First.", base=2)
    stage.remove_document("ben", "plan.md", base=3)
    stage.write_document("ben", "plan.md", "Anew.")
    stage.write_document("ben", "notes/2026/会議.txt", "", base=1)


def hives(stage: Stage) -> None:
    """What only an agent's own conversations share, and a restart that is planned."""
    stage.add_agent("Eve", threaded=True, owner="ana")
    stage.lobby.agent("Eve").switch_hive(True)
    for label in ("first", "second", "third"):
        stage.start("Eve", label=label)
    for number in (0, 1):
        one = stage.actor(f"Eve#{number}")
        if isinstance(one, Conversation):
            one.set_public(True)
        stage.open_own_turn(f"Eve#{number}")
        stage.end_turn(-1)
    hive = stage.lobby.agent("Eve").hive
    if hive is not None:
        stage.rooms.append(hive.id)
    stage.post("What I work on.", by="Eve#0")
    stage.post("For you.", by="Eve#1", to=["agent:Eve/first"])
    at = stage.clock() + MINUTE
    stage.lobby.announce_restart(at, "A new version.", notify_rooms=True)
    stage.open_own_turn("Eve#0")
    stage.end_turn(-1)
    stage.lobby.call_off_restart()
    stage.read("Eve#2")
    third, second = stage.actor("Eve#2"), stage.actor("Eve#1")
    if isinstance(third, Conversation) and isinstance(second, Conversation):
        third.set_public(False)
        second.set_public(None)
    stage.lobby.agent("Eve").switch_hive(None)


def attachments(stage: Stage) -> None:
    """Files that messages carry, one at the path of a document, and who may attach."""
    stage.add_agent("Eve", threaded=True, owner="ana")
    stage.add_agent("ben")
    stage.start("Eve", label="desk")
    stage.create_room("files", by="Eve#0", policy="hall")
    stage.join("ben")
    deck = {"deck.pdf": b"%PDF-1.7", "notes/會議.txt": "會議".encode()}
    stage.post("The deck", by="Eve#0", to=["agent:ben"], attach=deck, request_id="r-1")
    stage.post("The deck", by="Eve#0", to=["agent:ben"], attach=deck, request_id="r-1")
    stage.write_document("ben", "notes/會議.txt", "What was said.")
    stage.post("Again", by="Eve#0", attach={"deck.pdf": b"%PDF-1.7"})
    stage.take()


def erased(stage: Stage) -> None:
    """Words that were forgotten; what they did stays."""
    turns(stage)
    storage = stage.lobby._desk.storage
    for name in storage.streams("room:"):
        said = storage.messages(name)
        storage.erase(name, [record.version for record in said[:2]])


def floors(stage: Stage) -> None:
    """Planned rooms: floors that are used, fail, run out, are withdrawn and stay."""
    for name in ("ada", "bo", "cy"):
        stage.add_agent(name)
    stage.create_room("panel", by="person:ana", policy="panel")
    stage.create_room("thread", by="person:ana", policy="thread")
    lost = RoomPolicy(planner="nobodys")
    stage.create_room("lost", by="person:ana", policy=lost)
    for room in range(3):
        for name in ("ada", "bo", "cy"):
            stage.join(name, room=room)
    stage.post("Build it.", by="person:ana")
    stage.take()
    stage.open_turn(0)
    stage.reply(0, "Built. @cy, test it.")
    stage.end_turn(0)
    stage.post("Stop, something else.", by="person:ana")  # bo's floor is withdrawn
    stage.take()
    stage.open_turn(1)
    stage.end_turn(1, failed=True)  # and ada is named again
    stage.rest("ada")  # and passed over
    stage.take()
    stage.open_turn(2)
    stage.end_turn(2)  # bo says nothing
    stage.take()
    stage.advance(15 * MINUTE)
    stage.deadline()
    stage.take()  # cy's claim ran out
    stage.leave("cy")
    stage.post("@bo @cy why?", by="person:ana", room=1)
    stage.post("@ada and you?", by="person:ana", room=1)  # opens the next activity
    for turn in range(3, 8):
        stage.take()
        stage.open_turn(turn + 2)
        stage.reply(turn, f"Answer {turn}.")
        stage.end_turn(turn)
    stage.post("Nobody plans.", by="person:ana", room=2)


def panel(stage: Stage) -> None:
    """The preset of panels: rounds, a mention of one who passed, a second person."""
    for name in ("planner", "coder", "tester"):
        stage.add_agent(name)
    stage.create_room("panel", by="person:ana", policy="panel")
    for name in ("planner", "coder", "tester"):
        stage.join(name)
    stage.post("Build a login form.", by="person:ana")
    said = ("@coder, the plan.", "Built.", None, "@tester, look again.", "Seen.")
    for turn, words in enumerate(said):
        stage.take()
        stage.open_turn(turn)
        if words:
            stage.reply(turn, words)
        stage.end_turn(turn)
        stage.advance(MINUTE)
    stage.post("And a logout?", by="person:zoe")
    stage.take()
    stage.deadline()


def thread(stage: Stage) -> None:
    """The preset of threads: two addressed in rounds, one alone, and the lead."""
    for name in ("lead", "proto", "reviewer"):
        stage.add_agent(name)
    stage.create_room("thread", by="person:ana", policy=presets.thread(lead="lead"))
    for name in ("lead", "proto", "reviewer"):
        stage.join(name)
    stage.post("@proto @reviewer is it safe?", by="person:ana")
    said = ("No.", "Why not?", "The token.", None, None, None)
    for turn, words in enumerate(said):  # who has no words passes
        stage.take()
        stage.open_turn(turn)
        if words:
            stage.reply(turn, words)
        stage.end_turn(turn)
        stage.advance(MINUTE)
    stage.post("@proto mend it", by="person:ana")
    stage.take()
    stage.post("And what do you think?", by="person:ana", to=["agent:lead"])
    stage.deadline()


def removed(stage: Stage) -> None:
    """Agents that the room's owner takes out, and what they were owed."""
    stage.add_agent("ben", owner="ana")
    stage.add_agent("Eve", threaded=True)
    stage.start("Eve", label="one")
    stage.start("Eve", label="two")
    stage.create_room("work", by="ben")
    stage.join("Eve#0")
    stage.join("Eve#1")
    stage.post("For both.", by="ben", to=["agent:Eve/all"], confirm=True)
    stage.take(limit=1)
    stage.remove("person:ana", "Eve")
    stage.remove("person:ana", "Eve")
    stage.invite("Eve", by="ben", reason="Come back.")
    stage.join("Eve#0")
    stage.post("Welcome.", by="ben", to=["agent:Eve/one"])
    stage.take()


def remembered(stage: Stage) -> None:
    """What members give, what the curator makes of it, and what goes again."""
    stage.add_agent("ben", owner="ana")
    stage.add_agent("cy")
    room = stage.create_room("work", by="ben")
    stage.join("cy")
    ana = stage.lobby.person("ana")
    ben, cy = (stage.lobby.agent(name).conversation() for name in ("ben", "cy"))
    memory: Memory = room.memory.appoint("cy", by=ana)

    def run(*operations: Any) -> Curation:
        return memory.curate(operations, base=memory.review(by=cy).revision, by=cy)

    learned = memory.remember(
        "The kettle trips the fuse.",
        kind="gotcha",
        by=ben,
        evidence="The fuse box.",
        request_id="m-1",
    )
    doubt = memory.remember("Not mine.", kind="gotcha", by=cy, about=learned.id)
    title = "kettle and oven on → the fuse trips"
    [one, other] = run(
        AddEntry(
            kind="gotcha",
            title=title,
            text="One at a time.",
            keywords=("kettle", "fuse"),
            sources=(learned.id,),
            commit="abc1234",
        ),
        AddEntry(kind="gotcha", title="kettle on → wait", text="It boils."),
        RefuseFragment(fragment=doubt.id, reason="Which?", dispute=True),
    ).added
    stage.advance(MINUTE)
    about = memory.remember("Only the old one.", kind="fix", by=ben, about=one)
    run(RefuseFragment(fragment=about.id, dispute=True, unlanded=True, erase=True))
    run(UpdateEntry(entry=one, text="Never both.", resolves=True))
    run(VerifyEntry(entry=one), ArchiveEntry(entry=other, reason="Same.", into=one))
    memory.fail("The model was away.", by=cy, request_id="f-1")
    memory.erase(doubt.id, by=ana)
    stage.advance(timedelta(days=91))
    memory.appoint(None, by=ana)


def forgotten(stage: Stage) -> None:
    """Messages whose words the room's owner takes away, at each point of their way."""
    stage.add_agent("ben", owner="ana")
    stage.add_agent("cy")
    narrow = RoomPolicy(wake_window=RateWindow(2, 5 * MINUTE))
    stage.create_room("work", by="ben", policy=narrow)
    stage.join("cy")
    for text in ("settled", "taken alone"):
        stage.post(text, by="ben", to=["agent:cy"], request_id=text)
        stage.take()
    stage.post("held", by="ben", to=["agent:cy"])
    for message in (1, 1, 0, 2):
        stage.erase("person:ana", message)
    stage.post("taken alone", by="ben", to=["agent:cy"], request_id="taken alone")
    stage.post("goes on", by="person:ana", to=["agent:cy"])
    stage.take()


class Consents:
    """A host that lets everybody do everything, and looks at drafts."""

    @hookimpl
    def rooms_may(self) -> bool:
        return True

    @hookimpl
    def rooms_check_draft(self) -> None:
        return None


def consents(stage: Stage) -> None:
    """What a host let happen, with the plugin that said so."""
    stage.lobby.register(Consents(), "acl")
    stage.add_agent("ben", owner="ana")
    stage.add_agent("Gennie", threaded=True)
    stage.create_room("work", by="ben")
    stage.post("Looked at.", by="ben", request_id="r-1")
    stage.add("Gennie", by="ben", reason="You know it.")
    stage.pause("person:root")
    stage.erase("person:root", 0)
    stage.create_room("gone", by="ben")
    stage.delete("person:root", room=1)


def pairs(stage: Stage) -> None:
    """Two that wake each other: held by their pair, released, and taken along."""
    for name in ("ada", "bo"):
        stage.add_agent(name)
    policy = RoomPolicy(pair_window=RateWindow(2, MINUTE))
    stage.create_room("r", by="person:ana", policy=policy)
    for name in ("ada", "bo"):
        stage.join(name)
    stage.post("one", by="ada", to=["agent:bo"])
    stage.post("two", by="bo", to=["agent:ada"])
    stage.post("held", by="ada", to=["agent:bo"])
    stage.advance(MINUTE)
    stage.take()
    stage.post("held again", by="ada", to=["agent:bo"])
    stage.post("now", by="person:ana", to=["agent:bo"])


def broker(stage: Stage) -> None:
    """Agents' facts, messages without a room, managed rooms, what replaces what."""
    stage.add_agent("lead", manage_rooms=True, can_broadcast=True)
    stage.add_agent("ben", role="Review.", work_description="reviews", machine="m-1")
    stage.add_agent("cy")
    stage.add_agent("Eve", threaded=True)
    stage.send(
        "Please look.",
        by="lead",
        to="ben",
        request_id="s-1",
        kind="assignment",
        urgency="now",
        correlation="c-1",
        fields={"commits": ["1f", "2e"], "evidence": "repo:docs/report.md"},
    )
    for _ in range(2):
        stage.send("A question", by="ben", to="lead", kind="question", request_id="q")
    stage.send("Not to forget", by="ben", to="ben", kind="request")
    stage.send("To all", by="lead", to="*")
    stage.send("A new matter", by="cy", to="Eve")
    stage.change_agent("ben", paused=True, role="Review it all.")
    stage.create_room("work", by="lead", policy="broker")
    work = len(stage.rooms) - 1
    stage.set_members(["ben", "cy", "Eve"], by="lead", room=work)
    stage.change_members(add=["lead"], by="lead", room=work)
    stage.post("First", by="lead", room=work)
    stage.post("To one", by="lead", to=["agent:cy"], room=work, urgency="quiet")
    stage.post("Instead", by="lead", room=work, supersedes=len(stage.messages) - 2)
    stage.change_members(remove=["cy"], by="lead", room=work)
    stage.change_agent("ben", paused=False, allowed_recipients=["lead"])
    stage.change_agent("cy", enabled=False)
    stage.claim("ben")
    stage.change_agent("ben", enabled=False)
    stage.take()


def statuses(stage: Stage) -> None:
    """What agents say of themselves: lines, requests, and what clears them."""
    stage.add_agent("ben")
    stage.add_agent("Eve", threaded=True)
    stage.start("Eve", label="desk")
    stage.start("Eve", label="shed")
    stage.set_status("ben", " Two in the queue, until 07:40 ")
    stage.set_status("Eve#0", "Tidying → the desk.")
    stage.set_owner_requests("Eve#0", 2, "Which key?")
    stage.set_owner_requests("Eve#1", 1, "A spade.")
    stage.advance(MINUTE)
    stage.set_status("ben", "Two in the queue, until 07:40")  # nothing
    stage.set_owner_requests("Eve#0", 3, "Which key?")
    stage.set_owner_requests("Eve#1", 0, "Done.")
    stage.claim("ben")
    stage.set_status("Eve#0", "")
    stage.change_agent("ben", enabled=False)
    stage.lobby.recover()


def runtimes(stage: Stage) -> None:
    """Who runs a conversation: starts, reconnects, readiness, and what retires one."""
    numbers = iter(range(1, 9))
    credentials = Credentials(
        stage.lobby, random=lambda size: bytes([next(numbers)]) * size
    )
    stage.add_agent("ben", role="Review.")
    stage.add_agent("cy")
    stage.add_agent("Eve", threaded=True)
    stage.start("Eve", label="desk")
    stage.create_room("work", by="person:ana", policy="broker", request_id="w")
    for who in ("ben", "cy", "Eve"):
        stage.lobby.rooms[0].change_members(add=[who], by=stage.lobby.person("ana"))
    stage.claim("ben", runtime="r-1")
    stage.post("Before it is ready", by="person:ana", to=["agent:ben"])
    stage.take()  # nothing: it has not read its context
    stage.deliver()
    stage.advance(5 * MINUTE)
    stage.deliver()
    stage.ready()
    stage.take()
    stage.claim("ben", runtime="r-1", generation=1)
    stage.claim("ben", runtime="r-1")  # the same one starts again
    stage.take()
    stage.change_agent("ben", paused=True)
    stage.change_agent("ben", paused=False)
    stage.ready(2)
    stage.change_agent("ben", role="Review it all.")
    stage.ready(2)
    stage.reset_runtime("ben")
    stage.claim("ben", runtime="r-2")
    credentials.rotate(stage.lobby.agent("ben"))
    stage.claim("cy", runtime="r-1")
    stage.change_agent("cy", paused=True)
    stage.claim("cy", runtime="r-1")
    stage.change_agent("cy", enabled=False)
    stage.claim("Eve#0")
    stage.claim("ben", runtime="r-3")
    stage.lobby.recover()
    stage.claim("ben", runtime="r-3")


class Runs:
    """A host that runs everybody, but for the lead, and carries what it is handed."""

    def __init__(self) -> None:
        self.away = "lead"

    @hookimpl
    def rooms_state(self, conversation: Any) -> str:
        return "away" if conversation.agent == self.away else "idle"

    @hookimpl
    def rooms_carry(self) -> str:
        return "delivered"


def worked(stage: Stage) -> None:
    """Turns that are reported, and leads that hear of stops, or not."""
    host = Runs()
    stage.lobby.register(host)
    stage.add_agent("lead", manage_rooms=True)
    stage.add_agent("ben")
    stage.add_agent("cy")
    stage.report_work("ben", "start")
    stage.report_work("cy", "start")
    stage.advance(5 * MINUTE)
    stage.report_work("cy", "stop", background_tasks=2)
    stage.report_work("ben", "stop", running={"shell": 1, "monitor": 2})
    stage.advance(5 * MINUTE)
    stage.deliver()  # put off
    host.away = ""
    stage.advance(MINUTE)
    stage.deliver()  # told
    stage.report_work("ben", "waiting")
    stage.report_work("cy", "start")
    stage.report_work("cy", "waiting")  # nobody knows
    stage.report_work("ben", "failed")
    stage.claim("ben")
    stage.report_work("cy", "failed")
    stage.advance(16 * MINUTE)
    stage.deliver()  # dropped


def kept(stage: Stage) -> None:
    """What a lobby keeps beside rooms: tokens, and names of archived rooms."""
    numbers = iter(range(1, 9))
    credentials = Credentials(
        stage.lobby, random=lambda size: bytes([next(numbers)]) * size
    )
    stage.add_agent("ben", owner="ana")
    stage.add_agent("cy")
    ben, cy = stage.lobby.agent("ben"), stage.lobby.agent("cy")
    credentials.issue(ben)
    credentials.issue(cy)
    stage.claim("ben")
    credentials.rotate(ben)
    credentials.revoke(cy)
    stage.create_room("work", by="ben")
    stage.join("cy")
    stage.post("Before", by="ben", to=["agent:cy"])
    stage.archive("person:ana")
    stage.take()
    stage.restore("person:ana")
    stage.archive("person:ana")
    stage.change_agent("ben", enabled=False)


def inboxes(stage: Stage) -> None:
    """What is acknowledged over rooms, who is told of it, and what is kept of it."""
    for name in ("lead", "ben", "cy"):
        stage.add_agent(name, manage_rooms=name == "lead")
    stage.create_room("work", by="lead", policy="broker", request_id="w")
    stage.set_members(["lead", "ben", "cy"], by="lead")
    stage.post("First", by="lead", notify_when_seen=True)
    stage.send("Between us", by="cy", to="ben", notify_when_seen=True)
    stage.send("Not to forget", by="ben", to="ben", notify_when_seen=True)
    stage.send("For cy alone", by="ben", to="cy")
    stage.take()
    stage.advance(MINUTE)
    stage.acknowledge_many("ben", [2, 0, 2])
    stage.save_checkpoint("ben", "Two of three are read.")
    stage.save_checkpoint("ben", "All are read.", acknowledge=[0, 1])
    stage.acknowledge("cy", 0)
    stage.save_checkpoint("cy", "Nothing is done yet.", covered=0)


def rests(stage: Stage) -> None:
    """Agents that rest: until somebody says so, for a while, and otherwise again."""
    stage.add_agent("lead", manage_rooms=True)
    stage.add_agent("ben")
    stage.add_agent("cy")
    stage.send("Before", by="lead", to="ben")
    stage.rest_agents(["ben", "cy"], by="lead", minutes=30)
    stage.send("Meanwhile", by="lead", to="ben")
    stage.rest_agents(["cy"], by="lead")
    stage.advance(30 * MINUTE)
    stage.deliver()
    stage.take()
    stage.resume_agents(["cy"], by="lead")
    stage.rest_agents(["ben"], by="lead", minutes=5)
    stage.change_agent("ben", paused=True)


def expired(stage: Stage) -> None:
    """Messages that go by age, read and unread, with their request ids."""
    stage.add_agent("ben", owner="ana")
    stage.add_agent("cy")
    stage.create_room("work", by="ben", policy=RoomPolicy(retention=timedelta(hours=1)))
    stage.join("cy", mode="every_message")
    stage.post("Read", by="ben", request_id="one")
    stage.read("cy")
    stage.post("Taken", by="ben", to=["agent:cy"], request_id="two")
    stage.take()
    stage.advance(30 * MINUTE)
    stage.post("Waits", by="ben", to=["agent:cy"], request_id="three")
    stage.advance(31 * MINUTE)
    stage.lobby.sweep()
    stage.post("Read", by="ben", request_id="one")
    stage.advance(30 * MINUTE)
    stage.lobby.sweep()
    stage.post("Answers", by="cy", reply_to=2)


def pushes(stage: Stage) -> None:
    """What is pushed: tries, what passes, what a transport says, holds and retries."""
    stage.add_agent("lead", manage_rooms=True)
    stage.add_agent("ben")
    second = timedelta(seconds=1)
    stage.send("Nobody pushes yet.", by="lead", to="ben")
    stage.advance(second)
    stage.deliver()
    told: list[str] = []

    class Wire:
        @hookimpl
        def rooms_push(self, push: Any) -> str | None:
            told.append(push.id)
            return "attempted" if len(told) == 5 else None

    stage.lobby.register(Wire(), "wire")
    stage.deliver()
    stage.claim("ben")
    stage.send("At once", by="lead", to="ben", urgency="now")
    stage.deliver()
    stage.confirm(-1, by="claim#0", stage="received")
    stage.advance(30 * second)
    stage.deliver()
    stage.confirm(-1, by="claim#0")
    for wait in (120, 300):
        stage.advance(wait * second)
        stage.deliver()
    stage.lobby.agent("ben").retry()
    stage.deliver()
    stage.rest_agents(["ben"], by="lead", minutes=1)
    stage.advance(MINUTE)
    stage.deliver()
    narrow = Pushes(window=RateWindow(1, MINUTE))
    stage.create_room("work", by="lead", policy=presets.broker(pushes=narrow))
    stage.set_members(["lead", "ben"], by="lead", room=len(stage.rooms) - 1)
    for text in ("One", "Two"):
        stage.post(text, by="lead", room=len(stage.rooms) - 1, urgency="now")
        stage.deliver()
    asked = stage.lobby.send(
        "Tell me", by=stage.actor("claim#0"), to="lead", notify_when_seen=True
    )
    stage.lobby.agent("ben").change(paused=True)
    stage.lobby.inbox(stage.actor("lead")).acknowledge([asked.message.id])
    for later in (2 * second, timedelta(days=1)):
        stage.advance(later)
        stage.deliver()


def later_version(stage: Stage) -> None:
    """An event of a later version that nobody has to know, and life after it."""
    stage.add_agent("ben")
    stage.create_room("work", by="ben")
    append(stage, "room:room_1", "mood_noted", critical=False)
    append(stage, "agent:ben", "mood_noted", critical=False)
    stage.post("goes on", by="ben")


def later_version_critical(stage: Stage) -> None:
    """An event that a reader has to know: its stream can only be read."""
    stage.add_agent("ben")
    stage.create_room("work", by="ben")
    stage.create_room("play", by="ben")
    stage.post("before", by="ben")
    append(stage, "room:room_1", "member_removed_quietly", critical=True)


def append(stage: Stage, stream: str, kind: str, *, critical: bool) -> None:
    """A record of a type that this version does not know."""
    storage = stage.lobby._desk.storage
    last = storage.read(stream, after=storage.head(stream).version - 1)[0]
    header = canonical({"by": "system", "rules": RULES_VERSION, "who": "ben"})
    body, salt = canonical({"words": "later"}), b"salt of sixteen!"
    fixed = (stream, last.version + 1, kind, 1, critical, last.at, header, body, salt)
    record = Record(*fixed, body_digest(body, salt), b"")
    chain = chained(last.chain, record)
    record = Record(*fixed, body_digest(body, salt), chain)
    storage.append(Commit((record,)))


def scheduled(stage: Stage) -> None:
    """Messages that wait: released, late, changed, cancelled, lost and never sent."""
    stage.add_agent("lead", manage_rooms=True)
    stage.add_agent("ben")
    stage.add_agent("Eve", threaded=True)
    stage.start("Eve", label="desk")
    stage.create_room("work", by="lead", policy="broker")
    stage.change_members(by="lead", add=["lead", "ben", "Eve"])
    stage.join("Eve")
    stage.post("In ten", by="lead", deliver_in=10, request_id="ten")
    stage.post("In ten", by="lead", deliver_in=10, request_id="ten")
    stage.post("Never", by="lead", to=["ben"], deliver_in=20, kind="notice")
    stage.send("In an hour", by="lead", to="Eve", deliver_in=60)
    stage.post("By ben", by="ben", deliver_in=30, attach={"a.txt": b"a"})
    stage.post("At once, and late", by="lead", deliver_in=-2)
    stage.reschedule("lead", 0, text="In twelve", deliver_in=12)
    stage.reschedule("lead", 0, text="In twelve minutes")
    stage.cancel("lead", 1)
    stage.cancel("lead", 1)  # again is no fault
    stage.change_members(by="lead", remove=["ben"])
    stage.change_members(by="lead", add=["ben"])
    stage.advance(12 * MINUTE)
    stage.deliver()
    stage.take()
    stage.change_agent("ben", enabled=False)
    stage.advance(60 * MINUTE)
    stage.deliver()
    stage.take()


def recurring(stage: Stage) -> None:
    """Schedules: fired, late, skipped, changed, cancelled, and gone with their room."""
    day = 24 * 60 * MINUTE
    stage.add_agent("lead", manage_rooms=True)
    stage.add_agent("ben", owner="ana")
    stage.create_room("work", by="lead", policy="broker")
    stage.create_room("play", by="person:ana", access="open")
    stage.change_members(by="lead", add=["lead", "ben"])
    stage.join("ben", room=1)
    carried = {"a.txt": b"a"}
    stage.repeat("lead", "Stand up", request_id="s", kind="request", attach=carried)
    stage.repeat("lead", "Stand up", request_id="s", kind="request", attach=carried)
    stage.repeat("lead", "Well?", to="ben", room=None, times=["09:00"], missed="all")
    stage.repeat("ben", "Hello", room=1, times=["10:00", "11:00"], weekdays=["fri"])
    stage.repeat("ben", "Now?", to=["lead"], zone="UTC", missed="skip")
    stage.advance(day)
    stage.deliver()
    stage.reschedule("lead", -1, text="Sit down")
    stage.reschedule("lead", -1, times=["21:05"])
    stage.change_members(by="lead", remove=["lead"])
    stage.advance(day)
    stage.deliver()
    stage.cancel("lead", -1)
    stage.archive("person:ana", room=1)
    stage.advance(3 * day)
    stage.deliver()
    stage.delete("lead")


SCRIPTS: dict[str, Callable[[Stage], None]] = {
    "hall": hall,
    "team": team,
    "claimed": claimed,
    "asked": asked,
    "windows": windows,
    "turns": turns,
    "carried": carried,
    "failures": failures,
    "rooms": rooms,
    "access": access,
    "sight": sight,
    "hives": hives,
    "consents": consents,
    "documents": documents,
    "remembered": remembered,
    "attachments": attachments,
    "floors": floors,
    "panel": panel,
    "thread": thread,
    "pairs": pairs,
    "erased": erased,
    "broker": broker,
    "inboxes": inboxes,
    "rests": rests,
    "scheduled": scheduled,
    "pushes": pushes,
    "recurring": recurring,
    "statuses": statuses,
    "runtimes": runtimes,
    "worked": worked,
    "kept": kept,
    "forgotten": forgotten,
    "removed": removed,
    "expired": expired,
    "later-version": later_version,
    "later-version-critical": later_version_critical,
}


def log_of(script: Callable[[Stage], None], storage: Storage) -> str:
    """What a script leaves on an empty storage, exported."""
    stage = stage_on(storage)
    script(stage)
    exported = "".join(stage.lobby.export())
    stage.lobby.close()
    return exported


def main(folder: str, *names: str) -> None:
    """Writes the logs that are not there yet."""
    for name in names or SCRIPTS:
        path = Path(folder, f"{name}.jsonl")
        if not path.exists():
            path.write_text(
                log_of(SCRIPTS[name], MemoryStorage()), "ascii", newline="\n"
            )


if __name__ == "__main__":
    main(*sys.argv[1:])
