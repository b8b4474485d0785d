"""Quantiles of Student's t distribution, for confidence intervals of means."""

_Z = 1.959964


def student_quantile(free: int) -> float:
    """Return the 97.5 % quantile for so many degrees of freedom, at least 1.

    Abramowitz & Stegun 1964, 26.7.5, two terms.
    """
    first = (_Z**3 + _Z) / 4.0
    second = (5.0 * _Z**5 + 16.0 * _Z**3 + 3.0 * _Z) / 96.0
    return _Z + first / free + second / free**2
