"""The `@kernel` decorator: what is compiled when, where it is kept, and when it is thrown away."""

import ast
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.numeric import kernel as kernel_module
from untilt.numeric.kernel import KERNEL_FREE, cache_base, inlined, kernel, source_fingerprint

PACKAGE = Path(untilt.__file__).parent


def python(code: str, cache: Path) -> str:
    """Return what `code` prints in a new process with its cache below `cache`."""
    environment = {**os.environ, "UNTILT_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def copied_package(tmp_path: Path) -> Path:
    copy = tmp_path / "untilt"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


class TestFingerprint:
    @pytest.mark.parametrize(
        "changed", ["numeric/streams.py", "regret/rule.py", "game/sequence_form.py", "errors.py"]
    )
    def test_a_changed_helper_changes_it(self, copied_package: Path, changed: str) -> None:
        before = source_fingerprint(copied_package)
        with (copied_package / changed).open("a", encoding="utf-8") as file:
            file.write("\nCONSTANT = 1\n")
        assert source_fingerprint(copied_package) != before

    def test_a_new_or_renamed_module_changes_it(self, copied_package: Path) -> None:
        before = source_fingerprint(copied_package)
        (copied_package / "regret" / "rule.py").rename(copied_package / "regret" / "rules.py")
        renamed = source_fingerprint(copied_package)
        (copied_package / "games" / "new.py").write_text("")
        assert len({before, renamed, source_fingerprint(copied_package)}) == 3

    @pytest.mark.parametrize("package", sorted(KERNEL_FREE))
    def test_a_package_without_kernels_leaves_it(self, copied_package: Path, package: str) -> None:
        before = source_fingerprint(copied_package)
        (copied_package / package / "new.py").write_text("CONSTANT = 1\n")
        assert source_fingerprint(copied_package) == before

    def test_another_place_leaves_it(self, copied_package: Path) -> None:
        assert source_fingerprint(copied_package) == source_fingerprint(PACKAGE)


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


def test_packages_said_to_be_without_kernels_have_none() -> None:
    for package in KERNEL_FREE:
        modules = list((PACKAGE / package).rglob("*.py"))
        assert modules, package
        for module in modules:
            found = names_imported_or_decorating(module) & {"numba", "kernel", "inlined", "njit"}
            assert not found, f"{module.name} uses {found}; take it out of KERNEL_FREE"


def test_all_kernels_use_the_one_decorator() -> None:
    compilers = {"njit", "jit", "vectorize", "guvectorize", "cfunc", "stencil", "jitclass"}
    for module in PACKAGE.rglob("*.py"):
        if module != PACKAGE / "numeric" / "kernel.py":
            names = names_imported_or_decorating(module)
            assert not names & compilers, module.name
            # Single machine instructions are made with Numba's own tools, nothing else is.
            assert "numba" not in names or "intrinsic" in names, module.name
            assert not {name for name in names if name.startswith("numba.")}, module.name


class TestCache:
    def test_a_changed_constant_of_another_module_is_seen(
        self, copied_package: Path, tmp_path: Path
    ) -> None:
        (copied_package / "numeric" / "helper.py").write_text("FACTOR = 2.0\n")
        (copied_package / "numeric" / "user.py").write_text(
            "from untilt.numeric.helper import FACTOR\n"
            "from untilt.numeric.kernel import kernel\n"
            "@kernel\n"
            "def times(x):\n"
            "    return FACTOR * x\n"
        )
        code = (
            f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
            "from untilt.numeric.user import times\n"
            "print(times(21.0), sum(times.stats.cache_hits.values()))"
        )
        assert python(code, tmp_path / "cache") == "42.0 0"
        assert python(code, tmp_path / "cache") == "42.0 1"
        (copied_package / "numeric" / "helper.py").write_text("FACTOR = 0.125\n")
        assert python(code, tmp_path / "cache") == "2.625 0"

    def test_kernels_work_where_no_cache_can_be_written(self, tmp_path: Path) -> None:
        in_the_way = tmp_path / "file"
        in_the_way.write_text("not a folder")
        code = (
            "from untilt.numeric.kernel import kernel, _cache_folder\n"
            "from untilt.numeric.streams import Stream\n"
            "print(_cache_folder(), Stream(1).random())"
        )
        expected = kernel_free_random()
        assert python(code, in_the_way / "below") == f"None {expected}"

    def test_numbas_own_setting_is_left_as_it_was(self, tmp_path: Path) -> None:
        code = (
            "import numba\n"
            "numba.config.CACHE_DIR = 'mine'\n"
            "from untilt.numeric.streams import uniform\n"
            "print(numba.config.CACHE_DIR, len(uniform.stats.cache_path) > 0)"
        )
        assert python(code, tmp_path) == "mine True"
        assert any((tmp_path / "kernels").iterdir())

    def test_numbas_own_setting_survives_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from numba.core import config

        def refuse(function: object, *, cache: bool) -> object:
            if cache:
                raise RuntimeError("no locator available")
            return function

        before = vars(config)["CACHE_DIR"]
        monkeypatch.setattr(kernel_module, "_compiled", refuse)

        def double(x: float) -> float:
            return 2.0 * x

        assert kernel(double) is double
        assert vars(config)["CACHE_DIR"] == before


def kernel_free_random() -> float:
    from untilt.numeric.streams import Stream

    return Stream(1).random()


class TestPruning:
    @staticmethod
    def caches(base: Path, ages: dict[str, float]) -> None:
        for name, age in ages.items():
            folder = base / name
            folder.mkdir()
            (folder / "kernel.nbi").write_text("")
            os.utime(folder, (time.time() - age, time.time() - age))

    def test_the_eight_used_last_are_kept(self, tmp_path: Path) -> None:
        self.caches(tmp_path, {f"cache{number}": 7200.0 + number for number in range(12)})
        kernel_module._prune(tmp_path)
        assert {folder.name for folder in tmp_path.iterdir()} == {f"cache{n}" for n in range(8)}

    def test_what_was_used_within_the_hour_is_kept(self, tmp_path: Path) -> None:
        self.caches(tmp_path, {f"cache{number}": 60.0 * number for number in range(12)})
        kernel_module._prune(tmp_path)
        assert len(list(tmp_path.iterdir())) == 12

    def test_few_are_all_kept(self, tmp_path: Path) -> None:
        self.caches(tmp_path, {"old": 1e8, "older": 2e8})
        kernel_module._prune(tmp_path)
        assert len(list(tmp_path.iterdir())) == 2


class TestFolder:
    def test_the_environment_moves_it(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
        assert cache_base() == tmp_path / "kernels"

    @pytest.mark.parametrize(
        ("platform", "variable"), [("linux", "XDG_CACHE_HOME"), ("win32", "LOCALAPPDATA")]
    )
    def test_each_system_has_its_own_place(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, platform: str, variable: str
    ) -> None:
        monkeypatch.delenv("UNTILT_CACHE_DIR", raising=False)
        monkeypatch.setattr(sys, "platform", platform)
        monkeypatch.setenv(variable, str(tmp_path))
        assert cache_base() == tmp_path / "untilt" / "kernels"

    @pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
    def test_it_lies_below_the_home_folder_by_default(
        self, monkeypatch: pytest.MonkeyPatch, platform: str
    ) -> None:
        for variable in ("UNTILT_CACHE_DIR", "XDG_CACHE_HOME", "LOCALAPPDATA"):
            monkeypatch.delenv(variable, raising=False)
        monkeypatch.setattr(sys, "platform", platform)
        assert Path.home() in cache_base().parents


def test_kernels_divide_by_zero_as_numpy_does() -> None:
    @kernel
    def ratio(x: float, y: float) -> float:
        return x / y

    assert ratio(1.0, 0.0) == np.inf
    assert np.isnan(ratio(0.0, 0.0))


def test_inlined_functions_are_no_calls() -> None:
    @inlined
    def square(x: float) -> float:
        return x * x

    def sum_of_squares(x: float, y: float) -> float:
        return square(x) + square(y)

    compiled: Any = kernel(sum_of_squares)
    assert compiled(3.0, 4.0) == 25.0
    code = next(iter(compiled.inspect_llvm().values()))
    calls = [line for line in code.splitlines() if " call " in line and "square" in line]
    assert not [line for line in calls if "sum_of_squares" not in line]
