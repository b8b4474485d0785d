"""Random streams: published answers of Philox, and streams that do not touch one another."""

import random
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilt.numeric.streams import Stream, philox, uniform

WORDS = st.integers(0, 2**64 - 1)


def block(seed: int, stream: int, counter: int) -> tuple[int, int]:
    first, second = philox(np.uint64(seed), np.uint64(stream), np.uint64(counter))
    return int(first), int(second)


def number(seed: int, stream: int, counter: int) -> float:
    return uniform(np.uint64(seed), np.uint64(stream), np.uint64(counter))


def joined(low: str, high: str) -> int:
    """Return two 32-bit words, the low one first, as one number."""
    return int(high, 16) << 32 | int(low, 16)


@pytest.mark.parametrize(
    ("counter", "key", "answer"),
    [
        (
            "00000000 00000000 00000000 00000000",
            "00000000 00000000",
            "6627e8d5 e169c58d bc57ac4c 9b00dbd8",
        ),
        (
            "ffffffff ffffffff ffffffff ffffffff",
            "ffffffff ffffffff",
            "408f276d 41c83b0e a20bc7c6 6d5451fd",
        ),
        (
            "243f6a88 85a308d3 13198a2e 03707344",
            "a4093822 299f31d0",
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
    ids=["zeros", "ones", "digits of pi"],
)
def test_philox_gives_the_known_answers_of_random123(counter: str, key: str, answer: str) -> None:
    words, expected = counter.split(), answer.split()
    found = block(joined(*key.split()), joined(*words[2:]), joined(*words[:2]))
    assert found == (joined(*expected[:2]), joined(*expected[2:]))


def plain_philox(counter: list[int], key: list[int]) -> list[int]:
    """Philox-4x32-10 as in figure 2 of Salmon et al. 2011, on Python's integers."""
    for _ in range(10):
        high_0, low_0 = divmod(0xD2511F53 * counter[0], 2**32)
        high_1, low_1 = divmod(0xCD9E8D57 * counter[2], 2**32)
        counter = [high_1 ^ counter[1] ^ key[0], low_1, high_0 ^ counter[3] ^ key[1], low_0]
        key = [(key[0] + 0x9E3779B9) % 2**32, (key[1] + 0xBB67AE85) % 2**32]
    return counter


@given(seed=WORDS, stream=WORDS, counter=WORDS)
@settings(deadline=None)
def test_the_kernel_is_philox_for_every_seed_stream_and_counter(
    seed: int, stream: int, counter: int
) -> None:
    low, high = 2**32 - 1, 32
    words = plain_philox(
        [counter & low, counter >> high, stream & low, stream >> high], [seed & low, seed >> high]
    )
    assert block(seed, stream, counter) == (
        words[0] | words[1] << 32,
        words[2] | words[3] << 32,
    )


@given(seed=WORDS, stream=WORDS, counter=WORDS)
@settings(deadline=None)
def test_numbers_lie_in_the_half_open_unit_interval_on_a_grid(
    seed: int, stream: int, counter: int
) -> None:
    found = number(seed, stream, counter)
    assert 0.0 <= found < 1.0
    assert (found * 2**53).is_integer()


def splitmix(origin: int) -> Iterator[int]:
    """SplitMix64 on Python's integers."""
    while True:
        origin = (origin + 0x9E3779B97F4A7C15) % 2**64
        bits = (origin ^ origin >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % 2**64
        yield bits ^ bits >> 31


def test_the_twin_gives_the_known_answers_of_splitmix() -> None:
    # From the page "Pseudo-random numbers/Splitmix64" of Rosetta Code.
    assert list(islice(splitmix(1234567), 3)) == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_numbers_follow_the_origin_of_their_stream() -> None:
    for seed, stream in ((7, 3), (0, 0), (2**64 - 1, 2**63)):
        root, _ = block(seed, 0, 0)
        # Stream s begins at number s of the sequence from the root.
        origin = next(splitmix((root + stream * 0x9E3779B97F4A7C15) % 2**64))
        expected = [(bits >> 11) / 2**53 for bits in islice(splitmix(origin), 20)]
        assert [number(seed, stream, counter) for counter in range(20)] == expected


def test_numbers_have_the_mean_variance_and_spread_of_uniform_ones() -> None:
    stream = Stream(seed=2024)
    count = 100_000
    numbers = np.array([stream.random() for _ in range(count)])
    # Five standard errors: of the mean √(1/12n), of the variance √(1/180n), of a bin √(p/n).
    assert abs(numbers.mean() - 1 / 2) < 5 * (1 / (12 * count)) ** 0.5
    assert abs(numbers.var() - 1 / 12) < 5 * (1 / (180 * count)) ** 0.5
    shares = np.histogram(numbers, bins=20, range=(0.0, 1.0))[0] / count
    assert np.abs(shares - 0.05).max() < 5 * (0.05 / count) ** 0.5
    lagged = np.corrcoef(numbers[:-1], numbers[1:])[0, 1]
    assert abs(lagged) < 5 / count**0.5


def test_a_stream_counts_what_it_gives() -> None:
    stream = Stream(seed=1, stream=2)
    numbers = [stream.random() for _ in range(10)]
    assert stream.counter == 10
    assert numbers == [number(1, 2, counter) for counter in range(10)]
    assert len(set(numbers)) == 10


def test_a_stream_continues_from_its_counter() -> None:
    whole = Stream(seed=1)
    numbers = [whole.random() for _ in range(20)]
    later = Stream(seed=1, counter=13)
    assert [later.random() for _ in range(7)] == numbers[13:]
    later.counter = 4
    assert later.random() == numbers[4]


def test_what_others_draw_does_not_matter() -> None:
    alone = [[stream.random() for _ in range(50)] for stream in (Stream(9, 0), Stream(9, 1))]
    together = (Stream(9, 0), Stream(9, 1))
    mixed: list[list[float]] = [[], []]
    rng = random.Random(0)
    while len(mixed[0]) < 50 or len(mixed[1]) < 50:
        chosen = rng.randint(0, 1)
        mixed[chosen].append(together[chosen].random())
    assert [numbers[:50] for numbers in mixed] == alone


def test_seeds_and_streams_give_different_uncorrelated_numbers() -> None:
    sources = [Stream(seed, stream) for seed in (0, 1) for stream in (0, 1)]
    rows = np.array([[source.random() for _ in range(10_000)] for source in sources])
    assert np.abs(np.corrcoef(rows) - np.eye(4)).max() < 5 / 100


def test_negative_and_huge_seeds_are_taken_modulo_two_to_the_64th() -> None:
    assert Stream(-1).random() == Stream(2**64 - 1).random()
    assert Stream(2**64 + 5, 2**64 + 6).random() == Stream(5, 6).random()
