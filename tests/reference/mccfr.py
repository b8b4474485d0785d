"""Monte Carlo CFR by plain recursion over positions, with dictionaries.

An iteration of chance or external sampling is a traversal for each player in turn; an iteration
t = 0, 1, … of outcome sampling is one episode, for player t mod n. All strategies stand still
within an iteration; afterwards each is matched to its regrets.

    chance     draw chance; go through all actions; own regrets weigh the opponents' reach
    external   draw chance and the opponents; go through all own actions
    outcome    draw everything, own actions with the share ε of uniform play; what was drawn
               counts 1 / (the probability of having drawn it)

The stochastic average counts the strategy of whoever acts: in chance sampling that of the
player who learns, times the own reach; in the others that of the player after, who is drawn by it
(divided by the probability with which all others were drawn to go there, chance excepted).

Lanctot, Waugh, Zinkevich and Bowling 2009 (the schemes); Schmid et al. 2019 (baselines).
"""

import math
from collections import defaultdict
from collections.abc import Callable

from untilt.game.protocol import Game

Uniform = Callable[[], float]
"""Gives the next random number in [0, 1)."""

Numbers = dict[str, dict[str, float]]
"""Label of an infoset → name of an action → number."""

History = tuple[str, ...]
"""All moves so far, chance's too."""


class ReferenceMccfr:
    """A run: `iterate` as often as you like, then look at `regrets` and `average()`.

    `uniforms` gives the random numbers of each sample by its number; samples are counted from
    0 on, one per player in an iteration of chance and external sampling. With `baseline_rate` > 0,
    outcome sampling measures values against those that the same histories gave before.
    """

    def __init__(
        self,
        game: Game,
        sampling: str,
        uniforms: Callable[[int], Uniform],
        *,
        exploration: float = 0.6,
        baseline_rate: float = 0.0,
        is_clipped: bool = False,
    ) -> None:
        self._game = game
        self._sampling = sampling
        self._uniforms = uniforms
        self._exploration = exploration
        self._baseline_rate = baseline_rate
        self._is_clipped = is_clipped
        self._samples = 0
        self._players = getattr(game, "num_players", 2)
        self.regrets: Numbers = {}
        self.current: Numbers = {}
        self.strategy_sum: Numbers = {}
        self.baselines: dict[tuple[int, History], float] = defaultdict(float)
        """What a player is expected to gain; with two players, what player 0 is."""
        self._learned: list[tuple[str, dict[str, float]]] = []
        self._passed: list[tuple[str, float]] = []
        self._values: list[tuple[tuple[int, History], float]] = []

    def iterate(self) -> None:
        """Draw the samples of one iteration, then learn from them."""
        for _ in range(1 if self._sampling == "outcome" else self._players):
            player = self._samples % self._players
            uniform = self._uniforms(self._samples)
            if self._sampling == "outcome":
                self._play(self._game, (), player, 1.0, 1.0, uniform)
            else:
                self._traverse(self._game, player, (1.0,) * self._players, uniform)
            self._samples += 1
        self._learn()

    def average(self) -> Numbers:
        """Return the average strategy, uniform where nothing came."""
        return {label: _proportional(sums) for label, sums in self.strategy_sum.items()}

    def _strategy(self, label: str, actions: list[str]) -> dict[str, float]:
        if label not in self.current:
            self.regrets[label] = dict.fromkeys(actions, 0.0)
            self.strategy_sum[label] = dict.fromkeys(actions, 0.0)
            self.current[label] = dict.fromkeys(actions, 1.0 / len(actions))
        return self.current[label]

    def _traverse(
        self, position: Game, player: int, reach: tuple[float, ...], uniform: Uniform
    ) -> float:
        """Return a sample of what the position is worth to `player`; `reach` is by players."""
        if position.terminal:
            return float(position.payoff(player))
        if position.chance:
            return self._traverse(_dealt(position, uniform)[1], player, reach, uniform)
        actor = position.active
        infoset = position.infoset(actor)
        label, moves = str(infoset), {str(action): action for action in infoset.actions()}
        if len(moves) == 1:  # nothing is drawn, nothing is learned
            return self._traverse(position.apply(*moves.values()), player, reach, uniform)
        strategy = self._strategy(label, list(moves))
        if actor != player and self._sampling == "external":
            visitor = (player + 1) % self._players
            if actor == visitor:
                drawn = math.prod(
                    share for seat, share in enumerate(reach) if seat not in (player, visitor)
                )
                self._passed.append((label, 1.0 / drawn))
            chosen = _drawn(strategy, uniform())
            after = (*reach[:actor], reach[actor] * strategy[chosen], *reach[actor + 1 :])
            return self._traverse(position.apply(moves[chosen]), player, after, uniform)
        if actor == player and self._sampling == "chance":
            self._passed.append((label, reach[player]))
        values = {}
        for name, move in moves.items():
            further = reach[actor] * strategy[name]
            after = (*reach[:actor], further, *reach[actor + 1 :])
            values[name] = self._traverse(position.apply(move), player, after, uniform)
        expected = sum(strategy[name] * values[name] for name in moves)
        if actor == player:
            others = (*reach[:player], *reach[player + 1 :])
            weight = math.prod(others) if self._sampling == "chance" else 1.0
            self._learned.append(
                (label, {name: weight * (values[name] - expected) for name in moves})
            )
        return expected

    def _play(
        self,
        position: Game,
        history: History,
        player: int,
        drawn: float,
        others: float,
        uniform: Uniform,
    ) -> float:
        """Return a sample of what the position is worth to `player`.

        `drawn` is the probability with which the player's own actions so far were drawn, `others`
        that of the players who are neither `player` nor the one after.
        """
        if position.terminal:
            return float(position.payoff(player))
        sign = -1.0 if self._players == 2 and player == 1 else 1.0
        whose = 0 if self._players == 2 else player

        def followed(move: str, after: Game, further: float, others: float) -> float:
            value = self._play(after, (*history, move), player, further, others, uniform)
            self._values.append(((whose, (*history, move)), sign * value))
            return value

        def expected_of(move: str) -> float:
            return sign * self.baselines[whose, (*history, move)]

        if position.chance:
            chosen, after = _dealt(position, uniform)
            surprise = followed(chosen, after, drawn, others) - expected_of(chosen)
            return surprise + sum(chance * expected_of(str(o)) for o, chance in position.chances())
        actor = position.active
        infoset = position.infoset(actor)
        label, moves = str(infoset), {str(action): action for action in infoset.actions()}
        if len(moves) == 1:
            after = position.apply(*moves.values())
            return self._play(after, history, player, drawn, others, uniform)
        strategy = self._strategy(label, list(moves))
        if actor != player:
            chosen = _drawn(strategy, uniform())
            if actor == (player + 1) % self._players:
                self._passed.append((label, 1.0 / (drawn * others)))
            else:
                others *= strategy[chosen]
            value = followed(chosen, position.apply(moves[chosen]), drawn, others)
            surprise = value - expected_of(chosen)
            return surprise + sum(strategy[name] * expected_of(name) for name in moves)
        explored = {
            name: self._exploration / len(moves) + (1.0 - self._exploration) * strategy[name]
            for name in moves
        }
        chosen = _drawn(explored, uniform())
        value = followed(chosen, position.apply(moves[chosen]), drawn * explored[chosen], others)
        values = {name: expected_of(name) for name in moves}
        values[chosen] += (value - expected_of(chosen)) / explored[chosen]
        expected = sum(strategy[name] * values[name] for name in moves)
        self._learned.append((label, {name: (values[name] - expected) / drawn for name in moves}))
        return expected

    def _learn(self) -> None:
        for label, mass in self._passed:
            for name, probability in self.current[label].items():
                self.strategy_sum[label][name] += mass * probability
        for label, regrets in self._learned:
            for name, regret in regrets.items():
                total = self.regrets[label][name] + regret
                self.regrets[label][name] = max(total, 0.0) if self._is_clipped else total
        for label, _ in self._learned:
            self.current[label] = _proportional(self.regrets[label])
        if self._baseline_rate > 0.0:
            for place, value in self._values:
                self.baselines[place] += self._baseline_rate * (value - self.baselines[place])
        self._passed, self._learned, self._values = [], [], []


def _dealt(position: Game, uniform: Uniform) -> tuple[str, Game]:
    """Return a chance outcome by its name, and the position after it."""
    outcomes = [(outcome, chance) for outcome, chance in position.chances() if chance > 0.0]
    chosen = _drawn({str(outcome): chance for outcome, chance in outcomes}, uniform())
    return chosen, position.apply(next(o for o, _ in outcomes if str(o) == chosen))


def _drawn(probabilities: dict[str, float], number: float) -> str:
    """Return what `number` in [0, 1) falls on, going along the probabilities in order."""
    total = 0.0
    possible = [name for name, probability in probabilities.items() if probability > 0.0]
    for name in possible:
        total += probabilities[name]
        if number < total:
            return name
    return possible[-1]


def _proportional(weights: dict[str, float]) -> dict[str, float]:
    """Return probabilities proportional to the positive weights, uniform if there are none."""
    positive = {name: max(weight, 0.0) for name, weight in weights.items()}
    total = sum(positive.values())
    if total > 0.0:
        return {name: weight / total for name, weight in positive.items()}
    return dict.fromkeys(weights, 1.0 / len(weights))
