"""
A day at the support desk of a small company, in one hall, on a clock of its own.

    python examples/hall.py

Eve has many conversations, one for each matter; otto is a coding agent with one; gil
keeps the books and is told every half hour. The agents are plain functions, so nothing
waits for a model, and the clock is a script, so every run prints the same. For every
wake the log says why it happened.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

from rooms import (
    ConfirmAllThreads,
    Conflict,
    Conversation,
    Lobby,
    NotFound,
    Posted,
    Room,
    Wake,
)


class Clock:
    """What time it is at the company: a Monday in March, from nine on."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        """The time."""
        return self.now

    def at(self, time: str) -> None:
        """The day goes on to a time."""
        hour, minute = map(int, time.split(":"))
        self.now = self.now.replace(hour=hour, minute=minute)


def title(clock: Clock, text: str) -> None:
    """When it is, and what happens."""
    print(f"\n{clock.now:%H:%M}  {text}\n")


def show(posted: Posted) -> None:
    """A message, and what became of it for whom."""
    print(f"  {posted.message.sender}: {posted.message.content}")
    print(f"     -> {posted}")


def why(wake: Wake) -> None:
    """Who is woken, and by which rule the log says that each message is for it."""
    waited = f", {wake.waited} of which waited" if wake.waited else ""
    print(f"  {wake.conversation} is woken for {len(wake.messages)}{waited}:")
    reasons: dict[str, list[str]] = {}
    for message in wake.messages:
        for seat in wake.room.explain(message.id).seats:
            if seat.conversation == wake.conversation.id:
                told, _, _ = str(seat).partition("\n")
                reason = told.removeprefix(f"{seat.name}: ")
                reasons.setdefault(reason, []).append(f"#{message.seq}")
    for reason, numbers in reasons.items():
        print(f"    {' '.join(numbers)}: {reason}")


def run_turns(lobby: Lobby, **answers: str) -> None:
    """Takes what is owed, says why, and runs each turn; some agents answer."""
    for wake in lobby.take_wakes():
        why(wake)
        with lobby.turn(wake) as turn:
            if wake.conversation.agent in answers:
                show(turn.reply(answers[wake.conversation.agent]))


# -- the day


def opens(lobby: Lobby) -> tuple[Room, Conversation, Conversation, Conversation]:
    """Ana asks Eve for the desk's room; otto and gil come in."""
    ana = lobby.person("ana")
    lobby.add_agent("Eve", threaded=True, owner="ana")
    front = lobby.conversation("Eve", label="front-desk", acts_for=ana)
    otto = lobby.add_agent("otto", owner="ben").conversation()
    gil = lobby.add_agent("gil", owner="ben").conversation()
    with lobby.turn(front, word_of=ana) as turn:  # the room is ana's, who asked for it
        room = lobby.create_room("support-desk", by=turn, policy="hall")
    room.join(by=otto)
    room.join(by=gil, mode="digest", interval=timedelta(minutes=30))
    return room, front, otto, gil


def answers(lobby: Lobby, clock: Clock, room: Room, front: Conversation) -> None:
    """One is addressed and answers; another is told with its digest."""
    title(clock, "A customer's order fails, and Eve asks otto.")
    show(room.post("Order 1042 fails at checkout.", by=front, to=["agent:otto"]))
    run_turns(lobby, otto="It is the voucher. Fixed by ten.")
    run_turns(lobby)
    clock.at("09:30")
    title(clock, "Half an hour is over: gil, who keeps the books, is told all at once.")
    run_turns(lobby)


def floods(lobby: Lobby, clock: Clock, room: Room, front: Conversation) -> None:
    """More than ten messages of agents in five minutes wait for a place."""
    clock.at("10:00")
    title(clock, "Thirteen customers write at once. Ten may wake otto, three wait.")
    posts = [
        room.post(f"Order {1050 + n}?", by=front, to=["agent:otto"]) for n in range(13)
    ]
    show(posts[9])
    show(posts[10])
    left = room.windows(by=lobby.person("ben"), of=lobby.conversation("otto")).wakes
    if left is not None and left.frees_at is not None:
        print(
            f"     otto may be woken for {left.left} more until {left.frees_at:%H:%M}"
        )
    run_turns(lobby)
    clock.at("10:05")
    title(clock, "A place frees: one wake for all that waited.")
    run_turns(lobby, otto="All thirteen are the same voucher.")


def asks_all(lobby: Lobby, clock: Clock, room: Room, otto: Conversation) -> None:
    """What would wake several conversations of one agent has to be confirmed."""
    clock.at("11:00")
    for label in ("refund-1042", "refund-1055"):
        room.join(by=lobby.conversation("Eve", label=label))
    title(clock, "Otto calls all of Eve, who has three conversations by now.")
    try:
        room.post("Vouchers are off.", by=otto, to=["agent:Eve/all"])
    except ConfirmAllThreads as asked:
        print(f"  Nothing was sent: it would wake {asked.preview['count']} of Eve.")
        print(f"     instead: {', '.join(asked.preview['instead'])}")
    show(
        room.post(
            "Vouchers are off.",
            by=otto,
            to=["agent:Eve/all"],
            confirm_all_threads=True,
        )
    )
    run_turns(lobby)


def starts(lobby: Lobby, clock: Clock, room: Room, otto: Conversation) -> None:
    """The bare name of an agent with conversations starts a new one."""
    clock.at("13:00")
    title(clock, "A new matter: the bare address starts a conversation for it.")
    show(room.post("Legal asks for the voucher terms.", by=otto, to=["agent:Eve"]))
    run_turns(lobby, Eve="I read up on it, and write to legal.")
    run_turns(lobby)


def edits(clock: Clock, room: Room, front: Conversation, otto: Conversation) -> None:
    """Two change one document; the second is told, and loses nothing."""
    clock.at("14:00")
    title(clock, "Eve and otto both edit the runbook from the same revision.")
    first = room.files.write("runbook.md", "# Vouchers\n", by=front)
    changed = first.id
    room.files.write("runbook.md", "# Vouchers\n\nOff.\n", by=otto, base=changed)
    mine = "# Vouchers\n\nAsk otto.\n"
    try:
        room.files.write("runbook.md", mine, by=front, base=changed)
    except Conflict as stale:
        print(f"  Eve is refused: {stale.code}.")
    [current] = room.files.documents(by=front)
    room.files.write(
        "runbook.md", "# Vouchers\n\nOff. Ask otto.\n", by=front, base=current.id
    )
    for one in room.files.history("runbook.md", by=front).items:
        print(f"  {one.at:%H:%M} {one.author}: {one.change} {one.path}")


def looks(lobby: Lobby, clock: Clock, room: Room) -> None:
    """Ana looks in: how much there was, and who still owes an answer."""
    clock.at("16:00")
    title(clock, "Ana looks in before she goes home.")
    ana = lobby.person("ana")
    today = lobby.figures(by=ana, since=clock.now.replace(hour=0))
    print(f"  {today.messages} messages by {today.participants} in {today.rooms} room")
    for agent in room.participants(by=ana).agents:
        for seat in agent.seats:
            if seat.waits and seat.waiting_since is not None:
                since = f"{seat.waiting_since:%H:%M}"
                print(f"  {seat.conversation} owes an answer since {since}")


def closes(lobby: Lobby, clock: Clock, front: Conversation) -> None:
    """A room of a day is deleted on its owner's word, and nobody reads it again."""
    clock.at("17:00")
    title(clock, "The room of the incident goes, on the word of whoever asked for it.")
    ana = lobby.person("ana")
    with lobby.turn(front, word_of=ana) as turn:
        incident = lobby.create_room("incident-1042", by=turn, policy="hall")
        incident.post("The customer's address is on file.", by=turn)
        incident.delete(by=turn)
    try:
        incident.read(by=ana)
    except NotFound as gone:
        print(f"  Nobody reads it again: {gone.code}")
    print(f"  Rooms that are left: {', '.join(one.name for one in lobby.rooms)}")


def main() -> None:
    """Plays the day."""
    clock = Clock()
    numbers = count(1)
    ids = lambda prefix: f"{prefix}_{next(numbers):03}"  # noqa: E731 - the same each run
    with Lobby.in_memory(clock=clock, ids=ids) as lobby:
        room, front, otto, _ = opens(lobby)
        answers(lobby, clock, room, front)
        floods(lobby, clock, room, front)
        asks_all(lobby, clock, room, otto)
        starts(lobby, clock, room, otto)
        edits(clock, room, front, otto)
        looks(lobby, clock, room)
        closes(lobby, clock, front)


if __name__ == "__main__":
    main()
