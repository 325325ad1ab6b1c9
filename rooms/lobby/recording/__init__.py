"""Recording: load, decide, append, fold: the loop that everything passes."""
