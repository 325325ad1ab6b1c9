"""
The worker: one thread that does what the tasks of any loop wait for.

Three laws. Jobs are done in the order in which they were handed in, and a job that
nobody waits for any more when its turn comes is not begun. What waits together is one
batch of the storage: nobody is told that something is recorded before it is durable.
And the loop is never blocked: it is only told of outcomes.
"""

from __future__ import annotations

from asyncio import AbstractEventLoop, Future, get_running_loop
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from threading import Lock
from typing import Any, TypeVar

from attrs import define

from rooms.errors import StorageError

__all__ = ["Worker"]

_AT_ONCE = 256  # calls in a batch: other processes wait for its end
R = TypeVar("R")


@define(eq=False)
class _Job:
    """Something to be done, and who waits for it."""

    work: Callable[[], Any]
    brief: bool
    future: Future[Any]
    loop: AbstractEventLoop
    value: Any = None
    error: BaseException | None = None

    def do(self) -> None:
        """Does it, and keeps what came of it."""
        try:
            self.value = self.work()
        except StopIteration as error:  # no future can raise it
            self.error = RuntimeError("the work raised StopIteration")
            self.error.__cause__ = error
        except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
            self.error = error

    def tell(self) -> None:
        """Tells whoever waits; in its loop."""
        if self.future.done():
            return
        if self.error is None:
            self.future.set_result(self.value)
        else:
            self.future.set_exception(self.error)


class Worker:
    """
    Does jobs in one thread of its own, which it starts with the first.

    Args:
        batch: The context in which several brief jobs are one commit.
    """

    def __init__(self, batch: Callable[[], AbstractContextManager[None]]) -> None:
        self._batch = batch
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="rooms")
        self._waiting: deque[_Job] = deque()
        self._lock = Lock()
        self._busy = False
        self._closed = False

    async def run(self, work: Callable[[], R], *, brief: bool = False) -> R:
        """
        What the work returns, or what it raises.

        A `brief` one may be done in one batch with others that wait. Who is cancelled
        while it is being done does not learn what came of it.
        """
        loop = get_running_loop()
        job = _Job(work, brief, loop.create_future(), loop)
        with self._lock:
            if self._closed:
                raise StorageError("closed", "the lobby is closed; open it again")
            self._waiting.append(job)
            if not self._busy:
                self._busy = True
                self._thread.submit(self._work)
        value: R = await job.future
        return value

    @property
    def closed(self) -> bool:
        """Whether it takes no more jobs."""
        return self._closed

    def close(self) -> None:
        """Takes no more jobs; what waits is still done."""
        with self._lock:
            self._closed = True
        self._thread.shutdown(wait=False)

    def _work(self) -> None:
        while jobs := self._next():
            if len(jobs) == 1:
                jobs[0].do()
            else:
                self._do_together(jobs)
            _tell(jobs)

    def _next(self) -> list[_Job]:
        """The next jobs that can be one batch, or none: then the thread may rest."""
        jobs: list[_Job] = []
        with self._lock:
            while self._waiting and len(jobs) < _AT_ONCE:
                job = self._waiting[0]
                if jobs and not (job.brief and jobs[0].brief):
                    break
                self._waiting.popleft()
                if not job.future.cancelled():
                    jobs.append(job)
            self._busy = bool(jobs)
        return jobs

    def _do_together(self, jobs: Sequence[_Job]) -> None:
        try:
            with self._batch():
                for job in jobs:
                    job.do()
        except BaseException as error:  # noqa: BLE001 - nothing of the batch is stored
            for job in jobs:
                job.error = job.error or error


def _tell(jobs: Sequence[_Job]) -> None:
    """Tells all who wait, each loop once."""
    by_loop: dict[AbstractEventLoop, list[_Job]] = {}
    for job in jobs:
        by_loop.setdefault(job.loop, []).append(job)
    for loop, told in by_loop.items():
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(_tell_in_loop, told)


def _tell_in_loop(jobs: Sequence[_Job]) -> None:
    for job in jobs:
        job.tell()
