"""The `@kernel` decorator: what compiled code does, and that there is no other decorator."""

import ast
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numba.core.errors import TypingError

import untilt
from untilt.numeric.kernel import allocates, fused, inlined, kernel

PACKAGE = Path(untilt.__file__).parent
SCALARS = {"None", "bool", "int", "float", "tuple"}


def modules_with(*words: str) -> list[Path]:
    """Return the modules whose text has one of these words; to parse all takes seconds."""
    texts = {path: path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py")}
    found = [path for path, text in texts.items() if any(word in text for word in words)]
    assert found
    return found


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
    files = ("kernel.py", "kernel_cache.py", "quick_start.py")
    ours = {PACKAGE / "numeric" / file for file in files}
    compilers = {"njit", "jit", "vectorize", "guvectorize", "cfunc", "stencil", "jitclass"}
    for module in modules_with("numba", *compilers):
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


class _Pair(NamedTuple):
    read: Any
    written: Any


def test_compiled_code_does_not_count_references() -> None:
    @inlined
    def doubled(pair: _Pair, place: int) -> None:
        row = pair.read[place]
        pair.written[place, 0] = 2.0 * row[0]

    @kernel
    def double_all(pair: _Pair) -> None:
        for place in range(len(pair.read)):
            doubled(pair, place)

    pair = _Pair(np.arange(6.0).reshape(3, 2), np.zeros((3, 2)))
    double_all(pair)
    assert pair.written[:, 0].tolist() == [0.0, 4.0, 8.0]
    compiled: Any = double_all
    code = next(iter(compiled.inspect_llvm().values()))
    # What unpacks the arguments, and only that, holds references while the kernel runs.
    bodies = [part for part in code.split("\ndefine ")[1:] if "cpython" not in part.split("(")[0]]
    assert any("double_all" in body for body in bodies)
    assert not [body for body in bodies if "NRT_incref" in body or "NRT_decref" in body]


def test_a_kernel_that_makes_arrays_says_so() -> None:
    @kernel
    @allocates
    def last_of_ones(count: int) -> float:
        return float(np.ones(count)[count - 1])

    @kernel
    def last_of_zeros(count: int) -> float:
        return float(np.zeros(count)[count - 1])

    assert last_of_ones(3) == 1.0
    with pytest.raises(TypingError, match=r"NRT required|Only accept returning of array passed"):
        last_of_zeros(3)


def test_arrays_made_in_a_kernel_are_taken_only_by_those_who_free_them() -> None:
    makers: set[str] = set()
    callers: dict[str, set[str]] = {}
    for module in modules_with("@kernel", "@inlined", "@fused", "@called"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.FunctionDef):
                continue
            marks = {ast.unparse(decorator) for decorator in node.decorator_list}
            if not marks & {"kernel", "inlined", "fused", "called"}:
                continue
            if "allocates" not in marks:
                called = {
                    ast.unparse(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)
                }
                callers[f"{module.stem}.{node.name}"] = called
            elif (
                node.returns is None
                or not set(re.findall(r"\w+", ast.unparse(node.returns))) <= SCALARS
            ):
                makers.add(node.name)
    assert len(callers) > 150
    assert makers
    assert {name: called & makers for name, called in callers.items() if called & makers} == {}
