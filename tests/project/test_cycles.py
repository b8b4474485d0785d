"""No module imports itself through others, imports inside functions counted."""

import ast
from collections.abc import Iterable, Mapping

import pytest
from tests.project.test_layers import SOURCE, imported

KNOWN = [
    {"abstraction.abstract_game", "abstraction.recipe", "abstraction.split_holdem"},
    {
        "abstraction.algebra",
        "abstraction.buckets.equity_states",
        "abstraction.expressions",
        "abstraction.menus",
        "abstraction.states",
    },
    {"distributed.engine", "distributed.ray_engine"},
    {
        "game.sequence.plan_form",
        "game.sequence.sequence_form",
        "game.sequence.sweeps",
        "game.sequence.terminal_form",
    },
    {"games.leduc", "games.leduc_form"},
    {
        "games.pushfold.analysis",
        "games.pushfold.chart",
        "games.pushfold.sheets",
        "games.pushfold.text",
    },
    {"games.pushfold.form", "games.pushfold.game"},
    {"numeric.half_floats", "numeric.sparse"},
]
"""Cycles that are left, each behind a lazy import; none may be added or grow."""


def read_graph() -> dict[str, set[str]]:
    """Return what each module imports, by names below `untilt`; that package itself is left out."""
    files = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        files[".".join(parts).removesuffix("__init__").rstrip(".")] = path
    graph: dict[str, set[str]] = {}
    for module, path in files.items():
        names = [name for _, name in imported(ast.parse(path.read_text("utf-8")))]
        below = [name.removeprefix("untilt.") for name in names if name.startswith("untilt.")]
        found = {name if name in files else name.rpartition(".")[0] for name in below}
        graph[module] = (found & files.keys()) - {module, ""}
    return {module: found for module, found in graph.items() if module}


def cycles_of(graph: Mapping[str, Iterable[str]]) -> list[set[str]]:
    """Return the groups of modules that import each other, directly or not."""
    reached: dict[str, set[str]] = {}
    for module in graph:
        seen, stack = set(), [module]
        while stack:
            for other in graph[stack.pop()]:
                if other not in seen:
                    seen.add(other)
                    stack.append(other)
        reached[module] = seen
    groups = {
        frozenset({module, *(other for other in seen if module in reached[other])})
        for module, seen in reached.items()
        if module in seen
    }
    return [set(group) for group in sorted(groups, key=sorted)]


@pytest.fixture(scope="module")
def cycles() -> list[set[str]]:
    return cycles_of(read_graph())


def test_cycles_are_found_behind_lazy_imports() -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"b", "d"}, "d": set[str](), "e": {"f"}, "f": {"e"}}
    assert cycles_of(graph) == [{"b", "c"}, {"e", "f"}]
    source = "def late():\n    from untilt.play.table.hand import Table"
    assert [name for _, name in imported(ast.parse(source))] == ["untilt.play.table.hand.Table"]


def test_no_modules_import_each_other_but_the_known_ones(cycles: list[set[str]]) -> None:
    assert [sorted(cycle) for cycle in cycles if not any(cycle <= known for known in KNOWN)] == []


def test_every_known_cycle_still_exists(cycles: list[set[str]]) -> None:
    """A cycle that was broken is deleted from the list, so that it cannot come back."""
    gone = [sorted(known) for known in KNOWN if not any(cycle <= known for cycle in cycles)]
    assert gone == []
