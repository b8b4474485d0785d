"""Build the documentation site into the package, where `untilt docs` finds it.

    uv run --group docs python docs/build_site.py [FOLDER]

Every warning is an error: a link that leads nowhere, a page that is in no part of the navigation,
a formula that cannot be read. Neither the build nor the pages load anything from elsewhere.
"""

import argparse
import re
import shutil
import sys
import tempfile
from importlib.metadata import distribution
from pathlib import Path

from sphinx.cmd.build import build_main

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

from hatch_build import SITE, SITE_STAMP, site_stamp  # noqa: E402

# Sphinx and the theme, and what they bring into the pages: scripts, style sheets, colours of code.
_BUNDLED = ("furo", "myst-nb", "pygments", "snowballstemmer", "sphinx", "sphinx-basic-ng")
_LICENCE_NAMES = ("licence", "license", "copying")
_NOT_NEEDED = (".buildinfo*", "_static/**/*.map")
_LIGHTER = (
    (re.compile(r'<span class="w"> </span>'), " "),
    # It keeps code in one line, which a word without a hyphen or a slash stays in anyway.
    (re.compile(r"""<span class="pre">([\w.,:=*()\[\]'"]*)</span>"""), r"\1"),
)
"""Elements within code and signatures that change nothing: a twentieth of the pages."""


def build_site(output: Path) -> int:
    """Build the site into `output`, which is replaced only if that succeeds; return a status."""
    # Before the sources are read: what changes meanwhile makes the site stale again.
    stamp = site_stamp(ROOT)
    with tempfile.TemporaryDirectory(prefix="untilt-site-") as scratch:
        built = Path(scratch, "html")
        strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--quiet"]
        doctrees = str(Path(scratch, "doctrees"))
        status = build_main([*strict, "-b", "html", "-d", doctrees, str(DOCS), str(built)])
        if status != 0:
            return status
        (built / "NOTICE.txt").write_text(notice(), encoding="utf-8")
        (built / SITE_STAMP).write_text(stamp, encoding="ascii")
        for pattern in _NOT_NEEDED:
            for path in built.glob(pattern):
                path.unlink()
        for page in built.glob("*.html"):
            text = page.read_text(encoding="utf-8")
            for pattern, lighter in _LIGHTER:
                text = pattern.sub(lighter, text)
            page.write_text(text, encoding="utf-8")
        if output.exists():
            shutil.rmtree(output)
        shutil.copytree(built, output)
    return 0


def notice() -> str:
    """Return the licences of the software whose files are part of the site."""
    parts = ["Parts of the following software are included in these pages.\n"]
    for name in _BUNDLED:
        package = distribution(name)
        texts = [
            file.read_text(encoding="utf-8").strip()
            for file in package.files or []
            if ".dist-info" in str(file) and file.name.lower().startswith(_LICENCE_NAMES)
        ]
        assert texts, f"{name} comes without a licence"
        parts.append(f"{'-' * 72}\n{name} {package.version}\n\n" + "\n\n".join(texts) + "\n")
    return "\n".join(parts)


def main() -> int:
    """Build the site and say where it is."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / SITE)
    output = parser.parse_args().folder
    status = build_site(output)
    if status == 0:
        files = [path for path in output.rglob("*") if path.is_file()]
        size = sum(path.stat().st_size for path in files)
        print(f"{output / 'index.html'}: {len(files)} files, {size / 1e6:.1f} MB")
    return status


if __name__ == "__main__":
    sys.exit(main())
