"""The test class that `check_storage` runs; pytest finds it nowhere else."""

from __future__ import annotations

from pathlib import Path

from rooms.storage.protocol import Storage
from rooms.testing.conformance.contract import StorageConformance
from rooms.testing.conformance.reporting import on_trial

__all__ = ["TestStorage"]


class TestStorage(StorageConformance):
    """The contract, of whatever is on trial."""

    persistent = on_trial.get().persistent
    shared = on_trial.get().shared

    def make_storage(self, folder: Path) -> Storage:
        """Open what is on trial."""
        return on_trial.get().make(folder)
