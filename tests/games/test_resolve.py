"""Finding a game by what a user types, and the one-line refusals."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import untilt
from untilt.errors import GameError, InvalidOption, UnknownName, UntiltError
from untilt.game.checking.check import check
from untilt.game.protocol import Game
from untilt.games import resolve
from untilt.games.kuhn import Kuhn
from untilt.games.leduc import Leduc
from untilt.games.parameters import ParameterValue

from .census import take_census

EXAMPLES = Path(__file__).parents[2] / "examples"


def write(folder: Path, name: str, text: str) -> str:
    """Write a user's file and return its path."""
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return str(file)


def refusal(reference: str, parameters: Mapping[str, ParameterValue] | None = None) -> UntiltError:
    """Return the error of resolving `reference`, which must be one line."""
    with pytest.raises(UntiltError) as caught:
        resolve(reference, parameters or {})
    assert "\n" not in str(caught.value)
    return caught.value


class TestRegisteredNames:
    def test_parameters_include_the_defaults(self) -> None:
        named = resolve("leduc", {"ranks": "1_3"})
        assert named.parameters == {"ranks": 13, "suits": "merged", "bets": 2}
        assert isinstance(named.game, Leduc)
        assert named.game.rules.ranks == 13

    def test_a_resolved_game_can_be_found_again(self) -> None:
        named = resolve("leduc", {"suits": "distinguished", "bets": 3})
        again = resolve(str(named.reference), named.parameters)
        assert again.parameters == named.parameters

    def test_unknown_names_suggest_the_nearest(self) -> None:
        error = refusal("ledoc")
        assert isinstance(error, UnknownName)
        assert "unknown game 'ledoc': did you mean 'leduc'?" in str(error)

    def test_unknown_parameters_list_what_the_game_takes(self) -> None:
        error = refusal("leduc", {"rank": "3"})
        assert isinstance(error, UnknownName)
        assert str(error) == (
            "unknown parameter 'rank': did you mean 'ranks'? leduc takes "
            "ranks: int = 3, suits: 'merged' | 'distinguished' = 'merged', "
            "bets: int = 2, players: int = 2"
        )

    @pytest.mark.parametrize(
        ("name", "value"), [("ranks", "three"), ("ranks", "3.0"), ("ranks", True), ("suits", "no")]
    )
    def test_values_of_the_wrong_type_are_refused(self, name: str, value: ParameterValue) -> None:
        error = refusal("leduc", {name: value})
        assert isinstance(error, InvalidOption)
        assert f"{name}={value} is not allowed: leduc takes ranks: int = 3," in str(error)

    def test_values_out_of_range_are_refused(self) -> None:
        assert isinstance(refusal("leduc", {"ranks": "1"}), InvalidOption)

    def test_leduc_276_takes_no_parameters(self) -> None:
        error = refusal("leduc-276", {"ranks": "3"})
        assert isinstance(error, InvalidOption)
        assert str(error) == "leduc-276 takes no parameters, given ranks=3"


FACTORIES = """
from __future__ import annotations
from dataclasses import dataclass
from typing import Annotated, Literal, Optional
from untilt.game.checking.check import check
from untilt.game.protocol import Game
from untilt.games.kuhn import Kuhn
from sibling import CARDS

seen = {}

def make(
    size: int,
    speed: float = 1.5,
    *,
    is_wild: bool = False,
    deck: str = "short",
    mode: Literal["a", "b", 3] = "a",
    cap: Optional[int] = None,
    bound: Annotated[int, "chips"] | None = 5,
    guess=7,
    size_of_bet: int | Literal["pot"] | None = "pot",
    table: tuple[int, ...] = (1, 2),
):
    seen.update(locals())
    return Kuhn()

@dataclass(frozen=True)
class Position(Kuhn):
    stake: int = 1

root = Kuhn()
number = 3
_hidden = Kuhn()

def broken(kind: str = "value"):
    if kind == "recursive":
        return broken(kind)
    raise ValueError("no such\\nthing")

def nothing():
    return None

class Half(Game):
    terminal = False
    def payoff(self, player):
        return 0.0

class Bare:
    def __init__(self):
        self.terminal = False
"""


@pytest.fixture
def user_file(tmp_path: Path) -> str:
    write(tmp_path, "sibling.py", "CARDS = 3\n")
    sys.modules.pop("sibling", None)
    return write(tmp_path, "mygame.py", FACTORIES)


class TestUserFiles:
    def test_a_root_position_is_taken_as_it_is(self, user_file: str) -> None:
        named = resolve(f"{user_file}:root")
        assert named.game == Kuhn()
        assert (named.name, named.title, named.parameters) == ("root", "Root", {})
        assert named.reference == f"{user_file}:root"
        assert not named.is_builtin

    def test_a_root_position_takes_no_parameters(self, user_file: str) -> None:
        error = refusal(f"{user_file}:root", {"size": "3"})
        assert isinstance(error, InvalidOption)
        assert "mygame.py:root takes no parameters, given size=3" in str(error)

    def test_a_class_is_made_with_its_parameters(self, user_file: str) -> None:
        named = resolve(f"{user_file}:Position", {"stake": "1_000"})
        assert named.parameters == {"stake": 1_000}
        assert getattr(named.game, "stake", None) == 1_000
        assert named.title == "Position"

    def test_texts_become_what_the_signature_asks_for(self, user_file: str) -> None:
        texts = {
            "size": "1_0",
            "speed": "2e3",
            "is_wild": "Yes",
            "deck": "7",
            "mode": "3",
            "cap": "none",
            "bound": "6",
            "guess": "8",
            "size_of_bet": "9",
        }
        named = resolve(f"{user_file}:make", texts)
        assert named.parameters == {
            "size": 10,
            "speed": 2000.0,
            "is_wild": True,
            "deck": "7",
            "mode": 3,
            "cap": None,
            "bound": 6,
            "guess": 8,
            "size_of_bet": 9,
        }
        assert [type(value) for value in named.parameters.values()] == [
            *(int, float, bool, str, int, type(None), int, int, int)
        ]
        assert resolve(str(named.reference), named.parameters).parameters == named.parameters

    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("size", "1.5"),
            ("size", ""),
            ("size", True),
            ("size", 2.0),
            ("speed", "fast"),
            ("speed", "nan"),
            ("speed", True),
            ("is_wild", "2"),
            ("is_wild", 1),
            ("mode", "c"),
            ("mode", 3.5),
            ("cap", "many"),
            ("deck", 3),
            ("size_of_bet", "half"),
        ],
    )
    def test_what_does_not_convert_is_refused(
        self, user_file: str, name: str, value: ParameterValue
    ) -> None:
        error = refusal(f"{user_file}:make", {"size": 3, name: value})
        assert isinstance(error, InvalidOption)
        assert f"{name}={value} is not allowed" in str(error)
        assert "size: int, speed: float = 1.5, is_wild: bool = False" in str(error)
        assert "mode: 'a' | 'b' | 3 = 'a', cap: int | None = None" in str(error)

    @pytest.mark.parametrize(("text", "value"), [("pot", "pot"), ("None", None), ("7", 7)])
    def test_a_union_takes_each_of_its_members(
        self, user_file: str, text: str, value: ParameterValue
    ) -> None:
        named = resolve(f"{user_file}:make", {"size": 1, "size_of_bet": text})
        assert named.parameters["size_of_bet"] == value

    def test_a_whole_number_is_a_number(self, user_file: str) -> None:
        value = resolve(f"{user_file}:make", {"size": 3, "speed": 2}).parameters["speed"]
        assert (value, type(value)) == (2.0, float)

    def test_a_parameter_that_is_no_scalar_keeps_its_default(self, user_file: str) -> None:
        assert isinstance(refusal(f"{user_file}:make", {"size": 1, "table": "3"}), UnknownName)

    def test_a_needed_parameter_is_asked_for(self, user_file: str) -> None:
        error = refusal(f"{user_file}:make")
        assert isinstance(error, InvalidOption)
        assert "needs a value for size: it takes size: int," in str(error)

    def test_without_attribute_and_game_the_candidates_are_listed(self, user_file: str) -> None:
        error = refusal(user_file)
        assert isinstance(error, GameError)
        assert "has no attribute 'game': it offers" in str(error)
        for name in ("make", "Position", "root", "broken"):
            assert f"{user_file}:{name}" in str(error)
        for name in ("number", "_hidden", "Half", "Kuhn"):
            assert f"{user_file}:{name}" not in str(error)

    def test_a_misspelt_attribute_lists_the_candidates(self, user_file: str) -> None:
        assert f"has no attribute 'rot': it offers {user_file}:make" in str(
            refusal(f"{user_file}:rot")
        )

    def test_a_file_without_games_says_so(self, tmp_path: Path) -> None:
        file = write(tmp_path, "empty.py", "")
        assert str(refusal(file)).endswith("has no attribute 'game': it defines no game")

    def test_an_error_in_the_factory_names_its_line(self, user_file: str) -> None:
        line = FACTORIES.splitlines().index('    raise ValueError("no such\\nthing")') + 1
        error = refusal(f"{user_file}:broken")
        assert isinstance(error, GameError)
        assert f"ValueError: no such thing ({user_file}, line {line})" in str(error)

    def test_endless_recursion_is_an_error_of_the_user(self, user_file: str) -> None:
        assert "RecursionError" in str(refusal(f"{user_file}:broken", {"kind": "recursive"}))

    @pytest.mark.parametrize(
        ("attribute", "missing"),
        [
            ("Half", "chance, active, infoset, apply"),
            ("Bare", "payoff, chance, chances, sample, active, infoset, apply"),
            ("nothing", "terminal, payoff, chance, chances, sample, active, infoset, apply"),
            ("number", "terminal, payoff, chance, chances, sample, active, infoset, apply"),
        ],
    )
    def test_what_is_missing_of_the_protocol_is_named(
        self, user_file: str, attribute: str, missing: str
    ) -> None:
        error = refusal(f"{user_file}:{attribute}")
        assert isinstance(error, GameError)
        assert f"which is not a game: it lacks {missing} (" in str(error)

    def test_missing_files_are_named(self) -> None:
        assert "no game file 'nowhere/x.py'" in str(refusal("nowhere/x.py:game"))
        assert "no game file 'nowhere/x'" in str(refusal("nowhere/x"))

    @pytest.mark.parametrize(
        ("text", "told", "line"),
        [
            ("x = 1\ndef f(:\n", "SyntaxError: invalid syntax", 2),
            ("\n\n1 / 0\n", "ZeroDivisionError: division by zero", 3),
            ("import json\njson.loads('{')\n", "JSONDecodeError: Expecting property name", 2),
            ("import no_such_module\n", "ModuleNotFoundError: No module named 'no_such_module'", 1),
            ("raise SystemExit\n", "SystemExit", 1),
            ("assert False\n", "AssertionError", 1),
        ],
    )
    def test_a_file_that_does_not_import_names_error_and_line(
        self, tmp_path: Path, text: str, told: str, line: int
    ) -> None:
        file = write(tmp_path, "bad.py", text)
        error = refusal(file)
        assert isinstance(error, GameError)
        assert str(error).startswith(f"{file} cannot be loaded: {told}")
        assert str(error).endswith(f"({file}, line {line})")

    def test_binary_files_are_refused(self, tmp_path: Path) -> None:
        file = tmp_path / "bad.py"
        file.write_bytes(b"\x00\xff")
        assert "cannot be loaded: " in str(refusal(str(file)))

    def test_an_edited_file_is_read_anew(self, tmp_path: Path) -> None:
        text = "from untilt.games.leduc import Leduc\ngame = Leduc(ranks={})\n"
        counts = []
        for ranks in (2, 4):
            named = resolve(write(tmp_path, "edited.py", text.format(ranks)))
            counts.append(len(list(named.game.chances())))
        assert counts == [2, 4]
        assert [file.name for file in tmp_path.iterdir()] == ["edited.py"]

    def test_loading_leaves_the_import_path_as_it_was(self, user_file: str, tmp_path: Path) -> None:
        before = list(sys.path)
        resolve(f"{user_file}:root")
        refusal(write(tmp_path, "bad.py", "1 / 0"))
        assert sys.path == before
        assert not any(name.endswith("_bad") for name in sys.modules)

    def test_names_are_fit_for_folders(self, tmp_path: Path) -> None:
        text = "from untilt.games.kuhn import Kuhn\ngame = Kuhn()\n"
        file = write(tmp_path, "my odd game!.py", text)
        assert resolve(file).name == "my-odd-game"

    def test_unreadable_references_show_the_forms(self) -> None:
        for reference in ("x.py:", ":game", "a:b c"):
            error = refusal(reference)
            assert "a game is given as path/to/file.py:attribute" in str(error)


class TestModules:
    def test_an_attribute_of_a_module_is_found(self) -> None:
        named = resolve("untilt.games.leduc:Leduc", {"ranks": "4"})
        assert isinstance(named.game, Leduc)
        assert named.name == "Leduc"
        assert named.parameters == {"ranks": 4, "suits": "merged", "bets": 2, "players": 2}

    def test_a_module_of_the_current_folder_is_found(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(tmp_path, "here_below.py", "from untilt.games.kuhn import Kuhn\ngame = Kuhn()\n")
        monkeypatch.chdir(tmp_path)
        named = resolve("here_below:game")
        sys.modules.pop("here_below")
        assert (named.game, named.name) == (Kuhn(), "here_below")

    def test_a_missing_module_is_named(self) -> None:
        assert str(refusal("no_such.module:game")) == (
            "no_such.module cannot be loaded: ModuleNotFoundError: No module named 'no_such'"
        )


class TestExampleOfLiarsDice:
    @pytest.fixture
    def reference(self) -> str:
        return str(EXAMPLES / "liars_dice.py")

    def test_it_is_short_and_found_by_its_file(self, reference: str) -> None:
        assert len(Path(reference).read_text(encoding="utf-8").splitlines()) <= 60
        named = resolve(reference)
        assert (named.name, named.title) == ("liars_dice", "Liars Dice")
        assert named.parameters == {"sides": 6}

    @pytest.mark.parametrize("sides", [1, 2, 3, 4])
    def test_every_set_of_bids_with_each_die_is_an_infoset(
        self, reference: str, sides: int
    ) -> None:
        census = take_census(resolve(reference, {"sides": sides}).game)
        assert len(census.actions_of_infoset) == sides * 2 ** (2 * sides)
        assert census.payoff_sums == {0.0}
        assert census.chance_reach == pytest.approx(1)
        assert all(len(pasts) == 1 for pasts in census.own_pasts_of_infoset.values())

    @pytest.mark.parametrize(
        ("hand", "payoff"),
        [
            ("3 3 2-3 liar", 1),
            ("3 4 2-3 liar", -1),
            ("3 6 2-3 liar", 1),
            ("6 6 2-1 liar", 1),
            ("1 2 1-1 1-2 liar", -1),
            ("1 2 1-1 1-3 liar", 1),
            ("1 2 1-6 liar", -1),
        ],
    )
    def test_bids_are_tested_with_the_highest_face_wild(
        self, reference: str, hand: str, payoff: float
    ) -> None:
        position: Game = resolve(reference).game
        for move in hand.split():
            position = position.apply(move)
        assert position.terminal
        assert (position.payoff(0), position.payoff(1)) == (payoff, -payoff)


def test_importing_the_games_loads_nothing_heavy() -> None:
    check = (
        "import sys, untilt.games; "
        "heavy = {'numba', 'scipy', 'pyspiel', 'untilt.games.openspiel'} & set(sys.modules); "
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


SAMPLED_COIN = """
from dataclasses import dataclass, replace
from typing import NamedTuple


class Known(NamedTuple):
    player: int
    private: str
    line: str

    def actions(self):
        return ("stop", "go")

    def __str__(self):
        return f"P{self.player}:{self.private}:{self.line}"


@dataclass(frozen=True)
class Coin:
    stake: int = 2
    bonus: int = 0
    coin: str = ""
    line: str = ""
    heap: int = 5

    @property
    def terminal(self):
        return self.line in ("s", "gs", "gg")

    @property
    def chance(self):
        return not self.coin

    @property
    def active(self):
        return len(self.line)

    def payoff(self, player):
        gain = self.stake if self.coin == "H" else -self.stake
        return (0.0 if self.line == "s" else gain + self.bonus) * (1 - 2 * player)

    def sample(self, rng):
        return "H" if rng.random() < 0.5 else "T"

    def infoset(self, player):
        return Known(player, self.coin if player == 0 else "", self.line)

    def apply(self, action):
        if self.chance:
            return replace(self, coin=action)
        return replace(self, line=self.line + action[0], heap=self.heap - 1)
"""


class TestAClassOfPositions:
    def test_what_is_empty_at_the_root_and_changes_in_play_is_no_parameter(
        self, tmp_path: Path
    ) -> None:
        """A heap of 5 that shrinks is state too, but one that can be chosen at the beginning."""
        coin = write(tmp_path, "coin.py", SAMPLED_COIN) + ":Coin"
        assert resolve(coin).parameters == {"stake": 2, "bonus": 0, "heap": 5}
        assert resolve(coin, {"bonus": "1"}).parameters["bonus"] == 1
        for name in ("line", "coin", "lime"):
            assert f"unknown parameter {name!r}" in str(refusal(coin, {name: "x"}))
            assert str(refusal(coin, {name: "x"})).endswith(
                "takes stake: int = 2, bonus: int = 0, heap: int = 5"
            )

    def test_what_cannot_be_tried_keeps_its_parameters(self, tmp_path: Path) -> None:
        broken = SAMPLED_COIN.replace("return replace(self, coin=action)", "raise OSError")
        coin = write(tmp_path, "coin.py", broken) + ":Coin"
        assert set(resolve(coin).parameters) == {"stake", "bonus", "coin", "line", "heap"}

    def test_without_chances_it_can_only_be_sampled(self, tmp_path: Path) -> None:
        named = resolve(write(tmp_path, "coin.py", SAMPLED_COIN) + ":Coin")
        run = untilt.solve(named, "mccfr-external", on="objects", iterations=50, save=False)
        assert set(run.profile) == {"P0:H:", "P0:T:", "P1::g"}
        assert check(named.game).is_sound
        with pytest.raises(GameError, match=r"only sampled; use .* such as mccfr-external"):
            untilt.solve(named, "cfr", save=False)

    def test_without_chances_and_sample_it_is_no_game(self, tmp_path: Path) -> None:
        neither = SAMPLED_COIN.replace("def sample", "def unused")
        error = refusal(write(tmp_path, "coin.py", neither) + ":Coin")
        assert "it lacks chances, sample" in str(error)
