"""Playing a hand from a line of names."""

from untilt.game.protocol import Game


def play(root: Game, moves: str) -> Game:
    """Return the position after the cards and actions in `moves`, separated by spaces."""
    position = root
    for move in moves.split():
        position = position.apply(move)
    return position
