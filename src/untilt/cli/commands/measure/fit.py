"""`untilt fit`."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.sources import Parameters, parse_parameters, users_code
from untilt.cli.options.option_flags import setting_of, with_options
from untilt.cli.text.fit_subjects import (
    clustered_line,
    levels_table,
    tested_lines,
    validation_line,
    validation_table,
)
from untilt.errors import InvalidOption
from untilt.options.fit import COLUMNS, OF_SPOTS, PLAYED, WRITTEN
from untilt.options.run import AS_JSON
from untilt.solvers.qre.options import CROSS_VALIDATION, FIT

if TYPE_CHECKING:
    from untilt.runs.results.fitting import FittedPlay
    from untilt.solvers.qre.estimates.estimation import Fit
    from untilt.solvers.qre.estimates.goodness import ChiSquare, InfosetFit
    from untilt.solvers.qre.estimates.per_player_fit import PerPlayerFit

MAX_ROWS = 12
"""Most infosets that the table shows."""

SIGNIFICANT = 0.01
"""Players with a smaller p-value are marked as outside the model."""

ROWS = (*FIT, *CROSS_VALIDATION, *OF_SPOTS, *COLUMNS, WRITTEN, AS_JSON)
"""The options of the command."""
_FLAT = "to first order, these observations do not depend on it"


@with_options(ROWS)
def fit(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV with the columns infoset,action,count or, for hands, p0,p1,public,line; "
            "others may be named by the options below. Of spots, only line is needed.",
        ),
    ],
    game: Annotated[
        str | None,
        setting_of(PLAYED),
    ] = None,
    parameter: Parameters = None,
    **given: Any,
) -> None:
    """Estimate players' rationality beta from observed play.

    Maximum likelihood of quantal response equilibria, with standard error, comparison with
    uniform and Nash play, and goodness of fit per infoset. With columns for subject, group and
    treatment: clustered standard errors, a beta per group, and cross-validation.

    With --spot, the noise of players of a spot: solved at a ladder of noises, by maximum likelihood
    of the lines that were taken, with cards unknown, shown or known.
    """
    from untilt.cli.app.activity import walked
    from untilt.cli.app.output import print_json
    from untilt.cli.text.noise_fit import print_noise_fit
    from untilt.games.registry import resolve
    from untilt.runs.results.fitting import fit as fit_play

    as_json = given.pop("as_json", False)
    if "spot" in given:
        asked = {"game": game, "parameter": parameter}
        named = {name: value for name, value in asked.items() if value is not None}
        print_noise_fit(file, {**given, **named}, as_json=as_json)
        return
    for option in OF_SPOTS:
        if option.name in given:
            raise InvalidOption(f"{option.spelling} is for spots; add --spot SPOT.toml")
    if game is None:
        raise InvalidOption(
            "give the game that was played, --game GAME, or the spot, --spot SPOT.toml"
        )
    with users_code():
        played = resolve(game, parse_parameters(parameter))
        found = fit_play(file, played, watcher=walked, **given)
    if as_json:
        print_json(found.to_json())
    else:
        _print(found, file)


def _print(play: "FittedPlay", file: Path) -> None:
    from rich.text import Text

    from untilt.cli.app.output import stdout

    console, seats, seen = stdout(), play.seats, play.observations
    found, levels, held_out = play.estimate, play.groups, play.cross_validation
    console.print(Text(play.named.title, style="bold"), Text(str(file)), sep="  ")
    hands = "" if seen.num_hands is None else f" in {seen.num_hands:,} hands"
    console.print(
        f"{found.num_observations:,} decisions{hands}, definition {found.definition}, "
        f"method {found.method}"
    )
    if seen.unused:
        console.print(Text(f"columns not used: {', '.join(seen.unused)}"), soft_wrap=True)
    console.print()
    console.print(Text(_estimate(found), style="bold"))
    if found.per_player is not None:
        for line in _per_player_lines(found.per_player, seats):
            console.print(line)
    if found.clustered is not None:
        console.print(clustered_line(found.clustered, seats), soft_wrap=True)
    console.print()
    if levels is not None:
        console.print(levels_table(levels))
        for line in tested_lines(levels):
            console.print(line, soft_wrap=True)
        console.print()
    console.print(_likelihoods(found, play.nash_log_likelihood))
    console.print()
    if held_out is not None:
        console.print(validation_line(held_out), soft_wrap=True)
        console.print(validation_table(held_out))
        console.print()
    for line in _verdicts(found, seats):
        console.print(line, soft_wrap=True)
    console.print()
    console.print(_worst(found))
    for line in _remarks(found):
        console.print(line, soft_wrap=True)
    if len(found.goodness.infosets) > MAX_ROWS:
        console.print(
            f"… the {MAX_ROWS} of {len(found.goodness.infosets):,} observed infosets that fit "
            "worst; all of them: --json",
            style="dim",
            soft_wrap=True,
        )
    if play.file is not None:
        console.print(f"fitted strategies saved in {play.file}", soft_wrap=True)


def _estimate(found: "Fit") -> str:
    low, high = found.interval
    if found.is_at_least:
        return (
            f"beta at least {low:.5g} (95 %): the likelihood still rises at {found.beta:.5g}, "
            "where the search ends"
        )
    if found.standard_error is None:
        return f"beta {found.beta:.5g}, without a standard error: {_FLAT}"
    scale = "symmetric in log beta" if found.interval_scale == "log" else "symmetric in beta"
    return (
        f"beta {found.beta:.5g}   standard error {found.standard_error:.3g}   "
        f"95 % interval {low:.5g} to {high:.5g} ({scale})"
    )


def _per_player_lines(both: "PerPlayerFit", seats: tuple[str, ...]) -> list[str]:
    lines = []
    for player, seat in enumerate(seats):
        beta, error = both.betas[player], both.standard_errors[player]
        if both.is_at_least[player]:
            lines.append(f"{seat}: beta at least {beta:.5g}, where the search ends")
        elif error is not None:
            lines.append(f"{seat}: beta {beta:.5g}   standard error {error:.3g}")
        elif sum(both.is_identified) == len(seats) - 1:
            lines.append(f"{seat}: beta not identified: {_FLAT}")
        else:
            together = "the two" if len(seats) == 2 else "several"
            lines.append(f"{seat}: beta not identified: only {together} together are")
    count = "two" if len(seats) == 2 else str(len(seats))
    if both.p_value is None:
        lines.append(f"one beta against {count}: not tested, because a beta is not identified")
    else:
        lines.append(
            f"one beta against {count}: likelihood ratio {both.likelihood_ratio:.3f}, "
            f"p-value {both.p_value:.3g}"
        )
    return lines


def _likelihoods(found: "Fit", nash: float | None) -> Any:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    table.add_column("model")
    table.add_column("log-likelihood", justify="right")
    table.add_row("uniform play", f"{found.uniform_log_likelihood:.3f}")
    table.add_row("one beta", f"{found.log_likelihood:.3f}")
    if found.per_player is not None:
        table.add_row("one beta per player", f"{found.per_player.log_likelihood:.3f}")
    if nash is None:
        why = "not zero-sum" if len(found.goodness.players) == 2 else "more than two players"
        table.add_row("Nash equilibrium", f"not computed: {why}")
    elif math.isfinite(nash):
        table.add_row("Nash equilibrium", f"{nash:.3f}")
    else:
        table.add_row("Nash equilibrium", "-inf (it rules out observed actions)")
    table.add_row("observed frequencies", f"{found.saturated_log_likelihood:.3f}")
    return table


def _verdicts(found: "Fit", seats: tuple[str, ...]) -> list[str]:
    goodness = found.goodness
    if not goodness.is_tested:
        return [
            f"goodness of fit: chi-square {goodness.overall.statistic:.1f}, not tested: the "
            "payoffs were computed from the same observations"
        ]

    def words(test: "ChiSquare") -> str:
        if test.p_value is None:
            return "not tested: the fitted parameters can follow any counts"
        df = f"{test.df:.1f}".removesuffix(".0")
        return f"chi-square {test.statistic:.1f} on {df} df, p-value {test.p_value:.3g}"

    lines = [f"goodness of fit: {words(goodness.overall)}"]
    for seat, test in zip(seats, goodness.players, strict=True):
        is_outside = test.p_value is not None and test.p_value < SIGNIFICANT
        lines.append(f"  {seat}: {words(test)}" + "   outside the model" * is_outside)
    return lines


def _worst(found: "Fit") -> Any:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in ("infoset", "seen"):
        table.add_column(header, justify="right" if header == "seen" else "left")
    table.add_column("observed / fitted")
    if found.goodness.is_tested:
        table.add_column("residual")
        table.add_column("p-value", justify="right")
    else:
        table.add_column("chi-square", justify="right")
    for row in found.goodness.infosets[:MAX_ROWS]:
        total = row.num_observations
        shares = ", ".join(
            f"{action} {count / total:.3f} / {mean / total:.3f}"
            for action, count, mean in zip(row.actions, row.observed, row.expected, strict=True)
        )
        measures = [f"{row.statistic:.2f}"]
        if found.goodness.is_tested:
            measures = [_residual(row), "" if row.p_value is None else f"{row.p_value:.3g}"]
        table.add_row(Text(row.label), f"{total:,}", shares, *measures)
    return table


def _residual(row: "InfosetFit") -> str:
    """Return the action with the largest residual; in a tie, the one taken too often."""
    known = [
        (abs(residual), residual, action)
        for action, residual in zip(row.actions, row.residuals, strict=True)
        if residual is not None
    ]
    if not known:
        return ""
    _, residual, action = max(known, key=lambda each: (round(each[0], 6), each[1]))
    return f"{action} {residual:+.2f}"


def _remarks(found: "Fit") -> list[str]:
    """Return the worst infoset's p-value, corrected for the number of tests."""
    tested = [row for row in found.goodness.infosets if row.p_value is not None]
    if len(tested) < 2:
        return []
    worst = tested[0]
    return [
        f"the worst of {len(tested):,} infosets: p-value {worst.p_value:.3g}, corrected for their "
        f"number (Holm) {worst.adjusted_p_value:.3g}"
    ]
