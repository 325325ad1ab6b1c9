"""Plugins behind `rooms.hooks`, which has the public names."""
