"""The task of a blueprint's training, in memory and in `run.json`."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from untilt.abstraction.blueprint import blueprint_meta
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.expressions import parse_menu
from untilt.abstraction.menus import Menu
from untilt.errors import InvalidOption, UnknownName, UntiltError, shortened
from untilt.formats.entries import damaged
from untilt.formats.run_file import RunRecord
from untilt.game.terms import Terms
from untilt.games.holdem.rules import HoldemRules
from untilt.games.registry import holdem
from untilt.number import Integer, Number, from_plain
from untilt.runs.stop import Stop, make_stop
from untilt.runs.task import Task
from untilt.solvers.blueprint.rule import RULES, Discounting
from untilt.solvers.blueprint.tables import DEFAULT_PRECISION, PRECISIONS, SPARSE
from untilt.solvers.blueprint.trainer import (
    DEFAULT_BATCH,
    DEFAULT_SAMPLING,
    SAMPLINGS,
    verify_sparse,
)
from untilt.solvers.options import Options

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
class BlueprintSubject:
    """Hold'em with the bets and the buckets of hands that a training knows."""

    rules: HoldemRules
    menu: Menu
    """The bets that players consider."""
    cards: CardAbstraction
    """The buckets of hands."""

    kind: ClassVar[str] = "blueprint"
    game: ClassVar[str] = "blueprint"
    reference: ClassVar[None] = None
    terms: ClassVar[Terms] = TERMS
    abstraction: ClassVar[None] = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Send data to other processes: a menu is made of functions."""
        return subject_of, (self.parameters,)

    @property
    def title(self) -> str:
        """The rules."""
        return f"Blueprint of {self.rules}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Rules, menu and cards as data."""
        return {
            "rules": self.rules.parameters,
            "menu": self.menu.text,
            "cards": self.cards.parameters,
        }

    def lasting(self, method: str, options: Options) -> Options:
        """Return the options on which the result depends.

        Options of later versions are left out if they have no effect: older checkpoints lack them.
        """
        del method
        neutral = {"lbr", "threads"} if options["synchronised"] else {"lbr"}
        return {
            name: value
            for name, value in options.items()
            if name not in neutral and not (name in _LATER and value == _LATER[name])
        }

    def fingerprint(self) -> str:
        """Return what its checkpoints must have in common: a hash of rules, menu and cards."""
        text = json.dumps(blueprint_meta(self.rules, self.menu, self.cards), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


BlueprintTask = Task[BlueprintSubject]


def subject_of(parameters: Mapping[str, Any]) -> BlueprintSubject:
    """Return the subject that data describe."""
    return BlueprintSubject(
        holdem(**parameters["rules"]).rules,
        parse_menu(parameters["menu"]),
        CardAbstraction(**parameters["cards"]),
    )


def discounting_of(options: Options) -> Discounting:
    """Return how deals are weighted."""
    named = RULES[str(options["rule"])]
    return named._replace(
        alpha=float(options["alpha"]),
        gamma=float(options["gamma"]),
        deferred=int(options["defer_averaging"]),
    )


def request_of(
    subject: BlueprintSubject,
    stop: Stop,
    *,
    seed: int,
    options: Mapping[str, Any],
) -> BlueprintTask:
    """Return the checked task of a training; iterations are deals, learnt from in both seats."""
    menu = subject.menu
    if not menu.is_ready_made:
        raise InvalidOption(
            f"the menu {shortened(menu.text)} contains your own function, which a blueprint cannot "
            "store; write it with pot_fractions, sizes, by_street and so on"
        )
    if type(seed) is not int or not 0 <= seed < 1 << 63:
        raise InvalidOption.of("seed", seed, "use an integer from 0 to 2⁶³ − 1")
    return Task(subject, METHOD, checked_options(options), stop, seed)


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


def read_blueprint_request(record: RunRecord) -> BlueprintTask:
    """Return the checked task that the run.json of a training describes."""
    record.verify("format", "parameters", "method", "options", "stop", "seed", "fingerprint")
    assert record.seed is not None
    try:
        task = request_of(
            subject_of(record.parameters),
            _stop_of(record),
            seed=record.seed,
            options={name: from_plain(value) for name, value in record.options.items()},
        )
    except (UntiltError, KeyError, TypeError, ValueError) as error:
        raise damaged(record.path, f"the training: {shortened(str(error), 200)}") from error
    if record.fingerprint != task.subject.fingerprint():
        raise damaged(record.path, "its training and its fingerprint differ")
    return task


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
