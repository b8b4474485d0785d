"""Numbers through which threads inside kernels wait for one another.

An element of an int64 array is *posted* by one thread and *seen* by others; whatever was
written before the post is visible after it was seen (release and acquire). What several threads
may change at once is *swapped*. Numba has no
such access of its own, and would keep a plain element in a register while it waits.
"""

from collections.abc import Callable
from typing import Any, cast

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from untilt.numeric.arrays import Offsets
from untilt.numeric.kernel import inlined

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


# To the type checker they are what kernels may take them for.
seen = cast(Callable[[Offsets, int], int], _seen)
"""seen(signals, index) → signals[index] as it was last posted."""

post = cast(Callable[[Offsets, int, int], None], _post)
"""post(signals, index, value) sets signals[index], after all that was written before."""

swapped = cast(Callable[[Offsets, int, int, int], bool], _swapped)
"""swapped(signals, index, before, after) sets signals[index] to `after` if it is `before`, as
one step that no other thread can come between; returns whether it did."""

PATIENCE = 100_000
"""Looks at a signal before giving up for a while: some ten microseconds to a tenth of a
millisecond."""


@inlined
def wait_for(signals: Offsets, index: int, value: int) -> bool:
    """Wait a little for a signal to become `value` or more; return whether it has."""
    left = PATIENCE
    while left > 0 and seen(signals, index) < value:
        left -= 1
    return left > 0
