"""Nash equilibria of general-sum games, found by Gambit (extra: gambit).

    lcp         one equilibrium, by Lemke's algorithm on the sequence form
    enummixed   all extreme equilibria of the strategic form, by enumerating vertices

Both are exact: Gambit calculates with fractions, except on large games with `lcp`. Decisions that
an equilibrium leaves open, because the other player never lets play reach them, are uniform here;
the result is a Nash equilibrium, but need not be subgame perfect.

References: Koller, Megiddo & von Stengel 1996, "Efficient computation of equilibria for extensive
two-person games"; Mangasarian 1964, "Equilibrium points of bimatrix games"; Savani & Turocy,
"Gambit: the package for computation in game theory", https://www.gambit-project.org.
"""

import atexit
import importlib.util
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from untilt.errors import Argument, GameTooLarge, InvalidOption, UntiltError
from untilt.evaluation.best_response import Evaluation, evaluate
from untilt.evaluation.snapshots import sequence_snapshot
from untilt.game.compiled import CompiledGame
from untilt.game.histories.tree import CHANCE, TERMINAL, GameTree
from untilt.game.sequence.sequence_form import Side
from untilt.game.strategy.snapshot import SequenceSnapshot
from untilt.game.strategy.strategy import Profile, profile_from_arrays, uniform_profile
from untilt.numeric.arrays import AnyArray, Floats
from untilt.numeric.fractions import number_text, probability_texts
from untilt.solvers.progress import Progress

LCP, ENUMMIXED = "lcp", "enummixed"

MOST_STRATEGIES = 10
"""Strategies of a player up to which `enummixed` is offered; its time grows exponentially."""
MOST_SEQUENCES = 200
"""Sequences of both players up to which `lcp` is offered."""
_EXACT_SEQUENCES = 100
"""Sequences of both players up to which `lcp` calculates with fractions."""


@dataclass(frozen=True)
class _Equilibrium:
    profile: Profile
    evaluation: Evaluation


class GambitSolver:
    """Gambit as a solver: one step, no iterations, nothing to resume.

    `choice` is the number of the equilibrium to return, counted from 1; 0 stands for the one with
    the largest sum of payoffs, or the first of several such.
    """

    iteration = None

    def __init__(self, game: CompiledGame, program: str, choice: int = 0) -> None:
        _verify_installed(program)
        self._game = game
        self._form = game.exact_form()
        self._tree = game.require(GameTree, "which Gambit is given")
        self._program = program
        self._choice = choice
        sides = self._form.sides
        self._num_sequences = sum(side.num_sequences for side in sides)
        _verify_size(program, sides, self._num_sequences)
        self._found: list[_Equilibrium] = []
        self._saved = 0
        self.seconds = 0.0

    @property
    def is_at_moment(self) -> bool:
        """False: there are no iterations at which to measure."""
        return False

    def warm_up(self) -> None:
        """Compile the evaluation."""
        evaluate(self._form, uniform_profile(self._game))

    def progress(self, until: int | None = None) -> Iterator[Progress]:
        """Let Gambit solve the game, and yield once."""
        del until
        begin = time.perf_counter()
        profiles = [self._profile(each) for each in self._answer()]
        self._found = [_Equilibrium(each, evaluate(self._form, each)) for each in profiles]
        self._saved = self._chosen()
        self.seconds = time.perf_counter() - begin
        evaluation = self._found[self._saved].evaluation
        yield Progress(iteration=None, seconds=self.seconds, evaluation=evaluation, regret=None)

    def _chosen(self) -> int:
        if not self._found:
            raise UntiltError(f"Gambit's {self._program} found no equilibrium of this game")
        if self._choice > len(self._found):
            raise InvalidOption.of(
                "equilibrium",
                self._choice,
                f"Gambit found {len(self._found)}; give a number up to it",
            )
        if self._choice:
            return self._choice - 1
        totals = [sum(each.evaluation.values) for each in self._found]
        # Rounding must not decide between equilibria of equal sums.
        best = max(totals) - 1e-9 * (1.0 + max(map(abs, totals)))
        return next(index for index, total in enumerate(totals) if total >= best)

    def snapshot(self) -> SequenceSnapshot:
        """Return the chosen equilibrium, or uniform play before it is found."""
        profile = self._found[self._saved].profile if self._found else uniform_profile(self._game)
        return sequence_snapshot(self._form.infosets, profile.behaviours, self._form)

    def outcome(self) -> dict[str, Any]:
        """Return all equilibria, and the number of the one that is the strategy, from 1."""
        return {
            "program": self._program,
            "saved": self._saved + 1,
            "chosen_by": "number" if self._choice else "largest sum of payoffs",
            "equilibria": [
                {
                    "values": list(each.evaluation.values),
                    "nash_conv": each.evaluation.nash_conv,
                    "strategy": each.profile.to_dict(),
                }
                for each in self._found
            ],
        }

    def state(self) -> dict[str, AnyArray]:
        """Return nothing: a stopped run starts over."""
        return {}

    def restore(self, state: Mapping[str, AnyArray]) -> None:
        """Start over."""

    def _answer(self) -> list[list[list[list[str] | None]]]:
        is_exact = self._program == ENUMMIXED or self._num_sequences <= _EXACT_SEQUENCES
        return _ask({"program": self._program, "exact": is_exact, "game": self._text()})

    def _text(self) -> str:
        """Return the game as an `.efg` file in which infosets and actions have numbers as names."""
        tree = self._tree
        lines = ['EFG 2 R "game" { "0" "1" }', '""', ""]
        sizes = [[len(actions) for _, actions in table.items()] for table in self._game.infosets]
        number_of_payoffs: dict[tuple[float, float], int] = {}
        num_chance_moves = 0
        stack = [0]
        while stack:
            node = stack.pop()
            player, first = int(tree.player[node]), int(tree.first_child[node])
            children = range(first, first + int(tree.num_children[node]))
            if player == TERMINAL:
                mine, yours = (float(payoff) for payoff in tree.payoffs[node])
                number = number_of_payoffs.setdefault((mine, yours), len(number_of_payoffs) + 1)
                payoffs = f"{number_text(mine)}, {number_text(yours)}"
                lines.append(f't "" {number} "" {{ {payoffs} }}')
                continue
            if player == CHANCE:
                num_chance_moves += 1
                shares = probability_texts(tree.probability[first : children.stop].tolist())
                moves = " ".join(f'"{number}" {share}' for number, share in enumerate(shares))
                lines.append(f'c "" {num_chance_moves} "" {{ {moves} }} 0')
            else:
                infoset = int(tree.infoset[node])
                moves = " ".join(f'"{number}"' for number in range(sizes[player][infoset]))
                lines.append(f'p "" {player + 1} {infoset + 1} "" {{ {moves} }} 0')
            stack.extend(reversed(children))
        return "\n".join(lines)

    def _profile(self, answer: list[list[list[str] | None]]) -> Profile:
        behaviours: list[Floats] = []
        for table, rows in zip(self._game.infosets, answer, strict=True):
            parts: list[Floats] = [np.ones(1)]
            for (_, actions), row in zip(table.items(), rows, strict=True):
                shares = np.array([float(Fraction(share)) for share in row or ()])
                is_open = len(shares) != len(actions) or not shares.sum() > 0.0
                parts.append(
                    np.full(len(actions), 1.0 / len(actions)) if is_open else shares / shares.sum()
                )
            behaviours.append(np.concatenate(parts))
        return profile_from_arrays(self._game, (behaviours[0], behaviours[1]))


def _ask(asked: dict[str, Any]) -> list[list[list[list[str] | None]]]:
    """Return the answer of Gambit's process; see `gambit_process`."""
    with subprocess.Popen(
        [sys.executable, "-m", "untilt.solvers.gambit_process"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        # A run that is abandoned leaves this thread waiting: end Gambit with the program.
        atexit.register(process.kill)
        try:
            printed, errors = process.communicate(json.dumps(asked))
        finally:
            process.kill()
            atexit.unregister(process.kill)
    if process.returncode:
        last = errors.strip().splitlines()[-1:] or ["no message"]
        raise UntiltError(f"Gambit's {asked['program']} failed: {last[0][:200]}")
    answer: list[list[list[list[str] | None]]] = json.loads(printed)
    return answer


def _verify_installed(program: str) -> None:
    if importlib.util.find_spec("pygambit") is None:
        raise InvalidOption(
            Argument("method", f"gambit-{program}"),
            " needs pygambit: pip install 'untilt[gambit]', or uv run --extra gambit",
        )


def _verify_size(program: str, sides: tuple[Side, Side], num_sequences: int) -> None:
    if program == LCP and num_sequences > MOST_SEQUENCES:
        raise GameTooLarge(
            f"gambit-lcp takes games of up to {MOST_SEQUENCES:,} sequences of both players; this "
            f"one has {num_sequences:,}: use qre with a limit, or a method for zero-sum games"
        )
    if program == ENUMMIXED:
        first, second = (_num_strategies(side) for side in sides)
        if max(first, second) > MOST_STRATEGIES:
            raise GameTooLarge(
                "gambit-enummixed lists the equilibria of the strategic form, of up to "
                f"{MOST_STRATEGIES} strategies per player; this game has {_count(first)} and "
                f"{_count(second)}: use gambit-lcp, which finds one equilibrium"
            )


def _num_strategies(side: Side) -> int:
    """Return the number of a player's reduced strategies."""
    below = [1] * side.num_sequences
    for infoset in range(side.num_infosets - 1, -1, -1):
        begin, end = int(side.first_sequence[infoset]), int(side.first_sequence[infoset + 1])
        below[int(side.parent_sequence[infoset])] *= sum(below[begin:end])
    return below[0]


def _count(number: int) -> str:
    return f"{number:,}" if number < 10**9 else f"about 10^{len(str(number)) - 1}"
