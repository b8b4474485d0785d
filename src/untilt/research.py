"""Building blocks for research: what the solvers are made of, under public names.

| to … | use |
| --- | --- |
| read a game as arrays | `SequenceForm`, `Side`, `GameTree`, `Infosets`, `compile_histories` |
| build such arrays | `Terminals`, `build_sequence_form`, `Terms` |
| sweep over a treeplex | `apply_payoff`, `sweep_expectation`, `sweep_maximum`, … |
| update regrets | `UpdateRule`, `Step`, `step_of`, `updated`, `matched`, `predicted`, `learn`, … |
| add a CFR variant | `cfr_variant` with `ALPHA`, `BETA`, `GAMMA`, `AVERAGE`, `PREDICTION`, … |
| write another solver | `Method`, `Task`, `Option`, `Solver`, `Progress`, `sequence_snapshot` |
| give a method a name | `register_method` |
| measure plans | `plans_of`, `evaluate_plans`, `solve_plans` |
| trace quantal response | `QuantalProblem`, `trace`, `Branch` |
| look at the tree of a spot | `view_spot`, `measure_spot` |
| compile a kernel | `kernel`, `inlined`, `Stream` |

Regret rules and sweeps are compiled; they also run inside your own `@kernel` functions. Names
are loaded on first use.

    >>> import numpy as np, untilt
    >>> from untilt.research import apply_payoff, sweep_maximum
    >>> form = untilt.games.compile("kuhn").exact_form()
    >>> side = form.sides[0]
    >>> values, best = np.empty(side.num_sequences), np.empty(side.num_infosets, np.uint32)
    >>> plans = form.plans(untilt.strategies.uniform("kuhn").behaviours)
    >>> apply_payoff(side, side.payoff, plans[1], values)
    >>> sweep_maximum(side, values, best)
    >>> round(float(values[0]), 6)  # what the best response to random play wins
    0.5
"""

from typing import TYPE_CHECKING

from untilt.lazy import lazy_names

if TYPE_CHECKING:
    from untilt.evaluation.best_response import Evaluation as Evaluation
    from untilt.evaluation.best_response import evaluate_plans as evaluate_plans
    from untilt.evaluation.best_response import plans_of as plans_of
    from untilt.evaluation.snapshots import sequence_snapshot as sequence_snapshot
    from untilt.game.compiled import compile_histories as compile_histories
    from untilt.game.histories.tree import GameTree as GameTree
    from untilt.game.names.infosets import Infosets as Infosets
    from untilt.game.protocol import Action as Action
    from untilt.game.sequence.sequence_form import SequenceForm as SequenceForm
    from untilt.game.sequence.sequence_form import Side as Side
    from untilt.game.sequence.sequence_form import Terminals as Terminals
    from untilt.game.sequence.sequence_form import build_sequence_form as build_sequence_form
    from untilt.game.sequence.sweeps import apply_payoff as apply_payoff
    from untilt.game.sequence.sweeps import behaviour_from_plan as behaviour_from_plan
    from untilt.game.sequence.sweeps import plan_from_behaviour as plan_from_behaviour
    from untilt.game.sequence.sweeps import sweep_expectation as sweep_expectation
    from untilt.game.sequence.sweeps import sweep_maximum as sweep_maximum
    from untilt.game.strategy.snapshot import SequenceSnapshot as SequenceSnapshot
    from untilt.game.strategy.strategy import profile_from_arrays as profile_from_arrays
    from untilt.game.terms import Terms as Terms
    from untilt.games.holdem.cost.spot_size import measure_spot as measure_spot
    from untilt.games.holdem.spots.spot_view import view_spot as view_spot
    from untilt.numeric.kernel import inlined as inlined
    from untilt.numeric.kernel import kernel as kernel
    from untilt.numeric.streams import Stream as Stream
    from untilt.options.option import Check as Check
    from untilt.options.option import Option as Option
    from untilt.options.option import integer as integer
    from untilt.options.option import number as number
    from untilt.regret.matching import clipped as clipped
    from untilt.regret.matching import discounted as discounted
    from untilt.regret.matching import learn as learn
    from untilt.regret.matching import matched as matched
    from untilt.regret.matching import normalise as normalise
    from untilt.regret.matching import predicted as predicted
    from untilt.regret.matching import updated as updated
    from untilt.regret.rule import LINEAR as LINEAR
    from untilt.regret.rule import QUADRATIC as QUADRATIC
    from untilt.regret.rule import QUARTIC as QUARTIC
    from untilt.regret.rule import UNIFORM as UNIFORM
    from untilt.regret.rule import UpdateRule as UpdateRule
    from untilt.regret.step import Step as Step
    from untilt.regret.step import step_of as step_of
    from untilt.solvers.cfr import CfrSolver as CfrSolver
    from untilt.solvers.lp import LpSolver as LpSolver
    from untilt.solvers.lp import solve_plans as solve_plans
    from untilt.solvers.methods import ALPHA as ALPHA
    from untilt.solvers.methods import AVERAGE as AVERAGE
    from untilt.solvers.methods import BETA as BETA
    from untilt.solvers.methods import DEFER_AVERAGING as DEFER_AVERAGING
    from untilt.solvers.methods import GAMMA as GAMMA
    from untilt.solvers.methods import METHODS as METHODS
    from untilt.solvers.methods import PREDICTION as PREDICTION
    from untilt.solvers.methods import Method as Method
    from untilt.solvers.methods import Task as Task
    from untilt.solvers.methods import cfr_variant as cfr_variant
    from untilt.solvers.methods import method_named as method_named
    from untilt.solvers.methods import register_method as register_method
    from untilt.solvers.moments import is_moment as is_moment
    from untilt.solvers.moments import next_moment as next_moment
    from untilt.solvers.progress import Progress as Progress
    from untilt.solvers.progress import Solver as Solver
    from untilt.solvers.qre.branches.arclength import trace as trace
    from untilt.solvers.qre.branches.branch import REACHED as REACHED
    from untilt.solvers.qre.branches.branch import Branch as Branch
    from untilt.solvers.qre.problem import QuantalProblem as QuantalProblem

_HOME = {
    "ALPHA": "untilt.solvers.methods",
    "AVERAGE": "untilt.solvers.methods",
    "Action": "untilt.game.protocol",
    "BETA": "untilt.solvers.methods",
    "Branch": "untilt.solvers.qre.branches.branch",
    "CfrSolver": "untilt.solvers.cfr",
    "Check": "untilt.options.option",
    "DEFER_AVERAGING": "untilt.solvers.methods",
    "Evaluation": "untilt.evaluation.best_response",
    "GAMMA": "untilt.solvers.methods",
    "GameTree": "untilt.game.histories.tree",
    "Infosets": "untilt.game.names.infosets",
    "LINEAR": "untilt.regret.rule",
    "LpSolver": "untilt.solvers.lp",
    "METHODS": "untilt.solvers.methods",
    "Method": "untilt.solvers.methods",
    "Option": "untilt.options.option",
    "PREDICTION": "untilt.solvers.methods",
    "Progress": "untilt.solvers.progress",
    "QUADRATIC": "untilt.regret.rule",
    "QUARTIC": "untilt.regret.rule",
    "QuantalProblem": "untilt.solvers.qre.problem",
    "REACHED": "untilt.solvers.qre.branches.branch",
    "SequenceForm": "untilt.game.sequence.sequence_form",
    "SequenceSnapshot": "untilt.game.strategy.snapshot",
    "Side": "untilt.game.sequence.sequence_form",
    "Solver": "untilt.solvers.progress",
    "Step": "untilt.regret.step",
    "Stream": "untilt.numeric.streams",
    "Task": "untilt.solvers.methods",
    "Terminals": "untilt.game.sequence.sequence_form",
    "Terms": "untilt.game.terms",
    "UNIFORM": "untilt.regret.rule",
    "UpdateRule": "untilt.regret.rule",
    "apply_payoff": "untilt.game.sequence.sweeps",
    "behaviour_from_plan": "untilt.game.sequence.sweeps",
    "build_sequence_form": "untilt.game.sequence.sequence_form",
    "cfr_variant": "untilt.solvers.methods",
    "clipped": "untilt.regret.matching",
    "compile_histories": "untilt.game.compiled",
    "discounted": "untilt.regret.matching",
    "evaluate_plans": "untilt.evaluation.best_response",
    "inlined": "untilt.numeric.kernel",
    "integer": "untilt.options.option",
    "is_moment": "untilt.solvers.moments",
    "kernel": "untilt.numeric.kernel",
    "learn": "untilt.regret.matching",
    "matched": "untilt.regret.matching",
    "measure_spot": "untilt.games.holdem.cost.spot_size",
    "method_named": "untilt.solvers.methods",
    "next_moment": "untilt.solvers.moments",
    "normalise": "untilt.regret.matching",
    "number": "untilt.options.option",
    "plan_from_behaviour": "untilt.game.sequence.sweeps",
    "plans_of": "untilt.evaluation.best_response",
    "predicted": "untilt.regret.matching",
    "profile_from_arrays": "untilt.game.strategy.strategy",
    "register_method": "untilt.solvers.methods",
    "sequence_snapshot": "untilt.evaluation.snapshots",
    "solve_plans": "untilt.solvers.lp",
    "step_of": "untilt.regret.step",
    "sweep_expectation": "untilt.game.sequence.sweeps",
    "sweep_maximum": "untilt.game.sequence.sweeps",
    "trace": "untilt.solvers.qre.branches.arclength",
    "updated": "untilt.regret.matching",
    "view_spot": "untilt.games.holdem.spots.spot_view",
}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(__name__, _HOME)
