"""The hooks: who is asked, in which order, and what becomes of a plugin that fails."""

from __future__ import annotations

import inspect
import logging
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from attrs import frozen

from rooms import hooks
from rooms.errors import CODES, HookFailed, InvalidInput
from rooms.hooks import HOOKS, Plugins, hookimpl

ROOT = Path(__file__).resolve().parent.parent
MAY = {"actor": "ana", "action": "add_agent", "subject": "Eve"}
HANDED: dict[str, dict[str, Any]] = {
    "rooms_may": MAY,
    "rooms_check_draft": {"draft": "hello"},
    "rooms_start_conversation": {"start": "c-1"},
    "rooms_state": {"conversation": "c-1"},
    "rooms_carry": {"wake": "w-1"},
    "rooms_place_member": {"place": "p-1"},
    "rooms_release_member": {"place": "p-1", "keep": True},
    "rooms_changed_files": {"place": "p-1"},
    "rooms_deliver": {"sending": "s-1"},
    "rooms_push": {"push": "p-1"},
    "rooms_committed": {"commit": 7},
    "rooms_planners": {},
    "rooms_storages": {},
}
CALLS = {"decides": "decide", "answers": "first", "observes": "observe"}
CALLS |= {"offers": "collect"}


class Marked(SimpleNamespace):
    """A plugin of given functions, each marked as the hook that it is named after."""

    def __init__(self, **functions: Callable[..., Any]) -> None:
        super().__init__(**{name: hookimpl(fn) for name, fn in functions.items()})


def plugins_of(**marked: Marked) -> Plugins:
    plugins = Plugins()
    for name, plugin in marked.items():
        plugins.register(plugin, name)
    return plugins


def may(answer: Any) -> Marked:
    return Marked(rooms_may=lambda actor: answer)


def carry(answer: Any) -> Marked:
    return Marked(rooms_carry=lambda wake: answer)


def raising(error: BaseException) -> Callable[..., Any]:
    def fail() -> Any:
        raise error

    return fail


def call(plugins: Plugins, hook: str) -> Any:
    return getattr(plugins, CALLS[HOOKS[hook].kind])(hook, **HANDED[hook])


def test_a_team_is_placed_saved_and_delivered_by_the_first_that_answers() -> None:
    plugins = plugins_of(
        first=Marked(
            rooms_place_member=lambda place: f"/trees/{place}",
            rooms_release_member=lambda place, keep: keep,
            rooms_changed_files=lambda place: [f"{place}.py"],
            rooms_deliver=lambda sending: "",
        ),
        odd=Marked(
            rooms_place_member=lambda: "",
            rooms_release_member=lambda: 1,
            rooms_changed_files=lambda: "a.py",
            rooms_deliver=lambda: 7,
        ),
    )

    for hook, answer in (
        ("rooms_place_member", "/trees/p-1"),
        ("rooms_release_member", True),
        ("rooms_changed_files", ("p-1.py",)),
        ("rooms_deliver", ""),
    ):
        outcome = plugins.first(hook, **HANDED[hook])
        assert outcome.answer is not None
        assert outcome.answer.value == answer
        assert [one.plugin for one in outcome.failures] == ["odd"]


# --- every hook -----------------------------------------------------------------------


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_has_a_card_of_all_its_parts(hook: str) -> None:
    page = (ROOT / "docs/reference/hooks.md").read_text("utf-8")
    section = page.partition(f"\n## `{hook}`\n")[2].partition("\n## ")[0]
    card = inspect.getdoc(getattr(hooks, hook)) or ""

    assert f".. autofunction:: rooms.hooks.{hook}\n" in section
    assert "```python\n" in section, "no example"
    parts = ("Asked", "Handed", "Order", "May return", "May raise", "Pure")
    assert [line[:-1] for line in card.splitlines() if line.endswith(":")] == [*parts]


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_has_a_test_here(hook: str) -> None:
    assert Path(__file__).read_text("utf-8").count(hook) >= 3


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_that_nobody_implements_answers_nothing(hook: str) -> None:
    plugins = Plugins()

    assert not plugins.has(hook)
    assert call(plugins, hook) in (
        hooks.Verdict(None, ()),
        hooks.Outcome(None, ()),
        (),
        hooks.Offers({}, ()),
    )


@pytest.mark.parametrize("hook", HOOKS)
def test_a_plugin_is_handed_what_it_asks_for(hook: str) -> None:
    handed: list[dict[str, Any]] = []

    class Listener:
        pass

    names = ", ".join(HOOKS[hook].arguments)
    source = f"def {hook}({names}): handed.append(dict(locals()))"
    scope: dict[str, Any] = {"handed": handed}
    exec(source, scope)
    listener: Any = Listener()
    setattr(listener, hook, hookimpl(scope[hook]))
    plugins = Plugins()
    plugins.register(listener)

    call(plugins, hook)

    assert plugins.has(hook)
    assert handed == [HANDED[hook]]


@pytest.mark.parametrize("hook", HOOKS)
def test_what_is_no_exception_passes_through(hook: str) -> None:
    plugins = plugins_of(p=Marked(**{hook: raising(KeyboardInterrupt())}))

    with pytest.raises(KeyboardInterrupt):
        call(plugins, hook)


# --- deciders -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answers", "allowed"),
    [
        ([None], None),
        ([True], True),
        ([False], False),
        ([None, True], True),
        ([True, None, False], False),
        ([False, True], False),
    ],
)
def test_one_no_outweighs_every_yes(answers: list[Any], allowed: bool | None) -> None:
    plugins = plugins_of(**{f"p{n}": may(said) for n, said in enumerate(answers)})

    verdict = plugins.decide("rooms_may", **MAY)

    assert verdict.allowed is allowed
    assert [a.value for a in verdict.answers] == [
        said for said in reversed(answers) if said is not None
    ]


def test_a_draft_is_refused_with_the_reasons_that_are_given() -> None:
    plugins = plugins_of(
        silent=Marked(rooms_check_draft=lambda: None),
        words=Marked(rooms_check_draft=lambda draft: f"no {draft}"),
    )

    verdict = plugins.decide("rooms_check_draft", draft="shouting")

    assert verdict.allowed is False
    assert verdict.answers == (hooks.Answer("words", "no shouting"),)


def test_a_draft_that_nobody_objects_to_is_not_refused() -> None:
    plugins = plugins_of(silent=Marked(rooms_check_draft=lambda: None))

    assert plugins.decide("rooms_check_draft", draft="x").allowed is None


@pytest.mark.parametrize(
    ("hook", "answer"),
    [
        ("rooms_may", 1),
        ("rooms_may", 0),
        ("rooms_may", "yes"),
        ("rooms_may", ()),
        ("rooms_check_draft", True),
        ("rooms_check_draft", False),
        ("rooms_check_draft", ""),
        ("rooms_check_draft", b"no"),
    ],
)
def test_nonsense_of_a_decider_refuses(hook: str, answer: Any) -> None:
    plugins = plugins_of(odd=Marked(**{hook: lambda: answer}))

    with pytest.raises(HookFailed) as failed:
        call(plugins, hook)

    assert failed.value.code == "hook_failed"
    assert (failed.value.plugin, failed.value.hook) == ("odd", hook)


@pytest.mark.parametrize("hook", ["rooms_may", "rooms_check_draft"])
@pytest.mark.parametrize(
    "error", [ValueError("the text"), StopIteration(), RecursionError(), HookFailed]
)
def test_a_decider_that_raises_refuses_and_is_named(hook: str, error: Any) -> None:
    if error is HookFailed:
        error = HookFailed("hook_failed", "by hand", plugin="other", hook="other")
    broken = Marked(**{hook: raising(error)})
    plugins = plugins_of(before=may(True), broken=broken, after=may(True))

    with pytest.raises(HookFailed) as failed:
        call(plugins, hook)

    assert failed.value.plugin == "broken"
    assert failed.value.__cause__ is error
    assert "the text" not in str(failed.value)
    assert failed.value.code in CODES


# --- the first answer -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("hook", "answer"),
    [
        ("rooms_start_conversation", "thread-9"),
        ("rooms_state", "idle"),
        ("rooms_state", "in_turn"),
        ("rooms_state", "away"),
        ("rooms_carry", "delivered"),
        ("rooms_carry", "settled"),
        ("rooms_push", "received"),
        ("rooms_push", "attempted"),
    ],
)
def test_the_first_answer_counts(hook: str, answer: str) -> None:
    plugins = plugins_of(
        never=Marked(**{hook: raising(AssertionError("asked in vain"))}),
        second=Marked(**{hook: lambda: answer}),
        first=Marked(**{hook: lambda: None}),
    )

    assert call(plugins, hook) == hooks.Outcome(hooks.Answer("second", answer), ())


@pytest.mark.parametrize(
    ("hook", "answer"),
    [
        ("rooms_start_conversation", ""),
        ("rooms_start_conversation", 9),
        ("rooms_state", "busy"),
        ("rooms_state", ["idle"]),
        ("rooms_carry", True),
        ("rooms_carry", "lost"),
        ("rooms_carry", float("nan")),
        ("rooms_push", "delivered"),
        ("rooms_push", True),
    ],
)
def test_nonsense_is_reported_and_the_next_one_is_asked(hook: str, answer: Any) -> None:
    goods = {"rooms_state": "idle", "rooms_carry": "settled", "rooms_push": "received"}
    good = goods.get(hook, "thread-1")
    plugins = plugins_of(
        good=Marked(**{hook: lambda: good}), odd=Marked(**{hook: lambda: answer})
    )

    outcome = call(plugins, hook)

    assert outcome.answer == hooks.Answer("good", good)
    (failure,) = outcome.failures
    assert (failure.plugin, failure.hook) == ("odd", hook)
    assert isinstance(failure.error, InvalidInput)


def test_a_carrier_that_raises_is_reported_and_the_next_one_is_asked() -> None:
    error = OSError("unplugged")
    plugins = plugins_of(
        good=carry("delivered"), broken=Marked(rooms_carry=raising(error))
    )

    outcome = plugins.first("rooms_carry", wake="w-1")

    assert outcome.answer == hooks.Answer("good", "delivered")
    assert [failure.error for failure in outcome.failures] == [error]


def test_a_wake_that_nobody_carries_has_no_answer() -> None:
    plugins = plugins_of(
        broken=Marked(rooms_carry=raising(OSError())), not_mine=carry(None)
    )

    outcome = plugins.first("rooms_carry", wake="w-1")

    assert outcome.answer is None
    assert [failure.plugin for failure in outcome.failures] == ["broken"]


# --- observers ------------------------------------------------------------------------


def test_a_failing_observer_stops_no_other(caplog: pytest.LogCaptureFixture) -> None:
    heard: list[Any] = []
    plugins = plugins_of(
        a=Marked(rooms_committed=lambda commit: heard.append(("a", commit))),
        b=Marked(rooms_committed=raising(ValueError("secret words"))),
        c=Marked(rooms_committed=lambda commit: heard.append(("c", commit))),
    )

    with caplog.at_level(logging.WARNING, "rooms"):
        failures = plugins.observe("rooms_committed", commit=7)

    assert heard == [("c", 7), ("a", 7)]
    assert [(f.plugin, f.hook) for f in failures] == [("b", "rooms_committed")]
    assert "'b'" in caplog.text
    assert "rooms_committed" in caplog.text
    assert "ValueError" in caplog.text
    assert "secret words" not in caplog.text
    assert "secret words" not in repr(failures)
    assert "error=ValueError" in repr(failures)


@pytest.mark.parametrize("junk", [False, 1, "settled", object(), [], KeyError("x")])
def test_nobody_looks_at_what_an_observer_answers(junk: Any) -> None:
    plugins = plugins_of(odd=Marked(rooms_committed=lambda: junk))

    assert plugins.observe("rooms_committed", commit=7) == ()


def test_a_plugin_cannot_change_what_the_next_one_is_handed() -> None:
    @frozen
    class Commit:
        number: int

    heard: list[int] = []

    def change(commit: Any) -> None:
        commit.number = 8

    plugins = plugins_of(
        listens=Marked(rooms_committed=lambda commit: heard.append(commit.number)),
        changes=Marked(rooms_committed=change),
    )

    failures = plugins.observe("rooms_committed", commit=Commit(7))

    assert heard == [7]
    assert [failure.plugin for failure in failures] == ["changes"]


@pytest.mark.parametrize("value", [[], {}, set(), bytearray()])
def test_what_a_plugin_could_change_is_not_handed_to_it(value: Any) -> None:
    with pytest.raises(InvalidInput) as refused:
        Plugins().observe("rooms_committed", commit=value)

    assert refused.value.field == "commit"


# --- offers ---------------------------------------------------------------------------


@pytest.mark.parametrize("hook", ["rooms_planners", "rooms_storages"])
def test_what_plugins_offer_is_put_together(hook: str) -> None:
    plugins = plugins_of(
        first=Marked(**{hook: lambda: {"a": int, "b": int}}),
        none=Marked(**{hook: lambda: None}),
        last=Marked(**{hook: lambda: {"b": str}}),
    )

    offers = plugins.collect(hook)

    assert dict(offers.found) == {
        "b": hooks.Answer("last", str),
        "a": hooks.Answer("first", int),
    }
    (shadowing,) = offers.failures
    assert shadowing.plugin == "first"
    assert "'b' is offered by 'last' already" in str(shadowing.error)


@pytest.mark.parametrize("hook", ["rooms_planners", "rooms_storages"])
@pytest.mark.parametrize("junk", [[], "x", {"a": 1}, {1: int}, {"": int}, True])
def test_an_offer_of_nonsense_is_reported_and_the_others_stay(
    hook: str, junk: Any
) -> None:
    plugins = plugins_of(
        good=Marked(**{hook: lambda: {"a": int}}), odd=Marked(**{hook: lambda: junk})
    )

    offers = plugins.collect(hook)

    assert dict(offers.found) == {"a": hooks.Answer("good", int)}
    assert [failure.plugin for failure in offers.failures] == ["odd"]


# --- order and re-entry ---------------------------------------------------------------


def test_the_last_registered_is_asked_first_but_for_its_mark() -> None:
    asked: list[str] = []

    def noting(name: str) -> Callable[..., None]:
        def note() -> None:
            asked.append(name)

        return note

    plugins = Plugins()
    first = SimpleNamespace(rooms_may=hookimpl(tryfirst=True)(noting("first")))
    last = SimpleNamespace(rooms_may=hookimpl(trylast=True)(noting("last")))
    for plugin, name in [
        (first, "first"),
        (Marked(rooms_may=noting("a")), "a"),
        (Marked(rooms_may=noting("b")), "b"),
        (last, "last"),
    ]:
        plugins.register(plugin, name)

    plugins.decide("rooms_may", **MAY)

    assert asked == ["first", "b", "a", "last"]
    assert plugins.names() == ("first", "a", "b", "last")


def test_a_hook_may_call_back_into_the_hooks() -> None:
    heard: list[int] = []
    plugins = Plugins()

    def commit_twice(commit: int) -> None:
        if commit < 3:
            assert plugins.observe("rooms_committed", commit=commit + 1) == ()

    plugins.register(Marked(rooms_committed=lambda commit: heard.extend([commit])), "l")
    plugins.register(Marked(rooms_committed=commit_twice), "c")

    assert plugins.observe("rooms_committed", commit=1) == ()
    assert heard == [3, 2, 1]


def test_an_observer_that_calls_itself_for_ever_is_reported() -> None:
    heard: list[int] = []
    plugins = Plugins()

    def again(commit: int) -> None:
        (failure,) = plugins.observe("rooms_committed", commit=commit)
        raise failure.error

    plugins.register(Marked(rooms_committed=lambda: heard.append(1)), "listens")
    plugins.register(Marked(rooms_committed=again), "again")

    failures = plugins.observe("rooms_committed", commit=7)

    assert [type(failure.error) for failure in failures] == [RecursionError]
    assert heard


def test_a_plugin_that_is_registered_in_a_call_is_asked_from_the_next_on() -> None:
    heard: list[int] = []
    plugins = Plugins()

    def bring_another(commit: int) -> None:
        if commit == 1:
            listener = Marked(rooms_committed=lambda commit: heard.extend([commit]))
            plugins.register(listener, "late")

    plugins.register(Marked(rooms_committed=bring_another), "brings")
    for commit in (1, 2):
        plugins.observe("rooms_committed", commit=commit)

    assert heard == [2]


def test_a_hook_that_hangs_keeps_no_other_thread_waiting() -> None:
    entered, release = threading.Event(), threading.Event()

    def hang(wake: str) -> None:
        if wake == "slow":
            entered.set()
            release.wait(30)

    plugins = plugins_of(p=Marked(rooms_carry=hang))
    thread = threading.Thread(
        target=plugins.first, args=["rooms_carry"], kwargs={"wake": "slow"}
    )
    thread.start()
    assert entered.wait(30)

    assert plugins.first("rooms_carry", wake="quick").answer is None  # not after it

    release.set()
    thread.join()


# --- registration ---------------------------------------------------------------------


class Empty:
    """A plugin without a hook."""


def refused_at_registration(plugin: Any, name: str | None = "p") -> InvalidInput:
    plugins = plugins_of(good=may(True))
    with pytest.raises(InvalidInput) as refused:
        plugins.register(plugin, name)

    assert plugins.names() == ("good",)
    assert plugins.decide("rooms_may", **MAY).allowed is True
    return refused.value


@pytest.mark.parametrize(
    ("wrong", "closest"),
    [
        ("rooms_comitted", "rooms_committed"),
        ("rooms_planer", "rooms_planners"),
        ("rooms_carrry", "rooms_carry"),
        ("zzz", None),
        ("rooms_" + "x" * 100_000, None),
    ],
)
def test_a_misspelt_hook_is_refused_with_the_closest_one(
    wrong: str, closest: str | None
) -> None:
    error = refused_at_registration(Marked(**{wrong: lambda: None}))

    assert error.code == "unknown_hook"
    assert error.details["plugin"] == "p"
    assert error.details["hook"] == wrong
    assert error.details["closest"] == closest


def test_an_unmarked_function_that_is_no_hook_is_not_ignored() -> None:
    error = refused_at_registration(SimpleNamespace(rooms_commited=lambda: None))

    assert error.code == "unknown_hook"
    assert error.details["closest"] == "rooms_committed"


def test_a_hook_without_its_mark_is_not_ignored() -> None:
    error = refused_at_registration(SimpleNamespace(rooms_may=lambda actor: True))

    assert error.code == "invalid_request"
    assert error.details["hook"] == "rooms_may"
    assert "@hookimpl" in str(error)


def test_an_argument_that_the_hook_does_not_have_is_refused() -> None:
    error = refused_at_registration(Marked(rooms_may=lambda actor, user: True))

    assert error.code == "invalid_request"
    assert error.details["argument"] == "user"
    assert error.details["allowed"] == "actor, action, subject"


async def asynchronous(commit: int) -> None:
    """Nobody would wait for it."""


def generator(commit: int) -> Iterator[int]:
    yield commit


def by_keyword(*, commit: int) -> None:
    """It would be called without."""


@pytest.mark.parametrize("function", [asynchronous, generator, by_keyword])
def test_a_function_that_could_not_be_called_plainly_is_refused(
    function: Callable[..., Any],
) -> None:
    error = refused_at_registration(Marked(rooms_committed=function))

    assert error.details["hook"] == "rooms_committed"


@pytest.mark.parametrize("mark", [hookimpl(wrapper=True), hookimpl(hookwrapper=True)])
def test_a_wrapper_is_refused(mark: Callable[..., Any]) -> None:
    def around(commit: int) -> Iterator[None]:
        yield

    error = refused_at_registration(SimpleNamespace(rooms_committed=mark(around)))

    assert "wrapper" in str(error)


@pytest.mark.parametrize("plugin", [None, Empty])
def test_a_plugin_is_a_module_or_an_object(plugin: Any) -> None:
    assert "a module or an object" in str(refused_at_registration(plugin))


@pytest.mark.parametrize("name", ["", 7, b"p"])
def test_a_plugin_s_name_is_a_string(name: Any) -> None:
    assert refused_at_registration(Empty(), name).field == "name"


def test_a_name_is_taken_once() -> None:
    assert "'good'" in str(refused_at_registration(Empty(), "good"))


def test_a_plugin_is_registered_once() -> None:
    plugins = Plugins()
    plugin = Empty()
    plugins.register(plugin, "a")

    with pytest.raises(InvalidInput, match="already"):
        plugins.register(plugin, "b")
    assert plugins.names() == ("a",)


def test_a_plugin_equal_to_another_is_refused_by_name() -> None:
    @frozen
    class Same:
        pass

    plugins = Plugins()
    plugins.register(Same(), "a")

    with pytest.raises(InvalidInput, match="'b' equals"):
        plugins.register(Same(), "b")
    assert plugins.names() == ("a",)


def test_a_plugin_that_cannot_be_looked_at_is_refused() -> None:
    class Shy:
        def __dir__(self) -> list[str]:
            raise OSError

    assert "'p' cannot be looked at" in str(refused_at_registration(Shy()))


def test_a_plugin_without_a_name_has_its_module_s_or_its_class_s() -> None:
    plugins = Plugins()

    assert plugins.register(ModuleType("my_rooms")) == "my_rooms"
    assert plugins.register(Empty()) == f"{__name__}.Empty"


def test_a_module_s_functions_are_hooks_and_what_it_imports_is_none() -> None:
    module = ModuleType("my_rooms")
    vars(module).update(
        rooms_may=hookimpl(lambda actor: actor == "ana"),
        rooms_carry=hooks.rooms_carry,  # the specification, for its annotations
        rooms_policy="a string",
        rooms_Lobby=Empty,
    )
    plugins = Plugins()
    plugins.register(module)

    assert plugins.decide("rooms_may", **MAY).allowed is True
    assert not plugins.has("rooms_carry")


def test_methods_of_all_three_kinds_are_hooks() -> None:
    class Kinds:
        @hookimpl
        def rooms_may(self, actor: str) -> bool:
            return actor == "ana"

        @staticmethod
        @hookimpl
        def rooms_state(conversation: str) -> str:
            return "idle"

        @classmethod
        @hookimpl
        def rooms_carry(cls, wake: str) -> str:
            return "settled"

    plugins = Plugins()
    plugins.register(Kinds())

    assert plugins.decide("rooms_may", **MAY).allowed is True
    for hook in ("rooms_state", "rooms_carry"):
        assert call(plugins, hook).answer is not None


def test_a_function_may_say_which_hook_it_is() -> None:
    owners = hookimpl(specname="rooms_may")(lambda actor: True)
    plugins = Plugins()
    plugins.register(SimpleNamespace(owners=owners), "p")

    assert plugins.has("rooms_may")


def test_a_hook_of_a_later_version_may_be_optional() -> None:
    later = hookimpl(optionalhook=True)(lambda: None)
    plugins = Plugins()

    assert plugins.register(SimpleNamespace(rooms_later=later), "p") == "p"


# --- the caller's own mistakes --------------------------------------------------------


@pytest.mark.parametrize("hook", ["rooms_mya", "", "__init__", None, 7, ["rooms_may"]])
@pytest.mark.parametrize("call", ["has", "decide", "first", "observe", "collect"])
def test_a_hook_that_does_not_exist_is_no_plugin_s_mistake(
    call: str, hook: Any
) -> None:
    with pytest.raises(InvalidInput) as refused:
        getattr(Plugins(), call)(hook)

    assert refused.value.code == "unknown_hook"


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("call", CALLS.values())
def test_a_hook_is_called_in_its_own_way_alone(call: str, hook: str) -> None:
    if call == CALLS[HOOKS[hook].kind]:
        return
    given = {} if call == "collect" else HANDED[hook]
    with pytest.raises(InvalidInput) as refused:
        getattr(Plugins(), call)(hook, **given)

    assert refused.value.code == "invalid_request"


@pytest.mark.parametrize("given", [{}, MAY | {"more": 1}, {"actor": "a"}])
def test_a_hook_is_called_with_its_own_arguments(given: dict[str, Any]) -> None:
    plugins = plugins_of(p=may(True))

    with pytest.raises(InvalidInput, match="arguments"):
        plugins.decide("rooms_may", **given)


# --- entry points ---------------------------------------------------------------------

MODULES = {
    "good_plugin": "import rooms.hooks\n@rooms.hooks.hookimpl\n"
    "def rooms_may(actor): return True",
    "broken_plugin": "raise OSError('the secret')",
    "syntax_plugin": "def",
    "misspelt_plugin": "import rooms.hooks\n@rooms.hooks.hookimpl\n"
    "def rooms_mya(actor): return True",
    "failing_plugin": "import rooms.hooks\n@rooms.hooks.hookimpl\n"
    "def rooms_carry(wake): return 1 / 0",
}


@pytest.fixture
def installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., None]]:
    """Install modules as plugins: distributions with entry points, on the path."""
    for name, source in MODULES.items():
        (tmp_path / f"{name}.py").write_text(source, "utf-8")

    def install(distribution: str, **points: str) -> None:
        folder = tmp_path / f"{distribution}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Name: {distribution}\nVersion: 1.0\n")
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (folder / "entry_points.txt").write_text(f"[rooms]\n{lines}")

    monkeypatch.syspath_prepend(str(tmp_path))
    yield install
    for name in MODULES:
        sys.modules.pop(name, None)


def test_importing_the_library_or_the_hooks_loads_no_plugin() -> None:
    program = "import sys, rooms; print('pluggy' in sys.modules)\n"
    program += "import rooms.hooks as h; h.Plugins()\n"
    program += "print('importlib.metadata' in sys.modules)"

    told = subprocess.check_output([sys.executable, "-c", program], text=True)

    assert told.split() == ["False", "False"]


def test_what_is_installed_is_loaded_when_it_is_asked_for(
    installed: Callable[..., None],
) -> None:
    installed("acme", zeta="good_plugin", alpha="failing_plugin")
    plugins = Plugins()

    assert plugins.names() == ()
    assert plugins.load() == hooks.Loaded(("alpha", "zeta"), ())
    assert plugins.names() == ("alpha", "zeta")
    assert plugins.decide("rooms_may", **MAY).allowed is True


def test_one_broken_plugin_stops_no_other(
    installed: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    installed(
        "acme",
        a="broken_plugin",
        b="syntax_plugin",
        c="misspelt_plugin",
        d="not_there",
        e="good_plugin:not_there",
        f="good_plugin",
    )
    plugins = Plugins()

    with caplog.at_level(logging.WARNING, "rooms"):
        loaded = plugins.load("entrypoints")

    assert loaded.plugins == ("f",)
    assert [(f.plugin, type(f.error).__name__) for f in loaded.failures] == [
        ("a", "OSError"),
        ("b", "SyntaxError"),
        ("c", "InvalidInput"),
        ("d", "ModuleNotFoundError"),
        ("e", "AttributeError"),
    ]
    assert "plugin 'a' of distribution 'acme' was not loaded: OSError" in caplog.text
    assert "'c' of distribution 'acme' was not loaded: InvalidInput: plugin 'c'" in (
        caplog.text
    )
    assert "the secret" not in caplog.text


def test_only_what_is_allowed_is_imported(installed: Callable[..., None]) -> None:
    installed("acme", a="broken_plugin", b="good_plugin")

    assert Plugins().load(allow=["b"]) == hooks.Loaded(("b",), ())
    assert Plugins().load(allow=()) == hooks.Loaded((), ())
    assert "broken_plugin" not in sys.modules


def test_a_plugin_that_is_allowed_and_not_there_is_a_failure(
    installed: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    installed("acme", b="good_plugin")

    with caplog.at_level(logging.WARNING, "rooms"):
        loaded = Plugins().load(allow=["b", "guard", "guard"])

    assert "plugin 'guard' was not loaded: no distribution has it" in caplog.text

    assert loaded.plugins == ("b",)
    (failure,) = loaded.failures
    assert failure.plugin == "guard"
    assert "'guard'" in str(failure.error)


def test_a_name_of_two_distributions_goes_to_the_first(
    installed: Callable[..., None],
) -> None:
    installed("zeta", guard="failing_plugin")
    installed("acme", guard="good_plugin")
    plugins = Plugins()

    loaded = plugins.load()

    assert loaded.plugins == ("guard",)
    assert [f.distribution for f in loaded.failures] == ["zeta"]
    assert plugins.has("rooms_may")


def test_a_registered_plugin_is_not_shadowed(installed: Callable[..., None]) -> None:
    installed("acme", guard="good_plugin")
    plugins = plugins_of(guard=may(False))

    assert [f.plugin for f in plugins.load().failures] == ["guard"]
    assert plugins.decide("rooms_may", **MAY).allowed is False


def test_loading_again_changes_nothing(installed: Callable[..., None]) -> None:
    installed("acme", guard="good_plugin")
    plugins = Plugins()

    assert plugins.load() == plugins.load() == hooks.Loaded(("guard",), ())
    assert plugins.names() == ("guard",)


def test_a_failing_plugin_is_named_with_its_distribution(
    installed: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    installed("acme", carrier="failing_plugin")
    plugins = Plugins()
    plugins.load()

    with caplog.at_level(logging.WARNING, "rooms"):
        (failure,) = plugins.first("rooms_carry", wake="w-1").failures

    assert (failure.plugin, failure.distribution) == ("carrier", "acme")
    assert "plugin 'carrier' of distribution 'acme' failed in rooms_carry" in (
        caplog.text
    )


def test_a_list_of_plugins_that_cannot_be_read_is_a_failure(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def unreadable(**_: str) -> None:
        raise ValueError

    monkeypatch.setattr(metadata, "entry_points", unreadable)

    loaded = Plugins().load()

    assert loaded.plugins == ()
    assert [(f.plugin, type(f.error)) for f in loaded.failures] == [("", ValueError)]


def test_an_entry_point_without_a_distribution_is_loaded(
    installed: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    point = metadata.EntryPoint("guard", "good_plugin", "rooms")
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])

    assert Plugins().load() == hooks.Loaded(("guard",), ())


def test_an_import_that_is_interrupted_is_not_held_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    point = SimpleNamespace(name="p", dist=None, load=raising(KeyboardInterrupt()))
    monkeypatch.setattr(metadata, "entry_points", lambda group: [point])

    with pytest.raises(KeyboardInterrupt):
        Plugins().load()


@pytest.mark.parametrize(
    "given",
    [{"source": "all"}, {"source": None}, {"allow": "guard"}, {"allow": [1]}],
)
def test_what_is_to_be_loaded_is_said_rightly(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as refused:
        Plugins().load(**given)

    assert refused.value.code == "invalid_request"
