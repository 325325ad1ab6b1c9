"""What every test may ask for."""

from __future__ import annotations

import os
from types import ModuleType

import pytest
from hypothesis import settings

import peer as peer_package

# No time limit an example: a slow machine is no defect.
settings.register_profile("rooms", deadline=None)
settings.load_profile("rooms")


@pytest.fixture(scope="session")
def peer() -> ModuleType:
    """The peer's `rooms` subpackage; without it the test is skipped, in CI it fails."""
    module = peer_package.load()
    if module is None:
        reason = f"{peer_package.NAME} is not installed: see the README"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return module
