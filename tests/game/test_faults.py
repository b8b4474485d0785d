"""Mistakes of a game's author: found when it is compiled or sampled, named with their place."""

import dataclasses
import enum
import operator
import re
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.cli import faulty_games
from tests.game.trees import End, SeenWithMenu, TreeGame, choice, nature

import untilt
from untilt.errors import GameError, NotZeroSum
from untilt.game.checking.check import check
from untilt.game.compiled import compile_histories
from untilt.game.protocol import Action, Game, InfoSet
from untilt.games.efg import parse_efg
from untilt.games.kuhn import Kuhn
from untilt.play import StrategyAgent, Table

PLAIN = TreeGame(choice(0, "P0:", a=choice(1, "P1:", l=End(1.0), r=End(-1.0)), b=End(0.0)))


def refusal(game: Game, how: str = "compile") -> str:
    """Return the line by which a game is refused: compiled, or sampled as objects."""
    with pytest.raises(GameError) as caught:
        compile_histories(game) if how == "compile" else sample(game)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def sample(game: Game) -> None:
    """Solve a game on its positions."""
    untilt.solve(game, "es", iterations=50, on="objects", save=False)


class Plain:
    """An infoset without equality, hash and name: what a beginner writes."""

    def __init__(self, player: int, private: str, line: str) -> None:
        self.key = (player, private, line)

    def actions(self) -> tuple[str, ...]:
        return ("fold", "call") if self.key[2].endswith("b") else ("check", "bet")


class Named(Plain):
    def __str__(self) -> str:
        return f"P{self.key[0]}:{self.key[1]}:{self.key[2]}"


class Unhashable(Named):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Named) and self.key == other.key

    __hash__ = None  # type: ignore[assignment]


class Unnamed(Plain):
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plain) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


class ShowsAnObject(Unnamed):
    def __str__(self) -> str:
        return f"{self.key}{object()}"


class ListInside(NamedTuple):
    player: int
    cards: Any
    line: str

    def __hash__(self) -> int:
        return hash((self.player, [self.cards]))

    def actions(self) -> tuple[str, ...]:
        return ("fold", "call") if self.line.endswith("b") else ("check", "bet")


class NoActions(NamedTuple):
    player: int
    private: str
    line: str


class ActionsProperty(NoActions):
    @property
    def actions(self) -> tuple[str, ...]:
        return ("check", "bet")


INFOSETS: list[tuple[Any, str]] = [
    (Plain, "infosets of type 'Plain' have no equality"),
    (Named, "infosets of type 'Named' have no equality"),
    (Unhashable, "infosets of type 'Unhashable' cannot be hashed"),
    (Unnamed, "infosets of type 'Unnamed' have no name"),
    (ShowsAnObject, "contains the address of an object"),
    (ListInside, "cannot be hashed"),
    (NoActions, "which has no method `actions`"),
    (ActionsProperty, "which has no method `actions`"),
]


@pytest.mark.parametrize("how", ["compile", "sample"])
@pytest.mark.parametrize(("infoset", "words"), INFOSETS, ids=lambda each: str(each)[:40])
def test_infosets_that_cannot_be_told_apart_are_refused(infoset: Any, words: str, how: str) -> None:
    broken = type("Broken", (faulty_games.Sound,), {"knowledge": infoset})
    assert words in refusal(broken(), how)


@pytest.mark.parametrize("name", ["Nameless", "Scattered", "Merged", "NeverEnds"])
def test_what_check_finds_at_little_cost_compiling_finds(name: str) -> None:
    words = {
        "Nameless": "have no equality",
        "Scattered": "has two hashes",
        "Merged": "are equal: equal infosets must have the same label",
        "NeverEnds": "returns the position it was called on",
    }
    assert words[name] in refusal(getattr(faulty_games, name)())


def test_a_move_that_changes_its_own_position_is_named() -> None:
    class Remembers(TreeGame):
        moves: list[Action] = []  # noqa: RUF012 — that is the mistake

        def infoset(self, player: int) -> Any:
            known = super().infoset(player)
            again = SeenWithMenu(player, f"P{player}:{len(self.moves)}")
            again.menu = known.menu
            return again

        def apply(self, action: Action) -> TreeGame:
            self.moves.append(action)
            return super().apply(action)

    assert "`apply` changed the position it was called on" in refusal(Remembers(PLAIN.node))


def test_members_of_an_enumeration_are_equal_by_identity() -> None:
    class Seat(enum.Enum):
        FIRST = "P0:"
        SECOND = "P1:"

        def actions(self) -> tuple[str, ...]:
            return ("a", "b") if self is Seat.FIRST else ("l", "r")

        def __str__(self) -> str:
            return str(self.value)

    class Seated(TreeGame):
        def infoset(self, player: int) -> Any:
            return Seat.SECOND if player else Seat.FIRST

    assert compile_histories(Seated(PLAIN.node)).num_infosets == 2


def test_a_forced_move_may_not_share_the_name_of_a_choice() -> None:
    @dataclasses.dataclass(frozen=True)
    class Apart:
        player: int
        label: str
        menu: tuple[str, ...]

        def actions(self) -> tuple[str, ...]:
            return self.menu

        def __str__(self) -> str:
            return self.label

    class Game(TreeGame):
        def infoset(self, player: int) -> Any:
            known = super().infoset(player)
            return Apart(player, known.label, known.menu)

    root = nature(
        x=(0.5, choice(0, "P0:", a=End(1.0), b=End(-1.0))), y=(0.5, choice(0, "P0:", a=End(0.0)))
    )
    assert "two different infosets have the label 'P0:'" in refusal(Game(root))


@pytest.mark.parametrize("how", ["compile", "sample"])
@pytest.mark.parametrize("name", ["terminal", "chance", "active"])
def test_a_property_written_as_a_method_is_named(name: str, how: str) -> None:
    inherited = vars(faulty_games.Sound)[name].fget
    broken = type("Broken", (faulty_games.Sound,), {name: inherited})
    message = refusal(broken(), how)
    assert f"`{name}` of 'Broken' is a method" in message
    assert "write @property above it" in message
    assert any(f"`{name}` of 'Broken' is a method" in each for each in check(broken()).problems)


def test_a_property_that_returns_a_method_is_named() -> None:
    class Broken(faulty_games.Sound):
        @property
        def terminal(self) -> Any:
            return self.is_over

        def is_over(self) -> bool:
            return self.kuhn.terminal

    assert "`terminal` of 'Broken' is a method, found at the root" in refusal(Broken())


def test_properties_may_be_cached_or_plain_attributes() -> None:
    class Cached(faulty_games.Sound):
        @cached_property
        def terminal(self) -> bool:
            return self.kuhn.terminal

        def __init__(self, kuhn: Kuhn | None = None) -> None:
            super().__init__(kuhn)
            self.is_dealing = self.kuhn.chance

        chance = property(operator.attrgetter("is_dealing"))

    @dataclasses.dataclass(slots=True)
    class Slots(Game):
        kuhn: Kuhn
        terminal: bool = False

        def __post_init__(self) -> None:
            self.terminal = self.kuhn.terminal

        @property
        def chance(self) -> bool:
            return self.kuhn.chance

        @property
        def active(self) -> int:
            return self.kuhn.active

        def chances(self) -> Iterable[tuple[Action, float]]:
            return self.kuhn.chances()

        def payoff(self, player: int) -> float:
            return self.kuhn.payoff(player)

        def infoset(self, player: int) -> InfoSet:
            return self.kuhn.infoset(player)

        def apply(self, action: Action) -> "Slots":
            return Slots(self.kuhn.apply(action))

    assert compile_histories(Cached()) == compile_histories(Kuhn())
    assert compile_histories(Slots(Kuhn())) == compile_histories(Kuhn())


@pytest.mark.parametrize("name", ["payoff", "chances", "infoset", "apply"])
def test_a_method_written_as_a_property_is_named(name: str) -> None:
    inherited = getattr(faulty_games.Sound, name)
    broken = type("Broken", (faulty_games.Sound,), {name: property(inherited)})
    assert f"`{name}` of 'Broken' is a property; it must be a method" in refusal(broken())


def test_a_move_without_a_position_is_named() -> None:
    class Broken(faulty_games.Sound):
        def apply(self, action: Action) -> Any:
            if not self.kuhn.chance:
                return None
            return super().apply(action)

    message = refusal(Broken())
    assert message.startswith("`apply` returned None at history [J, Q, check]")


@pytest.mark.parametrize("how", ["compile", "sample"])
@pytest.mark.parametrize("payoff", ["1", "much", None, True, [1.0], 1j, b"1", {}])
def test_a_payoff_must_be_a_number(payoff: Any, how: str) -> None:
    class Broken(faulty_games.Sound):
        def payoff(self, player: int) -> Any:
            return payoff

    message = refusal(Broken(), how)
    assert re.search(r"payoff\(0\) is .* at history \[.*\]; it must be a number", message)
    assert not check(Broken()).is_sound


@pytest.mark.parametrize("kind", [float, np.float64, np.float32, Fraction, Decimal])
def test_numbers_of_all_kinds_are_payoffs_and_probabilities(kind: Any) -> None:
    class Exact(faulty_games.Sound):
        def payoff(self, player: int) -> Any:
            return kind(self.kuhn.payoff(player))

    assert compile_histories(Exact()) == compile_histories(Kuhn())
    assert compile_histories(PaysWhole()) == compile_histories(Kuhn())


class PaysWhole(faulty_games.Sound):
    def payoff(self, player: int) -> Any:
        return np.int64(self.kuhn.payoff(player))


@pytest.mark.parametrize(
    ("chances", "words"),
    [
        ([("a", "0.5"), ("b", 0.5)], "the probability of chance outcome 'a' is '0.5'"),
        ([("a", None)], "the probability of chance outcome 'a' is None"),
        (["a", "b"], "`chances` lists 'a' at the root; it must list pairs"),
        ({"heads": 0.5}, "`chances` lists 'heads' at the root; it must list pairs"),
        ([("a", 10**400)], "it must be finite"),
    ],
)
def test_chances_must_be_pairs_of_outcome_and_number(chances: Any, words: str) -> None:
    class Broken(faulty_games.Sound):
        def chances(self) -> Iterable[tuple[Action, float]]:
            return chances  # type: ignore[no-any-return]

    assert words in refusal(Broken())


GAME_FILE = """\
from tests.cli.faulty_games import Sound


class Broken(Sound):
    def payoff(self, player):
        if self.kuhn.line == "cc":
            return self.kuhn.cards[7]
        return super().payoff(player)
"""


def test_an_error_inside_a_game_names_its_file_and_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text(GAME_FILE)
    game = untilt.games.resolve("mine.py:Broken").game
    for how in ("compile", "sample"):
        assert "IndexError: " in refusal(game, how)
        assert refusal(game, how).endswith("check, check] (mine.py, line 7)")
    [problem] = check(game).problems
    assert problem.endswith("(mine.py, line 7)")
    uniform = StrategyAgent(untilt.strategies.uniform("kuhn"))
    with pytest.raises(GameError, match=r"IndexError: .*\(mine\.py, line 7\)"):
        list(Table(game, (uniform, uniform)).play(100))


def test_a_game_that_exits_is_an_error_of_its_own() -> None:
    assert "SystemExit" in refusal(faulty_games.Exits())
    assert "faulty_games.py, line " in refusal(faulty_games.Exits())


def scaled(size: float, gap: float = 0.0) -> TreeGame:
    """Return a game with payoffs of about `size`, whose sums are `gap` times that at one end."""
    second = choice(1, "P1:", l=End(size, -size * (1.0 - gap)), r=End(-size, size))
    return TreeGame(choice(0, "P0:", a=second, b=End(size / 8.0)))


class TestZeroSum:
    @pytest.mark.parametrize("size", [1e-200, 1e-10, 1.0, 1e10, 1e150])
    def test_it_is_judged_by_the_largest_payoff_of_the_game(self, size: float) -> None:
        for gap in (0.0, 1e-15, 1e-10):
            assert compile_histories(scaled(size, gap)).is_zero_sum
        for gap in (1e-8, 1.0, 2.0):
            assert not compile_histories(scaled(size, gap)).is_zero_sum

    def test_tiny_coordination_is_not_zero_sum(self) -> None:
        with pytest.raises(NotZeroSum):
            untilt.solve(scaled(1e-10, 2.0), save=False)

    def test_rounding_of_a_small_payoff_beside_large_ones_is_forgiven(self) -> None:
        rounding = End(0.1 + 0.2 - 0.3, 0.0)
        root = choice(0, "P0:", a=choice(1, "P1:", l=End(10.0), r=End(-10.0)), b=rounding)
        assert compile_histories(TreeGame(root)).is_zero_sum

    def test_sampling_finds_tiny_general_sums_as_well(self) -> None:
        deal = {
            f"n{i}": (1 / 128, scaled(1e-10, 2.0 if i == 127 else 0.0).node) for i in range(128)
        }
        game = TreeGame(nature(**deal))
        with pytest.raises(NotZeroSum):
            untilt.solve(game, "es", iterations=2_000, on="objects", save=False)

    def test_fractions_of_a_file_are_compared_exactly(self) -> None:
        def game(payoffs: str) -> untilt.Game:
            text = (
                f'EFG 2 R "" {{ "1" "2" }} p "" 1 1 "" {{ "a" "b" }} 0 t "" 1 "" {{ {payoffs} }} '
            )
            return parse_efg(text + 't "" 2 "" { 1, -1 }')

        assert compile_histories(game("1/3, -1/3")).is_zero_sum
        assert compile_histories(game("0.1, -1/10")).is_zero_sum
        assert not compile_histories(game("1/3, -0.33333333333333333333")).is_zero_sum
        note = check(game("1/3, -0.33333333333333333333")).notes[0]
        assert "less than a float can show" in note

    def test_check_says_how_far_from_zero_sum_a_game_is(self) -> None:
        report = check(scaled(1e-10, 0.5))
        assert report.shape is not None
        assert report.shape.largest_payoff_sum == pytest.approx(5e-11)
        assert (
            "sum to 5e-11 at history [a, l] (0.5 of the largest payoff, 1e-10)" in report.notes[0]
        )
        assert "untilt qre" in report.notes[0]


def test_an_infoset_of_a_users_own_type_is_no_trouble() -> None:
    @dataclasses.dataclass(frozen=True)
    class Own:
        player: int
        private: str
        line: str

        def actions(self) -> tuple[str, ...]:
            return ("fold", "call") if self.line.endswith("b") else ("check", "bet")

        def __str__(self) -> str:
            return f"P{self.player}:{self.private}:{self.line}"

    class Sound(faulty_games.Sound):
        knowledge = Own

    assert isinstance(Own(0, "J", ""), InfoSet)
    assert compile_histories(Sound()) == compile_histories(Kuhn())
