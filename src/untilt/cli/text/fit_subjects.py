"""Text of `untilt fit` about subjects, groups and held-out decisions."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from untilt.solvers.qre.estimates.clustering import ClusteredErrors
    from untilt.solvers.qre.estimates.cross_validation import CrossValidation
    from untilt.solvers.qre.estimates.estimation import Fit
    from untilt.solvers.qre.estimates.grouped_fit import GroupedFit


def clustered_line(errors: "ClusteredErrors", seats: tuple[str, ...]) -> str:
    """Return the errors by subject as a line."""
    head = f"clustered by subject ({errors.num_subjects:,}):"
    if errors.standard_error is None:
        why = "one subject" if errors.num_subjects < 2 else "beta is a bound or not identified"
        return f"{head} no standard error: {why}"
    low, high = errors.interval
    per_player = ""
    if errors.per_player is not None:
        first, *others = (
            f"of {seat}'s{' beta' if not player else ''} {error:.3g}"
            for player, (seat, error) in enumerate(zip(seats, errors.per_player, strict=True))
        )
        per_player = f"; {', '.join([first, *others])}"
    return (
        f"{head} standard error {errors.standard_error:.3g}   95 % interval {low:.5g} to "
        f"{high:.5g}{per_player}"
    )


def _small_table(*headers: str) -> "Table":
    """Return a table whose first column is text and whose others are numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for index, header in enumerate(headers):
        table.add_column(header, justify="right" if index else "left")
    return table


def levels_table(found: "GroupedFit") -> "Table":
    """Return a row for every level."""
    has_subjects = found.levels[0].fit.clustered is not None
    columns = ["beta", "standard error"]
    columns += ["clustered", "subjects"] if has_subjects else []
    table = _small_table(", ".join(found.conditions), *columns, "decisions")
    for level in found.levels:
        own = level.fit
        cells = [_beta(own), _number(None if own.per_player else own.standard_error)]
        if own.per_player is not None:
            cells[1] = " / ".join(_number(each) for each in own.per_player.standard_errors)
        if own.clustered is not None:
            error = own.clustered.standard_error
            cells.append(_number(error))
            if own.per_player is not None:
                cells[-1] = " / ".join(map(_number, own.clustered.per_player or (None, None)))
            cells.append(f"{own.clustered.num_subjects:,}")
        table.add_row(_plain(level.name), *cells, f"{own.num_observations:,}")
    return table


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(text)  # names from a file are not markup


def _beta(own: "Fit") -> str:
    if own.per_player is not None:
        both = zip(own.per_player.betas, own.per_player.is_at_least, strict=True)
        return " / ".join(f"{'≥ ' * is_bound}{beta:.5g}" for beta, is_bound in both)
    return f"{'≥ ' * own.is_at_least}{own.beta:.5g}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3g}"


def tested_lines(found: "GroupedFit") -> Iterator[str]:
    """Yield a line for every smaller model, tested against all levels."""
    whole = f"beta per {' and '.join(found.conditions)}"
    for model in found.shared:
        name = f"beta per {' and '.join(model.conditions)}" if model.conditions else "one beta"
        line = f"{name} against {whole}: likelihood ratio {model.likelihood_ratio:.3f} on "
        line += f"{model.df} df, "
        if model.p_value is None:
            line += "not tested: a beta is not identified"
        else:
            line += f"p-value {model.p_value:.3g}"
        yield line
        if model.robust is not None:
            robust = model.robust
            yield (
                f"  robust to dependence within subjects: F({robust.df}, {robust.subjects_df}) = "
                f"{robust.statistic:.3f}, p-value {robust.p_value:.3g}"
            )


_MODEL_WORDS = {
    "uniform": "uniform play",
    "beta": "beta of the other folds",
    "beta per level": "the same, by group or treatment",
    "frequencies": "frequencies of the other folds",
}


def validation_table(found: "CrossValidation") -> "Table":
    """Return a row for every model."""
    table = _small_table("model", "held-out log-likelihood", "per decision")
    total = sum(found.num_decisions)
    for each in found.models:
        words = _MODEL_WORDS[each.model]
        table.add_row(words, f"{each.log_likelihood:.3f}", f"{each.log_likelihood / total:.5f}")
    return table


def validation_line(found: "CrossValidation") -> str:
    """Return how the folds were made, and the range of their estimates."""
    low, high = min(found.betas), max(found.betas)
    return (
        f"cross-validation: {len(found.betas)} folds of {sum(found.num_subjects):,} subjects, "
        f"seed {found.seed}, beta from {low:.5g} to {high:.5g}"
    )
