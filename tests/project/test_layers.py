"""Who may import whom: the table of CONTRIBUTING.md, held against the imports of the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "untilt"
PACKAGES = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
ROW = re.compile(r"^\| `src/untilt/(\w+)(\.py)?` \|.*\| (.+) \|$", re.MULTILINE)


def read_table() -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return what each package may import, and each of the modules that all may import."""
    allowed: dict[str, set[str]] = {}
    shared: dict[str, set[str]] = {}
    for name, is_module, rule in ROW.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8")):
        if is_module:
            names, everyone = rule.split("; ")
            assert everyone == "all may import it"
            shared[name] = set() if names == "nothing of ours" else set(names.split(", "))
            assert shared[name] <= shared.keys(), name
        elif rule.startswith("everything"):
            allowed[name] = set(allowed)
        else:
            allowed[name] = set() if rule == "nothing of ours" else set(rule.split(", "))
    return allowed, shared


ALLOWED, SHARED = read_table()


LOADERS = {"import_module", "__import__", "find_spec", "provide"}
"""Functions that load the module that a text names, now or later."""
MODULE = re.compile(r"untilt(\.\w+)+")


def run_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of the code that runs: not what only the type checker reads."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING"):
            for other in child.orelse:
                yield other
                yield from run_nodes(other)
            continue
        yield child
        yield from run_nodes(child)


def imported(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and the dotted name of every import, also of those that a text names."""
    nodes = list(run_nodes(tree))
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    has_table = any(ast.unparse(call.func) == "lazy_names" for call in calls)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: imports are absolute here"
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call):
            if ast.unparse(node.func).rpartition(".")[2] in LOADERS:
                yield from ((node.lineno, text) for text in map(_beginning, node.args))
        elif isinstance(node, ast.Constant) and has_table and MODULE.fullmatch(str(node.value)):
            yield node.lineno, str(node.value)


def _beginning(argument: ast.expr) -> str:
    """Return the text of an argument, up to what is known only when it runs."""
    if isinstance(argument, ast.JoinedStr) and argument.values:
        argument = argument.values[0]
    value = argument.value if isinstance(argument, ast.Constant) else ""
    return value if isinstance(value, str) else ""


def ours(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name below `untilt` of every import of ours."""
    for line, name in imported(ast.parse(source)):
        if name == "untilt" or name.startswith("untilt."):
            yield line, (name + ".").split(".")[1]


def breaches(package: str, source: str) -> list[tuple[int, str]]:
    may = ALLOWED[package] | SHARED.keys() | {package, "__version__"}
    return [(line, name) for line, name in ours(source) if name not in may]


def test_every_package_has_a_row_and_imports_only_rows_above() -> None:
    assert set(ALLOWED) == PACKAGES
    above: set[str] = set()
    for package, may in ALLOWED.items():
        assert may <= above, package
        above.add(package)
    assert list(ALLOWED)[-1] == "cli"


@pytest.mark.parametrize("package", sorted(PACKAGES - {"cli"}))
def test_a_package_imports_only_what_its_row_allows(package: str) -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in (SOURCE / package).rglob("*.py")
        for line, name in breaches(package, path.read_text("utf-8"))
    }
    assert not found


@pytest.mark.parametrize("module", sorted(SHARED))
def test_what_all_may_import_imports_only_what_its_row_allows(module: str) -> None:
    found = {name for _, name in ours((SOURCE / f"{module}.py").read_text("utf-8"))}
    assert found <= SHARED[module]


@pytest.mark.parametrize(
    ("package", "source", "names"),
    [
        ("solvers", "from untilt.cards import card", ["cards"]),
        ("solvers", "def solve():\n    import untilt.cards.card", ["cards"]),
        (
            "game",
            "try:\n    pass\nexcept ImportError:\n    from untilt.games import kuhn",
            ["games"],
        ),
        ("play", "from untilt import solve", ["solve"]),
        ("play", "import untilt", [""]),
        ("charts", "from untilt.numeric.arrays import Floats", ["numeric"]),
        (
            "games",
            'def plot():\n    return import_module("untilt.runs.results.plotting")',
            ["runs"],
        ),
        ("games", 'importlib.import_module(f"untilt.runs.{name}").plot()', ["runs"]),
        ("games", '__import__("untilt.abstraction.recipe")', ["abstraction"]),
        ("games", 'import_module("ray.util")\nimport_module(name)', []),
        (
            "cards",
            'HOME = {"a": "untilt.cards.a", "b": "untilt.games.b"}\nlazy_names("", HOME)',
            ["games"],
        ),
        ("cards", 'TEXT = "untilt.games.b"', []),
        ("runs", "from untilt import __version__\nfrom untilt.errors import UntiltError", []),
        ("game", "if TYPE_CHECKING:\n    from untilt.games import kuhn", []),
        ("games", "from untilt.game.protocol import Game\nimport numpy", []),
    ],
)
def test_breaches_are_found_wherever_they_stand(
    package: str, source: str, names: list[str]
) -> None:
    assert [name for _, name in breaches(package, source)] == names
