"""Every sequence of operations up to a depth, against every invariant of the ledger."""

from __future__ import annotations

import pytest

from effort import sized
from log.exploring import SETTINGS, Setting, explore

# In CI two settings are gone through one operation further.
FURTHER = {"tags", "digests"}


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.name)
def test_every_invariant_holds_after_every_sequence(setting: Setting) -> None:
    depth = sized(2, 3 if setting.name in FURTHER else 2, 3)

    found = explore([setting], depth=depth)

    assert found.states > 1_000
