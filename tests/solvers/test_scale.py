"""No solver depends on the unit of the payoffs, nor on how rarely chance lets them matter."""

import math
import random
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import pytest
from tests.game.trees import Choice, End, Nature, Node, TreeGame, random_tree
from tests.reference.games import Matrix

from untilt.errors import UntiltError
from untilt.evaluation.best_response import evaluate_plans
from untilt.game.compiled import CompiledGame, compile  # noqa: A004
from untilt.game.histories.tree import GameTree
from untilt.game.protocol import Action, Game, InfoSet
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.game.strategy.strategy import Profile
from untilt.games import kuhn, leduc
from untilt.games.registry import pushfold
from untilt.solvers import lp
from untilt.solvers.methods import METHODS


class Part(NamedTuple):
    """One of the games that a lottery may lead to; without a game, player 0 gains `unit`."""

    probability: float
    unit: float
    game: Game | None


class Knowledge(NamedTuple):
    """What a player knows in one of the games, and which of them it is if she is told."""

    number: int | None
    inner: InfoSet

    def actions(self) -> tuple[Action, ...]:
        return tuple(self.inner.actions())

    def __str__(self) -> str:
        return str(self.inner) if self.number is None else f"{self.inner} of {self.number}"


@dataclass(frozen=True)
class Lottery(Game):
    """A chance move decides which game is played, with payoffs in which unit."""

    parts: tuple[Part, ...]
    is_told: tuple[bool, bool] = (True, True)
    number: int = -1
    position: Game | None = None

    @property
    def terminal(self) -> bool:
        return self.number >= 0 and (self.position is None or self.position.terminal)

    @property
    def chance(self) -> bool:
        return self.number < 0 or (self.position is not None and self.position.chance)

    @property
    def active(self) -> int:
        assert self.position is not None
        return self.position.active

    def payoff(self, player: int) -> float:
        inner = (1.0, -1.0)[player] if self.position is None else self.position.payoff(player)
        return self.parts[self.number].unit * inner

    def chances(self) -> list[tuple[Action, float]]:
        if self.position is None:
            return [(number, part.probability) for number, part in enumerate(self.parts)]
        return list(self.position.chances())

    def infoset(self, player: int) -> Knowledge:
        assert self.position is not None
        number = self.number if self.is_told[player] else None
        return Knowledge(number, self.position.infoset(player))

    def apply(self, action: Action) -> "Lottery":
        if self.position is None:
            assert isinstance(action, int)
            return replace(self, number=action, position=self.parts[action].game)
        return replace(self, position=self.position.apply(action))


def lotteries() -> dict[str, Game]:
    """Return games in which something small is at stake beside something large."""
    found: dict[str, Game] = {}
    for name, game in (("kuhn", kuhn()), ("leduc", leduc())):
        for rare in (1e-6, 1e-9, 1e-12):
            often = 1.0 - rare
            played = Part(rare, 1.0, game)
            found |= {
                f"{name} behind {rare}": Lottery((Part(often, 0.0, None), played)),
                f"{name} behind {rare}, else 1": Lottery((Part(often, 1.0, None), played)),
                f"{name} in three units of {rare}": Lottery(
                    (
                        Part(0.25, rare, game),
                        Part(0.5, 1.0, game),
                        Part(0.25, 1.0 / rare, game),
                    )
                ),
            }
            for is_told in ((True, True), (True, False), (False, True)):
                turned = Lottery((Part(often, 1.0, game), Part(rare, -3.0, game)), is_told)
                found[f"{name}, rarely turned by {rare}, told {is_told}"] = turned
    for small in (1e-6, 1e-9, 1e-12):
        found |= {
            f"pennies of {small}": Matrix(((2.0, -small), (-1.0, small))),
            f"pennies of {1.0 / small:g}": Matrix(((2.0, -1.0 / small), (-1.0, 1.0 / small))),
        }
    return found


def in_units(form: SequenceForm, unit: float) -> SequenceForm:
    first, second = (side._replace(payoff=unit * side.payoff) for side in form.sides)
    return replace(form, sides=(first, second))


def relative_exploitability(form: SequenceForm) -> float:
    """Return what the linear program leaves, in proportion to all that is at stake."""
    plans = form.plans(form.behaviours(lp.solve_plans(form)))
    at_stake = float(np.abs(form.sides[0].payoff).sum())
    return evaluate_plans(form, plans).exploitability / at_stake


UNITS = (1e-200, 1e-50, 1e-12, 1e-9, 1e-6, 1e-3, 1.0, 1e3, 1e6, 1e9, 1e12, 1e50, 1e150)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("name", ["kuhn", "leduc", "pushfold"])
def test_an_equilibrium_is_exact_in_any_unit(name: str, unit: float) -> None:
    game = {"kuhn": kuhn(), "leduc": leduc(), "pushfold": pushfold(10.0)}[name]
    form = in_units(compile(game).zero_sum_form(), unit)
    assert relative_exploitability(form) <= 1e-16


@pytest.mark.parametrize("game", lotteries().values(), ids=lotteries().keys())
def test_what_rarely_matters_is_played_exactly_too(game: Game) -> None:
    form = compile(game).zero_sum_form()
    for unit in (1e-200, 1.0, 1e150):
        assert relative_exploitability(in_units(form, unit)) <= 1e-15, unit


def test_the_value_of_kuhn_behind_a_rare_chance_is_a_rare_eighteenth() -> None:
    game = compile(Lottery((Part(1.0 - 1e-9, 0.0, None), Part(1e-9, 1.0, kuhn()))))
    solver = METHODS["lp"].build(game, {}, None)
    (only,) = solver.progress()
    assert only.evaluation is not None
    assert only.evaluation.value == pytest.approx(-1e-9 / 18, rel=1e-12)
    assert only.evaluation.exploitability <= 1e-24


def test_a_program_that_stays_inexact_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing but the tolerances of HiGHS the small game would be played at random."""
    monkeypatch.setattr(lp, "_LARGER_SIZES", ())
    form = compile(lotteries()["kuhn behind 1e-09, else 1"]).zero_sum_form()
    with pytest.raises(UntiltError, match=r"not solved exactly: .* 1e-09 of what is at stake"):
        lp.solve_plans(form)


def test_a_program_that_fails_in_one_unit_is_solved_in_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    solve_program = lp._solve_program
    sizes: list[float] = []

    def fails_at_first(form, kept):  # type: ignore[no-untyped-def]
        sizes.append(float(np.abs(form.sides[0].payoff).sum()))
        if len(sizes) == 1:
            raise lp._NotSolved("no reason")
        return solve_program(form, kept)

    monkeypatch.setattr(lp, "_solve_program", fails_at_first)
    assert relative_exploitability(compile(kuhn()).zero_sum_form()) <= 1e-16
    assert sizes[1] > 1e6 * sizes[0]
    monkeypatch.setattr(lp, "_LARGER_SIZES", ())
    sizes.clear()
    with pytest.raises(UntiltError, match=r"was not solved: no reason; try the method cfr\+"):
        lp.solve_plans(compile(kuhn()).zero_sum_form())


def test_a_game_about_nothing_is_solved() -> None:
    form = in_units(compile(kuhn()).zero_sum_form(), 0.0)
    assert evaluate_plans(form, lp.solve_plans(form)).nash_conv == 0.0


def stretched(node: Node, rng: random.Random, orders: int) -> Node:
    """Return the tree with payoffs and chances changed at random by `orders` of magnitude."""
    match node:
        case End(payoff):
            return End(payoff * 10.0 ** rng.uniform(-orders, orders))
        case Nature(outcomes):
            shares = [share * 10.0 ** rng.uniform(-orders, 0.0) for _, share, _ in outcomes]
            total = math.fsum(shares)
            after = [stretched(next_node, rng, orders) for _, _, next_node in outcomes]
            names = [name for name, _, _ in outcomes]
            return Nature(
                tuple(zip(names, (share / total for share in shares), after, strict=True))
            )
        case Choice(player, label, children):
            return Choice(
                player, label, tuple((name, stretched(one, rng, orders)) for name, one in children)
            )


def stretched_games(count: int) -> list[float]:
    """Return the relative exploitability of so many random games of mixed scales."""
    found = []
    for seed in range(count):
        rng = random.Random(seed)
        orders = rng.choice([2, 4, 6, 9])
        tree = random_tree(rng, rng.randint(3, 8)).node
        form = compile(TreeGame(stretched(tree, rng, orders))).zero_sum_form()
        if form.sides[0].payoff.any():
            unit = 10.0 ** rng.choice([-200, -9, 0, 6, 150])
            found.append(relative_exploitability(in_units(form, unit)))
    return found


def test_random_games_of_mixed_scales_are_solved_exactly() -> None:
    assert max(stretched_games(100)) <= 1e-14


@pytest.mark.long
def test_thousands_of_random_games_of_mixed_scales_are_solved_exactly() -> None:
    found = stretched_games(3_000)
    above = sum(gain > 1e-15 for gain in found)
    print(f"{len(found):,} games, {above} above 1e-15 of what is at stake, worst {max(found):.1e}")
    assert above <= len(found) // 200
    assert max(found) <= 1e-12


LEARNERS = [name for name, method in METHODS.items() if method.has_iterations]


@pytest.mark.parametrize("method", LEARNERS)
def test_a_learner_plays_the_same_in_any_unit(method: str) -> None:
    """Powers of two round nothing: the same bits from 1e-200 to 1e150."""

    def played(game: CompiledGame, exponent: int) -> Profile:
        unit = 2.0**exponent
        tree = game.require(GameTree)
        same = replace(
            game,
            forms=(
                in_units(game.exact_form(), unit),
                tree._replace(payoffs=unit * tree.payoffs),
            ),
        )
        solver = METHODS[method].build(same, METHODS[method].options({}), 100)
        for _ in solver.progress(100):
            pass
        return solver.snapshot().profile

    for rules in (kuhn(), leduc()):
        game = compile(rules)
        usual = played(game, 0).to_dict()
        assert played(game, -664).to_dict() == usual
        assert played(game, 498).to_dict() == usual
