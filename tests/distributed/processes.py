"""Processes that others have started, and whether they have ended."""

import time
from pathlib import Path


def descendants(pid: int) -> set[int]:
    """Return a process and all that it has started."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*"):
        try:
            after_name = (path / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.name)] = int(after_name[1])
    found = {pid}
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return found


def wait_until_gone(pids: set[int], seconds: float) -> set[int]:
    """Wait until processes have ended, for some seconds at most; return those that have not."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pids = {pid for pid in pids if Path(f"/proc/{pid}").exists() and not is_zombie(pid)}
        if not pids:
            break
        time.sleep(0.2)
    return pids


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
