"""The day at the support desk: every part of it happens, each for its own reason."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/hall.py"


def day(folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, EXAMPLE],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_day_at_the_desk_goes_as_the_rules_say(tmp_path: Path) -> None:
    lines = day(tmp_path)

    assert day(tmp_path) == lines  # the clock and the ids are scripts
    assert list(tmp_path.iterdir()) == []
    text = "\n".join(lines)
    in_order = (
        "#1: woken, by tagged (recorded)",
        "#1 #2: digest until 2026-03-02 09:30:00, by digest (recorded)",  # a digest
        "-> #13; held agent:otto; later agent:gil",
        "otto may be woken for 0 more until 10:05",
        "agent:otto is woken for 3, 3 of which waited:",  # a hold
        "the window was full of 3-12",
        "Nothing was sent: it would wake 3 of Eve.",  # a confirmation of all
        "#17: woken, by tagged (recorded)",
        "started agent:Eve/legal-asks-for-the-voucher",  # a bare address
        "#18: woken, by started (recorded)",
        "Eve is refused: stale_revision.",  # a conflict of a document
        "19 messages by 3 in 1 room",
        "agent:otto owes an answer since 13:00",
        "Nobody reads it again: room_not_found",  # a deletion
        "Rooms that are left: support-desk",
    )
    place = 0
    for expected in in_order:
        place = text.find(expected, place)
        assert place >= 0, expected
