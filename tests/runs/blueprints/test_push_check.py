"""What calls of an all-in give away, against exact push/fold."""

from pathlib import Path

import numpy as np
import pytest

import untilt
from untilt.abstraction.betting_form import BettingForm
from untilt.abstraction.blueprint import Blueprint, blueprint_meta
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.menus import capped_bets, pot_fractions
from untilt.cards.combos import CLASS_NAMES
from untilt.errors import InvalidOption
from untilt.evaluation.best_response import best_response
from untilt.formats.kinds.blueprint_file import write_blueprint
from untilt.games.holdem.rules import HoldemRules
from untilt.games.pushfold.chart import play_of
from untilt.numeric.arrays import Floats
from untilt.runs.blueprints.push_check import push_check

RULES = HoldemRules(stacks=(20, 20))
MENU = capped_bets(pot_fractions(all_in=True), 2)


def blueprint(path: Path, call: Floats, preflop: int = 169) -> Blueprint:
    """Return a blueprint whose big blind calls an all-in as often as `call` says."""
    cards = CardAbstraction(preflop=preflop, flop=2, turn=2, river=10)
    form = BettingForm(RULES, MENU)
    sizes = tuple(cards.sizes.values())
    averages = []
    for street, count in enumerate(sizes):
        average = np.zeros((count, int(form.tree.widths[street])), np.float32)
        for row, actions in zip(*map(np.ndarray.tolist, form.tree.rows_of(street)), strict=True):
            average[:, row : row + actions] = 1.0 / actions
        averages.append(average)
    row = int(form.tree.nodes[form.find("all-in").node]["row"])
    if preflop == len(call):
        averages[0][:, row] = 1.0 - call
        averages[0][:, row + 1] = call
    write_blueprint(path, blueprint_meta(RULES, MENU, cards), form.tree, sizes, averages)
    return Blueprint(path)


@pytest.fixture(scope="module")
def exact() -> Floats:
    game = untilt.games.pushfold(stack=10.0)
    return play_of(untilt.solve(game, target=1e-5, save=False).profile).call


def test_equilibrium_calls_lose_nothing(tmp_path: Path, exact: Floats) -> None:
    found = push_check(blueprint(tmp_path / "exact.bin", exact))
    # Bytes round frequencies to 1/255.
    assert abs(found.loss_mbb) < 0.2
    assert 0.0 <= found.regret_mbb < 0.2
    assert found.aces_call == 1.0


def test_what_bad_calls_lose_is_what_head_to_head_says(tmp_path: Path, exact: Floats) -> None:
    call = np.where(np.array(CLASS_NAMES) == "AA", 0.0, exact)
    found = push_check(blueprint(tmp_path / "bad.bin", call))
    assert found.aces_call == 0.0
    compiled = untilt.games.compile(untilt.games.pushfold(stack=10.0))
    base = {f"P1:{name}:a": share for name, share in zip(CLASS_NAMES, call, strict=True)}
    rows = {label: {"fold": 1.0 - share, "call": float(share)} for label, share in base.items()}
    pushes = {f"P0:{name}:": {"fold": 0.5, "all-in": 0.5} for name in CLASS_NAMES}
    profile = untilt.strategies.from_dict(compiled, {**rows, **pushes})
    best = best_response(compiled.exact_form(), profile, 0)[1]
    value = untilt.solve(untilt.games.pushfold(stack=10.0), target=1e-5, save=False).value
    assert found.loss_mbb == pytest.approx(1_000.0 * (best - value), abs=0.2)
    assert found.loss_mbb > 5.0


def test_buckets_of_several_classes_are_refused(tmp_path: Path, exact: Floats) -> None:
    with pytest.raises(InvalidOption, match="169 buckets before the flop, not 8"):
        push_check(blueprint(tmp_path / "coarse.bin", exact, preflop=8))
