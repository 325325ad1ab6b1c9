"""Whatever happens in rooms, an inbox's pages are what a plain list of it all says."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from attrs import define

from effort import sized
from lobby.place import Place
from rooms import Conversation, Room, RoomsError
from rooms.lobby import InboxPage

STREAMS = sized(6, 25, 500)
STEPS = 45
NAMES = ("a", "b", "c")


@define(eq=False)
class Said:
    """A message, as a plain list has it."""

    id: str
    text: str
    room: str
    sender: str
    asks: bool
    to: dict[str, str]
    at: datetime
    answers: Said | None = None
    gone: bool = False
    deleted: bool = False
    due: datetime | None = None


class Plain:
    """A lobby, and a list of all that was said in it."""

    def __init__(self, place: Place, draw: random.Random) -> None:
        self.place, self.draw = place, draw
        self.lobby = place.open()
        self.agents: dict[str, Conversation] = {
            name: self.lobby.add_agent(name, can_broadcast=True).conversation()
            for name in NAMES
        }
        self.ana = self.lobby.person("ana")
        self.said: list[Said] = []
        self.rooms = [self.made(number) for number in range(2)]

    def made(self, number: int) -> Room:
        room = self.lobby.create_room(f"r{number}", by=self.ana, policy="broker")
        return room.set_members(NAMES, by=self.ana)

    # -- what happens

    def step(self) -> None:
        self.place.clock.advance(self.draw.choice([1, 5]))
        if self.draw.random() < 0.1:
            self.expire()
        self.deliver()
        many = [self.say] * 6 + [self.acknowledge] * 3
        many += [self.remove, self.add, self.add, self.erase, self.delete]
        if self.draw.random() < 0.1:
            self.lobby = self.place.crash()
        self.draw.choice(many)()

    def say(self) -> None:
        draw, text = self.draw, f"message {len(self.said)}"
        sender = draw.choice([*NAMES, *NAMES, "ana"])
        by: Any = self.agents.get(sender, self.ana)
        earlier = draw.choice([None, *self.said[-6:]])
        asks = draw.random() < 0.6
        meaning: dict[str, Any] = {"expects_reply": asks} if asks else {}
        if earlier is not None and not earlier.deleted:
            relation = "supersedes" if earlier.sender == sender else "reply_to"
            meaning[relation] = earlier.id
        later = draw.random() < 0.3 and not any(one.due for one in self.said)
        due = self.place.clock.now + timedelta(seconds=9) if later else None
        meaning["deliver_at"] = due
        try:
            if draw.random() < 0.6:
                room = self.lobby.room(self.draw.choice(self.rooms).id)
                some: list[str] = draw.sample(NAMES, 1)
                to = draw.choice([[], [], some])
                posted = room.post(text, by=by, to=to, **meaning)
            else:
                one = draw.choice([*NAMES, *NAMES, "*"])
                posted = self.lobby.send(text, by=by, to=one, **meaning)
        except RoomsError:
            return
        answers = earlier if "reply_to" in meaning else None
        self.note(posted, sender, asks, answers).due = due
        if earlier is not None and "supersedes" in meaning:
            earlier.gone = True

    def note(self, posted: Any, sender: str, asks: bool, answers: Said | None) -> Said:
        to = dict.fromkeys((one.agent for one in posted.recipients), "pending")
        message, room = posted.message, posted.room.id
        said = Said(
            message.id, message.content, room, sender, asks, to, message.at, answers
        )
        self.said.append(said)
        return said

    def deliver(self) -> None:
        """What was due comes now, behind all that was said before."""
        self.lobby.deliver()
        for one in self.said:
            if one.due is not None and one.due <= self.place.clock.now:
                self.said.remove(one)
                self.said.append(one)
                one.due, one.at = None, self.place.clock.now
                break

    def acknowledge(self) -> None:
        here = [one for one in self.said if one.due is None]
        waiting = [one for one in here if "pending" in one.to.values()]
        if not waiting:
            return
        one = self.draw.choice(waiting)
        who = next(name for name, state in one.to.items() if state == "pending")
        room = Room(one.room, self.lobby._desk)
        room.acknowledge([one.id], by=self.agents[who])
        one.to[who] = "seen"

    def remove(self) -> None:
        room, who = self.draw.choice(self.rooms), self.draw.choice(NAMES)
        self.lobby.room(room.id).change_members(remove=[who], by=self.ana)
        for one in self.said:
            if one.room == room.id and one.to.get(who) == "pending":
                one.to[who] = "held"
                if one.due is not None:
                    del one.to[who]  # it never comes to it

    def add(self) -> None:
        room, who = self.draw.choice(self.rooms), self.draw.choice(NAMES)
        self.lobby.room(room.id).change_members(add=[who], by=self.ana)

    def erase(self) -> None:
        mine = {room.id for room in self.rooms}
        here = [one for one in self.said if one.due is None and not one.deleted]
        found = [one for one in here if one.room in mine]
        if found and self.draw.random() < 0.5:
            one = self.draw.choice(found)
            self.lobby.room(one.room).erase(one.id, by=self.ana)
            one.gone, one.text = True, ""
            for who, state in one.to.items():
                one.to[who] = "held" if state == "pending" else state

    def delete(self) -> None:
        if self.draw.random() < 0.3:
            number = self.draw.randrange(2)
            gone = self.rooms[number]
            self.lobby.room(gone.id).delete(by=self.ana)
            self.rooms[number] = self.made(number)
            for one in self.said:
                if one.room == gone.id:
                    one.deleted, one.due = True, None
                    one.to.clear()  # nothing of it is left that could count

    def expire(self) -> None:
        """After a day a message is gone; what it answered while it was there stays."""
        self.place.clock.advance(hours=self.draw.choice([7, 13]))
        self.deliver()
        self.lobby.sweep()
        for one in self.said:
            gone = one.at + timedelta(days=1) <= self.place.clock.now
            if gone and one.due is None:
                one.deleted = True
                for who, state in one.to.items():
                    one.to[who] = "held" if state == "pending" else state

    # -- what the list says

    def history(self, who: str) -> Iterator[Said]:
        for one in self.said:
            mine = one.sender == who or (who in one.to and one.due is None)
            if mine and not one.deleted:
                yield one

    def reached(self, question: Said, by: Callable[[str], bool]) -> bool:
        return any(
            one.answers is question
            and by(one.sender)
            and one.due is None
            and one.to.get(question.sender) in {"pending", "seen"}
            for one in self.said
        )

    def stands(self, one: Said) -> bool:
        asks = one.asks and one.sender in NAMES
        return asks and not one.gone and one.due is None

    def unanswered(self, who: str) -> Iterator[Said]:
        for one in self.history(who):
            received = one.to.get(who, "held") != "held"
            answered = self.reached(one, lambda sender: sender == who)
            if received and self.stands(one) and not answered:
                yield one

    def awaiting(self, who: str) -> Iterator[Said]:
        for one in self.history(who):
            mine = one.sender == who and self.stands(one)
            if mine and not self.reached(one, lambda sender: sender != who):
                yield one

    def pending(self, who: str) -> Iterator[Said]:
        here = (one for one in self.history(who) if one.due is None)
        return (one for one in here if one.to.get(who) == "pending")


def read(draw: random.Random, ask: Callable[..., InboxPage]) -> list[str]:
    """The ids of all pages, each of another size."""
    ids: list[str] = []
    after: int | None = 0
    while after is not None:
        page = ask(after=after, limit=draw.choice([1, 2, 7, 100]))
        ids += [mail.message.id for mail in page]
        after = page.next_cursor
    return ids


def compare(plain: Plain, who: str, where: str) -> int:
    """Each kind of page, of any size, is what the list says; how many were read."""
    draw, inbox = plain.draw, plain.lobby.inbox(who)
    waiting = [one.id for one in plain.pending(who)]
    assert read(draw, inbox.pending) == waiting, where
    assert inbox.count() == len(waiting), where
    every = [one.id for one in plain.history(who)]
    assert read(draw, inbox.history) == every, where
    told = read(draw, partial(inbox.history, unanswered=True))
    assert told == [one.id for one in plain.unanswered(who)], where
    told = read(draw, partial(inbox.history, awaiting=True))
    assert told == [one.id for one in plain.awaiting(who)], where
    if every:
        start = draw.choice(every)[: draw.randrange(9, 14)]
        told = read(draw, partial(inbox.history, ids=[start]))
        assert {one for one in every if one.startswith(start)} <= set(told), where
        assert all(one.startswith(start) for one in told), where
        assert len(set(told)) == len(told), where
    return len(every)


@pytest.mark.rule("L-READ-03", "L-READ-06", "L-READ-07", "L-READ-08", "L-READ-12")
def test_pages_are_what_a_plain_list_says() -> None:
    read_in_all = 0
    for seed in range(STREAMS):
        draw = random.Random(f"inbox {seed}")
        place = Place("memory:")
        plain = Plain(place, draw)
        for step in range(STEPS):
            plain.step()
            for who in NAMES if step % 9 == 0 else ():
                where = f"seed {seed}, step {step}, {who}"
                read_in_all += compare(plain, who, where)
        place.close()
    assert read_in_all > STREAMS * len(NAMES)
