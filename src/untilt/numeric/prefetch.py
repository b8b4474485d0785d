"""Hints to the processor to fetch memory that will be needed soon, which Numba does not offer."""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from untilt.numeric.arrays import AnyArray
from untilt.numeric.kernel import instruction

_BYTE, _WORD = ir.IntType(8), ir.IntType(32)
_TO_READ, _TO_WRITE = 0, 1
_KEEP_IN_ALL_CACHES, _DATA = 3, 1


def _prefetch_for(purpose: int) -> Any:
    """Return the intrinsic that fetches a line to read it, or to write it as well."""

    @intrinsic
    def prefetch(typing_context: Any, array: Any, position: Any) -> Any:
        del typing_context

        def generate(
            context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any
        ) -> ir.Value:
            if not isinstance(signature.args[0], types.Array):  # such as numbers in a sparse form
                return context.get_dummy_value()
            struct = context.make_array(signature.args[0])(context, builder, arguments[0])
            address = builder.bitcast(builder.gep(struct.data, [arguments[1]]), _BYTE.as_pointer())
            declared = ir.FunctionType(ir.VoidType(), [_BYTE.as_pointer(), _WORD, _WORD, _WORD])
            hint = builder.module.declare_intrinsic("llvm.prefetch", [_BYTE.as_pointer()], declared)
            values = (purpose, _KEEP_IN_ALL_CACHES, _DATA)
            builder.call(hint, [address, *(ir.Constant(_WORD, value) for value in values)])
            return context.get_dummy_value()

        return types.none(array, types.intp), generate

    return prefetch


def _prefetch_in_python(array: AnyArray, position: int) -> None:
    """Do nothing: without the compiler there is nothing to gain."""


prefetch = instruction(_prefetch_for(_TO_WRITE), _prefetch_in_python)
"""prefetch(array, position) fetches the cache line of an element that will soon be changed.

Any position is allowed, even outside the array."""

prefetch_to_read = instruction(_prefetch_for(_TO_READ), _prefetch_in_python)
"""prefetch_to_read(array, position) does so for an element that is read, also by other threads."""
