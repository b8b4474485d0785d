"""Abstract games: again games, with the value and the recall that they should have."""

import itertools
import math

import pytest

import untilt
from untilt.abstraction import (
    AbstractPosition,
    abstract,
    algebraic,
    alike,
    betting_line,
    pot_fractions,
    private,
    public,
    street,
    trivial,
)
from untilt.errors import ImperfectRecall, InvalidOption
from untilt.game.checking.check import check
from untilt.game.compiled import compile_histories
from untilt.games import kuhn, leduc
from untilt.games.kuhn import Kuhn, KuhnInfoset
from untilt.games.leduc import Leduc

EVERYTHING = private * public * betting_line


def test_an_abstraction_that_keeps_everything_is_the_same_game() -> None:
    for root in (kuhn(), leduc()):
        full, same = compile_histories(root), compile_histories(abstract(root, EVERYTHING))
        assert same.num_infosets == full.num_infosets
        assert same.num_terminals == full.num_terminals
        values = [
            untilt.solve(game, "lp", save=False).value
            for game in (root, abstract(root, EVERYTHING))
        ]
        assert values[0] == pytest.approx(values[1], abs=1e-9)


def test_queen_and_king_alike_leave_eight_infosets_of_kuhn() -> None:
    game = compile_histories(abstract(kuhn(), alike("QK") * betting_line))
    assert list(game.infosets[0]) == ["P0:J::", "P0:J::cb", "P0:QK::", "P0:QK::cb"]
    assert sorted(game.infosets[1]) == ["P1:J::b", "P1:J::c", "P1:QK::b", "P1:QK::c"]
    assert game.recall_error is None


def test_actions_are_part_of_the_key() -> None:
    game = compile_histories(abstract(kuhn(), trivial))
    assert list(game.infosets[0]) == ["P0:::[c,b]", "P0:::[f,c]"]
    assert list(game.infosets[1]) == ["P1:::[c,b]", "P1:::[f,c]"]


def test_forgetting_is_reported_with_what_it_costs() -> None:
    game = abstract(leduc(), private * street)
    compiled = untilt.games.compile(game)
    assert compiled.recall_error is not None
    assert "imperfect recall: at infoset 'P0:J:flop:[c,b]'" in compiled.recall_error
    with pytest.raises(
        ImperfectRecall, match=r"best responses need perfect recall: use a sampling"
    ):
        untilt.solve(game, "cfr+", iterations=10, save=False)
    run = untilt.solve(game, "es-linear", iterations=200, save=False)
    assert math.isnan(run.exploitability)  # unknown


def test_sampling_an_abstract_game_as_objects_finds_its_equilibrium() -> None:
    game = abstract(kuhn(), alike("QK") * betting_line)
    run = untilt.solve(game, "es", iterations=30_000, on="objects", save=False, seed=1)
    assert run.exploitability < 0.01


def test_keys_are_computed_once_per_node_and_interned() -> None:
    calls: list[str] = []

    @algebraic
    def counted(infoset: KuhnInfoset) -> str:
        calls.append(str(infoset))
        return infoset.private

    root = abstract(kuhn(), counted)
    position = root.apply("J").apply("Q")
    first = position.infoset(0)
    assert position.infoset(0) is first
    assert len(calls) == 1
    assert root.apply("J").apply("K").infoset(0) is first


def test_the_decorator_makes_a_class_of_abstract_positions() -> None:
    @abstract(Kuhn, alike("QK") * betting_line)
    class Blind(Kuhn):
        """Kuhn without telling Queen from King."""

    root: object = Blind()
    assert isinstance(root, AbstractPosition)
    assert type(root.apply("J")) is type(root)
    assert Blind.__doc__ == "Kuhn without telling Queen from King."
    assert compile_histories(root) == compile_histories(
        abstract(kuhn(), alike("QK") * betting_line)
    )
    assert untilt.solve(Blind, "lp", save=False).value is not None


def test_the_decorator_keeps_rules_that_a_subclass_changes() -> None:
    @abstract(Leduc, EVERYTHING)
    class Doubled(Leduc):
        def payoff(self, player: int) -> float:
            return 2.0 * Leduc.payoff(self, player)

    assert untilt.solve(Doubled, "lp", save=False).value == pytest.approx(2 * -0.085606424078)


def test_an_abstract_game_obeys_the_protocol() -> None:
    report = check(abstract(leduc(), EVERYTHING))
    assert report.is_sound, report.problems
    assert report.shape is not None
    assert report.shape.has_perfect_recall


def test_the_check_of_a_game_names_an_abstraction_that_contradicts_itself() -> None:
    numbers = itertools.count()

    @algebraic
    def moody(infoset: KuhnInfoset) -> int:
        return next(numbers)

    @abstract(Kuhn, moody)
    class Moody(Kuhn):
        pass

    for game in (abstract(kuhn(), moody), Moody()):
        (problem,) = check(game).problems
        assert problem.startswith("the abstraction 'moody' returns ")
        assert "for the same infoset 'P0:" in problem


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(InvalidOption, match="a menu of bets is for hold'em; Kuhn has no bet sizes"):
        abstract(kuhn(), trivial, pot_fractions(0.5))
    with pytest.raises(InvalidOption, match="is not a menu of actions"):
        abstract(kuhn(), trivial, "half the pot")  # type: ignore[call-overload]
    with pytest.raises(InvalidOption, match="the game is abstract already"):
        abstract(abstract(kuhn(), trivial), trivial)
    with pytest.raises(InvalidOption, match="decorates a subclass of Kuhn"):
        abstract(Kuhn, trivial)(int)
