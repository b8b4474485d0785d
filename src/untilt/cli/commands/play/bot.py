"""`untilt bot`: agents in engines that other people wrote."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from untilt.cli.app.sources import GameOption, Json, Parameters, parse_parameters, users_code
from untilt.cli.commands.play.match import AGENT_HELP, TrustOption
from untilt.cli.options.option_flags import setting_of
from untilt.durations import shown_duration
from untilt.errors import InvalidOption
from untilt.options.playing import BOT_FOLDER, BOT_SEED, GAME_FILE, MATCH_HANDS, PYTHON, WAIT
from untilt.options.run import told
from untilt.options.thinking import THINK

if TYPE_CHECKING:
    from untilt.play.engines.bot import Bot, BotReport
    from untilt.policy.policy import Policy
    from untilt.policy.saved.match_game import MatchGame

app = typer.Typer(
    name="bot",
    help="Let an agent play in engines that other people wrote.\n\n"
    "With --json every command prints one JSON object.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

AgentArgument = Annotated[str, typer.Argument(metavar="AGENT", help=AGENT_HELP, show_default=False)]
HostArgument = Annotated[
    str, typer.Argument(metavar="HOST", help="Where the engine runs, such as localhost.")
]
PortArgument = Annotated[int, typer.Argument(metavar="PORT", help="The port it listens on.")]
BotSeed = Annotated[
    int | None,
    setting_of(BOT_SEED),
]
ThinkOption = Annotated[
    str | None,
    setting_of(
        told(THINK, "How long a blueprint solves a river: 0.3s, 500ms, or auto to fit the clock.")
    ),
]
WaitOption = Annotated[
    float,
    setting_of(WAIT),
]


@app.command()
def acpc(
    agent: AgentArgument,
    host: HostArgument,
    port: PortArgument,
    game: GameOption = None,
    parameter: Parameters = None,
    think: ThinkOption = None,
    seed: BotSeed = None,
    game_file: Annotated[
        Path | None,
        setting_of(GAME_FILE),
    ] = None,
    wait: WaitOption = 10.0,
    trust: TrustOption = False,
    as_json: Json = False,
) -> None:
    """Play a match in the ACPC dealer: kuhn, leduc, heads-up limit and no-limit hold'em.

    The dealer prints one port per player. A blueprint plays every game that is its own up to a
    factor of chips, and of nearly the same depth. The command ends with the match, and shows the
    result.
    """
    from untilt.cli.app.output import warn
    from untilt.play.engines.acpc import play_acpc
    from untilt.play.engines.acpc_game import seat_at_dealer
    from untilt.play.engines.bot import Bot
    from untilt.policy.load import parse_agent

    with users_code():
        named = _named(game, parse_parameters(parameter))
        seat = seat_at_dealer(parse_agent(_thinking(agent, think)), named, game_file, trust=trust)
        if seat.assumed is not None:
            warn(f"no --game-file is given, so the bot assumes {seat.assumed}")
        bot = Bot(seat.game, seat.policy, seed=seed)
        report = play_acpc(bot, host, port, wait=wait, is_assumed=seat.assumed is not None)
    _print(bot, report, as_json=as_json)


@app.command("acpc-game")
def acpc_game(
    agent: AgentArgument,
    game: GameOption = None,
    parameter: Parameters = None,
    trust: TrustOption = False,
) -> None:
    """Print the game definition with which the ACPC dealer plays an agent's game."""
    from untilt.cli.app.output import echo
    from untilt.play.engines.acpc_game import game_definition

    with users_code():
        found, _ = _load(agent, game, parse_parameters(parameter), trust=trust)
        definition = game_definition(found.root)
    echo(definition.rstrip("\n"))


@app.command()
def pokerbots(
    agent: AgentArgument,
    host: HostArgument,
    port: PortArgument,
    game: GameOption = None,
    parameter: Parameters = None,
    hands: Annotated[int, setting_of(MATCH_HANDS)] = 1_000,
    think: ThinkOption = None,
    seed: BotSeed = None,
    wait: WaitOption = 10.0,
    trust: TrustOption = False,
    as_json: Json = False,
) -> None:
    """Play a match in MIT's Pokerbots engine of 2023, whose game is River of Blood."""
    from untilt.play.engines.pokerbots import play_pokerbots

    with users_code():
        known = parse_parameters(parameter)
        bot = _bot(_thinking(agent, think), game, known, seed, hands, trust=trust)
        report = play_pokerbots(bot, host, port, wait=wait)
    _print(bot, report, as_json=as_json)


@app.command("pokerbots-export")
def pokerbots_export(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN", help="The folder of a run; options of the agent follow in the same text."
        ),
    ],
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The folder to write.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None,
        setting_of(BOT_FOLDER),
    ] = None,
    python: Annotated[
        str | None,
        setting_of(PYTHON),
    ] = None,
    trust: TrustOption = False,
    as_json: Json = False,
) -> None:
    """Write a bot folder for the Pokerbots engine: commands.json, a player, and the run.

    The run is loaded first, to see that it plays.
    """
    from untilt.cli.app.output import echo, print_json
    from untilt.play.engines.bot import Bot
    from untilt.play.engines.pokerbots import PokerbotsPlayer, export_bot
    from untilt.policy.load import parse_agent

    if folder is not None and output is not None:
        raise InvalidOption(f"the folder is given twice, {folder} and {output}; give it once")
    folder = output if folder is None else folder
    if folder is None:
        raise InvalidOption("no folder to write is given; add one, such as --output bot")
    spec = parse_agent(run)
    if not Path(spec.source).is_dir():
        raise InvalidOption(f"{spec.source} is not the folder of a run; only a run is exported")
    with users_code():
        found, policy = _load(run, None, {}, trust=trust)
        PokerbotsPlayer(Bot(found, policy))
    options = " ".join(f"{name}={value}" for name, value in spec.options.items())
    target = export_bot(spec.source, folder, options=options, trust=trust, python=python)
    if as_json:
        print_json({"folder": str(target), "agent": run, "game": found.name})
    else:
        echo(f"saved in {target}; give this folder to the engine as a player's path")


def _thinking(agent: str, think: str | None) -> str:
    """Return the text of an agent with its time to think."""
    return agent if think is None else f"{agent} --think {think}"


def _bot(
    agent: str,
    game: str | None,
    parameters: dict[str, str],
    seed: int | None,
    num_hands: int | None = None,
    *,
    trust: bool,
) -> "Bot":
    from untilt.play.engines.bot import Bot

    found, policy = _load(agent, game, parameters, trust=trust)
    return Bot(found, policy, seed=seed, num_hands=num_hands)


def _load(
    agent: str, game: str | None, parameters: dict[str, str], *, trust: bool
) -> "tuple[MatchGame, Policy]":
    from untilt.policy.load import load_agents, parse_agent

    found, [policy] = load_agents([parse_agent(agent)], _named(game, parameters), trust=trust)
    return found, policy


def _named(game: str | None, parameters: dict[str, str]) -> "MatchGame | None":
    """Return the game of --game."""
    from untilt.policy.saved.match_game import named_game

    if game is None and parameters:
        raise InvalidOption("-p sets a parameter of --game; give --game too")
    return None if game is None else named_game(game, parameters)


def _print(bot: "Bot", report: "BotReport", *, as_json: bool) -> None:
    from untilt.cli.app.output import echo, print_json, warn

    if report.failure is not None:
        warn(f"the agent failed, and the bot went on without it: {report.failure}")
    unit = bot.game.rules.terms.unit
    if as_json:
        print_json(
            {
                "game": bot.game.name,
                "parameters": dict(bot.game.parameters),
                "unit": unit,
                **report.to_json(),
            }
        )
        return
    score = report.score
    line = f"{score.num_hands:,} hands: {score.total:+z.6g} {unit}"
    if score.mean is not None and score.interval is not None:
        low, high = score.interval
        line += f", {score.mean:+z.4f} a hand (95 %: {low:+z.4f} to {high:+z.4f})"
    echo(line)
    echo(
        f"{report.num_decisions:,} decisions in {shown_duration(report.seconds)}, the slowest took "
        f"{1_000.0 * report.slowest:.1f} ms, {report.num_quick:,} on the fast path"
    )
