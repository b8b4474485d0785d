"""Training blueprints, new or continued, and the result.

    trainer = BlueprintTrainer(stack="20bb", menu="0.5,1,a", threads=2, checkpoint_dir="bp")
    trainer.train(seconds=60)
    trainer.save("blueprint.bin")

An iteration is one deal: sixteen hands of the learning player against one hand of the opponent, on
one board, learnt from in both seats.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, Self

from untilt.abstraction.blueprint import Blueprint
from untilt.abstraction.buckets.card_abstraction import CardAbstraction
from untilt.abstraction.expressions import parse_menu
from untilt.abstraction.menus import Menu, by_street, capped_bets, sizes
from untilt.errors import Argument, InvalidOption, RunError
from untilt.formats.base.files import path_of, shown
from untilt.formats.run.run_folder import RunFolder
from untilt.games.holdem.bets.sizes import STREETS
from untilt.games.holdem.rules import LARGEST_STACK, HoldemRules
from untilt.number import Amount
from untilt.options.blueprint import RULE
from untilt.runs.blueprints.blueprint_material import (
    BlueprintMaterial,
    TrainedBlueprint,
    WalkerMaker,
    walkers_of,
)
from untilt.runs.blueprints.blueprint_request import (
    CHUNKS,
    BlueprintSubject,
    request_of,
    training_stop,
)
from untilt.runs.drive import Drive
from untilt.runs.kinds import BLUEPRINT, read_task
from untilt.runs.kinds.kind import Changes, Means
from untilt.runs.recorder import Recorder
from untilt.runs.restoring import restore_solver
from untilt.runs.solve import begin, continued
from untilt.runs.stop import Stop
from untilt.runs.watching import Watcher, report_nothing

DEFAULT_MENU = "0.5, 1, 2, a / 0.5, 1, a"
"""Without 2 pots before the flop, raises to 5 big blinds are read as 3 or as all-in, and win."""
DEFAULT_CAP = 4
"""The most bets and raises on a street, a blind among them."""

DEFAULT_RIVER = 9
"""Buckets on the river for each texture of the board: about 200 in all. On a board that is known to
be wet or dry, a coarse equity says more than a fine one on an arbitrary board."""

DEFAULT_CHUNKS = 8
DEFAULT_CLUSTER_BATCH = 1 << 14
"""On a cluster, tables are sent once per batch, so a batch must take longer than that."""

_CHIPS_PER_BLIND = 2


def train_blueprint(
    rules: HoldemRules,
    menu: Menu,
    cards: CardAbstraction,
    *,
    iterations: int | None = None,
    time: float | None = None,
    seed: int = 0,
    output: str | Path | None = None,
    cluster: WalkerMaker | None = None,
    watcher: Watcher | None = None,
    **options: Any,
) -> TrainedBlueprint:
    """Train a blueprint in a new run folder, and return the result.

    With neither `iterations` nor `time` (seconds) it trains for a minute. With a `cluster`, its
    workers walk the deals, in batches of at least DEFAULT_CLUSTER_BATCH if no other is given.
    """
    stop = training_stop(iterations, time)
    if cluster is not None:
        options = {name: value for name, value in options.items() if value is not None}
        options = {CHUNKS: DEFAULT_CHUNKS, "batch": DEFAULT_CLUSTER_BATCH, **options}
    elif options.get(CHUNKS) is not None:
        raise InvalidOption("only a cluster walks deals in chunks: give a ", Argument("cluster"))
    subject = BlueprintSubject(rules, menu, cards)
    task = request_of(subject, stop, seed=seed, options=options)
    means = Means(watcher or report_nothing, cluster=cluster)
    found = begin(BLUEPRINT, task, means, output=output)
    assert isinstance(found, TrainedBlueprint)
    return found


def resume_blueprint(
    path: str | Path,
    *,
    iterations: int | None = None,
    time: float | None = None,
    threads: int | None = None,
    cluster: WalkerMaker | None = None,
    watcher: Watcher | None = None,
) -> TrainedBlueprint:
    """Continue the training in the folder `path`, bit for bit as if never stopped.

    A new stop counts from its beginning: `time` is the time in all.
    """
    changes = Changes(iterations, None, time, threads)
    means = Means(watcher or report_nothing, cluster=cluster)
    found = continued(BLUEPRINT, path_of(path), changes, means)
    assert isinstance(found, TrainedBlueprint)
    return found


def rules_for(stack: str | int) -> HoldemRules:
    """Return no-limit hold'em for a stack such as `92.5bb`, or chips; the big blind is 2 chips."""
    allowed = "give big blinds such as 100bb or 92.5bb, or chips of half a big blind each"
    amount = Amount.read("stack", stack, allowed)
    chips = amount.times(_CHIPS_PER_BLIND if amount.is_in_bb else 1)
    if chips is None or chips > LARGEST_STACK:
        raise InvalidOption.of("stack", stack, allowed)
    return HoldemRules(stacks=(chips, chips), blinds=(1, _CHIPS_PER_BLIND))


def menu_for(menu: str | Menu, cap: int | None = None) -> Menu:
    """Return a menu with at most `cap` bets on a street.

    For sizes such as `0.5, 1, a` that is 4 by default. A `/` separates streets, and the last sizes
    apply to all later ones. Text with calls, such as `by_street(sizes('a'), sizes('0.5'))`, is
    otherwise taken as it is.
    """
    if isinstance(menu, str) and "(" not in menu:
        streets = [sizes(each) for each in menu.split("/")]
        if len(streets) > len(STREETS):
            raise InvalidOption.of("menu", menu, f"give sizes of at most {len(STREETS)} streets")
        chosen = streets[0] if len(streets) == 1 else by_street(*streets)
        return capped_bets(chosen, DEFAULT_CAP if cap is None else cap)
    given = parse_menu(menu) if isinstance(menu, str) else menu
    return given if cap is None else capped_bets(given, cap)


def cards_for(**given: Any) -> CardAbstraction:
    """Return card buckets with defaults for what is None or missing.

    Those of the river follow the texture of the board, unless their number or the streets that do
    are given.
    """
    chosen = {name: value for name, value in given.items() if value is not None}
    if "river" not in chosen and "texture" not in chosen:
        chosen |= {"river": DEFAULT_RIVER, "texture": "river"}
    return CardAbstraction(**chosen)


class BlueprintTrainer:
    """Trains a blueprint from Python, step by step; see the module."""

    def __init__(
        self,
        stack: str | int = "100bb",
        cards: CardAbstraction | None = None,
        menu: str | Menu = DEFAULT_MENU,
        rule: str = RULE.default,
        *,
        seed: int = 0,
        checkpoint_dir: str | Path | None = None,
        **options: Any,
    ) -> None:
        self._request = request_of(
            BlueprintSubject(
                rules_for(stack), menu_for(menu), cards_for() if cards is None else cards
            ),
            Stop(),
            seed=seed,
            options={"rule": rule, **options},
        )
        walkers_of(self._request, None)
        self._folder = None if checkpoint_dir is None else path_of(checkpoint_dir)
        self._material = BlueprintMaterial(self._request)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the trainer of a run folder, or of a file in it, at its last checkpoint."""
        folder = path_of(path)
        if folder.is_file():
            folder = folder.parent
        trainer = cls.__new__(cls)
        trainer._request, _ = read_task(folder, BLUEPRINT)
        trainer._folder = folder
        walkers_of(trainer._request, None)
        trainer._material = material = BlueprintMaterial(trainer._request)
        loaded, _ = restore_solver(
            trainer._request, material.solver, folder, material.fingerprint, material.is_sound
        )
        if loaded is None:
            raise RunError(f"{shown(folder)} has no checkpoint yet")
        return trainer

    @property
    def iterations(self) -> int:
        """Deals learnt from so far."""
        return self._material.solver.iteration

    def train(
        self, seconds: float | None = None, iterations: int | None = None
    ) -> TrainedBlueprint:
        """Train for this time, or for this many more deals, and return the result."""
        before = self._material.solver.seconds, self.iterations
        stop = training_stop(
            None if iterations is None else before[1] + iterations,
            None if seconds is None else before[0] + seconds,
        )
        material = self._material
        material.request = replace(self._request, stop=stop)
        if self._folder is None:
            return _run(Drive(material, Recorder(), None, report_nothing))
        if RunFolder(self._folder).run_file.exists():
            with Recorder.reopen(self._folder) as recorder:
                drive = Drive(material, recorder, None, report_nothing)
                drive.restore()
                recorder.change_stop(stop)
                return _run(drive)
        with Recorder.create(self._folder, "holdem", "blueprint") as recorder:
            drive = Drive(material, recorder, None, report_nothing)
            drive.begin()
            return _run(drive)

    def save(self, path: str | Path) -> Blueprint:
        """Write the strategy found so far, and return it."""
        self._material.write(path_of(path))
        return Blueprint(path)


def _run(drive: Drive[TrainedBlueprint]) -> TrainedBlueprint:
    drive.warm_up()
    return drive.run()
