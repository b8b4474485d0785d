"""`strategy.bin` of a solved spot: average strategies, values of deals, and the public tree.

A container of the kind "public". In place of the weights of actions, `table_0` and `table_1`, a
quantal solution has the logarithms of their probabilities, `log_0` and `log_1`. The public tree is
stored beside the tables, so that readers need no compiler. The tables can be hundreds of megabytes:
they are mapped into memory, and the checksum of a block is compared when the block is first used,
so a file opens in milliseconds and no number is used unchecked. Everything else is checked when the
file is opened. Files are replaced, never changed in place, so what is mapped stays as it was.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from untilt.formats.base.checked_array import (
    CheckedArray,
    IsPossible,
    block_checksums,
    checked_map,
    within,
)
from untilt.formats.base.container import (
    Array,
    Container,
    OpenContainer,
    open_container,
    write_container,
)
from untilt.game.public.public_layout import layout_of
from untilt.game.public.public_snapshot import PublicSnapshot
from untilt.game.public.public_tree import (
    CHANCE,
    DECISION,
    NO_PARENT,
    Boards,
    DealEdges,
    PublicTree,
    RunoutBalances,
    Street,
)
from untilt.game.public.quantal_snapshot import QuantalSnapshot

KIND = "public"

_LAZY = frozenset(("table_0", "table_1", "log_0", "log_1", "dealt_0", "dealt_1"))


@dataclass(frozen=True, eq=False)
class StoredSolution:
    """The content of a file."""

    meta: dict[str, Any]
    snapshot: PublicSnapshot


def write_solution(path: Path, meta: Mapping[str, Any], snapshot: PublicSnapshot) -> None:
    """Write a snapshot atomically; `meta` is JSON: the spot and its fingerprint."""
    tree = snapshot.tree
    arrays: dict[str, Array] = {}
    for number, street in enumerate(tree.streets):
        arrays |= {f"street_{number}.{name}": part for name, part in street._asdict().items()}
        for player, boards in enumerate(tree.boards[number]):
            stem = f"boards_{number}_{player}"
            arrays |= {f"{stem}.{name}": part for name, part in boards._asdict().items()}
        runouts = tree.runouts[number]
        if runouts is not None:
            arrays[f"runouts_{number}.first"] = runouts.first
            arrays[f"runouts_{number}.balance"] = runouts.balance
    for number, deals in enumerate(tree.deals):
        arrays |= {f"deals_{number}.parent": deals.parent, f"deals_{number}.child": deals.child}
        for player in (0, 1):
            arrays[f"deals_{number}.first_lane_{player}"] = deals.first_lane[player]
            arrays[f"deals_{number}.lane_{player}"] = deals.lane[player]
    for player in (0, 1):
        arrays[f"weights_{player}"] = tree.weights[player]
        if isinstance(snapshot, QuantalSnapshot):
            arrays[f"log_{player}"] = snapshot.logs[player][:]
        else:
            arrays[f"table_{player}"] = snapshot.tables[player][:]
        arrays[f"dealt_{player}"] = snapshot.dealt[player][:]
    arrays |= {
        f"{name}.crc32": block_checksums(arrays[name]) for name in sorted(_LAZY & arrays.keys())
    }
    about = {
        **meta,
        "num_streets": len(tree.streets),
        "deal_probabilities": [deals.probability for deals in tree.deals],
        "runout_probabilities": [
            None if runouts is None else runouts.probability for runouts in tree.runouts
        ],
        "num_blockers": tree.num_blockers,
        "baseline": list(tree.baseline),
    }
    write_container(path, KIND, about, arrays)


def read_solution(path: Path) -> StoredSolution:
    """Return the solution in a file; raise FormatError unless the parts read so far are sound."""
    with open_container(path, KIND) as opened:
        small = {}
        for name in opened.names:
            if name not in _LAZY:
                small[name] = opened.read(name)
                opened.verify(name, [small[name].reshape(-1).view(np.uint8).data])
                small[name].flags.writeable = False
        container = Container(KIND, opened.meta, small, path)
        tree = _tree(container)
        sides = layout_of(tree)[1]
        is_quantal = "log_0" in opened.names
        stem, is_possible = ("log", _LOGS) if is_quantal else ("table", _WEIGHTS)
        first, second = (
            _mapped(opened, container, f"{stem}_{player}", sides[player].table_size, is_possible)
            for player in (0, 1)
        )
        dealt = [
            _mapped(
                opened,
                container,
                f"dealt_{player}",
                sides[player].dealt_size,
                _values_of(tree, player),
            )
            for player in (0, 1)
        ]
    make: Any = QuantalSnapshot.of if is_quantal else PublicSnapshot
    return StoredSolution(container.meta, make(tree, (first, second), (dealt[0], dealt[1])))


_WEIGHTS = within(0.0, float(np.finfo(np.float32).max))
_LOGS = within(-1e30, 1e-3)
_ROUNDED = 1.001
"""Room for rounding errors in bounds."""
_MAX_STAKE = 1e12
_MAX_BLOCKERS = 256


def _values_of(tree: PublicTree, player: int) -> IsPossible:
    """Return the check that values of deals are no more than the stakes of all opposing hands."""
    stake = max(
        float(np.abs(street.stakes[:, player]).sum(axis=1).max()) for street in tree.streets
    )
    most = _ROUNDED * stake * float(tree.weights[1 - player].sum())
    return within(-most, most)


def _mapped(
    opened: OpenContainer, container: Container, name: str, length: int, is_possible: IsPossible
) -> CheckedArray:
    other = np.int16 if name.startswith("table") else np.float64
    opened.shape(name, other if opened.dtype(name) == other else np.float32, (length,))
    return checked_map(container, name, opened.mapped(name), "solve the spot again", is_possible)


def _tree(container: Container) -> PublicTree:
    """Return the tree of a file, after checking that its parts fit together."""
    meta = container.meta
    count, num_blockers = meta.get("num_streets"), meta.get("num_blockers")
    if type(count) is not int or not 1 <= count <= 4:
        raise container.error("its number of streets")
    if type(num_blockers) is not int or not 0 < num_blockers <= _MAX_BLOCKERS:
        raise container.error("its number of blockers")
    deal_shares = _numbers(container, "deal_probabilities", count - 1)
    run_shares = _numbers(container, "runout_probabilities", count)
    baseline = _numbers(container, "baseline", 2)
    shares = [*deal_shares, *(share for share in run_shares if share is not None)]
    is_sound = (
        None not in deal_shares
        and None not in baseline
        and all(share is not None and 0.0 < share <= 1.0 for share in shares)
        and all(amount is not None and abs(amount) <= _MAX_STAKE for amount in baseline)
    )
    if not is_sound:
        raise container.error("the numbers of its tree")
    streets = tuple(_street(container, number) for number in range(count))
    boards = tuple(
        (_boards(container, number, 0, count), _boards(container, number, 1, count))
        for number in range(count)
    )
    if any(first.num_boards != second.num_boards for first, second in boards):
        raise container.error("its boards")
    tree = PublicTree(
        weights=(_weights(container, 0, boards[0][0]), _weights(container, 1, boards[0][1])),
        streets=streets,
        boards=boards,
        deals=tuple(
            _deals(container, number, float(share or 0.0))
            for number, share in enumerate(deal_shares)
        ),
        runouts=tuple(
            None if share is None else _runouts(container, number, share, boards[number])
            for number, share in enumerate(run_shares)
        ),
        num_blockers=num_blockers,
        baseline=(float(baseline[0] or 0.0), float(baseline[1] or 0.0)),
    )
    _verify_tree(container, tree)
    return tree


def _numbers(container: Container, name: str, count: int) -> list[float | None]:
    """Return so many numbers, or None in their place, that the file says under a name."""
    given = container.meta.get(name)
    is_sound = (
        isinstance(given, list)
        and len(given) == count
        and all(each is None or type(each) in (int, float) for each in given)
    )
    if not is_sound:
        raise container.error("the numbers of its tree")
    assert isinstance(given, list)
    return given


def _weights(container: Container, player: int, boards: Boards) -> Array:
    """Return the weights of a player's hands, which are the lanes of the only first board."""
    weights = container.array(f"weights_{player}", np.float64, (len(boards.hand),))
    is_sound = (
        np.array_equal(boards.first_lane, (0, len(weights)))
        and np.array_equal(boards.hand, np.arange(len(weights)))
        and bool(np.all((weights > 0.0) & (weights <= 1.0)))
    )
    if not is_sound:
        raise container.error(f"the weights of player {player}")
    return weights


def _street(container: Container, number: int) -> Street:
    stem = f"street_{number}"
    kind = container.array(f"{stem}.kind", np.uint8, (None,))
    count = len(kind)
    whole = {
        name: container.array(f"{stem}.{name}", np.int32, (count,))
        for name in ("player", "parent", "first_child", "num_actions")
    }
    stakes = container.array(f"{stem}.stakes", np.float64, (count, 2, 2))
    actions = whole["num_actions"].astype(np.int64)
    is_decision = kind == DECISION
    num_roots = int(np.count_nonzero(whole["parent"] == NO_PARENT))
    is_sound = (
        count > 0
        and bool(np.all(kind <= CHANCE))
        and np.array_equal(actions > 0, is_decision)
        and bool(np.all(actions >= 0))
        and bool(np.all(np.where(is_decision, whole["player"] >> 1 == 0, whole["player"] == -1)))
        and num_roots + int(actions.sum()) == count
        # Breadth first: after the roots come the children of the first decision, and so on.
        and bool(np.all(whole["parent"][:num_roots] == NO_PARENT))
        and np.array_equal(whole["parent"][num_roots:], np.repeat(np.arange(count), actions))
        and np.array_equal(
            whole["first_child"],
            np.where(is_decision, num_roots + np.cumsum(actions) - actions, count),
        )
        and bool(np.all(whole["parent"] < np.arange(count)))
        and bool(np.all(np.abs(stakes) <= _MAX_STAKE))
    )
    if not is_sound:
        raise container.error(f"the betting of street {number}")
    return Street(kind, stakes=stakes, **whole)


def _boards(container: Container, number: int, player: int, num_streets: int) -> Boards:
    stem = f"boards_{number}_{player}"
    hand = container.array(f"{stem}.hand", np.uint16, (None,))
    count = len(hand)
    num_strengths = count if number == num_streets - 1 else 0
    boards = Boards(
        container.array(f"{stem}.first_lane", np.int64, (None,)),
        hand,
        container.array(f"{stem}.blockers", np.uint8, (count, 2)),
        container.array(f"{stem}.strength", np.uint16, (num_strengths,)),
    )
    if not _are_offsets(boards.first_lane, count):
        raise container.error(f"the lanes of street {number}")
    return boards


def _deals(container: Container, number: int, share: float) -> DealEdges:
    stem = f"deals_{number}"
    parent = container.array(f"{stem}.parent", np.int32, (None,))
    child = container.array(f"{stem}.child", np.int32, (len(parent),))
    firsts, lanes = [], []
    for player in (0, 1):
        lanes.append(container.array(f"{stem}.lane_{player}", np.int16, (None,)))
        first = container.array(f"{stem}.first_lane_{player}", np.int64, (len(parent) + 1,))
        if not _are_offsets(first, len(lanes[-1])):
            raise container.error(f"the deals after street {number}")
        firsts.append(first)
    return DealEdges(parent, child, share, (firsts[0], firsts[1]), (lanes[0], lanes[1]))


def _runouts(
    container: Container, number: int, share: float, boards: tuple[Boards, Boards]
) -> RunoutBalances:
    balance = container.array(f"runouts_{number}.balance", np.int16, (None,))
    sizes = np.diff(boards[0].first_lane) * np.diff(boards[1].first_lane)
    first = container.array(f"runouts_{number}.first", np.int64, (len(sizes) + 1,))
    is_sound = (
        _are_offsets(first, len(balance))
        and np.array_equal(np.diff(first), sizes)
        and within(-_ROUNDED / share, _ROUNDED / share)(balance, 0, len(balance))
    )
    if not is_sound:
        raise container.error(f"the run-outs of street {number}")
    return RunoutBalances(first, balance, share)


def _are_offsets(offsets: Array, end: int) -> bool:
    return (
        len(offsets) > 1
        and offsets[0] == 0
        and offsets[-1] == end
        and bool(np.all(offsets[:-1] <= offsets[1:]))
    )


def _verify_tree(container: Container, tree: PublicTree) -> None:
    """Raise FormatError unless all indices of the tree point into it."""
    num_roots = 1
    for number, (street, boards) in enumerate(zip(tree.streets, tree.boards, strict=True)):
        is_sound = (
            street.num_roots == num_roots
            and all(
                bool(np.all(own.hand < len(tree.weights[player])))
                and bool(np.all(own.blockers < tree.num_blockers))
                for player, own in enumerate(boards)
            )
            and (number == 0 or _has_deals(tree, number))
        )
        if not is_sound:
            raise container.error(f"street {number} of its tree")
        num_roots = int(np.count_nonzero(street.kind == CHANCE))


def _has_deals(tree: PublicTree, number: int) -> bool:
    """Whether the deals to a street point to its boards and to lanes of the previous street."""
    deals, earlier, boards = tree.deals[number - 1], tree.boards[number - 1], tree.boards[number]
    is_within = (
        bool(np.all((deals.parent >= 0) & (deals.parent < earlier[0].num_boards)))
        and bool(np.all(deals.child[:-1] <= deals.child[1:]))
        and np.array_equal(np.unique(deals.child), np.arange(boards[0].num_boards))
    )
    if not is_within:
        return False
    for player, own in enumerate(boards):
        widths = np.diff(own.first_lane)[deals.child]
        before = np.diff(earlier[player].first_lane)[deals.parent]
        lane = deals.lane[player]
        if not np.array_equal(np.diff(deals.first_lane[player]), widths):
            return False
        if not np.all((lane >= 0) & (lane < np.repeat(before, widths))):
            return False
    return True
