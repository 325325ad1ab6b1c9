"""
Every sequence of operations up to a depth, against every invariant of the ledger.

`ROOMS_EXPLORE_DEPTH=4` goes deeper, for an hour or so.
"""

from __future__ import annotations

import os

import pytest

from log.exploring import SETTINGS, Setting, explore

DEEPER = os.environ.get("ROOMS_EXPLORE_DEPTH")
# In the tests of every day two settings are gone through one operation further.
FURTHER = {"tags", "digests"}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_invariant_holds_after_every_sequence(setting: Setting) -> None:
    usual = 3 if setting.name in FURTHER else 2

    found = explore([setting], depth=int(DEEPER or usual))

    assert found.states > 1_000
