"""Words for decisions, against the sentences that a player would say."""

import pytest

from untilt.game.wording import decision_words


@pytest.mark.parametrize(
    ("label", "public", "line", "words"),
    [
        ("P0:J:", "", "", "opening action"),
        ("P1:Q:b", "", "b", "facing a bet"),
        ("P1:Q:c", "", "c", "after a check"),
        ("P0:K:cb", "", "cb", "facing a bet after checking"),
        ("P0:Q::br", "", "br", "facing a raise"),
        ("P0:Q::cbr", "", "cbr", "facing a raise"),
        ("P1:AKs:a", "", "a", "facing an all-in"),
        ("P0:J:K:cc/", "K", "cc/", "first to act after K on the board"),
        ("P1:J:K:cc/br", "K", "cc/br", "facing a raise after K on the board"),
        ("P1:J:K:cc/c", "K", "cc/c", "after a check, K on the board"),
        ("P0:J:K:cc/cb", "K", "cc/cb", "facing a bet after checking, K on the board"),
        ("P1:AsKs:b120", "", "b120", "facing a bet of 120"),
        (
            "P0:AsKs:Td9d6h:cc/cb60",
            "Td9d6h",
            "cc/cb60",
            "facing a bet of 60 after checking, Td9d6h on the board",
        ),
        ("P0:AsKs::r2.5r7.5", "", "r2.5r7.5", "facing a raise of 7.5"),
        ("P0:J:K:bc/", "K", "bc/", "first to act after K on the board"),
        ("2 dice, bid 3x5", "", "", "2 dice, bid 3x5"),
        ("seen", "", "3x5 4x5", "3x5 4x5"),
        ("seen", "7h", "3x5", "3x5, 7h on the board"),
    ],
)
def test_a_decision_in_words(label: str, public: str, line: str, words: str) -> None:
    assert decision_words(label, public, line) == words
