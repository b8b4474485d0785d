"""External sampling on abstract River of Blood: nodes per second of processor time, and memory.

    uv run python benchmarks/abstract_sampling.py --seconds 60

Prints a line every five seconds of processor time: the rate since the last line and since the
start, infosets met, and the peak memory. The states are those of examples/river_of_blood.py, or,
with `--cards classes`, the 169 starting hands in place of buckets.
"""

import argparse
import resource
import time

from untilt.abstraction import (
    abstract,
    algebraic,
    capped_bets,
    equities,
    hand_class,
    linear_pot,
    player,
    pot_fractions,
    street,
)
from untilt.cards import card_name
from untilt.game.compiled import NOTHING_KNOWN
from untilt.games import river_of_blood
from untilt.games.holdem.game import HoldemInfoset
from untilt.solvers.mccfr.solver import MccfrSolver
from untilt.solvers.methods import method_named

LINE_SECONDS = 5.0


@algebraic
def last_card_is_black(infoset: HoldemInfoset) -> bool:
    """Whether the last card of the board is black; on the river or later, the hand then ends."""
    return bool(infoset.board) and card_name(infoset.board[-1])[1] in "cs"


def make_solver(cards: str, method: str) -> MccfrSolver:
    """Return a solver of the abstract game."""
    menu = capped_bets(pot_fractions(0.5, 1.0, all_in=True), 8)
    held = hand_class if cards == "classes" else equities((8,) + (40,) * 7)
    states = last_card_is_black * street * player * linear_pot(20) * held
    chosen = method_named(method)
    solver = chosen.build(
        NOTHING_KNOWN,
        chosen.options({"on": "objects"}),
        None,
        root=abstract(river_of_blood(), states, menu),
    )
    assert isinstance(solver, MccfrSolver)
    return solver


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--cards", choices=("buckets", "classes"), default="buckets")
    parser.add_argument("--method", default="es-linear")
    given = parser.parse_args()
    solver = make_solver(given.cards, given.method)
    solver.warm_up()
    solver.advance(1)  # buckets are read from disk, or built
    began = last = time.process_time()
    first = before = solver.nodes
    for progress in solver.progress():
        now = time.process_time()
        if now - last >= LINE_SECONDS:
            nodes = progress.nodes or 0
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(
                f"{now - began:6.1f} s  {(nodes - before) / (now - last):9,.0f} nodes/s  "
                f"mean {(nodes - first) / (now - began):9,.0f}  iteration {progress.iteration:,}  "
                f"{progress.infosets:,} infosets  {memory:,.0f} MB",
                flush=True,
            )
            last, before = now, nodes
        if now - began >= given.seconds:
            break


if __name__ == "__main__":
    main()
