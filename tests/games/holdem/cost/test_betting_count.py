"""Counting the betting of a spot without growing it, compared with the tree that grows."""

import random

import pytest

from untilt.errors import GameTooLarge, InvalidOption
from untilt.game.public.public_tree import FOLD, RUNOUT
from untilt.games.holdem.bets import betting_tree
from untilt.games.holdem.bets.bet_amounts import Thresholds
from untilt.games.holdem.bets.betting_tree import build_betting_tree, count_betting_tree
from untilt.games.holdem.bets.sizes import Size, Sizes
from untilt.games.holdem.cost import betting_count
from untilt.games.holdem.cost.betting_count import States, shown_count
from untilt.games.holdem.cost.spot_size import check_fits, measure_spot
from untilt.games.holdem.spots.spot import Spot
from untilt.numeric.arrays import Floats

BETS = ("33%", "75%", "0.5", "a", "e", "2e", "e150%", "20c", "7c", "150%", "10%")
RAISES = ("2.5x", "3x", "a", "50%", "e", "2e200%", "10c2r", "2x", "100%")
NO_THRESHOLDS = Thresholds(0.0, 0.0, 0.0)
MANY = ", ".join(f"{percent}%" for percent in range(1, 100))
HOSTILE = [
    ("flop", 200, 900, Sizes(MANY, MANY)),
    ("flop", 10**9, 10**9, Sizes(MANY, MANY)),
    ("flop", 20, 10**9, Sizes("1c, 2c, a, 30%", "1c, 2c, 2x, 3x")),
    ("river", 1, 10**9, Sizes("1c", "1c")),
]
"""More sizes, or more raises, than anybody can solve."""


@pytest.mark.parametrize("seed", range(80))
def test_a_count_is_the_size_of_the_tree_that_grows(seed: int) -> None:
    rng = random.Random(seed)

    def some(words: tuple[str, ...], most: int) -> str:
        return ", ".join(rng.sample(words, rng.randint(0, most)))

    sizes = Sizes(
        some(BETS, 3),
        "; ".join(some(RAISES, 2) for _ in range(rng.randint(1, 3))),
        donk=rng.choice([None, "", "30%", "a"]),
        max_raises=rng.choice([None, 0, 1, 2, 3]),
        river_raises=rng.choice(["a", "3x", "50%, a"]),
        ip_bets=rng.choice(["66%", "a, 25%"]),
    )
    thresholds = Thresholds(
        rng.choice([0.0, 1.5, 3.0]), rng.choice([0.0, 0.15, 0.5]), rng.choice([0.0, 0.1, 0.3])
    )
    street = rng.choice(["flop", "turn", "river"])
    pot, stack = rng.randint(1, 300), rng.choice([rng.randint(1, 60), rng.randint(1, 400)])
    count = count_betting_tree(street, pot, stack, sizes, thresholds)
    assert count.is_complete
    if count.num_nodes > 30_000:
        pytest.skip("too large to grow here")
    tree = build_betting_tree(street, pot, stack, sizes, thresholds)
    for counted, grown in zip(count.streets, tree.streets, strict=True):
        assert counted.num_nodes == grown.num_nodes
        assert list(counted.actions) == [grown.num_rows(player) for player in (0, 1)]
        assert counted.folds == len(grown.nodes_of(FOLD))
        assert counted.decisions == (grown.num_actions > 0).sum()
        if grown.name != "river":
            assert counted.all_ins == len(grown.nodes_of(RUNOUT))


@pytest.mark.parametrize(("street", "pot", "stack", "sizes"), HOSTILE)
def test_counting_stops_after_a_fixed_amount_of_work(
    street: str, pot: int, stack: int, sizes: Sizes, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = []
    original = betting_count.offered_amounts

    def watched(chosen: tuple[Size, ...], states: States, thresholds: Thresholds) -> Floats:
        found = original(chosen, states, thresholds)
        looked_at.append(found.size)
        return found

    monkeypatch.setattr(betting_tree, "offered_amounts", watched)
    count = count_betting_tree(street, pot, stack, sizes, NO_THRESHOLDS)
    assert not count.is_complete
    assert count.num_nodes > 1_000
    assert sum(looked_at) < 2 * betting_count.MAX_WORK
    assert len(looked_at) <= 1_000


@pytest.mark.parametrize(("street", "pot", "stack", "sizes"), HOSTILE)
def test_a_spot_that_is_too_large_is_refused_before_its_tree_grows(
    street: str, pot: int, stack: int, sizes: Sizes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(betting_tree, "_grow", lambda *_: pytest.fail("the tree is grown"))
    board = {"flop": "Td9d6h", "river": "Td9d6h2c2s"}[street]
    spot = Spot(board, ("AA", "KK"), pot, stack, sizes, thresholds=NO_THRESHOLDS)
    with pytest.raises(GameTooLarge, match=r"more than .* nodes and needs more than .* [kMGT]B; "):
        measure_spot(spot)
    with pytest.raises(GameTooLarge, match="give fewer sizes, or limit raises with max_raises"):
        check_fits(spot, 10**12)
    with pytest.raises(GameTooLarge, match=r"more than .* nodes; .*: give fewer sizes"):
        spot.betting_tree()


def test_a_refusal_says_how_large_the_betting_is() -> None:
    spot = Spot("Td9d6h", ("22+", "22+"), 55, 5_000, Sizes("25%, 50%, 75%, 100%", "2x, 3x, 4x"))
    with pytest.raises(
        GameTooLarge,
        match=r"the betting has 3,972,141 nodes and needs .* TB; at most 2,000,000 nodes are",
    ):
        measure_spot(spot)


def test_a_tree_that_does_not_fit_is_refused_before_it_grows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(betting_tree, "_grow", lambda *_: pytest.fail("the tree is grown"))
    spot = Spot("Td9d6h", ("22+", "22+"), 200, 900, Sizes("33%, 75%", "2.5x"))
    with pytest.raises(GameTooLarge, match=r"needs .* GB, but 1 MB are available: .*drop 33% of"):
        check_fits(spot, 10**6)


def test_sizes_that_offer_no_bet_are_refused_by_the_count() -> None:
    with pytest.raises(InvalidOption, match="the sizes offer no bet on any street"):
        count_betting_tree("river", 200, 900, Sizes("", "a"), NO_THRESHOLDS)


@pytest.mark.parametrize(
    ("number", "is_complete", "shown"),
    [
        (12_345.0, True, "12,345"),
        (3_100_000.0, True, "3,100,000"),
        (31_415_926.0, True, "about 31.4 million"),
        (999_600_000.0, True, "about 1,000 million"),
        (1_374_000_000.0, True, "about 1.37 billion"),
        (2.5e11, False, "more than 250 billion"),
        (1e300, True, "more than a thousand trillion"),
    ],
)
def test_large_numbers_are_written_in_words(number: float, is_complete: bool, shown: str) -> None:
    assert shown_count(number, is_complete=is_complete) == shown


@pytest.mark.parametrize("kind", ["bets", "raises"])
def test_a_list_has_at_most_100_sizes(kind: str) -> None:
    words = ", ".join(f"{percent}%" for percent in range(1, 102))
    with pytest.raises(InvalidOption, match="101 bet sizes in a list; give at most 100"):
        Sizes(**{kind: words})  # type: ignore[arg-type]
    with pytest.raises(InvalidOption, match="102 lists of raises; give at most 100"):
        Sizes(raises=";" * 101)
