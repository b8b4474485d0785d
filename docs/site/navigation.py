"""The navigation of the site, read from the tables of the front page.

Each second-level heading of `index.md` is a part of the navigation, with the pages that are linked
below it in their order. So the list exists once, and can be read where the repository is shown.
Sphinx warns of a page that is missing from it.
"""

import re
from collections.abc import Iterator
from typing import Any

from sphinx.application import Sphinx

_LINK = re.compile(r"\]\(([\w/-]+\.(?:md|ipynb))\)")


def parts_of(index: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each heading of the front page with the files that are linked below it."""
    for section in re.split(r"^## ", index, flags=re.M)[1:]:
        heading, _, text = section.partition("\n")
        if links := list(dict.fromkeys(_LINK.findall(text))):
            yield heading.strip(), links


def _add_navigation(app: Sphinx, page: str, source: list[str]) -> None:
    del app
    if page != "index":
        return
    for heading, links in parts_of(source[0]):
        pages = "\n".join(link.rpartition(".")[0] for link in links)
        source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n{pages}\n```\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the navigation when the front page is read."""
    app.connect("source-read", _add_navigation)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
