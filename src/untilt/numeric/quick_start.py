"""What makes the first kernel of a process load faster.

Importing Numba and telling its contexts about everything that it can compile makes a million small
objects, none of which is ever garbage. And it asks SciPy for BLAS, which takes 0.1 s of processor
time, although no kernel of ours multiplies matrices by it.
"""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_BLAS = "scipy.linalg.cython_blas"


@contextmanager
def without_collecting() -> Iterator[None]:
    """Search for no garbage: for code that only makes what stays."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def assume_blas() -> None:
    """Let Numba's functions of arrays load without looking for BLAS.

    SciPy is always installed with this package, so it would be found. Those who multiply matrices
    in kernels of their own still get it: Numba looks again when it compiles a product.
    """
    if _BLAS in sys.modules or "numba.np.arraymath" in sys.modules:
        return
    sys.modules[_BLAS] = None  # type: ignore[assignment]
    try:
        from numba.np import arraymath
    finally:
        del sys.modules[_BLAS]
    arraymath._HAVE_BLAS = True
