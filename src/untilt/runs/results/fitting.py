"""`untilt.fit`: the rationality of players, estimated from what they were seen to do."""

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from untilt.display import Cell, html_table, short_number
from untilt.errors import Argument, FormatError, InvalidOption, RunError, require
from untilt.evaluation.best_response import best_response
from untilt.formats.base.files import REPEAT, path_of, write_atomically
from untilt.formats.exchange.export import to_json
from untilt.formats.exchange.observations import (
    ObservationColumns,
    Observations,
    Row,
    observations_of_rows,
    read_observations,
)
from untilt.game.compiled import CompiledGame, compile_histories
from untilt.game.histories.tree import OnWalked
from untilt.game.strategy.strategy import Profile, Strategy
from untilt.game.terms import terms_of
from untilt.games.registry import GameLike, NamedGame, name_game
from untilt.number import finite, plain
from untilt.options.option import verified
from untilt.solvers.qre.estimates.cross_validation import CrossValidation, cross_validate
from untilt.solvers.qre.estimates.estimation import Fit
from untilt.solvers.qre.estimates.estimation import fit as fit_beta
from untilt.solvers.qre.estimates.grouped_fit import GroupedFit, fit_levels
from untilt.solvers.qre.estimates.likelihood import nash_log_likelihood
from untilt.solvers.qre.options import FIT, FOLDS, SEED
from untilt.solvers.qre.problem import QuantalProblem

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.charts.figures.picture import Picture

Observed: TypeAlias = "str | os.PathLike[str] | DataFrame | Iterable[Mapping[str, Any]]"
"""Observed play: a CSV file, a pandas frame, or rows as dictionaries, with the same columns."""


@dataclass(frozen=True, repr=False)
class FittedPlay:
    """The estimated rationality of players, and the strategies that go with it.

    >>> import untilt
    >>> rows = [
    ...     {"infoset": "P0:J:", "action": "check", "count": 80},
    ...     {"infoset": "P0:J:", "action": "bet", "count": 20},
    ...     {"infoset": "P1:Q:b", "action": "fold", "count": 55},
    ...     {"infoset": "P1:Q:b", "action": "call", "count": 45},
    ... ]
    >>> found = untilt.fit(rows, game="kuhn")
    >>> found.beta > 0.5, found.se is not None
    (True, True)
    """

    named: NamedGame
    """The game that was played, with its name and parameters."""
    game: CompiledGame
    observations: Observations
    """How often each action was taken, and by whom if that is known."""
    estimate: Fit
    """The estimate of one β, perhaps with one per player too."""
    groups: GroupedFit | None
    """A β per group or treatment, and tests; None without such columns."""
    cross_validation: CrossValidation | None
    """How well held-out decisions are predicted; None without `folds`."""
    nash_log_likelihood: float | None
    """Of a Nash equilibrium; -inf if it rules out what was seen, None if the game is not zero-sum
    or has more than two players."""
    file: Path | None = None
    """Where `output` asked for the fitted strategies to be written."""

    def __repr__(self) -> str:
        return (
            f"<FittedPlay of {self.named.name[:80]}: {self._words()}, "
            f"{self.estimate.num_observations:,} decisions, definition {self.estimate.definition}>"
        )

    def _words(self) -> str:
        at_least = "at least " if self.estimate.is_at_least else ""
        error = "" if self.se is None else f" ± {self.se:.3g}"
        return f"beta {at_least}{self.beta:.5g}{error}"

    @property
    def beta(self) -> float:
        """The most likely rationality, per chip; a lower bound where `is_at_least`."""
        return self.estimate.beta

    @property
    def is_at_least(self) -> bool:
        """Whether the likelihood still rises where the search ends."""
        return self.estimate.is_at_least

    @property
    def betas(self) -> tuple[float, ...]:
        """The rationality of each player: their estimates with `per_player`, else all the same."""
        each = self.estimate.per_player
        return (self.beta,) * self.game.num_players if each is None else each.betas

    @property
    def se(self) -> float | None:
        """The standard error of `beta`: clustered by subject if subjects are known; else None
        if β is only a bound, or not identified."""
        clustered = self.estimate.clustered
        return self.estimate.standard_error if clustered is None else clustered.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `beta`, by the same standard error; the upper end may be inf."""
        clustered = self.estimate.clustered
        return self.estimate.interval if clustered is None else clustered.interval

    @property
    def log_likelihood(self) -> float:
        """Of the decisions, under `beta`."""
        return self.estimate.log_likelihood

    @property
    def p_value(self) -> float | None:
        """Of the test of fit: small if players are outside the model; None if not tested."""
        return self.estimate.goodness.overall.p_value

    @property
    def seats(self) -> tuple[str, ...]:
        """What the game calls its players."""
        return terms_of(self.named.game).seats

    @property
    def strategy(self) -> Profile:
        """The fitted strategies of all players."""
        return self.estimate.profile

    def best_response(self) -> Profile:
        """Return the profile in which each player best responds to the others' fitted play."""
        return Profile(tuple(response for response, _ in self._best_responses()))

    def best_response_values(self) -> tuple[float, ...]:
        """Return what each player wins with `best_response`, in chips per hand."""
        return tuple(value for _, value in self._best_responses())

    def _best_responses(self) -> list[tuple[Strategy, float]]:
        form = self.game.plan_form()
        players = range(form.num_players)
        return [best_response(form, self.strategy, player) for player in players]

    def save(self, path: str | os.PathLike[str], *, replace: bool = False) -> Path:
        """Write the fitted strategies as a strategy file, and return it.

        `untilt play`, `untilt evaluate` and `StrategyAgent.from_file` read such files. An existing
        file is refused unless `replace` is given.
        """
        file = path_of(path)
        if file.exists() and not replace:
            raise RunError(f"{file} already exists; choose another path, or give replace=True")
        write_atomically(
            file, to_json(self.named.name, self.named.parameters, self.strategy), remedy=REPEAT
        )
        return file

    def to_json(self) -> dict[str, Any]:
        """Return the fit as the object that `untilt fit --json` prints."""
        found, seen = self.estimate, self.observations
        result = {
            "game": self.named.name,
            "parameters": plain(self.named.parameters),
            "players": list(self.seats),
            "definition": found.definition,
            "method": found.method,
            "beta": found.beta,
            "is_at_least": found.is_at_least,
            "standard_error": found.standard_error,
            "interval": [finite(end) for end in found.interval],
            "interval_scale": found.interval_scale,
            "linear_interval": [finite(end) for end in found.linear_interval],
            "clustered": found.clustered and found.clustered.to_json(),
            "log_likelihood": found.log_likelihood,
            "uniform_log_likelihood": found.uniform_log_likelihood,
            "nash_log_likelihood": finite(self.nash_log_likelihood),
            "saturated_log_likelihood": found.saturated_log_likelihood,
            "observations": found.num_observations,
            "hands": seen.num_hands,
            "unused_columns": list(seen.unused),
            "search_end": found.search_end,
            "folds": found.num_folds,
            "seconds": found.seconds,
            "per_player": found.per_player and found.per_player.to_json(),
            "goodness": found.goodness.to_json(),
            "groups": self.groups and self.groups.to_json(),
            "cross_validation": self.cross_validation and self.cross_validation.to_json(),
        }
        return result if self.file is None else {**result, "file": str(self.file)}

    def to_frame(self) -> "DataFrame":
        """Return a pandas frame with a row per observed infoset and action, the worst fit first.

        Its columns are player, infoset, action, observed, expected (counts) and residual, which is
        about standard normal if the model is right.
        """
        pandas = require("pandas", "to_frame")
        rows = [
            (row.player, row.label, action, seen, mean, math.nan if gap is None else gap)
            for row in self.estimate.goodness.infosets
            for action, seen, mean, gap in zip(
                row.actions, row.observed, row.expected, row.residuals, strict=True
            )
        ]
        names = ["player", "infoset", "action", "observed", "expected", "residual"]
        frame: DataFrame = pandas.DataFrame(rows, columns=names)
        return frame

    def plot(self, path: str | os.PathLike[str] | None = None) -> "Picture":
        """Return observed against fitted shares of every action as a figure.

        With `path`, which ends in .svg, .png or .pdf, it is also written there.
        """
        from untilt.charts.figures.fit_figure import fit_figure
        from untilt.charts.figures.plot_file import plot_path, saved

        file = plot_path(path)
        points = [
            (row.player, seen / row.num_observations, mean / row.num_observations, seen)
            for row in self.estimate.goodness.infosets
            for seen, mean in zip(row.observed, row.expected, strict=True)
        ]
        return saved(fit_figure(f"{self.named.title}: {self._words()}", points), file)

    def _repr_html_(self) -> str:
        """Return a small table for notebooks."""
        low, high = self.interval
        rows: list[list[Cell]] = [
            ["beta", short_number(self.beta, 5)],
            ["standard error", short_number(self.se, 3)],
            ["95 % interval", f"{short_number(low, 5)} to {short_number(high, 5)}"],
            ["decisions", self.estimate.num_observations],
            ["log-likelihood", short_number(self.log_likelihood, 7)],
            ["uniform play", short_number(self.estimate.uniform_log_likelihood, 7)],
            ["p-value of the fit", short_number(self.p_value, 3)],
        ]
        if self.groups is not None:
            rows += [
                [level.name, f"beta {short_number(level.fit.beta, 5)}"]
                for level in self.groups.levels
            ]
        note = "a lower bound: the likelihood still rises" if self.is_at_least else ""
        return html_table(f"Fit: {self.named.title}", rows, note=note)


def fit(
    observed: Observed,
    game: GameLike,
    *,
    parameters: Mapping[str, Any] | None = None,
    subject: str | None = None,
    group: str | None = None,
    treatment: str | None = None,
    folds: int | None = None,
    seed: int | None = None,
    output: str | os.PathLike[str] | None = None,
    watcher: OnWalked | None = None,
    **options: Any,
) -> FittedPlay:
    """Return the rationality β under which what was observed is most likely.

    `observed` is a CSV file, a pandas frame or rows as dictionaries, with the columns infoset,
    action and count, or for hands p0, p1, … (one per player), public and line. More columns may be
    named: `subject` (standard errors clustered by subject; for hands perhaps one per player,
    `"one,other"`), `group` and `treatment` (a β for each, and tests). `folds` judges the fit on
    subjects that were held out, dealt into folds by `seed`. `output` is a new file for the fitted
    strategies. The game and `parameters` are as for `untilt.solve`; `options` are the others of
    `untilt fit`: per_player, definition, method, max_beta. `watcher` is called with the number of
    histories walked.

    >>> import untilt
    >>> hands = [
    ...     {"p0": "J", "p1": "Q", "public": "", "line": "cbf"},
    ...     {"p0": "K", "p1": "J", "public": "", "line": "bf"},
    ...     {"p0": "Q", "p1": "K", "public": "", "line": "cbc"},
    ... ]
    >>> found = untilt.fit(hands, game="kuhn")
    >>> found.estimate.num_observations, found.observations.num_hands
    (8, 3)
    >>> found.best_response()["P0:K:"]["bet"] in (0.0, 1.0)
    True
    """
    given = {} if parameters is None else parameters
    asked: dict[str, Any] = verified_options(options)
    if folds is not None:
        FOLDS.verify(folds)
    if seed is not None:
        SEED.verify(seed)
    if folds is not None and subject is None:
        raise InvalidOption(
            Argument("folds"),
            " holds out whole subjects; name their column with ",
            Argument("subject", "COLUMN"),
        )
    if seed is not None and folds is None:
        raise InvalidOption(
            Argument("seed"),
            " deals subjects into folds; add ",
            Argument("folds", "K"),
            ", or leave it out",
        )
    columns = _columns(subject, group, treatment)
    if watcher is not None and not callable(watcher):
        raise InvalidOption.of("watcher", watcher, "it must be a function of a number")
    file = None if output is None else path_of(output)
    if file is not None and file.exists():
        raise RunError(f"{file} already exists; choose another file")
    named = name_game(game, given)
    compiled = compile_histories(named.game, watcher=watcher)
    compiled.plan_form()
    seen = _observations(observed, compiled, columns)
    problem = QuantalProblem(compiled, asked.pop("definition"))
    subjects = None if seen.cells is None else seen.cells.by_subject()
    found = FittedPlay(
        named=named,
        game=compiled,
        observations=seen,
        estimate=fit_beta(problem, seen.counts, subjects, **asked),
        groups=_levels(problem, seen, asked),
        cross_validation=None
        if folds is None
        else _held_out(problem, seen, folds, seed or 0, asked),
        nash_log_likelihood=nash_log_likelihood(compiled, seen.counts),
        file=file,
    )
    if file is not None:
        found.save(file)
    return found


def verified_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options of a fit: those given, checked, and the defaults of the others."""
    known = [option.name for option in FIT]
    for name in options:
        if name not in known:
            raise InvalidOption(
                "fit takes no option ", Argument(name), f"; it takes {', '.join(known)}"
            )
    return verified(FIT, options)


def _columns(subject: object, group: object, treatment: object) -> ObservationColumns:
    for name, column in (("subject", subject), ("group", group), ("treatment", treatment)):
        if not (column is None or isinstance(column, str)):
            raise InvalidOption.of(name, column, "give the name of a column")
    return ObservationColumns(
        subject=tuple(subject.split(",")) if isinstance(subject, str) else (),
        group=group if isinstance(group, str) else None,
        treatment=treatment if isinstance(treatment, str) else None,
    )


def _observations(
    observed: object, game: CompiledGame, columns: ObservationColumns
) -> Observations:
    if isinstance(observed, str | os.PathLike):
        return read_observations(path_of(observed), game, columns)
    try:
        return observations_of_rows(numbered_rows(observed), game, columns)
    except FormatError as error:
        raise FormatError(f"the observations: {error}") from error


def numbered_rows(observed: object) -> list[Row]:
    """Return the header and rows of a frame or of dictionaries, numbered as in a file."""
    try:
        table = _rows_of(observed)
    except (TypeError, ValueError, AttributeError):
        table = None
    if table is None:
        raise InvalidOption.of(
            "observed", observed, "give a CSV file, a pandas frame, or rows as dictionaries"
        )
    return list(enumerate(table, start=1))


def _rows_of(observed: Any) -> list[list[str]] | None:
    """Return the header and the rows of a frame or of dictionaries as text; None for others."""
    if hasattr(observed, "itertuples") and hasattr(observed, "columns"):
        header = [str(name) for name in observed.columns]
        rows = [
            [_cell(cell) for cell in row] for row in observed.itertuples(index=False, name=None)
        ]
        return [header, *rows]
    if isinstance(observed, Mapping):
        return None
    dictionaries = list(observed)
    if not dictionaries or not all(isinstance(row, Mapping) for row in dictionaries):
        return None
    header = [str(name) for name in dictionaries[0]]
    if any({str(name) for name in row} != {*header} for row in dictionaries):
        return None
    return [header, *([_cell(cell) for cell in row.values()] for row in _ordered(dictionaries))]


def _ordered(rows: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return all rows with their columns in the order of the first."""
    return [{name: row[name] for name in rows[0]} for row in rows]


def _cell(value: Any) -> str:
    """Return a value of a frame as the text of a CSV file: 812.0 is 812, a missing one is empty."""
    if value is None or value != value:  # noqa: PLR0124 — nan, whatever its type
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _levels(
    problem: QuantalProblem, seen: Observations, asked: Mapping[str, Any]
) -> GroupedFit | None:
    cells = seen.cells
    if cells is None or not cells.conditions:
        return None
    return fit_levels(problem, cells.counts, cells.conditions, cells.subject_codes(), **asked)


def _held_out(
    problem: QuantalProblem, seen: Observations, folds: int, seed: int, asked: Mapping[str, Any]
) -> CrossValidation:
    cells = seen.cells
    assert cells is not None
    subject_of_cell = cells.subject_codes()
    assert subject_of_cell is not None
    return cross_validate(
        problem,
        cells.counts,
        subject_of_cell,
        folds=folds,
        seed=seed,
        level_of_cell=cells.levels(cells.conditions)[1] if cells.conditions else None,
        **asked,
    )
