"""The first kernel of a process loads without what kernels do not need."""

import gc
import subprocess
import sys

from untilt.numeric.quick_start import without_collecting

LOADED = """
import sys
import untilt

untilt.solve("kuhn", iterations=10, save=False)
print("numba.np.arraymath" in sys.modules, "scipy.linalg" in sys.modules)
"""

PRODUCT = """
import gc
import numba
import numpy as np
import untilt

untilt.solve("kuhn", iterations=10, save=False)
product = numba.njit(lambda a, b: a @ b)
covariance = numba.njit(lambda a: np.cov(a))
found = product(np.eye(2), np.arange(4.0).reshape(2, 2))
print(found.tolist(), covariance(np.array([1.0, 3.0])).item(), gc.isenabled())
"""


def printed(program: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()


def test_kernels_load_without_linear_algebra() -> None:
    assert printed(LOADED) == "True False"


def test_kernels_of_users_multiply_matrices() -> None:
    assert printed(PRODUCT) == "[[0.0, 1.0], [2.0, 3.0]] 2.0 True"


def test_garbage_is_collected_again_afterwards() -> None:
    with without_collecting():
        assert not gc.isenabled()
    assert gc.isenabled()
    gc.disable()
    try:
        with without_collecting():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
