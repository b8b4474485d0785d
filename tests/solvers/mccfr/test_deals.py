"""Games that are split into public moves and deals: the same games, sampled faster."""

import random
from collections.abc import Hashable
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.abstraction import (
    AbstractPosition,
    StateAbstraction,
    abstract,
    algebraic,
    betting_line,
    hand_class,
    linear_pot,
    pot_fractions,
    private,
    public,
    sizes,
    street,
)
from untilt.errors import GameError
from untilt.game.compiled import NOTHING_KNOWN, compile_histories
from untilt.game.histories.split import DealtHand, OffersSplit, PublicKind, PublicMoves
from untilt.game.protocol import Game, Uniforms
from untilt.games import holdem, leduc, river_of_blood
from untilt.games.holdem.game import Holdem, HoldemInfoset
from untilt.games.leduc import Leduc, LeducInfoset, LeducPlace
from untilt.solvers.mccfr.deals import SampledDeals
from untilt.solvers.mccfr.solver import MccfrSolver
from untilt.solvers.methods import method_named


class LeducDeal:
    """Three cards of Leduc."""

    def __init__(self, root: Leduc, rng: Uniforms) -> None:
        position = root
        position = position.apply(position.sample(rng))
        position = position.apply(position.sample(rng))
        while not position.terminal:
            position = position.apply(position.sample(rng) if position.chance else "check")
        self.cards = position.cards
        self.won = position.payoff(0)

    def has_stage(self, stage: int) -> bool:
        return stage < 2

    def key(self, player: int, stage: int) -> tuple[str, str]:
        return self.cards[player], self.cards[2] if stage else ""

    def winner(self) -> int:
        return int(np.sign(self.won))


class LeducParts:
    """The betting of Leduc, spot by spot, and its deals."""

    version = 0

    def __init__(self, root: Leduc) -> None:
        self.root = root
        self.start: Hashable = self._past_deals(root.rules.root)

    @staticmethod
    def _past_deals(spot: LeducPlace) -> LeducPlace:
        while spot.chance:
            spot = next(iter(spot.after.values()))
        return spot

    def moves(self, state: Hashable) -> PublicMoves:
        if not isinstance(state, LeducPlace):
            return PublicMoves(PublicKind.SHOWDOWN, 1, payoff=float(str(state)))
        stage = state.line.count("/")
        if state.chance:
            following = self._past_deals(state)
            return PublicMoves(PublicKind.STAGE_END, stage - 1, after=(following, "never"))
        if state.terminal and state.winner is None:
            shown = str(state.paid[0])
            return PublicMoves(PublicKind.STAGE_END, stage, after=("never", shown))
        if state.terminal:
            payoff = float(state.paid[1]) if state.winner == 0 else -float(state.paid[0])
            return PublicMoves(PublicKind.END, stage, payoff=payoff)
        after = tuple(state.after.values())
        return PublicMoves(
            PublicKind.DECISION, stage, state.active, state.line, state.actions, after
        )

    def deal(self, rng: Uniforms) -> LeducDeal:
        return LeducDeal(self.root, rng)

    def infoset(self, state: Hashable, hand: DealtHand) -> LeducInfoset:
        assert isinstance(state, LeducPlace)
        assert isinstance(hand, LeducDeal)
        own, board = hand.key(state.active, state.line.count("/"))
        return LeducInfoset(state.active, own, board, state.line, state.actions)


class SplitLeduc(Leduc):
    """Leduc that offers its betting and its deals apart."""

    def split(self) -> LeducParts:
        return LeducParts(self)


def solver_of(root: Game, method: str = "es", **options: object) -> MccfrSolver:
    chosen = method_named(method)
    given = chosen.options({"on": "objects", "batch": 100, **options})
    built = chosen.build(NOTHING_KNOWN, given, None, seed=3, root=root)
    assert isinstance(built, MccfrSolver)
    return built


def sampled(solver: MccfrSolver) -> SampledDeals:
    found = solver._sampled
    assert isinstance(found, SampledDeals)
    return found


SMALL = holdem(stack=4, board="3", ranks=4, suits=2)
EVERYTHING = private * public * betting_line
SIZES = sizes("100%, a")


@pytest.mark.parametrize(
    "method",
    ["es", *(pytest.param(rule, marks=pytest.mark.long) for rule in ("cs", "es+", "es-linear"))],
)
def test_split_leduc_is_solved_as_leduc(method: str) -> None:
    run = untilt.solve(SplitLeduc(), method, iterations=20_000, on="objects", save=False)
    assert isinstance(solver_of(SplitLeduc(), method)._sampled, SampledDeals)
    assert run.exploitability < 0.25
    whole = untilt.solve(leduc(), method, iterations=20_000, on="objects", save=False)
    assert run.exploitability < 2.0 * whole.exploitability + 0.02
    assert run.value == pytest.approx(-0.0856, abs=0.08)


@pytest.mark.long
def test_small_holdem_is_solved_to_its_value_whichever_way_it_is_sampled() -> None:
    game = abstract(SMALL, EVERYTHING, SIZES)
    exact = untilt.solve(game, "cfr+", iterations=500, save=False)
    run = untilt.solve(game, "es", iterations=60_000, on="objects", save=False)
    assert isinstance(solver_of(game)._sampled, SampledDeals)
    assert run.exploitability < 0.06
    assert run.value == pytest.approx(exact.value, abs=0.06)


@pytest.mark.long
def test_split_infosets_are_those_of_the_game_itself() -> None:
    for states in (EVERYTHING, private * street, public * linear_pot(3), hand_class * betting_line):
        game = abstract(SMALL, states, SIZES)
        known = compile_histories(game)
        solver = solver_of(game)
        solver.advance(2_000)
        met = solver.game()
        for player in (0, 1):
            for label, actions in met.infosets[player].items():
                index = known.infosets[player].index(label)
                assert known.infosets[player].actions(index) == actions
        assert met.num_infosets > 0.5 * known.num_infosets


def both(infoset: HoldemInfoset) -> tuple[int, int]:
    """Return something that depends on the cards and the betting."""
    return infoset.hand[0] & 15, infoset.betting.pot


def late(infoset: HoldemInfoset) -> object:
    """Return what looks like a function of the betting until the board shows."""
    return infoset.board if infoset.betting.street else infoset.betting.num_bets


@pytest.mark.parametrize("function", [pytest.param(both, marks=pytest.mark.long), late])
def test_factors_that_read_cards_and_betting_work_too(function: Any) -> None:
    game = abstract(SMALL, algebraic(function) * hand_class, SIZES)
    known = compile_histories(game)
    solver = solver_of(game)
    solver.advance(2_000)
    labels = {label for table in solver.game().infosets for label in table}
    assert labels <= {label for table in known.infosets for label in table}
    assert len(labels) > 0.5 * known.num_infosets


def test_a_factor_that_reads_the_line_only_late_is_named() -> None:
    seen = 0

    @algebraic
    def seldom(infoset: HoldemInfoset) -> str:
        nonlocal seen
        seen += 1
        return infoset.line if seen > 3_000 else ""

    solver = solver_of(abstract(river_of_blood(), seldom * hand_class, SIZES))
    with pytest.raises(GameError, match=r"reads infoset\.line only at some infosets"):
        solver.advance(3_000)


def rob(states: StateAbstraction) -> AbstractPosition:
    return abstract(river_of_blood(), states, pot_fractions(0.5, 1.0, all_in=True))


def test_memory_is_flat_once_infosets_are_found() -> None:
    solver = solver_of(rob(linear_pot(4)))
    solver.advance(2_000)
    before = sampled(solver)
    counts = before.num_infosets, before.num_nodes
    table = len(before.histories.deals.table_key)
    solver.advance(2_000)
    # River of Blood has ever rarer streets: a few more betting states, never in proportion.
    assert before.num_infosets <= 1.05 * counts[0]
    assert before.num_nodes <= 1.5 * counts[1]
    assert len(before.histories.deals.table_key) == table


@pytest.mark.long
def test_a_full_cache_is_emptied_and_changes_nothing() -> None:
    game = rob(hand_class * street)
    one, two = solver_of(game), solver_of(game, cache=1_000)
    for solver in (one, two):
        solver.advance(300)
    assert sampled(two).num_nodes < sampled(one).num_nodes
    assert one.nodes == two.nodes
    assert one.snapshot().profile == two.snapshot().profile


def test_a_restored_solver_continues_bit_for_bit() -> None:
    game = rob(hand_class * street)
    whole, first = solver_of(game, "es-linear"), solver_of(game, "es-linear")
    whole.advance(80)
    first.advance(60)
    second = solver_of(rob(hand_class * street), "es-linear")
    second.restore({name: values.copy() for name, values in first.state().items()})
    second.advance(20)
    assert second.nodes == whole.nodes
    assert second.snapshot().profile == whole.snapshot().profile


def test_only_holdem_with_its_own_rules_and_a_menu_is_split() -> None:
    assert rob(hand_class).split() is not None
    assert abstract(SMALL, hand_class).split() is None
    assert abstract(leduc(), private).split() is None
    dealt = SMALL.apply(SMALL.sample(random.Random(1)))
    assert AbstractPosition(dealt, rob(hand_class).abstraction).split() is None

    class Doubled(Holdem):
        def payoff(self, player: int) -> float:
            return 2.0 * Holdem.payoff(self, player)

    assert abstract(Doubled(SMALL.rules), hand_class, SIZES).split() is None
    assert isinstance(rob(hand_class), OffersSplit)
