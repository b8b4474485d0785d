"""Files that figures are drawn to, checked before any work."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from untilt.errors import Argument, InvalidOption, require
from untilt.formats.base.files import path_of

if TYPE_CHECKING:
    from untilt.charts.figures.picture import Picture

FORMATS = (".svg", ".png", ".pdf")


def verify_matplotlib(*what: str | Argument) -> None:
    """Raise InvalidOption if Matplotlib, which `what` needs, is not installed."""
    require("matplotlib", *what)


def verify_plot(path: Path, argument: str = "plot", *, may_exist: bool = False) -> None:
    """Raise InvalidOption if a command cannot draw a figure to `path`, given as `argument`."""
    _verify_format(path, argument)
    if path.exists() and not may_exist:
        raise InvalidOption(f"{path} already exists; choose another ", Argument(argument))
    verify_matplotlib(Argument(argument))


def plot_path(path: str | os.PathLike[str] | None) -> Path | None:
    """Return the file for `.plot(path)`, which may exist; None if the figure is not saved.

    Raises InvalidOption if it has another ending, or if Matplotlib is not installed.
    """
    file = None if path is None else path_of(path)
    if file is not None:
        _verify_format(file, "path")
    verify_matplotlib("plot")
    return file


def saved(figure: "Picture", path: Path | None) -> "Picture":
    """Return the figure, after writing it if there is a path."""
    if path is not None:
        figure.save(path)
    return figure


def _verify_format(path: Path, argument: str) -> None:
    if path.suffix.lower() not in FORMATS:
        *others, last = FORMATS
        raise InvalidOption(
            Argument(argument),
            f" is {path}; give a name that ends in {', '.join(others)} or {last}",
        )
