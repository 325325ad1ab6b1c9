"""Pictures of a run: what they show, that words stay words, that nothing overlaps."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rooms import RateWindow, RoomPolicy
from rooms.errors import InvalidInput
from rooms.simulation import (
    Call,
    Run,
    Say,
    chatty,
    erratic,
    scripted,
    silent,
    simulate,
)
from rooms.simulation.pictures import PICTURES
from rooms.simulation.pictures.canvas import cut
from rooms.simulation.pictures.scale import Scale
from rooms.simulation.pictures.windows import taken
from rooms.team import Blueprint, TeamLimits
from rooms.testing.clock import START

SVG = "{http://www.w3.org/2000/svg}"
EVIL = '<script>alert("x")</script>&\u202e\x00'


def marks(svg: str, style: str) -> list[ET.Element]:
    """The elements of a style, but for those of the legend in the first lines."""
    root = ET.fromstring(svg)
    found = [one for one in root.iter() if one.get("class") == style]
    at = [one.get("y") or one.get("cy") or one.get("y1") or "99" for one in found]
    return [one for one, y in zip(found, at, strict=True) if float(y) > 30]


def title(element: ET.Element) -> str:
    told = element.find(f"{SVG}title")
    return "" if told is None else told.text or ""


def small() -> Run:
    """Two posts of eve's, the second one held for ben until a place frees."""
    return simulate(
        {"eve": silent(), "ben": scripted("yes", latency="30s", fails=0)},
        policy=RoomPolicy(wake_window=RateWindow(1, timedelta(minutes=5))),
        start=[("eve", Say("a", "ben", at="1m")), ("eve", Say("b", "ben", at="2m"))],
        until="10m",
    )


def large() -> Run:
    return simulate(
        {
            "eve": chatty(to="ben", latency=("5s", "2m"), fails=0.2),
            "ben": chatty(to="eve", latency=("5s", "40s")),
            "cy": silent(mode="digest"),
            "a-name-of-sixty-four-signs-is-longer-than-its-lane-is-wide-00001": erratic(
                1, every="9m"
            ),
        },
        policy=RoomPolicy(max_hops=6, wake_window=RateWindow(4, timedelta(minutes=9))),
        start=('<script>"x`#1', EVIL, "eve"),
        until="1h",
        seed=7,
    )


def stopped() -> Run:
    """A team whose cost stops it for a minute, until the person allows it more."""
    more = Call(
        "team_propose", {"kind": "request_expansion", "limit": "max_cost", "value": 9}
    )
    return simulate(
        {
            "lead": scripted(more, Say("go on", "hand"), cost="1.5"),
            "hand": scripted("done", cost=2, latency="40s"),
        },
        policy="team",
        team=Blueprint(limits=TeamLimits(max_cost="1.5", max_member_cost=9)),
        start=('<script>"x`#1', EVIL.removesuffix("\x00")),
        until="20m",
    )


def test_the_timeline_shows_each_turn_post_wake_and_wait_of_the_log() -> None:
    svg = small().svg()

    assert [title(bar) for bar in marks(svg, "turn")] == [
        "ben: turn, ended, said #2",
        "eve: turn, ended, said nothing",
        "ben: turn, ended, said nothing",
    ]
    assert [title(dot).splitlines()[0] for dot in marks(svg, "post")] == [
        "#1 by eve: a",
        "#2 by ben: yes",
        "#3 by eve: b",
    ]
    assert [title(line) for line in marks(svg, "hold")] == [
        "ben: #3 waits until 09:06:00 by place"
    ]
    wakes = [title(one) for one in ET.fromstring(svg).iter(f"{SVG}path")]
    assert wakes == [
        "ben: turn for #1, by tagged",
        "eve: turn for #2, by tagged",
        "ben: turn for #3, by tagged; 1 had waited",
    ]


def test_places_are_those_of_the_times() -> None:
    svg = small().svg()

    [hold] = marks(svg, "hold")
    left, right = 150, 928  # six and a half minutes: then nothing is to come
    minute = (right - left) / 6.5
    assert float(hold.get("x1", "")) == pytest.approx(left + 2 * minute, abs=0.01)
    assert float(hold.get("x2", "")) == pytest.approx(left + 6 * minute, abs=0.01)


def test_who_woke_whom_is_counted_and_told() -> None:
    run = small()

    told = [title(one) for one in marks(run.svg("graph"), "edge")]
    assert told == ["eve → ben: 2", "ben → eve: 1"]
    assert run.mermaid() == (
        "```mermaid\ngraph LR\n"
        '  n0["eve"]\n  n1["ben"]\n'
        "  n0 -->|2| n1\n  n1 -->|1| n0\n"
        "```"
    )


def test_windows_fill_and_free_as_time_goes_on() -> None:
    minutes = [START + timedelta(minutes=n) for n in (0, 1, 4)]

    steps = taken(
        minutes, RateWindow(3, timedelta(minutes=3)), START + timedelta(minutes=6)
    )

    assert [(at - START) // timedelta(minutes=1) for at, _ in steps] == [0, 1, 3, 4]
    assert [count for _, count in steps] == [1, 2, 1, 1]


@pytest.mark.parametrize("picture", PICTURES)
def test_words_are_text_and_no_picture_fetches_or_runs_anything(picture: str) -> None:
    svg = (stopped() if picture == "costs" else large()).svg(picture)

    root = ET.fromstring(svg)
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= {
        *("svg", "title", "style", "rect", "text", "line", "circle", "path")
    }
    assert not re.search(r"href|url\(|@import|onload", svg)
    assert "\u202e" not in svg
    assert "prefers-color-scheme:dark" in svg


def test_the_bundle_escapes_what_people_named() -> None:
    bundle = large()._repr_mimebundle_()

    assert set(bundle) == {"text/plain", "text/html", "text/markdown"}
    for form in ("text/html", "text/markdown"):
        assert "<script" not in bundle[form]
    assert bundle["text/plain"].startswith("<Run seed=7:")
    assert html.escape(bundle["text/plain"]) in bundle["text/html"]


def test_mermaid_reads_no_sign_of_a_name() -> None:
    run = simulate({"eve": silent()}, start=('a"]click x#1`', "go", "eve"))

    assert '["a#34;]click x#35;1#96;"]' in run.mermaid()


def test_a_picture_is_the_same_each_time_and_written_to_a_file(tmp_path: Path) -> None:
    run = small()

    file = run.to_svg(tmp_path / "run.svg", "windows")

    assert file.read_text("utf-8") == small().svg("windows")
    with pytest.raises(InvalidInput, match="timeline, graph, windows, costs"):
        run.svg("pie")


def test_an_empty_run_has_pictures_too() -> None:
    run = simulate({"eve": silent()}, policy=RoomPolicy(wake_window=None), until="0s")

    assert "nobody was woken" in run.svg("graph")
    assert "no wake window" in run.svg("windows")
    assert marks(run.svg(), "turn") == []


def test_more_marks_than_a_picture_takes_are_counted() -> None:
    run = simulate({"eve": silent()}, until="1h")
    said = {"at": START, "room": "room", "seq": 1, "sender": "eve", "text": ""}
    said |= {"woken": [], "held": [], "later": [], "started": []}
    run.chronicle.messages.extend([said] * 2_003)

    assert "3 more marks are not drawn" in run.svg()


@pytest.mark.parametrize(
    ("words", "signs", "shown"),
    [("eve", 3, "eve"), ("evelyn", 4, "eve…"), ("日本語", 5, "日本…"), ("x", 0, "")],
)
def test_words_are_cut_to_their_room(words: str, signs: int, shown: str) -> None:
    assert cut(words, signs * 7.3 + 0.01) == shown


@pytest.mark.parametrize(
    ("length", "first", "second"),
    [
        (timedelta(seconds=9), "09:00", "09:00:02"),
        (timedelta(hours=1), "09:00", "09:10"),
        (timedelta(days=1), "09:00", "12:00"),
        (timedelta(days=30), "Jan 07", "Jan 12"),
    ],
)
def test_ticks_stand_at_round_times(length: timedelta, first: str, second: str) -> None:
    scale = Scale(START, START + length, 0, 800)

    words = [scale.words(tick) for tick in scale.ticks()]
    assert words[:2] == [first, second]
    assert len(words) <= 9


MEASURE = """
const found = [];
for (const svg of document.querySelectorAll("svg")) {
  const frame = svg.getBoundingClientRect();
  const shown = [...svg.querySelectorAll("text,rect,line,circle,path")];
  for (const one of shown) {
    const box = one.getBoundingClientRect();
    if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
        box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      found.push("outside: " + one.outerHTML.slice(0, 200));
  }
  const texts = [...svg.querySelectorAll("text")].map(
    one => [one, one.getBoundingClientRect()]);
  texts.forEach(([one, a], n) => texts.slice(n + 1).forEach(([other, b]) => {
    if (a.left < b.right - 1 && b.left < a.right - 1 &&
        a.top < b.bottom - 1 && b.top < a.bottom - 1)
      found.push("overlap: " + one.textContent + " / " + other.textContent);
  }));
}
document.body.textContent = "MEASURED" + JSON.stringify(found) + "MEASURED";
"""

CHROMIUM = shutil.which("chromium")
ASKED = "ROOMS_PICTURES" in os.environ


@pytest.mark.skipif(not ASKED, reason="`nox -s pictures` renders them in Chromium")
@pytest.mark.parametrize("dark", [False, True])
def test_nothing_overlaps_or_leaves_the_frame(tmp_path: Path, *, dark: bool) -> None:
    assert CHROMIUM is not None, "Debian's chromium is needed"
    page = tmp_path / "run.html"
    runs = (small(), large(), stopped())
    bodies = "".join(run._repr_mimebundle_()["text/html"] for run in runs)
    page.write_text(
        f"<!doctype html><meta charset=utf-8><body>{bodies}<script>{MEASURE}</script>",
        encoding="utf-8",
    )

    done = subprocess.run(
        [
            *(CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            f"--user-data-dir={tmp_path / 'profile'}",
            f"--blink-settings=preferredColorScheme={0 if dark else 1}",
            page.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )

    [_, measured, _] = done.stdout.split("MEASURED")
    assert json.loads(html.unescape(measured)) == []
