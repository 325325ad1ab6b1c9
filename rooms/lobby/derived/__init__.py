"""Derived: rows and marks kept beside the log, fed from it, and made anew at will."""
