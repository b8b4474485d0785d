"""What the registry declares of each game, against an independent walk over its histories."""

import copy
import pickle
import random
from fractions import Fraction

import pytest

from untilt.game.checking.check import check
from untilt.game.protocol import Game, InfoSet
from untilt.game.terms import terms_of
from untilt.games import REGISTRY, GameSpec, resolve
from untilt.games.registry import name_position

from . import half_street
from .census import Census, histories, take_census

pytestmark = pytest.mark.usefixtures("half_street")


LARGE = "river-of-blood"
"""Takes as long as all others together."""


@pytest.fixture(
    params=[
        pytest.param(spec, id=spec.name, marks=[pytest.mark.long] * (spec.name == LARGE))
        for spec in (*REGISTRY.values(), half_street.SPEC)
    ],
    scope="module",
)
def spec(request: pytest.FixtureRequest) -> GameSpec:
    declared = request.param
    assert isinstance(declared, GameSpec)
    return declared


def walkable(spec: GameSpec) -> Game:
    """The game, or a small version of one that has too many histories."""
    return spec.factory(**spec.small)


@pytest.fixture(scope="module")
def census(spec: GameSpec) -> Census:
    return take_census(walkable(spec))


def test_counts_are_the_declared_ones(spec: GameSpec, census: Census) -> None:
    if not spec.can_be_compiled:
        assert spec.small
        assert (spec.action_variables, spec.sequences, spec.terminals) == (None, None, None)
        return
    assert census.infosets == spec.infosets
    assert census.action_variables == spec.action_variables
    assert (census.sequences(0), census.sequences(1)) == spec.sequences
    assert census.terminals == spec.terminals


def test_payoffs_sum_to_zero_where_declared(spec: GameSpec, census: Census) -> None:
    assert (census.payoff_sums == {0.0}) == spec.is_zero_sum


def test_players_remember_what_they_saw_and_did(spec: GameSpec, census: Census) -> None:
    forgets = any(len(pasts) > 1 for pasts in census.own_pasts_of_infoset.values())
    assert forgets != spec.perfect_recall


def test_chance_probabilities_sum_to_one(census: Census) -> None:
    assert census.chance_sums == pytest.approx([1.0] * len(census.chance_sums))
    assert census.chance_reach == pytest.approx(1.0)


def test_labels_tell_infosets_apart(census: Census) -> None:
    labels = {str(infoset) for infoset in census.actions_of_infoset}
    assert len(labels) == len(census.actions_of_infoset)


def test_labels_begin_with_the_player(census: Census) -> None:
    for infoset, player in census.player_of_infoset.items():
        assert str(infoset).startswith(f"P{player}:")


def test_what_infosets_tell_of_private_public_and_line_is_text(census: Census) -> None:
    for infoset in census.actions_of_infoset:
        parts = [getattr(infoset, name, "") for name in ("private", "public", "line")]
        assert all(isinstance(part, str) for part in parts)
        assert isinstance(infoset, InfoSet)


def test_actions_of_an_infoset_have_different_names(census: Census) -> None:
    for actions in census.actions_of_infoset.values():
        assert len({str(action) for action in actions}) == len(actions) >= 1


def test_moves_are_forced_only_where_declared(spec: GameSpec, census: Census) -> None:
    has_forced_moves = census.infosets < len(census.actions_of_infoset)
    assert terms_of(spec.factory()).has_forced_moves == has_forced_moves


def test_applying_an_action_leaves_the_position_as_it_was(spec: GameSpec) -> None:
    for position, _, _ in histories(walkable(spec)):
        if not position.terminal and not position.chance:
            before = position.infoset(position.active)
            position.apply(before.actions()[0])
            assert position.infoset(position.active) == before


def test_random_play_ends(spec: GameSpec) -> None:
    rng = random.Random(1)
    for _ in range(200):
        position: Game = spec.factory()
        while not position.terminal:
            if position.chance:
                position = position.apply(position.sample(rng))
            else:
                position = position.apply(
                    rng.choice(list(position.infoset(position.active).actions()))
                )
        if spec.is_zero_sum:
            assert position.payoff(0) == -position.payoff(1)


def test_copies_and_pickles_know_the_same(spec: GameSpec, census: Census) -> None:
    position = walkable(spec)
    for twin in (copy.deepcopy(position), pickle.loads(pickle.dumps(position))):
        assert take_census(twin).actions_of_infoset == census.actions_of_infoset


def test_names_find_the_game(spec: GameSpec) -> None:
    named = resolve(spec.name)
    assert (named.name, named.title, named.reference) == (spec.name, spec.title, spec.name)
    assert named.is_builtin
    assert type(named.game) is type(spec.factory())


def test_zero_sum_games_have_a_known_value_with_its_source(spec: GameSpec) -> None:
    is_known = spec.is_zero_sum and spec.can_be_compiled
    assert isinstance(spec.known_value, Fraction | float) == is_known
    assert bool(spec.value_source) == is_known


def test_games_keep_all_rules_of_the_protocol(spec: GameSpec) -> None:
    report = check(walkable(spec))
    assert report.problems == ()
    assert report.shape is not None
    assert report.shape.is_zero_sum == spec.is_zero_sum


def test_games_too_large_to_compile_can_be_sampled(spec: GameSpec) -> None:
    if spec.can_be_compiled:
        return
    report = check(spec.factory())
    assert (report.problems, report.shape) == ((), None)
    assert "it cannot be compiled, only sampled" in report.notes[0]


def test_parameters_of_a_position_make_its_game_again(spec: GameSpec) -> None:
    game = spec.factory()
    named = name_position(game)
    assert (named.name, named.is_builtin) == (spec.name, True)
    assert resolve(spec.name, named.parameters).parameters == resolve(spec.name).parameters


def test_summaries_are_one_line(spec: GameSpec) -> None:
    assert spec.summary
    assert "\n" not in spec.summary
