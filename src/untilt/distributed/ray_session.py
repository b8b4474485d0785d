"""A connection to Ray: a local cluster, on loopback only, or an existing one.

Ray is an extra, imported here and nowhere else. The cluster that `local:N` starts sends no usage
statistics, has no dashboard, keeps its files in a temporary folder of its own, and ends with the
block, or soon after this process if it is killed.
"""

import logging
import os
import secrets
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from untilt.distributed.address import LOCAL, Address
from untilt.distributed.probe import verify_connects, verify_is_ray
from untilt.errors import Argument, ClusterError
from untilt.formats.base.temporary_folder import temporary_folder

_LOOPBACK = "127.0.0.1"
_STORE_BYTES = 128 << 20
_MESSAGE_BYTES = 4 << 20
"""Larger messages go through the object store, which takes tens of milliseconds."""
_LONGEST_FOLDER = 13
"""The paths of Ray's sockets are 94 characters longer, and may have at most 107."""

_PREFIX = "untilt-ray-"
_TOKEN = secrets.token_hex(32)
"""For all clusters that this process starts: Ray reads it only once."""

_ALWAYS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # Under `uv run`, Ray would start every worker through uv, which never becomes ready.
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",  # else Ray warns about the next version
    # Three attempts, in seconds: a mistyped address should not cost half a minute.
    "RAY_CLIENT_INITIAL_CONNECTION_TIMEOUT_S": "2",
    "RAY_CLIENT_MAX_CONNECTION_TIMEOUT_S": "2",
}
_ON_LOOPBACK = {
    # Private, hence the pinned minor: with 0, a cluster that this process starts binds all
    # its sockets to 127.0.0.1. It is read when Ray is imported.
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_raylet_start_wait_time_s": "120",  # Ray's default of 10 is too short on a busy machine
}
_SPARED = ("start_api_server", "start_monitor", "start_log_monitor")
"""Methods of Ray's node that start its dashboard (even if that is off), autoscaler and log reader:
150 MB for features that are not used here."""


@contextmanager
def ray_session(address: Address) -> Iterator[Any]:
    """Provide the module `ray`, connected; raise ClusterError if that is not possible."""
    given = {**_ALWAYS, **(_ON_LOOPBACK if address.kind == LOCAL else {})}
    if address.kind == LOCAL:
        given["RAY_AUTH_TOKEN"] = _TOKEN
    with _environment(given):
        _verify_installed()
        target = None if address.kind == LOCAL else _reachable(address)
        ray = _import_ray(is_local=address.kind == LOCAL)
        if ray.is_initialized():
            raise ClusterError("Ray is already in use in this process: call ray.shutdown() first")
        if target is None:
            with (
                _temporary_folder() as folder,
                only_what_computes(),
                _connected(ray, _local_options(address, folder), address),
                _last_will(ray, folder),
            ):
                yield ray
        else:
            with _connected(ray, {"address": target}, address):
                yield ray


@contextmanager
def _connected(ray: Any, options: dict[str, Any], address: Address) -> Iterator[None]:
    with _silenced():
        try:
            _connect(ray, options, address)
            yield
        finally:
            ray.shutdown()


@contextmanager
def _last_will(ray: Any, folder: Path) -> Iterator[None]:
    """Leave nothing behind even if this process is killed.

    Ray's head and its workers then end at once, but its agents would look for the head for a
    minute. A shell that waits for this process ends them, and removes the folder.
    """
    if os.name != "posix":
        yield
        return
    import psutil  # Ray brings it

    raylet = ray._private.worker._global_node.all_processes["raylet"][0].process.pid
    agents = [str(child.pid) for child in psutil.Process(raylet).children()]
    script = 'read -r _ || { sleep 1; kill -9 "$@"; rm -rf "$0"; }'
    with subprocess.Popen(
        ["/bin/sh", "-c", script, str(folder), *agents],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # so that Ctrl-C does not end it first
    ) as shell:
        try:
            yield
        finally:
            shell.communicate(b"all is well\n")


@contextmanager
def _silenced() -> Iterator[None]:
    """Keep Ray from printing what happens to workers to stdout: drivers report that."""
    from ray._private import worker

    before = worker.print_to_stdstream
    worker.print_to_stdstream = lambda *_, **__: None
    try:
        yield
    finally:
        worker.print_to_stdstream = before


@contextmanager
def only_what_computes() -> Iterator[None]:
    """Start nodes of this process without dashboard, autoscaler and log reader."""
    from ray._private.node import Node

    before = {name: getattr(Node, name) for name in _SPARED}
    for name in _SPARED:
        setattr(Node, name, lambda *_, **__: None)
    try:
        yield
    finally:
        for name, method in before.items():
            setattr(Node, name, method)


def _connect(ray: Any, options: dict[str, Any], address: Address) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what matters is raised as well
            ray.init(log_to_driver=False, logging_level=logging.ERROR, **options)
    except (ConnectionError, TimeoutError) as error:
        raise ClusterError(
            f"the Ray cluster {address.target} does not answer ({_first_line(error)}); start it "
            "with `ray start --head`, or use local:N"
        ) from error
    except RuntimeError as error:
        if "ersion mismatch" not in str(error):
            raise
        raise ClusterError(
            f"the cluster {address.target} has other versions than this machine: "
            f"{_one_line(error)}; install the same on all machines"
        ) from error
    except Exception as error:
        if "timed out during startup" not in str(error):
            raise
        raise ClusterError(
            "the local cluster did not start: this machine may be too busy; try again with fewer "
            "workers, or leave out ",
            Argument("cluster"),
        ) from error
    if address.kind == LOCAL:
        _verify_loopback(ray)


def _verify_installed() -> None:
    for name in ("ray", "grpc"):  # the latter is for Ray's client
        if find_spec(name) is None:
            raise ClusterError(
                "a cluster needs Ray, which is not installed: pip install 'untilt[ray]'"
            )


def _import_ray(*, is_local: bool) -> Any:
    was_there = "ray" in sys.modules
    import ray

    if is_local and was_there and not _is_bound_to_loopback():
        raise ClusterError(
            "Ray was imported before, and would listen on all interfaces: set "
            "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 before it is imported"
        )
    return ray


def _is_bound_to_loopback() -> bool:
    from ray._private import ray_constants

    return not ray_constants.ENABLE_RAY_CLUSTER


def _local_options(address: Address, folder: Path) -> dict[str, Any]:
    return {
        "address": "local",  # even if RAY_ADDRESS names another one
        "num_cpus": address.workers,
        "num_gpus": 0,
        "include_dashboard": False,
        "object_store_memory": _STORE_BYTES,
        "_node_ip_address": _LOOPBACK,
        # Ray opens its folder to all users, so it lies in one that only this user can enter.
        "_temp_dir": str(folder / "r"),
        "_system_config": {
            "max_direct_call_object_size": _MESSAGE_BYTES,
            "worker_niceness": 0,  # with Ray's 15 they starve beside any other program
        },
    }


def _verify_loopback(ray: Any) -> None:
    found = {node["NodeManagerAddress"] for node in ray.nodes()}
    if found != {_LOOPBACK}:
        raise ClusterError(
            f"this version of Ray ({ray.__version__}) listens on {', '.join(sorted(found))}, not "
            "only on this machine; install the one that untilt[ray] names"
        )


def _reachable(address: Address) -> str:
    """Return the address to connect to, after checking that something answers there."""
    target = address.target or "auto"
    if target == "auto":
        target = os.environ.get("RAY_ADDRESS") or "auto"
    if target == "auto":
        from ray._private.services import get_ray_address_from_environment

        try:
            target = get_ray_address_from_environment("auto", None)
        except ConnectionError:
            raise ClusterError(
                "no Ray cluster runs on this machine: start one with `ray start --head`, or use "
                "local:N"
            ) from None
    place = Address(address.kind, None, target).host_and_port
    if place is None:
        raise ClusterError(f"{target!r} is not the address of a Ray cluster, such as host:6379")
    verify_connects(target, place)
    verify_is_ray(target, _joined(target, place))
    return target


def _joined(target: str, place: tuple[str, int]) -> tuple[str, int]:
    """Return the place Ray connects to: this machine's own address instead of loopback.

    Ray would try for ever if the cluster did not listen there.
    """
    host, port = place
    if target.startswith("ray://") or not (host in ("localhost", "::1") or host.startswith("127.")):
        return place
    place = (str(import_module("ray.util").get_node_ip_address()), port)
    try:
        verify_connects(target, place)
    except ClusterError:
        raise ClusterError(
            f"the Ray cluster {target} cannot be joined: it listens on loopback only, as those of "
            "local:N do; start another one with `ray start --head`"
        ) from None
    return place


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    parent = Path(tempfile.gettempdir())
    if len(str(parent)) > _LONGEST_FOLDER and Path("/tmp").is_dir():
        parent = Path("/tmp")
    with temporary_folder(_PREFIX, parent) as folder:
        yield Path(folder)


@contextmanager
def _environment(given: dict[str, str]) -> Iterator[None]:
    """Set variables for this process and those that it starts, for the duration of the block."""
    before = {name: os.environ.get(name) for name in given}
    os.environ.update(given)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
