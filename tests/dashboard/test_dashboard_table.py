"""Push/fold tables for the page: requests are checked, solved in a process, and replaced."""

import json
import subprocess
import sys
import time
from typing import Any

import pytest
from tests.dashboard.serving import JOB_SECONDS, ORIGIN, PORT, TOKEN, Client, client_of, fields_of

import untilt
from untilt.dashboard.sources.library import Library

TWO = {"stacks": [10, 6], "prizes": [60, 40]}
LONG = {"stacks": [9.25] * 9, "ante": 0.1}


@pytest.fixture
def tables(tmp_path_factory: pytest.TempPathFactory) -> Client:
    return client_of(Library.of(tmp_path_factory.mktemp("tables")))


def posted(client: Client, path: str, content: Any, **headers: str) -> tuple[int, Any]:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    sent = {"Origin": ORIGIN, "Cookie": f"untilt-{PORT}={TOKEN}"} | headers
    answer = client.raw.post(f"/api/tables/{path}", content=data, headers=sent)
    return answer.status_code, answer.json()


def ended(client: Client) -> Any:
    end = time.monotonic() + JOB_SECONDS
    while (job := client.get("/api/tables"))["state"] == "running":
        assert time.monotonic() < end, "it is still running"
        time.sleep(0.05)
    return job


def solved(client: Client, order: Any) -> Any:
    status, job = posted(client, "solve", order)
    assert status == 200, job
    assert job.keys() == fields_of("TableJob")
    job = ended(client)
    assert (job["state"], job["error"]) == ("finished", None)
    return client.get("/api/tables/chart", number=job["number"])


class TestRequests:
    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"[]",
            b'{"stacks": "10,10"}',
            b'{"stacks": [10, "x"]}',
            b'{"stacks": [10, true]}',
            b'{"stacks": [NaN, 10]}',
            b'{"prizes": [50]}',
            b'{"stacks": [10, 10], "seats": 2}',
            b'{"stacks": [10, 10], "ante": []}',
            b'{"stacks": [10, 10], "max_all_in": 2.5}',
            b'{"stacks": [10, 10], "ranges": 5}',
            b'{"stacks": [10, 10], "is_locked": 1}',
            json.dumps({"stacks": [1] * 100}).encode(),
            json.dumps({"stacks": [1, 1], "ranges": "x" * 30_000}).encode(),
        ],
    )
    def test_what_is_not_a_table_is_refused(self, tables: Client, content: bytes) -> None:
        status, answer = posted(tables, "solve", content)
        assert status == 400, answer
        assert list(answer) == ["error"]
        assert tables.get("/api/tables")["state"] == "idle"

    def test_a_large_request_is_refused(self, tables: Client) -> None:
        assert posted(tables, "solve", b"[" * (100 << 10))[0] == 413

    @pytest.mark.parametrize("path", ["solve", "stop"])
    def test_only_our_page_may_ask(self, tables: Client, path: str) -> None:
        for headers in (
            {"Cookie": ""},
            {"Cookie": f"untilt-{PORT}={'6' * 64}"},
            {"Origin": "http://example.com"},
        ):
            assert posted(tables, path, TWO, **headers)[0] == 403
        assert tables.raw.get(f"/api/tables/{path}").status_code == 405
        assert tables.get("/api/tables")["state"] == "idle"

    def test_nothing_is_there_before_anything_is_asked(self, tables: Client) -> None:
        assert tables.refusal("/api/tables/chart", number=0)[0] == 404
        assert posted(tables, "stop", {})[1]["state"] == "idle"

    def test_the_server_needs_no_compiler(self) -> None:
        program = (
            "import sys; from untilt.dashboard.server import table_solving\n"
            "assert not {'numba', 'llvmlite'} & set(sys.modules)\n"
        )
        subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.long
class TestSolving:
    def test_a_table_is_solved_and_compared_with_own_ranges(self, tables: Client) -> None:
        with tables.raw:
            found = solved(tables, TWO)
            assert found.keys() == fields_of("TableChart")
            expected = untilt.pushfold.chart(stacks=[10, 6], prizes=[60, 40])
            assert found["values"] == (100.0 * expected.values).tolist()
            assert found["unit"] == "% of the pool"
            assert [node["line"] for node in found["nodes"]] == ["", "a"]
            assert found["comparison"] is None
            ranges = "small blind: AA\nBB vs SB: 50%"
            compared = solved(tables, TWO | {"ranges": ranges})["comparison"]
            assert compared.keys() == fields_of("TableComparison")
            assert min(compared["costs"]) > 0.0
            (first, _) = compared["decisions"]
            assert (first["line"], first["hands"][0], sum(first["hands"])) == ("", 1.0, 1.0)
            # Kept: the small blind plays aces only, so the big blind calls with little else.
            kept = solved(tables, TWO | {"ranges": "small blind: AA", "is_locked": True})
            assert kept["comparison"] is None
            assert kept["gains"][0] > 1.0
            assert kept["nodes"][1]["mix"][1] < found["nodes"][1]["mix"][1] / 3

    def test_impossible_tables_are_refused_by_the_solver(self, tables: Client) -> None:
        with tables.raw:
            for order, words in (
                ({"stacks": [10, 0]}, "leave out whoever has no chips"),
                ({"stacks": [10, 8], "prizes": [2, 3]}, "give the first prize first"),
                ({"stacks": [10]}, "2 to 9 seats"),
                (TWO | {"ranges": "dealer: AA"}, "is not a seat"),
            ):
                posted(tables, "solve", order)
                job = ended(tables)
                assert job["state"] == "failed", order
                assert words in job["error"]
                assert "\n" not in job["error"]

    def test_a_newer_request_replaces_the_one_that_is_being_solved(self, tables: Client) -> None:
        with tables.raw:
            first = posted(tables, "solve", LONG)[1]["number"]
            found = solved(tables, TWO)
            assert found["number"] > first
            assert len(found["seats"]) == 2
            assert tables.refusal("/api/tables/chart", number=first)[0] == 404

    def test_it_is_stopped_and_starts_again(self, tables: Client) -> None:
        with tables.raw:
            posted(tables, "solve", LONG)
            assert posted(tables, "stop", {})[1]["state"] == "stopped"
            assert solved(tables, TWO)["returned"] in ("current", "average")
            posted(tables, "solve", LONG)
            assert tables.get("/api/tables")["state"] == "running"
        assert tables.get("/api/tables")["state"] == "stopped"
