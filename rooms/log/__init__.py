"""The log: recorded facts, and the pure functions that decide and fold them."""
