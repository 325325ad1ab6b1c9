"""Several processes that drive one room of one file: one turn at a time, none twice."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from rooms import Lobby, presets

WORKER = Path(__file__).with_name("worker.py")
ROUNDS = 6


def test_two_processes_share_a_room_turn_by_turn(tmp_path: Path) -> None:
    file = tmp_path / "r.db"
    with Lobby.open(f"sqlite:///{file}?durability=relaxed") as lobby:
        ops = lobby.person("ops")
        policy = presets.panel(max_rounds=ROUNDS, max_messages=None)
        room = lobby.create_room("panel", by=ops, policy=policy)
        for name in ("eve", "ada"):
            room.join(by=lobby.add_agent(name).conversation())
        room.post("Go.", by=ops)
    outs = [tmp_path / f"{number}.txt" for number in range(2)]
    workers = [
        subprocess.Popen(
            [sys.executable, str(WORKER), str(file), str(out)],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
        for out in outs
    ]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0]

    spans = sorted(
        (int(began), int(ended), name, int(turn_round))
        for out in outs
        for name, turn_round, began, ended in map(
            str.split, out.read_text().splitlines()
        )
    )

    assert [(name, number) for _, _, name, number in spans] == [
        (name, number) for number in range(ROUNDS) for name in ("eve", "ada")
    ]
    for (_, ended, *_), (began, *_) in pairwise(spans):
        assert ended <= began, "two turns ran at a time"
    with Lobby.open(f"sqlite:///{file}?durability=relaxed") as lobby:
        said = lobby.room("panel").read(by=lobby.person("ops"), limit=100)
        assert len(said.items) == 1 + 2 * ROUNDS
