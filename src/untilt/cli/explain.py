"""`untilt show --explain`: how one infoset learned, iteration by iteration.

Solvers are deterministic, so the run is repeated from its beginning and looked at on the way.
"""

import textwrap
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from untilt.errors import InvalidOption, UnknownName

if TYPE_CHECKING:
    from untilt.cli.sources import Source
    from untilt.game.compiled import CompiledGame
    from untilt.runs.run import Request

MAX_ITERATIONS = 10_000
MAX_SAMPLES = 1_000_000
"""The same for sampling methods, whose iterations are that much shorter."""
_MAX_SECONDS = 20.0
_MAX_ACTIONS_IN_A_LINE = 5

_REGRETS = {
    "cfr": "Actions with a negative sum are not played, the others in proportion to theirs.",
    "cfr+": "Negative sums are set to 0; play is in proportion to the sums.",
    "linear": "Iteration t counts t times; play is in proportion to the positive sums.",
    "dcfr": "Older regrets are discounted; play is in proportion to the positive sums.",
    "dcfr+": "Older regrets are discounted and negative sums set to 0; play is in proportion.",
}
_SAMPLED = (
    "Regrets are estimates from samples, discounted as --regret says; play is in proportion to "
    "the positive sums."
)
_PREDICTIVE = (
    "Negative sums are set to 0; play is in proportion to the sums plus a prediction, the "
    "regret of the last iteration."
)


@dataclass(frozen=True)
class Moment:
    """What the learner at one infoset has after `iteration`; one number per action."""

    iteration: int
    regrets: tuple[float, ...]
    """Regret sums in chips, weighted by the reach of chance and the opponent."""
    current: tuple[float, ...]
    """The strategy that the next iteration plays."""
    average: tuple[float, ...]


def trace(
    request: "Request", game: "CompiledGame", player: int, index: int, until: int
) -> Iterator[Moment]:
    """Yield the moments of infoset `index` of `player` at log-spaced iterations up to `until`."""
    from untilt.solvers.cfr import CfrSolver
    from untilt.solvers.mccfr.solver import MccfrSolver

    if request.options.get("on") == "objects":
        raise InvalidOption(
            "a run on objects cannot be repeated from its folder, which holds no code; solve "
            "with --on tree to see how an infoset learns"
        )
    solver = request.solver(game)
    if not isinstance(solver, CfrSolver | MccfrSolver):
        why = "solves the whole game in one step"
        if request.method == "qre":
            why = "follows a branch of quantal responses, without regrets"
        raise InvalidOption(
            f"{request.method} {why}: there are no iterations to explain; solve by cfr to see some"
        )
    block = game.infosets[player].block(index)
    deadline = time.monotonic() + _MAX_SECONDS
    for iteration in _iterations(until):
        solver.advance(iteration - solver.iteration)
        yield Moment(
            iteration=iteration,
            regrets=tuple(solver.regrets()[player][block].tolist()),
            current=tuple(solver.current_behaviours()[player][block].tolist()),
            average=tuple(solver.snapshot().behaviours[player][block].tolist()),
        )
        if time.monotonic() > deadline:
            return


def print_explanation(source: "Source", label: str, *, as_json: bool) -> None:
    """Print the moments of the infoset with this label, as a table or as JSON."""
    from untilt.cli.output import print_json

    if source.run is None:
        raise InvalidOption("--explain repeats a run; a strategy file has no iterations")
    request = source.run.request
    player, index = _find(source.game, label)
    actions = source.game.infosets[player].actions[index]
    most = MAX_SAMPLES if request.solving_method.is_sampling else MAX_ITERATIONS
    until = min(source.run.iterations or 1, most)
    moments = list(trace(request, source.game, player, index, until))
    if as_json:
        print_json(_document(source.game_name, request.method, label, player, actions, moments))
    else:
        _print(request.method, label, player, actions, moments)


def _rule_of(method: str) -> str:
    """Return a sentence that says what is done with regrets."""
    from untilt.solvers.methods import method_named

    if method_named(method).is_sampling:
        return _SAMPLED
    return _REGRETS.get(method, _PREDICTIVE)


def _iterations(until: int) -> list[int]:
    """Return 1, 2, 3, 5, 10, 20, 50, 100, … below `until`, and `until`."""
    steps = [1, 2, 3, 5, *(digit * 10**power for power in range(1, 19) for digit in (1, 2, 5))]
    return [*(step for step in steps if step < until), until]


def _find(game: "CompiledGame", label: str) -> tuple[int, int]:
    if label in game.forced:
        raise InvalidOption(
            f"infoset {label!r} has the single action {game.forced[label]!r}: nothing is learned"
        )
    for player, table in enumerate(game.infosets):
        if label in table:
            return player, table.index(label)
    raise UnknownName.among("infoset", label, game.infosets[0].labels + game.infosets[1].labels)


def _document(
    game: str,
    method: str,
    label: str,
    player: int,
    actions: tuple[str, ...],
    moments: list[Moment],
) -> dict[str, Any]:
    return {
        "game": game,
        "method": method,
        "label": label,
        "player": player,
        "actions": list(actions),
        "moments": [
            {
                "iteration": moment.iteration,
                "regrets": dict(zip(actions, moment.regrets, strict=True)),
                "current": dict(zip(actions, moment.current, strict=True)),
                "average": dict(zip(actions, moment.average, strict=True)),
            }
            for moment in moments
        ],
    }


def _print(
    method: str, label: str, player: int, actions: tuple[str, ...], moments: list[Moment]
) -> None:
    from rich.text import Text

    from untilt.cli.output import stdout

    console = stdout()
    console.print(Text(f"{label}  player {player}, {method}", style="bold"))
    console.print()
    lines = _lines(actions, moments)
    if max(map(len, lines)) > console.width or len(actions) > _MAX_ACTIONS_IN_A_LINE:
        lines = _long_lines(actions, moments)
    console.print("\n".join(lines), soft_wrap=True)
    console.print()
    story = (
        "The regret sum of an action is what always choosing it here would have gained so far "
        "over what was played, in chips, weighted by how often chance and the opponent let it "
        f"come to that. {_rule_of(method)} The current strategy may circle for "
        "ever; it is its average that approaches the equilibrium."
    )
    console.print("\n".join(textwrap.wrap(story, min(console.width, 88) - 1)))


def _lines(actions: tuple[str, ...], moments: list[Moment]) -> list[str]:
    """Return a line per moment: a group of columns each for regrets and both strategies."""
    widths = [max(len(name), len("100.0%")) for name in actions]
    regret_widths = [max(width, len("-0.0000")) for width in widths]

    def line(first: str, *groups: Iterable[str]) -> str:
        cells = [
            " ".join(text.rjust(width) for text, width in zip(group, own, strict=True))
            for group, own in zip(groups, (regret_widths, widths, widths), strict=True)
        ]
        return "  ".join([first.rjust(len("iteration")), *cells])

    def title(text: str, own: list[int]) -> str:
        return text.rjust(sum(own) + len(own) - 1)

    titles = (
        title("regret sum", regret_widths),
        title("current", widths),
        title("average", widths),
    )
    return [
        "  ".join([" " * len("iteration"), *titles]),
        line("iteration", actions, actions, actions),
        *(
            line(
                f"{moment.iteration:,}",
                map(_regret, moment.regrets),
                map(_percent, moment.current),
                map(_percent, moment.average),
            )
            for moment in moments
        ),
    ]


def _long_lines(actions: tuple[str, ...], moments: list[Moment]) -> list[str]:
    """Return a line per moment and action."""
    width = max(len("action"), *map(len, actions))
    lines = [f"iteration  {'action':<{width}}  regret sum  current  average"]
    for moment in moments:
        for number, action in enumerate(actions):
            lines.append(
                f"{'' if number else f'{moment.iteration:,}':>9}  {action:<{width}}  "
                f"{_regret(moment.regrets[number]):>10}  {_percent(moment.current[number]):>7}  "
                f"{_percent(moment.average[number]):>7}"
            )
    return lines


def _percent(probability: float) -> str:
    return f"{100.0 * probability:.1f}%"


def _regret(regret: float) -> str:
    """Return five significant digits or so, in at most seven characters below a million."""
    digits = len(str(int(abs(regret))))
    return f"{regret:.{max(0, 5 - digits)}f}"
