"""The spot that the flags of `untilt spot` describe."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from untilt.cli.options.option_flags import chosen_of
from untilt.errors import InvalidOption
from untilt.number import Number, number_in
from untilt.options.spot import RANGES, SEATS, THRESHOLDS, size_flags

if TYPE_CHECKING:
    from untilt.games.holdem.spots.spot import Spot


def spot_from(
    file: Path | None,
    given: Mapping[str, Any],
    line: str | None = None,
    agent: str | None = None,
    *,
    trust: bool = False,
) -> "Spot":
    """Return the spot of a file or run, with flags in place of its entries, or of flags alone.

    With a `line`, it is the street that begins there in the solution of the run, or where an
    `agent` gets with it; `trust` allows running the Python code that the agent names.
    """
    from untilt.games.holdem.bets.sizes import Sizes
    from untilt.games.holdem.spots.locks import parse_lock
    from untilt.games.holdem.spots.spot import Spot

    chosen = {name: value for name, value in given.items() if value not in (None, [], ())}
    document: dict[str, Any] = {}
    if agent is not None:
        if file is not None:
            raise InvalidOption(f"--from {agent} and {file} are given; choose one of them")
        document = _spot_of_agent(agent, line, chosen, trust=trust).to_dict()
    elif file is not None and file.is_dir():
        document = _spot_of_run(file, line, chosen).to_dict()
    elif line is not None:
        raise InvalidOption(
            "--line is for the run of a spot, untilt spot RUN --line 'check, check', or for an "
            "agent: untilt spot --from bp/ --line 'raise 2.5bb, call' --board Ks7h2d"
        )
    elif file is not None:
        loaded = Spot.load(file)
        # The ranges whole: another board may allow what the file's own board does not.
        ranges = dict(zip(SEATS, map(str, loaded.ranges), strict=True))
        document = loaded.to_dict() | {"ranges": ranges}
    for name in ("board", "pot", "stack", "bb", "rake_cap"):
        if name in chosen:
            document[name] = chosen[name]
    if "rake" in chosen:
        document["rake"] = _share(chosen["rake"])
    document["ranges"] = {**document.get("ranges", {}), **chosen_of(RANGES, chosen)}
    for name in ("board", "oop", "ip", "pot", "stack"):
        if name not in document and name not in document["ranges"]:
            raise InvalidOption(
                f"no --{name} is given; give a spot.toml, or --board, --oop, --ip, --pot and "
                "--stack"
            )
    sizes = {name: chosen[name] for name in (*size_flags(), "max_raises") if name in chosen}
    document["sizes"] = {**document.get("sizes", {}), **sizes}
    Sizes.from_dict(document["sizes"])
    thresholds = chosen_of(THRESHOLDS, chosen)
    document["thresholds"] = {**document.get("thresholds", {}), **thresholds}
    locks = [*document.get("locks", []), *map(parse_lock, chosen.get("lock", []))]
    return Spot.from_dict({**document, "locks": locks})


def _spot_of_run(run: Path, line: str | None, chosen: dict[str, Any]) -> "Spot":
    """Return the spot of a run, or of a street in it; that takes the board out of `chosen`."""
    from untilt.cli.text.spot_runs import loaded_spot
    from untilt.runs.kinds import SPOT, read_task

    if line is None:
        spot: Spot = read_task(run, SPOT)[0].subject.spot
        return spot
    return loaded_spot(run).at(line, board=chosen.pop("board", None)).spot()


def _spot_of_agent(agent: str, line: str | None, chosen: dict[str, Any], *, trust: bool) -> "Spot":
    """Return the spot that an agent gets to; that takes the board out of `chosen`."""
    from untilt.games.holdem.spots.spot import Spot
    from untilt.policy.saved.given_agents import agent_of_holdem

    if line is None or "board" not in chosen:
        raise InvalidOption("--from needs --line and --board, which say where its ranges are used")
    policy, rules = agent_of_holdem(agent, trust=trust)
    return Spot.from_policy(policy, line, chosen.pop("board"), rules=rules)


def _share(text: str) -> float:
    """Return a share of the pot, of `5%` or `0.05`."""
    number = number_in(text.strip().removesuffix("%"))
    if not Number().accepts(number):
        raise InvalidOption.of("rake", text, "give a share of the pot such as 5% or 0.05")
    assert number is not None
    return number / 100.0 if text.strip().endswith("%") else number
