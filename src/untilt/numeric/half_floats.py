"""Numbers of 16 bits in two formats, distinguished by the type of their arrays.

    uint16   bfloat16, the upper half of a float32: all of its range, 8 bits of precision
    int16    float16 (IEEE 754): 11 bits of precision, from 2⁻²⁴ to 65,504

A sum of many small numbers would stop growing if it were rounded to nearest: they would all be
lost. So a sum is rounded up or down at random, without bias. The random bits are derived from a
*key*, which the caller never uses twice. Nothing checks whether a float16 becomes too large: the
caller keeps numbers below LARGEST.

`number_at` and `add_number` also work on float32, which is not rounded, so one kernel serves all
formats.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from untilt.numeric.kernel import instruction

Halves = npt.NDArray[np.uint16] | npt.NDArray[np.int16]

BFLOAT16: np.dtype[Any] = np.dtype(np.uint16)
FLOAT16: np.dtype[Any] = np.dtype(np.int16)
LARGEST = 65_504.0
"""The largest float16."""

_FLOAT, _WORD, _HALF, _LONG = ir.FloatType(), ir.IntType(32), ir.IntType(16), ir.IntType(64)
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
_LAST_SHIFT = 31
_LANE_STEP, _LANE_FACTOR = 0x9E3779B9, 0x7FEB352D
_MASK_64, _MASK_32 = (1 << 64) - 1, (1 << 32) - 1
_SIGN, _MAGNITUDE = 1 << 31, (1 << 31) - 1
_CUT = 13
"""Bits of a float32's fraction that a float16 lacks."""
_REBIASED = 2.0**112
"""Dividing a float32 by this gives it the fraction and exponent bits of a float16."""


def widened(numbers: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return an array as float32; the array itself if it already is."""
    if numbers.dtype == FLOAT16:
        return np.ascontiguousarray(numbers).view(np.float16).astype(np.float32)
    if numbers.dtype == BFLOAT16:
        return (numbers.astype(np.uint32) << np.uint32(16)).view(np.float32)
    return numbers


def narrowed(numbers: npt.NDArray[np.float32], dtype: np.dtype[Any] = BFLOAT16) -> Halves:
    """Return the nearest numbers of 16 bits; ties go to the even one."""
    if dtype == FLOAT16:
        return numbers.astype(np.float16).view(np.int16)
    bits = numbers.astype(np.float32).view(np.uint32)
    odd = (bits >> np.uint32(16)) & np.uint32(1)
    return ((bits + np.uint32(0x7FFF) + odd) >> np.uint32(16)).astype(np.uint16)


def is_narrow(kind: Any) -> bool:
    """Whether the compiler's type of an array is one of 16-bit numbers."""
    return kind.dtype in (types.uint16, types.int16)


def is_kept_sparse(kind: Any) -> bool:
    """Whether the compiler's type is that of `untilt.numeric.sparse.Sparse`."""
    return isinstance(kind, types.BaseNamedTuple)


def emit_sparse(context: Any, builder: Any, kind: Any, numbers: Any, position: Any) -> Any:
    """Emit a number that is kept in the sparse form."""
    from untilt.numeric.sparse import read

    signature = types.float32(kind, types.intp)
    return context.compile_internal(builder, read, signature, (numbers, position))


def emit_widened(builder: Any, kind: Any, halves: Any) -> Any:
    """Emit the float32 of a 16-bit number from an array of `kind`, or of a vector of them."""
    count = getattr(halves.type, "count", None)
    word, number = _of(_WORD, count), _of(_FLOAT, count)
    bits = builder.shl(builder.zext(halves, word), _constant(word, 16))
    if kind.dtype == types.uint16:
        return builder.bitcast(bits, number)
    sign = builder.and_(bits, _constant(word, _SIGN))
    magnitude = builder.lshr(builder.and_(bits, _constant(word, _MAGNITUDE)), _constant(word, 3))
    scaled = builder.fmul(builder.bitcast(magnitude, number), _constant(number, _REBIASED))
    return builder.bitcast(builder.or_(builder.bitcast(scaled, word), sign), number)


def emit_narrowed(builder: Any, kind: Any, numbers: Any, random: Any) -> Any:
    """Emit the 16 bits of a float32, or of a vector, for an array of `kind`.

    `random` holds a word below 2¹⁶ for each number. Magnitudes grow by less than one unit in the
    last place before the lower bits are dropped.
    """
    count = getattr(numbers.type, "count", None)
    word, number, half = _of(_WORD, count), _of(_FLOAT, count), _of(_HALF, count)
    bits = builder.bitcast(numbers, word)
    if kind.dtype == types.uint16:
        bits = builder.add(bits, random)
        return builder.trunc(builder.lshr(bits, _constant(word, 16)), half)
    sign = builder.lshr(builder.and_(bits, _constant(word, _SIGN)), _constant(word, 16))
    magnitude = builder.bitcast(builder.and_(bits, _constant(word, _MAGNITUDE)), number)
    magnitude = builder.fmul(magnitude, _constant(number, 1.0 / _REBIASED))
    random = builder.lshr(random, _constant(word, 16 - _CUT))
    bits = builder.add(builder.bitcast(magnitude, word), random)
    bits = builder.or_(builder.lshr(bits, _constant(word, _CUT)), sign)
    return builder.trunc(bits, half)


def emit_mixed(builder: Any, key: Any) -> Any:
    """Emit 64 random bits of a key, as SplitMix64 mixes them."""
    for shift, factor in _MIX:
        key = builder.xor(key, builder.lshr(key, ir.Constant(_LONG, shift)))
        key = builder.mul(key, ir.Constant(_LONG, factor))
    return builder.xor(key, builder.lshr(key, ir.Constant(_LONG, _LAST_SHIFT)))


def emit_four(builder: Any, random: Any, lane: int) -> Any:
    """Emit four words below 2¹⁶ for each lane from the same 64 random bits."""
    vector = ir.VectorType(_WORD, 4)
    low = _spread(builder, builder.trunc(random, _WORD))
    high = builder.lshr(random, ir.Constant(_LONG, 32))
    high = _spread(builder, builder.trunc(high, _WORD))
    steps = [(4 * lane + number + 1) * _LANE_STEP & _MASK_32 for number in range(4)]
    bits = builder.add(low, ir.Constant(vector, steps))
    bits = builder.xor(bits, builder.lshr(bits, _constant(vector, 16)))
    bits = builder.mul(bits, _constant(vector, _LANE_FACTOR))
    return builder.lshr(builder.xor(bits, high), _constant(vector, 16))


def mixed(key: int) -> int:
    """Return 64 random bits of a key."""
    key &= _MASK_64
    for shift, factor in _MIX:
        key = (key ^ key >> shift) * factor & _MASK_64
    return key ^ key >> _LAST_SHIFT


def four_words(random: int, lane: int) -> npt.NDArray[np.uint32]:
    """Return four words below 2¹⁶ for each lane from the same 64 random bits."""
    found = []
    for number in range(4):
        bits = (random + (4 * lane + number + 1) * _LANE_STEP) & _MASK_32
        bits = (bits ^ bits >> 16) * _LANE_FACTOR & _MASK_32
        found.append((bits ^ random >> 32) >> 16)
    return np.array(found, dtype=np.uint32)


def rounded(numbers: Any, random: Any, dtype: np.dtype[Any] = BFLOAT16) -> Any:
    """Return the 16 bits of float32, rounded by words below 2¹⁶."""
    bits = np.asarray(numbers, dtype=np.float32).view(np.uint32)
    if dtype == BFLOAT16:
        return ((bits + random) >> np.uint32(16)).astype(np.uint16)
    magnitude = (bits & np.uint32(_MAGNITUDE)).view(np.float32) * np.float32(1.0 / _REBIASED)
    found = magnitude.view(np.uint32) + (random >> np.uint32(16 - _CUT)) >> np.uint32(_CUT)
    sign = (bits & np.uint32(_SIGN)) >> np.uint32(16)
    return (found | sign).astype(np.uint16).view(np.int16)


def _of(kind: Any, count: int | None) -> Any:
    return kind if count is None else ir.VectorType(kind, count)


def _constant(kind: Any, number: float) -> Any:
    return ir.Constant(kind, [number] * kind.count if hasattr(kind, "count") else number)


def _spread(builder: Any, word: Any) -> Any:
    vector = ir.VectorType(_WORD, 4)
    first = builder.insert_element(ir.Constant(vector, ir.Undefined), word, ir.Constant(_WORD, 0))
    return builder.shuffle_vector(first, first, _constant(vector, 0))


def _place(context: Any, builder: Any, kind: Any, array: Any, position: Any) -> Any:
    struct = context.make_array(kind)(context, builder, array)
    return builder.gep(struct.data, [position])


@intrinsic
def _number_at(typing_context: Any, array: Any, position: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        if is_kept_sparse(kind):
            return emit_sparse(context, builder, kind, *arguments)
        value = builder.load(_place(context, builder, kind, *arguments))
        return emit_widened(builder, kind, value) if is_narrow(kind) else value

    return types.float32(array, types.intp), generate


@intrinsic
def _add_number(typing_context: Any, array: Any, position: Any, number: Any, key: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kind = signature.args[0]
        array, position, number, key = arguments
        if is_kept_sparse(kind):  # never changed in place
            return context.get_dummy_value()
        pointer = _place(context, builder, kind, array, position)
        before = builder.load(pointer)
        if is_narrow(kind):
            random = builder.lshr(emit_mixed(builder, key), ir.Constant(_LONG, 48))
            total = builder.fadd(emit_widened(builder, kind, before), number)
            after = emit_narrowed(builder, kind, total, builder.trunc(random, _WORD))
        else:
            after = builder.fadd(before, number)
        builder.store(after, pointer)
        return context.get_dummy_value()

    return types.void(array, types.intp, types.float32, types.uint64), generate


@intrinsic
def _wide(typing_context: Any, bits: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        del context, signature
        word = builder.trunc(arguments[0], _WORD)
        return builder.bitcast(builder.shl(word, _constant(_WORD, 16)), _FLOAT)

    return types.float32(types.int64), generate


def _wide_in_python(bits: Any) -> Any:
    return widened(np.array([bits], dtype=BFLOAT16))[0]


def _number_at_in_python(array: Any, position: int) -> Any:
    if isinstance(array, tuple):
        from untilt.numeric.sparse import read

        return read(array, position)
    return widened(array[position : position + 1])[0]


def _add_number_in_python(array: Any, position: int, number: Any, key: Any) -> None:
    after = _number_at_in_python(array, position) + np.float32(number)
    if array.dtype in (BFLOAT16, FLOAT16):
        after = rounded(after, np.uint32(mixed(int(key)) >> 48), array.dtype)
    array[position] = after


wide: Callable[..., Any] = instruction(_wide, _wide_in_python)
"""wide(bits) → the bfloat16 with these 16 bits, which are an integer, as float32."""

number_at: Callable[..., Any] = instruction(_number_at, _number_at_in_python)
"""number_at(array, position) → a float32 from an array of float32, or of 16-bit numbers. The
position is not checked."""

add_number: Callable[..., None] = instruction(_add_number, _add_number_in_python)
"""add_number(array, position, number, key) adds to a number in place; one of 16 bits is rounded at
random, by the 64 bits of `key`."""
