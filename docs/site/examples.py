"""The sources of the examples, shown on the page that lists them.

Pages link to files of `../examples`, as is right in the repository. On the site such a link leads
to the source, which is added to the page of examples; other files become downloads.
"""

import re
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

_PAGE = "examples"
_LINK = re.compile(r"\]\(\.\./examples/(\w+)\.py\)")
_FOLDER = Path(__file__).parents[2] / "examples"


def _show_sources(app: Sphinx, page: str, source: list[str]) -> None:
    del app
    listed = _LINK.findall(source[0])
    source[0] = _LINK.sub(rf"]({_PAGE}.md#\1py)", source[0])
    if page == _PAGE:
        missing = {path.stem for path in _FOLDER.glob("*.py")} - {*listed}
        assert not missing, f"{_PAGE}.md does not list {sorted(missing)}"
        for name in listed:
            source[0] += f"\n## {name}.py\n\n```{{literalinclude}} ../examples/{name}.py\n```\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Change the pages as they are read."""
    app.connect("source-read", _show_sources)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
