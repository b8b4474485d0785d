"""Strategies to and from OpenSpiel: the same game, the same exploitability.

    run = untilt.solve("leduc", "cfr+", target=1e-6)
    policy = untilt.openspiel.policy(run)
    pyspiel.nash_conv(untilt.openspiel.game(run), policy)      # run.nash_conv

Runs of `openspiel:…` games are exchanged as they are. Kuhn and Leduc have a twin in OpenSpiel,
which is followed move by move; at every terminal, both are checked to pay the same. This needs the
extra `untilt[openspiel]`.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from untilt.errors import GameError, InvalidOption, StrategyError, require, shortened
from untilt.game.compiled import compile_histories
from untilt.game.protocol import Game, chances_of, num_players_of
from untilt.game.strategy.strategy import Profile, profile_from_dict
from untilt.games.registry import GameLike, name_game

if TYPE_CHECKING:
    import pyspiel

    from untilt.runs.games.quantal import QuantalResponse
    from untilt.runs.run import GameRun

_TOLERANCE = 1e-9
"""How far payoffs may differ, and probabilities at infosets that our game merges."""


class _Twin(NamedTuple):
    """One of our games that OpenSpiel has too."""

    text: str
    """What OpenSpiel calls it."""
    num_suits: int = 1
    """How many cards of a rank OpenSpiel numbers one after the other, the lowest rank first."""


_TWINS = {"kuhn": _Twin("kuhn_poker"), "leduc": _Twin("leduc_poker", num_suits=2)}


def _cards(root: Game, num_suits: int) -> list[str]:
    """Return the names of our first deals, in the order in which OpenSpiel numbers its own."""
    names = [str(outcome) for outcome, _ in chances_of(root)]
    are_merged = num_suits > 1 and not all(name[-1] in "sh" for name in names)
    return [name for name in names for _ in range(num_suits)] if are_merged else names


class _Pair(NamedTuple):
    """One of our games and its twin."""

    ours: Game
    """The root of our game."""
    state: Any
    """The root of OpenSpiel's game."""
    deal: Callable[[int], str] | None
    """The name of our chance outcome for theirs; None if ours is the same."""


class _Decision(NamedTuple):
    """A decision as both games see it."""

    label: str
    actions: tuple[str, ...]
    """Names of our actions, in order."""
    state: Any
    """OpenSpiel's state."""
    numbers: list[int]
    """OpenSpiel's actions, in the same order."""


def game(
    run: "GameRun | QuantalResponse | GameLike", parameters: Mapping[str, Any] | None = None
) -> "pyspiel.Game":
    """Return the OpenSpiel game for a run or for one of our games.

    >>> import untilt
    >>> str(untilt.openspiel.game("leduc"))
    'leduc_poker()'
    """
    require("pyspiel", "untilt.openspiel")
    return _pair(run, parameters).state.get_game()


def policy(
    run: "GameRun | QuantalResponse", strategy: Profile | None = None
) -> "pyspiel.TabularPolicy":
    """Return the strategy of a run as a policy of `untilt.openspiel.game(run)`.

    The run is of an `openspiel:…` game, or of Kuhn or Leduc. `strategy` replaces the run's own.

    >>> import pyspiel, untilt
    >>> run = untilt.solve("kuhn", "cfr+", iterations=200, save=False)
    >>> policy = untilt.openspiel.policy(run)
    >>> abs(pyspiel.nash_conv(untilt.openspiel.game(run), policy) - run.nash_conv) < 1e-9
    True
    """
    spiel = require("pyspiel", "untilt.openspiel")
    whole = _run_of(run)
    profile = whole.profile if strategy is None else strategy
    if not isinstance(profile, Profile):
        raise StrategyError(f"{shortened(profile)} is not a profile")
    table: dict[str, list[tuple[int, float]]] = {}
    for decision in _decisions(_pair(whole, None)):
        key = decision.state.information_state_string()
        if key not in table:
            row = _row(profile, decision)
            table[key] = list(zip(decision.numbers, row, strict=True))
    return spiel.TabularPolicy(table)


def profile(policy: Any, game: GameLike, parameters: Mapping[str, Any] | None = None) -> Profile:
    """Return an OpenSpiel policy as a strategy of our `game`: `openspiel:…`, Kuhn or Leduc.

    `policy` is any policy of `untilt.openspiel.game(game)`, of pyspiel or of `open_spiel.python`.
    Leduc with merged suits accepts a policy only if it plays all suits alike.

    >>> import pyspiel, untilt
    >>> uniform = pyspiel.UniformRandomPolicy(untilt.openspiel.game("kuhn"))
    >>> untilt.openspiel.profile(uniform, "kuhn") == untilt.strategies.uniform("kuhn")
    True
    """
    require("pyspiel", "untilt.openspiel")
    if not callable(getattr(policy, "action_probabilities", None)):
        raise InvalidOption(
            f"{shortened(policy)} is not a policy of OpenSpiel: it has no action_probabilities"
        )
    pair = _pair(game, parameters)
    plain: dict[str, dict[str, float]] = {}
    for decision in _decisions(pair):
        given = policy.action_probabilities(decision.state)
        shares = [float(given.get(number, 0.0)) for number in decision.numbers]
        row = dict(zip(decision.actions, shares, strict=True))
        before = plain.setdefault(decision.label, row)
        if any(abs(before[name] - row[name]) > _TOLERANCE for name in row):
            raise StrategyError(
                f"the policy plays suits differently at {decision.label!r}, which our game does "
                'not tell apart; give parameters={"suits": "distinguished"}'
            )
    return profile_from_dict(compile_histories(pair.ours), plain)


def _run_of(run: object) -> "GameRun":
    whole = getattr(run, "run", run)
    from untilt.runs.run import GameRun

    if not isinstance(whole, GameRun):
        raise InvalidOption(f"{shortened(run)} is not a run, such as untilt.solve returns")
    return whole


def _pair(run: object, parameters: Mapping[str, Any] | None) -> _Pair:
    """Return our game and OpenSpiel's, for a run or anything that stands for a game."""
    from untilt.games.openspiel import OpenSpielGame, load_openspiel

    if isinstance(run, str) or not hasattr(run, "request"):
        run = getattr(run, "run", run)
    request = getattr(run, "request", None)
    if request is not None and request.reference is None:
        raise InvalidOption("a run on a position made in Python has no game in OpenSpiel")
    named = (
        name_game(run, parameters or {})  # type: ignore[arg-type]  # it is checked there
        if request is None
        else name_game(request.reference, request.parameters)
    )
    if isinstance(named.game, OpenSpielGame):
        return _Pair(named.game, named.game.state, None)
    if not named.is_builtin or named.name not in _TWINS:
        raise InvalidOption(
            f"{named.name} has no twin in OpenSpiel that we know; use openspiel:…, "
            f"{' or '.join(_TWINS)}"
        )
    twin = _TWINS[named.name]
    count = num_players_of(named.game)
    players = "" if count == 2 else f"(players={count})"
    theirs = load_openspiel(f"{twin.text}{players}").game
    cards = _cards(named.game, twin.num_suits)

    def deal(number: int) -> str:
        if number >= len(cards):
            raise GameError(f"OpenSpiel's game has more than our {len(cards)} cards")
        return cards[number]

    return _Pair(named.game, theirs.state, deal)


def _decisions(pair: _Pair) -> Iterator[_Decision]:
    """Yield the decisions of both games, side by side; raise GameError if they differ."""
    deal = pair.deal
    stack = [(pair.ours, pair.state)]
    while stack:
        position, state = stack.pop()
        if position.terminal or state.is_terminal():
            _verify_end(position, state)
            continue
        if position.chance:
            stack += _dealt(position, state, deal)
            continue
        infoset = position.infoset(position.active)
        actions, numbers = list(infoset.actions()), list(state.legal_actions())
        if len(actions) != len(numbers) or state.current_player() != position.active:
            raise GameError(f"OpenSpiel's game has other actions at {infoset}")
        yield _Decision(str(infoset), tuple(map(str, actions)), state, numbers)
        for action, number in zip(actions, numbers, strict=True):
            stack.append((position.apply(action), state.child(number)))


def _dealt(
    position: Game, state: Any, deal: Callable[[int], str] | None
) -> Iterator[tuple[Game, Any]]:
    """Yield what follows a chance move in both games; raise GameError if probabilities differ."""
    chances = chances_of(position)
    outcomes = {str(outcome): outcome for outcome, _ in chances}
    left = {str(outcome): chance for outcome, chance in chances}
    for place, (number, chance) in enumerate(state.chance_outcomes()):
        name = list(outcomes)[place] if deal is None else deal(number)
        left[name] = left.get(name, 0.0) - chance
        if name in outcomes:
            yield position.apply(outcomes[name]), state.child(number)
    for name, rest in left.items():
        if abs(rest) > _TOLERANCE:
            raise GameError(f"OpenSpiel's game deals {name} with another probability than ours")


def _verify_end(position: Game, state: Any) -> None:
    if not (position.terminal and state.is_terminal()):
        raise GameError("one of the games ends where OpenSpiel's goes on: they are not the same")
    for player, theirs in enumerate(state.returns()):
        if abs(position.payoff(player) - theirs) > _TOLERANCE:
            raise GameError(
                f"the game pays player {player} {position.payoff(player):g} where OpenSpiel's "
                f"pays {theirs:g}: they are not the same"
            )


def _row(profile: Profile, decision: _Decision) -> list[float]:
    if decision.label not in profile:
        if len(decision.actions) == 1:
            return [1.0]
        raise StrategyError(f"the strategy has no infoset {decision.label!r}")
    found = profile[decision.label]
    return [found.get(action, 0.0) for action in decision.actions]
