"""Build the documentation as a site: `python -m docs.site [FOLDER]`, in the root of the repository.

Zensical makes it, in a folder of its own, of pages that are prepared before and finished after.
FOLDER is where it goes, by default to the gateway, which serves it under `/help`.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from docs.site.scripts import move_scripts

from heliograph.faces.help.sources import list_navigation, write_pages

_ROOT = Path(__file__).parents[2]
_HERE = _ROOT / "docs" / "site"
_DASHBOARD = _ROOT / "src" / "heliograph" / "faces" / "dashboard" / "static"
_LOOK = (
    _HERE / "heliograph.css",
    _DASHBOARD / "icon.svg",
    _DASHBOARD / "vendor" / "inter-latin-wght-normal.woff2",
    _DASHBOARD / "vendor" / "inter-latin-ext-wght-normal.woff2",
    _DASHBOARD / "vendor" / "inter-latin.LICENSE",
)
_SERVED = _ROOT / "src" / "heliograph" / "faces" / "help" / "site"
_UNNEEDED = ("assets/stylesheets/classic", "assets/images", "sitemap.xml")
"""The theme's other look, its own icon, and a list of addresses that are not known here."""


def build(target: Path) -> None:
    """Build the site, and put it in place of what is there."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _prepare(folder)
        zensical = [sys.executable, "-m", "zensical", "build", "--strict"]
        done = subprocess.run(zensical, cwd=folder, check=False, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}{done.stderr}")
        site = folder / "site"
        for each in _UNNEEDED:
            _remove(site / each)
        move_scripts(site)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(site, target)


def _prepare(folder: Path) -> None:
    """Write what the generator reads."""
    navigation = list_navigation(_ROOT)
    write_pages(_ROOT, navigation, folder / "docs")
    pictures = folder / "docs" / "pictures"
    shutil.copytree(
        _ROOT / "docs" / "pictures", pictures, ignore=shutil.ignore_patterns("*.py", "__pycache__")
    )
    (folder / "docs" / "look").mkdir()
    for file in _LOOK:
        shutil.copy(file, folder / "docs" / "look")
    shutil.copytree(_HERE / "templates", folder / "templates")
    settings = (_HERE / "mkdocs.yml").read_text("utf-8")
    listed = json.dumps(navigation.for_generator(), ensure_ascii=False)
    (folder / "mkdocs.yml").write_text(f"{settings}nav: {listed}\n", "utf-8")


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


if __name__ == "__main__":
    build(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else _SERVED)
