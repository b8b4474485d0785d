"""The folder of a grid of runs.

grid.json             the game, the axes and what all runs have in common
cells/00012.json      the result of one run, with a checksum
runs/02-cfr+          the folder of a run that is kept
"""

from pathlib import Path

from untilt.formats.task_folder import TaskFolder


class GridFolder(TaskFolder):
    """The files of a grid."""

    file_name = "grid.json"
    results_name = "cells"
    kind = "grid of runs"
    noun = "grid"

    @property
    def runs(self) -> Path:
        """The folder of the runs that are kept."""
        return self.path / "runs"
