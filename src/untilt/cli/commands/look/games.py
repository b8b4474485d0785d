"""`untilt games`."""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import typer

from untilt.cli.app.output import printing
from untilt.cli.app.sources import parse_parameters, users_code
from untilt.cli.options.option_flags import with_options
from untilt.errors import InvalidOption
from untilt.game.terms import terms_of
from untilt.options.looking import GAMES

if TYPE_CHECKING:
    from untilt.game.checking.check import GameReport, Shape
    from untilt.game.terms import Terms
    from untilt.games.registry import GameSpec, NamedGame

_INDENT = " " * 4

_OWN_GAMES = """\
Your own game is a Python file: give it as path/to/mygame.py:attr or
module:attr, where attr is a position, or a class or function that makes one.
Test it first:
  untilt games --check path/to/mygame.py:attr
OpenSpiel games, if it is installed: openspiel:leduc_poker.
Gambit files: path/to/game.efg or path/to/game.nfg."""


@with_options(GAMES)
def games(**given: Any) -> int:
    """List the games, or test one with --check.

    Exit status of --check: 0 if the game is sound, 2 with a line per problem if not.
    """
    check, parameter, max_nodes, as_json = (
        given.get(option.name, option.default) for option in GAMES
    )
    if check is not None:
        return _check(check, parse_parameters(parameter), max_nodes, as_json=as_json)
    if parameter or max_nodes is not None:
        raise InvalidOption("-p and --max-nodes need --check GAME; add it")
    from untilt.cli.app.output import echo, print_json
    from untilt.games.registry import REGISTRY

    if as_json:
        print_json({"games": [_described(spec) for spec in REGISTRY.values()]})
        return 0
    for spec in REGISTRY.values():
        echo("\n".join(_listed(spec)))
        echo()
    typer.echo(_OWN_GAMES)
    return 0


def _described(spec: "GameSpec") -> dict[str, Any]:
    from untilt.games.parameters import parameters_of
    from untilt.games.registry import REGISTRY

    return {
        "name": spec.name,
        "package": REGISTRY.package_of(spec.name),
        "title": spec.title,
        "summary": spec.summary,
        "infosets": spec.infosets,
        "action_variables": spec.action_variables,
        "sequences": None if spec.sequences is None else list(spec.sequences),
        "terminals": spec.terminals,
        "is_zero_sum": spec.is_zero_sum,
        "perfect_recall": spec.perfect_recall,
        "value": None if spec.known_value is None else float(spec.known_value),
        "value_source": spec.value_source,
        "parameters": [
            {
                "name": parameter.name,
                "types": [kind.__name__ for kind in parameter.kinds],
                "choices": list(parameter.choices),
                "default": parameter.default,
            }
            for parameter in parameters_of(spec.factory)
        ],
    }


def _listed(spec: "GameSpec") -> list[str]:
    from untilt.games.parameters import parameters_of
    from untilt.games.registry import REGISTRY

    package = REGISTRY.package_of(spec.name)
    lines = [f"{spec.name}: {spec.title}", *filter(None, [spec.summary]), *_size(spec)]
    if package is not None:
        lines.append(f"from the package {package}")
    lines += [f"-p {parameter}" for parameter in parameters_of(spec.factory)]
    return [lines[0], *(_INDENT + line for line in lines[1:])]


def _size(spec: "GameSpec") -> list[str]:
    """Return the counts and the value of a game, or how to make it small enough to count."""
    if not spec.can_be_compiled and not spec.small:
        return []  # a game of another package, which states no counts
    if not spec.can_be_compiled:
        given = " ".join(f"-p {name}={value}" for name, value in spec.small.items())
        return ["too large to compile; small enough with", f"  {given}"]
    value = "unknown" if spec.known_value is None else f"{float(spec.known_value):.6f}"
    if isinstance(spec.known_value, Fraction):
        value = str(spec.known_value)
    return [
        f"{spec.infosets:,} infosets, {spec.action_variables:,} action variables, "
        f"{spec.terminals:,} terminals; value {value}"
    ]


def _check(
    reference: str, parameters: dict[str, str], max_nodes: int | None, *, as_json: bool
) -> int:
    from untilt.cli.app.activity import walked
    from untilt.cli.app.output import echo, print_json, say
    from untilt.game.checking.check import check
    from untilt.game.histories.tree import DEFAULT_MAX_NODES
    from untilt.games.registry import resolve

    with users_code():
        named = resolve(reference, parameters)
        report = check(named.game, max_nodes=max_nodes or DEFAULT_MAX_NODES, watcher=walked)
    with printing():
        if as_json:
            print_json(
                {
                    "game": named.name,
                    "parameters": dict(named.parameters),
                    "players": list(terms_of(named.game).seats),
                    **report.to_json(),
                }
            )
        else:
            echo("\n".join(_report_lines(named, report)))
    for problem in report.problems:
        say(f"error: {' '.join(problem.split())}")
    return 0 if report.is_sound else 2


def _report_lines(named: "NamedGame", report: "GameReport") -> list[str]:
    parameters = ", ".join(f"{name}={value}" for name, value in named.parameters.items())
    lines = [named.title + (f" ({parameters})" if parameters else "")]
    if report.shape is not None:
        lines += [
            f"  {name:<17} {text}"
            for name, text in _shape_lines(report.shape, terms_of(named.game))
        ]
    lines += [f"  note: {note}" for note in report.notes]
    count = len(report.problems)
    verdict = f"{count} problem{'s' if count > 1 else ''}" if count else "sound"
    lines.append(f"{verdict}; tried {report.positions:,} positions of random playthroughs")
    return lines


def _shape_lines(shape: "Shape", terms: "Terms") -> list[tuple[str, str]]:
    def both(counts: tuple[int, ...]) -> str:
        return f"{sum(counts):,} ({' + '.join(f'{count:,}' for count in counts)})"

    lines = [
        ("infosets", both(shape.infosets)),
        ("action variables", both(shape.action_variables)),
        ("sequences", both(shape.sequences)),
        ("terminals", f"{shape.terminals:,}"),
        ("forced moves", f"{shape.forced_moves:,} infosets with a single action"),
        ("payoffs", _zero_sum(shape)),
        ("recall", "perfect" if shape.has_perfect_recall else "imperfect"),
    ]
    if shape.nodes is not None:
        lines.append(
            ("histories", f"{shape.nodes:,}, including {shape.chance_nodes:,} chance nodes")
        )
        lines.append(("depth", f"{shape.depth:,} moves in the longest history"))
    for seat, span in zip(terms.seats, shape.payoffs or (), strict=False):
        lines.append((f"{seat} gains", f"{span[0]:+g} to {span[1]:+g} {terms.unit}"))
    return lines


def _zero_sum(shape: "Shape") -> str:
    """Return whether payoffs sum to zero, and how far they are from it."""
    if not shape.is_zero_sum:
        return f"not zero-sum, sums up to {shape.largest_payoff_sum:g} chips"
    if shape.largest_payoff_sum:
        return f"zero-sum up to rounding, sums up to {shape.largest_payoff_sum:.1e} chips"
    return "zero-sum"
