"""Exponentials and logarithms of vectors inside kernels, see `vectors`.

LLVM would call the functions of the C library lane by lane. These are the usual reductions to a
short interval with a polynomial, written in vector operators, for lanes of 32 and of 64 bits. They
are accurate to about 2 units in the last place. Only how a float is put together from its parts
needs instructions of its own.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from untilt.numeric.kernel import fused, instruction
from untilt.numeric.vectors import fma, nearest, splat_like, where

_FRACTION_BITS = {32: 23, 64: 52}
_BIAS = {32: 127, 64: 1023}


def _integers(vector: Any) -> Any:
    return ir.VectorType(ir.IntType(vector.bits), vector.width)


def _all(vector: Any, number: int) -> Any:
    return ir.Constant(_integers(vector), [number] * vector.width)


@intrinsic
def _power_of_two(typing_context: Any, vector: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context
        found = signature.return_type
        whole = builder.fptosi(arguments[0], _integers(found))
        biased = builder.add(whole, _all(found, _BIAS[found.bits]))
        bits = builder.shl(biased, _all(found, _FRACTION_BITS[found.bits]))
        return builder.bitcast(bits, ir.VectorType(found.lane, found.width))

    return vector(vector), generate


@intrinsic
def _exponent(typing_context: Any, vector: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context
        found = signature.return_type
        bits = builder.bitcast(arguments[0], _integers(found))
        biased = builder.lshr(bits, _all(found, _FRACTION_BITS[found.bits]))
        whole = builder.sub(biased, _all(found, _BIAS[found.bits]))
        return builder.sitofp(whole, ir.VectorType(found.lane, found.width))

    return vector(vector), generate


@intrinsic
def _is_double(typing_context: Any, vector: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, builder, arguments
        return ir.Constant(ir.IntType(1), int(signature.args[0].bits == 64))

    return types.boolean(vector), generate


def _power_in_python(vector: Any) -> Any:
    return np.exp2(vector).astype(vector.dtype)


def _exponent_in_python(vector: Any) -> Any:
    return (np.frexp(vector)[1] - 1).astype(vector.dtype)


def _is_double_in_python(vector: Any) -> bool:
    return bool(vector.dtype == np.float64)


power_of_two: Callable[[float], float] = instruction(_power_of_two, _power_in_python)
"""power_of_two(x) → 2 to whole numbers that are exponents of normal floats."""

exponent: Callable[[float], float] = instruction(_exponent, _exponent_in_python)
"""exponent(x) → the whole part of the binary logarithm of numbers above 0 that are not denormal."""

is_double: Callable[[float], bool] = instruction(_is_double, _is_double_in_python)
"""is_double(x) → whether lanes have 64 bits; known when the kernel is compiled."""

_LEAST, _LEAST_DOUBLE = -87.0, -708.0
"""The exponential of less is 0: it would be denormal."""
_INVERSE_LN_2 = 1.4426950408889634
_LN_2_HIGH, _LN_2_LOW = 0.693359375, -2.121944400546905827679e-4
"""The first has few bits, so that its multiples are exact."""


@fused
def exponential(x: float) -> float:
    """Return e to the power of each lane, which is at most 88; 0 where that would be denormal."""
    least = _LEAST_DOUBLE if is_double(x) else _LEAST
    bounded = where(x > least, x, least)
    count = nearest(bounded * _INVERSE_LN_2)
    rest = fma(count, -_LN_2_HIGH, bounded)
    rest = fma(count, -_LN_2_LOW, rest)
    # The Taylor series, as far as its terms count where |rest| ≤ ln 2 / 2.
    series = splat_like(1.0 / 5040.0, rest)
    if is_double(x):
        series = fma(rest, 1.0 / 6227020800.0, 1.0 / 479001600.0)
        series = fma(series, rest, 1.0 / 39916800.0)
        series = fma(series, rest, 1.0 / 3628800.0)
        series = fma(series, rest, 1.0 / 362880.0)
        series = fma(series, rest, 1.0 / 40320.0)
        series = fma(series, rest, 1.0 / 5040.0)
    series = fma(series, rest, 1.0 / 720.0)
    series = fma(series, rest, 1.0 / 120.0)
    series = fma(series, rest, 1.0 / 24.0)
    series = fma(series, rest, 1.0 / 6.0)
    series = fma(series, rest, 0.5)
    series = fma(series, rest, 1.0)
    series = fma(series, rest, 1.0)
    return where(x > least, series * power_of_two(count), 0.0)


_SQRT_2 = 1.4142135623730951


@fused
def logarithm(x: float) -> float:
    """Return the natural logarithm of each lane, which is above 0 and not denormal."""
    count = exponent(x)
    mantissa = x * power_of_two(count * -1.0)
    is_large = mantissa > _SQRT_2
    mantissa = where(is_large, mantissa * 0.5, mantissa)
    count = where(is_large, count + 1.0, count)
    # ln m = 2 artanh s with s = (m − 1) / (m + 1), at most 0.1716.
    shift = mantissa - 1.0
    ratio = shift / (mantissa + 1.0)
    square = ratio * ratio
    series = splat_like(2.0 / 9.0, square)
    if is_double(x):
        series = fma(square, 2.0 / 21.0, 2.0 / 19.0)
        series = fma(series, square, 2.0 / 17.0)
        series = fma(series, square, 2.0 / 15.0)
        series = fma(series, square, 2.0 / 13.0)
        series = fma(series, square, 2.0 / 11.0)
        series = fma(series, square, 2.0 / 9.0)
    series = fma(series, square, 2.0 / 7.0)
    series = fma(series, square, 2.0 / 5.0)
    series = fma(series, square, 2.0 / 3.0)
    # 2 s = shift − s · shift, which loses nothing where the logarithm is small.
    tail = fma(ratio, series * square - shift, shift)
    return fma(count, _LN_2_HIGH, fma(count, _LN_2_LOW, tail))
