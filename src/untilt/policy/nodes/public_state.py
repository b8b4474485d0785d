"""A public state of hold'em: what everybody sees, and how likely each hand gets there.

    state = policy.start(rules)
    for action, shares in policy.moves(state): ...         # of the player to act, with every hand
    state = policy.after(state, action)
    state = policy.dealt(state, cards)
    state = follow(policy, rules, "cr6c/", cards)          # the same for a whole line

States are never changed, so that one can try an action and go back.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from untilt.abstraction.translated_hand import action_of, moves_of
from untilt.cards.card import cards_name, mask_of
from untilt.cards.combos import COMBO_CARDS, NUM_COMBOS, blocked_combos
from untilt.errors import InvalidOption
from untilt.game.actions import ActionData
from untilt.game.histories.walking import Choice
from untilt.game.line import parse_line
from untilt.game.protocol import Uniforms
from untilt.game.terms import Chips
from untilt.games.holdem.bets.sizes import STREETS
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.game import Holdem, HoldemInfoset, highest_first, move_letters
from untilt.games.holdem.rules import BIG_BLIND, HoldemRules
from untilt.numeric.arrays import Floats
from untilt.policy.nodes.node import Hands, Node, NodePlace

if TYPE_CHECKING:
    from untilt.policy.policy import Policy

HANDS = tuple(
    (first, second) for first, second in (highest_first(row) for row in COMBO_CARDS.tolist())
)
"""Each combo as hold'em represents it."""

Row: TypeAlias = "Floats | Callable[[], Floats]"
"""[1326] numbers by hand, or how they are computed."""

Moves: TypeAlias = "list[tuple[ActionData, Floats]]"
"""The actions of whoever is to act, each with [1326] how often a hand takes it."""


@dataclass(frozen=True, eq=False)
class PublicState:
    """A public state; see the module."""

    rules: HoldemRules
    betting: Betting
    board: tuple[int, ...]
    line: tuple[str, ...]
    """The names of all actions so far, and a `/` where a street ends."""
    letters: str
    """The same in letters, as in an infoset."""
    rows: "tuple[Row, ...]"
    """By player, what `reach` is, or how it is computed when it is asked for."""
    memory: Any = None
    """What the policy remembers of the hand."""
    known: "dict[Policy, Moves]" = field(default_factory=dict, init=False, repr=False)
    """The moves of policies here, once they have been asked for."""

    reached: dict[int, Floats] = field(default_factory=dict, init=False, repr=False)
    """What is known of `reach`."""

    @property
    def reach(self) -> tuple[Floats, ...]:
        """By player, [1326] how likely each hand is to have played like this.

        0 if the board has one of its cards.
        """
        return tuple(map(self.reach_of, range(len(self.rows))))

    def reach_of(self, player: int) -> Floats:
        """Return [1326] the same of one player."""
        found = self.reached.get(player)
        if found is None:
            row = self.rows[player]
            found = self.reached[player] = row() if callable(row) else row
        return found

    @property
    def player(self) -> int:
        """Who is to act; −1 if nobody is."""
        return self.betting.player

    def infoset(self, combo: int = 0) -> HoldemInfoset:
        """Return what the player to act knows with a hand."""
        return HoldemInfoset(self.player, HANDS[combo], self.board, self.letters, self.betting)


def first_state(rules: HoldemRules, memory: Any = None) -> PublicState:
    """Return the state before the first decision."""
    every = hands_of(rules)
    return PublicState(rules, rules.start, (), (), "", (every, every), memory)


def hands_of(rules: HoldemRules) -> Floats:
    """Return [1326] 1 for the hands that the deck has."""
    deck = np.zeros(64, dtype=bool)
    deck[list(rules.deck)] = True
    hands: Floats = np.logical_and(*deck[COMBO_CARDS].T).astype(np.float64)
    return hands


def state_at(asked: Choice) -> PublicState:
    """Return the public state of a decision, without what led to it: ranges are of all hands."""
    infoset: Any = asked.infoset
    rules: HoldemRules = asked.position.rules  # type: ignore[attr-defined]  # of hold'em
    every = hands_of(rules)
    board, line, betting = infoset.board, infoset.line, infoset.betting
    return PublicState(rules, betting, board, (), line, (every, every))


def state_after(
    state: PublicState, action: ActionData, shares: Callable[[], Floats], memory: Any = None
) -> PublicState:
    """Return the state after an action that hands take with probabilities `shares` [1326].

    These are only computed if somebody asks for the range.
    """
    before = state.betting
    after = before.apply(action)
    rows: list[Row] = [partial(state.reach_of, seat) for seat in range(len(state.rows))]
    rows[before.player] = lambda: state.reach_of(before.player) * shares()
    letters = state.letters + move_letters(before, action.kind, after)
    line = (*state.line, action.name)
    return PublicState(state.rules, after, state.board, line, letters, tuple(rows), memory)


def state_dealt(state: PublicState, cards: Sequence[int], memory: Any = None) -> PublicState:
    """Return the state after the next cards of the board."""
    verify_deal(state, cards)
    board = (*state.board, *cards)

    def left(player: int) -> Floats:
        found: Floats = state.reach_of(player) * ~blocked_combos(mask_of(board))
        return found

    return PublicState(
        state.rules,
        state.betting.next_street(first=BIG_BLIND),
        board,
        (*state.line, "/"),
        f"{state.letters}/",
        tuple(partial(left, player) for player in range(len(state.rows))),
        memory,
    )


def verify_deal(state: PublicState, cards: Sequence[int]) -> None:
    """Raise InvalidOption if a card is on the board already, or dealt twice."""
    if set(cards) & set(state.board) or len(set(cards)) != len(cards):
        raise InvalidOption("a card of the board is dealt twice; deal every card once")


def follow(
    policy: "Policy",
    rules: HoldemRules,
    line: str,
    board: Sequence[int] = (),
    rng: Uniforms | None = None,
) -> PublicState:
    """Return the state after a line in letters, with the cards of the board in order.

    `rng` draws how bets outside the policy's own are read; without it, the likeliest reading is
    used.
    """
    return continue_line(policy, policy.start(rules), moves_of(line), board, rng)


def continue_line(
    policy: "Policy",
    state: PublicState,
    moves: Sequence[str],
    board: Sequence[int],
    rng: Uniforms | None = None,
) -> PublicState:
    """Return the state after further moves in letters, such as `b10` and `/`."""
    for move in moves:
        if move == "/":
            begin = len(state.board)
            count = state.rules.num_dealt_next(state.board)
            state = policy.dealt(state, board[begin : begin + count])
        else:
            state = policy.after(state, action_of(state.betting, move), rng)
    return state


def share_of(moves: Moves, action: ActionData) -> Floats:
    """Return [1326] how often each hand takes an action; 0 if it is not among the moves."""
    for each, shares in moves:
        if (each.kind, each.amount) == (action.kind, action.amount):
            return shares
    return np.zeros(NUM_COMBOS)


def node_at(policy: "Policy", state: PublicState) -> Node:
    """Return the node of a state; the policy thinks about it first, if it does."""
    state = policy.thought(state)
    board, player = state.board, state.player
    live = hands_of(state.rules).astype(bool) & ~blocked_combos(mask_of(board))
    combos = np.flatnonzero(live).astype(np.int16)
    moves = policy.moves(state) if player != NOBODY else []
    values = policy.values(state) if player != NOBODY else None
    betting = state.betting
    reach = tuple(row[live] for row in state.reach)
    return Node(
        NodePlace(state.letters, cards_name(board, ""), _kind(state, betting)),
        parse_line(state.letters, has_blinds=True).words,
        player,
        (Hands.of_combos(combos),) * len(reach),
        reach,
        np.array([shares[live] for _, shares in moves]).reshape(len(moves), len(combos)),
        None if values is None else values[:, live],
        tuple(action for action, _ in moves),
        tuple(_child(state, action) for action, _ in moves),
        street=STREETS[min(betting.street, len(STREETS) - 1)],
        chips=Chips(
            float(betting.pot),
            (float(betting.bets[0]), float(betting.bets[1])),
            (float(betting.stacks[0]), float(betting.stacks[1])),
        ),
        seats=Holdem.terms.seats,
        is_reached=player == NOBODY or bool(reach[player].any()),
    )


def _child(state: PublicState, action: ActionData) -> NodePlace:
    """Return where an action leads."""
    after = state.betting.apply(action)
    letters = state.letters + move_letters(state.betting, action.kind, after)
    return NodePlace(letters, cards_name(state.board, ""), _kind(state, after))


def _kind(state: PublicState, betting: Betting) -> str:
    if betting.player != NOBODY:
        return "decision"
    if betting.folded != NOBODY:
        return "fold"
    if not state.rules.num_dealt_next(state.board):
        return "showdown"
    return "all-in" if betting.is_all_in else "deal"
