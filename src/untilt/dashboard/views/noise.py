"""A spot at several noises: the page takes the nodes of each solution from the spot view."""

from untilt.dashboard.sources.source import Holdings, Json
from untilt.dashboard.view import View, may_show
from untilt.errors import FormatError, UntiltError
from untilt.formats.run.run_file import RunRecord, read_run_record


def offered(run: Holdings) -> bool:
    """Whether the run has an equilibrium of a spot."""
    return run.has_solution and _is_equilibrium(run.record)


def spot_summary(run: RunRecord | None) -> Json | None:
    """Return the `SpotSummary` of an equilibrium of a spot; None for other runs.

    Runs with the same fingerprint differ only in their noise.
    """
    if run is None or not _is_equilibrium(run):
        return None
    return {"fingerprint": run.fingerprint, "noise": _shares(run)}


def _is_equilibrium(run: RunRecord | None) -> bool:
    """Whether a run solves a spot, and is not a best response to given play."""
    if run is None or not may_show(run, "noise"):
        return False
    from untilt.games.holdem.solutions.ghost import RESPONSES

    return run.method not in RESPONSES


def _shares(run: RunRecord) -> tuple[float, float] | None:
    """Return both players' noise as shares of the pot; None for Nash."""
    text = run.options.get("noise")
    if text is None:
        return None
    from untilt.games.holdem.spots.noise import Noise
    from untilt.games.holdem.spots.spot import Spot

    try:
        noise = Noise.parse(text)
        if noise.beta is None:
            return noise.shares(1.0)
        # The record that is kept in memory has no spot; few noises are given per chip.
        return noise.shares(Spot.from_dict(read_run_record(run.path).parameters["spot"]).pot)
    except (UntiltError, KeyError) as error:
        raise FormatError(f"{run.path} has a noise that cannot be read: {error}") from error


VIEW = View("noise", offered)
