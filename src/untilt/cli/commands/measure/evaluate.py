"""`untilt evaluate`."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.cli.app.sources import (
    GameOption,
    Json,
    Parameters,
    RunOrStrategy,
    TrustOption,
    read_source,
    users_code,
)
from untilt.cli.options.option_flags import with_options
from untilt.errors import InvalidOption, RunError
from untilt.options.looking import EVALUATE

if TYPE_CHECKING:
    from rich.console import Console

    from untilt.runs.results.sources import LoadedProfile


@with_options(EVALUATE, after="parameter")
def evaluate(
    run: RunOrStrategy,
    game: GameOption = None,
    parameter: Parameters = None,
    trust: TrustOption = False,
    as_json: Json = False,
    **given: Any,
) -> None:
    """Measure a strategy exactly: values, best-response gains, exploitability.

    A strategy of an abstract game is measured in the full game, if that compiles. A strategy file
    holds {infoset: {action: probability}} and needs --game, unless `untilt export` wrote it for a
    registered game. General-sum games work too.
    """
    from untilt.cli.app.activity import walked
    from untilt.cli.app.output import print_json, warn
    from untilt.cli.text.spot_runs import evaluate_spot, holds_spot
    from untilt.evaluation.best_response import evaluate as evaluate_profile
    from untilt.runs.results.sources import lifted, read_other

    against, best_response = (given.get(option.name, option.default) for option in EVALUATE)
    if holds_spot(run):
        others = {"--game": game, "--against": against, "--best-response": best_response}
        for flag in (name for name, value in others.items() if value is not None):
            raise InvalidOption(f"{flag} is not for spots; leave it out")
        evaluate_spot(run, as_json=as_json)
        return
    if best_response is not None and best_response.exists():
        raise RunError(f"{best_response} already exists; choose another file")
    asked = read_source(run, game, parameter)
    with users_code():
        source, why_not = lifted(asked, trust=trust, watcher=walked)
    found = evaluate_profile(source.game.plan_form(), source.profile)
    result: dict[str, Any] = {
        "game": source.game_name,
        "parameters": dict(source.parameters),
        "players": list(source.terms.seats),
        **found.to_json(),
    }
    if source is not asked:
        result["abstract"] = _in_abstract_game(asked)
    elif why_not is not None:
        result["full_game"] = why_not
    if against is not None:
        other = read_other(against, asked)
        warn(None if other.run is None else other.run.warning)
        if source is not asked:
            with users_code():
                other, _ = lifted(other, trust=trust, watcher=walked)
        result |= _compare(source, other)
    if best_response is not None:
        result["best_response"] = _write_best_responses(source, best_response)
    if as_json:
        print_json(result)
    else:
        _print(source, result)


def _in_abstract_game(source: "LoadedProfile") -> dict[str, Any]:
    """Return how good the strategy is in the abstract game, and how that game was made."""
    from untilt.evaluation.best_response import evaluate as evaluate_profile
    from untilt.game.sequence.plan_form import PlanForm

    assert source.run is not None
    made = dict(source.run.request.abstraction or {})
    if not source.game.has(PlanForm):
        return made | {"exploitability": None, "reason": source.game.recall_error}
    return made | evaluate_profile(source.game.plan_form(), source.profile).to_json()


def _compare(source: "LoadedProfile", other: "LoadedProfile") -> dict[str, Any]:
    from untilt.evaluation.comparison import distance, head_to_head

    form = source.game.plan_form()
    match = head_to_head(form, source.profile, other.profile)
    return {
        "against": {"other": str(other.path), **match.to_json()},
        "distance": asdict(distance(form, source.profile, other.profile)),
    }


def _write_best_responses(source: "LoadedProfile", file: Path) -> dict[str, Any]:
    from untilt.evaluation.best_response import best_response
    from untilt.formats.base.files import REPEAT, write_json

    form = source.game.plan_form()
    found = [best_response(form, source.profile, player) for player in range(form.num_players)]
    responses = {label: mix for response, _ in found for label, mix in response.items()}
    write_json(file, responses, remedy=REPEAT)
    return {"file": str(file), "values": [value for _, value in found]}


def _print_abstract(console: "Console", made: dict[str, Any]) -> None:
    """Say that the measures are of the full game, and what they are in the abstract one."""
    own = made["exploitability"]
    inside = "not measured: " + str(made.get("reason")) if own is None else f"{own:.3e}"
    console.print(f"in the full game; in the abstract game {inside}", soft_wrap=True)
    actions = "" if made.get("actions") is None else f"   actions: {made['actions']}"
    console.print(f"states: {made.get('states')}{actions}", soft_wrap=True, style="dim")


def _print(source: "LoadedProfile", result: dict[str, Any]) -> None:
    from rich.table import Table
    from rich.text import Text

    from untilt.cli.app.output import stdout

    console = stdout()
    console.print(Text(source.title, style="bold"), Text(str(source.path)), sep="  ")
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for header in ("", *source.terms.seats):
        table.add_column(header, justify="right" if header else "left")
    table.add_row("value", *(f"{value:+.9f}" for value in result["values"]))
    table.add_row("gain of a best response", *(f"{gain:.3e}" for gain in result["gains"]))
    if "best_response" in result:
        values = result["best_response"]["values"]
        table.add_row("value of that best response", *(f"{value:+.9f}" for value in values))
    if "against" in result:
        match = result["against"]
        seats = [match[f"as_player_{player}"] for player in range(len(result["values"]))]
        table.add_row("value against the other", *(f"{value:+.9f}" for value in seats))
    console.print(table)
    console.print()
    console.print(
        f"exploitability {result['exploitability']:.3e}   nash_conv {result['nash_conv']:.3e}"
    )
    if "abstract" in result:
        _print_abstract(console, result["abstract"])
    elif "full_game" in result:
        console.print(f"in the abstract game; not in the full game: {result['full_game']}")
    if "against" in result:
        apart = result["distance"]
        console.print(
            f"against {result['against']['other']}: {result['against']['mean']:+.9f} "
            f"{source.terms.unit} per hand, changing seats",
            soft_wrap=True,
        )
        console.print(
            f"distance (total variation): largest {apart['largest']:.4f} at {apart['label']}, "
            f"mean {apart['mean']:.4f}, weighted by reach {apart['reach_weighted']:.4f}",
            soft_wrap=True,
        )
    if "best_response" in result:
        console.print(f"best responses saved in {result['best_response']['file']}", soft_wrap=True)
