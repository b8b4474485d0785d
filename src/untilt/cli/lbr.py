"""`untilt lbr`."""

from typing import TYPE_CHECKING, Annotated

import typer

from untilt.cli.match import AGENT_HELP, TrustOption
from untilt.cli.sources import GameOption, Json, Parameters, game_parameters, users_code

if TYPE_CHECKING:
    from collections.abc import Sequence

    from untilt.cli.hands_bar import HandsBar
    from untilt.play.local_best_response import LocalBestResponse, OnDeal
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
    from untilt import api
    from untilt.cli.hands_bar import HandsBar
    from untilt.cli.output import print_json, print_lines

    parameters = game_parameters(game, parameter)
    with users_code(), HandsBar(hands) as bar:
        found = api.local_best_response(
            agent,
            hands,
            sizes=sizes,
            seed=seed,
            game=game,
            parameters=parameters,
            trust=trust,
            watcher=showing_best(bar),
        )
    assert found.game is not None
    if as_json:
        print_json(
            {
                "game": found.game.name,
                "parameters": dict(found.game.parameters),
                "unit": found.game.rules.terms.unit,
                "agent": agent,
                "seed": seed,
                **found.to_json(),
            }
        )
    else:
        print_lines(response_lines(found))


def showing_best(bar: "HandsBar") -> "OnDeal":
    """Return a watcher that shows in a bar what the best variant has won so far."""

    def show(played: int, scores: "Sequence[Score]") -> None:
        best = max(score.mean or 0.0 for score in scores)
        bar.show(played, f"best {best:+.3f} chips a hand")

    return show


def response_lines(found: "LocalBestResponse") -> list[tuple[str, str]]:
    """Return the result in lines with their styles."""
    from untilt.play.gains import gain_words

    assert found.game is not None
    lines = [
        (f"{found.game.title}: local best response against {found.agent}", "bold"),
        (f"{found.result.hands:,} hands for each variant, each deal in both seats", "dim"),
    ]
    gains = found.gains()
    width = max(len(gain.variant) for gain in gains)
    for place, gain in enumerate(gains):
        text = f"{gain.variant:<{width}}  {gain_words(gain, width=9)}"
        lines.append((text, "bold" if place == found.best else ""))
    lines.append((f"the agent loses at least what {found.variant!r} wins", ""))
    return lines
