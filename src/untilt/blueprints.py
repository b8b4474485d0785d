"""Training of blueprints: strategies for whole hold'em in an abstract game.

    trainer = untilt.blueprints.BlueprintTrainer(stack="20bb", menu="0.5, 1, a")
    trainer.train(seconds=60)

`untilt.load` reads an `untilt.Blueprint`, `untilt.play.ResolvingPolicy` plays one and solves
streets at the table, and `untilt.abstraction.CardAbstraction` groups the hands that it plays alike.
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.runs.blueprints.trainer import BlueprintTrainer as BlueprintTrainer

_HOME = {
    "BlueprintTrainer": "untilt.runs.blueprints.trainer",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
