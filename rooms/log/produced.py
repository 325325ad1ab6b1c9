"""
Produced: the work of a team, and what came of it, without a word of it.

Law: titles, notes and contents are in the records whose versions stand here; what
counts, who has it and whether it is done is here.
"""

from __future__ import annotations

from attrs import define, field

__all__ = ["ArtifactState", "ProducedState", "WorkItemState"]


@define
class WorkItemState:
    """
    A piece of work.

    Attributes:
        version: The record that made it.
        newest: The record that says how it is now.
        owner: The member that has it; "" for nobody.
        active: Whether anything is to be done about it still.
        depends: What has to be done before, by the records that made it.
    """

    version: int
    newest: int
    owner: str = ""
    active: bool = True
    depends: tuple[int, ...] = ()


@define
class ArtifactState:
    """
    Something that came of the work.

    Attributes:
        version: Its record.
        kind: What it is, see `rooms.team.artifacts.KINDS`.
        key: The member that made it.
        work: The piece of work that it belongs to; 0 for none.
        about: The members that a decision is about; nobody in particular where empty.
    """

    version: int
    kind: str
    key: str
    work: int = 0
    about: tuple[str, ...] = ()


@define
class ProducedState:
    """
    What a team does, and what came of it.

    Attributes:
        work: By the record that made it, in that order.
        artifacts: By their records, in that order.
        note: The record of the conductor's note; 0 for none.
    """

    work: dict[int, WorkItemState] = field(factory=dict)
    artifacts: dict[int, ArtifactState] = field(factory=dict)
    note: int = 0
