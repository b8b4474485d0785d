"""A strategy of an abstract game as a strategy of the full game, to measure it there.

Under states alone, a player does at an infoset what the strategy does at the abstract one. With a
menu, real bets are translated, perhaps at random; the lifted strategy does what a translated one
does on average, given the player's own actions so far. So its exploitability is that of the agent
that plays.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from untilt.abstraction.abstract_game import AbstractPosition
from untilt.abstraction.bet_translation import PSEUDO_HARMONIC
from untilt.abstraction.translation import Translation
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Action, Game, chances_of
from untilt.game.strategy.strategy import PlainProfile, Profile, profile_from_dict

_Sights = dict[Any, float]
"""The possible sights of a player, with weights; None if there is no menu."""
_Mix = dict[Any, dict[int, float]]
"""Real actions, each with the numbers of the actions that the strategy means by it."""


def lift(
    game: AbstractPosition,
    profile: PlainProfile,
    full: CompiledGame,
    *,
    mapping: str = PSEUDO_HARMONIC,
) -> Profile:
    """Return a strategy of the abstract `game` as one of `full`, the compiled `game.base`."""
    walk = _Lifting(Translation(game, profile, mapping=mapping))
    start: _Sights = {walk.translation.start if walk.translation.follows_bets else None: 1.0}
    stack: list[tuple[Game, _Sights, _Sights]] = [(game.base, start, start)]
    while stack:
        position, *sights = stack.pop()
        stack.extend(walk.children(position, (sights[0], sights[1])))
    return profile_from_dict(full, walk.rows)


class _Lifting:
    """A walk through the full game that collects what is done at each infoset."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.rows: dict[str, dict[str, float]] = {}

    def children(
        self, position: Game, sights: tuple[_Sights, _Sights]
    ) -> Iterator[tuple[Game, _Sights, _Sights]]:
        """Yield the positions after `position` with what the players see there."""
        if position.terminal:
            return
        if position.chance:
            for outcome, probability in chances_of(position):
                if probability > 0.0:
                    after = position.apply(outcome)
                    yield after, self._dealt(after, sights[0]), self._dealt(after, sights[1])
            return
        player = position.active
        known: Any = position.infoset(player)
        actions = tuple(known.actions())
        mixes = {sight: self._mix(known, sight) for sight in sights[player]}
        if len(actions) > 1:
            self._add_row(str(known), actions, mixes, sights[player])
        for action in actions:
            after = position.apply(action)
            if not self.translation.follows_bets:
                yield after, *sights
                continue
            own, other = self._after(
                known.betting, action, mixes, sights[player], sights[1 - player]
            )
            yield (after, own, other) if player == 0 else (after, other, own)

    def _mix(self, known: Any, sight: Any) -> _Mix:
        found: _Mix = {}
        for action, number, weight in self.translation.mix(known, sight):
            found.setdefault(action, {})[number] = weight
        return found

    def _add_row(
        self, label: str, actions: tuple[Action, ...], mixes: dict[Any, _Mix], sights: _Sights
    ) -> None:
        if label in self.rows:
            return
        total = sum(sights.values())
        row = dict.fromkeys(map(str, actions), 0.0)
        for sight, weight in sights.items():
            for action, numbers in mixes[sight].items():
                row[str(action)] += weight / total * sum(numbers.values())
        # Rounding may lead beyond 1.
        self.rows[label] = {name: min(share, 1.0) for name, share in row.items()}

    def _after(
        self, real: Any, action: Any, mixes: dict[Any, _Mix], own: _Sights, other: _Sights
    ) -> tuple[_Sights, _Sights]:
        """Return the sights of the player who takes an action, and of the other, after it."""

        def seen(sight: Any) -> Iterable[tuple[Any, float]]:
            return self.translation.after_action(sight, real, action)

        def meant(sight: Any) -> Iterable[tuple[Any, float]]:
            for number, share in mixes[sight].get(action, {}).items():
                after = self.translation.after_own(sight, real, number, action)
                # What is not an action of its own, as a check that calls an unseen bet, is seen as
                # if the other player did it.
                for each, chance in seen(sight) if after is None else [(after, 1.0)]:
                    yield each, share * chance

        # What the strategy never does is seen as if the other player did it.
        return _moved(own, meant) or _moved(own, seen), _moved(other, seen)

    def _dealt(self, position: Any, sights: _Sights) -> _Sights:
        if not (self.translation.follows_bets and str(position.line).endswith("/")):
            return sights
        return _moved(
            sights, lambda sight: [(self.translation.after_deal(sight, position.betting), 1.0)]
        )


def _moved(sights: _Sights, seen: Callable[[Any], Iterable[tuple[Any, float]]]) -> _Sights:
    """Return the sights afterwards, given those that follow each sight."""
    found: _Sights = {}
    for sight, weight in sights.items():
        for after, share in seen(sight):
            found[after] = found.get(after, 0.0) + weight * share
    return found
