"""
The timeline: a lane a conversation, with its turns, posts, wakes, holds and digests.

Two laws. What waited is a line that ends where it was released, so that nobody wonders
why something came late. And a team has a lane of its own, which says when it worked and
why it did not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from attrs import frozen

from rooms.simulation.pictures.canvas import CHAR, LINE, Canvas
from rooms.simulation.pictures.scale import Scale

if TYPE_CHECKING:
    from rooms.simulation.chronicle import Chronicle

__all__ = ["MOST", "timeline"]

Row = dict[str, Any]

MOST = 2_000
"""How many marks of one kind are drawn; the picture says how many are not."""

_WIDTH, _GUTTER, _TOP, _MARGIN = 960.0, 150.0, 62.0, 32.0
_LANE, _BELOW = 46.0, 26.0  # of a lane, so much is below its middle
_LEGEND = (
    ("turn", "turn"),
    ("raised", "failed"),
    ("post", "post"),
    ("wake", "wake"),
    ("hold", "held"),
    ("digest", "digest"),
)


_TEAM = "(the team)"  # which no agent and no person is called
_OUTCOMES = {"ended": "turn", "completed": "turn", None: "open"}
_STANDS = {
    **dict.fromkeys(("ready", "running", "pausing", "completing"), "turn"),
    "paused": "raised",
}


@frozen
class _Lanes:
    """Where each who stands; in several rooms, each has a lane in each of them."""

    places: dict[tuple[str, str], float]
    several: bool

    def of(self, row: Row, who: str) -> float:
        return self.places[row["room"], who]


def timeline(told: Chronicle, first: datetime, last: datetime) -> str:
    """The picture of what happened between two instants, as SVG."""
    canvas = Canvas(_WIDTH, "What happened, a lane a conversation")
    lanes = _lanes(told)
    bottom = _TOP + _LANE * len(lanes.places)
    scale = Scale(first, last, _GUTTER, _WIDTH - _MARGIN)
    _legend(canvas)
    scale.put(canvas, _TOP, bottom, _TOP - 8)
    for (room, who), y in lanes.places.items():
        name = f"{who} · {room}" if lanes.several else who
        canvas.text(8, y + 4, name, width=_GUTTER - 16)
        canvas.line(_GUTTER, y + _BELOW, _WIDTH - _MARGIN, y + _BELOW, "rule")
    left = _Left()
    marks = _Marks(canvas, scale, lanes)
    marks.waits(left.some(told.holds), "hold", "release")
    marks.waits(left.some(told.digests), "digest", "told")
    marks.teams(left.some([one for one in told.team if one["what"] == "team"]), last)
    marks.turns(left.some(told.turns))
    marks.wakes(left.some(told.wakes))
    marks.posts(left.some(told.messages))
    if left.out:
        words = f"{left.out} more marks are not drawn; records(...) has them"
        canvas.text(8, bottom + LINE, words, width=_WIDTH - 16, style="soft")
    return canvas.finished()


class _Left:
    """Counts what is left out."""

    def __init__(self) -> None:
        self.out = 0

    def some(self, rows: Sequence[Row]) -> Sequence[Row]:
        self.out += max(len(rows) - MOST, 0)
        return rows[:MOST]


def _lanes(told: Chronicle) -> _Lanes:
    """Persons and agents in the order of what they first did, room by room."""
    seen: dict[str, dict[str, None]] = {}
    for row in told.team:
        seen.setdefault(row["room"], {})[_TEAM] = None
    for row in told.seats:
        seen.setdefault(row["room"], {})[row["who"]] = None
    for row in told.messages:
        seen.setdefault(row["room"], {})[row["sender"]] = None
    several = len(seen) > 1
    places: dict[tuple[str, str], float] = {}
    for room, who in ((room, who) for room, every in seen.items() for who in every):
        places[room, who] = _TOP + _LANE * (len(places) + 1) - _BELOW
    return _Lanes(places, several)


def _legend(canvas: Canvas) -> None:
    x = 8.0
    for style, word in _LEGEND:
        if style in {"hold", "digest"}:
            canvas.line(x, 18, x + 14, 18, style)
        elif style in {"turn", "raised"}:
            canvas.rect(x, 12, 14, 12, style)
        else:
            canvas.dot(x + 7, 18, 4, style, word)
        canvas.text(x + 20, 22, word, width=80)
        x += 20 + CHAR * (len(word) + 2)


@frozen
class _Marks:
    """What puts marks into the lanes."""

    canvas: Canvas
    scale: Scale
    lanes: _Lanes

    def teams(self, rows: Sequence[Row], last: datetime) -> None:
        """Bars of how teams stood, and a mark where one was warned or is over."""
        words: dict[tuple[str, str], str] = {}  # those of a stop are said as it begins
        for place, row in enumerate(rows):
            y, start = self.lanes.of(row, _TEAM), self.scale.at(row["at"])
            why = f", {row['why']}" if row["why"] else ""
            stop = row["room"], row["why"]
            text = words[stop] = row["text"] or (words.get(stop, "") if why else "")
            told = f"{row['how']}{why}: {text[:200]}".removesuffix(": ")
            style = _STANDS.get(row["how"])
            if style is None:
                self.canvas.dot(start, y, 3.5, "told", told)
                continue
            later = (
                one["at"]
                for one in rows[place + 1 :]
                if one["room"] == row["room"] and one["how"] != "warned"
            )
            wide = max(self.scale.at(next(later, last)) - start, 2)
            self.canvas.rect(start, y - 7, wide, 14, style, told=told)
            if style == "raised":
                label = row["why"] or row["how"]
                self.canvas.text(start + 3, y + 4, label, width=wide - 6)

    def turns(self, rows: Iterable[Row]) -> None:
        for row in rows:
            y, start = self.lanes.of(row, row["who"]), self.scale.at(row["at"])
            end = (
                self.scale.right
                if row["until"] is None
                else self.scale.at(row["until"])
            )
            style = _OUTCOMES.get(row["outcome"], "raised")
            said = ", ".join(f"#{seq}" for seq in row["said"]) or "nothing"
            told = f"{row['who']}: turn, {row['outcome'] or 'still runs'}, said {said}"
            self.canvas.rect(start, y - 7, max(end - start, 2), 14, style, told=told)

    def wakes(self, rows: Iterable[Row]) -> None:
        for row in rows:
            x, y = self.scale.at(row["at"]), self.lanes.of(row, row["who"])
            carried = ", ".join(f"#{seq}" for seq in row["messages"])
            told = f"{row['who']}: {row['kind']} for {carried or 'no message'}"
            if row["reasons"]:
                told += f", by {', '.join(row['reasons'])}"
            if row["waited"]:
                told += f"; {row['waited']} had waited"
            self.canvas.path(f"M{x:.2f} {y - 8:.2f}l-4 -7h8z", "wake", told=told)

    def posts(self, rows: Iterable[Row]) -> None:
        free: dict[float, float] = {}
        for row in rows:
            x, y = self.scale.at(row["at"]), self.lanes.of(row, row["sender"])
            told = [f"#{row['seq']} by {row['sender']}: {row['text'][:200]}"]
            told += [
                f"{word} {', '.join(row[word])}"
                for word in ("woken", "held", "later", "started")
                if row[word]
            ]
            self.canvas.dot(x, y, 3.5, "post", *told)
            label = f"#{row['seq']}"
            wide = CHAR * len(label)
            place = min(x - 3, self.canvas.width - wide - 2)
            if place >= free.get(y, 0.0):
                self.canvas.text(place, y + 17, label, width=wide, style="soft")
                free[y] = place + wide + 4

    def waits(self, rows: Iterable[Row], style: str, mark: str) -> None:
        for row in rows:
            y, start = self.lanes.of(row, row["who"]) + 21, self.scale.at(row["at"])
            over = row["until"]
            end = self.scale.right if over is None else self.scale.at(over)
            until = (
                f"until {over:%H:%M:%S} by {row['released_by']}" if over else "still"
            )
            told = f"{row['who']}: #{row['message']} waits {until}"
            self.canvas.line(start, y, max(end, start + 2), y, style, told=told)
            if over is not None:
                self.canvas.dot(end, y, 3, mark, told)
