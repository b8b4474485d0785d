"""The sequence form of push/fold, built directly from the table of deals."""

import numpy as np

from untilt.cards.combos import CLASS_NAMES, NUM_CLASSES, NUM_COMBOS, NUM_COMBOS_OF_CLASS
from untilt.game.names.product_names import NamedDecision, ProductNames
from untilt.game.sequence.sequence_form import SequenceForm, Terminals, build_sequence_form
from untilt.games.pushfold.game import PushFoldInfoset, Stakes, deals


def build_form(stakes: Stakes) -> SequenceForm:
    """Return the sequence form, with the labels that walking the game would give."""
    table = deals()
    infosets = (_infosets(0), _infosets(1))
    none = np.zeros(NUM_CLASSES, dtype=np.uint32)
    passive = 1 + 2 * np.arange(NUM_CLASSES, dtype=np.uint32)
    own = np.repeat(passive + 1, NUM_CLASSES)
    answers = (np.tile(passive, NUM_CLASSES), np.tile(passive + 1, NUM_CLASSES))
    probability = table.probability.ravel()
    payoff = np.concatenate(
        (
            np.full(NUM_CLASSES, stakes.folded),
            np.full(len(own), stakes.uncalled),
            stakes.called(table.win, table.tie).ravel(),
        )
    )
    terminals = Terminals(
        sequences=(
            np.concatenate((passive, own, own)),
            np.concatenate((none, *answers)),
        ),
        weight=np.concatenate((NUM_COMBOS_OF_CLASS / NUM_COMBOS, probability, probability)),
        payoffs=(payoff, -payoff),
    )
    # Folds of the small blind are summed over the hands that the big blind may hold.
    return build_sequence_form(infosets, (none, none), terminals, num_terminals=3 * NUM_CLASSES**2)


def _infosets(player: int) -> ProductNames:
    any_hand = PushFoldInfoset(player, CLASS_NAMES[0])
    node = NamedDecision(any_hand.public, any_hand.line, tuple(any_hand.actions()))
    return ProductNames(player, (node,), (CLASS_NAMES,), has_public=False)
