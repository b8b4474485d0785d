"""`untilt lbr`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from untilt.cli.app.sources import GameOption, Json, Parameters, game_parameters, users_code
from untilt.cli.commands.play.match import AGENT_HELP, TrustOption
from untilt.cli.options.option_flags import with_options
from untilt.options.exploit import HANDS, LBR
from untilt.options.run import SEED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from untilt.cli.text.hands_bar import HandsBar
    from untilt.exploitation.local_best_response import OnHands
    from untilt.exploitation.measuring.measure import Exploitation
    from untilt.play.table.score import Score


@with_options(LBR, after="agent")
def lbr(
    agent: Annotated[str, typer.Argument(metavar="AGENT", help=AGENT_HELP, show_default=False)],
    game: GameOption = None,
    parameter: Parameters = None,
    trust: TrustOption = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Measure how much local best response wins: an older name of `untilt exploit`.

    This is a lower bound of the agent's exploitability in the real game. Several variants of the
    exploiter play the same deals. The best counts: it is chosen on one half of the deals and
    measured on the other.
    """
    from untilt.cli.app.output import print_json, print_lines, say
    from untilt.cli.text.hands_bar import HandsBar
    from untilt.exploitation.exploit import local_best_response

    parameters = game_parameters(game, parameter)
    hands = given.pop("hands", HANDS.default)
    with users_code(), HandsBar(hands) as bar:
        found = local_best_response(
            agent,
            hands,
            **given,
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
                "seed": given.get("seed", SEED.default),
                **_document(found),
            }
        )
    else:
        print_lines(response_lines(found))
    say("hint: `untilt exploit AGENT` measures the same, and more")


def showing_best(bar: "HandsBar") -> "OnHands":
    """Return a watcher that shows in a bar what the best variant has won so far."""

    def show(played: int, scores: "Sequence[Score]") -> None:
        best = max(score.mean or 0.0 for score in scores)
        bar.show(played, f"best {best:+.3f} chips a hand")

    return show


def _document(found: "Exploitation") -> dict[str, Any]:
    """Return what the best variant wins, then all of them."""
    assert found.result is not None
    return {
        "variant": found.variant,
        "chosen": list(found.chosen),
        **found.result.to_json(),
        "variants": [
            {"variant": gain.variant, **result.to_json()}
            for gain, result in zip(found.gains, found.results, strict=True)
        ],
    }


def response_lines(found: "Exploitation") -> list[tuple[str, str]]:
    """Return the result in lines with their styles."""
    from untilt.exploitation.measuring.exploit_table import gain_words, headline_words

    assert found.game is not None
    assert found.result is not None
    lines = [
        (f"{found.game.title}: local best response against {found.agent}", "bold"),
        (f"{found.result.hands:,} hands for each variant, each deal in both seats", "dim"),
    ]
    gains = found.gains
    width = max(len(gain.variant) for gain in gains)
    lines += [(f"{gain.variant:<{width}}  {gain_words(gain, width=9)}", "") for gain in gains]
    best, loss = headline_words(found.headlines[0])
    return [*lines, (best, ""), (loss, "bold")]
