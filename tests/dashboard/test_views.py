"""The views of the page: each is one file on the server, and one on the page for each kind."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tests.dashboard.serving import fields_of

from untilt.dashboard.sources.source import Holdings
from untilt.dashboard.view import View
from untilt.dashboard.views import VIEWS, views_of
from untilt.formats.run.compiled_game import GameFacts
from untilt.formats.run.run_file import RunRecord, read_run_record
from untilt.game.terms import Terms

PAGE = Path(__file__).parents[2] / "web" / "src" / "views"


def views_of_the_page() -> list[str]:
    """Return the names in the descriptors of the page's views, in the order of its list."""
    source = (PAGE / "all.ts").read_text("utf-8")
    found = re.findall(r'^    name: "(\w+)",$.*?import\("\./([\w/]+)"\)', source, re.S | re.M)
    for name, file in found:
        assert (PAGE / f"{file}.ts").is_file(), name
    return [name for name, _ in found]


def test_server_and_page_have_the_same_views() -> None:
    assert [view.name for view in VIEWS] == views_of_the_page()


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_a_view_adds_what_the_page_knows(view: View) -> None:
    assert view.details.keys() <= fields_of("RunDetail") - fields_of("RunSummary")


def test_no_two_views_answer_at_one_path_or_add_one_list() -> None:
    for names in ([*view.routes, *view.details] for view in VIEWS):
        assert len(names) == len(set(names))
    paths = [path for view in VIEWS for path in view.routes]
    lists = [key for view in VIEWS for key in view.details]
    assert len(paths) == len(set(paths))
    assert len(lists) == len(set(lists))


def test_an_empty_run_offers_nothing() -> None:
    assert views_of(Holdings()) == []


@pytest.mark.parametrize("has_form", [False, True])
def test_rules_that_are_ours_or_stored_are_played(solved_runs: Path, has_form: bool) -> None:
    ours = read_run_record(solved_runs / "kuhn" / "run.json")
    users = replace(ours, reference="mine.py:kuhn")
    bare = GameFacts("", 2, 12, has_form=has_form, has_tree=False)
    stored = replace(bare, has_tree=True)

    def is_played(record: RunRecord | None, game: GameFacts, *, has_strategy: bool = True) -> bool:
        return "play" in views_of(Holdings(record, game=game, has_strategy=has_strategy))

    assert is_played(ours, bare)
    assert is_played(users, stored)
    assert not is_played(users, bare)
    assert not is_played(ours, bare, has_strategy=False)
    assert not is_played(None, stored)


def test_a_grid_of_hands_needs_one_decision_for_each_class_and_seat() -> None:
    game = GameFacts("", 2, 338, has_form=True, has_tree=False)
    classes = Terms(private="hand class")
    assert "pushfold" in views_of(Holdings(terms=classes, game=game, has_strategy=True))
    assert "pushfold" not in views_of(Holdings(game=game, has_strategy=True))
    larger = GameFacts("", 2, 676, has_form=True, has_tree=False)
    assert "pushfold" not in views_of(Holdings(terms=classes, game=larger, has_strategy=True))
    assert "pushfold" not in views_of(Holdings(terms=classes, game=game))
