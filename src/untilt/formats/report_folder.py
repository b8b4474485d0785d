"""The folder of a report over many flops.

report.json           the spot, the flops and how each is solved
flops/AsKs2h.json     what was found on this flop, with a checksum
"""

from untilt.formats.task_folder import TaskFolder


class ReportFolder(TaskFolder):
    """The files of a report."""

    file_name = "report.json"
    results_name = "flops"
    kind = "flop report"
    noun = "report"
