"""Hands in the PHH format and logs of the ACPC's dealer."""

from dataclasses import replace
from pathlib import Path

import pokerkit
import pytest
from tests.hands.simulated import pokerstars_text, simulate
from tests.hands.test_text_readers import only, reason_of

from untilt.cards.card import parse_cards
from untilt.formats.exchange.phh import format_phh
from untilt.hands.hand import RecordedHand
from untilt.hands.reading import read, read_file

HANDS = [simulate(seed) for seed in range(1_000, 1_080)]


def all_known(hand: RecordedHand, holes: tuple[str, ...]) -> RecordedHand:
    """Return the hand with everybody's cards, as PokerKit needs it."""
    pairs = map(parse_cards, holes)
    return replace(hand, cards=tuple((first, second) for first, second in pairs))


def test_pokerkit_finds_the_same_chips_in_exported_hands(tmp_path: Path) -> None:
    for played in HANDS:
        hand = all_known(only(pokerstars_text(played), tmp_path), played.holes)
        state = list(pokerkit.HandHistory.loads(format_phh(hand.to_history())))[-1]
        before_rake = [
            stack - paid + won
            for stack, paid, won in zip(hand.stacks, hand.paid, played.won, strict=True)
        ]
        assert list(state.stacks) == before_rake


def test_exported_hands_are_read_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "all.txt").write_text("".join(map(pokerstars_text, HANDS)), "utf-8")
    hands = list(read(tmp_path / "all.txt"))
    tables = "".join(
        f"[{number}]\n{format_phh(hand.to_history())}" for number, hand in enumerate(hands, 1)
    )
    (tmp_path / "all.phhs").write_text(tables, "utf-8")
    assert list(read(tmp_path / "all.phhs")) == hands
    assert len(hands) == len(HANDS)


def test_the_pots_of_a_hand_without_results_are_divided(tmp_path: Path) -> None:
    for played in HANDS:
        hand = all_known(only(pokerstars_text(played), tmp_path), played.holes)
        history = hand.to_history()
        fields = {
            name: value
            for name, value in history.fields.items()
            if name not in ("winnings", "finishing_stacks")
        }
        path = tmp_path / "one.phh"
        path.write_text(format_phh(replace(history, fields=fields)), "utf-8")
        [found] = read(path)
        if len(hand.board) == 5 or not played.shown:
            assert found.won is not None
            assert sum(found.won) == sum(played.won)
            # PokerKit divides pots with the same winners as one: odd chips go elsewhere.
            gaps = [ours - theirs for ours, theirs in zip(found.won, played.won, strict=True)]
            assert max(map(abs, gaps)) <= (1 if sum(map(bool, played.won)) > 1 else 0)


DOLLARS = """
variant = 'NT'
antes = [2.50, 2.50, 2.50]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [1158.50, 1755, 1510]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'p3 cbr 35', 'p1 f', 'p2 f']
venue = 'A site'
time = 00:01:48
day = 1
month = 7
year = 2009
hand = 3017249344
players = ['a', 'b', 'c']
winnings = [0, 0, 32.50]
currency_symbol = '$'
"""


def test_amounts_with_cents_are_read_in_cents(tmp_path: Path) -> None:
    hand = only(DOLLARS, tmp_path)
    assert (hand.scale, hand.stacks, hand.gains) == (
        100,
        (115850, 175500, 151000),
        (-750, -1250, 2000),
    )
    assert (hand.site, hand.number, hand.currency) == ("A site", "3017249344", "$")
    assert str(hand.played) == "2009-07-01 00:01:48"
    assert hand.returned == (0, 0, 2500)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("[0, 0, 32.50]", "[0, 0, 99]", "chips are not conserved"),
        ("[5, 10, 0]", "[5, 10, 20]", "a straddle cannot be read"),
        ("'p1 f', 'p2 f'", "'p2 f', 'p1 f'", "it is the turn of a"),
        ("'p2 f'", "'p2 cbr 35'", "but the bet is 3,500"),
        ("'NT'", "'PO'", "the variant is 'PO'"),
        ("'NT'", "['NT']", "the variant is ['NT']"),
        ("p1 ????", "p1 As,,", "'As,,' are not cards"),
        ("['a', 'b', 'c']", "['a', 'b', 'b']", "two players have the same name"),
        ("_symbol", "_symbol = '$'\n_game", "the game is $"),
        ("= 10\n", "= nan\n", "min_bet has nan"),
        ("1158.50, ", "inf, ", "starting_stacks are not known (inf)"),
        ("32.50]", "58]", "3,250 were bet and 3,300 collected"),
        ("35'", "35.001'", "chips are integers"),
    ],
)
def test_what_is_wrong_with_a_history_is_said(
    old: str, new: str, reason: str, tmp_path: Path
) -> None:
    assert old in DOLLARS
    assert reason in reason_of(DOLLARS.replace(old, new), tmp_path)


def test_winnings_may_count_a_bet_that_nobody_called(tmp_path: Path) -> None:
    hand = only(DOLLARS.replace("32.50]", "57]"), tmp_path)
    assert (hand.returned, hand.won, hand.rake) == ((0, 0, 2500), (0, 0, 3200), 50)


def test_finishing_stacks_may_be_the_only_amounts_with_a_fraction(tmp_path: Path) -> None:
    text = DOLLARS.replace("1158.50", "1158").replace("winnings = [0, 0, 32.50]\n", "")
    hand = only(f"{text}finishing_stacks = [1153, 1745, 1524.5]\n", tmp_path)
    assert (hand.scale, hand.gains, hand.rake) == (100, (-500, -1000, 1450), 50)


def test_a_blind_of_a_player_who_is_not_due_is_live(tmp_path: Path) -> None:
    text = DOLLARS.replace("[5, 10, 0]", "[5, 10, -10]").replace("p3 cbr 35", "p3 cc")
    hand = only(
        text.replace("'p2 f'", "'p2 cbr 40', 'p3 f'").replace("[0, 0, 32.50]", "[0, 32.5, 0]"),
        tmp_path,
    )
    assert hand.posts == (500, 1000, 1000)
    assert hand.line == "2x0f1r2f"


LOG = "STATE:7:cr300c/cr900c/cc/r2700f:Th9c|KsQd/2h8h5h/Jc/4d:900|-900:Ann|Bob"


def test_a_line_of_an_acpc_log_is_a_hand(tmp_path: Path) -> None:
    hand = only(f"# name/game/hands/seed x holdem.nolimit 1 0\n{LOG}\n", tmp_path)
    assert hand.players == ("Ann", "Bob")
    assert hand.positions == ("BB", "BTN")
    assert hand.line == "1c0r1c/0x1b0c/0x1x/0b1f"
    assert [action.amount for street in hand.streets for action in street] == [
        *(100, 300, 300, 0, 600, 600, 0, 0, 1800, 0),
    ]
    assert hand.gains == (900, -900)
    assert hand.returned == (1800, 0)


def test_results_that_do_not_fit_the_betting_are_refused(tmp_path: Path) -> None:
    assert "do not fit bets of" in reason_of(LOG.replace("900|-900", "901|-901"), tmp_path)


def test_limit_hands_of_a_log_are_told_from_no_limit_by_their_bets(tmp_path: Path) -> None:
    cards = "AhKd|QsJc/2h8h5h/Jd/4d"
    limit = only(f"STATE:0:rrc/rc/cc/rf:{cards}:40|-40:a|b", tmp_path)
    assert (limit.variant, limit.sizes, limit.gains) == ("FT", (10, 20), (40, -40))
    assert only("STATE:0:f:AhKd|QsJc:5|-5:a|b", tmp_path).variant == "FT"
    assert only("STATE:0:f:AhKd|QsJc:50|-50:a|b", tmp_path).variant == "NT"


def test_three_players_of_a_log_begin_with_the_small_blind(tmp_path: Path) -> None:
    hand = only("STATE:0:r250ff:AhKd|QsJc|2c2d:-50|-100|150:a|b|c", tmp_path)
    assert hand.line == "2r0f1f"
    assert hand.gains == (-50, -100, 150)


def test_results_in_half_chips_are_kept(tmp_path: Path) -> None:
    cards = "AhKd|2c2d|AsKc/QdJsTc/5h/6h"
    hand = only(f"STATE:0:ccc/ccc/ccc/ccc:{cards}:50|-100|50:a|b|c", tmp_path)
    assert (hand.scale, hand.gains) == (1, (50, -100, 50))
    hand = only(f"STATE:0:r251cc/ccc/ccc/ccc:{cards}:125.5|-251|125.5:a|b|c", tmp_path)
    assert (hand.scale, hand.gains, hand.stacks[0]) == (100, (12550, -25100, 12550), 2_000_000)


@pytest.mark.parametrize(
    "line",
    [
        "STATE:0:f",
        LOG.replace("Ann|Bob", "Ann|Ann"),
        LOG.replace("Ann|Bob", "a|b|c|d"),
        LOG.replace("r2700f", "r2700fc"),
        LOG.replace("r2700f", "r99999f"),
        LOG.replace("2h8h5h", "2h8h"),
        LOG.replace("2h8h5h", "ThThTh"),
        LOG.replace("Th9c|", "Th9c7c|"),
        LOG.replace("900|", "9e9|"),
    ],
)
def test_damaged_lines_of_a_log_are_refused(line: str, tmp_path: Path) -> None:
    assert reason_of(line, tmp_path)


def test_a_log_is_read_on_after_a_damaged_line(tmp_path: Path) -> None:
    path = tmp_path / "x.log"
    path.write_text(f"{LOG}\nSTATE:8:\n{LOG}\n# done\n")
    kinds = [isinstance(found, RecordedHand) for found in read_file(path)]
    assert kinds == [True, False, True]
