"""The files that `untilt chart` writes: which are allowed, and writing them."""

from collections.abc import Callable, Mapping
from pathlib import Path

from untilt.errors import InvalidOption, RunError

_ENDINGS = {
    "--png": (".png",),
    "--svg": (".svg",),
    "--csv": (".csv",),
    "--html": (".html", ".htm"),
}
"""Allowed file name endings of each option."""


def verify_files(files: dict[str, Path | None]) -> None:
    """Reject files that cannot be written, before any work."""
    for option, path in files.items():
        if path is None:
            continue
        endings = _ENDINGS[option]
        if path.suffix.lower() not in endings:
            raise InvalidOption(
                f"{option} writes {endings[0].removeprefix('.').upper()}, but {path} does not end "
                f"in {' or '.join(endings)}; rename it"
            )
        if path.exists():
            raise RunError(f"{path} already exists; choose another file for {option}")
        if not path.parent.is_dir():
            raise RunError(f"the folder of {path} does not exist; create it first")
        if option in ("--png", "--svg"):
            from untilt.charts.figures.plot_file import verify_matplotlib

            verify_matplotlib(option)


def write_files(files: dict[str, Path | None], makers: "Mapping[str, Callable[[], bytes]]") -> None:
    """Write the files that were asked for, each made by the maker of its option."""
    from untilt.cli.app.output import say
    from untilt.formats.base.files import REPEAT, write_atomically

    for option, path in files.items():
        if path is not None:
            write_atomically(path, [makers[option]()], remedy=REPEAT)
            say(f"written: {path}")
