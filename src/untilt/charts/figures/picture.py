"""Figures by Matplotlib: notebooks show them, and the same figure gives the same file.

This module needs Matplotlib; import it inside functions, after
`charts.plot_file.verify_matplotlib`.
"""

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from untilt.errors import Argument, StorageError

DPI = 150


class Picture(Figure):
    """A figure that a notebook shows by itself, and that can be saved under a name."""

    def __repr__(self) -> str:
        width, height = self.get_size_inches()
        return f"<Picture of {width:g} × {height:g} inches; save it with .save('name.svg')>"

    def _repr_png_(self) -> bytes:
        return self.to_bytes("png")

    def to_bytes(self, form: str) -> bytes:
        """Return the picture as `svg`, `png` or `pdf`."""
        image = io.BytesIO()
        with drawing_style():
            # Without the date the same picture gives the same file.
            dated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
            self.savefig(image, format=form, dpi=DPI, metadata=dated.get(form))
        return image.getvalue()

    def save(self, path: Path) -> None:
        """Write the picture to `path`, whose ending gives the format; an old file is replaced."""
        try:
            path.write_bytes(self.to_bytes(path.suffix.removeprefix(".").lower()))
        except OSError as error:
            raise StorageError(
                f"cannot write {path} ({error.strerror}); choose another ", Argument("plot")
            ) from error


@contextmanager
def drawing_style() -> Iterator[None]:
    """Draw with settings of our own: the same figure then gives the same SVG."""
    with rc_context({"svg.hashsalt": "untilt", "font.family": ["DejaVu Sans"]}):
        yield
