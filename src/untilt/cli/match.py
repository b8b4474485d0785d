"""`untilt match`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.sources import GameOption, Json, Parameters, parse_parameters, users_code
from untilt.errors import InvalidOption

if TYPE_CHECKING:
    from untilt.evaluation.comparison import HeadToHead
    from untilt.play.agent_spec import AgentSpec, MatchGame
    from untilt.play.entrants import Entrant
    from untilt.play.match import MatchResult
    from untilt.play.score import Score

AGENT_HELP = (
    "The folder of a run, a blueprint, a strategy file, file.py:Class, random, call or fold; for "
    "push/fold also a chart, 'push=RANGE;call=RANGE', hune or nash. Options follow in the same "
    "text: 'bot.py:Careful level=3', or 'bp/ --think 1s' for a blueprint that solves its rivers."
)
TrustOption = Annotated[
    bool,
    typer.Option("--trust", help="Allow running the Python code that an agent names."),
]


def match(
    first: Annotated[str, typer.Argument(metavar="A", help=AGENT_HELP, show_default=False)],
    second: Annotated[
        str,
        typer.Argument(metavar="B", help="The other agent, in the same form.", show_default=False),
    ],
    hands: Annotated[
        int,
        typer.Option(
            "-n",
            "--hands",
            metavar="N",
            help="Play this many hands, an even number: each deal twice, with seats swapped.",
        ),
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Seed of deals and decisions.")] = 0,
    game: GameOption = None,
    parameter: Parameters = None,
    trust: TrustOption = False,
    as_json: Json = False,
) -> None:
    """Let agent A play agent B, and show what A wins per hand, with a 95 % confidence interval.

    Each deal is played twice with seats swapped, so that luck with cards cancels. For small games
    the exact result is computed too, if both agents' probabilities are known.
    """
    from untilt.cli.hands_bar import HandsBar
    from untilt.cli.output import print_json
    from untilt.play.agent_spec import parse_agent
    from untilt.play.match import match as play_match

    specs = parse_agent(first), parse_agent(second)
    with users_code():
        found, entrants = _load(specs, game, parse_parameters(parameter), trust=trust)
        exact = exact_result(found, entrants[0], entrants[1])
        with HandsBar(hands) as bar:

            def show(played: int, score: "Score") -> None:
                margin = 0.0 if score.interval is None else score.interval[1] - (score.mean or 0.0)
                bar.show(played, f"{score.mean or 0.0:+.4f} ± {margin:.4f}")

            result = play_match(
                found.root,
                *entrants,
                hands,
                seed,
                rules=found.rules,
                compiled=found.compiled,
                watcher=show,
            )
    if as_json:
        print_json(_document(found, specs, result, exact, seed))
    else:
        _print(found, specs, result, exact)


def _load(
    specs: "tuple[AgentSpec, AgentSpec]",
    game: str | None,
    parameters: dict[str, str],
    *,
    trust: bool,
) -> "tuple[MatchGame, tuple[Entrant, Entrant]]":
    from untilt.games.pushfold.game import PushFold
    from untilt.play.agent_spec import load_agents, named_game

    if game is None:
        if parameters:
            raise InvalidOption("-p sets a parameter of --game; give --game too")
        found, entrants = load_agents(specs, trust=trust)
        return found, (entrants[0], entrants[1])
    named = named_game(game, parameters)
    if isinstance(named.root, PushFold):
        first, second = (_pushfold_entrant(spec, named, trust=trust) for spec in specs)
        return named, (first, second)
    found, entrants = load_agents(specs, named, trust=trust)
    return found, (entrants[0], entrants[1])


def _pushfold_entrant(spec: "AgentSpec", game: "MatchGame", *, trust: bool) -> "Entrant":
    """Return an agent of push/fold, from everything that `untilt pushfold match` accepts too."""
    from untilt.cli.output import warn
    from untilt.games.pushfold.chart import profile_of
    from untilt.games.pushfold.game import PushFold
    from untilt.play.agent_spec import BUILT_IN, find_agent
    from untilt.play.entrants import StrategyEntrant
    from untilt.play.strategy_agent import StrategyAgent
    from untilt.runs.pushfold_strategies import caveat, read_play

    if spec.source in BUILT_IN or ".py:" in spec.source:
        return find_agent(spec, trust=trust).entrant(game)
    assert isinstance(game.root, PushFold)
    assert game.compiled is not None
    stakes = game.root.stakes
    # A range has equals signs of its own, so the text is taken as it is.
    warn(caveat(spec.text, stakes))
    play = read_play(spec.text, stakes)
    return StrategyEntrant(spec.text, StrategyAgent(profile_of(game.compiled, play)))


def exact_result(game: "MatchGame", first: "Entrant", second: "Entrant") -> "HeadToHead | None":
    """Return the expectation of a match, if the game is small and both agents reveal their mix."""
    from untilt.game.sequence_form import SequenceForm
    from untilt.play.entrants import Stationary, profile_of_entrant

    if not isinstance(first, Stationary) or not isinstance(second, Stationary):
        return None
    if game.compiled is None or not game.compiled.has(SequenceForm):
        return None
    from untilt.evaluation.comparison import head_to_head

    one, other = (profile_of_entrant(game.compiled, each) for each in (first, second))
    return head_to_head(game.compiled.exact_form(), one, other)


def _document(
    game: "MatchGame",
    specs: "tuple[AgentSpec, AgentSpec]",
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
    specs: "tuple[AgentSpec, AgentSpec]",
    result: "MatchResult",
    exact: "HeadToHead | None",
) -> None:
    from untilt.cli.output import print_lines

    unit, seats = game.rules.terms.unit, game.rules.terms.seats
    lines = [(f"{game.title}: {specs[0].text} against {specs[1].text}", "bold")]
    rate = f", {result.hands / result.seconds:,.0f} a second" if result.seconds > 0.0 else ""
    lines.append((f"{result.hands:,} hands, each deal in both seats{rate}", "dim"))
    lines.append(
        (f"{specs[0].text} wins {_amount(result.value, result.interval, unit)} a hand", "")
    )
    if result.mbb is not None:
        lines.append((f"  = {_amount(result.mbb, result.interval_mbb, 'mbb', 1)} a hand", ""))
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


def _amount(value: float, interval: tuple[float, float] | None, unit: str, digits: int = 4) -> str:
    if interval is None:
        return f"{value:+z.{digits}f} {unit}"
    low, high = interval
    return f"{value:+z.{digits}f} {unit} (95 %: {low:+z.{digits}f} to {high:+z.{digits}f})"
