"""The folder of a report over flops as a source of the page: a line of the list, and its rows."""

import datetime
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.dashboard.sources.bounded_cache import BoundedCache
from untilt.dashboard.sources.reading import stamp_of
from untilt.dashboard.sources.source import Json
from untilt.errors import FormatError, UntiltError
from untilt.formats.base.files import is_there
from untilt.formats.base.store import REPORT, Store
from untilt.number import finite

if TYPE_CHECKING:
    from untilt.dashboard.sources.run_folder import ServedRun
    from untilt.games.holdem.bets.betting_tree import BettingTree
    from untilt.games.holdem.solutions.report import ReportRow
    from untilt.policy.saved.report_folder import ReportRequest

_BYTES_OF_FLOP = 4_000
"""Roughly what the numbers of a flop take in memory, for each of its lines."""


def is_report(folder: Path) -> bool:
    """Whether a folder is a report over flops."""
    return is_there(folder / REPORT.file_name)


@dataclass(frozen=True)
class _Content:
    """What was read of a report."""

    request: "ReportRequest"
    documents: dict[str, dict[str, Any]]


class ServedReport:
    """The report in `folder`; `name` is its path below the served folder."""

    def __init__(self, folder: Path, report_id: str, name: str, cache: BoundedCache) -> None:
        self.id = report_id
        self.name = name
        self.folder = folder
        self._cache = cache
        self._store = Store(REPORT, folder)

    def summary(self) -> Json:
        """Return its `ReportSummary`, without reading what was solved."""
        flops, problem, asked = 0, None, {}
        try:
            asked = self._asked()
            flops = len(asked["boards"])
        except (UntiltError, OSError) as error:
            problem = str(error)
        except (KeyError, TypeError):
            problem = f"{self.name}: report.json is damaged"
        spot = asked.get("spot")
        amounts = spot if isinstance(spot, dict) else {}
        return {
            "id": self.id,
            "name": self.name,
            "flops": flops,
            "solved": min(len(self._parts()), flops),
            "pot": _whole(amounts.get("pot")),
            "stack": _whole(amounts.get("stack")),
            "created": self._created(),
            "problem": problem,
        }

    def page(self, line: str, runs: Iterable["ServedRun"]) -> Json:
        """Return the `ReportPage` of a line in letters; `runs` may hold solutions of its flops."""
        from untilt.games.holdem.solutions.flop_rows import report_flops, verify_flop_line

        content = self._content()
        request = content.request
        letters = verify_flop_line(request.spot, line)
        report = report_flops(request.spot, request.choice, content.documents, letters)
        rows = {row.board: row for row in report.rows}
        solved = self._solved(content, runs)
        return {
            **self.summary(),
            "words": report.words,
            "method": request.method,
            "line": letters,
            "player": report.player,
            "pot_here": report.pot,
            "spot": request.spot.to_dict(),
            **_moves(request.spot.betting_tree(), letters),
            "rows": [
                {
                    "flop": flop.name,
                    "suits": flop.suit_pattern,
                    "pairing": flop.pairing,
                    "connectedness": flop.connectedness,
                    "run": solved.get(flop.name),
                    **_numbers(rows[flop.name], report.actions),
                }
                for flop in request.choice.flops
                if flop.name in rows
            ],
        }

    def _content(self) -> _Content:
        """Return what is solved so far, read again when a flop is added."""
        from untilt.policy.saved.report_folder import read_request

        def read() -> _Content:
            request = read_request(self.folder)
            return _Content(request, request.documents(self.folder))

        parts = self._parts()
        stamp = (stamp_of(self.folder / REPORT.file_name), parts)
        size = _BYTES_OF_FLOP * (1 + len(parts))
        return self._cache.get((self.folder, REPORT.name), stamp, read, lambda _: size)

    def _asked(self) -> Json:
        if stamp_of(self.folder / REPORT.file_name) is None:
            raise FormatError(f"{self.name} has no {REPORT.file_name}; was the report removed?")
        return self._store.asked()

    def _parts(self) -> tuple[tuple[str, Any], ...]:
        """Return the flops that are solved, each with the stamp of its file; links are left out."""
        found = []
        with suppress(OSError):
            for path in sorted(self._store.parts.glob("*.json")):
                with suppress(FormatError):
                    found.append((path.stem, stamp_of(path)))
        return tuple(found)

    def _created(self) -> str | None:
        try:
            changed = (self.folder / REPORT.file_name).lstat().st_mtime
            return datetime.datetime.fromtimestamp(changed, datetime.UTC).isoformat("T", "seconds")
        except (OSError, ValueError, OverflowError):
            return None

    def _solved(self, content: _Content, runs: Iterable["ServedRun"]) -> dict[str, str]:
        """Return the runs that are solutions of the spot on flops of the report, by flop."""
        from untilt.formats.run.run_file import read_run_record

        titles = {f"Spot {flop.name}": flop.name for flop in content.request.choice.flops}
        found: dict[str, str] = {}
        for run in runs:
            with suppress(UntiltError, OSError, KeyError, TypeError):
                record = run.record()
                flop = None if record is None else titles.get(record.title)
                if record is None or flop is None or flop in found:
                    continue
                asked = content.request.spot.replaced(board=flop).to_dict()
                spot = read_run_record(record.path).parameters["spot"]
                if "spot" in run.summary()["views"] and spot == asked:
                    found[flop] = run.id
        return found


def _moves(betting: "BettingTree", letters: str) -> Json:
    """Return the path to a line, the actions there, and where each leads."""
    from untilt.game.line import parse_line
    from untilt.game.public.public_tree import DECISION, NO_PARENT

    street, node = betting.find(parse_line(letters))
    forest = betting.streets[street]
    children = []
    for place in range(int(forest.num_actions[node])):
        child = int(forest.first_child[node]) + place
        is_shown = forest.kind[child] == DECISION
        children.append(betting.line(street, child).letters if is_shown else None)
    path = []
    at = node
    while forest.parent[at] != NO_PARENT:
        before = int(forest.parent[at])
        move = forest.actions[before][at - int(forest.first_child[before])]
        path.append(
            {
                "seat": int(forest.player[before]),
                "action": move.to_json(),
                "line": betting.line(street, at).letters,
            }
        )
        at = before
    return {
        "path": path[::-1],
        "actions": [action.to_json() for action in forest.actions[node]],
        "children": children,
    }


def _numbers(row: "ReportRow", actions: Iterable[str]) -> Json:
    return {
        "weight": row.weight,
        "mix": [finite(row.frequencies[name]) for name in actions],
        "ev": list(map(finite, row.ev)),
        "equity": list(map(finite, row.equity)),
        "eqr": list(map(finite, row.eqr)),
        "exploitability": row.exploitability,
    }


def _whole(number: object) -> int | None:
    return number if type(number) is int else None
