"""What infosets tell of themselves."""

from typing import NamedTuple

import pytest

from untilt.formats.exchange.efg import write_efg
from untilt.game.compiled import compile_histories
from untilt.game.names.labels import Knowledge, knowledge_of, knowledge_of_all, split_label
from untilt.games.efg import parse_efg
from untilt.games.kuhn import Kuhn, KuhnInfoset


class Bare(NamedTuple):
    label: str

    def actions(self) -> tuple[str, ...]:
        return ("a", "b")

    def __str__(self) -> str:
        return self.label


@pytest.mark.parametrize(
    ("label", "player", "known"),
    [
        ("P0:J:", 0, ("J", "", "")),
        ("P1:Q:cb", 1, ("Q", "", "cb")),
        ("P1:Q:K:cbc/c", 1, ("Q", "K", "cbc/c")),
        ("P0:AKs:", 0, ("AKs", "", "")),
        ("P2:Q:b", None, ("", "", "")),
        ("4 dice, bid 3x5", None, ("", "", "")),
        ("P0:a:b:c:d", None, ("", "", "")),
    ],
)
def test_a_label_is_split(label: str, player: int | None, known: tuple[str, str, str]) -> None:
    assert split_label(label) == (player, Knowledge(*known))


def test_attributes_go_before_labels() -> None:
    assert knowledge_of(KuhnInfoset(1, "Q", "b")) == ("Q", "", "b")
    assert knowledge_of_all([KuhnInfoset(1, "Q", "b"), Bare("P1:K:c")]) == [
        ("Q", "", "b"),
        ("", "", ""),
    ]


def test_labels_are_read_only_if_all_are_of_our_form() -> None:
    assert knowledge_of_all([Bare("P1:Q:b"), Bare("P1:K:c")]) == [("Q", "", "b"), ("K", "", "c")]
    for other in ("P1:rain:out", "P1:rain", "whatever"):
        assert set(knowledge_of_all([Bare("P1:Q:b"), Bare(other)])) == {("", "", "")}


def test_a_game_from_a_file_tells_its_cards() -> None:
    own = compile_histories(Kuhn())
    read = compile_histories(parse_efg(write_efg(own, "Kuhn", position=Kuhn())))
    for ours, theirs in zip(own.infosets, read.infosets, strict=True):
        assert len(ours) == len(theirs)
        assert all(ours.parts(index) == theirs.parts(index) for index in range(len(ours)))
