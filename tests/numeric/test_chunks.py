"""Chunks of work come back in order, whoever did them."""

import pytest

from untilt.errors import InvalidOption
from untilt.numeric.chunks import check_threads, in_chunks


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_results_of_chunks_come_in_order(threads: int) -> None:
    shares: list[float] = []
    assert in_chunks(lambda chunk: chunk * chunk, 9, threads, shares.append) == [
        number * number for number in range(9)
    ]
    assert shares == [number / 9 for number in range(1, 10)]


def test_no_threads_are_refused() -> None:
    with pytest.raises(InvalidOption, match="threads is 0"):
        check_threads(0)
