"""Signals by which threads inside kernels wait for one another.

An element of an int64 array is *posted* by one thread and *seen* by others; whatever was written
before the post is visible once it has been seen (release and acquire). An element that several
threads may change at once is *swapped*. Numba has no such atomic access, and would keep a plain
element in a register while waiting.
"""

import os
import threading
import time
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from untilt.numeric.arrays import Offsets
from untilt.numeric.kernel import IS_COMPILED, inlined, instruction

_BYTES = 8


def _pointer(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
    array = context.make_array(signature.args[0])(context, builder, arguments[0])
    return cgutils.get_item_pointer(  # type: ignore[no-untyped-call]
        context, builder, signature.args[0], array, [arguments[1]], wraparound=False
    )


@intrinsic
def _seen(typing_context: Any, signals: Any, index: Any) -> Any:

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        pointer = _pointer(context, builder, signature, arguments)
        return builder.load_atomic(pointer, "acquire", _BYTES)

    return types.int64(signals, types.intp), generate


@intrinsic
def _post(typing_context: Any, signals: Any, index: Any, value: Any) -> Any:

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        pointer = _pointer(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], pointer, "release", _BYTES)
        return context.get_dummy_value()

    return types.none(signals, types.intp, types.int64), generate


@intrinsic
def _swapped(typing_context: Any, signals: Any, index: Any, before: Any, after: Any) -> Any:

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        pointer = _pointer(context, builder, signature, arguments)
        pair = builder.cmpxchg(pointer, arguments[2], arguments[3], "acq_rel", "acquire")
        return builder.extract_value(pair, 1)

    return types.boolean(signals, types.intp, types.int64, types.int64), generate


_LOCK = threading.Lock()


def _seen_in_python(signals: Offsets, index: int) -> int:
    return int(signals[index])


def _post_in_python(signals: Offsets, index: int, value: int) -> None:
    signals[index] = value


def _swapped_in_python(signals: Offsets, index: int, before: int, after: int) -> bool:
    with _LOCK:
        is_before = bool(signals[index] == before)
        if is_before:
            signals[index] = after
    return is_before


seen = instruction(_seen, _seen_in_python)
"""seen(signals, index) → signals[index] as it was last posted."""

post = instruction(_post, _post_in_python)
"""post(signals, index, value) sets signals[index], after all earlier writes."""

swapped = instruction(_swapped, _swapped_in_python)
"""swapped(signals, index, before, after) atomically sets signals[index] to `after` if it is
`before`; returns whether it did."""

PATIENCE = 100_000 if IS_COMPILED else 4
"""How often a signal is polled before giving up for a while: about 10 to 100 microseconds.
Without the compiler, a waiting thread holds the interpreter lock that others need."""

_HAS_CALLS = IS_COMPILED and hasattr(os, "sched_yield") and hasattr(time, "CLOCK_MONOTONIC")
"""Whether the C library has the calls below."""


@intrinsic
def _nanoseconds(typing_context: Any) -> Any:
    del typing_context

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        del context, signature, arguments
        word, wide = ir.IntType(32), ir.IntType(64)
        moment = ir.LiteralStructType([wide, wide])  # seconds and nanoseconds
        place = cgutils.alloca_once(builder, moment)  # type: ignore[no-untyped-call]
        declared = ir.FunctionType(word, [word, moment.as_pointer()])
        clock = cgutils.get_or_insert_function(  # type: ignore[no-untyped-call]
            builder.module, declared, "clock_gettime"
        )
        builder.call(clock, [ir.Constant(word, time.CLOCK_MONOTONIC), place])
        seconds, rest = (builder.extract_value(builder.load(place), part) for part in (0, 1))
        return builder.add(builder.mul(seconds, ir.Constant(wide, 1_000_000_000)), rest)

    return types.int64(), generate


nanoseconds = instruction(_nanoseconds, time.monotonic_ns)
"""nanoseconds() → time from a monotonic clock. Only kernels where _HAS_CALLS may use it."""

_yield_processor = types.ExternalFunction("sched_yield", types.int32())

_LONG = 500_000
"""Nanoseconds. Yielding takes less than a hundredth of this if nobody else wants the processor."""


@inlined
def yield_processor() -> bool:
    """Let another thread that waits for this processor run; return whether one ran for long.

    It may be the very thread that is waited for: without this, both would lose whole time slices.
    """
    if _HAS_CALLS:
        before = nanoseconds()
        _yield_processor()
        return nanoseconds() - before > _LONG
    return False


@inlined
def wait_for(signals: Offsets, index: int, value: int) -> bool:
    """Wait briefly for a signal to become at least `value`; return whether it has."""
    left = PATIENCE
    while left > 0 and seen(signals, index) < value:
        left -= 1
    return left > 0
