"""Reviews of many hands: what is judged, what it costs, and that nothing depends on the way."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.abstraction.buckets.tables import stored
from tests.cli.conftest import Command, command
from tests.hands.simulated import pokerstars_text, simulate
from tests.play.blueprints import random_blueprint
from tests.play.leaks.hands import Chooses, at_random, folder_of_hands

import untilt
from untilt.abstraction.menus import capped_bets, pot_fractions
from untilt.errors import FormatError, InvalidOption, RunError
from untilt.games.holdem.game import Holdem
from untilt.hands.store.hand_store import HandStore
from untilt.hands.store.importing import import_hands
from untilt.play.leaks import reviewing
from untilt.play.leaks.leaks import Leaks, clustered_mean
from untilt.play.leaks.reviewing import ReviewMoment, read_leaks, review
from untilt.policy.blueprint import load_blueprint

__all__ = ["command", "stored"]  # fixtures

NUM_HANDS = 120


@pytest.fixture(scope="module")
def place(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a blueprint, hands of two random players, and a review of one of them."""
    folder = tmp_path_factory.mktemp("leaks")
    menu = capped_bets(pot_fractions(1.0, all_in=True), 2)
    blueprint = random_blueprint(folder / "bp.bin", 20, menu)
    players: dict[str, Chooses] = {"Ann": at_random, "Bob": at_random}
    hands = folder_of_hands(Holdem(blueprint.rules), players, NUM_HANDS, folder)
    review(hands, player="Ann", agent=str(folder / "bp.bin"), output=folder / "leaks", boards=6)
    return folder


def reviewed(place: Path, output: Path, **more: Any) -> Leaks:
    given = {"player": "Ann", "agent": str(place / "bp.bin"), "boards": 6, **more}
    return review(place / "hands", output=output, **given)


def test_costs_are_what_the_tables_say(place: Path) -> None:
    leaks = read_leaks(place / "leaks")
    assert leaks.num_hands == NUM_HANDS
    assert leaks.num_judged > 0.7 * len(leaks.decisions)
    decisions = leaks.decisions
    own = sum(
        sum(
            action.player == hand.players.index("Ann")
            for street in hand.streets
            for action in street
        )
        for hand in (found.hand for found in HandStore(place / "hands").hands())
    )
    assert len(decisions) == own
    firsts = decisions.firsts
    for number in np.flatnonzero(decisions.is_judged).tolist():
        row = {name: column[number].item() for name, column in decisions.numbers.items()}
        values = decisions.values[firsts[number] : firsts[number + 1]].astype(float) * row["pot"]
        chosen = row["weight"] * values[row["first"]]
        if row["second"] >= 0:
            chosen += (1.0 - row["weight"]) * values[row["second"]]
        # Each table's best action is valued with the other: never above the best of the means.
        assert row["cost"] <= values.max() - chosen + 1e-3
        assert 0.0 <= row["frequency"] <= 1.0


def test_the_first_decision_of_a_hand_is_judged_by_its_bucket(place: Path) -> None:
    from untilt.policy.thinking.tabulated_values import BucketValues

    leaks = read_leaks(place / "leaks")
    blueprint = load_blueprint(place / "bp.bin").blueprint
    asked = reviewing._read_asked(place / "leaks")
    values = BucketValues.read(
        place / "leaks" / "values-0.bin", blueprint, f"{asked.blueprints[0]} 6"
    )
    assert values is not None
    hands = [found.hand for found in HandStore(place / "hands").hands()]
    checked = 0
    for number in range(len(leaks.decisions)):
        row = leaks.row(number)
        hand = hands[row["row"]]
        player = hand.players.index("Ann")
        if (row["street"], row["line"], row["position"]) != ("preflop", "first to act", "BTN"):
            continue
        held = hand.cards[player]
        assert held is not None
        first, second = held
        table = values.at(0, blueprint.cards.bucket_of(first, second, ())).astype(float)
        names = [action.name for action in blueprint.form.actions(blueprint.form.root)]
        action = hand.streets[0][0]
        if action.is_all_in:
            name = "all-in 20"
        else:
            name = {"f": "fold", "c": "call"}.get(action.move, f"raise {action.amount}")
        if name not in names:
            continue
        chosen = names.index(name)
        crossed = [
            table[1 - half, table[half].argmax()] - table[1 - half, chosen] for half in (0, 1)
        ]
        assert row["cost_bb"] == pytest.approx(np.mean(crossed) / 2.0, abs=1e-4)
        # Two chips are a big blind.
        words = [_in_big_blinds(each) for each in names]
        assert row["best"] == words[table.mean(axis=0).argmax()]
        assert list(row["values_bb"]) == words
        assert list(row["values_bb"].values()) == pytest.approx(table.mean(axis=0) / 2.0, abs=1e-3)
        checked += 1
    assert checked > 30


def _in_big_blinds(name: str) -> str:
    verb, _, chips = name.partition(" ")
    if not chips or verb == "call":
        return verb
    return f"{'raise to' if verb == 'raise' else verb} {int(chips) / 2:g} bb"


def test_processes_and_interruptions_change_nothing(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reviewing, "_PART_HANDS", 50)
    expected = read_leaks(place / "leaks").to_json()

    class Stop(Exception):
        pass

    def stop(moment: ReviewMoment) -> None:
        if moment.doing == "judging" and moment.done > 55:
            raise Stop

    with pytest.raises(Stop):
        reviewed(place, tmp_path / "leaks", watcher=stop)
    done = len(list((tmp_path / "leaks" / "parts").iterdir()))
    assert done == 1
    found = reviewed(place, tmp_path / "leaks", processes=2)
    assert found.to_json() == expected
    assert read_leaks(tmp_path / "leaks").to_json() == expected


def test_a_cluster_changes_nothing(place: Path, command: Command, tmp_path: Path) -> None:
    asked = ("--player", "Ann", "--agent", place / "bp.bin", "--boards", 6)
    output = ("-o", tmp_path / "leaks", "--json")
    given = ("hands", "review", place / "hands", *asked, *output, "--cluster", "in-process")
    expected = read_leaks(place / "leaks").to_json()
    assert {**command(*given).json, "agents": None} == {**expected, "agents": None}
    assert "leave it out with --cluster" in command(*given, "--processes", 2).error


def test_hands_that_were_imported_since_are_added(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "hands", tmp_path / "hands")
    shutil.copytree(place / "leaks", tmp_path / "leaks")
    texts = [pokerstars_text(simulate(seed, num_players=2)) for seed in range(9)]
    (tmp_path / "more.txt").write_text("".join(texts), "utf-8")
    import_hands(tmp_path / "more.txt", tmp_path / "hands")
    before = read_leaks(tmp_path / "leaks").num_hands
    asked: Any = {"player": "Ann", "agent": str(place / "bp.bin"), "boards": 6}
    found = review(tmp_path / "hands", output=tmp_path / "leaks", **asked)
    assert found.num_hands > before
    assert found.to_json() == review(tmp_path / "hands", output=tmp_path / "new", **asked).to_json()


def test_what_is_not_judged_has_a_reason(place: Path, tmp_path: Path) -> None:
    texts = [
        pokerstars_text(simulate(100 * n + seed, num_players=n))
        for n in (2, 3, 6)
        for seed in range(30)
    ]
    (tmp_path / "more.txt").write_text("".join(texts), "utf-8")
    import_hands(tmp_path / "more.txt", tmp_path / "hands")
    found = review(
        tmp_path / "hands", player="me", agent=str(place / "bp.bin"), output=tmp_path / "leaks",
        boards=6,
    )  # fmt: skip
    reasons = found.not_judged
    assert reasons["more than two players"] > 50
    assert found.num_judged + sum(reasons.values()) == len(found.decisions)
    assert {"antes, which the agent does not have", "no agent has stacks near these"} & set(reasons)


def test_groups_add_up_and_their_intervals_count_hands(place: Path) -> None:
    leaks = read_leaks(place / "leaks")
    total = leaks.total
    assert total is not None
    for groups in leaks.by.values():
        assert sum(group.count for group in groups) == leaks.num_judged
        assert sum(group.total_bb for group in groups) == pytest.approx(total.total_bb)
    dearest = leaks.dearest()
    assert dearest[0]["cost_bb"] == pytest.approx(np.nanmax(leaks.decisions.costs))
    # Two equal numbers per cluster are as good as one.
    values = np.random.default_rng(1).normal(size=400)
    mean, half = clustered_mean(np.repeat(values, 2), np.repeat(np.arange(400), 2))
    assert half is not None
    assert half == pytest.approx(1.966 * values.std(ddof=1) / 20.0, rel=0.01)
    assert mean == pytest.approx(values.mean())


def test_the_commands_review_and_report(place: Path, command: Command, tmp_path: Path) -> None:
    asked = ("--player", "Ann", "--agent", place / "bp.bin", "--boards", 6)
    document = command(
        "hands", "review", place / "hands", *asked, "-o", tmp_path / "l", "--json"
    ).json
    expected = read_leaks(place / "leaks").to_json()
    assert {**document, "agents": None} == {**expected, "agents": None}
    again = command(
        "hands",
        "report",
        tmp_path / "l",
        "--html",
        tmp_path / "a.html",
        "--csv",
        tmp_path / "a.csv",
    )
    assert "cost        " in again.out
    assert "<h1>Leaks of Ann</h1>" in (tmp_path / "a.html").read_text()
    assert len((tmp_path / "a.csv").read_text().splitlines()) == document["decisions"] + 1
    assert (
        "already exists"
        in command("hands", "report", tmp_path / "l", "--csv", tmp_path / "a.csv").error
    )


def test_wrong_reviews_are_refused(place: Path, command: Command, tmp_path: Path) -> None:
    agent = str(place / "bp.bin")
    with pytest.raises(InvalidOption, match="give a blueprint, such as bp/, or pushfold"):
        reviewed(place, tmp_path / "a", agent="random")
    with pytest.raises(InvalidOption, match="has no option 'speed'"):
        reviewed(place, tmp_path / "a", agent=f"{agent} --speed 3")
    with pytest.raises(InvalidOption, match="nearest names are Ann"):
        reviewed(place, tmp_path / "a", player="Anny")
    with pytest.raises(RunError, match="has another review"):
        reviewed(place, place / "leaks", boards=8)
    with pytest.raises(InvalidOption, match="choose a new folder"):
        reviewed(place, place)
    with pytest.raises(RunError, match="untilt hands review"):
        read_leaks(tmp_path)
    (tmp_path / "review.json").write_text("{}")
    with pytest.raises(FormatError, match="is damaged"):
        read_leaks(tmp_path)
    assert "give a blueprint" in command("hands", "review", place / "hands").error
    assert (
        "--boards is 1"
        in command("hands", "review", place / "hands", "--agent", agent, "--boards", 1).error
    )
    part = next((place / "leaks" / "parts").iterdir())
    copy = tmp_path / "copy"
    shutil.copytree(place / "leaks", copy)
    data = bytearray(part.read_bytes())
    data[-5] ^= 1
    (copy / "parts" / part.name).write_bytes(data)
    with pytest.raises(FormatError, match="checksum"):
        read_leaks(copy)


def test_a_review_that_is_moved_with_its_hands_finds_them(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "hands", tmp_path / "hands")
    shutil.copytree(place / "leaks", tmp_path / "leaks")
    assert read_leaks(tmp_path / "leaks").hands.samefile(tmp_path / "hands")
    (tmp_path / "hands").rename(tmp_path / "elsewhere")
    asked: Any = {"player": "Ann", "agent": str(place / "bp.bin"), "boards": 6}
    found = review(tmp_path / "elsewhere", output=tmp_path / "leaks", **asked)
    assert found.hands.samefile(tmp_path / "elsewhere")
    assert found.to_json() == read_leaks(place / "leaks").to_json()


def test_a_review_is_a_frame(place: Path) -> None:
    pytest.importorskip("pandas")
    frame = untilt.hands.read_leaks(place / "leaks").to_frame()
    assert frame["judged"].sum() == read_leaks(place / "leaks").num_judged


PUSH = """
[{number}]
variant = 'NT'
antes = [{ante}, {ante}]
blinds_or_straddles = [50, 100]
min_bet = 100
starting_stacks = [{stack}, {stack}]
actions = ['d dh p1 {big}', 'd dh p2 {small}', {actions}]
players = ['Bob', 'Ann']
hand = {number}
"""


@pytest.mark.parametrize("ante", [0, 12])
def test_pushes_calls_and_folds_of_short_stacks_cost_what_the_chart_says(
    ante: int, tmp_path: Path
) -> None:
    given = [
        ("7h2c", "AsAh", "'p2 cbr {all}', 'p1 f'"),
        ("7h2c", "KsKh", "'p2 f'"),
        ("7h2c", "7s2d", "'p2 cbr {all}', 'p1 cc', 'd db 3h4s8s', 'd db Jd', 'd db Kc'"),
        ("AcAd", "QsJs", "'p2 cbr {all}', 'p1 f'"),
        ("AcAd", "QsJs", "'p2 cbr 200', 'p1 f'"),
    ]
    texts = [
        PUSH.format(
            number=number, ante=ante, stack=1000, big=big, small=small,
            actions=actions.format(all=1000 - ante),
        )
        for number, (big, small, actions) in enumerate(given, start=1)
    ]  # fmt: skip
    (tmp_path / "short.phhs").write_text("".join(texts))
    import_hands(tmp_path / "short.phhs", tmp_path / "hands")
    chart = untilt.pushfold.chart(10, ante=ante / 100)
    costs = {}
    for name in ("Ann", "Bob"):
        found = review(
            tmp_path / "hands", player=name, agent="pushfold", output=tmp_path / name
        ).decisions
        costs[name] = found.costs.tolist()
        reasons = found.numbers["reason"].tolist()
        assert reasons.count(0) == len(reasons) - 1  # the raise to 200 and its answer

    def cost(side: Any, hand: str, *, is_played: bool) -> Any:
        worth = side.fold_ev, side.ev_of_hand()[hand]
        return max(worth) - worth[is_played]

    assert costs["Ann"][:4] == pytest.approx(
        [
            cost(chart.push, "AA", is_played=True),
            cost(chart.push, "KK", is_played=False),
            cost(chart.push, "72o", is_played=True),
            cost(chart.push, "QJs", is_played=True),
        ],
        abs=1e-5,
    )
    assert costs["Ann"][1] > 1.0
    assert costs["Bob"][:3] == pytest.approx(
        [
            cost(chart.call, "72o", is_played=False),
            cost(chart.call, "72o", is_played=True),
            cost(chart.call, "AA", is_played=False),
        ],
        abs=1e-5,
    )
    assert costs["Bob"][2] > 5.0


@pytest.mark.long
def test_rivers_are_judged_by_their_solutions_if_the_agent_solves_them(
    place: Path, tmp_path: Path
) -> None:
    agent = f"{place / 'bp.bin'} --iterations 60"
    found = reviewed(place, tmp_path / "a", agent=agent).decisions
    plain = read_leaks(place / "leaks").decisions
    is_river = found.is_judged & plain.is_judged & (found.numbers["street"] == 3)
    assert is_river.sum() > 5
    changed = found.costs != plain.costs
    assert changed[is_river].mean() > 0.5
    assert not changed[found.is_judged & (found.numbers["street"] < 3)].any()
    assert (found.costs[is_river & changed] >= 0.0).all()
    assert (found.numbers["error"][is_river & changed] == 0.0).all()
