"""What every test may ask for."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest
from hypothesis import Phase, settings

import peer as peer_package
from effort import EFFORT, sized

# No time limit an example: a slow machine is no defect.
settings.register_profile("rooms", deadline=None)
# A mutant is found or not: the same examples each time, and none made smaller.
settings.register_profile(
    "mutants",
    settings.get_profile("rooms"),
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
)
settings.load_profile("rooms")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """
    What goes further in CI goes unmeasured: tracing makes it two to three times as
    long, and what is short reaches the lines too. Without `--cov` this changes nothing.
    A file of many short tests says `import effort`, and marks those with sizes itself.
    """
    for item in items:
        module = getattr(item, "module", None)
        if EFFORT and getattr(module, "sized", None) is sized:
            item.add_marker("no_cover")


@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """
    Traces nothing that is not to be measured: in a worker of xdist a second measuring,
    whose data nobody reads, takes over where pytest-cov stops its own.
    """
    if item.get_closest_marker("no_cover") is None:
        return (yield)
    traced = sys.gettrace()
    sys.settrace(None)
    try:
        return (yield)
    finally:
        sys.settrace(traced)


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
