"""The cache of compiled kernels: what it depends on, whom it trusts, what damage does to it."""

import ast
import errno
import os
import pickle
import random
import re
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import pytest

import untilt
from untilt.cache_folder import distrust
from untilt.numeric import kernel_cache
from untilt.numeric.kernel_cache import (
    NAMESPACES,
    WITHOUT_KERNELS,
    KernelCache,
    KernelCacheWarning,
    cache_base,
    modules_behind,
    source_fingerprint,
)

PACKAGE = Path(untilt.__file__).resolve().parent
ON_UNIX = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs owners and permissions")


def python(
    code: str, cache: Path, *, warnings: str = "error", **more: str
) -> subprocess.CompletedProcess[str]:
    """Run `code` in a new process with its cache below `cache`."""
    environment = {**os.environ, "UNTILT_CACHE_DIR": str(cache), **more}
    done = subprocess.run(
        [sys.executable, "-W", warnings, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def copied_package(tmp_path: Path) -> Iterator[Path]:
    copy = tmp_path / "untilt"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "static"))
    yield copy
    forget_sources()


def forget_sources() -> None:
    kernel_cache._scanned.cache_clear()
    kernel_cache._files_of.cache_clear()


def forget_folders() -> None:
    kernel_cache._folder_of_file.cache_clear()
    kernel_cache._trusted_base.cache_clear()


@pytest.fixture
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
    forget_folders()
    yield tmp_path
    forget_folders()


def fingerprint(package: Path, module: str) -> str:
    forget_sources()
    return source_fingerprint(package / module, package)


class TestFingerprint:
    @pytest.mark.parametrize(
        "changed",
        [
            "solvers/cfr.py",
            "numeric/streams.py",  # imported by a module that it imports
            "numeric/kernel.py",
            "regret/rule.py",
            "regret/step.py",
            "game/sequence/sequence_form.py",
        ],
    )
    def test_a_change_in_what_a_module_reaches_changes_it(
        self, copied_package: Path, changed: str
    ) -> None:
        user = "solvers/mccfr/batches.py" if changed == "numeric/streams.py" else "solvers/cfr.py"
        before = fingerprint(copied_package, user)
        with (copied_package / changed).open("a", encoding="utf-8") as file:
            file.write("\nCONSTANT = 1\n")
        assert fingerprint(copied_package, user) != before

    @pytest.mark.parametrize(
        "changed", ["errors.py", "cards/evaluator/evaluator.py", "runs/run.py", "solvers/lp.py"]
    )
    def test_a_change_elsewhere_leaves_it(self, copied_package: Path, changed: str) -> None:
        before = fingerprint(copied_package, "solvers/cfr.py")
        with (copied_package / changed).open("a", encoding="utf-8") as file:
            file.write("\nCONSTANT = 1\n")
        assert fingerprint(copied_package, "solvers/cfr.py") == before

    def test_an_edit_of_the_errors_leaves_every_kernel(self, copied_package: Path) -> None:
        modules = sorted(path.relative_to(copied_package) for path in with_kernels(copied_package))
        before = [fingerprint(copied_package, str(module)) for module in modules]
        with (copied_package / "errors.py").open("a", encoding="utf-8") as file:
            file.write("\n# another word\n")
        assert [fingerprint(copied_package, str(module)) for module in modules] == before

    def test_a_renamed_module_changes_it(self, copied_package: Path) -> None:
        user = copied_package / "solvers" / "cfr.py"
        before = fingerprint(copied_package, "solvers/cfr.py")
        (copied_package / "regret" / "rule.py").rename(copied_package / "regret" / "rules.py")
        user.write_text(user.read_text().replace("regret.rule ", "regret.rules "))
        assert fingerprint(copied_package, "solvers/cfr.py") != before

    def test_another_place_leaves_it(self, copied_package: Path) -> None:
        ours = source_fingerprint(PACKAGE / "solvers" / "cfr.py", PACKAGE)
        assert fingerprint(copied_package, "solvers/cfr.py") == ours

    @pytest.mark.parametrize(
        "line",
        [
            "from untilt.deep.helper import FACTOR",
            "from untilt.deep import helper",
            "from untilt.deep import (\n    other,\n    helper,\n)",
            "import untilt.deep.helper",
            "import os, untilt.deep.helper as h",
            "def f():\n    from untilt.deep.helper import FACTOR",
            "importlib.import_module('untilt.deep.helper')",
            "from untilt import deep",
            "import untilt",
            "import untilt as u",
            "from .deep import helper",
        ],
    )
    def test_every_way_to_import_is_seen(self, tmp_path: Path, line: str) -> None:
        (tmp_path / "deep").mkdir()
        for name in ("__init__.py", "deep/__init__.py", "deep/helper.py", "deep/other.py"):
            (tmp_path / name).write_text("")
        (tmp_path / "user.py").write_text(f"import os\n{line}\n")
        forget_sources()
        assert tmp_path / "deep" / "helper.py" in modules_behind(tmp_path / "user.py", tmp_path)

    def test_all_that_python_imports_is_reached(self) -> None:
        """The scan of lines agrees with Python's own parser on every module with kernels."""
        for module in with_kernels(PACKAGE):
            names = {
                str(node.module)
                for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
                if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("untilt.")
            }
            files = {PACKAGE.parent.joinpath(*name.split(".")).with_suffix(".py") for name in names}
            wanted = {file for file in files if file.is_file() and file.name not in WITHOUT_KERNELS}
            assert wanted <= modules_behind(module, PACKAGE), module.name


def with_kernels(package: Path) -> list[Path]:
    found = [p for p in package.rglob("*.py") if "\n@kernel\n" in p.read_text(encoding="utf-8")]
    assert len(found) > 15
    return found


def test_modules_said_to_be_without_kernels_hold_nothing_that_is_compiled() -> None:
    for name in WITHOUT_KERNELS:
        for node in ast.parse((PACKAGE / name).read_text(encoding="utf-8")).body:
            # No constants, and no decorators that compile.
            is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            allowed = (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef)
            assert is_docstring or isinstance(node, allowed), ast.unparse(node)
            if isinstance(node, ast.FunctionDef):
                assert not node.decorator_list, node.name
            if isinstance(node, ast.Import | ast.ImportFrom):
                assert "untilt" not in ast.unparse(node)


def test_namespaces_hold_nothing_but_names() -> None:
    """Modules with kernels import nothing from them: see the test of what Python imports."""
    for name in NAMESPACES:
        for node in ast.parse((PACKAGE / name).read_text(encoding="utf-8")).body:
            text = ast.unparse(node)
            is_docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            is_for_checkers = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
            is_import = text in {
                "from typing import TYPE_CHECKING",
                "from untilt.lazy import lazy_names",
            }
            is_table = isinstance(node, ast.Assign) and text.startswith(("_HOME", "__all__"))
            assert is_docstring or is_for_checkers or is_import or is_table, text


class TestCache:
    @pytest.mark.long
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
        assert python(code, tmp_path / "cache").stdout == "42.0 0\n"
        assert python(code, tmp_path / "cache").stdout == "42.0 1\n"
        (copied_package / "numeric" / "helper.py").write_text("FACTOR = 0.125\n")
        assert python(code, tmp_path / "cache").stdout == "2.625 0\n"

    def test_kernels_work_where_no_cache_can_be_written(self, tmp_path: Path) -> None:
        in_the_way = tmp_path / "file"
        in_the_way.write_text("not a folder")
        assert python(RANDOM, in_the_way / "below").stdout == f"{expected_random()} 0\n"

    def test_a_cache_that_cannot_be_written_any_more_is_still_read(
        self, own_cache: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = kernel_cache.module_folder(double)
        forget_folders()

        def refuse(path: Path) -> None:
            raise OSError(errno.EROFS, "Read-only file system")

        monkeypatch.setattr(os, "utime", refuse)
        assert folder is not None
        assert kernel_cache.module_folder(double) == folder

    def test_numbas_own_setting_is_left_as_it_was(self, tmp_path: Path) -> None:
        code = (
            "import numba\n"
            "numba.config.CACHE_DIR = 'mine'\n"
            "from untilt.numeric.streams import uniform\n"
            "print(numba.config.CACHE_DIR, len(uniform.stats.cache_path) > 0)"
        )
        assert python(code, tmp_path).stdout == "mine True\n"
        assert any((tmp_path / "kernels").iterdir())

    def test_kernels_are_plain_functions_without_the_compiler(self, tmp_path: Path) -> None:
        code = (
            "from untilt.numeric.kernel import kernel\n"
            "@kernel\n"
            "def double(x):\n"
            "    return 2 * x\n"
            "print(double(21))"
        )
        assert python(code, tmp_path, NUMBA_DISABLE_JIT="1").stdout == "42\n"

    def test_two_versions_of_a_kernel_are_both_kept(self, tmp_path: Path) -> None:
        first = cached_double(tmp_path)
        assert (first(21.0), first(21)) == (42.0, 42)
        again = cached_double(tmp_path)
        assert (again(21.0), again(21)) == (42.0, 42)
        assert sum(again.stats.cache_hits.values()) == 2

    def test_a_version_of_other_types_of_the_same_name_is_not_taken(self, tmp_path: Path) -> None:
        cached_double(tmp_path)(21.0)
        cached_double(tmp_path)(21)
        one, other = sorted(tmp_path.iterdir())
        shutil.copy(one, other)
        again = cached_double(tmp_path)
        assert (again(21.0), again(21)) == (42.0, 42)
        assert sum(again.stats.cache_hits.values()) == 1

    @pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
    def test_a_full_disk_costs_the_cache_only(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        real_open = os.open

        def on_full_disk(path: Path, flags: int, *rest: int) -> int:
            if flags & os.O_CREAT:
                real_open(path, flags, *rest)
                return real_open("/dev/full", os.O_WRONLY)
            return real_open(path, flags, *rest)

        monkeypatch.setattr(os, "open", on_full_disk)
        assert cached_double(tmp_path)(21.0) == 42.0
        assert not list(tmp_path.iterdir())

    def test_a_folder_that_disappears_costs_the_cache_only(self, tmp_path: Path) -> None:
        assert cached_double(tmp_path / "gone")(21.0) == 42.0


RANDOM = (
    "from untilt.numeric.streams import Stream, uniform\n"
    "print(Stream(1).random(), sum(uniform.stats.cache_hits.values()))"
)


def expected_random() -> float:
    from untilt.numeric.streams import Stream

    return Stream(1).random()


def double(x: float) -> float:
    return 2 * x


def cached_double(folder: Path) -> Any:
    dispatcher: Any = numba.njit(double)
    dispatcher._cache = KernelCache(double, folder)
    return dispatcher


class Bomb:
    """Pickled, it makes a folder when it is loaded."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.place),)


DAMAGING = """
import os, random, shutil, sys
from pathlib import Path
import numba
from tests.numeric.test_kernel_cache import cached_double, damages
from untilt.numeric.kernel_cache import _read_checked
folder, seed, count = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
assert cached_double(folder)(21.0) == 42.0
(file,) = folder.iterdir()
sound = file.read_bytes()
hits = 0
for damage in damages(random.Random(seed), sound, count):
    if file.is_dir():
        shutil.rmtree(file)
    else:
        file.unlink(missing_ok=True)
    damage(file)
    again = cached_double(folder)
    assert again(21.0) == 42.0
    hits += sum(again.stats.cache_hits.values())
    assert _read_checked(file), "not repaired"
print(count, hits)
"""


Damage = Callable[[Path], object]


def damages(rng: random.Random, sound: bytes, count: int) -> Iterator[Damage]:
    """Yield `count` functions that write a damaged version of `sound` to a file."""

    def written(content: bytes) -> Damage:
        return lambda file: file.write_bytes(content)

    def flipped() -> bytes:
        content = bytearray(sound)
        content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
        return bytes(content)

    kinds: list[Callable[[], Damage]] = [
        lambda: written(b""),
        lambda: written(flipped()),
        lambda: written(sound[: rng.randrange(len(sound))]),
        lambda: written(rng.randbytes(rng.randrange(1, 5000))),
        lambda: written(sound + b"\0"),
        lambda: written(sound[:48] + rng.randbytes(len(sound) - 48)),
        lambda: lambda file: file.mkdir(),
        lambda: os.mkfifo,
        lambda: lambda file: file.symlink_to("/etc/passwd"),
    ]
    for number in range(count):
        yield kinds[number % len(kinds)]()


def damage_many(folder: Path, seed: int, count: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", DAMAGING, str(folder), str(seed), str(count)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        cwd=PACKAGE.parent.parent,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{count} 0\n"
    print(f"{count} damaged cache files, none loaded, all repaired")


class TestDamage:
    @ON_UNIX
    def test_a_damaged_file_is_never_loaded_and_is_repaired(self, tmp_path: Path) -> None:
        damage_many(tmp_path, seed=1, count=27)

    @ON_UNIX
    @pytest.mark.long
    def test_hundreds_of_damaged_files_are_never_loaded(self, tmp_path: Path) -> None:
        damage_many(tmp_path, seed=2, count=300)

    def test_nothing_is_unpickled_before_the_checksum_is_compared(self, tmp_path: Path) -> None:
        cached_double(tmp_path)(21.0)
        (file,) = tmp_path.iterdir()
        bomb = pickle.dumps(Bomb(tmp_path / "exploded"))
        for content in (bomb, file.read_bytes()[:48] + bomb):
            file.write_bytes(content)
            assert cached_double(tmp_path)(21.0) == 42.0
            assert not (tmp_path / "exploded").exists()

    @pytest.mark.parametrize("content", [pickle.dumps(17), pickle.dumps((1, 2, 3)), b"gone"])
    def test_a_sound_file_with_other_contents_is_replaced(
        self, tmp_path: Path, content: bytes
    ) -> None:
        cached_double(tmp_path)(21.0)
        (file,) = tmp_path.iterdir()
        kernel_cache._write_checked(file, content)
        again = cached_double(tmp_path)
        assert again(21.0) == 42.0
        assert not again.stats.cache_hits
        third = cached_double(tmp_path)
        assert third(21.0) == 42.0
        assert third.stats.cache_hits

    def test_a_module_folder_that_is_a_file_costs_the_cache_only(self, own_cache: Path) -> None:
        folder = kernel_cache.module_folder(double)
        assert folder is not None
        folder.rmdir()
        folder.write_bytes(b"in the way")
        forget_folders()
        assert kernel_cache.module_folder(double) is None

    @pytest.mark.long
    def test_a_wholly_damaged_cache_costs_the_command_line_only_time(self, tmp_path: Path) -> None:
        code = (
            "import sys; sys.argv = 'untilt equity AA KK 72o --samples 1000 --json'.split()\n"
            "from untilt.cli.main import main; main()"
        )
        expected = python(code, tmp_path).stdout
        rng = random.Random(3)
        for _ in range(2):
            files = sorted((tmp_path / "kernels").rglob("*.kernel"))
            sounds = [file.read_bytes() for file in files]
            for file, sound in zip(files, sounds, strict=True):
                kind = rng.randrange(9)
                *_, damage = damages(rng, sound, kind + 1)
                file.unlink()
                damage(file)
            assert python(code, tmp_path).stdout == expected
        print(f"{len(files)} damaged kernels, twice")


@ON_UNIX
class TestTrust:
    def test_only_the_user_may_enter_it(self, tmp_path: Path) -> None:
        code = f"import os; os.umask(0)\n{RANDOM}"
        assert python(code, tmp_path / "cache").stdout == f"{expected_random()} 0\n"
        made = [tmp_path / "cache", *(tmp_path / "cache").rglob("*")]
        assert len(made) > 3
        for path in made:
            mode = stat.S_IMODE(path.stat().st_mode)
            assert mode == (0o700 if path.is_dir() else 0o600), path

    @pytest.mark.long
    def test_one_that_others_may_write_to_is_not_read(self, tmp_path: Path) -> None:
        assert python(RANDOM, tmp_path).stdout.endswith(" 0\n")
        assert python(RANDOM, tmp_path).stdout.endswith(" 1\n")
        (tmp_path / "kernels").chmod(0o770)
        done = python(RANDOM, tmp_path, warnings="default")
        assert done.stdout == f"{expected_random()} 0\n"
        assert done.stderr.count("KernelCacheWarning") == 1
        assert "other users may write there (permissions 770)" in done.stderr

    @pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o775])
    def test_any_permission_to_write_counts(self, own_cache: Path, mode: int) -> None:
        folder = kernel_cache.module_folder(double)
        assert folder is not None
        forget_folders()
        folder.chmod(mode)
        with pytest.warns(KernelCacheWarning, match=f"permissions {mode:03o}"):
            assert kernel_cache.module_folder(double) is None
        forget_folders()
        folder.chmod(0o755)
        assert kernel_cache.module_folder(double) == folder
        forget_folders()
        (own_cache / "kernels").chmod(mode)
        with pytest.warns(KernelCacheWarning, match=re.escape(str(own_cache / "kernels"))):
            assert kernel_cache.module_folder(double) is None

    def test_no_file_that_others_may_write_to_is_read(self, tmp_path: Path) -> None:
        cached_double(tmp_path)(21.0)
        (file,) = tmp_path.iterdir()
        kernel_cache._write_checked(file, pickle.dumps(Bomb(tmp_path / "exploded")))
        file.chmod(0o666)
        again = cached_double(tmp_path)
        assert again(21.0) == 42.0
        assert not again.stats.cache_hits
        assert not (tmp_path / "exploded").exists()

    def test_what_another_user_owns_is_distrusted_and_what_root_owns_is_not(self) -> None:
        def found(mode: int, owner: int) -> os.stat_result:
            return os.stat_result((mode, 0, 0, 1, owner, 0, 0, 0, 0, 0))

        mine, other = os.geteuid(), os.geteuid() + 1
        assert distrust(found(stat.S_IFDIR | 0o700, mine)) is None
        assert distrust(found(stat.S_IFDIR | 0o755, 0)) is None
        assert distrust(found(stat.S_IFLNK | 0o777, mine)) is None
        assert f"another user (number {other})" in str(distrust(found(stat.S_IFDIR | 0o700, other)))

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root gives files away")
    def test_a_folder_of_another_user_is_not_read(self, own_cache: Path) -> None:
        assert kernel_cache.module_folder(double) is not None
        forget_folders()
        os.chown(own_cache / "kernels", 12345, 12345)
        with pytest.warns(KernelCacheWarning, match=r"another user \(number 12345\) owns them"):
            assert kernel_cache.module_folder(double) is None

    def test_the_command_line_says_so_in_one_line(self, tmp_path: Path) -> None:
        (tmp_path / "kernels").mkdir()
        (tmp_path / "kernels").chmod(0o777)
        code = (
            "import importlib\n"
            "from untilt.cli import main\n"
            "main.run = lambda _: 0 * len(dir(importlib.import_module('untilt.solvers.cfr')))\n"
            "main.main()"
        )
        done = python(code, tmp_path, warnings="default")
        (line,) = done.stderr.splitlines()
        assert line.startswith(f"warning: the compiled kernels in {tmp_path / 'kernels'} are not")
        assert "UNTILT_CACHE_DIR" in line


class TestPruning:
    @staticmethod
    def caches(base: Path, ages: dict[str, float]) -> None:
        for name, age in ages.items():
            folder = base / name
            folder.mkdir()
            (folder / "a.kernel").write_text("")
            os.utime(folder, (time.time() - age, time.time() - age))

    def test_the_eight_of_each_module_used_last_are_kept(self, tmp_path: Path) -> None:
        for module in ("untilt.solvers.cfr", "untilt.game.sequence.sweeps"):
            self.caches(tmp_path, {f"{module}-{n:02}": 7200.0 + n for n in range(12)})
        kernel_cache._prune(tmp_path)
        kept = {folder.name for folder in tmp_path.iterdir()}
        assert kept == {
            f"{module}-{n:02}"
            for module in ("untilt.solvers.cfr", "untilt.game.sequence.sweeps")
            for n in range(8)
        }

    def test_what_was_used_within_the_hour_is_kept(self, tmp_path: Path) -> None:
        self.caches(tmp_path, {f"cache-{number:02}": 60.0 * number for number in range(12)})
        kernel_cache._prune(tmp_path)
        assert len(list(tmp_path.iterdir())) == 12

    def test_few_are_all_kept_for_a_season(self, tmp_path: Path) -> None:
        self.caches(tmp_path, {"m-old": 80 * 86400.0, "m-older": 100 * 86400.0, "earlier": 5e6})
        kernel_cache._prune(tmp_path)
        assert {folder.name for folder in tmp_path.iterdir()} == {"m-old", "earlier"}


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
