"""Moving from position to position: possible moves, forced moves, random hands, histories.

All code that walks, samples or plays a game uses these functions, so a mistake in a game gives
the same error everywhere. A *forced move* is the only action of an infoset: it is made at once,
without asking the player, and descriptions of histories leave it out.
"""

import math
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from numbers import Integral
from typing import NamedTuple
from weakref import finalize

from untilt.errors import GameError, GameTooLarge, shortened
from untilt.game.actions import MANY
from untilt.game.faults import number_of, verify_infoset_type, verify_position_type
from untilt.game.protocol import Action, Game, InfoSet, Uniforms, chances_of, num_players_of

DEFAULT_MAX_DEPTH = 10_000
"""Moves after which a history is considered endless."""

_PROBABILITY_TOLERANCE = 1e-9

_sound_types: set[int] = set()
"""Identities of the types of positions and infosets that have passed the checks. (A WeakSet takes
as long to ask as a small game to move.)"""


class NotListed(GameTooLarge):
    """A game that draws its chance outcomes and does not list them."""


class Choice(NamedTuple):
    """A choice of the player to act.

    Whoever chooses may look at the infoset, the actions and the money on the table, never at the
    hidden cards of the position.
    """

    position: Game
    infoset: InfoSet
    actions: Sequence[Action]
    """At least two: a tuple, or many that are not listed."""

    @property
    def player(self) -> int:
        """The player to act."""
        return self.position.active


_new_choice = tuple.__new__
"""Makes a Choice from a tuple, in half of the time."""


class Place(NamedTuple):
    """A position that is terminal, a chance move or a choice."""

    position: Game
    infoset: InfoSet | None
    """Of the player to act; None at terminals and chance moves."""
    actions: Sequence[Action]
    """Two or more at a choice, else none; a tuple, or many that are not listed."""


def past_forced_moves(position: Game, history: Callable[[], str]) -> Place:
    """Return the next place that is not a forced move; `history` names the position in errors."""
    for _ in range(DEFAULT_MAX_DEPTH + 1):
        check_type(position, history)
        if position.terminal or position.chance:
            return Place(position, None, ())
        player = position.active
        if player not in (0, 1):
            verify_active(player, num_players_of(position), history)
        infoset = position.infoset(player)
        check_infoset(infoset, history)
        actions: Sequence[Action] = infoset.actions()
        if type(actions) is not tuple and type(actions) not in MANY:
            actions = tuple(actions)
        if len(actions) > 1:
            return Place(position, infoset, actions)
        position = after_forced_move(position, infoset, actions, history)
    raise too_deep(DEFAULT_MAX_DEPTH)


def next_choice(
    position: Game, rng: Uniforms, moves: list[Action], history: Callable[[], str]
) -> tuple[Game, Choice | None]:
    """Return the next position at which a player has a choice, with the choice, or a terminal.

    Chance outcomes are drawn, and added to `moves`, which `history` describes in errors. Types are
    not checked here: a match spends most of its time in this loop.
    """
    while not position.terminal:
        if len(moves) > DEFAULT_MAX_DEPTH:
            raise too_deep(DEFAULT_MAX_DEPTH)
        if position.chance:
            move = position.sample(rng)
            moves.append(move)
            position = position.apply(move)
            continue
        player = position.active
        if player not in (0, 1):
            verify_active(player, num_players_of(position), history)
        infoset = position.infoset(player)
        actions = infoset.actions()
        if len(actions) > 1:
            if type(actions) is not tuple and type(actions) not in MANY:
                actions = tuple(actions)
            return position, _new_choice(Choice, (position, infoset, actions))
        position = past_forced_moves(position, history).position
    return position, None


def check_type(position: Game, history: Callable[[], str]) -> None:
    """Raise GameError if the type of a position cannot be played; see `verify_position_type`."""
    if id(type(position)) not in _sound_types:
        verify_position_type(position, history)
        _mark_as_sound(type(position))


def check_infoset(infoset: InfoSet, history: Callable[[], str]) -> None:
    """Raise GameError if infosets of this type do not compare by what a player knows."""
    if id(type(infoset)) not in _sound_types:
        verify_infoset_type(infoset, history)
        _mark_as_sound(type(infoset))


def _mark_as_sound(kind: type) -> None:
    _sound_types.add(id(kind))
    # Another type may get the same identity once this one is gone.
    finalize(kind, _sound_types.discard, id(kind)).atexit = False


def after_forced_move(
    position: Game, infoset: InfoSet, actions: Sequence[Action], history: Callable[[], str]
) -> Game:
    """Return the position after the only one of the `actions`."""
    if not actions:
        raise no_action(infoset, history())
    after = position.apply(actions[0])
    if after is position:
        raise same_position(actions[0], history())
    return after


def possible_moves(position: Game) -> Sequence[Action]:
    """Return the actions or the possible chance outcomes; none at a terminal."""
    if position.terminal:
        return ()
    if position.chance:
        return [outcome for outcome, probability in _chances(position) if probability > 0.0]
    return position.infoset(position.active).actions()


def listed_outcomes(position: Game, history: Callable[[], str]) -> list[tuple[Action, float]]:
    """Return the possible outcomes of a chance position with their probabilities, checked.

    `history` names the position in errors. Raises NotListed if the game can only be sampled.
    """
    outcomes = []
    total = 0.0
    for pair in _chances(position):
        try:
            outcome, probability = pair
        except (TypeError, ValueError):
            raise GameError(
                f"`chances` lists {shortened(pair)} at {history()}; it must list pairs "
                "(outcome, probability)"
            ) from None
        if type(probability) is not float:
            what = f"the probability of chance outcome {str(outcome)!r}"
            probability = number_of(what, probability, history)
        if not probability >= 0.0:
            raise GameError(
                f"chance outcome {str(outcome)!r} has probability {probability} at "
                f"{history()}; it must lie in [0, 1]"
            )
        total += probability
        if probability > 0.0:
            outcomes.append((outcome, probability))
    if abs(total - 1.0) > _PROBABILITY_TOLERANCE:
        raise GameError(
            f"the chance probabilities sum to {total:.12g} at {history()}; they must sum to 1"
        )
    return outcomes


def payoff_of(position: Game, player: int, history: Callable[[], str]) -> float:
    """Return the gain of `player` at a terminal; `history` names the position in errors."""
    try:
        given = position.payoff(player)
    except LookupError as error:
        count = num_players_of(position)
        if count == 2:
            raise
        raise GameError(
            f"payoff({player}) raised {type(error).__name__} at {history()}: a game of {count} "
            f"players must return the payoffs of players 0 to {count - 1}"
        ) from error
    if type(given) is float and math.isfinite(given):
        return given
    return number_of(f"payoff({player})", given, history)


def payoffs_of(position: Game, history: Callable[[], str]) -> tuple[float, ...]:
    """Return the gains of all players at a terminal, likewise."""
    players = range(num_players_of(position))
    return tuple(payoff_of(position, player, history) for player in players)


def random_hand(root: Game, rng: random.Random, max_moves: int) -> Iterator[Game]:
    """Yield the positions of a random hand, `root` first, and at most `max_moves` more."""
    position = root
    yield position
    for _ in range(max_moves):
        if position.terminal:
            return
        if position.chance:
            move = position.sample(rng)
        else:
            move = rng.choice(list(position.infoset(position.active).actions()))
        position = position.apply(move)
        yield position


def replayed_moves(root: Game, ordinals: Iterable[int]) -> Iterator[str]:
    """Yield the names of the moves that lead from `root` along the children with these numbers.

    A child's number is its place among the possible moves; forced moves have none.
    """
    position = root
    for ordinal in ordinals:
        moves = possible_moves(position)
        while not position.chance and len(moves) == 1:
            position = position.apply(moves[0])
            moves = possible_moves(position)
        yield str(moves[ordinal])
        position = position.apply(moves[ordinal])


def described_history(names: Sequence[str]) -> str:
    """Return moves as text for an error; the middle of a long list is left out."""
    shown = names if len(names) <= 24 else [*names[:12], "…", *names[-11:]]
    return f"history [{', '.join(shown)}]" if names else "the root"


def too_deep(max_depth: int) -> GameError:
    """Return the error for an endless history."""
    return GameError(
        f"a history is longer than {max_depth:,} moves: does the game ever end? "
        "(`apply` must return a new position that is closer to a terminal)"
    )


def verify_active(player: object, num_players: int, history: Callable[[], str]) -> None:
    """Raise GameError if a decision is nobody's; `history` names the position."""
    if isinstance(player, Integral) and 0 <= int(player) < num_players:
        return
    allowed = ", ".join(map(str, range(num_players - 1))) + f" or {num_players - 1}"
    if isinstance(player, Integral) and int(player) >= num_players:
        more = int(player) + 1
        raise GameError(
            f"`active` is {shortened(player)} at {history()}, but the game has {num_players} "
            f"players: return {allowed}, or give the class the attribute `num_players = {more}`"
        )
    raise GameError(f"`active` is {shortened(player)} at {history()}; it must be {allowed}")


def no_action(infoset: InfoSet, history: str) -> GameError:
    """Return the error for a decision without moves."""
    return GameError(
        f"infoset {str(infoset)!r} offers no action at {history}; "
        "a position without moves must be terminal"
    )


def same_position(action: Action, history: str) -> GameError:
    """Return the error for a move that leads nowhere."""
    return GameError(
        f"`apply({str(action)!r})` returns the position it was called on at {history}; it must "
        "return a new one, one move further"
    )


def different_actions(
    infoset: InfoSet, before: Sequence[Action], now: Sequence[Action], history: str
) -> GameError:
    """Return the error for an infoset that offers different actions at different histories."""
    return GameError(
        f"infoset {str(infoset)!r} offers {[str(action) for action in now]} at "
        f"{history} but {[str(action) for action in before]} elsewhere: "
        "an infoset must always offer the same actions in the same order"
    )


def _chances(position: Game) -> list[tuple[Action, float]]:
    try:
        return list(chances_of(position))
    except NotImplementedError:
        raise NotListed(
            "the game does not list its chance outcomes (`chances` is not implemented): "
            "it cannot be compiled, only sampled; use a sampling method such as mccfr-external"
        ) from None
