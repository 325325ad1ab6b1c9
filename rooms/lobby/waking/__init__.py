"""Waking: what is owed is taken, carried, run as a turn, and settled."""
