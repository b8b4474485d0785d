"""The grid of a decision in the terminal."""

import numpy as np

from untilt.cards.combos import class_index
from untilt.charts.mix_grid import mix_grid


def test_a_marked_class_has_a_star_and_its_weight_where_there_is_room() -> None:
    weights = np.zeros(169)
    marked = np.zeros(169, np.bool_)
    for name, weight in (("AA", 1.0), ("AKs", 0.25), ("KK", 0.25), ("QQ", 0.5)):
        weights[class_index(name)] = weight
        marked[class_index(name)] = name != "QQ"
    plain = mix_grid(["check", "bet 50"], np.full((2, 169), 0.5), weights)
    starred = mix_grid(["check", "bet 50"], np.full((2, 169), 0.5), weights, marked)
    assert str(plain).splitlines()[0].startswith("AA    AKs25 .")
    first, second, third = str(starred).splitlines()[:3]
    assert first.startswith("AA*   AKs*  .")
    assert second.startswith(".     KK*25 .")
    assert third.startswith(".     .     QQ 50")
