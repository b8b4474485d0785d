"""Push/fold charts of tables with two to nine seats, for chips or prizes."""

from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from types import MappingProxyType

from untilt.errors import InvalidOption
from untilt.formats.base.files import shown
from untilt.games.pushfold.tables.solver import solve_table
from untilt.games.pushfold.tables.table import MAX_SEATS, MIN_SEATS, MOST_ALL_IN, PushFoldTable
from untilt.games.pushfold.tables.table_chart import TableChart, chart_of
from untilt.games.pushfold.tables.table_text import ranges_of_text
from untilt.number import Integer, Number, number_of
from untilt.numeric.arrays import Floats
from untilt.numeric.chunks import OnShare, check_threads
from untilt.runs.pushfold.table_file import load_chart
from untilt.runs.pushfold.text_file import text_of

TARGET = 2.5e-5
"""What best responses may gain together, in big blinds, at up to three seats."""
TARGET_OF_MANY = 2.5e-4
"""The same for more seats, whose model is off by about as much."""
TARGET_OF_POOL = 5e-7
"""The same with prizes, as a share of the pool."""
MAX_ITERATIONS = 2_000
MIN_ITERATIONS = 150
"""With up to three seats: the values of the blinds settle later than the gains."""


def make_table(
    seats: int | None,
    stack: float | None,
    stacks: Iterable[float] | None,
    *,
    small_blind: float = 0.5,
    ante: float = 0.0,
    bb_ante: float = 0.0,
    prizes: Iterable[float] = (),
    others: Iterable[float] = (),
    bounty: float | Iterable[float] = 0.0,
    max_all_in: int | None = None,
) -> PushFoldTable:
    """Return the table that was asked for: `seats` with one `stack`, or the `stacks` of all."""
    if seats is not None and not Integer(MIN_SEATS, MAX_SEATS).accepts(seats):
        raise InvalidOption.of("seats", seats, f"give {MIN_SEATS} to {MAX_SEATS}")
    if stacks is None:
        if seats is None:
            raise InvalidOption("seats and stacks are missing; give one of them")
        own = (_amount("stack", 10.0 if stack is None else stack),) * seats
    else:
        own = amounts("stacks", stacks)
        if seats is not None and len(own) != seats:
            raise InvalidOption(
                f"{len(own)} stacks are given for {seats} seats; give one for each, in the order "
                "in which they act"
            )
    elsewhere = amounts("others", others)
    heads = amounts("bounty", bounty if isinstance(bounty, Iterable) else [bounty])
    if len(heads) == 1:
        heads *= len(own) + len(elsewhere)
    most = MOST_ALL_IN if max_all_in is None else max_all_in
    Integer(2, MOST_ALL_IN).read("max_all_in", most)
    return PushFoldTable(
        stacks=own,
        small_blind=_amount("small_blind", small_blind),
        ante=_amount("ante", ante),
        bb_ante=_amount("bb_ante", bb_ante),
        prizes=amounts("prizes", prizes),
        others=elsewhere,
        bounties=heads if any(heads) else (),
        max_all_in=min(most, len(own)),
    )


def _amount(name: str, given: object) -> float:
    number = number_of(given)
    if number is None or not Number(above=-1e9, below=1e9).accepts(number):
        raise InvalidOption.of(name, given, "it must be a number of big blinds")
    return float(number)


def amounts(name: str, given: object) -> tuple[float, ...]:
    """Return the numbers of an argument as floats."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidOption.of(name, given, "give a list of numbers, such as [10, 6, 4]")
    found = list(islice(given, 33))
    if len(found) > 32:
        raise InvalidOption.of(name, "more than 32 numbers", "give at most 32")
    numbers = []
    for each in found:
        number = number_of(each)
        if number is None or not Number(above=-1e15, below=1e15).accepts(number):
            raise InvalidOption.of(name, each, "give finite numbers")
        numbers.append(float(number))
    return tuple(numbers)


def solve_chart_of_table(
    table: PushFoldTable,
    *,
    locked: Mapping[int, Floats] = MappingProxyType({}),
    target: float | None = None,
    max_iterations: int = MAX_ITERATIONS,
    threads: int = 1,
    watcher: OnShare | None = None,
) -> TableChart:
    """Return the charts of a table, solved until best responses gain at most `target` together.

    `locked` are ranges [169] by node that are kept.
    """
    check_threads(threads)
    if target is None:
        target = TARGET if table.num_seats <= 3 else TARGET_OF_MANY
        target = TARGET_OF_POOL if table.prizes else target
    model, solved = solve_table(
        table,
        target=target,
        max_iterations=max_iterations,
        min_iterations=MIN_ITERATIONS if table.num_seats <= 3 else 0,
        locked=locked,
        threads=threads,
        watcher=watcher,
    )
    return chart_of(table, solved, model.chips(solved.measured))


def solve_asked_table(
    table: PushFoldTable,
    *,
    locked: str | None = None,
    target: float | None = None,
    iterations: int | None = None,
    threads: int = 1,
    watcher: OnShare | None = None,
) -> TableChart:
    """Return the charts of a table with what a user gave: checked, `locked` as text or file."""
    if target is not None:
        target = Number(least=0.0).read("target", target)
    if iterations is not None:
        iterations = Integer(1, 10**7).read("iterations", iterations)
    kept = {} if locked is None else read_ranges(table, locked, "locked")
    return solve_chart_of_table(
        table,
        locked=kept,
        target=target,
        max_iterations=MAX_ITERATIONS if iterations is None else iterations,
        threads=threads,
        watcher=watcher,
    )


def read_ranges(table: PushFoldTable, given: str, argument: str) -> dict[int, Floats]:
    """Return ranges [169] by node that are given as text, or as a file with such text."""
    if not isinstance(given, str):
        raise InvalidOption.of(argument, given, "give text such as 'button: 45%', or a file")
    if ":" in given and not Path(given).exists():
        return ranges_of_text(table, "the text", given)
    path = Path(given)
    if path.suffix.lower() == ".table":
        chart = load_chart(path)
        if chart.table.num_seats != table.num_seats:
            raise InvalidOption(
                f"{shown(path)} has {chart.table.num_seats} seats, this table "
                f"{table.num_seats}; give charts of as many"
            )
        nodes = {state: node for node, state in enumerate(table.states)}
        return {
            nodes[each.state]: each.frequency for each in chart.decisions if each.state in nodes
        }
    return ranges_of_text(table, shown(path), text_of(path))
