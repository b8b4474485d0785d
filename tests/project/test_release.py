"""What a release consists of besides the code: metadata, notes, forms, workflows."""

import datetime
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import untilt

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
FORMS = [path for path in (GITHUB / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml"]
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
RELEASES = re.findall(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$", CHANGELOG, flags=re.M)


def test_the_changelog_is_in_order_of_releases() -> None:
    headings = re.findall(r"^## (.*)$", CHANGELOG, flags=re.M)
    assert headings == ["Unreleased", *(f"{version} - {date}" for version, date in RELEASES)]
    versions = [tuple(map(int, version.split("."))) for version, _ in RELEASES]
    assert versions == sorted(versions, reverse=True)
    dates = [datetime.date.fromisoformat(date) for _, date in RELEASES]
    assert dates == sorted(dates, reverse=True)


def test_the_citation_is_of_the_newest_release() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    version, date = RELEASES[0]
    assert version == untilt.__version__
    assert f"\nversion: {version}\ndate-released: {date}\n" in citation


def test_the_workflow_runs_on_every_system_and_python_that_is_promised() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    promised = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert promised == ["3.11", "3.12", "3.13", "3.14"]
    assert project["requires-python"] == f">={promised[0]}"
    text = (GITHUB / "workflows" / "tests.yml").read_text(encoding="utf-8")
    quoted = ", ".join(f'"{version}"' for version in promised)
    assert f"python: [{quoted}]" in text
    assert "system: [ubuntu-latest, macos-latest, windows-latest]" in text


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_named_by_commit(path: Path) -> None:
    used = re.findall(r"uses: (.*)", path.read_text(encoding="utf-8"))
    assert used
    for action in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v[\d.]+", action), action


def run(program: str, *arguments: str) -> None:
    """Run a program of the group `release`; it must find nothing wrong."""
    path = shutil.which(program, path=str(Path(sys.executable).parent))
    if path is None:
        pytest.skip("the group release is not installed")
    done = subprocess.run([path, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    ("schema", "paths"),
    [
        ("citation-file-format", [ROOT / "CITATION.cff"]),
        ("dependabot", [GITHUB / "dependabot.yml"]),
        ("github-issue-config", [GITHUB / "ISSUE_TEMPLATE" / "config.yml"]),
        ("github-issue-forms", FORMS),
        ("github-workflows", WORKFLOWS),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_files_for_the_code_host_have_the_form_that_it_reads(
    schema: str, paths: list[Path]
) -> None:
    run("check-jsonschema", "--builtin-schema", f"vendor.{schema}", *map(str, paths))


@pytest.mark.long
def test_the_workflows_pass_the_linter() -> None:
    run("zizmor", "--offline", "--pedantic", "--no-progress", str(GITHUB))
