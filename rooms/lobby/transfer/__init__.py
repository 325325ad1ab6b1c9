"""Transfer: a whole lobby opened, proved, written out and read in."""
