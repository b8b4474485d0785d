"""Every number of a solved spot's file is checked before it is used: the file may be forged."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.runs.forged_kinds import KINDS, read_spot_file
from tests.runs.forging import Arrays

from untilt.errors import FormatError
from untilt.formats.base.checked_array import block_checksums
from untilt.formats.base.container import read_container, write_container


def without(name: str) -> Callable[[Arrays], None]:
    """Return the change that removes an array."""
    return lambda arrays: arrays.__delitem__(name)


def set_to(name: str, place: Any, value: Any) -> Callable[[Arrays], None]:
    """Return the change of some numbers of an array."""
    return lambda arrays: arrays[name].__setitem__(place, value)


FORGED_SOLUTIONS: list[tuple[str, Callable[[Arrays], None]]] = [
    *(
        (f"array '{name}' is missing", without(name))
        for name in ("dealt_0", "table_1", "table_0.crc32", "weights_1", "runouts_0.balance")
    ),
    ("array 'weights_1' is", lambda arrays: arrays.update(weights_1=arrays["weights_1"][:-1])),
    ("array 'table_0' is", lambda arrays: arrays.update(table_0=arrays["table_0"].view(np.int32))),
    *(
        (message, set_to(name, place, value))
        for value in (np.nan, np.inf, -np.inf, -0.5)
        for message, name, place in (
            ("impossible numbers", "table_0", 0),
            ("impossible numbers", "table_1", slice(None)),
            ("the weights of player 0", "weights_0", 1),
            ("the betting of|do not fit together", "street_0.stakes", (1, 0, 0)),
        )
    ),
    *(("impossible numbers", set_to("dealt_0", 5, value)) for value in (np.nan, np.inf, -1e9)),
    ("the betting of", set_to("street_0.first_child", 0, 2**31 - 1)),
    ("the lanes of|street 1", set_to("boards_1_0.hand", 0, 65_000)),
    ("the run-outs of", set_to("runouts_0.balance", 0, 2**14)),
    ("do not fit together", set_to("boards_0_0.blockers", (0, 0), 3)),
]


@pytest.fixture(scope="module")
def turn(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The solution of a turn."""
    return KINDS["solution of a turn"].make(tmp_path_factory.mktemp("turn"))


@pytest.mark.parametrize(("message", "change"), FORGED_SOLUTIONS)
def test_no_number_of_a_forged_solution_is_believed(
    turn: Path, tmp_path: Path, message: str, change: Callable[[Arrays], None]
) -> None:
    found = read_container(turn, "public", in_memory=True)
    arrays = dict(found.arrays)
    change(arrays)
    for name, array in list(arrays.items()):
        if f"{name}.crc32" in arrays:
            arrays[f"{name}.crc32"] = block_checksums(array)
    forged = tmp_path / "strategy.bin"
    write_container(forged, "public", found.meta, arrays)
    with pytest.raises(FormatError, match=message):
        read_spot_file(forged)


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The quantal solution of a river."""
    return KINDS["quantal solution of a river"].make(tmp_path_factory.mktemp("noisy"))


@pytest.mark.parametrize("name", ["betas", "residual", "values", "gains"])
@pytest.mark.parametrize("number", [10**400, -(10**400), 1e308, -1e9, True, "1", None])
def test_no_number_that_a_forged_solution_says_of_itself_is_believed(
    noisy: Path, tmp_path: Path, name: str, number: Any
) -> None:
    found = read_container(noisy, "public", in_memory=True)
    meta = {**found.meta, name: [found.meta[name][0], number]}
    forged = tmp_path / "strategy.bin"
    write_container(forged, "public", meta, found.arrays)
    with pytest.raises(FormatError, match=r"does not say what it solves|do not fit together"):
        read_spot_file(forged)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 0.5, -1e38])
@pytest.mark.parametrize("name", ["log_0", "log_1"])
def test_no_logarithm_of_a_forged_quantal_solution_is_believed(
    noisy: Path, tmp_path: Path, name: str, value: float
) -> None:
    found = read_container(noisy, "public", in_memory=True)
    arrays = dict(found.arrays)
    arrays[name] = arrays[name].copy()
    arrays[name][0] = value
    arrays[f"{name}.crc32"] = block_checksums(arrays[name])
    forged = tmp_path / "strategy.bin"
    write_container(forged, "public", found.meta, arrays)
    with pytest.raises(FormatError, match="impossible numbers"):
        read_spot_file(forged)
