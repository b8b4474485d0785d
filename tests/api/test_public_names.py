"""The public names: listed once, documented, and each with an example that runs."""

import ast
import doctest
import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tests.abstraction.buckets.tables import stored
from tests.docs.pages import PAGES, blocks_of
from tests.play.blueprints import random_blueprint

import untilt
from untilt.games import REGISTRY
from untilt.research import METHODS

__all__ = ["stored"]  # a fixture

ROOT = Path(__file__).parents[2]

VERBS = {
    *("solve", "resume", "load", "qre", "fit", "evaluate"),
    *("compare", "match", "exploit", "review", "plot", "serve"),
}
TYPES = {
    *("Blueprint", "FittedPlay", "Game", "GameRun", "InfoSet", "Profile", "QuantalResponse"),
    *("Noise", "Run", "Sizes", "Solution", "Spot", "Strategy", "UntiltError"),
}
NAMESPACES = {
    *("abstraction", "blueprints", "cards", "games", "hands", "openspiel", "play"),
    *("pushfold", "research", "runs", "spots", "strategies"),
}
NAMES = {*VERBS, *TYPES, *NAMESPACES, "__version__"}
"""What `import untilt` promises: a name that is removed here is taken from users."""

MODULES: list[ModuleType] = [untilt, *(getattr(untilt, name) for name in sorted(NAMESPACES))]
LAZY = [module for module in MODULES if hasattr(module, "_HOME")]
RENAMED = {
    f"{module.__name__}.{name}": place if isinstance(place, str) else place[0]
    for module in (untilt, untilt.play)
    for name, place in module._RENAMED.items()
}


def names_of(module: ModuleType) -> list[str]:
    """Return the public names of a module."""
    if module is untilt.openspiel:
        return [name for name, _ in own_functions(module)]
    return [name for name in module.__all__ if name != "__version__"]


def own_functions(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name, value in vars(module).items():
        is_own = getattr(value, "__module__", None) == module.__name__
        if is_own and inspect.isfunction(value) and not name.startswith("_"):
            yield name, value


def functions() -> Iterator[tuple[str, Any]]:
    """Yield every public function with its dotted name, kernels included."""
    for module in MODULES:
        for name in names_of(module):
            value = getattr(module, name)
            is_kernel = hasattr(value, "py_func")
            if is_kernel or inspect.isfunction(value):
                yield f"{module.__name__}.{name}", value


FUNCTIONS = dict(functions())


def test_the_list_is_what_users_rely_on() -> None:
    assert dir(untilt) == sorted(NAMES)
    assert {name for name in NAMES if inspect.isfunction(getattr(untilt, name))} == VERBS
    assert {name for name in NAMES if inspect.isclass(getattr(untilt, name))} == TYPES


@pytest.mark.parametrize("module", LAZY, ids=lambda module: module.__name__)
def test_a_type_checker_and_python_see_the_same_names(module: Any) -> None:
    """They stand twice in the file, once for each; and each is where the map says."""
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    checked = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    homes = {
        str(alias.asname): str(node.module)
        for node in checked.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert list(module._HOME) == sorted(module._HOME)
    assert homes.keys() == module._HOME.keys()
    for name, home in homes.items():
        found = getattr(module, name)
        assert module._HOME[name] in (home, "untilt")  # provided from above, or a submodule
        if home != module.__name__:
            assert found is getattr(import_module(home), name)


def test_star_imports_take_the_public_names() -> None:
    namespace: dict[str, Any] = {}
    exec("from untilt import *", namespace)
    assert {*namespace} - {"__builtins__"} == NAMES - {"__version__"}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_says_what_it_returns(name: str) -> None:
    assert inspect.getdoc(FUNCTIONS[name])


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_a_namespace_lists_its_public_names(module: ModuleType) -> None:
    if module is not untilt.openspiel:
        assert {*dir(module)} - {"__version__"} == {*module.__all__}


@pytest.mark.parametrize("former", RENAMED)
def test_a_former_name_works_and_warns_the_line_that_uses_it(former: str) -> None:
    module, _, name = former.rpartition(".")
    now = RENAMED[former]
    for line in (f"found = {former}", f"from {module} import {name} as found"):
        given: dict[str, Any] = {}
        with pytest.warns(DeprecationWarning, match=rf"^{former} is now {now}$") as caught:
            exec(compile(f"import {module}\n{line}", "users_file.py", "exec"), given)
        assert {(each.filename, each.lineno) for each in caught} == {("users_file.py", 2)}
        place, _, new = now.rpartition(".")
        if former == "untilt.local_best_response":  # counts hands, where the new one counts deals
            assert given["found"].__name__ == name
        else:
            assert given["found"] is getattr(import_module(place), new)
        assert new in dir(import_module(place))
    assert name not in dir(import_module(module))


def test_every_former_name_has_a_row_in_the_changelog() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    rows = [line.split(" | ") for line in text.splitlines() if line.startswith("| ")]
    for former, now in RENAMED.items():
        name, new = (re.compile(rf"\b{each.rpartition('.')[2]}\b") for each in (former, now))
        assert any(name.search(row[0]) and new.search(row[1]) for row in rows), former


HIDING = """
import sys
from importlib import import_module
from pkgutil import walk_packages
from types import ModuleType

import untilt

found = []
for name in sys.argv[1:]:
    place, _, own = name.rpartition(".")
    folder = import_module(name)
    for module in walk_packages(getattr(folder, "__path__", []), f"{name}."):
        import_module(module.name)
    if isinstance(getattr(import_module(place), own), ModuleType):
        found.append(name)
print(*found)
"""


def test_no_folder_hides_a_function_of_the_same_name() -> None:
    """In a program of its own, where nothing has asked for the functions yet."""
    alike = [
        f"{module.__name__}.{name}"
        for module in MODULES
        for name in names_of(module) * hasattr(module, "__path__")
        if not isinstance(getattr(module, name), ModuleType)
        and find_spec(f"{module.__name__}.{name}") is not None
    ]
    assert {"untilt.cards.equity", "untilt.games.holdem"} <= {*alike}
    child = subprocess.run(
        [sys.executable, "-c", HIDING, *alike], capture_output=True, text=True, check=False
    )
    assert (child.returncode, child.stdout.split()) == (0, []), child.stderr


def test_a_name_that_never_was_is_an_error() -> None:
    for module in MODULES:
        with pytest.raises(AttributeError, match=f"'{module.__name__}' has no attribute 'nothing'"):
            module.nothing  # noqa: B018


def test_no_public_function_may_return_anything() -> None:
    found = {
        name
        for name, function in FUNCTIONS.items()
        if inspect.signature(function).return_annotation in (Any, "Any", inspect.Signature.empty)
    }
    assert found <= {"untilt.load", "untilt.resume"}  # what a folder holds is known when it is read


def documented() -> str:
    """Return all Python that the pages and examples show, which other tests run."""
    blocks = [
        block.text
        for page in PAGES
        for block in blocks_of(page)
        if block.language == "python" and block.can_run
    ]
    scripts = [path.read_text("utf-8") for path in sorted((ROOT / "examples").glob("*.py"))]
    return "\n".join([*blocks, *scripts])


def test_every_public_function_has_an_example_that_runs() -> None:
    """In its docstring, which is run below, or on a page, or in a script."""
    shown = documented()
    without = [
        name
        for name, function in FUNCTIONS.items()
        if ">>>" not in (function.__doc__ or "")
        and not re.search(rf"\b{name.rpartition('.')[2]}\b", shown)
    ]
    assert without == []


@pytest.mark.parametrize("name", sorted(VERBS))
def test_what_is_in_the_package_itself_has_its_example_in_the_docstring(name: str) -> None:
    assert ">>>" in (FUNCTIONS[f"untilt.{name}"].__doc__ or "")


EXAMPLES = {
    f"{value.__module__}.{value.__qualname__}": value
    for module in MODULES
    for value in (getattr(module, name) for name in names_of(module))
    if ">>>" in (getattr(value, "__doc__", None) or "") and hasattr(value, "__qualname__")
} | {"untilt.research": untilt.research}


NEEDED = {
    "untilt.runs.results.plotting.plot": "matplotlib",
    "untilt.runs.games.quantal.qre": "matplotlib",
    **{f"untilt.openspiel.{name}": "pyspiel" for name in ("game", "policy", "profile")},
}
"""Packages of extras that examples need."""


WITH_BLUEPRINT = {"untilt.exploitation.exploit.exploit"}
"""Examples that need a blueprint, which takes minutes to train: they find `blueprint.bin`."""


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_of_docstrings_run(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    if name in NEEDED:
        pytest.importorskip(NEEDED[name])
    monkeypatch.chdir(tmp_path)
    if name in WITH_BLUEPRINT:
        request.getfixturevalue("stored")
        random_blueprint(Path("blueprint.bin"))
    found = EXAMPLES[name]
    tests = doctest.DocTestFinder(recurse=False).find(found, name)
    if inspect.isclass(found):
        tests = doctest.DocTestFinder().find(found, name)
    assert any(test.examples for test in tests)
    runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    with REGISTRY.registering(), METHODS.registering():
        for test in tests:
            test.globs = {}
            written: list[str] = []
            runner.run(test, out=written.append)
            assert not runner.failures, "".join(written)
