"""The sequence form of Leduc straight from its rules, without walking histories.

Betting and cards are independent: an infoset is a *decision* of the betting tree with a
private card and, on the second street, a public one. Each decision is therefore a dense block of
infosets, [public, private], and every end of the betting is a dense block of sequence pairs,
[public, own card, opponent's card], without the impossible deals. Axes: K public cards, D cards
of the deck, A actions.

Infosets are numbered by decision (depth first), then public card, then private card. The
opponent's sequences that meet a sequence differ only in the private card, so they are adjacent.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import compress, groupby
from typing import NamedTuple

import numpy as np

from untilt.errors import GameTooLarge
from untilt.game.names.names import Names
from untilt.game.names.product_names import NamedDecision, ProductNames
from untilt.game.sequence.sequence_form import SequenceForm, Side
from untilt.games.leduc import LeducPlace, LeducRules
from untilt.numeric.arrays import Bools, Floats, Indices

MAX_PAIRS = 100_000_000
"""The maximum number of sequence pairs; a pair takes 40 bytes."""


def leduc_sequence_form(rules: LeducRules) -> SequenceForm:
    """Return the sequence form that walking all histories under `rules` would give.

    Only the order of the infosets differs. Raises GameTooLarge beyond `MAX_PAIRS`.
    """
    betting = _read_betting(rules.root)
    _verify_size(rules, betting)
    deals = _deal(rules)
    blocks = (_number(betting.decisions[0], deals), _number(betting.decisions[1], deals))
    infosets = (
        _infosets(0, betting.decisions[0], rules, deals),
        _infosets(1, betting.decisions[1], rules, deals),
    )
    sides = (
        _side(infosets[0], betting, blocks, deals),
        _side(infosets[1], betting, blocks, deals),
    )
    return SequenceForm(
        sides=sides,
        infosets=infosets,
        # No two histories share a pair: player 0 sees all public cards before a showdown.
        num_terminals=len(sides[0].weight),
        is_zero_sum=True,
    )


class _Move(NamedTuple):
    decision: int
    action: int


class _Decision(NamedTuple):
    spot: LeducPlace
    street: int
    parent: _Move | None
    """The player's previous move; None at her first decision."""


class _End(NamedTuple):
    spot: LeducPlace
    street: int
    last: tuple[_Move, _Move]
    """Each player's last move."""


@dataclass(frozen=True)
class _Betting:
    """The betting tree as lists, depth first."""

    decisions: tuple[list[_Decision], list[_Decision]] = field(default_factory=lambda: ([], []))
    ends: list[_End] = field(default_factory=list)


def _read_betting(root: LeducPlace) -> _Betting:
    betting = _Betting()

    def visit(spot: LeducPlace, street: int, last: tuple[_Move | None, _Move | None]) -> None:
        while spot.chance:  # every card leads to the same betting
            spot = next(iter(spot.after.values()))
            street += spot.line.endswith("/")
        if spot.terminal:
            assert last[0] is not None
            assert last[1] is not None
            betting.ends.append(_End(spot, street, (last[0], last[1])))
            return
        own = betting.decisions[spot.active]
        number = len(own)
        own.append(_Decision(spot, street, last[spot.active]))
        for action, after in enumerate(spot.after.values()):
            move = _Move(number, action)
            visit(after, street, (last[0], move) if spot.active else (move, last[1]))

    visit(root, 0, (None, None))
    return betting


def _verify_size(rules: LeducRules, betting: _Betting) -> None:
    num_cards = len(rules.rank_of_card)
    num_pairs = sum(num_cards ** (2 + end.street) for end in betting.ends)
    if num_pairs > MAX_PAIRS:
        raise GameTooLarge(
            f"leduc with {rules.ranks} ranks, suits {rules.suits} and {rules.bets} bets has about "
            f"{num_pairs:.1e} pairs of sequences, {40e-9 * num_pairs:,.0f} GB; the limit is "
            f"{MAX_PAIRS:.0e}: use fewer ranks or bets, or a sampling solver (mccfr-external), "
            "which needs no sequence form"
        )


class _Deals(NamedTuple):
    """Chance as either player sees it: the order of dealing does not matter."""

    possible: tuple[Bools, Bools]
    """[1, D] and [K, D] whether a player can see these cards on each street."""
    weight: tuple[Floats, Floats]
    """[1, D, D] and [K, D, D] the probability of the public, own and opponent's card."""
    won: Floats
    """[K, D, D] that probability times 1 if the player wins the showdown, −1 if she loses."""


def _deal(rules: LeducRules) -> _Deals:
    ranks = np.array(list(rules.rank_of_card.values()))
    num_cards, copies = len(ranks), rules.copies
    deck = num_cards * copies
    same = np.eye(num_cards, dtype=np.int64)
    # Ways to deal, counted as integers so that both players get the same rounding.
    private = copies * (copies - same)
    public = np.maximum(copies - same[:, :, None] - same[:, None, :], 0) * private
    weight = public / (deck * (deck - 1) * (deck - 2))
    strength = ranks + rules.ranks * (ranks[:, None] == ranks)
    return _Deals(
        possible=(np.ones((1, num_cards), dtype=np.bool_), same < copies),
        weight=(private[None] / (deck * (deck - 1)), weight),
        won=weight * np.sign(strength[:, :, None] - strength[:, None, :]),
    )


def _number(decisions: list[_Decision], deals: _Deals) -> list[Indices]:
    """Return the first sequence of each decision's infosets, [1 or K, D].

    It is 0 if the cards are impossible.
    """
    blocks = []
    begin = 1
    for decision in decisions:
        num_actions = len(decision.spot.actions)
        possible = deals.possible[decision.street]
        block = np.zeros(possible.shape, dtype=np.uint32)
        end = begin + num_actions * int(np.count_nonzero(possible))
        block[possible] = np.arange(begin, end, num_actions)
        blocks.append(block)
        begin = end
    return blocks


def _infosets(
    player: int, decisions: list[_Decision], rules: LeducRules, deals: _Deals
) -> ProductNames:
    """Return the names of a player's infosets: by decision, public card, private card."""
    cards = tuple(rules.rank_of_card)
    decks: dict[tuple[str, ...], int] = {}
    nodes = []
    for spot, street, _ in decisions:
        publics = cards if street else ("",)
        for public, possible in zip(publics, deals.possible[street], strict=True):
            deck = tuple(compress(cards, possible))
            number = decks.setdefault(deck, len(decks))
            nodes.append(NamedDecision(public, spot.line, spot.actions, number))
    return ProductNames(player, nodes, tuple(decks), has_public=True)


def _side(
    infosets: Names, betting: _Betting, blocks: tuple[list[Indices], list[Indices]], deals: _Deals
) -> Side:
    player = infosets.player
    ends_of_move = defaultdict(list)
    for end in betting.ends:
        ends_of_move[end.last[player]].append(end)
    parents, lengths = [], [np.zeros(1, dtype=np.int64)]
    opponents, weights, payoffs = [], [], []
    for number, decision in enumerate(betting.decisions[player]):
        possible = deals.possible[decision.street]
        num_actions = len(decision.spot.actions)
        parents.append(_parent_sequences(decision, blocks[player], possible))
        # A decision's rows are [1 or K, D, A]; those of one action are built together.
        lengths_of_action = np.zeros((*possible.shape, num_actions), dtype=np.int64)
        parts = []
        for action in range(num_actions):
            ends = ends_of_move[_Move(number, action)]
            for met, group in groupby(ends, key=lambda end: end.last[1 - player].decision):
                part = _pairs(player, decision.street, list(group), blocks[1 - player][met], deals)
                lengths_of_action[:, :, action] += (part.weight > 0.0).sum(axis=2)
                parts.append(part)
        lengths.append(lengths_of_action[possible].ravel())
        if parts:
            weight = np.concatenate([part.weight for part in parts], axis=2)
            is_dealt = weight > 0.0
            weights.append(weight[is_dealt])
            payoffs.append(np.concatenate([part.payoff for part in parts], axis=2)[is_dealt])
            opponents.append(np.concatenate([part.opponent for part in parts], axis=2)[is_dealt])
    length = np.concatenate(lengths)
    row_start = np.zeros(len(length) + 1, dtype=np.uint32)
    row_start[1:] = np.cumsum(length)
    return Side(
        parent_sequence=np.concatenate(parents),
        first_sequence=infosets.first_sequence,
        row_start=row_start,
        opponent_sequence=np.concatenate(opponents),
        weight=np.concatenate(weights),
        payoff=np.concatenate(payoffs),
    )


def _parent_sequences(decision: _Decision, blocks: list[Indices], possible: Bools) -> Indices:
    if decision.parent is None:
        return np.zeros(np.count_nonzero(possible), dtype=np.uint32)
    before = blocks[decision.parent.decision] + np.uint32(decision.parent.action)
    return np.broadcast_to(before, possible.shape)[possible]


class _Pairs(NamedTuple):
    """Pairs of the player's and the opponent's sequences, [1 or K, D, N]; weight 0 if impossible.

    The first axes are the cards of the player's infoset, the last are the opponent's.
    """

    opponent: Indices
    weight: Floats
    payoff: Floats


def _pairs(player: int, street: int, ends: list[_End], met: Indices, deals: _Deals) -> _Pairs:
    """Return the pairs of one move of the player on `street` with one decision of the opponent.

    `ends` follow the opponent's actions there; `met` are its first sequences, [1 or K, D].
    """
    # Axes: public card that the player has seen, her private card, public card dealt after her
    # move, opponent's private card, end.
    street_of_end = ends[0].street
    met = met[:, None, None, :]
    weight = deals.weight[street_of_end][:, :, None, :]
    won = deals.won[:, :, None, :]
    if street_of_end > street:
        met = np.swapaxes(met, 0, 2)
        weight = np.swapaxes(weight, 0, 2)
        won = np.swapaxes(won, 0, 2)
    payoff = np.empty((*np.broadcast_shapes(weight.shape, met.shape), len(ends)))
    for number, end in enumerate(ends):
        payoff[..., number] = _gain(player, end.spot, weight, won)
    probability = np.empty_like(payoff)
    probability[...] = weight[..., None]
    opponent = np.empty(payoff.shape, dtype=np.uint32)
    actions = np.array([end.last[1 - player].action for end in ends], dtype=np.uint32)
    opponent[...] = met[..., None] + actions
    rows = (*payoff.shape[:2], -1)
    return _Pairs(opponent.reshape(rows), probability.reshape(rows), payoff.reshape(rows))


def _gain(player: int, end: LeducPlace, weight: Floats, won: Floats) -> Floats:
    """Return the gain of `player` at an end, times the probability of the cards."""
    if end.winner is None:
        return won * end.paid[0]
    lost = end.paid[1 - end.winner]
    return weight * (lost if end.winner == player else -lost)
