"""A table where two agents play hands; a hand depends only on seed, number and choices."""

from collections.abc import Iterator

from untilt.game.protocol import Game
from untilt.play.agents import AgentLike, Rules, Seated
from untilt.play.clock import Clock
from untilt.play.hand import Hand, LiveHand
from untilt.play.streams import verify_numbers


class Table:
    """Two agents who play the game whose root position is `root`.

    Agent 0 is player 0 and agent 1 is player 1; with `is_alternating` they swap seats in hands
    with odd numbers. `rules` is what agents learn about the game, by default what `root` says. Each
    agent has a clock with `decision_seconds` per decision and `match_seconds` for all hands.
    """

    def __init__(
        self,
        root: Game,
        agents: tuple[AgentLike, AgentLike],
        seed: int = 0,
        *,
        is_alternating: bool = False,
        rules: Rules | None = None,
        decision_seconds: float | None = None,
        match_seconds: float | None = None,
    ) -> None:
        verify_numbers(seed)
        self.root = root
        self.agents = agents
        self.seed = seed
        self.is_alternating = is_alternating
        self.rules = Rules.of(root) if rules is None else rules
        self._seated = tuple(Seated.of(agent) for agent in agents)
        self._clocks = tuple(Clock(decision_seconds, match_seconds) for _ in agents)

    def deal(self, number: int) -> LiveHand:
        """Return hand `number`, at least 0, at the first decision."""
        return LiveHand(self.root, self.seed, number)

    def play_hand(self, number: int) -> Hand:
        """Return hand `number`, played to its end."""
        live = self.deal(number)
        order = (1, 0) if self.is_alternating and number % 2 else (0, 1)
        for player, agent in enumerate(order):
            self._seated[agent].begin(player, self.rules)
        while live.turn is not None:
            player = live.turn.player
            agent = order[player]
            with self._clocks[agent] as clock:
                action = self._seated[agent].act(live.turn, live.stream(player), clock)
            live.take(action)
        hand = live.finished(order)
        for agent in order:
            self._seated[agent].end(hand)
        return hand

    def play(self, count: int, first: int = 0) -> Iterator[Hand]:
        """Yield `count` hands, starting with number `first`."""
        for number in range(first, first + count):
            yield self.play_hand(number)
