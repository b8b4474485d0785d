"""Kuhn and Leduc written as public trees by hand, for tests."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from untilt.game.public.public_tree import (
    CHANCE,
    DECISION,
    FOLD,
    NO_PARENT,
    SHOWDOWN,
    Boards,
    DealEdges,
    PublicTree,
    Street,
)


class Forest:
    """A street under construction, breadth first."""

    def __init__(self) -> None:
        self.kind: list[int] = []
        self.player: list[int] = []
        self.parent: list[int] = []
        self.lines: list[str] = []
        self.stakes: list[tuple[float, float]] = []

    def add(self, parent: int, line: str, kind: int, player: int, a: float, b: float) -> int:
        self.kind.append(kind)
        self.player.append(player)
        self.parent.append(parent)
        self.lines.append(line)
        self.stakes.append((a, b))
        return len(self.kind) - 1

    def street(self) -> Street:
        parent = np.array(self.parent, np.int32)
        count = len(parent)
        num_actions = np.bincount(parent[parent >= 0], minlength=count).astype(np.int32)
        first = np.full(count, count, np.int32)
        for node in range(count - 1, -1, -1):
            if parent[node] >= 0:
                first[parent[node]] = node
        a, b = np.array(self.stakes).T
        stakes = np.stack([np.stack([a, b], -1), np.stack([-a, b], -1)], 1)
        return Street(
            np.array(self.kind, np.uint8),
            np.array(self.player, np.int32),
            parent,
            first,
            num_actions,
            stakes,
        )


def bet_street(
    pots: list[float], bet: float, max_bets: int, *, is_last: bool
) -> tuple[Street, list[str], list[float]]:
    """Return a limit street with one root per pot (what either has put in), its lines, and what
    either has put in at every CHANCE leaf."""
    forest = Forest()
    queue: list[tuple[int, float, int, int, bool, str]] = []
    for pot in pots:
        node = forest.add(NO_PARENT, "", DECISION, 0, 0.0, 0.0)
        queue.append((node, pot, 0, 0, False, ""))
    leaving: list[float] = []
    while queue:
        node, pot, player, bets, is_facing, line = queue.pop(0)

        def close(letter: str, stake: float, node: int = node, line: str = line) -> None:
            if is_last:
                forest.add(node, line + letter, SHOWDOWN, -1, 0.0, stake)
            else:
                forest.add(node, line + letter, CHANCE, -1, 0.0, 0.0)
                leaving.append(stake)

        if is_facing:
            forest.add(node, line + "f", FOLD, -1, -pot if player == 0 else pot, 0.0)
            close("c", pot + bet)
        elif player == 0:
            child = forest.add(node, line + "c", DECISION, 1, 0.0, 0.0)
            queue.append((child, pot, 1, bets, False, line + "c"))
        else:
            close("c", pot)
        if bets < max_bets:
            child = forest.add(node, line + "b", DECISION, 1 - player, 0.0, 0.0)
            raised = pot + bet if is_facing else pot
            queue.append((child, raised, 1 - player, bets + 1, True, line + "b"))
    return forest.street(), forest.lines, leaving


def kuhn() -> PublicTree:
    street, _, _ = bet_street([1.0], 1.0, 1, is_last=True)
    boards = Boards(
        np.array([0, 3]),
        np.arange(3, dtype=np.uint16),
        np.array([[0, 3], [1, 4], [2, 5]], np.uint8),
        np.arange(3, dtype=np.uint16),
    )
    return PublicTree((np.ones(3), np.ones(3)), (street,), ((boards, boards),), (), (None,), 6)


def leduc(ranks: int = 3, bets: int = 2) -> PublicTree:
    """Leduc with suits distinguished: card 2r + s."""
    count = 2 * ranks
    first, _, leaving = bet_street([1.0], 2.0, bets, is_last=False)
    second, _, _ = bet_street(leaving, 4.0, bets, is_last=True)

    def blockers(cards: list[int]) -> npt.NDArray[np.uint8]:
        return np.array([[card, count + card] for card in cards], np.uint8)

    cards = list(range(count))
    none = np.zeros(0, np.uint16)
    opening = Boards(np.array([0, count]), np.arange(count, dtype=np.uint16), blockers(cards), none)
    hands: list[int] = []
    strengths: list[int] = []
    for board in cards:
        left = [card for card in cards if card != board]
        strength = {card: ranks + card if card // 2 == board // 2 else card // 2 for card in left}
        left.sort(key=lambda card: strength[card])
        hands += left
        strengths += [strength[card] for card in left]
    starts = np.arange(count + 1) * (count - 1)
    hand = np.array(hands, np.uint16)
    later = Boards(starts, hand, blockers(hands), np.array(strengths, np.uint16))
    lane = hand.astype(np.int16)
    deals = DealEdges(
        np.zeros(count, np.int32),
        np.arange(count, dtype=np.int32),
        1.0 / (count - 2),
        (starts, starts),
        (lane, lane),
    )
    return PublicTree(
        (np.ones(count), np.ones(count)),
        (first, second),
        ((opening, opening), (later, later)),
        (deals,),
        (None, None),
        2 * count,
    )


def infosets_of_leduc(
    ranks: int = 3, bets: int = 2
) -> Iterator[tuple[str, tuple[int, int, int], int]]:
    """Yield the label of every infoset of Leduc with suits distinguished, its (street, board, node)
    in the public tree, and its lane there."""
    names = [f"{rank}{suit}" for rank in "JQK"[:ranks] for suit in "sh"]
    tree = leduc(ranks, bets)
    first, lines, leaving = bet_street([1.0], 2.0, bets, is_last=False)
    second, later, _ = bet_street(leaving, 4.0, bets, is_last=True)
    for node in np.flatnonzero(first.kind == DECISION).tolist():
        for card, name in enumerate(names):
            label = f"P{first.player[node]}:{name}::{_letters(lines[node])}"
            yield label, (0, 0, node), card
    before = [line for line, kind in zip(lines, first.kind.tolist(), strict=True) if kind == CHANCE]
    for node in np.flatnonzero(second.kind == DECISION).tolist():
        root = node
        while second.parent[root] >= 0:
            root = int(second.parent[root])
        line = f"{_letters(before[root])}/{_letters(later[node])}"
        for board, shown in enumerate(names):
            lanes = tree.boards[1][0].lanes(board)
            for lane, card in enumerate(tree.boards[1][0].hand[lanes].tolist()):
                label = f"P{second.player[node]}:{names[card]}:{shown}:{line}"
                yield label, (1, board, node), lane


def _letters(line: str) -> str:
    """Return a line whose bets after the first one are raises."""
    first = line.find("b")
    return line if first < 0 else line[: first + 1] + line[first + 1 :].replace("b", "r")
