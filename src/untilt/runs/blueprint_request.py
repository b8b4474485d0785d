"""The request of a blueprint's training, in memory and in `run.json`."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from untilt.abstraction.blueprint import blueprint_meta
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.expressions import parse_menu
from untilt.abstraction.menus import Menu
from untilt.errors import InvalidOption, RunError, UntiltError, shortened
from untilt.formats.entries import damaged
from untilt.formats.files import shown
from untilt.formats.run_file import RunRecord
from untilt.formats.run_folder import RunFolder
from untilt.game.terms import Terms
from untilt.games.holdem.rules import HoldemRules
from untilt.games.registry import holdem
from untilt.number import from_plain
from untilt.options.blueprint import (
    ALPHA,
    DEFER_AVERAGING,
    GAMMA,
    PRECISION,
    SAMPLING,
    SYNCHRONISED,
    THREADS,
    TRAIN_SEED,
    TRAINING,
    VISITS,
)
from untilt.options.option import Options, verified
from untilt.runs.request import RunRequest
from untilt.runs.stop import Stop, make_stop
from untilt.solvers.blueprint.rule import RULES, Discounting
from untilt.solvers.blueprint.tables import SPARSE
from untilt.solvers.blueprint.trainer import verify_sparse

METHOD = "blueprint"
DEFAULT_SECONDS = 60.0

TERMS = Terms(seats=("small blind", "big blind"), private="hand", public="board")

_LATER = {option.name: option.default for option in (SAMPLING, VISITS)}

CHUNKS = "chunks"
"""The option of a training whose batches are walked in chunks by workers; others lack it."""


@dataclass(frozen=True)
class BlueprintRequest(RunRequest):
    """The request of a training; iterations are deals, each learnt from in both seats."""

    kind: ClassVar[str] = "blueprint"

    @property
    def neutral(self) -> frozenset[str]:
        """Options that change how the result is computed, not the result."""
        by_threads = {THREADS.name} if self.options["synchronised"] else set()
        return frozenset(option.name for option in TRAINING if option.is_neutral) | by_threads

    def identity(self) -> dict[str, Any]:
        """Return what a checkpoint must have in common with the run, apart from the game.

        Options of later versions are left out if they have no effect: older checkpoints lack them.
        """
        found = super().identity()
        for name, usual in _LATER.items():
            if found["options"].get(name) == usual:
                del found["options"][name]
        return found

    @cached_property
    def rules(self) -> HoldemRules:
        """The rules of the game."""
        return holdem(**self.parameters["rules"]).rules

    @cached_property
    def menu(self) -> Menu:
        """The bets that players consider."""
        return parse_menu(self.parameters["menu"])

    @cached_property
    def cards(self) -> CardAbstraction:
        """The buckets of hands."""
        return CardAbstraction(**self.parameters["cards"])

    @property
    def discounting(self) -> Discounting:
        """How deals are weighted."""
        options = self.options
        named = RULES[str(options["rule"])]
        return named._replace(
            alpha=float(options["alpha"]),
            gamma=float(options["gamma"]),
            deferred=int(options["defer_averaging"]),
        )

    def fingerprint(self) -> str:
        """Return what its checkpoints must have in common: a hash of rules, menu and cards."""
        text = json.dumps(blueprint_meta(self.rules, self.menu, self.cards), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def request_of(
    rules: HoldemRules,
    menu: Menu,
    cards: CardAbstraction,
    stop: Stop,
    *,
    seed: int,
    options: Mapping[str, Any],
) -> BlueprintRequest:
    """Return the checked request for a training."""
    if not menu.is_ready_made:
        raise InvalidOption(
            f"the menu {shortened(menu.text)} contains your own function, which a blueprint cannot "
            "store; write it with pot_fractions, sizes, by_street and so on"
        )
    TRAIN_SEED.verify(seed)
    return BlueprintRequest(
        game="blueprint",
        title=f"Blueprint of {rules}",
        reference=None,
        parameters={"rules": rules.parameters, "menu": menu.text, "cards": cards.parameters},
        method=METHOD,
        options=checked_options(options),
        stop=stop,
        horizon=None,
        seed=seed,
        terms=TERMS,
    )


def checked_options(given: Mapping[str, Any]) -> Options:
    """Return all options, with defaults that depend on the rule; raise InvalidOption if wrong."""
    chosen = {name: value for name, value in given.items() if value is not None}
    options = verified(TRAINING, chosen)
    named = RULES[options["rule"]]
    by_rule = {
        ALPHA.name: named.alpha,
        GAMMA.name: named.gamma,
        DEFER_AVERAGING.name: named.deferred,
    }
    for name, usual in by_rule.items():
        options[name] = usual if options[name] is None else options[name]
    if options[CHUNKS] is None:
        del options[CHUNKS]
    if options["alpha"] not in (1.0, math.inf) and not named.is_clipped:
        raise InvalidOption.of(
            "alpha",
            options["alpha"],
            f"the rule {options['rule']} keeps negative regrets, so it must be 1 (linear) or "
            "infinite (no discount); use dcfr+",
        )
    if options["precision"] == SPARSE:
        is_synchronised, has_visits = bool(options["synchronised"]), bool(options["visits"])
        verify_sparse(named, is_synchronised=is_synchronised, has_visits=has_visits)
    if CHUNKS in options:
        _verify_chunks(options)
    return options


def _verify_chunks(options: Mapping[str, Any]) -> None:
    """Raise InvalidOption unless a training with these options can be shared out in chunks."""
    for option in (SYNCHRONISED, PRECISION, SAMPLING, VISITS):
        name, needed = option.name, option.default
        if options[name] != needed:
            raise InvalidOption.of(
                name, options[name], f"a training on a cluster needs {str(needed).lower()}"
            )


def read_blueprint_request(folder: Path) -> tuple[BlueprintRequest, RunRecord]:
    """Return the checked request of the training in `folder`, and the record in its run.json."""
    record = RunFolder(folder).record()
    if record.kind != BlueprintRequest.kind:
        raise RunError(f"{shown(folder)} is a run of {record.game}, not a blueprint")
    record.verify("format", "parameters", "method", "options", "stop", "seed", "fingerprint")
    assert record.seed is not None
    given = record.parameters
    try:
        request = request_of(
            holdem(**given["rules"]).rules,
            parse_menu(given["menu"]),
            CardAbstraction(**given["cards"]),
            _stop_of(record),
            seed=record.seed,
            options={name: from_plain(value) for name, value in record.options.items()},
        )
    except (UntiltError, KeyError, TypeError, ValueError) as error:
        raise damaged(record.path, f"the training: {shortened(str(error), 200)}") from error
    if record.fingerprint != request.fingerprint():
        raise damaged(record.path, "its training and its fingerprint differ")
    return request, record


def training_stop(iterations: int | None, seconds: float | None) -> Stop:
    """Return the checked stop of a training; with nothing given, a minute."""
    if iterations is None and seconds is None:
        return Stop(seconds=DEFAULT_SECONDS, is_default=True)
    return make_stop(iterations, None, seconds)


def _stop_of(record: RunRecord) -> Stop:
    stop = Stop(**asdict(record.stop))
    return stop if stop.is_default else training_stop(stop.iterations, stop.seconds)
