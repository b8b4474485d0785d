"""A game's decisions with chance collapsed: what quantal response works on.

Histories at which nobody decides are folded into probabilities between decisions, and the
payoffs of ends into the action before them. The infosets of all players are numbered together,
player 0's first; a *variable* is the log-odds of one action against the infoset's first.
"""

from typing import NamedTuple

import numpy as np

from untilt.errors import StrategyError
from untilt.game.compiled import CompiledGame
from untilt.game.histories.tree import TERMINAL, GameTree
from untilt.numeric.arrays import Floats, Offsets
from untilt.numeric.kernel import kernel


class Decisions(NamedTuple):
    """D decision nodes in breadth-first order; a slot is an action at a node, T slots."""

    infoset: Offsets
    """[D] over all players."""
    player: Offsets
    """[D]"""
    parent: Offsets
    """[D] the decision before, −1 if there is none."""
    parent_action: Offsets
    """[D] the number of the action taken there."""
    chance: Floats
    """[D] probability of chance's moves since that action (or since the root)."""
    log_chance: Floats
    """[D] log of the probability of all of chance's moves on the way."""
    stage: Offsets
    """[D] how many chance moves lie on the way: deals, public cards."""
    depth: Offsets
    """[D] how many decisions lie on the way."""
    first_slot: Offsets
    """[D + 1]"""
    ends: Floats
    """[T, players] expected payoffs of the ends that follow an action without another decision."""
    root_payoffs: Floats
    """[players] expected payoffs of the ends that no decision precedes."""


class Variables(NamedTuple):
    """The places of the actions and log-odds of I infosets, over all players."""

    player: Offsets
    """[I]"""
    first_action: Offsets
    """[I + 1]"""
    first_variable: Offsets
    """[I + 1] one less than actions per infoset"""

    @property
    def num_actions(self) -> int:
        """Actions summed over all infosets."""
        return int(self.first_action[-1])

    @property
    def num_variables(self) -> int:
        """Log-odds summed over all infosets."""
        return int(self.first_variable[-1])


def variables_of(game: CompiledGame) -> Variables:
    """Return the numbering of actions and log-odds over all players."""
    sizes = np.concatenate(
        [np.diff(table.first_sequence.astype(np.int64)) for table in game.infosets]
    )
    players = np.repeat(np.arange(game.num_players), [len(table) for table in game.infosets])
    return Variables(
        player=players.astype(np.int64),
        first_action=np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        first_variable=np.concatenate(([0], np.cumsum(sizes - 1))).astype(np.int64),
    )


def over_variables(variables: Variables, of_actions: Floats) -> Floats:
    """Return numbers of actions, […, A], relative to that of their infoset's first: […, V]."""
    first = variables.first_action
    is_later = np.ones(variables.num_actions, dtype=np.bool_)
    is_later[first[:-1]] = False
    gaps: Floats = of_actions - np.repeat(of_actions[..., first[:-1]], np.diff(first), axis=-1)
    return gaps[..., is_later]


def verify_log_odds(variables: Variables, log_odds: object) -> None:
    """Raise StrategyError unless `log_odds` are one float64 number per variable."""
    count = variables.num_variables
    if not isinstance(log_odds, np.ndarray) or log_odds.shape != (count,):
        given = getattr(log_odds, "shape", type(log_odds).__name__)
        raise StrategyError(
            f"the game has {count} log-odds, got {given}: use log-odds of this game"
        )
    if log_odds.dtype != np.float64:
        raise StrategyError(f"log-odds are {log_odds.dtype}; they must be float64")


def collapse_chance(game: CompiledGame) -> Decisions:
    """Return the decisions of a game that was compiled with its histories."""
    tree = game.require(
        GameTree, "compile it with compile_histories, or use the definition `dilated`"
    )
    game.plan_form()  # refuses imperfect recall
    decides = np.flatnonzero(tree.player >= 0)
    decision_of_node = np.full(len(tree.parent), -1, dtype=np.int64)
    decision_of_node[decides] = np.arange(len(decides))
    first_slot = np.concatenate(([0], np.cumsum(tree.num_children[decides]))).astype(np.int64)
    ends = np.zeros((int(first_slot[-1]), game.num_players))
    root_payoffs = np.zeros(game.num_players)
    n = len(tree.parent)
    parent, parent_action = np.full(n, -1, np.int64), np.full(n, -1, np.int64)
    chance, log_chance = np.ones(n), np.zeros(n)
    stage, depth = np.zeros(n, np.int64), np.zeros(n, np.int64)
    _collapse(
        tree,
        decision_of_node,
        first_slot,
        parent,
        parent_action,
        chance,
        log_chance,
        stage,
        depth,
        ends,
        root_payoffs,
    )
    first_infoset = np.concatenate(([0], np.cumsum([len(table) for table in game.infosets])))
    offset = first_infoset[tree.player[decides]]
    return Decisions(
        infoset=tree.infoset[decides].astype(np.int64) + offset,
        player=tree.player[decides].astype(np.int64),
        parent=parent[decides],
        parent_action=parent_action[decides],
        chance=chance[decides],
        log_chance=log_chance[decides],
        stage=stage[decides],
        depth=depth[decides],
        first_slot=first_slot,
        ends=ends,
        root_payoffs=root_payoffs,
    )


@kernel
def _collapse(
    tree: GameTree,
    decision_of_node: Offsets,
    first_slot: Offsets,
    parent: Offsets,
    parent_action: Offsets,
    chance: Floats,
    log_chance: Floats,
    stage: Offsets,
    depth: Offsets,
    ends: Floats,
    root_payoffs: Floats,
) -> None:
    for node in range(len(tree.parent)):
        before = tree.parent[node]
        if before >= 0:
            log_chance[node] = log_chance[before]
            stage[node] = stage[before]
            if tree.player[before] >= 0:
                parent[node] = decision_of_node[before]
                parent_action[node] = node - tree.first_child[before]
                depth[node] = depth[before] + 1
            else:
                parent[node] = parent[before]
                parent_action[node] = parent_action[before]
                depth[node] = depth[before]
                stage[node] += 1
                chance[node] = chance[before] * tree.probability[node]
                log_chance[node] += np.log(tree.probability[node])
        if tree.player[node] == TERMINAL:
            for player in range(len(root_payoffs)):
                payoff = chance[node] * tree.payoffs[node, player]
                if parent[node] >= 0:
                    ends[first_slot[parent[node]] + parent_action[node], player] += payoff
                else:
                    root_payoffs[player] += payoff
