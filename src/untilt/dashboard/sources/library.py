"""Everything that is served: the run folders below one folder, and the documents opened.

A document is made into a run in a temporary folder, which is removed when the process ends.

A request names a run by its id, which is looked up among the runs found and never made into a
path. So no request can reach anything outside the served folder.
"""

import shutil
import stat
import time
from collections import OrderedDict
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Lock

from untilt.dashboard.sources.bounded_cache import BoundedCache
from untilt.dashboard.sources.documents import MAX_BYTES, write_document
from untilt.dashboard.sources.run_folder import ServedRun, as_utf8
from untilt.dashboard.sources.served_report import ServedReport, is_report
from untilt.dashboard.sources.source import NotAvailable
from untilt.errors import FormatError, InvalidOption, RunError
from untilt.formats.base.files import is_there, parse_json, read_given_json, shown
from untilt.formats.base.temporary_folder import folder_of
from untilt.formats.run.run_folder import RunFolder
from untilt.formats.run.run_list import MAX_DEPTH, MAX_FOLDERS, MAX_RUNS, inner_folders

MAX_DOCUMENTS = 20

MAX_CACHE_BYTES = 20 << 20
"""Limit for everything cached, over all runs."""

_EXAMPLES = Path(__file__).parents[1] / "examples"
"""Runs that come with the package, made by docs/generate_examples.py; never written to."""
_EXAMPLE_NAMES = ("river", "pushfold", "kuhn")
_EXAMPLE_PREFIX = ".example-"
"""No run has such an id: hidden folders are not served."""

_MAX_DOCUMENT_BYTES = 64 << 20
"""Limit for all documents together, on disk."""
_DOCUMENTS = "untilt-documents-"
"""The folder of the documents of a process begins with this."""
_SETTLED_NS = 2_000_000_000
"""A folder that changed less than this before it was listed is listed again: a further change may
fall within the same tick of the file system's clock."""


@dataclass(frozen=True)
class _Listing:
    """The contents of a folder when it was last listed."""

    changed_ns: int
    is_settled: bool
    is_run: bool
    is_report: bool
    folders: tuple[str, ...]


class Library:
    """Runs by id; safe to share between threads."""

    def __init__(
        self,
        root: Path | None,
        shown_root: str,
        start: str | None = None,
        *,
        max_depth: int = MAX_DEPTH,
    ) -> None:
        """Serve runs up to `max_depth` folders below `root`, which need not exist yet.

        Without a root, only documents are served. `start` is the id of the run to open first.
        """
        self.shown_root = shown_root
        self.start = start
        self._root = root
        self._max_depth = max_depth
        self._cache = BoundedCache(MAX_CACHE_BYTES)
        self._listings: dict[Path, _Listing] = {}
        self._runs: dict[str, ServedRun] = {}
        self._reports: dict[str, ServedReport] = {}
        self._documents: OrderedDict[str, ServedRun] = OrderedDict()
        self._sizes: dict[str, int] = {}
        """Of documents, in bytes."""
        self._folder: Path | None = None
        self._examples = {
            run.id: run
            for run in (
                ServedRun(_EXAMPLES / name, _EXAMPLE_PREFIX + name, f"example {name}", self._cache)
                for name in _EXAMPLE_NAMES
            )
        }
        self._numbers = count(1)
        self._lock = Lock()
        self.generation = 0
        """Changes whenever a run is added or removed."""

    @classmethod
    def of(cls, target: Path) -> "Library":
        """Return the library for `target`: a folder with runs, a run folder or a document."""
        is_document = target.suffix == ".json" and not target.is_dir()
        if target.exists() and not target.is_dir() and not (is_document and target.is_file()):
            raise RunError(
                f"{shown(target)} is neither a folder nor a .json document; give a folder with "
                "runs, a run folder, or a .json document"
            )
        if is_document:
            library = cls(None, str(target))
            content = read_given_json(target, max_bytes=MAX_BYTES)
            try:
                library.start = library._add(target.name, content)
            except FormatError as error:
                raise FormatError(f"{shown(target)}: {error}") from error
            return library
        if not target.is_dir():
            raise RunError(
                f"{shown(target)} does not exist; give a folder with runs, a run folder, or a "
                ".json document"
            )
        library = cls(target, str(target))
        library.scan()
        if RunFolder(target).run_file.exists():
            library.start = next(iter(library._runs), None)
        return library

    @property
    def root(self) -> Path | None:
        """The served folder; None if only documents are served."""
        return self._root

    def scan(self) -> bool:
        """Look for added and removed runs; return whether there are any.

        Only folders that have changed since the last scan are listed again.
        """
        if self._root is None:
            return False
        with self._lock:
            found: dict[str, ServedRun] = {}
            reports: dict[str, ServedReport] = {}
            listings: dict[Path, _Listing] = {}
            known = {run.folder: run for run in self._runs.values()}
            ids = set(self._runs)
            waiting = [(self._root, 0)]
            for folder, depth in waiting:
                listing = self._listing(folder)
                if listing is None:
                    continue
                listings[folder] = listing
                if listing.is_run:
                    run = known.get(folder) or self._run_at(folder, ids)
                    ids.add(run.id)
                    found[run.id] = run
                    if len(found) == MAX_RUNS:
                        break
                elif listing.is_report:
                    report = self._report_at(folder)
                    reports[report.id] = report
                elif depth < self._max_depth:
                    names = listing.folders[: MAX_FOLDERS - len(waiting)]
                    waiting += [(folder / name, depth + 1) for name in names]
            gone = known.keys() - {run.folder for run in found.values()}
            is_changed = found.keys() != self._runs.keys()
            is_changed |= reports.keys() != self._reports.keys()
            self.generation += is_changed
            self._listings, self._runs, self._reports = listings, found, reports
            if gone:
                self._cache.forget(lambda key: isinstance(key, tuple) and key[0] in gone)
            return is_changed

    def sources(self) -> list[ServedRun]:
        """Return all documents and runs, the newest first."""
        self.scan()
        with self._lock:
            documents = list(self._documents.values())
        runs = sorted(self._runs.values(), key=ServedRun.age_key, reverse=True)
        return [*reversed(documents), *runs]

    def reports(self) -> list[ServedReport]:
        """Return the reports over flops found by the last scan, in the order of their names."""
        return list(self._reports.values())

    def report(self, report_id: str) -> ServedReport:
        """Return the report with this id."""
        self.scan()
        found = self._reports.get(report_id)
        if found is None:
            raise NotAvailable(f"there is no report {report_id[:80]!r}; see the list of runs")
        return found

    def examples(self) -> list[ServedRun]:
        """Return the runs that come with the package; they are not among `sources`."""
        return [run for run in self._examples.values() if is_there(RunFolder(run.folder).run_file)]

    def is_example(self, source_id: str) -> bool:
        """Whether this is a run that comes with the package, which must not be written to."""
        return source_id in self._examples

    def source(self, source_id: str) -> ServedRun:
        """Return the run, document or example with this id."""
        found = (
            self.find_run(source_id)
            or self._documents.get(source_id)
            or self._examples.get(source_id)
        )
        if found is None and self.scan():
            found = self.find_run(source_id)
        if found is None:
            raise NotAvailable(f"there is no run {source_id[:80]!r}; see the list of runs")
        return found

    def run_of_folder(self, run_id: str) -> ServedRun:
        """Return a run below the served folder, which may be written to."""
        found = self.source(run_id)
        if found is not self.find_run(run_id):
            raise InvalidOption("only runs of the served folder can be labelled, not examples")
        return found

    def find_run(self, run_id: str) -> ServedRun | None:
        """Return a run found by the last scan."""
        return self._runs.get(run_id)

    def runs(self) -> list[ServedRun]:
        """Return the runs found by the last scan."""
        return list(self._runs.values())

    def changed_ns(self, run: ServedRun) -> int:
        """Return when files of the run were last added, removed or replaced, per the last scan."""
        listing = self._listings.get(run.folder)
        return 0 if listing is None else listing.changed_ns

    def add_document(self, data: bytes, name: str = "") -> str:
        """Make a document into a run and return its id; raise FormatError if it is not valid.

        It is listed under `name`; without one that can be shown, under a number.
        """
        if len(data) > MAX_BYTES:
            raise FormatError(f"the document is larger than {MAX_BYTES >> 20} MB")
        return self._add(name if name.isprintable() else None, parse_json(data))

    def new_folder(self, stem: str) -> tuple[Path, str]:
        """Return a free path for a new run directly below the served folder, and its id."""
        root = self._root
        if root is None or is_there(RunFolder(root).run_file):
            raise RunError(
                f"{self.shown_root} is not a folder of runs; serve one to solve new spots"
            )
        number = 1
        while is_there(root / f"{stem}-{number}"):
            number += 1
        name = f"{stem}-{number}"
        return root / name, id_of_name(name)

    def _add(self, name: str | None, content: object) -> str:
        number = next(self._numbers)
        # No run has such an id either.
        document_id = f".document-{number}"
        folder = self._documents_folder() / str(number)
        folder.mkdir()
        try:
            write_document(folder, content)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        run = ServedRun(folder, document_id, name or f"document {number}", self._cache)
        dropped: list[ServedRun] = []
        with self._lock:
            self._documents[document_id] = run
            self._sizes[document_id] = sum(file.stat().st_size for file in folder.iterdir())
            while len(self._documents) > 1 and (
                len(self._documents) > MAX_DOCUMENTS
                or sum(self._sizes.values()) > _MAX_DOCUMENT_BYTES
            ):
                oldest, gone = self._documents.popitem(last=False)
                del self._sizes[oldest]
                dropped.append(gone)
        for each in dropped:
            self._cache.forget(lambda key: isinstance(key, tuple) and key[0] == each.folder)  # noqa: B023
            shutil.rmtree(each.folder, ignore_errors=True)
        return document_id

    def _documents_folder(self) -> Path:
        with self._lock:
            if self._folder is None:
                self._folder = folder_of(self, _DOCUMENTS)
            return self._folder

    def _run_at(self, folder: Path, taken: set[str]) -> ServedRun:
        """Return the run of a new folder, with an id that is not `taken`."""
        assert self._root is not None
        if folder == self._root:
            name = folder.resolve().name or "run"
        else:
            name = folder.relative_to(self._root).as_posix()
        run_id = id_of_name(name)
        while run_id in taken:
            run_id += "~"
        return ServedRun(folder, run_id, as_utf8(name), self._cache)

    def _report_at(self, folder: Path) -> ServedReport:
        assert self._root is not None
        is_root = folder == self._root
        name = folder.resolve().name if is_root else folder.relative_to(self._root).as_posix()
        known = self._reports.get(id_of_name(name))
        if known is not None and known.folder == folder:
            return known
        return ServedReport(folder, id_of_name(name), as_utf8(name), self._cache)

    def _listing(self, folder: Path) -> _Listing | None:
        """Return what a folder contains, listed again if it changed; None if it is not a folder."""
        try:
            # The served folder itself may be a link: the user chose it.
            found = folder.stat() if folder == self._root else folder.lstat()
            if not stat.S_ISDIR(found.st_mode):
                return None
            listing = self._listings.get(folder)
            if listing and listing.is_settled and listing.changed_ns == found.st_mtime_ns:
                return listing
            is_run = is_there(RunFolder(folder).run_file)
            is_report_folder = is_report(folder)
            folders: list[str] = []
            if not is_run and not is_report_folder:
                folders = inner_folders(folder)
        except OSError:
            return None
        is_settled = time.time_ns() - found.st_mtime_ns > _SETTLED_NS
        return _Listing(found.st_mtime_ns, is_settled, is_run, is_report_folder, tuple(folders))


def id_of_name(name: str) -> str:
    """Return the id of the run at this path below the served folder, unless it is taken."""
    return as_utf8(name).replace("/", "~")
