"""What a row says of its option: values, names, flags, and whether a run can change it."""

import json
from pathlib import Path

import numpy as np
import pytest

import untilt
from untilt.errors import InvalidOption, UnknownName
from untilt.options import blueprint, pushfold, thinking
from untilt.options.option import Option, integer, renamed, verified, verify_unchanged
from untilt.runs.run import GameRun
from untilt.solvers.blueprint.rule import RULES
from untilt.solvers.blueprint.tables import PRECISIONS

COUNT = Option("count", int, 3, "How many.", integer(1), also=("number",), can_change=True)
COLOUR = Option("colour", str, "red", "Which.", choices=("red", "blue"))
SLOW = Option("slow", bool, True, "Take time.", flag="--hurry")
ROWS = (COUNT, COLOUR, SLOW)


def test_defaults_stand_for_what_is_not_given() -> None:
    assert verified(ROWS, {"colour": "blue"}) == {"count": 3, "colour": "blue", "slow": True}


def test_a_number_of_numpys_becomes_one_of_pythons() -> None:
    found = verified(ROWS, {"count": np.int32(4)})["count"]
    assert (found, type(found)) == (4, int)


def test_names_of_before_are_read_but_not_twice() -> None:
    assert renamed(ROWS, {"number": 4}) == {"count": 4}
    with pytest.raises(InvalidOption, match="number and count mean the same; give one of them"):
        renamed(ROWS, {"number": 4, "count": 4})


@pytest.mark.parametrize(
    ("given", "python", "command"),
    [
        ({"count": 0}, "count is 0; it must be an integer, at least 1", "--count is 0; "),
        ({"count": True}, "count is True; it must be an integer, at least 1", "--count is True; "),
        ({"colour": "rde"}, "unknown colour 'rde': did you mean 'red'?", "unknown --colour 'rde'"),
        ({"slow": 1}, "slow is 1; it must be True or False", "--hurry is 1; "),
        ({"size": 1}, "unknown option 'size': known: count, colour, slow", "unknown option 'size'"),
    ],
)
def test_what_is_refused_is_said_in_the_words_of_the_caller(
    given: dict[str, object], python: str, command: str
) -> None:
    with pytest.raises((InvalidOption, UnknownName)) as caught:
        verified(ROWS, given)
    assert str(caught.value).startswith(python)
    assert caught.value.for_command().startswith(command)


def test_a_continued_run_changes_only_what_its_rows_allow() -> None:
    verify_unchanged(ROWS, {"count": 4})
    with pytest.raises(InvalidOption) as caught:
        verify_unchanged(ROWS, {"slow": False})
    assert caught.value.for_command() == (
        "--resume continues a run with its original settings; leave --hurry out"
    )


def test_choices_are_those_of_what_is_chosen() -> None:
    assert set(blueprint.RULE.choices) == set(RULES)
    assert set(blueprint.PRECISION.choices) == set(PRECISIONS)


@pytest.mark.parametrize(
    "rows",
    [blueprint.TRAIN, pushfold.TRAIN, thinking.THINKING],
    ids=["blueprint train", "pushfold train", "thinking"],
)
def test_defaults_are_allowed(rows: tuple[Option, ...]) -> None:
    for option in rows:
        option.verify(option.default)


def test_a_path_whose_file_has_the_name_of_before_is_read(tmp_path: Path) -> None:
    untilt.solve("kuhn", "qre", beta=1.0, trace=True, output=tmp_path / "path")
    file = tmp_path / "path" / "run.json"
    stored = json.loads(file.read_text())
    assert stored["options"].pop("trace") is True
    file.write_text(json.dumps({**stored, "options": {**stored["options"], "branch": True}}))
    for found in (untilt.load(tmp_path / "path"), untilt.resume(tmp_path / "path")):
        assert isinstance(found, GameRun)
        assert found.request.options["trace"] is True
