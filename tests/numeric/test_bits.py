"""Counting bits in kernels."""

from typing import Any

import numpy as np
import pytest

from untilt.numeric.bits import lowest_bit, popcount
from untilt.numeric.kernel import kernel


@kernel
def bits_of(number: Any) -> tuple[int, int]:
    return int(popcount(number)), int(lowest_bit(number))


@pytest.mark.parametrize("number", [1, 2, 12, 255, 1 << 62, (1 << 63) - 1])
def test_bits_are_counted_in_numbers_of_both_kinds(number: int) -> None:
    expected = (number.bit_count(), f"{number:b}"[::-1].index("1"))
    assert bits_of(np.uint64(number)) == expected
    assert bits_of(number) == expected


def test_the_highest_bit_is_one_too() -> None:
    assert bits_of(np.uint64(1 << 63)) == (1, 63)
    assert bits_of(-1) == (64, 0)


def test_nothing_has_no_bits() -> None:
    assert bits_of(np.uint64(0)) == (0, 64)
