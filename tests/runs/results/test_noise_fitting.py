"""Noise fitted to observed hands of spots: reading them, likelihoods, verdicts."""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from tests.reference.spot_lines import pair_weights
from tests.runs.noisy_spots import noisy, solved
from tests.runs.spot_twins import hands_of as weights_of
from tests.runs.spot_twins import slow_spot

import untilt
from untilt.errors import FormatError, InvalidOption, UnknownName
from untilt.formats.exchange.observed_lines import ObservedLine
from untilt.games.holdem.solutions.line_chances import LineChances
from untilt.games.holdem.solutions.solution import Solution
from untilt.runs.results.line_sampling import sample_lines
from untilt.runs.results.noise_fitting import (
    NoiseFit,
    SpotHands,
    estimated,
    hands_of,
    known_chances,
    points_of,
)
from untilt.solvers.qre.estimates.noise_estimation import NoiseGrid

RIVER = untilt.Spot(
    "Td9d6hQc2s",
    ("QQ,JTs,87s,A5s,AQo", "TT,KJs,QJs,65s,KTo"),
    100,
    250,
    untilt.Sizes("60%,a", raises="3x"),
)
TURN = untilt.Spot(
    "Td9d6hQc", ("QQ,JJ,AKs,87s", "TT,AQs,KJs,76s"), 100, 200, untilt.Sizes("75%", raises="")
)
GRID = NoiseGrid(np.geomspace(0.01, 0.4, 9), 1)


@cache
def at_noise(spot: untilt.Spot, first: float, second: float) -> Solution:
    return noisy(solved(spot), (first, second))


@cache
def chances(spot: untilt.Spot, first: float, second: float) -> LineChances:
    return LineChances(at_noise(spot, first, second))


def ladder(spot: untilt.Spot, grid: NoiseGrid) -> Iterator[LineChances]:
    for point in points_of(grid):
        first, second = grid.noises[point[0]], grid.noises[point[-1]]
        yield chances(spot, float(first), float(second))


def fitted(rows: Sequence[ObservedLine], grid: NoiseGrid = GRID, **spots: untilt.Spot) -> NoiseFit:
    chosen = spots or {"river": RIVER}
    hands, _ = hands_of(rows, chosen)
    known = [known_chances(ladder(chosen[each.name], grid), grid, each) for each in hands]
    return estimated(hands, known, grid, np.random.default_rng(0))


def the_hands(rows: object, **spots: untilt.Spot) -> SpotHands:
    return hands_of(rows, spots or {"river": RIVER})[0][0]


@pytest.mark.parametrize("shown", ["nothing", "showdowns", "everything"])
def test_noise_is_that_of_direct_maximisation_over_all_pairs_of_hands(shown: str) -> None:
    rows = sample_lines(at_noise(RIVER, 0.15, 0.15), 300, seed=3, shown=shown)
    weights = weights_of(RIVER)
    by_cards = {frozenset((c[:2], c[2:])): None for row in rows for c in row.hands if c}
    assert bool(by_cards) == (shown != "nothing")

    def loss(log_noise: float) -> float:
        noise = float(np.exp(log_noise))
        slow = slow_spot(at_noise(RIVER, noise, noise), at_noise(RIVER, noise, noise))
        pairs = {
            line: pair_weights(slow, line.split(", "), weights)
            for line in {row.line for row in rows}
        }
        total = 0.0
        for row in rows:
            known = [{text[:2], text[2:]} if text else None for text in row.hands]
            chance = sum(
                weight
                for pair, weight in pairs[row.line].items()
                if all(each in (None, {*hand}) for each, hand in zip(known, pair, strict=True))
            )
            total += row.times * float(np.log(chance))
        return -total

    best = minimize_scalar(
        loss, bounds=(np.log(0.08), np.log(0.3)), method="bounded", options={"xatol": 1e-3}
    )
    found = fitted(rows)
    assert found.noise == pytest.approx(float(np.exp(best.x)), rel=0.01)
    assert found.interval.low < 0.15 < found.interval.high


def test_shown_hands_narrow_the_interval() -> None:
    widths = []
    for shown in ("nothing", "showdowns", "everything"):
        found = fitted(sample_lines(at_noise(RIVER, 0.1, 0.1), 400, seed=5, shown=shown))
        assert found.hands[0].num_shown[0] == {"nothing": 0, "everything": 400}.get(
            shown, found.hands[0].num_shown[0]
        )
        widths.append(found.interval.high / found.interval.low)
    assert widths[0] > widths[1] > widths[2]


def test_one_hand_that_is_known_restricts_the_sum() -> None:
    """What a player sees: all of the own cards, none of the opponent's folds."""
    rows = sample_lines(at_noise(RIVER, 0.1, 0.1), 400, seed=5, shown="everything")
    own = [row._replace(hands=(row.hands[0], "")) for row in rows]
    whole, half, none = (
        fitted(rows),
        fitted(own),
        fitted([r._replace(hands=("", "")) for r in rows]),
    )
    sizes = [each.interval.high / each.interval.low for each in (whole, half, none)]
    assert sizes == sorted(sizes)


def test_each_player_has_a_noise() -> None:
    grid = NoiseGrid(np.geomspace(0.02, 0.4, 7), 2)
    rows = sample_lines(at_noise(RIVER, 0.05, 0.3), 4_000, seed=1)
    found = fitted(rows, grid)
    assert found.noises[0] == pytest.approx(0.05, rel=0.3)
    assert found.noises[1] == pytest.approx(0.3, rel=0.3)
    ratio = found.likelihood_ratio
    assert ratio is not None
    assert ratio[1] < 1e-6
    alike = fitted(sample_lines(at_noise(RIVER, 0.1, 0.1), 4_000, seed=1), grid).likelihood_ratio
    assert alike is not None
    assert alike[1] > 0.01


def test_cards_of_the_river_belong_to_a_line_of_the_turn() -> None:
    rows = sample_lines(at_noise(TURN, 0.1, 0.1), 1_500, seed=2)
    assert any(row.public for row in rows)
    found = fitted(rows, turn=TURN)
    assert found.interval.low < 0.1 < found.interval.high
    assert found.p_value > 0.01
    blind = [row._replace(public="2s" if row.public else "") for row in rows if row.public != "2s"]
    assert fitted(blind, turn=TURN).noise != found.noise


def test_spots_together_tell_more() -> None:
    other = RIVER.replaced(board="2d7d9cKsAh")
    one = sample_lines(at_noise(RIVER, 0.2, 0.2), 200, seed=1)
    two = sample_lines(at_noise(other, 0.2, 0.2), 200, seed=2)
    rows = [row._replace(spot="one") for row in one] + [row._replace(spot="two") for row in two]
    both = fitted(rows, one=RIVER, two=other)
    alone = fitted(one)
    assert both.num_hands == 400
    assert both.interval.high / both.interval.low < alone.interval.high / alone.interval.low
    assert {row["spot"] for row in both.lines()} == {"one", "two"}


def test_wrong_ranges_are_told_from_noise() -> None:
    """The same lines, read with ranges that the players do not have."""
    wide = RIVER.replaced(ranges=("A5s,87s", "TT,KJs,QJs,65s,KTo"))
    rows = sample_lines(at_noise(wide, 0.05, 0.05), 600, seed=4)
    assert fitted(rows).is_outside
    assert not fitted(rows, river=wide).is_outside


def test_the_words_say_how_much_is_known() -> None:
    found = fitted(sample_lines(at_noise(RIVER, 0.1, 0.1), 500, seed=5))
    assert found.words()[0].startswith(f"noise {100 * found.noise:.3g}% of the pot (95 %:")
    rare = fitted(sample_lines(at_noise(RIVER, 0.011, 0.011), 60, seed=5))
    assert rare.interval.is_open_below
    high = f"{100 * rare.interval.high:.3g}%"
    assert rare.words() == [f"noise below {high} of the pot (95 %): smaller noises are as likely"]
    wild = fitted(sample_lines(at_noise(RIVER, 3.0, 3.0), 300, seed=5))
    assert "above" in wild.words()[0]
    assert "not identified" in fitted([ObservedLine("check, check")]).words()[0]


def test_the_object_for_programs_has_all_of_it() -> None:
    found = fitted(sample_lines(at_noise(RIVER, 0.1, 0.1), 500, seed=5))
    document = found.to_json()
    assert document["hands"] == 500
    assert document["decisions"] == found.num_decisions > 1_000
    assert document["common"]["noises"] == [found.noise]
    assert document["ladder"][0] == pytest.approx(0.4)
    assert sum(row["observed"] for row in document["lines"]) == 500
    assert sum(row["expected"] for row in document["lines"]) == pytest.approx(500, abs=0.01)
    assert "<table" in found._repr_html_()
    assert "500 hands" in repr(found)


def test_files_frames_dictionaries_and_rows_are_read_alike(tmp_path: Path) -> None:
    text = (
        "spot,line,public,p0,p1,count,table\n"
        'river,"check, bet 60, call",,QsQh,,3,A\n\nriver,check/check,,,,,B\n'
    )
    (tmp_path / "hands.csv").write_text(text.replace("check/check", '"check, check"'))
    from_file, unused = hands_of(tmp_path / "hands.csv", {"river": RIVER})
    assert unused == ("table",)
    rows = [
        {"line": "check, bet 60, call", "p0": "QsQh", "count": 3},
        {"line": "check, check", "p0": "", "count": 1},
    ]
    assert the_hands(rows).lines == from_file[0].lines
    assert the_hands(rows).counts.tolist() == from_file[0].counts.tolist() == [3.0, 1.0]
    lines = [ObservedLine("check, bet 60, call", hands=("QsQh", ""), times=3), ObservedLine("cc")]
    assert the_hands(lines).lines == from_file[0].lines
    assert from_file[0].num_shown == (3, 0)
    assert from_file[0].num_decisions == 3 * 3 + 2


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([{"moves": "cc"}], "the header is 'moves'; give a header with line"),
        ([{"line": "check"}], "row 2: the line 'check' ends before the hand does"),
        ([{"line": "check, check", "p0": "AsAh"}], "row 2: oop showed AsAh, which is not in"),
        ([{"line": "check, check", "count": 0}], "row 2: the count is 0"),
        ([{"line": "check, check", "count": "many"}], "row 2: the count 'many' is not an integer"),
        ([{"line": "check, check", "spot": "turn"}], "row 2: the spot is 'turn'"),
        ([ObservedLine("check, check"), ObservedLine("bet 61, fold")], "row 2: .*bet 61"),
    ],
)
def test_bad_rows_are_refused_by_number(rows: list[Any], reason: str) -> None:
    with pytest.raises(FormatError, match=reason):
        hands_of(rows, {"river": RIVER})


def test_rows_without_a_spot_need_one_spot() -> None:
    with pytest.raises(FormatError, match="the column spot must name one of one, two"):
        hands_of([ObservedLine("check, check")], {"one": RIVER, "two": TURN})


def test_samples_are_those_of_their_seed() -> None:
    solution = at_noise(TURN, 0.1, 0.1)
    rows = sample_lines(solution, 300, seed=7, shown="showdowns")
    assert rows == sample_lines(solution, 300, seed=7, shown="showdowns")
    assert rows != sample_lines(solution, 300, seed=8, shown="showdowns")
    assert sum(row.times for row in rows) == 300
    for row in rows:
        assert all(row.hands) == (not row.line.endswith("fold"))
    with pytest.raises(InvalidOption, match="hands is 0"):
        sample_lines(solution, 0)
    with pytest.raises(UnknownName, match="shown"):
        sample_lines(solution, 1, shown="all")
