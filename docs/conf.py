"""Settings of the documentation site; `build_site.py` builds it.

The pages stay plain Markdown, readable wherever the repository is shown and run by the tests.
What the site adds is made at build time, in `site/`.
"""

import sys
from pathlib import Path

import untilt

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS / "site"))

project = "Untilt"
author = "The Untilt developers"
project_copyright = author
release = version = untilt.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "docstrings",
    "examples",
    "mathml",
    "navigation",
]
exclude_patterns = ["site"]
nitpicky = True
# Types in signatures that have no page here: those of other packages, whose pages would have to be
# asked over the network, and those inside our modules that are not public.
nitpick_ignore_regex = [(r"py:.*", r"(?!untilt\.)\S*"), (r"py:.*", r"untilt\.[a-z]\w*\.\S*")]

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4  # links such as page.md#heading, as code hosts make them
# The notebooks are stored with their outputs, which the tests compare with those of a run.
nb_execution_mode = "off"
nb_mime_priority_overrides = [("html", "text/html", 0)]

autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_display_short_literal_types = True
add_module_names = False
default_role = "code"

html_theme = "furo"
html_title = f"Untilt {release}"
html_favicon = "../web/favicon.svg"
html_static_path = ["site/site.css"]
html_css_files = ["site.css"]
html_math_renderer = "mathml"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
# An excerpt would be fetched from each page found, which browsers refuse where pages are files.
html_show_search_summary = False
