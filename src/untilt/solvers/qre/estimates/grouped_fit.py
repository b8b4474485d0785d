"""A β for every group or treatment, and tests of whether they differ.

Each level of the conditions has its own estimate. A smaller model shares a β among levels; twice
the loss in log-likelihood is χ², with one degree of freedom for each β saved (Wilks 1938). That
assumes that all decisions are independent. With subjects, there is also a Wald test on log β that
is robust to dependence within them: the joint sandwich of all levels' estimates includes what the
same subject did at several levels, and W / df is compared with F(df, G − 1) (Cameron & Miller 2015,
section VII).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from untilt.errors import InvalidOption
from untilt.number import finite
from untilt.numeric.arrays import Floats, Offsets
from untilt.solvers.qre.estimates.estimation import Fit, fit
from untilt.solvers.qre.options import LIKELIHOOD
from untilt.solvers.qre.problem import QuantalProblem


@dataclass(frozen=True)
class Level:
    """The estimate for one group or treatment, or for one combination of the two."""

    name: str
    fit: Fit

    def to_json(self) -> dict[str, Any]:
        """Return the estimate as plain data."""
        own = self.fit
        return {
            "name": self.name,
            "beta": own.beta,
            "is_at_least": own.is_at_least,
            "standard_error": own.standard_error,
            "interval": [finite(end) for end in own.interval],
            "per_player_betas": own.per_player and list(own.per_player.betas),
            "clustered": own.clustered and own.clustered.to_json(),
            "log_likelihood": own.log_likelihood,
            "observations": own.num_observations,
        }


@dataclass(frozen=True)
class RobustTest:
    """A Wald test that allows for dependence within subjects."""

    statistic: float
    """F: Wald's statistic divided by its degrees of freedom."""
    df: int
    subjects_df: int
    """Of the denominator: one less than the number of subjects."""
    p_value: float

    def to_json(self) -> dict[str, Any]:
        """Return the test as plain data."""
        return {
            "f": self.statistic,
            "df": [self.df, self.subjects_df],
            "p_value": self.p_value,
        }


@dataclass(frozen=True)
class SharedModel:
    """A smaller model, in which β depends on fewer conditions, tested against all levels."""

    conditions: tuple[str, ...]
    """What β depends on; empty for one β."""
    num_parameters: int
    log_likelihood: float
    likelihood_ratio: float
    """2 × what the log-likelihood loses."""
    df: int
    p_value: float | None
    """By χ²; None if a β is not identified."""
    robust: RobustTest | None
    """None without subjects, with a β per player, or if a level has no clustered error."""

    def to_json(self) -> dict[str, Any]:
        """Return the model and its tests as plain data."""
        return {
            "beta_depends_on": list(self.conditions),
            "parameters": self.num_parameters,
            "log_likelihood": self.log_likelihood,
            "likelihood_ratio": self.likelihood_ratio,
            "df": self.df,
            "p_value": self.p_value,
            "robust": self.robust and self.robust.to_json(),
        }


@dataclass(frozen=True)
class GroupedFit:
    """An estimate for every level, and the smaller models."""

    conditions: tuple[str, ...]
    levels: tuple[Level, ...]
    num_parameters: int
    log_likelihood: float
    shared: tuple[SharedModel, ...]
    """The model with one β first."""

    def to_json(self) -> dict[str, Any]:
        """Return estimates and tests as plain data."""
        return {
            "conditions": list(self.conditions),
            "parameters": self.num_parameters,
            "log_likelihood": self.log_likelihood,
            "levels": [level.to_json() for level in self.levels],
            "tests": [model.to_json() for model in self.shared],
        }


def fit_levels(
    problem: QuantalProblem,
    counts: Floats,
    conditions: Mapping[str, Sequence[str]],
    subject_of_cell: Offsets | None = None,
    *,
    per_player: bool = False,
    method: str = LIKELIHOOD,
    **options: Any,
) -> GroupedFit:
    """Return an estimate for every combination of `conditions` that was observed.

    `counts` [C, A] are those of cells, `conditions` give each cell's level by condition, and
    `subject_of_cell` [C] who decided. Other options are those of `fit`.
    """
    roles = tuple(conditions)
    if not roles or any(len(conditions[role]) != len(counts) for role in roles):
        raise InvalidOption("conditions must give a level for every cell of counts")
    labels = list(zip(*(conditions[role] for role in roles), strict=True))
    names = sorted(set(labels))
    if len(names) < 2:
        raise InvalidOption(
            f"all observations have the {' and '.join(roles)} {', '.join(names[0])!r}: give a "
            "column with at least two values"
        )
    options = {"per_player": per_player, "method": method, **options}

    def fitted(level_of_name: Sequence[int]) -> list[Fit]:
        number = dict(zip(names, level_of_name, strict=True))
        codes = np.array([number[label] for label in labels])
        return [
            fit(problem, *_part(counts, subject_of_cell, codes == code), **options)
            for code in range(max(level_of_name) + 1)
        ]

    fits = fitted(range(len(names)))
    shared = []
    for size in range(len(roles)):
        for kept in combinations(range(len(roles)), size):
            texts = [tuple(name[role] for role in kept) for name in names]
            order = sorted(set(texts))
            class_of_level = [order.index(text) for text in texts]
            if len(order) == len(names):  # one condition determines the others
                continue
            fewer = tuple(roles[role] for role in kept)
            shared.append(_tested(fewer, fits, fitted(class_of_level), class_of_level))
    return GroupedFit(
        conditions=roles,
        levels=tuple(Level(", ".join(name), own) for name, own in zip(names, fits, strict=True)),
        num_parameters=_num_parameters(fits),
        log_likelihood=_log_likelihood(fits),
        shared=tuple(shared),
    )


def _part(
    counts: Floats, subject_of_cell: Offsets | None, is_inside: Any
) -> tuple[Floats, Floats | None]:
    """Return the counts of some cells, together and by subject."""
    inside = counts[is_inside]
    if subject_of_cell is None:
        return inside.sum(axis=0), None
    by_subject = np.zeros((int(subject_of_cell.max()) + 1, counts.shape[1]))
    np.add.at(by_subject, subject_of_cell[is_inside], inside)
    return inside.sum(axis=0), by_subject


def _log_likelihood(fits: Sequence[Fit]) -> float:
    return sum(
        own.log_likelihood if own.per_player is None else own.per_player.log_likelihood
        for own in fits
    )


def _num_parameters(fits: Sequence[Fit]) -> int:
    return sum(1 if own.per_player is None else 2 for own in fits)


def _is_identified(own: Fit) -> bool:
    if own.per_player is not None:
        return all(own.per_player.is_identified)
    return own.is_at_least or own.standard_error is not None


def _tested(
    conditions: tuple[str, ...],
    fits: Sequence[Fit],
    smaller: Sequence[Fit],
    class_of_level: Sequence[int],
) -> SharedModel:
    from scipy.special import chdtrc

    ratio = max(0.0, 2.0 * (_log_likelihood(fits) - _log_likelihood(smaller)))
    df = _num_parameters(fits) - _num_parameters(smaller)
    is_known = all(map(_is_identified, fits))
    return SharedModel(
        conditions=conditions,
        num_parameters=_num_parameters(smaller),
        log_likelihood=_log_likelihood(smaller),
        likelihood_ratio=ratio,
        df=df,
        p_value=float(chdtrc(df, ratio)) if is_known else None,
        robust=_robust_test(fits, class_of_level),
    )


def _robust_test(fits: Sequence[Fit], class_of_level: Sequence[int]) -> RobustTest | None:
    """Return the test of equal log β within every class of levels."""
    from scipy.special import fdtrc

    errors = [own.clustered for own in fits]
    scores, informations = [], []
    for own, error in zip(fits, errors, strict=True):
        if own.per_player is not None or error is None or error.standard_error is None:
            return None
        assert error.scores is not None
        assert error.information is not None
        scores.append(error.scores)
        informations.append(error.information)
    betas = np.array([own.beta for own in fits])
    # Derivatives by log β: scores times β, H times β² at a maximum.
    pulled = np.stack(scores, axis=1) / (np.array(informations) * betas)
    num_subjects = int(np.count_nonzero(np.abs(pulled).sum(axis=1)))
    covariance = num_subjects / (num_subjects - 1) * pulled.T @ pulled
    contrasts = []
    for level, own_class in enumerate(class_of_level):
        first = class_of_level.index(own_class)
        if first != level:
            row = np.zeros(len(fits))
            row[first], row[level] = 1.0, -1.0
            contrasts.append(row)
    matrix = np.array(contrasts)
    apart = matrix @ np.log(betas)
    spread = matrix @ covariance @ matrix.T
    df = len(contrasts)
    if num_subjects - 1 < df or np.linalg.matrix_rank(spread) < df:
        return None
    statistic = float(apart @ np.linalg.solve(spread, apart)) / df
    p_value = float(fdtrc(df, num_subjects - 1, statistic))
    return RobustTest(statistic, df, num_subjects - 1, p_value)
