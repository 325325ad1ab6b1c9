"""
The runtimes of conversations: one at a time claims one, and says when it has caught up.

A process claims a conversation by the name of its runtime (`claiming`), is handed a
bootstrap, and answers it (`bootstraps`); from then on it is handed its inbox.
"""

from rooms.lobby.runtimes.bootstraps import Bootstrap
from rooms.lobby.runtimes.claiming import Claim

__all__ = ["Bootstrap", "Claim"]
