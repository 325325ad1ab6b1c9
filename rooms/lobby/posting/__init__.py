"""Posting: a message on its way into a room, and what hangs on it."""
