"""
Mutating: mutmut's run over one copy of the library, as `tests/mutants.py` starts it.

Two laws. A mistake is one that a program could have: words for people, annotations and
docstrings have none. And a mutant meets the quickest tests first, for most of them are
found by any.

It adds to what mutmut has inside, so its version is pinned; nothing else imports this.
"""

from __future__ import annotations

import ast
import gc
import json
from collections.abc import Callable, Iterable, Iterator
from functools import _lru_cache_wrapper
from hashlib import sha256
from pathlib import Path
from typing import Any

import libcst as cst
from mutmut import __main__ as mutmut
from mutmut.mutation import mutators
from mutmut.mutation.file_mutation import MutationVisitor
from mutmut.runners.harness import PytestRunner
from mutmut.state import state
from mutmut.utils.format_utils import orig_function_and_class_names_from_key
from mutmut.workers import isolation

from mutants import FOUND

__all__ = ["try_here"]


def try_here(sample: int | None, *, again: bool) -> None:
    """
    Try the mutants of the copy that this process stands in; `tried.json` tells of them.

    Args:
        sample: So many of them, the same ones each time; None for all.
        again: Keep what an earlier run found, and try the others once more.
    """
    passed_over = MutationVisitor._skip_node_and_children
    MutationVisitor._skip_node_and_children = lambda visitor, node: (
        _is_left_out(visitor, node) or passed_over(visitor, node)
    )
    mutators.mutation_operators[:] = [
        *((kind, _silent(mistake)) for kind, mistake in mutators.mutation_operators),
        (cst.If, _negated),
        (cst.Expr, _left_out),
        (cst.Return, _nothing_given),
    ]
    PytestRunner._pytest_args_regular_run = _quickest_first
    isolation.register_timeout = lambda **_by_the_clock_on_the_wall: None
    if sample is not None:
        collect = mutmut.collect_source_file_mutation_data
        mutmut.collect_source_file_mutation_data = _sampled(collect, sample)
    if again:
        mutmut._apply_config_change_invalidation = _with_todays_tests
        _forget_survivors()
    mutmut.run_forced_fail_test = _and_forget(mutmut.run_forced_fail_test)
    mutmut._run((), 1)
    rows = list(_results())
    Path("tried.json").write_text(json.dumps(rows, indent=1), "utf-8")


def _written(node: Any) -> str:
    return str(cst.Module([]).code_for_node(node))


def _is_words(node: Any) -> bool:
    """Whether it is a text for people: one with a space in it."""
    return isinstance(node, cst.BaseString) and " " in _written(node)


def _is_left_out(visitor: Any, node: Any) -> bool:
    """Words, how a value shows itself, and what runs while its module is imported."""
    if isinstance(node, cst.Module):
        visitor.at_import = _called_at_import(node)
    if not isinstance(node, cst.FunctionDef):
        return _is_words(node)
    return node.name.value in {"__repr__", *visitor.at_import}


def _called_at_import(module: Any) -> set[str]:
    """The functions that a module's own lines, and its classes', call by their name."""
    called = set()
    lines = list(ast.parse(module.code).body)
    while lines:
        line = lines.pop()
        if isinstance(line, ast.ClassDef):
            lines += line.body
        elif not isinstance(line, ast.FunctionDef):
            for one in ast.walk(line):
                if isinstance(one, ast.Call) and isinstance(one.func, ast.Name):
                    called.add(one.func.id)
    return called


def _silent(mistake: Callable[[Any], Iterable[Any]]) -> Callable[[Any], Any]:
    """A kind of mistake of mutmut's, without those that take words away."""

    def made(node: Any) -> Iterator[Any]:
        return (new for new in mistake(node) if not _takes_words(node, new))

    return made


def _takes_words(old: Any, new: Any) -> bool:
    if not isinstance(old, cst.Call) or not isinstance(new, cst.Call):
        return _is_words(getattr(old, "value", None))
    kept = {id(one) for one in new.args}
    return any(_is_words(one.value) for one in old.args if id(one) not in kept)


def _negated(node: Any) -> Iterator[Any]:
    """`if a:` becomes `if not a:`; mutmut turns comparisons and `not` around itself."""
    if not isinstance(node.test, cst.Comparison | cst.UnaryOperation):
        test = node.test.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        yield node.with_changes(test=cst.UnaryOperation(cst.Not(), test))


def _left_out(node: Any) -> Iterator[Any]:
    """A call that stands alone, for what it does, becomes `pass`."""
    if isinstance(node.value, cst.Call):
        yield cst.Pass()


def _nothing_given(node: Any) -> Iterator[Any]:
    """`return a` becomes `return None`."""
    if node.value is not None and _written(node.value) != "None":
        yield node.with_changes(
            value=cst.Name("None"), whitespace_after_return=cst.SimpleWhitespace(" ")
        )


def _quickest_first(runner: Any, tests: Iterable[str]) -> list[str]:
    """The arguments of pytest for one mutant."""
    lasts = state().duration_by_test
    ordered = sorted(tests, key=lambda test: (lasts.get(test, 0), test))
    chosen = ordered or runner._pytest_add_cli_args_test_selection
    return ["-x", "-q", *chosen]


def _sampled(collect: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Fewer mutants, the same ones each time, from everywhere in the part."""

    def some(**asked: Any) -> Any:
        given, by_path = collect(**asked)
        given.sort(key=lambda one: sha256(one[1].encode()).digest())
        return given[:count], by_path

    return some


def _and_forget(last_step: Callable[[Any], None]) -> Callable[[Any], None]:
    """
    The last step before the mutants, with every cache of ours empty behind it: the
    tests were just run in this process, and a mutant would be asked nothing whose
    answer is known.
    """

    def stepped(runner: Any) -> None:
        last_step(runner)
        for one in gc.get_objects():
            if isinstance(one, _lru_cache_wrapper) and _is_ours(f"{one.__module__}"):
                one.cache_clear()

    return stepped


def _is_ours(module: str) -> bool:
    return module.startswith("rooms.")


def _files() -> Iterator[Any]:
    for path in mutmut.walk_mutatable_files():
        data = mutmut.SourceFileMutationData(path=path)
        data.load()
        if data.exit_code_by_key:
            yield data


def _with_todays_tests(_caught: Any) -> bool:
    """Which tests come by which function is found out anew; what was found stays."""
    state().tests_by_mangled_function_name.clear()
    state().duration_by_test.clear()
    return True


def _forget_survivors() -> None:
    for data in _files():
        for name, code in data.exit_code_by_key.items():
            if mutmut.status_by_exit_code[code] != "killed":
                data.exit_code_by_key[name] = None
        data.save()


def _results() -> Iterator[tuple[str, str, str]]:
    """Where each mutant is, what it changes if it survived, and what became of it."""
    for data in _files():
        for name, code in data.exit_code_by_key.items():
            status = mutmut.status_by_exit_code[code]
            if status == "not checked":  # beside the sample
                continue
            function, kind = orig_function_and_class_names_from_key(name)
            where = f"{data.path}: {f'{kind}.' if kind else ''}{function}"
            change = "" if status in FOUND else _change(name, data.path)
            yield where, change, status


def _change(name: str, path: Path) -> str:
    """The lines that differ, on one line: as they are, and as the mutant has them."""
    lines = mutmut.get_diff_for_mutant(name, path=path).splitlines()[2:]
    return " -> ".join(
        " ".join(line[1:].strip() for line in lines if line.startswith(sign))
        for sign in "-+"
    )
