"""A public state of a policy as a node: what every hand does there, and with which ranges."""

from typing import TYPE_CHECKING

import numpy as np

from untilt.cards.card import cards_name, mask_of
from untilt.cards.combos import blocked_combos
from untilt.game.actions import ActionData
from untilt.game.line import parse_line
from untilt.game.terms import Chips
from untilt.games.holdem.bets.sizes import STREETS
from untilt.games.holdem.betting import NOBODY, Betting
from untilt.games.holdem.game import Holdem, move_letters
from untilt.policy.nodes.node import Hands, Node, NodePlace
from untilt.policy.nodes.public_state import PublicState, hands_of

if TYPE_CHECKING:
    from untilt.policy.policy import Policy


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
