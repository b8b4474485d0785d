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
from untilt.errors import InvalidOption, UntiltError, shortened
from untilt.formats.base.entries import damaged
from untilt.formats.run.run_file import RunRecord
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
    TRAIN_SEED,
    TRAINING,
    VISITS,
)
from untilt.options.option import Options, verified
from untilt.runs.stop import Stop, make_stop
from untilt.runs.task import RunTask
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
        neutral = {"lbr", "finish"} | ({"threads"} if options["synchronised"] else set())
        return {
            name: value
            for name, value in options.items()
            if name not in neutral and not (name in _LATER and value == _LATER[name])
        }

    def fingerprint(self) -> str:
        """Return what its checkpoints must have in common: a hash of rules, menu and cards."""
        text = json.dumps(blueprint_meta(self.rules, self.menu, self.cards), sort_keys=True)
        return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


BlueprintTask = RunTask[BlueprintSubject]


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
    TRAIN_SEED.verify(seed)
    return RunTask(subject, METHOD, checked_options(options), stop, seed)


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
