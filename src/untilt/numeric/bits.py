"""Counting bits of an integer: one processor instruction each, for which Numba has no name."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic

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


# To the type checker they are functions; they work in kernels only.
popcount = cast(Callable[[Integer], Integer], _popcount)
"""popcount(number) → how many of its bits are set, as an integer of the same type."""

lowest_bit = cast(Callable[[Integer], Integer], _lowest_bit)
"""lowest_bit(number) → the place of its lowest bit set, in the same type; of 0 its width."""
