"""Floors: whose turn it is in a planned room, and what came of it."""
