"""Who sits where when a deal is played once in every seat."""

from collections.abc import Sequence
from typing import NamedTuple

from untilt.errors import InvalidOption


class Seating(NamedTuple):
    """The agents of one hand, by number."""

    agents: tuple[int, ...]
    """The agent in each seat."""
    reported: tuple[int, ...]
    """The seat of each agent whose gains are reported."""


Seatings = Sequence[Seating]


def seatings_of(num_players: int, num_agents: int) -> Seatings:
    """Return the seatings of a deal, in the order in which they are played.

    With an agent for each player, all move up one seat each time. With two agents and more players,
    the first takes each seat in turn, the second has all the others, and only the first's gains are
    reported. Raises InvalidOption for another number of agents.
    """
    if num_agents == num_players > 2:
        players = range(num_players)
        return [
            Seating(
                tuple((seat - moved) % num_players for seat in players),
                tuple((agent + moved) % num_players for agent in players),
            )
            for moved in players
        ]
    if num_agents != 2:
        wanted = (
            "2 agents" if num_players == 2 else f"2 agents, or one for each seat: {num_players}"
        )
        raise InvalidOption(
            f"the game has {num_players} players, and {num_agents} agents were given; give {wanted}"
        )
    return [
        Seating(tuple(int(seat != own) for seat in range(num_players)), (own,))
        for own in range(num_players)
    ]
