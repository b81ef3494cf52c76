"""The documentation as `make docs` builds it: `pytest_plugins = ("built_site",)` brings `site`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from only_one import only_one
from repository import ROOT


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the site. Processes that share the tests build it once."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # then that is a folder in one for all
        folder = folder.parent
    built = folder / "site"
    with only_one(folder / "site.lock"):
        if not built.exists():
            build = [sys.executable, "-m", "docs.site", str(built)]
            subprocess.run(build, cwd=ROOT, check=True)
    return built
