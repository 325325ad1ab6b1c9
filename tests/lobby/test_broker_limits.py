"""The broker's numbers in one place: those of the document."""

from __future__ import annotations

from datetime import timedelta

import pytest

from rooms import presets
from rooms.lobby.derived.uploads import WAITS_FOR
from rooms.lobby.files import attachments
from rooms.log import notified, work
from rooms.log.posting import deciding, scheduled
from rooms.log.runtimes import BOOTSTRAP_EVERY, BOOTSTRAP_TRIES
from rooms.pacing import Pushes

SECOND = timedelta(seconds=1)
MICRO = timedelta(microseconds=1)


@pytest.mark.rule("L-LIMIT-05")
def test_the_delays_are_those_of_the_document() -> None:
    pushes = Pushes()
    assert pushes.batching == SECOND
    assert pushes.again == (30 * SECOND, 120 * SECOND)
    assert (pushes.tries, pushes.attention) == (3, 300 * SECOND)
    assert (BOOTSTRAP_TRIES, BOOTSTRAP_EVERY) == (3, 300 * SECOND)
    assert notified.RECEIPTS_WAIT * MICRO == 2 * SECOND
    assert notified.RECEIPTS_APART * MICRO == 30 * SECOND
    assert notified.MOST_RECEIPTS == 20
    assert timedelta(hours=24) == notified.RECEIPTS_KEPT * MICRO
    assert timedelta(minutes=5) == work.TOLD_AFTER * MICRO
    assert timedelta(minutes=10) == work.DROPPED_AFTER * MICRO
    assert deciding._ON_TIME * MICRO == 60 * SECOND
    assert timedelta(minutes=5) == scheduled._EARLIEST * MICRO
    assert timedelta(days=30) == scheduled._LATEST * MICRO
    assert presets.broker().retention == timedelta(hours=24)


@pytest.mark.rule("L-LIMIT-06", "L-ATT-12", "L-ATT-13")
def test_the_numbers_of_files_and_schedules_are_those_of_the_document() -> None:
    assert scheduled.MOST_WAITING == 100
    assert timedelta(hours=1) == WAITS_FOR
    assert timedelta(days=7) == attachments._REMEMBERED * MICRO
    policy = presets.broker()
    assert (policy.max_attachments, policy.max_attachment_bytes) == (5, 10 * 2**20)
    assert policy.max_text_attachment_bytes == 2**20
