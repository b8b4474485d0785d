"""The one decorator for compiled code, `@kernel`; its cache is `kernel_cache.py`."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from untilt.numeric.quick_start import without_collecting

with without_collecting():
    import numba

from untilt.numeric.kernel_cache import attach_cache

F = TypeVar("F", bound=Callable[..., object])

IS_COMPILED = not numba.config.DISABLE_JIT  # type: ignore[attr-defined]
"""Whether kernels are compiled; with NUMBA_DISABLE_JIT=1 they run as plain Python."""

_MARK = "allocates"


def kernel(function: F) -> F:
    """Compile `function` on its first call, without the interpreter lock, cached on disk.

    Division by zero gives inf or nan as in NumPy. A kernel should see one set of
    argument types only: the Python function around it fixes dtypes and layout.

    The arrays belong to the caller: compiled code does not count references to them, which in loops
    over tuples of arrays takes longer than the arithmetic (a walk of the blueprint trainer took 3.3
    times as long). A function that makes arrays of its own is also marked `@allocates`; without the
    mark, Numba refuses it ("NRT required", "Only accept returning of array passed …").
    """
    compiled = _compiled(function)
    attach_cache(compiled, function)
    return compiled


def inlined(function: F) -> F:
    """Compile `function` into the kernels that call it, never as a call.

    For the few lines that run once per infoset or card: LLVM keeps some of them as calls
    that copy array descriptors (a CFR+ iteration on Leduc took 9.3 µs instead of 6.1).
    """
    return _compiled(function, forceinline=True)


def fused(function: F) -> F:
    """Compile `function` into the kernels that call it, like `inlined`; Python cannot call it.

    Unpacking tuples of arrays for a call from Python is often more code than the function
    itself: without it, the quantal response kernels compile 2 s faster.
    """
    return _compiled(function, forceinline=True, no_cpython_wrapper=True)


def called(function: F) -> F:
    """Compile `function` for kernels that call it, once; Python cannot call it.

    For long functions, which would be slow to compile into every place that calls them.
    """
    return _compiled(function, no_cpython_wrapper=True)


def allocates(function: F) -> F:
    """Mark a function that makes or copies arrays; apply it under one of the decorators above.

    It frees them when it returns. Only a caller with the same mark may take an array from it: any
    other caller would never free that array.
    """
    function.__dict__[_MARK] = True
    return function


def instruction(compiled: object, in_python: F) -> F:
    """Return an intrinsic as a function for kernels; `in_python` if the compiler is off."""
    return cast(F, compiled) if IS_COMPILED else in_python


def _compiled(function: F, **options: bool) -> F:
    # Without a C entry point, which is not needed. (Numba's type hints do not know the option.)
    settings: dict[str, Any] = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
    settings["_nrt"] = _MARK in function.__dict__
    settings |= options
    # For the type checker, a kernel stays a plain function.
    return cast(F, numba.njit(**settings)(function))
