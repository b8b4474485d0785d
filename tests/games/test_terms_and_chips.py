"""What games declare, and that the money on the table is the money won and lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from untilt.game.compiled import compile as compile_game
from untilt.game.protocol import Game
from untilt.game.terms import Chips, Terms, chips_of, terms_of
from untilt.games import REGISTRY, resolve
from untilt.games.efg import parse_efg
from untilt.games.pushfold.game import deals

from .census import histories

LIARS_DICE = str(Path(__file__).parents[2] / "examples" / "liars_dice.py")
FORCED_EFG = """EFG 2 R "forced" { "Ann" "Bob" }
p "" 1 1 "a" { "only" } 0
p "" 2 1 "b" { "l" "r" } 0
t "" 1 "" { 1, -1 }
t "" 2 "" { -1, 1 }
"""


def ends(game: Game) -> Iterator[tuple[Game, Chips]]:
    for position, _, _ in histories(game):
        if position.terminal:
            chips = chips_of(position)
            assert chips is not None
            yield position, chips


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[pytest.mark.long] * (name == "river-of-blood"))
        for name in REGISTRY
    ],
)
def test_registered_games_declare_their_terms(name: str) -> None:
    game = resolve(name, REGISTRY[name].small).game
    terms = terms_of(game)
    assert getattr(game, "terms", None) is terms
    assert len(terms.rules.split()) > 20
    assert terms.has_forced_moves == bool(compile_game(game).forced)
    assert terms.has_chips == (chips_of(game) is not None)


MARKETS = ("auction", "limit-order", "market-maker", "order-routing")


def test_push_fold_counts_in_big_blinds_markets_in_points_all_else_in_chips() -> None:
    units = {name: terms_of(resolve(name).game).unit for name in REGISTRY}
    others = {"pushfold": "bb"} | dict.fromkeys(MARKETS, "points")
    assert units == dict.fromkeys(REGISTRY, "chips") | others


def test_what_is_private_and_public_has_a_name_where_infosets_show_it() -> None:
    for name, spec in REGISTRY.items():
        game = resolve(name, spec.small).game
        terms, infosets = terms_of(game), compile_game(game).infosets
        assert bool(terms.private) == any(any(table.column("private").texts) for table in infosets)
        assert bool(terms.public) == any(any(table.column("public").texts) for table in infosets)


def test_files_of_gambit_name_their_players() -> None:
    assert parse_efg(FORCED_EFG).terms == Terms(seats=("Ann", "Bob"), has_forced_moves=True)
    nameless = FORCED_EFG.replace('"Ann" "Bob"', f'"" "{"B" * 41}"')
    assert parse_efg(nameless).terms == Terms(has_forced_moves=True)


def test_the_last_bid_of_liars_dice_forces_the_reply() -> None:
    game = resolve(LIARS_DICE, {"sides": 2}).game
    assert terms_of(game).private == "die"
    assert terms_of(game).has_forced_moves
    assert compile_game(game).forced


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("kuhn", {}),
        ("leduc", {}),
        ("leduc", {"bets": 3, "suits": "distinguished"}),
        ("leduc-276", {}),
    ],
)
def test_the_loser_of_a_hand_loses_half_the_pot_and_the_bet(
    name: str, parameters: dict[str, str | int]
) -> None:
    for position, (pot, bets, stacks) in ends(resolve(name, parameters).game):
        assert stacks == (None, None)
        gains = position.payoff(0), position.payoff(1)
        if gains != (0.0, 0.0):
            loser = 0 if gains[0] < 0.0 else 1
            assert gains[loser] == -(pot / 2 + bets[loser])
        # Only who folds has put in less than the other.
        assert min(bets) == max(bets) or max(gains) == pot / 2 + min(bets)


@pytest.mark.parametrize("line", ["f", "af", "ac"])
@pytest.mark.parametrize(
    "parameters", [{}, {"stack": 7.5, "ante": 0.1}, {"stack": 20.0, "bb_ante": 1.0, "ante": 0.25}]
)
def test_the_money_of_push_fold_is_conserved(line: str, parameters: dict[str, float]) -> None:
    game = resolve("pushfold", parameters).game
    stack = parameters.get("stack", 10.0)
    position = game.apply("AKs").apply("QQ")
    words = {"f": "fold", "a": "all-in", "c": "call"}
    for letter in line:
        chips = chips_of(position)
        assert chips is not None
        assert all(left is not None and left >= 0.0 for left in chips.stacks)
        position = position.apply(words[letter])
    chips = chips_of(position)
    assert chips is not None
    left = [stack_left or 0.0 for stack_left in chips.stacks]
    total = chips.pot + sum(chips.bets)
    assert total + sum(left) == pytest.approx(2 * stack)
    # An end by a fold gives all to the other, a showdown to each her share of the boards.
    share = {"f": 0.0, "af": 1.0}.get(line)
    if share is None:
        table, place = deals(), (position.hands)  # type: ignore[attr-defined]
        share = float(table.win[place] + table.tie[place] / 2.0)
    assert position.payoff(0) == pytest.approx(left[0] + share * total - stack)
    assert position.payoff(1) == pytest.approx(left[1] + (1.0 - share) * total - stack)


def test_bets_of_a_street_move_to_the_pot_when_the_next_begins() -> None:
    position = resolve("leduc").game.apply("J").apply("K").apply("check").apply("bet")
    assert chips_of(position) == Chips(2.0, (0.0, 2.0), (None, None))
    position = position.apply("call")
    assert chips_of(position) == Chips(6.0, (0.0, 0.0), (None, None))
    position = position.apply("Q").apply("bet").apply("raise")
    assert chips_of(position) == Chips(6.0, (4.0, 8.0), (None, None))
