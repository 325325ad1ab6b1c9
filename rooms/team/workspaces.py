"""
Workspaces: who works in which tree, and which files several changed.

Law: a tree is shared as far as the person approved, and no member that only reads
needs one of its own (S-WORKSPACE-02, S-WORKSPACE-03).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from rooms.team.blueprints import WorkspaceMode

__all__ = ["WorkspaceMode", "changed_by_several", "mode_of"]


def mode_of(access: str, workspace: str, *, shared_tree: bool) -> WorkspaceMode:
    """
    How a member shares the tree.

    Args:
        access: Its permission level.
        workspace: How far the team shares one.
        shared_tree: Whether the person approved of one tree that several edit; without
            that, who edits has a tree of its own.

    >>> mode_of("read_only", "shared_working_tree", shared_tree=True).value
    'read_only_shared'
    """
    if access == "read_only":
        return WorkspaceMode.READ_ONLY_SHARED
    if workspace == WorkspaceMode.SHARED_WORKING_TREE and shared_tree:
        return WorkspaceMode.SHARED_WORKING_TREE
    return WorkspaceMode.WORKTREE_PER_MEMBER


def changed_by_several(
    files: Mapping[str, Iterable[str]],
) -> Mapping[str, tuple[str, ...]]:
    """
    Every file that two or more members changed, with who did (S-WORKSPACE-07).

    >>> dict(changed_by_several({"ann": ["a.py", "b.py"], "bob": ["b.py"]}))
    {'b.py': ('ann', 'bob')}
    """
    by: dict[str, dict[str, None]] = {}
    for key, names in files.items():
        for name in names:
            by.setdefault(name, {})[key] = None
    return MappingProxyType(
        {name: tuple(keys) for name, keys in sorted(by.items()) if len(keys) > 1}
    )
