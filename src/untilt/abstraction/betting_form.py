"""The whole betting of hold'em under a menu, as the tree that a trainer learns on.

    form = BettingForm(HoldemRules(stacks=(40, 40)), pot_fractions(0.5, 1, all_in=True))
    form.tree.num_infosets((169, 200, 200, 200))
    form.find("cr6c/b6").node                          # a node, by its line

Cards are not part of it: where a street ends, the first decision of the next one follows, and an
all-in that is called leads to the showdown at once.
"""

from functools import cached_property
from typing import NamedTuple

from untilt.abstraction.menus import Menu
from untilt.errors import Argument, FormatError, GameTooLarge, InvalidOption, shortened
from untilt.game.actions import ActionData, Kind
from untilt.game.deals.deal_tree import DECISION, DealTree, DecisionNode, Fold, ShowdownNode, grow
from untilt.game.line import parse_line, with_chips
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.cost.betting_count import count_betting, shown_count
from untilt.games.holdem.rules import BIG_BLIND, HoldemRules

MAX_NODES = 5_000_000
"""The maximum number of betting nodes; larger trees need far more memory than there is."""


class BettingSize(NamedTuple):
    """The size of a tree."""

    num_nodes: int
    num_actions: tuple[int, ...]
    """Actions of all decisions, by street."""


class BettingPlace(NamedTuple):
    """A node of the betting, and the chips there."""

    node: int
    betting: Betting


class BettingForm:
    """The betting of hold'em when the players' bets come from a menu.

    `tree` is known if the form was saved with a strategy. Otherwise it is grown when it is first
    needed.
    """

    def __init__(self, rules: HoldemRules, menu: Menu, tree: DealTree | None = None) -> None:
        if rules.red_runs_on:
            raise InvalidOption("the betting of River of Blood has no last street to end with")
        if rules.antes[0] != rules.antes[1]:
            raise InvalidOption(
                "antes of both players must be the same here: leave out ", Argument("bb_ante")
            )
        self.rules = rules
        self.menu = menu
        self._expanded: dict[Betting, DecisionNode | Fold | ShowdownNode] = {}
        self._tree = tree

    @cached_property
    def tree(self) -> DealTree:
        """The tree; GameTooLarge says how large it would be."""
        if self._tree is not None:
            return self._tree
        num_nodes = self.size.num_nodes
        if num_nodes > MAX_NODES:
            raise _too_large(num_nodes)
        tree = grow(self.rules.start, self._expansion, MAX_NODES)
        self._expanded.clear()
        return tree

    @cached_property
    def size(self) -> BettingSize:
        """The size of the tree, counted without growing it.

        Raises GameTooLarge if there are too many different states to count.
        """
        streets = len(self.rules.board_cards)
        count = count_betting(self.rules.start, 0, streets, self.menu.amounts, first=BIG_BLIND)
        # The end of a street and the first decision of the next one are the same node.
        num_nodes = count.num_nodes - sum(street.closings for street in count.streets[:-1])
        if not count.is_complete:
            raise _too_large(num_nodes, is_complete=False)
        actions = tuple(int(sum(street.actions)) for street in count.streets)
        return BettingSize(int(num_nodes), actions)

    def _expansion(self, betting: Betting) -> DecisionNode | Fold | ShowdownNode:
        if betting not in self._expanded:
            self._expanded[betting] = self._expand(betting)
        return self._expanded[betting]

    @property
    def root(self) -> BettingPlace:
        """The first decision."""
        return BettingPlace(0, self.rules.start)

    def actions(self, place: BettingPlace) -> tuple[ActionData, ...]:
        """Return the possible actions; none at the end of a hand.

        Raises FormatError if a tree that was saved is another one there.
        """
        node, betting = self.tree.nodes[place.node], place.betting
        is_decision = node["kind"] == DECISION
        actions = () if betting.player == NOBODY else self.menu.actions(betting)
        is_same = len(actions) == (node["num_actions"] if is_decision else 0) and (
            not is_decision or (node["player"], node["street"]) == (betting.player, betting.street)
        )
        if not is_same:
            raise FormatError(
                "the betting tree of the blueprint is not that of its rules and its menu, "
                f"{shortened(self.menu.text)}; restore it from a copy or train it again"
            )
        return actions

    def after(self, place: BettingPlace, action: int) -> BettingPlace:
        """Return the place after an action, given by its number among `actions`."""
        betting = self._opened(place.betting.apply(self.actions(place)[action]))
        return BettingPlace(int(self.tree.nodes[place.node]["first_child"]) + action, betting)

    def find(self, text: str) -> BettingPlace:
        """Return the place after a line, given in letters or words.

        Raises InvalidOption, which lists the possible moves, if the menu does not offer a move.
        """
        path = self.path(text)
        return self.after(*path[-1]) if path else self.root

    def path(self, text: str) -> list[tuple[BettingPlace, int]]:
        """Return the decisions of a line and the number of the action taken at each; see `find`."""
        line = parse_line(with_chips(text, self.rules.blinds[1]), has_blinds=True)
        place = self.root
        found: list[tuple[BettingPlace, int]] = []
        for number, moves in enumerate(line.streets):
            if number > place.betting.street:
                raise InvalidOption(
                    f"the line {shortened(text)} begins street {number + 1} too early: the betting "
                    "before is not over"
                )
            for move in moves:
                action = self._number_of(place, move, text)
                found.append((place, action))
                place = self.after(place, action)
        return found

    def _number_of(self, place: BettingPlace, move: ActionData, text: str) -> int:
        offered = self.actions(place)
        for number, action in enumerate(offered):
            if _is_meant(move, action, offered):
                return number
        possible = ", ".join(action.name for action in offered) or "nothing: the hand is over"
        raise InvalidOption(
            f"{move.name!r} of the line {shortened(text)} is not on the menu; possible: {possible}"
        )

    def _opened(self, betting: Betting) -> Betting:
        """Return the start of the next street where the betting of one is over."""
        is_over = betting.is_over_street and not betting.is_all_in
        if is_over and betting.street + 1 < len(self.rules.board_cards):
            return betting.next_street(first=BIG_BLIND)
        return betting

    def _expand(self, betting: Betting) -> DecisionNode | Fold | ShowdownNode:
        if betting.folded != NOBODY:
            lost = self.rules.stacks[betting.folded] - betting.stacks[betting.folded]
            return Fold(float(-lost if betting.folded == 0 else lost))
        if betting.player == NOBODY:
            # Uncalled chips were returned, so both have put in the same amount.
            return ShowdownNode(float(self.rules.stacks[0] - betting.stacks[0]))
        actions = self.menu.actions(betting)
        children = [self._opened(betting.apply(action)) for action in actions]
        return DecisionNode(betting.player, betting.street, children)


def _too_large(num_nodes: float, *, is_complete: bool = True) -> GameTooLarge:
    shown = shown_count(num_nodes, is_complete=is_complete)
    is_over = num_nodes > MAX_NODES
    limit = f"{MAX_NODES:,} are possible" if is_over else "that is too many to count"
    return GameTooLarge(
        f"the betting has {shown} nodes, and {limit}: drop a size of ",
        Argument("menu"),
        ", or lower ",
        Argument("cap"),
    )


def _is_meant(move: ActionData, action: ActionData, offered: tuple[ActionData, ...]) -> bool:
    """Whether a move of a line is this action; a bet without an amount must be the only one."""
    if move.kind in {Kind.CHECK, Kind.CALL} and action.kind in {Kind.CHECK, Kind.CALL}:
        return True
    if move.kind is not action.kind:
        # A bet of all chips may be written as a raise to that amount.
        return move.amount is not None and move.amount == action.amount
    if move.amount is not None and action.amount is not None:
        return move.amount == action.amount
    return sum(other.kind is action.kind for other in offered) == 1
