"""Write the tables of methods and options into the pages, from the table of methods.

    uv run python docs/generate_tables.py

A table stands between `<!-- table: NAME -->` and `<!-- end of table -->`; a test compares them.
"""

import math
import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path

from untilt.options import blueprint, exploit, pushfold, report, spot, thinking
from untilt.options.option import Option, Value
from untilt.solvers.methods import DEFAULT_METHOD, METHODS, Method
from untilt.solvers.public_tree.methods import SPOT_METHODS

ROOT = Path(__file__).parents[1]
PAGES = (
    *(
        ROOT / "docs" / f"{name}.md"
        for name in (
            *("mathematics", "methods", "monte-carlo", "quantal-response", "blueprints"),
            *("regret-storage", "resolving", "exploiting", "spots", "reports"),
        )
    ),
)

_BLOCK = re.compile(r"(<!-- table: ([\w ]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def methods_table() -> Iterator[str]:
    """Yield the lines of the table of methods, short names beside the long ones."""
    yield "| method | what it is |"
    yield "| --- | --- |"
    for method in METHODS.values():
        if method.short_for is None and method.command == "solve":
            short = [other.name for other in METHODS.values() if other.short_for == method.name]
            names = ", ".join(f"`{name}`" for name in [method.name, *short])
            default = "; the default" if method.name == DEFAULT_METHOD else ""
            yield f"| {names} | {method.summary}{default} |"


def rules_table() -> Iterator[str]:
    """Yield the lines of the table of update rules of the CFR family, by default."""
    yield "| method | $\\alpha$ | $\\beta$ | clips | $\\theta$ | $\\gamma$ | updates |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for method in _family("cfr"):
        assert method.rule is not None
        rule, options = method.rule(method.defaults), method.defaults
        gamma = _moving(rule.gamma, rule.gamma_drift)
        if "average" in options:
            gamma += f" ({options['average']})"
        if options.get("defer_averaging"):
            gamma += ", deferred"
        cells = [
            f"`{method.name}`",
            _moving(rule.alpha, rule.alpha_drift),
            "–" if rule.is_clipped else _moving(rule.beta, rule.beta_drift),
            "yes" if rule.is_clipped else "no",
            _number(rule.prediction),
            gamma,
            "alternating" if rule.is_alternating else "simultaneous",
        ]
        yield f"| {' | '.join(cells)} |"


def _moving(exponent: float, drift: float) -> str:
    """Return an exponent at the beginning, and at the horizon if it moves."""
    return f"{_number(exponent)} → {_number(exponent + drift)}" if drift else _number(exponent)


def options_table(family: str) -> Iterator[str]:
    """Yield the lines of the table of options of a family of methods."""
    yield "| option | values | by default | what it does |"
    yield "| --- | --- | --- | --- |"
    declared: dict[tuple[str, str], list[tuple[Method, Option]]] = {}
    for method in _family(family):
        for option in method.takes:
            declared.setdefault((option.name, option.help), []).append((method, option))
    for (_, text), takers in declared.items():
        defaults: dict[Value, list[str]] = {}
        for method, option in takers:
            defaults.setdefault(option.default, []).append(f"`{method.name}`")
        is_shared = len(defaults) == 1 and len(takers) == len(_family(family))
        by_default = ", ".join(
            _value(value) if is_shared else f"{_value(value)} ({', '.join(names)})"
            for value, names in defaults.items()
        )
        allowed = takers[0][1].allowed
        yield f"| {_spelling(takers[0][1])} | {allowed} | {by_default} | {text} |"


def rows_table(options: Iterable[Option]) -> Iterator[str]:
    """Yield the lines of a table of options that stand for themselves."""
    yield "| option | values | by default | what it does |"
    yield "| --- | --- | --- | --- |"
    for option in options:
        by_default = "" if option.default is None else _value(option.default)
        yield f"| {_spelling(option)} | {option.allowed} | {by_default} | {option.help} |"


TABLES = {
    "methods": methods_table,
    "rules": rules_table,
    "options of cfr": lambda: options_table("cfr"),
    "options of mccfr": lambda: options_table("mccfr"),
    "options of qre": lambda: options_table("qre"),
    "options of blueprints": lambda: rows_table(blueprint.TRAINING),
    "options of pushfold": lambda: rows_table(pushfold.LEARNING),
    "options of thinking": lambda: rows_table(thinking.THINKING),
    "options of exploit": lambda: rows_table(exploit.EXPLOIT),
    "options of spots": lambda: rows_table((*spot.SPOT, *SPOT_METHODS["dcfr"].takes)),
    "options of reports": lambda: rows_table((*report.PLACE, *report.SOLVING)),
}


def with_tables(page: str) -> str:
    """Return the text of a page with its tables written again."""
    return _BLOCK.sub(lambda block: "\n".join([block[1], *TABLES[block[2]](), "", block[3]]), page)


def _family(name: str) -> list[Method]:
    return [
        method for method in METHODS.values() if method.family == name and method.short_for is None
    ]


def _spelling(option: Option) -> str:
    """Return the flag of an option, and its name in Python where that is another word."""
    if not option.is_flag:
        return f"`{option.name}` in Python"
    flag = option.spelling
    is_same = flag == f"--{option.name.replace('_', '-')}"
    return f"`{flag}`" if is_same else f"`{flag}`, `{option.name}` in Python"


def _value(value: Value) -> str:
    if isinstance(value, bool):
        return str(value)
    return (value or "none") if isinstance(value, str) else _number(value)


def _number(value: float) -> str:
    """Return a number, with a small denominator as a fraction."""
    if math.isinf(value):
        return "$\\infty$"
    fraction = Fraction(value).limit_denominator(12)
    is_third = abs(fraction - Fraction(value)) < 1e-12 and fraction.denominator % 3 == 0
    return str(fraction) if is_third else f"{value:,.10g}"


if __name__ == "__main__":
    for path in PAGES:
        path.write_text(with_tables(path.read_text(encoding="utf-8")), encoding="utf-8")
