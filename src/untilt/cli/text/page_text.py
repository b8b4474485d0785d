"""Pages of the documentation as Markdown that a terminal can show.

The pages are written for a site: with formulas, with directives of Sphinx, and as notebooks.
"""

import json
import re
from pathlib import Path
from typing import Any

_PIECE = re.compile(
    r"""
    ^[ ]*(?P<fence>```+)(?P<word>[^\n]*)\n (?P<block>.*?) ^[ ]*(?P=fence)[ ]*$
    | ^\$\$ (?P<display>.+?) \$\$
    | (?P<ticks>`+) (?:[^`\n]|\n(?!\n))+ (?P=ticks)
    | (?<![\\$\w]) \$(?![\s$]) (?P<formula>(?:[^$`\n]|\n(?!\n))+?) (?<![\s\\])\$ (?![\w$])
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_INCLUDED = re.compile(r"\{include\}\s+(\S+)")
_MODULE = re.compile(r"\.\. automodule:: (\S+)")


def page_text(path: Path) -> str:
    """Return a page, Markdown or notebook, as plain Markdown."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        text = _notebook_text(json.loads(text))
    return _PIECE.sub(lambda piece: _plain(piece, path.parent), text)


def _notebook_text(notebook: dict[str, Any]) -> str:
    """Return the cells of a notebook, with what they print."""
    parts = []
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            lines = output.get("text") or output.get("data", {}).get("text/plain", ())
            printed = "".join(lines).rstrip()
            if printed and not printed.startswith("<"):  # such as <Figure size 640x480>
                parts.append(f"```text\n{printed}\n```")
    return "\n\n".join(parts) + "\n"


def _plain(piece: re.Match[str], folder: Path) -> str:
    """Return a formula as code, and what a directive stands for; all else as it is."""
    if piece["display"]:
        return f"```text\n{piece['display']}\n```"
    if piece["formula"]:
        return f"`{' '.join(piece['formula'].split())}`"
    if not piece["fence"] or not piece["word"].startswith("{"):
        return piece[0]
    if included := _INCLUDED.match(piece["word"]):
        return (folder / included[1]).read_text(encoding="utf-8")
    if modules := _MODULE.findall(piece["block"]):
        return "\n".join(f"`python -m pydoc {name}` prints this part." for name in modules)
    return f"```text\n{piece['block']}```"
