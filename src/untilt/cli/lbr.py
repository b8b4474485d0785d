"""`untilt lbr`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.match import AGENT_HELP, TrustOption
from untilt.cli.sources import GameOption, Json, Parameters, parse_parameters, users_code
from untilt.errors import InvalidOption

if TYPE_CHECKING:
    from collections.abc import Sequence

    from untilt.play.agent_spec import MatchGame
    from untilt.play.local_best_response import LocalBestResponse
    from untilt.play.score import Score


def lbr(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help=AGENT_HELP, show_default=False)],
    hands: Annotated[
        int,
        typer.Option(
            "-n", "--hands", metavar="N", help="Hands per variant, an even number: both seats."
        ),
    ] = 1_000,
    sizes: Annotated[
        str | None,
        typer.Option(
            metavar="SIZES",
            help="Bets of the exploiter, such as '33%, 100%, a'; by default those of a blueprint's "
            "menu, or '50%, 100%, a'.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of deals and decisions.")] = 0,
    game: GameOption = None,
    parameter: Parameters = None,
    trust: TrustOption = False,
    as_json: Json = False,
) -> None:
    """Measure how much local best response wins from an agent of hold'em.

    This is a lower bound of the agent's exploitability in the real game. Several variants of the
    exploiter play the same deals; the largest result counts.
    """
    from untilt.cli.hands_bar import HandsBar
    from untilt.cli.output import print_json
    from untilt.play.agent_spec import load_agents, named_game, parse_agent
    from untilt.play.local_best_response import default_variants, local_best_response

    parameters = parse_parameters(parameter)
    if game is None and parameters:
        raise InvalidOption("-p sets a parameter of --game; give --game too")
    with users_code():
        named = None if game is None else named_game(game, parameters)
        found, [entrant] = load_agents([parse_agent(agent)], named, trust=trust)
        root: Any = found.root
        rules = getattr(root, "rules", None)
        streets = len(getattr(rules, "board_cards", ()))
        with HandsBar(hands) as bar:

            def show(played: int, scores: "Sequence[Score]") -> None:
                best = max(score.mean or 0.0 for score in scores)
                bar.show(played, f"best {best:+.3f} chips a hand")

            result = local_best_response(
                root,
                entrant,
                hands,
                seed,
                variants=None if sizes is None else default_variants(streets, sizes),
                watcher=show,
            )
    if as_json:
        print_json(
            {
                "game": found.name,
                "parameters": dict(found.parameters),
                "unit": found.rules.terms.unit,
                "agent": agent,
                "seed": seed,
                **result.to_json(),
            }
        )
    else:
        _print(found, agent, result)


def _print(game: "MatchGame", agent: str, found: "LocalBestResponse") -> None:
    from untilt.cli.output import print_lines

    print_lines(response_lines(game.title, agent, found))


def response_lines(title: str, agent: str, found: "LocalBestResponse") -> list[tuple[str, str]]:
    """Return the result in lines with their styles."""
    lines = [
        (f"{title}: local best response against {agent}", "bold"),
        (f"{found.result.hands:,} hands for each variant, each deal in both seats", "dim"),
    ]
    width = max(len(variant.name) for variant in found.variants)
    for place, (variant, result) in enumerate(zip(found.variants, found.results, strict=True)):
        assert result.mbb is not None
        text = f"{variant.name:<{width}}  {result.mbb:+9.1f} mbb a hand"
        if result.interval_mbb is not None:
            low, high = result.interval_mbb
            text += f" (95 %: {low:+.1f} to {high:+.1f})"
        lines.append((text, "bold" if place == found.best else ""))
    lines.append((f"the agent loses at least what {found.variants[found.best].name!r} wins", ""))
    return lines
