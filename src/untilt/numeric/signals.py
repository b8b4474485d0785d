"""Numbers through which threads inside kernels wait for one another.

An element of an int64 array is *posted* by one thread and *seen* by others; whatever was
written before the post is visible after it was seen (release and acquire). What several threads
may change at once is *swapped*. Numba has no such access of its own, and would keep a plain
element in a register while it waits.
"""

import threading
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
"""post(signals, index, value) sets signals[index], after all that was written before."""

swapped = instruction(_swapped, _swapped_in_python)
"""swapped(signals, index, before, after) sets signals[index] to `after` if it is `before`, as
one step that no other thread can come between; returns whether it did."""

PATIENCE = 100_000 if IS_COMPILED else 4
"""Looks at a signal before giving up for a while: some ten microseconds to a tenth of a
millisecond. Without the compiler, whoever waits holds the interpreter that others need."""


@inlined
def wait_for(signals: Offsets, index: int, value: int) -> bool:
    """Wait a little for a signal to become `value` or more; return whether it has."""
    left = PATIENCE
    while left > 0 and seen(signals, index) < value:
        left -= 1
    return left > 0
