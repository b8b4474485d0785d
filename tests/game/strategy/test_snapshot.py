"""Snapshots: rows by number, by what they show, and frames."""

import math

import numpy as np
import pytest

import untilt
from untilt.evaluation.action_values import action_values
from untilt.evaluation.snapshots import sequence_snapshot
from untilt.game.compiled import CompiledGame, compile  # noqa: A004
from untilt.game.strategy.rows import Row
from untilt.game.strategy.snapshot import (
    SequenceSnapshot,
    block_of_frame,
    frame_length,
    frames_within,
    parts_of,
    snapshot_of,
)
from untilt.games import kuhn, leduc

LEDUC = compile(leduc())
LARGE = compile(leduc(ranks=7, suits="distinguished"))


def random_snapshot(game: CompiledGame) -> SequenceSnapshot:
    profile = untilt.strategies.random(game, 7)
    return sequence_snapshot(game.infosets, profile.behaviours, game.exact_form())


def obvious_rows(game: CompiledGame, snapshot: SequenceSnapshot) -> list[Row]:
    """Return all rows, made one by one from the profile and sorted by card."""
    rows = []
    for player, names in enumerate(game.infosets):
        found = action_values(game.exact_form(), snapshot.profile, player)
        for index, (label, actions) in enumerate(names.items()):
            values = found.conditional[names.block(index)]
            row = Row(
                player,
                label,
                *names.parts(index),
                actions=actions,
                probabilities=tuple(snapshot.profile[label].values()),
                values=tuple(values.tolist()),
                own_reach=float(found.own_reach[index]),
                opponent_reach=float(found.opponent_reach[index]),
            )
            rows.append(row)
    cards = list(dict.fromkeys(row.private for row in rows))
    return sorted(rows, key=lambda row: (row.player, cards.index(row.private)))


@pytest.mark.parametrize("game", [LEDUC, LARGE], ids=["listed", "product"])
class TestRows:
    def test_rows_are_listed_by_card_in_the_order_of_play(self, game: CompiledGame) -> None:
        snapshot = random_snapshot(game)
        chosen = snapshot.listing.matching(0), snapshot.listing.matching(1)
        assert list(snapshot.rows(chosen)) == obvious_rows(game, snapshot)

    def test_rows_are_found_by_what_they_show(self, game: CompiledGame) -> None:
        snapshot = random_snapshot(game)
        listing, rows = snapshot.listing, obvious_rows(game, snapshot)
        card, board, line = listing.cards[1], listing.boards[3], "cc/cb"

        def found(**wanted: str) -> list[str]:
            return [snapshot.row(0, index).label for index in listing.matching(0, **wanted)]

        own = [row for row in rows if row.player == 0]
        assert found(private=card) == [row.label for row in own if row.private == card]
        assert found(public=board) == [row.label for row in own if row.public == board]
        assert found(public="") == [row.label for row in own if not row.public]
        assert found(line=line) == [row.label for row in own if row.line == line]
        assert found(line="cc/*") == [row.label for row in own if row.line.startswith("cc/")]
        assert found(private=card, public=board, line=line) == [f"P0:{card}:{board}:{line}"]
        assert found(search="CC/CB") == [row.label for row in own if "cc/cb" in row.label]
        assert found(private="ace") == found(line="xyz") == []

    def test_the_most_reached_rows_keep_their_order(self, game: CompiledGame) -> None:
        snapshot = random_snapshot(game)
        rows = obvious_rows(game, snapshot)
        chosen = snapshot.listing.matching(0), snapshot.listing.matching(1)
        kept = sorted(range(len(rows)), key=lambda number: -rows[number].reach)[:10]
        most = list(snapshot.rows(snapshot.most_reached(chosen, 10)))
        assert most == [rows[number] for number in sorted(kept)]
        assert list(snapshot.rows(snapshot.most_reached(chosen, 10**6))) == rows

    def test_a_frame_holds_the_actions_of_every_row(self, game: CompiledGame) -> None:
        snapshot = random_snapshot(game)
        strategy, values = snapshot.frame()
        assert len(strategy) == len(values) == frame_length(game.infosets)
        for player in (0, 1):
            half = parts_of(game.infosets, strategy)[player]
            assert half.tolist() == snapshot.profile.behaviours[player].tolist()
            for index in (0, 5, len(game.infosets[player]) - 1):
                block = block_of_frame(game.infosets, player, index)
                row = snapshot.row(player, index)
                assert tuple(strategy[block].tolist()) == row.probabilities
                assert tuple(values[block].tolist()) == row.values


def test_choosing_rows_makes_no_names(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = random_snapshot(LARGE)
    monkeypatch.setattr(type(LARGE.infosets[0]), "label", lambda *_: pytest.fail("a name was made"))
    monkeypatch.setattr(type(LARGE.infosets[0]), "items", lambda *_: pytest.fail("all were made"))
    assert len(snapshot.listing.matching(1, private="7s", line="c")) == 1


def test_what_is_not_known_of_a_row_is_nan() -> None:
    game = compile(kuhn())
    profile = untilt.strategies.uniform(game)
    row = snapshot_of(profile).row(1, 0)
    assert all(map(math.isnan, (*row.values, row.own_reach, row.opponent_reach)))
    first, second = (np.arange(names.num_sequences, dtype=float) for names in game.infosets)
    row = snapshot_of(profile, (first, second)).row(1, 0)
    assert row.values == (1.0, 2.0)
    assert math.isnan(row.own_reach)


def test_frames_are_counted_in_bytes_of_two_float32_rows() -> None:
    assert frames_within(64 << 20, 674) == (64 << 20) // (674 * 8)
    assert frames_within(64, 0) == 8
