"""Games of OpenSpiel as positions of the protocol, and our games against theirs."""

import builtins
from pathlib import Path
from typing import Any, Literal

import pytest

from untilt.errors import GameError, InvalidOption, UnknownName, UntiltError
from untilt.games import goofspiel, resolve
from untilt.games.goofspiel import Goofspiel
from untilt.games.openspiel import OpenSpielGame

from .census import histories, take_census

GOOFSPIEL = (
    "openspiel:turn_based_simultaneous_game("
    "game=goofspiel(imp_info=True,num_cards=4,points_order=descending))"
)
LIARS_DICE = str(Path(__file__).parents[2] / "examples" / "liars_dice.py")


def test_a_missing_openspiel_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    real_import = builtins.__import__

    def without_pyspiel(name: str, *rest: Any, **named: Any) -> Any:
        if name == "pyspiel":
            raise ModuleNotFoundError("No module named 'pyspiel'")
        return real_import(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without_pyspiel)
    with pytest.raises(GameError, match=r"pip install 'untilt\[openspiel\]'"):
        resolve("openspiel:kuhn_poker")


class TestWithOpenSpiel:
    @pytest.fixture(autouse=True)
    def _needs_openspiel(self) -> None:
        pytest.importorskip("pyspiel")

    @pytest.mark.parametrize(
        ("ours", "parameters", "theirs"),
        [
            ("kuhn", {}, "openspiel:kuhn_poker"),
            ("leduc", {}, "openspiel:leduc_poker(suit_isomorphism=True)"),
            ("leduc", {"suits": "distinguished"}, "openspiel:leduc_poker"),
            (LIARS_DICE, {"sides": 4}, "openspiel:liars_dice(dice_sides=4)"),
            ("liars-dice", {}, "openspiel:liars_dice(dice_sides=4)"),
            ("goofspiel", {}, GOOFSPIEL),
        ],
        ids=["kuhn", "leduc", "leduc distinguished", "liars dice", "liars-dice", "goofspiel"],
    )
    def test_our_games_have_the_size_and_uniform_value_of_theirs(
        self, ours: str, parameters: dict[str, str | int], theirs: str
    ) -> None:
        roots = resolve(ours, parameters).game, resolve(theirs).game
        mine, other = (take_census(root) for root in roots)
        assert mine.infosets == other.infosets
        assert mine.action_variables == other.action_variables
        assert mine.terminals == other.terminals
        # OpenSpiel plays the last cards of Goofspiel by itself, two moves before every end.
        forced = 2 * mine.terminals if ours == "goofspiel" else 0
        assert mine.histories == other.histories + forced
        my_value, other_value = (
            sum(reach * end.payoff(0) for end, reach, _ in histories(root) if end.terminal)
            for root in roots
        )
        assert my_value == pytest.approx(other_value, abs=1e-12)

    @pytest.mark.parametrize(
        ("points", "returns_type", "factor"),
        [("difference", "point_difference", 2.0), ("win", "win_loss", 1.0)],
    )
    def test_every_game_of_goofspiel_pays_its_documented_multiple_of_theirs(
        self, points: Literal["difference", "win"], returns_type: str, factor: float
    ) -> None:
        import pyspiel

        text = f"goofspiel(num_cards=3,points_order=descending,returns_type={returns_type})"
        theirs = pyspiel.load_game(text)
        ends = [end for end, _, _ in histories(goofspiel(3, points=points)) if end.terminal]
        assert len(ends) == 36
        paid = set()
        for end in ends:
            assert isinstance(end, Goofspiel)
            state = theirs.new_initial_state()
            for bids in zip(*end.bids, strict=True):
                if not state.is_terminal():  # the last cards are played by themselves
                    state.apply_actions([card - 1 for card in bids])
            assert state.is_terminal()
            returns = state.returns()
            assert [end.payoff(0), end.payoff(1)] == [factor * gain for gain in returns]
            paid.add(returns[0])
        assert len(paid) > 2
        assert goofspiel.__doc__ is not None
        assert "twice what OpenSpiel's Goofspiel pays" in " ".join(goofspiel.__doc__.split())

    @pytest.mark.parametrize(
        "reference",
        [
            "openspiel:kuhn_poker",
            "openspiel:leduc_poker(suit_isomorphism=True)",
            "openspiel:tiny_hanabi",
            "openspiel:liars_dice(dice_sides=3)",
            "openspiel:misere(game=kuhn_poker())",
            "openspiel:add_noise(epsilon=1.,game=kuhn_poker(),seed=1)",
            "openspiel:turn_based_simultaneous_game(game=goofspiel(imp_info=True,num_cards=3))",
        ],
    )
    def test_positions_keep_the_protocol(self, reference: str) -> None:
        census = take_census(resolve(reference).game)
        assert census.chance_reach == pytest.approx(1)
        labels = {str(infoset) for infoset in census.actions_of_infoset}
        assert len(labels) == len(census.actions_of_infoset)
        for infoset, player in census.player_of_infoset.items():
            assert str(infoset).startswith(f"P{player}:")
            assert "\n" not in str(infoset)
            names = [str(action) for action in infoset.actions()]
            assert len(set(names)) == len(names)
        assert all(len(pasts) == 1 for pasts in census.own_pasts_of_infoset.values())

    def test_names_and_parameters_come_from_openspiel(self) -> None:
        named = resolve("openspiel:leduc_poker(starting_player=1)", {"suit_isomorphism": "yes"})
        assert (named.name, named.title) == ("openspiel-leduc_poker", "Leduc Poker (OpenSpiel)")
        assert named.parameters == {
            "action_mapping": False,
            "players": 2,
            "starting_player": 1,
            "suit_isomorphism": True,
        }
        assert not named.is_builtin
        again = resolve(str(named.reference), named.parameters)
        assert again.parameters == named.parameters

    def test_actions_carry_openspiels_names(self) -> None:
        position = resolve("openspiel:kuhn_poker").game
        for card in (1, 0):
            outcome, probability = list(position.chances())[card]
            assert 0 < probability < 1
            position = position.apply(outcome)
        infoset = position.infoset(0)
        assert (str(infoset), repr(infoset)) == ("P0:1", "<OpenSpielInfoset P0:1>")
        assert [str(action) for action in infoset.actions()] == ["Pass", "Bet"]
        assert repr(position) == "<OpenSpielGame kuhn_poker() after [1, 0]>"

    def test_an_action_of_another_kind_is_refused(self) -> None:
        with pytest.raises(GameError, match="'bet' is not an action of this game"):
            resolve("openspiel:kuhn_poker").game.apply("bet")

    def test_a_pyspiel_state_can_be_given(self) -> None:
        import pyspiel

        root = OpenSpielGame(pyspiel.load_game("kuhn_poker").new_initial_state())
        assert take_census(root).infosets == 12

    @pytest.mark.parametrize(
        ("reference", "kind", "message"),
        [
            ("openspiel:kuhn", UnknownName, "unknown OpenSpiel game 'kuhn': did you mean"),
            ("openspiel:", UnknownName, "unknown OpenSpiel game ''"),
            ("openspiel:kuhn_poker(", GameError, "cannot be read: Missing closing bracket"),
            ("openspiel:kuhn_poker(cards=3)", UnknownName, "unknown parameter 'cards'"),
            ("openspiel:kuhn_poker(players=two)", InvalidOption, "players=two is not allowed"),
            ("openspiel:solitaire", GameError, "has 1 player; games have 2 to 100"),
            ("openspiel:liars_dice(dice_sides=-1)", GameError, "cannot be loaded: "),
            ("openspiel:matrix_rps", GameError, "has simultaneous moves"),
            ("openspiel:backgammon", GameError, "does not provide information state strings"),
        ],
    )
    def test_what_cannot_be_played_is_refused_on_one_line(
        self, reference: str, kind: type[UntiltError], message: str
    ) -> None:
        with pytest.raises(kind) as refusal:
            resolve(reference)
        assert message in str(refusal.value)
        assert "\n" not in str(refusal.value)
