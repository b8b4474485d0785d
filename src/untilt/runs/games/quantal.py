"""`untilt.qre`: quantal response equilibria of a game, at one β or along the whole branch."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from untilt.charts.palette import run_colour
from untilt.display import Cell, html_table, line_chart, short_number
from untilt.errors import InvalidOption, UnknownName, require
from untilt.formats.run.progress_table import ProgressTable
from untilt.game.compiled import CompiledGame
from untilt.game.strategy.strategy import Profile, verify_player
from untilt.games.registry import GameLike
from untilt.number import plain
from untilt.numeric.arrays import Floats
from untilt.runs.run import GameRun
from untilt.runs.solve import solve
from untilt.runs.watching import Watcher
from untilt.solvers.qre.options import BETA, CLASSIC, LIMIT, TRACE

if TYPE_CHECKING:
    from pandas import DataFrame

    from untilt.charts.figures.picture import Picture


@dataclass(frozen=True, repr=False)
class QuantalResponse:
    """A quantal response equilibrium, and the path from random play that leads to it.

    >>> import untilt
    >>> found = untilt.qre("kuhn", beta=10, save=False)
    >>> found.converged, round(found.value, 4)
    (True, -0.0562)
    >>> found.strategy["P0:J:"]["bet"] > 0.1
    True
    """

    run: GameRun
    """The run: request, game, folder and times."""

    def __repr__(self) -> str:
        state = "" if self.converged else ", not converged"
        saved = "not saved" if self.path is None else f"in {str(self.path)[-120:]}"
        traced = f", branch of {len(self.branch)} points" if self.branch else ""
        return (
            f"<QuantalResponse of {self.run.request.game[:80]} at beta {self.betas_text} "
            f"({self.definition}): {self.run.values_text('.9g')}, exploitability "
            f"{self.exploitability:.3g}{state}{traced}, {saved}>"
        )

    @property
    def game(self) -> CompiledGame:
        """The game, compiled."""
        return self.run.game

    @property
    def strategy(self) -> Profile:
        """The equilibrium at `beta`, or with `limit` the Nash equilibrium of the branch."""
        return self.run.profile

    @property
    def definition(self) -> str:
        """What players respond to: agent, counterfactual, ex-ante or dilated."""
        return str(self.run.outcome["definition"])

    @property
    def beta(self) -> float:
        """The rationality that was reached, per chip; of the most rational player."""
        return float(self.run.outcome["beta"])

    @property
    def betas(self) -> tuple[float, ...]:
        """Each player's rationality."""
        return tuple(map(float, self.run.outcome["betas"]))

    @property
    def betas_text(self) -> str:
        """All players' rationality in words; one number if it is the same."""
        return " and ".join(f"{beta:g}" for beta in dict.fromkeys(self.betas))

    @property
    def converged(self) -> bool:
        """Whether the path reached `beta` within the tolerance."""
        return bool(self.run.outcome["converged"])

    @property
    def residual(self) -> float | None:
        """How far the strategy is from its own logit response; None if not measured."""
        found = self.run.outcome["residual_norm"]
        return None if found is None else float(found)

    @property
    def folds(self) -> tuple[float, ...]:
        """Values of β at which the path turned."""
        return tuple(self.run.outcome.get("folds", ()))

    @property
    def value(self) -> float:
        """Player 0's expected payoff, in chips."""
        return self.run.value

    @property
    def values(self) -> tuple[float, ...]:
        """All players' expected payoffs, in chips."""
        return self.run.values

    @property
    def exploitability(self) -> float:
        """Mean gain of best responses per player, in chips."""
        return self.run.exploitability

    @property
    def progress(self) -> ProgressTable:
        """A row per point of the path: beta, value, exploitability, residual."""
        return self.run.progress

    @property
    def path(self) -> Path | None:
        """Its run folder; None if it was not saved."""
        return self.run.path

    @cached_property
    def branch(self) -> "BranchPoints":
        """All points of the path with their strategies; empty unless `trace=True` was given."""
        return BranchPoints(self.run.outcome.get("branch", ()))

    def to_json(self, *, strategy: bool = False, branch: bool | None = None) -> dict[str, Any]:
        """Return the result as the object that `untilt qre --json` prints.

        `branch` says whether it includes the points of the path, by default if they were kept.
        """
        run, outcome = self.run, self.run.outcome
        result: dict[str, Any] = {
            "game": run.request.game,
            "parameters": plain(run.request.parameters),
            "players": list(run.request.terms.seats),
            "definition": self.definition,
            "method": outcome["path"],
            "beta": self.beta,
            "betas": list(self.betas),
            "iterations": run.iterations,
            "seconds": run.seconds,
            "value": self.value,
            "values": list(self.values),
            "exploitability": self.exploitability,
            "nash_conv": run.nash_conv,
            "residual_norm": self.residual,
            "converged": self.converged,
            "points": outcome["points"],
            **{name: outcome[name] for name in ("folds", "limit", "cg_steps") if name in outcome},
            "run": None if self.path is None else str(self.path),
        }
        if branch or (branch is None and self.branch):
            self._verify_traced()
            result["branch"] = list(self.branch)
        if strategy:
            result["strategy"] = self.strategy.to_dict()
        return result

    def to_document(self) -> dict[str, Any]:
        """Return the path as one document for other programs; needs `trace=True`."""
        self._verify_traced()
        return {
            "game": self.run.request.title,
            "game_id": self.run.request.game,
            "iteration_count": self.run.iterations,
            "iterations": [
                {
                    "iteration": point["iteration"],
                    "beta": point["beta"],
                    "residual_norm": point["residual_norm"],
                    "exploitability": point["exploitability"],
                    "expected_value": point["value"],
                    "strategy": point["strategy"],
                    "action_evs": point["action_values"],
                }
                for point in self.branch
            ],
            "latest": {"type": "complete", "final_exploitability": self.exploitability},
        }

    def _verify_traced(self) -> None:
        if not self.branch:
            raise InvalidOption(
                "the points of the path were not kept; compute it with untilt.qre(…, trace=True)"
            )

    def to_frame(self) -> "DataFrame":
        """Return the path as a pandas frame: a row per point, and if traced a column per action.

        The columns of actions are named `infoset action`, such as `P0:J: bet`.
        """
        if not self.branch:
            return self.progress.to_frame()
        pandas = require("pandas", "to_frame")
        columns: dict[str, Any] = {
            "beta": self.branch.betas,
            "value": self.branch.column("value"),
            **{
                f"value_{player}": self.branch.values(player)
                for player in range(1, 1 if self.game.has_one_value else self.game.num_players)
            },
            "exploitability": self.branch.column("exploitability"),
            "residual": self.branch.column("residual_norm"),
        }
        for label, actions in self.branch[0]["strategy"].items():
            for action in actions:
                columns[f"{label} {action}"] = self.branch.probabilities(label, action)
        frame: DataFrame = pandas.DataFrame(columns)
        return frame

    def plot(self, path: str | os.PathLike[str] | None = None) -> "Picture":
        """Return probabilities and exploitability by β as a figure; needs `trace=True`.

        With `path`, which ends in .svg, .png or .pdf, it is also written there.
        """
        from untilt.charts.figures.branch_figure import branch_figure
        from untilt.charts.figures.plot_file import plot_path, saved

        file = plot_path(path)
        self._verify_traced()
        return saved(branch_figure(self.run.request.title, self.branch.points), file)

    def _repr_html_(self) -> str:
        """Return a small table, and exploitability by β, for notebooks."""
        rows: list[list[Cell]] = [
            ["definition", self.definition],
            ["beta", self.betas_text],
            *self.run.value_rows(7),
            ["exploitability", short_number(self.exploitability)],
            ["converged", "yes" if self.converged else "no"],
            ["points", len(self.progress.get("beta", ()))],
        ]
        picture = ""
        if "beta" in self.progress and "exploitability" in self.progress:
            picture = line_chart(
                self.progress["beta"].tolist(),
                self.progress["exploitability"].tolist(),
                colour=run_colour(0),
                x_name="β",
                y_name="exploitability",
            )
        title = f"Quantal response: {self.run.request.title}"
        return html_table(title, rows, picture=picture)


class BranchPoints(Sequence[Mapping[str, Any]]):
    """The points of a path in order, each `{beta, value, exploitability, strategy, …}`."""

    def __init__(self, points: Sequence[Mapping[str, Any]]) -> None:
        self.points = tuple(points)
        """The points as plain data, as `untilt qre --trace --json` prints them."""

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, index: Any) -> Any:
        return self.points[index]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.points)

    def __repr__(self) -> str:
        if not self.points:
            return "<Branch without points>"
        last = self.points[-1]["beta"]
        return f"<Branch of {len(self.points)} points, beta {self.points[0]['beta']:g} to {last:g}>"

    @property
    def betas(self) -> Floats:
        """[points] the rationality of each."""
        return self.column("beta")

    def column(self, name: str) -> Floats:
        """Return [points] one of the numbers of each point, nan where it is unknown."""
        known = self.points[0].keys() - {"strategy", "action_values"} if self.points else ()
        self._verify("column", name, sorted(known))
        return np.array(
            [np.nan if point[name] is None else point[name] for point in self.points], np.float64
        )

    def _verify(self, what: str, name: str, known: Iterable[str]) -> None:
        """Raise UnknownName unless the points have that name."""
        if self.points and name not in known:
            raise UnknownName.among(what, name, known)

    def values(self, player: int) -> Floats:
        """Return [points] what `player` gains."""
        player = verify_player(player, len(self.points[0]["values"]) if self.points else 2)
        return np.array([point["values"][player] for point in self.points], np.float64)

    def probabilities(self, label: str, action: str) -> Floats:
        """Return [points] how likely `action` is at the infoset `label`."""
        strategy = self.points[0]["strategy"] if self.points else {}
        self._verify("infoset", label, strategy)
        self._verify("action", action, strategy.get(label, ()))
        return np.array([point["strategy"][label][action] for point in self.points], np.float64)


def qre(
    game: GameLike,
    beta: float | tuple[float, ...] = 10.0,
    *,
    trace: bool = False,
    parameters: Mapping[str, Any] | None = None,
    definition: str | None = None,
    limit: bool = False,
    output: str | Path | None = None,
    save: bool = True,
    max_nodes: int | None = None,
    pace: float | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> QuantalResponse:
    """Return the quantal response equilibrium of `game` at rationality `beta`, per chip.

    The path leads from random play at β 0 towards a Nash equilibrium as β grows. `beta` is one
    number, or one for each player. With `trace` every point of the path is kept, for
    `branch`, `plot` and `to_frame`; with `limit` it goes on to the Nash equilibrium that the branch
    selects. `definition` says what players respond to: agent (the default), counterfactual, ex-ante
    or dilated. `options` are the others of `untilt qre`: path, tolerance, max_iterations, jacobian,
    schedule. The game and `parameters`, `output`, `save`, `max_nodes`, `pace` and `watcher` are as
    for `untilt.solve`; general-sum games work too.

    >>> import untilt
    >>> branch = untilt.qre("kuhn", beta=10, trace=True, save=False)
    >>> branch.branch.betas[0], branch.branch.betas[-1]
    (np.float64(0.0), np.float64(10.0))
    >>> picture = branch.plot("branch.svg")
    """
    given: dict[str, Any] = {**options, **_rationality(beta)}
    TRACE.verify(trace)
    LIMIT.verify(limit)
    if definition is not None:
        given["definition"] = definition
    elif given.get("path") == CLASSIC:
        given["definition"] = "counterfactual"
    if max_nodes is not None:
        given["max_nodes"] = max_nodes
    run = solve(
        game,
        "qre",
        parameters=parameters,
        output=output,
        save=save,
        pace=pace,
        watcher=watcher,
        trace=trace,
        limit=limit,
        **given,
    )
    assert isinstance(run, GameRun)
    return QuantalResponse(run)


def _rationality(beta: object) -> dict[str, Any]:
    """Return β of the most rational player, and all players' shares of it if they differ."""
    if not isinstance(beta, tuple | list):
        return {"beta": beta}
    if len(beta) < 2:
        raise InvalidOption.of("beta", beta, "give one number, or one per player")
    for player, own in enumerate(beta):
        BETA.verify(own, f"beta[{player}]")
    most = max(map(float, beta))
    if most == 0.0:
        return {"beta": 0.0}
    if len(beta) > 2:
        return {"beta": most, "shares": ",".join(repr(own / most) for own in beta)}
    return {"beta": most, "scale0": beta[0] / most, "scale1": beta[1] / most}
