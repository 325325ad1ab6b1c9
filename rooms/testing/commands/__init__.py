"""
Commands for a stage, as hypothesis draws them: what hosts do, and what is refused.

Law: the draw alone decides; a command means the same on every stage.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from rooms.errors.extras import needed

with needed("hypothesis", by=__name__):
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy

from rooms import values
from rooms.testing.commands.agents import of_agents
from rooms.testing.commands.drawing import Names, Options
from rooms.testing.commands.filing import of_filing
from rooms.testing.commands.membership import of_membership
from rooms.testing.commands.posting import of_posting
from rooms.testing.commands.reading import of_reading
from rooms.testing.commands.waking import of_waking
from rooms.testing.stage import Command

__all__ = ["commands"]

_THEMES = (of_agents, of_membership, of_posting, of_reading, of_filing, of_waking)


def commands(
    verb: str,
    *,
    agents: Sequence[str] = ("Eve", "ben", "cy"),
    persons: Sequence[str] = ("ana",),
) -> SearchStrategy[Command]:
    """
    Commands of one verb of a `rooms.testing.Stage`, by and to these.

    Most are what a host would do; a few are refused, each for a reason of its own.

    Raises:
        InvalidInput: `invalid_request`, with all verbs, for another one.
    """
    options = _options(tuple(agents), tuple(persons))
    values.member("verb", verb, options)
    return st.builds(Command, st.just(verb), st.fixed_dictionaries(options[verb]))


@cache
def _options(agents: tuple[str, ...], persons: tuple[str, ...]) -> Options:
    """What is drawn for each verb; made once, since who asks for one asks for many."""
    names = Names(agents, persons)
    return {name: given for of in _THEMES for name, given in of(names).items()}
