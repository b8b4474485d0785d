"""A strategy of an abstract game as a strategy of the full game, to measure it there.

Under states alone, a player does at an infoset what the strategy does at the abstract one. With a
menu, real bets are translated, perhaps at random; the lifted strategy does what a translated one
does on average, given the player's own actions so far. So its exploitability is that of the agent
that plays.
"""

from collections.abc import Iterable
from typing import Any

from untilt.abstraction.abstract_game import AbstractPosition
from untilt.abstraction.translation import PSEUDO_HARMONIC, Sight, Translation
from untilt.game.actions import ActionData
from untilt.game.compiled import CompiledGame
from untilt.game.protocol import Action, Game, chances_of
from untilt.game.strategy import PlainProfile, Profile, profile_from_dict
from untilt.games.holdem.betting import Betting

_Sights = dict[Sight | None, float]
"""What a player may see, with weights; None if there is no menu."""


def lift(
    game: AbstractPosition,
    profile: PlainProfile,
    full: CompiledGame,
    *,
    mapping: str = PSEUDO_HARMONIC,
) -> Profile:
    """Return a strategy of the abstract `game` as one of `full`, the compiled `game.base`."""
    walk = _Lifting(Translation(game, profile, mapping=mapping))
    start = walk.start()
    stack: list[tuple[Game, _Sights, _Sights]] = [(game.base, start, start)]
    while stack:
        position, *sights = stack.pop()
        stack.extend(walk.children(position, (sights[0], sights[1])))
    return profile_from_dict(full, walk.rows)


class _Lifting:
    """A walk through the full game that collects what is done at each infoset."""

    def __init__(self, translation: Translation) -> None:
        self.translation = translation
        self.abstraction = translation.game.abstraction
        self.rows: dict[str, dict[str, float]] = {}

    def start(self) -> _Sights:
        """Return what both players see at first."""
        if self.abstraction.menu is None:
            return {None: 1.0}
        betting: Betting = self.translation.root.betting  # type: ignore[attr-defined]  # hold'em
        return {Sight(betting, ""): 1.0}

    def children(
        self, position: Game, sights: tuple[_Sights, _Sights]
    ) -> Iterable[tuple[Game, _Sights, _Sights]]:
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
        mixes = self._mixes(known, sights[player])
        if len(actions) > 1:
            self._add_row(str(known), actions, mixes, sights[player])
        for action in actions:
            after = position.apply(action)
            if self.abstraction.menu is None:
                yield after, *sights
                continue
            real: Betting = known.betting
            own = self._after_own(mixes, sights[player], real, action)
            other = self._after_other(sights[1 - player], real, action)
            yield (after, own, other) if player == 0 else (after, other, own)

    def _mixes(
        self, known: Any, sights: _Sights
    ) -> dict[Sight | None, dict[Any, dict[str, float]]]:
        """Return for each sight the real actions, with the strategy's names for them."""
        found: dict[Sight | None, dict[Any, dict[str, float]]] = {}
        for sight in sights:
            mix: dict[Any, dict[str, float]] = {}
            for action, name, weight in self.translation.mix(known, sight):
                mix.setdefault(action, {})[name] = weight
            found[sight] = mix
        return found

    def _add_row(
        self,
        label: str,
        actions: tuple[Action, ...],
        mixes: dict[Sight | None, dict[Any, dict[str, float]]],
        sights: _Sights,
    ) -> None:
        if label in self.rows:
            return
        total = sum(sights.values())
        row = dict.fromkeys(map(str, actions), 0.0)
        for sight, weight in sights.items():
            for action, names in mixes[sight].items():
                row[str(action)] += weight / total * sum(names.values())
        self.rows[label] = row

    def _after_own(
        self,
        mixes: dict[Sight | None, dict[Any, dict[str, float]]],
        sights: _Sights,
        real: Betting,
        action: ActionData,
    ) -> _Sights:
        found: _Sights = {}
        for sight, weight in sights.items():
            assert sight is not None
            for name, share in mixes[sight].get(action, {}).items():
                after = self.translation.after_own(sight, real, name, action)
                assert after is not None, "the strategy chose it"
                found[after] = found.get(after, 0.0) + weight * share
        # What the strategy never does is seen as if the other player did it.
        return found or self._after_other(sights, real, action)

    def _after_other(self, sights: _Sights, real: Betting, action: ActionData) -> _Sights:
        found: _Sights = {}
        for sight, weight in sights.items():
            assert sight is not None
            for after, share in self.translation.after_action(sight, real, action):
                found[after] = found.get(after, 0.0) + weight * share
        return found

    def _dealt(self, position: Any, sights: _Sights) -> _Sights:
        if self.abstraction.menu is None or not str(position.line).endswith("/"):
            return sights
        found: _Sights = {}
        for sight, weight in sights.items():
            assert sight is not None
            after = self.translation.after_deal(sight, position.betting)
            found[after] = found.get(after, 0.0) + weight
        return found
