"""Push/fold charts of saved runs: what strange frames and parameters become."""

import json

import numpy as np
import pytest

import untilt
from untilt.cards.combos import NUM_CLASSES
from untilt.errors import FormatError
from untilt.games.pushfold.game import PushFold, Stakes
from untilt.policy.nodes.node_json import node_json
from untilt.policy.nodes.pushfold_node import pushfold_node
from untilt.policy.saved.pushfold_charts import chart_of_row, is_push_fold, stakes_of


def test_only_push_fold_has_its_infosets() -> None:
    assert is_push_fold(untilt.games.compile(PushFold()).infosets)
    assert not is_push_fold(untilt.games.compile(untilt.games.kuhn()).infosets)


@pytest.mark.parametrize("stack", [None, True, "10", float("nan"), 10**400])
def test_a_run_without_a_stack_is_damaged(stack: object) -> None:
    with pytest.raises(FormatError, match="its stack is not a number"):
        stakes_of({"stack": stack, "ante": 0.1})
    assert stakes_of({"stack": 10, "ante": 0.1, "bb_ante": None}) == Stakes(10.0, ante=0.1)


def test_a_row_is_rounded_into_bounds_and_what_is_unknown_is_null() -> None:
    probabilities = np.full(4 * NUM_CLASSES + 2, 0.5, np.float32)
    probabilities[2:8:2] = [1.0000001, -1e-7, np.nan]
    values = np.full(len(probabilities), np.nan, np.float32)
    chart = chart_of_row(Stakes(), probabilities, values, float("nan"), 0.25)
    assert chart.push.frequency[:4].tolist() == [1.0, 0.0, 0.0, 0.5]
    page = json.loads(json.dumps(node_json(pushfold_node(chart)), allow_nan=False))
    facts, reply = page["panels"]["stack"], page["panels"]["reply"]
    assert (facts["value"], facts["exploitability"]) == (None, 0.25)
    assert [set(row) for row in reply["sides"][1]["values"]] == [{-1.0}, {None}]
    assert page["panels"]["published"]["name"] == "hune"
