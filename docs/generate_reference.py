"""Write `command-reference.md` from the commands' own `--help`.

    uv run python docs/generate_reference.py

The width is fixed, so that the page does not depend on the terminal; a test compares it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from untilt.cli.main import app, panels

WIDTH = 88
PAGE = Path(__file__).parent / "command-reference.md"

_HEAD = """\
# Command reference

What `untilt --help` and `untilt COMMAND --help` print. This page is generated: change the
command, then run `uv run python docs/generate_reference.py`.

Every command prints its result to standard output, and progress and messages to standard error.
With `--json` standard output holds one JSON object and nothing else.

| exit status | meaning |
| --- | --- |
| 0 | done |
| 1 | what was asked for was not reached (a `--target` missed, the disk is full) |
| 2 | bad input: one line on standard error says what was given and what is allowed |
| 130 | stopped by Ctrl-C; a run that has begun is saved |
"""


def contexts() -> Iterator[Any]:
    """Yield a context of the whole program, then one of each command, in the order of help."""
    yield from _contexts(typer.main.get_command(app), "untilt", None)


def _contexts(command: Any, name: str, parent: Any) -> Iterator[Any]:
    context = command.context_class(
        command, info_name=name, parent=parent, terminal_width=WIDTH, **command.context_settings
    )
    yield context
    for names in panels(command).values() if hasattr(command, "commands") else ():
        for inner in names:
            yield from _contexts(command.commands[inner], inner, context)


def reference() -> str:
    """Return the text of the page."""
    sections = [_HEAD]
    first_of = {names[0]: panel for panel, names in panels(typer.main.get_command(app)).items()}
    for context in contexts():
        level = "##" if context.parent is None else "###"
        is_direct = context.parent is not None and context.parent.parent is None
        if is_direct and context.info_name in first_of:
            sections.append(f"## {first_of[context.info_name]}\n")
        help_text = "\n".join(line.rstrip() for line in context.get_help().splitlines())
        sections.append(f"{level} {context.command_path}\n\n```text\n{help_text}\n```\n")
    return "\n".join(sections)


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
