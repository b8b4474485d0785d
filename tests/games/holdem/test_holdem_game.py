"""Hold'em as a game: dealing, betting, labels, showdowns, and what is refused."""

import random
from collections import Counter
from collections.abc import Mapping

import pytest

from untilt.cards.card import parse_cards
from untilt.errors import GameError, InvalidOption, UntiltError
from untilt.game.actions import action_data
from untilt.game.terms import Chips
from untilt.games import holdem, resolve, river_of_blood
from untilt.games.holdem.game import Holdem, HoldemInfoset
from untilt.games.holdem.rules import HoldemRules


def played(game: Holdem, *moves: str) -> Holdem:
    """The position after deals (names of cards) and actions."""
    for move in moves:
        game = game.apply(tuple(parse_cards(move)) if game.chance else move)
    return game


DEALT = played(holdem(), "AsKh Qd9c")


def test_the_button_acts_first_before_the_flop_and_last_after_it() -> None:
    assert DEALT.active == 0
    flop = played(DEALT, "raise 6", "call", "6hTd9d")
    assert (flop.active, flop.betting.pot, flop.chips.stacks) == (1, 12, (194.0, 194.0))
    assert played(flop, "check").active == 0


def test_an_infoset_reads_like_its_label() -> None:
    position = played(DEALT, "call", "raise 6", "call", "6hTd9d", "bet 10")
    infoset = position.infoset(0)
    assert str(infoset) == "P0:AsKh:Td9d6h:cr6c/b10"
    assert (infoset.private, infoset.public, infoset.line) == ("AsKh", "Td9d6h", "cr6c/b10")
    assert (infoset.player, infoset.street, infoset.hand) == (0, 1, tuple(parse_cards("AsKh")))


def test_what_a_player_does_not_know_makes_no_difference() -> None:
    other = played(holdem(), "KhAs 7d2c", "call", "raise 6", "call", "Td9d6h", "bet 10")
    same = played(DEALT, "call", "raise 6", "call", "6hTd9d", "bet 10")
    assert other.infoset(0) == same.infoset(0)
    assert hash(other.infoset(0)) == hash(same.infoset(0))
    assert other.infoset(1) != same.infoset(1)


def test_all_sizes_are_legal_and_listed_without_being_made() -> None:
    actions = DEALT.infoset(0).actions()
    assert [str(actions[place]) for place in (0, 1, 2, -2, -1)] == [
        *("fold", "call", "raise 4", "raise 199", "all-in 200"),
    ]
    assert len(actions) == len(list(actions)) == 199
    assert actions == played(holdem(), "2c2d 7h7s").infoset(0).actions()
    assert action_data("raise 17") in actions
    assert action_data("raise 3") not in actions
    assert len(holdem(stack=10**9).apply(tuple(parse_cards("AsKhQd9c"))).infoset(0).actions()) > 9e8


def test_a_fold_loses_what_was_put_in() -> None:
    assert played(DEALT, "fold").payoff(0) == -1.0
    position = played(DEALT, "raise 6", "raise 20", "fold")
    assert position.terminal
    assert (position.payoff(0), position.payoff(1)) == (-6.0, 6.0)


def test_after_an_all_in_and_a_call_nobody_is_asked() -> None:
    position = played(DEALT, "all-in 200", "call")
    assert (position.chance, position.line) == (True, "a200c")
    position = played(position, "AhAd2s", "3s", "4c")
    assert position.terminal
    assert position.final_public == "AhAd2s3s4c"
    assert (position.payoff(0), position.payoff(1)) == (200.0, -200.0)


def test_equal_hands_split_the_pot() -> None:
    position = played(
        holdem(ante=1), "AsKh AdKc", *("call", "check", "QhJhTs", "check", "check", "2c"),
        *("bet 10", "call", "3d", "check", "check"),
    )  # fmt: skip
    assert position.terminal
    assert (position.payoff(0), position.payoff(1)) == (0.0, 0.0)
    assert position.line == "cc/cc/b10c/cc"


def test_the_short_stack_limits_what_can_be_bet() -> None:
    position = played(holdem(stack=200, other_stack=50), "AsKh Qd9c")
    assert str(position.infoset(0).actions()[-1]) == "all-in 50"
    for name in ("all-in 50", "raise 120", "all-in 200"):
        over = played(position, name)
        assert over.line == "a50"
        ended = played(over, "call", "AhAd2s", "3s", "4c")
        assert (ended.payoff(0), ended.chips.stacks) == (50.0, (150.0, 0.0))


def test_a_stack_below_the_smallest_raise_is_bet_whole() -> None:
    position = played(holdem(stack=200, other_stack=5), "AsKh Qd9c", "call", "check", "AhAd2s")
    assert list(map(str, position.infoset(1).actions())) == ["check", "bet 2", "all-in 3"]
    raised = played(position, "bet 2")
    assert list(map(str, raised.infoset(0).actions())) == ["fold", "call", "all-in 3"]


def test_limit_games_leave_amounts_out_of_names_and_lines() -> None:
    position = played(holdem(limit="2/4"), "AsKh Qd9c")
    assert list(map(str, position.infoset(0).actions())) == ["fold", "call", "raise"]
    position = played(position, "raise", "raise", "raise")
    assert position.betting.bets == (8, 6)
    assert list(map(str, position.infoset(1).actions())) == ["fold", "call"]
    turn = played(position, "call", "AhAd2s", "check", "bet", "call", "3s", "bet")
    assert (turn.line, turn.betting.bets) == ("rrrc/cbc/b", (0, 4))
    assert turn.chips == Chips(20.0, (0.0, 4.0), (190.0, 186.0))


def test_a_river_of_blood_runs_on_while_its_last_card_is_red() -> None:
    checks = ("check", "check")
    river = played(river_of_blood(), "AsKh Qd9c", "call", "check", "2c3c4d", *checks, "5d", *checks)
    black = played(river, "6s", *checks)
    assert black.terminal
    red = played(river, "6d", *checks)
    assert red.chance
    longer = played(red, "7h", "bet 398")
    assert (longer.street, longer.line) == (4, "cc/cc/cc/cc/a398")
    all_in = played(longer, "call")
    assert all_in.chance
    ended = played(all_in, "8h", "8d", "8s")
    assert ended.terminal
    assert len(ended.board) == 9
    # Player 0 has 4-8, player 1 the straight to the nine.
    assert (ended.payoff(0), ended.payoff(1)) == (-400.0, 400.0)


def test_extra_streets_of_a_river_of_blood_are_as_many_as_red_cards_on_top_of_a_deck() -> None:
    rng = random.Random(27)
    num_hands = 8_000
    counts: Counter[int] = Counter()
    for _ in range(num_hands):
        position = river_of_blood()
        while not position.terminal:
            if position.chance:
                position = position.apply(position.sample(rng))
            else:
                position = position.apply(position.betting.passive_actions()[-1])
        extra = len(position.board) - 5
        assert position.line.count("/") == 3 + extra
        counts.update(range(1, extra + 1))
    expected, still_red = 0.0, 1.0
    for extra in range(1, 27):
        still_red *= (27 - extra) / (53 - extra)
        expected += still_red
        deviation = (still_red * (1.0 - still_red) / num_hands) ** 0.5
        assert abs(counts[extra] / num_hands - still_red) < 4.5 * deviation + 1e-3
        if extra <= 4:
            assert round(still_red, 3) == (0.5, 0.245, 0.118, 0.055)[extra - 1]
    assert expected == pytest.approx(26 / 27)
    # The standard deviation of the number of extra cards is 1.35.
    assert counts.total() / num_hands == pytest.approx(26 / 27, abs=4.5 * 1.35 / num_hands**0.5)


def test_deals_are_drawn_from_one_number_each_and_are_fair() -> None:
    class Counted(random.Random):
        calls = 0

        def random(self) -> float:
            Counted.calls += 1
            return super().random()

    rng = Counted(3)
    first: Counter[int] = Counter()
    for _ in range(5_200):
        deal = holdem().sample(rng)
        assert len(set(deal)) == 4
        first.update(deal)
    assert Counted.calls == 5_200
    assert len(first) == 52
    # 400 expected of each card, standard deviation 19.
    assert all(300 < count < 500 for count in first.values())


@pytest.mark.parametrize(
    ("moves", "words"),
    [
        (("raise 3",), "'raise 3' is not legal after '': a bet to 3 is not legal"),
        (("check",), "'check' is not legal after ''"),
        (("dance",), "'dance' is not an action of hold'em"),
        (("fold", "call"), "the hand is over"),
        (("call", "check", "AsAdAc"), "a deal is 3 different cards of the deck"),
        (("call", "check", "2c2d"), "a deal is 3 different cards"),
    ],
)
def test_illegal_moves_are_named(moves: tuple[str, ...], words: str) -> None:
    with pytest.raises(GameError) as refusal:
        played(DEALT, *moves)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"stack": 1}, "the small blind has a stack of 1, smaller than the blinds 1/2"),
        ({"other_stack": 1}, "the big blind has a stack of 1, smaller than the blinds 1/2"),
        ({"stack": 5, "ante": 4}, "smaller than the ante of 4 and blinds 1/2: give at least 6"),
        ({"stack": 200.5}, "stack=200.5 is not allowed"),
        ({"stack": "lots"}, "stack=lots is not allowed"),
        ({"ante": -1}, "ante is -1"),
        ({"small_blind": 3}, "the big blind is at least 1 and the small one not larger"),
        ({"limit": "2;4"}, "give integers with / between them"),
        ({"limit": "0"}, "limit is 0; give an integer from 1"),
        ({"board": "1/1"}, "at least 3 in all"),
        ({"ranks": 2}, "has 8 cards, but a hand needs 9"),
        ({"max_raises": 0}, "max_raises is 0"),
    ],
)
def test_rules_that_make_no_sense_are_refused(
    parameters: Mapping[str, str | int], words: str
) -> None:
    with pytest.raises(UntiltError) as refusal:
        resolve("holdem", parameters)
    assert words in str(refusal.value)


def test_rules_made_in_python_are_checked_too() -> None:
    for given in ({"stacks": (1.5, 2)}, {"blinds": (1,)}, {"limit": ()}, {"stacks": 200}):
        with pytest.raises(InvalidOption):
            HoldemRules(**given)
    with pytest.raises(InvalidOption, match="one card must come last"):
        HoldemRules(board_cards=(0, 3), red_runs_on=True)


def test_parameters_make_the_game_again() -> None:
    given: dict[str, str | int] = {
        "stack": 50,
        "other_stack": 70,
        "ante": 1,
        "limit": "2/2/5",
        "board": "3/1",
    }
    game = resolve("holdem", given).game
    assert isinstance(game, Holdem)
    again = resolve("holdem", game.parameters).game
    assert isinstance(again, Holdem)
    assert again.rules == game.rules


def test_infosets_of_hands_are_tuples_of_their_own() -> None:
    infoset = DEALT.infoset(1)
    assert isinstance(infoset, HoldemInfoset)
    assert infoset != (1,)
    assert len({infoset, DEALT.infoset(1), DEALT.infoset(0)}) == 2
