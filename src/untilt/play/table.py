"""A table: two agents play hands of a game, each hand a function of seed, number and choices."""

from collections.abc import Iterator

from untilt.game.protocol import Game
from untilt.play.agents import Agent
from untilt.play.hand import Hand, LiveHand
from untilt.play.streams import verify_numbers


class Table:
    """Two agents at the game whose root position is `root`.

    Agent 0 is player 0 and agent 1 player 1; with `is_alternating` they change seats in hands of
    odd number.
    """

    def __init__(
        self,
        root: Game,
        agents: tuple[Agent, Agent],
        seed: int = 0,
        *,
        is_alternating: bool = False,
    ) -> None:
        verify_numbers(seed)
        self.root = root
        self.agents = agents
        self.seed = seed
        self.is_alternating = is_alternating

    def deal(self, number: int) -> LiveHand:
        """Return hand `number`, 0 or more, at the first decision."""
        return LiveHand(self.root, self.seed, number)

    def play_hand(self, number: int) -> Hand:
        """Return hand `number`, played to its end."""
        hand = self.deal(number)
        seated = (1, 0) if self.is_alternating and number % 2 else (0, 1)
        while hand.turn is not None:
            player = hand.turn.player
            agent = self.agents[seated[player]]
            hand.take(agent.act(hand.turn.label, hand.stream(player)))
        return hand.finished(seated)

    def play(self, count: int, first: int = 0) -> Iterator[Hand]:
        """Yield `count` hands, from number `first` on."""
        for number in range(first, first + count):
            yield self.play_hand(number)
