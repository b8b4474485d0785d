"""A build that is killed while it writes a table: nothing of it is ever used."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.abstraction.buckets.tables import made_up

from untilt.abstraction.buckets.recipe import PREFLOP, BucketRecipe
from untilt.abstraction.buckets.store import obtain, path_of
from untilt.abstraction.buckets.streets import StreetBuilder, StreetTable

RECIPE = BucketRecipe(PREFLOP, 8)

KILLED = """
import time
from tests.abstraction.buckets.tables import made_up
from untilt.abstraction.buckets.recipe import PREFLOP, BucketRecipe
from untilt.abstraction.buckets.store import path_of, write_table
from untilt.formats.base import files

def wait(descriptor):
    print("half", flush=True)
    time.sleep(60)

files.os.fsync = wait  # all bytes are written, but the file has not got its name
write_table(path_of(BucketRecipe(PREFLOP, 8)), made_up(BucketRecipe(PREFLOP, 8)))
"""


class CountingBuilder(StreetBuilder):
    """Makes tables up, and counts them."""

    num_built = 0

    def build(self, recipe: BucketRecipe) -> StreetTable:
        self.num_built += 1
        return made_up(recipe)


@pytest.mark.skipif(os.name == "nt", reason="kills by signal")
def test_a_table_whose_writer_was_killed_is_built_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("UNTILT_CACHE_DIR", str(tmp_path))
    command = [sys.executable, "-c", KILLED]
    root = Path(__file__).parents[3]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "half\n"
        process.send_signal(signal.SIGKILL)
    path = path_of(RECIPE)
    assert [each.suffix for each in path.parent.iterdir()] == [".tmp"]
    builder = CountingBuilder(1, None)
    table = obtain(RECIPE, builder)
    np.testing.assert_array_equal(table.buckets, made_up(RECIPE).buckets)
    assert builder.num_built == 1
    assert list(path.parent.iterdir()) == [path], "what the killed process left is removed"
    obtain(RECIPE, builder)
    assert builder.num_built == 1, "the next time it is opened"
