"""Our engine against PokerKit's, an independent program."""

import pytest

from .pokerkit_hands import play_both

NUM_HANDS = 1_200


def test_random_hands_agree_with_pokerkit_in_choices_chips_and_results() -> None:
    num_moves = sum(play_both(seed) for seed in range(NUM_HANDS))
    assert num_moves > 3 * NUM_HANDS


@pytest.mark.long
def test_ten_thousand_hands_agree_with_pokerkit() -> None:
    for seed in range(NUM_HANDS, NUM_HANDS + 10_000):
        play_both(seed)
