"""Measures of strategies, however they are given: values, best responses, distances."""

from collections.abc import Mapping

from untilt.errors import InvalidOption
from untilt.evaluation import action_values as values
from untilt.evaluation import best_response as responses
from untilt.evaluation import comparison
from untilt.evaluation.action_values import ActionValues
from untilt.evaluation.best_response import Evaluation
from untilt.evaluation.comparison import Distance, HeadToHead
from untilt.game.strategy import strategy
from untilt.game.strategy.strategy import Profile, Strategy, strategy_from_dict, verify_player
from untilt.games.compiling import AnyGame, compile  # noqa: A004
from untilt.runs.results.given_strategies import AnyStrategy, is_run, loaded_game, profile_of


def evaluate(game: AnyGame, profile: "AnyStrategy | None" = None) -> Evaluation:
    """Return the values and best-response gains of `profile`, in general-sum games too.

    For a run or its folder, no profile is needed: `untilt.evaluate(run)`.

    >>> import untilt
    >>> round(untilt.evaluate("kuhn", untilt.strategies.uniform("kuhn")).nash_conv, 6)  # 11 / 12
    0.916667
    """
    known = loaded_game(game)
    if profile is None:
        if not is_run(known):
            raise InvalidOption(
                "give the strategy to evaluate: a profile, a run, a file, or "
                "{infoset: {action: probability}}"
            )
        profile = known
    about = compile(known)
    return responses.evaluate(about.plan_form(), profile_of(about, profile))


def best_response(game: AnyGame, profile: AnyStrategy, player: int) -> tuple[Strategy, float]:
    """Return `player`'s pure best response to the strategies of the others, and its value.

    `profile` may contain only the strategies of the others. Among equally good actions the response
    takes the first, even at infosets that the others never let the player reach.

    >>> import untilt
    >>> uniform = untilt.strategies.uniform("kuhn")
    >>> response, value = untilt.strategies.best_response("kuhn", uniform, player=0)
    >>> response["P0:K:"], round(value, 6)
    ({'check': 1.0, 'bet': 0.0}, 0.5)
    """
    about = compile(loaded_game(game))
    player = verify_player(player, about.num_players)
    if isinstance(profile, Mapping) and not isinstance(profile, Profile):
        seated = list(strategy.uniform_profile(about).strategies)
        for other in range(about.num_players):
            if other != player:
                seated[other] = strategy_from_dict(about, other, profile)
        profile = Profile(tuple(seated))
    return responses.best_response(about.plan_form(), profile_of(about, profile), player)


def action_values(game: AnyGame, profile: AnyStrategy, player: int) -> ActionValues:
    """Return `player`'s action values and reaches under `profile`.

    >>> import untilt
    >>> uniform = untilt.strategies.uniform("kuhn")
    >>> untilt.strategies.action_values("kuhn", uniform, player=0).own_reach
    array([1. , 0.5, 1. , 0.5, 1. , 0.5])
    """
    about = compile(loaded_game(game))
    return values.action_values(about.plan_form(), profile_of(about, profile), player)


def head_to_head(game: AnyGame, profile: AnyStrategy, other: AnyStrategy) -> HeadToHead:
    """Return what `profile` wins against `other` in each seat.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "lp", save=False)
    >>> untilt.strategies.head_to_head("kuhn", run, untilt.strategies.uniform("kuhn")).mean > 0.0
    True
    """
    about = compile(loaded_game(game))
    both = profile_of(about, profile), profile_of(about, other)
    return comparison.head_to_head(about.plan_form(), *both)


def distance(game: AnyGame, profile: AnyStrategy, other: AnyStrategy) -> Distance:
    """Return how far apart two profiles are.

    >>> import untilt
    >>> run = untilt.solve("kuhn", "lp", save=False)
    >>> untilt.strategies.distance("kuhn", run, run).largest
    0.0
    """
    about = compile(loaded_game(game))
    both = profile_of(about, profile), profile_of(about, other)
    return comparison.distance(about.plan_form(), *both)
