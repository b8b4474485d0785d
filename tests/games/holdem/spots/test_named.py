"""The endgames of Libratus, as they were published, and their values by two methods."""

from pathlib import Path

import pytest

import untilt
from untilt.cards.combos import combo_index
from untilt.errors import FormatError
from untilt.games.holdem.spots.named import NAMED_SPOTS, spot_file
from untilt.games.holdem.spots.spot import Spot


def _weight(spot: Spot, player: int, hand: str) -> float:
    return float(spot.ranges[player].weights[combo_index(*untilt.cards.parse_cards(hand))])


@pytest.mark.parametrize(
    ("name", "board", "pot", "combos", "sums", "known"),
    [
        # Numbers from the published files, the first and last of each player among them.
        ("libratus-1", "7s9h9cTc", 500, (828, 965), (486.205, 465.315), [(0, "2s2h", 0.5525609)]),
        (
            "libratus-2",
            "Ts6hAh7c",
            4_780,
            (855, 405),
            (7.32547, 185.404),
            [(0, "2s2h", 0.01316295)],
        ),
        (
            "libratus-3",
            "4s8hTc9h2s",
            500,
            (1_033, 1_059),
            (319.508, 293.801),
            [(1, "AdAc", 0.2513048)],
        ),
        (
            "libratus-4",
            "JsKs5cQs7d",
            3_750,
            (705, 982),
            (91.4547, 7.35825),
            [(0, "2s2h", 0.002037534)],
        ),
    ],
)
def test_an_endgame_is_as_it_was_published(
    name: str,
    board: str,
    pot: int,
    combos: tuple[int, int],
    sums: tuple[float, float],
    known: list[tuple[int, str, float]],
) -> None:
    spot = Spot.load(name)
    assert (spot.board_text, spot.pot, spot.stack) == (board, pot, 20_000 - pot // 2)
    assert (len(spot.combos(0)), len(spot.combos(1))) == combos
    for player, total in enumerate(sums):
        assert spot.ranges[player].weights.sum() == pytest.approx(total, rel=1e-5)
    for player, hand, weight in known:
        assert _weight(spot, player, hand) == pytest.approx(weight, rel=1e-6)


def test_two_methods_agree_on_the_value_of_an_endgame() -> None:
    values = []
    for method in ("dcfr", "cfr+"):
        found = untilt.solve(
            Spot.load("libratus-4"), method, target="0.2%", iterations=500, save=False
        ).to_json()
        values.append((found["ev"][0], found["exploitability"]))
    (first, gap), (second, other) = values
    assert max(gap, other) < 0.002 * 3_750
    # Each value lies within the sum of both gains of the best responses.
    assert abs(first - second) < 2.0 * (gap + other)


def test_a_file_or_folder_of_the_name_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert spot_file("libratus-3").is_file()
    Path("libratus-3").write_text(Spot.load("libratus-1").to_toml())
    assert Spot.load("libratus-3") == Spot.load("libratus-1")
    Path("libratus-3").unlink()
    with pytest.raises(FormatError, match=f"named spot: {', '.join(NAMED_SPOTS)}"):
        Spot.load("libratus-9")
