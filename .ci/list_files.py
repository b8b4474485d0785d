"""List what a wheel and a source distribution contain, and check that nothing is amiss.

    python .ci/list_files.py FOLDER

FOLDER holds one wheel and one source distribution, and may hold other files.
"""

import re
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

IN_THE_WHEEL = (
    r"untilt/py\.typed",
    r"untilt/dashboard/static/index\.html",
    r"untilt/dashboard/static/NOTICE\.txt",
    r"untilt/pages/docs/index\.md",
    r"untilt/site/index\.html",
    r"untilt/site/searchindex\.js",
    r"untilt/site/NOTICE\.txt",
    r"untilt-[\d.]+\.dist-info/licenses/LICENSE",
    r"untilt-[\d.]+\.dist-info/entry_points\.txt",
)
IN_THE_SOURCES = (
    *("CHANGELOG.md", "CITATION.cff", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "LICENSE"),
    *("README.md", "SECURITY.md", "PKG-INFO", "hatch_build.py", "pyproject.toml", "uv.lock"),
    *("src/untilt/site/site.stamp", "src/untilt/dashboard/static/page.stamp", "web/package.json"),
    *("docs/index.md", "examples/liars_dice.py", "tests/conftest.py", ".ci/run"),
)
NOWHERE = re.compile(r"__pycache__|\.pyc$|node_modules|\.venv|\.ipynb_checkpoints|\.git/|^runs/")
LARGEST = 15e6
"""Bytes of a distribution, beyond which something has slipped in."""


def main(folder: Path) -> None:
    """Check both distributions in the folder and print their parts."""
    (wheel,) = folder.glob("untilt-*.whl")
    (sources,) = folder.glob("untilt-*.tar.gz")
    with zipfile.ZipFile(wheel) as archive:
        packed = {each.filename: each.compress_size for each in archive.infolist()}
    for pattern in IN_THE_WHEEL:
        assert any(re.fullmatch(pattern, name) for name in packed), f"the wheel lacks {pattern}"
    others = {name.split("/")[0] for name in packed} - {"untilt"}
    assert all(name.endswith(".dist-info") for name in others), others
    with tarfile.open(sources) as archive:
        files = [each for each in archive.getmembers() if each.isfile()]
    contained = {each.name.partition("/")[2]: each.size for each in files}
    for name in IN_THE_SOURCES:
        assert name in contained, f"the source distribution lacks {name}"
    for path, names in ((wheel, packed), (sources, contained)):
        assert not [name for name in names if NOWHERE.search(name)]
        assert path.stat().st_size < LARGEST, path.name
        print(f"{path.name}: {len(names)} files, {path.stat().st_size / 1e6:.2f} MB")
        sizes: Counter[str] = Counter()
        for name, size in names.items():
            sizes["/".join(name.split("/")[:-1][:2]) or name] += size
        for part, size in sorted(sizes.items()):
            print(f"    {part:40} {size / 1e3:9.1f} KB")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
