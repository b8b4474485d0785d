"""Cross-validation: the prediction of subjects' decisions by a β estimated from others.

Subjects are dealt into folds of nearly equal size. Each fold is held out in turn: β is estimated
from the others, and the log-likelihood of the held-out decisions is measured under the fitted
equilibrium, under equally likely actions, and under the frequencies of the others' decisions. Half
an observation of every action is added to the frequencies, so that none is ruled out (Krichevsky &
Trofimov 1981). A subject's decisions are never on both sides.

Reference: Stone 1974, "Cross-validatory choice and assessment of statistical predictions".
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from untilt.errors import InvalidOption
from untilt.number import finite
from untilt.numeric.arrays import Bools, Floats, Offsets
from untilt.numeric.streams import Stream
from untilt.solvers.qre.estimates.estimation import estimate
from untilt.solvers.qre.estimates.observed_play import ObservedPlay
from untilt.solvers.qre.options import FOLDS, LIKELIHOOD, MAX_BETA, SEED
from untilt.solvers.qre.problem import QuantalProblem

UNIFORM, FITTED, BY_LEVEL, FREQUENCIES = "uniform", "beta", "beta per level", "frequencies"

_ADDED = 0.5
"""Added to every count before frequencies are taken."""


@dataclass(frozen=True)
class HeldOut:
    """The score of a model on decisions that it has not seen."""

    model: str
    by_fold: tuple[float, ...]
    """Log-likelihoods; −inf if the model rules out what was observed."""

    @property
    def log_likelihood(self) -> float:
        """Of all folds together."""
        return sum(self.by_fold)


@dataclass(frozen=True)
class CrossValidation:
    """The held-out log-likelihoods of all models."""

    seed: int
    num_subjects: tuple[int, ...]
    """Held out, by fold."""
    num_decisions: tuple[int, ...]
    betas: tuple[float, ...]
    """Estimated from the other folds."""
    models: tuple[HeldOut, ...]
    """Uniform play, β, β per level if there are levels, and frequencies."""

    def to_json(self) -> dict[str, Any]:
        """Return the log-likelihoods as plain data; None for one that is minus infinity."""
        return {
            "folds": len(self.betas),
            "seed": self.seed,
            "subjects_by_fold": list(self.num_subjects),
            "decisions_by_fold": list(self.num_decisions),
            "betas": list(self.betas),
            "models": [
                {
                    "model": each.model,
                    "log_likelihood": finite(each.log_likelihood),
                    "per_decision": finite(each.log_likelihood / sum(self.num_decisions)),
                    "by_fold": [finite(value) for value in each.by_fold],
                }
                for each in self.models
            ],
        }


def cross_validate(
    problem: QuantalProblem,
    counts: Floats,
    subject_of_cell: Offsets,
    *,
    folds: int,
    seed: int = 0,
    level_of_cell: Offsets | None = None,
    per_player: bool = False,
    method: str = LIKELIHOOD,
    max_beta: float = MAX_BETA,
) -> CrossValidation:
    """Return the held-out log-likelihoods over `folds` folds of subjects.

    `counts` [C, A] are those of cells. With `level_of_cell`, a β per level is judged too; a level
    that the other folds lack has the common β.
    """
    FOLDS.verify(folds)
    SEED.verify(seed)
    subjects, subject_of_cell = np.unique(subject_of_cell, return_inverse=True)
    if folds > len(subjects):
        raise InvalidOption.of(
            "folds", folds, f"there are {len(subjects)} subjects; give at most as many folds"
        )
    fold_of_subject = _dealt(len(subjects), folds, seed)
    fold_of_cell = fold_of_subject[subject_of_cell]

    def behaviour_of(part: Bools) -> tuple[float, Floats]:
        observed = ObservedPlay(problem, counts[part].sum(axis=0))
        found = estimate(observed, method=method, per_player=per_player, max_beta=max_beta)
        return found.common.beta, found.behaviour

    sizes = np.diff(problem.variables.first_action)
    uniform = np.repeat(1.0 / sizes, sizes)
    betas, decisions = [], []
    by_model: dict[str, list[float]] = {}
    for fold in range(folds):
        is_held = fold_of_cell == fold
        held = counts[is_held].sum(axis=0)
        if not counts[~is_held].any():
            raise InvalidOption("all decisions are of one fold; give more folds")
        beta, fitted = behaviour_of(~is_held)
        betas.append(beta)
        decisions.append(int(held.sum()))
        values = {UNIFORM: _log_likelihood(held, uniform), FITTED: _log_likelihood(held, fitted)}
        if level_of_cell is not None:
            total = 0.0
            for level in np.unique(level_of_cell[is_held]).tolist():
                own = level_of_cell == level
                is_known = counts[own & ~is_held].any()
                behaviour = behaviour_of(own & ~is_held)[1] if is_known else fitted
                total += _log_likelihood(counts[own & is_held].sum(axis=0), behaviour)
            values[BY_LEVEL] = total
        added = counts[~is_held].sum(axis=0) + _ADDED
        totals = np.add.reduceat(added, problem.variables.first_action[:-1])
        values[FREQUENCIES] = _log_likelihood(held, added / np.repeat(totals, sizes))
        for model, value in values.items():
            by_model.setdefault(model, []).append(value)
    return CrossValidation(
        seed=seed,
        num_subjects=tuple(np.bincount(fold_of_subject, minlength=folds).tolist()),
        num_decisions=tuple(decisions),
        betas=tuple(betas),
        models=tuple(HeldOut(model, tuple(values)) for model, values in by_model.items()),
    )


def _dealt(num_subjects: int, folds: int, seed: int) -> Offsets:
    """Return a fold for each subject, at random; their sizes differ by at most one."""
    stream = Stream(seed)
    order = np.argsort([stream.random() for _ in range(num_subjects)], kind="stable")
    fold_of_subject = np.empty(num_subjects, dtype=np.int64)
    fold_of_subject[order] = np.arange(num_subjects) % folds
    return fold_of_subject


def _log_likelihood(counts: Floats, behaviour: Floats) -> float:
    seen = counts > 0.0
    if np.any(behaviour[seen] <= 0.0):
        return -np.inf
    return float(counts[seen] @ np.log(behaviour[seen]))
