"""What a local cluster is started with; `test_ray.py` starts one."""

import importlib.util
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from untilt.distributed import ray_session
from untilt.distributed.address import parse_address
from untilt.distributed.ray_session import _local_options, _temporary_folder

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")

LONGEST_SOCKET = 107
SOCKET = "session_2026-11-18_10-57-54_123456_1234567/sockets/plasma_store"
AS_RAY_DOES = """
import sys
from ray._common.utils import try_to_create_directory
try_to_create_directory(sys.argv[1])
"""


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="needs the extra ray")
def test_nobody_else_can_enter_the_folder_of_a_local_cluster() -> None:
    with _temporary_folder() as folder:
        inside = _local_options(parse_address("local:2"), folder)["_temp_dir"]
        subprocess.run([sys.executable, "-c", AS_RAY_DOES, inside], check=True)
        assert stat.S_IMODE(Path(inside).stat().st_mode) == 0o777
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert folder in Path(inside).parents
    assert not folder.exists()


@pytest.mark.parametrize("length", [4, 12, 13, 14, 30, 60])
def test_the_sockets_of_a_local_cluster_have_room(
    length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Path] = []

    @contextmanager
    def new_folder(prefix: str, parent: Path) -> Iterator[str]:
        made.append(parent / f"{prefix}4194304-12345678")
        yield str(made[0])

    monkeypatch.setattr(ray_session, "temporary_folder", new_folder)
    monkeypatch.setattr("tempfile.tempdir", "/".ljust(length, "x"))
    with _temporary_folder() as folder:
        options = _local_options(parse_address("local:2"), folder)
        assert len(f"{options['_temp_dir']}/{SOCKET}") <= LONGEST_SOCKET
    assert made == [folder]
