"""
Keeping: for how long what was said and attached stays, and what ends it.

Law: nothing goes by time alone, and nothing to make room: a host sweeps, what is past
its time is recorded as gone, and then it goes (foundation 8, L-KEEP-05).
"""

from __future__ import annotations
