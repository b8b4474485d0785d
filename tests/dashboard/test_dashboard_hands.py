"""What the endpoints about hands say, against the folders read without them."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.dashboard.hand_folders import NUM_RING, NUM_SHORT, make_folders
from tests.dashboard.serving import Client, client_of, fields_of

import untilt
from untilt.dashboard.sources.library import Library
from untilt.hands.store.filters import Filter
from untilt.hands.store.hand_store import HandStore

LIST = "/api/hands/hands/list"
HAND = "/api/hands/hands/hand"


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "all"
    make_folders(folder)
    return folder


@pytest.fixture(scope="module")
def client(root: Path) -> Client:
    return client_of(Library.of(root))


def test_folders_and_reviews_are_found_and_belong_together(client: Client) -> None:
    places = client.get("/api/hands")
    assert places.keys() == fields_of("HandPlaces")
    assert [(each["id"], each["hands"]) for each in places["folders"]] == [
        ("deep~ring", NUM_RING),
        ("hands", NUM_SHORT),
    ]
    (review,) = places["reviews"]
    assert review.keys() == fields_of("HandReviewPlace")
    assert places["folders"][0].keys() == fields_of("HandFolder")
    assert (review["id"], review["player"], review["folder"]) == ("leaks", "Ann", "hands")


def test_names_begin_with_the_most_frequent_or_me(client: Client) -> None:
    assert set(client.get("/api/hands/hands/names")["names"]) == {"Ann", "Bob"}
    assert client.get("/api/hands/deep~ring/names")["names"][0] == "me"


def test_a_list_is_the_newest_first_whatever_pages_are_asked(client: Client) -> None:
    whole = client.get(LIST, count=500)
    assert whole.keys() == fields_of("HandList")
    assert whole["rows"][0].keys() == fields_of("HandRow")
    assert [row["title"].rpartition("#")[2] for row in whole["rows"]] == [
        str(number) for number in range(NUM_SHORT, 0, -1)
    ]
    pages = [client.get(LIST, first=first, count=7)["rows"] for first in range(0, NUM_SHORT, 7)]
    assert [row for page in pages for row in page] == whole["rows"]
    assert client.get(LIST, first=10**6)["rows"] == []


@pytest.mark.parametrize(
    "asked",
    [
        {"player": "Bob"},
        {"pot": ">5bb"},
        {"player": "Ann", "moves": "raise, fold"},
        {"street": "river"},
    ],
)
def test_filters_are_those_of_the_command(
    client: Client, root: Path, asked: dict[str, str]
) -> None:
    wanted = Filter(**{"line" if name == "moves" else name: text for name, text in asked.items()})
    expected = {found.hand.title for found in HandStore(root / "hands").hands(wanted)}
    found = client.get(LIST, count=500, **asked)
    assert {row["title"] for row in found["rows"]} == expected
    assert (found["total"], found["of"]) == (len(expected), NUM_SHORT)


def test_a_hand_is_seen_as_the_wanted_player_or_the_viewer(client: Client) -> None:
    [first] = client.get(LIST, count=1, viewer="Ann")["rows"]
    assert (first["position"], first["cards"]) == ("BTN", "QsJs")
    [first] = client.get(LIST, count=1, viewer="Ann", player="Bob")["rows"]
    assert (first["position"], first["cards"]) == ("BB", "AcAd")
    [first] = client.get(LIST, count=1)["rows"]
    assert (first["seat"], first["cards"], first["won_bb"]) == (None, "", None)


def test_a_hand_comes_with_its_review(client: Client, root: Path) -> None:
    leaks = untilt.hands.read_leaks(root / "leaks")
    page = client.get(HAND, file=0, row=0, review="leaks")
    assert page.keys() >= fields_of("HandPage")
    assert page["hands"] == ["7h2c", "AsAh"]
    assert page["review"]["player"] == 1
    (decision,) = page["review"]["decisions"]
    assert decision.keys() == fields_of("JudgedDecision")
    assert decision == leaks.row(0)
    assert decision["cost_bb"] == 0.0
    page = client.get(HAND, file=0, row=1, review="leaks")
    assert page["review"]["decisions"][0]["cost_bb"] > 1.0  # kings are folded
    assert client.get(HAND, file=0, row=1)["review"] is None


def test_leaks_and_mistakes_are_those_of_the_report(client: Client, root: Path) -> None:
    leaks = untilt.hands.read_leaks(root / "leaks")
    report = client.get("/api/reviews/leaks/report")
    assert report.keys() >= fields_of("LeakReport")
    assert report["cost_mbb"] == pytest.approx(leaks.to_json()["cost_mbb"])
    assert report["by"]["street"]["groups"][0].keys() == fields_of("LeakGroup")
    found = client.get("/api/reviews/leaks/mistakes", count=3)
    assert [row["cost_bb"] for row in found["rows"]] == [row["cost_bb"] for row in leaks.dearest(3)]
    assert found["rows"][0].keys() == fields_of("Mistake")
    name = "pair, tens or better"
    group = client.get("/api/reviews/leaks/mistakes", by="held", name=name)
    assert group["total"] == NUM_SHORT // 5
    assert {row["held"] for row in group["rows"]} == {name}
    page = client.get(HAND, file=0, row=group["rows"][0]["row"], review="leaks")
    nth = group["rows"][0]["nth"]
    assert page["review"]["decisions"][nth]["cost_bb"] == group["rows"][0]["cost_bb"]


def test_tilt_is_that_of_the_command(client: Client, root: Path) -> None:
    found = client.get("/api/reviews/leaks/tilt", window=20)
    assert found.keys() == fields_of("TiltPage")
    assert found == untilt.hands.tilt(root / "leaks", window=20).to_json()


def test_what_does_not_exist_is_refused_on_one_line(client: Client) -> None:
    assert client.refusal("/api/hands/nothing/list") == (
        404,
        "there is no folder of hands 'nothing'; see the list of hands",
    )
    assert client.refusal("/api/reviews/hands/report")[0] == 404
    assert client.refusal(HAND, file=0, row=NUM_SHORT)[0] == 404
    assert client.refusal(HAND, file=7)[0] == 404
    status, line = client.refusal("/api/hands/deep~ring/hand", review="leaks")
    assert (status, "give a review of this folder" in line) == (400, True)
    status, line = client.refusal(LIST, player="Anne")
    assert (status, "nearest names are Ann" in line) == (400, True)
    for asked in ({"pot": "much"}, {"street": "fifth"}, {"moves": "jump"}, {"count": 501}):
        assert client.refusal(LIST, **asked)[0] == 400
    assert client.refusal("/api/reviews/leaks/mistakes", by="moon")[0] == 400
    assert client.refusal("/api/reviews/leaks/tilt", window=0)[0] == 400


def test_new_hands_appear_and_damage_is_named(
    root: Path, tmp_path: Path, client_for: Callable[[Path], Client]
) -> None:
    copy = Path(shutil.copytree(root, tmp_path / "copy"))
    client = client_for(copy)
    assert client.get(LIST)["total"] == NUM_SHORT
    untilt.hands.import_hands(copy / "ring.txt", copy / "hands")
    assert client.get(LIST)["total"] == NUM_SHORT + NUM_RING
    part = next((copy / "leaks" / "parts").iterdir())
    data = bytearray(part.read_bytes())
    data[-5] ^= 1
    part.write_bytes(data)
    (copy / "deep" / "ring" / "hands.json").write_text("{}")
    places = client.get("/api/hands")
    assert "is damaged" in places["folders"][0]["problem"]
    assert "checksum" in places["reviews"][0]["problem"]
    assert client.refusal("/api/reviews/leaks/report")[0] == 409


def test_a_served_folder_may_itself_be_one_of_hands(
    root: Path, client_for: Callable[[Path], Client]
) -> None:
    client = client_for(root / "hands")
    assert [each["id"] for each in client.get("/api/hands")["folders"]] == ["hands"]
    assert client.get(LIST)["total"] == NUM_SHORT


def test_links_lead_nowhere(
    root: Path, tmp_path: Path, client_for: Callable[[Path], Client]
) -> None:
    served = tmp_path / "served"
    served.mkdir()
    (served / "link").symlink_to(root / "hands")
    client = client_for(served)
    assert client.get("/api/hands") == {"folders": [], "reviews": []}
    assert client.refusal("/api/hands/..~hands/list")[0] == 404
