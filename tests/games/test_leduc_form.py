"""Leduc's sequence form, built from the rules, against the one walked from the histories."""

import subprocess
import sys

import numpy as np
import pytest

from untilt.errors import GameTooLarge
from untilt.game.compiled import OffersSequenceForm, compile, compile_histories  # noqa: A004
from untilt.game.histories.tree import GameTree
from untilt.game.names.names import Names
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.games import leduc, leduc_276
from untilt.games.leduc import Leduc, Suits
from untilt.games.leduc_form import leduc_sequence_form

from .playing import play

VARIANTS: dict[str, Leduc] = {
    **{
        f"{ranks} ranks {suits} {bets} bets": leduc(ranks, suits, bets)
        for ranks in (2, 3, 4, 5)
        for suits in ("merged", "distinguished")
        for bets in (1, 2, 3)
    },
    "leduc-276": leduc_276(),
}


@pytest.fixture(params=VARIANTS.values(), ids=list(VARIANTS), scope="module")
def forms(request: pytest.FixtureRequest) -> tuple[SequenceForm, SequenceForm]:
    """The form from the rules and the walked one of one variant."""
    game = request.param
    assert isinstance(game, Leduc)
    walked = compile_histories(game).exact_form()
    return leduc_sequence_form(game.rules), walked


def sequence_names(table: Names) -> list[str]:
    return ["", *(f"{label} {action}" for label, actions in table.items() for action in actions)]


def pairs_by_name(form: SequenceForm, player: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Return weight and payoff of every pair of sequences that meets, own sequence first."""
    side = form.sides[player]
    own, other = (sequence_names(form.infosets[who]) for who in (player, 1 - player))
    lengths = side.row_start[1:] - side.row_start[:-1]
    rows = np.repeat(np.arange(side.num_sequences), lengths)
    columns = zip(rows, side.opponent_sequence, side.weight, side.payoff, strict=True)
    return {
        (own[row], other[met]): (float(weight), float(payoff))
        for row, met, weight, payoff in columns
    }


def test_infosets_have_the_names_that_walking_gives(
    forms: tuple[SequenceForm, SequenceForm],
) -> None:
    def names(table: Names) -> set[tuple[object, ...]]:
        return {
            (label, actions, table.parts(number))
            for number, (label, actions) in enumerate(table.items())
        }

    for built, walked in zip(forms[0].infosets, forms[1].infosets, strict=True):
        assert built.player == walked.player
        assert len(built) == len(walked)
        assert names(built) == names(walked)


def test_the_same_moves_lead_to_each_infoset(forms: tuple[SequenceForm, SequenceForm]) -> None:
    def parents(form: SequenceForm, player: int) -> dict[str, str]:
        names = sequence_names(form.infosets[player])
        labels, numbers = form.infosets[player].labels, form.sides[player].parent_sequence
        return {label: names[number] for label, number in zip(labels, numbers, strict=True)}

    for player in (0, 1):
        assert parents(forms[0], player) == parents(forms[1], player)


def test_pairs_of_sequences_have_the_same_weight_and_payoff(
    forms: tuple[SequenceForm, SequenceForm],
) -> None:
    for player in (0, 1):
        built, walked = (pairs_by_name(form, player) for form in forms)
        assert built.keys() == walked.keys()
        ours = np.array([built[pair] for pair in walked])
        np.testing.assert_allclose(ours, np.array(list(walked.values())), rtol=0.0, atol=1e-15)


def test_counts_and_array_types_are_those_of_walking(
    forms: tuple[SequenceForm, SequenceForm],
) -> None:
    built, walked = forms
    assert built.num_terminals == walked.num_terminals
    assert built.num_pairs == walked.num_pairs
    assert built.is_zero_sum
    for player in (0, 1):
        theirs = walked.sides[player]._asdict()
        for name, ours in built.sides[player]._asdict().items():
            assert (ours.dtype, ours.shape) == (theirs[name].dtype, theirs[name].shape)
            assert ours.flags.c_contiguous


def test_arrays_are_in_the_order_that_sweeps_need(
    forms: tuple[SequenceForm, SequenceForm],
) -> None:
    for side, table in zip(forms[0].sides, forms[0].infosets, strict=True):
        assert (side.parent_sequence < side.first_sequence[:-1]).all()
        assert (side.first_sequence == table.first_sequence).all()
        # Within a row the opponent's sequences ascend.
        met = side.opponent_sequence
        assert np.isin(np.flatnonzero(met[1:] <= met[:-1]) + 1, side.row_start).all()


def test_what_one_player_gains_the_other_loses_to_the_last_bit() -> None:
    form = leduc_sequence_form(leduc(ranks=7).rules)
    first, second = (pairs_by_name(form, player) for player in (0, 1))
    assert {(pair[1], pair[0]): (w, -gain) for pair, (w, gain) in second.items()} == first


@pytest.mark.parametrize("suits", ["merged", "distinguished"])
def test_every_deal_is_played_to_an_end(suits: Suits) -> None:
    # Always passing on, check or call, plays every deal once and ends in a showdown.
    form = leduc_sequence_form(leduc(ranks=6, suits=suits).rules)
    weight = [w for pair, (w, _) in pairs_by_name(form, 0).items() if passive(pair)]
    assert sum(weight) == pytest.approx(1.0, abs=1e-12)


def passive(pair: tuple[str, str]) -> bool:
    return pair[0].endswith(":cc/ check") and pair[1].endswith(":cc/c check")


def test_58_ranks_have_101_268_infosets() -> None:
    form = compile(leduc(ranks=58)).exact_form()
    assert [len(table) for table in form.infosets] == [50_634, 50_634]
    # The first street ends in 4 folds or leads on in 5 ways, the second has 9 ends. Impossible
    # is only the same rank three times.
    folds, streets, ends = 4, 5, 9
    assert form.num_terminals == folds * 58**2 + streets * ends * (58**3 - 58)
    assert form.num_pairs == form.num_terminals
    assert len(set(form.infosets[0].labels)) == 50_634


def test_games_beyond_memory_are_refused() -> None:
    with pytest.raises(GameTooLarge, match=r"leduc with 1000 ranks.* 4.5e\+10 pairs"):
        leduc(ranks=1_000).sequence_form()


def test_small_decks_later_positions_and_other_rules_are_walked() -> None:
    class DoubleLeduc(Leduc):
        __slots__ = ()

        def payoff(self, player: int) -> float:
            return 2.0 * super().payoff(player)

    later = play(leduc(ranks=13), "1 2 check check")
    assert isinstance(later, Leduc)
    assert leduc(ranks=13).sequence_form() is not None
    for game in (leduc(), later, DoubleLeduc(ranks=13)):
        assert game.sequence_form() is None
    compiled = compile(later)
    assert compiled.has(GameTree)
    assert len(compiled.infosets[0]) == 3 * 13


def test_the_form_is_offered_without_loading_numba() -> None:
    assert isinstance(leduc(), OffersSequenceForm)
    program = (
        "import sys; from untilt.games import leduc; leduc(58); sys.exit('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
