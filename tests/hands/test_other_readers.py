"""Hands in the PHH format and logs of the ACPC's dealer."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pokerkit
import pytest
from tests.hands.simulated import pokerstars_text, simulate
from tests.hands.test_text_readers import only, reason_of

from untilt.cards.card import parse_cards
from untilt.errors import FormatError
from untilt.formats.exchange.phh import format_phh
from untilt.hands.hand import RecordedHand
from untilt.hands.hand_text import hand_lines
from untilt.hands.reading import read, read_file
from untilt.hands.store.hand_codec import decoded, encoded

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
            for stack, paid, won in zip(hand.known_stacks or (), hand.paid, played.won, strict=True)
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
        ("1158.50, ", "-inf, ", "starting_stacks has -inf"),
        ("32.50]", "inf]", "winnings are not known (inf)"),
        ("'p1 f', 'p2 f'", "'p1 f'", "an action of b is missing"),
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


@pytest.mark.parametrize("blinds", ["37.50", "42.50", "47.50", "52.50"])
def test_blinds_that_are_not_listed_are_not_won(blinds: str, tmp_path: Path) -> None:
    text = DOLLARS.replace("32.50]", f"{blinds}]")
    hand = only(text, tmp_path)
    # PokerKit, too, plays with the chips that are listed.
    [*_, state] = pokerkit.HandHistory.loads(text)
    assert hand.gains == tuple(round(100 * float(gain)) for gain in state.payoffs)
    assert (hand.won, hand.rake) == ((0, 0, 3250), 0)


REVERSED = """
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [10, 5]
min_bet = 10
starting_stacks = [400, 700]
actions = ['d dh p1 KsKd', 'd dh p2 QhJh', {actions}]
players = ['Ann', 'Bob']
"""
RUN_OUT = "'d db 2c7s9s', 'p1 cbr 20', 'p2 cc', 'd db 3d', 'p1 cc', 'p2 cc', 'd db Ac', 'p1 cc', "


@pytest.mark.parametrize(
    ("actions", "line"),
    [
        ("'p1 f'", "0f"),
        ("'p1 cbr 30', 'p2 f'", "0r1f"),
        (
            f"'p1 cbr 30', 'p2 cc', {RUN_OUT} 'p2 cbr 60', 'p1 cc', 'p2 sm QhJh', 'p1 sm KsKd'",
            "0r1c/0b1c/0x1x/0x1b0c",
        ),
        ("'p1 cc', 'p2 cc', 'd db 2c7s9s', 'p1 cbr 390', 'p2 f'", "0c1x/0B1f"),
    ],
)
def test_the_button_of_two_players_may_have_the_big_blind(
    actions: str, line: str, tmp_path: Path
) -> None:
    text = REVERSED.format(actions=actions)
    hand = only(text, tmp_path)
    [*_, state] = pokerkit.HandHistory.loads(text)
    assert (hand.posts, hand.positions, hand.line) == ((5, 10), ("SB", "BB"), line)
    assert hand.gains == tuple(state.payoffs)
    again = only(format_phh(hand.to_history()), tmp_path)
    assert (again.posts, again.line, again.gains) == (hand.posts, line, hand.gains)


def test_a_short_big_blind_is_not_taken_for_a_small_one(tmp_path: Path) -> None:
    text = REVERSED.replace("[10, 5]", "[5, 10]").replace("[400, 700]", "[3, 700]")
    hand = only(text.format(actions="'d db 2c7s9s', 'd db 3d', 'd db Ac'"), tmp_path)
    assert (hand.posts, hand.positions, hand.gains) == ((3, 5), ("BB", "BTN"), (3, -3))


UNKNOWN_STACKS = """
variant = 'NT'
antes = [1, 1, 1]
blinds_or_straddles = [5, 10, 0]
min_bet = 10
starting_stacks = [inf, inf, inf]
actions = ['d dh p1 KsKd', 'd dh p2 ????', 'd dh p3 8h7h', 'p3 cbr 25', 'p1 cbr 80', 'p2 f',
    {actions}]
winnings = [0, 0, 0]
players = ['Ann', 'Bea', 'Bob']
"""


@pytest.mark.parametrize(
    ("actions", "won"),
    [
        ("'p3 f'", (63, 0, 0)),
        ("'p3 cc', 'd db 2c7s9s', 'p1 cbr 70', 'p3 f'", (173, 0, 0)),
        (
            "'p3 cc', 'd db 2c7s9s', 'p1 cbr 70', 'p3 cbr 500', 'p1 cc', 'd db 7d', 'd db Ac', "
            "'p1 cc', 'p3 cc', 'p1 sm KsKd', 'p3 sm 8h7h'",
            (0, 0, 1173),
        ),
        ("'p3 cc', 'd db 2c7s9s', 'p1 cc', 'p3 cc', 'd db 7d', 'd db Ac'", (0, 0, 173)),
    ],
)
def test_chips_are_counted_though_stacks_are_not_known(
    actions: str, won: tuple[int, ...], tmp_path: Path
) -> None:
    text = UNKNOWN_STACKS.format(actions=actions)
    hand = only(text, tmp_path)
    assert (hand.stacks, hand.known_stacks) == ((None, None, None), None)
    assert (hand.won, hand.rake, sum(hand.gains or (1,))) == (won, 0, 0)
    # PokerKit waits for the checks of players who may be all-in, and for hands to be shown.
    checks = "'p1 cc', 'p3 cc'"
    shown = "'p1 sm KsKd', 'p3 sm 8h7h'"
    bare = text.replace(f", {checks}, {shown}", "")
    whole = bare.replace(
        "'d db 7d', 'd db Ac'", f"'d db 7d', {checks}, 'd db Ac', {checks}, {shown}"
    )
    [*_, state] = pokerkit.HandHistory.loads(whole.replace("inf", "100000"))
    assert hand.gains == tuple(state.payoffs)


def test_stacks_that_are_not_known_stay_so(tmp_path: Path) -> None:
    hand = only(UNKNOWN_STACKS.format(actions="'p3 f'").replace("[inf, inf", "[inf, 90"), tmp_path)
    assert hand.stacks == (None, 90, None)
    assert json.loads(json.dumps(hand.to_json(), allow_nan=False))["stacks"] == [None, 90, None]
    assert [math.isnan(row["stack"]) for row in hand.rows()] == [True, False, True]
    assert "  Ann (SB): unknown stack, KsKd" in list(hand_lines(hand))
    text = format_phh(hand.to_history())
    assert "starting_stacks = [inf, 90, inf]" in text
    assert "finishing_stacks" not in text
    assert only(text, tmp_path) == hand
    assert decoded(encoded(hand)) == hand
    # Nobody can be seen to bet all of a stack that is not known.
    forged = encoded(hand).replace("2r25", "2R25")
    with pytest.raises(FormatError, match="its chips"):
        decoded(forged)


def test_bets_larger_than_a_known_stack_are_refused(tmp_path: Path) -> None:
    text = UNKNOWN_STACKS.format(actions="'p3 f'").replace("[inf, inf", "[70, inf")
    assert "bets more chips than there are" in reason_of(text, tmp_path)


def test_an_answer_to_a_bet_is_not_left_out(tmp_path: Path) -> None:
    text = UNKNOWN_STACKS.format(actions="'p3 cc', 'd db 2c7s9s', 'p1 cbr 70'")
    assert "an action of Bob is missing" in reason_of(text, tmp_path)


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
