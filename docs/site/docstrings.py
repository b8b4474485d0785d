"""Docstrings as autodoc reads them, and where the types in signatures lead.

Docstrings are written in the few forms of Markdown that are readable in a terminal: paragraphs,
lists, `code` and indented examples. Autodoc reads reStructuredText, so these are translated.
A public class is documented under its public name, while signatures name the module that defines
it.
"""

import re
from itertools import groupby
from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

_CODE = re.compile(r"(`+)(.+?)\1", re.S)
_ITEM = re.compile(r"\s*([-*]|\d+\.) ")


def as_rst(docstring: list[str]) -> list[str]:
    """Return the lines of a docstring as reStructuredText."""
    paragraphs = [
        list(lines)
        for is_blank, lines in groupby(docstring, key=lambda line: not line.strip())
        if not is_blank
    ]
    translated: list[str] = []
    in_list = False
    for lines in paragraphs:
        is_indented = lines[0].startswith("    ")
        in_list = bool(_ITEM.match(lines[0])) or (in_list and lines[0].startswith("  "))
        if lines[0].lstrip().startswith(">>>"):
            translated += lines
        elif is_indented and not in_list:
            translated += [".. code-block:: python", "", *lines]
        else:
            translated += _text(lines).split("\n")
        translated.append("")
    return translated


def _text(lines: list[str]) -> str:
    """Return a paragraph or a list with its code marked, and every other sign as itself."""
    text = "\n".join(lines)
    pieces = []
    end = 0
    for code in _CODE.finditer(text):
        pieces += [_escaped(text[end : code.start()]), f"``{' '.join(code[2].split())}``"]
        end = code.end()
        if text[end : end + 1].isalnum():
            pieces.append("\\ ")
    return "".join([*pieces, _escaped(text[end:])])


def _escaped(text: str) -> str:
    return re.sub(r"(?<=\S)[*|_\\]|[*|_\\](?=\S)|`", r"\\\g<0>", text)


def _translate(
    app: Sphinx, what: str, name: str, object_: Any, options: Any, lines: list[str]
) -> None:
    del app, what, name, object_, options
    lines[:] = as_rst(lines)


def _lead_to_public_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.TextElement
) -> nodes.reference | None:
    """Resolve `untilt.runs.run.Run` to where `untilt.Run` is documented."""
    if node.get("refdomain") != "py" or not node["reftarget"].startswith("untilt."):
        return None
    last = node["reftarget"].rpartition(".")[2]
    python = env.get_domain("py")
    if f"untilt.{last}" not in python.data["objects"]:
        return None
    return python.resolve_xref(
        env, node["refdoc"], app.builder, "obj", f"untilt.{last}", node, content
    )


def setup(app: Sphinx) -> dict[str, Any]:
    """Translate docstrings, and resolve types by their public names."""
    app.connect("autodoc-process-docstring", _translate)
    app.connect("missing-reference", _lead_to_public_name)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
