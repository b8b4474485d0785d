"""`untilt.fit`: the same estimate from a file, a frame and rows, and what the result offers."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import untilt
from untilt.errors import FormatError, InvalidOption, RunError, UnknownName

HANDS = Path(__file__).parents[3] / "examples" / "kuhn_hands.csv"


@pytest.fixture(scope="module")
def found() -> untilt.FittedPlay:
    return untilt.fit(HANDS, game="kuhn")


def rows() -> list[dict[str, str]]:
    with HANDS.open(newline="") as file:
        return list(csv.DictReader(file))


def test_rows_and_frames_are_read_as_the_file(found: untilt.FittedPlay) -> None:
    again = untilt.fit(rows(), game="kuhn")
    assert (again.beta, again.se) == (found.beta, found.se)
    assert np.array_equal(again.observations.counts, found.observations.counts)
    turned = [dict(reversed(row.items())) for row in rows()[1:]]
    assert untilt.fit([rows()[0], *turned], game="kuhn").beta == found.beta
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(HANDS)  # the empty public cards become nan
    assert untilt.fit(frame, game="kuhn").beta == found.beta
    counts = pandas.DataFrame(
        {"infoset": ["P0:J:", "P0:J:"], "action": ["check", "bet"], "count": [80.0, 20.0]}
    )
    assert untilt.fit(counts, game="kuhn").estimate.num_observations == 100


def test_the_result_offers_the_estimate_and_its_uncertainty(found: untilt.FittedPlay) -> None:
    assert found.betas == (found.beta, found.beta)
    assert found.se == found.estimate.standard_error
    low, high = found.interval
    assert low < found.beta < high
    assert found.log_likelihood > found.estimate.uniform_log_likelihood
    both = untilt.fit(HANDS, game="kuhn", per_player=True)
    assert both.betas[0] != both.betas[1]


def test_subjects_groups_and_folds_are_named_by_columns() -> None:
    known = [
        {**row, "who": f"s{place % 7}", "half": "first" if place < 1000 else "second"}
        for place, row in enumerate(rows())
    ]
    fit = untilt.fit(known, game="kuhn", subject="who", group="half", folds=3, seed=1)
    assert fit.estimate.clustered is not None
    assert fit.se == fit.estimate.clustered.standard_error
    assert fit.interval == fit.estimate.clustered.interval
    assert fit.groups is not None
    assert [level.name for level in fit.groups.levels] == ["first", "second"]
    assert fit.cross_validation is not None
    assert len(fit.cross_validation.betas) == 3
    assert "first" in fit._repr_html_()


def test_the_best_response_wins_what_no_other_strategy_does(found: untilt.FittedPlay) -> None:
    response = found.best_response()
    assert {*np.unique(np.concatenate(response.behaviours)).tolist()} <= {0.0, 1.0}
    match = untilt.strategies.head_to_head("kuhn", response, found.strategy)
    values = found.best_response_values()
    assert (match.as_player_0, match.as_player_1) == pytest.approx(values, abs=1e-12)
    nash = untilt.solve("kuhn", "lp", save=False)
    assert match.mean > untilt.strategies.head_to_head("kuhn", nash, found.strategy).mean


def test_the_fitted_strategies_are_saved_for_agents(
    found: untilt.FittedPlay, tmp_path: Path
) -> None:
    file = found.save(tmp_path / "fit.json")
    agent = untilt.play.StrategyAgent.from_file(file)
    assert agent.probabilities("P0:J:") == pytest.approx(found.strategy["P0:J:"])
    with pytest.raises(RunError, match="already exists"):
        found.save(file)
    found.save(file, replace=True)


def test_tables_and_pictures(found: untilt.FittedPlay, tmp_path: Path) -> None:
    assert len(repr(found)) < 200
    assert len(found._repr_html_()) < 3_000
    pytest.importorskip("pandas")
    frame = found.to_frame()
    assert frame["observed"].sum() == found.estimate.num_observations
    assert frame["expected"].sum() == pytest.approx(found.estimate.num_observations)
    pytest.importorskip("matplotlib")
    found.plot(tmp_path / "fit.svg")
    assert (tmp_path / "fit.svg").stat().st_size > 1_000


@pytest.mark.parametrize(
    ("observed", "error"),
    [
        ([], InvalidOption),
        ([{"infoset": "P0:J:"}, {"action": "bet"}], InvalidOption),
        ({"infoset": ["P0:J:"]}, InvalidOption),
        ([{"infoset": "P9:J:", "action": "bet", "count": 1}], FormatError),
        ([{"infoset": "P0:J:", "action": "bet", "count": "many"}], FormatError),
        ("nowhere.csv", FormatError),
        (5, InvalidOption),
    ],
)
def test_what_cannot_be_read_is_refused(observed: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        untilt.fit(observed, game="kuhn")


def test_options_are_checked() -> None:
    with pytest.raises(InvalidOption, match="fit takes no option beta"):
        untilt.fit(HANDS, game="kuhn", beta=3)
    with pytest.raises(InvalidOption, match="folds holds out whole subjects"):
        untilt.fit(HANDS, game="kuhn", folds=3)
    with pytest.raises(UnknownName, match="unknown definition 'angent'"):
        untilt.fit(HANDS, game="kuhn", definition="angent")
