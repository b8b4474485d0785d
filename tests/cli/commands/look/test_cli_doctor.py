"""`untilt doctor`: what an installation has and lacks."""

import importlib.metadata
import os
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Command

import untilt
from untilt.cli.commands.look import doctor
from untilt.numeric.kernel_cache import module_folder
from untilt.numeric.streams import philox


def test_what_is_installed_is_reported_with_its_version(command: Command) -> None:
    found = command("doctor", "--json")
    assert (found.status, found.err) == (0, "")
    document = found.json
    assert document["problems"] == []
    assert document["untilt"]["version"] == untilt.__version__
    assert document["python"]["path"] == sys.executable
    assert document["packages"]["numba"] == importlib.metadata.version("numba")
    assert set(document["packages"]) == {
        *("numba", "numpy", "rich", "scipy", "starlette", "typer", "uvicorn")
    }
    assert {"evaluators", "gambit", "openspiel", "pandas", "plot", "ray"} <= set(document["extras"])
    assert document["machine"]["cores"] >= document["machine"]["usable_cores"] >= 1


def test_the_readable_form_says_that_all_is_well(command: Command) -> None:
    found = command("doctor")
    assert found.out.startswith(f"untilt {untilt.__version__} ")
    assert found.out.endswith("everything that Untilt needs is here\n")


def test_an_empty_cache_is_cold_and_a_used_one_is_not(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path / "cache"))
    document = command("doctor", "--json").json
    assert document["cache"]["path"] == str(tmp_path / "cache")
    assert document["cache"]["folders"]["kernels"]["bytes"] == 0
    kernels = document["kernels"]
    assert (kernels["state"], kernels["warm_modules"]) == ("cold", 0)
    assert kernels["modules"] > 20
    # As the decorator names the folder of a module; those of other sources do not count.
    for name in (module_folder(philox).name, "untilt.numeric.sparse-0123"):  # type: ignore[union-attr]
        folder = tmp_path / "cache" / "kernels" / name
        folder.mkdir(parents=True, exist_ok=True)  # naming the first may have made it
        (folder / "one.kernel").write_bytes(bytes(1_000))
    document = command("doctor", "--json").json
    assert document["kernels"]["state"] == "partly warm"
    assert document["kernels"]["warm_modules"] == 1
    assert document["cache"]["folders"]["kernels"]["bytes"] == 2_000


def test_a_missing_extra_says_how_to_get_it(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = doctor._version
    monkeypatch.setattr(
        doctor, "_version", lambda name: None if name == "matplotlib" else known(name)
    )
    found = command("doctor")
    assert found.status == 0
    assert "pip install 'untilt[plot]'" in found.out


def test_a_missing_package_is_a_problem(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    known = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "scipy" else known(name))
    found = command("doctor")
    assert found.status == 1
    assert "problem: the package scipy is missing" in found.out


def test_a_broken_compiler_is_a_problem(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "untilt.numeric.kernel_cache", None)
    found = command("doctor", "--json")
    assert found.status == 1
    assert found.json["kernels"]["state"] == "broken"
    assert "Numba does not work" in found.json["problems"][0]


def test_programs_are_not_required(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    found = command("doctor")
    assert found.status == 0
    assert "chromium     not found" in found.out


def test_modules_that_are_compiled_at_every_start_are_reported_with_the_reason(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path / "none"))
    found = command("doctor", "--json").json["python"]["bytecode"]
    assert found["modules"] > 500
    assert (found["compiled_modules"], found["problem"]) == (0, None)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    text = " ".join(command("doctor").out.split())
    assert f"0 of {found['modules']} modules are compiled, the others at every start" in text
    assert "unset the variable" in text
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path)
    problem = command("doctor", "--json").json["python"]["bytecode"]["problem"]
    assert problem == f"{tmp_path} cannot be written; set PYTHONPYCACHEPREFIX to a folder that can"
