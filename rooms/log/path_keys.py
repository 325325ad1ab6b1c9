"""
What stands for a file's path outside of bodies.

Law: a path is a name that people gave, so headers, states, snapshots and projections
have its key instead (decision 9).
"""

from __future__ import annotations

from hashlib import blake2b

__all__ = ["path_key"]

_BYTES = 16


def path_key(room: str, path: str) -> str:
    """The key of a path of a room."""
    return blake2b(f"{room}\n{path}".encode(), digest_size=_BYTES).hexdigest()
