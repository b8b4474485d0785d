"""`untilt.spots.resolve`: a spot solved within a budget of seconds, without a run."""

import time
from dataclasses import replace
from typing import Any

from untilt.cards.ranges.range import Range
from untilt.errors import InvalidOption, shortened
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.solutions.solution import Solution, SolutionNode, SolvingFacts
from untilt.games.holdem.spots.locks import is_merged_for
from untilt.games.holdem.spots.public_form import compile_spot, with_runouts
from untilt.games.holdem.spots.spot import Spot, share_of_pot
from untilt.number import Integer, Number
from untilt.solvers.public_tree.resolve import resolve_tree


def resolve(
    subject: Spot | SolutionNode,
    *,
    ranges: tuple[str | Range, str | Range] | None = None,
    sizes: Sizes | None = None,
    budget: float = 0.05,
    target: str | float | None = None,
    threads: int = 1,
) -> Solution:
    """Solve a spot, or the street that begins at a node of a solution, within `budget` seconds.

    For bots: nothing is written, and once the kernels are compiled, solving takes the budget, or
    less if `target` (chips, or a share of the pot such as `"0.5%"`) is reached earlier. `ranges`
    and `sizes` replace those of the spot or node.

    >>> import untilt
    >>> river = untilt.Spot("2c2d2h3c3d", ("AA, QQ", "KK"), 100, 100, untilt.Sizes("100%"))
    >>> round(sum(untilt.spots.resolve(river, budget=0.2).ev))  # both take the pot together
    100
    """
    if not Number(above=0).accepts(budget):
        raise InvalidOption.of("budget", budget, "give seconds, more than 0")
    if not (target is None or isinstance(target, str) or Number(least=0).accepts(target)):
        raise InvalidOption.of("target", target, "give chips such as 0.5, or a share such as 0.1%")
    if not Integer().accepts(threads):
        raise InvalidOption.of("threads", threads, "it must be an integer, at least 1")
    changes: dict[str, Any] = {} if ranges is None else {"ranges": ranges}
    if sizes is not None:
        changes["sizes"] = sizes
    if isinstance(subject, SolutionNode):
        spot = subject.spot(**changes)
    elif isinstance(subject, Spot):
        spot = subject.replaced(**changes) if changes else subject
    else:
        raise InvalidOption(f"{shortened(subject)} is neither a spot nor a node of a solution")
    if spot.locks:
        raise InvalidOption("resolve takes no locks; use untilt.solve")
    began = time.perf_counter()
    is_merged = is_merged_for(spot)
    form = compile_spot(spot, is_merged=is_merged)
    left = max(budget - (time.perf_counter() - began), 1e-4)
    goal = None if target is None else share_of_pot("target", target, spot.pot)
    found = resolve_tree(form.tree, budget=left, target=goal, threads=threads)
    facts = SolvingFacts(
        method="dcfr",
        iterations=found.iterations,
        seconds=found.seconds,
        total_seconds=time.perf_counter() - began,
        values=found.evaluation.values,
        gains=found.evaluation.gains,
    )
    snapshot = replace(found.snapshot, tree=with_runouts(form.tree))
    return Solution(form, snapshot, facts, is_merged)
