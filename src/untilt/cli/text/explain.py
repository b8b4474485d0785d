"""`untilt show --explain`: how one infoset learned, iteration by iteration.

Solvers are deterministic, so the run is repeated from the start and observed on the way.
"""

import math
import textwrap
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

from untilt.errors import InvalidOption, UnknownName

if TYPE_CHECKING:
    from untilt.game.compiled import CompiledGame
    from untilt.options.option import Options
    from untilt.regret.rule import UpdateRule
    from untilt.runs.results.sources import LoadedProfile
    from untilt.runs.task import RunTask, Subject
    from untilt.solvers.methods import Method

MAX_ITERATIONS = 10_000
MAX_SAMPLES = 1_000_000
"""The same for sampling methods, whose iterations are much shorter."""
_MAX_SECONDS = 20.0
_MAX_ACTIONS_IN_A_LINE = 5


@dataclass(frozen=True)
class LearningMoment:
    """The state of the learner at one infoset after `iteration`; one number per action."""

    iteration: int
    regrets: tuple[float, ...]
    """Regret sums in chips, weighted by the reach of chance and the opponent."""
    current: tuple[float, ...]
    """The strategy that the next iteration plays."""
    average: tuple[float, ...]


def trace(
    request: "RunTask[Subject]", game: "CompiledGame", player: int, index: int, until: int
) -> Iterator[LearningMoment]:
    """Yield the moments of infoset `index` of `player` at log-spaced iterations up to `until`."""
    from untilt.game.protocol import Game
    from untilt.runs.games.game_request import solver_of
    from untilt.solvers.cfr import CfrSolver
    from untilt.solvers.mccfr.solver import MccfrSolver
    from untilt.solvers.methods import method_named

    if Game in method_named(request.method).needs(request.options):
        raise InvalidOption(
            "a run on objects cannot be repeated, because its folder holds no code; solve with "
            "--on tree to see how an infoset learns"
        )
    solver = solver_of(request, game)
    if not isinstance(solver, CfrSolver | MccfrSolver):
        why = "solves the whole game in one step"
        if request.method == "qre":
            why = "follows a branch of quantal responses, without regrets"
        raise InvalidOption(
            f"{request.method} {why}, so there are no iterations to explain; solve with --method "
            "cfr to see some"
        )
    block = game.infosets[player].block(index)
    deadline = time.monotonic() + _MAX_SECONDS
    for iteration in _iterations(until):
        solver.advance(iteration - solver.iteration)
        yield LearningMoment(
            iteration=iteration,
            regrets=tuple(solver.regrets()[player][block].tolist()),
            current=tuple(solver.current_behaviours()[player][block].tolist()),
            average=tuple(solver.snapshot().behaviours[player][block].tolist()),
        )
        if time.monotonic() > deadline:
            return


def print_explanation(source: "LoadedProfile", label: str, *, as_json: bool) -> None:
    """Print the moments of the infoset with this label, as a table or as JSON."""
    from untilt.cli.app.output import print_json
    from untilt.runs.games.game_request import GameSubject
    from untilt.solvers.methods import method_named

    if source.run is None:
        raise InvalidOption(
            "--explain repeats a run, but a strategy file has no iterations; give a run folder"
        )
    request = source.run.request
    if not isinstance(request.subject, GameSubject):
        raise InvalidOption("--explain repeats the iterations of a solver; this run is a training")
    player, index = _find(source.game, label)
    actions = source.game.infosets[player].actions(index)
    most = MAX_SAMPLES if method_named(request.method).is_sampling else MAX_ITERATIONS
    until = min(source.run.iterations or 1, most)
    moments = list(trace(request, source.game, player, index, until))
    if as_json:
        print_json(_document(source.game_name, request.method, label, player, actions, moments))
    else:
        _print(request, label, player, actions, moments)


def rule_in_words(method: "Method", options: "Options") -> str:
    """Return sentences on what `method` does with regrets and strategies, from its options."""
    assert method.rule is not None, "only regret-minimizing methods are explained"
    rule = method.rule(options)
    step, sentences = "iteration", []
    if method.is_sampling:
        step = "period"
        sentences.append(
            "Regrets are estimates from samples, and a period is "
            f"{int(options['period']):,} iterations."
        )
    sentences.append(_forgetting(rule, step))
    if rule.is_clipped:
        sentences.append("Negative sums are set to 0.")
    sentences.append(_playing(rule))
    sentences.append(_averaging(rule, step, int(options.get("defer_averaging", 0))))
    if moving := _moving(rule, step):
        sentences.append(moving)
    if not method.is_sampling:
        sentences.append(
            "Player 1 responds to the new strategy of player 0 within the iteration."
            if rule.is_alternating
            else "Both players respond to the strategies of the previous iteration."
        )
    return " ".join(sentences)


def _forgetting(rule: "UpdateRule", step: str) -> str:
    """Return how older regrets are discounted."""
    if rule.is_clipped or rule.alpha == rule.beta:  # with clipping there are no negative sums
        factor = _discount(rule.alpha)
        if factor == "1":
            return f"The regrets of every {step} count the same."
        if rule.alpha == 1.0:
            return f"The regrets of {step} t count t times."
        return f"Before {step} t the sums are multiplied by {factor}."
    return (
        f"Before {step} t positive sums are multiplied by {_discount(rule.alpha)} and negative "
        f"ones by {_discount(rule.beta)}."
    )


def _moving(rule: "UpdateRule", step: str) -> str:
    """Return where exponents that move come to rest."""
    discounts = (rule.alpha, rule.alpha_drift), (rule.beta, rule.beta_drift)
    ends = [f"{begin:g} to {begin + drift:g}" for begin, drift in discounts if drift]
    parts = [f"those of the discounts from {' and from '.join(ends)}"] if ends else []
    if rule.gamma_drift:
        parts.append(
            f"that of the average from {rule.gamma:g} to {rule.gamma + rule.gamma_drift:g}"
        )
    if not parts:
        return ""
    return f"The exponents move until {step} {rule.horizon:,.0f}: {', '.join(parts)}."


def _discount(exponent: float) -> str:
    """Return the discount d_t of `untilt.regret.rule` as a formula."""
    if math.isinf(exponent):
        return "1" if exponent > 0.0 else "0"
    if exponent == 0.0:
        return "1/2"
    power = "(t-1)" if exponent == 1.0 else f"(t-1)^{exponent:g}"
    return f"{power}/({power}+1)"


def _playing(rule: "UpdateRule") -> str:
    """Return how the next strategy follows from the sums."""
    if not rule.prediction:
        return (
            "Actions with a negative sum are not played; the others, in proportion to their sums."
            if not rule.is_clipped
            else "Play is in proportion to the sums."
        )
    share = "" if rule.prediction == 1.0 else f"{rule.prediction:.3g} times "
    learnt = " It counts the less the more it has been wrong." if rule.is_adaptive else ""
    return (
        "Play is in proportion to the positive part of each sum plus a prediction, "
        f"{share}the regret of the last iteration."
        + (" The sum is first discounted once more." if rule.is_discounted_ahead else "")
        + learnt
    )


def _averaging(rule: "UpdateRule", step: str, deferred: int) -> str:
    """Return the weight of each strategy in the average."""
    power = "t" if rule.gamma == 1.0 else f"t^{rule.gamma:g}"
    said = f"weights {step} t by {power}" if rule.gamma else f"weights every {step} equally"
    late = f" and leaves out the first {deferred:,}, at most a tenth of the run" if deferred else ""
    return f"The average {said}{late}."


def _iterations(until: int) -> list[int]:
    """Return 1, 2, 3, 5, 10, 20, 50, 100, … below `until`, and `until`."""
    steps = [1, 2, 3, 5, *(digit * 10**power for power in range(1, 19) for digit in (1, 2, 5))]
    return [*(step for step in steps if step < until), until]


def _find(game: "CompiledGame", label: str) -> tuple[int, int]:
    if label in game.forced:
        raise InvalidOption(
            f"infoset {label!r} has the single action {game.forced[label]!r}, so nothing is learned"
        )
    for player, table in enumerate(game.infosets):
        if label in table:
            return player, table.index(label)
    raise UnknownName.among("infoset", label, chain(*game.infosets))


def _document(
    game: str,
    method: str,
    label: str,
    player: int,
    actions: tuple[str, ...],
    moments: list[LearningMoment],
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
    request: "RunTask[Subject]",
    label: str,
    player: int,
    actions: tuple[str, ...],
    moments: list[LearningMoment],
) -> None:
    from rich.text import Text

    from untilt.cli.app.output import stdout
    from untilt.solvers.methods import method_named

    console = stdout()
    console.print(Text(f"{label}  {request.terms.seats[player]}, {request.method}", style="bold"))
    console.print()
    lines = _lines(actions, moments)
    if max(map(len, lines)) > console.width or len(actions) > _MAX_ACTIONS_IN_A_LINE:
        lines = _long_lines(actions, moments)
    console.print("\n".join(lines), soft_wrap=True)
    console.print()
    rule = rule_in_words(method_named(request.method), request.options)
    story = (
        "The regret sum of an action is how much more always choosing it here would have won so "
        "far than what was played, in chips, weighted by how often chance and the opponent lead "
        f"here. {rule} The current strategy may cycle forever; its average approaches the "
        "equilibrium."
    )
    console.print("\n".join(textwrap.wrap(story, min(console.width, 88) - 1)))


def _lines(actions: tuple[str, ...], moments: list[LearningMoment]) -> list[str]:
    """Return a line per moment, with a group of columns for regrets and for each strategy."""
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


def _long_lines(actions: tuple[str, ...], moments: list[LearningMoment]) -> list[str]:
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
    """Return about five significant digits, in at most seven characters below a million."""
    digits = len(str(int(abs(regret))))
    return f"{regret:.{max(0, 5 - digits)}f}"
