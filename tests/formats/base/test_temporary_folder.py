"""Temporary folders: private, and removed after their process was killed."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from untilt.formats.base.temporary_folder import temporary_folder


def test_folders_of_processes_that_are_gone_are_removed(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    for pid in (os.getpid(), gone.pid):
        (tmp_path / f"untilt-x-{pid}-x").mkdir()
        (tmp_path / f"untilt-y-{pid}-x").mkdir()
    (tmp_path / "untilt-x-other").mkdir()
    others = {f"untilt-x-{os.getpid()}-x", "untilt-x-other"}
    with temporary_folder("untilt-x-", tmp_path) as new:
        assert {path.name for path in tmp_path.glob("untilt-x-*")} == others | {Path(new).name}
    assert {path.name for path in tmp_path.glob("untilt-x-*")} == others
    assert len(list(tmp_path.glob("untilt-y-*"))) == 2


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_the_user_can_enter_a_folder(tmp_path: Path) -> None:
    with temporary_folder("untilt-x-", tmp_path) as folder:
        assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700


@pytest.mark.skipif(os.name == "nt", reason="links need permissions on Windows")
def test_what_a_link_points_to_is_kept(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    (precious / "inside").mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    (tmp_path / f"untilt-x-{gone.pid}-x").symlink_to(precious)
    temporary_folder("untilt-x-", tmp_path).cleanup()
    assert (precious / "inside").is_dir()
