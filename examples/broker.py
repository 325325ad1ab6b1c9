"""
Two agents in two processes over one file: assignments, receipts, a crash, and a worker
that goes on from its checkpoint.

    python examples/broker.py

lea assigns three tasks. ben works in a process of its own, which dies in the second
task: after it said that it has seen it, and before it kept that. Started again, it reads
its context, does what it had begun, and goes on. Nothing is lost and nothing is
reported twice.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from rooms import Lobby
from rooms.lobby import Inbox, InboxPage, Mail

TASKS = ("migrate the table", "update the docs", "tell the users")


def lead(where: str) -> None:
    """Assigns, lets a worker work, which dies once, and looks at what came of it."""
    with Lobby.open(where) as lobby:
        lea, _ = (lobby.add_agent(name).conversation() for name in ("lea", "ben"))
        for task in TASKS:
            lobby.send(task, by=lea, to="ben", kind="assignment", notify_when_seen=True)
        show(f"lea: assigned {len(TASKS)} tasks")
        for how in ("dies", "lives"):
            subprocess.run([sys.executable, __file__, where, how], check=False)
        inbox = lobby.inbox(lea)
        seen = [receipt.excerpt for receipt in inbox.receipts()]
        show(f"lea: ben has seen: {', '.join(seen)}")
        for mail in inbox.pending():
            show(f"lea: ben reports: {mail.message.content}")
            inbox.acknowledge([mail.message])
        show(f"lea: answers that are awaited: {len(inbox.history(awaiting=True))}")


def work(where: str, how: str) -> None:
    """Goes on where the process before stopped, under a claim that ends its own."""
    with Lobby.open(where) as lobby:
        claim = lobby.conversation("ben").claim("ben-on-the-laptop")
        inbox = lobby.inbox(claim)
        context = inbox.context()
        claim.ready(context.checkpoint.revision, claim.nonce)
        show(f"ben: done so far: {context.checkpoint.content or 'nothing'}")
        for mail in (*everything(inbox.reconciliation), *everything(inbox.pending)):
            task = mail.message
            inbox.acknowledge([task])  # seen already? then it is passed over
            show(f"ben: {task.content}")
            if how == "dies" and task.content == TASKS[1]:
                os._exit(1)
            lobby.send(
                f"done: {task.content}",
                by=claim,
                to=task.sender,
                kind="report",
                reply_to=task.id,
                request_id=f"report {task.id}",  # again, it is no second report
            )
            keep(inbox, task.content)


def everything(read: Callable[..., InboxPage]) -> Iterator[Mail]:
    """All pages of an inbox; a context shows only where they begin."""
    page = read()
    yield from page
    while page.next_cursor:
        page = read(after=page.next_cursor)
        yield from page


def keep(inbox: Inbox, task: str) -> None:
    """Notes a task as done, for whoever goes on."""
    kept = inbox.checkpoint()
    inbox.save_checkpoint(
        f"{kept.content}, {task}" if kept.content else task,
        base=kept.revision,
        covered_receipt_seq=kept.receipt_snapshot,
    )


def show(line: str) -> None:
    """Prints at once, as two processes write here in turns."""
    print(line, flush=True)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        work(sys.argv[1], sys.argv[2])
    else:
        with tempfile.TemporaryDirectory() as folder:
            lead(str(Path(folder, "team.db")))
