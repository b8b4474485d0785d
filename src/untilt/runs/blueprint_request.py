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
from untilt.errors import InvalidOption, RunError, UnknownName, UntiltError, shortened
from untilt.formats.entries import damaged
from untilt.formats.files import shown
from untilt.formats.run_file import RunRecord
from untilt.formats.run_folder import RunFolder
from untilt.game.terms import Terms
from untilt.games.holdem.rules import HoldemRules
from untilt.games.registry import holdem
from untilt.number import Integer, Number, from_plain
from untilt.options.option import Options
from untilt.runs.request import RunRequest
from untilt.runs.stop import Stop, make_stop
from untilt.solvers.blueprint.rule import RULES, Discounting
from untilt.solvers.blueprint.tables import DEFAULT_PRECISION, PRECISIONS, SPARSE
from untilt.solvers.blueprint.trainer import (
    DEFAULT_BATCH,
    DEFAULT_SAMPLING,
    SAMPLINGS,
    verify_sparse,
)

METHOD = "blueprint"
DEFAULT_RULE = "linear"
DEFAULT_SECONDS = 60.0

TERMS = Terms(seats=("small blind", "big blind"), private="hand", public="board")

_LATER = {"sampling": DEFAULT_SAMPLING, "visits": False}

_MIN_ALPHA = 1.0
"""With less, the weights of regrets outgrow every power of the deals, and overflow float32."""
_MAX_GAMMA = 3.0
"""Strategies are summed in float32: the weights t^γ of four billion deals stay below 3.4e38."""
_MAX_BATCH = 1 << 20
_MAX_LBR = 1_000_000
CHUNKS = "chunks"
"""The option of a training whose batches are walked in chunks by workers; others lack it."""
_MAX_CHUNKS = 1 << 10


@dataclass(frozen=True)
class BlueprintRequest(RunRequest):
    """The request of a training; iterations are deals, each learnt from in both seats."""

    kind: ClassVar[str] = "blueprint"

    @property
    def neutral(self) -> frozenset[str]:
        """Options that change how the result is computed, not the result."""
        return frozenset({"lbr", "threads"} if self.options["synchronised"] else {"lbr"})

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
    if type(seed) is not int or not 0 <= seed < 1 << 63:
        raise InvalidOption.of("seed", seed, "use an integer from 0 to 2⁶³ − 1")
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
    rule = given.get("rule") or DEFAULT_RULE
    if rule not in RULES:
        raise UnknownName.among("rule", rule, list(RULES))
    named = RULES[rule]
    options: Options = {
        "rule": rule,
        "alpha": named.alpha,
        "gamma": named.gamma,
        "defer_averaging": named.deferred,
        "threads": 1,
        "batch": DEFAULT_BATCH,
        "synchronised": True,
        "precision": DEFAULT_PRECISION,
        "sampling": DEFAULT_SAMPLING,
        "visits": False,
        "lbr": 0,
    }
    if given.get(CHUNKS) is not None:
        options[CHUNKS] = given[CHUNKS]
        _verify_integer(CHUNKS, given[CHUNKS], 1, _MAX_CHUNKS)
    for name, value in given.items():
        if name not in options and name != CHUNKS:
            raise UnknownName.among("option", name, list(options))
        if value is not None:
            options[name] = value
    if options["precision"] not in PRECISIONS:
        raise UnknownName.among("precision", options["precision"], list(PRECISIONS))
    if options["sampling"] not in SAMPLINGS:
        raise UnknownName.among("sampling", options["sampling"], list(SAMPLINGS))
    _verify_number("alpha", options["alpha"], _MIN_ALPHA, math.inf)
    _verify_number("gamma", options["gamma"], 0.0, _MAX_GAMMA)
    _verify_integer("defer_averaging", options["defer_averaging"], 0, 1 << 60)
    _verify_integer("threads", options["threads"], 1, 1 << 10)
    _verify_integer("batch", options["batch"], 1, _MAX_BATCH)
    _verify_integer("lbr", options["lbr"], 0, _MAX_LBR)
    if options["alpha"] not in (1.0, math.inf) and not named.is_clipped:
        raise InvalidOption.of(
            "alpha",
            options["alpha"],
            f"the rule {rule} keeps negative regrets, so it must be 1 (linear) or infinite (no "
            "discount); use dcfr+",
        )
    for name in ("synchronised", "visits"):
        if type(options[name]) is not bool:
            raise InvalidOption.of(name, options[name], "it must be True or False")
    if options["precision"] == SPARSE:
        is_synchronised, has_visits = bool(options["synchronised"]), bool(options["visits"])
        verify_sparse(named, is_synchronised=is_synchronised, has_visits=has_visits)
    if CHUNKS in options:
        _verify_chunks(options)
    return options


def _verify_chunks(options: Mapping[str, Any]) -> None:
    """Raise InvalidOption unless a training with these options can be shared out in chunks."""
    needed = {
        "synchronised": True,
        "precision": DEFAULT_PRECISION,
        "sampling": DEFAULT_SAMPLING,
        "visits": False,
    }
    for name, value in needed.items():
        if options[name] != value:
            raise InvalidOption.of(
                name, options[name], f"a training on a cluster needs {str(value).lower()}"
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


def _verify_number(name: str, value: Any, least: float, most: float) -> None:
    if not Number(least=least, most=most, or_infinite=True).accepts(value):
        limit = "" if math.isinf(most) else f" and at most {most:g}"
        raise InvalidOption.of(name, value, f"give a number, at least {least:g}{limit}")


def _verify_integer(name: str, value: Any, least: int, most: int) -> None:
    if not Integer(least, most).accepts(value):
        raise InvalidOption.of(name, value, f"give an integer from {least:,} to {most:,}")
