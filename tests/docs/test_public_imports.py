"""Pages, notebooks and examples use public names only: what stands inside may move."""

import ast
import json
from collections.abc import Iterator

from tests.docs.pages import PAGES, ROOT, blocks_of

import untilt

PUBLIC = {"untilt", *(f"untilt.{name}" for name, home in untilt._HOME.items() if home == "untilt")}
"""The modules from which users import."""


def shown() -> Iterator[tuple[str, str]]:
    """Yield everything in Python that users read, with where it stands."""
    for page in PAGES:
        for block in blocks_of(page):
            if block.language == "python":
                yield f"{page.name}:{block.line}", block.text
    for path in sorted((ROOT / "docs" / "notebooks").glob("*.ipynb")):
        for cell in json.loads(path.read_text("utf-8"))["cells"]:
            if cell["cell_type"] == "code":
                yield path.name, "".join(cell["source"])
    for path in sorted((ROOT / "examples").glob("*.py")):
        yield path.name, path.read_text("utf-8")


def inner_imports(source: str) -> list[str]:
    """Return the modules of ours that are imported but not public."""
    found = []
    for node in ast.walk(ast.parse(source)):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        found += [name for name in names if name.split(".")[0] == "untilt" and name not in PUBLIC]
    return found


def test_users_read_public_names_only() -> None:
    found = {f"{place}: {name}" for place, text in shown() for name in inner_imports(text)}
    assert not found


def test_inner_imports_are_found() -> None:
    source = (
        "import untilt.game.histories.tree\nfrom untilt.formats import phh\n"
        "from untilt.play import Bot"
    )
    assert inner_imports(source) == ["untilt.game.histories.tree", "untilt.formats"]
