"""Data directories as a first start leaves them: the private PostgreSQL is made, and migrated.

To make one takes longer than most of what is done with it. So whatever is not about a first start
gets a copy of one that all processes of a run share.
"""

import os
import shutil
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from heliograph.app.startup import migrate_private_database
from heliograph.platform.embedded.server import EmbeddedPostgres
from heliograph.settings import DataSettings, Settings
from only_one import only_one

_SHARED = "PREPARED_DATA"
"""The environment variable that names the run's folder to the processes that share its tests."""


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        os.environ[_SHARED] = tempfile.mkdtemp(prefix="heliograph-prepared-", dir="/tmp")
        Path(os.environ[_SHARED]).chmod(0o755)  # the server's user passes it


def pytest_unconfigure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        shutil.rmtree(os.environ.pop(_SHARED))


def prepare_data(folder: Path) -> None:
    """Make this data directory, unless it is there, or its server's user could not reach it: then
    the first start has to find another place for the server."""
    folder.parent.chmod(0o755)
    if folder.exists() or not all(above.stat().st_mode & 0o001 for above in folder.parents):
        return
    shared = Path(os.environ[_SHARED])
    made, unfinished = shared / "made", shared / "unfinished"
    with only_one(shared / "lock"):
        if not made.exists():
            with ThreadPoolExecutor(1) as thread:  # a loop may run on this one
                thread.submit(_make, unfinished).result()
            unfinished.rename(made)
    subprocess.run(["cp", "-a", made, folder], check=True)


def _make(folder: Path) -> None:
    server = EmbeddedPostgres(Settings(data=DataSettings(dir=folder)))
    server.start()
    try:
        migrate_private_database(server.owner_url)
    finally:
        server.stop()
    (folder / "secret.key").unlink()  # each has one of its own
    (folder / "postgres" / "postgres.log").unlink()
