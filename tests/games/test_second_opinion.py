"""The rules of Kuhn and Leduc, history by history, against their plain twins."""

import pytest
from tests.reference import games as reference
from tests.reference.histories import write_out

from untilt.game.protocol import Game
from untilt.games import kuhn, leduc


@pytest.mark.parametrize(
    ("ours", "plain"),
    [
        (kuhn(), reference.Kuhn()),
        (leduc(), reference.Leduc()),
        (leduc(bets=3), reference.Leduc(bets=3)),
        (leduc(suits="distinguished"), reference.Leduc(suits=("s", "h"))),
        (leduc(ranks=5), reference.Leduc(ranks=("1", "2", "3", "4", "5"))),
    ],
    ids=["kuhn", "leduc", "leduc, three bets", "leduc, distinguished", "leduc, 5 ranks"],
)
def test_all_histories_are_those_of_the_plain_rules(ours: Game, plain: Game) -> None:
    assert write_out(ours) == write_out(plain)
