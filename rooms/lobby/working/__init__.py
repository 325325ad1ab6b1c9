"""What agents say of themselves and of their work, and who is told of it."""
