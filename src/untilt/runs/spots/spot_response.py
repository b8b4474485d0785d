"""The best response to a player of a solved spot, as a separate solution.

It is exact: one sweep of the tree, not a limit of many. So its run has no checkpoint, and there is
nothing to continue.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from untilt.errors import InvalidOption, shortened
from untilt.formats.base.files import path_of
from untilt.games.holdem.bets.sizes import SEATS
from untilt.games.holdem.solutions.expand_suits import unmerged_tables
from untilt.games.holdem.solutions.solution import Solution
from untilt.options.run import SAVE
from untilt.runs.games.material import Times
from untilt.runs.recorder import Recorder
from untilt.runs.spots.spot_material import prepare_spot
from untilt.runs.spots.spot_pairs import player_of
from untilt.runs.spots.spot_request import SpotTask, response_request
from untilt.solvers.public_tree.tables import StoredTable


def respond(
    solution: Solution,
    player: int | str,
    *,
    locks: Iterable[Mapping[str, Any]] = (),
    output: str | Path | None = None,
    save: bool = True,
    threads: int = 0,
) -> Solution:
    """Return the solution in which `player` plays a best response to the other.

    `player` is 0 or `"oop"`, 1 or `"ip"`. The other plays as in `solution`, except where `locks`
    say otherwise. The response is pure: of equally good actions, a hand takes the first. What is
    locked for `player` stays as it is. A lock that names suits or a card is answered on every
    board, even where `solution` has merged boards that differ only in suits; this needs memory for
    all of them. The run is saved to the folder `output`, by default
    runs/spot-{board}-best-response-{n}, unless `save` is False.

    >>> import untilt
    >>> river = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> solution = untilt.solve(river, iterations=5, save=False)
    >>> response = untilt.spots.respond(solution, "ip", save=False)
    >>> response.ev[1] >= solution.ev[1] - 1e-3
    True
    """
    if not isinstance(solution, Solution):
        raise InvalidOption(
            f"{shortened(solution)} is not a solved spot: give what untilt.solve(spot) or "
            "untilt.load(folder) returns"
        )
    SAVE.verify(save)
    seat = player_of(player, "player")
    if not isinstance(locks, Iterable):
        raise InvalidOption.of("locks", locks, "give a list of locks")
    spot = solution.spot.replaced(locks=[*solution.spot.locks, *locks])
    added = spot.locks[len(solution.spot.locks) :]
    source = None if solution.path is None else str(solution.path)
    request = response_request(spot, SEATS[seat], source, added, {"threads": threads})
    if not save:
        return _respond(solution, seat, request, Recorder())
    folder = None if output is None else path_of(output)
    with Recorder.create(folder, "spot", f"{spot.board_text}-{request.method}") as recorder:
        return _respond(solution, seat, request, recorder)


def _respond(solution: Solution, seat: int, request: SpotTask, recorder: Recorder) -> Solution:
    material = prepare_spot(request, can_merge=solution.is_merged)
    tables: tuple[StoredTable, StoredTable] = solution.snapshot.tables
    if material.is_merged != solution.is_merged:  # a new lock names suits or a card
        tables = unmerged_tables(solution, material.form)
    solver = material.sweeps
    solver.warm_up()
    compile_seconds = recorder.elapsed()
    material.begin(recorder, is_whole_or_nothing=True)
    solver.respond(tables, seat, material.locks)
    return material.finish(recorder, Times(compile_seconds, recorder.total_seconds(), None))
