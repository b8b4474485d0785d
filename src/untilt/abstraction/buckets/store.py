"""Tables of streets on disk: built once, checked whenever they are opened, mapped into memory.

`buckets/flop-200-0123456789abcdef.bin` in the cache folder is a container of the kind "buckets".
Its name ends with the fingerprint of the recipe, so other parameters, or a newer method, use
another file. Files are written completely or not at all. A damaged file is rebuilt.
"""

import warnings
from dataclasses import asdict
from pathlib import Path

import numpy as np

from untilt.abstraction.buckets.board_rows import NUM_COLUMNS, NUM_ROWS
from untilt.abstraction.buckets.clustering import WHOLE, width_of
from untilt.abstraction.buckets.recipe import METHOD, PREFLOP, BucketRecipe
from untilt.abstraction.buckets.streets import StreetBuilder, StreetTable, smallest_type
from untilt.cache_folder import cache_folder, make_private
from untilt.cards.combos import NUM_CLASSES
from untilt.errors import FormatError, StorageError
from untilt.formats.base.container import open_container, write_container
from untilt.formats.base.files import REPEAT, remove_leftovers_of, shown, storage_error

KIND = "buckets"
_MAX_DEALS = 1 << 40
"""More than the deals of a hand and a board, and few enough to be multiplied."""


class BucketsWarning(UserWarning):
    """A stored table of buckets cannot be read or written."""


def buckets_folder() -> Path:
    """Return the folder of all tables, which need not exist."""
    return cache_folder() / "buckets"


def path_of(recipe: BucketRecipe) -> Path:
    """Return the file of a table."""
    return buckets_folder() / f"{recipe.name}-{recipe.buckets}-{recipe.fingerprint}.bin"


def obtain(recipe: BucketRecipe, builder: StreetBuilder) -> StreetTable:
    """Return the stored table of a recipe, or build and store it.

    Warns if a stored table is damaged, which is then replaced, and if it cannot be stored.
    """
    path = path_of(recipe)
    if path.exists():
        try:
            return read_table(path, recipe)
        except FormatError as error:
            warnings.warn(f"{error}; the table is built again", BucketsWarning, stacklevel=2)
    table = builder.build(recipe)
    try:
        write_table(path, table)
        return read_table(path, recipe)
    except StorageError as error:
        message = (
            f"{error}; the table is not kept"
            if error.is_full
            else f"{shown(path.parent)} cannot be written, so the table is not kept; set "
            "UNTILT_CACHE_DIR to another folder"
        )
        warnings.warn(message, BucketsWarning, stacklevel=2)
        return table


def write_table(path: Path, table: StreetTable) -> None:
    """Store a table; raise StorageError if that fails."""
    try:
        make_private(path.parent)
    except OSError as error:
        raise storage_error(path, error, REPEAT) from error
    remove_leftovers_of(path)
    write_container(
        path,
        KIND,
        {"method": METHOD, "recipe": asdict(table.recipe), "spread": table.spread},
        {
            "buckets": table.buckets,
            "centroids": table.centroids,
            "sizes": table.sizes,
            "distances": table.distances,
        },
        remedy=REPEAT,
    )


def read_table(path: Path, recipe: BucketRecipe) -> StreetTable:
    """Return a stored table; raise FormatError if it is damaged or has another recipe."""
    with open_container(path, KIND) as opened:
        if opened.meta.get("method") != METHOD or opened.meta.get("recipe") != asdict(recipe):
            raise FormatError(f"{shown(path)} was made with other parameters than its name says")
        (count,) = opened.shape("sizes", np.int64, (None,))
        if not 1 <= count <= recipe.buckets:
            raise FormatError(f"{shown(path)} is damaged (it has {count} buckets)")
        rows, columns = (
            (1, NUM_CLASSES)
            if recipe.street == PREFLOP
            else (NUM_ROWS[recipe.street], NUM_COLUMNS[recipe.street])
        )
        opened.shape("buckets", smallest_type(count), (rows, columns))
        opened.shape("centroids", np.uint8, (count, width_of(recipe.bins)))
        opened.shape("distances", np.int64, (count,))
        for name in opened.names:
            opened.verify(name, opened.pieces(name))
        table = StreetTable(
            recipe,
            opened.mapped("buckets", is_private=True),
            *(opened.read(name) for name in ("centroids", "sizes", "distances")),
        )
        if int(table.buckets.max()) >= count:
            raise FormatError(f"{shown(path)} is damaged (a bucket is out of range)")
        if not _is_possible(table):
            raise FormatError(f"{shown(path)} is damaged (the numbers of its buckets)")
        return table


def _is_possible(table: StreetTable) -> bool:
    """Whether centroids are distributions, sizes are counts, and distances are within bounds."""
    cdfs, sizes, furthest = table.centroids, table.sizes, WHOLE * table.recipe.bins
    return (
        bool(np.all(cdfs[:, :-1] <= cdfs[:, 1:]))
        and bool(np.all(cdfs[:, table.recipe.bins - 1 :] == WHOLE))
        and bool(np.all((sizes >= 0) & (sizes <= _MAX_DEALS)))
        and bool(sizes.any())
        and bool(np.all((table.distances >= 0) & (table.distances <= furthest * sizes)))
    )
