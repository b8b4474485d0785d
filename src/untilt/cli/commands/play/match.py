"""`untilt match`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.sources import GameOption, Json, Parameters, parse_parameters, users_code
from untilt.cli.options.option_flags import setting_of, with_options
from untilt.errors import InvalidOption
from untilt.options.run import MATCH, TRUST, told

if TYPE_CHECKING:
    from collections.abc import Sequence

    from untilt.evaluation.comparison import HeadToHead
    from untilt.play.matches.head_to_head import MatchResult
    from untilt.play.matches.seatings import Seatings
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


@with_options(MATCH, after="others")
def match(
    first: Annotated[str, typer.Argument(metavar="A", help=AGENT_HELP, show_default=False)],
    second: Annotated[
        str,
        typer.Argument(metavar="B", help="The other agent, in the same form.", show_default=False),
    ],
    others: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[C …]",
            help="In a game of more than two players: the agents of the other seats, one each. "
            "Without them, B has all seats but one.",
            show_default=False,
        ),
    ] = None,
    game: GameOption = None,
    parameter: Parameters = None,
    trust: TrustOption = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Let agent A play agent B, and show what A wins per hand, with a 95 % confidence interval.

    Each deal is played twice with seats swapped, so that luck with cards cancels; in a game of more
    players, once in every seat. For small games the exact result is computed too, if all agents'
    probabilities are known. At hold'em, the result without known luck (AIVAT) needs several times
    fewer hands.
    """
    from untilt.cli.app.output import print_json
    from untilt.cli.text.hands_bar import HandsBar
    from untilt.play.matches.head_to_head import default_hands, play_match
    from untilt.play.matches.seatings import seatings_of
    from untilt.policy.load import parse_agent

    specs = [parse_agent(text) for text in (first, second, *(others or []))]
    hands, seed, aivat = (given.get(option.name, option.default) for option in MATCH)
    with users_code():
        found, policies = _load(specs, game, parse_parameters(parameter), trust=trust)
        seatings = seatings_of(found.num_players, len(policies))
        exact = exact_result(found, policies, seatings)
        count = default_hands(found.num_players) if hands is None else hands
        with HandsBar(count) as bar:

            def show(played: int, score: "Score") -> None:
                margin = 0.0 if score.interval is None else score.interval[1] - (score.mean or 0.0)
                bar.show(played, f"{score.mean or 0.0:+.4f} ± {margin:.4f}")

            result = play_match(
                found.root,
                policies[0],
                policies[1],
                count,
                seed,
                others=policies[2:],
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
    specs: "Sequence[PolicySpec]", game: str | None, parameters: dict[str, str], *, trust: bool
) -> "tuple[MatchGame, list[Policy]]":
    from untilt.policy.load import load_agents
    from untilt.policy.saved.match_game import named_game

    if game is None and parameters:
        raise InvalidOption("-p sets a parameter of --game; give --game too")
    named = None if game is None else named_game(game, parameters)
    found, policies = load_agents(specs, named, trust=trust)
    if named is not None:
        _warn_of_stakes(specs, named)
    return found, policies


def _warn_of_stakes(specs: "Sequence[PolicySpec]", game: "MatchGame") -> None:
    """Say which charts of push/fold were made for other stakes."""
    from untilt.cli.app.output import warn
    from untilt.games.pushfold.game import PushFold
    from untilt.policy.simple import BUILT_IN

    if isinstance(game.root, PushFold):
        from untilt.games.pushfold.chart_text import STAKES_PARAMETERS
        from untilt.runs.pushfold.pushfold_strategies import caveat

        for spec in specs:
            if spec.source not in BUILT_IN and ".py:" not in spec.source:
                warn(caveat(spec.text, game.root.stakes, STAKES_PARAMETERS))


def exact_result(
    game: "MatchGame", policies: "Sequence[Policy]", seatings: "Seatings"
) -> "list[HeadToHead] | None":
    """Return what each agent is expected to win, the first one only if the others are one.

    None unless the game is small and all agents reveal their mix.
    """
    from untilt.game.sequence.plan_form import PlanForm
    from untilt.policy.policy import Stationary

    if game.compiled is None or not game.compiled.has(PlanForm):
        return None
    compiled = game.compiled
    profiles = [each.profile(compiled) for each in policies if isinstance(each, Stationary)]
    if len(profiles) < len(policies):
        return None
    from untilt.evaluation.best_response import evaluate_plans, plans_of
    from untilt.evaluation.comparison import HeadToHead

    form = compiled.plan_form()
    plans = [plans_of(form, profile) for profile in profiles]
    won: list[list[float]] = [[0.0] * game.num_players for _ in seatings[0].reported]
    for seating in seatings:
        seated = tuple(plans[agent][seat] for seat, agent in enumerate(seating.agents))
        values = evaluate_plans(form, seated).values
        for of_agent, seat in zip(won, seating.reported, strict=True):
            of_agent[seat] = values[seat]
    return [HeadToHead(tuple(of_agent)) for of_agent in won]


def _document(
    game: "MatchGame",
    specs: "Sequence[PolicySpec]",
    result: "MatchResult",
    exact: "list[HeadToHead] | None",
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
        of_first = exact[0].to_json()
        document["exact"] = {"value": of_first.pop("mean"), **of_first}
        if len(exact) > 1:
            document["exact"]["values"] = [each.mean for each in exact]
    return document


def _print(
    game: "MatchGame",
    specs: "Sequence[PolicySpec]",
    result: "MatchResult",
    exact: "list[HeadToHead] | None",
) -> None:
    from untilt.cli.app.output import print_lines
    from untilt.display import gain_text

    unit, seats = game.rules.terms.unit, game.rules.terms.seats
    lines = [(f"{game.title}: {' against '.join(spec.text for spec in specs)}", "bold")]
    rate = f", {result.hands / result.seconds:,.0f} a second" if result.seconds > 0.0 else ""
    every = "both seats" if len(seats) == 2 else f"all {len(seats)} seats"
    lines.append((f"{result.hands:,} hands, each deal in {every}{rate}", "dim"))
    values = result.values or (result.value,)
    intervals = result.intervals or (result.interval,)
    for spec, value, interval in zip(specs, values, intervals, strict=False):
        text = f"{spec.text} {gain_text(value, '.4f')} {unit} a hand{_interval(interval)}"
        lines.append((text, ""))
    if result.mbb is not None:
        lines.append((f"  = {result.mbb:+z.1f} mbb a hand{_interval(result.interval_mbb, 1)}", ""))
    if result.aivat is not None:
        lines.append((_without_luck(result, unit), ""))
    by_seat = "  ".join(
        f"{seat} {value:+z.4f}" for seat, value in zip(seats, result.as_player, strict=True)
    )
    whose = "" if result.values is None else f" of {specs[0].text}"
    lines.append((f"by seat{whose}: {by_seat}", ""))
    for spec, won in zip(specs, exact or [], strict=False):
        in_seats = ", ".join(
            f"{seat} {value:+z.6f}" for seat, value in zip(seats, won.as_player, strict=True)
        )
        whose = "" if result.values is None else f" of {spec.text}"
        text = f"exact expectation{whose}: {won.mean:+z.6f} {unit} a hand ({in_seats})"
        lines.append((text, ""))
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
