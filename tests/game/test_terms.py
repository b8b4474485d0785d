import json

import pytest

from untilt.errors import FormatError, GameError
from untilt.game.terms import Chips, Terms, chips_of, terms_from_json, terms_of


class Dice:
    terms = Terms(unit="points", seats=("first", "second"), private="die", public="")


def test_a_game_that_declares_nothing_plays_for_chips_with_a_card() -> None:
    assert terms_of(object()) == Terms()
    assert Terms().unit == "chips"


def test_terms_survive_their_file() -> None:
    written = json.loads(json.dumps(terms_of(Dice()).to_json()))
    assert terms_from_json(written, "run.json") == Dice.terms


def test_runs_written_before_verbs_and_rules_have_the_defaults() -> None:
    written = Dice.terms.to_json()
    del written["verbs"], written["rules"]
    assert terms_from_json(written, "run.json") == Dice.terms


@pytest.mark.parametrize(
    "broken",
    [
        None,
        [],
        {},
        {"seats": 3},
        {"seats": ["a"]},
        {"seats": ["a", "b"], "unit": 1},
        {"seats": ["a", "b"], "colour": "red"},
        {"seats": ["a", "b" * 41]},
        {"seats": ["a", "b"], "verbs": ["say"]},
        {"seats": ["a", "b"], "verbs": 3},
        {"seats": ["a", "b"], "rules": "two\nlines"},
        {"seats": ["a", "b"], "rules": "x" * 401},
    ],
)
def test_broken_terms_of_a_file_are_a_format_error(broken: object) -> None:
    with pytest.raises(FormatError, match="is damaged"):
        terms_from_json(broken, "run.json")


def test_terms_of_another_type_are_refused() -> None:
    class Wrong:
        terms = "chips"

    with pytest.raises(GameError, match="must be an untilt Terms"):
        terms_of(Wrong())
    with pytest.raises(GameError, match="not the terms of a game"):
        Terms(unit="x" * 41)


def test_chips_are_optional() -> None:
    class Pot:
        chips = Chips(2.0, (1.0, 0.0), (None, None))

    assert chips_of(Pot()) == Chips(2.0, (1.0, 0.0), (None, None))
    assert chips_of(object()) is None
