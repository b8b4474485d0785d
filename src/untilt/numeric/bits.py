"""Bit counts of an integer: one processor instruction each, which Numba does not offer."""

from typing import Any, TypeVar

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic

from untilt.numeric.kernel import instruction

Integer = TypeVar("Integer", int, np.uint64)


@intrinsic
def _popcount(typing_context: Any, number: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.ctpop(arguments[0])

    return number(number), generate


@intrinsic
def _lowest_bit(typing_context: Any, number: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return number(number), generate


def _popcount_in_python(number: Integer) -> Integer:
    return type(number)(int(number).bit_count())


def _lowest_bit_in_python(number: Integer) -> Integer:
    bits = int(number)
    return type(number)((bits & -bits).bit_length() - 1 if bits else 64)


# These work in kernels only.
popcount = instruction(_popcount, _popcount_in_python)
"""popcount(number) → how many of its bits are set, as an integer of the same type."""

lowest_bit = instruction(_lowest_bit, _lowest_bit_in_python)
"""lowest_bit(number) → the position of its lowest set bit, in the same type; for 0, its width."""
