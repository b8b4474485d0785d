"""Spots as public trees: lanes, deals, run-outs and stakes against slow twins."""

import subprocess
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from tests.reference.hands import DECK, best_value
from tests.reference.public_tree import values
from tests.reference.spots import SlowSpot, balance

from untilt.cards.card import card_name, parse_cards
from untilt.cards.combos import COMBO_CARDS, combo_name
from untilt.cards.ranges.range import Range
from untilt.errors import CardError, InvalidOption
from untilt.game.public.public_tree import CHANCE, RUNOUT
from untilt.games.holdem.bets.bet_amounts import Thresholds
from untilt.games.holdem.bets.sizes import Sizes
from untilt.games.holdem.spots import public_form
from untilt.games.holdem.spots.public_form import SpotForm, compile_spot
from untilt.games.holdem.spots.spot import Spot
from untilt.games.holdem.spots.spot_view import view_spot
from untilt.numeric.arrays import Floats, Offsets

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
POT_ONLY = Sizes("100%", "")
PLAIN = Thresholds(0.0, 0.0, 0.0)


def cards_of_combo(combo: int) -> tuple[str, str]:
    low, high = COMBO_CARDS[combo].tolist()
    return card_name(low), card_name(high)


def lane_hands(form: SpotForm, street: int, board: int, player: int) -> list[tuple[str, str]]:
    own = form.tree.boards[street][player]
    return [cards_of_combo(combo) for combo in form.combos[player][own.hand[own.lanes(board)]]]


def board_names(form: SpotForm, street: int, board: int) -> list[str]:
    return [
        card_name(card) for card in form.boards.board + form.boards.streets[street].cards[board]
    ]


def share(line: str, hand: tuple[str, ...], board: tuple[str, ...], action: str) -> float:
    """Return a weight that does not depend on the names of the suits."""
    ranks = "".join(sorted(card[0] for card in hand)), "".join(card[0] for card in board)
    suits = [card[1] for card in (*hand, *board)]
    return _share(line, *ranks, max(map(suits.count, "cdhs")), action)


@cache
def _share(line: str, hand: str, board: str, num_suited: int, action: str) -> float:
    return 0.1 + zlib.crc32(repr((line, hand, board, num_suited, action)).encode()) % 1000 / 1000


def mix_of(form: SpotForm) -> Callable[[int, int, int, int], Floats]:
    lines = [
        [form.betting.line(street, node).words for node in range(forest.num_nodes)]
        for street, forest in enumerate(form.betting.streets)
    ]

    def mix(street: int, board: int, node: int, player: int) -> Floats:
        names = tuple(board_names(form, street, board))
        hands = lane_hands(form, street, board, player)
        weights = np.array(
            [
                [share(lines[street][node], hand, names, action.name) for hand in hands]
                for action in form.betting.streets[street].actions[node]
            ]
        )
        probabilities: Floats = weights / weights.sum(axis=0)
        return probabilities

    return mix


def slow_values(form: SpotForm) -> tuple[float, float]:
    def offers(line: str) -> tuple[str, ...]:
        return form.at(line).action_names

    def mix(line: str, hand: tuple[str, ...], board: tuple[str, ...], action: str) -> float:
        total = sum(share(line, hand, board, other) for other in offers(line))
        return share(line, hand, board, action) / total

    spot = form.spot
    hands: list[dict[tuple[str, ...], float]] = [
        {
            cards_of_combo(combo): float(spot.ranges[player].weights[combo])
            for combo in spot.combos(player).tolist()
        }
        for player in (0, 1)
    ]
    board = [card_name(card) for card in spot.board]
    slow = SlowSpot(board, spot.pot, offers, mix, lambda pot: min(spot.rake * pot, spot.rake_cap))
    return slow.values((hands[0], hands[1]))


SMALL = [
    Spot("2c2d2h3c3d", ("AA:0.5,QQ", "KK"), 100, 100, POT_ONLY),
    Spot("Td9d6hQc2s", ("AA,TT,87s,AdKd", "QQ,JTs,AQo:0.25"), 200, 900, rake=0.05, rake_cap=30),
    Spot("8c7d6h5s", ("AhAd,9c9d,Th9h:0.5", "KdKc,JcTc"), 200, 500, Sizes("50%, a", "a")),
    Spot("KcQc2d2h", ("AcJc,KdKh", "QdQh,Tc9c,7s6s"), 90, 200, POT_ONLY, rake=0.1),
]


@pytest.mark.parametrize("spot", SMALL, ids=lambda spot: spot.board_text)
def test_play_is_worth_the_same_as_card_by_card(spot: Spot) -> None:
    form = compile_spot(spot)
    found = values(form.tree, mix_of(form))
    assert found == pytest.approx(slow_values(form), abs=1e-9)
    if spot.is_zero_sum:
        assert sum(found) == pytest.approx(0.0, abs=1e-9)
    else:
        assert sum(found) < -0.1


@pytest.mark.long
def test_a_flop_is_worth_the_same_as_card_by_card() -> None:
    spot = Spot("Ah7h2h", ("KcKd", "QsQc,Jd9d"), 100, 100, Sizes("a", "", flop_bets="50%"))
    form = compile_spot(spot)
    assert values(form.tree, mix_of(form)) == pytest.approx(slow_values(form), abs=1e-9)


SYMMETRIC = [
    # Two equal suits, and three.
    ("Td9d6h", ("AsKs,AcKc", "JJ"), (36, 23 * 35 + 13 * 48)),
    pytest.param("Td9d6d", ("AKs,QQ:0.5", "JJ"), (23, 10 * 22 + 13 * 35), marks=pytest.mark.long),
    # A hand of one suit keeps clubs and spades apart; diamonds and hearts are equal.
    pytest.param("6d6hKc", ("AcAs,KK", "QQ,JcTc"), (37, None), marks=pytest.mark.long),
    # Clubs and spades may be swapped only together with diamonds and hearts.
    ("6d6h7c7s", ("AdAc,AhAs", "QQ"), (24,)),
    ("6d6h7c7s", ("AdAc,AhAs", "QcQd"), (48,)),
]


@pytest.mark.long
@pytest.mark.parametrize(("board", "ranges", "num_boards"), SYMMETRIC)
def test_merged_and_unmerged_boards_are_the_same_game(
    board: str, ranges: tuple[str, str], num_boards: tuple[int | None, ...]
) -> None:
    spot = Spot(board, ranges, 100, 100, Sizes("a", "", turn_bets=""), thresholds=PLAIN)
    merged, whole = compile_spot(spot), compile_spot(spot, is_merged=False)
    found = [street.num_boards for street in merged.boards.streets[1:]]
    for number, expected in zip(found, num_boards, strict=True):
        assert expected in (None, number)
    all_boards = [street.num_boards for street in whole.boards.streets[1:]]
    assert all_boards == ([49, 49 * 48] if len(found) == 2 else [48])
    for player in (0, 1):
        assert dealt_hands(merged, player) == dealt_hands(whole, player)
    small = values(merged.tree, mix_of(merged))
    assert small == pytest.approx(values(whole.tree, mix_of(whole)), abs=1e-9)


def dealt_hands(form: SpotForm, player: int) -> list[Counter[int]]:
    """Return how often each hand takes part in a deal, street by street."""
    found = []
    # Per board, for each way to deal it: the hand that each lane stands for.
    hands = [[np.arange(len(form.combos[player]))]]
    for deals in form.tree.deals:
        first, lane = deals.first_lane[player], deals.lane[player]
        later: list[list[Offsets]] = [[] for _ in range(int(deals.child[-1]) + 1)]
        for edge, (parent, child) in enumerate(zip(deals.parent, deals.child, strict=True)):
            for origin in hands[parent]:
                later[child].append(origin[lane[first[edge] : first[edge + 1]]])
        hands = later
        found.append(Counter(np.concatenate([each for board in hands for each in board]).tolist()))
    return found


@pytest.mark.parametrize("board", ["Td9d6h", "Td9d6hQc", "Td9d6hQc2s", "AcAdAh"])
def test_lanes_are_the_hands_of_the_range_that_the_board_leaves(board: str) -> None:
    form = compile_spot(Spot(board, (OOP, IP), 200, 900))
    last = len(form.tree.boards) - 1
    random = np.random.default_rng(1)
    for player in (0, 1):
        in_range = {cards_of_combo(combo) for combo in form.spot.combos(player).tolist()}
        assert len(in_range) == len(form.tree.weights[player])
        first = form.tree.boards[0][player]
        assert np.array_equal(first.hand, np.arange(len(in_range)))
        for street, boards in enumerate(form.tree.boards):
            own = boards[player]
            assert len(own.strength) == (len(own.hand) if street == last else 0)
            for number in random.integers(own.num_boards, size=3).tolist():
                names = board_names(form, street, number)
                hands = lane_hands(form, street, number, player)
                assert sorted(hands) == sorted(
                    hand for hand in in_range if not set(hand) & set(names)
                )
                blockers = own.blockers[own.lanes(number)].tolist()
                assert blockers == [[DECK.index(card) for card in hand] for hand in hands]
                if street == last:
                    strengths = own.strength[own.lanes(number)].tolist()
                    worth = [best_value([*hand, *names]) for hand in hands]
                    assert worth == sorted(worth)
                    pairs = zip(worth, worth[1:], strengths, strengths[1:], strict=False)
                    assert all((a == b) == (c == d) and c <= d for a, b, c, d in pairs)


@pytest.mark.parametrize(
    ("board", "ranges", "num_runouts"),
    [
        ("Td9d6h2c", ("AsAh,KdQd,7h7s,9c8c", "KK,TcTh,Ad5d,AsAh"), 44),
        ("Td9d6h", ("AsAh,KdQd", "KsKh,AsAh"), 990),
    ],
)
def test_run_outs_count_who_wins(board: str, ranges: tuple[str, str], num_runouts: int) -> None:
    form = compile_spot(Spot(board, ranges, 100, 100, Sizes("a", "")))
    runouts = form.tree.runouts[0]
    assert runouts is not None
    assert runouts.probability == pytest.approx(1 / num_runouts)
    first, second = (lane_hands(form, 0, 0, player) for player in (0, 1))
    names = board_names(form, 0, 0)
    expected = [[balance(own, other, names) for other in second] for own in first]
    assert runouts.balance.reshape(len(first), len(second)).tolist() == expected


def test_run_outs_on_later_boards_count_who_wins() -> None:
    form = compile_spot(Spot("Td9d6h", ("AsAh,KdQd,9c8c", "KK,Ad5d"), 100, 300, Sizes("50%", "a")))
    runouts = form.tree.runouts[1]
    assert runouts is not None
    for number in (0, 7, 35):
        hands = [lane_hands(form, 1, number, player) for player in (0, 1)]
        names = board_names(form, 1, number)
        cells = runouts.balance[runouts.first[number] : runouts.first[number + 1]]
        expected = [[balance(first, second, names) for second in hands[1]] for first in hands[0]]
        assert cells.tolist() == [value for row in expected for value in row]


def test_run_outs_are_kept_only_where_all_ins_are_called() -> None:
    form = compile_spot(Spot("Td9d6h", ("AA", "KK"), 100, 5000, Sizes("10%", "", river_bets="a")))
    for street, runouts in zip(form.tree.streets, form.tree.runouts, strict=True):
        assert (runouts is not None) == bool((street.kind == RUNOUT).any())
    assert form.tree.runouts == (None, None, None)


def test_deals_are_ordered_and_complete() -> None:
    form = compile_spot(Spot("Td9d6h", (OOP, IP), 200, 900))
    for street, deals in enumerate(form.tree.deals):
        assert (np.diff(deals.child) >= 0).all()
        assert (np.diff(deals.parent) >= 0).all()
        assert deals.probability == 1 / (45 - street)
        num_boards = form.tree.boards[street][0].num_boards
        assert (np.bincount(deals.parent) == 49 - street).all()
        assert len(np.bincount(deals.parent)) == num_boards
        later = form.boards.streets[street + 1]
        is_first = np.diff(deals.child, prepend=-1) > 0
        assert (later.edge_renaming[is_first] == 0).all()
        assert (later.edge_renaming[~is_first] != 0).all()


@pytest.mark.parametrize(
    ("board", "deals"),
    [
        ("Td9d6h", ["2c", "2s", "2s 3c", "2s 3s", "2d 7s", "2d 7c", "Kh As"]),
        # With three equal suits, two renamings in a row depend on their order.
        ("Td9d6d", ["2c", "2h", "2s", "2h 3s", "2s 3h", "2s 3c", "2h 3c", "2s 3s", "2d 3s"]),
    ],
)
def test_a_concrete_board_is_found_with_its_renaming(board: str, deals: list[str]) -> None:
    form = view_spot(Spot(board, (OOP, IP), 200, 900))
    for dealt in deals:
        found = form.board_of(dealt)
        kept = form.boards.streets[found.street].cards[found.board]
        suits = "cdhs"
        renamed = [
            card_name(card)[0] + suits[found.renaming[suits.index(card_name(card)[1])]]
            for card in kept
        ]
        assert renamed == dealt.split()
        # Hands of the range that is kept become hands of the range on the board asked for.
        combos = found.combos(form.lane_combos(found.street, found.board, 0))
        cards = {card_name(card) for card in (*form.spot.board, *parse_cards(dealt))}
        expected = [
            combo
            for combo in form.spot.combos(0).tolist()
            if not set(cards_of_combo(combo)) & cards
        ]
        assert sorted(combos.tolist()) == expected
    assert form.board_of("").board == 0
    for bad, why in (("Td", "Td appears twice"), ("2c3c4c", "too many")):
        with pytest.raises(CardError, match=why):
            form.board_of(bad)


@pytest.mark.parametrize("board", ["Td9d6h", "Td9d6hQc", "Td9d6hQc2s"])
def test_names_without_compiled_code_are_those_of_the_form(board: str) -> None:
    spot = Spot(board, (OOP, IP), 200, 900)
    form, view = compile_spot(spot), view_spot(spot)
    random = np.random.default_rng(2)
    for player in (0, 1):
        assert np.array_equal(view.combos[player], form.combos[player])
        for street, boards in enumerate(form.tree.boards):
            own = boards[player]
            for number in random.integers(own.num_boards, size=4).tolist():
                lanes = form.combos[player][own.hand[own.lanes(number)]]
                assert np.array_equal(view.lane_combos(street, number, player), lanes)
    assert view.at("check") == form.at("check")


def test_names_and_sizes_of_spots_load_no_compiler() -> None:
    code = """
import sys
from untilt.games.holdem.cost.spot_size import measure_spot
from untilt.games.holdem.spots.spot_view import view_spot
import untilt
spot = untilt.Spot("Td9d6h", ("AA", "KK"), 200, 900, untilt.Sizes("50%"))
view = view_spot(spot)
view.lane_combos(2, 5, 0), view.board_of("2c7h"), view.at("check"), measure_spot(spot)
print({name.partition(".")[0] for name in sys.modules} & {"numba", "llvmlite", "scipy"} or "none")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "none\n"


def test_stakes_count_from_an_even_split() -> None:
    spot = Spot("Td9d6hQc2s", ("AA", "KK"), 200, 900, Sizes("60%", "2.5x"), rake=0.05, rake_cap=15)
    form = compile_spot(spot)
    street = form.tree.streets[0]
    stakes = {
        form.betting.line(0, node).words: street.stakes[node].tolist()
        for node in range(street.num_nodes)
        if form.place(0, node).player < 0
    }
    # The uncalled bet is not raked: 5 % of 200.
    assert stakes["bet 120, fold"] == [[90.0, 0.0], [-100.0, 0.0]]
    assert stakes["check, bet 120, fold"] == [[-100.0, 0.0], [90.0, 0.0]]
    assert stakes["check, check"] == [[-5.0, 95.0], [-5.0, 95.0]]
    # 5 % of 440 is more than the cap of 15.
    assert stakes["bet 120, call"] == [[-7.5, 212.5], [-7.5, 212.5]]
    assert form.tree.baseline == (100.0, 100.0)


def test_places_are_described_in_words() -> None:
    form = compile_spot(Spot("Td9d6h", (OOP, IP), 200, 900, Sizes("60%", "2.5x")))
    place = form.at("check", "bet 120")
    assert place.action_names == ("fold", "call", "raise 300")
    assert (place.player, place.pot, place.bets, place.stacks) == (0, 320, (0, 120), (900, 780))
    assert (place.street_name, place.line.words) == ("flop", "check, bet 120")
    turn = form.at("cb120c/c")
    assert (turn.street_name, turn.player, turn.pot) == ("turn", 1, 440)
    assert turn.line.words == "check, bet 120, call / check"
    assert form.at("").action_names == ("check", "bet 120")
    with pytest.raises(InvalidOption, match="possible: check, bet 120"):
        form.at("bet 100")
    chances = np.flatnonzero(form.tree.streets[0].kind == CHANCE)
    assert len(chances) == form.tree.streets[1].num_roots


def test_the_number_of_pairs_counts_cards_once() -> None:
    form = compile_spot(Spot("Td9d6h", ("AA,AKs:0.5", "AA,QQ,AQo:0.25"), 200, 900))
    expected = sum(
        first_weight * second_weight
        for first, first_weight in Range.parse("AA,AKs:0.5")
        for second, second_weight in Range.parse("AA,QQ,AQo:0.25")
        if not set(cards_of_combo(first)) & set(cards_of_combo(second))
    )
    assert form.num_pairs == pytest.approx(expected, rel=1e-12)


def test_hands_are_named() -> None:
    form = compile_spot(Spot("2c2d2h3c3d", ("AsAh,3h3s,KsQs", "KK"), 100, 100))
    assert form.hand_names(0) == ["KsQs", "AsAh", "3s3h"]
    assert form.hand_names(1) == [combo_name(combo) for combo in form.spot.combos(1).tolist()]


@pytest.mark.parametrize(
    ("line", "lock", "words"),
    [
        ("check", "AA bet 999", "unknown action 'bet 999'"),
        ("chek", "AA check", "'chek' is not a move"),
        ("", "22 check", "none of its hands is in the oop range"),
        ("", "AA check 60%", "its shares do not sum to 100 %"),
    ],
)
def test_a_lock_about_nothing_is_refused_before_the_tree_is_built(
    line: str, lock: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(public_form, "make_boards", lambda *_, **__: pytest.fail("it is built"))
    spot = Spot("Td9d6h", ("AA", "KK"), 100, 300, Sizes("100%", "a"))
    locked = spot.replaced(locks=[{"line": line, "lock": lock}])
    with pytest.raises(InvalidOption, match=words):
        compile_spot(locked)
