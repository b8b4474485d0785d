"""Names that are listed, and names that are made on demand."""

import tracemalloc

import numpy as np
import pytest

from untilt.errors import GameError, UnknownName
from untilt.game.names.infosets import Infosets
from untilt.game.names.names import PARTS, Names, check_labels
from untilt.game.names.product_names import NamedDecision, ProductNames, as_product

CARDS = ("J", "Q", "K")
NODES = (
    NamedDecision("", "", ("check", "bet")),
    NamedDecision("", "cb", ("fold", "call", "raise")),
    NamedDecision("J", "cc/", ("check", "bet"), deck=1),
    NamedDecision("Q", "cc/", ("check", "bet"), deck=2),
)
DECKS = (CARDS, ("Q", "K"), ("J", "K"))


def product(player: int = 0) -> ProductNames:
    return ProductNames(player, NODES, DECKS, has_public=True)


def listed(names: Names) -> Infosets:
    actions = tuple(actions for _, actions in names.items())
    columns = (tuple(names.column(part)) for part in PARTS)
    return Infosets(names.player, tuple(names), actions, *columns)


def test_products_are_named_by_node_and_hand() -> None:
    names = product()
    assert list(names) == [
        *("P0:J::", "P0:Q::", "P0:K::"),
        *("P0:J::cb", "P0:Q::cb", "P0:K::cb"),
        *("P0:Q:J:cc/", "P0:K:J:cc/"),
        *("P0:J:Q:cc/", "P0:K:Q:cc/"),
    ]
    assert names.parts(7) == ("K", "J", "cc/")
    assert names.actions(4) == ("fold", "call", "raise")
    assert repr(names) == "<ProductNames of player 0: 10, first 'P0:J::'>"


def test_labels_without_public_cards_have_one_colon_less() -> None:
    names = ProductNames(
        1, (NamedDecision("", "a", ("fold", "call")),), (("AA", "72o"),), has_public=False
    )
    assert list(names) == ["P1:AA:a", "P1:72o:a"]
    assert names.index("P1:72o:a") == 1
    assert "P1:72o::a" not in names


def test_products_answer_as_the_same_names_listed() -> None:
    names, same = product(), listed(product())
    assert len(names) == len(same) == 10
    assert names.matches(same)
    assert same.matches(names)
    assert same == names
    assert names.num_sequences == same.num_sequences
    assert names.first_sequence.dtype == same.first_sequence.dtype
    np.testing.assert_array_equal(names.first_sequence, same.first_sequence)
    for index, label in enumerate(same):
        assert names.label(index) == label == same.label(index)
        assert names.index(label) == same.index(label) == index
        assert names.parts(index) == same.parts(index)
        assert names.actions(index) == same.actions(index)
        assert names.block(index) == same.block(index)
    for part in PARTS:
        ours, theirs = names.column(part), same.column(part)
        assert ours.texts == theirs.texts
        assert ours.codes.tolist() == theirs.codes.tolist()


@pytest.mark.parametrize(
    "label",
    ["P1:J::", "P0:A::", "P0:J:J:cc/", "P0:J:K:cc/", "P0:J:", "P0:J", "P0:J:::", "", 7, None],
)
def test_other_labels_are_not_among_the_products(label: object) -> None:
    assert label not in product()
    assert label not in listed(product())


def test_an_unknown_label_suggests_the_nearest() -> None:
    for names in (product(), listed(product())):
        with pytest.raises(UnknownName, match="unknown infoset 'P0:K:cb': did you mean 'P0:K::cb'"):
            names.index("P0:K:cb")
        with pytest.raises(IndexError):
            names.label(10)


def test_names_with_other_actions_do_not_match() -> None:
    renamed = (NODES[0]._replace(actions=("check", "shove")), *NODES[1:])
    assert not product().matches(ProductNames(0, renamed, DECKS, has_public=True))
    assert not product().matches(ProductNames(0, NODES[:3], DECKS, has_public=True))


@pytest.mark.parametrize(
    ("nodes", "decks", "said"),
    [
        ((NODES[0], NODES[0]), DECKS, "two different infosets have the label 'P0:…::'"),
        (NODES, (("J", "J"), *DECKS[1:]), "two different infosets have the label 'P0:J:…'"),
        (NODES, (("J:x",), *DECKS[1:]), "the hand 'J:x' contains a colon"),
        (
            (NamedDecision("", "", ("bet", "bet")),),
            DECKS,
            "two actions with the same name: bet, bet",
        ),
    ],
)
def test_products_that_cannot_be_told_apart_are_refused(
    nodes: tuple[NamedDecision, ...], decks: tuple[tuple[str, ...], ...], said: str
) -> None:
    with pytest.raises(GameError, match=said):
        check_labels((ProductNames(0, nodes, decks, has_public=True), product(1)))


def test_both_players_labels_must_differ() -> None:
    check_labels((product(0), product(1)))
    check_labels((product(0), listed(product(1))))
    for other in (product(0), listed(product(0))):
        with pytest.raises(GameError, match="two different infosets have the label 'P0:J::'"):
            check_labels((product(0), other))


def test_products_take_memory_by_nodes_and_hands_not_by_infosets() -> None:
    hands = tuple(f"{number:04}" for number in range(1_000))
    tracemalloc.start()
    nodes = [NamedDecision("", "c" * number, ("fold", "call")) for number in range(1_000)]
    names = ProductNames(0, nodes, (hands,), has_public=True)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert len(names) == 1_000_000
    assert names.index(names.label(654_321)) == 654_321
    assert taken < 1_000_000


def test_listed_names_that_are_a_product_are_made_on_demand_again() -> None:
    wide = tuple(f"{number}" for number in range(9))
    nodes = (NODES[0], NODES[1], NamedDecision("3", "cc/", ("check", "bet"), deck=1))
    decks = (wide, tuple(card for card in wide if card != "3"))
    for has_public in (True, False):
        names = ProductNames(1, nodes, decks, has_public=has_public)
        found = as_product(listed(names))
        assert isinstance(found, ProductNames)
        assert found == names
        assert [found.index(label) for label in names] == list(range(len(names)))


def test_other_listed_names_stay_as_they_are() -> None:
    hands = ("9", "T", "J", "Q", "K", "A")
    sound = listed(ProductNames(0, NODES[:2], (hands,), has_public=True))
    parts = [tuple(sound.column(part)) for part in PARTS]
    actions = tuple(actions for _, actions in sound.items())
    apart = sound.labels[:1] + sound.labels[6:] + sound.labels[1:6]  # a node comes twice
    colons = tuple(hand.replace("J", "J:J") for hand in parts[0])
    for names in (
        Infosets(0, (), (), (), (), ()),
        listed(ProductNames(0, NODES, DECKS, has_public=True)),  # too few hands for a product
        Infosets(0, ("other", *sound.labels[1:]), actions, *parts),
        Infosets(1, sound.labels, actions, *parts),
        Infosets(
            0, tuple(f"P0:{hand}::" for hand in colons), actions, colons, parts[1], ("",) * 12
        ),
        Infosets(
            0,
            apart,
            tuple(sound.actions(sound.index(label)) for label in apart),
            *(tuple(sound.parts(sound.index(label))[part] for label in apart) for part in range(3)),
        ),
    ):
        assert as_product(names) is names
