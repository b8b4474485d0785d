"""Formulas as MathML, written into the pages at build time.

Browsers draw MathML themselves: a page needs no script, no font and no connection for it. The
translator is that of docutils, on which Sphinx is built. A formula that it cannot read is a
warning, and so an error of the build.
"""

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

# Spellings that the translator does not know, and what it calls the same.
_SPELLINGS = (
    (re.compile(r"\\([dt]?frac)(\d)(\d)"), r"\\\1{\2}{\3}"),
    (re.compile(r"\\dots\b"), r"\\ldots"),
    (re.compile(r"\\([bB]igg?)(?=\s*(?:[(\[]|\\\{))"), r"\\\1l"),
    (re.compile(r"\\([bB]igg?)(?=\s*(?:[)\]]|\\\}))"), r"\\\1r"),
)
_LOGGER = logging.getLogger(__name__)


def _visit_inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def _visit_block(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def _mathml(node: nodes.Element, *, as_block: bool) -> str:
    formula = node.astext()
    spelled = formula
    for pattern, known in _SPELLINGS:
        spelled = pattern.sub(known, spelled)
    try:
        return tex2mathml(spelled, as_block=as_block)
    except MathError as error:
        _LOGGER.warning("cannot read the formula %r: %s", formula, error, location=node)
        return ""


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name `mathml`."""
    app.add_html_math_renderer("mathml", (_visit_inline, None), (_visit_block, None))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
