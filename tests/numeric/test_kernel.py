"""The `@kernel` decorator: what compiled code does, and that there is no other decorator."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.numeric.kernel import fused, inlined, kernel

PACKAGE = Path(untilt.__file__).parent


def names_imported_or_decorating(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {(node.module or "").split(".")[0]} | {alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef):
            names |= {ast.unparse(decorator) for decorator in node.decorator_list}
    return names


def test_all_kernels_use_the_one_decorator() -> None:
    ours = {PACKAGE / "numeric" / name for name in ("kernel.py", "kernel_cache.py")}
    compilers = {"njit", "jit", "vectorize", "guvectorize", "cfunc", "stencil", "jitclass"}
    for module in PACKAGE.rglob("*.py"):
        if module not in ours:
            names = names_imported_or_decorating(module)
            assert not names & compilers, module.name
            # Single machine instructions are made with Numba's own tools, nothing else is.
            assert "numba" not in names or "intrinsic" in names, module.name
            assert not {name for name in names if name.startswith("numba.")}, module.name


def test_kernels_divide_by_zero_as_numpy_does() -> None:
    @kernel
    def ratio(x: float, y: float) -> float:
        return x / y

    assert ratio(1.0, 0.0) == np.inf
    assert np.isnan(ratio(0.0, 0.0))


@pytest.mark.parametrize("decorator", [inlined, fused])
def test_inlined_and_fused_functions_are_no_calls(
    decorator: Callable[[Callable[[float], float]], Callable[[float], float]],
) -> None:
    @decorator
    def square(x: float) -> float:
        return x * x

    def sum_of_squares(x: float, y: float) -> float:
        return square(x) + square(y)

    compiled: Any = kernel(sum_of_squares)
    assert compiled(3.0, 4.0) == 25.0
    code = next(iter(compiled.inspect_llvm().values()))
    calls = [line for line in code.splitlines() if " call " in line and "square" in line]
    assert not [line for line in calls if "sum_of_squares" not in line]


def test_fused_functions_have_no_entry_for_python_and_kernels_none_for_c() -> None:
    # Each entry unpacks all arguments: for tuples of arrays, more code than many a kernel.
    @fused
    def square(x: float) -> float:
        return x * x

    def sum_of_squares(x: float, y: float) -> float:
        return square(x) + square(y)

    compiled: Any = kernel(sum_of_squares)
    inner: Any = square
    assert compiled(3.0, 4.0) == 25.0
    outside = next(iter(compiled.inspect_llvm().values()))
    inside = next(iter(inner.inspect_llvm().values()))
    assert "cpython" in outside
    assert "cfunc" not in outside
    assert "cpython" not in inside
