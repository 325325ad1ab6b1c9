"""Pushing: what is owed is sent to whoever runs a conversation, and sent again."""
