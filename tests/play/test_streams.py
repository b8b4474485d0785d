"""Random numbers of a hand, against a plain Philox written from its paper."""

from collections.abc import Iterator
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilt.errors import InvalidOption
from untilt.policy.hands.streams import MAX_HAND, MAX_SEED, hand_stream, verify_numbers

MASK = 2**64 - 1


def philox(key: tuple[int, int]) -> Iterator[float]:
    """Yield uniforms of Philox-4x64-10 (Salmon et al. 2011), counters 1, 2, …, 53 bits each."""
    counter = 0
    while True:
        counter += 1
        block, (k0, k1) = [counter, 0, 0, 0], key
        for _ in range(10):
            high_0, low_0 = divmod(block[0] * 0xD2E7470EE14C6C93, 2**64)
            high_1, low_1 = divmod(block[2] * 0xCA5A826395121157, 2**64)
            block = [high_1 ^ block[1] ^ k0, low_1, high_0 ^ block[3] ^ k1, low_0]
            k0, k1 = (k0 + 0x9E3779B97F4A7C15) & MASK, (k1 + 0xBB67AE8584CAA73B) & MASK
        yield from ((word >> 11) * 2.0**-53 for word in block)


@given(st.integers(0, MAX_SEED), st.integers(0, MAX_HAND), st.integers(0, 3))
def test_a_stream_is_philox_keyed_by_seed_hand_and_role(seed: int, hand: int, role: int) -> None:
    stream = hand_stream(seed, hand, role)
    assert [stream.random() for _ in range(9)] == list(islice(philox((seed, 4 * hand + role)), 9))


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "1", True, None])
def test_a_seed_is_a_whole_number_of_64_bits(seed: object) -> None:
    with pytest.raises(InvalidOption, match="the seed is"):
        verify_numbers(seed)


@pytest.mark.parametrize("hand", [-1, 2**61, 1.0, False])
def test_hands_count_from_zero(hand: object) -> None:
    with pytest.raises(InvalidOption, match="the hand is"):
        verify_numbers(0, hand)
