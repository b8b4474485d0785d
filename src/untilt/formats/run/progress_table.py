"""The progress of a run as a table: an array per column."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.display import Cell, html_table, short_number
from untilt.errors import UnknownName, require
from untilt.formats.run.progress import COLUMNS
from untilt.formats.run.progress_reader import columns_of, read_columns
from untilt.numeric.arrays import Floats

if TYPE_CHECKING:
    from pandas import DataFrame

_MAX_SHOWN = 8
"""Rows of the table in a notebook."""
_SHOWN = (
    *("iteration", "seconds", "beta", "exploitability", "value", "value_1"),
    *("residual", "drift", "lbr", "lbr_margin"),
)


class ProgressTable(Mapping[str, Floats]):
    """The convergence of a run: `progress["exploitability"]` is an array with a number per row.

    The columns are those of `progress.jsonl`; a column without a single number is left out. A
    number that was not measured is nan. Arrays are read-only.

    >>> import untilt
    >>> progress = untilt.solve("kuhn", "cfr+", iterations=100, save=False).progress
    >>> progress["iteration"][:4].tolist()
    [1.0, 2.0, 3.0, 4.0]
    >>> bool(progress["exploitability"][-1] < progress["exploitability"][0])
    True
    """

    def __init__(self, rows: Iterable[Mapping[str, Any]]) -> None:
        self._keep(columns_of(rows))

    def _keep(self, columns: Floats) -> None:
        self._columns: dict[str, Floats] = {}
        self._length = len(columns[0])
        for column, numbers in zip(COLUMNS, columns, strict=True):
            if np.isfinite(numbers).any():
                values = numbers.copy()
                values.flags.writeable = False
                self._columns[column.name] = values

    @classmethod
    def read(cls, path: Path) -> "ProgressTable":
        """Return the table of a file `progress.jsonl`; empty if the file is missing."""
        table = cls(())
        table._keep(read_columns(path))
        return table

    @property
    def num_rows(self) -> int:
        """How many moments were measured."""
        return self._length

    def __getitem__(self, name: str) -> Floats:
        try:
            return self._columns[name]
        except (KeyError, TypeError):
            raise UnknownName.among("column", name, self._columns) from None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._columns

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __repr__(self) -> str:
        return f"<ProgressTable: {self._length:,} rows of {', '.join(self._columns) or 'nothing'}>"

    def to_frame(self) -> "DataFrame":
        """Return the table as a pandas frame, with a row per moment."""
        pandas = require("pandas", "to_frame")
        whole = {column.name for column in COLUMNS if column.type is int}
        frame: DataFrame = pandas.DataFrame(
            {
                name: values.astype(np.int64)
                if name in whole and np.isfinite(values).all()
                else values.copy()
                for name, values in self._columns.items()
            }
        )
        return frame

    def _repr_html_(self) -> str:
        """Return a small table for notebooks: some rows, the last one among them."""
        names = [name for name in _SHOWN if name in self._columns]
        places = np.unique(np.linspace(0, self._length - 1, _MAX_SHOWN).astype(int))
        rows: list[list[Cell]] = [
            [short_number(float(self._columns[name][place])) for name in names]
            for place in (places if self._length else ())
        ]
        more = self._length - len(rows)
        note = f"{len(rows)} of {self._length:,} rows; .to_frame() has all" if more else ""
        return html_table("Progress", rows, header=names, note=note)
