"""Compiling: the arrays say what the rules say, and broken rules are named."""

import itertools
import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests.game.trees import (
    AGAINST_NATURE,
    FORCED,
    FORGETFUL,
    GENERAL_SUM,
    Choice,
    End,
    Nature,
    Node,
    SeenWithMenu,
    TreeGame,
    choice,
    nature,
    random_trees,
)

from untilt.errors import GameError, GameTooLarge, ImperfectRecall, NotZeroSum
from untilt.game.compiled import CompiledGame, compile, compile_histories  # noqa: A004
from untilt.game.histories.size import estimate_size
from untilt.game.histories.tree import CHANCE, TERMINAL, GameTree, walk
from untilt.game.names.names import PARTS
from untilt.game.protocol import Action, Game
from untilt.game.sequence.sequence_form import SequenceForm
from untilt.games import kuhn, leduc

WIN, LOSE = End(1.0), End(-1.0)


def refusal(game: Game, kind: type[GameError] = GameError) -> str:
    """Return the message with which `game` is refused: one line."""
    with pytest.raises(kind) as caught:
        compile(game)
    message = str(caught.value)
    assert "\n" not in message
    return message


def without_place(message: str) -> str:
    """Return a message without the file and line at its end, which must be lines of this file."""
    found = re.fullmatch(r"(.*) \(\S*test_compile\.py, line (\d+)\)", message)
    assert found is not None, message
    assert 1 <= int(found[2]) <= len(Path(__file__).read_text().splitlines())
    return found[1]


def tree_of(game: Game) -> GameTree:
    tree = compile_histories(game).require(GameTree)
    assert tree is not None
    return tree


class TestCounts:
    def test_kuhn(self) -> None:
        game = compile(kuhn())
        assert game.num_infosets == 12
        assert game.num_action_variables == 24
        assert game.num_terminals == 30
        assert game.exact_form().num_pairs == 30
        assert game.is_zero_sum
        assert game.forced == {}
        assert game.recall_error is None

    def test_leduc(self) -> None:
        game = compile(leduc())
        assert game.num_infosets == 288
        assert game.num_action_variables == 672
        assert game.num_terminals == 1116
        assert [table.num_sequences for table in game.infosets] == [337, 337]

    def test_names_come_from_the_infosets(self) -> None:
        game = compile(leduc())
        table = game.infosets[1]
        index = table.index("P1:Q:K:cbc/c")
        assert table.actions(index) == ("check", "bet")
        assert table.parts(index) == ("Q", "K", "cbc/c")
        assert "P1:Q:K:cbc/c" in table
        assert "P0:Q:K:cbc/c" not in table

    def test_missing_private_public_and_line_are_empty(self) -> None:
        table = compile(GENERAL_SUM).infosets[0]
        assert [table.column(part).texts for part in PARTS] == [("",)] * 3


def check_tree(tree: GameTree) -> None:
    """Assert the shape that `GameTree` promises."""
    num_nodes = len(tree.parent)
    assert tree.parent[0] == -1
    assert (tree.parent[1:] >= 0).all()
    # Breadth first: parents in order, depth never falls.
    assert (np.diff(tree.parent) >= 0).all()
    depth = np.zeros(num_nodes, dtype=int)
    for node in range(1, num_nodes):
        depth[node] = depth[tree.parent[node]] + 1
    assert (np.diff(depth) >= 0).all()
    children: dict[int, list[int]] = {node: [] for node in range(num_nodes)}
    for node in range(1, num_nodes):
        children[int(tree.parent[node])].append(node)
    for node in range(num_nodes):
        first, count = int(tree.first_child[node]), int(tree.num_children[node])
        assert children[node] == list(range(first, first + count))
        assert (tree.player[node] == TERMINAL) == (count == 0)
        assert (tree.infoset[node] >= 0) == (tree.player[node] >= 0)
        if tree.player[node] == CHANCE:
            assert math.fsum(tree.probability[children[node]]) == pytest.approx(1.0, abs=1e-9)
        else:
            assert (tree.probability[children[node]] == 1.0).all()
    assert (tree.payoffs[tree.player != TERMINAL] == 0.0).all()


def terminal_reach(tree: GameTree) -> list[float]:
    """Return the probability of each terminal when all actions are equally likely."""
    reach = np.ones(len(tree.parent))
    for node in range(1, len(tree.parent)):
        parent = tree.parent[node]
        share = tree.probability[node]
        if tree.player[parent] >= 0:
            share /= tree.num_children[parent]
        reach[node] = reach[parent] * share
    return list(reach[tree.player == TERMINAL])


class TestTree:
    @pytest.mark.parametrize(
        "game",
        [kuhn(), leduc(), GENERAL_SUM, FORCED, FORGETFUL, AGAINST_NATURE],
        ids=["kuhn", "leduc", "general sum", "forced", "forgetful", "against nature"],
    )
    def test_nodes_are_in_breadth_first_order_with_children_side_by_side(self, game: Game) -> None:
        tree = tree_of(game)
        check_tree(tree)
        assert math.fsum(terminal_reach(tree)) == pytest.approx(1.0, abs=1e-12)

    @given(game=random_trees(is_zero_sum=False))
    @settings(deadline=None)
    def test_so_are_those_of_random_games(self, game: TreeGame) -> None:
        tree = walk(game).tree
        check_tree(tree)
        assert math.fsum(terminal_reach(tree)) == pytest.approx(1.0, abs=1e-12)

    def test_leducs_tree_has_every_history_once(self) -> None:
        tree = tree_of(leduc())
        assert (tree.player == TERMINAL).sum() == 1116
        assert tree.num_children.sum() == len(tree.parent) - 1

    def test_payoffs_stand_at_the_ends_of_their_histories(self) -> None:
        tree = tree_of(GENERAL_SUM)
        node = 0
        for ordinal in (1, 1, 0, 1):  # high, go, trust, share
            node = int(tree.first_child[node]) + ordinal
        assert tree.payoffs[node].tolist() == [2.0, 2.0]


class TestForcedMoves:
    def test_they_are_no_infosets_and_no_nodes(self) -> None:
        game = compile(FORCED)
        assert game.forced == {"P0:a": "only", "P1:must": "only", "P1:must again": "only"}
        assert game.infosets[0].labels == ("P0:b",)
        assert set(game.infosets[1].labels) == {"P1:x", "P1:y"}
        assert game.num_action_variables == 6
        assert game.num_terminals == 5
        assert len(tree_of(FORCED).parent) == 9

    def test_they_leave_the_value_of_every_action_as_it_is(self) -> None:
        plain = TreeGame(
            nature(
                a=(0.5, choice(1, "P1:x", left=WIN, right=LOSE)),
                b=(
                    0.5,
                    choice(
                        0,
                        "P0:b",
                        up=choice(1, "P1:y", left=End(2.0), right=End(-2.0)),
                        down=End(0.0),
                    ),
                ),
            )
        )
        forced, free = compile(FORCED), compile(plain)
        assert forced.fingerprint() == free.fingerprint()

    def test_an_infoset_is_not_forced_in_one_history_and_free_in_another(self) -> None:
        free = choice(1, "P1:x", left=WIN, right=LOSE)
        forced = choice(1, "P1:x", left=WIN)
        for first, second in ((free, forced), (forced, free)):
            message = refusal(TreeGame(choice(0, "P0:", a=first, b=second)))
            assert "'P1:x'" in message
            assert "history [b]" in message

    def test_a_forced_move_is_always_the_same(self) -> None:
        message = refusal(
            TreeGame(
                choice(0, "P0:", a=choice(1, "P1:x", left=WIN), b=choice(1, "P1:x", right=LOSE))
            )
        )
        assert "'P1:x' offers ['right'] at history [b] but ['left'] elsewhere" in message

    def test_a_game_without_any_choice_is_refused(self) -> None:
        assert "nobody has a choice" in refusal(TreeGame(choice(0, "P0:", only=WIN)))
        assert "nobody has a choice" in refusal(TreeGame(WIN))


def test_chance_outcomes_of_probability_zero_are_skipped() -> None:
    unreachable = choice(1, "P1:never", a=WIN, b=LOSE)
    game = TreeGame(nature(no=(0.0, unreachable), yes=(1.0, choice(0, "P0:", a=WIN, b=LOSE))))
    compiled = compile(game)
    assert compiled.num_infosets == 1
    assert compiled.num_terminals == 2
    assert len(tree_of(game).parent) == 4


class TestPayoffs:
    def test_a_general_sum_game_is_recorded_as_such(self) -> None:
        game = compile(GENERAL_SUM)
        assert not game.is_zero_sum
        with pytest.raises(NotZeroSum, match="zero-sum games only"):
            game.zero_sum_form()
        assert game.exact_form() is game.require(SequenceForm)

    def test_rounding_does_not_make_a_game_general_sum(self) -> None:
        game = compile(
            TreeGame(choice(0, "P0:", a=End(1e6, -1e6 + 1e-5), b=End(0.1, -0.1 - 1e-12)))
        )
        assert game.is_zero_sum
        first, second = game.exact_form().sides
        assert first.payoff.tolist() == (-second.payoff).tolist()

    def test_one_chip_in_a_million_makes_a_game_general_sum(self) -> None:
        assert not compile(TreeGame(choice(0, "P0:", a=End(1.0, -1.000001), b=WIN))).is_zero_sum

    @pytest.mark.parametrize("payoff", [math.nan, math.inf, -math.inf])
    @pytest.mark.parametrize("player", [0, 1])
    def test_a_payoff_that_is_not_finite_is_refused_with_its_history(
        self, payoff: float, player: int
    ) -> None:
        bad = End(payoff, 0.0) if player == 0 else End(0.0, payoff)
        message = refusal(TreeGame(choice(0, "P0:", a=WIN, b=choice(1, "P1:", c=bad, d=LOSE))))
        assert f"payoff({player}) is {payoff} at history [b, c]" in message


class TestChance:
    @pytest.mark.parametrize(
        ("probabilities", "said"),
        [
            ((0.5, 0.4), "sum to 0.9 at history [x]"),
            ((0.5, 0.500001), "sum to 1.000001 at history [x]"),
            ((1.2, -0.2), "outcome 'o1' has probability -0.2 at history [x]"),
            ((math.nan, 1.0), "outcome 'o0' has probability nan at history [x]"),
            ((math.inf, 0.0), "sum to inf at history [x]"),
            ((), "sum to 0 at history [x]"),
        ],
    )
    def test_wrong_probabilities_are_refused_with_their_history(
        self, probabilities: tuple[float, ...], said: str
    ) -> None:
        below = choice(0, "P0:y", a=WIN, b=LOSE)
        chance = Nature(
            tuple((f"o{number}", share, below) for number, share in enumerate(probabilities))
        )
        assert said in refusal(TreeGame(choice(1, "P1:", x=chance, y=WIN)))

    def test_rounding_of_thirds_is_accepted(self) -> None:
        below = choice(0, "P0:", a=WIN, b=LOSE)
        chance = Nature(tuple((str(number), 1 / 3, below) for number in range(3)))
        assert compile(TreeGame(chance)).num_terminals == 6

    def test_chances_that_are_not_listed_can_only_be_sampled(self) -> None:
        class Unlisted(TreeGame):
            def chances(self) -> list[tuple[str, float]]:
                raise NotImplementedError

        message = refusal(Unlisted(nature(a=(1.0, WIN))), GameTooLarge)
        assert "`chances` is not implemented" in message
        assert "only sampled" in message


class TestInfosets:
    @pytest.mark.parametrize(
        "other",
        [
            choice(1, "P1:x", left=WIN, middle=LOSE),
            choice(1, "P1:x", right=WIN, left=LOSE),
            choice(1, "P1:x", left=WIN, right=LOSE, middle=WIN),
        ],
        ids=["other actions", "another order", "one more"],
    )
    def test_an_infoset_always_offers_the_same_actions_in_the_same_order(
        self, other: Choice
    ) -> None:
        usual = choice(1, "P1:x", left=WIN, right=LOSE)
        message = refusal(TreeGame(choice(0, "P0:", a=usual, b=other)))
        names = [name for name, _ in other.children]
        assert f"infoset 'P1:x' offers {names} at history [b] but" in message
        assert "['left', 'right'] elsewhere" in message

    def test_an_infoset_without_actions_is_refused(self) -> None:
        message = refusal(TreeGame(choice(0, "P0:", a=WIN, b=choice(1, "P1:x"))))
        assert "infoset 'P1:x' offers no action at history [b]" in message

    @pytest.mark.parametrize("player", [-1, 2, None, "0"])
    def test_the_active_player_is_0_or_1(self, player: Any) -> None:
        message = refusal(TreeGame(choice(0, "P0:", a=WIN, b=choice(player, "?", c=WIN, d=LOSE))))
        assert f"`active` is {player!r} at history [b]" in message

    def test_a_wrong_player_is_named_even_where_the_infoset_raises(self) -> None:
        class Strict(TreeGame):
            def infoset(self, player: int) -> SeenWithMenu:
                if player > 1:
                    raise IndexError("tuple index out of range")
                return super().infoset(player)

        message = refusal(Strict(choice(0, "P0:", a=WIN, b=choice(2, "?", c=WIN, d=LOSE))))
        assert "`active` is 2 at history [b]" in message

    def test_two_infosets_of_a_player_need_two_labels(self) -> None:
        @dataclass(frozen=True)
        class Nameless:
            number: int

            def actions(self) -> Sequence[str]:
                return ("a", "b")

            def __str__(self) -> str:
                return "P0:same"

        class Twins(TreeGame):
            def infoset(self, player: int) -> Any:
                return Nameless(hash(str(self.node)))

        below = choice(0, "?", a=WIN, b=LOSE)
        message = refusal(Twins(choice(0, "?", a=WIN, b=below)))
        assert "two different infosets have the label 'P0:same'" in message

    def test_two_players_do_not_share_a_label(self) -> None:
        game = TreeGame(choice(0, "same", a=WIN, b=choice(1, "same", c=WIN, d=LOSE)))
        assert "two different infosets have the label 'same'" in refusal(game)

    def test_the_actions_of_an_infoset_have_different_names(self) -> None:
        @dataclass(frozen=True)
        class Bet:
            chips: int

            def __str__(self) -> str:
                return "bet"

        class Bets(TreeGame):
            def infoset(self, player: int) -> Any:
                infoset = super().infoset(player)
                infoset.menu = (Bet(1), Bet(2))  # type: ignore[assignment]
                return infoset

            def apply(self, action: Action) -> "Bets":
                return replace(self, node=WIN)

        message = refusal(Bets(choice(0, "P0:", a=WIN, b=LOSE)))
        assert "infoset 'P0:' has two actions with the same name: bet, bet" in message


class TestRecall:
    def test_imperfect_recall_keeps_the_tree_and_loses_the_exact_form(self) -> None:
        game = compile(FORGETFUL)
        assert not game.has(SequenceForm)
        assert game.has(GameTree)
        assert game.num_infosets == 3
        assert game.num_terminals == 6
        assert game.is_zero_sum
        for ask in (game.exact_form, game.zero_sum_form):
            with pytest.raises(ImperfectRecall, match="'P0:again' player 0 has forgotten"):
                ask()

    def test_the_same_infoset_twice_in_one_history_is_imperfect_recall(self) -> None:
        absent = choice(
            0, "P0:exit", leave=WIN, stay=choice(0, "P0:exit", leave=End(4.0), stay=LOSE)
        )
        with pytest.raises(ImperfectRecall, match="'P0:exit'"):
            compile(TreeGame(absent)).exact_form()

    @given(game=random_trees())
    @settings(deadline=None)
    def test_random_games_of_the_tests_have_perfect_recall(self, game: TreeGame) -> None:
        assert walk(game).recall_error is None

    def test_a_fingerprint_needs_no_exact_form(self) -> None:
        node = FORGETFUL.node
        assert isinstance(node, Choice)
        other = replace(node, children=node.children[::-1])
        prints = [compile(TreeGame(tree)).fingerprint() for tree in (node, node, other)]
        assert prints[0] == prints[1] != prints[2]


BELOW = choice(0, "P0:x", a=choice(1, "P1:x", c=WIN, d=LOSE), b=nature(n=(1.0, LOSE)))


class TestGamesThatRaise:
    @staticmethod
    def raising(method: str, at: Callable[[Node], bool]) -> TreeGame:
        def body(self: TreeGame, *arguments: Any) -> Any:
            if at(self.node):
                raise KeyError("oops")
            return getattr(TreeGame, method)(self, *arguments)

        game: type[TreeGame] = type("Raising", (TreeGame,), {method: body})
        return game(choice(1, "P1:", x=BELOW, y=WIN))

    @pytest.mark.parametrize(
        ("method", "at", "history"),
        [
            ("payoff", lambda node: node == LOSE, "history [x, a, d]"),
            ("apply", lambda node: node == BELOW, "history [x]"),
            ("infoset", lambda node: node == BELOW, "history [x]"),
            ("chances", lambda node: isinstance(node, Nature), "history [x, b]"),
        ],
    )
    def test_the_error_and_its_history_are_named(
        self, method: str, at: Callable[[Node], bool], history: str
    ) -> None:
        message = refusal(self.raising(method, at))
        assert without_place(message) == f"the game raised KeyError: 'oops' at {history}"

    def test_so_it_is_for_actions_that_raise(self) -> None:
        class Broken(SeenWithMenu):
            def actions(self) -> tuple[str, ...]:
                raise ZeroDivisionError("by zero")

        class Game(TreeGame):
            def infoset(self, player: int) -> SeenWithMenu:
                return Broken(player, "?") if self.node == BELOW else super().infoset(player)

        message = refusal(Game(choice(1, "P1:", x=BELOW, y=WIN)))
        expected = "the game raised ZeroDivisionError: by zero at history [x]"
        assert without_place(message) == expected

    @pytest.mark.parametrize("attribute", ["terminal", "chance", "active"])
    def test_so_it_is_for_properties_that_raise(self, attribute: str) -> None:
        def ask(self: TreeGame) -> Any:
            if self.node == BELOW:
                raise AttributeError("forgot it")
            return vars(TreeGame)[attribute].fget(self)

        game = type("Game", (TreeGame,), {attribute: property(ask)})
        message = refusal(game(choice(1, "P1:", x=BELOW, y=WIN)))
        expected = "the game raised AttributeError: forgot it at history [x]"
        assert without_place(message) == expected

    def test_a_payoff_that_is_no_number_is_named(self) -> None:
        bad: Any = End("much")  # type: ignore[arg-type]
        assert "at history [b]" in refusal(
            TreeGame(choice(0, "P0:", a=WIN, b=replace(bad, payoff_1=0.0)))
        )

    def test_an_infoset_that_cannot_be_hashed_is_named(self) -> None:
        class Game(TreeGame):
            def infoset(self, player: int) -> Any:
                return ["a list"] if self.node == BELOW else super().infoset(player)

        assert "at history [x]" in refusal(Game(choice(1, "P1:", x=BELOW, y=WIN)))

    def test_a_game_that_calls_itself_without_end_is_named(self) -> None:
        class Game(TreeGame):
            def payoff(self, player: int) -> float:
                return self.payoff(1 - player) if self.node == LOSE else super().payoff(player)

        message = refusal(Game(choice(0, "P0:", a=WIN, b=LOSE)))
        assert without_place(message) == "the game calls itself without end at history [b]"

    def test_long_histories_are_shortened(self) -> None:
        node: Node = End(math.nan)
        for move in range(60):
            node = choice(move % 2, f"P{move % 2}:{move}", on=node, off=WIN)
        message = refusal(TreeGame(node))
        assert message.count("on") < 40
        assert "…" in message


@dataclass(frozen=True)
class Endless(TreeGame):
    """Goes on for ever; one player has one action, or two."""

    node: Node = WIN
    moves: int = 0
    width: int = 2
    is_chance: bool = False

    terminal = property(lambda self: False)
    chance = property(lambda self: self.is_chance)
    active = property(lambda self: self.moves % 2)

    def chances(self) -> list[tuple[str, float]]:
        return [("only", 1.0)]

    def infoset(self, player: int) -> SeenWithMenu:
        infoset = SeenWithMenu(player, f"P{player}:{self.moves}")
        infoset.menu = ("a", "b")[: self.width]
        return infoset

    def apply(self, action: Action) -> "Endless":
        return replace(self, moves=self.moves + 1)


class TestSize:
    @pytest.mark.parametrize(
        "game", [Endless(width=1), Endless(is_chance=True)], ids=["forced", "chance"]
    )
    def test_a_game_that_never_ends_is_refused(self, game: Endless) -> None:
        assert "longer than 10,000 moves: does the game ever end?" in refusal(game)

    def test_a_game_that_never_ends_and_branches_is_refused(self) -> None:
        assert "does the game ever end?" in refusal(Endless())

    def test_a_rare_endless_branch_is_found_by_the_walk(self) -> None:
        class Rare(TreeGame):
            def apply(self, action: Action) -> Any:
                after = super().apply(action)
                return Endless(width=1) if after.node == LOSE else after

        node: Node = LOSE
        for move in range(20):
            node = choice(0, f"P0:go {move}", off=WIN, on=node)
        assert "longer than 10,000 moves" in refusal(Rare(node))

    def test_the_node_limit_names_estimate_and_sampling_solvers(self) -> None:
        with pytest.raises(GameTooLarge) as caught:
            compile(leduc(), max_nodes=100)
        message = str(caught.value)
        assert "more than the limit of 100 nodes" in message
        assert "mccfr-external" in message
        estimate = float(message.split("about ")[1].split(" histories", maxsplit=1)[0])
        assert 1000 < estimate < 4000

    def test_the_limit_stops_the_walk_where_the_estimate_did_not(self) -> None:
        nodes = len(tree_of(leduc()).parent)
        assert len(walk(leduc(), max_nodes=nodes).tree.parent) == nodes
        with pytest.raises(GameTooLarge):
            walk(leduc(), max_nodes=nodes - 1)

    def test_estimates_are_exact_where_all_paths_are_alike(self) -> None:
        node: Node = WIN
        for move in range(10):
            node = choice(0, f"P0:{move}", a=node, b=node)
        assert estimate_size(TreeGame(node)).num_histories == 2**11 - 1

    def test_estimates_are_near_the_truth_on_leduc(self) -> None:
        nodes = len(tree_of(leduc()).parent)
        assert estimate_size(leduc(), probes=20_000).num_histories == pytest.approx(nodes, rel=0.02)
        assert estimate_size(leduc()).num_histories == pytest.approx(nodes, rel=0.3)

    def test_estimates_do_not_count_impossible_outcomes(self) -> None:
        chance = nature(no=(0.0, BELOW), yes=(1.0, WIN))
        assert estimate_size(TreeGame(chance)).num_histories == 2


def plans(form: SequenceForm, player: int) -> Iterable[np.ndarray[Any, Any]]:
    """Yield every pure plan of `player` as 0 or 1 per sequence."""
    side = form.sides[player]
    first = side.first_sequence.astype(int)
    blocks = [range(first[index], first[index + 1]) for index in range(side.num_infosets)]
    for chosen in itertools.product(*blocks):
        plan = np.zeros(side.num_sequences)
        plan[0] = 1.0
        for sequence, parent in zip(chosen, side.parent_sequence, strict=True):
            plan[sequence] = plan[parent]
        yield plan


def matrix(form: SequenceForm, player: int, column: str) -> np.ndarray[Any, Any]:
    """Return P or A of one side as a dense matrix, rows for player 0's sequences."""
    side = form.sides[player]
    dense = np.zeros((side.num_sequences, form.sides[1 - player].num_sequences))
    own = np.repeat(np.arange(side.num_sequences), np.diff(side.row_start.astype(int)))
    np.add.at(dense, (own, side.opponent_sequence), getattr(side, column))
    return dense.T if player else dense


class TestSequenceForm:
    @pytest.mark.parametrize(
        "game",
        [kuhn(), GENERAL_SUM, FORCED, AGAINST_NATURE],
        ids=["kuhn", "general", "forced", "one"],
    )
    def test_every_pair_of_pure_plans_has_a_total_weight_of_one(self, game: Game) -> None:
        form = compile(game).exact_form()
        weight = matrix(form, 0, "weight")
        rows = np.array(list(plans(form, 0)))
        columns = np.array(list(plans(form, 1)))
        totals = rows @ weight @ columns.T
        assert np.abs(totals - 1.0).max() < 1e-14

    @given(game=random_trees(is_zero_sum=False))
    @settings(deadline=None)
    def test_both_sides_hold_the_same_pairs(self, game: TreeGame) -> None:
        form = compile(game).exact_form()
        assert np.array_equal(matrix(form, 0, "weight"), matrix(form, 1, "weight"))
        assert form.num_pairs == len(form.sides[1].weight)
        assert (form.sides[0].weight > 0.0).all()

    @given(game=random_trees())
    @settings(deadline=None)
    def test_in_a_zero_sum_game_one_gains_what_the_other_loses(self, game: TreeGame) -> None:
        form = compile(game).exact_form()
        assert form.is_zero_sum
        assert np.array_equal(matrix(form, 0, "payoff"), -matrix(form, 1, "payoff"))

    @pytest.mark.parametrize("game", [kuhn(), leduc(), leduc(ranks=13), FORCED, GENERAL_SUM])
    def test_parents_precede_children(self, game: Game) -> None:
        for side in compile(game).exact_form().sides:
            assert (side.parent_sequence < side.first_sequence[:-1]).all()
            assert side.first_sequence[0] == 1
            assert side.first_sequence[-1] == side.num_sequences

    @given(game=random_trees(max_depth=7))
    @settings(deadline=None)
    def test_parents_precede_children_in_random_games(self, game: TreeGame) -> None:
        for side in compile(game).exact_form().sides:
            assert (side.parent_sequence < side.first_sequence[:-1]).all()

    def test_ends_with_the_same_sequences_are_summed(self) -> None:
        def coin(first: float, second: float) -> Nature:
            return nature(heads=(0.25, End(first)), tails=(0.75, End(second)))

        game = compile(TreeGame(choice(0, "P0:", a=coin(4.0, -4.0), b=coin(1.0, 2.0))))
        form = game.exact_form()
        assert (game.num_terminals, form.num_pairs) == (4, 2)
        assert form.sides[0].weight.tolist() == [1.0, 1.0]
        assert form.sides[0].payoff.tolist() == [-2.0, 1.75]
        assert form.sides[1].payoff.tolist() == [2.0, -1.75]
        assert form.sides[0].row_start.tolist() == [0, 0, 1, 2]
        assert form.sides[1].row_start.tolist() == [0, 2]

    def test_arrays_have_the_types_that_kernels_expect(self) -> None:
        for game in (kuhn(), leduc(), leduc(ranks=13), AGAINST_NATURE):
            for side in compile(game).exact_form().sides:
                types = {name: column.dtype for name, column in side._asdict().items()}
                indices = dict.fromkeys(list(types)[:4], np.dtype(np.uint32))
                assert types == indices | dict.fromkeys(list(types)[4:], np.dtype(np.float64))
                assert all(column.flags.c_contiguous for column in side)


class TestDirectForms:
    def test_a_game_may_bring_its_own_form(self) -> None:
        walked = compile(GENERAL_SUM)

        class Direct(TreeGame):
            def sequence_form(self) -> SequenceForm | None:
                return walked.exact_form()

        game = compile(Direct(GENERAL_SUM.node))
        assert game.exact_form() is walked.exact_form()
        assert not game.has(GameTree)
        assert game.num_terminals == walked.num_terminals
        assert game.fingerprint() == walked.fingerprint()
        assert compile_histories(Direct(GENERAL_SUM.node)).has(GameTree)

    def test_a_game_that_declines_is_walked(self) -> None:
        class Declining(TreeGame):
            def sequence_form(self) -> SequenceForm | None:
                return None

        assert compile(Declining(GENERAL_SUM.node)).has(GameTree)


class TestFingerprint:
    def test_equal_rules_have_equal_fingerprints(self) -> None:
        assert compile(leduc()).fingerprint() == compile(leduc()).fingerprint()

    @pytest.mark.parametrize(
        "other",
        [
            choice(0, "P0:y", a=WIN, b=LOSE),
            choice(0, "P0:x", a=WIN, c=LOSE),
            choice(0, "P0:x", a=WIN, b=End(-2.0)),
            choice(0, "P0:x", a=WIN, b=LOSE, c=LOSE),
            choice(1, "P0:x", a=WIN, b=LOSE),
        ],
        ids=["label", "action", "payoff", "more actions", "player"],
    )
    def test_other_rules_have_other_fingerprints(self, other: Choice) -> None:
        usual: CompiledGame = compile(TreeGame(choice(0, "P0:x", a=WIN, b=LOSE)))
        assert compile(TreeGame(other)).fingerprint() != usual.fingerprint()
