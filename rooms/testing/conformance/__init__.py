"""
The contract of storages as tests, for whoever writes one.

Three lines make a storage's test:

    class TestMine(StorageConformance):
        def make_storage(self, folder):
            return MyStorage(folder / "mine.db")

`make_storage` is called several times with one folder, and opens the same storage each
time; one that cannot says `persistent = False` and `shared = False`. Each test is named
after the requirement of `rooms.storage.protocol` that it proves. `check_storage` runs
them without a test file, and tells how each requirement came out.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rooms.errors.extras import needed

with needed("pytest", by=__name__):
    import pytest as pytest

from rooms.testing.conformance.records import commit_of, record_of
from rooms.testing.conformance.reporting import (
    ConformanceReport,
    Requirement,
    check_storage,
)

if TYPE_CHECKING:
    from rooms.testing.conformance.contract import StorageConformance

__all__ = [
    "ConformanceReport",
    "Requirement",
    "StorageConformance",
    "check_storage",
    "commit_of",
    "record_of",
]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """The tests, loaded when pytest runs, which alone can rewrite assertions."""
        if name != "StorageConformance":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        contract = import_module("rooms.testing.conformance.contract")
        return contract.StorageConformance
