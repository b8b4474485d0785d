"""The free memory of the machine."""

import os
from pathlib import Path

_MEMORY_SHARE = 0.9
"""The share of the free memory that a solver may need."""


def available_bytes() -> int:
    """Return the memory that a solver may use."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found = next(line for line in lines if line.startswith("MemAvailable:"))
        return int(_MEMORY_SHARE * 1024 * int(found.split()[1]))
    except (OSError, StopIteration, ValueError, IndexError):
        pass
    try:
        return int(_MEMORY_SHARE * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, OSError, ValueError):
        return 8 << 30
