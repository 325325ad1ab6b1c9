"""What `nox -s mutants` says of a run, and that its list is of what is there."""

from __future__ import annotations

import ast

import mutants
from mutants import LEAST, ROOT, Listed, Mutant

HERE = "rooms/pacing/hops.py: after"
KNOWN = [Listed(HERE, ("a < b -> a <= b",), "it is the same number")]


def tried(found: int, *left: str) -> dict[str, list[Mutant]]:
    """A part of which so many mutants were found, and these changes survived."""
    ones = [Mutant(HERE, "", "killed")] * found
    return {"pacing": ones + [Mutant(HERE, change, "survived") for change in left]}


def test_nothing_is_wrong_where_the_listed_alone_survive() -> None:
    assert mutants.faults(tried(9, "a < b -> a <= b"), KNOWN, whole=True) == []


def test_a_survivor_that_nobody_listed_is_told_with_its_change() -> None:
    wrong = mutants.faults(tried(9, "return a -> return None"), KNOWN, whole=False)

    assert wrong == [f"survived: {HERE}\n    return a -> return None"]


def test_what_is_listed_once_may_survive_once() -> None:
    twice = tried(18, "a < b -> a <= b", "a < b -> a <= b")

    assert mutants.faults(twice, KNOWN, whole=True) == [
        f"survived: {HERE}\n    a < b -> a <= b"
    ]
    assert mutants.faults(twice, KNOWN * 2, whole=True) == []


def test_a_part_under_the_least_score_is_told_though_all_are_listed() -> None:
    assert LEAST == 90  # issue 8
    wrong = mutants.faults(tried(8, "a < b -> a <= b"), KNOWN, whole=False)

    assert wrong == ["pacing: 8 of 9 found, under 90 %"]


def test_what_is_listed_and_found_leaves_the_list() -> None:
    wrong = mutants.faults(tried(10), KNOWN, whole=True)

    assert wrong == [f"listed and found: {HERE}\n    a < b -> a <= b"]
    assert mutants.faults(tried(10), KNOWN, whole=False) == []


def test_each_part_and_its_tests_are_there() -> None:
    names = [part.name for part in mutants.parts()]
    assert names == ["planning", "addressing", "hearing", "pacing", "ledger"]
    for part in mutants.parts():
        for pattern in part.mutate:
            assert list(ROOT.glob(pattern)), pattern
        for test in part.tests:
            if test.startswith("tests"):
                assert (ROOT / test.partition("::")[0]).exists(), test


def test_the_list_names_functions_that_are_there_and_gives_a_reason_for_each() -> None:
    for row in mutants.listed():
        file, _, function = row.where.partition(": ")
        body = ast.parse((ROOT / file).read_text("utf-8")).body
        *kinds, name = function.split(".")
        for kind in kinds:
            body = next(
                one.body
                for one in body
                if isinstance(one, ast.ClassDef) and one.name == kind
            )
        names = {one.name for one in body if isinstance(one, ast.FunctionDef)}
        assert name in names, row.where
        assert row.changes, row.where
        assert row.why, row.where
