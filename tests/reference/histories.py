"""A game written out as a tree of its histories, so that the twins need not play it anew."""

from dataclasses import dataclass

from untilt.game.protocol import Game


@dataclass(frozen=True)
class End:
    """A finished hand."""

    payoffs: tuple[float, ...]


@dataclass(frozen=True)
class Chance:
    """A move of nature: each outcome's probability and what follows."""

    outcomes: tuple[tuple[float, "History"], ...]


@dataclass(frozen=True)
class Decision:
    """A player's move; `children` maps the name of each action, in order, to what follows."""

    player: int
    label: str
    children: dict[str, "History"]


History = End | Chance | Decision


def write_out(position: Game) -> History:
    """Return the tree of all histories from `position` on."""
    if position.terminal:
        players = range(getattr(position, "num_players", 2))
        return End(tuple(float(position.payoff(player)) for player in players))
    if position.chance:
        return Chance(
            tuple(
                (probability, write_out(position.apply(outcome)))
                for outcome, probability in position.chances()
            )
        )
    infoset = position.infoset(position.active)
    children = {str(action): write_out(position.apply(action)) for action in infoset.actions()}
    return Decision(position.active, str(infoset), children)


def decisions(root: History) -> list[Decision]:
    """Return every decision of the tree, parents before children."""
    if isinstance(root, End):
        return []
    if isinstance(root, Chance):
        return [found for _, child in root.outcomes for found in decisions(child)]
    below = [found for child in root.children.values() for found in decisions(child)]
    return [root, *below]
