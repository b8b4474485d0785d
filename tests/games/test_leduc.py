"""The rules of Leduc hold'em and its variants, played by hand, and their sizes."""

from typing import Any

import pytest

from untilt.errors import GameError, InvalidOption
from untilt.games import leduc, leduc_276
from untilt.games.leduc import Leduc

from .census import histories, take_census
from .playing import play


@pytest.mark.parametrize(
    ("hand", "payoff"),
    [
        ("J Q bet fold", 1),
        ("J Q bet raise fold", -3),
        ("J Q check bet fold", -1),
        ("J Q check bet raise fold", 3),
        ("J Q check check K check check", -1),
        ("J Q check check J check check", 1),
        ("J Q check check Q check check", -1),
        ("K K bet raise call J bet raise call", 0),
        ("Q J bet raise call K bet raise call", 13),
        ("K J bet raise call J bet raise call", -13),
        ("K J bet call Q bet fold", 3),
        ("K J bet call Q check bet fold", -3),
        ("K J bet call Q bet raise fold", -7),
        ("K J bet call Q check bet call", 7),
    ],
)
def test_hands_pay_what_the_rules_say(hand: str, payoff: float) -> None:
    end = play(leduc(), hand)
    assert end.terminal
    assert end.payoff(0) == payoff
    assert end.payoff(1) == -payoff


@pytest.mark.parametrize(
    ("hand", "label", "actions"),
    [
        ("J Q", "P0:J::", ("check", "bet")),
        ("J Q bet", "P1:Q::b", ("fold", "call", "raise")),
        ("J Q bet raise", "P0:J::br", ("fold", "call")),
        ("J Q check bet call K", "P0:J:K:cbc/", ("check", "bet")),
        ("J Q check bet call K check", "P1:Q:K:cbc/c", ("check", "bet")),
        ("J Q check check Q bet raise", "P0:J:Q:cc/br", ("fold", "call")),
    ],
)
def test_labels_and_menus_follow_the_line(hand: str, label: str, actions: tuple[str, ...]) -> None:
    position = play(leduc(), hand)
    infoset = position.infoset(position.active)
    assert str(infoset) == label
    assert infoset.actions() == actions


def test_merged_ranks_are_weighted_by_the_copies_left() -> None:
    assert dict(leduc().chances()) == pytest.approx({"J": 1 / 3, "Q": 1 / 3, "K": 1 / 3})
    assert dict(leduc().apply("Q").chances()) == pytest.approx({"J": 0.4, "Q": 0.2, "K": 0.4})
    public = play(leduc(), "Q Q check check")
    assert dict(public.chances()) == {"J": 0.5, "K": 0.5}
    assert dict(play(leduc(), "Q J check check").chances()) == {"J": 0.25, "Q": 0.25, "K": 0.5}


def test_distinguished_suits_deal_cards() -> None:
    game = leduc(suits="distinguished")
    assert [card for card, _ in game.chances()] == ["Js", "Jh", "Qs", "Qh", "Ks", "Kh"]
    position = play(game, "Js Jh check check Qs")
    assert str(position.infoset(0)) == "P0:Js:Qs:cc/"
    assert play(position.apply("bet"), "call").payoff(0) == 0
    with pytest.raises(GameError, match="'Js' is not legal"):
        game.apply("Js").apply("Js")


def test_other_numbers_of_ranks_are_numbered_cards() -> None:
    assert [card for card, _ in leduc(ranks=4).chances()] == ["1", "2", "3", "4"]
    assert [card for card, _ in leduc(ranks=2, suits="distinguished").chances()] == [
        *("1s", "1h", "2s", "2h")
    ]
    # Ranks compare as numbers: 10 beats 9.
    assert play(leduc(ranks=13), "10 9 check check 2 check check").payoff(0) == 1


@pytest.mark.parametrize(
    ("game", "infosets", "action_variables"),
    [
        (leduc(suits="distinguished"), 936, 2_184),
        (leduc(bets=3), 528, 1_320),
        (leduc(ranks=13), 5_148, 12_012),
        (leduc(ranks=2, bets=1), 2 * 4 + 3 * 4 * 4, 112),
    ],
    ids=["distinguished", "three bets", "13 ranks", "2 ranks, one bet"],
)
def test_variants_have_their_known_sizes(game: Leduc, infosets: int, action_variables: int) -> None:
    census = take_census(game)
    assert (census.infosets, census.action_variables) == (infosets, action_variables)
    assert census.chance_reach == pytest.approx(1)
    assert census.payoff_sums == {0.0}


def test_merged_ranks_give_the_same_payoffs_as_cards() -> None:
    # Playing uniformly, player 0's expected payoff does not depend on how suits are told apart.
    def uniform_value(game: Leduc) -> float:
        return sum(reach * end.payoff(0) for end, reach, _ in histories(game) if end.terminal)

    assert uniform_value(leduc()) == pytest.approx(uniform_value(leduc(suits="distinguished")))


def test_player_0_checking_the_second_street_of_leduc_276_ends_the_hand() -> None:
    position = play(leduc_276(), "J Q check bet call J")
    assert position.infoset(0).actions() == ("check", "bet")
    end = position.apply("check")
    assert end.terminal
    assert end.payoff(0) == 3
    assert not play(leduc(), "J Q check bet call J check").terminal
    assert play(leduc_276(), "J Q bet raise raise").infoset(1).actions() == ("fold", "call")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ranks": 1}, "leduc: ranks=1; allowed: an integer from 2 to 1000"),
        ({"ranks": 1_001}, "leduc: ranks=1001; allowed: an integer from 2 to 1000"),
        ({"ranks": 3.0}, "leduc: ranks=3.0; allowed: an integer from 2 to 1000"),
        ({"bets": True}, "leduc: bets=True; allowed: an integer from 1 to 20"),
        ({"bets": 0}, "leduc: bets=0; allowed: an integer from 1 to 20"),
        ({"suits": "none"}, "leduc: suits='none'; allowed: merged, distinguished"),
    ],
)
def test_impossible_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidOption) as refusal:
        leduc(**parameters)
    assert str(refusal.value) == message


@pytest.mark.parametrize(
    ("hand", "move", "legal"),
    [
        ("", "A", "J, Q, K"),
        ("Q Q check check", "Q", "J, K"),
        ("J Q", "fold", "check, bet"),
        ("J Q bet raise", "raise", "fold, call"),
        ("J Q bet fold", "check", "nothing, the hand is over"),
    ],
)
def test_illegal_moves_are_refused(hand: str, move: str, legal: str) -> None:
    with pytest.raises(GameError, match=f"'{move}' is not legal after .*; legal: {legal}"):
        play(leduc(), hand).apply(move)


def test_a_position_shows_its_rules_cards_and_line() -> None:
    shown = repr(play(leduc(), "J Q bet"))
    assert shown == "<Leduc(ranks=3, suits='merged', bets=2) cards=('J', 'Q') line='b'>"
