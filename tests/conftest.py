"""For all tests: one BLAS thread, no deadlines, files in memory, little garbage, a fixed order."""

import gc
import os
import shutil
import signal
import sys
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is loaded; as the command has it

import pytest
from hypothesis import settings

settings.register_profile("untilt", deadline=None)
settings.load_profile("untilt")

# Hundreds of tests start a process, and each would compile all modules of the package again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Processes inherit what is ignored: SIGINT by commands in the background, SIGHUP after nohup.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

# Tests write some ten thousand small files. In memory, that takes a tenth of the time.
_MEMORY = Path("/dev/shm")
if os.access(_MEMORY, os.W_OK) and shutil.disk_usage(_MEMORY).free > 4 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(_MEMORY))

# Modules and tests live until the end: scanning them for garbage is wasted time, and so are
# frequent scans of the young objects of compilers and solvers.
gc.disable()

FIRST = (
    # In a fresh clone, each of these compiles kernels for a long time, and none of those of the
    # others: in this order, processes side by side do not compile the same kernels.
    "solvers/public_tree/test_public_tree.py",
    "solvers/qre/test_principal_branch.py",
    "solvers/mccfr/test_same_bits.py",
    "games/pushfold/test_learner.py",
    "solvers/blueprint/test_trainer.py",
    "solvers/test_cfr.py",
    "abstraction/buckets/test_card_abstraction.py",
    "cards/test_equity.py",
    "abstraction/test_dealer.py",
    "solvers/public_tree/test_as_histories.py",
    "solvers/qre/soft/test_dilated.py",
    "cards/evaluator/test_evaluator.py",
    # The longest of the others: what comes last should be short, or a process waits for another.
    "numeric/test_signatures.py",
    "docs/test_pages.py",
    "solvers/mccfr/test_objects.py",
    "solvers/qre/estimates/test_goodness.py",
    "games/test_every_game.py",
    "dashboard/test_browser.py",
    "dashboard/test_browser_play.py",
    "dashboard/test_matrix.py",
    "runs/test_forged_files.py",
    "dashboard/test_browser_spot.py",
    "games/holdem/test_pokerkit.py",
    "cli/app/test_watching.py",
    "solvers/mccfr/test_deals.py",
    "cli/test_cli_main.py",
    "runs/test_kill_injector.py",
    "abstraction/buckets/test_whole_tables.py",
    "games/holdem/spots/test_public_form.py",
    "cards/equity/test_preflop_table.py",
    "runs/test_sampling_runs.py",
    "cli/commands/solve/test_cli_chart.py",
    "cli/app/test_activity.py",
    "numeric/test_kernel_cache.py",
    "dashboard/test_dashboard_spot.py",
    "runs/pushfold/test_charts.py",
    "runs/test_kills.py",
    "exploitation/test_local_best_response.py",
)
"""Files below this folder that are begun before all others, in this order."""

TESTS = Path(__file__).parent


def pytest_xdist_auto_num_workers() -> int:
    # One more than cores: tests that wait for a process leave theirs to the others.
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    place = {TESTS / name: number for number, name in enumerate(FIRST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.set_threshold(20_000)
    gc.enable()
