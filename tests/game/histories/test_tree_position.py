"""A compiled tree played as positions is the game it was compiled from."""

import random

import numpy as np
import pytest
from tests.game.trees import GENERAL_SUM
from tests.play.tables import EXAMPLES, compiled

from untilt.errors import GameError
from untilt.game.compiled import compile as compile_game
from untilt.game.compiled import compile_histories
from untilt.game.histories.tree import GameTree, walk
from untilt.game.histories.tree_position import TreePosition
from untilt.game.protocol import Game
from untilt.games.kuhn import Kuhn

LIARS_DICE = f"{EXAMPLES / 'liars_dice.py'}:game"


@pytest.mark.parametrize("name", ["kuhn", "leduc", "leduc-276", "auction", "order-routing"])
def test_walking_the_positions_of_a_tree_gives_the_game_again(name: str) -> None:
    game = compiled(name)
    walked = walk(TreePosition.root_of(game))
    assert walked.infosets == game.infosets
    for column, original in game.require(GameTree)._asdict().items():
        assert np.array_equal(walked.tree._asdict()[column], original), column
    again = compile_histories(TreePosition.root_of(game))
    assert again.fingerprint() == game.fingerprint()


def test_a_game_with_forced_moves_keeps_its_decisions_and_payoffs() -> None:
    game = compiled(LIARS_DICE, sides=3)
    assert game.forced
    again = compile_histories(TreePosition.root_of(game))
    assert again.fingerprint() == game.fingerprint()
    assert not again.forced  # a tree has no node for them


def test_payoffs_that_do_not_sum_to_zero_are_kept() -> None:
    game = compile_game(GENERAL_SUM)
    again = compile_histories(TreePosition.root_of(game))
    assert again.fingerprint() == game.fingerprint()
    assert not again.is_zero_sum


def test_a_tree_and_its_game_say_the_same_along_random_histories() -> None:
    rng = random.Random(1)
    for _ in range(200):
        position: Game = Kuhn()
        twin: Game = TreePosition.root_of(compile_game(Kuhn()))
        while not position.terminal:
            assert (position.chance, twin.terminal) == (twin.chance, False)
            if position.chance:
                outcomes = list(position.chances())
                assert [p for _, p in outcomes] == [p for _, p in twin.chances()]
                number = rng.randrange(len(outcomes))
                position, twin = position.apply(outcomes[number][0]), twin.apply(number)
                continue
            assert position.active == twin.active
            known, same = position.infoset(position.active), twin.infoset(twin.active)
            assert str(known) == str(same)
            assert list(known.actions()) == list(same.actions())
            for name in ("private", "public", "line"):
                assert getattr(known, name) == getattr(same, name)
            action = rng.choice(list(known.actions()))
            position, twin = position.apply(action), twin.apply(action)
        assert twin.terminal
        assert [position.payoff(p) for p in (0, 1)] == [twin.payoff(p) for p in (0, 1)]


def test_infosets_are_equal_where_the_player_cannot_tell_and_only_there() -> None:
    root = TreePosition.root_of(compile_game(Kuhn()))
    jack_queen, jack_king = (root.apply(0).apply(number) for number in (0, 1))
    queen_jack = root.apply(1).apply(0)
    assert jack_queen.infoset(0) == jack_king.infoset(0)
    assert hash(jack_queen.infoset(0)) == hash(jack_king.infoset(0))
    assert jack_queen.infoset(0) != queen_jack.infoset(0)
    assert jack_queen.apply("bet").infoset(1) == root.apply(2).apply(1).apply("bet").infoset(1)


def test_an_illegal_move_is_refused_and_the_legal_ones_named() -> None:
    root = TreePosition.root_of(compile_game(Kuhn()))
    with pytest.raises(GameError, match=r"3 is not legal here; legal: 0, 1, 2"):
        root.apply(3)
    decision = root.apply(0).apply(0)
    with pytest.raises(GameError, match=r"'call' is not legal here; legal: check, bet"):
        decision.apply("call")
    with pytest.raises(GameError, match="the hand is over"):
        decision.apply("bet").apply("fold").apply("bet")


def test_betting_is_seen_and_a_sealed_bid_is_not() -> None:
    kuhn = TreePosition.root_of(compile_game(Kuhn())).apply(0).apply(0)
    assert kuhn.seen_decisions() == []
    assert kuhn.apply("check").apply("bet").seen_decisions() == [True, True]
    auction = TreePosition.root_of(compiled("auction")).apply(0).apply(0)
    bid = auction.infoset(auction.active).actions()[2]
    assert auction.apply(bid).active == 1
    assert auction.apply(bid).seen_decisions() == [False]
