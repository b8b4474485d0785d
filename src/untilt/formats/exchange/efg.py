"""Gambit's extensive-form files (`.efg`): a compiled game written for other programs.

Reading the text back (`untilt.games.efg`) gives the same compiled game to the last bit: every
number is written as the shortest fraction, or else decimal, that rounds to the same float.

Gambit rejects chance probabilities that do not sum to exactly 1, which floats such as 1/3 seldom
do: `numeric.fractions` writes them as fractions that do.
"""

from collections.abc import Iterator, Sequence

from untilt.errors import FormatError
from untilt.game.compiled import CompiledGame
from untilt.game.histories.tree import CHANCE, TERMINAL, GameTree
from untilt.game.protocol import Action, Game
from untilt.game.terms import Terms
from untilt.numeric.fractions import number_text, probability_texts


def players_of(terms: Terms) -> tuple[str, ...]:
    """Return the names of the players for a file of Gambit."""
    is_default = terms.seats == Terms().for_players(len(terms.seats)).seats
    return default_players(len(terms.seats)) if is_default else terms.seats


def default_players(num_players: int) -> tuple[str, ...]:
    """Return names for so many players: Player 0, Player 1, …"""
    return tuple(f"Player {player}" for player in range(num_players))


def write_efg(
    game: CompiledGame,
    title: str,
    *,
    position: Game | None = None,
    players: tuple[str, ...] | None = None,
    comment: str = "",
) -> str:
    """Return the text of an `.efg` file of `game`, which must have its tree.

    `position`, the root of the same game, provides the names of the chance outcomes; without it
    they are numbered. Forced moves are not written: the tree has none.
    """
    return "".join(efg_lines(game, title, position=position, players=players, comment=comment))


def efg_lines(
    game: CompiledGame,
    title: str,
    *,
    position: Game | None = None,
    players: tuple[str, ...] | None = None,
    comment: str = "",
) -> Iterator[str]:
    """Yield the lines of the file that `write_efg` returns."""
    tree = game.require(GameTree, "which an .efg file lists: compile it with compile_histories")
    players = players or default_players(game.num_players)
    yield f"EFG 2 R {quoted(title)} {{ {' '.join(map(quoted, players))} }}\n"
    yield f"{quoted(comment)}\n\n"
    moves = [
        [
            f"{player + 1} {number} {quoted(label)} {{ {' '.join(map(quoted, actions))} }}"
            for number, (label, actions) in enumerate(table.items(), start=1)
        ]
        for player, table in enumerate(game.infosets)
    ]
    number_of_payoffs: dict[tuple[float, ...], int] = {}
    num_chance_moves = 0
    stack: list[tuple[int, Game | None]] = [(0, position)]
    while stack:
        node, here = stack.pop()
        player, first = int(tree.player[node]), int(tree.first_child[node])
        children = range(first, first + int(tree.num_children[node]))
        if player == TERMINAL:
            payoffs = tuple(tree.payoffs[node].tolist())
            number = number_of_payoffs.setdefault(payoffs, len(number_of_payoffs) + 1)
            yield f't "" {number} "" {{ {", ".join(map(number_text, payoffs))} }}\n'
            continue
        here = here and _without_forced_moves(here)
        names: Sequence[Action]
        if player == CHANCE:
            names = _outcomes(here, len(children))
            shares = probability_texts(tree.probability[children.start : children.stop].tolist())
            outcomes = " ".join(
                f"{quoted(str(name))} {share}" for name, share in zip(names, shares, strict=True)
            )
            num_chance_moves += 1
            yield f'c "" {num_chance_moves} "" {{ {outcomes} }} 0\n'
        else:
            names = here.infoset(player).actions() if here else ()
            yield f'p "" {moves[player][int(tree.infoset[node])]} 0\n'
        for child in reversed(children):
            after = here.apply(names[child - first]) if here else None
            stack.append((child, after))


def _without_forced_moves(position: Game) -> Game:
    while not position.terminal and not position.chance:
        actions = position.infoset(position.active).actions()
        if len(actions) > 1:
            break
        position = position.apply(actions[0])
    return position


def _outcomes(position: Game | None, count: int) -> Sequence[Action]:
    if position is None:
        return [str(number) for number in range(1, count + 1)]
    return [outcome for outcome, probability in position.chances() if probability > 0.0]


def quoted(text: str) -> str:
    """Return a text in quotation marks; FormatError if Gambit cannot read it."""
    if text.endswith("\\"):
        raise FormatError(
            f"{text!r} ends with a backslash, which a file of Gambit cannot hold; rename it"
        )
    return '"' + text.replace('"', '\\"') + '"'
