"""Flags of commands are made from rows of options, and not written out a second time."""

from pathlib import Path

COMMANDS = Path(__file__).parents[2] / "src" / "untilt" / "cli"
WRITTEN = {
    "main.py": 1,  # --version, which belongs to no command
    "options/option_flags.py": 1,  # where rows become flags
    "commands/files/export.py": 1,  # --to, whose formats are an enumeration with a text each
}


def test_no_command_writes_its_flags_out() -> None:
    found = {}
    for path in COMMANDS.rglob("*.py"):
        count = path.read_text("utf-8").count("typer.Option(")
        if count:
            found[path.relative_to(COMMANDS).as_posix()] = count
    assert found == WRITTEN
