"""Folders are small enough to look through, and the name of a class has one meaning."""

import ast
from collections import Counter, defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "untilt"
MOST = 20
"""Files that a reader should have to look through at once, `__init__.py` among them."""


def place_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_no_folder_is_too_large_to_look_through() -> None:
    sizes = Counter(place_of(path.parent) for path in SOURCE.rglob("*.py"))
    assert len(sizes) > 70
    assert {place: size for place, size in sizes.items() if size > MOST} == {}


def test_a_class_name_has_one_meaning() -> None:
    homes = defaultdict(list)
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(place_of(path))
    assert len(homes) > 500
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}
