"""The folder of a report over flops: what was asked, and the flops that are solved."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

from untilt.errors import FormatError, UntiltError
from untilt.formats.base.files import shown
from untilt.formats.base.store import REPORT, Store, fingerprint_of
from untilt.games.holdem.bets.betting_tree import BettingTree
from untilt.games.holdem.solutions.flop_rows import verify_flop_document
from untilt.games.holdem.solutions.flops import FlopChoice, choose_flops, weighted_choice
from untilt.games.holdem.spots.spot import Spot

_STOPS = ("iterations", "target", "time")


@dataclass(frozen=True)
class ReportRequest:
    """What a report was asked for."""

    spot: Spot
    """The spot, on the first of the flops."""
    choice: FlopChoice
    method: str
    options: Mapping[str, Any]
    stop: Mapping[str, Any]
    """For each flop: iterations, target and time, None for what was not given."""

    @classmethod
    def of(cls, asked: Mapping[str, Any], choice: FlopChoice) -> Self:
        """Return the request of a document, whose flops are `choice`."""
        return cls(
            Spot.from_dict(asked["spot"]),
            choice,
            asked["method"],
            dict(asked["options"]),
            {name: asked["stop"].get(name) for name in _STOPS},
        )

    @cached_property
    def fingerprint(self) -> str:
        """Common to all flops that were solved in the same way."""
        spot = self.spot.to_dict() | {"board": ""}
        return fingerprint_of([spot, self.method, dict(self.options), dict(self.stop)])

    def documents(self, folder: Path) -> dict[str, dict[str, Any]]:
        """Return what was found so far, by flop; what is damaged is not done."""
        files, betting = Store(REPORT, folder), self.spot.betting_tree()
        found: dict[str, dict[str, Any]] = {}
        for flop in self.choice.flops:
            document = files.read(flop.name, self.fingerprint)
            if document is not None and self._is_sound(document, betting):
                found[flop.name] = document
        return found

    def _is_sound(self, document: object, betting: BettingTree) -> bool:
        try:
            verify_flop_document(document, self.spot, betting)
        except FormatError:
            return False
        return True


def read_request(folder: Path) -> ReportRequest:
    """Return what the report in a folder was asked for."""
    asked = Store(REPORT, folder).asked()
    try:
        return ReportRequest.of(asked, _choice_of(asked))
    except (UntiltError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise damaged_request(folder, error) from error


def damaged_request(folder: Path, problem: object) -> FormatError:
    """Return the error of a request that nobody can have made."""
    return FormatError(f"{shown(folder)}/report.json is damaged ({problem})")


def _choice_of(asked: Mapping[str, Any]) -> FlopChoice:
    """Return the flops of a report as they were chosen, whatever a number would mean today."""
    ranges, wanted = Spot.from_dict(asked["spot"]).ranges, asked["flops"]
    if isinstance(wanted, list) or not str(wanted).strip().replace("_", "").isdecimal():
        return choose_flops(ranges, wanted)
    names = asked["boards"]
    # Reports without weights are older: their flops stand for equal slices of all deals.
    weights = asked["weights"] if "weights" in asked else [1.0 / len(names) for _ in names]
    words = f"{len(names):,} flops in the middle of equal slices of all deals"
    return weighted_choice(ranges, names, weights, str(asked.get("words", words)))
