"""The process behind the push/fold tables of the page: it solves one table at a time.

    python -m untilt.cli.page.table_process

Each line of standard input is a request in JSON, and each line of standard output says how far it
is, what came out, or why it cannot be solved; see `dashboard.server.table_solving`. A new request
ends the one before it. The process ends with its standard input, or when nothing has been asked for
a while.
"""

import json
import os
import queue
import signal
import sys
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from untilt.cards.equity.three_way_file import three_way_counts
from untilt.errors import UntiltError
from untilt.games.pushfold.tables.table import PushFoldTable
from untilt.games.pushfold.tables.table_analysis import TableComparison, compare_ranges
from untilt.games.pushfold.tables.table_chart import TableChart
from untilt.games.pushfold.tables.table_text import ranges_of_text
from untilt.numeric.arrays import Floats
from untilt.numeric.chunks import OnShare
from untilt.policy.nodes.node_json import node_json
from untilt.policy.nodes.table_node import line_of, shown_unit, table_nodes
from untilt.runs.pushfold.tables import make_table, solve_chart_of_table

_KEPT = 32
"""Solved tables that are kept: a slider goes back and forth."""
_IDLE_SECONDS = 900.0
_SECONDS_BETWEEN_WORDS = 0.1

Json = dict[str, Any]


class Replaced(Exception):
    """A newer request has come."""


class Worker:
    """Answers requests, the newest first; older ones are dropped."""

    def __init__(self, threads: int) -> None:
        self._requests: queue.SimpleQueue[Json] = queue.SimpleQueue()
        self._threads = threads
        self._charts: OrderedDict[str, TableChart] = OrderedDict()
        self._last_word = 0.0

    def read_requests(self) -> None:
        """Take requests from standard input; end the process with it, whatever it does."""
        with os.fdopen(os.dup(0), encoding="utf-8") as lines:
            for line in lines:
                self._requests.put(json.loads(line))
        os._exit(0)

    def run(self) -> None:
        """Answer requests until none has come for long."""
        while True:
            try:
                request = self._requests.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                return
            if not self._requests.empty():
                continue
            number = request["number"]
            try:
                say({"number": number, "chart": self._answer(request)})
            except Replaced:
                pass
            except UntiltError as error:
                say({"number": number, "error": str(error)})

    def _watcher(self, number: int, words: str) -> OnShare:
        def look(share: float) -> None:
            if not self._requests.empty():
                raise Replaced
            if time.monotonic() - self._last_word > _SECONDS_BETWEEN_WORDS:
                self._last_word = time.monotonic()
                say({"number": number, "progress": share, "words": words})

        return look

    def _answer(self, request: Json) -> Json:
        given = request["table"]
        table = make_table(None, None, given.pop("stacks"), **given)
        text, is_locked = request["ranges"], request["is_locked"]
        others = ranges_of_text(table, "the text", text) if text else {}
        chart = self._chart(request["number"], table, others if is_locked else {})
        comparison = compare_ranges(chart, others) if others and not is_locked else None
        return chart_json(chart, comparison)

    def _chart(self, number: int, table: PushFoldTable, locked: Mapping[int, Floats]) -> TableChart:
        kept = {node: shares.tolist() for node, shares in locked.items()}
        key = json.dumps([repr(table), kept])
        if key in self._charts:
            self._charts.move_to_end(key)
            return self._charts[key]
        if table.num_seats > 2:
            # Not given up for a newer request, which needs it as well.
            three_way_counts(self._threads, self._counting(number))
        chart = solve_chart_of_table(
            table,
            locked=locked,
            threads=self._threads,
            watcher=self._watcher(number, "solving"),
        )
        self._charts[key] = chart
        if len(self._charts) > _KEPT:
            self._charts.popitem(last=False)
        return chart

    def _counting(self, number: int) -> OnShare:
        words = "counting all three-way all-ins, the first time only"
        return lambda share: say({"number": number, "progress": share, "words": words})


def chart_json(chart: TableChart, comparison: TableComparison | None) -> Json:
    """Return a chart as the `TableChart` of the page, with what other ranges cost."""
    scale, unit = shown_unit(chart)
    return {
        "seats": chart.seats,
        "stacks": chart.table.stacks,
        "stakes": chart.stakes_text,
        "unit": unit,
        "values": (scale * chart.values).tolist(),
        "values_bb": chart.values_bb.tolist(),
        "gains": (scale * chart.gains).tolist(),
        "returned": chart.returned,
        "iterations": chart.iterations,
        "nodes": [node_json(node) for node in table_nodes(chart)],
        "comparison": None if comparison is None else _comparison_json(comparison, scale),
    }


def _comparison_json(comparison: TableComparison, scale: float) -> Json:
    return {
        "costs": (scale * comparison.costs).tolist(),
        "gains": (scale * comparison.gains).tolist(),
        "decisions": [
            {
                "line": line_of(each.decision),
                "cost": scale * each.cost,
                "hands": each.theirs.round(7).tolist(),
            }
            for each in comparison.decisions
        ],
    }


def say(word: Json) -> None:
    """Write a line of JSON."""
    sys.stdout.write(json.dumps(word) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server ends it
    worker = Worker(os.cpu_count() or 1)
    threading.Thread(target=worker.read_requests, daemon=True).start()
    worker.run()
