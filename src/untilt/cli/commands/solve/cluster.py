"""`untilt cluster`, and the option `--cluster` of other commands."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from untilt.cli.app.output import printing
from untilt.cli.app.sources import Json
from untilt.cli.options.option_flags import setting_of
from untilt.durations import shown_duration
from untilt.options.run import CLUSTER, told

if TYPE_CHECKING:
    from untilt.distributed.engine import Engine
    from untilt.runs.batches.pool import Pool
    from untilt.runs.blueprints.blueprint_material import WalkerMaker
    from untilt.runs.spots.spot_material import CrewMaker

app = typer.Typer(
    name="cluster",
    help="Clusters, on which other commands work with --cluster.\n\n"
    "With --json every command prints one JSON object.",
    rich_markup_mode=None,
    no_args_is_help=True,
)


@app.callback()
def _group() -> None:
    """Make this a group, though it has one command."""


@app.command()
def check(
    cluster: Annotated[
        str,
        setting_of(
            told(CLUSTER, "The cluster: local:N, auto (by default), ray://HOST:PORT or in-process.")
        ),
    ] = "auto",
    as_json: Json = False,
) -> int:
    """Say what a cluster has, which versions, and how long a message to a worker takes."""
    from untilt.cli.app.output import echo, print_json
    from untilt.distributed.check import check_cluster

    begin = time.perf_counter()
    with opened(cluster) as engine:
        found = check_cluster(engine, time.perf_counter() - begin)
    with printing():
        document = found.to_json()
        if as_json:
            print_json(document)
            return 0
        machines = ", ".join(f"{name} ({count})" for name, count in found.machines.items())
        versions = ", ".join(f"{name} {text}" for name, text in document["versions"].items())
        echo(f"workers       {len(found.workers)} on {machines}")
        echo(f"versions      {versions}")
        echo(f"processors    {', '.join(document['processors'])}")
        echo(f"start         {shown_duration(found.start_seconds)}")
        echo(f"round trip    {1e3 * found.call_seconds:.2f} ms empty")
        echo(f"              {1e3 * found.megabyte_seconds:.2f} ms with 1 MB in each direction")
    return 0


@contextmanager
def opened(cluster: str) -> "Iterator[Engine]":
    """Provide a cluster, and say what a user should know about it."""
    from untilt.cli.app.output import warn
    from untilt.distributed.engine import open_cluster

    with open_cluster(cluster) as engine:
        for note in engine.notes:
            warn(note)
        yield engine


@contextmanager
def pool_on(cluster: str | None) -> "Iterator[Pool | None]":
    """Provide a pool on a cluster; None without a cluster."""
    if cluster is None:
        yield None
        return
    from untilt.distributed.tasks import ClusterPool

    with opened(cluster) as engine:
        yield ClusterPool(engine)


@contextmanager
def trees_on(cluster: str | None) -> "Iterator[CrewMaker | None]":
    """Provide what distributes the boards of a spot over a cluster; None without a cluster."""
    if cluster is None:
        yield None
        return
    from untilt.cli.app.output import warn
    from untilt.distributed.remote_boards import TreeCluster

    with opened(cluster) as engine:
        yield TreeCluster(engine, warn)


@contextmanager
def walkers_on(cluster: str | None) -> "Iterator[WalkerMaker | None]":
    """Provide what walks the deals of a training run on a cluster; None without a cluster."""
    if cluster is None:
        yield None
        return
    from untilt.distributed.training import TrainingCluster

    with opened(cluster) as engine:
        yield TrainingCluster(engine)
