"""
Simulating rooms: scripted, reactive and random agents in a lobby on a virtual clock.

    agents = {"eve": chatty(to="ben"), "ben": chatty(to="eve"), "cy": silent()}
    run = simulate(agents, start=("ana", "go", "eve"), until="1h", seed=7)
    run.records("wakes")

A run with one seed gives one log, byte for byte (`run.trace_hash`); a run that breaks a
promise of the library raises `SimulationFailed`, which says how to repeat it.
"""

from rooms.simulation.checking import SimulationFailed
from rooms.simulation.faults import Faults
from rooms.simulation.parts import (
    Heard,
    Part,
    Speaker,
    chatty,
    erratic,
    reactive,
    scripted,
    silent,
)
from rooms.simulation.run import Noted, Run
from rooms.simulation.saying import Call, Say
from rooms.simulation.scenario import Opening, Scenario, simulate
from rooms.simulation.spans import Span
from rooms.simulation.written import load_scenario

__all__ = [
    "Call",
    "Faults",
    "Heard",
    "Noted",
    "Opening",
    "Part",
    "Run",
    "Say",
    "Scenario",
    "SimulationFailed",
    "Span",
    "Speaker",
    "chatty",
    "erratic",
    "load_scenario",
    "reactive",
    "scripted",
    "silent",
    "simulate",
]
