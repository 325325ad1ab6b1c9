"""Each field case of a feature that is here has a test that names it, or a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
CITED = re.compile(r"mark\.case\(([^)]*)\)")

SECTIONS: dict[str, tuple[int, ...]] = {
    "loop guards": (27, 31, 32, 33, 34, 35, 36),
    "wake rules, modes, digests": (40, 41, 44, 45, 46, 47, 48, 49, 50, 51),
    "sends, deliveries, cursors": (80, 85, 86, 87, 88, 89, 90, 91, 92, 93, 94),
    "scheduled sends and time zones": (112, 114, 116, 117, 118, 119, 120),
    "addresses, names, membership": (122, 123, 124),
    "stores": (126, 128),
    "hooks and wire forms": (130,),
}

LEFT_OUT: dict[int, str] = {
    49: "deliveries have no time of day: a host that has quiet hours pauses the room,"
    " or rests the seat, and everything comes as one wake afterwards",
}
"""Cases that have no test, and why."""


def cited() -> set[int]:
    return {
        int(number)
        for path in TESTS.rglob("test_*.py")
        for names in CITED.findall(path.read_text("utf-8"))
        for number in re.findall(r"F-(\d+)", names)
    }


@pytest.mark.parametrize("section", SECTIONS)
def test_each_case_of_a_section_has_a_test_or_a_reason(section: str) -> None:
    tested = cited()
    for number in SECTIONS[section]:
        has = (number in tested, number in LEFT_OUT)
        assert has in {(True, False), (False, True)}, f"F-{number}: {has}"
