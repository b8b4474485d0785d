"""Each file of a run folder has its name in one place, the module of its format."""

import ast
from pathlib import Path

from untilt.formats.kinds import strategy_file as strategy
from untilt.formats.kinds import sweep_file as sweep
from untilt.formats.run import compiled_game, frames, progress, result_file, run_file
from untilt.formats.run.checkpoint import NEWEST

SOURCE = Path(__file__).parents[2] / "src" / "untilt"

NAMES = {
    *(module.FILE_NAME for module in (compiled_game, frames, progress, result_file)),
    *(module.FILE_NAME for module in (run_file, strategy, sweep)),
    NEWEST,
}


def test_the_name_of_each_file_of_a_run_is_written_once() -> None:
    found = [
        (node.value, path.relative_to(SOURCE).as_posix())
        for path in SOURCE.rglob("*.py")
        if any(name in (text := path.read_text("utf-8")) for name in NAMES)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in NAMES
    ]
    assert sorted(name for name, _ in found) == sorted(NAMES), found
