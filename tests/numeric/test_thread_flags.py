"""Calls of the system inside kernels."""

import time

from untilt.numeric.kernel import kernel
from untilt.numeric.thread_flags import nanoseconds


@kernel
def now() -> int:
    return nanoseconds()


def test_a_kernel_reads_the_same_clock_as_python() -> None:
    for _ in range(3):
        before, found, after = time.monotonic_ns(), now(), time.monotonic_ns()
        assert before <= found <= after
        time.sleep(0.001)
