"""A run: the request and its result, in memory and as a folder.

run.json         the request, versions, seed, machine, fingerprint of the game
game.bin         the compiled game with its labels
progress.jsonl   scalars by iteration, append-only
frames.bin       strategy and action values at log-spaced moments
checkpoint.bin   the state from which the run resumes bit for bit; the previous one is kept too
result.json      the outcome, written at the end, with strategy.bin
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.charts.palette import run_colour
from untilt.display import Cell, html_table, line_chart, short_number
from untilt.durations import shown_duration
from untilt.evaluation.best_response import Evaluation, evaluate
from untilt.formats.run.progress_table import ProgressTable
from untilt.formats.run.run_folder import RunFolder
from untilt.game.compiled import CompiledGame
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.strategy.strategy import Profile
from untilt.number import plain
from untilt.result import Run
from untilt.runs.task import RunTask, Subject

if TYPE_CHECKING:
    from untilt.charts.figures.run_curves import RunCurve


@dataclass(frozen=True, repr=False)
class GameRun(Run[Profile]):
    """A run of a game, finished or interrupted.

    Two runs are equal if their requests, games and results are equal, wherever they are saved and
    however long they took.
    """

    path: Path | None = field(compare=False)
    """Its folder; None if it was not saved."""
    request: RunTask[Subject]
    game: CompiledGame
    profile: Profile
    evaluation: Evaluation | None = field(compare=False)
    """Its exact evaluation; None for a game that could not be compiled."""
    iterations: int | None
    """Iterations done; None for `lp`."""
    seconds: float = field(compare=False)
    """Wall time in iterations and stopping tests."""
    compile_seconds: float = field(compare=False)
    """Wall time for compiling the game and the kernels."""
    total_seconds: float = field(compare=False)
    is_finished: bool
    """Whether it reached its stop; False if it was interrupted."""
    outcome: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """What the method reports in addition to the strategy; empty for most."""
    warning: str | None = field(default=None, compare=False)
    """What the user should know, such as a damaged checkpoint that was skipped."""
    recorded: ProgressTable | None = field(default=None, compare=False)
    """How it converged, if that is not to be read from its folder; see `progress`."""

    __hash__ = None  # type: ignore[assignment]  # it holds dictionaries

    def __repr__(self) -> str:
        request = self.request
        given = ", ".join(f"{name}={value!r:.40}" for name, value in request.parameters.items())
        state = "" if self.is_finished else ", interrupted"
        iterations = "" if self.iterations is None else f"{self.iterations:,} iterations, "
        return (
            f"<Run of {request.game[:80]}({given[:120]}) by {request.method}: "
            f"{self.values_text('.9g')}, exploitability {self.exploitability:.3g}, "
            f"{iterations}{shown_duration(self.seconds)}{state}\n"
            f"     {self.game.num_infosets:,} infosets, "
            f"{'not saved' if self.path is None else f'in {str(self.path)[-120:]}'}>"
        )

    @property
    def value(self) -> float:
        """Player 0's expected payoff, in chips; nan if it could not be measured."""
        return self.values[0]

    @property
    def values(self) -> tuple[float, ...]:
        """All players' expected payoffs, in chips."""
        unknown = (math.nan,) * self.game.num_players
        return unknown if self.evaluation is None else self.evaluation.values

    def values_text(self, form: str) -> str:
        """Return the value of the first player; in a general-sum game, of each by name."""
        return self.request.terms.values_text(
            self.values, form, is_zero_sum=self.game.has_one_value
        )

    @property
    def nash_conv(self) -> float:
        """The sum of all players' best-response gains, in chips; nan if not measured."""
        return math.nan if self.evaluation is None else self.evaluation.nash_conv

    @property
    def exploitability(self) -> float:
        """The mean gain per player, in chips: with two, half of `nash_conv`."""
        return self.nash_conv / self.game.num_players

    @property
    def gains(self) -> tuple[float, ...]:
        """The gain of each player by a best response to the others, in chips."""
        unknown = (math.nan,) * self.game.num_players
        return unknown if self.evaluation is None else self.evaluation.gains

    @property
    def strategy(self) -> Profile:
        """The strategy found: `run.strategy[label][action]` is a probability."""
        return self.profile

    @property
    def result(self) -> Profile:
        """The strategy found."""
        return self.profile

    @cached_property
    def progress(self) -> ProgressTable:
        """How it converged, saved or not: `run.progress["exploitability"]` is an array."""
        if self.recorded is not None:
            return self.recorded
        return (
            ProgressTable(())
            if self.path is None
            else ProgressTable.read(RunFolder(self.path).progress_file)
        )

    @property
    def curve(self) -> "RunCurve":
        """The convergence with what a figure says about it."""
        from untilt.charts.figures.run_curves import RunCurve

        request = self.request
        return RunCurve(
            request.title,
            request.method,
            {**request.parameters, **request.options},
            self.path,
            request.terms.unit,
            request.stop.target,
            self.progress,
        )

    def _repr_html_(self) -> str:
        """Return a small table and a picture of the convergence, for notebooks."""
        request = self.request
        unit = request.terms.unit
        given = ", ".join(f"{name}={value}" for name, value in request.parameters.items())
        rows: list[list[Cell]] = [
            ["method", request.method],
            *self.value_rows(9),
            [f"exploitability, {unit}", short_number(self.exploitability)],
            ["iterations", self.iterations],
            ["time", shown_duration(self.seconds)],
            ["infosets", self.game.num_infosets],
            ["saved in", "–" if self.path is None else str(self.path)[-50:]],
        ]
        if given:
            rows.insert(1, ["parameters", given])
        if not self.is_finished:
            rows.append(["state", "interrupted"])
        return html_table(request.title, rows, picture=self._picture(), note=self.warning or "")

    def value_rows(self, digits: int) -> list[list[Cell]]:
        """Return the value of the first player, in a general-sum game of each, for a table."""
        terms = self.request.terms
        if self.game.has_one_value:
            return [[f"value, {terms.unit}", short_number(self.value, digits)]]
        return [
            [f"value of {seat}, {terms.unit}", short_number(value, digits)]
            for seat, value in zip(terms.seats, self.values, strict=True)
        ]

    def _picture(self) -> str:
        """Return exploitability, or else the drift, by iteration as SVG."""
        progress = self.progress
        measure = "exploitability" if "exploitability" in progress else "drift"
        if measure not in progress or "iteration" not in progress:
            return ""
        return line_chart(
            progress["iteration"].tolist(),
            progress[measure].tolist(),
            colour=run_colour(0),
            x_name="iterations",
            y_name=measure,
        )

    @property
    def missed_target(self) -> bool:
        """Whether an exploitability that was asked for explicitly was not reached."""
        stop = self.request.stop
        return stop.target is not None and not stop.is_default and self.exploitability > stop.target

    def to_json(self, *, strategy: bool = False) -> dict[str, Any]:
        """Return the run as the object that `--json` prints."""
        result: dict[str, Any] = {
            "game": self.request.game,
            "method": self.request.method,
            "parameters": plain(self.request.parameters),
            "players": list(self.request.terms.seats),
            "options": plain(self.request.options),
            "seed": self.request.seed,
            "iterations": self.iterations,
            "seconds": self.seconds,
            "compile_seconds": self.compile_seconds,
            "total_seconds": self.total_seconds,
            **measured(self.evaluation),
            "infosets": self.game.num_infosets,
            "action_variables": self.game.num_action_variables,
            "sequences": [table.num_sequences for table in self.game.infosets],
            "terminals": self.game.num_terminals,
            "run": None if self.path is None else str(self.path),
        }
        if self.outcome:
            result["outcome"] = dict(self.outcome)
        if strategy:
            result["strategy"] = self.profile.to_dict()
        return result


def measured(evaluation: Evaluation | None) -> dict[str, Any]:
    """Return value and exploitability for JSON; null if they could not be measured."""
    if evaluation is None:
        return {"value": None, "values": None, "exploitability": None, "nash_conv": None}
    return {
        "value": evaluation.value,
        "values": list(evaluation.values),
        "exploitability": evaluation.exploitability,
        "nash_conv": evaluation.nash_conv,
        # With two players, whoever asks for the gains evaluates the strategy.
        **({"gains": list(evaluation.gains)} if len(evaluation.gains) > 2 else {}),
    }


def evaluated(game: CompiledGame, profile: Profile) -> Evaluation | None:
    """Return the evaluation of a profile; None if the game has no exact form."""
    return evaluate(game.plan_form(), profile) if game.has(PlanForm) else None
