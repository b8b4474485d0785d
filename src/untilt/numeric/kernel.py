"""The one decorator for compiled code, `@kernel`; its cache is `kernel_cache.py`."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

from untilt.numeric.kernel_cache import attach_cache

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile `function` on its first call, without the interpreter lock, cached on disk.

    Division by zero gives inf or nan as in NumPy. A kernel should see one set of
    argument types only: the Python function around it fixes dtypes and layout.
    """
    compiled = numba.njit(error_model="numpy", nogil=True)(function)
    attach_cache(compiled, function)
    # To the type checker a kernel stays the function it was made of.
    return cast(F, compiled)


def inlined(function: F) -> F:
    """Compile `function` into the kernels that call it, never as a call.

    For the few lines that run once per infoset or card: LLVM keeps some of them as calls
    that copy array descriptors (a CFR+ iteration on Leduc took 9.3 µs instead of 6.1).
    """
    compiled = numba.njit(error_model="numpy", nogil=True, forceinline=True)(function)
    return cast(F, compiled)
