"""The clusters that `--cluster` can name."""

import re
from dataclasses import dataclass

from untilt.errors import InvalidOption, shortened

IN_PROCESS, LOCAL, RAY = "in-process", "local", "ray"
MOST_WORKERS = 1024
ALLOWED = (
    "give local:N for N workers on this machine, auto for the Ray cluster of this machine, "
    "ray://HOST:PORT for one elsewhere, or in-process"
)

_COUNTED = re.compile(r"(in-process|local|auto)(?::(\d{1,6}))?")
_ELSEWHERE = re.compile(r"(ray://)?([A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):(\d{1,5})")


@dataclass(frozen=True)
class Address:
    """A cluster to start, or to join."""

    kind: str
    """IN_PROCESS, LOCAL or RAY."""
    workers: int | None
    """How many workers; None for one per processor of the cluster."""
    target: str | None = None
    """The address of a Ray cluster: `auto`, `ray://host:port` or `host:port`."""

    @property
    def is_one_machine(self) -> bool:
        """Whether all workers are on this machine."""
        return self.kind != RAY

    @property
    def host_and_port(self) -> tuple[str, int] | None:
        """Where the cluster answers, if the address says so."""
        found = None if self.target is None else _ELSEWHERE.fullmatch(self.target)
        return None if found is None else (found[2].strip("[]"), int(found[3]))


def parse_address(text: str) -> Address:
    """Return the cluster that a text names; raise InvalidOption for anything else."""
    given = text.strip()
    counted = _COUNTED.fullmatch(given)
    if counted is not None:
        kind, count = counted[1], counted[2]
        workers = None if count is None else int(count)
        if workers is not None and not 1 <= workers <= MOST_WORKERS:
            raise InvalidOption.of(
                "cluster", text, f"it can have 1 to {MOST_WORKERS} workers, such as {kind}:2"
            )
        if kind == "local" and workers is None:
            raise InvalidOption.of("cluster", text, "say how many workers: local:2")
        if kind == "auto":
            return Address(RAY, workers, "auto")
        return Address(IN_PROCESS if kind == IN_PROCESS else LOCAL, workers or 1)
    elsewhere = _ELSEWHERE.fullmatch(given)
    if elsewhere is None or not 0 < int(elsewhere[3]) < 1 << 16:
        raise InvalidOption.of("cluster", shortened(text).strip("'"), ALLOWED)
    return Address(RAY, None, given)
