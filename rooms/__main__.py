"""`python -m rooms`: the command line."""

import sys

from rooms.cli import main

if __name__ == "__main__":
    sys.exit(main())
