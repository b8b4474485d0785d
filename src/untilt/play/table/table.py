"""A table where two policies play hands; a hand depends only on seed, number and choices."""

from collections.abc import Iterator, Sequence

from untilt.errors import InvalidOption
from untilt.games.registry import GameLike, name_game
from untilt.play.table.hand import LiveHand
from untilt.policy.code import PolicyLike, as_policy
from untilt.policy.hands.clock import Clock
from untilt.policy.hands.rules import Rules
from untilt.policy.hands.streams import verify_numbers
from untilt.policy.hands.turn import Hand
from untilt.policy.saved.match_game import MatchGame


class Table:
    """Two agents who play the game whose root position is `root`; a name is a game, too.

    An agent is a policy, such as `load_agents` returns, a profile or a run, a function, or an
    object with `act`.
    Agent 0 is player 0 and agent 1 is player 1; with `is_alternating` they swap seats in hands
    with odd numbers. `rules` is what agents learn about the game, by default what `root` says. Each
    agent has a clock with `decision_seconds` per decision and `match_seconds` for all hands.
    """

    def __init__(
        self,
        root: GameLike | MatchGame,
        agents: Sequence[PolicyLike],
        seed: int = 0,
        *,
        is_alternating: bool = False,
        rules: Rules | None = None,
        decision_seconds: float | None = None,
        match_seconds: float | None = None,
    ) -> None:
        verify_numbers(seed)
        if not isinstance(agents, Sequence) or len(agents) != 2:
            raise InvalidOption.of("agents", agents, "give two, as (first, second)")
        self.root = root.root if isinstance(root, MatchGame) else name_game(root).game
        self.agents = agents
        self.seed = seed
        self.is_alternating = is_alternating
        self.rules = Rules.of(self.root) if rules is None else rules
        self._policies = tuple(map(as_policy, agents))
        self._clocks = tuple(Clock(decision_seconds, match_seconds) for _ in agents)

    def deal(self, number: int) -> LiveHand:
        """Return hand `number`, at least 0, at the first decision."""
        return LiveHand(self.root, self.seed, number)

    def play_hand(self, number: int) -> Hand:
        """Return hand `number`, played to its end."""
        live = self.deal(number)
        order = (1, 0) if self.is_alternating and number % 2 else (0, 1)
        seated = [self._policies[agent] for agent in order]
        states = live.play_out(seated, self.rules, [self._clocks[agent] for agent in order])
        hand = live.finished(order)
        for policy, state in zip(seated, states, strict=True):
            policy.end(state, hand)
        return hand

    def play(self, count: int, first: int = 0) -> Iterator[Hand]:
        """Yield `count` hands, starting with number `first`."""
        for number in range(first, first + count):
            yield self.play_hand(number)
