"""A compiled game on disk (`game.bin`): its arrays and all its names.

With it, showing, playing and resuming do not execute the user's Python code. Reading trusts
nothing: every index is checked, because kernels follow them unchecked.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from untilt.errors import GameError
from untilt.formats.base.container import (
    Array,
    Container,
    pack_strings,
    read_container,
    write_container,
)
from untilt.formats.base.files import RESUME
from untilt.game.compiled import (
    NOT_WALKED,
    ONLY_SAMPLED,
    CompiledGame,
    Form,
    Missing,
    imperfect_recall,
    only_for_two_players,
)
from untilt.game.histories.tree import CHANCE, TERMINAL, GameTree
from untilt.game.names.infosets import Infosets
from untilt.game.names.names import PARTS, Names, check_labels
from untilt.game.names.product_names import as_product
from untilt.game.protocol import MAX_PLAYERS
from untilt.game.sequence.plan_form import PlanForm
from untilt.game.sequence.sequence_form import SequenceForm, Side
from untilt.game.sequence.terminal_form import TerminalForm, TerminalSide
from untilt.numeric.arrays import Bools

KIND = "game"
FILE_NAME = "game.bin"


@dataclass(frozen=True)
class GameFacts:
    """The header of the file."""

    fingerprint: str
    num_players: int
    num_infosets: int
    """Of all players."""
    has_form: bool
    has_tree: bool


def write_game(path: Path, game: CompiledGame, *, remedy: str = RESUME) -> None:
    """Write `game` atomically; `remedy` is what to do after the disk was full."""
    arrays: dict[str, Array] = {}
    for player, table in enumerate(game.infosets):
        names = [name for _, actions in table.items() for name in actions]
        arrays[f"num_actions_{player}"] = np.diff(table.first_sequence).astype(np.uint32)
        arrays |= pack_strings(f"actions_{player}", names)
        arrays |= pack_strings(f"labels_{player}", table)
        for part in PARTS:
            arrays |= pack_strings(f"{part}_{player}", table.column(part))
    if game.has(PlanForm):
        for player, side in enumerate(game.plan_form().sides):
            for name, values in side._asdict().items():
                arrays[f"side_{player}.{name}"] = values
    if game.has(GameTree):
        for name, values in game.require(GameTree)._asdict().items():
            arrays[f"tree.{name}"] = values
    arrays |= pack_strings("forced_labels", game.forced.keys())
    arrays |= pack_strings("forced_actions", game.forced.values())
    meta = {
        "fingerprint": game.fingerprint(),
        "has_form": game.has(PlanForm),
        "has_tree": game.has(GameTree),
        "is_zero_sum": game.is_zero_sum,
        "num_terminals": game.num_terminals,
        "recall_error": game.recall_error,
        # Files of two players are as they were before there were more.
        **({"num_players": game.num_players} if game.num_players > 2 else {}),
    }
    write_container(path, KIND, meta, arrays, remedy=remedy)


def read_game(path: Path) -> CompiledGame:
    """Return the game that `write_game` wrote, or raise FormatError saying what is wrong."""
    container = read_container(path, KIND, in_memory=True)
    fingerprint, has_form, has_tree = _described(container)
    match container.meta:
        case {
            "is_zero_sum": bool() as is_zero_sum,
            "num_terminals": int() as num_terminals,
            "recall_error": str() | None as recall_error,
        }:
            pass
        case _:
            raise container.error("its description is incomplete")
    is_partial = not has_form and not has_tree
    if (num_terminals < 1) != is_partial or (recall_error is None) != (has_form or is_partial):
        raise container.error("its description contradicts itself")
    infosets = _read_all_infosets(container)
    forms: list[Form] = []
    missing: dict[type, Missing] = {}
    if has_form:
        forms.append(_read_form(container, infosets, num_terminals, is_zero_sum=is_zero_sum))
        if len(infosets) > 2:
            missing[SequenceForm] = only_for_two_players(len(infosets))
    else:
        missing[SequenceForm] = (
            ONLY_SAMPLED if recall_error is None else imperfect_recall(recall_error)
        )
    if has_tree:
        forms.append(_read_tree(container, infosets))
    else:
        missing[GameTree] = NOT_WALKED if has_form else ONLY_SAMPLED
    # Labels are distinct, so only one of them can be empty.
    forced_labels = container.strings(
        "forced_labels", at_most=container.num_bytes_of("forced_labels") + 1
    )
    forced_actions = container.strings("forced_actions", at_most=len(forced_labels))
    if len(forced_labels) != len(forced_actions):
        raise container.error("forced moves lack a name")
    game = CompiledGame(
        infosets=infosets,
        forms=tuple(forms),
        forced=dict(zip(forced_labels, forced_actions, strict=True)),
        is_zero_sum=is_zero_sum,
        num_terminals=num_terminals,
        missing=missing,
    )
    if game.fingerprint() != fingerprint:
        raise container.error("its fingerprint differs from its content")
    return game


def read_game_facts(path: Path) -> GameFacts:
    """Return what the header of a `game.bin` says; most arrays are not read."""
    container = read_container(
        path, KIND, verify=False, wanted=lambda name: name.startswith("num_actions_")
    )
    players = range(_num_players(container))
    counts = [len(container.array(f"num_actions_{p}", np.uint32, (None,))) for p in players]
    fingerprint, has_form, has_tree = _described(container)
    return GameFacts(fingerprint, len(counts), sum(counts), has_form, has_tree)


def read_names(path: Path) -> tuple[tuple[Names, ...], tuple[Array, ...] | None]:
    """Return the names of all infosets of a `game.bin`, and how they follow one another.

    The latter is each infoset's parent sequence per player, None without perfect recall. Payoffs
    and histories, most of the file, are checked against their checksums and not kept.
    """
    container = read_container(path, KIND, wanted=_is_name_or_parent)
    infosets = _read_all_infosets(container)
    _, has_form, _ = _described(container)
    if not has_form:
        return infosets, None
    parents = []
    for player, table in enumerate(infosets):
        parent = container.array(f"side_{player}.parent_sequence", np.uint32, (len(table),))
        if not np.all(parent < table.first_sequence[:-1]):
            raise container.error(f"the sequence form of player {player} is inconsistent")
        parents.append(parent)
    return infosets, tuple(parents)


def _is_name_or_parent(name: str) -> bool:
    return not name.startswith(("tree.", "side_")) or name.endswith(".parent_sequence")


def _described(container: Container) -> tuple[str, bool, bool]:
    """Return the fingerprint of the game, and whether it has its sequence form and its tree."""
    match container.meta:
        case {
            "fingerprint": str() as fingerprint,
            "has_form": bool() as has_form,
            "has_tree": bool() as has_tree,
        }:
            return fingerprint, has_form, has_tree
        case _:
            raise container.error("its description is incomplete")


def _num_players(container: Container) -> int:
    """Return the number of players; files of two need not say it."""
    given = container.meta.get("num_players", 2)
    if type(given) is not int or not 2 <= given <= MAX_PLAYERS:
        raise container.error("its number of players is out of range")
    return given


def _read_all_infosets(container: Container) -> tuple[Names, ...]:
    _, has_form, has_tree = _described(container)
    # Where only names are known, forced moves may be among them.
    least = 2 if has_form or has_tree else 1
    players = range(_num_players(container))
    infosets = tuple(_read_infosets(container, player, least) for player in players)
    try:
        check_labels(infosets)
    except GameError as error:
        raise container.error("two infosets or two actions of one have the same name") from error
    return tuple(map(as_product, infosets))


def _read_infosets(container: Container, player: int, least: int) -> Infosets:
    counts = container.array(f"num_actions_{player}", np.uint32, (None,))
    size = len(counts)
    # Labels are distinct, and so are the actions of an infoset: only one of each can be empty.
    if size > container.num_bytes_of(f"labels_{player}") + 1:
        raise container.error(f"the names of player {player}'s infosets do not fit")
    names = container.strings(
        f"actions_{player}", at_most=container.num_bytes_of(f"actions_{player}") + size
    )
    labels = container.strings(f"labels_{player}", at_most=size)
    shown = [container.strings(f"{column}_{player}", at_most=size) for column in PARTS]
    num_actions = counts.tolist()
    lengths = {len(num_actions), len(labels), *(len(texts) for texts in shown)}
    if len(lengths) > 1 or sum(num_actions) != len(names):
        raise container.error(f"the names of player {player}'s infosets do not fit")
    if bool(np.any(counts < least)):
        needed = "two actions" if least > 1 else "one action"
        raise container.error(f"an infoset of player {player} has fewer than {needed}")
    # Many infosets share few texts and sets of actions: equal ones become one object.
    blocks: dict[tuple[str, ...], tuple[str, ...]] = {}
    texts: dict[str, str] = {}
    actions = []
    begin = 0
    for count in num_actions:
        block = tuple(names[begin : begin + count])
        actions.append(blocks.setdefault(block, block))
        begin += count
    private, public, line = (
        tuple(texts.setdefault(text, text) for text in column) for column in shown
    )
    return Infosets(player, tuple(labels), tuple(actions), private, public, line)


def _read_form(
    container: Container, infosets: tuple[Names, ...], num_terminals: int, *, is_zero_sum: bool
) -> SequenceForm | TerminalForm:
    players = range(len(infosets))
    try:
        if len(infosets) == 2:
            first, second = infosets
            sides = (_read_side(container, 0, infosets), _read_side(container, 1, infosets))
            return SequenceForm(sides, (first, second), num_terminals, is_zero_sum)
        several = tuple(_read_terminal_side(container, player, infosets) for player in players)
        return TerminalForm(several, infosets, num_terminals, is_zero_sum)
    except GameError as error:
        raise container.error(str(error)) from error


def _read_treeplex(container: Container, player: int, own: Names) -> tuple[Array, Array, Array]:
    """Return the first three arrays of a side: parents, blocks, and starts of rows."""
    lengths = {
        "parent_sequence": len(own),
        "first_sequence": len(own) + 1,
        "row_start": own.num_sequences + 1,
    }
    parents, blocks, starts = (
        container.array(f"side_{player}.{name}", np.uint32, (length,))
        for name, length in lengths.items()
    )
    return parents, blocks, starts


def _read_side(container: Container, player: int, infosets: tuple[Names, ...]) -> Side:
    opponent_sequence = container.array(f"side_{player}.opponent_sequence", np.uint32, (None,))
    num_pairs = len(opponent_sequence)
    return Side(
        *_read_treeplex(container, player, infosets[player]),
        opponent_sequence,
        weight=container.array(f"side_{player}.weight", np.float64, (num_pairs,)),
        payoff=container.array(f"side_{player}.payoff", np.float64, (num_pairs,)),
    )


def _read_terminal_side(
    container: Container, player: int, infosets: tuple[Names, ...]
) -> TerminalSide:
    others = container.array(f"side_{player}.others", np.uint32, (None, len(infosets) - 1))
    num_tuples = len(others)
    return TerminalSide(
        *_read_treeplex(container, player, infosets[player]),
        others,
        weight=container.array(f"side_{player}.weight", np.float64, (num_tuples,)),
        payoff=container.array(f"side_{player}.payoff", np.float64, (num_tuples,)),
    )


def _read_tree(container: Container, infosets: tuple[Names, ...]) -> GameTree:
    parent = container.array("tree.parent", np.int32, (None,))
    n = len(parent)
    tree = GameTree(
        parent=parent,
        first_child=container.array("tree.first_child", np.int32, (n,)),
        num_children=container.array("tree.num_children", np.int32, (n,)),
        player=container.array("tree.player", np.int32, (n,)),
        infoset=container.array("tree.infoset", np.int32, (n,)),
        probability=container.array("tree.probability", np.float64, (n,)),
        payoffs=container.array("tree.payoffs", np.float64, (n, len(infosets))),
    )
    if not _is_tree(tree, infosets):
        raise container.error("the tree is inconsistent")
    return tree


def _is_tree(tree: GameTree, infosets: tuple[Names, ...]) -> bool:
    n = len(tree.parent)
    if n == 0 or tree.parent[0] != -1 or bool(np.any(tree.num_children < 0)):
        return False
    ends = 1 + np.cumsum(tree.num_children, dtype=np.int64)
    starts = ends - tree.num_children
    if ends[-1] != n or not np.array_equal(tree.first_child, starts):
        return False
    if not np.array_equal(tree.parent[1:], np.repeat(np.arange(n), tree.num_children)):
        return False
    if bool(np.any((tree.num_children == 0) != (tree.player == TERMINAL))):
        return False
    decides = np.zeros(n, dtype=bool)
    for player, table in enumerate(infosets):
        mine = tree.player == player
        numbers = tree.infoset[mine]
        if len(numbers) and (numbers.min() < 0 or numbers.max() >= len(table)):
            return False
        sizes = np.diff(table.first_sequence)
        if not np.array_equal(tree.num_children[mine], sizes[numbers]):
            return False
        decides |= mine
    is_chance = tree.player == CHANCE
    if not np.all(decides | is_chance | (tree.player == TERMINAL)):
        return False
    if np.any(tree.infoset[~decides] != -1) or not np.all(np.isfinite(tree.payoffs)):
        return False
    return _are_probabilities(tree, is_chance)


def _are_probabilities(tree: GameTree, is_chance: Bools) -> bool:
    """Whether the children of each chance node have probabilities that sum to 1."""
    if not np.all((tree.probability >= 0.0) & (tree.probability <= 1.0)):
        return False
    total = np.bincount(tree.parent[1:], tree.probability[1:], len(tree.parent))
    return bool(np.all(np.abs(total[is_chance] - 1.0) <= 1e-6))
