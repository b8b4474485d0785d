"""What the pages say is run: commands, Python blocks, links, the command reference."""

import re
import runpy
import shutil
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from tests.docs.pages import (
    PAGES,
    ROOT,
    TERMINAL_SETTINGS,
    anchors_of,
    blocks_of,
    commands_of,
    prose_of,
    run_python,
    without_numbers,
)

import untilt
from untilt.cli.main import run
from untilt.games import REGISTRY
from untilt.research import METHODS

MAX_SECONDS = 30.0
"""Of processor time."""

LONG_PAGES = {
    "markets.md",
    "monte-carlo.md",
    *(page.name for page in PAGES if page.name.startswith("for-")),
}


@pytest.fixture(scope="module", autouse=True)
def _warm_kernels() -> None:
    """Compile the kernels first, so that no page is charged for it."""
    for method in ("cfr+", "lp"):
        untilt.solve("kuhn", method, target=0.1, save=False)
    for path in ("arclength", "newton", "classic"):
        untilt.solve("kuhn", "qre", beta=0.1, path=path, save=False)
    untilt.solve("kuhn", "qre", beta=0.1, limit=True, save=False)
    untilt.solve("kuhn", "qre", beta=0.1, definition="dilated", save=False)
    untilt.solve("kuhn", "mccfr-external", iterations=1, threads=2, save=False)
    run(["equity", "AA", "KK", "--board", "Td9d6h", "--json"])
    run(["fit", str(ROOT / "examples" / "kuhn_hands.csv"), "--game", "kuhn", "--json"])


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.long] * (page.name in LONG_PAGES), id=page.name)
        for page in PAGES
    ],
)
def test_what_a_page_shows_works_in_its_order(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    for name in TERMINAL_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    namespace: dict[str, Any] = {"__name__": "page"}
    begin = time.process_time()
    with REGISTRY.registering(), METHODS.registering():
        _run(page, namespace)
    assert time.process_time() - begin < MAX_SECONDS


def _run(page: Path, namespace: dict[str, Any]) -> None:
    """Run the blocks of a page, and compare what it shows."""
    for block in blocks_of(page):
        if not block.can_run:
            continue
        for command in commands_of(block):
            status, printed = command.run()
            assert status == block.exit_status, (page.name, command.text, printed)
            shown = [without_numbers(line) for line in command.shown]
            assert shown == [without_numbers(line) for line in command.cut(printed)], (
                "run: uv run python -m tests.docs.refresh"
            )
        run_python(page, block, namespace)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose_of(page)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path) if path else page
        assert linked.exists(), f"{page.name} links to {target}"
        if anchor:
            assert anchor in anchors_of(linked), f"{page.name} links to {target}"


def test_every_page_of_the_folder_is_in_its_index() -> None:
    index = (ROOT / "docs" / "index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name == "index.md" or f"({page.name})" in index, page.name


FIRST_PAGES = [*sorted((ROOT / "docs").glob("for-*.md")), ROOT / "docs" / "install.md"]


@pytest.mark.parametrize("page", FIRST_PAGES, ids=lambda page: page.stem)
def test_the_first_way_to_install_is_from_a_copy_of_the_repository(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    first = re.search(r"(?:pip|pipx|uv tool|uv pip) install ([^\s`]+)|(uvx|pipx run|uv run)", text)
    assert first, "it does not say how to install"
    assert first[1] in (".", "'.[plot]'") or first[2] == "uv run", first[0]
    assert text.index("copy of the repository") < first.start()


@pytest.fixture(scope="module")
def generator() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "docs" / "generate_reference.py"))


def test_the_command_reference_is_what_help_prints(generator: dict[str, Any]) -> None:
    lock = (ROOT / "uv.lock").read_text(encoding="utf-8")
    locked = re.search(r'^name = "typer"\nversion = "(.*)"$', lock, flags=re.M)
    if locked is None or locked[1] != version("typer"):
        pytest.skip("another version of Typer than the locked one words its help differently")
    page = (ROOT / "docs" / "command-reference.md").read_text(encoding="utf-8")
    assert page == generator["reference"](), "run: uv run python docs/generate_reference.py"


def test_tables_of_methods_and_options_are_those_of_the_program() -> None:
    tables = runpy.run_path(str(ROOT / "docs" / "generate_tables.py"))
    shown = "".join(page.read_text(encoding="utf-8") for page in tables["PAGES"])
    for name in tables["TABLES"]:
        assert f"<!-- table: {name} -->" in shown
    for page in tables["PAGES"]:
        text = page.read_text(encoding="utf-8")
        assert tables["with_tables"](text) == text, "run: uv run python docs/generate_tables.py"


def test_every_command_and_option_is_in_the_command_reference(generator: dict[str, Any]) -> None:
    page = (ROOT / "docs" / "command-reference.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^##+ ([^\n]*)\n\n```text\n(.*?)^```$", page, flags=re.S | re.M))
    for context in generator["contexts"]():
        words = set(re.findall(r"[\w-]+", sections[context.command_path]))
        for parameter in context.command.get_params(context):
            if parameter.param_type_name == "option" and not _is_of_before(parameter):
                assert words.issuperset(parameter.opts), (context.command_path, parameter.opts)


def _is_of_before(parameter: Any) -> bool:
    """Whether this is another name of an option, accepted but not shown."""
    assert parameter.hidden == ("__also__" in parameter.name)
    return bool(parameter.hidden)


def test_every_command_is_shown_at_work_in_the_quick_start(generator: dict[str, Any]) -> None:
    page = ROOT / "docs" / "quickstart.md"
    shown = {command.text.split()[1] for block in blocks_of(page) for command in commands_of(block)}
    paths = [context.command_path.split() for context in generator["contexts"]()]
    assert {path[1] for path in paths if len(path) == 2} <= shown


LONG_EXAMPLES = {"blood_match.py", "river_of_blood.py"}

# Those with tests of their own are run there.
EXAMPLES = [
    pytest.param(script, marks=[pytest.mark.long] * (script.name in LONG_EXAMPLES), id=script.name)
    for script in sorted((ROOT / "examples").glob("*.py"))
    if not (ROOT / "tests" / "examples" / f"test_{script.name}").exists()
]


@pytest.mark.parametrize("script", EXAMPLES)
def test_an_example_runs(script: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    begin = time.process_time()
    runpy.run_path(str(script), run_name="__main__")
    assert time.process_time() - begin < MAX_SECONDS


def test_the_model_of_a_game_stays_within_sixty_lines() -> None:
    text = (ROOT / "examples" / "liars_dice.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60


@pytest.mark.parametrize(("sides", "value"), [(2, 1 / 2), (3, 1 / 9), (4, 1 / 16)])
def test_liars_dice_has_the_value_that_the_guide_states(sides: int, value: float) -> None:
    reference = str(ROOT / "examples" / "liars_dice.py")
    solved = untilt.solve(reference, "lp", parameters={"sides": sides}, save=False)
    assert solved.value == pytest.approx(value, abs=1e-9)
