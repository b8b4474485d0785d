"""`untilt match`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.sources import GameOption, Json, Parameters, parse_parameters, users_code
from untilt.cli.options.option_flags import setting_of, with_options
from untilt.errors import InvalidOption
from untilt.options.run import MATCH, TRUST, told

if TYPE_CHECKING:
    from untilt.evaluation.comparison import HeadToHead
    from untilt.play.matches.head_to_head import MatchResult
    from untilt.play.table.score import Score
    from untilt.policy.load import PolicySpec
    from untilt.policy.policy import Policy
    from untilt.policy.saved.match_game import MatchGame

AGENT_HELP = (
    "The folder of a run, a blueprint, a strategy file, file.py:Class, random, call or fold; for "
    "push/fold also a chart, 'push=RANGE;call=RANGE', hune or nash. Options follow in the same "
    "text: 'bot.py:Careful level=3', or 'bp/ --think 1s' for a blueprint that solves its rivers."
)
TrustOption = Annotated[
    bool, setting_of(told(TRUST, "Allow running the Python code that an agent names."))
]


@with_options(MATCH, after="second")
def match(
    first: Annotated[str, typer.Argument(metavar="A", help=AGENT_HELP, show_default=False)],
    second: Annotated[
        str,
        typer.Argument(metavar="B", help="The other agent, in the same form.", show_default=False),
    ],
    game: GameOption = None,
    parameter: Parameters = None,
    trust: TrustOption = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Let agent A play agent B, and show what A wins per hand, with a 95 % confidence interval.

    Each deal is played twice with seats swapped, so that luck with cards cancels. For small games
    the exact result is computed too, if both agents' probabilities are known. At hold'em, the
    result without known luck (AIVAT) needs several times fewer hands.
    """
    from untilt.cli.app.output import print_json
    from untilt.cli.text.hands_bar import HandsBar
    from untilt.play.matches.head_to_head import play_match
    from untilt.policy.load import parse_agent

    specs = parse_agent(first), parse_agent(second)
    hands, seed, aivat = (given.get(option.name, option.default) for option in MATCH)
    with users_code():
        found, policies = _load(specs, game, parse_parameters(parameter), trust=trust)
        exact = exact_result(found, policies[0], policies[1])
        with HandsBar(hands) as bar:

            def show(played: int, score: "Score") -> None:
                margin = 0.0 if score.interval is None else score.interval[1] - (score.mean or 0.0)
                bar.show(played, f"{score.mean or 0.0:+.4f} ± {margin:.4f}")

            result = play_match(
                found.root,
                *policies,
                hands,
                seed,
                rules=found.rules,
                compiled=found.compiled,
                watcher=show,
                aivat=aivat,
            )
    if as_json:
        print_json(_document(found, specs, result, exact, seed))
    else:
        _print(found, specs, result, exact)


def _load(
    specs: "tuple[PolicySpec, PolicySpec]",
    game: str | None,
    parameters: dict[str, str],
    *,
    trust: bool,
) -> "tuple[MatchGame, tuple[Policy, Policy]]":
    from untilt.policy.load import load_agents
    from untilt.policy.saved.match_game import named_game

    if game is None and parameters:
        raise InvalidOption("-p sets a parameter of --game; give --game too")
    named = None if game is None else named_game(game, parameters)
    found, (first, second) = load_agents(specs, named, trust=trust)
    if named is not None:
        _warn_of_stakes(specs, named)
    return found, (first, second)


def _warn_of_stakes(specs: "tuple[PolicySpec, PolicySpec]", game: "MatchGame") -> None:
    """Say which charts of push/fold were made for other stakes."""
    from untilt.cli.app.output import warn
    from untilt.games.pushfold.game import PushFold
    from untilt.policy.simple import BUILT_IN

    if isinstance(game.root, PushFold):
        from untilt.runs.pushfold.pushfold_strategies import caveat

        for spec in specs:
            if spec.source not in BUILT_IN and ".py:" not in spec.source:
                warn(caveat(spec.text, game.root.stakes))


def exact_result(game: "MatchGame", first: "Policy", second: "Policy") -> "HeadToHead | None":
    """Return the expectation of a match, if the game is small and both agents reveal their mix."""
    from untilt.game.sequence.plan_form import PlanForm
    from untilt.policy.policy import Stationary

    if not isinstance(first, Stationary) or not isinstance(second, Stationary):
        return None
    if game.compiled is None or not game.compiled.has(PlanForm):
        return None
    from untilt.evaluation.comparison import head_to_head

    one, other = first.profile(game.compiled), second.profile(game.compiled)
    return head_to_head(game.compiled.plan_form(), one, other)


def _document(
    game: "MatchGame",
    specs: "tuple[PolicySpec, PolicySpec]",
    result: "MatchResult",
    exact: "HeadToHead | None",
    seed: int,
) -> dict[str, Any]:
    document = {
        "game": game.name,
        "parameters": dict(game.parameters),
        "unit": game.rules.terms.unit,
        "agents": [spec.text for spec in specs],
        "seed": seed,
        **result.to_json(),
        "exact": None,
    }
    if exact is not None:
        document["exact"] = {
            "value": exact.mean,
            "as_player_0": exact.as_player_0,
            "as_player_1": exact.as_player_1,
        }
    return document


def _print(
    game: "MatchGame",
    specs: "tuple[PolicySpec, PolicySpec]",
    result: "MatchResult",
    exact: "HeadToHead | None",
) -> None:
    from untilt.cli.app.output import print_lines
    from untilt.display import gain_text

    unit, seats = game.rules.terms.unit, game.rules.terms.seats
    lines = [(f"{game.title}: {specs[0].text} against {specs[1].text}", "bold")]
    rate = f", {result.hands / result.seconds:,.0f} a second" if result.seconds > 0.0 else ""
    lines.append((f"{result.hands:,} hands, each deal in both seats{rate}", "dim"))
    lines.append(
        (
            f"{specs[0].text} {gain_text(result.value, '.4f')} {unit} a hand"
            f"{_interval(result.interval)}",
            "",
        )
    )
    if result.mbb is not None:
        lines.append((f"  = {result.mbb:+z.1f} mbb a hand{_interval(result.interval_mbb, 1)}", ""))
    if result.aivat is not None:
        lines.append((_without_luck(result, unit), ""))
    by_seat = "  ".join(
        f"{seat} {value:+z.4f}" for seat, value in zip(seats, result.as_player, strict=True)
    )
    lines.append((f"by seat: {by_seat}", ""))
    if exact is not None:
        lines.append(
            (
                f"exact expectation: {exact.mean:+z.6f} {unit} a hand ({seats[0]} "
                f"{exact.as_player_0:+z.6f}, {seats[1]} {exact.as_player_1:+z.6f})",
                "",
            )
        )
    print_lines(lines)


def _without_luck(result: "MatchResult", unit: str) -> str:
    """Return the line that says what was won without luck that is known."""
    assert result.aivat is not None
    text = f"without known luck (AIVAT): {result.aivat:+z.4f} {unit} a hand"
    text += _interval(result.aivat_interval)
    if result.aivat_mbb is not None:
        text += (
            f"\n  = {result.aivat_mbb:+z.1f} mbb a hand{_interval(result.aivat_interval_mbb, 1)}"
        )
    if result.hands_saved is not None:
        text += f", as after {result.hands_saved:.1f} × as many hands"
    return text


def _interval(interval: tuple[float, float] | None, digits: int = 4) -> str:
    if interval is None:
        return ""
    low, high = interval
    return f" (95 %: {low:+z.{digits}f} to {high:+z.{digits}f})"
