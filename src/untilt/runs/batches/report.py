"""`untilt.spots.report`: one line over all run-outs of a solution, or a spot over many flops."""

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from untilt.errors import Argument, InvalidOption
from untilt.formats.base.files import path_of
from untilt.games.holdem.solutions.report import Report, report_line
from untilt.games.holdem.solutions.solution import Solution
from untilt.games.holdem.spots.spot import Spot
from untilt.runs.batches.flop_report import (
    is_report_folder,
    load_report,
    read_spot_of_flops,
    report_spot,
)
from untilt.runs.spots.solutions import load_spot


def report(
    source: Solution | Spot | str | PathLike[str],
    line: str = "",
    *,
    flops: str | int | Sequence[str] | None = None,
    board: str | None = None,
    **how: Any,
) -> Report:
    """Return one line of betting over many boards: a row per board and a weighted total.

    For a `Solution` or its folder: the line over all turn or river cards; `board` fixes the first
    of them. For a `Spot` or the path of its file, with `flops` (`"all"`, a number or a list): the
    spot solved on these flops; `how` holds the arguments of `untilt.solve` for each, `processes`,
    and `output`, the folder that keeps the results. For such a folder: its report, as far as it is
    solved.

    >>> import untilt
    >>> turn = untilt.Spot("2c2d2h3c", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> solution = untilt.solve(turn, iterations=20, save=False)
    >>> untilt.spots.report(solution, "check, check").actions
    ('check', 'all-in 100')
    """
    if not isinstance(line, str):
        raise InvalidOption.of("line", line, "give moves such as 'check, check'")
    if flops is not None:
        if isinstance(source, Solution):
            raise InvalidOption(
                Argument("flops"), " needs a spot, which is solved on each: give solution.spot"
            )
        spot = source if isinstance(source, Spot) else read_spot_of_flops(path_of(source))
        return report_spot(spot, flops, line=line, **how).at(line)
    if how:
        raise InvalidOption(
            Argument(next(iter(how))), " is only for reports over ", Argument("flops")
        )
    if isinstance(source, Spot):
        raise InvalidOption(
            "a spot has no solution yet: solve it first, or give ", Argument("flops")
        )
    if isinstance(source, Solution):
        return report_line(source, line, board=board)
    path: Path = path_of(source)
    if is_report_folder(path):
        return load_report(path).at(line)
    return report_line(load_spot(path), line, board=board)
